#!/usr/bin/env python3
"""Measures how much of its time an engine of the Gomocup protocol uses for a move, and how many moves are late.

    python bench/clock.py                                   # five limits, alone and busy: ten minutes
    python bench/clock.py --limits 0.05 --moves 1000 --json clock.json
    python bench/clock.py --loads busy --limits 0.03 0.05 --arguments="--ponder"
    python bench/clock.py --program /path/to/pbrain-other --json other.json

Two processes of the engine play gomoku 15x15 against each other from balanced openings, and this script is their
manager, over pipes: BOARD for the first move of each, then TURN. Every game has new processes, so first moves count. A
sample is the time from before the command is written until the line with the move is read. Nothing is pinned.

Alone: beside whatever else the machine does. Busy: beside processes that compute without a pause, one fewer than cores.

A move is late when it takes longer than its limit. "late but for waits" leaves out the time for which the system let
the manager or the engine wait for a core (Linux only; what a thread waited for that has ended since is not seen, so it
may be too many). "early" moves ended before their time, mostly because the position is solved; "used" is of the others,
and so are "reused", the median of the visits that a search took over from the tree of the one before, and "new trees",
the moves but for first ones that took over none. "elsewhere" is how many cores other programs kept busy (Linux only);
--quiet leaves out games in which that was too many. It does not run on Windows.
"""

import argparse
import contextlib
import gc
import itertools
import json
import os
import re
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean

import busy
import games
import machine
import openings
from arguments import positive, whole
from figures import percentile
from report import as_text, duration

LIMITS = (0.03, 0.05, 0.1, 0.3, 1.0)
LOADS = ("alone", "busy")
MOST_GAMES = 1000
"""Games for a load and a limit, those beside other programs included."""
PATIENCE = 60.0
"""Seconds after which a silent engine counts as hanging."""
PAUSE = 0.2
"""Seconds that two new processes have to settle before the first move."""
MOVE = re.compile(rb"(\d+),(\d+)\s*")


class Engine:
    """A process that speaks the protocol."""

    def __init__(self, command):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._pending = b""
        self.remarks = []
        """The other lines that came before the last answer."""

    def close(self):
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def send(self, *commands):
        """Writes commands in one piece."""
        self._process.stdin.write("".join(f"{command}\n" for command in commands).encode())

    def answer(self, wanted):
        """The match of the next line that ``wanted`` matches. Raises RuntimeError where none comes."""
        self.remarks = []
        while True:
            line, end, rest = self._pending.partition(b"\n")
            if end:
                self._pending = rest
                found = wanted.fullmatch(line)
                if found:
                    return found
                self.remarks.append(line.decode("utf-8", "replace"))
                if line.startswith((b"ERROR", b"UNKNOWN")):
                    raise RuntimeError(f"the engine answered {line.decode('utf-8', 'replace')!r}")
                continue
            if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
                raise RuntimeError(f"no answer for {PATIENCE:g} s")
            data = self._process.stdout.read(65536)
            if not data:
                raise RuntimeError(f"the engine ended with {self._process.wait()}")
            self._pending += data

    def start(self, limit):
        """A new game."""
        self.send(f"START {games.GOMOKU_SIZE}")
        self.answer(re.compile(rb"OK\s*"))
        self.send("INFO rule 0", f"INFO timeout_turn {round(1000 * limit)}", "INFO timeout_match 0", "INFO game_type 1")

    def waited(self):
        """Seconds for which the threads of the process waited for a core, by thread; empty where nothing is told."""
        found = {}
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{self._process.pid}/task").iterdir():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    found[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
        return found


