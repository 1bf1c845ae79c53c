"""A tree of any layout, with what it has told and heard, as numbers and bytes, and a tree made from these again.

A tree is links and numbers, so its memory is stored as it is.
"""

import math

from cpython.buffer cimport PyBUF_READ, PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport malloc

from mcts_core.errors import InvalidFile, InvalidOption
from mcts_core.arguments import shorten

from mcts_core.arena cimport arena_grow
from mcts_core.tree.compaction cimport compact
from mcts_core.tree.exchange cimport Known, forget_gone
from mcts_core.game cimport MCTS_NO_MOVE
from mcts_core.tree.general_tree cimport LARGEST_SUM, GeneralOps, GeneralTree
from mcts_core.tree.guided_tree cimport GuidedOps, GuidedTree
from mcts_core.tree.check_walk cimport CheckRules, Findings
from mcts_core.tree.check cimport NO_MEMORY, check_known, check_tree
from mcts_core.tree.tree cimport MAX_ITERATIONS, Tree, is_general, is_guided


cdef uint64_t UINT32 = 0xFFFFFFFF
cdef uint64_t LARGEST = <uint64_t>1 << 62


# ---- taken apart -----------------------------------------------------------------------------------------------------

cdef inline uint64_t used_bytes(const Tree *tree) noexcept nogil:
    return <uint64_t>tree.arena.top * tree.arena.unit


cdef int move_together(Tree *tree) except -1:
    """Compacts the tree. The result of the last search stays as it is, but exact search forgets what it keeps."""
    cdef uint32_t nodes = tree.nodes
    cdef bint done
    with nogil:
        done = compact(tree, tree.arena.top)
    if not done:
        raise MemoryError("no memory to compact the tree")
    tree.nodes = nodes  # as that search has counted them
    if is_guided(tree):
        (<const GuidedOps *>tree.ops).forget_prover(<GuidedTree *>tree)
    if is_general(tree):
        (<const GeneralOps *>tree.ops).forget_prover(<GeneralTree *>tree)
    return 0


cdef object memory_of(Tree *tree):
    """The records of a tree that was moved together, read-only; to be released before the tree changes."""
    return PyMemoryView_FromMemory(<char *>tree.arena.base, used_bytes(tree), PyBUF_READ)


cdef dict numbers_of(const Tree *tree):
    """What is not in the records, as JSON data."""
    cdef const GuidedTree *guided = <const GuidedTree *>tree
    record = {
        "bytes": used_bytes(tree), "iterations": tree.iterations, "rollouts": tree.rollouts, "nodes": tree.nodes,
        "reused": tree.reused, "prunes": tree.prunes, "dropped": tree.dropped, "depth_max": tree.depth_max,
        "depth_sum": tree.depth_sum,
    }
    if is_guided(tree):
        record["guided"] = {
            "value": tree.proof.value, "distance": tree.proof.distance, "exact": tree.proof.exact,
            "move": None if tree.proof.move == MCTS_NO_MOVE else tree.proof.move, "settled": tree.settled,
            "root_proofs_due": guided.root_proofs_due + guided.following_due, "proof_iterations": tree.proof_iterations,
            "book": guided.by_book,
        }
        if tree.proof.value < 0:
            record["guided"].update(distance=0, exact=0, move=None)
    if is_general(tree) and (<const GeneralTree *>tree).scored:
        record["low"] = [(<const GeneralTree *>tree).low[player] for player in range(players_of(tree))]
        record["high"] = [(<const GeneralTree *>tree).high[player] for player in range(players_of(tree))]
    if is_general(tree) and (<const GeneralTree *>tree).bounded:
        record["bounds"] = {"settled": tree.settled,
                            "move": None if tree.proof.move == MCTS_NO_MOVE else tree.proof.move}
    if is_general(tree) and tree.proof.value >= 0:
        record["proof"] = {"value": tree.proof.value, "distance": tree.proof.distance}
    return record


cdef inline uint32_t players_of(const Tree *tree) noexcept nogil:
    return (<const GeneralTree *>tree).players


