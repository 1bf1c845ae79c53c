"""The policy of nested rollout policy adaptation, its levels and its lines (Rosin, IJCAI 2011, section 2).

A level runs ``width`` searches of the level below it, each from a copy of its policy; level 1 plays rollouts. After
each, the level moves its policy towards its best line. The policy has a weight for every name of a move; a rollout
draws a move with a probability in proportion to e**weight.

When a level has run its searches, the one above it takes its best line, and is opened if it is not there yet. So the
first width**n rollouts are a search of level n, and nobody has to choose n.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from mcts_core.game cimport mcts_rng
from mcts_core.tree.portable_math cimport natural_exp, uniform
from mcts_core.tree.tree cimport RUN_DONE, RUN_MEMORY, RUN_SYSTEM_MEMORY


cdef enum:
    MOST_LEVELS = 31             # a search has at most 2**30 rollouts, and a level at least two searches
    FIRST_NAMES = 64
    FIRST_LINE = 64              # moves of a line
    NO_NAME = 0xFFFFFFFF

cdef extern from *:
    """
    #define MCTS_NO_LINE (-1e300)
    #define MCTS_STEEPEST 500.0 /* largest weight either way, so that sums of e**weight fit into a double */
    """
    const double NO_LINE "MCTS_NO_LINE"  # the value where there is none yet; all others are higher
    const double STEEPEST "MCTS_STEEPEST"

ctypedef struct NestedLine:
    double value                 # the discounted sum of rewards
    uint32_t length
    uint32_t room
    uint32_t *moves              # as the rules number them
    uint32_t *played             # the number of each move among the legal ones
    uint32_t *starts             # where the names of the legal moves of each position begin, and behind the last one
    uint32_t names_room
    uint32_t *names              # of the legal moves of all positions

ctypedef struct NestedLevel:
    uint32_t spent               # searches of the level below
    double *weights              # by name
    double *powers               # e**weight
    NestedLine best

ctypedef struct NestedSearch:    # a new one is all zeros
    uint64_t bytes               # of memory
    bint full                    # the memory limit was reached
    # the names: the moves that were met, numbered
    uint32_t known
    uint32_t room
    uint32_t *keys               # an open hash table of twice the room: the moves
    uint32_t *found              # the name of the move beside it, or NO_NAME
    uint32_t *changed            # by name: the last adaptation that changed it
    uint32_t adaptations
    NestedLine rolled            # the last rollout
    uint32_t opened              # levels
    NestedLevel levels[MOST_LEVELS]


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef inline int grow(NestedSearch *nested, uint64_t limit, void **array, uint64_t before,
                     uint64_t after) noexcept nogil:
    """Makes an array larger, from ``before`` to ``after`` bytes; a Status."""
    cdef void *larger
    if nested.bytes + after - before > limit:
        nested.full = True
        return RUN_MEMORY
    larger = realloc(array[0], after)
    if larger == NULL:
        return RUN_SYSTEM_MEMORY
    array[0] = larger
    nested.bytes += after - before
    return RUN_DONE


cdef inline void forget_line(NestedLine *line) noexcept nogil:
    free(line.moves)
    free(line.played)
    free(line.starts)
    free(line.names)


cdef inline void forget_nested(NestedSearch *nested) noexcept nogil:
    """Gives all memory back."""
    cdef uint32_t number
    if nested.bytes == 0 and not nested.full:
        return
    free(nested.keys)
    free(nested.found)
    free(nested.changed)
    forget_line(&nested.rolled)
    for number in range(<uint32_t>MOST_LEVELS):
        free(nested.levels[number].weights)
        free(nested.levels[number].powers)
        forget_line(&nested.levels[number].best)
    memset(nested, 0, sizeof(NestedSearch))


# ---- names -----------------------------------------------------------------------------------------------------------

cdef inline uint32_t place_of(const NestedSearch *nested, uint32_t move) noexcept nogil:
    """Where a move stands in the hash table, or would stand."""
    cdef uint32_t mask = 2 * nested.room - 1
    cdef uint32_t at = <uint32_t>(move * <uint64_t>0x9E3779B97F4A7C15 >> 32) & mask
    while nested.found[at] != NO_NAME and nested.keys[at] != move:
        at = (at + 1) & mask
    return at


cdef inline int level_room(NestedSearch *nested, uint64_t limit, NestedLevel *level, uint32_t before,
                           uint32_t after) noexcept nogil:
    """Makes room for the weights of so many names; new ones have the weight 0."""
    cdef uint32_t name
    cdef int status = grow(nested, limit, <void **>&level.weights, <uint64_t>8 * before, <uint64_t>8 * after)
    if status == RUN_DONE:
        status = grow(nested, limit, <void **>&level.powers, <uint64_t>8 * before, <uint64_t>8 * after)
    if status == RUN_DONE:
        for name in range(before, after):
            level.weights[name] = 0.0
            level.powers[name] = 1.0
    return status


cdef inline int names_room(NestedSearch *nested, uint64_t limit) noexcept nogil:
    """Makes room for twice as many names."""
    cdef uint32_t before = nested.room, after = 2 * before if before else FIRST_NAMES, at, number
    cdef uint32_t *keys = NULL
    cdef uint32_t *found = NULL
    cdef uint32_t *old_keys = nested.keys
    cdef uint32_t *old_found = nested.found
    cdef int status = grow(nested, limit, <void **>&nested.changed, <uint64_t>4 * before, <uint64_t>4 * after)
    if status != RUN_DONE:
        return status
    for number in range(nested.opened):
        status = level_room(nested, limit, &nested.levels[number], before, after)
        if status != RUN_DONE:
            return status
    status = grow(nested, limit, <void **>&keys, 0, <uint64_t>8 * after)
    if status == RUN_DONE:
        status = grow(nested, limit, <void **>&found, 0, <uint64_t>8 * after)
    if status != RUN_DONE:
        free(keys)
        return status
    memset(nested.changed + before, 0, <uint64_t>4 * (after - before))
    memset(found, 0xFF, <uint64_t>8 * after)
    nested.keys, nested.found, nested.room = keys, found, after
    for at in range(2 * before):
        if old_found[at] != NO_NAME:
            number = place_of(nested, old_keys[at])
            nested.keys[number], nested.found[number] = old_keys[at], old_found[at]
    free(old_keys)
    free(old_found)
    nested.bytes -= <uint64_t>16 * before
    return RUN_DONE


cdef inline int name_of(NestedSearch *nested, uint64_t limit, uint64_t name_bytes, uint32_t move,
                        uint32_t *name) noexcept nogil:
    """Finds or makes the name of a move; a Status. ``name_bytes``: memory that the rules need for a new one."""
    cdef uint32_t at
    cdef int status
    if nested.known == nested.room:
        status = names_room(nested, limit)
        if status != RUN_DONE:
            return status
    at = place_of(nested, move)
    if nested.found[at] == NO_NAME:
        if nested.bytes + name_bytes > limit:
            nested.full = True
            return RUN_MEMORY
        nested.bytes += name_bytes
        nested.keys[at], nested.found[at] = move, nested.known
        nested.known += 1
    name[0] = nested.found[at]
    return RUN_DONE


# ---- lines -----------------------------------------------------------------------------------------------------------

cdef inline int line_room(NestedSearch *nested, uint64_t limit, NestedLine *line, uint32_t count) noexcept nogil:
    """Makes room for one more move, of ``count`` legal ones."""
    cdef uint64_t before = line.room, after = 2 * before if before else FIRST_LINE, names
    cdef int status = RUN_DONE
    if line.length + 1 >= line.room:
        status = grow(nested, limit, <void **>&line.moves, 4 * before, 4 * after)
        if status == RUN_DONE:
            status = grow(nested, limit, <void **>&line.played, 4 * before, 4 * after)
        if status == RUN_DONE:
            status = grow(nested, limit, <void **>&line.starts, 4 * before, 4 * after)
        if status != RUN_DONE:
            return status
        line.room = <uint32_t>after
    if line.length == 0:
        line.starts[0] = 0
    names = <uint64_t>line.starts[line.length] + count
    if names > line.names_room:
        if names > 0x7FFFFFFF:
            nested.full = True
            return RUN_MEMORY
        status = grow(nested, limit, <void **>&line.names, <uint64_t>4 * line.names_room, 8 * names)
        if status == RUN_DONE:
            line.names_room = <uint32_t>(2 * names)
    return status


cdef inline uint32_t draw_move(const NestedSearch *nested, const uint32_t *names, uint32_t count,
                               mcts_rng *rng) noexcept nogil:
    """The number of a move among the legal ones, by the policy of level 1."""
    cdef const double *powers = nested.levels[0].powers
    cdef double sum = 0.0, at
    cdef uint32_t number
    if count == 1:
        return 0
    for number in range(count):
        sum += powers[names[number]]
    at = uniform(rng) * sum
    sum = 0.0
    for number in range(count - 1):
        sum += powers[names[number]]
        if at < sum:
            return number
    return count - 1


cdef inline void adapt(NestedSearch *nested, NestedLevel *level) noexcept nogil:
    """Moves the policy of a level towards its best line: where there was a choice, 1 more for the move that was played,
    and for every move its probability less."""
    cdef const NestedLine *line = &level.best
    cdef uint32_t ply, number, name
    cdef double sum
    for ply in range(line.length):
        if line.starts[ply + 1] - line.starts[ply] == 1:
            continue
        sum = 0.0
        for number in range(line.starts[ply], line.starts[ply + 1]):
            sum += level.powers[line.names[number]]
        for number in range(line.starts[ply], line.starts[ply + 1]):
            name = line.names[number]
            level.weights[name] -= level.powers[name] / sum
        level.weights[line.names[line.starts[ply] + line.played[ply]]] += 1.0
    nested.adaptations += 1
    for number in range(line.starts[line.length] if line.length else 0):
        name = line.names[number]
        if nested.changed[name] != nested.adaptations:
            nested.changed[name] = nested.adaptations
            level.weights[name] = min(max(level.weights[name], -STEEPEST), STEEPEST)
            level.powers[name] = natural_exp(level.weights[name])


cdef inline int open_level(NestedSearch *nested, uint64_t limit) noexcept nogil:
    """Opens the next level, with an even policy."""
    cdef NestedLevel *level = &nested.levels[nested.opened]
    cdef int status = RUN_DONE
    if nested.room == 0:
        status = names_room(nested, limit)
    if status == RUN_DONE and level.weights == NULL:
        status = level_room(nested, limit, level, 0, nested.room)
    if status != RUN_DONE:
        return status
    level.spent = 0
    level.best.value = NO_LINE
    nested.opened += 1
    return RUN_DONE


cdef inline int learn(NestedSearch *nested, uint64_t limit, uint32_t width) noexcept nogil:
    """Gives the last rollout to level 1, and the best line of a level that has run its searches to the one above."""
    cdef NestedLine *line = &nested.rolled
    cdef NestedLevel *level
    cdef uint32_t number = 0
    cdef uint64_t bytes = <uint64_t>8 * nested.known
    cdef int status
    while True:
        if number == nested.opened:
            status = open_level(nested, limit)
            if status != RUN_DONE:
                return status
        level = &nested.levels[number]
        if line.value >= level.best.value:
            line[0], level.best = level.best, line[0]  # they exchange their memory
        adapt(nested, level)
        level.spent += 1
        if level.spent < width:
            break
        line = &level.best
        number += 1
    while number > 0:  # the levels below begin again with a copy of this policy
        number -= 1
        level = &nested.levels[number]
        memcpy(level.weights, nested.levels[number + 1].weights, bytes)
        memcpy(level.powers, nested.levels[number + 1].powers, bytes)
        level.spent = 0
        level.best.value = NO_LINE
    return RUN_DONE
