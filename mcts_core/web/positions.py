"""Positions as the page asks for them, a game and the moves made in it, and as it shows them."""

from __future__ import annotations

import json
from typing import Any

from mcts_core import IllegalMove
from mcts_core.games.registry import entry_of
from mcts_core.render.board import Board
from mcts_core.web.fields import text, words
from mcts_core.web.games import Games
from mcts_core.web.notation import find_diagram, move_of, name_of, split_moves
from mcts_core.web.refusals import Refused

MOST_MOVES = 1024
"""Moves of one game: the cells of the largest board."""
MOST_CELLS = 1024
"""Characters of a diagram without its white space."""
ROWS, ROW_LENGTH = 64, 200
"""Of the text of a user's position, what is shown."""
SVG_LENGTH = 200_000
"""Characters of the picture of a user's position; a longer one is not shown."""


class Line:
    """The positions of a game from its start to its last move, with the names of the moves."""

    def __init__(self, game: dict[str, Any], start: Any) -> None:
        self.game = game
        self.states = [start]
        self.names: list[str] = []

    @property
    def state(self) -> Any:
        """The last position."""
        return self.states[-1]

    def play(self, name: str) -> None:
        """One more move. Raises Refused."""
        state = self.state
        if state.winner() is not None:
            raise Refused(400, f"move {len(self.states)}: the game ended before {name}", "text")
        try:
            move = move_of(state, name)
        except IllegalMove as error:
            raise Refused(400, f"move {len(self.states)}: {error}", "text") from None
        self.states.append(state.play(move))
        self.names.append(name_of(state, move))

    def cut(self, count: int) -> Line:
        """The line after its first ``count`` moves, of the same positions."""
        found = Line(self.game, self.states[0])
        found.states, found.names = self.states[:count + 1], self.names[:count]
        return found


class Lines:
    """The last line that was asked for. The next one mostly has its first positions, which stay the same objects: a
    Searcher recognises states written in Python by that."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._key = ""
        self._line: Line | None = None

    def find(self, fields: dict[str, Any]) -> Line:
        """The line of ``game``, ``diagram`` (of its start) and ``moves``. Raises Refused."""
        diagram, moves = text(fields, "diagram"), words(fields, "moves", MOST_MOVES)
        if diagram is not None and len("".join(diagram.split())) > MOST_CELLS:
            raise Refused(400, f"a diagram must have at most {MOST_CELLS} cells", "text")
        key = json.dumps([fields.get("game"), diagram], sort_keys=True)
        if key != self._key or self._line is None:
            start = self._games.make(fields.get("game"), diagram)
            self._key, self._line = key, Line(self._games.fields_of(start), start)
        before = self._line
        same = 0
        while same < min(len(moves), len(before.names)) and moves[same] == before.names[same]:
            same += 1
        line = before.cut(same)
        for name in moves[same:]:
            line.play(name)
        if same < len(moves):
            self._line = line
        return line

    def read(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What a person pasted, ``text``, as the ``diagram`` and ``moves`` of a position. Raises Refused."""
        pasted = text(fields, "text") or ""
        start = self._games.make(fields.get("game"))
        diagram = find_diagram(start, pasted)
        try:
            moves = [] if diagram is not None else split_moves(start, pasted)
        except IllegalMove as error:
            raise Refused(400, str(error), "text") from None
        if len(moves) > MOST_MOVES:
            raise Refused(400, f"a game has at most {MOST_MOVES} moves, got {len(moves)}", "text")
        if diagram is not None:
            start = self._games.make(fields.get("game"), diagram)
            diagram = start.diagram()
        line = Line(self._games.fields_of(start), start)
        for name in moves:
            line.play(name)
        return {"diagram": diagram, "moves": line.names}


def describe(line: Line) -> dict[str, Any]:
    """The last position of a line as JSON data: what the page draws."""
    state = line.state
    shown = _board(state) if entry_of(state) is not None else _words(state)
    winner = state.winner()
    legal = [] if winner is not None else state.legal_moves()
    return {
        "game": line.game,
        **shown,
        "legal": [name_of(state, move) for move in legal],
        "to_move": state.to_move,
        "winner": winner,
        "ply": len(line.names),
        "moves": line.names,
        "movers": [earlier.to_move for earlier in line.states[:-1]],
    }


def _board(state: Any) -> dict[str, Any]:
    board = Board(state, base=1)
    return {
        "title": board.title, "form": board.form, "rows": board.height, "cols": board.width,
        "column_names": list(board.columns), "row_names": list(board.rows),
        "stones": [[row, column, player] for (row, column), player in sorted(board.stones.items())],
        "last": board.last, "lines": board.lines, "diagram": state.diagram(),
    }


def _words(state: Any) -> dict[str, Any]:
    """A user's position: its own picture, and the rows of its text, where its class has them."""
    writer: Any = type(state).__str__
    written = "" if writer is object.__str__ else str(state)
    rows = [row[:ROW_LENGTH] for row in written.splitlines()[:ROWS]]
    return {"title": type(state).__name__, "form": "text", "rows": len(rows), "cols": 0, "column_names": [],
            "row_names": [], "stones": [], "last": None, "lines": [], "diagram": "\n".join(rows),
            "svg": _picture(state)}


def _picture(state: Any) -> str | None:
    """What ``_repr_svg_`` of a user's position draws; None where it has none, or fails."""
    try:
        found = state._repr_svg_()
    except Exception:  # the game can be played all the same
        return None
    return found if isinstance(found, str) and len(found) <= SVG_LENGTH else None
