#!/usr/bin/env python3
"""Measures by how much searches miss their deadlines, from outside, on an idle machine and on a busy one.

    python bench/overshoot.py                               # about a minute
    python bench/overshoot.py --seconds 300 --json overshoot.json
    python bench/overshoot.py --loads busy --free --games gomoku --budgets 0.01 --set threads=2

For each game and preset one Searcher plays against random moves, as a bot with a clock would, with each of the budgets
in turn. A sample is the wall-clock time of one call of ``Searcher.search(state, seconds)`` less ``seconds``. Searches
that end before their deadline (solved, one legal move) are counted as early and leave no sample.

Idle: nothing runs beside this but what runs anyway, so take the figures on a machine that does nothing else. Busy:
beside it a process for each core computes without a pause, each pinned to its core (--free: wherever the system puts
them). They end with this script, however that ends.

Percentiles are by nearest rank: with fewer than 100 samples the 99th is the largest. "but for waits" is the largest
overshoot less the time for which the system let the search wait for a core (Linux only): what is left is its own.
"unseen" is the 99th percentile of what Stats.overshoot does not tell, as it happens outside of the search.
"""

import argparse
import contextlib
import importlib.util
import json
import random
import sys
import time
from pathlib import Path

import busy
import games
import machine
from arguments import option, positive
from figures import percentile
from report import as_text, duration

HERE = Path(__file__).resolve().parent
DOTS = HERE.parent / "examples" / "dots_and_boxes.py"

GOALS = {"idle": 5e-3, "busy": 25e-3}
"""Load -> seconds that the 99th percentile is to stay below."""
BUDGETS = (0.002, 0.01, 0.05, 0.2)
GAMES = ("connect4", "gomoku", "dots")
"""``dots``: Dots and Boxes from examples/, a game written in Python."""
PRESETS = ("strong", "uct")
OPENING = 6
"""Random moves before a game begins, at most."""


class Bot:
    """Plays a game against random moves; each of its moves is one measurement."""

    def __init__(self, game, preset, options, seed):
        import mcts_core

        self.game, self.preset = game, preset
        self._first = first_position(game)
        self._engine = mcts_core.Searcher(**{"preset": preset, "seed": seed, **options})
        self._random = random.Random(seed)
        self._state = None

    def search(self, seconds):
        """A sample: the budget, and the seconds that the search took longer (``over``), those of it that
        Stats.overshoot does not tell (``unseen``), and those for which it waited for a core (``waited``, or None)."""
        if self._state is None:
            self._state = self._opening()
        waited = waiting_time()
        begin = time.perf_counter()
        move = self._engine.search(self._state, seconds)
        over = time.perf_counter() - begin - seconds
        after = waiting_time()
        unseen = over - self._engine.stats().overshoot
        self._state = self._after(self._state, move)
        return {"game": self.game, "preset": self.preset, "budget": seconds, "over": over, "unseen": unseen,
                "waited": None if waited is None or after is None else after - waited}

    def _opening(self):
        state = self._first
        for _ in range(self._random.randrange(OPENING + 1)):
            state = self._after_random(state) or state
        return state

    def _after(self, state, move):
        """The position after the move and the opponent's answer; None when the game is over."""
        state, player = state.play(move), state.to_move
        while state is not None and state.winner() is None and state.to_move != player:
            state = self._after_random(state)
        return state if state is not None and state.winner() is None else None

    def _after_random(self, state):
        """The position after a random move; None when the game is over."""
        state = state.play(self._random.choice(state.legal_moves()))
        return state if state.winner() is None else None


