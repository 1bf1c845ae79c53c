"""From samples to rows, from rows to tables: text for a terminal, Markdown for a file."""

from statistics import median

import cases
import peers
from figures import summarize

CLOCK = "cpu"
"""The clock of speeds and ratios: CPU time of the process. Samples hold wall-clock time, ``wall``, too."""


TACTICS = {"count": 2000, "seeds": 5}
"""Simulations of a search in the positions of ``tactics``, and searches of each."""
PICTURES = {"chart.svg": "Iterations per second, beside other programs", "growth.svg": "Speed as the search grows"}


def speeds(samples):
    """Work per second of each sample."""
    return [sample["count"] / sample[CLOCK] for sample in samples]


def ratio_rows(case, samples):
    """Rows of a case: one per instruction set against the reference (or nothing), and one against each peer.

    ``samples``: candidate (``reference``, a key of ``peers.PEERS`` or an instruction set) -> its samples, in the order
    of the rounds. A ratio is formed within each round.
    """
    rows = []
    isas = isas_of(samples)
    for other in ("reference", *(key for key in case.peers if samples.get(key))):
        for isa in isas:
            target = case.targets.get(isa) if other == "reference" else case.peers[other]
            step = case.times if other != "reference" else 1  # peers are measured once in a round
            rows.append(_ratio_row(case, other, isa, samples.get(other, []), samples[isa], step, target))
    return rows


def isas_of(samples):
    """The candidates that are instruction sets of ours."""
    return [name for name in samples if name != "reference" and name not in peers.PEERS]


def _ratio_row(case, peer, isa, theirs, ours, step, target):
    row = {"case": case.name, "title": case.title, "isa": isa, "per_second": summarize(speeds(ours)),
           "against": None, "peer_per_second": None, "ratio": None, "target": None, "reached": None}
    if theirs:
        mine_by_round = (median(speeds(ours[start:start + step])) for start in range(0, len(ours), step))
        pairs = zip(mine_by_round, speeds(theirs), strict=False)  # peers run in the first rounds only
        row |= {"against": peer, "peer_count": theirs[0]["count"], "peer_per_second": summarize(speeds(theirs)),
                "ratio": summarize([mine / other for mine, other in pairs])}
        if target is not None:
            row |= {"target": target, "reached": row["ratio"].median >= target}
    return row


def memory_row(case, samples):
    """Bytes per iteration of a case of iterations; None for rollouts. The same in every round and instruction set."""
    if case.work != "iterations":
        return None
    figures = {name: taken[0]["bytes"] / taken[0]["count"] for name, taken in samples.items()
               if taken and "bytes" in taken[0]}
    grown = {key: median(sample["grown"] / sample["count"] for sample in samples[key])
             for key in case.peers if samples.get(key) and "grown" in samples[key][0]}
    reference = figures.pop("reference", None)
    ours = max(figures.values())
    return {"case": case.name, "title": case.title, "bytes_per_iteration": ours, "reference": reference, "peers": grown,
            "target": case.bytes_target, "reached": None if case.bytes_target is None else ours <= case.bytes_target}


def call_rows(costs, targets):
    """``costs``: call -> instruction set (or "-") -> seconds of each round."""
    rows = []
    for call, measured in costs.items():
        for isa, seconds in measured.items():
            summary = summarize(seconds)
            rows.append({"call": call, "isa": isa, "seconds": summary, "target": targets[call],
                         "reached": summary.median < targets[call]})
    return rows


def tactics_rows(found):
    """``found``: program -> kind of position -> [right, all]."""
    return [{"program": key, "right": right, "plays_rightly": all(good == total for good, total in right.values())}
            for key, right in found.items()]


def compared(rows, tactics=()):
    """The panels of the chart: (title, bars) of each case of ``cases.COMPARED`` that was measured.

    ``rows``: those of ``ratio_rows``; ``tactics``: those of ``tactics_rows``, to tell which package plays wrongly.
    A bar is a dict of ``name``, ``kind`` (``ours``, ``reference`` or ``peer``), ``per_second`` and ``note``; fast ones
    first.
    """
    wrong = {row["program"] for row in tactics if not row["plays_rightly"]}
    panels = []
    for case in cases.CASES:
        found = [row for row in rows if row["case"] == case.name]
        if case.name not in cases.COMPARED or not found:
            continue
        bars = {}
        for row in found:
            bars[row["isa"]] = (f"mcts_core, {row['isa']}", "ours", row["per_second"].median)
            if row["against"] == "reference":
                bars["reference"] = ("textbook UCT in plain C", "reference", row["peer_per_second"].median)
            elif row["against"]:
                peer = peers.PEERS[row["against"]]
                bars[row["against"]] = (
                    f"{peer.title} ({peer.made_of})", "ours" if peer.ours else "peer", row["peer_per_second"].median)
        listed = [{"name": name, "kind": kind, "per_second": speed, "note": "plays wrongly" if key in wrong else ""}
                  for key, (name, kind, speed) in bars.items()]
        title = f"{cases.GAMES[case.game]}, {case.count:,} {case.work}"
        panels.append((title, sorted(listed, key=lambda bar: -bar["per_second"])))
    return panels


