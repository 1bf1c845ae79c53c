"""The memory of exact search of Connect Four: two tables of bounds. For ``alpha_beta.pyx`` and its parts alone."""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.games.connect_four.rollout cimport c4_context
from mcts_core.games.proof_table cimport (PROOF_BUCKET, PROOF_START, proof_find, proof_keep, proof_prefetch,
                                          proof_table, proof_table_clear, proof_table_make, proof_table_release)


cdef enum:
    LATE = 20       # empty cells of the positions in the late table, at most
    LATE_BUCKETS = 8192
    LATE_SHARE = 8  # of the memory that the late table takes, at most an eighth

# What is proven of a position.
ctypedef struct score_bounds:
    int8_t low
    int8_t high
    uint8_t move         # of the bound `low`

ctypedef struct prover_memory:
    proof_table late     # of positions with few empty cells: what the processor's cache holds; or none
    proof_table table    # of the others, or none
    uint32_t by_book     # 1: some of the bounds rest on the book
    uint8_t lines[64]    # through each cell of the board


cdef inline bint is_late(prover_memory *memory, int empty) noexcept nogil:
    return empty <= LATE and memory.late.buckets


cdef inline proof_table *table_of(prover_memory *memory, int empty) noexcept nogil:
    return &memory.late if is_late(memory, empty) else &memory.table


cdef inline void prefetch(prover_memory *memory, uint64_t key, int empty) noexcept nogil:
    if memory.table.buckets:
        proof_prefetch(table_of(memory, empty), key)


cdef inline score_bounds *find(prover_memory *memory, uint64_t key, int empty) noexcept nogil:
    if memory.table.buckets == 0:
        return NULL
    return <score_bounds *> proof_find(table_of(memory, empty), key)


cdef inline void store(prover_memory *memory, uint64_t key, int empty, int low, int high, uint32_t move,
                       uint64_t work) noexcept nogil:
    cdef score_bounds *bounds
    cdef bint is_new
    if memory.table.buckets == 0:
        return
    bounds = <score_bounds *> proof_keep(table_of(memory, empty), key, work, &is_new)
    bounds.low = <int8_t> low
    bounds.high = <int8_t> high
    bounds.move = <uint8_t> move


cdef inline void count_lines(const c4_context *c, uint8_t *lines) noexcept nogil:
    """The number of lines through each cell of the board, by the bit of the cell."""
    cdef int direction, column, row, last_column, last_row, i, along, up
    for direction in range(4):
        along = direction != 0
        up = 1 if direction == 0 else direction - 2
        for column in range(c.cols):
            last_column = column + along * (c.connect - 1)
            for row in range(c.rows):
                last_row = row + up * (c.connect - 1)
                if last_column < c.cols and 0 <= last_row < c.rows:
                    for i in range(c.connect):
                        lines[(column + along * i) * c.height + row + up * i] += 1


cdef inline void *create_memory(void *context, uint64_t bytes) noexcept nogil:
    """Two tables, their pages untouched; none if there is no room for one."""
    cdef uint64_t used = sizeof(prover_memory), buckets = 0, late = 0
    cdef prover_memory *memory = <prover_memory *> calloc(1, sizeof(prover_memory))
    if memory == NULL:
        return NULL
    if bytes >= LATE_SHARE * LATE_BUCKETS * PROOF_BUCKET:
        late = LATE_BUCKETS
        used += LATE_BUCKETS * PROOF_BUCKET
    if bytes >= used + PROOF_BUCKET:
        buckets = (bytes - used) // PROOF_BUCKET
    if not proof_table_make(&memory.late, late, late):
        free(memory)
        return NULL
    if not proof_table_make(&memory.table, buckets, PROOF_START):
        proof_table_release(&memory.late)
        free(memory)
        return NULL
    count_lines(<const c4_context *> context, memory.lines)
    return memory


cdef inline void clear_memory(void *context, void *memory) noexcept nogil:
    proof_table_clear(&(<prover_memory *> memory).late)
    proof_table_clear(&(<prover_memory *> memory).table)
    (<prover_memory *> memory).by_book = 0


cdef inline void destroy_memory(void *context, void *memory) noexcept nogil:
    proof_table_release(&(<prover_memory *> memory).late)
    proof_table_release(&(<prover_memory *> memory).table)
    free(memory)
