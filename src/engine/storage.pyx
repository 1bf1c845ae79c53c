"""What a SearchCore holds between searches, taken apart into plain data and bytes, and put together again.

Trees are links and numbers, so their memory is their file. Each comes with what it has told and heard, where it took
part in exchanges with others. The game's exact search keeps tables that only it can read; those are not stored.
"""

import math

from cpython.buffer cimport PyBUF_READ, PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from mcts_core.errors import InvalidFile, InvalidOption, SearchBusy
from mcts_core.arguments import shorten

from mcts_core.arena cimport arena_grow
from mcts_core.games.board_position cimport BoardPosition
from mcts_core.tree.compaction cimport compact
from mcts_core.dispatch cimport hot_table
from mcts_core.tree.exchange cimport Known, forget_gone
from mcts_core.game cimport MCTS_NO_MOVE, NativeState
from mcts_core.tree.guided_tree cimport GuidedOps, GuidedTree
from mcts_core.games.python_game cimport PythonGame, as_native
from mcts_core.engine.settings cimport TwoPlayerSettings as SearchSettings
from mcts_core.engine.searched_two_player cimport TwoPlayerCore as SearchCore
from mcts_core.tree.plain_tree cimport MAX_ITERATIONS, Tree, path_reserve
from mcts_core.tree.check cimport ANY_MOVE, NO_MEMORY, Findings, Rules, check_known, check_tree


cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("tree.guided_tree")

cdef uint64_t UINT32 = 0xFFFFFFFF
cdef uint64_t LARGEST = <uint64_t>1 << 62


def dump(SearchCore core, encode, consume):
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
            move_together(core, tree_of(core, i))
            check_sound(core, i, core.native, core.state, True, False, RuntimeError)
            trees.append(tree_record(core, i))
            views.append(PyMemoryView_FromMemory(<char *>tree_of(core, i).arena.base, used_bytes(tree_of(core, i)),
                                                 PyBUF_READ))
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


def restore(SearchCore core, state, names, SearchSettings settings, record, fill):
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


def check(SearchCore core, bint whole=False):
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
        found = check_sound(core, 0, core.native, core.state, whole, True, AssertionError)
        for i in range(1, core.width()):
            other = check_sound(core, i, core.native, core.state, whole, True, AssertionError)
            for name, value in other.items():
                found[name] = max(found[name], value) if name in ("depth", "widest") else found[name] + value
        return found
    finally:
        core.lock.release()


# ---- trees -----------------------------------------------------------------------------------------------------------

cdef inline Tree *tree_of(SearchCore core, uint32_t number) noexcept:
    """That of a thread."""
    return core.team.members[number].tree if number else core.tree


cdef inline uint64_t used_bytes(const Tree *tree) noexcept nogil:
    return <uint64_t>tree.arena.top * tree.arena.unit


cdef int move_together(SearchCore core, Tree *tree) except -1:
    """Compacts the tree; what the last search found does not change by it."""
    cdef uint32_t nodes = tree.nodes
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef bint done
    with nogil:
        done = compact(tree, tree.arena.top)
    if not done:
        raise MemoryError("no memory for moving the tree together")
    tree.nodes = nodes  # as that search has counted them
    if tree.guided and guided.prover != NULL:
        guided.prover_game.guide.destroy_memory(guided.prover_game.context, guided.prover)
        guided.prover = NULL
    return 0


cdef dict tree_record(SearchCore core, uint32_t index):
    cdef Tree *tree = tree_of(core, index)
    cdef GuidedTree *guided = <GuidedTree *>tree
    record = {
        "bytes": used_bytes(tree), "iterations": tree.iterations, "rollouts": tree.rollouts, "nodes": tree.nodes,
        "reused": tree.reused, "prunes": tree.prunes, "dropped": tree.dropped, "depth_max": tree.depth_max,
        "depth_sum": tree.depth_sum, "told": core.team.members[index].iterations if core.teamed else 0,
    }
    if tree.guided:
        record["guided"] = {
            "value": guided.proof.value, "distance": guided.proof.distance, "exact": guided.proof.exact,
            "move": None if guided.proof.move == MCTS_NO_MOVE else guided.proof.move, "settled": guided.settled,
            "debt": guided.debt, "forgone": guided.forgone,
        }
        if guided.proof.value < 0:
            record["guided"].update(distance=0, exact=0, move=None)
    return record