def own_waits():
    """Seconds for which this thread waited for a core; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class Elsewhere:
    """How many cores other programs keep busy from now on."""

    def __init__(self, others):
        self._others = others
        """The pids of processes of ours that do not end before ``cores`` is asked for."""
        self._begin = time.perf_counter(), self._seconds()

    def _seconds(self):
        """Seconds for which cores worked for others; None where the system does not tell."""
        try:
            user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text().split(None, 9)[1:9])
            ours = sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in self._others) / 1e9
        except (OSError, ValueError):
            return None
        return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK") - ours - sum(os.times()[:4])

    def cores(self):
        """How many; None where the system does not tell. The engines of before have to be closed."""
        begin, before = self._begin
        now = self._seconds()
        return None if now is None or before is None else max(0.0, (now - before) / (time.perf_counter() - begin))


def square(cell):
    """A cell as the protocol writes it."""
    row, column = divmod(cell, games.GOMOKU_SIZE)
    return f"{column},{row}"


def commands_of(moves, first):
    """What asks for the next move after ``moves``; ``first``: it is the first that the engine is asked for."""
    if first:
        return ["BOARD", *(f"{square(cell)},{1 if (len(moves) - at) % 2 == 0 else 2}" for at, cell in enumerate(moves)),
                "DONE"]
    return [f"TURN {square(moves[-1])}"]


def ask(engine, limit, commands):
    """The cell that the engine plays and the sample of this move."""
    engine_before, own_before = engine.waited(), own_waits()
    begin = time.perf_counter()
    engine.send("INFO time_left 2147483647", *commands)
    column, row = map(int, engine.answer(MOVE).groups())
    used = time.perf_counter() - begin
    waited = own_waits() - own_before
    waited += sum(max(0.0, now - engine_before.get(task, 0.0)) for task, now in engine.waited().items())
    remarks = " ".join(engine.remarks)
    reused = re.search(r"(\d+) visits reused", remarks)
    sample = {"limit": limit, "used": used, "waited": waited, "reused": int(reused[1]) if reused else None,
              "early": "stopped by" in remarks and "stopped by time" not in remarks}
    return row * games.GOMOKU_SIZE + column, sample


def play(command, limit, opening):
    """The samples of a game."""
    engines = [Engine(command), Engine(command)]
    samples = []
    try:
        for engine in engines:
            engine.start(limit)
        time.sleep(PAUSE)
        state = games.find("gomoku").start()
        for cell in opening:
            state = state.play(cell)
        turn = 0
        while state.winner() is None:
            engine = engines[turn % 2]
            cell, sample = ask(engine, limit, commands_of(state.moves, turn < 2))
            samples.append({**sample, "first": turn < 2})
            state = state.play(cell)
            turn += 1
    finally:
        for engine in engines:
            engine.close()
    return samples


def measure(command, limit, count, seed, quiet, others):
    """Samples of whole games until ``count`` of them were not early; of games beside which other programs kept more
    than ``quiet`` cores busy there are none. ``others``: the pids of the processes that compute."""
    samples = []
    for number, opening in enumerate(openings.sequence(games.find("gomoku"), seed)):
        if sum(not sample["early"] for sample in samples) >= count or number >= MOST_GAMES:
            break
        other_programs = Elsewhere(others)
        taken = play(command, limit, opening)
        cores = other_programs.cores()
        if cores is None or cores <= quiet:
            samples += [{**sample, "game": number, "elsewhere": cores} for sample in taken]
    return samples


def row_of(load, limit, samples):
    """The figures of a load and a limit, times in seconds."""
    timed = [sample["used"] for sample in samples if not sample["early"]]
    reused = [sample["reused"] for sample in samples
              if sample["reused"] is not None and not sample["first"] and not sample["early"]]
    used = {name: percentile(timed, share) if timed else None
            for name, share in (("min", 0.0), ("median", 0.5), ("p99", 0.99), ("max", 1.0))}
    return {
        "load": load, "limit": limit, "moves": len(samples), "early": len(samples) - len(timed), **used,
        "first": max((sample["used"] for sample in samples if sample["first"] and not sample["early"]), default=None),
        "late": sum(sample["used"] > limit for sample in samples),
        "own": sum(sample["used"] - sample["waited"] > limit for sample in samples),
        "reused": percentile(reused, 0.5) if reused else None,
        "new": sum(visits == 0 for visits in reused) if reused else None,
        "elsewhere": fmean(sample.get("elsewhere") or 0.0 for sample in samples) if samples else None,
    }


def table(rows):
    """Heading, titles and cells for ``report.as_text``."""
    titles = ["load", "limit", "moves", "early", "used: min", "median", "p99", "max", "first moves", "late",
              "but for waits", "reused", "new trees", "elsewhere"]
    cells = []
    for row in rows:
        times = [f"{1000 * row[name]:.1f} ms" if row[name] is not None else "-"
                 for name in ("min", "median", "p99", "max", "first")]
        counts = [f"{row[name]:,}" if row[name] is not None else "-" for name in ("late", "own", "reused", "new")]
        cells.append([row["load"], duration(row["limit"]), f"{row['moves']:,}", f"{row['early']:,}", *times, *counts,
                      f"{row['elsewhere']:.2f}" if row["elsewhere"] is not None else "-"])
    return "Time used for a move", titles, cells


def main(argv=None):
    args = parse(argv)
    facts = machine.describe(None)
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), "", sep="\n", flush=True)
    command = [*args.program, *args.arguments]
    rows, samples = [], []
    gc.disable()  # a pause of the manager is none of the engine's
    for load, limit in itertools.product(args.loads, args.limits):
        count = max(1, len(busy.cores()) - 1)
        with busy.processes(False, count) if load == "busy" else contextlib.nullcontext(()) as others:
            taken = measure(command, limit, args.moves, args.seed, args.quiet, others)
        samples += [{"load": load, **sample} for sample in taken]
        rows.append(row_of(load, limit, taken))
        print(as_text([table(rows[-1:])]).splitlines()[-1], flush=True)
    print("", as_text([table(rows)]), sep="\n")
    if args.json:
        document = {"machine": facts, "command": command, "rows": rows, "samples": samples}
        args.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="clock.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", nargs="+", type=positive, default=list(LIMITS), metavar="S",
                        help=f"seconds for a move (default: {' '.join(map(str, LIMITS))})")
    parser.add_argument("--moves", type=whole, default=100, metavar="N",
                        help="moves for each limit and load, early ones not counted (default 100)")
    parser.add_argument("--loads", nargs="+", choices=LOADS, default=list(LOADS), metavar="LOAD",
                        help="alone, busy (default: both)")
    parser.add_argument("--program", type=shlex.split, default=[sys.executable, "-m", "mcts_core", "gomocup"],
                        metavar="COMMAND", help="another engine (default: the one of this package)")
    parser.add_argument("--arguments", type=shlex.split, default=[], metavar="WORDS",
                        help="arguments of the program, such as --arguments=--ponder")
    parser.add_argument("--quiet", type=positive, default=float("inf"), metavar="CORES",
                        help="leave out games beside which other programs keep more cores than that busy")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the openings (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows and every sample as JSON")
    return parser.parse_args(argv)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
