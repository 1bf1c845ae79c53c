"""The states of a game written in Python: what their methods answer, checked, and the numbers of its moves."""

from libc.stdint cimport uint32_t, uint64_t


cdef enum:
    MAX_PLAYERS = 32
    LONGEST_ROLLOUT = 1000000    # moves, after which a game counts as endless
    NAME_BYTES = 160             # of a move and its number: their entries in dict and list, without the move itself

cdef extern from *:
    """
    #define CLOSE 1e-6  /* how far the sum of probabilities may be from 1 */
    """
    const double CLOSE


cpdef int as_sign(value) except 0
cpdef object as_winner(value)
cpdef list as_values(given)
cpdef list as_scores(given)
cpdef list as_outcomes(given)
cpdef list as_moves(given)
cdef object value_of(object state)
# About how many bytes of memory an object takes with all that it holds, at least.
cdef uint64_t footprint(object given, uint32_t depth=*) except? 0
# The moves from one state to a later one, by the attribute ``moves`` of both; None: they have none, or it does not fit.
cdef list moves_since(object before, object after)
cdef bint as_constant(object root, int players, bint scored) except -1
cdef bint sums_to_one(const double *values, int players) noexcept nogil
cdef int refuse_repeated(object state, list moves, str method) except -1


cdef class UserStates:
    cdef object root
    cdef bint general         # a general game
    cdef readonly bint scored      # of these, one with rewards() or a discount: values are any numbers
    cdef readonly double discount
    cdef bint rewards_given   # it has rewards()
    cdef readonly bint rolls  # states have rollout()
    cdef bint constant        # the values of all players sum to 1
    cdef readonly int players
    cdef bint acts            # states have action()
    cdef bint draws           # states have chance_outcomes()
    cdef bint pushes          # states have copy() and push()
    cdef readonly tuple shape  # of an observation, once there was one
    cdef list moves           # those met so far; an id is an index
    cdef dict ids             # move -> id
    cdef uint64_t name_total  # bytes of these moves
    cdef object error         # what a method raised
    cdef str calling          # the method that is running
    cdef double deadline      # of the search, on mcts_clock
    cdef bint drained         # legal_moves() returned an iterator that had no move left

    cdef int raise_error(self) except -1
    # Raises GameError where a rollout has had too many moves, or very many and the time is over.
    cdef int check_length(self, object state, uint32_t count) except -1
    cdef int check_root(self, object was, object moves) except -1
    cdef int check_state(self, object state, object was, object moves, bint strictly) except -1
    cdef uint64_t name_bytes(self) noexcept
    cdef int adopt(self, UserStates other) except -1
    cdef int take_names(self, object names) except -1
    cdef int set_names(self, list moves, dict ids) except -1
    cpdef int sign(self, object state) except 0
    cpdef int mover(self, object state) except -2
    cpdef object child(self, object state, object move)
    cpdef object copied(self, object state)
    cdef int push(self, object state, object move) except -1
    cpdef object winner(self, object state)
    cpdef list values(self, object state)
    cpdef list rewards(self, object state)
    cpdef tuple rollout(self, object state, object seed)
    cpdef list legal(self, object state)
    cpdef list outcomes(self, object state)
    cpdef object index(self, object state, object move, int actions)
    cpdef list indices(self, object state, list moves, int actions)
    cpdef object planes(self, object state)
    cdef uint32_t identity_of(self, object move) except? 0xFFFFFFFF