cdef int take_range(GeneralTree *general, record) except -1:
    """The lowest and highest values that the search of a scored game has seen."""
    for name in ("low", "high"):
        bounds = entry(record, name, list)
        if len(bounds) != general.players or not all(type(bound) is float and abs(bound) <= LARGEST_SUM
                                                     for bound in bounds):
            raise InvalidFile(f"{name} must be a number for each player, got {shorten(bounds)}")
        for player, bound in enumerate(bounds):
            if name == "low":
                general.low[player] = bound
            else:
                general.high[player] = bound
    return 0


cdef dict known_record(const Tree *tree, Known *known, list views):
    """What a tree has told and heard, without blocks that are gone; None: nothing."""
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
    record = {
        "words": known.words.used, "root": known.root, "visits": known.visits, "wins": known.wins,
        "proven": known.proven,
    }
    if is_general(tree):
        record.update(valued=known.valued,
                      totals=[known.totals[player] for player in range((<const GeneralTree *>tree).players)])
    return record


# ---- put together ----------------------------------------------------------------------------------------------------

cdef object room_of(Tree *tree, record, uint64_t memory, uint32_t threads):
    """Room for the records of a tree, to be filled and released. ``memory``, ``threads``: for the message when there is
    not enough."""
    cdef uint64_t size = number(record, "bytes", tree.arena.unit, LARGEST)
    cdef bint too_large
    if size % tree.arena.unit:
        raise InvalidFile(f"the memory of a tree must be a multiple of {tree.arena.unit} bytes, got {size}")
    too_large = size // tree.arena.unit > tree.arena.limit
    if too_large and (tree.arena.reserved >= size or size > memory // threads):
        raise InvalidOption(f"memory_mb must be larger for a tree that takes {size / 1048576.0:.1f} MB, "
                            f"got {memory / 1048576.0:g} for {threads} thread{'s' if threads > 1 else ''}")
    if too_large or (size > tree.arena.committed and not arena_grow(&tree.arena, size)):
        raise MemoryError(f"no memory for a search tree of {size / 1048576.0:.1f} MB: the system gave less")
    tree.arena.top = <uint32_t>(size // tree.arena.unit)
    return PyMemoryView_FromMemory(<char *>tree.arena.base, size, PyBUF_WRITE)


cdef int take_numbers(Tree *tree, record, list legal) except -1:
    """``legal``: the moves that a proof of the root may begin with, None: it cannot have one."""
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint64_t most = tree.most_visits
    tree.iterations = number(record, "iterations", 0, most)
    tree.reused = number(record, "reused", 0, most - tree.iterations)
    tree.rollouts = number(record, "rollouts", 0, UINT32)
    tree.nodes = number(record, "nodes", 0, UINT32)  # 0: the tree of a thread that was stopped at once
    tree.prunes = number(record, "prunes", 0, UINT32)
    tree.dropped = number(record, "dropped", 0, LARGEST)
    tree.depth_max = number(record, "depth_max", 0, UINT32)
    tree.depth_sum = number(record, "depth_sum", 0, LARGEST)
    if is_general(tree):
        (<GeneralTree *>tree).last_ending = 0
        if (<GeneralTree *>tree).scored:
            take_range(<GeneralTree *>tree, record)
        if (<GeneralTree *>tree).bounded:
            part = entry(record, "bounds", dict)
            tree.settled = number(part, "settled", 0, 1)
            if part.get("move") is not None:
                tree.proof.move = number(part, "move", 0, UINT32)
        elif "bounds" in record:
            raise InvalidFile("the tree has score bounds, which these options have not")
        if "proof" in record:
            take_proof(<GeneralTree *>tree, entry(record, "proof", dict))
    if not is_guided(tree):
        return 0
    part = entry(record, "guided", dict)
    tree.proof.value = number(part, "value", -1, 2 if guided.options.solver else -1)
    tree.proof.distance = number(part, "distance", 0, UINT32)
    tree.proof.exact = number(part, "exact", 0, 1)
    tree.proof.spent = 0
    tree.proof.move = MCTS_NO_MOVE
    tree.settled = number(part, "settled", 0, 1 if tree.proof.value >= 0 else 0)
    guided.root_proofs_due = number(part, "root_proofs_due", 0, LARGEST)
    tree.proof_iterations = number(part, "proof_iterations", 0, most)
    guided.by_book = number(part, "book", 0, 1)
    move = part.get("move")
    if move is not None:
        if type(move) is not int or legal is None or move not in legal:
            raise InvalidFile(f"the first move of a proof must be legal, got {shorten(move)}")
        tree.proof.move = move
    return 0


cdef int take_proof(GeneralTree *general, part) except -1:
    general.tree.proof.value = number(part, "value", 0, 2 if general.options.solver else -1)
    general.tree.proof.distance = number(part, "distance", 0, UINT32)
    general.tree.settled = 1
    return 0


cdef int make_known(const Tree *tree, Known *known, record, list views) except -1:
    cdef uint32_t words
    if record is None:
        return 0
    words = number(record, "words", 0, UINT32)
    if words > known.words.limit:
        raise InvalidOption("memory_mb must be larger: the threads of the saved Searcher need memory for their "
                            "exchange")
    if words:
        known.words.at = <uint32_t *>malloc(4 * <uint64_t>words)
        if known.words.at == NULL:
            raise MemoryError("no memory for the exchange between threads")
        views.append(PyMemoryView_FromMemory(<char *>known.words.at, 4 * <uint64_t>words, PyBUF_WRITE))
    known.words.used = known.words.room = words
    known.root = number(record, "root", 0, words)
    known.visits = number(record, "visits", 0, MAX_ITERATIONS)
    known.wins = number(record, "wins", 0, 0x7FFFFFFF)
    known.proven = number(record, "proven", 0, 1)
    if is_general(tree):
        totals = entry(record, "totals", list)
        if len(totals) != (<const GeneralTree *>tree).players:
            raise InvalidFile(f"totals must be one number for each player, got {shorten(totals)}")
        known.valued = number(record, "valued", 0, MAX_ITERATIONS)
        for player, total in enumerate(totals):
            if type(total) is not float or not math.isfinite(total):
                raise InvalidFile(f"totals must be finite numbers, got {shorten(total)}")
            known.totals[player] = total
    return 0


cdef dict check_sound(Tree *tree, const CheckRules *rules, bint whole, error):
    """What the check of a tree has found; raises ``error`` when it is not sound. ``whole``: it was put together just
    now, so that memory for the next search is reserved as well."""
    cdef Findings found
    cdef const char *fault
    cdef bint reserved = True
    with nogil:
        fault = check_tree(tree, rules, whole, &found)
        if fault == NULL and whole:
            reserved = tree.ops.reserve(tree, found.depth + 4, found.widest)
    if fault == NO_MEMORY or not reserved:
        raise MemoryError("no memory for checking the tree")
    if fault != NULL:
        raise error(f"the tree is damaged: {fault.decode()} (record {found.fault})")
    return {
        "units": found.units, "free_units": found.free_units, "bytes": <uint64_t>found.units * tree.arena.unit,
        "nodes": found.nodes, "blocks": found.blocks, "depth": found.depth, "widest": found.widest,
    }


# ---- plain data ------------------------------------------------------------------------------------------------------

cpdef object entry(record, name, kind):
    """What a dict has under ``name``, of the type ``kind``, or InvalidFile."""
    value = record.get(name) if type(record) is dict else None
    if type(value) is not kind:
        raise InvalidFile(f"{name} must be there as {kind.__name__}, got {shorten(value)}")
    return value


cpdef object number(record, name, low, high):
    """What a dict has under ``name``, an int in this range, or InvalidFile."""
    value = entry(record, name, int)
    if not low <= value <= high:
        raise InvalidFile(f"{name} must be from {low} to {high}, got {shorten(value)}")
    return value
