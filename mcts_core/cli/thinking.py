"""A search at the terminal: what is shown while it runs, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import nullcontext
from functools import partial

from mcts_core.progress import is_terminal, of_search, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import FrameType
    from typing import Any

    from mcts_core import Searcher, Stats

LONG = 0.5
"""Seconds after which work is long: a bar that nobody asked for is shown from then on."""
NO_BAR: AbstractContextManager[None] = nullcontext()


def shows_progress(args: argparse.Namespace) -> bool:
    """Whether there are bars: as ``--progress`` says, else where standard error is a terminal."""
    return is_terminal(sys.stderr) if args.progress is None else bool(args.progress)


def delay(args: argparse.Namespace) -> float:
    """Seconds before a bar is shown."""
    return LONG if args.progress is None else 0.0


def search_bar(args: argparse.Namespace, state: Any, limits: dict[str, Any]) -> watching:
    """The bar of one search."""
    return watching(shows_progress(args), partial(
        of_search, state, limits.get("seconds"), limits.get("iterations"), delay=delay(args)))


def think(
    engine: Searcher, state: Any, limits: dict[str, Any],
    bar: AbstractContextManager[Callable[[Stats], object] | None] = NO_BAR,
) -> bool:
    """Searches. Whether Ctrl-C ended it: the first one ends the search with what it has found, the second one, which a
    slow game written in Python may need, raises KeyboardInterrupt."""
    with _Interrupt(engine) as interrupt, bar as tell:
        def look(stats: Stats) -> None:
            interrupt.pass_on()
            if tell is not None:
                tell(stats)

        engine.search(state, **limits, progress=look)
    return interrupt.came


class _Interrupt:
    """A context in which the first Ctrl-C ends the search of ``engine``."""

    def __init__(self, engine: Searcher) -> None:
        self.came = False
        self._engine = engine
        self._before: Any = None

    def __enter__(self) -> _Interrupt:
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True
        self.pass_on()

    def pass_on(self) -> None:
        """Ends the search when Ctrl-C came, maybe before the search had begun."""
        if self.came:
            self._engine.stop()
