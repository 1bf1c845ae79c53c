"""Dirichlet noise by + - * / and sqrt alone: the same on every machine, which libm's logarithm is not."""

from libc.math cimport frexp, ldexp, sqrt
from libc.stdint cimport uint32_t

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


cdef inline double normal(mcts_rng *rng) noexcept nogil:
    """Standard normal, by the polar method (Marsaglia and Bray, SIAM Review 6, 1964)."""
    cdef double x, y, s
    while True:
        x = 2.0 * uniform(rng) - 1.0
        y = 2.0 * uniform(rng) - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return x * sqrt(-2.0 * natural_log(s) / s)


cdef inline double log_gamma_variate(mcts_rng *rng, double shape) noexcept nogil:
    """The logarithm of a Gamma(shape, 1) variate (Marsaglia and Tsang, ACM TOMS 26, 2000); with a small shape the
    variate itself may be below every double."""
    cdef double boost = 0.0, d, c, x, v
    if shape < 1.0:
        boost = natural_log(uniform(rng)) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        if natural_log(uniform(rng)) < 0.5 * x * x + d - d * v + d * natural_log(v):
            return natural_log(d * v) + boost


cdef inline void dirichlet(mcts_rng *rng, double alpha, uint32_t count, double *out) noexcept nogil:
    """``count`` numbers that sum to 1, Dirichlet(alpha, ..., alpha)."""
    cdef uint32_t i
    cdef double highest = -1e308, total = 0.0
    for i in range(count):
        out[i] = log_gamma_variate(rng, alpha)
        if out[i] > highest:
            highest = out[i]
    for i in range(count):
        out[i] = natural_exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] = out[i] / total
