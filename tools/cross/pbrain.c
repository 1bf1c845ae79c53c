/* pbrain-mcts_core.exe: runs `mcts-core gomocup` in the Python that lies beside it, in this process. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

#define LONGEST 4096 /* of a path, and of the command line in words: LONGEST / 8 */

typedef int (*main_of_python)(int, wchar_t **);

int wmain(int count, wchar_t **words) {
    static wchar_t path[LONGEST];
    static wchar_t *all[LONGEST / 8] = {L"pbrain-mcts_core", L"-m", L"mcts_core", L"gomocup"};
    DWORD length = GetModuleFileNameW(NULL, path, LONGEST - 64);
    wchar_t *end = length > 0 && length < LONGEST - 64 ? wcsrchr(path, L'\\') : NULL;
    HMODULE library;
    main_of_python run;
    int used = 4, i;
    if (end == NULL || count > LONGEST / 8 - 4) {
        fprintf(stderr, "pbrain-mcts_core: its path or command line is too long\n");
        return 2;
    }
    wcscpy(end, L"\\mcts_core\\python313.dll");
    library = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    run = library == NULL ? NULL : (main_of_python)(void *)GetProcAddress(library, "Py_Main");
    if (run == NULL) {
        fprintf(stderr, "pbrain-mcts_core: the folder mcts_core with python313.dll must lie beside this program\n");
        return 2;
    }
    all[0] = words[0];
    for (i = 1; i < count; i++) all[used++] = words[i];
    return run(used, all);
}
