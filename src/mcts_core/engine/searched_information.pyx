"""Searches of games with hidden information, and plans in environments: the engine's loop over an InformationTree.

What the other trees can do besides is not done here: these trees are not stored, and tell other searches nothing.
"""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, InvalidOption, InvalidState, OutOfTime
from mcts_core.games.user_states import set_end

from mcts_core.engine.request cimport REUSE_BELOW, REUSE_NEVER, SearchRequest
from mcts_core.engine.report cimport settled_values
from mcts_core.engine.reuse cimport MOVING
from mcts_core.engine.root_rows cimport BY_VALUE, BY_VISITS, ChildRow, RootRows, new_rows
from mcts_core.engine.searched_tree cimport Counts, RootView
from mcts_core.engine.settings cimport GeneralSettings, InformationSettings, SearchSettings
from mcts_core.engine.turn cimport require_kind
from mcts_core.game cimport NativeState, mcts_rng
from mcts_core.platform cimport mcts_clock, mcts_wait
from mcts_core.tree.information_tree cimport Choice, InformationNode, InformationTree
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, RUN_LATE, RUN_MEMORY


cdef enum:
    YIELD = 64                       # argument of mcts_wait by which it gives the processor away

cdef double PRUNING = 1e-6           # seconds to prune a tree, for each of its nodes
cdef double BETWEEN_PAUSES = 5e-3    # seconds
cdef double PAUSE = 1e-4             # seconds
cdef double FIRST_DRAW = 0.25        # seconds that the first draw has at least
cdef double NEVER = 1e300            # the deadline of a search without a limit of time


