"""m,n,k games on any board up to 32x32, and a simple rollout, which specifies the results of the hot kernels."""

cimport cython
from cpython.list cimport PyList_New
from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_DRAW, MCTS_ONGOING, MCTS_WIN, mcts_rng, mcts_rng_below, mcts_rng_seed
from mcts_core.games.mnk.knowledge cimport mnk_guide_table
from mcts_core.games.mnk.valuation cimport mnk_valuation_table
from mcts_core.games.mnk.prover cimport add_prover
from mcts_core.games.mnk.rollout cimport (MNK_HEADER, MNK_MAX_CELLS, MNK_MAX_SIDE, MNK_NO_CELL, in_five, mnk_geometry,
                                          mnk_state, mnk_table, prepare_game)
from mcts_core.games.board_position cimport BoardGeometry, BoardPosition, after_moves, from_diagram

import threading

from mcts_core.errors import GameOver, InvalidState
from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import check_winner

__all__ = ["MNK", "Gomoku", "TicTacToe", "count_games", "simple_rollouts"]

cdef extern from "kernels/vectors/board_vector.h" nogil:
    int board_bit(int row, int col)

cdef extern from "kernels/planes.h" nogil:
    void plane_of_bytes(float *plane, const uint8_t *board, int rows, int cols, int stride, uint8_t value)
    void plane_fill(float *plane, int cells, float value)


cdef extern from *:
    """
    #if defined(Py_LIMITED_API)
    #define set_new_item PyList_SetItem
    #else
    #define set_new_item PyList_SET_ITEM
    #endif
    """
    void set_new_item(list new, Py_ssize_t index, object item)  # for a new list only; takes over the reference

cdef enum:
    MIN_K = 3
    MIN_GOMOKU = 5
    GOMOKU_K = 5

cdef tuple RULES = ("freestyle", "exact")


# ---- rules: plain, for every board -----------------------------------------------------------------------------------

cdef inline bint is_empty(const mnk_geometry *g, const mnk_state *s, int cell) noexcept nogil:
    return s.board[g.offset[cell]] == 0


cdef inline int32_t play_simple(const mnk_geometry *g, mnk_state *s, int cell) noexcept nogil:
    """Plays a legal move in place; returns its outcome."""
    s.board[g.offset[cell]] = 1 + (s.stones & 1)
    s.stones += 1
    if in_five(g, s.board, cell):
        s.over = MCTS_WIN
    elif s.stones == g.cells:
        s.over = MCTS_DRAW
    return s.over


cdef union any_state:
    mnk_state state
    uint8_t bytes[MNK_HEADER + MNK_MAX_CELLS]


cdef int32_t rollout_simple(const mnk_geometry *g, const mnk_state *start, mcts_rng *rng) noexcept nogil:
    """Plays random moves to the end. Returns the result for the player to move in ``start`` plus 4 times the plies."""
    cdef any_state copy
    cdef mnk_state *s = &copy.state
    cdef uint16_t empty[MNK_MAX_CELLS]
    cdef int cell, chosen, count = 0
    memcpy(s, start, MNK_HEADER + g.board_size)
    for cell in range(g.cells):
        if is_empty(g, s, cell):
            empty[count] = cell
            count += 1
    while s.over == MCTS_ONGOING:
        chosen = mcts_rng_below(rng, count)
        play_simple(g, s, empty[chosen])
        count -= 1
        empty[chosen] = empty[count]
    cdef int plies = s.stones - start.stones
    if s.over == MCTS_DRAW:
        return 1 + 4 * plies
    return (2 if plies & 1 else 0) + 4 * plies


cdef uint64_t count_games_simple(const mnk_geometry *g, mnk_state *s) noexcept nogil:
    """The number of games that can follow ``s``, in which the game goes on; ``s`` is restored."""
    cdef uint64_t total = 0
    cdef int cell
    for cell in range(g.cells):
        if is_empty(g, s, cell):
            if play_simple(g, s, cell) == MCTS_ONGOING:
                total += count_games_simple(g, s)
            else:
                total += 1
            s.over = MCTS_ONGOING
            s.stones -= 1
            s.board[g.offset[cell]] = 0
    return total


