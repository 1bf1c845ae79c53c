"""One game between a visitor of the page and the engine, and the search that runs for it."""

from __future__ import annotations

import threading
import time
from typing import Any

from mcts_core import Searcher, Stats
from mcts_core.render.board import Board
from mcts_core.web import limits
from mcts_core.web.games import fields_of
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused

_RESULTS = {1: 1.0, 0: 0.5, -1: 0.0}
"""The value for the player who began, by the winner."""
_TURN_POLL = 0.05
"""Seconds between two looks at whether a search that waits for its turn is still wanted."""


class Search:
    """A search of a session: for the engine's ``answer``, or a ``hint``."""

    __slots__ = ("board", "ply", "purpose", "state", "unwanted", "waiting")

    def __init__(self, purpose: str, state: Any, ply: int) -> None:
        self.purpose = purpose
        self.state = state
        self.board = Board(state)
        self.ply = ply
        self.waiting = False
        """Whether other searches have to end before it can begin."""
        self.unwanted = False
        """Whether it shall end: with the move found so far while it is the session's, else for nothing."""


class Session:
    """A game, its settings and its Searcher; every method may be called from any thread.

    The methods that a visitor calls raise Refused, IllegalMove, InvalidOption, and change nothing then.
    """

    def __init__(self, turns: threading.Semaphore, granted: Limits) -> None:
        self._turns = turns
        self._granted = granted
        self._news = threading.Condition()
        self._version = 0
        self._number = 0
        self._closed = False
        self._states: list[Any] = []
        self._person = 1
        self._seconds = 1.0
        self._threads = 1
        self._engine: Searcher | None = None
        self._search: Search | None = None
        self._thread: threading.Thread | None = None
        self._board: dict[str, Any] = {}
        self._figures: dict[str, Any] | None = None
        self._hint: dict[str, Any] | None = None
        self._error: str | None = None
        self._values: dict[int, float] = {}
        self.used = time.monotonic()
        """When the last request for this session came."""

    # -- what a visitor does ----------------------------------------------------------------------

    def begin(self, start: Any, person: int) -> None:
        """A new game, in which the visitor plays ``person``, +1 or -1."""
        with self._news:
            self._forget_search()
            self._number += 1
            self._states = [start]
            self._person = person
            self._values = {}
            self._show()
            self._answer()

    def set(self, seconds: float, threads: int) -> None:
        """Time and threads of the searches to come."""
        with self._news:
            if threads != self._threads:
                self._engine = None
            self._seconds, self._threads = seconds, threads
            self._tell()

    def play(self, move: int | str, ply: int) -> None:
        """The visitor's move, a number or a name, in the position after ``ply`` moves; the search for a hint ends."""
        with self._news:
            if ply != len(self._states) - 1:
                raise Refused(409, f"the game is at move {len(self._states) - 1}, not at {ply}")
            self._check_turn("a move")
            state = self._states[-1].play(move)
            self._forget_search()
            self._states.append(state)
            self._show()
            self._answer()

    def take_back(self) -> None:
        """Back to the visitor's last decision; a search ends."""
        with self._news:
            earlier = [ply for ply, state in enumerate(self._states[:-1]) if state.to_move == self._person]
            if not earlier:
                raise Refused(409, "there is no move of yours to take back")
            self._forget_search()
            del self._states[earlier[-1] + 1:]
            self._values = {ply: value for ply, value in self._values.items() if ply < len(self._states)}
            self._show()

    def hint(self) -> None:
        """Searches for what the engine would play for the visitor."""
        with self._news:
            self._check_turn("a hint")
            if self._search is not None:
                raise Refused(409, "the engine is looking for a hint already")
            self._hint = None
            self._start("hint")

    def finish(self) -> None:
        """Ends the search that is running with the move that it has found so far."""
        with self._news:
            if self._search is None:
                raise Refused(409, "the engine is not thinking")
            self._search.unwanted = True

    # -- what it tells ----------------------------------------------------------------------------

    def look(self, after: int = -1) -> dict[str, Any]:
        """The session as JSON data, at once; while a search runs, when there is something newer than ``after``."""
        with self._news:
            self._news.wait_for(
                lambda: self._version > after or self._search is None or self._closed, limits.WAIT_SECONDS)
            search = self._search
            return {
                "version": self._version,
                "number": self._number,
                **self._board,
                "person": self._person,
                "can_take_back": any(state.to_move == self._person for state in self._states[:-1]),
                "thinking": None if search is None else {"purpose": search.purpose, "waiting": search.waiting},
                "figures": self._figures,
                "hint": self._hint,
                "values": [{"ply": ply, "value": value} for ply, value in sorted(self._values.items())],
                "error": self._error,
                "seconds": self._seconds,
                "threads": self._threads,
                "limits": {"seconds": [limits.LEAST_SECONDS, self._granted.seconds],
                           "threads": [1, self._granted.threads]},
            }

    # -- what the server does ---------------------------------------------------------------------

    def rest(self) -> None:
        """Gives the memory of the tree back."""
        with self._news:
            if self._search is None:
                self._engine = None

    def close(self) -> None:
        """Ends the search and whoever waits for news."""
        with self._news:
            self._closed = True
            self._forget_search()
            self._tell()

    def thinks(self) -> bool:
        """Whether the thread of a search lives, wanted or not."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def join(self) -> None:
        """Waits for the thread of the last search; after ``close`` that is short."""
        thread = self._thread
        if thread is not None:
            thread.join()

    # -- inside: the lock is held -----------------------------------------------------------------

    def _check_turn(self, what: str) -> None:
        state = self._states[-1]
        if state.winner() is not None:
            raise Refused(409, f"{what} is for a game that goes on; this one is over")
        if state.to_move != self._person:
            raise Refused(409, f"{what} is for your turn; the engine is to move")

    def _tell(self) -> None:
        self._version += 1
        self._news.notify_all()

    def _show(self) -> None:
        """After the position changed."""
        state, ply = self._states[-1], len(self._states) - 1
        board = Board(state)
        self._board = {
            "game": fields_of(state),
            "title": board.title,
            "form": board.form,
            "rows": board.height,
            "cols": board.width,
            "column_names": list(board.columns),
            "row_names": list(board.rows),
            "stones": [[row, column, player] for (row, column), player in sorted(board.stones.items())],
            "last": board.last,
            "lines": board.lines,
            "legal": sorted(board.legal),
            "to_move": state.to_move,
            "winner": board.winner,
            "ply": ply,
            "moves": [board.name_of(move) for move in state.moves],
        }
        if board.winner is not None:
            self._values[ply] = _RESULTS[board.winner]
        self._figures = self._hint = self._error = None
        self._tell()

    def _answer(self) -> None:
        """Lets the engine move where it is its turn."""
        state = self._states[-1]
        if state.winner() is None and state.to_move != self._person:
            self._start("answer")

    def _start(self, purpose: str) -> None:
        if self._closed:
            raise Refused(503, "the server is stopping")
        if self._engine is None:
            self._engine = Searcher(threads=self._threads, memory_mb=self._granted.memory_mb)
        search = Search(purpose, self._states[-1], len(self._states) - 1)
        thread = threading.Thread(
            target=self._run, args=(search, self._engine, self._seconds, self._thread), name="mcts_core session")
        thread.start()
        self._search, self._thread, self._error = search, thread, None
        self._tell()

    def _forget_search(self) -> None:
        if self._search is not None:
            self._search.unwanted = True
            self._search = None

    # -- the thread of a search -------------------------------------------------------------------

    def _run(self, search: Search, engine: Searcher, seconds: float, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        while not self._turns.acquire(timeout=_TURN_POLL):
            with self._news:
                if self._search is not search:
                    return
                if not search.waiting:
                    search.waiting = True
                    self._tell()
        try:
            self._think(search, engine, seconds)
        except Exception as error:
            with self._news:
                if self._search is search:
                    self._search = None
                    self._error = f"the search failed: {error or type(error).__name__}"
                    self._tell()
        finally:
            self._turns.release()

    def _think(self, search: Search, engine: Searcher, seconds: float) -> None:
        with self._news:
            if self._search is not search:
                return
            if search.waiting:
                search.waiting = False
                self._tell()
        if search.unwanted:
            seconds = limits.LEAST_SECONDS

        def report(stats: Stats) -> None:
            figures = _figures_of(stats, search)
            with self._news:
                if self._search is search:
                    self._figures = figures
                    self._tell()
            if search.unwanted:
                engine.stop()

        move = engine.search(search.state, seconds, progress=report, every=limits.NEWS_SECONDS)
        stats = engine.stats()
        figures = _figures_of(stats, search)
        with self._news:
            if self._search is not search:
                return
            self._search = None
            self._values[search.ply] = stats.value if search.state.to_move > 0 else 1.0 - stats.value
            if search.purpose == "hint":
                self._hint = {"move": move, "name": figures["move"]}
                self._figures = figures
                self._tell()
                return
            self._states.append(search.state.play(move))
            self._show()
            self._figures = figures


def _figures_of(stats: Stats, search: Search) -> dict[str, Any]:
    """What the page shows of a search."""
    board = search.board
    shown = [entry for entry in stats.moves if entry.visits or entry.move == stats.move][:limits.SHOWN_MOVES]
    return {
        "purpose": search.purpose,
        "ply": search.ply,
        "player": search.state.to_move,
        "move": board.name_of(stats.move),
        "value": stats.value,
        "proven": stats.proven,
        "distance": stats.distance,
        "visits": stats.visits,
        "iterations": stats.iterations,
        "per_second": stats.iterations_per_second,
        "seconds": stats.seconds,
        "nodes": stats.nodes,
        "depth": stats.depth_mean,
        "stop_reason": stats.stop_reason,
        "line": [board.name_of(move) for move in stats.pv[:12]],
        "moves": [
            {"move": entry.move, "name": board.name_of(entry.move), "cell": board.cell_of(entry.move),
             "visits": entry.visits, "value": entry.value, "proven": entry.proven, "distance": entry.distance}
            for entry in shown
        ],
    }
