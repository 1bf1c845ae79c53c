#!/usr/bin/env python3
"""Searches positions of known value: how often is the move right, how much is proven, is every proof true?

    python bench/strength.py --file c4 --seconds 0.1 1
    python bench/strength.py --file gomoku --seconds 0.05 --set selection=rave rollout=decisive
    python bench/strength.py --file c4 --iterations 1e4 1e5 --limit 200 --json strength.json

A move is good when it keeps the value of the position. In gomoku a move can also be unproven: neither good nor proven
to lose. Shares come with the 95 % interval of Wilson, for all positions and by group. `solved` is the share of searches
whose ``stats().proven`` tells the value. Everything that a search reports as proven, for the position and for each
move, is compared with what is known; a proof that is wrong is told with its position, and the exit status is 1.

The position with number i in its file is searched with seed --seed + i by a Searcher of its own: with --iterations the
same figures come out everywhere, also with --limit, which takes so many positions and spreads them over the tags.
"""

import argparse
import json
import os
import re
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import progress
import workers
from arguments import option, positive, whole
from figures import wilson
from positions import COLLECTIONS, sample
from report import as_text

PROVEN = {"win": 1, "draw": 0, "loss": -1}
"""What ``Stats.proven`` and ``MoveStats.proven`` say."""


def main(argv=None):
    args = parse(argv)
    document = {"options": args.set, "seed": args.seed, "limit": args.limit, "files": {}}
    false = []
    for name in args.file or COLLECTIONS:
        collection = COLLECTIONS[name]
        numbered = list(enumerate(collection.load()))
        if args.limit:
            numbered = [numbered[number] for number in sample([p for _, p in numbered], args.limit, args.seed)]
        positions = [position for _, position in numbered]
        columns = []
        for budget in budgets(args, collection):
            start = time.monotonic()
            found = search_all(numbered, budget, args, f"{name}, {budget_name(budget)}")
            columns.append({"budget": budget, "found": found, "duration": time.monotonic() - start})
            false += [f"{name} number {number}, moves {moves_text(position)}, {budget_name(budget)}: {text}"
                      for (number, position), one in zip(numbered, found, strict=True) for text in one["false"]]
        rows = count(positions, columns)
        print(as_text([table(f"{collection.title} ({collection.file})", rows, columns)]), "", sep="\n", flush=True)
        if args.errors:
            print_errors(numbered, columns)
        document["files"][name] = {
            "file": collection.file,
            "budgets": [column["budget"] | {"duration": column["duration"]} for column in columns],
            "rows": rows,
            "searches": [[{"number": number} | one for (number, _), one in zip(numbered, column["found"], strict=True)]
                         for column in columns],
        }
    document["false_proofs"] = false
    print("good: moves that keep the value, in percent, with the 95 % interval; chance: what random moves would get;"
          "\nnot lost: moves that are not proven to lose, where others are unproven; solved: the value was proven.")
    if args.json:
        args.json.write_text(json.dumps(document, indent=1) + "\n")
    if false:
        print("", f"!!! {len(false)} FALSE PROOFS !!!", *false, sep="\n", flush=True)
        return 1
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="strength.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", nargs="+", action="extend", choices=list(COLLECTIONS), metavar="NAME",
                        help=f"positions to take: {', '.join(COLLECTIONS)} (default: all)")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--iterations", nargs="+", type=whole, metavar="N",
                        help="iterations of each search, such as 1e4 1e5 (default: as suits the file)")
    budget.add_argument("--seconds", nargs="+", type=positive, metavar="S", help="seconds of each search instead")
    parser.add_argument("--set", nargs="+", action="extend", type=option, default=[], metavar="NAME=VALUE",
                        help="options of mcts_core.Searcher, such as exploration=0.5")
    parser.add_argument("--limit", type=whole, metavar="N", help="so many positions of each file, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of everything (default 1)")
    parser.add_argument("--workers", type=whole, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="searches at a time (default 2)")
    parser.add_argument("--executor", metavar="WHERE", help=workers.EXECUTOR)
    parser.add_argument("--errors", action="store_true", help="list the positions in which the move was not good")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts and every search as JSON")
    args = parser.parse_args(argv)
    args.set = dict(args.set)
    from mcts_core import Searcher

    try:
        Searcher(**args.set)
    except (TypeError, ValueError) as error:
        parser.error(f"--set: {error}")
    return args


def budgets(args, collection):
    """The budgets of each search, as keywords of Searcher.search."""
    if args.seconds:
        return [{"seconds": seconds} for seconds in args.seconds]
    return [{"iterations": number} for number in args.iterations or collection.iterations]


def budget_name(budget):
    return f"{budget['iterations']:,}" if "iterations" in budget else f"{budget['seconds']:g} s"


def judge(numbered, budget, options, seed):
    """Searches a position: the move, the verdict on it, what was proven, and what of that is false."""
    import mcts_core

    number, position = numbered
    engine = mcts_core.Searcher(**{"seed": seed + number, **options})
    move = engine.search(position.state(), **budget)
    stats = engine.stats()
    return {"move": move, "verdict": position.verdict(move), "proven": stats.proven, "seconds": stats.seconds,
            "iterations": stats.iterations, "false": false_proofs(position, move, stats)}


