/* A number that one thread writes and another one reads now and then; nothing else is ordered by it. */

#ifndef MCTS_CORE_FLAG_H
#define MCTS_CORE_FLAG_H

#include <stdint.h>

static inline uint32_t mcts_flag_read(const uint32_t *flag) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
    return *(const volatile uint32_t *)flag;
#endif
}

static inline void mcts_flag_write(uint32_t *flag, uint32_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(flag, value, __ATOMIC_RELAXED);
#else
    *(volatile uint32_t *)flag = value;
#endif
}

#endif
