"""What is asked of a search: the position, settings, budgets and seed, as one object from the options to the loop."""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.turn cimport Halt

NEVER, BELOW, ANY = REUSE_NEVER, REUSE_BELOW, REUSE_ANY


@cython.freelist(8)
cdef class SearchRequest:
    """One search to run.

    ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is none.
    ``stop_early``: whether the search ends when the move is certain. ``reuse``: whether the last search's tree is used
    again, NEVER, BELOW its root, or ANY: also at it. ``progress`` is called with figures after every ``every`` seconds.
    ``halt`` ends the search when it is told to, also when that was before the search began.
    """

    def __cinit__(self, state, SearchSettings settings not None, double begin=0.0, double seconds=0.0,
                  uint32_t iterations=0, uint64_t seed=0, bint stop_early=False, int reuse=REUSE_NEVER, progress=None,
                  double every=0.0, Halt halt=None):
        self.state = state
        self.settings = settings
        self.begin = begin
        self.seconds = seconds
        self.iterations = iterations
        self.seed = seed
        self.stop_early = stop_early
        self.reuse = reuse
        self.progress = progress
        self.every = every
        self.halt = halt

    def replace(self, **changes):
        """A copy of the request with other values for the attributes that are given."""
        found = SearchRequest(self.state, self.settings, self.begin, self.seconds, self.iterations, self.seed,
                              self.stop_early, self.reuse, self.progress, self.every, self.halt)
        for name, value in changes.items():
            setattr(found, name, value)
        return found
