"""What native code asks of the compiler, the processor and the system; ``src/kernels/platform.h`` explains it."""

from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint condition)
    bint MCTS_UNLIKELY(bint condition)

    int mcts_cpu_level()
    uint64_t mcts_physical_memory()
    int mcts_is_code(uintptr_t address)
    double mcts_clock()  # seconds

    int mcts_ctz64(uint64_t x)
    int mcts_popcount64(uint64_t x)
    int mcts_log2_32(uint32_t x)
    uint64_t mcts_opaque64(uint64_t constant)
    void mcts_prefetch(const void *address)

    void *mcts_vm_reserve(uint64_t bytes)
    int mcts_vm_commit(void *base, uint64_t begin, uint64_t end)
    void mcts_vm_discard(void *base, uint64_t begin, uint64_t end)
    void mcts_vm_prefer_huge(void *base, uint64_t begin, uint64_t end)
    void mcts_vm_release(void *base, uint64_t bytes)

    uint32_t mcts_flag_read(const uint32_t *flag)
    void mcts_flag_write(uint32_t *flag, uint32_t value)
    uintptr_t mcts_mark_read(const uintptr_t *mark)
    void mcts_mark_write(uintptr_t *mark, uintptr_t value)
    uint32_t mcts_published(const uint32_t *number)
    void mcts_publish(uint32_t *number, uint32_t value)
    int mcts_take(uint32_t *flag)
    int32_t mcts_count_down(uint32_t *number)
    void mcts_raise(uint32_t *number, uint32_t value)
    void mcts_wait(uint32_t times)
    int mcts_thread_start(void *job)
