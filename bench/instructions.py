#!/usr/bin/env python3
"""Counts the instructions of fixed searches under callgrind and compares them with instructions.json. See README.md."""

import argparse
import fnmatch
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from report import as_text

COMMITTED = Path(__file__).resolve().parent / "instructions.json"
UPDATE = "make instructions ARGS=--update"
TOLERANCE = 0.01
"""The same compiler, kernel and seed give the same count but for a few instructions per million."""
TIMEOUT = 300  # seconds for one run


@dataclass(frozen=True)
class Case:
    """One workload from the first position of a game."""

    name: str
    title: str
    state: str
    """An expression over the names of mcts_core."""
    work: str
    """``rollouts`` or ``iterations``."""
    count: int


CASES = (
    Case("connect4-iterations", "Connect Four iterations", "ConnectFour()", "iterations", 100_000),
    Case("connect4-8x9x5-iterations", "8x9, 5 in a row, gravity iterations", "ConnectFour(8, 9, 5)", "iterations",
         50_000),
    Case("tictactoe-iterations", "tic-tac-toe iterations", "TicTacToe()", "iterations", 100_000),
    Case("gomoku15-iterations", "gomoku 15x15 iterations", "Gomoku(15)", "iterations", 20_000),
    Case("gomoku15-exact-iterations", "gomoku 15x15 exact iterations", "Gomoku(15, 'exact')", "iterations", 20_000),
    Case("gomoku20-iterations", "gomoku 20x20 iterations", "Gomoku(20)", "iterations", 20_000),
    Case("gomoku20-exact-iterations", "gomoku 20x20 exact iterations", "Gomoku(20, 'exact')", "iterations", 20_000),
    Case("connect4-rollouts", "Connect Four rollouts", "ConnectFour()", "rollouts", 100_000),
    Case("gomoku15-rollouts", "gomoku 15x15 rollouts", "Gomoku(15)", "rollouts", 20_000),
)

# The textbook search, whose options no tuning changes. Prints what was done.
WORKLOAD = """\
import sys
sys.path.insert(0, sys.argv[1])
import mcts_core
state, work, count = eval(sys.argv[2], vars(mcts_core)), sys.argv[3], int(sys.argv[4])
if work == "rollouts":
    result = mcts_core.rollouts(state, count, seed=1)
    done = result.wins + result.draws + result.losses
else:
    engine = mcts_core.Searcher(preset="uct", exploration=2**0.5, memory_mb=1024, seed=1)
    engine.search(state, iterations=count)
    done = engine.stats().iterations
print(done, *mcts_core.dispatch.supported())
"""


class Failed(Exception):
    """Why there is no count."""


def main(argv=None):
    args = parse(argv)
    folder = package_folder()
    about = {"compiler": compiler_of(folder), "valgrind": valgrind_version(), "python": platform.python_version()}
    toolchain = toolchain_name(about["compiler"])
    document = read_committed()
    judged = document["toolchains"].get(toolchain)
    compared = judged or next(iter(document["toolchains"].values()), {"values": {}})
    print(f"{toolchain or 'unknown compiler'}: {about['compiler']}; valgrind {about['valgrind']}, "
          f"Python {about['python']}\n", flush=True)

    isas = [isa for isa in supported(folder) if not args.isa or isa in args.isa]
    if not isas:
        raise Failed(f"none of {', '.join(args.isa)} runs here under valgrind")
    counts = measure_all(folder, [(case, isa) for isa in isas for case in chosen(args.only)], args)
    rows = compare(counts, compared["values"], args.tolerance)
    if not judged:
        for row in rows:
            row["verdict"] = "not judged"
    print(as_text([table(rows, args)]), "", sep="\n")
    left_out = sorted(set(compared["values"]) - set(supported(folder)))
    if left_out:
        print(f"Not measured, as it does not run here under valgrind: {', '.join(left_out)}.")
    if args.json:
        args.json.write_text(json.dumps({"toolchain": toolchain, **about, "rows": rows}, indent=1) + "\n")
    if args.update:
        write_committed(document, toolchain, about, rows)
        print(f"Written to {COMMITTED}.")
        return 0
    return conclude(rows, toolchain, list(document["toolchains"]), args.tolerance)


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="instructions.py", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="cases whose name matches, such as "
                        f"'connect4*'; may be repeated; one of {', '.join(case.name for case in CASES)}")
    parser.add_argument("--isa", action="append", metavar="ISA", help="instruction set; may be repeated (default: all)")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="SHARE",
                        help=f"change that does not count (default {TOLERANCE})")
    parser.add_argument("--repeat", type=int, default=1, metavar="N",
                        help="count everything N times and tell the spread")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="processes at a time; counts do not depend on it (default 2)")
    parser.add_argument("--update", action="store_true", help="write what was counted to instructions.json")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts as JSON")
    args = parser.parse_args(argv)
    if not 0 < args.tolerance < 1:
        parser.error(f"--tolerance must be between 0 and 1, got {args.tolerance}")
    if args.repeat < 1 or args.jobs < 1:
        parser.error("--repeat and --jobs must be at least 1")
    if not chosen(args.only):
        parser.error(f"--only: no case matches {', '.join(args.only)}")
    return args