cdef dict known_record(const Tree *tree, Known *known, list views):
    """What a tree has told and heard, less what is of blocks that are no more; None: nothing."""
    cdef const char *fault
    forget_gone(tree, known)
    if known.words.used == 0 and known.visits == 0 and known.proven == 0:
        return None
    fault = check_known(tree, known)
    if fault != NULL:
        raise RuntimeError(f"the tree is damaged: {fault.decode()}")
    if known.words.used:
        known.words.at[0] = 0  # which nobody reads
        views.append(PyMemoryView_FromMemory(<char *>known.words.at, 4 * <uint64_t>known.words.used, PyBUF_READ))
    return {
        "words": known.words.used, "root": known.root, "visits": known.visits, "wins": known.wins,
        "proven": known.proven,
    }


cdef int take_memory(SearchCore core, list trees, record, fill) except -1:
    """Makes room for all pieces of memory and lets them be filled."""
    cdef Tree *tree
    cdef uint64_t size
    cdef uint32_t i
    cdef list views = []
    try:
        for i in range(<uint32_t>len(trees)):
            tree = tree_of(core, i)
            size = number(trees[i], "bytes", tree.arena.unit, LARGEST)
            if size % tree.arena.unit:
                raise InvalidFile(f"the memory of a tree must be a multiple of {tree.arena.unit} bytes, got {size}")
            if size // tree.arena.unit > tree.arena.limit:
                raise InvalidOption(f"memory_mb must be larger for a tree that takes {size / 1048576.0:.1f} MB, "
                                    f"got {core.memory / 1048576.0:g} for {core.threads} threads")
            if size > tree.arena.committed and not arena_grow(&tree.arena, size):
                raise MemoryError(f"no memory for a search tree of {size >> 20} MB")
            tree.arena.top = <uint32_t>(size // tree.arena.unit)
            views.append(PyMemoryView_FromMemory(<char *>tree.arena.base, size, PyBUF_WRITE))
        for i in range(<uint32_t>len(trees) if core.teamed else 0):
            make_known(&core.team.members[i].known, trees[i].get("known"), views)
        make_known(&core.outside, record.get("outside"), views)
        fill(views)
    finally:
        for view in views:
            view.release()
    return 0


cdef int make_known(Known *known, record, list views) except -1:
    cdef uint32_t words
    if record is None:
        return 0
    words = number(record, "words", 0, UINT32)
    if words > known.words.limit:
        raise InvalidOption("memory_mb must be larger for what the threads of the saved Searcher know of each other")
    if words:
        known.words.at = <uint32_t *>malloc(4 * <uint64_t>words)
        if known.words.at == NULL:
            raise MemoryError("no memory for what is known of other trees")
        views.append(PyMemoryView_FromMemory(<char *>known.words.at, 4 * <uint64_t>words, PyBUF_WRITE))
    known.words.used = known.words.room = words
    known.root = number(record, "root", 0, words)
    known.visits = number(record, "visits", 0, MAX_ITERATIONS)
    known.wins = number(record, "wins", 0, 0x7FFFFFFF)
    known.proven = number(record, "proven", 0, 1)
    return 0


cdef int take_trees(SearchCore core, list trees, record, NativeState native, state) except -1:
    """Numbers and checks of trees that have their memory."""
    cdef const char *fault = NULL
    cdef uint32_t i
    for i in range(<uint32_t>len(trees)):
        take_numbers(core, i, trees[i], native, state)
        check_sound(core, i, native, state, True, True, InvalidFile)
        if core.teamed and fault == NULL:
            fault = check_known(tree_of(core, i), &core.team.members[i].known)
    if fault == NULL:
        fault = check_known(core.tree, &core.outside)
    if fault != NULL:
        raise InvalidFile(f"the tree is damaged: {fault.decode()}")
    return 0


cdef int take_numbers(SearchCore core, uint32_t index, record, NativeState native, state) except -1:
    cdef Tree *tree = tree_of(core, index)
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint64_t most = MAX_ITERATIONS // tree.rollouts_per_leaf
    tree.iterations = number(record, "iterations", 0, most)
    tree.reused = number(record, "reused", 0, most - tree.iterations)
    tree.rollouts = number(record, "rollouts", 0, UINT32)
    tree.nodes = number(record, "nodes", 1, UINT32)
    tree.prunes = number(record, "prunes", 0, UINT32)
    tree.dropped = number(record, "dropped", 0, LARGEST)
    tree.depth_max = number(record, "depth_max", 0, UINT32)
    tree.depth_sum = number(record, "depth_sum", 0, LARGEST)
    if core.teamed:
        core.team.members[index].iterations = number(record, "told", 0, most)
    if not tree.guided:
        return 0
    part = entry(record, "guided", dict)
    guided.proof.value = number(part, "value", -1, 2 if guided.options.solver else -1)
    guided.proof.distance = number(part, "distance", 0, UINT32)
    guided.proof.exact = number(part, "exact", 0, 1)
    guided.proof.spent = 0
    guided.proof.move = MCTS_NO_MOVE
    guided.settled = number(part, "settled", 0, 1 if guided.proof.value >= 0 else 0)
    guided.debt = number(part, "debt", 0, LARGEST)
    guided.forgone = number(part, "forgone", 0, most)
    move = part.get("move")
    if move is not None:
        if type(move) is not int or isinstance(native, PythonGame) or move not in state.legal_moves():
            raise InvalidFile(f"the first move of a proof must be legal, got {shorten(move)}")
        guided.proof.move = move
    return 0


cdef int take_search(SearchCore core, record, state, NativeState native) except -1:
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


cdef dict check_sound(SearchCore core, uint32_t index, NativeState native, state, bint whole, bint played, error):
    """Raises ``error`` when a tree is not sound. ``played``: the moves are played down a native game's tree."""
    cdef Tree *tree = tree_of(core, index)
    cdef Findings found
    cdef Rules rules
    cdef const char *fault
    cdef bint reserved = True
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
    with nogil:
        fault = check_tree(tree, &rules, whole, &found)
        free(cursors)
        if fault == NULL and whole:
            reserved = path_reserve(tree, found.depth + 4)
            if tree.guided:
                reserved = reserved and guided_ops.reserve(<GuidedTree *>tree, found.depth + 4, found.widest)
    if fault == NO_MEMORY or not reserved:
        raise MemoryError("no memory for checking the tree")
    if fault != NULL:
        raise error(f"the tree is damaged: {fault.decode()} (record {found.fault})")
    return {
        "units": found.units, "free_units": found.free_units, "bytes": <uint64_t>found.units * tree.arena.unit,
        "nodes": found.nodes, "blocks": found.blocks, "depth": found.depth, "widest": found.widest,
    }


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

def entry(record, name, kind):
    """What a dict has under ``name``, of the type ``kind``, or InvalidFile."""
    value = record.get(name) if type(record) is dict else None
    if type(value) is not kind:
        raise InvalidFile(f"{name} must be there as {kind.__name__}, got {shorten(value)}")
    return value


cdef object number(record, name, low, high):
    value = entry(record, name, int)
    if not low <= value <= high:
        raise InvalidFile(f"{name} must be from {low} to {high}, got {shorten(value)}")
    return value


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
