"""Makes the pictures of docs/pictures again: python docs/pictures.py

It needs the extra [plot] and, for the tree, the program ``dot`` of Graphviz; what is missing is named and left out.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import mcts_core as mc

FOLDER = Path(__file__).parent / "pictures"
SMALL = 'font-size="12" fill="#57606a"'
MIDGAME = [112, 97, 113, 98, 111, 110, 127, 96]


def boards():
    """Name and text of the pictures that need nothing else."""
    four = mc.ConnectFour.from_moves("124123424412", base=1)
    mc.search(four, iterations=800, seed=1)
    yield "connect_four", mc.render.svg(four, stats=mc.stats())
    yield "stats", statistics(mc.stats())
    five = mc.Gomoku.from_moves(MIDGAME)
    mc.search(five, iterations=20_000, seed=1)
    yield "gomoku", mc.render.svg(five, stats=mc.stats())
    yield "line", mc.render.svg(five, line=mc.stats().pv[:7], arrows=[((8, 7), (11, 7))])
    three = mc.TicTacToe.from_moves("40")
    mc.search(three, iterations=2_000, seed=1, preset="uct")
    yield "tictactoe", mc.render.svg(three, stats=mc.stats())


def statistics(stats):
    """What a notebook shows of a search, as SVG alone: image viewers and editors know no HTML in a picture."""
    board = mc.render.svg(stats.state, stats=stats, theme="light")
    width, height = 850, float(re.search(r'height="([\d.]+)"', board)[1])
    parts = [f'<g transform="translate(12 12)">{board}</g>']

    def say(x, y, text, look=""):
        parts.append(f'<text x="{x}" y="{y}" {look}>{text}</text>')

    say(386, 30, f"<tspan font-weight=\"bold\">move {stats.move}</tspan>, value {stats.value:.3f}")
    say(386, 50, f"{stats.iterations:,} iterations, {stats.nodes:,} nodes, depth {stats.depth_mean:.1f} on average, "
        f"{stats.depth_max} at most", SMALL)
    right = 'text-anchor="end"'
    for x, text in ((425, "move"), (585, "visits"), (645, "share"), (805, "value")):
        say(x, 82, text, f"{right} {SMALL}")
    greatest = max(entry.visits for entry in stats.moves)
    for number, entry in enumerate(stats.moves):
        y = 108 + 26 * number
        bold = ' font-weight="bold"' if entry.move == stats.move else ""
        for x, share, colour in ((435, entry.visits / greatest, "#0072b2"), (660, entry.value, "#8a9099")):
            parts.append(f'<rect x="{x}" y="{y - 10}" width="{90 * share:.1f}" height="11" rx="2" fill="{colour}"/>')
        for x, text in ((425, entry.move), (585, f"{entry.visits:,}"), (645, f"{entry.visits / stats.visits:.0%}"),
                        (805, f"{entry.value:.3f}")):
            say(x, y, text, right + bold)
    line = " ".join(str(move) for move in stats.pv[:20])
    say(386, 120 + 26 * len(stats.moves), f"principal variation: {line}", SMALL)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height + 24:g}" width="{width:g}" '
            f'height="{height + 24:g}" role="img" aria-label="Statistics in a notebook" font-family="sans-serif" '
            f'font-size="14" fill="#1f2328"><rect width="{width:g}" height="{height + 24:g}" rx="6" fill="#ffffff"/>'
            + "".join(parts) + "</svg>\n")


def tree():
    """The tree of a search as Graphviz draws it; None without that program."""
    if shutil.which("dot") is None:
        return None
    engine = mc.Searcher(seed=1)
    engine.search(mc.Gomoku.from_moves(MIDGAME), iterations=3_000)
    graph = engine.stats().to_dot(max_depth=3, min_share=0.03)
    return subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True).stdout


def charts():
    """Name and figure of the charts; nothing without matplotlib."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        return
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "mcts_core"})
    five = mc.Gomoku.from_moves(MIDGAME)
    history = list(mc.Searcher(seed=1).watch(five, iterations=60_000, every=0.08))
    yield "progress", mc.render.plot(history, over="iterations")[0].figure
    yield "heat_map", mc.render.heat_map(history[-1]).figure


def main():
    """Writes the pictures and says which."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in boards():
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")
        print(name)
    drawn = tree()
    if drawn is None:
        print("tree: left out, the program dot of Graphviz is missing", file=sys.stderr)
    else:
        (FOLDER / "tree.svg").write_text(drawn, encoding="utf-8")
        print("tree")
    made = list(charts())
    for name, figure in made:
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
        print(name)
    if not made:
        print("charts: left out, the extra [plot] is missing", file=sys.stderr)


if __name__ == "__main__":
    main()
