"""Connect Four on any board of up to 128 bits, and a simple rollout: the specification of the hot kernels."""

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.games.connect_four.book cimport Book
from mcts_core.games.connect_four.knowledge cimport c4_guide_table
from mcts_core.games.connect_four.alpha_beta cimport c4_prover_table
from mcts_core.games.connect_four.rollout cimport (C4_MAX_COLS, C4_MAX_STEPS, C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS,
                                                   c4_context, c4_state, c4_table)
from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport (MCTS_DRAW, MCTS_ONGOING, MCTS_ROLLOUT_DECISIVE, MCTS_ROLLOUT_RANDOM, MCTS_WIN, mcts_game,
                             mcts_rng, mcts_rng_below, mcts_rng_seed)
from mcts_core.games.board_position cimport BoardGeometry, BoardPosition, after_moves, from_diagram
from mcts_core.simple_game cimport mcts_fill_game, mcts_rules

import threading

from mcts_core.errors import GameOver, InvalidState
from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import check_winner

__all__ = ["ConnectFour", "perft", "simple_rollouts", "simple_twin"]

cdef extern from "kernels/planes.h" nogil:
    void plane_of_bits(float *plane, uint64_t low, uint64_t high, int rows, int cols, int height)
    void plane_fill(float *plane, int cells, float value)


cdef int MAX_BITS = 128


# ---- rules: plain, for every board -----------------------------------------------------------------------------------

cdef inline void shift_right(const uint64_t *b, int n, uint64_t *out) noexcept nogil:
    """128-bit ``b >> n`` for 0 < n < 128."""
    if n >= 64:
        out[0] = b[1] >> (n - 64)
        out[1] = 0
    else:
        out[0] = b[0] >> n | b[1] << (64 - n)
        out[1] = b[1] >> n


cdef bint has_line(const c4_context *c, const uint64_t *stones) noexcept nogil:
    """Whether ``connect`` of the stones lie in one line."""
    cdef uint64_t run[2]
    cdef uint64_t moved[2]
    cdef int direction, step
    for direction in range(c.directions):
        run[0] = stones[0]
        run[1] = stones[1]
        for step in range(c.steps):
            shift_right(run, <int> c.shift[step][direction], moved)
            run[0] &= moved[0]
            run[1] &= moved[1]
        if run[0] | run[1]:
            return True
    return False


cdef inline void add(uint64_t *a, const uint64_t *b) noexcept nogil:
    """128-bit ``a += b``."""
    a[0] += b[0]
    a[1] += b[1] + (a[0] < b[0])


cdef inline void occupied(const c4_context *c, const c4_state *s, uint64_t *out) noexcept nogil:
    """All stones: the cells below ``next`` in every column, by a subtraction without borrow between columns."""
    out[0] = s.next[0] - c.bottom[0]
    out[1] = s.next[1] - c.bottom[1] - (s.next[0] < c.bottom[0])


cdef inline bint is_open(const c4_context *c, const c4_state *s, int column) noexcept nogil:
    return (s.next[0] & c.column[column][0] | s.next[1] & c.column[column][1]) != 0


cdef int32_t play_simple(const c4_context *c, c4_state *s, int column) noexcept nogil:
    """Plays a legal move in place; returns its outcome."""
    cdef uint64_t move[2]
    cdef uint64_t stones[2]
    cdef uint64_t other[2]
    occupied(c, s, stones)
    move[0] = s.next[0] & c.column[column][0]
    move[1] = s.next[1] & c.column[column][1]
    other[0] = stones[0] ^ s.me[0]
    other[1] = stones[1] ^ s.me[1]
    s.me[0] |= move[0]
    s.me[1] |= move[1]
    add(s.next, move)
    s.plies += 1
    s.over = MCTS_ONGOING
    if has_line(c, s.me):
        s.over = MCTS_WIN
    elif s.next[0] == c.sentinel[0] and s.next[1] == c.sentinel[1]:
        s.over = MCTS_DRAW
    s.me[0] = other[0]
    s.me[1] = other[1]
    return s.over


cdef int32_t rollout_simple(const c4_context *c, const c4_state *start, mcts_rng *rng) noexcept nogil:
    """Uniformly random moves to the end; the result for the player to move in ``start``, plus 4 times the moves."""
    cdef c4_state s = start[0]
    cdef int open_columns[C4_MAX_COLS]
    cdef int column, count
    while s.over == MCTS_ONGOING:
        count = 0
        for column in range(c.cols):
            if is_open(c, &s, column):
                open_columns[count] = column
                count += 1
        play_simple(c, &s, open_columns[mcts_rng_below(rng, count)])
    cdef int plies = s.plies - start.plies
    if s.over == MCTS_DRAW:
        return 1 + 4 * plies
    return (2 if plies & 1 else 0) + 4 * plies


