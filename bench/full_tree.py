#!/usr/bin/env python3
"""Measures how much a search gets done that goes on with a large old tree, beside a fresh Searcher in the same time.

    python bench/full_tree.py                               # trees of 1 to 128 MB, some minutes
    python bench/full_tree.py --sizes 1 16 --budgets 2 20 --repeats 9
    python bench/full_tree.py --presets uct --games gomoku --sizes 8192 --fill 3600

For each preset, game and size a Searcher with ``memory_mb=size`` searches the first position until its tree is full.
Then it plays on, from the position after the two moves that it expects: MOVES moves for each budget, each found with
what is left of the tree. Every such game begins with the full tree: it is played by a copy of that Searcher, or, above
--copied MB, by one whose tree is filled anew.

Each position is searched three times, for the same time: by the Searcher with the old tree, by a fresh one with the
same options (before it and after it in turn), and by the first one again, which now has nothing to move. Two ratios of
the iterations of the first search come of it:

to the second search of the same tree: what moving the old tree costs. The goal is GOAL everywhere.
to the fresh Searcher: this also has in it that an iteration goes deeper in a tree that knows more.

A cell has the median of the first moves, which meet the full tree, or that of the later ones, whichever is lower. Time
for which the system let a search wait for a core does not count (Linux only). Positions of which a search ended early
(solved) are left out; a budget of which none is left has a dash.
"""

import argparse
import copy
import json
import sys
import time
from pathlib import Path
from statistics import median

import games
import machine
from arguments import positive, whole
from overshoot import waiting_time
from progress import clear

import mcts_core as mc
from mcts_core.engine.settings import tree_share
from mcts_core.options import PROVER_BYTES

GOAL = 0.9
"""Of the iterations of a search that has nothing to move."""
SIZES = (1, 16, 128)
BUDGETS = (2, 5, 20, 100, 1000)
PRESETS = ("uct", "default")
GAMES = ("connect4", "gomoku")
MOVES = 3
FULL = 0.95
"""The share of what a tree may take from which on it is full."""
COPIED = 256
"""Megabytes up to which a copy of a Searcher is made sooner than its tree is filled again."""
FIRST = 500
"""Iterations before it is known how many bytes each of them takes."""


def new_searcher(preset, size):
    return mc.Searcher(memory_mb=size, preset=None if preset == "default" else preset, stop_early=False)


