"""The face of the package: ``Searcher``, ``search``, ``stats`` and ``rollouts``."""

from __future__ import annotations

import math
from _thread import _local as _ThreadLocal
from os import urandom

from mcts_core import tuning
from mcts_core.arguments import as_int, shorten
from mcts_core.engine import bulk_rollouts
from mcts_core.engine.searcher import SearchCore, clock, default_memory, tree_share
from mcts_core.engine.settings import SearchSettings, guide_of
from mcts_core.errors import InvalidOption, NoSearch, SearchBusy
from mcts_core.game import NativeState, is_general

TYPE_CHECKING = False  # typing itself, and dataclasses, would be most of the time that importing this package takes
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from typing import Any, Self

    from mcts_core.engine.background_search import BackgroundSearch, Pondering
    from mcts_core.engine.general_searcher import GeneralCore, GeneralSettings
    from mcts_core.results import Node, Rollouts, Stats

MAX_ITERATIONS = 2**30 - 1
MAX_SECONDS = 1e9
MAX_SEED = 2**64 - 1
ARENA_KEPT = 64 << 20
"""Bytes of tree memory that the module's ``search`` keeps for the thread's next call; a larger tree is released."""
KEPT_DEPTH, KEPT_SHARE = 3, 0.01
"""The part that is kept of a tree which is given back: what ``Stats.tree`` shows by default."""
MAX_NODES = 100_000
"""Nodes of ``Stats.tree``, at most."""
PROVER_BYTES = 64 << 20
"""Largest memory of a game's exact search; never more than a quarter of the budget."""

_FINAL_MOVES = ("robust", "max")
_PRESETS = ("strong", "uct")
_SELECTIONS = ("ucb1", "ucb1-tuned", "rave", "grave")
_ROLLOUTS = ("random", "decisive", "tactical")
_SCHEDULES = ("mse", "hand")
MAX_THREADS = 256


