"""The tree of games in which players see a part of the position: nodes by what the player to move knows.

A node is found by a key and not by a link, so paths that lead to the same knowledge share it. Its choices are the moves
that were legal so far in any of the positions that fit; every descent has a position of its own, with its own legal
moves among them. Nodes, choices and outcomes are in three arrays and name each other by their numbers.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_rng
from mcts_core.games.user_states cimport MAX_PLAYERS, UserStates


cdef enum:
    NOTHING = 0xFFFFFFFF

ctypedef struct InformationNode:
    uint32_t visits              # iterations that came here
    int32_t player               # who moves
    uint32_t first               # of its choices
    uint32_t count               # of them
    uint32_t room                # for them
    uint32_t met                 # the last iteration that came here
    uint32_t key_bytes           # of the key by which it is found, about
    double value                 # where maxima are backed up: that of the best choice; before, that of a rollout
    double hope                  # where there are choices: with a bonus for what was tried rarely, here and further on

ctypedef struct Choice:
    uint32_t move
    uint32_t visits              # a descent may choose it more than once
    uint32_t tries               # iterations in which it was chosen
    uint32_t tried               # the last iteration that chose it
    uint32_t legal               # visits of the node in which it could be chosen
    uint32_t outcome             # the first one, NOTHING: none
    double sum                   # of the values of the player who moves; where maxima are backed up, value * visits
    double hope                  # where maxima are backed up: the value with the bonus

ctypedef struct Outcome:         # of a choice, where maxima are backed up
    uint32_t node                # that comes next, NOTHING: the game is over
    uint32_t count
    uint32_t next
    uint32_t spare
    double reward                # sum
    double value                 # sum of the values of ended games

ctypedef struct Step:            # of a descent: a move of a player and what chance added to it
    uint32_t node
    uint32_t choice
    bint met, tried              # whether it is the descent's first step at the node, and with the choice
    double rewards[MAX_PLAYERS]


cdef class InformationTree:
    cdef UserStates user
    cdef readonly object root     # the position that is searched
    cdef readonly int player      # who moves there
    cdef readonly list root_moves
    cdef object root_key
    cdef dict numbers             # key -> node
    cdef bint keyed               # states have observation_key()
    cdef bint maxima
    cdef double widening          # a node with n visits tries n ** widening of its moves; 0: all
    cdef uint32_t longest         # moves of a descent, and of a rollout, at most; 0: no limit
    cdef uint32_t rollouts_per_leaf
    cdef object random            # for determinize()
    cdef uint64_t limit           # bytes
    cdef uint64_t key_total       # bytes of all keys
    cdef InformationNode *nodes
    cdef Choice *choices
    cdef Outcome *outcomes
    cdef uint32_t node_count, node_room, choice_count, choice_room, outcome_count, outcome_room
    cdef Step *path
    cdef uint32_t path_room
    cdef uint32_t *legal          # the choices of the position at hand
    cdef uint32_t legal_room
    cdef uint32_t *places         # of moves among the choices of the node at hand
    cdef uint32_t place_room
    cdef double exploration, fpu
    cdef double bonus             # of a choice tried once, where maxima are backed up, as a share of the scale
    cdef bint has_fpu
    cdef double low[MAX_PLAYERS]
    cdef double high[MAX_PLAYERS]
    cdef double totals[MAX_PLAYERS]        # of the values of every player at the root, over `valued` iterations
    cdef uint32_t valued
    cdef uint32_t number          # of the iteration, since the tree was made
    cdef uint32_t swept           # the node whose value was computed last beside the paths
    cdef mcts_rng rng
    # of one search
    cdef uint32_t lot             # decides between equal moves at its end
    cdef uint32_t iterations, rollouts, reused, depth_max, prunes, dropped
    cdef uint64_t depth_sum
    cdef readonly bint full       # the limit is reached, and nodes are no longer added

    cdef uint64_t bytes(self) noexcept nogil
    cdef bint follows(self, object state, bint below)
    cdef list moves_of(self, object state)
    cdef uint32_t least_kept(self) noexcept nogil
    cdef int prune(self) except -1
    cdef uint32_t keep_outcomes(self, uint32_t at, const uint32_t *places, Outcome *kept,
                                uint32_t *count) noexcept nogil
    cdef int begin(self, object state, object seed) except -1
    cdef list widened(self, uint32_t node, list moves)
    cdef object key_of(self, object state, int player, uint32_t length, tuple drawn)
    cdef object draw_state(self)
    cdef bint is_drawing(self)
    cdef uint32_t new_node(self, int player, object key) except? 0xFFFFFFFE
    cdef list seen_of(self, uint32_t node, list moves)
    cdef int find_places(self, uint32_t node) except -1
    cdef int add_choice(self, uint32_t number, uint32_t move) except -1
    cdef int list_legal(self, uint32_t node, list moves) except -1
    cdef void widen_scale(self, const InformationNode *node, const Choice *choice) noexcept nogil
    cdef void find_scale(self) noexcept nogil
    cdef uint32_t select(self, uint32_t node, uint32_t count) noexcept nogil
    cdef int add_reward(self, uint32_t length, object state) except -1
    cdef int roll_out(self, object state, double *values) except -1
    cdef bint runs_in_circle(self, uint32_t node, uint32_t length) noexcept nogil
    cdef list untried_of(self, list moves)
    cdef int iterate(self) except -1
    cdef int back_up(self, uint32_t length, uint32_t leaf, double *values) except -1
    cdef double hope_of(self, const InformationNode *node) noexcept nogil
    cdef void sweep(self) noexcept nogil
    cdef void weigh(self, uint32_t number) noexcept nogil
    cdef double low_end(self, int player) noexcept nogil
    cdef double span(self, int player) noexcept nogil
    cdef int add_outcome(self, Step *step, uint32_t leaf, double value) except -1
    cdef double value_of(self, const Choice *choice, bint hope) noexcept nogil