def false_proofs(position, move, stats):
    """What a search reports as proven and is not so, as texts."""
    found = []
    if stats.proven is not None:
        value = PROVEN[stats.proven]
        if position.value not in (None, value):
            found.append(f"a proven {stats.proven}, but the value is {position.value}")
        elif value not in position.possible(move):
            found.append(f"a proven {stats.proven}, but the move {move} does not keep it")
        elif value == 1 and position.distance and (getattr(stats, "distance", None) or 99) < position.distance:
            found.append(f"a proven win in {stats.distance} plies, but it takes {position.distance}")
    for entry in stats.moves:
        if entry.proven is not None and PROVEN[entry.proven] not in position.possible(entry.move):
            found.append(f"move {entry.move} is a proven {entry.proven}, but its value is among "
                         f"{sorted(position.possible(entry.move))}")
    return found


def search_all(numbered, budget, args, label):
    """What ``judge`` found, in the order of the positions."""
    work = partial(judge, budget=budget, options=args.set, seed=args.seed)
    found = workers.results(work, numbered, args.workers, in_order=True, executor=args.executor)
    return list(progress.follow(found, len(numbered), label))


def count(positions, columns):
    """The rows: all positions, then every group; counts for each budget."""
    members = {("all", ""): list(range(len(positions)))}
    for index, position in enumerate(positions):
        for group in position.groups:
            members.setdefault(group, []).append(index)
    headings = [heading for heading, _ in members]
    rows = []
    for group in sorted(members, key=lambda group: (headings.index(group[0]), natural(group[1]))):
        chosen = members[group]
        chance = sum(len(positions[index].good) / positions[index].legal for index in chosen) / len(chosen)
        rows.append({"group": group[0], "name": group[1], "positions": len(chosen), "chance": chance,
                     "results": [tally([column["found"][index] for index in chosen]) for column in columns]})
    return rows


def tally(found):
    """The counts of some searches and their shares."""
    verdicts = [one["verdict"] for one in found]
    good, wrong = verdicts.count("good"), verdicts.count("wrong")
    low, high = wilson(good, len(found))
    spared_low, spared_high = wilson(len(found) - wrong, len(found))
    return {"good": good, "unproven": verdicts.count("unproven"), "wrong": wrong, "share": good / len(found),
            "low": low, "high": high, "not_lost": 1 - wrong / len(found), "not_lost_low": spared_low,
            "not_lost_high": spared_high, "solved": sum(one["proven"] is not None for one in found),
            "false_proofs": sum(bool(one["false"]) for one in found),
            "seconds": statistics.fmean(one["seconds"] for one in found)}


def natural(name):
    """A key that orders vcf5 before vcf11."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def table(heading, rows, columns):
    """Heading, titles and cells for ``report.as_text``."""
    everything = rows[0]["results"]
    judged = any(result["good"] or result["wrong"] for result in everything)
    unproven = judged and any(result["unproven"] for result in everything)
    solved = any(result["solved"] for result in everything) or not judged
    titles = ["", "positions"] + ["chance"] * judged
    for column in columns:
        name = budget_name(column["budget"])
        titles += [f"{name}: good", "95 %"] * judged + ["not lost", "95 %"] * unproven
        titles += ["solved"] * (judged and solved) + [f"{name}: solved", "seconds"] * (not judged)
    cells = []
    for row in rows:
        line = [f"{row['group']} {row['name']}".strip(), str(row["positions"])]
        line += [f"{100 * row['chance']:.1f}"] * judged
        for result in row["results"]:
            if judged:
                line += [f"{100 * result['share']:.1f}", interval(result["low"], result["high"])]
            if unproven:
                line += [f"{100 * result['not_lost']:.1f}", interval(result["not_lost_low"], result["not_lost_high"])]
            if solved:
                line.append(f"{100 * result['solved'] / row['positions']:.1f}")
            if not judged:
                line.append(f"{result['seconds']:.3g}")
        cells.append(line)
    spent = ", ".join(f"{budget_name(column['budget'])}: {column['duration']:.0f} s, "
                      f"{1000 * result['seconds']:.3g} ms a search"
                      for column, result in zip(columns, everything, strict=True))
    return f"{heading}\nsearched in {spent}", titles, cells


def interval(low, high):
    return f"{100 * low:.1f}-{100 * high:.1f}"


def print_errors(numbered, columns):
    """The searches whose move was not good."""
    for column in columns:
        for (number, position), one in zip(numbered, column["found"], strict=True):
            if one["verdict"] != "good" and position.good:
                groups = " ".join(name for _, name in position.groups)
                print(f"{budget_name(column['budget'])}, number {number} ({groups}), moves {moves_text(position)}: "
                      f"{one['move']} is {one['verdict']}, good: {' '.join(map(str, sorted(position.good)))}")
    print()


def moves_text(position):
    """The moves that lead to a position, numbered as the package does, or its diagram in one line."""
    moves = position.moves
    return moves.replace("\n", "/") if isinstance(moves, str) else " ".join(map(str, moves)) or "none"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        os._exit(130)  # without waiting for the searches that are running
