#!/usr/bin/env python3
"""The speed of games compiled by ``mcts_core.compile``, compared with Python, Numba by hand and built-in games."""

import argparse
import copy
import datetime
import importlib.util
import time
from pathlib import Path

import arguments
import chart
import machine
from compiled_rules import BitsGame, BreakthroughGame, ConnectFourGame, HexGame, NimGame, OthelloGame, PentagoGame
from figures import summarize
from measure import clocks
from report import amount, as_text, goal, times

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
GAMES = (BitsGame, ConnectFourGame, OthelloGame, PentagoGame, HexGame, BreakthroughGame, NimGame)
BY_PYTHON, BY_HAND = 50.0, 0.5
"""Iterations per second to reach: by those of the class in Python, and of the same rules written for Numba by hand."""


def main(argv=None):
    args = parse(argv)
    core = machine.pin(args.core)
    import mcts_core as mc

    hand = {"BitsGame": load("connect_four_numba").CONNECT_FOUR}
    cells, panels = [], []
    for cls in GAMES:
        begin = time.process_time()
        game = mc.compile(cls, cache=False)
        seconds = time.process_time() - begin
        others = {"python": copied(cls)(), "hand": hand[cls.__name__].state() if cls.__name__ in hand else None,
                  "built in": mc.ConnectFour() if cls in (BitsGame, ConnectFourGame) else None}
        rates = {name: [] for name in ("compiled", *others)}
        for seed in range(args.rounds):
            rates["compiled"].append(measure(game.state(), args.iterations, seed))
            for name, state in others.items():
                if state is not None:
                    few = args.iterations // (200 if name == "python" else 1) or 1
                    rates[name].append(measure(state, few, seed))
        cells.append(row(cls.__name__.removesuffix("Game"), seconds, rates))
        panels.append((cls.__doc__.partition(";")[0].partition(",")[0].partition(". ")[0].rstrip("."), drawn(rates)))
    facts = machine.describe(core)
    for name, value in facts.items():
        print(f"{name}: {value}")
    titles = ["game", "compiles in s", "iterations/s", "by Python", "to reach", "reached", "by hand", "to reach",
              "reached", "by the one built in"]
    title = f"Textbook UCT from the first position, {args.iterations:,} iterations, {args.rounds} rounds"
    print(f"\n{as_text([(title, titles, cells)])}")
    if args.chart is not None:
        where = f"textbook UCT, {facts['processor']}, one core, {datetime.date.today():%B %Y}"
        args.chart.write_text(chart.bars(panels, where), encoding="utf-8")
    return 0


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="compile.py", description=__doc__)
    parser.add_argument("--rounds", type=arguments.whole, default=5, metavar="N", help="of every candidate (default 5)")
    parser.add_argument("--iterations", type=arguments.whole, default=20_000, metavar="N",
                        help="of one search, a two-hundredth of them in Python (default 20000)")
    parser.add_argument("--core", type=int, metavar="N", help="the core to stay on (default: the last one)")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write a chart of the speeds, as SVG")
    return parser.parse_args(argv)


def load(name):
    """An example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copied(cls):
    """The class with a ``play`` that copies, as users write it, and without ``push``."""
    def play(self, move):
        new = copy.deepcopy(self)
        cls.push(new, move)
        return new

    return type(cls.__name__, (cls,), {"play": play, "push": None})


def measure(state, iterations, seed):
    """Iterations per second of CPU time of one search by textbook UCT."""
    import mcts_core as mc

    engine = mc.Searcher(preset="uct", exploration=2**0.5, seed=seed)
    _, cpu, _ = clocks(lambda: engine.search(state, iterations=iterations))
    return engine.stats().iterations / cpu


def drawn(rates):
    """The bars of one game: ``rates`` by the ways to write it."""
    names = {"python": ("class in Python", "peer"), "compiled": ("class, compiled", "ours"),
             "hand": ("by hand in Numba", "reference"), "built in": ("built in", "reference")}
    return [{"name": said, "kind": kind, "per_second": summarize(rates[name]).median, "note": ""}
            for name, (said, kind) in names.items() if rates[name]]


def row(name, seconds, rates):
    """The cells of one game; ratios are formed within a round."""
    def ratio(other):
        pairs = zip(rates["compiled"], rates[other], strict=False)
        found = [one / two for one, two in pairs]
        return summarize(found).median if found else None

    by_python, by_hand, built_in = ratio("python"), ratio("hand"), ratio("built in")
    return [name, f"{seconds:.1f}", amount(summarize(rates["compiled"]).median), times(by_python),
            *goal(BY_PYTHON, by_python >= BY_PYTHON, ">= {:g}"), "" if by_hand is None else times(by_hand),
            *(("", "") if by_hand is None else goal(BY_HAND, by_hand >= BY_HAND, ">= {:g}")),
            "" if built_in is None else times(built_in)]


if __name__ == "__main__":
    raise SystemExit(main())
