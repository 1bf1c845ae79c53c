"""The face of the package: ``Searcher``, ``search``, ``stats`` and ``rollouts``."""

from __future__ import annotations

from _thread import _local as _ThreadLocal

from mcts_core.arguments import as_int
from mcts_core.engine import bulk_rollouts
from mcts_core.engine.loop import clock
from mcts_core.engine.request import ANY, BELOW, NEVER, SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import InformationSettings, TwoPlayerSettings
from mcts_core.errors import NoSearch, SearchBusy
from mcts_core.keywords import checked, refuse
from mcts_core.options import (
    MAX_ITERATIONS,
    MAX_SEED,
    NAMES,
    Options,
    as_duration,
    as_interval,
    as_progress,
    random_seed,
)

TYPE_CHECKING = False  # typing itself, and dataclasses, would be most of the time that importing this package takes
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from typing import Any, Self, Unpack

    from mcts_core.engine.background_search import BackgroundSearch, Pondering
    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.settings import SearchSettings
    from mcts_core.games.mnk.network import Network
    from mcts_core.keywords import (
        Evaluator,
        FinalMove,
        Preset,
        RaveSchedule,
        Rollout,
        SearchOptions,
        Selection,
        Valuation,
    )
    from mcts_core.results import Node, Rollouts, Stats

ARENA_KEPT = 64 << 20
"""Bytes of tree memory that the module's ``search`` keeps for the thread's next call; a larger tree is released."""
_BUDGETS = ("seconds", "iterations")
_WATCHED = (*_BUDGETS, "progress", "every")
"""The keywords of a search by a Searcher."""
_OF_A_SEARCH = {name: f"search(state, {name}=...)" for name in _BUDGETS}
_OF_SEARCHER = {name: f"Searcher({name}=...)" for name in NAMES}