cdef uint64_t perft_simple(const c4_context *c, const c4_state *s, int depth) noexcept nogil:
    cdef c4_state child
    cdef uint64_t total = 0
    cdef int column
    if s.over != MCTS_ONGOING:
        return depth == 0
    if depth == 0:
        return 1
    for column in range(c.cols):
        if is_open(c, s, column):
            if depth == 1:
                total += 1
            else:
                child = s[0]
                play_simple(c, &child, column)
                total += perft_simple(c, &child, depth - 1)
    return total


cdef int32_t observe(void *context, const void *state, float *planes) noexcept nogil:
    """Three planes: the stones of the player to move, those of the other one, and 1 everywhere for the player who began
    (he and the other one play for different rows)."""
    cdef const c4_context *c = <const c4_context *> context
    cdef const c4_state *s = <const c4_state *> state
    cdef uint64_t stones[2]
    cdef int size = c.rows * c.cols
    occupied(c, s, stones)
    plane_of_bits(planes, s.me[0], s.me[1], c.rows, c.cols, c.height)
    plane_of_bits(planes + size, stones[0] ^ s.me[0], stones[1] ^ s.me[1], c.rows, c.cols, c.height)
    plane_fill(planes + 2 * size, size, 0.0 if s.plies & 1 else 1.0)
    return 0


# ---- geometry --------------------------------------------------------------------------------------------------------

cdef c4_table *HOT = <c4_table *> hot_table("games.connect_four.rollout")
cdef c4_guide_table *HOT_GUIDE = <c4_guide_table *> hot_table("games.connect_four.knowledge")
cdef c4_prover_table *HOT_PROVER = <c4_prover_table *> hot_table("games.connect_four.alpha_beta")


cdef inline void set_bit(uint64_t *words, int bit) noexcept nogil:
    words[bit >> 6] |= <uint64_t> 1 << (bit & 63)


@cython.final
@cython.no_gc
cdef class Geometry(BoardGeometry):
    """What all positions with the same rows, cols and connect share."""

    def __cinit__(self):
        memset(&self.context, 0, sizeof(c4_context))
        memset(&self.empty, 0, sizeof(c4_state))


cdef Geometry make_geometry(int rows, int cols, int connect):
    cdef Geometry self = Geometry.__new__(Geometry)
    cdef c4_context *c = &self.context
    cdef int column, row, length, _
    cdef uint64_t power
    c.rows = rows
    c.cols = cols
    c.connect = connect
    c.height = rows + 1
    c.kind = C4_TWO_WORDS if (rows + 1) * cols > 64 else C4_ONE_WORD
    if rows == 6 and cols == 7 and connect == 4:
        c.kind = C4_STANDARD
    for column in range(cols):
        set_bit(c.bottom, column * c.height)
        set_bit(c.sentinel, column * c.height + rows)
        for row in range(rows):
            set_bit(c.column[column], column * c.height + row)
    for step, column in enumerate(sorted(range(cols), key=lambda col: abs(2 * col - (cols - 1)))):
        c.order[step] = column

    # Doubling: runs of 1, 2, 4, ... stones; the last step overlaps.
    steps = []
    length = 1
    while length < connect:
        step = min(length, connect - length)
        steps.append(step)
        length += step
    c.steps = len(steps)
    for step in range(C4_MAX_STEPS):
        for column in range(4):
            c.shift[step][column] = 255
    for shift, fits in ((1, connect <= rows), (c.height, connect <= cols),
                        (c.height - 1, connect <= min(rows, cols)), (c.height + 1, connect <= min(rows, cols))):
        if fits:
            for step in range(c.steps):
                c.shift[step][c.directions] = shift * steps[step]
            c.directions += 1

    c.draws = 8 if cols <= 9 else 4  # so that at most 1 fraction in 100 is thrown away
    power = 1
    for _ in range(<int> c.draws):
        power *= cols
    c.power = power
    c.reject = (<uint64_t> 1 << 32) % power

    self.empty.next[0] = c.bottom[0]
    self.empty.next[1] = c.bottom[1]
    self.slots = True
    self.start = &self.empty
    self.key_size = sizeof(self.empty.me) + sizeof(self.empty.next)
    self.seed = <uint64_t> connect << 16 | c.height
    self.fill(rows, cols, cols, sizeof(c4_state), c, observe)
    self.game.legal_moves = HOT.legal_moves[c.kind]
    self.game.play = HOT.play[c.kind]
    self.game.rollout = HOT.rollout[c.kind]
    self.game.rollouts = HOT.rollouts[c.kind]
    self.game.simulate = HOT.simulate[c.kind]
    self.game.expand = HOT.expand[c.kind]

    self.guide.rollouts = 1 << MCTS_ROLLOUT_RANDOM | 1 << MCTS_ROLLOUT_DECISIVE
    self.guide.actions = rows * cols
    self.guide.children = HOT_GUIDE.children[c.kind]
    self.guide.rollout = HOT_GUIDE.rollout_by_policy[c.kind]
    self.guide.prove = HOT_PROVER.prove[c.kind]
    self.guide.create_memory = HOT_PROVER.create_memory
    self.guide.clear_memory = HOT_PROVER.clear_memory
    self.guide.destroy_memory = HOT_PROVER.destroy_memory
    return self


