#!/usr/bin/env python3
"""Measures what the project claims about speed and strength, one claim after another. README.md lists the claims.

    python bench/claims.py                       all of them: about three hours on an idle machine
    python bench/claims.py threads overshoot     some of them
    python bench/claims.py speed -- --quick      one of them, with other arguments for its script
    python bench/claims.py --list                their names and commands

What a script prints also goes into build/claims/NAME.txt. A claim whose packages are not installed is left out. The
exit status is 1 if a script failed or missed its goals.
"""

import argparse
import importlib.util
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Claim:
    name: str
    page: str
    """The page that makes the claim, from the root, with the section."""
    command: str
    """The script, from the root, with the arguments by which the page was measured."""
    needs: tuple[str, ...] = ()
    """Modules of other packages."""


CLAIMS = (
    Claim("speed", "README.md", "bench/run.py --results bench"),
    Claim("connect4", "bench/STRENGTH.md#positions-of-known-value",
          "bench/strength.py --file c4 --seconds 0.02 0.1 1"),
    Claim("gomoku", "bench/STRENGTH.md#positions-of-known-value", "bench/strength.py --file gomoku --seconds 0.05 1"),
    Claim("solve", "bench/STRENGTH.md#exact-search", "bench/exact_search.py --stones 8 10 11 12 14 --count 200",
          ("mcts_core.testing",)),
    Claim("connect4-match", "bench/STRENGTH.md#matches",
          "bench/match.py --game connect4 --b openspiel:c=1.4 --seconds 0.1 --games 200", ("pyspiel",)),
    Claim("gomoku-match", "bench/STRENGTH.md#matches",
          "bench/match.py --game gomoku --b openspiel:c=1.4 --seconds 0.1 --games 200", ("pyspiel",)),
    Claim("overshoot", "docs/time.md", "bench/overshoot.py"),
    Claim("clock", "docs/time.md", "bench/game_clock.py"),
    Claim("gomocup", "docs/gomocup.md", "bench/clock.py"),
    Claim("full-tree", "docs/memory.md", "bench/full_tree.py"),
    Claim("threads", "docs/threads.md", "bench/threads.py --threads 1,2,4"),
    Claim("many", "bench/TUNING.md#search_many", "bench/search_many.py --positions 2000"),
    Claim("compiled", "docs/native_games.md", "bench/compile.py", ("numba",)),
    Claim("python-games", "docs/own_game.md", "bench/python_games.py"),
    Claim("proofs", "docs/algorithms.md#exact-search", "bench/proofs.py --mates", ("chess",)),
    Claim("numba", "docs/native_games.md", "bench/user_games.py", ("numba",)),
    Claim("workers", "docs/clusters.md", "bench/parallel.py --game connect4 --workers 2 4 --games 200"),
    Claim("rounds", "docs/clusters.md", "bench/parallel.py --costs processes dask", ("distributed",)),
    Claim("network-solver", "docs/evaluators.md",
          "bench/network_match.py --a solver=True --b solver=False --simulations 50 --games 400", ("onnxruntime",)),
    Claim("network-busy", "docs/evaluators.md", "bench/network_busy.py", ("numpy",)),
    Claim("nested", "docs/planning.md", "docs/figures/nested_rollouts.py --tree"),
    Claim("gymnasium", "docs/gymnasium.md", "docs/figures/gymnasium_goals.py", ("gymnasium",)),
    Claim("gymcts", "docs/gymnasium.md", "docs/figures/gymnasium_gymcts.py", ("gymcts",)),
    Claim("hidden", "docs/hidden_information.md", "docs/figures/hidden_information.py", ("pyspiel",)),
)


def main(argv=None):
    args = parse(argv)
    if args.list:
        for claim in CLAIMS:
            print(f"{claim.name:16}{claim.command}")
        return 0
    failed = []
    for claim in CLAIMS:
        if args.names and claim.name not in args.names:
            continue
        if missing := [name for name in claim.needs if not installed(name)]:
            print(f"==== {claim.name}: left out, {', '.join(missing)} is not installed", flush=True)
        elif status := measure(claim, args.arguments):
            failed.append(f"{claim.name} (exit status {status})")
    if failed:
        print(f"error: failed or missed a goal: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def measure(claim, arguments):
    """Runs the script of a claim, and returns its exit status. What it prints also goes into a file."""
    script, *own = shlex.split(claim.command)
    command = [sys.executable, str(ROOT / script), *(arguments or own)]
    print(f"==== {claim.name} ({claim.page}): {shlex.join([script, *(arguments or own)])}", flush=True)
    out = ROOT / "build" / "claims" / f"{claim.name}.txt"
    out.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with out.open("w", encoding="utf-8") as file, \
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            file.write(line)
    print(f"==== {claim.name}: {time.monotonic() - start:.0f} s\n", flush=True)
    return process.returncode


def installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package
        return False


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the names and commands, and measure nothing")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the claims to measure (default: all of them)")
    argv = sys.argv[1:] if argv is None else list(argv)
    end = argv.index("--") if "--" in argv else len(argv)
    args = parser.parse_args(argv[:end])
    args.arguments = argv[end + 1:]
    known = [claim.name for claim in CLAIMS]
    if unknown := [name for name in args.names if name not in known]:
        parser.error(f"NAME must be one of {', '.join(known)}, got {unknown[0]!r}")
    if args.arguments and len(args.names) != 1:
        parser.error("arguments after -- are for one script: name one claim")
    return args


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
