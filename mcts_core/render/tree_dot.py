"""The top of a search tree in the DOT language of Graphviz (Gansner and North, Software: Practice and Experience 30,
2000)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from mcts_core import CHANCE, InvalidOption, Node
from mcts_core.arguments import shorten
from mcts_core.move_names import Names
from mcts_core.render.board import Board, is_board, names_of, side
from mcts_core.render.markup import check_value, clean, label, number, percent, share_of, value_colour
from mcts_core.words import on_scale, proof

DEEPEST = 100
"""Moves of a principal variation that are looked at: as many as a tree can have."""

_UNKNOWN = "#7a828c"
"""The colour of a value that is not known."""

_HEAD = (
    'graph [bgcolor="transparent", rankdir="TB", nodesep="0.15", ranksep="0.45", '
    'fontname="Helvetica,Arial,sans-serif", fontsize="12", fontcolor="#7a828c"];',
    'node [style="filled", fontname="Helvetica,Arial,sans-serif", fontsize="11", fontcolor="#ffffff", '
    'color="#7a828c", margin="0.14,0.06"];',
    'edge [color="#7a828c"];',
)


def dot(tree: Node, *, state: Any = None, pv: Iterable[Any] = (), base: int = 1,
        scale: tuple[float, float] | None = None) -> str:
    """A directed graph of a tree, such as ``Stats.tree`` gives, in the DOT language.

    A node tells its move, its visits with their share of the root's, and its value or what is proven, for the player to
    move at the root; the colour shows that value, from grey (0) to blue (1). Moves of the player who began stand in
    boxes, those of the other in ellipses; in a general game those of the player to move at the root in boxes, those of
    chance in diamonds, the rest in ellipses. An edge is as thick as the share of the visits; the nodes of the principal
    variation have a thick border.

    state: the position at the root, so that moves have the names that its game gives them; by default they are texts of
        themselves.
    pv: the principal variation, such as ``Stats.pv``.
    base: the number of the first column of Connect Four: 1, as everywhere on boards, or 0.
    scale: the values that grey and blue stand for, such as ``Stats.scale``; None: 0 and 1.

    The text is the same for the same arguments. Raises InvalidOption.
    """
    if not isinstance(tree, Node):
        raise InvalidOption(f"tree must be a Node, such as Stats.tree() gives, got {shorten(tree)}")
    names = names_of(state, base)
    board = Board(state, base) if is_board(state) else None
    try:
        line = list(islice(pv, DEEPEST))
    except TypeError:
        raise InvalidOption(f"pv must be a sequence of moves, got {shorten(pv)}") from None
    boxes: int | str = 1
    players = ("X", "O")
    if _has_numbers(tree):
        boxes = tree.children[0].player
        players = ("the player to move at the root", "the others, diamonds: of chance")
    elif board is None:
        players = ("the player who began", "the other")
    who = "" if board is None else f", {side(board.to_move)}"
    caption = (f"boxes: moves of {players[0]}, ellipses: of {players[1]}\n"
               f"values: for the player to move at the root{who}")
    lines = [
        "digraph tree {", *(f"  {part}" for part in _HEAD),
        f"  graph [label={_quoted(*caption.splitlines())}, tooltip={_quoted('search tree')}];",
    ]
    count = 0
    # with its parent and depth, whether on pv, and the names of the moves of the position before
    waiting: list[tuple[Node, int, int, bool, Names]] = [(tree, -1, 0, True, names)]
    while waiting:
        node, parent, depth, on_line, names = waiting.pop()
        if node.value is not None and scale is None:
            check_value(node.value)
        share = share_of(node.visits, tree)
        name = "root" if parent < 0 else label(node.move, names)
        words = [name, f"{node.visits:,} visits", proof(node) or _value(node.value)]
        if parent >= 0:
            words[1] = f"{node.visits:,} ({percent(share)})"
        colour = _UNKNOWN if node.value is None else value_colour(on_scale(node.value, scale))
        attributes = [f"label={_quoted(*words)}", f'fillcolor="{colour}"', f'shape="{_shape(node, boxes)}"']
        if parent < 0:
            attributes.append('style="filled,rounded"')
        if on_line:
            attributes.append('penwidth="3", color="#e69f00"')
        lines.append(f"  n{count} [{', '.join(attributes)}];")
        if parent >= 0:
            wide = f'penwidth="{number(0.6 + 5 * share)}"'
            lines.append(f"  n{parent} -> n{count} [{wide}];")
        below = names.after(node.move) if parent >= 0 and node.children else names
        waiting += [
            (child, count, depth + 1, on_line and depth < len(line) and child.move == line[depth], below)
            for child in reversed(node.children)
        ]
        count += 1
    return "\n".join([*lines, "}"]) + "\n"


def _has_numbers(tree: Node) -> bool:
    """Whether the players are those of a general game, and not +1 and -1."""
    waiting = list(tree.children)
    for node in waiting:
        if node.player not in (1, -1):
            return True
        waiting += node.children
    return False


def _shape(node: Node, boxes: int | str) -> str:
    if node.player == CHANCE:
        return "diamond"
    return "box" if node.move is None or node.player == boxes else "ellipse"


def _value(value: float | None) -> str:
    return "value unknown" if value is None else f"value {value:.3f}"


def _quoted(*lines: str) -> str:
    """Lines as a quoted string; a backslash of theirs is none of DOT's own."""
    return '"' + "\\n".join(clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'
