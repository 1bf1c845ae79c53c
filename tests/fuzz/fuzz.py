"""Coverage-guided fuzzing of the targets, by Atheris (libFuzzer): what `make fuzz` runs.

    python tests/fuzz/fuzz.py [--seconds 60] [--folder build/fuzz] [TARGET ...]

Each target has a process of its own, with the native modules watched by the sanitizers that they were built with, and
begins with its seeds, with corpus.zip and with what earlier runs left in the folder. An input that ends a process is
kept there as ``crash-...`` and makes the exit status 1; ``--replay FILE TARGET`` runs it again. ``--keep`` fuzzes
nothing: it writes to corpus.zip what of the folder reaches other places than the seeds.
"""

import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import threading
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 4096
"""Bytes of an input."""
COUNTERS = 1 << 16
"""As in coverage.c."""
SLOW = 60
"""Seconds of one input that count as a hang."""


def watch(counters):
    """Counts the lines of the package's Python in ``counters``. (Atheris' own counters come too late for libFuzzer
    when the native modules' are there.)"""
    places = {}

    def line(frame, event, argument):
        if event == "line":
            key = frame.f_code, frame.f_lineno
            place = places.get(key)
            if place is None:  # not hash(), which is another one for each run
                place = places[key] = zlib.crc32(f"{key[0].co_filename}:{key[1]}".encode()) % len(counters)
            counters[place] = (counters[place] + 1) % 256
        return line

    def call(frame, event, argument):
        return line if f"{os.sep}mcts_core{os.sep}" in frame.f_code.co_filename else None

    sys.settrace(call)
    threading.settrace(call)


def fuzz(name, folder, seconds):
    """Fuzzes one target, in this process; does not return."""
    import atheris
    import atheris.core_with_libfuzzer  # noqa: F401  (else it is loaded too late for mcts_coverage_begin)
    import targets

    corpus = folder / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(targets.inputs(name)):
        (corpus / f"seed-{number}").write_bytes(data)
    targets.TARGETS[name](data)  # what a target makes once is no part of an input
    atheris.Setup(
        [sys.argv[0], str(corpus), f"-max_total_time={seconds}", f"-artifact_prefix={folder / name}-",
         f"-timeout={SLOW}", f"-max_len={LONGEST}", "-rss_limit_mb=0", "-print_final_stats=1", "-verbosity=1"],
        targets.TARGETS[name])
    library = ctypes.CDLL(os.environ["MCTS_COVERAGE"])
    if library.mcts_coverage_begin() <= 0:
        sys.exit("the native modules tell no coverage: they must be built as `make fuzz` does")
    if name not in targets.NATIVE:
        watch((ctypes.c_uint8 * COUNTERS).in_dll(library, "mcts_counters"))
    atheris.Fuzz()


def keep(name, folder):
    """Replaces in corpus.zip the inputs of one target: by those of the folder that reach places which no seed and no
    shorter input reaches."""
    import targets

    counters = (ctypes.c_uint8 * COUNTERS).in_dll(ctypes.CDLL(os.environ["MCTS_COVERAGE"]), "mcts_counters")
    if name not in targets.NATIVE:
        watch(counters)
    found = sorted((path.read_bytes() for path in (folder / name).iterdir()), key=lambda data: (len(data), data))
    reached, kept = set(), []
    targets.TARGETS[name](found[0])  # what a target makes once is no part of an input
    for data in [*targets.SEEDS[targets.TARGETS[name]], *found]:
        ctypes.memset(counters, 0, COUNTERS)
        targets.TARGETS[name](data)
        places = {place for place, count in enumerate(bytes(counters)) if count}
        if not places <= reached:
            reached |= places
            kept.append(data)
    new = [data for data in kept if data not in targets.SEEDS[targets.TARGETS[name]]]
    with zipfile.ZipFile(targets.CORPUS) as file:
        entries = {each: file.read(each) for each in file.namelist() if not each.startswith(f"{name}/")}
    entries |= {f"{name}/{number}": data for number, data in enumerate(new)}
    with zipfile.ZipFile(targets.CORPUS, "w") as file:
        for each in sorted(entries):
            file.writestr(zipfile.ZipInfo(each), entries[each], zipfile.ZIP_DEFLATED)
    print(f"{name}: {len(new)} of {len(found)} inputs kept, {len(reached)} places")


def replay(path, name):
    """Runs one input again."""
    import targets

    targets.TARGETS[name](path.read_bytes())
    print(f"{name}: {path} is no finding any more")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", metavar="TARGET", nargs="*", help="targets (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/fuzz"), help="corpora and findings")
    parser.add_argument("--keep", action="store_true", help="write what the folder holds to corpus.zip")
    parser.add_argument("--replay", type=pathlib.Path, metavar="FILE", help="run one input again")
    parser.add_argument("--here", action="store_true", help="in this process: for the processes that this starts")
    args = parser.parse_args()
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    if args.replay:
        return replay(args.replay, *args.names)
    folder = args.folder.resolve()
    if args.here:
        return keep(args.names[0], folder) if args.keep else fuzz(args.names[0], folder, args.seconds)
    import targets

    failed = []
    for name in args.names or targets.TARGETS:
        print(f"---- {name}", flush=True)
        command = [sys.executable, __file__, "--here", "--seconds", str(args.seconds), "--folder", str(folder), name]
        command += ["--keep"] * args.keep
        if subprocess.run(command).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"findings in {', '.join(failed)}: see {folder}")


if __name__ == "__main__":
    main()
