#!/usr/bin/env python3
"""Plays many games for minutes with random options, threads, cancellations, reuse and memory limits; nothing may leak.

    python bench/soak.py                                    # five minutes
    python bench/soak.py --minutes 60 --seed 7 --json soak.json
    python bench/soak.py --seed 7 --first 431 --minutes 0.1   # again from the round in which something went wrong
    python bench/soak.py --interrupts                       # with interrupts at random moments (not on Windows)
    python bench/soak.py --full                             # with trees that fill their memory

A round makes a few Searchers with random options for random games, does some random things with them and lets them go;
a few others stay for the whole run and change games. After each step what the search tells is compared with what was
asked for (consistency.py), after each round what the process holds is sampled (resources.py). What a round does depends
on the seed and its number, but for what depends on the time.

The exit status is 1 after any fault: an exception that was not expected, statistics that contradict themselves, a
memory budget that is exceeded, a thread or an open file that is left, memory that grows after the warm-up. A step that
takes longer than a minute is taken for a hang: the stacks of all threads are printed and the exit status is 1.
"""

import argparse
import faulthandler
import json
import os
import random
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

import machine
import resources
import soak_interrupts
import soak_seats
from arguments import positive
from progress import clear, clock
from report import as_text
from soak_steps import STEPS, Soak, filled

HANG = 60.0
"""Seconds after which a step is taken for a hang."""
ROUND = 12
"""Steps of a round."""
FRESH = 3
"""New Searchers of a round."""
FULL = 0.5
"""How often a tree is filled before a step, with ``--full``."""
WARM = 0.3
"""The share of the rounds whose growth is not judged: caches fill, the allocator settles."""
MOST = 200
"""Faults after which it is enough."""
SHOWN = 20
"""Kinds of faults that are printed."""


def watch():
    """From now on there is some time until the stacks are printed and all ends."""
    faulthandler.dump_traceback_later(HANG, exit=True, file=sys.__stderr__)


def play_round(soak, number, seed, staying, threads, interrupts=False, full=False):
    """Some steps with new Searchers and those that stay. ``threads``: how many there are between steps."""
    soak.chooser = random.Random(f"{seed} {number}")
    soak.where = f"round {number}"
    watch()
    memory = soak_seats.SMALL if full else soak_seats.MEMORY
    seats = [soak_seats.new_seat(soak.chooser, soak.there, memory) for _ in range(FRESH)] + staying
    for index in range(ROUND):
        step, = soak.chooser.choices(list(STEPS), list(STEPS.values()))
        seat = soak.chooser.choice(seats)
        fills = full and seat.native and soak.chooser.random() < FULL
        soak.where = f"round {number}, step {index}, {step.__name__}, {seat}"
        watch()
        begin = time.monotonic()
        try:
            if fills:
                filled(soak, seat)
            if interrupts and step in soak_interrupts.STEPS and soak.chooser.random() < soak_interrupts.SHARE:
                soak_interrupts.interrupted(soak, seat, step)
            else:
                step(soak, seat)
        except Exception:
            soak.fault(traceback.format_exc())
            seat.searched = None
        soak.steps[step.__name__] += 1
        soak.seconds[step.__name__] += time.monotonic() - begin
        faulthandler.cancel_dump_traceback_later()  # whose thread would count
        left = resources.wait_for_threads(threads)
        soak.expect(not left, f"left threads: {left}")


def run(soak, minutes, seed, first, interrupts=False, full=False):
    """Rounds from number ``first``, for so many minutes; a Record of what was held after each."""
    threads, others = resources.native_threads(), soak_seats.alive()
    staying = soak_seats.residents(random.Random(seed))
    end = time.monotonic() + 60.0 * minutes
    held = resources.Record()
    while len(held) == 0 or (time.monotonic() < end and len(soak.faults) < MOST):
        play_round(soak, first + len(held), seed, staying, threads, interrupts, full)
        soak.where = f"after round {first + len(held)}"
        held.add()
        left = soak_seats.alive() - others - len(staying)
        soak.expect(left <= 1, f"{left} Searchers too many are left")  # one is the module's own
        show(f"{len(held)} rounds, {soak.steps.total():,} steps, {len(soak.faults)} faults, "
             f"{clock(max(0.0, end - time.monotonic()))} left")
    clear()
    return held