def chosen(patterns):
    """The cases whose name matches one of the patterns; all without patterns."""
    return [case for case in CASES if not patterns or any(fnmatch.fnmatch(case.name, each) for each in patterns)]


# ---- the package and its tools ---------------------------------------------------------------------------------------


def package_folder():
    """The folder that holds the package ``mcts_core`` which this Python would import."""
    spec = importlib.util.find_spec("mcts_core")
    if spec is None or not spec.submodule_search_locations:
        raise Failed(f"mcts_core is not installed for {sys.executable}; `make instructions` builds and installs it "
                     "first")
    return Path(spec.submodule_search_locations[0]).parent


def compiler_of(folder):
    """How the compiler of the hot modules signed them; "unknown" where it did not."""
    for path in sorted((folder / "mcts_core" / "tree").glob("_plain_tree_*.so")):
        return signature_of(path.read_bytes())
    return "unknown"


def signature_of(binary):
    """The compiler's note in an ELF file. One of Clang also holds GCC's, from the start files of the C library."""
    for pattern in (rb"[ -~]*clang version [ -~]+", rb"GCC: [ -~]+"):
        found = re.search(pattern, binary)
        if found:
            return found.group().decode().strip()
    return "unknown"


def toolchain_name(compiler):
    """Processor, compiler and its major version, within which counts can be compared; None for an unknown compiler."""
    for name, pattern in (("clang", r"clang version (\d+)"), ("gcc", r"GCC: \(.*\) (\d+)\.")):
        found = re.search(pattern, compiler)
        if found:
            return f"{platform.machine()} {name} {found[1]}"
    return None


def valgrind_version():
    """The version of valgrind. Raises Failed when there is none."""
    if not shutil.which("valgrind"):
        raise Failed("valgrind is not installed (Debian, Ubuntu, Fedora: package valgrind)")
    shown = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout
    return shown.strip().removeprefix("valgrind-") or "unknown"


# ---- counting --------------------------------------------------------------------------------------------------------


def supported(folder):
    """The instruction sets that valgrind gives to the package."""
    return run_workload(folder, ["--tool=none"], CASES[0], 1)[0]