def first_position(game):
    """That of a name in ``GAMES``, or of any that ``games`` knows. Raises ValueError."""
    if game != "dots":
        return games.find(game).start()
    spec = importlib.util.spec_from_file_location("dots_and_boxes", DOTS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.DotsAndBoxes()


def waiting_time():
    """Seconds for which this thread could have run and waited for a core; None where the system does not tell."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def schedule(budgets):
    """The budgets of one turn of a bot: short ones more often, so that there are enough of them, but not for most of
    the time."""
    return [budget for budget in sorted(budgets) for _ in range(round((max(budgets) / budget) ** 0.5))]


def take_samples(bots, budgets, seconds):
    """Samples of all bots in turn, for ``seconds`` and the search that is running then."""
    end = time.monotonic() + seconds
    samples = []
    while True:
        for budget in schedule(budgets):
            for bot in bots:
                samples.append(bot.search(budget))
                if time.monotonic() >= end:
                    return samples


def rows_of(samples, loads, names):
    """A row for each combination of load and the values of ``names`` in the samples, in the order of appearance.

    ``samples``: load -> samples. A row's ``reached`` is None where no search came to its deadline.
    """
    rows = []
    for load in loads:
        groups = {}
        for sample in samples[load]:
            groups.setdefault(tuple(sample[name] for name in names), []).append(sample)
        rows += [{"load": load, **dict(zip(names, key, strict=True)), **summary(found, GOALS[load])}
                 for key, found in groups.items()]
    return rows


def summary(samples, goal):
    """The figures of one row, in seconds."""
    late = [sample for sample in samples if sample["over"] >= 0.0]
    row = {"searches": len(samples), "early": len(samples) - len(late), "goal": goal, "reached": None}
    if not late:
        return row
    over = [sample["over"] for sample in late]
    row |= {name: percentile(over, share) for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))}
    own = [max(0.0, sample["over"] - sample["waited"]) for sample in late if sample["waited"] is not None]
    return row | {"own": max(own) if own else None, "unseen": percentile([sample["unseen"] for sample in late], 0.99),
                  "reached": row["p99"] < goal}


def count_of(rows):
    """How many of the goals that were judged are reached, as text."""
    verdicts = [row["reached"] for row in rows if row["reached"] is not None]
    return f"{sum(verdicts)} of {len(verdicts)}"


def table(heading, rows, names):
    """Heading, titles and cells for ``report.as_text``."""
    titles = ["load", *names, "searches", "early", "p50", "p90", "p99", "max", "but for waits", "unseen",
              "p99 to reach", "reached"]
    cells = []
    for row in rows:
        figures = [duration(row[name]) if row.get(name) is not None else "-"
                   for name in ("p50", "p90", "p99", "max", "own", "unseen")]
        told = "-" if row["reached"] is None else "yes" if row["reached"] else "NO"
        cells.append([row["load"], *(duration(row[name]) if name == "budget" else row[name] for name in names),
                      f"{row['searches']:,}", f"{row['early']:,}", *figures, f"< {duration(row['goal'])}", told])
    return heading, titles, cells


def main(argv=None):
    args = parse(argv)
    core = None if args.core is None else machine.pin(args.core)
    facts = machine.describe(core)
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), "", sep="\n", flush=True)
    samples = {}
    start = time.monotonic()
    for load in args.loads:
        bots = [Bot(game, preset, args.set, args.seed) for game in args.games for preset in args.presets]
        with busy.processes(not args.free) if load == "busy" else contextlib.nullcontext():
            samples[load] = take_samples(bots, args.budgets, args.seconds / len(args.loads))
    judged = rows_of(samples, args.loads, ("game", "preset"))
    by_budget = rows_of(samples, args.loads, ("game", "preset", "budget"))
    print(as_text([table("By how much searches miss their deadlines", judged, ("game", "preset")),
                   table("By budget", by_budget, ("game", "preset", "budget"))]))
    print(f"\n{sum(map(len, samples.values())):,} searches in {time.monotonic() - start:.0f} s; goals reached: "
          f"{count_of(judged)}, by budget {count_of(by_budget)}")
    if args.json:
        document = {"machine": facts, "options": args.set, "pinned": not args.free, "goals": GOALS, "rows": judged,
                    "by_budget": by_budget, "samples": samples}
        args.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="overshoot.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=positive, default=60.0, metavar="S",
                        help="for all measurements together (default 60)")
    parser.add_argument("--loads", nargs="+", choices=list(GOALS), default=list(GOALS), metavar="LOAD",
                        help="idle, busy (default: both)")
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME",
                        help=f"{games.NAMES} or dots (default: {' '.join(GAMES)})")
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS), metavar="PRESET",
                        help="strong, uct (default: both)")
    parser.add_argument("--budgets", nargs="+", type=positive, default=list(BUDGETS), metavar="S",
                        help=f"seconds of a search (default: {' '.join(map(str, BUDGETS))})")
    parser.add_argument("--set", nargs="+", action="extend", type=option, default=[], metavar="NAME=VALUE",
                        help="options of mcts_core.Searcher, such as threads=2")
    parser.add_argument("--free", action="store_true", help="do not pin the busy processes")
    parser.add_argument("--core", type=int, metavar="N", help="keep this process on core N (default: it is not pinned)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of games and searches (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows and every sample as JSON")
    args = parser.parse_args(argv)
    args.set = dict(args.set)
    if args.core is not None and args.core not in busy.cores():
        parser.error(f"--core {args.core}: not one of the cores {busy.cores()}")
    try:
        for game in args.games:
            for preset in args.presets:
                Bot(game, preset, args.set, args.seed)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    return args


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