cdef Geometry STANDARD = make_geometry(6, 7, 4)
cdef dict GEOMETRIES = {(6, 7, 4): STANDARD}
cdef list BOOKS = []
cdef object GEOMETRIES_LOCK = threading.RLock()  # a handler of a signal or a finalizer may make positions, too


cdef Geometry find_geometry(rows, cols, connect):
    rows = as_int(rows, "rows", 1, MAX_BITS - 1, InvalidState)
    cols = as_int(cols, "cols", 1, MAX_BITS // 2, InvalidState)
    if (rows + 1) * cols > MAX_BITS:
        raise InvalidState(f"(rows + 1) * cols must be at most {MAX_BITS}, got rows={rows}, cols={cols}: "
                           f"{(rows + 1) * cols}")
    connect = as_int(connect, "connect", 2, MAX_BITS, InvalidState)
    if connect > max(rows, cols):
        raise InvalidState(f"connect must be at most the longer side of the board, {max(rows, cols)}, "
                           f"or nobody could ever win, got {connect}")
    key = (rows, cols, connect)
    with GEOMETRIES_LOCK:
        geometry = GEOMETRIES.get(key)
        if geometry is None:
            geometry = GEOMETRIES.setdefault(key, make_geometry(rows, cols, connect))
    return geometry


def use_book(Book book):
    """Searches of the standard board may ask the book from now on; None: they have none. Returns the one before."""
    with GEOMETRIES_LOCK:
        before = BOOKS[len(BOOKS) - 1] if BOOKS else None
        BOOKS.append(book)  # for good: searches that run have its address
        STANDARD.context.book = NULL if book is None else &book.data
    return before


# ---- the position ----------------------------------------------------------------------------------------------------

cdef inline const c4_context *context_of(ConnectFour self) noexcept:
    return &(<Geometry> self.geometry).context


cdef int stones_in(ConnectFour self, int column) noexcept:
    cdef int bit = column * context_of(self).height
    cdef int height = 0
    while not self.position.next[(bit + height) >> 6] >> ((bit + height) & 63) & 1:
        height += 1
    return height


cdef bint has_last_move(ConnectFour self, const uint64_t *winner) noexcept:
    """Whether the winner has a stone on top of a column without which there is no line."""
    cdef const c4_context *c = context_of(self)
    cdef uint64_t stones[2]
    cdef int column, bit
    for column in range(c.cols):
        bit = column * c.height + stones_in(self, column) - 1
        if bit < column * c.height or not winner[bit >> 6] >> (bit & 63) & 1:
            continue
        memcpy(stones, winner, sizeof(stones))
        stones[bit >> 6] ^= <uint64_t> 1 << (bit & 63)
        if not has_line(c, stones):
            return True
    return False


@cython.final
@cython.no_gc
cdef class ConnectFour(BoardPosition):
    """ConnectFour(rows=6, cols=7, connect=4)\n--\n\nA position of Connect Four. It never changes: threads share it.

    ``ConnectFour(rows=6, cols=7, connect=4)`` is the empty board. Stones fall down the columns. The first player with
    ``connect`` stones in a row, a column or a diagonal wins; a full board without such a line is a draw.

    rows: the number of rows, at least 1.
    cols: the number of columns, at least 1; ``(rows + 1) * cols`` is at most 128.
    connect: the stones of a line that wins, from 2 to the longer side of the board.

    A move is the number of a column, 0 to cols - 1 from left to right. The names of the columns, as printed on the
    board, are 1 to cols: ``play(0)`` and ``play("1")`` are the same move. Two positions are equal if their rules and
    stones are equal, whatever moves led to them. Raises InvalidState for other boards.
    """

    _arguments = ("rows", "cols", "connect")

    @property
    def _line(self):
        """The stones of a line that wins, and whether no more than these."""
        return self.connect, False

    def __cinit__(self):
        self.assume(STANDARD, STANDARD.start, NULL, 0)

    def __init__(self, rows=6, cols=7, connect=4):
        self.check_new("a ConnectFour")
        self.begin(find_geometry(rows, cols, connect))

    @classmethod
    def from_moves(cls, moves, *, rows=6, cols=7, connect=4, base=0):
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"4455"`` or a sequence of columns, each a number or a name.
        rows, cols, connect: the board, as for the constructor.
        base: the number of the first column, 0 or 1. With 1, texts and ints count columns as on the board.

        Raises IllegalMove, which names the illegal move, InvalidState for an impossible board, and InvalidOption for
        another ``base``.
        """
        return after_moves(cls, find_geometry(rows, cols, connect), moves, base)

    @classmethod
    def from_string(cls, text, *, rows=6, cols=7, connect=4):
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        rows, cols, connect: the board, as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, and for a position that cannot occur in a
        game: stones in the air, wrong numbers of stones, lines of both players, lines that no last move can have
        completed.
        """
        return from_diagram(cls, find_geometry(rows, cols, connect), text)

    @property
    def connect(self):
        """The number of stones in a line that wins."""
        return context_of(self).connect

    def legal_moves(self):
        """Returns the columns that are not full, in ascending order. The list is empty when the game is over."""
        cdef const c4_context *c = context_of(self)
        cdef int column
        if self.position.over != MCTS_ONGOING:
            return []
        return [column for column in range(c.cols) if is_open(c, &self.position, column)]

    def play(self, column):
        """Returns the position after a stone in ``column``: an int from 0 to ``cols - 1``, or a text as on the board,
        from ``"1"``.

        Raises IllegalMove (no such column, or it is full), or GameOver in a finished game.
        """
        return self.after(column, "column")

    cdef BoardGeometry geometry_of(self, rules):
        return find_geometry(rules[0], rules[1], rules[2])

    cdef BoardPosition blank(self):
        return ConnectFour.__new__(ConnectFour)

    cdef void assume(self, BoardGeometry geometry, const void *state, const unsigned short *history,
                     int played) noexcept:
        self.geometry = geometry
        self.game = &geometry.game
        self.position = (<const c4_state *> state)[0]
        self.state = &self.position
        self.history = self.columns
        self.played = played
        if played:
            memcpy(self.columns, history, sizeof(unsigned short) * played)

    cdef int own(self, int room) except -1:
        return 0

    cdef void append(self, int move) noexcept:
        play_simple(context_of(self), &self.position, move)
        self.columns[self.played] = move
        self.played += 1

    cdef int place(self, bytes cells, text) except -1:
        cdef const c4_context *c = context_of(self)
        cdef uint64_t players[2][2]
        cdef uint64_t next[2]
        cdef int row, column, cell, height, count = 0
        memset(players, 0, sizeof(players))
        memset(next, 0, sizeof(next))
        for column in range(c.cols):
            height = 0
            for row in range(c.rows):
                cell = cells[(c.rows - 1 - row) * c.cols + column]
                if cell == 0:
                    continue
                if row != height:
                    raise InvalidState(f"a stone must lie on the floor or on another stone, but the one in column "
                                       f"{column}, row {c.rows - 1 - row} (row 0 on top) hangs in the air "
                                       f"in {shorten(text)}")
                set_bit(players[cell - 1], column * c.height + row)
                height += 1
                count += 1
            set_bit(next, column * c.height + height)
        cdef int first = has_line(c, players[0]), second = has_line(c, players[1])
        check_winner(first, second, count, f"{c.connect} in a line", text)
        self.position.next[0] = next[0]
        self.position.next[1] = next[1]
        self.position.plies = count
        memcpy(self.position.me, players[count & 1], sizeof(self.position.me))
        if first or second:
            self.position.over = MCTS_WIN
            if not has_last_move(self, players[0 if first else 1]):
                raise InvalidState(f"no last move can have completed all lines of {'X' if first else 'O'} "
                                   f"in {shorten(text)}")
        elif next[0] == c.sentinel[0] and next[1] == c.sentinel[1]:
            self.position.over = MCTS_DRAW
        return 0

    cdef bint is_free(self, int move) noexcept:
        return is_open(context_of(self), &self.position, move)

    cdef str refusal(self, int move):
        return f"column {self.both_of(move)} is full"

    cdef int stones(self) noexcept:
        return self.position.plies

    cdef int outcome(self) noexcept:
        return self.position.over

    cdef int stone(self, int row, int col) noexcept:
        cdef const c4_context *c = context_of(self)
        cdef int height = c.rows - 1 - row, bit = col * c.height + height
        cdef int to_move = 1 + (self.position.plies & 1)
        if height >= stones_in(self, col):
            return 0
        return to_move if self.position.me[bit >> 6] >> (bit & 63) & 1 else 3 - to_move

    cdef int cell_of(self, bytearray cells, int move) except -1:
        cdef int cell = move
        while cells[cell] == 0:
            cell += self.geometry.cols
        return cell


# ---- for tests -------------------------------------------------------------------------------------------------------

cdef int32_t simple_legal_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef const c4_state *s = <const c4_state *> state
    cdef int32_t count = 0, i
    if s.over != MCTS_ONGOING:
        return 0
    for i in range(c.cols):
        if is_open(c, s, c.order[i]):
            moves[count] = c.order[i]
            count += 1
    return count


cdef int32_t simple_play(void *context, void *state, uint32_t move) noexcept nogil:
    return play_simple(<const c4_context *> context, <c4_state *> state, <int> move)


cdef int32_t simple_rollout(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    return rollout_simple(<const c4_context *> context, <const c4_state *> state, rng)


@cython.final
cdef class SimpleTable:
    """A game table of the simple rules and rollouts, over a geometry."""

    cdef Geometry geometry
    cdef mcts_rules rules
    cdef mcts_game game

    def __cinit__(self, Geometry geometry):
        self.geometry = geometry
        memset(&self.rules, 0, sizeof(mcts_rules))
        self.rules.state_size = sizeof(c4_state)
        self.rules.max_moves = geometry.context.cols
        self.rules.max_plies = geometry.game.max_plies
        self.rules.context = &geometry.context
        self.rules.legal_moves = simple_legal_moves
        self.rules.play = simple_play
        self.rules.rollout = simple_rollout
        mcts_fill_game(&self.game, NULL, &self.rules)


cdef dict SIMPLE_TABLES = {}


def simple_twin(ConnectFour state not None):
    """``state`` behind the simple rules and rollouts in place of the hot ones, whose measure they are: it and the
    positions played from it are searched by plain UCT."""
    cdef Geometry geometry = <Geometry> state.geometry
    cdef SimpleTable table
    cdef BoardPosition new = state.blank()
    with GEOMETRIES_LOCK:
        table = SIMPLE_TABLES.get(geometry)
        if table is None:
            table = SIMPLE_TABLES[geometry] = SimpleTable(geometry)
    new.assume(geometry, &state.position, state.history, state.played)
    new.game = &table.game
    new.ready = True
    return new


def perft(ConnectFour state not None, depth):
    """The number of positions exactly ``depth`` (0 to 128) plies after ``state``, without games that ended before."""
    cdef const c4_context *board = context_of(state)
    cdef int plies = as_int(depth, "depth", 0, MAX_BITS)
    cdef uint64_t total
    with nogil:
        total = perft_simple(board, &state.position, plies)
    return total


def simple_rollouts(ConnectFour state not None, n, seed):
    """``n`` rollouts of the simple kind: wins, draws and losses of the player to move, and all moves played.

    Raises GameOver when there is nothing to play.
    """
    cdef const c4_context *board = context_of(state)
    cdef long long count = as_int(n, "n", 0, 1 << 40)
    cdef uint64_t start = as_int(seed, "seed", 0, (1 << 64) - 1)
    cdef long long results[3]
    cdef long long plies = 0, _
    cdef int32_t value
    cdef mcts_rng rng
    if state.position.over != MCTS_ONGOING:
        raise GameOver("no rollout starts from a finished game")
    memset(results, 0, sizeof(results))
    mcts_rng_seed(&rng, start)
    with nogil:
        for _ in range(count):
            value = rollout_simple(board, &state.position, &rng)
            results[value & 3] += 1
            plies += value >> 2
    return results[2], results[1], results[0], plies
