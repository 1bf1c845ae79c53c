"""Threat search for five in a row: its position, its memory and the table of the hot functions over them.

A cell is numbered 32 * row + column here; lines are those of ``lines``.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_interrupt, mcts_proof, mcts_raised
from mcts_core.games.mnk.lines cimport MNK_LINES, mnk_line_board
from mcts_core.games.proof_table cimport proof_table
from mcts_core.platform cimport mcts_ctz64


cdef enum:
    THREAT_CELLS = 1024
    THREAT_STACK = 1 << 15
    THREAT_STONES = 100   # of an attack of fours
    THREAT_LOOK = 64      # of the proof budget, between two looks at the interrupt

# Kinds of positions of a player.
cdef enum:
    ATTACK = 0
    DEFENCE = 1

# What is known of a position with the player who attacks to move.
ctypedef struct threat_note:
    uint16_t move
    uint8_t won           # wins with so many stones of his; 0: not known
    uint8_t failed        # does not with so many; 255: with no number

# A stone, and the threes and fours, by player, before it changed them.
ctypedef struct threat_change:
    int32_t cell
    bint changed                          # anything at all
    uint32_t windows[2][4]
    uint64_t threes[2][3]
    uint64_t fours[2][3]

ctypedef struct threat_search:
    # the board, fixed
    int32_t cols
    int32_t rows
    uint32_t strict
    uint32_t valid[MNK_LINES]             # the cells of each line
    uint32_t blocks                       # of eight lines: those with a cell
    int16_t base[MNK_LINES]               # the cell of bit 0
    int16_t step[6]                       # from bit to bit, by line / 32
    # keys of positions by player, fixed
    const uint64_t *stone_keys[2]         # of his stone in each cell
    const uint64_t *side_keys[2]          # that he attacks, that he defends
    # the position
    mnk_line_board board
    uint64_t hash
    int32_t count
    uint32_t windows[2][MNK_LINES]        # by player, those that are threes
    uint64_t threes[2][3]                 # lines with threes
    uint64_t fours[2][3]                  # lines with fours
    threat_change before[THREAT_CELLS]    # each stone, by the number of those before it
    # the attack
    uint32_t *mine
    uint32_t *theirs
    uint64_t side                         # of the keys of positions where the attacker moves
    const uint64_t *mine_keys
    const uint64_t *their_keys
    uint32_t three[MNK_LINES]             # the attacker's windows that are threes
    uint64_t active[3]                    # the lines that have some
    uint64_t begun[3]                     # those that had some when the last attack began
    uint32_t best
    bint wins_only                        # losses of the player to move are not looked for
    bint shortest                         # attacks are searched for the fewest stones, not for any win
    uint32_t cut                          # some line of play was not followed to its end
    uint32_t stamp
    uint32_t seen[THREAT_CELLS]
    uint16_t reply[THREAT_CELLS]
    uint32_t top
    uint32_t stack[THREAT_STACK]
    # the proof budget
    uint64_t spent
    uint64_t limit
    uint64_t pause                        # what is spent when the next look at the interrupt is due
    const mcts_interrupt *interrupt
    uint32_t interrupted
    proof_table table

ctypedef struct mnk_threat_table:
    # Sets up a search, of which the table is left alone, for a board.
    void (*prepare)(threat_search *s, int32_t cols, int32_t rows, int32_t exact) noexcept nogil
    # Puts a stone of the player (0 began) on an empty cell, or takes the last one away again.
    void (*put)(threat_search *s, int32_t player, int32_t cell) noexcept nogil
    # Tries to prove the position with `player` to move; `spent` and `limit` are set by the caller. Moves are cells.
    void (*prove)(threat_search *s, int32_t player, mcts_proof *proof) noexcept nogil
    # The cells, 2 at most, where the player completes a five; returns how many.
    int (*fives)(const threat_search *s, int player, int *cells) noexcept nogil
    # Stones of a win of the player by fours, the shortest one if the search is set to it; 0, or -1 when it was not
    # decided. He is to move.
    int (*win)(threat_search *s, int player, uint32_t *move) noexcept nogil
    # The same, and what a stone of the defender could change in it: continuous_fours.pyx says it in full.
    int (*zone)(threat_search *s, int player, uint32_t *zone, uint16_t *order, int *length, bint *quiet) noexcept nogil


cdef inline int threat_cell_at(const threat_search *s, int line, int bit) noexcept nogil:
    return s.base[line] + bit * s.step[line >> 5]


cdef inline int threat_take(uint32_t *zone, const uint16_t *order, int length, int *place) noexcept nogil:
    """Takes the next cell out of a zone, -1 when there is none: first those of the attack, one of which saves most
    positions that can be saved. ``place`` is 0 at the beginning."""
    cdef int cell, y
    while place[0] < length:
        cell = order[place[0]]
        place[0] += 1
        if zone[cell >> 5] >> (cell & 31) & 1:
            zone[cell >> 5] &= ~(<uint32_t>1 << (cell & 31))
            return cell
    while place[0] < length + 32:
        y = place[0] - length
        if zone[y]:
            cell = 32 * y + mcts_ctz64(zone[y])
            zone[y] &= zone[y] - 1
            return cell
        place[0] += 1
    return -1


cdef inline bint threat_is_over(threat_search *s) noexcept nogil:
    """Whether the budget is spent or somebody interrupts, when a look is due."""
    if s.spent >= s.limit:
        return True
    if mcts_raised(s.interrupt):
        s.interrupted = 1
        s.limit = s.pause = 0
        return True
    s.pause = min(s.limit, s.spent + THREAT_LOOK)
    return False
