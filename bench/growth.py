"""How the search behaves as it grows: speed, memory and depth from a thousand to ten million iterations."""

from statistics import median

import cases

BASE = 100_000
"""Rates are told as shares of that at so many iterations."""


def rows(chosen, samples):
    """Rows of the games of ``cases.GROWTH``, by game, iterations and instruction set; none without two counts.

    ``chosen``: the cases measured; ``samples``: case name -> candidate -> samples.
    """
    found = []
    for game, targets in cases.GROWTH.items():
        steps = sorted((case for case in chosen if case.game == game and case.work == "iterations"),
                       key=lambda case: case.count)
        if len(steps) < 2:
            continue
        base = next((samples[case.name] for case in steps if case.count == BASE), {})
        for case in steps:
            for isa, taken in samples[case.name].items():
                if "depth" in taken[0]:
                    found.append(_row(case, isa, samples[case.name], base, targets.get(case.count)))
    return found


def _row(case, isa, here, base, target):
    def rate(of, who):
        return median(sample["count"] / sample["cpu"] for sample in of[who]) if of.get(who) else None

    def relative(who):
        return rate(here, who) / rate(base, who) if here.get(who) and base.get(who) else None

    share = relative(isa)
    aimed = target is not None and share is not None
    return {
        "game": case.game, "title": case.title, "iterations": case.count, "isa": isa, "per_second": rate(here, isa),
        "relative": share, "target": target if aimed else None, "reached": share >= target if aimed else None,
        "bytes": here[isa][0]["bytes"] / here[isa][0]["count"], "depth": median(s["depth"] for s in here[isa]),
        "reference": rate(here, "reference"), "reference_relative": relative("reference"),
    }
