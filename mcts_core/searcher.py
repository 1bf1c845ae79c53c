"""The main functions of the package: ``Searcher``, ``search``, ``stats`` and ``rollouts``."""

from __future__ import annotations

from _thread import _local as _ThreadLocal

from mcts_core.arguments import as_int
from mcts_core.engine import bulk_rollouts
from mcts_core.engine.loop import clock
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import InformationSettings, TwoPlayerSettings
from mcts_core.errors import InvalidOption, NoSearch, SearchBusy
from mcts_core.game import import_numpy
from mcts_core.games.user_states import require_state
from mcts_core.option_rows import MAX_SEED, NAMES, as_interval, as_progress, checked, refuse
from mcts_core.options import Options, random_seed

TYPE_CHECKING = False  # typing itself, and dataclasses, would be most of the time that importing this package takes
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from typing import Any, Self, Unpack

    from mcts_core.engine.background_search import BackgroundSearch, Pondering
    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.settings import SearchSettings
    from mcts_core.games.mnk.network import Network
    from mcts_core.option_rows import (
        Evaluator,
        FinalMove,
        Preset,
        Progress,
        RaveSchedule,
        Rollout,
        RootPolicy,
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

    All options are keywords. An option that is not given, or is None, has a default that depends on the game.
    ``bench/TUNING.md`` has the evidence for each default.

    preset: ``"strong"``, or ``"uct"`` for plain UCT as in textbooks (Kocsis and Szepesvari, ECML 2006): UCB1, random
        rollouts, no solver, no knowledge beyond the rules. The preset sets the defaults; the other options override
        them.
    selection: the formula that selects the moves to search: ``"ucb1"`` or ``"ucb1-tuned"`` (Auer et al. 2002);
        ``"rave"`` (Gelly and Silver 2011, all moves as first); ``"grave"`` (Cazenave 2015), which is RAVE with the
        statistics of the deepest ancestor that has ``grave_ref`` visits; ``"puct"``, which uses priors (see ``c_puct``)
        from the game's valuation or from the game's own judgement of moves.
    valuation: how a new leaf gets its value, for native games. ``"rollout"``: by a rollout; ``"network"``: by the
        game's own valuation, which needs ``selection="puct"``; a number from 0 to 1: the share of the valuation, where
        rollouts give the rest. Five in a row has a valuation on boards with sides of 5 to 22, a network of line
        patterns. With more than 64 cells it is the default, unless you give an option of rollout searches
        (``selection`` other than ``"puct"``, ``exploration``, ``rollout``, ``rollouts_per_leaf``, ``prior_weight``,
        ``rave_*``, ``grave_ref``) and none of ``valuation``, ``network``, ``c_puct``, ``noise_*``, ``least_prior``.
    network: the network of five in a row: a ``mcts_core.games.mnk.network.Network`` or the bytes of its file. A
        damaged file raises InvalidFile. The default is the network of the package. Searches only read the network.
    exploration: the c of UCB1, ``value + c * sqrt(ln(parent visits) / visits)`` with values from 0 to 1. It is finite
        and >= 0. A larger c spreads the visits over more moves.
    fpu: first-play urgency, the score of a child without a visit. None: the search tries every child once before it
        visits one again. A child with a prior (``prior_weight``) or an AMAF statistic has that as its score instead.
    solver: whether the search backs up proven values (Winands et al. 2008). Then it never plays a proven loss while
        another move is left, plays a proven win by the shortest known way, holds out in a lost position as long as
        possible, and stops when the root is proven. The solver includes the exact search of a native game: alpha-beta
        in Connect Four and on small boards, wins by fours and open threes in five in a row. In general games without
        rewards and an evaluator it proves bounds of all values (Cazenave and Saffidine 2010); with an evaluator, only
        games of two players with ``constant_sum`` have the solver.
    rollout: ``"random"``; ``"decisive"``: a move that wins at once, otherwise one that stops the opponent from winning
        at once; ``"tactical"``: also makes and answers open fours and open threes (m,n,k games with k >= 4 and a side
        longer than k).
    rollouts_per_leaf: the rollouts of one iteration, 1 to 100. An iteration counts as one visit with the mean of their
        results. RAVE and GRAVE use the moves of the last rollout.
    expand_after: the visits after which a node gets its children, >= 1.
    expand_distance: for m,n,k games: the children are the cells within this distance of a stone, 0 to 32; 0: all
        cells. Moves that win or that stop the opponent from winning are always children. If all children lose, the
        other cells join them.
    prior_weight: the weight of the game's own judgement of a move, in virtual visits, >= 0.
    rave_schedule: the weight of RAVE. ``"hand"``: beta = sqrt(k / (3 N + k)) with k = ``rave_k``; ``"mse"``: the
        minimum mean square error, beta = a / (n + a + n a ``rave_bias``) with a the AMAF visits. GRAVE uses ``"mse"``.
    symmetry: whether the search, below the root, keeps only the first of several moves that are mirror images or
        rotations of each other.
    leaf_proofs, node_proofs, root_proofs: limits for the steps of exact search; a step takes about 20 to 300 ns.
        ``leaf_proofs`` is the limit for a new leaf with a valuation, otherwise for a node that is expanded;
        ``node_proofs`` for an expanded node with at least 64 visits, per visit; and ``root_proofs`` for the root, per
        iteration. With selection ``"puct"``, the position after the most visited move also gets four times
        ``root_proofs``: there the search looks for a win of the other player. With an evaluator, ``leaf_proofs`` is the
        limit for every new leaf, and the root and its most visited move each get ``root_proofs`` per iteration.
    book: whether exact search may read the book of Connect Four. The book has values of positions with ten stones and
        distances of positions with four, on the board of 7 columns and 6 rows; other games and boards have no book.
        ``Stats.book`` reports whether the search read it. The default is True, or False with ``preset="uct"``. Searches
        with an evaluator do not read the book.
    final_move: ``"robust"``: the most visited move; ``"max"``: the move with the best value (Browne et al., IEEE
        TCIAIG 4, 2012, section 3.1). A move that wins at once is played in any case. ``"best_line"``, for general games
        of one player without chance, written in Python: the search keeps the best line that the tree or a rollout has
        found and plays its first move. The next search continues that line.
    memory_mb: the memory limit of the trees of all threads and of exact search in units of 2**20 bytes, at least 1,
        and without an evaluator at least 1 for each thread. The default is a quarter of the machine's memory. When a
        tree reaches its limit, it is pruned: the search drops the least visited subtrees until half of the tree is
        left. With a time limit, it keeps no more than it can move in a twentieth of the remaining time.
    prune: whether a full tree is pruned (see ``memory_mb``). If False, a search that reaches the memory limit ends with
        the stop reason ``memory``.
    seed: an int from 0 to 2**64 - 1. The first search starts from it, and each later one from a seed that is derived
        from it and from the number of searches before. So a Searcher repeats all of its searches, given the same
        positions and numbers of iterations, on every machine, but it may answer a position that comes again in another
        way. ``Stats.seed`` is the seed of one search: give it to a new Searcher, or to ``mcts_core.search``, to repeat
        that search. Pondering counts as a search, and so does a search that fails or is interrupted; one that is
        refused before it begins does not. ``save``, ``load``, pickles and copies keep the number of searches. By
        default, each search draws a new seed.
    reuse: whether a search continues with the tree of the last search, if its position is the last one or follows from
        it by play. (With a ``seed``, the last position itself is searched from scratch, so that ``Stats.seed`` alone
        repeats that search.) ``Stats.reused_visits`` reports the visits that were reused. Proofs of exact search are
        kept during a game even if no visits are reused. A search with a time limit spends at most a twentieth of it on
        moving the tree, and keeps the most visited nodes if that is too short. States written in Python must be
        hashable and equal by value, unless they are the same object. The search finds a state if it is among the 256
        most visited ones of the last tree, or anywhere in that tree if states also have an attribute ``moves``, the
        list of all moves so far.
    stop_early: whether a search ends before its limit when its move is certain: when there is one legal move
        (``only_move``, after one iteration), or when no other move can become the most visited one (``decided``). With
        a number of iterations, ``decided`` is exact. With a time limit, it assumes that the search at most doubles its
        speed, and it applies only if it saves at least a tenth of the time. ``decided`` needs ``solver=False`` and the
        final move ``"robust"``, because proven values and ``"max"`` may change the choice at any time. By default,
        ``stop_early`` is on for searches with only a time limit, and always off with the preset ``"uct"``.
    threads: the threads of a search, 1 to 256, for native games. With rollouts, each thread has its own tree in an
        equal share of ``memory_mb``. After every ``exchange_every`` iterations, the trees exchange the statistics of
        the nodes near the root (slow tree parallelisation: Bourki et al., CG 2010). With a native valuation, there is
        one tree, and up to 8 threads value its leaves, with virtual loss (Chaslot et al., CG 2008). With a number of
        iterations, the same seed and number of threads give the same result. Stats are totals over all threads. A
        search with fewer than 512 iterations per thread runs in one thread, and so does a search by plain UCT with
        fewer iterations than the root has moves. With an ``evaluator``, of any game, 2 or more let a second thread call
        it while the search gathers the next batch in its one tree. Then up to two batches wait. With ``policy_value``,
        it must be 1.
    exchange_every: the iterations of each thread between two exchanges; see ``threads``.
    evaluator: a function that estimates the values of a batch of leaves, in place of rollouts,
        ``f(observations[B, C, H, W]) -> (policy[B, A], value[B])``, with numpy arrays of float32. Values are from -1 to
        1 for the side to move; in games with rewards or a discount they are finite numbers in the units of the rewards,
        one for each player if there are two or more. Policies are numbers >= 0; the search divides those of the legal
        moves by their sum and uses them as priors of PUCT (Silver et al., Science 362, 2018). See docs/evaluators.md.
    policy_value: a function that does the same for one state, ``f(state) -> (priors, value)``. The priors are a dict
        from moves to numbers, or a sequence in the order of the legal moves.
    batch: the leaves that an evaluator gets at a time, 1 to 4096. The default is 8, and 1 with ``policy_value``. A
        visit that waits for the evaluator counts as a loss (virtual loss).
    c_puct: the c of PUCT, ``value + c * prior * sqrt(parent visits) / (1 + visits)`` with values from 0 to 1. With an
        evaluator the default is 0.625, and a move without a visit has the value of its parent, or ``fpu``. With
        ``selection="puct"`` the default is 0.8, and a move without a visit has the mean value of its visited siblings
        minus ``fpu`` (default 0).
    noise_alpha, noise_weight: with PUCT, Dirichlet noise for self-play. A prior at the root becomes
        ``(1 - weight) * prior + weight * noise``, with the weight from 0 to 1 (default 0.25) and the noise drawn from
        Dirichlet(alpha), alpha > 0. With alpha None, there is no noise.
    root_policy: with an evaluator, ``"puct"`` (the default) or ``"gumbel"`` (Danihelka et al., ICLR 2022): sequential
        halving among the ``gumbel_moves`` moves (1 to 65536, default 16) with the highest sum of the logarithm of the
        prior and Gumbel noise times ``gumbel_scale`` (default 1; 0: no noise). Below the root, it selects by the
        improved policy. Such a search needs ``iterations``, starts with an empty tree, and reports the improved policy
        as ``MoveStats.policy``.
    least_prior: with ``selection="puct"`` and ``expand_distance``: below the root, the search leaves out moves whose
        prior is below this share (0 to 1, default 0.01) of the highest prior, unless all others lose.
    temperature: with an evaluator or in a general game, the move to play is drawn with probabilities in proportion to
        visits ** (1 / temperature). With 0, the default, ``final_move`` chooses the move.
    rollout_moves: in a general game with rewards or a discount, written in Python: the moves after which a rollout
        ends, 1 to 1,000,000. Whatever would come later counts 0. With None, rollouts go on to the end of the game.
    nested_rollouts: in place of a tree, the search uses nested rollout policy adaptation (Rosin, IJCAI 2011), for
        general games of one player without chance and hidden information, written in Python or Cython. The number, 2 to
        1,000,000, is that of the searches in each level. Rollouts follow a policy that learns from the best line found
        so far; equal moves share a weight in all positions. The search plays the first move of the best line, as with
        the final move ``"best_line"``, and the next search continues that line. With None, it searches a tree. See
        docs/planning.md.
    progress, every: True draws a bar while ``search`` runs, with the best move so far, its value and the time left: in
        the terminal (by rich or tqdm if one is installed), or in a notebook as an output that is updated. A function
        gets the Stats so far, each time ``every`` seconds (0.001 to 1e9, default 0.1) have passed. The function is not
        saved, pickled or copied with the Searcher.

    A state with an attribute ``players`` belongs to a general game (docs/general_games.md): any number of players, in
    any order, and chance. General games use these options: exploration, fpu, rollouts_per_leaf, final_move, solver,
    memory_mb, prune, seed, reuse, stop_early, threads (native games), exchange_every, temperature, rollout_moves,
    nested_rollouts, and the options of evaluators. With an evaluator, exploration, rollouts_per_leaf and exchange_every
    are not allowed.

    You may use a Searcher from any thread, for one search at a time. A second search raises ``SearchBusy``, unless the
    first was cancelled: then the second waits for its end, 5 s at most. Raises ``InvalidOption``; ``search`` also
    raises it for an option that the game does not have.
    """

    __slots__ = ("_background", "_core", "_options", "_requests", "__weakref__")

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
        book: bool | None = None,
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
        root_policy: RootPolicy | None = None,
        gumbel_moves: int | None = None,
        gumbel_scale: float | None = None,
        temperature: float | None = None,
        valuation: Valuation | None = None,
        network: Network | bytes | None = None,
        least_prior: float | None = None,
        rollout_moves: int | None = None,
        nested_rollouts: int | None = None,
        progress: Progress | None = None,
        every: float = 0.1,
    ) -> None:
        options = {**locals()}
        del options["self"]
        self._options = Options(options)
        self._requests = self._options.requests(TwoPlayerSettings)
        self._background: BackgroundSearch | None = None
        self._core: SearchCore = TwoPlayerCore(self._options.memory, self._options.threads)

    def __repr__(self) -> str:
        return f"Searcher({self._options})"

    def options(self, state: Any) -> dict[str, Any]:
        """Returns all options of a search of ``state``, including the defaults of its game.

        Raises InvalidOption (an option that the game does not have) and InvalidState (not a state).
        """
        require_state(state)
        return self._options.of(state)

    def most_iterations(self, state: Any) -> int:
        """Returns the largest number of ``iterations`` that a search of ``state`` accepts. Raises as ``options``."""
        require_state(state)
        return self._options.settings(state).most_iterations

    @checked(_OF_SEARCHER)
    def search(
        self,
        state: Any,
        seconds: float | None = None,
        *,
        iterations: int | None = None,
        progress: Progress | None = None,
        every: float | None = None,
    ) -> Any:
        """Searches ``state`` and returns the move to play.

        ``state`` is a position of this package or any object with ``to_move``, ``legal_moves()``, ``play(move)`` and
        ``winner()``. The search ends after ``seconds`` (finite, > 0) or ``iterations`` (at least 1;
        ``most_iterations(state)`` is the most). With both, the limit reached first ends the search; with
        neither, it ends after one second. ``stop()`` in another thread ends it earlier. The search releases the GIL,
        except while it calls a game written in Python.

        ``progress``: True draws a bar, False draws none. A function gets the Stats so far, each time ``every`` seconds
        (0.001 to 1e9) have passed. It runs in the calling thread while the search waits. If it raises an exception, the
        search ends and raises that exception. By default, the search uses ``progress`` and ``every`` as given to the
        Searcher.

        Raises InvalidOption (an invalid limit, an option that the game does not have, or a ``memory_mb`` too small for
        the legal moves), InvalidState (not a state), GameOver, GameError (your game failed; its exception is the
        cause), SearchBusy, and KeyboardInterrupt on Ctrl-C. You can use the Searcher again afterwards.
        """
        request = self._request(state, seconds, iterations, clock())
        if progress is None:
            progress = self._options.progress
        interval = self._options.every if every is None else as_interval(every)
        if progress is False:
            return self._core.search(request)
        request.every = interval
        return _watched(self._core, request, progress)

    def _request(self, state: Any, seconds: float | None, iterations: int | None, begin: float = 0.0,
                 seed: int | None = None) -> SearchRequest:
        """A search of ``state``, for which the core is made ready. ``begin``: when it was asked for; ``seed``: its own,
        in place of the next one of the Searcher."""
        requests = self._requests
        if seed is None and requests.seed is None:
            seed = random_seed()
        return requests.make(state, begin, seconds, iterations, seed, self)

    def _fit_core(self, settings: SearchSettings) -> None:
        """Makes the core one for this kind of tree. SearchBusy while another kind is searched."""
        kind: type = type(settings)
        if kind is self._requests.served:
            return
        self._core.check_free()
        core: type[SearchCore] = TwoPlayerCore
        if kind is InformationSettings:
            from mcts_core.engine.searched_information import InformationCore as core
        elif kind is not TwoPlayerSettings:
            from mcts_core.engine.searched_general import GeneralCore as core

            if "evaluator" in self._options.conditional:
                import_numpy()  # here, since a thread that searches must not: see run_apart
        # an evaluator has one tree, and the other thread calls it
        self._core = core(self._options.memory, 1 if self._options.has_evaluator else self._options.threads)
        self._requests.served = kind

    def ponder(self, state: Any) -> None:
        """Starts a search of ``state`` in a background thread, without a limit, until ``stop()``.

        The search also ends when the position is solved or the memory is full. It does not keep the interpreter
        running, and it stops when nothing refers to the Searcher any more. Raises the errors of ``search`` for the
        state.
        """
        self._background = self._begin_pondering(state)

    def _begin_pondering(self, state: Any) -> BackgroundSearch:
        """The search, which ends with the last reference to it."""
        from mcts_core.engine.background_search import BackgroundSearch

        if self._options.by_halving:
            raise InvalidOption("root_policy 'gumbel' needs a number of iterations, and pondering has none")
        request = self._request(state, None, 1, clock())
        self._core.check(state, request.settings)
        return BackgroundSearch(self._core, request.replace(iterations=0, stop_early=False))

    def stop(self) -> Stats | None:
        """Ends the running search, waits for its end and returns its Stats. You may call it from any thread.

        The call of ``search``, ``watch`` or ``search_async`` that runs the search ends with the best move so far and
        the stop reason ``cancelled``. If no search is running, ``stop`` returns the Stats of the last one, or None if
        there was none. Within the search, so in your game, evaluator or ``progress`` function, ``stop`` does not wait:
        it returns None, and the search ends soon after that function returns. Raises GameError if the game failed while
        the Searcher pondered.
        """
        background, self._background = self._background, None
        core = self._core
        if not core.wait(core.cancel()):
            self._background = background
            return None
        if background is not None and not background.own:  # else a handler of the search's log
            background.cancel()  # of another core, if a thread has just searched a game of another kind
            background.result()
        try:
            figures = self._core.figures()
        except SearchBusy:  # another thread has begun the next search
            return None
        if figures is None:
            return None
        from mcts_core.results import stats_of

        return stats_of(self._core, figures)

    def save(self, path: str | bytes | PathLike[Any]) -> None:
        """Writes options, trees and statistics to the file ``path``, for ``Searcher.load``.

        It replaces an existing file atomically: after an error or a crash, the old file is unchanged. (Windows does not
        replace a file that another program has open. There, ``save`` waits up to 2 s for it.) The loaded Searcher
        continues exactly as this one. For this, ``save`` clears the tables of exact search in this Searcher; proofs in
        the tree stay. If there are no statistics yet, the file contains only the options.

        Raises InvalidState for a position that a file cannot contain (of a game written in Python: pickle the Searcher
        instead), SearchBusy, MemoryError, OSError.
        """
        from mcts_core.storage import save

        save(self, path)

    @classmethod
    def load(cls, path: str | bytes | PathLike[Any], *, memory_mb: float | None = None) -> Self:
        """Returns the Searcher that ``save`` wrote to the file ``path``, with its options, statistics and trees.

        A search of the same position, or of one that follows from it, continues with the tree (see ``reuse``).
        ``memory_mb`` sets a new memory limit. By default the saved limit stays; if that was the default of the machine
        that saved it, it becomes the default of this machine. You may load files that you do not trust: ``load`` runs
        no code from them and checks them before it uses them.

        Raises InvalidFile (not a saved Searcher, damaged, or of another version of the format), InvalidOption (an
        invalid ``memory_mb``, or one that is too small for the tree), MemoryError, OSError.
        """
        from mcts_core.storage import load

        return load(cls, path, memory_mb)  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        from mcts_core.storage import reduce

        return reduce(self)

    def pondering(self, state: Any) -> Pondering:
        """Ponders ``state`` during a ``with`` block: ``with engine.pondering(state): ...``.

        The search ends when the block ends, also if the block raises an exception.
        """
        from mcts_core.engine.background_search import Pondering

        return Pondering(self, state)

    @checked(_OF_SEARCHER)
    async def search_async(
        self,
        state: Any,
        seconds: float | None = None,
        *,
        iterations: int | None = None,
        progress: Progress | None = None,
        every: float | None = None,
    ) -> Any:
        """``search`` for asyncio; the search runs in a background thread.

        ``state``, ``seconds``, ``iterations``, ``progress`` and ``every`` are those of ``search``, which names their
        ranges. A function given as ``progress`` runs in the thread of the event loop: if the loop is busy, it gets the
        latest Stats alone. If the task is cancelled, the search and its thread end before CancelledError is raised.
        Raises the errors of ``search``.
        """
        from mcts_core.background import search_async

        chosen = self._options.progress if progress is None else as_progress(progress)
        interval = self._options.every if every is None else as_interval(every)
        request = self._request(state, seconds, iterations, clock())
        request.every = interval
        return await search_async(self._core, request, chosen)

    @checked(_OF_SEARCHER)
    def watch(
        self, state: Any, seconds: float | None = None, *, iterations: int | None = None, every: float = 0.1
    ) -> Iterator[Stats]:
        """Searches ``state`` in a background thread and yields Stats every ``every`` seconds (0.001 to 1e9) and at the
        end.

        The search starts with the first step of the iterator and ends when the iterator is closed. If your loop is
        slow, it gets the latest Stats. ``seconds`` and ``iterations`` limit it as in ``search``. Raises the errors of
        ``search``.
        """
        from mcts_core.engine.background_search import Watch
        from mcts_core.results import stats_of

        request = self._request(state, seconds, iterations)
        request.every = as_interval(every)
        self._core.check(state, request.settings)
        return Watch(self._core, request, stats_of)

    def stats(self) -> Stats:
        """Returns the Stats of the last search. Raises NoSearch before the first search and after a search that failed.
        """
        figures = self._core.figures()
        if figures is None:
            raise NoSearch("there are no statistics: no search has run yet, or the last one failed")
        from mcts_core.results import stats_of

        return stats_of(self._core, figures)

    def tree(self, max_depth: int = 3, min_share: float = 0.01) -> Node:
        """Returns the top of the last search's tree as data, as ``Stats.tree`` does.

        max_depth: moves from the root down, 0 to 100.
        min_share: the least share of the root's visits that a node needs, 0 to 1.

        Raises NoSearch, SearchBusy, InvalidOption.
        """
        return self.stats().tree(max_depth, min_share)


class _Last:
    """The last ``search`` of a thread."""

    __slots__ = ("engine", "options", "stats")

    def __init__(self, engine: Searcher, options: SearchOptions) -> None:
        self.engine, self.options = engine, options
        self.stats: Stats | tuple[Any, ...] | None = None
        """None: the Searcher has them; else they, or what makes them, since the tree was given back."""


_local = _ThreadLocal()
_PLAIN = (int, float, str, bytes, bool)


def _are_same(before: SearchOptions, options: SearchOptions) -> bool:
    """Whether the options are the same objects, or equal numbers and words of one type. Other things that are equal,
    such as a dataclass with the name of a network, may have changed."""
    if len(before) != len(options):
        return False
    for name, value in options.items():
        other = before.get(name)
        if other is not value and (type(value) not in _PLAIN or type(other) is not type(value) or other != value):
            return False
    return True


def search(
    state: Any,
    seconds: float | None = None,
    *,
    iterations: int | None = None,
    progress: Progress | None = None,
    every: float | None = None,
    **options: Unpack[SearchOptions],
) -> Any:
    """Searches ``state`` and returns the move to play.

    ``options`` are those of ``Searcher``. ``seconds``, ``iterations``, ``progress`` and ``every`` are those of
    ``Searcher.search``, and so are the errors that it raises. ``stats()`` returns the statistics. Every call starts
    from scratch, unless you pass ``reuse=True``, and from the same ``seed`` if you give one. The thread keeps ``state``
    until its next search, for ``stats()``.
    """
    begin = clock()
    last: _Last | None = getattr(_local, "last", None)
    if last is None or not _are_same(last.options, options):
        if not options.keys() <= NAMES:
            refuse("search", {name: value for name, value in options.items() if name not in NAMES}, (*_WATCHED, *NAMES))
        own: SearchOptions = {"reuse": False, **options}
        _local.last = last = _Last(Searcher(**own), options)
    last.stats = None
    request = last.engine._request(state, seconds, iterations, begin, last.engine._requests.seed)  # not the next one
    core = last.engine._core
    interval = last.engine._options.every if every is None else as_interval(every)
    if progress is None:
        move = core.search(request)
    else:
        request.every = interval
        move = _watched(core, request, progress)
    if core.held > ARENA_KEPT:  # the caller waits for the move: no Stats are made before somebody asks for them
        from mcts_core.results import top_of

        figures = core.figures()
        assert figures is not None  # a search has just ended
        last.stats = core, figures, top_of(core, figures["number"])
        core.release()
    return move


def stats() -> Stats:
    """Returns the Stats of the last ``search`` in this thread. Raises NoSearch if there was none or if it failed."""
    last: _Last | None = getattr(_local, "last", None)
    if last is None:
        raise NoSearch("there are no statistics: search() has not been called in this thread")
    if isinstance(last.stats, tuple):
        from mcts_core.results import stats_of

        core, figures, top = last.stats
        last.stats = found = stats_of(core, figures)
        found._origin.keep(found.move, top)
    return last.stats or last.engine.stats()


def rollouts(state: Any, n: int, *, seed: int | None = None) -> Rollouts:
    """Plays ``n`` (1 to 2**40) random games from ``state`` and counts the results for the player to move.

    Every legal move has the same probability. The same ``seed`` (0 to 2**64 - 1) gives the same counts on every
    machine; by default each call draws a new one. Raises InvalidOption, InvalidState, GameOver, GameError.
    """
    count = as_int(n, "n", 1, 2**40)
    chosen = random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    losses, draws, wins, plies, seconds = bulk_rollouts.run(state, count, chosen)
    from mcts_core.results import Rollouts, per_second

    return Rollouts(wins, draws, losses, plies / count, seconds, per_second(count, seconds))


def _watched(core: SearchCore, request: SearchRequest, progress: Any) -> Any:
    """The move that the search finds, with ``progress`` of it."""
    progress = as_progress(progress)
    if progress is True:
        from mcts_core.progress import of_search

        with of_search(request.state, request.seconds, request.iterations) as bar:
            request.progress = _reporter(core, bar)
            move = core.search(request)
            try:
                figures = core.figures()
            except SearchBusy:  # another thread has begun the next search
                figures = None
            if figures is not None:
                _reporter(core, bar.finish)(figures)
            return move
    if progress is not False:
        request.progress = _reporter(core, progress)
    return core.search(request)


def _reporter(core: SearchCore, progress: Callable[[Stats], object]) -> Callable[[dict[str, Any]], object]:
    """What the core calls with figures."""
    from mcts_core.results import stats_of

    return lambda figures: progress(stats_of(core, figures))