def run_workload(folder, options, case, count, isa=None):
    """(supported instruction sets, valgrind's log) of one run of ``count`` iterations or rollouts.

    The environment is fixed: it lies on the stack and seeds the hashes of the interpreter, which change the count. No
    site-packages (-S): what is installed beside the package would change it too.
    """
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment |= {"PYTHONHASHSEED": "0"} | ({"MCTS_CORE_ISA": isa} if isa else {})
    command = ["valgrind", *options, "--vgdb=no", sys.executable, "-P", "-S", "-c", WORKLOAD, str(folder), case.state,
               case.work, str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{case.name}: not finished after {TIMEOUT} s") from None
    words = done.stdout.split()
    if done.returncode != 0 or not words:
        said = [line for line in done.stderr.strip().splitlines() if not line.startswith("==")]
        raise Failed(f"{case.name} under valgrind ended with {done.returncode}: " + "\n".join(said[-8:]))
    if int(words[0]) != count:
        raise Failed(f"{case.name}: {words[0]} {case.work} done, {count} wanted")
    return words[1:], done.stderr


def collected(log):
    """The instructions that callgrind counted, from its log."""
    found = re.search(r"^==\d+== Collected : (\d+)\s*$", log, re.MULTILINE)
    if not found:
        raise Failed("no count in the log of callgrind: " + log.strip()[-300:])
    return int(found[1])


def measure(folder, case, isa):
    """Instructions per iteration or rollout.

    The difference of two runs: starting the interpreter and importing, a hundred million instructions, cancels, and no
    symbols are needed, which installed packages may lack.
    """
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
    low, high = (collected(run_workload(folder, options, case, count, isa)[1]) for count in (1, case.count))
    return (high - low) / (case.count - 1)


def measure_all(folder, pairs, args):
    """(case, instruction set, the counts of all repeats) of each pair of a case and an instruction set."""
    with ThreadPoolExecutor(args.jobs) as pool:
        tasks = [(case, isa, [pool.submit(measure, folder, case, isa) for _ in range(args.repeat)])
                 for case, isa in pairs]
        try:
            return [(case, isa, [future.result() for future in futures]) for case, isa, futures in tasks]
        finally:
            pool.shutdown(cancel_futures=True)


# ---- comparing -------------------------------------------------------------------------------------------------------


def compare(counts, committed, tolerance):
    """Rows as dicts; ``committed``: instruction set -> case -> count. The largest of the repeats is compared."""
    rows = []
    for case, isa, repeats in counts:
        count, before = round(max(repeats), 1), committed.get(isa, {}).get(case.name)
        change = None if before is None else count / before - 1
        rows.append({"case": case.name, "title": case.title, "isa": isa, "count": count, "committed": before,
                     "change": change, "verdict": verdict(change, tolerance), "repeats": repeats,
                     "spread": max(repeats) / min(repeats) - 1})
    return rows


def verdict(change, tolerance):
    """``same``, ``WORSE``, ``better``, or ``new`` for a change of None."""
    if change is None:
        return "new"
    return "WORSE" if change > tolerance else "better" if change < -tolerance else "same"


def table(rows, args):
    """Heading, column titles and cells for ``report.as_text``."""
    titles = ["workload", "isa", "instructions", "committed", "change", ""]
    cells = [[row["title"], row["isa"], f"{row['count']:,.1f}",
              "-" if row["committed"] is None else f"{row['committed']:,.1f}",
              "-" if row["change"] is None else f"{100 * row['change']:+.2f} %", row["verdict"]] for row in rows]
    if args.repeat > 1:
        titles.insert(3, "spread")
        for line, row in zip(cells, rows, strict=True):
            line.insert(3, f"{1e6 * row['spread']:.1f} ppm")
    return "Instructions per iteration or rollout", titles, cells


def conclude(rows, toolchain, known, tolerance):
    """Says what the verdicts mean; the exit code."""
    with_verdict = {name: [row for row in rows if row["verdict"] == name] for name in ("WORSE", "better", "new")}
    if toolchain not in known:
        print(f"Not judged: other compilers give other counts. There are values for {', '.join(known) or 'none'}; "
              f"`{UPDATE}` adds this one.")
        return 0
    if with_verdict["new"]:
        print(f"{len(with_verdict['new'])} without a committed value: `{UPDATE}` adds it.")
    if with_verdict["better"]:
        print(f"{len(with_verdict['better'])} better by more than {tolerance:.1%}: `{UPDATE}` keeps that from being "
              "lost.")
    if with_verdict["WORSE"]:
        print(f"{len(with_verdict['WORSE'])} WORSE by more than {tolerance:.1%}. Where that is meant (CONTRIBUTING.md, "
              f"Speed): `{UPDATE}`.")
        return 1
    print(f"None worse by more than {tolerance:.1%}.")
    return 0


# ---- the committed values --------------------------------------------------------------------------------------------


def read_committed():
    """The committed values; an empty document where there is no file."""
    try:
        return json.loads(COMMITTED.read_text())
    except FileNotFoundError:
        return {"unit": "instructions per iteration or rollout", "toolchains": {}}


def write_committed(document, toolchain, about, rows):
    """Puts the counts of ``rows`` into the file and drops cases that are no more; other toolchains stay."""
    if toolchain is None:
        raise Failed("the compiler is unknown, so there is nothing to file the counts under")
    before = document["toolchains"].get(toolchain, {"values": {}})["values"]
    merged = {isa: dict(cases) for isa, cases in before.items()}
    for row in rows:
        merged.setdefault(row["isa"], {})[row["case"]] = row["count"]
    values = {isa: {case.name: cases[case.name] for case in CASES if case.name in cases}
              for isa, cases in merged.items()}
    document["toolchains"][toolchain] = about | {"values": values}
    COMMITTED.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