def room(preset, size):
    """Bytes that the tree may take; exact search, which the default has in most games, takes the others."""
    memory = size * 2**20
    return tree_share(memory - (min(PROVER_BYTES, memory // 4) if preset == "default" else 0))


def fill(engine, state, most, seconds):
    """Searches until the tree takes nearly ``most`` bytes, for at most ``seconds``; the Stats."""
    count, end = FIRST, time.monotonic() + seconds
    while True:
        engine.search(state, max(0.001, end - time.monotonic()), iterations=count)
        stats = engine.stats()
        if stats.bytes >= FULL * most or stats.prunes or stats.stop_reason in ("solved", "time"):
            return stats
        count = max(FIRST, int(0.7 * (most - stats.bytes) * stats.visits / stats.bytes))


def play_on(engine, fresh, state, seconds, fresh_first):
    """Plays from ``state``; for each move that all searched for all their time, its number and what each ``measured``:
    on the old tree, anew, on the same tree again."""
    found = []
    for move in range(MOVES):
        if state.winner() is not None:
            break
        anew = measured(fresh(), state, seconds) if fresh_first else None
        old = measured(engine, state, seconds)
        again = measured(engine, state, seconds)
        anew = anew if fresh_first else measured(fresh(), state, seconds)
        fresh_first = not fresh_first
        if None not in (old, anew, again):
            found.append((move, old, anew, again))
        stats = engine.stats()
        for reply in stats.pv[:2] if len(stats.pv) > 1 else (stats.move,):
            state = state.play(reply)
    return found


def measured(engine, state, seconds):
    """(iterations, iterations per second) of a search; None where it ended before its time."""
    waited, begin = waiting_time(), time.perf_counter()
    engine.search(state, seconds)
    took, after = time.perf_counter() - begin, waiting_time()
    stats = engine.stats()
    if stats.stop_reason in ("solved", "only_move"):
        return None
    lost = 0.0 if waited is None or after is None else after - waited
    return stats.iterations, stats.iterations / max(max(took, seconds) - lost, 1e-6)


def row(preset, name, size, args):
    """The cells of a row by budget, None where there is none; the bytes of the tree; whether it was full."""
    first, engine, most = games.find(name).start(), new_searcher(preset, size), room(preset, size)
    show(f"{preset}, {name}, {size} MB")
    stats = fill(engine, first, most, args.fill)
    full = stats.bytes >= FULL * most or stats.prunes > 0
    told = {"preset": preset, "game": name, "size": size, "bytes": stats.bytes, "full": full}
    samples = {budget: [] for budget in args.budgets}
    copies = size <= args.copied
    for repeat in range(args.repeats):
        for budget in args.budgets:
            if not copies and any(samples.values()):
                stats = fill(engine, first, most, args.fill)
            state = first
            for move in stats.pv[:2]:
                state = state.play(move)
            show(f"{preset}, {name}, {size} MB, {budget:g} ms, {repeat + 1} of {args.repeats}")
            played = copy.copy(engine) if copies else engine
            samples[budget] += play_on(played, lambda: new_searcher(preset, size), state, budget / 1e3, repeat % 2 == 1)
    clear()
    return told | {"cells": {budget: cell(found) for budget, found in samples.items()}}


def cell(samples):
    """The figures of a budget; None without a sample."""
    if not samples:
        return None
    parts = [[found for found in samples if (found[0] == 0) == first] for first in (True, False)]
    return {
        "again": min(median(old[1] / max(again[1], 1e-9) for _, old, _, again in part) for part in parts if part),
        "fresh": min(median(old[1] / max(new[1], 1e-9) for _, old, new, _ in part) for part in parts if part),
        "iterations": median(old[0] for _, old, _, _ in samples), "fewest": min(old[0] for _, old, _, _ in samples),
        "samples": len(samples),
    }


def table(rows, budgets, text):
    """Markdown; ``text``: of the figures of a cell."""
    lines = [["preset", "game", "memory_mb", "tree, MB", *(f"{budget:g} ms" for budget in budgets)]]
    lines.append(["---", "---", *("---:" for _ in lines[0][2:])])
    for told in rows:
        cells = [told["cells"][budget] for budget in budgets]
        lines.append([told["preset"], told["game"], f"{told['size']:,}", f"{told['bytes'] / 2**20:,.1f}",
                      *("-" if found is None else text(found) for found in cells)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(rows):
    """How many cells reach the goal, and the lowest one."""
    ratios = [found["again"] for told in rows for found in told["cells"].values() if found is not None]
    if not ratios:
        return "nothing was measured"
    return (f"{sum(ratio >= GOAL for ratio in ratios)} of {len(ratios)} cells reach {GOAL}; the lowest is "
            f"{min(ratios):.2f}")


def show(text):
    """One line that is written over, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)


def main(argv=None):
    args = parse(argv)
    core = machine.pin(args.core) if args.core != -1 else None
    facts = machine.describe(core)
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), "", sep="\n", flush=True)
    rows = []
    for preset in args.presets:
        for name in args.games:
            for size in sorted(args.sizes):
                rows.append(row(preset, name, size, args))
                if not rows[-1]["full"]:
                    break
    print("Iterations beside those of a second search of the same tree, which has nothing to move", "",
          table(rows, args.budgets, lambda found: f"{found['again']:.2f}"), "", verdict(rows), "",
          "Iterations beside those of a fresh Searcher (the fewest of any search with the old tree)", "",
          table(rows, args.budgets, lambda found: f"{found['fresh']:.2f} ({found['fewest']:,})"), sep="\n")
    for told in rows:
        if not told["full"]:
            print(f"\n{told['preset']}, {told['game']}, {told['size']:,} MB: the tree was not full after "
                  f"{args.fill:g} s, or solved before; larger ones are left out")
    if args.json:
        args.json.write_text(json.dumps({"machine": facts, "goal": GOAL, "rows": rows}, indent=1) + "\n")
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="full_tree.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=whole, default=list(SIZES), metavar="MB",
                        help=f"memory_mb of the Searchers (default: {' '.join(map(str, SIZES))})")
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS), metavar="PRESET",
                        help="uct, default (default: both)")
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME",
                        help=f"{games.NAMES} (default: {' '.join(GAMES)})")
    parser.add_argument("--budgets", nargs="+", type=positive, default=list(BUDGETS), metavar="MS",
                        help=f"milliseconds of a search (default: {' '.join(map(str, BUDGETS))})")
    parser.add_argument("--repeats", type=whole, default=5, metavar="N", help="games of each cell (default 5)")
    parser.add_argument("--fill", type=positive, default=900.0, metavar="S",
                        help="seconds for filling a tree, at most (default 900)")
    parser.add_argument("--copied", type=positive, default=COPIED, metavar="MB",
                        help=f"sizes up to which Searchers are copied, not filled again (default {COPIED})")
    parser.add_argument("--core", type=int, metavar="N", help="the core to stay on, -1: not pinned (default: the last)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    args = parser.parse_args(argv)
    try:
        for name in args.games:
            games.find(name)
    except ValueError as error:
        parser.error(str(error))
    return args


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
