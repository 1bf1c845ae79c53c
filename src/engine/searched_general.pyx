"""What the operations of a searched tree mean on the general tree: any number of players, chance, leaves that a
network evaluates.

A run of a search with an evaluator is one batch: it goes down to so many leaves, and ends when they are evaluated.
"""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.dispatch cimport hot_table
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.game cimport mcts_rng
from mcts_core.games.general_rules cimport Rules, rules_of
from mcts_core.tree.general_tree cimport *
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport GeneralSettings, SearchSettings
from mcts_core.engine.searched_tree cimport OPEN, WON, Counts, RootView, Standing
from mcts_core.tree.plain_tree cimport (LINK_BLOCK, LINK_KIND, LINK_TERMINAL, RUN_DONE, RUN_GAME_ERROR,
                                        RUN_SYSTEM_MEMORY, WIDE_INDEX, Tree, TreeRoot)


cdef enum:
    MIB = 1 << 20

cdef GeneralOps *ops = <GeneralOps *>hot_table("tree.general_tree")


cdef Rules rules_for(object state, GeneralSettings settings):
    cdef bint observing = settings is not None and settings.function is not None
    return rules_of(state, observing, observing and settings.by_state)


cdef class GeneralCore(SearchCore):
    """Searches of all other games, and of those whose leaves are evaluated."""

    def __cinit__(self, uint64_t memory):
        self.memory = memory

    def __dealloc__(self):
        self.drop_trees()

    def check(self, state, GeneralSettings settings=None):
        rules_for(state, settings)

    cdef void drop_trees(self) noexcept:
        if self.tree != NULL:
            self.tree.ops.destroy(self.tree)
        self.tree = NULL
        self.general = NULL

    cdef void drop_result(self) noexcept:
        self.rules = self.state = None

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef int open(self, SearchRequest request) except -1:
        cdef GeneralSettings settings = request.settings
        cdef Rules rules
        cdef TreeRoot root
        cdef int status = RUN_SYSTEM_MEMORY
        self.drop_result()
        rules = rules_for(request.state, settings)
        if self.tree == NULL:
            self.tree = ops.tree.create(self.memory)
            self.general = <GeneralTree *>self.tree
        if self.tree != NULL:
            root.rules = &rules.table
            status = self.tree.ops.reset(self.tree, &root, &settings.options, request.seed, False)
        if status == RUN_GAME_ERROR:
            rules.fail()
        if status != RUN_DONE:
            raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
        self.rules = rules
        self.settings = settings
        self.in_batches = settings.options.puct
        return 0

    cdef uint32_t room(self) noexcept nogil:
        return self.settings.most_iterations

    cdef uint32_t count_moves(self) except? 0xFFFFFFFF:
        return <uint32_t>len(self.rules.root_moves)

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        if self.settings.function is not None:
            self.evaluator = evaluator_of(self.settings.function, self.settings.by_state)
            self.evaluator.prepare(self.rules, self.settings.options.batch)
        return limit

    cdef int run(self, uint32_t count) except -1 nogil:
        """Some iterations: up to ``count`` by rollouts, or up to a batch of evaluations."""
        cdef int status
        if not self.settings.options.puct:
            return self.tree.ops.run(self.tree, count)
        status = ops.gather(self.general, count, self.evaluator.observations, self.evaluator.stride)
        if status != RUN_GAME_ERROR and self.general.waiting:
            with gil:
                self.evaluate()
        return status

    cdef int evaluate(self) except -1:
        """Ends what waits."""
        cdef Evaluator evaluator = self.evaluator
        try:
            evaluator.evaluate(self.rules, self.general.waiting)
            self.resolve(evaluator, 0)
        finally:
            evaluator.release()
        evaluator.prepare(self.rules, self.settings.options.batch)
        return 0

    cdef bint gather(self, uint32_t count, float *observations, uint64_t stride) except -1:
        cdef int status
        with nogil:
            status = ops.gather(self.general, count, observations, stride)
        if status == RUN_GAME_ERROR:
            ops.retract(self.general)
            self.rules.fail()
        return status != RUN_DONE

    cdef int resolve(self, Evaluator evaluator, uint32_t row) except -1:
        cdef GeneralEvaluation part = evaluator.evaluation
        part.rows = self.general.waiting
        if part.policy != NULL:
            part.policy += <uint64_t>row * part.width
        part.values += <uint64_t>row * part.value_width
        if ops.resolve(self.general, &part) != FAULT_NONE:
            self.general.fault_row += row
            raise evaluator.complaint(self.rules, self.general)
        return 0

    cdef void rest(self) noexcept:
        if self.tree != NULL:
            ops.retract(self.general)
        self.evaluator = None
        if self.rules is not None:
            self.rules.rest()

    cdef int fail(self) except -1:
        return self.rules.fail()

    cdef GeneralBlock *root(self) noexcept nogil:
        return general_block(self.general, general_root(self.general) & WIDE_INDEX)

    # ---- between two slices ------------------------------------------------------------------------------------------

    cdef uint32_t spent(self) noexcept nogil:
        return self.tree.iterations

    cdef bint view_root(self, RootView *view) noexcept nogil:
        cdef GeneralColumns columns
        if self.tree.iterations == 0:
            return False
        columns = general_columns(self.general, self.root())
        view.count, view.visits, view.links = columns.count, columns.visits, columns.links
        return True

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        cdef uint32_t link = view.links[slot]
        cdef int player = self.root().player
        if link & LINK_KIND != LINK_TERMINAL:
            return OPEN
        # with all that there is for the player who makes the move
        return WON if ending_values(self.general, link)[player] >= 1 else OPEN

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef SearchSettings head(self):
        return self.settings

    cdef bint has_result(self) noexcept:
        return self.rules is not None and self.tree.iterations > 0

    cdef object name(self, uint32_t move):
        return self.rules.name(move)

    cdef list root_children(self):
        cdef GeneralColumns columns = general_columns(self.general, self.root())
        cdef uint32_t slot
        cdef list children = []
        for slot in range(columns.count):
            visits, wins = columns.visits[slot], columns.sums[slot]
            children.append((self.rules.name(columns.moves[slot]), visits, wins, wins / visits if visits else 0.5,
                             None, None))
        return children

    cdef list winning_moves(self):
        cdef GeneralColumns columns
        cdef RootView root
        cdef uint32_t slot
        if not self.view_root(&root):
            return []
        columns = general_columns(self.general, self.root())
        return [self.rules.name(columns.moves[slot]) for slot in range(root.count) if self.standing(&root, slot) == WON]

    cdef double value(self):
        cdef GeneralBlock *top = general_block(self.general, 0)
        return totals_of(top)[self.rules.player] / top.valued

    cdef tuple values(self):
        cdef GeneralBlock *top = general_block(self.general, 0)
        cdef int player
        if not self.rules.general:
            return None
        return tuple([totals_of(top)[player] / top.valued for player in range(self.rules.players)])

    cdef int sum_counts(self, Counts *counts) except -1:
        cdef Tree *tree = self.tree
        counts.visits = counts.iterations = counts.measured = tree.iterations
        counts.rollouts = tree.rollouts
        counts.nodes = tree.nodes
        counts.bytes = <uint64_t>tree.arena.top * tree.arena.unit
        counts.depth_sum = tree.depth_sum
        counts.depth_max = tree.depth_max
        return 0

    cdef uint32_t link_of(self, object move) except? 0:
        cdef GeneralColumns columns = general_columns(self.general, self.root())
        cdef uint32_t slot
        for slot in range(columns.count):
            if self.rules.name(columns.moves[slot]) == move:
                return columns.links[slot]
        return 0

    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept:
        """Up to chance or a leaf."""
        cdef GeneralBlock *block
        cdef GeneralColumns columns
        cdef uint32_t slot, best = 0
        if link[0] & LINK_KIND != LINK_BLOCK:
            return False
        block = general_block(self.general, link[0] & WIDE_INDEX)
        if block.player < 0:
            return False
        columns = general_columns(self.general, block)
        for slot in range(1, columns.count):
            if columns.visits[slot] > columns.visits[best] or (
                    columns.visits[slot] == columns.visits[best] and columns.sums[slot] > columns.sums[best]):
                best = slot
        if columns.visits[best] == 0:
            return False
        link[0], move[0] = columns.links[best], columns.moves[best]
        return True

    cdef mcts_rng *random(self) noexcept:
        return &self.tree.rng

    # ---- services ----------------------------------------------------------------------------------------------------

    @property
    def held(self):
        return 0 if self.tree == NULL else self.tree.arena.committed
