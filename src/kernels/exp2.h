/* Powers of two in integers: the same on every machine, which libm's are not. Exponents are in 256ths. */
#ifndef MCTS_EXP2_H
#define MCTS_EXP2_H

#include <stdint.h>

#define EXP2_ONE 2147483648u /* the scale of the results: 2**31 */

static uint32_t exp2_table[256]; /* 2**(-i / 256) */

static inline void exp2_fill(void) {
    /* 2**31 * 2**(-1/2), 2**(-1/4), ..., 2**(-1/256), rounded down */
    static const uint32_t roots[8] = {1518500249u, 1805811301u, 1969251187u, 2056437386u,
                                      2101467501u, 2124350982u, 2135885998u, 2141676972u};
    for (uint32_t i = 0; i < 256; i++) {
        uint64_t power = EXP2_ONE;
        for (uint32_t bit = 0; bit < 8; bit++)
            if (i >> (7 - bit) & 1) power = power * roots[bit] >> 31;
        exp2_table[i] = (uint32_t)power;
    }
}

/* 2**(-x / 256) for x >= 0 */
static inline uint32_t exp2_minus(uint32_t x) { return x < 31 * 256 ? exp2_table[x & 255] >> (x >> 8) : 0; }

/* 65536 / (1 + 2**(-x / 256)), for |x| < 31 * 256 */
static inline int32_t exp2_sigmoid(int32_t x) {
    const uint64_t e = exp2_minus((uint32_t)(x < 0 ? -x : x));
    return (int32_t)(((x < 0 ? e : EXP2_ONE) << 16) / (EXP2_ONE + e));
}

#endif
