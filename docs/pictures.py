"""Makes the pictures of docs/pictures again: python docs/pictures.py

It needs the extra [plot] and, for the tree, the program ``dot`` of Graphviz; what is missing is named and left out.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import mcts_core as mc

FOLDER = Path(__file__).parent / "pictures"
MIDGAME = [112, 97, 113, 98, 111, 110, 127, 96]


def boards():
    """Name and text of the pictures that need nothing else."""
    four = mc.ConnectFour.from_moves("44444326", base=1)
    mc.search(four, iterations=800, seed=1)
    yield "connect_four", mc.render.svg(four, stats=mc.stats())
    yield "stats", framed(mc.render.html(mc.stats(), theme="light"), 920, 380)
    five = mc.Gomoku.from_moves(MIDGAME)
    mc.search(five, iterations=20_000, seed=1)
    yield "gomoku", mc.render.svg(five, stats=mc.stats())
    yield "line", mc.render.svg(five, line=mc.stats().pv[:7], arrows=[((8, 7), (11, 7))])
    three = mc.TicTacToe.from_moves("40")
    mc.search(three, iterations=2_000, seed=1, preset="uct")
    yield "tictactoe", mc.render.svg(three, stats=mc.stats())


def framed(html, width, height):
    """A piece of HTML in an SVG, so that it can be shown where only pictures can."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="Statistics in a notebook"><rect width="{width}" height="{height}" rx="6" '
            f'fill="#ffffff"/><foreignObject width="{width}" height="{height}">'
            f'<div xmlns="http://www.w3.org/1999/xhtml" style="padding:12px;color:#1f2328;font:14px sans-serif">'
            f"{html}</div></foreignObject></svg>\n")


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
