"""The arena: memory of a search tree, records addressed by 32-bit indices of a unit of bytes.

Address space is reserved at once and made usable step by step. Records that are given back wait in one list per size.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from mcts_core.platform cimport MCTS_UNLIKELY, mcts_vm_commit, mcts_vm_release, mcts_vm_reserve


cdef enum:
    PAGE = 65536                 # commits are multiples of this
    FIRST_COMMIT = 4 * PAGE
    LARGEST_COMMIT = 512 * PAGE  # 32 MiB
    FREE_LISTS = 512             # records of more units are not used again

ctypedef struct Arena:
    uint8_t *base
    uint64_t reserved            # bytes of address space
    uint64_t committed           # bytes that may be touched
    uint32_t top                 # units in use, free records included
    uint32_t limit               # units that may be used in this search
    uint32_t unit                # bytes that an index stands for
    uint32_t freed[FREE_LISTS]   # first free record of each number of units, 0: none


# Gives address space back, in the background where much of it was ``touched`` (bytes from the start, whole pages).
cdef void region_release(void *base, uint64_t bytes, uint64_t touched) noexcept nogil

# Waits until all that was released is the system's again; whether there was anything to wait for.
cdef bint regions_settle() noexcept nogil


cdef inline uint64_t whole_pages(uint64_t bytes) noexcept nogil:
    return (bytes + PAGE - 1) // PAGE * PAGE


cdef inline uint8_t *region_make(uint64_t bytes) noexcept nogil:
    """So many bytes, whole pages, all zero; NULL when the system gives none."""
    cdef void *base = mcts_vm_reserve(bytes)
    if base == NULL and regions_settle():
        base = mcts_vm_reserve(bytes)
    if base != NULL and not mcts_vm_commit(base, 0, bytes):
        mcts_vm_release(base, bytes)
        base = NULL
    return <uint8_t *>base


cdef inline uint8_t *arena_at(const Arena *arena, uint32_t index) noexcept nogil:
    return arena.base + <uint64_t>index * arena.unit


cdef inline bint arena_reserve(Arena *arena, uint64_t bytes) noexcept nogil:
    # a limit on address space (ulimit -v) refuses large reservations; a smaller arena is better than none
    while bytes >= FIRST_COMMIT:
        arena.base = <uint8_t *>mcts_vm_reserve(bytes)
        if arena.base != NULL:
            arena.reserved = bytes
            return True
        if not regions_settle():
            bytes = bytes // 2 // PAGE * PAGE
    return False


cdef inline void arena_release(Arena *arena) noexcept nogil:
    if arena.base != NULL:
        region_release(arena.base, arena.reserved, arena.committed)
    arena.base = NULL


cdef inline bint arena_grow(Arena *arena, uint64_t needed) noexcept nogil:
    cdef uint64_t step = arena.committed
    if step < FIRST_COMMIT:
        step = FIRST_COMMIT
    if step > LARGEST_COMMIT:
        step = LARGEST_COMMIT
    cdef uint64_t end = arena.committed + step
    if end < needed:
        end = whole_pages(needed)
    if end > arena.reserved:
        end = arena.reserved
    if needed > end:
        return False
    while not mcts_vm_commit(arena.base, arena.committed, end):
        if not regions_settle():
            return False
    arena.committed = end
    return True


cdef inline uint32_t arena_allocate(Arena *arena, uint32_t units) noexcept nogil:
    """Index of a record of ``units`` units, 0 when the arena is full."""
    cdef uint32_t index
    cdef uint64_t end
    if units < FREE_LISTS and arena.freed[units]:
        index = arena.freed[units]
        arena.freed[units] = (<uint32_t *>arena_at(arena, index))[0]
        return index
    index = arena.top
    if MCTS_UNLIKELY(units > arena.limit - index):
        return 0
    end = (<uint64_t>index + units) * arena.unit
    if MCTS_UNLIKELY(end > arena.committed) and not arena_grow(arena, end):
        return 0
    arena.top = index + units
    return index


cdef inline void arena_free(Arena *arena, uint32_t index, uint32_t units) noexcept nogil:
    if units < FREE_LISTS:
        (<uint32_t *>arena_at(arena, index))[0] = arena.freed[units]
        arena.freed[units] = index
