"""The clock of a player: it decides how long to think about each move."""

from __future__ import annotations

import math
import time

import mcts_core.results  # noqa: F401  (watched searches make Stats: to load them takes 20 ms, of no clock's time here)
from mcts_core.arguments import as_int, as_number, shorten
from mcts_core.delays import Delays
from mcts_core.errors import InvalidOption
from mcts_core.games.length import GameLength, moves_left, moves_to_think
from mcts_core.games.user_states import require_state
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
"""Default of ``overhead``: seconds of a move that the clock cannot see."""
LATE = 0.0003
"""Seconds that a search takes beyond its time limit, before any were measured."""
ROUNDING = 1.0
"""Seconds that a report may show beyond the clock's own time because it is rounded. More than that was added."""
SHARE = 0.5
"""The largest share of the remaining time that a move may take, unless it is the last one."""
FIRST = 4.0
"""Moves over which the time is divided at the start of a game whose length is unknown."""
GROWTH = 0.5
"""How much that number grows with each move: a game that has been long will be longer."""
EXPECTED = 0.5
"""Share of the expected moves that the plan covers: most games are decided, and many proven, before their end."""
MEASURED = 0.9
"""The same for the moves of random games. Both hold in the first half of a game, so that the last moves have time."""
FEWEST = 2.5
"""The fewest moves that a plan covers if the position says when it will be proven."""
STALL = 0.15
"""The smallest reserve in seconds, for delays by a busy system, but at most STALL_SHARE of the clock.
With 0.05, nine of 40 games of Connect Four with 1.5 s were lost where the search got a tenth of a core."""
STALL_SHARE = 0.1
FARTHEST = 8.0
"""If the longest possible game is unknown: it is this many times as long as the plan."""
LONGER = 3.0
"""The same where random games were played."""
PROBES = 0.005
"""Share of the time for random games, which show how long the game will be."""
FIRST_PROBE = 0.04
"""Share of the remaining time for the first random game."""
BRISK = 1.25
"""Factor of the planned time of a search that is watched: many such searches end early."""
EXTRA = 0.15
"""Share of the clock that searches may take beyond their planned times; those that end early add to it."""
WATCHED = 0.02
"""Seconds from which a search is watched while it runs. Shorter searches would lose more than they gain."""
LOOKS = 16
"""How often a search is looked at within its planned time."""


