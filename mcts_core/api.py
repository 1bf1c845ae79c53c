"""The face of the package: ``Searcher``, ``search``, ``stats`` and ``rollouts``."""

from __future__ import annotations

import math
from _thread import _local as _ThreadLocal
from os import urandom

from mcts_core import bulk_rollouts
from mcts_core.errors import InvalidOption, NoSearch
from mcts_core.notation import as_int, shorten
from mcts_core.searcher import SearchCore, clock, default_memory

TYPE_CHECKING = False  # typing itself, and dataclasses, would be most of the time that importing this package takes
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.results import Rollouts, Stats

DEFAULT_EXPLORATION = 0.5**0.5
MAX_ITERATIONS = 2**30 - 1
MAX_SECONDS = 1e9
MAX_SEED = 2**64 - 1
ARENA_KEPT = 64 << 20
"""Bytes of tree memory that the module's ``search`` keeps for the thread's next call; a larger tree is released."""

_FINAL_MOVES = ("robust", "max")
_FIXED = {"selection": "ucb1", "rollout": "random", "threads": 1, "solver": False, "reuse": False}
"""Options of which this version knows one value."""


class Searcher:
    """A Monte Carlo tree search with its options and its memory.

    Parameters, all by keyword:

    exploration: the c of UCB1, ``value + c * sqrt(ln(parent visits) / visits)`` with values in [0, 1]; finite, >= 0.
        The default is sqrt(1/2).
    final_move: ``"robust"``, the most visited move, or ``"max"``, the move with the best value (Browne et al., IEEE
        TCIAIG 4, 2012, section 3.1). A move that wins at once is played in any case.
    memory_mb: limit of the tree in units of 2**20 bytes, at least 1; a search that reaches it ends with what it has.
        The default is a quarter of the machine's memory.
    seed: an int in [0, 2**64). The same seed and number of iterations give the same tree, bit by bit, on every
        machine; every search starts from it. The default is a new random one for each search.
    rollouts_per_leaf: rollouts of one iteration, 1 to 100. An iteration counts as one visit with the mean of their
        results. At equal time more than one loses in the native games, whose tree costs no more than a rollout.
    selection, rollout, threads, solver, reuse: this version knows ``"ucb1"``, ``"random"``, 1, False and False.

    A Searcher serves one search at a time and may be used from any thread; ``SearchBusy`` otherwise. Raises
    ``InvalidOption``.
    """

    __slots__ = ("_by_value", "_core", "_exploration", "_options", "_rollouts_per_leaf", "_seed", "__weakref__")

    def __init__(
        self,
        *,
        exploration: float | None = None,
        final_move: str = "robust",
        memory_mb: float | None = None,
        seed: int | None = None,
        rollouts_per_leaf: int = 1,
        selection: str = "ucb1",
        rollout: str = "random",
        threads: int = 1,
        solver: bool = False,
        reuse: bool = False,
    ) -> None:
        given = {"selection": selection, "rollout": rollout, "threads": threads, "solver": solver, "reuse": reuse}
        for name, value in given.items():
            if type(value) is not type(_FIXED[name]) or value != _FIXED[name]:
                raise InvalidOption(f"{name} must be {_FIXED[name]!r} in this version, got {shorten(value)}")
        if final_move not in _FINAL_MOVES:
            raise InvalidOption(f"final_move must be 'robust' or 'max', got {shorten(final_move)}")
        if exploration is None:
            exploration = DEFAULT_EXPLORATION
        else:
            exploration = _number(exploration, "exploration", 0.0, 1e6)
        memory = default_memory()
        if memory_mb is not None:
            memory = int(_number(memory_mb, "memory_mb", 1.0, 65536.0) * 2**20)
        if seed is not None:
            seed = as_int(seed, "seed", 0, MAX_SEED)
        self._exploration = exploration
        self._rollouts_per_leaf = as_int(rollouts_per_leaf, "rollouts_per_leaf", 1, 100)
        self._by_value = final_move == "max"
        self._seed = seed
        self._core = SearchCore(memory)
        self._options = {
            "exploration": exploration, "final_move": final_move, "memory_mb": memory / 2**20, "seed": seed,
            "rollouts_per_leaf": self._rollouts_per_leaf,
        }

    def __repr__(self) -> str:
        return f"Searcher({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"

    def search(self, state: Any, seconds: float | None = None, *, iterations: int | None = None) -> Any:
        """Searches ``state`` and returns the move to play.

        ``state`` is a position of this package or any object with ``to_move``, ``legal_moves()``, ``play(move)`` and
        ``winner()``. The search ends after ``seconds`` (finite, > 0) or ``iterations`` (1 to 2**30 - 1, divided by
        ``rollouts_per_leaf``), whichever comes first; after one second where neither is given. The GIL is released but
        for calls of a Python-written game.

        Raises InvalidOption (a budget), InvalidState (no state), GameOver, GameError (the user's game failed; its
        exception is the cause), SearchBusy, and KeyboardInterrupt on Ctrl-C. The Searcher can be used afterwards.
        """
        begin = clock()
        most = MAX_ITERATIONS // self._rollouts_per_leaf
        limit = 0 if iterations is None else as_int(iterations, "iterations", 1, most)
        if seconds is not None:
            duration = _number(seconds, "seconds", 0.0, MAX_SECONDS)
            if duration <= 0.0:
                raise InvalidOption(f"seconds must be a finite number above 0, got {shorten(seconds)}")
        else:
            duration = 0.0 if limit else 1.0
        seed = _random_seed() if self._seed is None else self._seed
        return self._core.search(
            state, begin, duration, limit, self._exploration, self._by_value, self._rollouts_per_leaf, seed
        )

    def stats(self) -> Stats:
        """The figures of the last search. Raises NoSearch before the first one and after one that failed."""
        figures = self._core.figures()
        if figures is None:
            raise NoSearch("there are no statistics: no search has run yet, or the last one failed")
        from mcts_core.results import MoveStats, Stats

        moves = tuple(MoveStats(*child) for child in figures.pop("moves"))
        rate = figures["iterations"] / figures["seconds"]
        figures["pv"] = tuple(figures["pv"])
        return Stats(**figures, moves=moves, iterations_per_second=rate, proven=None)


