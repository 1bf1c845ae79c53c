"""Pictures of positions and of the statistics of searches: SVG, HTML, DOT, charts, and text for terminals.

Notebooks display boards and Stats by these functions. The functions read only public attributes. They need no other
package, except where an extra is named. The texts are self-contained: no scripts, no references to anything outside.
"""

from __future__ import annotations

TYPE_CHECKING = False  # see board.py
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.render.board_svg import svg
    from mcts_core.render.charts import heat_map, plot
    from mcts_core.render.stats_html import html
    from mcts_core.render.terminal import rich_board, rich_stats, text
    from mcts_core.render.tree_dot import dot

__all__ = ["dot", "heat_map", "html", "plot", "rich_board", "rich_stats", "svg", "text"]

_HOMES = {
    "dot": "tree_dot", "heat_map": "charts", "html": "stats_html", "plot": "charts", "rich_board": "terminal",
    "rich_stats": "terminal", "svg": "board_svg", "text": "terminal",
}


def _find(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'mcts_core.render' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"mcts_core.render.{_HOMES[name]}"), name)


if not TYPE_CHECKING:  # type checkers would otherwise accept any name
    __getattr__ = _find


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def show(state: Any, form: str) -> Any:
    """The display of a position of the package: ``form`` is ``"svg"`` or ``"rich"``."""
    from mcts_core.render.board import is_board

    if form == "svg":
        from mcts_core.render.board_svg import svg

        return svg(state) if is_board(state) else None
    from mcts_core.render.terminal import rich_board

    return rich_board(state) if is_board(state) else repr(state)
