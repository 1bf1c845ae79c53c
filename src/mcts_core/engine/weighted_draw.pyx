"""Choices drawn at random by weights. A random number selects the same one on every system."""

from libc.stdint cimport uint64_t

from mcts_core.tree.portable_math cimport natural_exp, natural_log


cdef list powers_of(list shares, double power):
    cdef double most = max(shares), share
    cdef list weights = []
    for share in shares:
        weights.append(1.0 if share == most else natural_exp(power * natural_log(share / most)) if share > 0 else 0.0)
    return weights


def drawn(choices not None, weights not None, uint64_t number):
    """The choice that a random number below 2**64 selects among those with weights above 0."""
    cdef double at = 0.0
    for weight in weights:
        at += weight
    at *= (number >> 11) * 2.0 ** -53
    chosen = None
    for choice, weight in zip(choices, weights, strict=True):
        if weight > 0:
            chosen = choice
            at -= weight
            if at < 0:
                break
    return chosen
