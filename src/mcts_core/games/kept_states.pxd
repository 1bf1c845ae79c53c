"""The states of a game written in Python that a search keeps: those of the nodes that it visits again."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.games.user_states cimport UserStates


cdef enum:
    ROOT_ENTRY = 0
    NOT_KEPT = 0xFFFFFFFF
    NOT_ASKED = -2               # in place of the player to move

ctypedef struct KeptEntry:
    uint32_t move                # the number of the move that leads here
    uint32_t below               # the first kept child, 0: none
    uint32_t next                # the next child of the same parent, 0: none; of a free entry: the next free one
    uint32_t visits              # paths that have led through it; pruning halves them
    uint32_t plays               # moves played from its state
    int32_t mover                # the index of the player to move, -1 for chance; NOT_ASKED: the game may be over here
    uint64_t bytes               # an estimate
    uint8_t *results             # of its moves, see `result`; NULL: none is known


cdef class KeptStates:
    cdef UserStates user
    cdef KeptEntry *entries
    cdef uint32_t room
    cdef uint32_t used           # entries, free ones included
    cdef uint32_t free           # the first free entry, 0: none
    cdef bint strictly           # moves that differ each time that a state is asked are an error
    cdef list states             # by entry; of a free one None
    cdef list moves              # by entry: the legal moves of the state; None: not asked
    cdef uint64_t bytes
    cdef uint64_t limit          # of these
    cdef uint64_t size           # of an entry, as estimated last
    cdef uint64_t added          # states that were kept so far
    cdef uint64_t measure_at     # when that has reached this, the size is estimated again
    # where the last path has led
    cdef object state
    cdef uint32_t entry          # NOT_KEPT: the state is not kept
    cdef uint32_t parent         # then the entry below which it can be kept, or NOT_KEPT
    cdef uint32_t *path
    cdef uint32_t path_room
    cdef uint32_t length         # of the path

    # Goes to the end of a path, and returns the state there. The states on the way are kept, this one by `know`.
    cdef object at(self, const uint32_t *path, uint32_t length)
    # Plays a move from there, and goes there.
    cdef object onward(self, uint32_t move)
    # The state after a move from there, a new one that the caller may push on.
    cdef object child(self, object move)
    # What the state there has answered: the index of the player to move, or NOT_ASKED; the legal moves, or None.
    cdef int mover(self) noexcept
    cdef list legal(self)
    # Keeps the state with these answers: the search will come back. `moves` may be None.
    cdef int know(self, int mover, list moves) except -1
    cdef list named(self, list moves)
    # What winner() says after the move of a slot: 0 unknown, 1 None, else 3 + the winner.
    cdef int result(self, uint32_t slot) noexcept
    cdef int know_result(self, uint32_t slot, object winner) except -1
    # From now on the states may take what is left of a search's memory, of which other things have taken a part.
    cdef int fit(self, uint64_t memory, uint64_t taken) except -1
    # Forgets all but the root.
    cdef int clear(self) except -1

    cdef uint32_t find(self, uint32_t parent, uint32_t move) noexcept
    cdef uint32_t add(self, uint32_t parent, uint32_t move, object state) except? 0
    cdef uint32_t new_entry(self) except 0
    cdef int measure(self, uint32_t entry) except -1
    cdef int prune(self, uint64_t most) except -1
    cdef uint32_t least_kept(self, uint64_t most) noexcept
    cdef int release(self, uint32_t entry, list dropped) except -1
    cdef int count_play(self, uint32_t entry) except -1
    cdef int check(self, uint32_t entry) except -1
    cdef int go_to(self, const uint32_t *path, uint32_t length, object state, uint32_t entry,
                   uint32_t parent) except -1
