#!/usr/bin/env python3
"""Measures the speed of mcts_core beside other programs, and says which of its goals it reaches. See README.md."""

import argparse
import dataclasses
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import chart
import growth
import machine
import peers
import reference
import report

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parent.parent / "shared" / "ref"
"""Where the reference programs are looked for; they are no part of this repository."""

ROUNDS = {"quick": 3, "default": 5, "full": 11}
PEER_ROUNDS = {"quick": 1, "default": 3, "full": 5}
QUICK_PEERS = 10
"""--quick gives the other packages this much less to do."""
PEER_SECONDS = 300
"""A peer that takes longer for one measurement is left out."""
CALL_REPEATS = 2000
OTHERS = ("calls", "tactics")
"""What is measured besides the workloads."""


class Failed(Exception):
    """A measurement did not run."""


def main(argv=None):
    args = parse(argv)
    core = None if args.core == -1 else machine.pin(args.core)
    try:
        about = measured({"what": "about"})
    except Failed as failure:
        raise Failed(f"mcts_core cannot be used by {sys.executable}: {failure}; `make bench` builds and installs it "
                     "first") from None
    notes = []
    if core is None:
        notes.append("Not pinned to one core.")
    with tempfile.TemporaryDirectory(prefix="mcts_core_bench_") as folder:
        chosen = cases.choose(args.level, args.only)
        try:
            wanted = sorted({case.reference for case in chosen if case.reference})
            programs = reference.build(wanted, args.reference, folder)
        except reference.Missing as missing:
            programs = {}
            notes.append(f"Without the reference programs: {missing}.")
        if any(case.game.endswith("-exact") and case.reference in programs for case in chosen):
            notes.append("The reference knows no exact rule: beside searches under that rule, it plays freestyle.")
        asked = wants("tactics", args)
        there = {key: peers.version(key) for key in peers.PEERS if asked or any(key in case.peers for case in chosen)}
        for key in [key for key in there if there[key] is None]:
            notes.append(f"Without {peers.PEERS[key].title}: it is not installed (`make bench` installs it where that "
                         "can be done).")
            del there[key]
        compiler = reference.compiler() if programs else None
        facts = machine.describe(core, compiler) | {
            "mcts_core": f"{about['version']}, instruction sets {', '.join(about['supported'])}",
            "mcts_core compiled by": machine.built_with(about["folder"]),
            "other packages": ", ".join(f"{name} {number}" for name, number in peers.versions().items()) or "-",
            "rounds": str(args.rounds),
        }
        print("\n".join(f"{name}: {value}" for name, value in facts.items()), *notes, "", sep="\n", flush=True)
        start = time.monotonic()
        failures = {}
        samples = take_samples(chosen, programs, about["supported"], set(there), failures, args)
        costs = take_costs(about["supported"], args) if wants("calls", args) else {}
        tactics = take_tactics(there, failures) if asked and args.level != "quick" else {}
        notes += [f"{peers.PEERS[key].title} failed and is left out from there on: {why}."
                  for key, why in failures.items()]
    facts |= {"duration": f"{time.monotonic() - start:.0f} s", "core taken by others": taken_by_others(samples)}
    found = {
        "rows": [row for case in chosen for row in report.ratio_rows(case, samples[case.name])],
        "memory": [row for case in chosen if (row := report.memory_row(case, samples[case.name]))],
        "growth": growth.rows(chosen, samples),
        "calls": report.call_rows(costs, cases.CALLS),
        "tactics": report.tactics_rows(tactics),
    }
    tables = report.tables(**found)
    print(report.as_text(tables), *failures and notes, sep="\n")
    print(f"\nSpeeds and ratios by CPU time; medians of {args.rounds} rounds, ratios formed within each round. "
          f"{facts['duration']}; {facts['core taken by others']} of the core went to others.")
    document = {"machine": facts, "notes": notes, "clock": report.CLOCK, **found, "samples": samples,
                "call_samples": costs}
    if args.json:
        args.json.write_text(json.dumps(document, indent=1, default=dataclasses.asdict) + "\n")
    if args.results:
        where = f"{facts['processor']}, one core, CPU time; mcts_core {about['version']}"
        pictures = {name: text for name, text in {
            "chart.svg": chart.bars(report.compared(found["rows"], found["tactics"]), where),
            "growth.svg": chart.curves(found["growth"], where),
        }.items() if text}
        args.results.mkdir(parents=True, exist_ok=True)
        for name, text in pictures.items():
            (args.results / name).write_text(text)
        guide = Path(os.path.relpath(HERE, HERE.parent / results_folder(args)), "README.md").as_posix()
        page = report.as_markdown(tables, facts, notes, command_line(args), list(pictures), guide)
        (args.results / "RESULTS.md").write_text(page)
    return 0


