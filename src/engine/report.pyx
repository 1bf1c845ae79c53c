"""What a search found: the move to play, the principal variation, the figures, a line of the log.

It works for every kind of tree, by the operations of ``SearchedTree``: the children of the root as tuples, and a step
from a node to its most visited child.
"""

import sys

from libc.stdint cimport uint32_t
from libc.string cimport memset

from mcts_core.game cimport MCTS_NO_MOVE, mcts_rng_next
from mcts_core.engine.kept cimport PROVEN, figures_by_counts
from mcts_core.engine.searched_tree cimport (CHILD_DISTANCE, CHILD_MOVE, CHILD_PROVEN, CHILD_VALUE, CHILD_VISITS, LINE,
                                             Counts, SearchedTree)
from mcts_core.engine.searched_tree import by_visits_key
from mcts_core.engine.weighted_draw cimport powers_of
from mcts_core.engine.weighted_draw import drawn


cdef enum:
    DEBUG = 10

cdef dict modules = sys.modules
cdef object logger = None  # that of this name, once the program has imported logging
cdef dict known_levels = {}  # what it knows of its levels: False where isEnabledFor would say so, which takes 100 ns


cdef object final_move(SearchedTree tree):
    cdef list children, line = tree.kept_line()
    cdef double temperature = tree.settings.temperature
    cdef uint32_t move
    if line is not None:
        return line[0]
    if temperature <= 0 and tree.is_clear(&move):
        return tree.name(move)
    children = tree.root_children()
    if temperature > 0 and not tree.is_proven():
        children = [child for child in children if child[CHILD_PROVEN] != "loss"]
        return drawn([child[CHILD_MOVE] for child in children],
                     powers_of([child[CHILD_VISITS] for child in children], 1.0 / temperature),
                     mcts_rng_next(tree.random()))
    return best_move(tree, children)


cdef object best_move(SearchedTree tree, list children):
    """The shortest proven win, else the longest proven loss, else by visits or by value."""
    cdef uint32_t distance, first
    cdef int proof
    cdef list winning, alive
    children = tree.candidates(children)
    if not tree.settings.proves:
        # a move that wins at once takes precedence, even over a more visited one
        winning = tree.winning_moves()
        if winning:
            children = [child for child in children if child[CHILD_MOVE] in winning]
        return tree.leader(children)[CHILD_MOVE]
    proof = tree.proof(&distance, &first)
    if proof >= 0 and first != MCTS_NO_MOVE:
        return tree.name(first)
    winning = [child for child in children if child[CHILD_PROVEN] == "win"]
    if winning:
        return min(winning, key=by_distance_key)[CHILD_MOVE]
    alive = [child for child in children if child[CHILD_PROVEN] != "loss"]
    if not alive:
        return max(children, key=by_length_key)[CHILD_MOVE]
    if proof == 1:
        alive = [child for child in alive if child[CHILD_PROVEN] == "draw"] or alive
    return tree.leader(alive)[CHILD_MOVE]


cdef list principal_variation(SearchedTree tree, object first):
    """The move to play, then the most visited one of every node below that has statistics of its children."""
    cdef uint32_t link = tree.link_of(first), move
    cdef list moves = [first]
    while tree.best_child(&link, &move):
        moves.append(tree.name(move))
    return moves


cdef list found_line(SearchedTree tree, object move, int proof):
    cdef list kept
    if tree.line is None:
        kept = tree.kept_line()
        tree.line = principal_variation(tree, move) if kept is None else kept[:LINE]
        if proof >= 0:
            tree.line = tree.extended(tree.line)
    return tree.line


cdef dict figures_of(SearchedTree tree):
    cdef Counts counts
    cdef uint32_t plies, first
    cdef int proof
    if not tree.has_result():
        return None
    memset(&counts, 0, sizeof(counts))
    tree.sum_counts(&counts)
    children = tree.root_children()
    kept = tree.kept_line()
    move = tree.move if tree.finished else kept[0] if kept is not None else best_move(tree, children)
    proof = tree.proof(&plies, &first)
    bounds = tree.bounds()
    proven = distance = None
    value = expected_value(tree, proof)
    if proof >= 0:
        proven, distance = PROVEN[proof], plies
    elif bounds is not None and tree.is_proven():
        proven = proven_by(bounds)
    if not tree.finished:
        line = principal_variation(tree, move) if kept is None else kept[:LINE]
    else:
        line = found_line(tree, move, proof)
    return figures_by_counts(&counts) | {
        "move": move,
        "value": value,
        "values": tree.values(),
        "scale": tree.scale(),
        "line_value": tree.line_value(),
        "bounds": bounds,
        "moves": sorted(children, key=by_visits_key, reverse=True),
        "pv": list(line),
        "seconds": tree.seconds,
        "bytes": tree.used or counts.bytes,
        "stop_reason": tree.stop_reason,
        "proven": proven,
        "distance": distance,
        "overshoot": tree.overshoot,
        "seed": tree.seed,
        "threads": tree.busy,
        "isa": tree.isa,
        "book": bool(tree.by_book()),
        "state": tree.state,
        "number": tree.number,
    }


cdef double expected_value(SearchedTree tree, int proof):
    cdef tuple bounds = None if proof >= 0 or not tree.is_proven() else tree.bounds()
    return proof / 2.0 if proof >= 0 else tree.value() if bounds is None else sum(bounds) / 2.0


cdef object proven_by(tuple bounds):
    return "win" if bounds[0] >= 1.0 else "loss" if bounds[1] <= 0.0 else None


cdef dict log_entry(SearchedTree tree):
    global logger, known_levels
    if logger is None:
        if "logging" not in modules:
            return None
        logger = modules["logging"].getLogger("mcts_core")
        known_levels = getattr(logger, "_cache", {})  # logging clears it in place when a level changes
    if known_levels.get(DEBUG) is False or not logger.isEnabledFor(DEBUG):
        return None
    figures = figures_of(tree)
    value, = [child[CHILD_VALUE] for child in figures["moves"] if child[CHILD_MOVE] == figures["move"]]
    return {"move": figures["move"], "value": value, "iterations": figures["iterations"],
            "seconds": figures["seconds"], "stop_reason": figures["stop_reason"]}


cdef int log(dict entry) except -1:
    logger.debug("move %s, value %.3f, %d iterations in %.6f s, stopped by %s", *entry.values(), extra=entry)
    return 0


def by_distance_key(child):
    """Orders proven wins: the shortest one first, the most visited of these."""
    return child[CHILD_DISTANCE] is None, child[CHILD_DISTANCE] or 0, -child[CHILD_VISITS]


def by_length_key(child):
    """Orders proven losses: the longest one last, the most visited of these."""
    return child[CHILD_DISTANCE] is not None, child[CHILD_DISTANCE] or 0, child[CHILD_VISITS]
