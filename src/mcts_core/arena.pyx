"""Memory that is given back in the background: where it is much, by a thread for each region.

The system needs up to a millisecond for a few megabytes. The thread takes no lock, knows nothing of Python and ends
with the region, so it may run when a search, a Searcher or the interpreter ends. It goes in small steps, between which
others may get memory from the system. A forked child, which has the regions but not the threads, gives back the rest.
"""

import os

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from mcts_core.arena cimport *
from mcts_core.platform cimport mcts_publish, mcts_published, mcts_take, mcts_thread_start, mcts_vm_discard, mcts_wait


cdef enum:
    AT_ONCE = 1 << 20            # bytes that are given back in less time than a thread takes to begin
    STEP = 8 << 20               # bytes at a time
    REGIONS = 64                 # that may wait at a time

ctypedef struct Region:
    void (*give_back)(void *region) noexcept nogil
    uint32_t taken
    uint32_t filled
    uint8_t *base
    uint64_t bytes               # that are still there

cdef Region regions[REGIONS]


cdef void give_back(void *job) noexcept nogil:
    """What a thread does."""
    cdef Region *region = <Region *>job
    cdef uint64_t end
    while region.bytes > STEP:
        end = region.bytes
        region.bytes = end - STEP  # before: what another thread gets there is none of a forked child's to give back
        mcts_vm_discard(region.base, region.bytes, end)
    end = region.bytes
    region.bytes = 0
    mcts_vm_release(region.base, end)
    mcts_publish(&region.filled, 0)
    mcts_publish(&region.taken, 0)


cdef void region_release(void *base, uint64_t bytes, uint64_t touched) noexcept nogil:
    cdef int i
    cdef Region *region
    if touched > AT_ONCE:
        for i in range(REGIONS):
            region = &regions[i]
            if not mcts_take(&region.taken):
                continue
            if touched < bytes:
                mcts_vm_discard(base, touched, bytes)
                bytes = touched
            region.give_back = give_back
            region.base = <uint8_t *>base
            region.bytes = bytes
            mcts_publish(&region.filled, 1)
            if mcts_thread_start(region):
                return
            mcts_publish(&region.filled, 0)
            mcts_publish(&region.taken, 0)
            break
    mcts_vm_release(base, bytes)


cdef bint regions_settle() noexcept nogil:
    cdef int i
    cdef uint32_t times = 0
    for i in range(REGIONS):
        while mcts_published(&regions[i].taken):
            mcts_wait(times)
            times += 1
    return times > 0


def settle():
    """Waits until all memory that is no longer used is the system's again."""
    with nogil:
        regions_settle()


def after_fork():
    cdef int i
    cdef Region *region
    for i in range(REGIONS):
        region = &regions[i]
        if region.filled and region.bytes:
            mcts_vm_release(region.base, region.bytes)
        region.filled = region.taken = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
