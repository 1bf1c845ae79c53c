"""Reuse of the last search's tree: the path from its root to the new one, and how much of the tree is kept."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport NativeState
from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.tree cimport Tree


cdef extern from *:
    """
    #define MOVING 0.05      /* the share of a time budget that making a tree smaller may take */
    """
    const double MOVING

# The moves, as the tree names them, from the last search's root to ``state``; None: they are not known.
cdef list path_to_root(const Tree *tree, NativeState before, object state_before, NativeState native, object state,
                       int sign)

# The same for a general tree; the outcomes of chance are among the moves.
cdef list path_in_general(const Tree *tree, Rules before, object state_before, Rules after, object state)

# The moves to the block whose position is ``end``, where the player ``sign`` moves, if it is among the ``most`` most
# visited of these; or None. ``rules``: a PythonGame, and ``end`` a state of it, or Rules, and ``end`` others.
cdef list most_visited(const Tree *tree, object rules, object end, int sign, uint32_t most)

# Whether these moves are legal and lead from one position of a native game to the other, the game going on.
cdef bint leads_to(NativeState begin, list moves, NativeState end) except -1

# The link after a path, 0 where the tree does not have it.
cdef uint32_t link_at(const Tree *tree, list path) except? 0

# Whether the path leads to a block where the player ``sign`` is to move: the bytes of a state need not say so.
cdef bint has_mover(const Tree *tree, list path, int sign) except -1

# Moves what is below a new root together; of a large tree, only as much as a share of ``seconds`` (0: no limit) allows.
cdef void compact_below(Tree *tree, double seconds, double now) noexcept nogil

# Prunes a full tree of a search from ``begin`` to ``deadline``. Returns RUN_DONE, RUN_MEMORY where little room was
# gained, or RUN_LATE.
cdef int prune(Tree *tree, double begin, double deadline, double now) noexcept nogil
