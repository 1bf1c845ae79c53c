"""The top of a search's tree as Python data: for pictures and for reading, not for the search."""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.errors import InvalidOption, SearchBusy

from mcts_core.tree.guided_tree cimport GuidedBlock, GuidedColumns, distance_of, guided_columns, result_of
from mcts_core.engine.searched_two_player cimport TwoPlayerCore as SearchCore
from mcts_core.tree.plain_tree cimport (LINK_BLOCK, LINK_KIND, LINK_TERMINAL, NO_VISITS, WIDE_INDEX, Columns, Tree,
                                        WideBlock, columns_at, index_of, info_word, move_at, record_at)


cdef tuple PROVEN = ("loss", "draw", "win")  # by half-points


cdef struct Block:
    uint32_t count
    int32_t sign                 # of the player to move
    const uint32_t *visits
    const int32_t *wins              # in half-points for that player
    const uint32_t *links


def top(SearchCore core not None, uint32_t number, uint32_t max_depth, double min_share, uint32_t most):
    """The tree of the search ``number``, from its root down to ``max_depth`` moves.

    A node is (move, player who made it, visits, value, proven, distance, list of its children, the most visited first),
    all but the player for the player to move at the root. A child is there with at least one visit and ``min_share`` of
    those of the root; so is the move to play. None: the core does not have that tree any more. Raises InvalidOption
    for more than ``most`` nodes, SearchBusy.
    """
    if not core.take():
        if core.number != number:
            return None
        if core.is_own():
            raise SearchBusy("this Searcher is searching; its tree can be read afterwards")
        raise SearchBusy("this Searcher is searching in another thread; its tree can be read afterwards")
    try:
        if core.number != number:
            return None
        figures = core.snapshot()
        if figures is None:
            return None
        walk = Walk()
        walk.core = core
        walk.least = max(1.0, min_share * <uint32_t>figures["visits"])
        walk.room = walk.most = most
        return (None, 0, figures["visits"], figures["value"], figures["proven"], figures["distance"],
                walk.below_root(figures["moves"], figures["move"], max_depth))
    finally:
        core.lock.release()


cdef class Walk:
    cdef SearchCore core
    cdef double least            # visits that a node needs
    cdef uint32_t room, most     # nodes that may still be made, and in all

    cdef list below_root(self, list moves, object chosen, uint32_t depth):
        """The children of the root, as the statistics have them."""
        cdef uint32_t link, slot
        cdef int32_t sign = self.core.tree.root_sign
        cdef Block block
        cdef dict links = {}
        cdef list children = []
        if depth == 0:
            return children
        link = self.block_at(LINK_BLOCK).links[0]  # block 0 stands above the root
        if link & LINK_KIND == LINK_BLOCK:
            block = self.block_at(link)
            for slot in range(block.count):
                if block.visits[slot] != NO_VISITS:
                    links[self.move_in(link, slot)] = block.links[slot]
        for move, visits, _, value, proven, distance in moves:
            if visits >= self.least or move == chosen:
                self.count()
                children.append((move, sign, visits, value, proven, distance,
                                 self.below(links.get(move, 0), depth - 1)))
        return children

    cdef list below(self, uint32_t link, uint32_t depth):
        """The children behind a link."""
        cdef Block block
        cdef uint32_t slot
        cdef int32_t root = self.core.tree.root_sign
        cdef double value
        cdef list found = []
        if depth == 0 or link & LINK_KIND != LINK_BLOCK:
            return found
        block = self.block_at(link)
        for slot in range(block.count):
            if block.visits[slot] == NO_VISITS or block.visits[slot] < self.least:
                continue
            self.count()
            value = block.wins[slot] / (2.0 * self.core.tree.rollouts_per_leaf) / block.visits[slot]
            proven, distance = self.proof_of(block.links[slot])
            child = (self.move_in(link, slot), block.sign, block.visits[slot],
                     value if block.sign == root else 1.0 - value, proven, distance,
                     self.below(block.links[slot], depth - 1))
            found.append((block.visits[slot], value, child))
        found.sort(key=by_visits_key, reverse=True)
        return [child for _, _, child in found]

    cdef int count(self) except -1:
        if self.room == 0:
            raise InvalidOption(f"the top of the tree has more than {self.most:,} nodes: give a larger min_share or a "
                                f"smaller max_depth")
        self.room -= 1
        return 0

    cdef tuple proof_of(self, uint32_t link):
        """What is proven for the player to move at the root, and the plies to the end, the move itself included."""
        cdef uint32_t points
        if (not self.core.settings.guided or link & LINK_KIND != LINK_TERMINAL
                or not (self.core.settings.options.solver or distance_of(link) == 0)):
            return None, None
        points = result_of(link)
        return PROVEN[points if self.core.tree.root_sign > 0 else 2 - points], distance_of(link) + 1

    cdef object move_in(self, uint32_t link, uint32_t slot):
        cdef Tree *tree = self.core.tree
        if self.core.settings.guided:
            return self.core.name(self.guided_at(link).moves[slot])
        return self.core.name(move_at(tree, columns_at(tree, index_of(tree, link)), slot))

    cdef GuidedColumns guided_at(self, uint32_t link) noexcept:
        return guided_columns(self.core.guided, <GuidedBlock *>record_at(self.core.tree, link & WIDE_INDEX))

    cdef Block block_at(self, uint32_t link) noexcept:
        """The block behind a link of either tree."""
        cdef Tree *tree = self.core.tree
        cdef Block block
        cdef Columns columns
        cdef GuidedColumns guided
        if self.core.settings.guided:
            guided = self.guided_at(link)
            block.count, block.visits, block.wins, block.links = guided.count, guided.visits, guided.wins, guided.links
            block.sign = (<GuidedBlock *>record_at(tree, link & WIDE_INDEX)).sign
            return block
        columns = columns_at(tree, index_of(tree, link))
        block.count, block.visits, block.wins, block.links = columns.count, columns.visits, columns.wins, columns.links
        if tree.narrow:
            block.sign = <int32_t>((<uint32_t *>record_at(tree, index_of(tree, link)))[info_word(tree.narrow)] & 2) - 1
        else:
            block.sign = (<WideBlock *>record_at(tree, index_of(tree, link))).sign
        return block


def by_visits_key(child):
    """Orders children by visits, then by value."""
    return child[0], child[1]
