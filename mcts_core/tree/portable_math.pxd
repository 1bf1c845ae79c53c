"""Logarithm, exponential and random numbers by + - * / alone: the same on every machine, which libm's are not."""

from libc.math cimport frexp, ldexp

from mcts_core.game cimport mcts_rng, mcts_rng_next


cdef extern from *:
    """
    #define MCTS_LN2 0.693147180559945309417
    #define MCTS_LN2_HIGH 0.693147180369123816490  /* its first 32 bits: products with small integers are exact */
    #define MCTS_LN2_LOW 1.90821492927058770002e-10
    """
    const double LN2 "MCTS_LN2"
    const double LN2_HIGH "MCTS_LN2_HIGH"
    const double LN2_LOW "MCTS_LN2_LOW"


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
    """e**x for x <= 700; 0 below -700."""
    cdef double total = 1.0, term = 1.0
    cdef int k, exponent
    if x < -700.0:
        return 0.0
    exponent = <int>(x / LN2 + (0.5 if x > 0 else -0.5))
    x = (x - exponent * LN2_HIGH) - exponent * LN2_LOW
    for k in range(1, 20):
        term *= x / k
        total += term
    return ldexp(total, exponent)


cdef inline double uniform(mcts_rng *rng) noexcept nogil:
    """In (0, 1), never an end."""
    return (<double>(mcts_rng_next(rng) >> 12) + 0.5) * (1.0 / 4503599627370496.0)
