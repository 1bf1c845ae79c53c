"""What a core holds between searches as plain data and bytes, and a core made from these again.

A tree is links and numbers, so its memory is stored as it is; with it goes what it has told and heard in exchanges with
others. The game's exact search keeps tables that only it can read; those are not stored.
"""

import math

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from mcts_core.errors import InvalidFile
from mcts_core.arguments import shorten

from mcts_core.games.board_position cimport BoardPosition
from mcts_core.game cimport MCTS_ORDERED, NativeState
from mcts_core.games.general_rules cimport PythonRules, Rules
from mcts_core.games.python_game cimport PythonGame
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.report cimport final_move, snapshot_of
from mcts_core.tree.storage cimport (check_sound, entry, known_record, make_known, memory_of, move_together, number,
                                     numbers_of, room_of, take_numbers)
from mcts_core.tree.check_walk cimport ANY_MOVE, CheckRules
from mcts_core.tree.check cimport check_known
from mcts_core.tree.tree cimport Tree


cdef uint64_t UINT32 = 0xFFFFFFFF
cdef uint64_t LARGEST = <uint64_t>1 << 62


def dump(SearchCore core, encode, consume):
    """Calls ``consume(state, game, names, record, data)`` while no search can begin, and returns its result.

    ``state`` is the last search's root, ``game`` what ``encode(state)`` returned, ``names`` the moves of a game written
    in Python by their numbers in the tree, else None; ``record`` is JSON data, ``data`` a list of read-only pieces of
    memory, valid during the call only. Without statistics all are None, and ``data`` is empty.

    The trees are moved together and exact search forgets what it keeps, so that the core goes on as a restored one
    does. Raises SearchBusy, MemoryError, and RuntimeError for a tree that could not be loaded again.
    """
    cdef uint32_t i
    cdef list trees = [], views = []
    core.take_to("it can be saved")
    try:
        found = snapshot_of(core)
        if found is None:
            return consume(None, None, None, None, [])
        game = encode(core.state)
        if core.tree == NULL:  # nodes by information, whose keys only their game can read
            return consume(None, None, None, None, [])
        names = core.names
        core.used = found.bytes
        # trees that the last search did not use
        for i in range(core.width(), core.team.count if core.team != NULL else 0):
            if core.team.members[i].tree != NULL:
                core.team.members[i].tree.ops.destroy(core.team.members[i].tree)
                core.team.members[i].tree = NULL
        for i in range(core.width()):
            move_together(tree_of(core, i))
            check_one(core, i, core.root_now(), core.state, True, False, RuntimeError)
            trees.append(numbers_of(tree_of(core, i)))
            trees[i]["iterations_told"] = core.team.members[i].iterations if core.teamed else 0
            views.append(memory_of(tree_of(core, i)))
        for i in range(core.width() if core.teamed else 0):
            trees[i]["known"] = known_record(tree_of(core, i), &core.team.members[i].known, views)
        record = {
            "seed": core.seed, "seconds": core.seconds, "overshoot": core.overshoot, "bytes": core.used,
            "stop_reason": core.stop_reason, "finished": bool(core.finished), "isa": core.isa,
            "heard": bool(core.heard), "threads": core.busy,
            "pv": core.line if names is None else numbers_in(names, core.line), "trees": trees,
            "outside": known_record(core.tree, &core.outside, views),
        }
        kept = core.kept_line()
        if kept is not None:
            record["line"] = {"moves": kept if names is None else numbers_in(names, kept), "value": core.line_value()}
        return consume(core.state, game, names, record, views)
    finally:
        for view in views:
            view.release()
        core.give()


def size_of(record):
    """The bytes of ``data`` that belong to a record. Raises InvalidFile for an invalid record."""
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


def restore(SearchCore core, state, names, SearchSettings settings, record, fill):
    """Gives the core what ``dump`` took from another; it must not be in use.

    ``fill(data)`` writes the pieces of memory into a list of writable memoryviews. Raises InvalidFile for an invalid
    record or tree, InvalidOption for trees that are larger than the core's memory, MemoryError; the core is empty then.
    """
    cdef object root = core.root_of(state, settings)
    if names is not None:
        core.take_names(root, names)
    trees = entry(record, "trees", list)
    core.take_to("it can be restored")
    try:
        core.forget()
        core.settings = settings
        if len(trees) != 1 and len(trees) != core.trees():
            most = "1 tree" if core.trees() == 1 else f"1 tree or {core.trees()}"
            raise InvalidFile(f"a search with these options has {most}, got {len(trees)}")
        try:
            core.prepare(root, 0)
            core.teamed = len(trees) > 1
            core.busy = number(record, "threads", 1, core.threads)
            core.heard = entry(record, "heard", bool)
            take_memory(core, trees, record, fill)
            take_trees(core, trees, root, state)
            take_search(core, record, state, root)
        except BaseException:
            core.forget()
            raise
    finally:
        core.give()


def check(SearchCore core, bint whole=False):
    """Follows every link of the trees and checks every number against the rules of the game.

    Returns a dict of ``units``, ``free_units``, ``bytes``, ``nodes``, ``blocks``, ``depth`` (of blocks) and ``widest``
    (slots); None without statistics. ``whole``: no memory may be free or unreachable, and padding is set to zero.
    Raises AssertionError for a tree that is not sound, SearchBusy.
    """
    cdef uint32_t i
    cdef dict found, other
    core.take_to("its tree can be checked")
    try:
        if core.state is None:
            return None
        found = check_one(core, 0, core.root_now(), core.state, whole, True, AssertionError)
        for i in range(1, core.width()):
            other = check_one(core, i, core.root_now(), core.state, whole, True, AssertionError)
            for name, value in other.items():
                found[name] = max(found[name], value) if name in ("depth", "widest") else found[name] + value
        return found
    finally:
        core.give()


