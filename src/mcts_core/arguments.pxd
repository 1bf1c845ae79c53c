"""Moves as the games take them."""

cdef int as_move(object move, int count, str name) except -1
