"""How long a bot searches for a move, from the limits that it receives."""

from __future__ import annotations

import sys

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.delays import Delays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcts_core import Searcher

MARGIN = 0.1
"""Seconds of a move's limit reserved for pipes, processes and a busy machine; at most half of the limit."""
OVERHEAD = 0.005
"""Seconds on the clock that a move takes beyond its search."""
UNSEEN = 0.004
"""Seconds between manager and engine that the engine cannot measure, from a write until the other side reads."""
COARSE = 0.02
"""The same on Windows, where a manager's clock may tick only every 16 ms."""
LONG = 0.005
"""Share of the limit that is reserved in addition."""
EXPECTED = 0.0035
"""Delay in seconds that a process assumes before it has measured any."""
LEAST = 0.001
"""Seconds of the shortest search."""
FOREVER = 1e9
"""Seconds of a search without a limit, and the most that a clock has."""
DEFAULT_SECONDS = 1.0
"""Seconds of a search if no limit is given."""


def within(limit: float) -> float:
    """Seconds of a search whose answer must arrive within ``limit`` seconds."""
    return min(max(LEAST, limit - min(MARGIN, limit / 2)), FOREVER)


class Margin:
    """The margin of an engine that measures its own delays: the time between the end of a search and the limit.

    A search is planned to end ``seconds(limit)`` before the limit. This is the sum of ``UNSEEN``, half a percent of the
    limit, and one and a half times the longest delay of the last ``RECENT`` moves; at most ``MARGIN``, and at most half
    of the limit.
    """

    def __init__(self) -> None:
        self._delays = Delays(EXPECTED)

    def learn(self, delay: float) -> None:
        """Records that the last answer came ``delay`` seconds after the planned end of its search (before it: < 0)."""
        self._delays.learn(delay)

    def seconds(self, limit: float) -> float:
        """Seconds reserved of ``limit``."""
        unseen = COARSE if sys.platform == "win32" else UNSEEN
        return min(unseen + LONG * limit + self._delays.longest, MARGIN, limit / 2)

    def within(self, limit: float) -> float:
        """Seconds of a search whose answer must arrive within ``limit`` seconds."""
        return min(max(LEAST, limit - self.seconds(limit)), FOREVER)


class MatchClock:
    """One ``Clock`` for all moves of a match, which learns from the manager's reports what a move costs in addition."""

    def __init__(self) -> None:
        self._clock: mcts_core.Clock | None = None
        self._passed = 0.0
        """Seconds that the moves took, which is the time of this clock: it runs only while ``spend`` deducts."""
        self._increment = 0.0
        self._made = 0

    def seconds(
        self, remaining: float, increment: float = 0.0, moves_to_go: int | None = None, *, state: Any, moves_made: int,
        reported: bool = True,
    ) -> float:
        """Seconds of the search for the next move in ``state``, from the moment in which the command arrived.

        ``remaining`` may be below 0; ``reported``: the manager has just said so. ``moves_made``: by this player.
        """
        left, gain = min(max(remaining, 0.0), FOREVER), min(increment, FOREVER)
        clock = self._clock
        same = clock is not None and (self._made, self._increment) == (moves_made, gain)
        if clock is None or not same or not (reported or abs(clock.remaining - left) < LEAST):  # or another game
            clock = self._clock = mcts_core.Clock(
                left, gain, moves_to_go, OVERHEAD, moves_made=moves_made, timer=lambda: self._passed)
            self._made, self._increment = moves_made, gain
        elif reported:
            clock.set(left, moves_to_go)
        return clock.seconds(state)

    def spend(self, seconds: float) -> None:
        """Deducts the time of a move, from the command to the answer."""
        if self._clock is not None:
            with self._clock:
                self._passed += seconds
            self._made += 1


def check(engine: Searcher, state: Any, seconds: float | None, iterations: int | None) -> None:
    """Checks limits and options with the shortest of searches, which also loads everything that a search needs.

    Raises what ``Searcher.search`` raises.
    """
    engine.search(state, seconds, iterations=1)
    if iterations is not None:
        engine.search(state, LEAST, iterations=iterations)
    engine.stats()


def engine_for(engine: Searcher | None, options: dict[str, Any], first: Callable[[], Any],
               seconds: float | None, iterations: int | None) -> Searcher:
    """The Searcher of a bot, checked with its limits: ``engine``, or a new one with ``options``, which also searches
    the position that ``first`` returns.

    Raises InvalidOption, and what ``Searcher.search`` raises.
    """
    if engine is None:
        check(mcts_core.Searcher(**options), first(), seconds, iterations)
        return mcts_core.Searcher(**options)
    if not isinstance(engine, mcts_core.Searcher):
        raise mcts_core.InvalidOption(f"engine must be a Searcher, got {shorten(engine)}")
    if options:
        raise mcts_core.InvalidOption(f"give either an engine or options, got an engine and "
                                      f"{', '.join(sorted(options))}")
    # Do not search with the engine itself: it may hold a tree for reuse.
    check(mcts_core.Searcher(), mcts_core.TicTacToe(), seconds, iterations)
    return engine


def fewest(engine: Searcher, state: Any, *iterations: int | None) -> int | None:
    """The smallest of these limits that is not None, cut to the largest that a search accepts; None without any."""
    named = [number for number in iterations if number is not None]
    if not named:
        return None
    return min(*named, engine.most_iterations(state))
