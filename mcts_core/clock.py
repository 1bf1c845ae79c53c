"""How long to think about a move: the account of a player's clock."""

from __future__ import annotations

import math
import time

from mcts_core.arguments import as_int, shorten
from mcts_core.delays import Delays
from mcts_core.errors import InvalidOption
from mcts_core.pace import Pace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from mcts_core.results import Stats
    from mcts_core.searcher import Searcher

LONGEST = 1e9
LEAST = 0.001
"""Seconds of the shortest search."""
OVERHEAD = 0.001
"""Seconds of a move that nobody measures, where nobody names any."""
LATE = 0.0003
"""Seconds by which a search is late, and the time around it, before any was measured."""
SHARE = 0.5
"""Of what is left, the most that one move may take while others follow."""
FIRST = 3.5
"""Moves that the time is shared out over when a game begins."""
GROWTH = 1 / 3
"""How many more they are for each move made: a game that has gone on for long goes on for longer."""
EXPECTED = 0.5
"""Share of the expected moves that is planned for: most games are decided, and many proven, before their end."""
FEWEST = 2.5
"""Moves that are planned for at least where the position tells when it will be proven."""
STALL = 0.15
"""Seconds laid aside at least for moves for which the system lets the program wait; at most STALL_SHARE of the clock.
With 0.05, nine of 40 games of Connect Four with 1.5 s were lost where the search got a tenth of a core."""
STALL_SHARE = 0.1
FARTHEST = 12.0
"""Where nobody tells how long a game can be: so many times the moves that are planned for."""
BRISK = 1.25
"""How much more than its share a search that is watched is planned to take: many end before."""
WATCHED = 0.02
"""Seconds from which on a search is looked at on its way. Shorter ones would lose more by it than they gain."""
LOOKS = 16
"""Looks within the planned time."""


