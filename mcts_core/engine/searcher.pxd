"""One search at a time over one tree: budgets, stop rules, figures."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.tree.exchange cimport Known
from mcts_core.game cimport NativeState, mcts_interrupt
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.searched_tree cimport SearchedTree
from mcts_core.tree.plain_tree cimport Tree


cdef class SearchCore(SearchedTree):
    cdef uint32_t threads
    cdef Known outside             # what searches in other processes told, or were told
    cdef bint heard                # since they were made, the trees have heard of others
    cdef list working              # the Workers that are the other threads of a search
    cdef uint64_t memory           # bytes that the arena may take
    cdef NativeState keeper        # of the game whose exact search has memory here
    cdef bint follows              # the root is below that of the search before: what is proven there is of use here
    cdef bint early                # the search ends when the move is certain
    cdef object progress           # called with figures after every `every` seconds, or None
    cdef double begin, every
    cdef double deadline           # of the search
    cdef double signals_at         # when to look at signals next; in other threads than the main one never
    cdef object failure            # what a signal handler raised

    cdef int report(self) except -1
    cdef mcts_interrupt interrupt(self) noexcept nogil
    cdef bint is_over(self) noexcept nogil
    cdef void look_at_signals(self) noexcept
    cdef bint is_decided(self, uint32_t limit, double left, double passed, double took, uint32_t count) noexcept nogil
    cdef void drop_trees(self) noexcept
    cdef bint prepare(self, NativeState native, int sign, uint64_t seed) noexcept
    cdef bint go_on(self, NativeState native, object state, int sign, SearchSettings settings, uint64_t seed, int reuse,
                    double left) except -1
    cdef list descent(self, NativeState native, object state, int sign)
    cdef void gather(self, Tree *tree, double seconds) noexcept nogil
    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil
    cdef const char *make_room(self, Tree *tree, Known *known, double deadline) noexcept nogil
    cdef Tree *new_tree(self, bint guided) noexcept nogil
    cdef bint reset(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed) noexcept
    cdef void resume(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed,
                     bint moved) noexcept
    cdef bint muster(self, NativeState native, int sign, uint64_t seed, uint32_t *path, int count) except -1
    cdef int start(self, uint32_t limit, bint patient) except -1
    cdef void labour(self, uint32_t number) noexcept nogil
    cdef int finish(self) except -1
    cdef bint may_begin(self, uint32_t move) except -1
    cdef int run(self, uint32_t count) noexcept nogil
    cdef uint32_t spent(self) noexcept nogil
    cdef int loop(self, double begin, double seconds, uint32_t limit) except -1 nogil
