"""Two pictures of the results, as SVG: bars of speed beside other programs, curves of growth. Both with a logarithmic
axis that says so, and with colours for light and dark."""

import math
from xml.sax.saxutils import escape

from report import amount

WIDTH = 760
STYLE = """\
<style>
  .page { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #d1d9e0 }
  .ours { fill: #0969da; stroke: #0969da } .reference { fill: #8250df; stroke: #8250df }
  .peer { fill: #9a6700; stroke: #9a6700 }
  .halo { fill: #ffffff; stroke: #ffffff; stroke-width: 4 }
  .line { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 6 4 }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px } .small { font-size: 11px }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
    .halo { fill: #0d1117; stroke: #0d1117 }
    .ours { fill: #4493f8; stroke: #4493f8 } .reference { fill: #ab7df8; stroke: #ab7df8 }
    .peer { fill: #d29922; stroke: #d29922 }
  }
</style>"""


class Axis:
    """A logarithmic scale over whole powers of ten that hold all values, onto pixels."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def powers(self):
        return [10**power for power in range(self.low, self.high + 1)]


def bars(panels, where):
    """Bars of ``report.compared``, one panel below the other on one axis; None when there is nothing to draw."""
    panels = [(title, found) for title, found in panels if found]
    if not panels:
        return None
    left, right, step = 262, WIDTH - 64, 24
    axis = Axis([bar["per_second"] for _, found in panels for bar in found], left, right)
    body, top = [], 62
    for title, found in panels:
        bottom = top + 26 + step * len(found)
        body.append(text(16, top + 12, title, "text title"))
        body += [line(axis.at(power), top + 22, axis.at(power), bottom) for power in axis.powers()]
        for number, bar in enumerate(found):
            y = top + 26 + step * number
            end = axis.at(bar["per_second"])
            body += [
                text(left - 8, y + 14, bar["name"], "text", "end"),
                f'<rect class="{bar["kind"]}" stroke="none" x="{left}" y="{y + 3}" width="{max(1, end - left):.1f}" '
                f'height="{step - 8}"><title>{bar["per_second"]:.0f} per second</title></rect>',
            ]
            said = ", ".join(filter(None, (amount(bar["per_second"]), bar["note"])))
            body += [text(end + 6, y + 14, said, classes) for classes in ("halo", "text value")]
        top = bottom + 18
    body += [text(axis.at(power), top, amount(power), "faint small", "middle") for power in axis.powers()]
    body.append(text((left + right) / 2, top + 18, "logarithmic scale: each line is ten times the one before",
                     "faint small", "middle"))
    return page(top + 32, "Iterations per second (more is better)", where, body)


def curves(rows, where):
    """Curves of ``growth.rows``, a panel for each game; None when there is nothing to draw."""
    games = list(dict.fromkeys(row["game"] for row in rows))
    if not games:
        return None
    top, bottom, gap = 92, 330, 70
    width = (WIDTH - gap * len(games) - 16) / len(games)
    rates = [rate for row in rows for rate in (row["per_second"], row["reference"]) if rate]
    upward = Axis(rates, bottom, top)
    body = []
    for number, game in enumerate(games):
        mine = [row for row in rows if row["game"] == game]
        left = gap + number * (width + gap)
        along = Axis([row["iterations"] for row in mine], left, left + width - 6)
        body.append(text(left, top - 14, mine[0]["title"].partition(" iterations")[0], "text title"))
        for power in upward.powers():
            body += [line(left, upward.at(power), left + width - 6, upward.at(power)),
                     text(left - 8, upward.at(power) + 4, amount(power), "faint small", "end")]
        body += [text(along.at(power), bottom + 18, amount(power), "faint small", "middle") for power in along.powers()]
        for kind, name, points in series(mine):
            drawn = " ".join(f"{along.at(x)},{upward.at(y)}" for x, y in points)
            dashed = " dashed" if name == "baseline" else ""
            body.append(f'<polyline class="line {kind}{dashed}" style="fill: none" points="{drawn}">'
                        f"<title>{escape(name)}</title></polyline>")
    body += legend(list(dict.fromkeys((kind, name) for kind, name, _ in series(rows))), bottom + 62)
    body.append(text(WIDTH / 2, bottom + 38, "iterations of one search, from the first position; both scales are "
                     "logarithmic", "faint small", "middle"))
    return page(bottom + 78, "Iterations per second as the search grows", where, body)


def series(rows):
    """(kind, name, points) of each curve of one game."""
    found = {}
    for row in rows:
        found.setdefault(("ours", row["isa"]), {})[row["iterations"]] = row["per_second"]
        if row["reference"]:
            found.setdefault(("reference", "reference"), {})[row["iterations"]] = row["reference"]
    return sorted((kind, name, sorted(points.items())) for (kind, name), points in found.items())


def legend(names, y):
    """One line that tells the curves."""
    body, x = [], 70
    for kind, name in names:
        dashed = " dashed" if name == "baseline" else ""
        said = "textbook UCT in plain C" if kind == "reference" else f"mcts_core, {name}"
        body += [f'<line class="line {kind}{dashed}" x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}"/>',
                 text(x + 36, y, said, "text")]
        x += 60 + 7.5 * len(said)
    return body


def text(x, y, said, classes, anchor="start"):
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'


def line(x1, y1, x2, y2):
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def page(height, title, where, body):
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img">',
        f"<title>{escape(title)}</title>", STYLE,
        f'<rect class="page" width="{WIDTH}" height="{height:.0f}" rx="6"/>',
        text(16, 26, title, "text title"), text(16, 45, where, "faint"),
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"
