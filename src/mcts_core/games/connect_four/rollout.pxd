"""The flat state of Connect Four, the geometry of a board, and the table of the hot functions over them.

Bit ``col * height + r`` is the cell of column ``col`` at height ``r`` above the floor; ``height = rows + 1``, so above
every column lies a sentinel cell that never holds a stone. ``next`` has one bit per column: the cell that the next
stone falls into, the sentinel above a full column. A move is then one ``and`` and one ``add``.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.games.connect_four.book cimport c4_book
from mcts_core.game cimport mcts_expansion, mcts_rng, mcts_simulation


cdef enum:
    C4_MAX_COLS = 64
    C4_MAX_STEPS = 8

    # Specialisations of the hot functions.
    C4_STANDARD = 0   # 6 rows, 7 columns, connect 4
    C4_ONE_WORD = 1   # (rows + 1) * cols <= 64
    C4_TWO_WORDS = 2  # (rows + 1) * cols <= 128
    C4_KINDS = 3

ctypedef struct c4_state:
    uint64_t me[2]    # stones of the player to move
    uint64_t next[2]
    int32_t plies     # stones on the board
    int32_t over      # MCTS_ONGOING; MCTS_WIN: the player who moved last has won; MCTS_DRAW

ctypedef struct c4_context:
    int32_t rows
    int32_t cols
    int32_t connect
    int32_t height
    int32_t kind
    # A run of `connect` stones in a direction: b &= b >> shift[step][direction] for every step leaves a bit. Directions
    # in which a run fits on the board come first; the others shift by 255.
    int32_t directions
    int32_t steps
    uint64_t shift[C4_MAX_STEPS][4]
    uint64_t bottom[2]
    uint64_t sentinel[2]
    uint64_t column[C4_MAX_COLS][2]  # the playable cells of each column
    uint32_t order[C4_MAX_COLS]      # the order of trying: centre first
    # Several draws from one 32-bit fraction f: f * cols has the column above bit 32 and the next fraction below.
    # Exactly uniform when fractions with f * power mod 2^32 < reject are thrown away (Brackett-Rozinsky and Lemire,
    # "Batched ranged random integer generation", 2024).
    uint32_t draws                   # 4 or 8
    uint32_t power                   # cols^draws
    uint32_t reject                  # 2^32 mod power
    const c4_book *book              # of the standard board, NULL until it is read

ctypedef int32_t (*c4_legal_moves)(void *context, const void *state, uint32_t *moves) noexcept nogil
ctypedef int32_t (*c4_play)(void *context, void *state, uint32_t move) noexcept nogil
ctypedef int32_t (*c4_rollout)(void *context, const void *state, mcts_rng *rng) noexcept nogil
ctypedef int32_t (*c4_rollouts)(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                                uint64_t *plies) noexcept nogil
ctypedef int32_t (*c4_simulate)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                mcts_simulation *simulation, mcts_rng *rng) noexcept nogil
ctypedef int32_t (*c4_expand)(void *context, const void *root, const uint32_t *path, uint32_t length,
                              mcts_expansion *expansion) noexcept nogil

ctypedef struct c4_table:
    c4_legal_moves legal_moves[C4_KINDS]
    c4_play play[C4_KINDS]
    c4_rollout rollout[C4_KINDS]
    c4_rollouts rollouts[C4_KINDS]  # NULL where there is none
    c4_simulate simulate[C4_KINDS]
    c4_expand expand[C4_KINDS]
