"""What the tree of a search says: the moves of its root, the one to play, the principal variation, the figures."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.errors import GameError, SearchBusy

from mcts_core.game cimport MCTS_NO_MOVE, mcts_game, mcts_proof
from mcts_core.tree.guided_tree cimport *
from mcts_core.games.python_game cimport PythonGame
from mcts_core.engine.turn cimport SearchTurn
from mcts_core.engine.team cimport Member
from mcts_core.tree.plain_tree cimport *
from mcts_core.tree.view cimport has_root, view_block


cdef extern from "kernels/platform.h" nogil:
    uint32_t mcts_published(const uint32_t *number)


cdef enum:
    LINE_UNITS = 4096    # of exact search for each move of a proven line

cdef int64_t SURE = 0x7FFFFFFFFFFFFFFF  # a lead that nothing overtakes

cdef tuple PROVEN = ("loss", "draw", "win")  # by half-points


cdef class SearchedTree(SearchTurn):
    """A search's trees, with what it reads off them. ``SearchCore`` grows them."""

    cdef uint32_t width(self) noexcept nogil:
        """The number of threads that the search has."""
        return self.team.count if self.teamed else 1

    cdef object name(self, uint32_t move):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).move_of(move)
        return move

    @property
    def names(self):
        """What the numbers of moves in ``tell`` and ``hear`` stand for, as a list, where the game is a user's, who
        names moves; else None. The numbers of another search differ."""
        return list((<PythonGame>self.native).user.moves) if isinstance(self.native, PythonGame) else None

    cdef list legal_moves(self):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).root_moves
        return self.state.legal_moves()

    cdef list root_children(self):
        """(move, visits, wins, value, proven, distance) of every legal move of the root, in the order of its slots."""
        if self.settings.guided:
            return self.guided_children()
        return self.plain_children()

    cdef list guided_children(self):
        cdef GuidedTree *guided = self.guided
        cdef GuidedBlock *block = guided_root(guided)
        cdef GuidedColumns columns
        cdef uint32_t slot, link
        cdef dict known = {}
        cdef str rest = None
        cdef int sign = self.tree.root_sign
        if block != NULL:
            columns = guided_columns(guided, block)
            for slot in range(columns.count):
                visits, wins = columns.visits[slot], columns.wins[slot] / (2.0 * self.tree.rollouts_per_leaf)
                value = wins / visits if visits else 0.5
                proven = distance = None
                link = columns.links[slot]
                if link & LINK_KIND == LINK_TERMINAL and (guided.options.solver or distance_of(link) == 0):
                    proven = PROVEN[result_of(link) if sign > 0 else 2 - result_of(link)]
                    distance = distance_of(link) + 1
                known[self.name(columns.moves[slot])] = (visits, wins, value, proven, distance)
            # moves that the game left out lose, unless it only left them out because another one wins
            if guided.options.solver and not block.flags & BLOCK_INCOMPLETE and guided.proof.value != 2:
                rest = "loss"
        children = []
        for move in self.legal_moves():
            if move in known:
                children.append((move, *known.pop(move)))
            else:
                children.append((move, 0, 0.0, 0.5, rest, block.rest + 1 if rest else None))
        if known:
            raise GameError(f"{type(self.state).__name__} gave different moves for the same position")
        return children

    cdef list plain_children(self):
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot, tried
        cdef int sign = self.tree.root_sign
        cdef Columns columns
        cdef list children = []
        if link & LINK_KIND == LINK_BLOCK:
            columns = columns_at(self.tree, index_of(self.tree, link))
            for slot in range(columns.count):
                if columns.visits[slot] != NO_VISITS:
                    move = self.name(move_at(self.tree, columns, slot))
                    visits, wins = columns.visits[slot], columns.wins[slot] / (2.0 * self.tree.rollouts_per_leaf)
                    children.append((move, visits, wins, wins / visits, None, None))
            return children
        for index, move in enumerate(self.legal_moves()):
            slot = move if self.tree.fixed_moves else index
            if link & LINK_KIND == LINK_MINI:
                tried = mini_result(self.tree, <Mini *>record_at(self.tree, link & WIDE_INDEX), slot)
            else:
                tried = leaf_result(link, slot)
            if tried:
                points = tried - 1 if sign > 0 else 2 * self.tree.rollouts_per_leaf - (tried - 1)
                wins = points / (2.0 * self.tree.rollouts_per_leaf)
                children.append((move, 1, wins, wins, None, None))
            else:
                children.append((move, 0, 0.0, 0.5, None, None))
        return children

    cdef object choose(self, list children):
        """The move to play: the shortest proven win, else the longest proven loss, else by visits or by value."""
        key = by_value_key if self.settings.by_value else by_visits_key
        if self.settings.guided:
            if self.guided.proof.value >= 0 and self.guided.proof.move != MCTS_NO_MOVE:
                return self.name(self.guided.proof.move)
            winning = [child for child in children if child[4] == "win"]
            if winning:
                return min(winning, key=lambda child: (child[5], -child[1]))[0]
            alive = [child for child in children if child[4] != "loss"]
            if not alive:
                return max(children, key=lambda child: (child[5], child[1]))[0]
            if self.guided.proof.value == 1:
                alive = [child for child in alive if child[4] == "draw"] or alive
            return max(alive, key=key)[0]
        # a move that wins at once is played, also where another one wins as surely but later
        at_once = self.winning_moves()
        return max([child for child in children if child[0] in at_once] or children, key=key)[0]

    cdef list winning_moves(self):
        """The moves of the root that are known to end the game with a win for the player to move."""
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef Columns columns
        if link & LINK_KIND != LINK_BLOCK:
            return []
        columns = columns_at(self.tree, index_of(self.tree, link))
        return [self.name(move_at(self.tree, columns, slot)) for slot in range(columns.count)
                if columns.links[slot] == LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)]

    cdef int64_t lead(self) noexcept nogil:
        """By how many visits the move that would be played is ahead of the others that may be; -1: not known.

        Where no value is proven but by the rules, and the move is chosen by visits.
        """
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef uint32_t *visits
        cdef uint32_t *links
        cdef uint32_t count, win = LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign), loss = win ^ 2
        cdef bint winning = False
        cdef int64_t first = -1, second = -1
        cdef Columns columns
        cdef GuidedColumns guided
        cdef GuidedBlock *block
        if self.settings.guided:
            block = guided_root(self.guided)
            if block == NULL:
                return -1
            guided = guided_columns(self.guided, block)
            count, visits, links = guided.count, guided.visits, guided.links
        else:
            if link & LINK_KIND != LINK_BLOCK:
                return -1
            columns = columns_at(self.tree, index_of(self.tree, link))
            count, visits, links = columns.count, columns.visits, columns.links
            loss = 0  # the plain search's choice knows wins only
        for slot in range(count):
            winning = winning or (visits[slot] != NO_VISITS and links[slot] == win)
        for slot in range(count):
            if visits[slot] == NO_VISITS or (winning and links[slot] != win) or (loss and links[slot] == loss):
                continue
            if <int64_t>visits[slot] > first:
                second = first
                first = visits[slot]
            elif <int64_t>visits[slot] > second:
                second = visits[slot]
        if first < 1:
            return -1
        return first - second if second >= 0 else SURE

    cdef list variation(self, object first):
        """The move to play, then the most visited one of every node below that has a block."""
        if self.settings.guided:
            return self.guided_variation(first)
        return self.plain_variation(first)

    cdef list guided_variation(self, object first):
        cdef GuidedBlock *block = guided_root(self.guided)
        cdef GuidedColumns columns
        cdef uint32_t slot, best
        cdef list moves = [first]
        cdef bint at_root = True
        while block != NULL:
            columns = guided_columns(self.guided, block)
            best = columns.count
            for slot in range(columns.count):
                if at_root:
                    if self.name(columns.moves[slot]) == first:
                        best = slot
                elif columns.visits[slot] and (best == columns.count or columns.visits[slot] > columns.visits[best]):
                    best = slot
            if best == columns.count:
                break
            if not at_root:
                moves.append(self.name(columns.moves[best]))
            at_root = False
            block = guided_block(self.guided, columns.links[best])
        return moves

    cdef list proven_line(self, list moves):
        """``moves``, which begin the proof of the root's value, and the best play after them as far as exact search
        tells it with a small budget a move."""
        cdef const mcts_game *game = self.native.game
        cdef uint32_t path[LINE]
        cdef mcts_proof proof
        state = self.state
        for index, move in enumerate(moves):
            path[index] = move
            state = state.play(move)
        while state.winner() is None and len(moves) < LINE:
            proof.value = -1
            proof.move = MCTS_NO_MOVE
            proof.interrupt = NULL
            game.guide.prove(game.context, self.native.state, path, <uint32_t>len(moves), self.guided.prover,
                             LINE_UNITS, 1, &proof)
            if proof.value < 0 or proof.move == MCTS_NO_MOVE:
                break
            path[len(moves)] = proof.move
            moves.append(proof.move)
            state = state.play(proof.move)
        return moves

    cdef list plain_variation(self, object first):
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot, best
        cdef Columns columns
        cdef list moves = []
        while link & LINK_KIND == LINK_BLOCK:
            columns = columns_at(self.tree, index_of(self.tree, link))
            best = MAX_SLOTS
            for slot in range(columns.count):
                if columns.visits[slot] == NO_VISITS:
                    continue
                if not moves and self.name(move_at(self.tree, columns, slot)) == first:
                    best = slot
                    break
                if best == MAX_SLOTS or (
                        (columns.visits[slot], columns.wins[slot]) > (columns.visits[best], columns.wins[best])):
                    best = slot
            moves.append(self.name(move_at(self.tree, columns, best)))
            link = columns.links[best]
        return moves or [first]

    def figures(self):
        """What the last search found, as a dict; None when there was none or it failed."""
        if not self.take():
            if self.is_own():
                raise SearchBusy("this Searcher is searching; a progress callback gets the statistics so far")
            raise SearchBusy("this Searcher is searching in another thread; its statistics can be read afterwards")
        try:
            return self.snapshot()
        finally:
            self.lock.release()

    cdef dict snapshot(self):
        """The same, for the thread that has the lock."""
        cdef Tree *tree = self.tree
        cdef GuidedTree *guided = self.guided
        cdef uint64_t iterations, rollouts, nodes, prunes, dropped, depth_sum, measured, used
        cdef uint32_t depth_max, index
        cdef Member *member
        cdef Tree *other
        if self.native is None or root_visits(tree) == 0:
            return None
        children = self.root_children()
        move = self.move if self.finished else self.choose(children)
        visits = root_visits(tree)
        iterations, rollouts, nodes, prunes, dropped = (tree.iterations, tree.rollouts, tree.nodes, tree.prunes,
                                                        tree.dropped)
        depth_sum, depth_max, measured = tree.depth_sum, tree.depth_max, tree.iterations
        used = <uint64_t>tree.arena.top * tree.arena.unit
        for index in range(1, self.width()):
            member = &self.team.members[index]
            if not self.finished:  # it is running
                iterations += mcts_published(&member.iterations)
                continue
            other = member.tree
            if not has_root(other):  # what it found is in no move's statistics
                continue
            iterations += other.iterations
            rollouts += other.rollouts
            nodes += other.nodes
            prunes += other.prunes
            dropped += other.dropped
            used += <uint64_t>other.arena.top * other.arena.unit
            depth_sum += other.depth_sum
            depth_max = max(depth_max, other.depth_max)
            measured += other.iterations
        if self.used:
            used = self.used
        if self.settings.guided:
            wins = guided_columns(guided, <GuidedBlock *>tree.arena.base).wins[0]
        else:
            wins = columns_at(tree, 0).wins[0]
        wins /= 2.0 * tree.rollouts_per_leaf
        value = (wins if tree.root_sign > 0 else visits - wins) / visits
        proven = distance = None
        if self.settings.guided:
            if guided.proof.value >= 0:
                proven, distance = PROVEN[guided.proof.value], guided.proof.distance
                value = guided.proof.value / 2.0
        line = self.line
        if line is None:
            line = self.variation(move)
            if self.finished:
                if proven is not None and guided.prover != NULL:
                    line = self.proven_line(line)
                self.line = line
        return {
            "move": move,
            "value": value,
            "visits": visits,
            "moves": sorted(children, key=by_visits_key, reverse=True),
            "pv": list(line),
            "iterations": iterations,
            "rollouts": rollouts,
            "seconds": self.seconds,
            "nodes": nodes,
            "bytes": used,
            "prunes": prunes,
            "dropped_nodes": dropped,
            "depth_mean": depth_sum / <double>measured if measured else 0.0,
            "depth_max": depth_max,
            "reused_visits": tree.reused,
            "stop_reason": self.stop_reason,
            "proven": proven,
            "distance": distance,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": self.width(),
            "isa": self.isa,
            "state": self.state,
            "number": self.number,
        }


cdef uint32_t root_visits(const Tree *tree) noexcept nogil:
    return view_block(tree, 0).visits[0]


cdef GuidedBlock *guided_block(GuidedTree *guided, uint32_t link) noexcept nogil:
    """The block behind a link, NULL where there is none."""
    if link & LINK_KIND != LINK_BLOCK:
        return NULL
    return <GuidedBlock *>record_at(&guided.tree, link & WIDE_INDEX)


cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil:
    """The block of the root, NULL before the first iteration."""
    return guided_block(guided, guided_columns(guided, <GuidedBlock *>guided.tree.arena.base).links[0])


def by_visits_key(child):
    """Orders children by visits, then by value."""
    return child[1], child[3]


def by_value_key(child):
    """Orders children by value, then by visits; those without a visit last."""
    return child[1] > 0, child[3], child[1]
