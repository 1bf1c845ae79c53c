"""What a TwoPlayerCore holds between searches, taken apart into plain data and bytes, and put together again.

Trees are links and numbers, so their memory is their file. Each comes with what it has told and heard, where it took
part in exchanges with others. The game's exact search keeps tables that only it can read; those are not stored.
"""

import math

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from mcts_core.errors import InvalidFile, SearchBusy
from mcts_core.arguments import shorten

from mcts_core.games.board_position cimport BoardPosition
from mcts_core.game cimport NativeState
from mcts_core.games.python_game cimport PythonGame, as_native
from mcts_core.engine.settings cimport TwoPlayerSettings
from mcts_core.engine.searched_two_player cimport TwoPlayerCore
from mcts_core.tree.plain_tree cimport MAX_ITERATIONS, Tree
from mcts_core.tree.storage cimport (check_sound, entry, known_record, make_known, memory_of, move_together, number,
                                     numbers_of, room_of, take_numbers)
from mcts_core.tree.check_walk cimport ANY_MOVE, Rules
from mcts_core.tree.check cimport check_known


cdef uint64_t UINT32 = 0xFFFFFFFF
cdef uint64_t LARGEST = <uint64_t>1 << 62


def dump(TwoPlayerCore core, encode, consume):
    """The result of ``consume(state, game, names, record, data)``, which is called while no search can begin.

    ``state`` is the last search's root and ``game`` what ``encode(state)`` made of it, ``names`` the moves of a
    Python-written game by their numbers in the tree, else None; ``record`` is JSON data, ``data`` a list of pieces of
    memory, read-only and valid during the call only. Without statistics all are None, and ``data`` is empty.

    The trees are moved together and exact search forgets what it keeps, so that the core goes on as a restored one
    does. Raises SearchBusy, MemoryError, and RuntimeError for a tree that could not be read again.
    """
    cdef uint32_t i
    cdef list trees = [], views = []
    if not core.take():
        raise SearchBusy("this Searcher is searching; it can be saved when that has ended")
    try:
        figures = core.snapshot()
        if figures is None:
            return consume(None, None, None, None, [])
        game = encode(core.state)
        names = (<PythonGame>core.native).user.moves if isinstance(core.native, PythonGame) else None
        core.used = figures["bytes"]
        for i in range(core.width()):
            move_together(tree_of(core, i))
            check_one(core, i, core.native, core.state, True, False, RuntimeError)
            trees.append(numbers_of(tree_of(core, i)))
            trees[i]["told"] = core.team.members[i].iterations if core.teamed else 0
            views.append(memory_of(tree_of(core, i)))
        for i in range(core.width() if core.teamed else 0):
            trees[i]["known"] = known_record(tree_of(core, i), &core.team.members[i].known, views)
        record = {
            "seed": core.seed, "seconds": core.seconds, "overshoot": core.overshoot, "bytes": core.used,
            "stop_reason": core.stop_reason, "finished": bool(core.finished), "isa": core.isa,
            "heard": bool(core.heard),
            "pv": core.line if names is None else None, "trees": trees,
            "outside": known_record(core.tree, &core.outside, views),
        }
        return consume(core.state, game, names, record, views)
    finally:
        for view in views:
            view.release()
        core.lock.release()


def size_of(record):
    """The bytes of ``data`` that belong to a record; InvalidFile for one that cannot be."""
    size = 0
    parts = [record]
    for tree in entry(record, "trees", list):
        size += number(tree, "bytes", 0, LARGEST)
        parts.append(tree)
    for part in parts:
        for name in ("outside", "known"):
            if part.get(name) is not None:
                size += 4 * number(part[name], "words", 0, UINT32)
    return size


def restore(TwoPlayerCore core, state, names, TwoPlayerSettings settings, record, fill):
    """Makes the core what ``dump`` had taken apart; it must be one that is not in use.

    ``fill(data)`` writes the pieces of memory into a list of writable memoryviews. Raises InvalidFile for a record or a
    tree that cannot be, and leaves the core empty then; InvalidOption for trees that are larger than the core's memory;
    MemoryError.
    """
    cdef NativeState native = as_native(state, "there is nothing to restore")
    cdef int sign
    if isinstance(native, PythonGame):
        sign = (<PythonGame>native).to_move
        (<PythonGame>native).user.moves = list(names)
        (<PythonGame>native).user.ids = {move: index for index, move in enumerate(names)}
        if len((<PythonGame>native).user.ids) != len(names):
            raise InvalidFile("the moves of the tree are not all different")
    else:
        sign = state.to_move
    trees = entry(record, "trees", list)
    if len(trees) != 1 and len(trees) != core.threads:
        raise InvalidFile(f"a search of {core.threads} threads has one tree or one for each, got {len(trees)}")
    if not core.take():
        raise SearchBusy("this Searcher is searching")
    try:
        core.native = core.state = None
        core.drop_trees()
        core.settings = settings
        try:
            if not core.prepare(native, sign, 0):
                raise MemoryError(f"no memory for a search tree of {core.memory >> 20} MB")
            if core.threads > 1:
                core.ready_threads(native, sign, 0, NULL, -1)
            core.teamed = len(trees) > 1
            core.heard = entry(record, "heard", bool)
            take_memory(core, trees, record, fill)
            take_trees(core, trees, record, native, state)
            take_search(core, record, state, native)
        except BaseException:
            core.native = core.state = None
            core.drop_trees()
            raise
    finally:
        core.lock.release()