def wants(part, args):
    """Is a part measured that is no workload."""
    return not args.only or part in args.only


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="level", action="store_const", const="quick", default="default",
                      help="the main workloads in few rounds, less work for the other packages; below 40 s")
    size.add_argument("--full", dest="level", action="store_const", const="full",
                      help="more rounds; a quarter of an hour")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"rounds (default {ROUNDS['default']})")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="workloads whose name contains NAME, 'calls' or 'tactics'; may be repeated; --list prints "
                             "the names")
    parser.add_argument("--list", action="store_true", help="print the names of the workloads and end")
    parser.add_argument("--reference", type=Path, default=REFERENCE if REFERENCE.is_dir() else None, metavar="DIR",
                        help="folder of the reference programs (default: shared/ref in the folder that holds the "
                             "repository, if it is there)")
    parser.add_argument("--core", type=int, metavar="N", help="core to measure on, -1: do not pin (default: the last)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X",
                        help="multiply the amount of work, to see that all of it runs; ratios mean something only at 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything, with every sample, as JSON")
    parser.add_argument("--results", type=Path, metavar="DIR",
                        help="write RESULTS.md and the pictures chart.svg and growth.svg into this folder")
    args = parser.parse_args(argv)
    if args.list:
        print(*(case.name for case in cases.CASES), *OTHERS, sep="\n")
        raise SystemExit(0)
    for part in args.only:
        if part not in OTHERS and not any(part in case.name for case in cases.CASES):
            parser.error(f"--only {part!r}: no workload has that in its name; --list prints the names")
    if args.rounds is None:
        args.rounds = ROUNDS[args.level]
    if args.rounds < 1 or not args.scale > 0:
        parser.error("--rounds and --scale must be above 0")
    if args.core is not None and args.core != -1 and hasattr(os, "sched_getaffinity"):
        if args.core not in os.sched_getaffinity(0):
            parser.error(f"--core {args.core}: not one of the cores {sorted(os.sched_getaffinity(0))}")
    return args


def command_line(args):
    """The command that repeats the measurement, typed in the root of the repository."""
    words = ["python", "bench/run.py"]
    if args.level != "default":
        words.append(f"--{args.level}")
    if args.rounds != ROUNDS[args.level]:
        words += ["--rounds", str(args.rounds)]
    for part in args.only:
        words += ["--only", part]
    if args.scale != 1.0:
        words += ["--scale", f"{args.scale:g}"]
    return shlex.join([*words, "--results", results_folder(args)])


def results_folder(args):
    """The folder of the results, from the root of the repository. Others than those in bench are named as bench's."""
    folder = (args.results or HERE).resolve()
    return folder.relative_to(HERE.parent).as_posix() if folder.is_relative_to(HERE) else HERE.name


def measured(task, isa=None, seconds=None):
    """The result of ``measure.py`` in a process of its own. Raises Failed, also after ``seconds``."""
    environment = dict(os.environ)
    if isa:
        environment["MCTS_CORE_ISA"] = isa
    what = " ".join(f"{value}" for value in task.values()) + (f", {isa}" if isa else "")
    try:
        done = subprocess.run([sys.executable, HERE / "measure.py", json.dumps(task)], env=environment, text=True,
                              capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"not done after {seconds} s ({what})") from None
    if done.returncode:
        silent = f"ended by signal {-done.returncode}" if done.returncode < 0 else "no message"
        raise Failed(f"{(done.stderr.strip().splitlines() or [silent])[-1]} ({what})")
    return json.loads(done.stdout.splitlines()[-1])


