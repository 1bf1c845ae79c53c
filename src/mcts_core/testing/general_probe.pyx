"""One general tree and what can be done with it, from Python: for tests of the services, beside any search."""

from array import array

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.errors import InvalidFile

from mcts_core.platform cimport mcts_clock
from mcts_core.tree.compaction cimport compact, keep_top, reroot
from mcts_core.engine.reuse cimport most_visited
from mcts_core.dispatch cimport hot_table
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.engine.root_rows cimport RootRows, new_rows
from mcts_core.tree.exchange cimport (Known, Words, check_message, follow, forget_gone, hear, known_clear, known_free,
                                      tell, words_free)
from mcts_core.games.general_rules cimport PythonRules, Rules, rules_of
from mcts_core.engine.settings cimport GeneralSettings
from mcts_core.tree.general_tree cimport (FAULT_NONE, GeneralBlock, GeneralOps, GeneralTree, general_block, high_of,
                                          low_of, totals_of)
from mcts_core.tree.storage cimport (check_sound, known_record, make_known, memory_of, move_together, numbers_of,
                                     room_of, take_numbers)
from mcts_core.tree.check_walk cimport ANY_MOVE, CheckRules
from mcts_core.tree.check cimport check_known
from mcts_core.tree.tree cimport RUN_DONE, RUN_MEMORY, RUN_SOLVED, Tree, TreeRoot
from mcts_core.engine.top cimport children_of_root
from mcts_core.tree.view cimport BlockView, has_root, index_mask, is_block, root_link, slot_of, view_block


cdef GeneralOps *ops = <GeneralOps *>hot_table("tree.general_tree")