def judge(soak, amounts):
    """The rows of ``resources.judge``; what grew is a fault."""
    rounds = max(map(len, amounts.values()))
    rows = resources.judge(amounts, int(WARM * rounds))
    soak.where = f"after {rounds} rounds"
    for row in rows:
        if row["flat"] is False:
            soak.fault(f"{resources.KINDS[row['kind']].title}: grew by {row['growth'] / row['unit']:,.1f} since the "
                       f"warm-up, {row['allowed'] / row['unit']:,.1f} are allowed")
    return rows


def tables(soak, rows):
    """Heading, titles and cells for ``report.as_text``."""
    counts = [*soak.totals.items(),
              *((f"stopped by {reason}", count) for reason, count in soak.reasons.most_common()),
              *((f"expected {name}", count) for name, count in soak.expected.most_common())]
    return [
        ("What was done", ["", "times", "mean, ms"],
         [[name, f"{count:,}", f"{1000 * soak.seconds[name] / count:.1f}"]
          for name, count in soak.steps.most_common()]),
        ("What came of it", ["", "count"], [[name, f"{count:,}"] for name, count in counts]),
        resources.table(rows),
    ]


def kinds_of(faults):
    """A text for each kind of fault, where only numbers differ: how often there was one, and the first."""
    kinds = {}
    for where, text in faults:
        last = text.strip().splitlines()[-1]  # of a traceback, the error
        kinds.setdefault(re.sub(r"0x[0-9a-f]+|[\d.]+", "", last), []).append(f"{where}: {text}")
    return [f"- {len(found)} times, at first in {found[0]}" for found in kinds.values()]


def main(argv=None):
    args = parse(argv)
    there = soak_seats.features()
    facts = machine.describe(None) | {
        "tested": ", ".join(name for name, known in there.items() if known) or "-",
        "left out, as it is not there": ", ".join(name for name, known in there.items() if not known) or "-",
    }
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), "", sep="\n", flush=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mcts_core_soak_") as folder:
        soak = Soak(there, Path(folder))
        held = run(soak, args.minutes, args.seed, args.first, args.interrupts, args.full)
    rows = judge(soak, held.amounts)
    print(as_text(tables(soak, rows)))
    print(f"\n{len(held)} rounds, {soak.steps.total():,} steps in {clock(time.monotonic() - begin)}, seed {args.seed}: "
          + (f"{len(soak.faults)} FAULTS" if soak.faults else "no fault"))
    print(*kinds_of(soak.faults)[:SHOWN], sep="\n")
    if args.json:
        document = {"machine": facts, "seed": args.seed, "first": args.first, "minutes": args.minutes,
                    "interrupts": args.interrupts, "full": args.full,
                    "steps": soak.steps, "seconds": soak.seconds, "totals": soak.totals, "reasons": soak.reasons,
                    "expected": soak.expected, "faults": soak.faults, "resources": rows,
                    "held": {kind: list(amounts) for kind, amounts in held.amounts.items()}}
        args.json.write_text(json.dumps(document, indent=1) + "\n")
    return 1 if soak.faults else 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="soak.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=positive, default=5.0, metavar="M", help="how long (default 5)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of everything (default 1)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first round (default 0)")
    parser.add_argument("--interrupts", action="store_true", help="interrupt steps at random moments, as Ctrl-C does")
    parser.add_argument("--full", action="store_true", help="fill the trees of native games before half of the steps")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    args = parser.parse_args(argv)
    if args.interrupts and not soak_interrupts.POSSIBLE:
        parser.error("--interrupts: this system has no timer that sends signals")
    return args


def show(text):
    """One line that is written over, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        os._exit(130)  # without waiting for the searches that are running