cdef int32_t observe(void *context, const void *state, float *planes) noexcept nogil:
    """Three planes: the stones of the player to move, those of the other one, and 1 everywhere for the player who
    began."""
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    cdef uint8_t own = 1 + (s.stones & 1)
    plane_of_bytes(planes, s.board, g.rows, g.cols, g.stride, own)
    plane_of_bytes(planes + g.cells, s.board, g.rows, g.cols, g.stride, 3 - own)
    plane_fill(planes + 2 * g.cells, g.cells, 0.0 if s.stones & 1 else 1.0)  # last: the others write beyond their ends
    return 0


# ---- geometry --------------------------------------------------------------------------------------------------------

cdef mnk_table *HOT = <mnk_table *> hot_table("games.mnk.rollout")
cdef mnk_table *IN_BITS = <mnk_table *> hot_table("games.mnk.bit_rollout")
cdef mnk_guide_table *HOT_GUIDE = <mnk_guide_table *> hot_table("games.mnk.knowledge")
cdef mnk_valuation_table *HOT_VALUATION = <mnk_valuation_table *> hot_table("games.mnk.valuation")


@cython.final
@cython.no_gc
cdef class Geometry(BoardGeometry):
    """The data that all positions with the same m, n, k and rule share."""

    def __cinit__(self, int cols, int rows, int k, bint exact):
        cdef mnk_geometry *g = &self.data
        cdef int cell, index
        memset(g, 0, sizeof(mnk_geometry))
        g.cols = cols
        g.rows = rows
        g.k = k
        g.exact = exact
        g.cells = cols * rows
        # The widths that the kernels are made for.
        if cols <= 4 and rows <= 4 and not exact:
            g.stride = 4
            g.board_size = 16
        elif cols <= 8 and rows <= 8:
            g.stride = 8
            g.board_size = 64
        elif cols <= 16:
            g.stride = 16
            g.board_size = 32 * ((rows + 1) // 2)
            g.garbage = (16 - cols) * (2 * ((rows + 1) // 2) - 2)
        else:
            g.stride = 32
            g.board_size = 32 * rows
            g.garbage = (32 - cols) * rows
        g.in_bits = g.stride == 16 and rows <= 16 and k == 5 and not exact
        for cell in range(g.cells):
            g.offset[cell] = cell // cols * g.stride + cell % cols
            if g.in_bits:
                g.bit[cell] = board_bit(cell // cols, cell % cols)
                g.all_cells[g.bit[cell] >> 6] |= <uint64_t> 1 << (g.bit[cell] & 63)

        def distance(cell):
            return (2 * (cell // cols) - (rows - 1)) ** 2 + (2 * (cell % cols) - (cols - 1)) ** 2

        for index, cell in enumerate(sorted(range(cols * rows), key=distance)):
            g.order[index] = cell
        memset(g.starts, 255, sizeof(g.starts))
        for cell in range(g.cells if g.stride == 4 else 0):
            right = cell % cols + k <= cols
            down = cell // cols + k <= rows
            left = cell % cols >= k - 1
            for index, fits in enumerate((right, down, down and right, down and left)):
                if fits:
                    g.starts[index][g.offset[cell]] = 0

        self.empty = <mnk_state *> malloc(MNK_HEADER + g.board_size)
        if self.empty == NULL:
            raise MemoryError
        memset(self.empty, 0, MNK_HEADER)
        memset(self.empty.board, MNK_NO_CELL, g.board_size)
        for cell in range(g.cells):
            self.empty.board[g.offset[cell]] = 0
        self.start = self.empty
        self.key_from = MNK_HEADER
        self.key_size = g.board_size
        self.seed = (((<uint64_t> cols * 64 + rows) * 64 + k) * 2 + exact) * <uint64_t> 0xBF58476D1CE4E5B9
        self.fill(rows, cols, g.cells, MNK_HEADER + g.board_size, g, observe)
        prepare_game(HOT, IN_BITS, &self.game)
        HOT_GUIDE.prepare(g, &self.guide)
        add_prover(g, &self.guide)
        HOT_VALUATION.prepare(g, &self.valuation)
        if self.valuation.value != NULL:
            self.game.valuation = &self.valuation

    def __dealloc__(self):
        free(self.empty)


cdef dict GEOMETRIES = {}
cdef object GEOMETRIES_LOCK = threading.RLock()  # a handler of a signal or a finalizer may make positions, too


cdef Geometry find_geometry(m, n, k, rule):
    m = as_int(m, "m", 1, MNK_MAX_SIDE, InvalidState)
    n = as_int(n, "n", 1, MNK_MAX_SIDE, InvalidState)
    if max(m, n) < MIN_K:
        raise InvalidState(f"one of m and n must be at least {MIN_K}, got m={m}, n={n}")
    k = as_int(k, "k", MIN_K, MNK_MAX_SIDE, InvalidState)
    if k > max(m, n):
        raise InvalidState(f"k must be at most the longer side of the board, {max(m, n)}, or nobody could ever win, "
                           f"got {k}")
    if not isinstance(rule, str) or rule not in RULES:
        raise InvalidState(f"rule must be 'freestyle' or 'exact', got {shorten(rule)}")
    key = (m, n, k, rule == "exact")
    geometry = GEOMETRIES.get(key)
    if geometry is None:
        geometry = Geometry(*key)
        with GEOMETRIES_LOCK:
            geometry = GEOMETRIES.setdefault(key, geometry)
    return geometry


cdef Geometry gomoku_geometry(size, rule):
    size = as_int(size, "size", MIN_GOMOKU, MNK_MAX_SIDE, InvalidState)
    return find_geometry(size, size, GOMOKU_K, rule)


cdef Geometry TIC_TAC_TOE = find_geometry(3, 3, 3, "freestyle")


# ---- positions -------------------------------------------------------------------------------------------------------

cdef inline const mnk_geometry *board_of(BoardPosition self) noexcept:
    return &(<Geometry> self.geometry).data


cdef bint has_five(const mnk_geometry *g, const uint8_t *board, int stone) noexcept nogil:
    cdef int cell
    for cell in range(g.cells):
        if board[g.offset[cell]] == stone and in_five(g, board, cell):
            return True
    return False


cdef bint has_last_move(const mnk_geometry *g, uint8_t *board, int stone) noexcept nogil:
    """Whether one stone belongs to all fives of the winner, so that it can be the last move; ``board`` is restored."""
    cdef int cell
    cdef bint found = False
    for cell in range(g.cells):
        if board[g.offset[cell]] == stone and in_five(g, board, cell):
            board[g.offset[cell]] = 0
            found = not has_five(g, board, stone)
            board[g.offset[cell]] = stone
            if found:
                break
    return found


@cython.no_gc
cdef class MNK(BoardPosition):
    """MNK(m=3, n=3, k=3, rule='freestyle')\n--\n\nA position of an m,n,k game. It never changes: threads share it.

    ``MNK(m=3, n=3, k=3, rule="freestyle")`` is the empty board of ``m`` columns and ``n`` rows. The players place
    stones in turn. The first player with ``k`` or more stones in an unbroken row, column or diagonal wins (rule
    ``"exact"``: exactly ``k`` stones); a full board without such a line is a draw.

    m: the number of columns, 1 to 32.
    n: the number of rows, 1 to 32.
    k: the stones of a line that wins, from 3 to the longer side of the board.
    rule: ``"freestyle"`` or ``"exact"``.

    A move is the number ``row * m + column``, where row 0 is the top row. Two positions are equal if their rules and
    stones are equal, whatever moves led to them and whatever their class: ``MNK(3, 3, 3) == TicTacToe()``. Raises
    InvalidState for other rules and boards.
    """

    _arguments = ("m", "n", "k", "rule")

    @property
    def _line(self):
        """The stones of a line that wins, and whether no more than these."""
        return self.k, self.rule == "exact"

    def __cinit__(self):
        self.assume(TIC_TAC_TOE, TIC_TAC_TOE.start, NULL, 0)

    def __dealloc__(self):
        free(self.block)

    def __init__(self, m=3, n=3, k=3, rule="freestyle"):
        self.check_new("an MNK")
        self.begin(find_geometry(m, n, k, rule))

    @classmethod
    def from_moves(cls, moves, *, m=3, n=3, k=3, rule="freestyle", base=0):
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"b2 a3"`` or a sequence of moves, each the name of a cell or its number.
        m, n, k, rule: the board and the rule, as for the constructor.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, InvalidState for impossible rules, and InvalidOption for
        another ``base``.
        """
        return after_moves(cls, find_geometry(m, n, k, rule), moves, base)

    @classmethod
    def from_string(cls, text, *, m=3, n=3, k=3, rule="freestyle"):
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        m, n, k, rule: the board and the rule, as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, and for a position that cannot occur in a
        game: wrong numbers of stones, lines of both players, lines that no last move can have completed.
        """
        return from_diagram(cls, find_geometry(m, n, k, rule), text)

    @property
    def m(self):
        """The number of columns."""
        return self.geometry.cols

    @property
    def n(self):
        """The number of rows."""
        return self.geometry.rows

    @property
    def k(self):
        """The number of stones in a line that wins."""
        return board_of(self).k

    @property
    def rule(self):
        """``"freestyle"``: ``k`` or more stones in a line win; ``"exact"``: exactly ``k``."""
        return RULES[board_of(self).exact]

    def legal_moves(self):
        """Returns the empty cells in ascending order. The list is empty when the game is over."""
        cdef const mnk_geometry *g = board_of(self)
        cdef const mnk_state *s = self.position
        cdef int cell, count = 0
        cdef list result
        if s.over != MCTS_ONGOING:
            return []
        result = PyList_New(g.cells - s.stones)
        for cell in range(g.cells):
            if s.board[g.offset[cell]] == 0:
                number = PyLong_FromLong(cell)
                Py_INCREF(number)
                set_new_item(result, count, number)
                count += 1
        return result

    def play(self, move):
        """Returns the position after a stone in cell ``move``: a number such as 112, or a name such as ``"h8"``.

        Raises IllegalMove (no such cell, or it is occupied), or GameOver in a finished game.
        """
        return self.after(move, "move")

    cdef BoardGeometry geometry_of(self, rules):
        return find_geometry(rules[0], rules[1], rules[2], rules[3])

    cdef BoardPosition blank(self):
        cdef type cls = type(self)
        if cls is Gomoku:
            return Gomoku.__new__(Gomoku)
        if cls is MNK:
            return MNK.__new__(MNK)
        if cls is TicTacToe:
            return TicTacToe.__new__(TicTacToe)
        return cls.__new__(cls)

    cdef void assume(self, BoardGeometry geometry, const void *state, const unsigned short *history,
                     int played) noexcept:
        self.geometry = geometry
        self.game = &geometry.game
        self.position = <mnk_state *> state
        self.state = state
        self.history = <unsigned short *> history
        self.played = played

    cdef int own(self, int room) except -1:
        cdef int size = self.geometry.game.state_size
        cdef char *block = <char *> malloc(size + sizeof(unsigned short) * (self.played + room))
        if block == NULL:
            raise MemoryError
        memcpy(block, self.state, size)
        if self.played:  # otherwise the history is NULL, which memcpy does not take
            memcpy(block + size, self.history, sizeof(unsigned short) * self.played)
        self.block = block
        self.assume(self.geometry, block, <unsigned short *> (block + size), self.played)
        return 0

    cdef void append(self, int move) noexcept:
        play_simple(board_of(self), self.position, move)
        self.history[self.played] = move
        self.played += 1

    cdef int place(self, bytes cells, text) except -1:
        cdef const mnk_geometry *g = board_of(self)
        cdef mnk_state *s = self.position
        cdef int cell, last
        cdef bint first, second
        for cell in range(g.cells):
            s.board[g.offset[cell]] = cells[cell]
            s.stones += cells[cell] != 0
        first = has_five(g, s.board, 1)
        second = has_five(g, s.board, 2)
        check_winner(first, second, s.stones, f"{'exactly ' if g.exact else ''}{g.k} in a line", text)
        last = 2 - (s.stones & 1)
        if first or second:
            s.over = MCTS_WIN
            if not has_last_move(g, s.board, last):
                raise InvalidState(f"no last move can have completed all lines of {'X' if first else 'O'} "
                                   f"in {shorten(text)}")
        elif s.stones == g.cells:
            s.over = MCTS_DRAW
        return 0

    cdef bint is_free(self, int move) noexcept:
        return is_empty(board_of(self), self.position, move)

    cdef str refusal(self, int move):
        return f"cell {self.both_of(move)} is occupied"

    cdef int stones(self) noexcept:
        return self.position.stones

    cdef int outcome(self) noexcept:
        return self.position.over

    cdef int stone(self, int row, int col) noexcept:
        cdef const mnk_geometry *g = board_of(self)
        return self.position.board[g.offset[row * g.cols + col]]


@cython.no_gc
cdef class Gomoku(MNK):
    """Gomoku(size=15, rule='freestyle')\n--\n\nA position of gomoku: five in a row on a square board.

    It is an ``MNK`` with m = n = ``size`` and k = 5.

    ``Gomoku(size=15, rule="freestyle")`` is the empty board.

    size: the number of rows and of columns, 5 to 32.
    rule: ``"freestyle"``: five or more stones in a line win; ``"exact"``: exactly five.

    Raises InvalidState for other sizes and rules.
    """

    _arguments = ("size", "rule")

    def __init__(self, size=15, rule="freestyle"):
        self.check_new("a Gomoku")
        self.begin(gomoku_geometry(size, rule))

    cdef BoardGeometry geometry_of(self, rules):
        return gomoku_geometry(rules[0], rules[1])

    @classmethod
    def from_moves(cls, moves, *, size=15, rule="freestyle", base=0):
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"h8 g9"`` or a sequence such as ``[112, 96]``.
        size, rule: as for the constructor.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, InvalidState for an impossible size or rule, and InvalidOption
        for another ``base``.
        """
        return after_moves(cls, gomoku_geometry(size, rule), moves, base)

    @classmethod
    def from_string(cls, text, *, size=15, rule="freestyle"):
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        size, rule: as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, or a position that cannot occur in a game.
        """
        return from_diagram(cls, gomoku_geometry(size, rule), text)

    @property
    def size(self):
        """The number of rows and of columns, 5 to 32."""
        return self.geometry.cols


@cython.no_gc
cdef class TicTacToe(MNK):
    """TicTacToe()\n--\n\nA position of tic-tac-toe: an ``MNK`` with m = n = k = 3.

    ``TicTacToe()`` is the empty board."""

    _arguments = ()

    def __init__(self):
        self.check_new("a TicTacToe")
        self.begin(TIC_TAC_TOE)

    cdef BoardGeometry geometry_of(self, rules):
        return TIC_TAC_TOE

    @classmethod
    def from_moves(cls, moves, *, base=0):
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"b2 a3"`` or a sequence such as ``[4, 0]``.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, and InvalidOption for another ``base``.
        """
        return after_moves(cls, TIC_TAC_TOE, moves, base)

    @classmethod
    def from_string(cls, text):
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.

        Raises InvalidState for a text that is not a diagram of this board, or a position that cannot occur in a game.
        """
        return from_diagram(cls, TIC_TAC_TOE, text)


# ---- for tests -------------------------------------------------------------------------------------------------------

def count_games(MNK state not None):
    """The number of different complete games from ``state``; 1 if it is over. The time grows with that number."""
    cdef const mnk_geometry *board = board_of(state)
    cdef any_state copy
    cdef uint64_t total
    if state.position.over != MCTS_ONGOING:
        return 1
    memcpy(&copy, state.position, state.geometry.game.state_size)
    with nogil:
        total = count_games_simple(board, &copy.state)
    return total


def simple_rollouts(MNK state not None, n, seed):
    """``n`` simple rollouts: wins, draws and losses of the player to move, and the total number of moves.

    Raises GameOver if the game is over.
    """
    cdef const mnk_geometry *board = board_of(state)
    cdef long long count = as_int(n, "n", 0, 1 << 40)
    cdef uint64_t start = as_int(seed, "seed", 0, (1 << 64) - 1)
    cdef long long results[3]
    cdef long long plies = 0, _
    cdef int32_t value
    cdef mcts_rng rng
    if state.position.over != MCTS_ONGOING:
        raise GameOver("the game is over: no rollout can start here")
    memset(results, 0, sizeof(results))
    mcts_rng_seed(&rng, start)
    with nogil:
        for _ in range(count):
            value = rollout_simple(board, state.position, &rng)
            results[value & 3] += 1
            plies += value >> 2
    return results[2], results[1], results[0], plies
