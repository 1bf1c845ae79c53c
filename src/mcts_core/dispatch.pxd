"""The choice of the instruction set, for the native modules."""

# The table of functions that hot module ``name`` exports, compiled for the chosen instruction set or the
# next lower one that it is compiled for.
cdef void *hot_table(str name) except NULL