cdef class InformationCore(SearchCore):
    """Searches over an InformationTree; ``threads`` is 1."""

    def check(self, state, SearchSettings settings=None):
        """Raises what a search of ``state`` with these settings would raise at once."""
        tree_for(state, settings if settings is not None else self.settings, self.memory).begin(state, 0)

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef int open(self, SearchRequest request) except -1:
        cdef InformationTree tree = self.known
        cdef bint same = (request.reuse != REUSE_NEVER and tree is not None and self.settings is request.settings
                          and (shares_model(tree, self.state, request.state)
                               or tree.follows(request.state, request.reuse == REUSE_BELOW)))
        self.drop_result()
        if not same:
            tree = tree_for(request.state, request.settings, self.memory)
        tree.begin(request.state, request.seed)
        self.settings = request.settings
        self.known = tree
        self.state = request.state
        self.in_batches = self.frozen = False
        return 0

    cdef void drop_result(self) noexcept:
        self.known = self.state = None

    cdef void limit_rollouts(self, double deadline) noexcept:
        self.known.user.deadline = deadline

    cdef uint32_t room(self) noexcept nogil:
        return self.settings.most_iterations - self.known.reused

    cdef uint32_t root_node(self) except? 0xFFFFFFFF:
        return self.known.numbers[self.known.root_key]

    cdef list legal_moves(self):
        return self.known.root_moves

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        self.pause_at = self.begin + BETWEEN_PAUSES
        return limit

    cdef int run(self, uint32_t count) except -1 nogil:
        cdef uint32_t _
        cdef double now = mcts_clock(), end = now + PAUSE
        # A thread that waits for the GIL requests it after 5 ms. Each release between two slices restarts those 5 ms,
        # and this thread takes the GIL again first. Without a pause other threads waited for seconds. No sleep, because
        # on Windows the shortest one may take 15 ms.
        if now >= self.pause_at:
            while now < end:
                mcts_wait(YIELD)
                now = mcts_clock()
            self.pause_at = now + BETWEEN_PAUSES
        with gil:
            before = None
            try:
                before = set_end(self.draws_end(now))
                for _ in range(count):
                    self.known.iterate()
                    if self.known.full and not self.frozen:
                        return RUN_MEMORY
            except OutOfTime as error:
                if self.known.iterations and self.known.is_drawing():
                    return RUN_LATE
                self.known.user.error = error
                return RUN_GAME_ERROR
            except BaseException as error:
                self.known.user.error = error
                return RUN_GAME_ERROR
            finally:
                set_end(before)
        return RUN_DONE

    cdef object draws_end(self, double now):
        """When draws of this slice have to end, None: never."""
        if self.deadline >= NEVER:
            return None
        return self.deadline if self.known.iterations else max(self.deadline, now + FIRST_DRAW)

    cdef int make_room(self, double deadline) noexcept nogil:
        """Prunes the tree. If that would take too much of the time, or hardly helps, the tree stays as it is, without
        new nodes, and the search goes on."""
        cdef uint64_t before = self.known.bytes()
        if not self.settings.prunes:
            return RUN_MEMORY
        self.frozen = PRUNING * self.known.node_count > MOVING * (deadline - mcts_clock())
        if not self.frozen:
            with gil:
                try:
                    self.known.prune()
                except MemoryError:
                    pass
                except BaseException as error:  # a key's, or Ctrl-C in its code
                    self.known.user.error = error
                    return RUN_GAME_ERROR
            self.frozen = self.known.bytes() > before - before // 8
        return RUN_DONE

    cdef int fail(self) except -1:
        try:
            return self.known.user.raise_error()
        except GameError as error:
            # of what it returned: what it raised has a traceback
            if error.__cause__ is None and f"{error}".startswith(type(self.known.root).__name__):
                raise GameError(f"in a position that determinize() drew, or after it, {error}") from None
            raise

    cdef int check_root(self) except -1:
        return self.known.user.check_root(self.known.player, self.known.root_moves)

    cdef int join(self) except -1:
        return RUN_DONE

    # ---- between two slices ------------------------------------------------------------------------------------------

    cdef uint32_t spent(self) noexcept nogil:
        return self.known.iterations

    cdef uint32_t width(self) noexcept nogil:
        return 1

    cdef bint is_proven(self) noexcept nogil:
        return False

    cdef bint view_root(self, RootView *view) noexcept nogil:
        return False  # the rule that a lead decides reads links of a tree, which there are none of

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef bint has_result(self) noexcept:
        return self.known is not None and self.known.valued > 0

    cdef object name(self, uint32_t move):
        return self.known.user.moves[move]

    cdef RootRows read_rows(self):
        cdef InformationTree tree = self.known
        cdef uint32_t node = self.root_node(), slot
        cdef RootRows rows = new_rows(tree.nodes[node].count)
        cdef const Choice *choice
        cdef ChildRow *row
        rows.unknown = self.value() if tree.user.scored else 0.5
        rows.moves = []
        for slot in range(tree.nodes[node].first, tree.nodes[node].first + tree.nodes[node].count):
            choice = &tree.choices[slot]
            row = rows.add(0, choice.tries, 0.0)
            row.value = choice.sum / choice.visits if choice.visits else rows.unknown
            row.wins = choice.sum if choice.tries == choice.visits else row.value * choice.tries
            rows.moves.append(tree.user.moves[choice.move])
        return rows

    cdef list winning_moves(self):
        return []

    cdef uint32_t leader(self, RootRows rows) except? 0xFFFFFFFF:
        """Where maxima are backed up, visits say what was explored, values what is best. Of moves that are equal in
        both, each search draws one, as their order says nothing about them."""
        return rows.best(BY_VALUE if self.known.maxima or self.settings.by_value else BY_VISITS, self.lot())

    cdef uint32_t lot(self) noexcept:
        return self.known.lot

    cdef uint32_t moves_to_try(self) noexcept:
        return 0 if self.known.widening > 0 else <uint32_t>len(self.known.root_moves)

    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept:
        return -1

    cdef double value(self):
        return self.values_of()[self.known.player]

    cdef tuple values(self):
        return self.values_of() if self.known.user.general else None

    cdef tuple values_of(self):
        """The mean of each player. The nodes keep the sums of the player to move only. So where visits are reused, his
        mean is over all of them; the others' are of this search, scaled to the constant sum where there is one."""
        cdef InformationTree tree = self.known
        cdef int player
        cdef double sum = 0.0
        cdef uint32_t slot, visits = 0
        cdef const InformationNode *root = &tree.nodes[self.root_node()]
        if tree.maxima:
            return (root.value,)
        values = [tree.totals[player] / tree.valued for player in range(tree.user.players)]
        if tree.reused == 0:
            return tuple(values)
        for slot in range(root.first, root.first + root.count):
            sum += tree.choices[slot].sum
            visits += tree.choices[slot].visits
        return settled_values(values, {tree.player: sum / visits}, tree.user.constant or not tree.user.general)

    cdef tuple scale(self):
        cdef InformationTree tree = self.known
        return (tree.low[tree.player], tree.high[tree.player]) if tree.user.scored else None

    cdef int sum_counts(self, Counts *counts) except -1:
        cdef InformationTree tree = self.known
        counts.iterations = counts.measured = tree.iterations
        counts.rollouts = tree.rollouts
        counts.nodes = tree.node_count
        counts.bytes = tree.bytes()
        counts.depth_sum = tree.depth_sum
        counts.depth_max = tree.depth_max
        counts.visits = tree.iterations + tree.reused
        counts.reused = tree.reused
        counts.prunes = tree.prunes
        counts.dropped = tree.dropped
        return 0

    cdef uint32_t link_of(self, object move) except? 0:
        return 0

    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept:
        return False  # what follows a move depends on what cannot be known

    cdef mcts_rng *random(self) noexcept:
        return &self.known.rng

    cdef int mover_of(self, object root) except? -3:
        return self.known.player

    cdef bint signs(self) noexcept:
        return not self.known.user.general

    # ---- services ----------------------------------------------------------------------------------------------------

    @property
    def held(self):
        return 0 if self.known is None else self.known.bytes()

    cdef object tell_news(self, uint32_t least):
        return None

    cdef int hear_news(self, bytes told) except -1:
        raise ValueError("searches of games with hidden information do not add up the statistics of others")


cdef InformationTree tree_for(object state, SearchSettings settings, uint64_t memory):
    require_kind(settings, InformationSettings)
    cdef GeneralSettings own = settings
    if isinstance(state, NativeState):
        raise InvalidState(f"hidden information is searched in games written in Python only, got {shorten(state)}")
    if own.by_line:
        raise InvalidOption("final_move 'best_line' needs a game without chance and hidden information")
    return InformationTree(state, exploration=own.options.exploration,
                           fpu=own.options.fpu if own.options.has_fpu else None, limit=memory,
                           rollout_moves=own.options.rollout_moves, rollouts_per_leaf=own.options.rollouts_per_leaf)


cdef bint shares_model(InformationTree tree, object before, object state) except -1:
    """Whether two states are of one environment, so that all nodes are of use."""
    if not tree.maxima:
        return False
    try:
        model = getattr(before, "model", None)
        return model is not None and getattr(state, "model", None) is model
    except Exception:  # raised by a property of the user's; without it the search starts from scratch
        return False
