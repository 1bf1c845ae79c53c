"""Dirichlet noise, the same on every machine."""

from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_rng
from mcts_core.tree.portable_math cimport natural_exp, natural_log, uniform


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


cdef inline void mix_noise(mcts_rng *rng, double alpha, double weight, uint32_t count, float *priors,
                           double *noise) noexcept nogil:
    """Mixes noise into the priors of a root (Silver et al., Nature 550, 2017), but not into those below 0: such a child
    is never selected."""
    cdef uint32_t slot
    dirichlet(rng, alpha, count, noise)
    for slot in range(count):
        if priors[slot] >= 0:
            priors[slot] = <float>((1.0 - weight) * priors[slot] + weight * noise[slot])
