"""Logarithm, exponential and random numbers by + - * / alone: the same on every machine, which libm's are not."""

from libc.math cimport frexp

from mcts_core.game cimport mcts_rng, mcts_rng_next


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define MCTS_LN2 0.693147180559945309417
    #define MCTS_LN2_HIGH 0.693147180369123816490  /* its first 32 bits: products with small integers are exact */
    #define MCTS_LN2_LOW 1.90821492927058770002e-10
    #define MCTS_LOG2_E 1.44269504088896340736

    /* 1 / k! */
    static const double mcts_exp_series[14] = {
        1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};

    /* 2**exponent, where that is a normal number */
    static inline double mcts_two_to(int exponent) {
        const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
        double power;
        memcpy(&power, &bits, sizeof power);
        return power;
    }
    """
    const double LN2 "MCTS_LN2"
    const double LN2_HIGH "MCTS_LN2_HIGH"
    const double LN2_LOW "MCTS_LN2_LOW"
    const double LOG2_E "MCTS_LOG2_E"
    const double EXP_SERIES "mcts_exp_series"[14]
    double two_to "mcts_two_to"(int exponent) noexcept nogil


cdef inline double natural_log(double x) noexcept nogil:
    """ln x for x > 0, by the series of artanh."""
    cdef double z, term, total = 0.0
    cdef int k, exponent
    x = frexp(x, &exponent)
    if x < 0.70710678118654757:
        x *= 2.0
        exponent -= 1
    z = (x - 1.0) / (x + 1.0)
    term = z
    for k in range(1, 40, 2):
        total += term / k
        term *= z * z
    return exponent * LN2 + 2.0 * total


cdef inline double natural_exp(double x) noexcept nogil:
    """e**x for x <= 700; 0 below -700. Nested rollouts take it of every move of a line after each rollout."""
    cdef double total = EXP_SERIES[13]
    cdef int k, exponent
    if x < -700.0:
        return 0.0
    exponent = <int>(x * LOG2_E + (0.5 if x > 0 else -0.5))
    x = (x - exponent * LN2_HIGH) - exponent * LN2_LOW
    for k in range(12, -1, -1):
        total = total * x + EXP_SERIES[k]
    return total * two_to(exponent)


cdef inline double uniform(mcts_rng *rng) noexcept nogil:
    """In (0, 1), never an end."""
    return (<double>(mcts_rng_next(rng) >> 12) + 0.5) * (1.0 / 4503599627370496.0)
