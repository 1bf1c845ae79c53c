"""A board that is kept set up between calls, since the next position asked about is mostly a few stones away.

Who keeps one gives two functions: ``begin`` sets up the root, ``put`` puts a stone or, again, takes it away.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

from mcts_core.games.mnk.rollout cimport MNK_HEADER, MNK_MAX_CELLS, mnk_geometry, mnk_state


ctypedef struct mnk_walk:
    bint has_root
    uint32_t length                 # of the path from the root to the position that is set up
    uint16_t path[MNK_MAX_CELLS]
    uint8_t root[MNK_HEADER + MNK_MAX_CELLS]

ctypedef void (*mnk_begin)(void *board, const mnk_geometry *g, const mnk_state *root) noexcept nogil
ctypedef void (*mnk_put)(void *board, const mnk_geometry *g, int player, uint32_t move) noexcept nogil


cdef inline int walk_to(mnk_walk *w, const mnk_geometry *g, const mnk_state *root, const uint32_t *path,
                        uint32_t length, void *board, mnk_begin begin, mnk_put put) noexcept nogil:
    """Sets up the position at the end of ``path``; returns who is to move there, 0 the player who began."""
    cdef int first = root.stones & 1
    cdef uint32_t common = 0
    if not w.has_root or memcmp(w.root, root, MNK_HEADER + g.board_size) != 0:
        memcpy(w.root, root, MNK_HEADER + g.board_size)
        w.has_root = True
        w.length = 0
        begin(board, g, root)
    while common < length and common < w.length and w.path[common] == path[common]:
        common += 1
    while w.length > common:
        w.length -= 1
        put(board, g, first ^ (w.length & 1), w.path[w.length])
    while w.length < length:
        put(board, g, first ^ (w.length & 1), path[w.length])
        w.path[w.length] = <uint16_t>path[w.length]
        w.length += 1
    return first ^ (length & 1)
