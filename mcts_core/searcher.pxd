"""One search at a time over one tree: budgets, stop rules, figures."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.exchange cimport Known
from mcts_core.game cimport NativeState
from mcts_core.guided_tree cimport GuidedOptions, GuidedTree
from mcts_core.search_turn cimport SearchTurn
from mcts_core.team cimport Team
from mcts_core.tree cimport Tree


cdef class SearchSettings:
    cdef bint guided               # the guided tree, not the plain one
    cdef bint prunes               # a full tree loses its least visited subtrees, otherwise the search ends
    cdef uint32_t interval         # iterations of a thread between two exchanges
    cdef bint by_value             # the final move is the one with the best value, otherwise the most visited one
    cdef GuidedOptions options


cdef class SearchCore(SearchTurn):
    cdef Tree *tree                # that of the last search: `plain` or the beginning of `guided`
    cdef Tree *plain
    cdef GuidedTree *guided
    cdef SearchSettings settings   # of the last search
    cdef uint32_t threads
    cdef Team *team                # its first member has `tree`; NULL with one thread
    cdef bint teamed               # the team ran the last search
    cdef Known outside             # what searches in other processes told, or were told
    cdef bint heard                # since they were made, the trees have heard of others
    cdef list working              # locks that the threads of a search hold until they end
    cdef uint64_t memory           # bytes that the arena may take
    cdef NativeState native        # the root of the last search, None when it failed
    cdef NativeState keeper        # of the game whose exact search has memory here
    cdef object state              # as the user gave it
    cdef bint finished
    cdef double seconds, overshoot
    cdef uint64_t seed
    cdef uint64_t used             # bytes of the trees when the search ended, where they were stored since; else 0
    cdef str isa                   # instruction set of that search
    cdef str stop_reason
    cdef object move
    cdef list line                 # the principal variation, when it was asked for
    cdef bint early                # the search ends when the move is certain
    cdef object progress           # called with figures after every `every` seconds, or None
    cdef double begin, every
    cdef object __weakref__

    cdef int report(self) except -1
    cdef bint is_decided(self, uint32_t limit, double left, double passed, double took, uint32_t count) noexcept nogil
    cdef int64_t lead(self) noexcept nogil
    cdef dict snapshot(self)
    cdef void drop_trees(self) noexcept
    cdef bint prepare(self, NativeState native, int sign, uint64_t seed) noexcept
    cdef bint go_on(self, NativeState native, object state, int sign, SearchSettings settings, uint64_t seed, int reuse,
                    double left) except -1
    cdef list descent(self, NativeState native, object state)
    cdef const char *make_room(self, Tree *tree, Known *known, double deadline) noexcept nogil
    cdef Tree *new_tree(self, bint guided) noexcept nogil
    cdef bint reset(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed) noexcept
    cdef void resume(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed,
                     bint moved) noexcept
    cdef bint muster(self, NativeState native, int sign, uint64_t seed, uint32_t *path, int count) except -1
    cdef int start(self, uint32_t limit, double seconds, double begin) except -1
    cdef void labour(self, uint32_t number) noexcept nogil
    cdef int finish(self) except -1
    cdef uint32_t width(self) noexcept nogil
    cdef int run(self, uint32_t count) noexcept nogil
    cdef uint32_t spent(self) noexcept nogil
    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil
    cdef object name(self, uint32_t move)
    cdef list legal_moves(self)
    cdef list root_children(self)
    cdef list guided_children(self)
    cdef list plain_children(self)
    cdef object choose(self, list children)
    cdef list winning_moves(self)
    cdef list variation(self, object first)
    cdef list guided_variation(self, object first)
    cdef list proven_line(self, list moves)
    cdef list plain_variation(self, object first)
