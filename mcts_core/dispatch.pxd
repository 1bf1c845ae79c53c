"""The choice of the instruction set, for the native modules."""

cdef void *hot_table(str name) except NULL
"""The table of functions that hot module ``name`` exports, compiled for the chosen instruction set."""