_local = _ThreadLocal()


def search(state: Any, seconds: float | None = None, *, iterations: int | None = None, **options: Any) -> Any:
    """The move to play in ``state``: a search by this thread's own Searcher, made with ``options``.

    See ``Searcher`` for the options and ``Searcher.search`` for the budgets and the errors. ``stats()`` tells what it
    found.
    """
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None or _local.options != options:
        engine = Searcher(**options)
        _local.engine, _local.options = engine, options
    _local.stats = None
    move = engine.search(state, seconds, iterations=iterations)
    if engine._core.held > ARENA_KEPT:
        _local.stats = engine.stats()
        engine._core.release()
    return move


def stats() -> Stats:
    """The figures of the last ``search`` of this thread. Raises NoSearch when there was none or it failed."""
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None:
        raise NoSearch("there are no statistics: search() has not been called in this thread")
    return _local.stats or engine.stats()


def rollouts(state: Any, n: int, *, seed: int | None = None) -> Rollouts:
    """Plays ``n`` (1 to 2**40) uniformly random games from ``state`` and counts their results for the player to move.

    The same seed gives the same counts on every machine. Raises InvalidOption, InvalidState, GameOver, GameError.
    """
    count = as_int(n, "n", 1, 2**40)
    chosen = _random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    losses, draws, wins, plies, seconds = bulk_rollouts.run(state, count, chosen)
    from mcts_core.results import Rollouts

    return Rollouts(wins, draws, losses, plies / count, seconds, count / seconds)


def _random_seed() -> int:
    return int.from_bytes(urandom(8), "little")


def _number(value: Any, name: str, low: float, high: float) -> float:
    """``value`` as a float from ``low`` to ``high``, or InvalidOption."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidOption(f"{name} must be a number, got {shorten(value)}") from None
    if not math.isfinite(number) or not low <= number <= high:
        raise InvalidOption(f"{name} must be a finite number from {low:g} to {high:g}, got {shorten(value)}")
    return number
