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
"""Moves of a principal variation that are used: as many as a tree can be deep."""

_UNKNOWN = "#7a828c"
"""The colour of an unknown value."""

_HEAD = (
    'graph [bgcolor="transparent", rankdir="TB", nodesep="0.15", ranksep="0.45", '
    'fontname="Helvetica,Arial,sans-serif", fontsize="12", fontcolor="#7a828c"];',
    'node [style="filled", fontname="Helvetica,Arial,sans-serif", fontsize="11", fontcolor="#ffffff", '
    'color="#7a828c", margin="0.14,0.06"];',
    'edge [color="#7a828c"];',
)


def dot(tree: Node, *, state: Any = None, pv: Iterable[Any] = (), base: int = 1,
        scale: tuple[float, float] | None = None) -> str:
    """Returns a tree, such as the one that ``Stats.tree`` returns, as a directed graph in the DOT language.

    A node shows its move, its visits with their share of the root's visits, and its value or proven result for the
    player to move at the root. The colour shows the value too, from grey (0) to green (1). Moves of the first player
    are boxes, and moves of the second player ellipses. In a general game, moves of the player to move at the root are
    boxes, moves of chance diamonds, and all others ellipses. The width of an edge shows the share of the visits. The
    nodes of the principal variation have a thick border.

    tree: the root, such as ``Stats.tree()`` returns.
    state: the position at the root, which knows the names of the moves; without it, moves are shown as their ``str``.
    pv: the principal variation, such as ``Stats.pv``.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.
    scale: the values that are grey and green, such as ``Stats.scale``; None: 0 and 1.

    The same arguments give the same text. Raises InvalidOption.
    """
    if not isinstance(tree, Node):
        raise InvalidOption(f"tree must be a Node, such as Stats.tree() returns, got {shorten(tree)}")
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
    # each node with its parent, its depth, whether it is on the pv, and the names of the moves of the position before
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
    """Whether the players are indices, as in a general game, and not +1 and -1."""
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
    """Lines as a quoted string of DOT; backslashes in the lines are escaped."""
    return '"' + "\\n".join(clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'
