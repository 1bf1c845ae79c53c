#!/usr/bin/env python3
"""Iterations per second of a search with several threads, as ratios to one thread.

    python bench/threads.py --threads 1,2,4 --seconds 1 --rounds 5

The numbers of threads take turns; medians of the ratios within a round. Two threads that each have a tree should
reach 1.85 on two idle cores.
"""

import argparse
import json
import os
from statistics import median

from arguments import positive, whole
from report import as_text

import mcts_core as mc

GAMES = {"connect4": mc.ConnectFour, "gomoku": mc.Gomoku}
PRESETS = ("uct", "strong")
GOAL = {2: 1.85}


def numbers(text):
    """1 and the whole numbers of a list with commas, ascending."""
    return sorted({1, *(whole(part) for part in text.split(","))})


def main(argv=None):
    parser = argparse.ArgumentParser(prog="threads.py", description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=numbers, default="1,2",
                        metavar="N,N,...", help="numbers of threads (default 1,2)")
    parser.add_argument("--seconds", type=positive, default=1.0, help="of each search (default 1)")
    parser.add_argument("--rounds", type=whole, default=5, help="(default 5)")
    parser.add_argument("--json", metavar="FILE", help="also write the rates there")
    args = parser.parse_args(argv)
    counts = args.threads
    found = [
        {"game": game, "preset": preset, "rates": rates(make(), preset, counts, args.seconds, args.rounds)}
        for game, make in GAMES.items() for preset in PRESETS
    ]
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"cores": os.cpu_count(), "seconds": args.seconds, "found": found}, file, indent=1)
    titles = ["game", "preset", "1 thread, /s", *(f"{count} threads" for count in counts[1:]), "goal"]
    rows = []
    for entry in found:
        taken = entry["rates"]
        ratios = {count: median(b / a for a, b in zip(taken[1], taken[count], strict=True)) for count in counts[1:]}
        goals = [f"{count}: {goal} {'yes' if ratios[count] >= goal else 'NO'}"
                 for count, goal in GOAL.items() if count in ratios]
        rows.append([entry["game"], entry["preset"], f"{median(taken[1]):,.0f}",
                     *(f"{ratio:.2f}" for ratio in ratios.values()), ", ".join(goals)])
    print(as_text([("", titles, rows)]))
    return 0


def rates(state, preset, counts, seconds, rounds):
    """Iterations per second by number of threads, a list with one for each round."""
    engines = {
        count: mc.Searcher(preset=preset, threads=count, reuse=False, stop_early=False, memory_mb=1024,
                           solver=False if preset == "strong" else None)
        for count in counts
    }
    found = {count: [] for count in counts}
    for number in range(rounds + 1):
        for count, engine in engines.items():
            engine.search(state, seconds)
            if number:  # the first round makes the trees' memory
                found[count].append(engine.stats().iterations_per_second)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
