#!/usr/bin/env python3
"""Processor time of an iteration in ``search_many``, beside that in one long search.

    python bench/search_many.py --positions 10000 --iterations 100 --rounds 5

The three candidates take turns: ``search_many`` of random positions, the same searches without statistics (the loop
alone), and one search of the first position with as many iterations in all. Ratios are medians over the rounds. No
search reads the book of Connect Four: with it, the long one would end after some hundred iterations.
"""

import argparse
import json
import random
import time
from statistics import median

from arguments import whole
from report import as_text

import mcts_core as mc
from mcts_core.engine.request import NEVER
from mcts_core.many import MEMORY_MB, seed_of

GAMES = {"connect4": mc.ConnectFour, "gomoku": mc.Gomoku}
PRESETS = ("uct", "strong")
GOAL = 1.1
"""The ratio to reach."""


def main(argv=None):
    parser = argparse.ArgumentParser(prog="search_many.py", description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=whole, default=10_000, help="(default 10,000)")
    parser.add_argument("--iterations", type=whole, default=100, help="of each position (default 100)")
    parser.add_argument("--rounds", type=whole, default=5, help="(default 5)")
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--json", metavar="FILE", help="also write every sample there")
    args = parser.parse_args(argv)
    found = [
        {"game": game, "preset": preset, "samples": samples(GAMES[game](), preset, args.positions, args.iterations,
                                                            args.rounds)}
        for game in args.games for preset in args.presets
    ]
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"positions": args.positions, "iterations": args.iterations, "found": found}, file, indent=1)
    titles = ["game", "preset", "long search, ns", "search_many", "without statistics", "goal"]
    rows = []
    for entry in found:
        long, many, bare = (entry["samples"][name] for name in ("long", "many", "bare"))
        ratio, loop = (median(a / b for a, b in zip(taken, long, strict=True)) for taken in (many, bare))
        goal = f"{GOAL} {'yes' if ratio <= GOAL else 'NO'}"
        rows.append([entry["game"], entry["preset"], f"{1e9 * median(long):,.0f}", f"{ratio:.2f}", f"{loop:.2f}", goal])
    print(as_text([("Processor time of an iteration, as a ratio to a long search", titles, rows)]))
    return 0


def positions(start, count, seed=3, plies=16):
    """Positions after up to so many random moves, the first one before any."""
    chooser, found = random.Random(seed), [start]
    while len(found) < count:
        state = start
        for _ in range(chooser.randrange(plies + 1)):
            following = state.play(chooser.choice(state.legal_moves()))
            if following.winner() is not None:
                break
            state = following
        found.append(state)
    return found


def samples(start, preset, count, iterations, rounds):
    """Processor seconds of an iteration by candidate, a list with one for each round."""
    states = positions(start, count)
    options = {"preset": preset, "book": False}
    engine = mc.Searcher(**options, memory_mb=MEMORY_MB, seed=1, reuse=False)
    found = {"many": [], "bare": [], "long": []}
    for number in range(rounds + 1):
        taken = {}
        taken["many"], results = timed(mc.search_many, states, iterations=iterations, seed=number, **options)
        taken["bare"], _ = timed(search_each, engine, states, iterations, number)
        taken["long"], _ = timed(engine.search, start, iterations=count * iterations)
        done = sum(result.stats.iterations for result in results)  # fewer where a position was solved
        if number:  # the first round makes the trees' memory
            for name in found:
                found[name].append(taken[name] / (engine.stats().iterations if name == "long" else done))
    return found


def search_each(engine, states, iterations, seed):
    """Searches as ``search_many`` does, without statistics."""
    for index, state in enumerate(states):
        request = engine._request(state, None, iterations, 0.0, seed_of(seed, index))
        request.reuse = NEVER
        engine._core.search(request)


def timed(function, *arguments, **keywords):
    """Processor seconds of a call, and what it returned."""
    begin = time.process_time()
    result = function(*arguments, **keywords)
    return time.process_time() - begin, result


if __name__ == "__main__":
    raise SystemExit(main())
