"""The cost of a simulation outside the network: a search whose evaluator does nothing, less the time of its calls.

    python bench/evaluator.py --iterations 10000 --batch 8 --rounds 15

Prints, for each game, the median of nanoseconds of processor time per simulation and the spread; take it on a machine
that does nothing else, pinned to one core. How busy this leaves a network: network_busy.py. Needs numpy.
"""

import argparse
import statistics
import sys
import time

import numpy

import mcts_core

GAMES = {"connect4": mcts_core.ConnectFour, "tictactoe": mcts_core.TicTacToe, "gomoku": mcts_core.Gomoku}
TABLES = 64
NO_EXACT_SEARCH = {"leaf_proofs": 0, "root_proofs": 0}
"""Of the game: it is no part of the tree, and costs as much as it is given."""


def make_evaluator(actions, batch):
    """Policies and values from tables, other ones at every call: trees as uneven as those of a network."""
    draw = numpy.random.default_rng(1)
    policies = [draw.random((batch, actions), dtype=numpy.float32) for _ in range(TABLES)]
    values = [0.6 * draw.random(batch, dtype=numpy.float32) - 0.3 for _ in range(TABLES)]
    calls = 0

    def evaluate(observations):
        nonlocal calls
        calls = (calls + 1) % TABLES
        count = len(observations)
        return policies[calls][:count], values[calls][:count]

    return evaluate


def measure(state, iterations, batch):
    """Nanoseconds of one simulation outside the evaluator: processor time, so that other programs take less part."""
    sizes = []
    evaluate = make_evaluator(state.actions, batch)

    def spy(observations):
        sizes.append(len(observations))
        return evaluate(observations)

    options = {"batch": batch, "seed": 1, **NO_EXACT_SEARCH}
    mcts_core.Searcher(evaluator=spy, **options).search(state, iterations=iterations)
    batches = {size: numpy.zeros((size, *state.observation().shape), numpy.float32) for size in set(sizes)}
    engine = mcts_core.Searcher(evaluator=make_evaluator(state.actions, batch), **options)
    engine.search(state, iterations=1)
    begin = time.thread_time()
    engine.search(state, iterations=iterations)
    middle = time.thread_time()
    for size in sizes:
        evaluate(batches[size])
    end = time.thread_time()
    return ((middle - begin) - (end - middle)) / iterations * 1e9


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)} (default: all)")
    parser.add_argument("--iterations", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args(argv)
    names = args.games or list(GAMES)
    unknown = [name for name in names if name not in GAMES]
    if unknown:
        parser.error(f"GAME must be one of {', '.join(GAMES)}, got {unknown[0]!r}")
    costs = {name: [] for name in names}
    for _ in range(args.rounds):
        for name in names:
            costs[name].append(measure(GAMES[name](), args.iterations, args.batch))
    for name, found in costs.items():
        print(f"{name:10}  {statistics.median(found):6.0f} ns a simulation  ({min(found):.0f} to {max(found):.0f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
