"""The one record of a root: what a search knows of each of its moves."""

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort

from mcts_core.tree.score_bounds cimport EXACT


PROVEN = ("loss", "draw", "win")
RESULTS = PROVEN  # for Python


ctypedef struct Rank:            # compared from first to last
    double first, second, third, fourth


@cython.no_gc  # moves do not refer to it
cdef class RootRows:
    def __dealloc__(self):
        free(self.rows)

    cdef ChildRow *add(self, uint32_t move, uint32_t visits, double wins) noexcept:
        cdef ChildRow *row = &self.rows[self.count]
        self.count += 1
        row.move, row.link, row.visits, row.distance, row.wins = move, 0, visits, 0, wins
        row.value = wins / visits if visits else self.unknown
        row.policy = row.prior = row.proven = -1
        row.out = False
        return row

    cdef RootRows completed(self, list legal):
        cdef RootRows found = new_rows(self.count if self.listed else <uint32_t>len(legal))
        cdef ChildRow *row
        cdef dict known = {}
        cdef uint32_t i
        found.listed, found.bounded, found.unknown, found.share = True, self.bounded, self.unknown, self.share
        found.moves = legal
        if self.listed:
            found.moves = self.moves if self.moves is not None else [self.rows[i].move for i in range(self.count)]
            for i in range(self.count):
                found.rows[i] = self.rows[i]
                found.rows[i].move = i
            found.count = self.count
            return found
        for i in range(self.count):
            known[self.rows[i].move if self.moves is None or self.by_index else self.moves[i]] = i
        for index, move in enumerate(legal):
            at = known.pop(index if self.by_index else move, None)
            row = found.add(index, 0, 0.0)
            if at is not None:
                row[0] = self.rows[<uint32_t>at]
                row.move = index
            elif self.rest >= 0:
                row.proven, row.distance = LOSS, <uint32_t>self.rest + 1
        return None if known and self.strict else found

    cdef object name(self, uint32_t index):
        return self.moves[self.rows[index].move]

    cdef int32_t find(self, object move) except -2:
        """The row of a move, -1: there is none."""
        cdef uint32_t i
        for i in range(self.count):
            if self.name(i) == move:
                return <int32_t>i
        return -1

    cdef int share_out(self, uint64_t visits) noexcept:
        """Finds the share of their visits that moves have for their own sake.

        A visit to a proven draw, or with bounds to another closed child, is passed on to a move that may be better, and
        is counted for both. So the children have more visits than the root, by the visits that were passed on; each of
        the moves that are not closed is taken to have its share in them. Without this, the draws divide their visits
        between them, and one bad move has as many as all of them.
        """
        cdef double counted = 0.0, closed = 0.0
        cdef uint32_t i
        for i in range(self.count):
            counted += self.rows[i].visits
            closed += self.rows[i].visits if is_closed(self, &self.rows[i]) else 0
        self.share = 1.0
        if closed > 0.0 and counted > visits and closed < counted:
            self.share = max(0.0, 1.0 - (counted - visits) / (counted - closed))
        return 0

    cdef double own_visits(self, const ChildRow *row) noexcept:
        return row.visits if is_closed(self, row) else self.share * row.visits

    cdef bint narrow(self, int proven, bint equal) noexcept:
        cdef uint32_t i
        cdef bint some = False
        for i in range(self.count):
            some = some or (not self.rows[i].out and (self.rows[i].proven == proven) == equal)
        for i in range(self.count if some else 0):
            self.rows[i].out = self.rows[i].out or (self.rows[i].proven == proven) != equal
        return some

    cdef uint32_t best(self, Order order, uint32_t lot) noexcept:
        cdef Rank most = Rank(0, 0, 0, 0), rank
        cdef uint32_t i, equal = 0
        for i in range(self.count):
            if not self.rows[i].out:
                rank = rank_of(self, &self.rows[i], order)
                if equal == 0 or is_above(&rank, &most):
                    most, equal = rank, 0
                equal += not is_above(&most, &rank)
        lot = lot % equal if equal else 0
        for i in range(self.count):
            if not self.rows[i].out:
                rank = rank_of(self, &self.rows[i], order)
                if not is_above(&most, &rank):
                    if lot == 0:
                        return i
                    lot -= 1
        return 0

    cdef int rank(self, object first) except -1:
        cdef ChildRow row
        cdef int32_t at
        qsort(self.rows, self.count, sizeof(ChildRow), by_visits)
        at = -1 if first is None else self.find(first)
        while at > 0 and self.rows[at - 1].visits == self.rows[at].visits and (
                self.rows[at - 1].value == self.rows[at].value):
            row = self.rows[at]
            self.rows[at] = self.rows[at - 1]
            self.rows[at - 1] = row
            at -= 1
        return 0

    cdef list tuples(self):
        cdef ChildRow *row
        cdef uint32_t i
        cdef list found = []
        for i in range(self.count):
            row = &self.rows[i]
            found.append((
                self.moves[row.move], row.visits, row.wins, row.value, PROVEN[row.proven] if row.proven >= 0 else None,
                row.distance if row.distance else None, row.prior if row.prior >= 0 else None,
                row.policy if row.policy >= 0 else None, (row.low, row.high) if self.bounded else None))
        return found


cdef RootRows new_rows(uint32_t room):
    cdef RootRows made = RootRows.__new__(RootRows)
    made.rows = <ChildRow *>calloc(room + 1, sizeof(ChildRow))
    if made.rows == NULL:
        raise MemoryError("no memory for the statistics of a search")
    made.rest, made.unknown, made.share = -1, 0.5, 1.0
    return made


cdef int points_within(double low, double high) noexcept nogil:
    return WIN if low >= 1.0 else LOSS if high <= 0.0 else -1


cdef inline bint is_closed(RootRows rows, const ChildRow *row) noexcept:
    """Whether the value of a move is known and it may be the best one for all that: not a loss."""
    return row.proven == DRAW or (rows.bounded and row.proven != LOSS and row.high - row.low <= EXACT)


cdef Rank rank_of(RootRows rows, const ChildRow *row, Order order) noexcept:
    cdef double value = row.value, visits = rows.own_visits(row)
    if order == BY_VISITS:
        return Rank(visits, value, 0, row.prior)
    if order == BY_VALUE:  # the mean may be that of visits from before a proof
        if row.proven == DRAW:
            value = 0.5
        elif rows.bounded:
            value = min(max(value, row.low), row.high)
        return Rank(visits > 0, value, visits, row.prior)
    return Rank(row.distance > 0, -<double>row.distance if order == SHORTEST else row.distance, visits, 0)


cdef inline bint is_above(const Rank *one, const Rank *other) noexcept:
    if one.first != other.first:
        return one.first > other.first
    if one.second != other.second:
        return one.second > other.second
    return one.third > other.third or (one.third == other.third and one.fourth > other.fourth)


cdef int by_visits(const void *one, const void *other) noexcept nogil:
    """By visits and value, both descending; equal rows stay in order."""
    cdef const ChildRow *a = <const ChildRow *>one
    cdef const ChildRow *b = <const ChildRow *>other
    if a.visits != b.visits:
        return -1 if a.visits > b.visits else 1
    if a.value != b.value:
        return -1 if a.value > b.value else 1
    return -1 if a.move < b.move else 1
