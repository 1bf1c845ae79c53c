"""The search as an agent for connectx, the Connect Four of Kaggle, on boards of any size.

    >>> from mcts_core.bots.kaggle import agent
    >>> observation = {"board": [0] * 42, "mark": 1, "remainingOverageTime": 0}
    >>> agent(observation, {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 0.2})
    3

``agent`` needs no package of Kaggle. ``mcts-core kaggle-bundle`` makes an archive of it for a submission.
"""

from __future__ import annotations

import math
import operator
import time
from _thread import _local as _ThreadLocal

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.bots.any_board import AnyBoard
from mcts_core.bots.budgets import LEAST, check, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY_MB = 256
"""More than a game needs; the default, a quarter of the machine's memory, may be more than a container allows."""
FEWEST = 8
"""Moves, at least, over which half of the overage time is shared out. A quarter of the empty cells is another bound:
half of them are the opponent's, and the last half of a game is mostly solved."""
ACT_TIMEOUT = 2.0
"""Seconds of a move where the configuration does not tell them."""

CELLS = {0: 0, 1: 1, 2: -1}
"""Cells as players."""

_local = _ThreadLocal()


def agent(observation: Any, configuration: Any) -> int:
    """The column to play, from 0: an agent of connectx.

    observation: ``board`` (rows * columns cells, row 0 on top: 0, 1 or 2), ``mark`` (1 or 2) and
        ``remainingOverageTime`` (seconds; 0 where it is missing).
    configuration: ``rows``, ``columns``, ``inarow`` (6, 7, 4 where they are missing) and ``actTimeout`` (seconds).

    Both may be mappings or objects. Every thread has an ``Agent`` of its own, which keeps its tree from move to move.
    Raises what ``Agent`` raises.
    """
    started = time.perf_counter()
    player: Agent | None = getattr(_local, "player", None)
    if player is None:
        player = _local.player = Agent(started=started)
    return player(observation, configuration)


class Agent:
    """An agent of connectx with options of its own.

    seconds, iterations: bounds of a move's search besides the time that the configuration allows, as in
        ``Searcher.search``.
    started: a reading of ``time.perf_counter``. The time from there until this is made is taken off the first move:
        for agents that are loaded in the time of a move.
    options: those of ``Searcher``.

    A move takes ``actTimeout`` less a margin (0.1 s, half of it below 0.2 s), and of the overage time that is left a
    share: half of it over the moves to come. It takes less where the search has found all there is to find.

    Boards that ``mcts_core.ConnectFour`` does not take are searched by a game written in Python, ``AnyBoard``.

    Calling it raises InvalidState for what is no position of the board, GameOver for a full one. An Agent plays one
    game at a time: SearchBusy when two threads call it. Raises InvalidOption.
    """

    def __init__(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        started: float | None = None,
        **options: Any,
    ) -> None:
        options = {"memory_mb": MEMORY_MB, **options}
        check(mcts_core.Searcher(**options), mcts_core.ConnectFour(), seconds, iterations)
        self._seconds, self._iterations = seconds, iterations
        self.engine = mcts_core.Searcher(**options)
        self._spent = 0.0 if started is None else max(0.0, time.perf_counter() - started)

    def __call__(self, observation: Any, configuration: Any) -> int:
        """The column to play, from 0."""
        started = time.perf_counter() - self._spent
        self._spent = 0.0
        shape, cells, to_move = _read(observation, configuration)
        limit = _seconds(_field(configuration, "actTimeout", _field(configuration, "timeout", ACT_TIMEOUT)))
        bank = _seconds(_field(observation, "remainingOverageTime", 0.0))
        deadline = started + thinking_time(limit, bank, cells.count(0))
        rows, cols, connect = shape
        open_columns = [col for col in range(cols) if cells[col] == 0]
        if not open_columns:
            raise mcts_core.GameOver(f"the board is full, there is nothing to play: {shorten(cells)}")
        if len(open_columns) == 1:
            return open_columns[0]
        position: Any = _native(shape, cells, to_move)
        if position is None:
            columns, position = AnyBoard(rows, cols, connect, cells, to_move).candidates(deadline)
            if len(columns) == 1 or connect > max(rows, cols):
                return columns[0]
            if time.perf_counter() > deadline:
                return columns[0]
        seconds = max(LEAST, deadline - time.perf_counter())
        if self._seconds is not None:
            seconds = min(seconds, self._seconds)
        move: int = self.engine.search(position, seconds, iterations=self._iterations)
        return move


def thinking_time(limit: float, bank: float, empty: int) -> float:
    """Seconds after which a move is to be found.

    limit: ``actTimeout``. bank: the overage time left. empty: cells on the board, one of which the move fills.
    """
    return within(limit + bank / (2 * max(FEWEST, empty // 4)))


def state(observation: Any, configuration: Any) -> mcts_core.ConnectFour | AnyBoard:
    """The position as the search sees it: a ``ConnectFour`` where that takes it, else an ``AnyBoard``.

    Raises InvalidState for what is no position of the board.
    """
    shape, cells, to_move = _read(observation, configuration)
    return _native(shape, cells, to_move) or AnyBoard(*shape, cells, to_move)


def _native(shape: tuple[int, int, int], cells: list[int], to_move: int) -> mcts_core.ConnectFour | None:
    """The native position, where there is one in which the game goes on."""
    rows, cols, connect = shape
    if (rows + 1) * cols > 128:
        return None
    diagram = "".join(".XO"[cell] for cell in cells)
    try:
        position = mcts_core.ConnectFour.from_string(diagram, rows=rows, cols=cols, connect=connect)
    except mcts_core.InvalidState:
        return None
    return position if position.to_move == to_move and position.winner() is None else None


def _read(observation: Any, configuration: Any) -> tuple[tuple[int, int, int], list[int], int]:
    """Rows, columns and the length of a line; the cells, 0, +1 and -1; who is to move."""
    rows = _whole(_field(configuration, "rows", 6), "rows")
    cols = _whole(_field(configuration, "columns", 7), "columns")
    connect = _whole(_field(configuration, "inarow", 4), "inarow")
    board = _field(observation, "board", None)
    try:
        cells = [CELLS[cell] for cell in board]
    except (KeyError, TypeError):
        cells = []
    if len(cells) != rows * cols:
        raise mcts_core.InvalidState(
            f"observation.board must have {rows} * {cols} cells, each 0, 1 or 2, got {shorten(board)}"
        )
    mark = _field(observation, "mark", None)
    if isinstance(mark, bool) or mark not in (1, 2):
        raise mcts_core.InvalidState(f"observation.mark must be 1 or 2, got {shorten(mark)}")
    return (rows, cols, connect), cells, 1 if mark == 1 else -1


def _field(source: Any, name: str, default: Any) -> Any:
    """The value ``name`` of a mapping or an object; ``default`` where it is missing or None."""
    try:
        value = source[name]
    except (KeyError, TypeError, IndexError):
        value = getattr(source, name, None)
    return default if value is None else value


def _whole(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
        if number < 1 or isinstance(value, bool):
            raise TypeError
    except TypeError:
        raise mcts_core.InvalidState(f"configuration.{name} must be an int from 1, got {shorten(value)}") from None
    return number


def _seconds(value: Any) -> float:
    """Seconds from 0; where they are no number, 0: a move at once is better than none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return max(0.0, number) if math.isfinite(number) else 0.0
