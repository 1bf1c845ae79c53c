"""Several trees of one search, one for each thread, which exchange their news at fixed numbers of iterations."""

from libc.stdint cimport uint32_t

from mcts_core.tree.exchange cimport Known, Words
from mcts_core.tree.tree cimport Tree
from mcts_core.game cimport mcts_interrupt


cdef enum:
    MAX_THREADS = 256
    BOXES = 4                    # messages of a member that may wait to be heard

ctypedef struct Member:
    Tree *tree
    Known known
    Words boxes[BOXES]
    uint32_t heard[MAX_THREADS]  # messages of each other member
    uint32_t told                # messages; published
    uint32_t ended               # 1: there will be no more; published
    uint32_t iterations          # when the last message was told; published
    uint32_t limit               # of iterations
    uint32_t next                # iterations at which the next exchange is due
    int status

ctypedef struct Team:
    uint32_t count
    Member *members
    uint32_t interval            # iterations between two exchanges
    uint32_t repeatable          # 1: an exchange waits for the others, so that the search can be repeated
    uint32_t stop                # 1: all are to end; a flag
    double deadline              # when all are to end
    mcts_interrupt interrupt     # of the first member


# ``known_words``: the most words in which each member remembers its exchanges. The caller owns the first member's tree;
# ``team_destroy`` destroys those of the others.
cdef Team *team_create(uint32_t count, uint32_t known_words) noexcept nogil
cdef void team_destroy(Team *team) noexcept nogil

# Readies the members, whose trees have been reset or resumed, for a search.
cdef void team_begin(Team *team, uint32_t limit, uint32_t interval, bint repeatable, double deadline,
                     mcts_interrupt interrupt) noexcept nogil

# Runs up to ``count`` iterations of a member, and the exchanges that are due; a Status.
cdef int team_run(Team *team, uint32_t number, uint32_t count) noexcept nogil

# Tells the last news of a member, and that no more will follow.
cdef void team_end(Team *team, uint32_t number) noexcept nogil

# After all have ended: every tree hears the messages that wait, then the first one the rest of the others' news. Where
# the first tree's root has no block, another tree that has one becomes the first.
cdef void team_merge(Team *team) noexcept nogil
