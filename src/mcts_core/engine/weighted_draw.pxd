"""Choices drawn at random by weights."""


# Each share, as one of the largest, to this power. One of them is above 0.
cdef list powers_of(list shares, double power)