def check(TwoPlayerCore core, bint whole=False):
    """Follows every link of the trees and compares every number with the rules of the game.

    A dict of ``units``, ``free_units``, ``bytes``, ``nodes``, ``blocks``, ``depth`` (of blocks), ``widest`` (slots);
    None without statistics. ``whole``: no memory may be free or unreachable, and padding is set to zero. Raises
    AssertionError for a tree that is not sound, SearchBusy.
    """
    cdef uint32_t i
    cdef dict found, other
    if not core.take():
        raise SearchBusy("this Searcher is searching; its tree can be checked afterwards")
    try:
        if core.native is None or core.tree == NULL:
            return None
        found = check_one(core, 0, core.native, core.state, whole, True, AssertionError)
        for i in range(1, core.width()):
            other = check_one(core, i, core.native, core.state, whole, True, AssertionError)
            for name, value in other.items():
                found[name] = max(found[name], value) if name in ("depth", "widest") else found[name] + value
        return found
    finally:
        core.lock.release()


# ---- trees -----------------------------------------------------------------------------------------------------------

cdef inline Tree *tree_of(TwoPlayerCore core, uint32_t member) noexcept:
    """That of a thread."""
    return core.team.members[member].tree if member else core.tree


cdef int take_memory(TwoPlayerCore core, list trees, record, fill) except -1:
    """Makes room for all pieces of memory and lets them be filled."""
    cdef uint32_t i
    cdef list views = []
    try:
        for i in range(<uint32_t>len(trees)):
            views.append(room_of(tree_of(core, i), trees[i], core.memory, core.threads))
        for i in range(<uint32_t>len(trees) if core.teamed else 0):
            make_known(tree_of(core, i), &core.team.members[i].known, trees[i].get("known"), views)
        make_known(core.tree, &core.outside, record.get("outside"), views)
        fill(views)
    finally:
        for view in views:
            view.release()
    return 0


cdef int take_trees(TwoPlayerCore core, list trees, record, NativeState native, state) except -1:
    """Numbers and checks of trees that have their memory."""
    cdef const char *fault = NULL
    cdef uint32_t i
    for i in range(<uint32_t>len(trees)):
        take_numbers(tree_of(core, i), trees[i], None if isinstance(native, PythonGame) else state.legal_moves())
        if core.teamed:
            core.team.members[i].iterations = number(
                trees[i], "told", 0, MAX_ITERATIONS // tree_of(core, i).rollouts_per_leaf)
        check_one(core, i, native, state, True, True, InvalidFile)
        if core.teamed and fault == NULL:
            fault = check_known(tree_of(core, i), &core.team.members[i].known)
    if fault == NULL:
        fault = check_known(core.tree, &core.outside)
    if fault != NULL:
        raise InvalidFile(f"the tree is damaged: {fault.decode()}")
    return 0


cdef int take_search(TwoPlayerCore core, record, state, NativeState native) except -1:
    """What does not stand in the trees."""
    cdef list line = None
    core.seed = number(record, "seed", 0, 0xFFFFFFFFFFFFFFFF)
    core.seconds = seconds(record, "seconds", 5e-324)
    core.overshoot = seconds(record, "overshoot", 0.0)
    core.used = number(record, "bytes", 1, LARGEST)
    core.stop_reason = word(record, "stop_reason")
    core.isa = word(record, "isa")
    core.finished = False
    core.state = state
    if record.get("pv") is not None:
        line = entry(record, "pv", list)
        try:
            for move in line:
                state = state.play(move)
        except ValueError as error:
            raise InvalidFile(f"the principal variation is not legal: {error}") from None
        if not line:
            raise InvalidFile("the principal variation is empty")
    finished = entry(record, "finished", bool)
    core.number += 1
    core.keeper = native
    core.native = native
    core.move = core.choose(core.root_children())
    core.line = line
    core.finished = finished
    return 0


cdef dict check_one(TwoPlayerCore core, uint32_t index, NativeState native, state, bint whole, bint played, error):
    """The check of a thread's tree; see ``check_sound``. ``played``: the moves are played down a native game's tree."""
    cdef Rules rules
    cdef uint32_t *cursors = NULL
    memset(&rules, 0, sizeof(rules))
    rules.root = native.state
    rules.alone = not core.heard
    if isinstance(native, PythonGame):
        rules.counted = 1
        rules.moves = <uint32_t>len((<PythonGame>native).user.moves)
    else:
        rules.moves = native.game.max_moves if native.game.max_moves else ANY_MOVE
        if played and native.game.max_moves and native.game.max_plies:
            rules.game = native.game
            cursors = cursors_of(native, state)
            rules.cursors = cursors
            rules.alternate = cursors != NULL
    try:
        return check_sound(tree_of(core, index), &rules, whole, error)
    finally:
        free(cursors)


cdef uint32_t *cursors_of(NativeState native, state) except? NULL:
    """By move, where it stands in the order of trying: that is the order of the empty board. NULL: not known."""
    cdef uint32_t *order
    cdef uint32_t *cursors
    cdef uint32_t count, i
    if not isinstance(state, BoardPosition):
        return NULL
    count = native.game.max_moves
    order = <uint32_t *>malloc(count * sizeof(uint32_t))
    cursors = <uint32_t *>malloc(count * sizeof(uint32_t))
    if order == NULL or cursors == NULL:
        free(order)
        free(cursors)
        raise MemoryError()
    native.game.legal_moves(native.game.context, (<BoardPosition>state).geometry.start, order)
    for i in range(count):
        cursors[order[i]] = i
    free(order)
    return cursors


# ---- plain data ------------------------------------------------------------------------------------------------------

cdef double seconds(record, name, low) except -1:
    value = entry(record, name, float)
    if not low <= value < math.inf:
        raise InvalidFile(f"{name} must be a finite number from {low:g}, got {value!r}")
    return value


cdef str word(record, name):
    value = entry(record, name, str)
    if not value.isidentifier() or len(value) > 32:
        raise InvalidFile(f"{name} must be a word, got {shorten(value)}")
    return value
