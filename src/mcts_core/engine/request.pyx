"""What is asked of a search: the position, settings, budgets and seed, as one object from the options to the loop.

A search of one iteration takes about 2 us, so how a call becomes a request is native code as well.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.arguments import as_duration, as_int
from mcts_core.errors import InvalidOption

from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.settings cimport kind_of as two_player_kind
from mcts_core.engine.turn cimport Halt
from mcts_core.tree.tree cimport MAX_ITERATIONS

NEVER, BELOW, ANY = REUSE_NEVER, REUSE_BELOW, REUSE_ANY

MOST_ITERATIONS = MAX_ITERATIONS


def seed_of(uint64_t seed, int64_t index):
    """The output number ``index`` of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) after ``seed``."""
    cdef uint64_t value = seed + (<uint64_t>index + 1) * <uint64_t>0x9E3779B97F4A7C15
    value = (value ^ value >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ value >> 27) * <uint64_t>0x94D049BB133111EB
    return value ^ value >> 31


@cython.freelist(8)
cdef class SearchRequest:
    """One search to run.

    ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is none.
    ``stop_early``: whether the search ends when the move is certain. ``reuse``: whether the last search's tree is used
    again, NEVER, BELOW its root, or ANY: also at it. ``series``: the Requests whose next seed the search takes when it
    begins; None: its seed is ``seed``. ``progress`` is called with figures after every ``every`` seconds.
    ``halt`` ends the search when it is told to, also when that was before the search began.
    """

    def __cinit__(self, state, SearchSettings settings not None, double begin=0.0, double seconds=0.0,
                  uint32_t iterations=0, uint64_t seed=0, bint stop_early=False, int reuse=REUSE_NEVER, progress=None,
                  double every=0.0, Halt halt=None, Requests series=None):
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
        self.series = series

    def replace(self, **changes):
        """A copy of the request with other values for the attributes that are given."""
        found = SearchRequest(self.state, self.settings, self.begin, self.seconds, self.iterations, self.seed,
                              self.stop_early, self.reuse, self.progress, self.every, self.halt,
                              None if "seed" in changes else self.series)
        for name, value in changes.items():
            setattr(found, name, value)
        return found


cdef class Requests:
    """What the requests of one Searcher have in common.

    ``stop_early`` is None where it depends on the limits: a search with only a time limit ends early if
    ``early_in_time``. ``settings`` has the settings of each kind of state that was searched, as
    ``options.settings(state)`` made them. ``served`` is the class of the settings that the Searcher's core can search
    with. ``seed`` is that of the first search; the later ones have seeds that are derived from it (``next_seed``), so
    that a position that comes again is not answered in the same way for ever. None: every search has a random seed.
    """

    def __cinit__(self, options, *, served, seed, stop_early, bint early_in_time, bint reuse, bint by_halving,
                  bint evaluates):
        self.options = options
        self.settings = {}
        self.served = served
        self.seed = seed
        self.stop_early = -1 if stop_early is None else bool(stop_early)
        self.early_in_time = early_in_time
        self.by_halving = by_halving
        self.evaluates = evaluates
        self.reuse = REUSE_NEVER
        if reuse and not by_halving:  # what a search of the same position finds is to follow from its seed alone
            self.reuse = REUSE_ANY if seed is None else REUSE_BELOW

    cdef uint64_t next_seed(self) except? 0:
        """The seed of the next search; the search counts it when it has begun."""
        return seed_of(self.seed, self.searches) if self.searches else self.seed

    cpdef object kind_of(self, object state):
        """States of one kind have the same settings."""
        kind = two_player_kind(state) if not self.evaluates else None
        return self.options.general_kind(state) if kind is None else kind

    def make(self, state, double begin, seconds, iterations, seed, searcher=None):
        """The request of one search. Raises what the options find wrong with the state, and InvalidOption for limits.

        ``begin``: when the search was asked for; ``seed``: its seed, None: the next one of the series; ``searcher``:
        the one whose core is then made to fit these settings.
        """
        cdef SearchRequest request
        cdef SearchSettings settings
        kind = self.kind_of(state)
        settings = self.settings.get(kind)
        if settings is None:
            settings = self.options.settings(state)
            self.settings[kind] = settings
        if type(settings) is not self.served and searcher is not None:
            searcher._fit_core(settings)
        request = SearchRequest.__new__(SearchRequest, state, settings, begin)
        if iterations is not None:
            request.iterations = as_int(iterations, "iterations", 1, settings.most_iterations)
        if seconds is not None:
            request.seconds = as_duration(seconds)
        elif not request.iterations:
            request.seconds = 1.0
        if self.stop_early >= 0:
            request.stop_early = self.stop_early
        else:
            request.stop_early = self.early_in_time and not request.iterations
        if self.by_halving and (not request.iterations or request.seconds):
            raise InvalidOption("root_policy 'gumbel' divides a number of iterations: give iterations, no seconds")
        request.reuse = self.reuse
        if seed is None:
            request.series = self
        else:
            request.seed = seed
        return request
