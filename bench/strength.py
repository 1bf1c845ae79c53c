#!/usr/bin/env python3
"""Searches positions of known value and counts the moves that keep it. See README.md."""

import argparse
import ast
import json
import os
import random
import re
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from figures import wilson
from positions import COLLECTIONS
from report import as_text


def main(argv=None):
    args = parse(argv)
    document = {"options": args.option, "seed": args.seed, "sample": args.sample, "sets": {}}
    for name in args.set or COLLECTIONS:
        collection = COLLECTIONS[name]
        positions = collection.load()
        if args.sample and args.sample < len(positions):
            positions = random.Random(args.seed).sample(positions, args.sample)
        columns = []
        for budget in budgets(args, collection):
            start = time.monotonic()
            verdicts = search_all(positions, budget, args, f"{name}, {budget_name(budget)}")
            columns.append({"budget": budget, "verdicts": verdicts, "duration": time.monotonic() - start})
        rows = count(positions, columns)
        print(as_text([table(f"{collection.title} ({collection.file})", rows, columns)]), "", sep="\n", flush=True)
        document["sets"][name] = {
            "file": collection.file,
            "budgets": [column["budget"] | {"duration": column["duration"]} for column in columns],
            "rows": rows,
        }
    print("Share of moves that keep the value, in percent, with its 95 % interval; chance: what random moves would get;"
          "\nwrong, where some moves are unproven: moves proven to lose the value.")
    if args.json:
        args.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="strength.py", description=__doc__)
    parser.add_argument("--set", action="append", choices=list(COLLECTIONS), metavar="NAME",
                        help=f"positions to take: {', '.join(COLLECTIONS)}; may be repeated (default: all)")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--iterations", nargs="+", type=whole, metavar="N",
                        help="iterations of each search, such as 1e4 1e5 (default: as suits the set)")
    budget.add_argument("--seconds", nargs="+", type=positive, metavar="S", help="seconds of each search instead")
    parser.add_argument("--sample", type=whole, metavar="N", help="so many positions of each set, drawn by --seed")
    parser.add_argument("--option", action="append", type=option, default=[], metavar="NAME=VALUE",
                        help="option of mcts_core.Searcher, such as exploration=0.5; may be repeated")
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="seed of the sample and, with a number for each position, of the searches (default 1)")
    parser.add_argument("--processes", type=whole, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="searches at a time (default 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts as JSON")
    args = parser.parse_args(argv)
    args.option = dict(args.option)
    from mcts_core import Searcher

    try:
        Searcher(**args.option)
    except (TypeError, ValueError) as error:
        parser.error(f"--option: {error}")
    return args


def whole(text):
    """A whole number above 0, as digits or like 1e6."""
    number = float(text)
    if not 1 <= number < 1e18 or number != int(number):
        raise ValueError
    return int(number)


def positive(text):
    """A number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def option(text):
    """(name, value) of ``name=value``; a value that is no Python literal is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def budgets(args, collection):
    """The budgets of each search, as keywords of Searcher.search."""
    if args.seconds:
        return [{"seconds": seconds} for seconds in args.seconds]
    return [{"iterations": number} for number in args.iterations or collection.iterations]


def budget_name(budget):
    return f"{budget['iterations']:,}" if "iterations" in budget else f"{budget['seconds']:g} s"


def judge(numbered, budget, options, seed):
    """The verdict on the move that a search finds."""
    import mcts_core

    number, position = numbered
    engine = mcts_core.Searcher(**{"seed": seed + number, **options})
    return position.verdict(engine.search(position.state(), **budget))


def search_all(positions, budget, args, label):
    """The verdicts, in the order of the positions."""
    work = partial(judge, budget=budget, options=args.option, seed=args.seed)
    if args.processes == 1:
        return list(progress(map(work, enumerate(positions)), len(positions), label))
    with ProcessPoolExecutor(args.processes, get_context("spawn"), initializer=die_on_interrupt) as executor:
        return list(progress(executor.map(work, enumerate(positions), chunksize=4), len(positions), label))


def die_on_interrupt():
    """Ctrl-C ends a worker without a traceback; the main process reports."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def progress(results, total, label):
    """Passes results on; tells on a terminal how far it is."""
    shown = 0.0
    for done, result in enumerate(results, 1):
        if sys.stderr.isatty() and (done == total or time.monotonic() - shown > 0.2):
            shown = time.monotonic()
            print(f"\r\x1b[2K{label}: {done} of {total}" if done < total else "\r\x1b[2K", end="", file=sys.stderr,
                  flush=True)
        yield result


def count(positions, columns):
    """The rows: all positions, then every group; counts of verdicts for each budget."""
    members = {("all", ""): list(range(len(positions)))}
    for index, position in enumerate(positions):
        for group in position.groups:
            members.setdefault(group, []).append(index)
    headings = [heading for heading, _ in members]
    rows = []
    for group in sorted(members, key=lambda group: (headings.index(group[0]), natural(group[1]))):
        chosen = members[group]
        results = []
        for column in columns:
            found = [column["verdicts"][index] for index in chosen]
            good = found.count("good")
            low, high = wilson(good, len(found))
            results.append({"good": good, "unproven": found.count("unproven"), "wrong": found.count("wrong"),
                            "share": good / len(found), "low": low, "high": high})
        chance = sum(len(positions[index].good) / positions[index].legal for index in chosen) / len(chosen)
        rows.append({"group": group[0], "name": group[1], "positions": len(chosen), "chance": chance,
                     "results": results})
    return rows


def natural(name):
    """A key that orders vcf5 before vcf11."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def table(heading, rows, columns):
    """Heading, titles and cells for ``report.as_text``."""
    unproven = any(result["unproven"] for row in rows for result in row["results"])
    titles = ["", "positions", "chance"]
    for column in columns:
        titles += [budget_name(column["budget"]), "95 %"] + (["wrong"] if unproven else [])
    cells = []
    for row in rows:
        line = [f"{row['group']} {row['name']}".strip(), str(row["positions"]), f"{100 * row['chance']:.1f}"]
        for result in row["results"]:
            line += [f"{100 * result['share']:.1f}", f"{100 * result['low']:.1f}-{100 * result['high']:.1f}"]
            if unproven:
                line.append(f"{100 * result['wrong'] / row['positions']:.1f}")
        cells.append(line)
    spent = ", ".join(f"{budget_name(column['budget'])}: {column['duration']:.0f} s" for column in columns)
    return f"{heading}\nsearched in {spent}", titles, cells


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
