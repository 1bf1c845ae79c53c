"""The top of a search's tree as Python data: for pictures and for reading, not for the search."""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.errors import InvalidOption

from mcts_core.tree.general_tree cimport (GeneralBlock, GeneralTree, carried, ending_values, general_block,
                                          totals_of)
from mcts_core.tree.general_proofs cimport points_for, points_of
from mcts_core.tree.guided_tree cimport GuidedTree
from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.report cimport snapshot_of
from mcts_core.engine.root_rows cimport PROVEN, ChildRow, RootRows, points_within
from mcts_core.engine.stats_snapshot cimport StatsSnapshot
from mcts_core.tree.score_bounds cimport Interval, interval_of
from mcts_core.tree.tree cimport (LINK_KIND, LINK_TERMINAL, NO_VISITS, WIDE_INDEX, Tree, distance_of, is_general,
                                  result_of)
from mcts_core.tree.view cimport BlockView, index_mask, is_block, proof_behind, view_block, view_move


def top(SearchCore core not None, uint32_t number, uint32_t max_depth, double min_share, uint32_t most):
    """The tree of the search ``number``, from its root down to ``max_depth`` moves.

    A node is (move, player who made it, visits, value, proven, distance, list of its children, the most visited first);
    value and proof are those for the player to move at the root. The tree has each child with at least one visit and
    ``min_share`` of the visits of the root, and the move to play in any case. None: the core no longer has that tree.
    Raises InvalidOption for more than ``most`` nodes, SearchBusy.
    """
    cdef StatsSnapshot found
    cdef RootRows rows
    if core.number != number:
        return None
    core.take_to("its tree can be read")
    try:
        if core.number != number:
            return None
        found = snapshot_of(core)
        if found is None:
            return None
        rows = found.ranked()
        children = children_of_root(core.tree, rows, found.move, max_depth,
                                    max(1.0, min_share * <uint32_t>found.counts.visits), most, core.names, core.signs(),
                                    core.mover_of(core.root_now()))
        loose = core.tree == NULL  # nodes by information: what follows a move has no one place in it
        return (None, 0, found.counts.visits, found.value, None if loose else found.proven,
                None if loose or found.proof < 0 else found.plies(rows), children)
    finally:
        core.give()


cdef list children_of_root(const Tree *tree, RootRows rows, object chosen, uint32_t depth, double least, uint32_t most,
                           list names, bint signs, int32_t player):
    cdef Walk walk = Walk()
    walk.tree = tree
    walk.least = least
    walk.room = walk.most = most
    walk.names = names
    walk.signs = signs
    walk.player = player
    return walk.below_root(rows, chosen, depth)


cdef class Walk:
    cdef const Tree *tree        # NULL: nothing hangs below the moves of the root
    cdef double least            # visits that a node needs
    cdef uint32_t room, most     # nodes that may still be made, and in all
    cdef list names
    cdef bint signs
    cdef int32_t player          # to move at the root, as blocks say it

    cdef list below_root(self, RootRows rows, object chosen, uint32_t depth):
        """The children of the root, with the figures of the report."""
        cdef uint32_t slot
        cdef ChildRow *row
        cdef list children = []
        for slot in range(rows.count if depth else 0):
            row = &rows.rows[slot]
            move = rows.name(slot)
            if row.visits >= self.least or move == chosen:
                self.count()
                children.append((move, self.mover(self.player), row.visits, row.value,
                                 PROVEN[row.proven] if row.proven >= 0 else None, row.distance or None,
                                 [] if row.proven >= 0 else self.below(row.link, depth - 1)))
        return children

    cdef list below(self, uint32_t link, uint32_t depth):
        """The children behind a link."""
        cdef BlockView view
        cdef uint32_t slot
        cdef list found = []
        if depth == 0 or not is_block(link):
            return found
        view = view_block(self.tree, link & index_mask(self.tree))
        for slot in range(view.count):
            if view.visits[slot] == NO_VISITS or view.visits[slot] < self.least:
                continue
            self.count()
            own = self.own_value(&view, slot)
            proven, distance = self.proof_of(view.links[slot])
            child = (self.name(view_move(&view, slot)), self.mover(view.sign), view.visits[slot],
                     self.root_value(&view, slot, own), proven, distance,
                     [] if proven else self.below(view.links[slot], depth - 1))
            found.append((view.visits[slot], own, child))
        found.sort(key=most_visited, reverse=True)
        return [child for _, _, child in found]

    cdef int count(self) except -1:
        if self.room == 0:
            raise InvalidOption(f"the top of the tree has more than {self.most:,} nodes: give a larger min_share or a "
                                f"smaller max_depth")
        self.room -= 1
        return 0

    cdef double own_value(self, const BlockView *view, uint32_t slot) noexcept:
        """The value of a child for the player who moves to it; 0 where chance does."""
        if view.wins != NULL:
            return view.wins[slot] / (2.0 * self.tree.wins_per_visit) / view.visits[slot]
        return view.sums[slot] / view.visits[slot] if view.sums != NULL else 0.0

    cdef object root_value(self, const BlockView *view, uint32_t slot, double own):
        """The value of a child for the player to move at the root. None where the tree does not know it: a leaf has a
        value for the player who moves to it only."""
        cdef const GeneralTree *general = <const GeneralTree *>self.tree
        cdef GeneralBlock *block
        cdef uint32_t link = view.links[slot]
        if view.sign == self.player:
            return own
        if not is_general(self.tree):
            return 1.0 - own
        if link & LINK_KIND == LINK_TERMINAL:
            return ending_values(general, link)[self.player]
        if self.signs and view.sign >= 0:
            return 1.0 - own
        if is_block(link):
            block = general_block(general, link & WIDE_INDEX)
            if block.valued:
                value = totals_of(block)[self.player] / block.valued
                return carried(general, block, self.player, value) if general.scored else value
        return None

    cdef tuple proof_of(self, uint32_t link):
        """What is proven for the player to move at the root, and the distance to the end in plies, with this move."""
        cdef uint32_t points, away
        cdef int32_t known
        cdef Interval interval
        if is_general(self.tree) and (<const GeneralTree *>self.tree).bounded and (
                link & LINK_KIND == LINK_TERMINAL or proof_behind(self.tree, link) == 0):
            interval = interval_of(<const GeneralTree *>self.tree, link, self.player)
            known = points_within(interval.low, interval.high)
            if known < 0:
                return None, None
            return PROVEN[known], 1 if link & LINK_KIND == LINK_TERMINAL else None
        if is_general(self.tree):
            if not (<const GeneralTree *>self.tree).options.solver:
                return None, None
            known = points_of(<const GeneralTree *>self.tree, link, &away)
            return (None, None) if known < 0 else (PROVEN[points_for(self.player, known)], away + 1)
        link = proof_behind(self.tree, link)
        if (not link or not ((<const GuidedTree *>self.tree).options.solver or distance_of(link) == 0)):
            return None, None
        points = result_of(link)
        return PROVEN[points if self.player > 0 else 2 - points], distance_of(link) + 1

    cdef object mover(self, int32_t sign):
        """Who made a move, by the game's number of the player, or "chance"."""
        cdef bint numbered = self.tree == NULL or is_general(self.tree)
        if numbered and sign < 0:
            return "chance"
        return 1 - 2 * sign if numbered and self.signs else sign

    cdef object name(self, uint32_t move):
        return move if self.names is None else self.names[move]


def most_visited(row):
    """Orders rows of visits and values by visits, then by value."""
    return row[0], row[1]
