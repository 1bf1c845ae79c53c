"""The tree of a search, as the loop and the report see it: the operations that every kind of tree has.

``searched_two_player.pyx`` and ``searched_general.pyx`` say what each one means on their trees. What stands here is for
a tree that does not have the operation. A call of one costs some nanoseconds, and none is made within a slice.
"""

from libc.stdint cimport uint32_t

from mcts_core.errors import InvalidState

from mcts_core.game cimport mcts_rng
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.tree.plain_tree cimport RUN_DONE, RUN_MEMORY


cdef class SearchedTree(SearchTurn):
    """A search's trees, with what the loop does to them and the report reads off them."""

    def __cinit__(self, *arguments):
        self.threads = 1

    cdef void forget(self) noexcept:
        self.drop_result()
        self.drop_trees()

    cdef int open(self, SearchRequest request) except -1:
        raise NotImplementedError

    cdef uint32_t room(self) noexcept nogil:
        return 0

    cdef uint32_t count_moves(self) except? 0xFFFFFFFF:
        raise NotImplementedError

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        return limit

    cdef int run(self, uint32_t count) except -1 nogil:
        return RUN_DONE

    cdef int make_room(self, double deadline) noexcept nogil:
        return RUN_MEMORY

    cdef int join(self) except -1:
        return RUN_DONE

    cdef void rest(self) noexcept:
        pass

    cdef int fail(self) except -1:
        return 0

    cdef void drop_result(self) noexcept:
        pass

    cdef void drop_trees(self) noexcept:
        pass

    cdef uint32_t spent(self) noexcept nogil:
        return 0

    cdef uint32_t width(self) noexcept nogil:
        return 1

    cdef bint is_proven(self) noexcept nogil:
        return False

    cdef bint view_root(self, RootView *view) noexcept nogil:
        return False

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        return OPEN

    cdef SearchSettings head(self):
        return None

    cdef bint has_result(self) noexcept:
        return False

    cdef object name(self, uint32_t move):
        return move

    cdef list root_children(self):
        return []

    cdef list winning_moves(self):
        return []

    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept:
        return -1

    cdef double value(self):
        return 0.5

    cdef tuple values(self):
        return None

    cdef int sum_counts(self, Counts *counts) except -1:
        return 0

    cdef uint32_t link_of(self, object move) except? 0:
        return 0

    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept:
        return False

    cdef list extended(self, list line):
        return line

    cdef mcts_rng *random(self) noexcept:
        return NULL

    cdef object tell_news(self, uint32_t least):
        raise InvalidState("a search of a general game, or with an evaluator, exchanges nothing with others")

    cdef int hear_news(self, bytes told) except -1:
        raise InvalidState("a search of a general game, or with an evaluator, exchanges nothing with others")

    def check(self, state, settings=None):
        """Raises what a search of ``state`` with these settings would raise before its first iteration."""
        raise NotImplementedError

    @property
    def services(self):
        """What its trees can do beyond a search, as names: threads, reuse, prune, exchange, top, store."""
        return frozenset()

    @property
    def names(self):
        """What the numbers of moves in ``tell`` and ``hear`` stand for, as a list, where the game is a user's, who
        names moves; else None. The numbers of another search differ."""
        return None

    @property
    def held(self):
        """Bytes of memory that the trees keep between searches."""
        return 0