# ---- tables ----------------------------------------------------------------------------------------------------------

def tables(rows, memory, growth, calls, tactics):
    """(heading, column titles, cells) of each table that has rows."""
    found = [
        ("Speed, as a ratio to the reference (plain C)",
         ["workload", "isa", "reference/s", "ours/s", "ratio", "quartiles", "to reach", "reached"],
         [_reference_cells(row) for row in rows if row["against"] == "reference"]),
        ("Speed, as a ratio to other packages",
         ["workload", "package, simulations", "isa", "its/s", "ours/s", "ratio", "quartiles", "to reach", "reached"],
         [_peer_cells(row) for row in rows if row["against"] in peers.PEERS]),
        ("Speed", ["workload", "isa", "per second"],
         [[row["title"], row["isa"], amount(row["per_second"].median)] for row in rows if row["against"] is None]),
        ("Growth",
         ["search", "isa", "ours/s", "by that at 100,000", "to reach", "reached", "bytes per iteration", "mean depth",
          "reference/s", "by that at 100,000"],
         [_growth_cells(row) for row in growth]),
        ("Bytes per iteration", ["workload", "ours", "reference", "to reach", "reached"],
         [[row["title"], f"{row['bytes_per_iteration']:.1f}",
           "" if row["reference"] is None else f"{row['reference']:.1f}",
           *goal(row["target"], row["reached"], "<= {:g}")] for row in memory]),
        ("Bytes per iteration of other packages", ["workload", "package", "bytes"],
         [[row["title"], peers.PEERS[key].title, f"{grown:.0f}"] for row in memory
          for key, grown in row["peers"].items()]),
        ("Cost of one call", ["call", "isa", "CPU time", "quartiles", "to reach", "reached"],
         [[row["call"], row["isa"], duration(row["seconds"].median),
           f"{duration(row['seconds'].low)} - {duration(row['seconds'].high)}", f"< {duration(row['target'])}",
           "yes" if row["reached"] else "NO"] for row in calls]),
        (f"Do they play rightly? Moves found with {TACTICS['count']:,} simulations",
         ["program", *(tactics[0]["right"] if tactics else ()), "remark"],
         [[row["program"], *(f"{good}/{total}" for good, total in row["right"].values()), _remark(row)]
          for row in tactics]),
    ]
    return [table for table in found if table[2]]


def _reference_cells(row):
    return [row["title"], row["isa"], amount(row["peer_per_second"].median), *_ratio_cells(row)]


def _peer_cells(row):
    return [row["title"], f"{peers.PEERS[row['against']].title}, {row['peer_count']:,}", row["isa"],
            amount(row["peer_per_second"].median), *_ratio_cells(row)]


def _ratio_cells(row):
    return [amount(row["per_second"].median), times(row["ratio"].median),
            f"{times(row['ratio'].low)}-{times(row['ratio'].high)}", *goal(row["target"], row["reached"], ">= {:g}")]


def _growth_cells(row):
    def share(value):
        return "" if value is None else f"{value:.2f}"

    return [row["title"], row["isa"], amount(row["per_second"]), share(row["relative"]),
            *goal(row["target"], row["reached"], ">= {:g}"), f"{row['bytes']:.1f}", f"{row['depth']:.1f}",
            "" if row["reference"] is None else amount(row["reference"]), share(row["reference_relative"])]


def _remark(row):
    remark = peers.PEERS[row["program"]].remark if row["program"] in peers.PEERS else ""
    return "; ".join(filter(None, ("" if row["plays_rightly"] else "PLAYS WRONGLY", remark)))


def goal(target, reached, form):
    """The two cells of a target."""
    return ("", "") if target is None else (form.format(target), "yes" if reached else "NO")


def times(ratio):
    """A ratio: 4.25, or 425."""
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"


def amount(number):
    """A speed with three digits: 12.3 M."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}" if number / unit < 100 else f"{number / unit:.0f}{name}"
    return f"{number:.3g}"


def duration(seconds):
    """A time with three digits: 12.3 us."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(seconds) >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


def as_text(found):
    """Tables for a terminal."""
    blocks = []
    for heading, titles, cells in found:
        lines = [titles, *cells]
        widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
        shown = ["  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                           for column, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
                 for line in lines]
        blocks.append("\n".join([heading, "", shown[0], "-" * len(shown[0]), *shown[1:]]))
    return "\n\n".join(blocks)


def as_markdown(found, facts, notes, command, pictures=(), guide="README.md"):
    """A whole page: the machine, how it was measured, the tables. ``guide``: the path to bench/README.md."""
    lines = ["# Measured speed", "",
             f"Written by `make bench KIND=speed`, which runs the command below. [README.md]({guide}) explains how",
             "each figure is taken.", "",
             "```sh", command, "```", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts.items()]
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    for picture in pictures:
        lines += ["", f"![{PICTURES[picture]}]({picture})"]
    for heading, titles, cells in found:
        lines += ["", f"## {heading}", "", "| " + " | ".join(titles) + " |",
                  "|---" + "|---:" * (len(titles) - 1) + "|"]
        lines += ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join(lines) + "\n"