# ---- trees -----------------------------------------------------------------------------------------------------------

cdef inline Tree *tree_of(SearchCore core, uint32_t member) noexcept:
    """The tree of a thread."""
    return core.team.members[member].tree if member else core.tree


cdef int take_memory(SearchCore core, list trees, record, fill) except -1:
    """Makes room for all pieces of memory and calls ``fill`` with them."""
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


cdef int take_trees(SearchCore core, list trees, object root, object state) except -1:
    """Reads the numbers of the trees, whose memory is filled, and checks them."""
    cdef const char *fault = NULL
    cdef uint32_t i
    cdef list legal = None if isinstance(root, (PythonGame, Rules)) else state.legal_moves()
    for i in range(<uint32_t>len(trees)):
        take_numbers(tree_of(core, i), trees[i], legal)
        if core.teamed:
            core.team.members[i].iterations = number(trees[i], "iterations_told", 0, tree_of(core, i).most_visits)
        check_one(core, i, root, state, True, True, InvalidFile)
        if core.teamed and fault == NULL:
            fault = check_known(tree_of(core, i), &core.team.members[i].known)
    if fault == NULL:
        fault = check_known(core.tree, &core.outside)
    if fault != NULL:
        raise InvalidFile(f"the tree is damaged: {fault.decode()}")
    return 0


cdef int take_search(SearchCore core, record, object state, object root) except -1:
    """Reads what is not in the trees."""
    cdef list line = None
    core.seed = number(record, "seed", 0, 0xFFFFFFFFFFFFFFFF)
    core.seconds = seconds(record, "seconds", 5e-324)
    core.overshoot = seconds(record, "overshoot", 0.0)
    core.used = number(record, "bytes", 1, LARGEST)
    core.stop_reason = word(record, "stop_reason")
    core.isa = word(record, "isa")
    core.finished = False
    if record.get("line") is not None:
        take_line(root, entry(record, "line", dict), state)
    core.take_root(root, state)
    if record.get("pv") is not None:
        line = line_of(entry(record, "pv", list), state, core.names)
    finished = entry(record, "finished", bool)
    core.number += 1
    core.move = final_move(core) if line is None else line[0]
    core.line = line
    core.finished = finished
    return 0


cdef int take_line(Rules rules, record, object state) except -1:
    """Reads the best line that a search has kept."""
    cdef list names = (<PythonRules>rules).user.moves if isinstance(rules, PythonRules) else None
    value = entry(record, "value", float)
    if not rules.keeps or not math.isfinite(value):
        raise InvalidFile("a line is kept of a search that keeps none")
    rules.line = line_of(entry(record, "moves", list), state, names)
    rules.line_value = value
    return 0


cdef list numbers_in(list names, list line):
    if line is None:
        return None
    numbers = {name: number for number, name in enumerate(names)}
    if any(move not in numbers for move in line):  # a root without a block, whose moves have no numbers yet
        return None
    return [numbers[move] for move in line]


cdef list line_of(list line, object state, list names):
    if not line:
        raise InvalidFile("the principal variation is empty")
    if names is not None:
        for number in line:
            if type(number) is not int or not 0 <= number < len(names):
                raise InvalidFile(f"the principal variation must have numbers of moves, got {shorten(number)}")
        return [names[number] for number in line]
    try:
        for move in line:
            state = state.play(move)
    except ValueError as error:
        raise InvalidFile(f"the principal variation is not legal: {error}") from None
    return line


cdef dict check_one(SearchCore core, uint32_t index, object root, object state, bint whole, bint played, error):
    """Checks a thread's tree; see ``check_sound``. ``played``: by playing the moves, in a tree of a native game."""
    cdef CheckRules rules
    cdef uint32_t *cursors = NULL
    memset(&rules, 0, sizeof(rules))
    rules.alone = not core.heard
    if isinstance(root, Rules):
        general_rules(&rules, root, played)
    else:
        cursors = two_player_rules(&rules, root, state, played)
    try:
        return check_sound(tree_of(core, index), &rules, whole, error)
    finally:
        free(cursors)


cdef int general_rules(CheckRules *rules, Rules root, bint played) except -1:
    rules.moves = ANY_MOVE
    if isinstance(root, PythonRules):
        rules.moves = <uint32_t>len((<PythonRules>root).user.moves)
    elif played:
        rules.general = &root.table
    return 0


cdef uint32_t *two_player_rules(CheckRules *rules, NativeState native, object state, bint played) except? NULL:
    cdef uint32_t *cursors = NULL
    rules.root = native.state
    if isinstance(native, PythonGame):
        rules.counted = 1
        rules.moves = <uint32_t>len((<PythonGame>native).user.moves)
        return NULL
    rules.moves = native.game.max_moves if native.game.max_moves else ANY_MOVE
    if played and native.game.max_moves and native.game.max_plies:
        rules.game = native.game
        cursors = cursors_of(native, state)
        rules.cursors = cursors
        rules.alternate = cursors != NULL
    return cursors


cdef uint32_t *cursors_of(NativeState native, state) except? NULL:
    """By move, its place in the order in which moves are tried, that of the empty board; NULL: not known."""
    cdef uint32_t *order
    cdef uint32_t *cursors
    cdef uint32_t count, i
    if not isinstance(state, BoardPosition) or not native.game.flags & MCTS_ORDERED:
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
