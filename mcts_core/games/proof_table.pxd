"""The table of an exact search: what it has proven of positions, by keys of 64 bits, in buckets of one cache line.

A full bucket gives up the entry that took the least work. To forget everything takes no time: entries of another
generation than the table's count as empty.
"""

from libc.stdint cimport UINT32_MAX, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.arena cimport region_make, region_release, whole_pages
from mcts_core.game cimport mcts_rng, mcts_rng_next, mcts_rng_seed


cdef extern from "kernels/platform.h" nogil:
    int mcts_log2_32(uint32_t x) noexcept
    void mcts_prefetch(const void *address) noexcept


cdef enum:
    PROOF_WAYS = 4                # entries of a bucket
    PROOF_BUCKET = 64             # bytes of it
    PROOF_MAX_GENERATION = 1023

ctypedef struct proof_entry:
    uint64_t key
    uint16_t tag                  # generation << 6 | logarithm of the work
    uint8_t note[6]               # what was proven: a struct of the search

ctypedef struct proof_table:
    proof_entry *entries
    uint64_t bytes                # whole pages, zeroed by the system when they are touched
    uint64_t buckets
    uint32_t generation           # from 1 on


cdef inline bint proof_table_make(proof_table *table, uint64_t buckets) noexcept nogil:
    """Whether there was memory for so many buckets; for none of them none is needed."""
    table.bytes = whole_pages(buckets * PROOF_BUCKET)
    table.buckets = buckets
    table.generation = 1
    table.entries = <proof_entry *> region_make(table.bytes) if buckets else NULL
    return table.entries != NULL or buckets == 0


cdef inline void proof_table_release(proof_table *table) noexcept nogil:
    if table.entries != NULL:
        region_release(table.entries, table.bytes, table.bytes)
        table.entries = NULL


cdef inline void proof_table_clear(proof_table *table) noexcept nogil:
    cdef proof_entry *fresh
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


cdef inline proof_entry *proof_bucket(const proof_table *table, uint64_t key) noexcept nogil:
    """The bucket of a key whose low bits are evenly spread, in a table of at most 2^32 buckets that has some."""
    return table.entries + PROOF_WAYS * ((<uint64_t> <uint32_t> key * table.buckets) >> 32)


cdef inline void proof_prefetch(const proof_table *table, uint64_t key) noexcept nogil:
    """Has the bucket of a key brought near, for a table that has some."""
    mcts_prefetch(proof_bucket(table, key))


cdef inline bint proof_is_live(const proof_table *table, const proof_entry *entry) noexcept nogil:
    return entry.tag >> 6 == table.generation


cdef inline void *proof_find(const proof_table *table, proof_entry *bucket, uint64_t key) noexcept nogil:
    """The note on a key, NULL if there is none."""
    cdef int i
    for i in range(PROOF_WAYS):
        if bucket[i].key == key and proof_is_live(table, &bucket[i]):
            return bucket[i].note
    return NULL


cdef inline void *proof_keep(const proof_table *table, proof_entry *bucket, uint64_t key, uint64_t work,
                             bint *is_new) noexcept nogil:
    """The place of the note on a key: what is there already or, if ``is_new``, zeros; ``work`` is above 0."""
    cdef proof_entry *place = bucket
    cdef int i, least = 0x10000
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
