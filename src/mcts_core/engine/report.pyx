"""What a search found: the move to play, the principal variation, the figures, a line of the log.

It works for every kind of tree, by the operations of ``SearchedTree``: the children of the root as tuples, and a step
from a node to its most visited child.
"""

import sys

from libc.stdint cimport uint32_t
from libc.string cimport memset

from mcts_core.game import imported

from mcts_core.game cimport MCTS_NO_MOVE, mcts_rng_next
from mcts_core.engine.kept cimport PROVEN, figures_by_counts
from mcts_core.engine.searched_tree cimport (CHILD_BOUNDS, CHILD_DISTANCE, CHILD_MOVE, CHILD_PROVEN, CHILD_VALUE,
                                             CHILD_VISITS, CHILD_WINS, LINE, Counts, SearchedTree)
from mcts_core.engine.searched_tree import by_visits_key
from mcts_core.engine.weighted_draw cimport powers_of
from mcts_core.engine.weighted_draw import drawn
from mcts_core.tree.score_bounds cimport EXACT


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
        children = own_visits(tree, children)
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
    children = tree.candidates(own_visits(tree, children))
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
        return tree.best_by(winning, by_distance_key, min)[CHILD_MOVE]
    alive = [child for child in children if child[CHILD_PROVEN] != "loss"]
    if not alive:
        return tree.best_by(children, by_length_key, max)[CHILD_MOVE]
    if proof == 1:
        alive = [child for child in alive if child[CHILD_PROVEN] == "draw"] or alive
    return tree.leader(alive)[CHILD_MOVE]


cdef list own_visits(SearchedTree tree, list children):
    """``children`` with the visits that selection gave each of them for its own sake: they say what it prefers.

    A visit to a proven draw, or with bounds to another closed child, is passed on to a move that may be better, and is
    counted for both. So the children have more visits than the root, by the visits that were passed on; each of the
    moves that are not closed is taken to have its share in them. Without this, the draws divide their visits between
    them, and one bad move has as many as all of them.
    """
    cdef Counts counts
    cdef double visits = 0.0, closed = 0.0, left
    cdef tuple child
    for child in children:
        visits += child[CHILD_VISITS]
        if is_closed_child(child):
            closed += child[CHILD_VISITS]
    if closed == 0.0:
        return children
    memset(&counts, 0, sizeof(counts))
    tree.sum_counts(&counts)
    left = own_share(visits, closed, counts.visits)
    return [child if is_closed_child(child) else (child[CHILD_MOVE], left * child[CHILD_VISITS], *child[CHILD_WINS:])
            for child in children]


cdef double own_share(double visits, double closed, double of_root) noexcept nogil:
    """The share of their visits that moves have for their own sake. ``visits``: of all children, ``closed``: of those
    whose visits are passed on, ``of_root``: of the root."""
    if visits <= of_root or closed >= visits:
        return 1.0
    return max(0.0, 1.0 - (visits - of_root) / (visits - closed))


cdef bint is_closed_child(tuple child):
    """Whether the value of a child is known and it may be the best one for all that: not a loss."""
    cdef tuple bounds = child[CHILD_BOUNDS] if len(child) > CHILD_BOUNDS else None
    return child[CHILD_PROVEN] == "draw" or (
        bounds is not None and child[CHILD_PROVEN] != "loss" and bounds[1] - bounds[0] <= EXACT)


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


cdef list ranked(SearchedTree tree, list children, object move):
    """The most visited first, of equal ones that with the highest value; where chance chooses between moves that are
    equal in both, the move to play is the first of them."""
    cdef list found = sorted(children, key=by_visits_key, reverse=True)
    cdef Py_ssize_t at, first
    if tree.is_ordered():
        return found
    for at in range(len(found)):
        if found[at][CHILD_MOVE] == move:
            first = at
            while first > 0 and by_visits_key(found[first - 1]) == by_visits_key(found[at]):
                first -= 1
            found.insert(first, found.pop(at))
            break
    return found


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
        if proof == 1:  # the root has the longest draw; of draws, the move played may be another one
            distance = next((child[CHILD_DISTANCE] for child in children
                             if child[CHILD_MOVE] == move and child[CHILD_PROVEN] == "draw"), plies)
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
        "moves": ranked(tree, children, move),
        "to_try": tree.moves_to_try(),
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


cdef tuple settled_values(list means, dict known, bint constant):
    cdef double left = max(0.0, 1.0 - sum(known.values()))
    cdef double others = sum([mean for player, mean in enumerate(means) if player not in known])
    cdef Py_ssize_t count = len(means) - len(known)
    if not known or not constant:
        return tuple([known.get(player, mean) for player, mean in enumerate(means)])
    return tuple([known[player] if player in known else left * mean / others if others > 0.0 else left / count
                  for player, mean in enumerate(means)])


cdef dict log_entry(SearchedTree tree):
    global logger, known_levels
    if logger is None:
        if "logging" not in modules:
            return None
        make = imported("logging", "getLogger")
        if make is None:
            return None
        logger = make("mcts_core")
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
