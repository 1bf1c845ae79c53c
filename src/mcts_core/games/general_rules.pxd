"""What the general tree asks about a game: positions by their path from the root, native or written in Python."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.game cimport NativeState, mcts_game, mcts_general, mcts_proof, mcts_rng
from mcts_core.games.kept_states cimport KeptStates
from mcts_core.games.user_states cimport UserStates


cdef enum:
    FOLLOWED = 2               # moves of the best line after which the next search may continue it

cdef enum GeneralKind:
    KIND_DECISION = 0
    KIND_CHANCE = 1
    KIND_OVER = 2

ctypedef struct GeneralPosition:
    uint32_t capacity            # in: room in the three arrays
    uint32_t *moves              # out, of a decision or chance node
    uint32_t *actions            # out, where evaluations are asked for: the entry of the policy of each move
    double *probabilities        # out, of a chance node
    double *values               # out, of a finished game: of each player, in [0, 1]; in a scored game any number
    double *rewards              # out, in a scored game: of the move that led here, for each player
    int32_t kind                 # out: a GeneralKind
    uint32_t player              # out: who is to move
    uint32_t count               # out: number of moves or outcomes

ctypedef struct GeneralRules:
    void *context
    uint32_t players
    bint scored                  # there are rewards on the way, or a discount; values are any numbers
    double discount              # of what comes after a move
    bint constant                # the values of all players sum to 1
    bint ordered                 # moves are listed by promise
    # Goes to the position after path[0..length) from the root and describes it, its moves only where they are to be
    # `listed`. Where there are more of them than room, only `count` is right, and the tree asks again. Negative: an
    # error.
    int32_t (*look)(void *context, const uint32_t *path, uint32_t length, bint listed,
                    GeneralPosition *position) noexcept nogil
    # Plays one move from where the last look, or the last move of this, has led, and describes that position with its
    # moves; with NULL it only describes it again. Negative: an error.
    int32_t (*onward)(void *context, const uint32_t *move, GeneralPosition *position) noexcept nogil
    # A rollout from where the last look was: the values of the players, in a scored game discounted to that position.
    # Negative: an error.
    int32_t (*rollout)(void *context, mcts_rng *rng, double *values) noexcept nogil
    # The path, and where a rollout began at its end the moves of that one, is the best line that was found so far.
    # Negative: an error.
    int32_t (*keep)(void *context, const uint32_t *path, uint32_t length, bint rolled) noexcept nogil
    # The planes of where the last look was; `row` is NULL where only the position itself is asked for. Negative: an
    # error.
    int32_t (*observe)(void *context, float *row) noexcept nogil
    # The exact search of the game `proving`, whose guide makes its `memory`, asked about the position after
    # path[0..length); NULL where there is none. Negative: an error.
    int32_t (*prove)(void *context, const uint32_t *path, uint32_t length, void *memory, uint64_t budget, bint exact,
                     mcts_proof *proof) noexcept nogil
    const mcts_game *proving
    uint32_t move_bytes          # of memory for the name of a move, roughly


ctypedef struct NativeContext:   # of the table over a native game
    const mcts_game *game
    const mcts_general *extra    # NULL: two players alternate, and there are no observations
    const void *root
    int32_t root_player
    bint constant                # the values of all players sum to 1
    uint8_t *state               # where the last look was
    int32_t player               # who is to move there
    uint8_t *rolling             # the state of a rollout
    uint32_t *moves
    double *probabilities
    uint32_t plies               # moves from the root to `state`
    uint32_t *line               # the best line that was found, in a search that keeps it
    uint32_t line_length
    uint32_t line_room
    bint line_changed            # since best_line() last read it


cdef class Rules:
    """The rules behind a search: a table for the tree, and names for the moves."""

    cdef GeneralRules table
    cdef readonly int players
    cdef readonly int player          # to move at the root
    cdef readonly bint general        # the state says who its players are
    cdef readonly list root_moves     # as the game names them
    cdef readonly object root
    cdef readonly tuple shape         # of an observation: planes, rows, columns; None: not known
    cdef readonly int actions         # entries of a policy; 0: not known
    cdef list leaves                  # (state, legal moves) of what waits for a policy by legal move
    cdef list line                    # the moves of the best line that was found, None: none yet, or it is not kept
    cdef double line_value            # what it gives the only player

    cdef bint keeps                   # whether the search keeps the best line

    cdef object name(self, uint32_t move)
    cdef list best_line(self)
    cdef void keep_lines(self) noexcept
    cdef int fail(self) except -1
    cdef int check_root(self) except -1
    cdef void rest(self) noexcept


cdef class NativeRules(Rules):
    cdef NativeState native
    cdef NativeContext context


cdef class PythonRules(Rules):
    cdef UserStates user
    cdef KeptStates kept
    cdef object value                 # hash of the root; None where states are not compared by value
    cdef list listed                  # the legal moves there, as they were listed last
    cdef bint observing               # evaluations are asked for
    cdef bint aligned                 # with a policy by legal move, not by action
    cdef uint32_t longest             # moves of a rollout of a scored game, at most; 0: no limit
    cdef list rolled                  # the moves of the last rollout, where lines are kept, else None

    cdef object at(self, const uint32_t *path, uint32_t length)
    cdef int describe(self, bint listed, GeneralPosition *position) except -1
    cdef int write_rewards(self, object state, GeneralPosition *position) except -1
    cdef int rollout(self, mcts_rng *rng, double *values) except -1
    cdef int keep(self, const uint32_t *path, uint32_t length, bint rolled) except -1
    cdef int follow_line(self, PythonRules before) except -1
    cdef double value_of_line(self, object state, list line, double estimate) except? -1.0
    cdef int write(self, object state, float *row) except -1


cdef Rules rules_of(object state, bint observing, bint aligned)
