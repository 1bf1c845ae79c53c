# cython: boundscheck=False, wraparound=False, cdivision=True
"""Breakthrough, 8 x 8, in Cython: a game that mcts_core searches without a Python call.

White (the player +1) begins and moves up; black moves down. A pawn moves one cell straight ahead to an empty cell, or
one cell diagonally ahead to an empty cell or to an enemy pawn, which it captures. The player who reaches the opposite
row or takes the last enemy pawn wins; there are no draws.

A move is ``3 * cell + direction``. The cell of the pawn is ``8 * row + col`` with row 0 at the bottom (a1 is 0). The
direction is 0, 1 or 2 for ahead to the left, straight ahead, or ahead to the right, as white sees the board.
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.game cimport (MCTS_ONGOING, MCTS_VALUE_ONE, MCTS_WIN, NativeState, mcts_estimate, mcts_game, mcts_guide,
                             mcts_valuation)
from mcts_core.simple_game cimport mcts_fill_game, mcts_lowest_bit, mcts_rules, mcts_rules_explain

from mcts_core import GameOver, IllegalMove

cdef enum:
    MAX_MOVES = 3 * 64

cdef uint64_t FIRST_ROW = 0xFF
cdef uint64_t LAST_ROW = <uint64_t>0xFF << 56
cdef uint64_t LEFT = <uint64_t>0x0101010101010101   # the first column, from which no pawn can move to the left
cdef uint64_t RIGHT = LEFT << 7

# The flat state: plain memory without pointers, which the search may copy.
ctypedef struct Position:
    uint64_t pawns[2]  # white, black
    uint64_t black     # 1 when black is to move


# ---- the rules: what the search calls --------------------------------------------------------------------------------

cdef inline uint64_t targets(const Position *position, int direction) noexcept nogil:
    """The pawns of the player to move that can move in a direction."""
    cdef uint64_t mine = position.pawns[position.black], free = ~mine
    if direction == 1:
        free &= ~position.pawns[1 - position.black]
    elif direction == 0:
        mine &= ~LEFT
    else:
        mine &= ~RIGHT
    if position.black:  # straight down is 8 less, left 9 less, right 7 less
        return mine & free << (9 - direction)
    return mine & free >> (7 + direction)


cdef int32_t legal_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    cdef const Position *position = <const Position *>state
    cdef uint64_t pawns
    cdef int32_t count = 0, direction
    for direction in range(3):
        pawns = targets(position, direction)
        while pawns:
            moves[count] = 3 * mcts_lowest_bit(pawns) + direction
            pawns &= pawns - 1
            count += 1
    return count


cdef int32_t play(void *context, void *state, uint32_t move) noexcept nogil:
    cdef Position *position = <Position *>state
    cdef int32_t black = <int32_t>position.black, direction = move % 3, cell = move // 3
    cdef int32_t to = cell + (direction - 9 if black else direction + 7)
    cdef uint64_t target = <uint64_t>1 << to
    position.pawns[black] ^= <uint64_t>1 << cell | target
    position.pawns[1 - black] &= ~target
    position.black = 1 - black
    if target & (FIRST_ROW if black else LAST_ROW) or position.pawns[1 - black] == 0:
        return MCTS_WIN
    return MCTS_ONGOING


# ---- the valuation: values of positions and weights of moves, without a rollout --------------------------------------

cdef inline int32_t count_of(uint64_t pawns) noexcept nogil:
    cdef int32_t count = 0
    while pawns:
        pawns &= pawns - 1
        count += 1
    return count


cdef void go_to(const void *root, const uint32_t *path, uint32_t length, Position *position) noexcept nogil:
    """The position at the end of a path, from ``root``."""
    cdef uint32_t i
    position[0] = (<const Position *>root)[0]
    for i in range(length):
        play(NULL, position, path[i])


cdef int32_t value(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   mcts_estimate *estimate) noexcept nogil:
    """Counts the pawns, and how far the foremost pawn of each side has come."""
    cdef Position position
    cdef int32_t row, lead, white = 0, black = 0
    go_to(root, path, length, &position)
    for row in range(8):
        if position.pawns[0] & FIRST_ROW << (8 * row):
            white = row
        if position.pawns[1] & LAST_ROW >> (8 * row):
            black = row
    lead = (2500 * (count_of(position.pawns[0]) - count_of(position.pawns[1]))
            + 1000 * (white * white - black * black) // 4)
    lead = MCTS_VALUE_ONE // 2 + (-lead if position.black else lead)
    estimate.value = min(max(lead, MCTS_VALUE_ONE // 50), MCTS_VALUE_ONE - MCTS_VALUE_ONE // 50)
    return 0


cdef int32_t weigh(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   const uint32_t *moves, uint32_t count, float *weights) noexcept nogil:
    """Prefers captures, and moves of pawns that have come far."""
    cdef Position position
    cdef uint32_t i
    cdef int32_t cell, to, row
    go_to(root, path, length, &position)
    for i in range(count):
        cell = moves[i] // 3
        to = cell + (<int32_t>(moves[i] % 3) - 9 if position.black else <int32_t>(moves[i] % 3) + 7)
        row = 7 - to // 8 if position.black else to // 8
        weights[i] = 1 + row * row / <float>8
        if position.pawns[1 - position.black] >> to & 1:
            weights[i] *= 4
    return 0


# ---- the game table --------------------------------------------------------------------------------------------------

cdef mcts_rules RULES
cdef mcts_game GAME
cdef mcts_guide GUIDE
cdef mcts_valuation VALUATION

memset(&RULES, 0, sizeof(RULES))
RULES.state_size = sizeof(Position)
RULES.max_moves = MAX_MOVES
RULES.max_plies = 2 * 16 * 7  # every move advances a pawn
RULES.legal_moves = legal_moves
RULES.play = play

if mcts_fill_game(&GAME, &GUIDE, &RULES) < 0:
    raise ImportError("the game table of breakthrough cannot be filled")

memset(&VALUATION, 0, sizeof(VALUATION))  # no create: this valuation needs no memory
VALUATION.value = value
VALUATION.weigh = weigh
GAME.valuation = &VALUATION


# ---- the position, for Python ----------------------------------------------------------------------------------------

@cython.final
cdef class Breakthrough(NativeState):
    """A position of Breakthrough; it is immutable. ``Breakthrough()`` is the first position."""

    cdef Position position
    cdef int32_t outcome
    cdef tuple history

    def __cinit__(self):
        self.game = &GAME               # a native search needs only these two,
        self.state = &self.position     # besides to_move, legal_moves() and winner()
        self.position.pawns[0] = 0xFFFF
        self.position.pawns[1] = <uint64_t>0xFFFF << 48
        self.outcome = MCTS_ONGOING
        self.history = ()

    @classmethod
    def from_moves(cls, moves):
        """The position after a sequence of moves."""
        state = cls()
        for move in moves:
            state = state.play(move)
        return state

    @property
    def to_move(self):
        """The player to move: +1 is white, -1 is black."""
        return -1 if self.position.black else 1

    @property
    def moves(self):
        """The moves that led here."""
        return self.history

    def legal_moves(self):
        """The legal moves, in the order of the table; empty if the game is over."""
        cdef uint32_t found[MAX_MOVES]
        cdef int32_t count, i
        if self.outcome != MCTS_ONGOING:
            return []
        count = legal_moves(NULL, &self.position, found)
        return [found[i] for i in range(count)]

    def play(self, move):
        """The position after ``move``. Raises IllegalMove, GameOver."""
        if self.outcome != MCTS_ONGOING:
            raise GameOver("the game is over")
        if isinstance(move, bool) or move not in self.legal_moves():
            raise IllegalMove(f"a move must be one of {self.legal_moves()}, got {move!r}")
        cdef Breakthrough new = Breakthrough.__new__(Breakthrough)
        new.position = self.position
        new.outcome = play(NULL, &new.position, move)
        new.history = (*self.history, int(move))
        return new

    def name(self, move):
        """The name of a move of the player to move, such as ``a2b3``; it is shown wherever moves are."""
        cell, direction = divmod(move, 3)
        to = cell + (direction - 9 if self.position.black else direction + 7)
        return "".join("abcdefgh"[each % 8] + str(each // 8 + 1) for each in (cell, to))

    def winner(self):
        """None while the game goes on, then +1 or -1."""
        return None if self.outcome == MCTS_ONGOING else -self.to_move

    def explain_error(self):
        """The last error of the table; a search that ends with an error reports it."""
        cdef char text[200]
        return text.decode() if mcts_rules_explain(&RULES, text, sizeof(text)) > 0 else None

    def __eq__(self, other):
        if type(other) is not Breakthrough:
            return NotImplemented
        cdef Breakthrough that = other
        return (self.position.pawns[0] == that.position.pawns[0] and self.position.pawns[1] == that.position.pawns[1]
                and self.position.black == that.position.black)

    def __hash__(self):
        return hash((self.position.pawns[0], self.position.pawns[1], self.position.black))

    def __reduce__(self):
        return Breakthrough.from_moves, (self.history,)

    def __str__(self):
        rows = []
        for row in reversed(range(8)):
            cells = range(8 * row, 8 * row + 8)
            marks = ["w" if self.position.pawns[0] >> cell & 1 else "b" if self.position.pawns[1] >> cell & 1 else "."
                     for cell in cells]
            rows.append(f"{row + 1} " + " ".join(marks))
        return "\n".join([*rows, "  a b c d e f g h"])

    def __repr__(self):
        return f"Breakthrough.from_moves({list(self.history)})"