class Clock:
    """A player's clock: it says how many seconds to spend on the next move, and keeps the account during a game.

    remaining: seconds left on the clock, 0 to 1e9.
    increment: seconds that every move made adds, >= 0.
    moves_to_go: moves to make with ``remaining``, this one included; None: all moves of the game.
    overhead: seconds of a move that this clock does not see (the network, the referee), >= 0: what to expect until
        ``set`` reports what is left, from which the clock learns them. Delays within the move it measures.
    expected_moves: of this player in the whole game. None: what the position tells, for a game of this package; for
        others the plan begins with a quarter of the time for the first move, and plans for more moves as the game
        goes on.
    moves_made: by this player before this clock began.
    timer: a function that returns seconds.

    Most of the time goes to the first moves: games are decided early, and what is left when a game is proven is lost.
    What all later moves cost beyond their searches is laid aside, those of the longest game where the position tells
    how long it can be. A single move is planned to take at most half of what is left unless it is the last one. Raises
    InvalidOption.

        clock = Clock(60, increment=1)
        move = clock.search(engine, state)

        with clock:                                       # the same with any other engine
            move = engine.search(state, clock.seconds(state))
    """

    __slots__ = (
        "_asked", "_expected", "_given", "_increment", "_late", "_moves", "_owed", "_remaining", "_since", "_started",
        "_timer", "_to_go", "_unseen",
    )

    def __init__(
        self,
        remaining: float,
        increment: float = 0.0,
        moves_to_go: int | None = None,
        overhead: float = OVERHEAD,
        *,
        expected_moves: int | None = None,
        moves_made: int = 0,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._remaining = _seconds(remaining, "remaining")
        self._given = self._remaining
        """The most that was ever left when somebody said so."""
        self._increment = _seconds(increment, "increment")
        self._to_go = None if moves_to_go is None else as_int(moves_to_go, "moves_to_go", 1, 10**6)
        self._unseen = Delays(_seconds(overhead, "overhead"))
        self._expected = None if expected_moves is None else as_int(expected_moves, "expected_moves", 1, 10**6)
        self._moves = as_int(moves_made, "moves_made", 0, 10**6)
        if not callable(timer):
            raise InvalidOption(f"timer must be a function that returns seconds, got {shorten(timer)}")
        self._timer = timer
        self._started: float | None = None
        self._late = Delays(LATE)
        self._asked: float | None = None
        """Seconds of the search for this move, as far as they were asked for."""
        self._owed = 0.0
        """Seconds that the moves since the last report cost beside what this clock has seen."""
        self._since = 0
        """Those moves."""

    def __repr__(self) -> str:
        return (
            f"Clock(remaining={self.remaining:.3f}, increment={self._increment:g}, moves_to_go={self._to_go}, "
            f"overhead={self._unseen.expected:g})"
        )

    @property
    def remaining(self) -> float:
        """Seconds left, now; 0 when the time is over."""
        left = self._remaining
        if self._started is not None:
            left -= self._timer() - self._started
        return max(0.0, left)

    @property
    def moves_to_go(self) -> int | None:
        """Moves to make with ``remaining``; None: all that come."""
        return self._to_go

    @property
    def running(self) -> bool:
        """Whether a move is being thought about."""
        return self._started is not None

    def seconds(self, state: Any = None) -> float:
        """Seconds to spend on this move, 0.001 at least: a move is due, even when the time is over.

        ``state``: the position to move in. One of a game of this package tells how many moves can still come, and the
        others are taken for positions of a game of any length.
        """
        self._asked = self._plan(state)[0]
        return self._asked

    def search(self, engine: Searcher, state: Any) -> Any:
        """Searches ``state`` for about ``seconds(state)``, takes the time off the clock and returns the move to play.

        The search takes half of that for a sure move, and up to twice as much, where that can be spared, for a close
        choice: see ``mcts_core.pace``. ``Stats.stop_reason`` is ``cancelled`` where it ends before the longest time.
        Within ``with clock:`` the time is taken off at the end of the block. Raises what ``Searcher.search`` raises.
        """
        running = self.running
        if not running:
            self.start()
        try:
            seconds, longest = self._plan(state)
            self._asked = longest
            if seconds < WATCHED:
                self._asked = seconds
                return engine.search(state, seconds)
            begin = self._timer()
            pace = Pace(min(BRISK * seconds, longest))

            def look(stats: Stats) -> None:
                if pace.enough(stats):
                    self._asked = self._timer() - begin
                    engine.stop()

            return engine.search(state, longest, progress=look, every=seconds / LOOKS)
        finally:
            if not running:
                self.stop()

    def _plan(self, state: Any) -> tuple[float, float]:
        """Seconds of the search for the move in ``state`` as planned, and at most."""
        left = max(0.0, self.remaining - self._owed)
        most, moves = self._moves_to_come(state)
        spare = left - min(self._late.longest + self._unseen.longest, left / 2)  # this move must be in time
        if moves <= 1:
            return max(LEAST, spare), max(LEAST, spare)
        last = most if math.isfinite(most) else FARTHEST * moves
        delay = self._late.usual + self._unseen.total(last) / last
        later = max(0.0, (last - moves) * (delay + LEAST - self._increment))
        free = max(0.0, left - moves * delay - max(later, min(STALL, STALL_SHARE * self._given)))
        planned = min((free + (moves - 1) * self._increment) / moves, SHARE * left, spare)
        longest = min(Pace.longest(planned), max(planned, SHARE * free), spare)
        return max(LEAST, planned), max(LEAST, longest)

    def _moves_to_come(self, state: Any) -> tuple[float, float]:
        """Moves that this player can still have to make, and those to share the time out over; both from 1 on."""
        most = math.inf if self._to_go is None else self._to_go
        moves = FIRST + GROWTH * self._moves
        told = None
        if state is not None:
            from mcts_core.games.length import moves_left, moves_to_think

            most = min(most, moves_left(state))
            told = moves_to_think(state)
        if self._expected is not None:
            moves = max(moves, EXPECTED * (self._expected - self._moves))
        elif told:
            moves = max(FEWEST, EXPECTED * told)
        elif self._to_go is not None and told is None:  # a period is shared out evenly
            moves = most
        return most, min(most, moves)

    def start(self) -> None:
        """The player's time begins to run. Raises InvalidOption when it runs already."""
        if self._started is not None:
            raise InvalidOption("the clock is running; stop() it first")
        self._started = self._timer()

    def stop(self) -> float:
        """The move is made: takes the seconds passed off the clock, adds the increment, and returns those seconds.

        Where the time was over there is no increment, and ``remaining`` stays 0. Raises InvalidOption when the clock
        is not running.
        """
        if self._started is None:
            raise InvalidOption("the clock is not running; start() it first")
        passed = max(0.0, self._timer() - self._started)
        self._started = None
        if self._asked is not None:
            self._late.learn(passed - self._asked)
            self._asked = None
        self._owed += self._unseen.total(1)
        self._since += 1
        self._remaining = min(LONGEST, self._remaining - passed + self._increment) if passed <= self._remaining else 0.0
        self._moves += 1
        if self._to_go is not None:  # after the last move of a period comes an unknown number
            self._to_go = self._to_go - 1 or None
        return passed

    def set(self, remaining: float, moves_to_go: int | None = None) -> None:
        """What the server says is left: for the next move, or for the one that is being thought about from now on.

        What is missing since the last call is what the moves took that this clock has not seen, and is learned.
        """
        checked = _seconds(remaining, "remaining")
        to_go = None if moves_to_go is None else as_int(moves_to_go, "moves_to_go", 1, 10**6)
        if self._since:
            self._unseen.learn((self.remaining - checked) / self._since)
        self._owed, self._since = 0.0, 0
        self._to_go = to_go
        self._remaining = checked
        self._given = max(self._given, checked)
        if self._started is not None:
            self._started = self._timer()

    def __enter__(self) -> Clock:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._started is not None:
            self.stop()


def _seconds(value: Any, name: str) -> float:
    """``value`` as a float from 0 to LONGEST, or InvalidOption."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidOption(f"{name} must be a number of seconds, got {shorten(value)}") from None
    if not math.isfinite(number) or not 0.0 <= number <= LONGEST:
        raise InvalidOption(f"{name} must be a finite number of seconds from 0 to {LONGEST:g}, got {shorten(value)}")
    return number
