"""The trees of a search, as the loop and the report see them: what every kind of tree can do.

``searched_two_player.pyx``, ``searched_general.pyx`` and ``searched_information.pyx`` say what differs: the rules, and
the children of the root.
"""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.tree.exchange cimport Known
from mcts_core.tree.tree cimport Tree, TreeOps
from mcts_core.game cimport mcts_interrupt, mcts_rng
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.root_rows cimport RootRows
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.thread_exchange cimport Team
from mcts_core.engine.threads cimport SearchThreads
from mcts_core.engine.turn cimport SearchTurn
from mcts_core.tree.view cimport BlockView


cdef enum:
    LINE = 1024          # moves of a line, at most
    WORTH_THREADS = 512  # iterations for which a thread is worth starting
    KNOWN = 16           # share of a thread's memory that exchanges may take

cdef enum Standing:      # of a move at the root
    OPEN
    WON                  # it ends the game with a win
    LOST                 # it ends the game with a loss
    ABSENT               # the slot has no legal move, and so no statistics

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
    # the trees, which are kept between searches
    cdef Tree *tree                # that of the last search
    cdef Team *team                # its first member has `tree`; NULL with one tree
    cdef uint32_t shared           # the number of trees that `memory` is for
    cdef SearchThreads others      # the threads beside the first one
    cdef Known outside             # what searches in other processes have told or heard
    cdef bint heard                # the trees have heard the news of others since they were made
    cdef bint follows              # the root follows from that of the last search: its proofs can be used here
    # the last search
    cdef readonly SearchSettings settings
    cdef object state              # as the user gave it; None when it failed
    cdef uint64_t seed
    cdef str isa                   # instruction set of that search
    cdef str stop_reason
    cdef double seconds, overshoot
    cdef uint64_t used             # bytes of the trees when the search ended, where they were stored since; else 0
    cdef bint teamed               # several threads ran it, each with a tree
    cdef uint32_t busy             # threads that ran it
    cdef bint finished
    cdef readonly object move      # the one to play, where it has ended with a result
    cdef list line                 # the principal variation, when it was asked for
    cdef object __weakref__
    # the search that runs
    cdef double begin              # when it began
    cdef double deadline
    cdef bint in_batches           # a run ends by itself when its leaves have been evaluated
    cdef bint named                # the moves are objects of a user's game, which take memory too
    cdef bint crowded              # they take most of it
    cdef bint runs_ahead           # or begins with the next leaves while these are evaluated

    # ---- what differs between the kinds: how the trees ask the root's game, and the operations of their layout

    # the root of a search with these settings; raises what is wrong with the state
    cdef object root_of(self, object state, SearchSettings settings)
    cdef const TreeOps *layout(self) noexcept nogil
    # how many trees a search has
    cdef uint32_t trees(self) noexcept nogil
    # starts a search in an empty tree, that of a thread; a Status
    cdef int reset_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed) except -1
    # starts one in the tree of the last search, whose root has become this one
    cdef int resume_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed, bint moved) except -1
    # keeps the root that the trees begin with
    cdef int take_root(self, object root, object state) except -1
    cdef object root_now(self)
    # rollouts of a user's game end soon after this time, on mcts_clock
    cdef void limit_rollouts(self, double deadline) noexcept
    # forgets what the search found: it failed
    cdef void drop_result(self) noexcept
    # the moves from the last root to this one, as the tree numbers them; None: they are not known
    cdef list path_to(self, object root, object state)
    # takes the memory of the moves of a user's game from the tree's
    cdef void fit_names(self) noexcept
    # bytes, about, of the names of moves that a user's game has given
    cdef uint64_t name_bytes(self) noexcept
    # whether a tree has all that there is below its root
    cdef bint is_whole(self) noexcept
    # who is to move there, as blocks say it
    cdef int mover_of(self, object root) except? -3
    cdef list legal_moves(self)
    # iterations from which on several threads are worth having
    cdef uint64_t worth_threads(self) except? 0xFFFFFFFFFFFFFFFF
    # raises what the game reported
    cdef int fail(self) except -1
    cdef int check_root(self) except -1
    # whether a proof of the root that others tell may name this as the first move
    cdef bint may_begin(self, uint32_t move) except -1

    # ---- a search: these are called in this order

    # readies the tree for a search: the part of the last tree below the new root, or an empty one
    cdef int open(self, SearchRequest request) except -1
    cdef bint go_on(self, object root, SearchRequest request) except -1
    cdef Tree *new_tree(self) noexcept nogil
    cdef int prepare(self, object root, uint64_t seed) except -1
    cdef int ready_threads(self, object root, uint64_t seed, uint32_t *path, int count) except -1
    # the error about a root for which a tree has no room
    cdef object refusal(self, const Tree *tree, int status)
    # how many iterations the tree has room for
    cdef uint32_t room(self) noexcept nogil
    cdef uint32_t count_moves(self) except? 0xFFFFFFFF
    # starts up to `limit` iterations; returns how many of them the calling thread is to run
    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF
    # what exact search asks while it runs
    cdef mcts_interrupt interrupt(self) noexcept nogil
    # up to `count` iterations; a Status
    cdef int run(self, uint32_t count) except -1 nogil
    # prunes a full tree until `deadline`; a Status: RUN_DONE, RUN_MEMORY, RUN_LATE, RUN_SOLVED
    cdef int make_room(self, double deadline) noexcept nogil
    cdef int take_proven_tree(self, list moves) except -1
    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil
    # the search ends by this exception; `join` follows
    cdef void give_up(self, object error) noexcept
    # ends and merges what other threads do for the search; a Status
    cdef int join(self) except -1
    # gives back what only a search that runs needs
    cdef void rest(self) noexcept
    # gives the memory back
    cdef void drop_trees(self) noexcept

    # ---- between two slices

    cdef uint32_t spent(self) noexcept nogil        # iterations, and those given up for exact search
    cdef uint32_t width(self) noexcept nogil        # trees that the search runs in
    cdef bint is_proven(self) noexcept nogil        # the value of the root
    cdef bint view_root(self, RootView *view) noexcept nogil  # False: its moves have no statistics of their own
    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil

    # ---- the report

    cdef bint has_result(self) noexcept
    cdef object name(self, uint32_t move)
    # the rows of the moves that have statistics, and those of every legal move of the root
    cdef RootRows read_rows(self)
    cdef RootRows root_rows(self)
    # the move to play, where counts alone decide it: what ``best_move`` finds, without the rows
    cdef bint is_clear(self, uint32_t *move) noexcept
    # leaves out the rows that bounds do not leave as the best move
    cdef int leave_out(self, RootRows rows) except -1
    # the row that the search would play, of those that are left, where no proof decides
    cdef uint32_t leader(self, RootRows rows) except? 0xFFFFFFFF
    # whether the game or priors order the moves; otherwise chance chooses between equal ones
    cdef bint is_ordered(self) noexcept
    cdef uint32_t lot(self) noexcept  # what it chooses by, 0 where they are ordered
    # moves of the root that are all to be tried before the search can prefer any; 0: priors or values choose
    cdef uint32_t moves_to_try(self) noexcept
    cdef list winning_moves(self)    # those that end the game with a win, by the links of the root
    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept  # half-points, -1: the root is not proven
    cdef tuple bounds(self)          # of the value of the root for the player to move; None: the search has none
    cdef double value(self)          # of the root, for the player to move
    cdef tuple values(self)          # of every player; None: there are two in turn
    cdef bint by_book(self) noexcept  # whether exact search used a book of the game
    cdef tuple scale(self)           # the lowest and the highest value that the search has seen; None: 0 and 1
    cdef list kept_line(self)        # the moves of the best line that was found; None: it is not what is played
    cdef object line_value(self)     # what that gives
    cdef int sum_counts(self, Counts *counts) except -1
    cdef uint32_t link_of(self, object move) except? 0  # the link behind a move of the root
    # goes from a link to its most visited child: the move, and the link behind it; False where there is none
    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept
    cdef uint32_t rather_drawn(self, const BlockView *block, uint32_t best) noexcept
    cdef bint is_drawn(self, uint32_t link) noexcept
    cdef bint is_below_draw(self, const BlockView *block, uint32_t slot) noexcept
    cdef bint breaks_tie(self, const BlockView *block, uint32_t slot, uint32_t other) noexcept
    cdef list extended(self, list line)  # a proven line, as far as exact search knows it
    cdef bint signs(self) noexcept       # the players 0 and 1 of the blocks are +1 and -1 in the game
    cdef mcts_rng *random(self) noexcept

    # ---- services

    cdef object tell_news(self, uint32_t least)
    # a Status; raises ValueError for what is no message, with nothing changed
    cdef int hear_news(self, bytes told) except -1
    # takes over the numbers of moves of a stored tree, in which these were their names
    cdef int take_names(self, object root, object names) except -1
