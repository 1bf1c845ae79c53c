"""From samples to rows, from rows to tables: text for a terminal, Markdown for a file."""

from figures import summarize

CLOCK = "cpu"
"""The clock of speeds and ratios: CPU time of the process. Samples hold wall-clock time, ``wall``, too."""


def speeds(samples):
    """Work per second of each sample."""
    return [sample["count"] / sample[CLOCK] for sample in samples]


def ratio_rows(case, samples):
    """Rows of a case: one per instruction set against the reference (or nothing), and one against OpenSpiel.

    ``samples``: candidate (``reference``, ``openspiel`` or an instruction set) -> its samples, in the order of the
    rounds. A ratio is formed within each round.
    """
    rows = []
    isas = [name for name in samples if name not in ("reference", "openspiel")]
    for peer in ("reference", "openspiel"):
        if peer == "openspiel" and not samples.get(peer):
            continue
        for isa in isas:
            target = case.targets.get(isa) if peer == "reference" else case.openspiel_target
            rows.append(_ratio_row(case, peer, isa, samples.get(peer, []), samples[isa], target))
    return rows


def _ratio_row(case, peer, isa, theirs, ours, target):
    row = {"case": case.name, "title": case.title, "isa": isa, "per_second": summarize(speeds(ours)),
           "against": None, "peer_per_second": None, "ratio": None, "target": None, "reached": None}
    if theirs:
        pairs = zip(speeds(ours), speeds(theirs), strict=False)  # OpenSpiel runs in the first rounds only
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
    reference = figures.pop("reference", None)
    ours = max(figures.values())
    return {"case": case.name, "title": case.title, "bytes_per_iteration": ours, "reference": reference,
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


# ---- tables ----------------------------------------------------------------------------------------------------------

def tables(rows, memory, calls):
    """(heading, column titles, cells) of each table that has rows."""
    result = []
    for peer, heading in (("reference", "Speed, as a ratio to the reference (plain C)"),
                          ("openspiel", "Speed, as a ratio to OpenSpiel's MCTSBot"),
                          (None, "Speed")):
        chosen = [row for row in rows if row["against"] == peer]
        if not chosen:
            continue
        if peer is None:
            result.append((heading, ["workload", "isa", "per second"],
                           [[row["title"], row["isa"], amount(row["per_second"].median)] for row in chosen]))
            continue
        cells = []
        for row in chosen:
            title = row["title"]
            if peer == "openspiel":
                title += f" (OpenSpiel {row['peer_count']:,})"
            cells.append([title, row["isa"], amount(row["peer_per_second"].median), amount(row["per_second"].median),
                          f"{row['ratio'].median:.2f}", f"{row['ratio'].low:.2f}-{row['ratio'].high:.2f}",
                          *goal(row["target"], row["reached"], ">= {:g}")])
        titles = ["workload", "isa", f"{peer}/s", "ours/s", "ratio", "quartiles", "to reach", "reached"]
        result.append((heading, titles, cells))
    if memory:
        cells = [[row["title"], f"{row['bytes_per_iteration']:.1f}",
                  "" if row["reference"] is None else f"{row['reference']:.1f}",
                  *goal(row["target"], row["reached"], "<= {:g}")] for row in memory]
        result.append(("Bytes per iteration", ["workload", "ours", "reference", "to reach", "reached"], cells))
    if calls:
        cells = [[row["call"], row["isa"], duration(row["seconds"].median),
                  f"{duration(row['seconds'].low)} - {duration(row['seconds'].high)}", f"< {duration(row['target'])}",
                  "yes" if row["reached"] else "NO"] for row in calls]
        result.append(("Cost of one call", ["call", "isa", "CPU time", "quartiles", "to reach", "reached"], cells))
    return result


def goal(target, reached, form):
    """The two cells of a target."""
    return ("", "") if target is None else (form.format(target), "yes" if reached else "NO")


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


def as_markdown(found, facts, notes, command):
    """A whole page: the machine, how it was measured, the tables."""
    lines = ["# Measured speed", "",
             "Written by `bench/run.py`; [README.md](README.md) tells how each figure is taken.", "",
             "```sh", command, "```", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts.items()]
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    for heading, titles, cells in found:
        lines += ["", f"## {heading}", "", "| " + " | ".join(titles) + " |",
                  "|---" + "|---:" * (len(titles) - 1) + "|"]
        lines += ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join(lines) + "\n"