class Clock:
    """The clock of one player for a whole game: it decides how long to think about each move and deducts the time used.

    remaining: seconds left on the clock, 0 to 1e9.
    increment: seconds that are added after each move, >= 0.
    moves_to_go: moves to make in ``remaining``, including this one; None: all moves of the game.
    overhead: seconds per move that this clock cannot see (the network, the referee), >= 0. The clock uses this number
        until ``set`` reports the remaining time; from then on it learns the real overhead, and reserves at least
        ``overhead`` for the move to make. If nobody reports the time, or only at the start of a period, give the
        largest overhead that you expect: a clock that assumes less may lose on time. Delays within a move are measured
        by the clock itself.
    expected_moves: the moves of this player in the whole game. None: for a game of this package, the clock estimates
        them from the position; for others, it plays random games, which take about 1 % of the time. Where these take
        too long, it plans about a quarter of the time for the first move, and plans for more moves as the game
        continues.
    moves_made: the moves of this player before this clock was made.
    timer: a function that returns seconds.

    In games of this package, most of the time goes to the first moves. These games are usually decided early, and time
    that is left when a game is proven is lost. In other games, the time is divided nearly evenly. The clock keeps a
    reserve for what all later moves cost besides their searches; if the position says how long a game can be, the
    reserve is enough for the longest game. A move is planned to take at most half of the remaining time, unless it is
    the last one. Raises InvalidOption.

        clock = Clock(60, increment=1)
        move = clock.search(engine, state)

        with clock:                                       # the same with any other engine
            move = engine.search(state, clock.seconds(state))
    """

    __slots__ = (
        "_asked", "_ended", "_expected", "_given", "_increment", "_late", "_length", "_moves", "_owed", "_planned",
        "_probed", "_remaining", "_since", "_started", "_timer", "_to_go", "_unseen", "_beyond",
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
        """The most time that was ever reported as left."""
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
        self._length: GameLength | None = None
        """Of a game whose positions do not say how long it can be."""
        self._planned = 0.0
        """Seconds that were planned for this move."""
        self._beyond = 0.0
        """Seconds that the moves of this game or period took beyond the planned times."""
        self._asked: float | None = None
        """Seconds that the search for this move was asked to take."""
        self._probed = 0.0
        """Seconds of this move that random games took."""
        self._owed = 0.0
        """Seconds that the moves since the last report cost, besides those that this clock has seen."""
        self._since = 0
        """The moves since the last report."""
        self._ended = False
        """Whether a period has ended since the last report."""

    def __repr__(self) -> str:
        return (
            f"Clock(remaining={self.remaining:.3f}, increment={self._increment:g}, moves_to_go={self._to_go}, "
            f"overhead={self._unseen.expected:g})"
        )

    @property
    def remaining(self) -> float:
        """Seconds left at this moment; 0 if the time is over."""
        left = self._remaining
        if self._started is not None:
            left -= self._timer() - self._started
        return max(0.0, left)

    @property
    def moves_to_go(self) -> int | None:
        """Moves to make in ``remaining``; None: all moves of the game."""
        return self._to_go

    @property
    def running(self) -> bool:
        """Whether the player's time is running."""
        return self._started is not None

    def seconds(self, state: Any = None) -> float:
        """Returns the seconds to spend on this move, at least 0.001: a player whose time is over still has to move.

        ``state`` is the position to move in. For games of this package, the clock computes how many moves can follow;
        other games may have any length. Raises InvalidState if it is not a state.
        """
        if state is not None:
            require_state(state)
        self._asked = self._planned = self._plan(state)[0]
        return self._asked

    def search(self, engine: Searcher, state: Any) -> Any:
        """Searches ``state`` for about ``seconds(state)``, deducts the time used and returns the move to play.

        engine: the ``Searcher`` that searches.
        state: the position to move in.

        The search takes half of that time if the move is certain, and up to twice that time for a close choice, if
        enough time is left. ``Stats.stop_reason`` is ``cancelled`` if the search ends before the longest time. In a
        ``with clock:`` block, the time is deducted at the end of the block. Raises InvalidOption if
        ``engine`` has no method ``search``, and the errors of ``Searcher.search``.
        """
        if not callable(getattr(engine, "search", None)):
            raise InvalidOption(f"engine must be a Searcher, got {shorten(engine)}; it comes before the state")
        running = self.running
        if not running:
            self.start()
        try:
            seconds, longest = self._plan(state)
            self._planned, self._asked = seconds, longest
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
        """The planned and the longest seconds of the search for the move in ``state``."""
        left = max(0.0, self.remaining - self._owed)
        most, moves, last = self._moves_to_come(state, left)
        spare = left - self._reserve(left)
        if moves <= 1:  # nothing comes later that a delay of this search could be taken from
            spare = min(spare, left - min(STALL, STALL_SHARE * left))
            return max(LEAST, spare), max(LEAST, spare)
        delay = self._late.usual + self._unseen.total(last) / last
        later = max(0.0, (last - moves) * (delay + LEAST - self._increment))
        # below 0 where less is left than the reserve: then the moves take less than their increments bring
        free = left - moves * delay - max(later, min(STALL, STALL_SHARE * self._given))
        planned = min((free + (moves - 1) * self._increment) / moves, SHARE * left, spare)
        extra = max(0.0, EXTRA * self._given - self._beyond)
        longest = min(Pace.longest(planned), planned + extra, max(planned, SHARE * free), spare)
        return max(LEAST, planned), max(LEAST, longest)

    def _reserve(self, left: float) -> float:
        """Seconds of ``left`` that this move may cost besides its search.

        The longest delay takes half of ``left`` at most; the usual delay and the given overhead may take more.
        """
        known = self._unseen.expected
        longest = self._late.longest + max(known, self._unseen.longest)
        usual = self._late.usual + max(known, self._unseen.usual)
        return max(usual, min(longest, left / 2))

    def _moves_to_come(self, state: Any, left: float) -> tuple[float, float, float]:
        """The most moves that this player may still have to make; the moves over which to divide the time; those whose
        delays need a reserve. All are at least 1."""
        most: float = math.inf if self._to_go is None else self._to_go
        moves, farthest = FIRST + GROWTH * self._moves, FARTHEST
        told = None
        if state is not None:
            most = min(most, moves_left(state))
            told = moves_to_think(state)
        if self._expected is not None:
            moves = self._covered(self._expected - self._moves, EXPECTED)
        elif told is not None:
            moves = max(FEWEST, EXPECTED * told)
        elif self._to_go is not None:  # a period is shared out evenly
            moves = most
        elif state is not None and most == math.inf:
            measured = self._measured(state, left)
            if measured is not None:
                moves, farthest = self._covered(measured, MEASURED), LONGER
        moves = min(most, moves)
        return most, moves, most if math.isfinite(most) else farthest * moves

    def _covered(self, moves: float, share: float) -> float:
        """The moves that a plan covers where ``moves`` are to come: in the first half of the game ``share`` of them."""
        whole = share if moves >= self._moves else 1.0
        return max(1 / SHARE + GROWTH * max(0.0, -moves), whole * moves)

    def _measured(self, state: Any, left: float) -> float | None:
        """The moves of this player in the rest of a random game; None where there is no time for one."""
        if self._length is None:
            self._length = GameLength()
        begin = self._timer()
        # of the time for this move, and of the whole time before the first one
        share = PROBES if not self._length.known else PROBES / max(1.0, self._length.known)
        measured = self._length.estimate(state, self._moves, share * left, FIRST_PROBE * left)
        if self.running:
            self._probed += self._timer() - begin
        return measured

    def start(self) -> None:
        """Starts the player's time. Raises InvalidOption if it is already running."""
        if self._started is not None:
            raise InvalidOption("the clock is running; stop() it first")
        self._started = self._timer()

    def stop(self) -> float:
        """Ends the move: deducts the time used, adds the increment, and returns the seconds used.

        If the time was over, there is no increment, and ``remaining`` stays 0. Raises InvalidOption if the clock is not
        running.
        """
        if self._started is None:
            raise InvalidOption("the clock is not running; start() it first")
        passed = max(0.0, self._timer() - self._started)
        self._started = None
        if self._asked is not None:
            self._late.learn(passed - self._probed - self._asked)
            self._beyond += passed - self._probed - self._planned
            self._asked = None
        self._probed = 0.0
        self._owed += self._unseen.total(1)
        self._since += 1
        self._remaining = min(LONGEST, self._remaining - passed + self._increment) if passed <= self._remaining else 0.0
        self._moves += 1
        if self._to_go is not None:  # after the last move of a period comes an unknown number
            self._to_go = self._to_go - 1 or None
            self._ended = self._ended or self._to_go is None
        return passed

    def set(self, remaining: float, moves_to_go: int | None = None) -> None:
        """Sets the remaining time that the server reports, before the next move or during it.

        remaining: seconds left on the clock, 0 to 1e9.
        moves_to_go: moves to make in that time, 1 to 1,000,000; None: all moves of the game.

        The clock compares the reported time with its own and learns the overhead of the moves since the last call,
        except if the report begins a new period or shows over a second more than the clock's own time. Raises
        InvalidOption, and then changes nothing.
        """
        checked = _seconds(remaining, "remaining")
        to_go = None if moves_to_go is None else as_int(moves_to_go, "moves_to_go", 1, 10**6)
        cost = self.remaining - checked
        rounding = ROUNDING if to_go == self._to_go else 0.0  # otherwise more time may belong to a new period
        if self._ended or cost < -rounding:  # new time
            self._beyond = 0.0
        elif self._since:
            self._unseen.learn(cost / self._since)
        self._owed, self._since, self._ended = 0.0, 0, False
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
    return as_number(value, name, 0.0, LONGEST, noun="number of seconds")
