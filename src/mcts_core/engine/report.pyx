"""What a search found: the move to play, the principal variation, the figures, a line of the log.

It works for every kind of tree, by the operations of ``SearchedTree``: the rows of the root, and a step from a node to
its most visited child.
"""

import sys
from weakref import ref

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.game import imported

from mcts_core.game cimport MCTS_NO_MOVE, mcts_rng_next
from mcts_core.engine.root_rows cimport DRAW, LONGEST, LOSS, PROVEN, SHORTEST, WIN, RootRows, points_within
from mcts_core.engine.searched_tree cimport LINE, Counts, SearchedTree
from mcts_core.engine.stats_snapshot cimport StatsSnapshot, is_plain_board
from mcts_core.engine.weighted_draw cimport powers_of
from mcts_core.engine.weighted_draw import drawn


cdef enum:
    DEBUG = 10

cdef dict modules = sys.modules
cdef object logger = None  # that of this name, once the program has imported logging
cdef dict known_levels = {}  # what it knows of its levels: False where isEnabledFor would say so, which takes 100 ns


cdef object final_move(SearchedTree tree):
    cdef RootRows rows
    cdef list line = tree.kept_line()
    cdef double temperature = tree.settings.temperature
    cdef uint32_t move, i
    if line is not None:
        return line[0]
    if temperature <= 0 and tree.is_clear(&move):
        return tree.name(move)
    rows = tree.root_rows()
    if temperature > 0 and not tree.is_proven():
        rows.share_out(visits_of(tree))
        rows.narrow(LOSS, False)
        alive = [i for i in range(rows.count) if not rows.rows[i].out]
        return drawn([rows.name(i) for i in alive],
                     powers_of([rows.own_visits(&rows.rows[i]) for i in alive], 1.0 / temperature),
                     mcts_rng_next(tree.random()))
    return best_move(tree, rows)


cdef object best_move(SearchedTree tree, RootRows rows):
    """The shortest proven win, else the longest proven loss, else by visits or by value."""
    cdef uint32_t distance, first, i
    cdef int proof
    cdef list winning
    rows.share_out(visits_of(tree))
    tree.leave_out(rows)
    if not tree.settings.proves:
        # a move that wins at once takes precedence, even over a more visited one
        winning = tree.winning_moves()
        for i in range(rows.count if winning else 0):
            rows.rows[i].out = rows.rows[i].out or rows.name(i) not in winning
        return rows.name(tree.leader(rows))
    proof = tree.proof(&distance, &first)
    if proof >= 0 and first != MCTS_NO_MOVE:
        return tree.name(first)
    if rows.narrow(WIN, True):
        return rows.name(rows.best(SHORTEST, tree.lot()))
    if not rows.narrow(LOSS, False):
        return rows.name(rows.best(LONGEST, tree.lot()))
    if proof == DRAW:
        rows.narrow(DRAW, True)
    return rows.name(tree.leader(rows))


cdef uint64_t visits_of(SearchedTree tree) except? 0:
    """Visits of the root."""
    cdef Counts counts
    memset(&counts, 0, sizeof(counts))
    tree.sum_counts(&counts)
    return counts.visits


cdef list principal_variation(SearchedTree tree, object first):
    """The move to play, then the most visited one of every node below that has statistics of its children."""
    cdef uint32_t link = tree.link_of(first), move
    cdef list moves = [first]
    while tree.best_child(&link, &move):
        moves.append(tree.name(move))
    return moves


cdef list found_line(SearchedTree tree, object move, int proof):
    cdef list kept, line = tree.line if tree.finished else None
    if line is None:
        kept = tree.kept_line()
        line = principal_variation(tree, move) if kept is None else kept[:LINE]
        if tree.finished:
            tree.line = line = tree.extended(line) if proof >= 0 else line
    return line


cdef StatsSnapshot snapshot_of(SearchedTree tree):
    cdef StatsSnapshot found
    cdef uint32_t first
    cdef int points = -1
    cdef list kept
    if not tree.has_result():
        return None
    found = StatsSnapshot.__new__(StatsSnapshot)
    memset(&found.counts, 0, sizeof(found.counts))
    tree.sum_counts(&found.counts)
    found.state, found.core = tree.state, ref(tree)
    found.light = tree.finished and is_plain_board(tree.state)
    found.rows = tree.read_rows() if found.light else tree.root_rows()
    found.ordered, found.to_try = tree.is_ordered(), tree.moves_to_try()
    kept = tree.kept_line()
    found.move = tree.move if tree.finished else kept[0] if kept is not None else best_move(tree, found.rows)
    found.proof = points = tree.proof(&found.distance, &first)
    found.line = tuple(found_line(tree, found.move, found.proof))
    found.value, found.values = expected_value(tree, found.proof), tree.values()
    found.scale, found.line_value, found.bounds = tree.scale(), tree.line_value(), tree.bounds()
    if points < 0 and found.bounds is not None and tree.is_proven():
        points = points_within(found.bounds[0], found.bounds[1])
    found.proven = PROVEN[points] if points >= 0 else None
    found.stop_reason, found.isa = tree.stop_reason, tree.isa
    found.seconds, found.overshoot = tree.seconds, tree.overshoot
    found.bytes = tree.used or found.counts.bytes
    found.seed, found.number, found.threads, found.book = tree.seed, tree.number, tree.busy, tree.by_book()
    return found


cdef double expected_value(SearchedTree tree, int proof):
    cdef tuple bounds = None if proof >= 0 or not tree.is_proven() else tree.bounds()
    return proof / 2.0 if proof >= 0 else tree.value() if bounds is None else sum(bounds) / 2.0


cdef tuple settled_values(list means, dict known, bint constant):
    cdef double left = max(0.0, 1.0 - sum(known.values()))
    cdef double others = sum([mean for player, mean in enumerate(means) if player not in known])
    cdef Py_ssize_t count = len(means) - len(known)
    if not known or not constant:
        return tuple([known.get(player, mean) for player, mean in enumerate(means)])
    return tuple([known[player] if player in known else left * mean / others if others > 0.0 else left / count
                  for player, mean in enumerate(means)])


cdef dict log_entry(SearchedTree tree):
    cdef StatsSnapshot found
    cdef RootRows rows
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
    found = snapshot_of(tree)
    rows = found.ranked()
    return {"move": found.move, "value": rows.rows[rows.find(found.move)].value, "iterations": found.counts.iterations,
            "seconds": found.seconds, "stop_reason": found.stop_reason}


cdef int log(dict entry) except -1:
    logger.debug("move %s, value %.3f, %d iterations in %.6f s, stopped by %s", *entry.values(), extra=entry)
    return 0
