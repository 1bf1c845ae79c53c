"""RAVE and GRAVE: the AMAF statistics of a node; the score and the schedules of their weight are in
``kernels/selection/rave.h``. Gelly and Silver (Artificial Intelligence 175, 2011); GRAVE: Cazenave (IJCAI 2015).
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from mcts_core.arena cimport arena_allocate, arena_at
from mcts_core.tree.guided_tree cimport (SELECT_GRAVE, SELECT_RAVE, GuidedBlock, GuidedColumns, GuidedTree, amaf_units,
                                         guided_columns)
from mcts_core.tree.tree cimport WIDE_UNIT, gain_of


cdef extern from "kernels/selection/rave.h" nogil:
    void rave_add(const uint8_t *played, uint8_t code, float value, uint32_t actions, float *visits, float *wins)


cdef inline uint32_t reference_of(const GuidedTree *guided, uint32_t length) noexcept nogil:
    """The AMAF record of the deepest node on the path that has one; 0 but for GRAVE."""
    cdef GuidedBlock *block
    if guided.options.selection != SELECT_GRAVE:
        return 0
    while length > 1:
        length -= 1
        block = <GuidedBlock *>guided.tree.path_record[length]
        if block.amaf:
            return block.amaf
    return 0


cdef inline bint give_amaf(GuidedTree *guided, GuidedBlock *block) noexcept nogil:
    cdef uint32_t index = arena_allocate(&guided.tree.arena, amaf_units(guided))
    if index == 0:
        return False
    memset(arena_at(&guided.tree.arena, index), 0, amaf_units(guided) * WIDE_UNIT)
    block.amaf = index
    return True


cdef inline void add_amaf(GuidedTree *guided, GuidedBlock *block, int32_t points) noexcept nogil:
    """Adds the moves of this iteration below the block's node to its AMAF statistics."""
    cdef GuidedColumns columns
    cdef const uint8_t *played = guided.played
    cdef uint32_t slot, actions = guided.guide.actions
    cdef uint8_t code = 1 if block.sign == guided.tree.root_sign else 2
    cdef float value = guided.tree.half * <float>gain_of(&guided.tree, block.sign, points), hit
    cdef float *amaf
    if guided.options.selection == SELECT_RAVE:
        columns = guided_columns(guided, block)
        for slot in range(columns.count):
            hit = <float>(played[columns.actions[slot]] == code)
            columns.amaf_visits[slot] += hit
            columns.amaf_wins[slot] += hit * value
        return
    if not block.amaf:
        if block.visits < guided.options.grave_ref or not give_amaf(guided, block):
            return
    amaf = <float *>arena_at(&guided.tree.arena, block.amaf)
    value = guided.tree.half * <float>gain_of(&guided.tree, 1, points)
    code = 1 if guided.tree.root_sign > 0 else 2
    rave_add(played, code, value, actions, amaf, amaf + actions)
    rave_add(played, 3 - code, 1 - value, actions, amaf + 2 * actions, amaf + 3 * actions)
