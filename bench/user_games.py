#!/usr/bin/env python3
"""The speed of a user's Connect Four, by Numba and in Python, beside our own simple rules in Cython. See README.md."""

import argparse
import importlib.util
import sys
from pathlib import Path

import arguments
import machine
from figures import summarize
from measure import clocks
from report import amount, as_text, goal, times

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "connect_four_numba.py"
SIMPLE = "our simple rules, Cython"
TARGETS = {"Numba: legal_moves, play": 0.6, "Numba: also rollout": 0.6}
"""Iterations per second by those of our simple rules, to reach."""
PLIES = 6
"""Of the games that are counted to see that all candidates play by the same rules."""


class PythonConnectFour:
    """The rules in plain Python, on two integers as in the example."""

    __slots__ = ("all", "mine", "to_move", "won")

    def __init__(self, mine=0, stones=0, to_move=1, won=None):
        self.mine, self.all, self.to_move, self.won = mine, stones, to_move, won

    def legal_moves(self):
        return [column for column in (3, 2, 4, 1, 5, 0, 6) if not self.all >> 7 * column + 5 & 1]

    def play(self, column):
        stones = self.all | (self.all + (1 << 7 * column)) & 0b111111 << 7 * column
        mine = self.mine | stones ^ self.all
        won = None
        for step in (1, 7, 6, 8):
            pairs = mine & mine >> step
            if pairs & pairs >> 2 * step:
                won = self.to_move
        if won is None and stones.bit_count() == 42:
            won = 0
        return PythonConnectFour(stones ^ mine, stones, -self.to_move, won)

    def winner(self):
        return self.won


def main(argv=None):
    args = parse(argv)
    core = machine.pin(args.core)
    candidates = first_positions()
    for name, state in candidates.items():
        if count_games(state, PLIES) != count_games(candidates[SIMPLE], PLIES):
            print(f"error: {name} does not play Connect Four", file=sys.stderr)
            return 1
    rates = {name: [] for name in candidates}
    for seed in range(args.rounds):
        for name, state in candidates.items():
            rates[name].append(measure(state, args.iterations // (100 if "Python" in name else 1) or 1, seed))
    for name, value in machine.describe(core).items():
        print(f"{name}: {value}")
    print(f"\n{as_text([table(rates, args)])}")
    return 0


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="user_games.py", description=__doc__)
    parser.add_argument("--rounds", type=arguments.whole, default=9, metavar="N", help="of every candidate (default 9)")
    parser.add_argument(
        "--iterations",
        type=arguments.whole,
        default=200_000,
        metavar="N",
        help="of one search, a hundredth of them in Python (default 200000)",
    )
    parser.add_argument("--core", type=int, metavar="N", help="the core to stay on (default: the last one)")
    return parser.parse_args(argv)


def first_positions():
    """The candidates by name."""
    import mcts_core as mc
    from mcts_core.games.connect_four.position import simple_twin

    spec = importlib.util.spec_from_file_location("connect_four_numba", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return {
        SIMPLE: simple_twin(mc.ConnectFour()),
        "Numba: legal_moves, play": example.CONNECT_FOUR.state(),
        "Numba: also rollout": example.FAST.state(),
        "our kernels": mc.ConnectFour(),
        "Python class": PythonConnectFour(),
    }


def count_games(state, plies):
    """The number of positions after so many moves, and of games that ended before."""
    if plies == 0 or state.winner() is not None:
        return 1
    return sum(count_games(state.play(move), plies - 1) for move in state.legal_moves())


def measure(state, iterations, seed):
    """Iterations per second of CPU time of one search by textbook UCT."""
    import mcts_core as mc

    engine = mc.Searcher(preset="uct", exploration=2**0.5, seed=seed)
    _, cpu, _ = clocks(lambda: engine.search(state, iterations=iterations))
    return engine.stats().iterations / cpu


def table(rates, args):
    """Heading, column titles and cells for ``report.as_text``; ratios are formed within a round."""
    cells = []
    for name, measured in rates.items():
        ratio = summarize([one / other for one, other in zip(measured, rates[SIMPLE], strict=True)])
        target = TARGETS.get(name)
        cells.append(
            [
                name,
                amount(summarize(measured).median),
                times(ratio.median),
                f"{times(ratio.low)}-{times(ratio.high)}",
                *goal(target, target is not None and ratio.median >= target, ">= {:g}"),
            ]
        )
    titles = ["Connect Four", "iterations/s", "by our simple rules", "quartiles", "to reach", "reached"]
    return f"Textbook UCT from the first position, {args.iterations:,} iterations, {args.rounds} rounds", titles, cells


if __name__ == "__main__":
    raise SystemExit(main())
