"""Plays Morpion solitaire by nested rollouts, and compares the mean scores with published ones.

    python docs/figures/nested_rollouts.py                       levels 1 and 2, both versions: ten minutes on one core
    python docs/figures/nested_rollouts.py --levels 3 --runs 4   a million rollouts each: 10 to 14 minutes each
    python docs/figures/nested_rollouts.py --levels 2 --tree     also the best line of a tree search, equal rollouts

A search of level n is 100**n rollouts. Published, for the touching version: the means of the same algorithm with 100
searches in each level in the results of A. Rimmel (the repository elentaran/morpionSol, files RESULTAT and
res/nrpa*.data). For the disjoint version, no means by level were found. Its record is 82 moves, by Rosin (IJCAI 2011).
"""

import argparse
import importlib.util
import math
import statistics
import sys
import time
from pathlib import Path

import mcts_core as mc

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

import arguments  # noqa: E402
import machine  # noqa: E402

EXAMPLE = ROOT / "examples" / "morpion_solitaire.py"
PUBLISHED = {("touching", 1): 79.40, ("touching", 2): 104.37, ("touching", 3): 147.17}
WIDTH = 100
RUNS = {1: 200, 2: 30, 3: 4}


def main(argv=None):
    args = parse(argv)
    machine.pin(args.core)
    example = load()
    games = {"disjoint": example.MorpionSolitaire, "touching": example.TouchingMorpionSolitaire}
    searches = {"nested rollouts": {"nested_rollouts": WIDTH}}
    if args.tree:
        searches["best line of a tree"] = {"final_move": "best_line"}
    print("| version | rollouts | search | runs | mean | highest | published | time of a run |")
    print("|" + "---|" * 8)
    for version in args.versions:
        for level in args.levels:
            for name, options in searches.items():
                scores, seconds = [], []
                for seed in range(args.runs or RUNS[level]):
                    engine, state, begin = mc.Searcher(seed=seed, **options), games[version](), time.perf_counter()
                    engine.search(state, iterations=WIDTH**level)
                    seconds.append(time.perf_counter() - begin)
                    scores.append(score_of(state, engine.stats()))
                published = PUBLISHED.get((version, level)) if "nested_rollouts" in options else None
                print(f"| {version} | {WIDTH**level:,} | {name} | {len(scores)} | {told(scores)} | {max(scores)} | "
                      f"{published or ''} | {statistics.median(seconds):.2f} s |", flush=True)
    return 0


def load():
    spec = importlib.util.spec_from_file_location("morpion_solitaire", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score_of(state, stats):
    """The score of the line that was found, by playing it."""
    for move in stats.pv:
        if move not in state.legal_moves():
            raise AssertionError(f"{move} is not legal")
        state = state.play(move)
    if state.returns() != [stats.line_value]:
        raise AssertionError(f"the line gives {state.returns()}, not {stats.line_value}")
    return state.score


def told(scores):
    """The mean with the half-width of its 95 % interval."""
    mean = statistics.fmean(scores)
    if len(scores) < 2:
        return f"{mean:.2f}"
    return f"{mean:.2f} ± {1.96 * statistics.stdev(scores) / math.sqrt(len(scores)):.2f}"


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=arguments.whole, nargs="+", default=[1, 2], help="default 1 2")
    parser.add_argument("--runs", type=arguments.whole, help="of each level (default 200, 30, 4)")
    parser.add_argument("--versions", nargs="+", choices=("disjoint", "touching"), default=["disjoint", "touching"])
    parser.add_argument("--tree", action="store_true", help="also the best line of a tree search")
    parser.add_argument("--core", type=int, default=None, help="the core to run on (default: the last one)")
    args = parser.parse_args(argv)
    if not args.runs and max(args.levels) > max(RUNS):
        parser.error("--runs is needed for levels above 3")
    return args


if __name__ == "__main__":
    sys.exit(main())