cdef class GeneralProbe:
    """A tree of ``state``, grown by ``run``; its moves are named as the game names them."""

    cdef GeneralTree *general
    cdef Tree *tree
    cdef Known known
    cdef GeneralSettings settings
    cdef Rules rules
    cdef Evaluator evaluator
    cdef bint heard

    def __cinit__(self, state, GeneralSettings settings, uint64_t seed=0, uint64_t memory=64 << 20, like=None):
        cdef TreeRoot root
        cdef bint observing = settings.function is not None
        self.settings = settings
        self.known.words.limit = 0xFFFFFFFF
        self.rules = rules_of(state, observing, observing and settings.by_state)
        if like is not None and isinstance(self.rules, PythonRules):  # one numbering of moves
            (<PythonRules>self.rules).user.moves = (<PythonRules>(<GeneralProbe>like).rules).user.moves
            (<PythonRules>self.rules).user.ids = (<PythonRules>(<GeneralProbe>like).rules).user.ids
        self.tree = ops.tree.create(memory)
        if self.tree == NULL:
            raise MemoryError
        self.general = <GeneralTree *>self.tree
        root.rules = &self.rules.table
        if ops.tree.reset(self.tree, &root, &settings.options, seed, False) != RUN_DONE:
            self.rules.fail()
        if observing:
            self.evaluator = evaluator_of(settings.function, settings.by_state)

    def __dealloc__(self):
        ops.tree.destroy(self.tree)
        known_free(&self.known)

    def run(self, uint32_t count):
        """Up to ``count`` iterations; whether the arena had room for all."""
        cdef int status = RUN_DONE
        cdef uint32_t end = self.tree.iterations + count
        if self.evaluator is None:
            status = ops.tree.run(self.tree, count)
        else:
            self.evaluator.prepare(self.rules, self.settings.options.batch)
            while self.tree.iterations < end and status == RUN_DONE:
                status = self.batch(end - self.tree.iterations)
        if status not in (RUN_DONE, RUN_MEMORY, RUN_SOLVED):
            self.rules.fail()
        self.rules.rest()
        return status == RUN_DONE

    cdef int batch(self, uint32_t count) except -1:
        cdef int status = ops.gather(self.general, count, self.evaluator.observations, self.evaluator.stride)
        if self.general.waiting:
            try:
                self.evaluator.evaluate(self.rules, self.general.waiting)
                if ops.resolve(self.general, &self.evaluator.evaluation) != FAULT_NONE:
                    raise self.evaluator.complaint(self.rules, self.general, 0)
            finally:
                self.evaluator.release()
                ops.retract(self.general)
        return status

    def gather(self, uint32_t count):
        """Lets descents wait; how many do."""
        self.evaluator.prepare(self.rules, self.settings.options.batch)
        ops.gather(self.general, count, self.evaluator.observations, self.evaluator.stride)
        return self.general.waiting

    def retract(self):
        ops.retract(self.general)

    @property
    def counts(self):
        tree = self.tree
        return {"iterations": tree.iterations, "reused": tree.reused, "nodes": tree.nodes, "prunes": tree.prunes,
                "dropped": tree.dropped, "units": tree.arena.top, "has_root": bool(has_root(tree))}

    @property
    def proof(self):
        """(half-points for the player to move, plies) where the root is proven, else None."""
        return (self.tree.proof.value, self.tree.proof.distance) if self.tree.proof.value >= 0 else None

    def bounds(self, path=()):
        """The (low, high) of every player at the node after ``path``, None when it has no block."""
        cdef uint32_t link = root_link(self.tree), player, slot, mask = index_mask(self.tree)
        cdef BlockView view
        cdef GeneralBlock *block
        for move in self.numbers(path):
            if not is_block(link):
                return None
            view = view_block(self.tree, link & mask)
            slot = slot_of(&view, move)
            link = view.links[slot] if slot < view.count else 0
        if not is_block(link):
            return None
        block = general_block(self.general, link & mask)
        return [(low_of(self.general, block)[player], high_of(self.general, block)[player])
                for player in range(self.general.players)]

    @property
    def settled(self):
        return bool(self.tree.settled)

    def node(self, path=()):
        """(player, visits, values in the totals, totals, {move: (visits, sum of values)}) of the node after ``path``,
        None when it has no block. Visits are those of the slot."""
        cdef uint32_t link = root_link(self.tree), slot, visits, player, mask = index_mask(self.tree)
        cdef BlockView view = view_block(self.tree, 0)
        cdef GeneralBlock *block
        cdef list totals
        visits = view.visits[0]
        for move in self.numbers(path):
            if not is_block(link):
                return None
            view = view_block(self.tree, link & mask)
            slot = slot_of(&view, move)
            if slot == view.count:
                return None
            link = view.links[slot]
            visits = view.visits[slot]
        if not is_block(link):
            return None
        view = view_block(self.tree, link & mask)
        block = <GeneralBlock *>view.record
        totals = [totals_of(block)[player] for player in range(self.general.players)]
        children = {self.rules.name(view.moves[slot]): (view.visits[slot],
                                                        view.sums[slot] if view.sums != NULL else None)
                    for slot in range(view.count)}
        return view.sign, visits, block.valued, totals, children

    def root_totals(self):
        """(values, totals) of the root, less its own evaluation."""
        cdef GeneralBlock *top = general_block(self.general, 0)
        cdef uint32_t player
        return top.valued, [totals_of(top)[player] for player in range(self.general.players)]

    cdef list numbers(self, path):
        cdef dict ids
        if not isinstance(self.rules, PythonRules):
            return list(path)
        ids = (<PythonRules>self.rules).user.ids
        return [ids[move] for move in path]

    def paths(self):
        """Those to every node with a block, the root's first."""
        cdef uint32_t slot, mask = index_mask(self.tree), link
        cdef BlockView view
        cdef list found = [], waiting = [((), root_link(self.tree))]
        while waiting:
            path, link = waiting.pop(0)
            if not is_block(link):
                continue
            found.append(path)
            view = view_block(self.tree, link & mask)
            for slot in range(view.count):
                waiting.append(((*path, self.rules.name(view.moves[slot])), view.links[slot]))
        return found

    def reroot(self, path, state, uint64_t seed):
        """Makes the node after ``path``, the position ``state``, the root; whether that can be."""
        cdef list moves = self.numbers(path)
        cdef uint32_t steps[64]
        cdef uint32_t i
        cdef TreeRoot root
        cdef Rules rules
        cdef bint observing = self.settings.function is not None
        for i in range(<uint32_t>len(moves)):
            steps[i] = moves[i]
        rules = rules_of(state, observing, observing and self.settings.by_state)
        if isinstance(rules, PythonRules):
            (<PythonRules>rules).user.moves = (<PythonRules>self.rules).user.moves
            (<PythonRules>rules).user.ids = (<PythonRules>self.rules).user.ids
        follow(self.tree, &self.known, steps, <uint32_t>len(moves))
        if not reroot(self.tree, steps, <uint32_t>len(moves)):
            known_clear(&self.known)
            return False
        self.rules = rules
        root.rules = &rules.table
        if not ops.open_root(self.general, seed):
            return False
        ops.tree.resume(self.tree, &root, seed, len(moves) > 0)
        return True

    def find(self, state, most=1000):
        """The path of moves to ``state``, None where the tree has none."""
        cdef bint observing = self.settings.function is not None
        end = rules_of(state, observing, observing and self.settings.by_state)
        found = most_visited(self.tree, self.rules, end, end.player, most)
        return None if found is None else tuple([self.rules.name(move) for move in found])

    def compact(self, double share=1.0):
        """Prunes to this share of the units that it takes, and moves what is left together."""
        if not compact(self.tree, <uint32_t>(share * self.tree.arena.top)):
            raise MemoryError
        forget_gone(self.tree, &self.known)

    def keep(self, double share, double seconds=1e300):
        """The same by ``keep_top``."""
        if not keep_top(self.tree, <uint32_t>(share * self.tree.arena.top), mcts_clock() + seconds):
            raise MemoryError
        forget_gone(self.tree, &self.known)

    def tell(self, uint32_t least=1):
        """The news, as bytes."""
        cdef Words message
        memset(&message, 0, sizeof(message))
        message.limit = 0xFFFFFFFF
        try:
            if not tell(self.tree, &self.known, least, &message):
                raise MemoryError
            return bytes((<uint8_t *>message.at)[:4 * message.used])
        finally:
            words_free(&message)

    def hear(self, data):
        """Adds another tree's news; whether they can be."""
        words = array("I", data)
        cdef uint32_t[::1] view = words
        cdef const uint32_t *at = &view[0] if len(words) else NULL
        if check_message(self.tree, at, <uint32_t>len(words)) != RUN_DONE:
            return False
        if hear(self.tree, &self.known, at, <uint32_t>len(words)) != RUN_DONE:
            raise MemoryError
        self.heard = True
        return True

    def check(self, bint whole=False, bint played=True):
        """What the check finds; AssertionError when the tree is not sound."""
        cdef const char *fault = check_known(self.tree, &self.known)
        if fault != NULL:
            raise AssertionError(fault.decode())
        return self.sound(whole, played, AssertionError)

    cdef dict sound(self, bint whole, bint played, error):
        cdef CheckRules rules
        memset(&rules, 0, sizeof(rules))
        rules.alone = not self.heard
        rules.general = &self.rules.table if played else NULL
        rules.moves = ANY_MOVE
        if isinstance(self.rules, PythonRules):
            rules.moves = <uint32_t>len((<PythonRules>self.rules).user.moves)
        return check_sound(self.tree, &rules, whole, error)

    def dump(self):
        """(numbers, what is known, the pieces of memory)."""
        cdef list views = []
        move_together(self.tree)
        self.sound(True, False, RuntimeError)
        try:
            numbers = numbers_of(self.tree)
            views.append(memory_of(self.tree))
            known = known_record(self.tree, &self.known, views)
            return numbers, known, [bytes(view) for view in views]
        finally:
            for view in views:
                view.release()

    def restore(self, numbers, known, pieces, heard=False, played=True):
        """Makes this tree that of a dump; InvalidFile when it cannot be."""
        cdef const char *fault
        cdef list views = [room_of(self.tree, numbers, 0, 1)]
        self.heard = heard
        known_free(&self.known)
        try:
            make_known(self.tree, &self.known, known, views)
            for view, piece in zip(views, pieces, strict=True):
                view.cast("B")[:] = piece
        finally:
            for view in views:
                view.release()
        take_numbers(self.tree, numbers, None)
        self.sound(True, played, InvalidFile)
        fault = check_known(self.tree, &self.known)
        if fault != NULL:
            raise InvalidFile(fault.decode())

    def top(self, depth, least=1.0, most=100000):
        """The children of the root and those below, as ``engine.top`` gives them."""
        cdef BlockView view = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        cdef RootRows rows = new_rows(view.count)
        cdef uint32_t slot
        names = (<PythonRules>self.rules).user.moves if isinstance(self.rules, PythonRules) else None
        rows.moves = [self.rules.name(view.moves[slot]) for slot in range(view.count)]
        for slot in range(view.count):
            rows.add(slot, view.visits[slot], view.sums[slot] if view.sums != NULL else 0.0).link = view.links[slot]
        return children_of_root(self.tree, rows, None, depth, least, most, names, not self.rules.general,
                                self.rules.player)
