"""The tree of a search, as the loop and the report see it: the operations that every kind of tree has."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_rng
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.turn cimport SearchTurn


cdef enum:
    RUN_LATE = 5         # beside those of tree/plain_tree.pxd: the tree is full, and there is no time to make room

cdef enum Standing:      # of a move at the root
    OPEN
    WON                  # it ends the game with a win
    LOST                 # it ends the game with a loss
    ABSENT               # it has no statistics, as the slot has no legal move

ctypedef struct RootView:
    uint32_t count
    const uint32_t *visits
    const uint32_t *links

ctypedef struct Counts:  # of all trees of a search
    uint64_t iterations
    uint64_t rollouts
    uint64_t nodes
    uint64_t prunes
    uint64_t dropped
    uint64_t bytes
    uint64_t depth_sum
    uint64_t measured    # iterations that `depth_sum` is of
    uint32_t depth_max
    uint32_t visits      # of the root
    uint32_t reused      # of them, those of the searches before


cdef class SearchedTree(SearchTurn):
    cdef uint64_t memory           # bytes that the trees may take
    cdef uint32_t threads
    # the last search
    cdef object state              # as the user gave it
    cdef uint64_t seed
    cdef str isa                   # instruction set of that search
    cdef str stop_reason
    cdef double seconds, overshoot
    cdef uint64_t used             # bytes of the trees when the search ended, where they were stored since; else 0
    cdef bint teamed               # several threads ran it
    cdef bint finished
    cdef object move
    cdef list line                 # the principal variation, when it was asked for
    cdef object __weakref__
    # the search that runs
    cdef double begin              # when it began
    cdef double deadline
    cdef bint in_batches           # a run ends by itself when its leaves have been evaluated

    # ---- a search: these are called in this order

    # makes the tree that of a search: what of the last one is below the new root, or an empty one
    cdef int open(self, SearchRequest request) except -1
    # how many iterations the tree has room for
    cdef uint32_t room(self) noexcept nogil
    cdef uint32_t count_moves(self) except? 0xFFFFFFFF
    # begins with up to `limit` iterations; how many of them the calling thread is to run
    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF
    # up to `count` iterations; a Status
    cdef int run(self, uint32_t count) except -1 nogil
    # prunes a full tree until `deadline`; a Status: RUN_DONE, RUN_MEMORY, RUN_LATE, RUN_SOLVED
    cdef int make_room(self, double deadline) noexcept nogil
    # ends what other threads do for the search; a Status
    cdef int join(self) except -1
    # gives back what only a search that runs needs
    cdef void rest(self) noexcept
    # raises what the game reported
    cdef int fail(self) except -1
    # forgets what the search found: it failed
    cdef void drop_result(self) noexcept
    # gives the memory back
    cdef void drop_trees(self) noexcept

    # ---- between two slices

    cdef uint32_t spent(self) noexcept nogil        # iterations, and those given up for exact search
    cdef uint32_t width(self) noexcept nogil        # threads
    cdef bint is_proven(self) noexcept nogil        # the value of the root
    cdef bint view_root(self, RootView *view) noexcept nogil  # False: its moves have no statistics of their own
    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil

    # ---- the report

    cdef SearchSettings head(self)                  # the settings of the last search
    cdef bint has_result(self) noexcept
    cdef object name(self, uint32_t move)
    cdef list root_children(self)    # (move, visits, wins, value, proven, distance) of every legal move of the root
    cdef list winning_moves(self)    # those that end the game with a win, where that is not in the children's `proven`
    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept  # half-points, -1: the root is not proven
    cdef double value(self)          # of the root, for the player to move
    cdef tuple values(self)          # of every player; None: there are two in turn
    cdef int sum_counts(self, Counts *counts) except -1
    cdef uint32_t link_of(self, object move) except? 0  # what is behind a move of the root
    # to the most visited move behind a link, and what is behind that; False where there is none
    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept
    cdef list extended(self, list line)  # a proven line, as far as exact search knows it
    cdef mcts_rng *random(self) noexcept

    # ---- services, which a kind of tree may not have

    cdef object tell_news(self, uint32_t least)
    cdef int hear_news(self, bytes told) except -1
