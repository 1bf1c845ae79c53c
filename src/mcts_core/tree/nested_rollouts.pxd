"""Rollouts from the root by an adapted policy, in the place of a tree. For ``general_tree.pyx`` alone.

The tree is the root alone, whose moves have the visits and the mean of the rollouts that began with them. What counts
is the best line.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from mcts_core.games.general_rules cimport KIND_DECISION, KIND_OVER
from mcts_core.tree.general_blocks cimport look, position_room
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.nested_policy cimport NestedLine, NestedSearch, draw_move, learn, line_room, name_of, open_level
from mcts_core.tree.tree cimport MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR, RUN_SYSTEM_MEMORY, WIDE_INDEX


cdef inline int step_on(GeneralTree *general, const uint32_t *move) noexcept nogil:
    """Goes one move on from where the last look was, and describes that position."""
    while True:
        if general.rules.onward(general.rules.context, move, &general.position) < 0:
            return RUN_GAME_ERROR
        if general.position.kind == KIND_OVER:
            return RUN_DONE
        if general.position.kind != KIND_DECISION or not 1 <= general.position.count <= MAX_SLOTS:
            return RUN_GAME_ERROR
        if general.position.count <= general.position.capacity:
            return RUN_DONE
        if not position_room(general, general.position.count):
            return RUN_SYSTEM_MEMORY
        move = NULL  # now there is room for the moves


cdef inline int play_nested(GeneralTree *general) noexcept nogil:
    """Plays a rollout from the root and records it in ``nested.rolled``."""
    cdef NestedSearch *nested = &general.nested
    cdef NestedLine *line = &nested.rolled
    cdef uint64_t limit = general.options.nested_bytes
    cdef uint32_t number, begin
    cdef double weight = 1.0
    cdef int status = look(general, 0, 0, True)
    if status == RUN_DONE and nested.opened == 0:
        status = open_level(nested, limit)
    line.length = 0
    line.value = 0.0
    while status == RUN_DONE:
        status = line_room(nested, limit, line, general.position.count)
        if status != RUN_DONE:
            break
        begin = line.starts[line.length]
        for number in range(general.position.count):
            status = name_of(nested, limit, general.rules.move_bytes, general.position.moves[number],
                             line.names + begin + number)
            if status != RUN_DONE:
                return status
        number = draw_move(nested, line.names + begin, general.position.count, &general.tree.rng)
        line.moves[line.length] = general.position.moves[number]
        line.played[line.length] = number
        line.length += 1
        line.starts[line.length] = begin + general.position.count
        status = step_on(general, line.moves + line.length - 1)
        if status != RUN_DONE:
            break
        if general.scored:
            line.value += weight * general.position.rewards[0]
            weight *= general.rules.discount
        if general.position.kind == KIND_OVER:
            line.value += weight * general.position.values[0]
            break
        if line.length == general.options.rollout_moves:
            break
    return status


cdef inline int roll_nested(GeneralTree *general) noexcept nogil:
    """A rollout, kept if it is the best one, from which the policy learns. Then the path of the iteration is its first
    move, and ``position.values[0]`` is its value."""
    cdef NestedLine *line = &general.nested.rolled
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot
    cdef int status = play_nested(general)
    if status != RUN_DONE:
        return status
    slot = line.played[0]
    if columns.count <= slot or columns.moves[slot] != line.moves[0]:  # the user's game lists other moves now
        return RUN_GAME_ERROR
    general.position.values[0] = line.value
    if line.value > general.best:
        general.best = line.value
        if general.rules.keep(general.rules.context, line.moves, line.length, False) < 0:
            return RUN_GAME_ERROR
    status = learn(&general.nested, general.options.nested_bytes, general.options.nested)
    if status != RUN_DONE:
        return status
    general.tree.path_record[0] = <uint8_t *>block
    general.tree.path_slot[0] = slot
    general.tree.path_move[0] = columns.moves[slot]
    block.visits += 1
    general.tree.nodes += columns.visits[slot] == 0
    columns.visits[slot] += 1
    general.tree.rollouts += 1
    return RUN_DONE
