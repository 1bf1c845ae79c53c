"""Searches of games of two players in turn, on the plain or the guided tree: the rules, and the children of the root,
which a plain tree keeps in three forms.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_NO_MOVE, MCTS_ORDERED, NativeState, begin_proof, mcts_game, mcts_proof
from mcts_core.tree.guided_tree cimport *
from mcts_core.games.board_position cimport BoardPosition
from mcts_core.games.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.engine.leaf_threads cimport LeafThreads, lanes_of
from mcts_core.engine.reuse cimport path_to_root
from mcts_core.engine.root_rows cimport ChildRow, RootRows, new_rows
from mcts_core.engine.searched_tree cimport ABSENT, KNOWN, LINE, LOST, OPEN, WON, WORTH_THREADS, RootView, Standing
from mcts_core.engine.settings cimport SearchSettings, TwoPlayerSettings
from mcts_core.engine.turn cimport require_kind
from mcts_core.tree.plain_tree cimport *
from mcts_core.tree.spread cimport SPREAD
from mcts_core.tree.tree cimport *
from mcts_core.tree.view cimport (BlockView, has_root, index_mask, root_link, root_visits, slot_of, view_block,
                                  view_move)


cdef enum:
    LINE_PROOFS = 128              # proof budget for each move of a proven line; 4096 took 1.6 ms a line, 10 % longer
    LINE_RETRY = 4096              # the same where that proves nothing

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree.plain_tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("tree.guided_tree")


cdef class TwoPlayerCore(SearchCore):
    """Searches of games of two players in turn."""

    def __cinit__(self, uint64_t memory, uint32_t threads=1):
        self.leaves = LeafThreads()

    def __dealloc__(self):
        self.drop_trees()  # before the game goes, whose exact search has memory in them

    # ---- the root ----------------------------------------------------------------------------------------------------

    cdef object root_of(self, object state, SearchSettings settings):
        require_kind(settings, TwoPlayerSettings)
        return as_native(state, "there is nothing to search")

    cdef const TreeOps *layout(self) noexcept nogil:
        return &guided_ops.tree if (<TwoPlayerSettings>self.settings).guided else tree_ops

    cdef int reset_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed) except -1:
        cdef GuidedOptions options = (<TwoPlayerSettings>self.settings).options
        cdef PlainOptions plain = PlainOptions(options.exploration, options.rollouts)
        cdef TreeRoot at = tree_root(root)
        if tree.ops == tree_ops:
            return tree.ops.reset(tree, &at, &plain, seed, False)
        if self.trees() > 1:
            options.tree_bytes //= self.threads
            options.tree_bytes -= options.tree_bytes // KNOWN
            options.prover_bytes //= self.threads
        elif self.threads > 1:
            options.prover_bytes -= options.prover_bytes // 2
            options.lane_bytes = options.prover_bytes // lanes_of(self.threads)
        if number:
            options.root_proofs = 0  # one thread looks for a proof of the root
            options.spread = SPREAD
        return tree.ops.reset(tree, &at, &options, seed, self.follows)

    cdef int resume_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed, bint moved) except -1:
        cdef TreeRoot at = tree_root(root)
        tree.ops.resume(tree, &at, seed, moved)
        if isinstance(root, PythonGame):
            (<PythonGame>root).user.adopt((<PythonGame>self.native).user)
        return RUN_DONE

    cdef int take_root(self, object root, object state) except -1:
        self.keeper = None if isinstance(root, PythonGame) else root
        self.native = root
        self.state = state
        return 0

    cdef object root_now(self):
        return self.native

    cdef void drop_result(self) noexcept:
        self.native = self.state = None

    cdef list path_to(self, object root, object state):
        return path_to_root(self.tree, self.native, self.state, root, state, self.mover_of(root))

    cdef void limit_rollouts(self, double deadline) noexcept:
        if isinstance(self.native, PythonGame):
            (<PythonGame>self.native).user.deadline = deadline
            self.named = True
            self.fit_names()

    cdef void fit_names(self) noexcept:
        SearchCore.fit_names(self)
        if isinstance(self.native, PythonGame):
            (<PythonGame>self.native).kept.fit(self.memory, self.tree.arena.committed + self.name_bytes())

    cdef void rest(self) noexcept:
        if isinstance(self.native, PythonGame):
            (<PythonGame>self.native).kept.clear()

    cdef uint64_t name_bytes(self) noexcept:
        return (<PythonGame>self.native).user.name_bytes() if isinstance(self.native, PythonGame) else 0

    cdef bint is_whole(self) noexcept:
        """With symmetry, moves are left out below the root."""
        cdef TwoPlayerSettings settings = self.settings
        return not (settings.guided and settings.options.policy.symmetry)

    cdef int mover_of(self, object root) except? -3:
        return sign_of(root)

    cdef list legal_moves(self):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).root_moves
        return self.state.legal_moves()

    cdef uint64_t worth_threads(self) except? 0xFFFFFFFFFFFFFFFF:
        if (<TwoPlayerSettings>self.settings).guided:
            return <uint64_t>WORTH_THREADS * (self.threads if self.trees() > 1 else lanes_of(self.threads))
        return SearchCore.worth_threads(self)

    cdef uint32_t trees(self) noexcept nogil:
        """One where a valuation gives values: without rollouts, the trees of several threads would look at the same
        positions."""
        cdef bint valued = ((<TwoPlayerSettings>self.settings).guided
                            and (<TwoPlayerSettings>self.settings).options.share > 0)
        return 1 if valued else self.threads

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        limit = SearchCore.start(self, limit, repeatable)
        if self.trees() < self.threads and limit >= self.worth_threads():
            self.leaves.start(<GuidedTree *>self.tree, lanes_of(self.threads), limit, repeatable, self.seed,
                              self.deadline)
            self.busy = lanes_of(self.threads)
        return limit

    cdef int join(self) except -1:
        if self.busy > 1 and not self.teamed:
            self.leaves.join(self.stop_reason in ("iterations", "solved", "memory"))
        return SearchCore.join(self)

    cdef int fail(self) except -1:
        return raise_error_of(self.native, self.state)

    cdef int check_root(self) except -1:
        return (<PythonGame>self.native).check_root() if isinstance(self.native, PythonGame) else 0

    cdef bint may_begin(self, uint32_t move) except -1:
        return move == MCTS_NO_MOVE or (not isinstance(self.native, PythonGame) and move in self.state.legal_moves())

    cdef object name(self, uint32_t move):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).move_of(move)
        return move

    @property
    def names(self):
        return list((<PythonGame>self.native).user.moves) if isinstance(self.native, PythonGame) else None

    cdef int take_names(self, object root, object names) except -1:
        return (<PythonGame>root).user.take_names(names) if isinstance(root, PythonGame) else 0

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        cdef uint32_t win = LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)
        if view.visits[slot] == NO_VISITS:
            return ABSENT
        if view.links[slot] == win:
            return WON
        # the final move of a plain search only looks at wins
        return LOST if is_guided(self.tree) and view.links[slot] == win ^ 2 else OPEN

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef RootRows read_rows(self):
        cdef RootRows rows
        cdef uint32_t i
        if is_guided(self.tree):
            rows = self.read_guided()
        elif has_root(self.tree):
            rows = self.read_plain()
        else:
            rows = self.read_tried()
        if isinstance(self.native, PythonGame) and not rows.by_index:
            rows.moves = [self.name(rows.rows[i].move) for i in range(rows.count)]
        rows.strict = True
        return rows

    cdef RootRows read_guided(self):
        cdef GuidedTree *guided = <GuidedTree *>self.tree
        cdef GuidedBlock *block = guided_root(guided)
        cdef GuidedColumns columns
        cdef RootRows rows
        cdef ChildRow *row
        cdef uint32_t slot
        if block == NULL:
            return new_rows(0)
        columns = guided_columns(guided, block)
        rows = new_rows(columns.count)
        for slot in range(columns.count):
            row = rows.add(columns.moves[slot], columns.visits[slot], self.wins_of(columns.wins[slot]))
            row.link = columns.links[slot]
            row.proven = <int8_t>self.proven_points(row.link)
            row.distance = distance_of(known(guided, row.link)) + 1 if row.proven >= 0 else 0
            if guided.options.selection == SELECT_PUCT:
                row.prior = columns.priors[slot] if columns.priors[slot] > 0 else 0
        # the moves that the game left out lose, unless it left them out because another one wins
        if guided.options.solver and not block.flags & BLOCK_INCOMPLETE and self.tree.proof.value != 2:
            rows.rest = block.rest
        return rows

    cdef RootRows read_plain(self):
        cdef BlockView view = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        cdef RootRows rows = new_rows(view.count)
        cdef uint32_t slot
        rows.listed = True
        for slot in range(view.count):
            if view.visits[slot] != NO_VISITS:
                rows.add(view_move(&view, slot), view.visits[slot], self.wins_of(view.wins[slot])).link = (
                    view.links[slot])
        return rows

    cdef RootRows read_tried(self):
        """The results of the moves of a root without a block."""
        cdef uint32_t link = root_link(self.tree), slot, count
        cdef RootRows rows
        cdef int32_t points
        if link & LINK_KIND == LINK_MINI:
            count = (<Mini *>record_at(self.tree, link & WIDE_INDEX)).count
        else:
            count = min(self.tree.game.max_moves, <uint32_t>8) if self.tree.narrow else 0
        rows = new_rows(count)
        rows.by_index = not self.tree.fixed_moves
        for slot in range(count):
            points = self.tried_points(link, slot)
            if points >= 0:
                rows.add(slot, 1, self.wins_of(points))
        return rows

    cdef double wins_of(self, int64_t points) noexcept:
        """A sum of results, of half-points."""
        return points / (2.0 * self.tree.wins_per_visit)

    cdef int32_t proven_points(self, uint32_t link) noexcept nogil:
        """Half-points that a link of the root's block is proven to give to the player to move; -1: none are."""
        if is_guided(self.tree):
            link = known(<GuidedTree *>self.tree, link)
        if link & LINK_KIND != LINK_TERMINAL or (
                is_guided(self.tree) and not (<GuidedTree *>self.tree).options.solver and distance_of(link)):
            return -1
        return <int32_t>(result_of(link) if self.tree.root_sign > 0 else 2 - result_of(link))

    cdef int32_t tried_points(self, uint32_t link, uint32_t slot) noexcept nogil:
        """Half-points for the player to move that a move of the root has given, which has no block; -1: untried."""
        cdef int32_t points
        if link & LINK_KIND == LINK_MINI:
            points = <int32_t>mini_result(self.tree, <Mini *>record_at(self.tree, link & WIDE_INDEX), slot) - 1
        else:
            points = <int32_t>leaf_result(link, slot) - 1
        return points if points < 0 else gain_of(self.tree, self.tree.root_sign, points)

    cdef bint is_clear(self, uint32_t *move) noexcept:
        """The first move of a proof, or the one with the most visits, of these that with the best value, before the
        root has a block that with the best result, where no other move is equal to it. To list and compare all children
        takes as long as 20 iterations."""
        cdef BlockView view
        cdef uint32_t slot, link = root_link(self.tree), count, found
        cdef int64_t most = -1, ahead
        cdef int32_t points, wins = 0, most_wins = 0
        cdef bint alone = False, counted = has_root(self.tree)
        if isinstance(self.native, PythonGame) or self.settings.by_value:  # with the list, a user's moves are checked
            return False
        if self.settings.proves and self.is_proven():
            move[0] = self.tree.proof.move
            return move[0] != MCTS_NO_MOVE
        memset(&view, 0, sizeof(view))  # GCC does not see that without a block nobody reads it
        if counted:
            view = view_block(self.tree, link & index_mask(self.tree))
            count = view.count
            most = 0  # among moves without a visit, those that the tree has left out count as well
        elif is_guided(self.tree) or not self.tree.fixed_moves:
            return False
        elif link & LINK_KIND == LINK_MINI:
            count = (<Mini *>record_at(self.tree, link & WIDE_INDEX)).count
        else:
            count = self.tree.game.max_moves
        for slot in range(count):
            found = slot
            if not counted:
                ahead = self.tried_points(link, slot)
            elif view.visits[slot] == NO_VISITS:
                continue
            else:
                ahead, wins, found = view.visits[slot], view.wins[slot], view_move(&view, slot)
                points = self.proven_points(view.links[slot])
                if points == 2 or (points == 1 and is_guided(self.tree)):  # of draws, visits are not all
                    return False
                if points == 0 and is_guided(self.tree):
                    continue
            if ahead > most or (ahead == most and wins > most_wins and ahead > 0):
                alone = True
                most, most_wins, move[0] = ahead, wins, found
            elif ahead == most and wins == most_wins:
                alone = False
        return alone

    cdef bint is_ordered(self) noexcept:
        cdef const mcts_valuation *valuation = self.native.game.valuation
        if (<TwoPlayerSettings>self.settings).guided and valuation != NULL and valuation.weigh != NULL:
            return True
        return self.native.game.flags & MCTS_ORDERED and not isinstance(self.native, BoardPosition)  # lists by number

    cdef uint32_t moves_to_try(self) noexcept:
        cdef TwoPlayerSettings settings = self.settings
        cdef GuidedBlock *block
        if not settings.guided:
            return self.root_slots()
        block = guided_root(<GuidedTree *>self.tree)
        if settings.options.selection == SELECT_PUCT or settings.options.share or settings.options.prior_weight > 0:
            return 0
        return 0 if block == NULL else block.count

    cdef uint32_t root_slots(self) noexcept:
        cdef uint32_t link = root_link(self.tree), slot, count = 0
        cdef BlockView view
        if isinstance(self.native, PythonGame):
            return <uint32_t>len((<PythonGame>self.native).root_moves)
        if not has_root(self.tree):
            if link & LINK_KIND == LINK_MINI:
                return (<Mini *>record_at(self.tree, link & WIDE_INDEX)).count
            return self.tree.narrow
        view = view_block(self.tree, link & index_mask(self.tree))
        for slot in range(view.count):
            count += view.visits[slot] != NO_VISITS
        return count

    cdef uint32_t link_of(self, object move) except? 0:
        cdef BlockView view
        cdef uint32_t slot
        if isinstance(self.native, PythonGame) or not has_root(self.tree):
            return SearchCore.link_of(self, move)
        view = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        slot = slot_of(&view, move)
        return view.links[slot] if slot < view.count else 0

    cdef bint by_book(self) noexcept:
        return is_guided(self.tree) and (<GuidedTree *>self.tree).by_book

    cdef double value(self):
        cdef double visits = root_visits(self.tree), wins = view_block(self.tree, 0).wins[0]
        wins /= 2.0 * self.tree.wins_per_visit
        return (wins if self.tree.root_sign > 0 else visits - wins) / visits

    cdef list extended(self, list line):
        """The line and the best play after it, as far as exact search finds that with a small proof budget a move. Only
        where it was part of the search: whether an earlier one left memory for it must change nothing."""
        cdef const mcts_game *game = self.native.game
        cdef uint32_t path[LINE]
        cdef mcts_proof proof
        cdef GuidedTree *guided = <GuidedTree *>self.tree
        if not guided.prover_asked:
            return line
        state = self.state
        for index, move in enumerate(line):
            path[index] = move
            state = state.play(move)
        while state.winner() is None and len(line) < LINE:
            begin_proof(&proof, NULL, guided.options.ask_book, False)
            game.guide.prove(game.context, self.native.state, path, <uint32_t>len(line), guided.prover.memory,
                             LINE_PROOFS, 1, &proof)
            if proof.value < 0:
                game.guide.prove(game.context, self.native.state, path, <uint32_t>len(line), guided.prover.memory,
                                 LINE_RETRY, 1, &proof)
            if proof.value < 0 or proof.move == MCTS_NO_MOVE:
                break
            path[len(line)] = proof.move
            line.append(proof.move)
            state = state.play(proof.move)
        return line

cdef int sign_of(NativeState root) except? -3:
    """The sign of the player to move."""
    return (<PythonGame>root).to_move if isinstance(root, PythonGame) else root.to_move


cdef TreeRoot tree_root(NativeState root) except *:
    return TreeRoot(root.game, root.state, sign_of(root), NULL)


cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil:
    """The block of the root, NULL before the first iteration."""
    cdef uint32_t link = guided_columns(guided, <GuidedBlock *>guided.tree.arena.base).links[0]
    if link & LINK_KIND != LINK_BLOCK:
        return NULL
    return <GuidedBlock *>record_at(&guided.tree, link & WIDE_INDEX)