def taken_by_others(samples):
    """The share of the wall-clock time of the measurements in which they did not run."""
    taken = [sample for candidates in samples.values() for found in candidates.values() for sample in found]
    wall = sum(sample["wall"] for sample in taken)
    return f"{max(0.0, 1 - sum(sample['cpu'] for sample in taken) / wall):.0%}" if wall else "-"


def take_samples(chosen, programs, isas, there, failures, args):
    """Case name -> candidate -> samples. In each round every candidate is measured once (or ``times``) in turn.

    ``there``: the peers to measure. One that fails goes from there to ``failures``, with the reason.
    """
    samples = {case.name: {} for case in chosen}
    for number in range(1, args.rounds + 1):
        for case in chosen:
            if case.rounds and number > case.rounds:
                continue
            progress(f"round {number} of {args.rounds}: {case.name}")
            taken = samples[case.name]
            count = max(1, round(case.count * args.scale))
            task = {"game": case.game, "work": case.work, "count": count}
            for repeat in range(case.times):
                task["seed"] = number * 100 + repeat
                if case.reference in programs:
                    sample = reference.measure(programs[case.reference], case.work, count, task["seed"])
                    taken.setdefault("reference", []).append(sample)
                for isa in isas:
                    taken.setdefault(isa, []).append(measured({"what": "ours", **task}, isa))
            if number > PEER_ROUNDS[args.level]:
                continue
            if args.level == "quick":
                task["count"] = max(1, count // QUICK_PEERS)
            for key in [key for key in case.peers if key in there]:
                try:
                    sample = measured({"what": "peer", "name": key, **task}, seconds=PEER_SECONDS)
                    taken.setdefault(key, []).append(sample)
                except Failed as failure:
                    failures[key] = str(failure)
                    there.discard(key)
    progress("")
    return samples


def take_tactics(there, failures):
    """Program -> kind of position -> [right, all]; ours is ``mcts_core``."""
    found = {}
    task = {"what": "tactics", **report.TACTICS}
    for key in ("mcts_core", *there):
        progress(f"tactics: {key}")
        try:
            found[key] = measured(task | {"name": None if key == "mcts_core" else key}, seconds=PEER_SECONDS)
        except Failed as failure:
            failures.setdefault(key, str(failure))
    progress("")
    return found


def take_costs(isas, args):
    """Call -> instruction set -> seconds of each round."""
    costs = {call: {} for call in cases.CALLS}
    repeats = max(1, round(CALL_REPEATS * args.scale))
    import_time()  # the first one may compile, and reads from the disk
    for number in range(1, args.rounds + 1):
        progress(f"round {number} of {args.rounds}: calls")
        for isa in isas:
            for call, seconds in measured({"what": "calls", "repeats": repeats}, isa).items():
                costs[call].setdefault(isa, []).append(seconds)
        costs["import mcts_core"].setdefault("-", []).append(min(import_time() for _ in range(3)))
    progress("")
    return costs


def import_time():
    """CPU seconds of a fresh interpreter that imports the package, less those of one that does nothing."""
    return interpreter("import sys, mcts_core; sys.exit('numpy' in sys.modules)") - interpreter("import sys")


def interpreter(code):
    """CPU seconds of a fresh interpreter; wall-clock seconds where the system does not tell them."""
    try:
        from resource import RUSAGE_CHILDREN, getrusage

        def clock():
            usage = getrusage(RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
    except ImportError:
        clock = time.perf_counter
    start = clock()
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip() or "import mcts_core loads numpy")
    return clock() - start


def progress(text):
    """One line that is written over, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
