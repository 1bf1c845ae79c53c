"""The table of an exact search: what it has proven of positions, by keys of 64 bits, in buckets of one cache line.

A full bucket gives up the entry that took the least work. The table grows bucket by bucket (linear hashing: Litwin,
VLDB 1980), so a short search touches little memory: with 64 MB in use from the start, 3,000 iterations of gomoku took 2
to 3 times as long, and a node of Connect Four's exact search 1.2 times. To forget everything takes no time: entries of
another generation than the table's count as empty.
"""

from libc.stdint cimport UINT32_MAX, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.arena cimport region_make, region_release, whole_pages
from mcts_core.game cimport mcts_rng, mcts_rng_next, mcts_rng_seed
from mcts_core.platform cimport mcts_log2_32, mcts_prefetch


cdef enum:
    PROOF_WAYS = 4                # entries of a bucket
    PROOF_BUCKET = 64             # bytes of it
    PROOF_MAX_GENERATION = 1023
    PROOF_START = 1024            # buckets in use at first
    PROOF_GROWTH = 2              # new entries for each further one

ctypedef struct proof_entry:
    uint64_t key
    uint16_t tag                  # generation << 6 | logarithm of the work
    uint8_t note[6]               # what was proven: a struct of the search

ctypedef struct proof_table:
    proof_entry *entries
    uint64_t bytes                # whole pages, zeroed by the system when they are touched
    uint64_t buckets              # at most
    uint64_t start                # buckets in use at first
    uint64_t base                 # those in use are base + split; a power of two
    uint64_t split
    uint32_t fresh                # entries since the last split
    uint32_t generation           # from 1 on


cdef inline void proof_table_start(proof_table *table) noexcept nogil:
    table.base = table.start
    table.split = 0
    table.fresh = 0


cdef inline bint proof_table_make(proof_table *table, uint64_t buckets, uint64_t start) noexcept nogil:
    """Whether there was memory for so many buckets; for none of them none is needed. ``start`` of them are in use at
    first."""
    table.bytes = whole_pages(buckets * PROOF_BUCKET)
    table.buckets = buckets
    table.start = 1
    while 2 * table.start <= min(start, buckets):
        table.start *= 2
    table.generation = 1
    proof_table_start(table)
    table.entries = <proof_entry *> region_make(table.bytes) if buckets else NULL
    return table.entries != NULL or buckets == 0


cdef inline void proof_table_release(proof_table *table) noexcept nogil:
    if table.entries != NULL:
        region_release(table.entries, table.bytes, table.bytes)
        table.entries = NULL


cdef inline void proof_table_clear(proof_table *table) noexcept nogil:
    cdef proof_entry *fresh
    proof_table_start(table)
    table.generation += 1
    if table.generation > PROOF_MAX_GENERATION:
        table.generation = 1
        if table.entries != NULL:
            # Untouched pages: to clear 64 MB at once took 31 ms.
            fresh = <proof_entry *> region_make(table.bytes)
            if fresh == NULL:
                memset(table.entries, 0, table.bytes)
            else:
                proof_table_release(table)
                table.entries = fresh


cdef inline uint64_t proof_hash(uint64_t key) noexcept nogil:
    return key * <uint64_t> 0x9E3779B97F4A7C15 >> 24


cdef inline proof_entry *proof_bucket(const proof_table *table, uint64_t key) noexcept nogil:
    """The bucket of a key in a table that has some."""
    cdef uint64_t hash = proof_hash(key), index = hash & (table.base - 1)
    if index < table.split:
        index = hash & (2 * table.base - 1)
    return table.entries + PROOF_WAYS * index


cdef inline void proof_prefetch(const proof_table *table, uint64_t key) noexcept nogil:
    """Has the bucket of a key brought near, for a table that has some."""
    mcts_prefetch(proof_bucket(table, key))


cdef inline bint proof_is_live(const proof_table *table, const proof_entry *entry) noexcept nogil:
    return entry.tag >> 6 == table.generation


cdef inline void proof_divide(proof_table *table) noexcept nogil:
    """Divides the next bucket."""
    cdef proof_entry *old = table.entries + PROOF_WAYS * table.split
    cdef proof_entry *other = old + PROOF_WAYS * table.base
    cdef int i, moved = 0
    for i in range(PROOF_WAYS):
        other[i].tag = 0
        if proof_is_live(table, &old[i]) and proof_hash(old[i].key) & table.base:
            other[moved] = old[i]
            old[i].tag = 0
            moved += 1
    table.fresh = 0
    table.split += 1
    if table.split == table.base:
        table.base *= 2
        table.split = 0


cdef inline void *proof_find(const proof_table *table, uint64_t key) noexcept nogil:
    """The note on a key, NULL if there is none."""
    cdef proof_entry *bucket = proof_bucket(table, key)
    cdef int i
    for i in range(PROOF_WAYS):
        if bucket[i].key == key and proof_is_live(table, &bucket[i]):
            return bucket[i].note
    return NULL


cdef inline void *proof_keep(proof_table *table, uint64_t key, uint64_t work, bint *is_new) noexcept nogil:
    """The place of the note on a key: what is there already or, if ``is_new``, zeros; ``work`` is above 0."""
    cdef proof_entry *bucket
    cdef proof_entry *place
    cdef int i, least = 0x10000
    if table.fresh >= PROOF_GROWTH and table.base + table.split < table.buckets:
        proof_divide(table)
    bucket = place = proof_bucket(table, key)
    is_new[0] = True
    for i in range(PROOF_WAYS):
        if not proof_is_live(table, &bucket[i]):
            place = &bucket[i]
            least = -1
        elif bucket[i].key == key:
            place = &bucket[i]
            is_new[0] = False
            break
        elif bucket[i].tag < least:
            place = &bucket[i]
            least = place.tag
    if is_new[0]:
        table.fresh += 1
        place.key = key
        memset(place.note, 0, sizeof(place.note))
    place.tag = <uint16_t> (table.generation << 6 | mcts_log2_32(<uint32_t> min(work, <uint64_t> UINT32_MAX)))
    return place.note


cdef inline void fill_zobrist(uint64_t *keys, int count, uint64_t seed) noexcept nogil:
    """Random keys of stones on cells, and of all else that tells positions apart (Zobrist 1970)."""
    cdef mcts_rng rng
    cdef int i
    mcts_rng_seed(&rng, seed)
    for i in range(count):
        keys[i] = mcts_rng_next(&rng)
