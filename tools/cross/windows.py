"""The package on Windows, by Wine: MinGW builds the wheel, and a CPython for Windows runs the tests.

    python tools/cross/windows.py wheel             builds it
    python tools/cross/windows.py test [OPTIONS]    compares the signature too, by each instruction set that this
                                                    processor has (avx512 is compared only where it is), and runs tests
    python tools/cross/windows.py run PROGRAM ...   runs a program of that Python's folder, "python -c ..."

OPTIONS are those of pytest. Needs Wine and MinGW, which PACKAGES of this file names for Debian; everything else comes
from the package index. What Wine cannot do is left out: left_out.txt, with the reasons.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from common import BUILD, PYTHON, ROOT, WINPYTHON, packages, unpacked, wheel

HERE = Path(__file__).resolve().parent
PLACE = BUILD / "windows"
PACKAGES = "gcc-mingw-w64-x86-64-posix mingw-w64-x86-64-dev wine wine64"
COMPILER = "x86_64-w64-mingw32-gcc-posix"
TEST_PACKAGES = ["colorama", "hypothesis>=6,<6.140", "pytest>=8", "rich>=13", "typing_extensions>=4.6"]
WITHOUT = "distributed loky matplotlib numba numpy open_spiel"
"""Packages that are not there: Wine 8 lacks what numpy asks of Windows, and the others need numpy or are large."""


WITHOUT_COPY_FILE = "import _winapi\n\ndel _winapi.CopyFile2  # Wine 8 has none; without it shutil copies by itself\n"
"""What that Python runs at its start."""


def python():
    """The folder of a CPython for Windows."""
    folder = unpacked(WINPYTHON, PLACE / "python")
    (folder / "DLLs" / "_wmi.pyd").unlink(missing_ok=True)  # in which Wine ends the process
    return folder


def build():
    """The wheel. GCC aligns the stack of Windows to 16 bytes and spills vectors of 32 to it as if they were aligned
    (its bug 54412): the assembler is told to use instructions that do not mind."""
    folder = python()
    return wheel("windows", "win-amd64", "win_amd64", f".cp{PYTHON}-win_amd64.pyd",
                 f"{COMPILER} -I{folder / 'include'} -Wa,-muse-unaligned-vector-move",
                 f"{COMPILER} -shared -s -static-libgcc", f"-lpython{PYTHON}", f"-L{folder / 'libs'}")


# ---- Wine ------------------------------------------------------------------------------------------------------------

def missing():
    """The programs that are not here."""
    return [name for name, found in (("wine64", wine()), (COMPILER, shutil.which(COMPILER))) if found is None]


def wine(name="wine64"):
    places = os.environ["PATH"] + os.pathsep + "/usr/lib/wine"  # Debian's package wine64 alone has no link in /usr/bin
    return shutil.which(name, path=places)


def environment():
    found = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DISPLAY"))}
    return {**found, "WINEPREFIX": str(PLACE / "prefix"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=",
            "PYTHONPYCACHEPREFIX": windows_path(PLACE / "bytecode"), "MCTS_CORE_TESTS_WITHOUT": WITHOUT}


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def make_prefix():
    """A Windows 10 of Wine's."""
    done = PLACE / "prefix" / ".made"
    if not done.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        for command in (("wineboot", "-i"), ("winecfg", "-v", "win10")):
            started(*command, program=None).check_returncode()
        done.touch()


def started(*arguments, program="python.exe", capture=False, cwd=ROOT, **variables):
    """Runs a program of the Python's folder, or of Wine's. Its streams are pipes: what Wine 8 makes of a terminal or of
    a file CPython cannot use."""
    command = [wine(), *([str(python() / program)] if program else []), *map(str, arguments)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if capture else subprocess.STDOUT,
        cwd=cwd, env={**environment(), **variables})
    if capture:
        out, errors = process.communicate()
        sys.stderr.buffer.write(errors)
        return subprocess.CompletedProcess(command, process.returncode, out)
    process.stdin.close()
    while data := os.read(process.stdout.fileno(), 65536):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    return subprocess.CompletedProcess(command, process.wait())


def install(made):
    """The wheel and what the tests need, in that Python. Not by pip, which needs minutes under Wine for it."""
    folder = python() / "Lib" / "site-packages"
    for old in [*folder.glob("mcts_core"), *folder.glob("mcts_core-*")]:
        shutil.rmtree(old)
    for file in (*packages(PLACE / "packages", *TEST_PACKAGES), made):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
    (folder / "sitecustomize.py").write_text(WITHOUT_COPY_FILE, encoding="ascii")


def left_out():
    """Options of pytest for what Wine cannot do."""
    options = []
    for line in (HERE / "left_out.txt").read_text(encoding="utf-8").splitlines():
        name = line.split("#")[0].strip()
        if name:
            options.append(f"--deselect=tests/{name}")
    return options


def instruction_sets():
    """Those that the wheel has and this processor runs, as the package finds them under Wine."""
    code = "from mcts_core.dispatch import supported; print(*supported())"
    return started("-P", "-c", code, capture=True).stdout.decode().split()


def compare_signature():
    """Whether the searches of each instruction set are those of every other platform."""
    expected = (ROOT / "tests" / "data" / "signature.txt").read_text(encoding="utf-8")
    names = instruction_sets()
    if not names:
        print("error: the package cannot be imported")
        return False
    for isa in names:
        found = started("-P", "tests/signature.py", capture=True, MCTS_CORE_ISA=isa).stdout.decode().replace("\r", "")
        if found != expected:
            print(f"error: the searches of {isa} differ from tests/data/signature.txt:\n{found}")
            return False
    print(f"the signature is equal with each instruction set of this processor: {', '.join(names)}", flush=True)
    return True


def test(arguments):
    """The signature and the tests; the exit status."""
    if missing():
        sys.exit(f"error: not found: {' '.join(missing())}; on Debian: apt-get install {PACKAGES}")
    os.environ["MCTS_CORE_TESTING"] = "1"  # nothing is compiled where the tests run
    made = build()
    print(f"{made.name}: {made.stat().st_size / 1e6:.2f} MB", flush=True)
    make_prefix()
    install(made)
    if not compare_signature():
        return 1
    report = PLACE / "report.xml"
    report.unlink(missing_ok=True)
    status = started("-P", "-m", "pytest", "-p", "no:cacheprovider", "-q", f"--junitxml={windows_path(report)}",
                     *left_out(), *(arguments or ["tests"])).returncode
    if not report.exists():  # under Wine a process that ends in the middle may have the exit status 0
        print("error: pytest has not come to its end")
        return status or 1
    return status


def end_wine():
    """Ends Wine's own processes of this prefix."""
    subprocess.run([wine("wineserver64") or wine("wineserver"), "-k"], env=environment())


if __name__ == "__main__":
    if sys.argv[1:2] == ["wheel"]:
        print(build())
    elif sys.argv[1:2] == ["test"]:
        try:
            status = test(sys.argv[2:])
        finally:
            end_wine()
        sys.exit(status)
    elif sys.argv[1:2] == ["run"]:
        make_prefix()
        sys.exit(started(*sys.argv[3:], program=sys.argv[2]).returncode)
    else:
        sys.exit(__doc__)
