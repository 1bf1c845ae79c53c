"""The search as an agent for Kaggle's connectx: Connect Four on boards of any size.

    >>> from mcts_core.bots.kaggle import agent
    >>> observation = {"board": [0] * 42, "mark": 1, "remainingOverageTime": 0}
    >>> agent(observation, {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 0.2})
    3

``agent`` needs no package from Kaggle. ``mcts-core kaggle-bundle`` writes an archive with it for a submission.
"""

from __future__ import annotations

import math
import operator
import time
from _thread import _local as _ThreadLocal

import mcts_core
from mcts_core.arguments import as_number, shorten
from mcts_core.bots.any_board import AnyBoard
from mcts_core.bots.budgets import LEAST, check, within
from mcts_core.option_rows import checked
from mcts_core.options import limit_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY_MB = 256
"""More than a game needs. The usual default, a quarter of the machine's memory, may exceed a container's limit."""
FEWEST = 8
"""Half of the overage time is divided among at least this many moves, or a quarter of the empty cells if that is more:
half of the cells are the opponent's, and the last half of a game is mostly solved."""
ACT_TIMEOUT = 2.0
"""Seconds of a move if the configuration does not contain them."""

CELLS = {0: 0, 1: 1, 2: -1}
"""The player in a cell, from Kaggle's numbers."""

_local = _ThreadLocal()


def agent(observation: Any, configuration: Any) -> int:
    """The column to play, from 0: an agent of connectx.

    observation: ``board`` (rows * columns cells, row 0 on top: 0, 1 or 2), ``mark`` (1 or 2) and
        ``remainingOverageTime`` (seconds; 0 if it is missing).
    configuration: ``rows``, ``columns``, ``inarow`` (by default 6, 7, 4) and ``actTimeout`` (seconds).

    Both may be mappings or objects. Every thread has its own ``Agent``, which keeps its tree from move to move. Raises
    what ``Agent`` raises.
    """
    started = time.perf_counter()
    player: Agent | None = getattr(_local, "player", None)
    if player is None:
        player = _local.player = Agent(started=started)
    return player(observation, configuration)


class Agent:
    """An agent of connectx with options of its own.

    seconds, iterations: limits of a move's search in addition to the configuration's time, as in ``Searcher.search``.
    started: a reading of ``time.perf_counter``, for agents that are loaded during their first move. The time from that
        reading until this object is made is deducted from the first move.
    options: those of ``Searcher``.

    A move takes ``actTimeout`` less a margin (0.1 s; half of ``actTimeout`` if that is below 0.2 s), plus a share of
    the remaining overage time: half of it is divided among the moves to come. It takes less if the search ends early.

    With a ``seed``, the searches of all games have seeds of their own (``Searcher``), so a series of games repeats as a
    whole, and its games may differ.

    Boards that ``mcts_core.ConnectFour`` does not support are searched with a game written in Python, ``AnyBoard``.

    A call raises InvalidState if the observation is not a position of the board, GameOver if the board is full, and
    SearchBusy if two threads call the same Agent: it plays one game at a time. Raises InvalidOption.
    """

    @checked({})
    def __init__(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        started: float | None = None,
        **options: Any,
    ) -> None:
        limit_memory(options, MEMORY_MB)
        check(mcts_core.Searcher(**options), mcts_core.ConnectFour(), seconds, iterations)
        self._seconds, self._iterations = seconds, iterations
        self.engine = mcts_core.Searcher(**options)
        begin = None if started is None else as_number(started, "started", -1e15, 1e15)
        self._spent = 0.0 if begin is None else max(0.0, time.perf_counter() - begin)

    def __call__(self, observation: Any, configuration: Any) -> int:
        """Returns the column to play, from 0.

        observation: the board and the mark of the player to move, as Kaggle passes them: a dict or an object.
        configuration: ``rows``, ``columns``, ``inarow`` and the times, in the same form.

        Raises InvalidState, GameOver, SearchBusy; see the class.
        """
        started = time.perf_counter() - self._spent
        self._spent = 0.0
        shape, cells, to_move = _read(observation, configuration)
        limit = _seconds(_field(configuration, "actTimeout", _field(configuration, "timeout", ACT_TIMEOUT)))
        bank = _seconds(_field(observation, "remainingOverageTime", 0.0))
        deadline = started + thinking_time(limit, bank, cells.count(0))
        rows, cols, connect = shape
        open_columns = [col for col in range(cols) if cells[col] == 0]
        if not open_columns:
            raise mcts_core.GameOver(f"the board is full, so there is no move to play: {shorten(cells)}")
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
    """Returns the seconds within which a move must be found.

    limit: ``actTimeout``, in seconds.
    bank: the overage time left, in seconds.
    empty: the number of empty cells before the move.
    """
    return within(limit + bank / (2 * max(FEWEST, empty // 4)))


def state(observation: Any, configuration: Any) -> mcts_core.ConnectFour | AnyBoard:
    """Returns the position that is searched: a ``ConnectFour`` if that supports it, otherwise an ``AnyBoard``.

    observation, configuration: as an ``Agent`` gets them.

    Raises InvalidState if the observation is not a position of the board.
    """
    shape, cells, to_move = _read(observation, configuration)
    return _native(shape, cells, to_move) or AnyBoard(*shape, cells, to_move)


def _native(shape: tuple[int, int, int], cells: list[int], to_move: int) -> mcts_core.ConnectFour | None:
    """The native position, or None if there is none in which the game goes on."""
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
    """(rows, columns, length of a line), the cells as 0, +1 and -1, and the player to move."""
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
    hanging = next((cell for cell in range(len(cells) - cols) if cells[cell] and not cells[cell + cols]), None)
    if hanging is not None:
        raise mcts_core.InvalidState(
            f"observation.board must have each stone on the floor or on another stone, but the one in column "
            f"{hanging % cols}, row {hanging // cols} (row 0 on top) hangs in the air in {shorten(board)}"
        )
    mark = _field(observation, "mark", None)
    if isinstance(mark, bool) or mark not in (1, 2):
        raise mcts_core.InvalidState(f"observation.mark must be 1 or 2, got {shorten(mark)}")
    return (rows, cols, connect), cells, 1 if mark == 1 else -1


def _field(source: Any, name: str, default: Any) -> Any:
    """The value ``name`` of a mapping or an object; ``default`` if it is missing or None."""
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
    """The value as seconds; 0 if it is not a number or below 0, because an immediate move is better than none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return max(0.0, number) if math.isfinite(number) else 0.0