class Searcher:
    """A Monte Carlo tree search with its options and its memory.

    Every option is given by keyword. Those that are not given, or None, have the value that is strongest for the game
    at hand as far as it was measured (``bench/TUNING.md``).

    preset: ``"strong"``, or ``"uct"`` for textbook UCT (Kocsis and Szepesvari, ECML 2006): UCB1, random rollouts, no
        solver, no knowledge beyond the rules. It is the start; other options change single points of it.
    selection: ``"ucb1"``; ``"ucb1-tuned"`` (Auer et al. 2002); ``"rave"`` (Gelly and Silver 2011, all moves as first);
        ``"grave"`` (Cazenave 2015): RAVE with the statistics of the deepest ancestor with ``grave_ref`` visits;
        ``"puct"``: by priors (see ``c_puct``), those of the game's valuation, or of its own judgement of moves.
    valuation: how the value of a new leaf is found, for native games: ``"rollout"``; ``"network"``: by the valuation
        that the game has, which needs ``selection="puct"``; or a number from 0 to 1: the share of the valuation, the
        rest is that of rollouts. Five in a row has one on boards with sides of 5 to 22, a network of line patterns,
        and with more than 64 cells it is the default. Whoever gives an option of rollout searches (``selection`` other
        than ``"puct"``, ``exploration``, ``rollout``, ``rollouts_per_leaf``, ``prior_weight``, ``rave_*``,
        ``grave_ref``) and none of ``valuation``, ``network``, ``c_puct``, ``noise_*``, ``least_prior`` gets rollouts.
    network: the network of five in a row, a ``mcts_core.games.mnk.network.Network`` or the bytes of its file, which
        raise InvalidFile where they are damaged; the default is the one that comes with the package. It is data, and
        searches only read it.
    exploration: the c of UCB1, ``value + c * sqrt(ln(parent visits) / visits)`` with values in [0, 1]; finite, >= 0.
    fpu: first-play urgency, the score of a child without a visit; None: every child is tried before one is visited
        again. Where there is a prior (``prior_weight``) or an AMAF statistic, that is the score instead.
    solver: whether proven values are backed up (Winands et al. 2008). A proven loss is never chosen while another move
        lives, a proven win is played the shortest known way, a lost position the longest one; the search stops when
        the root is proven. With it comes the exact search that a native game offers: Connect Four's and small boards'
        alpha-beta, m,n,5's wins by fours and open threes.
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
        expanded; for an expanded one, per visit, in each octave of its visits; for the root, per iteration, and with
        selection ``"puct"`` as much again for the position after the most visited move, as long as that is unproven.
    final_move: ``"robust"``, the most visited move, or ``"max"``, the move with the best value (Browne et al., IEEE
        TCIAIG 4, 2012, section 3.1). A move that wins at once is played in any case. ``"best_line"``, for general games
        of one player without chance, written in Python: the search keeps the best line that a rollout or the tree has
        found and plays its first move; the next search goes on with the rest of that line.
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
    c_puct: PUCT is ``value + c_puct * prior * sqrt(parent visits) / (1 + visits)`` with values in [0, 1]. With an
        evaluator the default is 0.625, and a move without a visit has the value of its parent, or ``fpu``. With
        ``selection="puct"`` the default is 0.8, and a move without a visit has the mean value of its visited siblings
        less ``fpu`` (default 0.1).
    noise_alpha, noise_weight: with PUCT, Dirichlet noise for self-play: a prior at the root is (1 - weight) times
        itself and weight (0 to 1, default 0.25) times noise of Dirichlet(alpha), alpha > 0; None: no noise.
    least_prior: with ``selection="puct"`` and ``expand_distance``, moves below the root whose prior is below this share
        (0 to 1, default 0.01) of the highest one are left out, unless all others lose.
    temperature: with an evaluator or a general game, the move to play is drawn with probabilities in proportion to
        visits ** (1 / temperature); 0, the default, plays by ``final_move``.
    rollout_moves: in a general game with rewards or a discount, written in Python, rollouts end after so many moves (1
        to 1,000,000), and what would come later counts nothing; None: they go on to the end of the game.
    progress, every: a function that ``search`` calls with the Stats so far whenever ``every`` seconds (0.001 to 1e9,
        default 0.1) have passed. It is not saved, pickled or copied with the Searcher.

    A state with ``players`` is one of a general game (docs/general_games.md): any number of players, in any order, and
    chance. Of the options it knows exploration, fpu, rollouts_per_leaf, final_move, memory_mb, prune, seed, reuse,
    stop_early, threads (native games), exchange_every, temperature and those of evaluators; with an evaluator there are
    no exploration, no rollouts_per_leaf and no threads.

    A Searcher serves one search at a time and may be used from any thread; ``SearchBusy`` otherwise, unless that search
    was cancelled: it is about to end, and is waited for, five seconds at most. Raises ``InvalidOption``, also in
    ``search`` for an option that the game at hand does not know.
    """

    __slots__ = ("_background", "_core", "_options", "_served", "_settings", "__weakref__")

    @checked(_OF_A_SEARCH)
    def __init__(
        self,
        *,
        preset: Preset | None = None,
        selection: Selection | None = None,
        exploration: float | None = None,
        fpu: float | None = None,
        solver: bool | None = None,
        rollout: Rollout | None = None,
        rollouts_per_leaf: int | None = None,
        expand_after: int | None = None,
        expand_distance: int | None = None,
        prior_weight: float | None = None,
        rave_schedule: RaveSchedule | None = None,
        rave_k: float | None = None,
        rave_bias: float | None = None,
        grave_ref: int | None = None,
        symmetry: bool | None = None,
        leaf_proofs: int | None = None,
        node_proofs: int | None = None,
        root_proofs: int | None = None,
        final_move: FinalMove | None = None,
        memory_mb: float | None = None,
        seed: int | None = None,
        stop_early: bool | None = None,
        threads: int = 1,
        exchange_every: int | None = None,
        reuse: bool = True,
        prune: bool = True,
        evaluator: Evaluator | None = None,
        policy_value: Evaluator | None = None,
        batch: int | None = None,
        c_puct: float | None = None,
        noise_alpha: float | None = None,
        noise_weight: float | None = None,
        temperature: float | None = None,
        valuation: Valuation | None = None,
        network: Network | bytes | None = None,
        least_prior: float | None = None,
        rollout_moves: int | None = None,
        progress: Callable[[Stats], object] | None = None,
        every: float = 0.1,
    ) -> None:
        options = {**locals()}
        del options["self"]
        self._options = Options(options)
        self._settings: dict[object, SearchSettings] = {}
        self._background: BackgroundSearch | None = None
        self._core: SearchCore = TwoPlayerCore(self._options.memory, self._options.threads)
        self._served: type = TwoPlayerSettings  # the kind of settings that the core is for

    def __repr__(self) -> str:
        return f"Searcher({self._options})"

    def options(self, state: Any) -> dict[str, Any]:
        """The options that a search of ``state`` has, the defaults of its game included."""
        return self._options.of(state)

    @checked(_OF_SEARCHER)
    def search(
        self,
        state: Any,
        seconds: float | None = None,
        *,
        iterations: int | None = None,
        progress: Callable[[Stats], object] | None = None,
        every: float | None = None,
    ) -> Any:
        """Searches ``state`` and returns the move to play.

        ``state`` is a position of this package or any object with ``to_move``, ``legal_moves()``, ``play(move)`` and
        ``winner()``. The search ends after ``seconds`` (finite, > 0) or ``iterations`` (1 to 2**30 - 1, divided by
        ``rollouts_per_leaf``), whichever comes first; after one second where neither is given. The GIL is released but
        for calls of a Python-written game. ``stop()`` in another thread ends it before.

        ``progress`` is called with the Stats so far whenever ``every`` seconds (0.001 to 1e9) have passed, in the
        calling thread, while the search waits. An exception that it raises ends the search and comes out of it. The
        defaults are those of the Searcher.

        Raises InvalidOption (a budget, or an option that the game does not know), InvalidState (no state), GameOver,
        GameError (the user's game failed; its exception is the cause), SearchBusy, and KeyboardInterrupt on Ctrl-C. The
        Searcher can be used afterwards.
        """
        request = self._request(state, seconds, iterations, clock())
        if progress is None:
            progress = self._options.progress
        if progress is not None:
            request.every = self._options.every if every is None else as_interval(every)
            request.progress = _reporter(self._core, as_progress(progress))
        return self._core.search(request)

    def _request(self, state: Any, seconds: float | None, iterations: int | None, begin: float = 0.0) -> SearchRequest:
        """A search of ``state``, for which the core is made ready. ``begin``: when it was asked for."""
        options = self._options
        kind = options.kind_of(state)
        settings = self._settings.get(kind)
        if settings is None or type(settings) is not self._served:
            settings = self._prepare(state, kind)
        limit, duration, early, reuse = 0, 0.0, options.stop_early, NEVER
        if iterations is not None:
            limit = as_int(iterations, "iterations", 1, MAX_ITERATIONS // settings.rollouts_per_leaf)
        if seconds is not None:
            duration = as_duration(seconds)
        elif not limit:
            duration = 1.0
        if early is None:
            early = limit == 0 and options.preset != "uct"
        if options.reuse:  # a seed says what a search finds: the same position again begins anew
            reuse = ANY if options.seed is None else BELOW
        seed = random_seed() if options.seed is None else options.seed
        return SearchRequest(state, settings, begin, duration, limit, seed, early, reuse)

    def _prepare(self, state: Any, kind: object) -> SearchSettings:
        """The settings of a search of ``state``, for whose kind of tree the core is. SearchBusy while another kind is
        searched."""
        settings = self._settings.get(kind)
        if settings is None:
            settings = self._options.settings(state)
        self._fit_core(settings)
        if self._options.threads > 1:
            self._core.check(state, settings)  # that it is no state would be worse
            self._options.check_threads(state)
        self._settings[kind] = settings
        return settings

    def _fit_core(self, settings: SearchSettings) -> None:
        """Makes the core one for this kind of tree. SearchBusy while another kind is searched."""
        kind: type = type(settings)
        if kind is self._served:
            return
        self._core.check_free()
        core: type[SearchCore] = TwoPlayerCore
        if kind is InformationSettings:
            from mcts_core.engine.searched_information import InformationCore as core
        elif kind is not TwoPlayerSettings:
            from mcts_core.engine.searched_general import GeneralCore as core
        self._core = core(self._options.memory, self._options.threads)
        self._served = kind

    def ponder(self, state: Any) -> None:
        """Searches ``state`` in a thread of its own, without a budget, until ``stop()``.

        The search ends by itself when it is solved or the memory is full. It does not keep the interpreter from
        ending, and it stops when the Searcher is no longer referenced. Raises what ``search`` raises for the state.
        """
        self._background = self._begin_pondering(state)

    def _begin_pondering(self, state: Any) -> BackgroundSearch:
        """The search, which ends with the last reference to it."""
        from mcts_core.engine.background_search import BackgroundSearch

        request = self._request(state, None, 1, clock())
        self._core.check(state, request.settings)
        return BackgroundSearch(self._core, request.replace(iterations=0, stop_early=False))

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
        if figures is None:
            return None
        from mcts_core.origin import stats_of

        return stats_of(self._core, figures)

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

    @checked(_OF_SEARCHER)
    async def search_async(
        self, state: Any, seconds: float | None = None, *, iterations: int | None = None
    ) -> Any:
        """``search`` for asyncio, in a thread of its own. When the task is cancelled the search ends, and so does its
        thread before CancelledError goes on."""
        from mcts_core.background import search_async

        request = self._request(state, seconds, iterations, clock())
        return await search_async(self._core, request)

    @checked(_OF_SEARCHER)
    def watch(
        self, state: Any, seconds: float | None = None, *, iterations: int | None = None, every: float = 0.1
    ) -> Iterator[Stats]:
        """Searches ``state`` in a thread of its own and yields Stats after every ``every`` seconds and at the end.

        The search begins with the first step of the iterator and ends when that is closed. A consumer that is slow
        gets the latest Stats. Budgets and errors are those of ``search``.
        """
        from mcts_core.engine.background_search import Watch
        from mcts_core.origin import stats_of

        request = self._request(state, seconds, iterations)
        request.every = as_interval(every)
        self._core.check(state, request.settings)
        return Watch(self._core, request, stats_of)

    def stats(self) -> Stats:
        """The figures of the last search. Raises NoSearch before the first one and after one that failed."""
        figures = self._core.figures()
        if figures is None:
            raise NoSearch("there are no statistics: no search has run yet, or the last one failed")
        from mcts_core.origin import stats_of

        return stats_of(self._core, figures)

    def tree(self, max_depth: int = 3, min_share: float = 0.01) -> Node:
        """The top of the last search's tree as data; see ``Stats.tree``."""
        return self.stats().tree(max_depth, min_share)


_local = _ThreadLocal()


def search(
    state: Any,
    seconds: float | None = None,
    *,
    iterations: int | None = None,
    progress: Callable[[Stats], object] | None = None,
    every: float = 0.1,
    **options: Unpack[SearchOptions],
) -> Any:
    """The move to play in ``state``: a search by this thread's own Searcher, made with ``options``.

    See ``Searcher`` for the options and ``Searcher.search`` for the budgets, ``progress`` and the errors. ``stats()``
    tells what it found. Every call begins anew, unless ``reuse=True`` is given. For ``stats()`` the thread keeps
    ``state`` until its next search; nothing of a game is kept any longer.
    """
    begin = clock()
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None or _local.options != options:
        if not options.keys() <= NAMES:
            refuse("search", {name: value for name, value in options.items() if name not in NAMES}, (*_WATCHED, *NAMES))
        own: SearchOptions = {"reuse": False, **options}
        engine = Searcher(**own)
        _local.engine, _local.options = engine, options
    _local.stats = None
    request = engine._request(state, seconds, iterations, begin)
    core = engine._core
    if progress is not None:
        request.every, request.progress = as_interval(every), _reporter(core, as_progress(progress))
    move = core.search(request)
    if core.held > ARENA_KEPT:  # the caller waits for the move: no Stats are made before somebody asks for them
        from mcts_core.origin import top_of

        figures = core.figures()
        assert figures is not None  # a search has just ended
        _local.stats = core, figures, top_of(core, figures["number"])
        core.release()
    return move


def stats() -> Stats:
    """The figures of the last ``search`` of this thread. Raises NoSearch when there was none or it failed."""
    engine: Searcher | None = getattr(_local, "engine", None)
    if engine is None:
        raise NoSearch("there are no statistics: search() has not been called in this thread")
    if isinstance(_local.stats, tuple):
        from mcts_core.origin import stats_of

        core, figures, top = _local.stats
        _local.stats = found = stats_of(core, figures)
        found._origin.keep(found.move, top)
    return _local.stats or engine.stats()


def rollouts(state: Any, n: int, *, seed: int | None = None) -> Rollouts:
    """Plays ``n`` (1 to 2**40) uniformly random games from ``state`` and counts their results for the player to move.

    The same seed gives the same counts on every machine. Raises InvalidOption, InvalidState, GameOver, GameError.
    """
    count = as_int(n, "n", 1, 2**40)
    chosen = random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    losses, draws, wins, plies, seconds = bulk_rollouts.run(state, count, chosen)
    from mcts_core.results import Rollouts

    return Rollouts(wins, draws, losses, plies / count, seconds, count / seconds)


def _reporter(core: SearchCore, progress: Callable[[Stats], object]) -> Callable[[dict[str, Any]], object]:
    """What the core calls with figures."""
    from mcts_core.origin import stats_of

    return lambda figures: progress(stats_of(core, figures))