class Searcher:
    """A Monte Carlo tree search with its options and its memory.

    Every option is given by keyword. Those that are not given, or None, have the value that is strongest for the game
    at hand as far as it was measured (``bench/TUNING.md``).

    preset: ``"strong"``, or ``"uct"`` for textbook UCT (Kocsis and Szepesvari, ECML 2006): UCB1, random rollouts, no
        solver, no knowledge beyond the rules. It is the start; other options change single points of it.
    selection: ``"ucb1"``; ``"ucb1-tuned"`` (Auer et al. 2002); ``"rave"`` (Gelly and Silver 2011, all moves as first);
        ``"grave"`` (Cazenave 2015): RAVE with the statistics of the deepest ancestor with ``grave_ref`` visits.
    exploration: the c of UCB1, ``value + c * sqrt(ln(parent visits) / visits)`` with values in [0, 1]; finite, >= 0.
    fpu: first-play urgency, the score of a child without a visit; None: every child is tried before one is visited
        again. Where there is a prior (``prior_weight``) or an AMAF statistic, that is the score instead.
    solver: whether proven values are backed up (Winands et al. 2008). A proven loss is never chosen while another move
        lives, a proven win is played the shortest known way, a lost position the longest one; the search stops when
        the root is proven. With it comes the exact search that a native game offers: Connect Four's and small boards'
        alpha-beta, m,n,5's continuous fours.
    rollout: ``"random"``; ``"decisive"``: plays a move that wins at once, else one that keeps the opponent from it;
        ``"tactical"``: also open fours and open threes (m,n,k games with k >= 4 and a side longer than k).
    rollouts_per_leaf: rollouts of one iteration, 1 to 100. An iteration counts as one visit with the mean of their
        results; RAVE and GRAVE read the moves of the last one.
    expand_after: visits of a node before its children join the tree, >= 1.
    expand_distance: m,n,k games: children are the cells within this distance of a stone, 0 to 32; 0: all cells.
        Winning and saving moves are children in any case, and all are where those lose.
    prior_weight: how many visits the game's own judgement of a move counts, >= 0.
    rave_schedule: ``"hand"``: beta = sqrt(k / (3 N + k)), k = ``rave_k``; ``"mse"``: minimum mean square error,
        beta = a / (n + a + n a ``rave_bias``), a the AMAF visits. GRAVE has the latter.
    symmetry: below the root, only the first of moves that a symmetry of the position maps to each other is a child.
    leaf_proofs, node_proofs, root_proofs: budgets of exact search, in units of some 20 to 300 ns: for a node that is
        expanded; for an expanded one, per visit, in each octave of its visits; for the root, per iteration.
    final_move: ``"robust"``, the most visited move, or ``"max"``, the move with the best value (Browne et al., IEEE
        TCIAIG 4, 2012, section 3.1). A move that wins at once is played in any case.
    memory_mb: limit of the tree and of exact search in units of 2**20 bytes, at least 1. The default is a quarter of
        the machine's memory. A tree that reaches it is pruned: the least visited subtrees go until half of it is left,
        their nodes being leaves again, and the search goes on; with a deadline no more is kept than can be moved in a
        twentieth of the time that is left.
    prune: False: a search that reaches the limit ends there, with the stop reason ``memory``.
    seed: an int in [0, 2**64). The same seed and number of iterations give the same tree, bit by bit, on every
        machine; every search starts from it. The default is a new random one for each search.
    reuse: whether a search goes on with the part of the last one's tree that is below its position, when that is the
        last position, or one that comes after it by play, searched with the same options. (With a ``seed``, which says
        what a search finds, the last position itself is searched anew.) ``Stats.reused_visits`` tells how much there
        was; what exact search has proven is kept along a game also where there was nothing. Of a part that could not
        be moved in a twentieth of a time budget the most visited nodes are kept. States written in Python
        must be equal by value and hashable, unless it is the same object again; they are recognised after up to two
        moves, or by an attribute ``moves``, the list of the moves that led to them, after any number.
    stop_early: whether a search ends before its budget when the move to play is certain: there is one legal move
        (``only_move``, after one iteration), or none of the others can become the most visited one (``decided``). The
        latter is exact for iterations; within a time budget it takes the rest to run at most twice as fast as so far,
        and it is left out when it would save less than a tenth. It cannot be told where proven values or the final
        move ``"max"`` may change the choice at any time, so it needs ``solver=False`` and ``"robust"``. The default:
        where a time budget is the only one, so that a number of iterations is what was asked for; never with the
        preset ``"uct"``.
    threads: of a search, 1 to 256, for native games; each has a tree of its own in its share of ``memory_mb``, and the
        trees exchange the statistics of their common top after every ``exchange_every`` iterations of each (slow tree
        parallelisation: Bourki et al., CG 2010). The same seed, threads and iterations give the same result; a budget
        of time does not. What Stats tell is the sum. Budgets below 512 iterations a thread run in one, and with plain
        UCT those below the number of the root's moves.
    evaluator: a function of a batch, ``f(observations[B, C, H, W]) -> (policy[B, A], value[B])``, numpy arrays of
        float32: it values the leaves, in place of rollouts, and selection is PUCT (Silver et al., Science 362, 2018).
        Values are from -1 to 1 for the side to move, policies numbers >= 0, of which those of the legal moves count,
        divided by their sum. See docs/evaluators.md.
    policy_value: the same of one state, ``f(state) -> (priors, value)``; priors are a dict by move or a sequence in the
        order of the legal moves.
    batch: leaves that an evaluator gets at a time, 1 to 4096; the default is 8, with ``policy_value`` 1. A visit that
        waits counts as lost (virtual loss).
    c_puct: PUCT is ``value + c_puct * prior * sqrt(parent visits) / (1 + visits)`` with values in [0, 1]; the default
        is 0.625. A move without a visit has the value of its parent, or ``fpu``.
    noise_alpha, noise_weight: Dirichlet noise for self-play: a prior at the root is (1 - weight) times itself and
        weight (0 to 1, default 0.25) times noise of Dirichlet(alpha), alpha > 0; None: no noise.
    temperature: with an evaluator or a general game, the move to play is drawn with probabilities in proportion to
        visits ** (1 / temperature); 0, the default, plays by ``final_move``.

    A state with ``players`` is one of a general game (docs/general_games.md): any number of players, in any order, and
    chance. Of the options it knows exploration, fpu, rollouts_per_leaf, final_move, memory_mb, seed, stop_early,
    temperature and those of evaluators; with an evaluator there are no exploration and no rollouts_per_leaf. These
    searches have one thread, do not reuse trees, and end when the memory is full.

    A Searcher serves one search at a time and may be used from any thread; ``SearchBusy`` otherwise, unless that search
    was cancelled: it is about to end, and is waited for, five seconds at most. Raises ``InvalidOption``, also in
    ``search`` for an option that the game at hand does not know.
    """

    __slots__ = (
        "_background", "_core", "_general", "_given", "_memory", "_preset", "_prune", "_reuse", "_seed", "_settings",
        "_stop_early", "_threads", "__weakref__",
    )

    def __init__(
        self,
        *,
        preset: str | None = None,
        selection: str | None = None,
        exploration: float | None = None,
        fpu: float | None = None,
        solver: bool | None = None,
        rollout: str | None = None,
        rollouts_per_leaf: int | None = None,
        expand_after: int | None = None,
        expand_distance: int | None = None,
        prior_weight: float | None = None,
        rave_schedule: str | None = None,
        rave_k: float | None = None,
        rave_bias: float | None = None,
        grave_ref: int | None = None,
        symmetry: bool | None = None,
        leaf_proofs: int | None = None,
        node_proofs: int | None = None,
        root_proofs: int | None = None,
        final_move: str | None = None,
        memory_mb: float | None = None,
        seed: int | None = None,
        stop_early: bool | None = None,
        threads: int = 1,
        exchange_every: int | None = None,
        reuse: bool = True,
        prune: bool = True,
        evaluator: Callable[[Any], Any] | None = None,
        policy_value: Callable[[Any], Any] | None = None,
        batch: int | None = None,
        c_puct: float | None = None,
        noise_alpha: float | None = None,
        noise_weight: float | None = None,
        temperature: float | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "preset": _choice(preset, "preset", _PRESETS),
            "selection": _choice(selection, "selection", _SELECTIONS),
            "exploration": _number(exploration, "exploration", 0.0, 1e6),
            "fpu": _number(fpu, "fpu", -1e6, 1e6),
            "solver": _flag(solver, "solver"),
            "rollout": _choice(rollout, "rollout", _ROLLOUTS),
            "rollouts_per_leaf": _whole(rollouts_per_leaf, "rollouts_per_leaf", 1, 100),
            "expand_after": _whole(expand_after, "expand_after", 1, 2**30),
            "expand_distance": _whole(expand_distance, "expand_distance", 0, 32),
            "prior_weight": _number(prior_weight, "prior_weight", 0.0, 1e6),
            "rave_schedule": _choice(rave_schedule, "rave_schedule", _SCHEDULES),
            "rave_k": _number(rave_k, "rave_k", 0.0, 1e9),
            "rave_bias": _number(rave_bias, "rave_bias", 0.0, 1e6),
            "grave_ref": _whole(grave_ref, "grave_ref", 0, 2**30),
            "symmetry": _flag(symmetry, "symmetry"),
            "leaf_proofs": _whole(leaf_proofs, "leaf_proofs", 0, 2**20),
            "node_proofs": _whole(node_proofs, "node_proofs", 0, 2**20),
            "root_proofs": _whole(root_proofs, "root_proofs", 0, 2**20),
            "exchange_every": _whole(exchange_every, "exchange_every", 16, 2**30),
            "final_move": _choice(final_move, "final_move", _FINAL_MOVES) or "robust",
        }
        general: dict[str, Any] = {
            "evaluator": _function(evaluator, "evaluator"),
            "policy_value": _function(policy_value, "policy_value"),
            "batch": _whole(batch, "batch", 1, 4096),
            "c_puct": _number(c_puct, "c_puct", 0.0, 1e6),
            "noise_alpha": _number(noise_alpha, "noise_alpha", 1e-6, 1e6),
            "noise_weight": _number(noise_weight, "noise_weight", 0.0, 1.0),
            "temperature": _number(temperature, "temperature", 0.0, 1e6),
        }
        self._general = {name: value for name, value in general.items() if value is not None}
        if evaluator is not None and policy_value is not None:
            raise InvalidOption("evaluator and policy_value are two forms of one thing; give one of them")
        if evaluator is None and policy_value is None:
            for name in ("batch", "c_puct", "noise_alpha", "noise_weight"):
                if name in self._general:
                    raise InvalidOption(f"{name} needs an evaluator or policy_value, got {self._general[name]!r} alone")
        memory = default_memory()
        if memory_mb is not None:
            memory = int(_as_number(memory_mb, "memory_mb", 1.0, 65536.0) * 2**20)
        self._seed = None if seed is None else as_int(seed, "seed", 0, MAX_SEED)
        self._preset = given.pop("preset")
        self._given = {name: value for name, value in given.items() if value is not None}
        self._memory = memory
        self._settings: dict[object, SearchSettings | GeneralSettings] = {}
        self._stop_early = _flag(stop_early, "stop_early")
        self._reuse = _flag(reuse, "reuse") is not False
        self._prune = _flag(prune, "prune") is not False
        self._background: BackgroundSearch | None = None
        self._threads = as_int(threads, "threads", 1, MAX_THREADS)
        if memory < self._threads << 20:
            raise InvalidOption(
                f"memory_mb must be at least 1 for each of the {self._threads} threads, got {shorten(memory_mb)}"
            )
        self._core: SearchCore | GeneralCore = SearchCore(memory, self._threads)

    def __repr__(self) -> str:
        shown = {
            "preset": self._preset, **self._given, "memory_mb": self._memory / 2**20, "seed": self._seed,
            "stop_early": self._stop_early, "threads": self._threads if self._threads > 1 else None,
            "reuse": None if self._reuse else False, "prune": None if self._prune else False,
            **self._general,
        }
        return f"Searcher({', '.join(f'{name}={value!r}' for name, value in shown.items() if value is not None)})"

    def options(self, state: Any) -> dict[str, Any]:
        """The options that a search of ``state`` has, the defaults of its game included."""
        if self._is_general(state):
            return self._general_options(state)
        base = tuning.UCT if self._preset == "uct" else tuning.defaults(state)
        options = {**base, **self._given}
        if "exploration" not in self._given and options["selection"] != base["selection"]:
            options["exploration"] = tuning.EXPLORATION[options["selection"]]
        return options

    def search(
        self,
        state: Any,
        seconds: float | None = None,
        *,
        iterations: int | None = None,
        progress: Callable[[Stats], object] | None = None,
        every: float = 0.1,
    ) -> Any:
        """Searches ``state`` and returns the move to play.

        ``state`` is a position of this package or any object with ``to_move``, ``legal_moves()``, ``play(move)`` and
        ``winner()``. The search ends after ``seconds`` (finite, > 0) or ``iterations`` (1 to 2**30 - 1, divided by
        ``rollouts_per_leaf``), whichever comes first; after one second where neither is given. The GIL is released but
        for calls of a Python-written game. ``stop()`` in another thread ends it before.

        ``progress`` is called with the Stats so far whenever ``every`` seconds (0.001 to 1e9) have passed, in the
        calling thread, while the search waits. An exception that it raises ends the search and comes out of it.

        Raises InvalidOption (a budget, or an option that the game does not know), InvalidState (no state), GameOver,
        GameError (the user's game failed; its exception is the cause), SearchBusy, and KeyboardInterrupt on Ctrl-C. The
        Searcher can be used afterwards.
        """
        begin = clock()
        budget = self._budget(state, seconds, iterations)
        if progress is None:
            return self._core.search(state, budget[0], begin, *budget[1:])
        return self._core.search(state, budget[0], begin, *budget[1:], *_reporter(self._core, progress, every))

    def _budget(
        self, state: Any, seconds: float | None, iterations: int | None
    ) -> tuple[Any, float, int, int, bool, int]:
        """Settings, seconds, iterations, seed, whether the search may stop early, and which tree it may go on with."""
        general = self._is_general(state)
        kind = general or tuning.kind_of(state)
        settings = self._settings.get(kind)
        if settings is None:
            settings = self._settings[kind] = (
                self._general_settings(state) if general else self._settings_for(state)
            )
        if isinstance(settings, SearchSettings) is not isinstance(self._core, SearchCore):
            self._change_core(settings)
        limit = 0
        if iterations is not None:
            limit = as_int(iterations, "iterations", 1, MAX_ITERATIONS // settings.rollouts_per_leaf)
        if seconds is not None:
            duration = _as_duration(seconds)
        else:
            duration = 0.0 if limit else 1.0
        seed = _random_seed() if self._seed is None else self._seed
        early = self._stop_early
        if early is None:
            early = limit == 0 and self._preset != "uct"
        # a seed says what a search finds: the same position again begins anew
        reuse = 0 if not self._reuse else 2 if self._seed is None else 1
        return settings, duration, limit, seed, early, reuse

    def ponder(self, state: Any) -> None:
        """Searches ``state`` in a thread of its own, without a budget, until ``stop()``.

        The search ends by itself when it is solved or the memory is full. It does not keep the interpreter from
        ending, and it stops when the Searcher is no longer referenced. Raises what ``search`` raises for the state.
        """
        self._background = self._begin_pondering(state)

    def _begin_pondering(self, state: Any) -> BackgroundSearch:
        """The search, which ends with the last reference to it."""
        from mcts_core.engine.background_search import BackgroundSearch

        settings, _, _, seed, _, reuse = self._budget(state, None, 1)
        self._core.check(state)
        return BackgroundSearch(self._core, (state, settings, clock(), 0.0, 0, seed, False, reuse))

    def stop(self) -> Stats | None:
        """Ends the search that is running, waits for its end and returns its Stats. From any thread, at any time.

        The ``search``, ``watch`` or ``search_async`` that was waiting for it ends with the move found so far and the
        stop reason ``cancelled``. When no search is running, this returns the Stats of the last one; None when there
        is none. In a progress callback it returns None, and the search ends when the callback returns. Raises
        GameError when the game of a state failed while it was pondered.
        """
        background, self._background = self._background, None
        self._core.cancel()
        if not self._core.wait():
            self._background = background
            return None
        if background is not None:
            background.result()
        try:
            figures = self._core.figures()
        except SearchBusy:  # another thread has begun the next search
            return None
        return None if figures is None else _stats_of(self._core, figures)

    def save(self, path: str | bytes | PathLike[Any]) -> None:
        """Writes options, trees and statistics to the file ``path``, for ``Searcher.load``.

        The file takes the place of one that is there at once and whole: after an error or a crash that is as it was.
        The loaded Searcher goes on as this one does; so that both do, this one's exact search forgets what it has not
        told the tree. Without statistics the options alone are saved. Windows replaces no file that is open elsewhere:
        there it is waited for, 2 s at most.

        Raises InvalidState for a position that no file can hold (games written in Python: pickle the Searcher instead),
        SearchBusy, MemoryError, OSError.
        """
        from mcts_core.storage import save

        save(self, path)

    @classmethod
    def load(cls, path: str | bytes | PathLike[Any], *, memory_mb: float | None = None) -> Self:
        """The Searcher that ``save`` wrote to the file ``path``, with its options, statistics and trees.

        A search of the same position or of one below it goes on with the tree, as after any other search (see
        ``reuse``). A file can come from anywhere: it runs no code, and it is checked before it is used. ``memory_mb``:
        another limit than the saved one, which is the default; where that was the default of its machine, it is the
        default of this one.

        Raises InvalidFile (no saved Searcher, damaged, from a newer version), InvalidOption (``memory_mb``, also where
        the tree is larger), MemoryError, OSError.
        """
        from mcts_core.storage import load

        return load(cls, path, memory_mb)  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        from mcts_core.storage import reduce

        return reduce(self)

    def pondering(self, state: Any) -> Pondering:
        """A context in which ``state`` is pondered: ``with engine.pondering(state): ...``.

        Its end, by whatever exception, ends the search.
        """
        from mcts_core.engine.background_search import Pondering

        return Pondering(self, state)

    async def search_async(
        self, state: Any, seconds: float | None = None, *, iterations: int | None = None
    ) -> Any:
        """``search`` for asyncio, in a thread of its own. When the task is cancelled the search ends, and so does its
        thread before CancelledError goes on."""
        from mcts_core.background import search_async

        begin = clock()
        budget = self._budget(state, seconds, iterations)
        return await search_async(self._core, (state, budget[0], begin, *budget[1:]))

    def watch(
        self, state: Any, seconds: float | None = None, *, iterations: int | None = None, every: float = 0.1
    ) -> Iterator[Stats]:
        """Searches ``state`` in a thread of its own and yields Stats after every ``every`` seconds and at the end.

        The search begins with the first step of the iterator and ends when that is closed. A consumer that is slow
        gets the latest Stats. Budgets and errors are those of ``search``.
        """
        from mcts_core.engine.background_search import Watch

        budget = self._budget(state, seconds, iterations)
        interval = _as_number(every, "every", 1e-3, 1e9)
        self._core.check(state)
        return Watch(self._core, (state, *budget), interval, _stats_of)

    def _settings_for(self, state: Any) -> SearchSettings:
        if self._general:
            name, value = next(iter(self._general.items()))
            raise InvalidOption(f"{name} {value!r} needs an evaluator or a general game, got {shorten(state)}")
        options = self.options(state)
        guide = guide_of(state)
        if self._threads > 1 and not isinstance(state, NativeState):
            self._core.check(state)  # that it is no state would be worse
            raise InvalidOption(
                f"threads must be 1 for a game written in Python, which one thread at a time can play, "
                f"got {self._threads} for {shorten(state)}"
            )
        plain = (
            (options["selection"], options["rollout"], options["fpu"]) == ("ucb1", "random", None)
            and not any(options[name] for name in ("solver", "prior_weight", "expand_distance", "symmetry"))
            and options["expand_after"] == 1
        )
        if guide is None:
            for name in ("selection", "rollout", "solver", "fpu", "expand_after", "expand_distance", "prior_weight"):
                if name in self._given and self._given[name] != tuning.UCT[name]:
                    raise InvalidOption(
                        f"{type(state).__name__} offers no more than its rules, so {name} must be "
                        f"{tuning.UCT[name]!r}, got {self._given[name]!r}"
                    )
        common = {
            "exploration": options["exploration"], "rollouts_per_leaf": options["rollouts_per_leaf"],
            "by_value": options["final_move"] == "max", "prunes": self._prune,
            "interval": options["exchange_every"],
        }
        if guide is None or plain:
            return SearchSettings(guided=False, **common)
        rollouts, _, actions, has_prover = guide
        rollout = _ROLLOUTS.index(options["rollout"])
        if not rollouts >> rollout & 1:
            known = [name for number, name in enumerate(_ROLLOUTS) if rollouts >> number & 1]
            raise InvalidOption(
                f"rollout must be one of {', '.join(map(repr, known))} for {shorten(state)}, got {options['rollout']!r}"
            )
        if options["selection"] in ("rave", "grave") and not actions:
            raise InvalidOption(
                f"selection {options['selection']!r} needs a game that tells what its rollouts played, "
                f"which {type(state).__name__} does not"
            )
        prover_bytes = min(PROVER_BYTES, self._memory // 4) if options["solver"] and has_prover else 0
        return SearchSettings(
            guided=True, **common, selection=_SELECTIONS.index(options["selection"]), solver=options["solver"],
            fpu=options["fpu"], hand_schedule=options["rave_schedule"] == "hand", rave_k=options["rave_k"],
            rave_bias=options["rave_bias"], grave_ref=options["grave_ref"], prior_weight=options["prior_weight"],
            expand_after=options["expand_after"], rollout=rollout, distance=options["expand_distance"],
            symmetry=options["symmetry"], prover_bytes=prover_bytes, tree_bytes=tree_share(self._memory - prover_bytes),
            leaf_units=options["leaf_proofs"], node_units=options["node_proofs"], root_units=options["root_proofs"],
        )

    def _is_general(self, state: Any) -> bool:
        """Whether the general tree searches ``state``."""
        return "evaluator" in self._general or "policy_value" in self._general or is_general(state)

    def _general_options(self, state: Any) -> dict[str, Any]:
        by_network = "evaluator" in self._general or "policy_value" in self._general
        known: dict[str, Any] = {"final_move": "robust", "fpu": None}
        if by_network:
            known |= {
                "batch": 8 if "evaluator" in self._general else 1, "c_puct": 0.625, "noise_alpha": None,
                "noise_weight": 0.25,
            }
        else:
            known |= {"exploration": tuning.UCT["exploration"], "rollouts_per_leaf": 1}
        known["temperature"] = 0.0
        for name, value in self._given.items():
            if name not in known and value != tuning.UCT[name]:
                reason = "an evaluator is given" if by_network else f"{type(state).__name__} is a general game"
                raise InvalidOption(f"{name} {value!r} has no meaning here: {reason}")
        return {**known, **{name: self._given[name] for name in known if name in self._given}, **self._general}

    def _general_settings(self, state: Any) -> GeneralSettings:
        from mcts_core.engine.general_searcher import GeneralSettings

        options = self._general_options(state)
        if self._threads > 1:
            raise InvalidOption(
                f"threads must be 1 for a general game and with an evaluator, got {self._threads} for {shorten(state)}"
            )
        options["by_value"] = options.pop("final_move") == "max"
        options["noise_alpha"] = options.get("noise_alpha") or 0.0
        return GeneralSettings(**options)

    def _change_core(self, settings: SearchSettings | GeneralSettings) -> None:
        """To the other kind of tree. Raises SearchBusy while the one at hand is searched."""
        from mcts_core.engine.general_searcher import GeneralCore, GeneralSettings

        self._core.check_free()
        if isinstance(settings, GeneralSettings):
            self._core = GeneralCore(self._memory, settings)
        else:
            self._core = SearchCore(self._memory, self._threads)

    def stats(self) -> Stats:
        """The figures of the last search. Raises NoSearch before the first one and after one that failed."""
        figures = self._core.figures()
        if figures is None:
            raise NoSearch("there are no statistics: no search has run yet, or the last one failed")
        return _stats_of(self._core, figures)

    def tree(self, max_depth: int = 3, min_share: float = 0.01) -> Node:
        """The top of the last search's tree as data; see ``Stats.tree``."""
        return self.stats().tree(max_depth, min_share)


_local = _ThreadLocal()


def search(state: Any, seconds: float | None = None, *, iterations: int | None = None, **options: Any) -> Any:
    """The move to play in ``state``: a search by this thread's own Searcher, made with ``options``.

    See ``Searcher`` for the options and ``Searcher.search`` for the budgets and the errors. ``stats()`` tells what it
    found. Every call begins anew, unless ``reuse=True`` is given. For ``stats()`` the thread keeps ``state`` until its
    next search; nothing of a game is kept any longer.
    """
    begin = clock()
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None or _local.options != options:
        engine = Searcher(**{"reuse": False, **options})
        _local.engine, _local.options = engine, options
    _local.stats = None
    budget = engine._budget(state, seconds, iterations)
    core = engine._core
    move = core.search(state, budget[0], begin, *budget[1:])
    if core.held > ARENA_KEPT:  # the caller waits for the move: no Stats are made before somebody asks for them
        figures = core.figures()
        assert figures is not None  # a search has just ended
        _local.stats = core, figures, _top_of(core, figures["number"])
        core.release()
    return move


def stats() -> Stats:
    """The figures of the last ``search`` of this thread. Raises NoSearch when there was none or it failed."""
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None:
        raise NoSearch("there are no statistics: search() has not been called in this thread")
    if isinstance(_local.stats, tuple):
        core, figures, top = _local.stats
        _local.stats = found = _stats_of(core, figures)
        found._origin.keep(found.move, top)
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


def _top_of(core: SearchCore | GeneralCore, number: int) -> tuple[Any, ...] | None:
    """What ``Origin.keep`` keeps of the tree of the search ``number``, the last one."""
    if not isinstance(core, SearchCore):
        return None
    from mcts_core.engine.top import top

    return top(core, number, KEPT_DEPTH, KEPT_SHARE, MAX_NODES)


def _stats_of(core: SearchCore | GeneralCore, figures: dict[str, Any]) -> Stats:
    from mcts_core.origin import Origin
    from mcts_core.results import MoveStats, Stats

    moves = tuple(MoveStats(*child) for child in figures.pop("moves"))
    rate = figures["iterations"] / figures["seconds"]
    figures["pv"] = tuple(figures["pv"])
    state, number = figures.pop("state"), figures.pop("number")
    found = Stats(**figures, moves=moves, iterations_per_second=rate)
    object.__setattr__(found, "_origin", Origin(core, state, None if found.stop_reason == "running" else number))
    return found


def _reporter(
    core: SearchCore | GeneralCore, progress: Any, every: Any
) -> tuple[Callable[[dict[str, Any]], object], float]:
    """What the core calls with figures, and how often."""
    interval = _as_number(every, "every", 1e-3, 1e9)
    if not callable(progress):
        raise InvalidOption(f"progress must be a function of one argument, the Stats so far, got {shorten(progress)}")
    return lambda figures: progress(_stats_of(core, figures)), interval


def _random_seed() -> int:
    return int.from_bytes(urandom(8), "little")


def _as_duration(seconds: Any) -> float:
    duration = _as_number(seconds, "seconds", 0.0, MAX_SECONDS)
    if duration <= 0.0:
        raise InvalidOption(f"seconds must be a finite number above 0, got {shorten(seconds)}")
    return duration


def _as_number(value: Any, name: str, low: float, high: float) -> float:
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


def _number(value: Any, name: str, low: float, high: float) -> float | None:
    return None if value is None else _as_number(value, name, low, high)


def _whole(value: Any, name: str, low: int, high: int) -> int | None:
    return None if value is None else as_int(value, name, low, high)


def _flag(value: Any, name: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise InvalidOption(f"{name} must be True or False, got {shorten(value)}")


def _function(value: Any, name: str) -> Any:
    if value is None or callable(value):
        return value
    raise InvalidOption(f"{name} must be a function, got {shorten(value)}")


def _choice(value: Any, name: str, known: tuple[str, ...]) -> str | None:
    if value is None or (isinstance(value, str) and value in known):
        return value
    raise InvalidOption(f"{name} must be {' or '.join(map(repr, known))}, got {shorten(value)}")
