"""Searches of all games but those of two players in turn, and of any game with an evaluator: any number of players,
chance, leaves that a network values.

A run of a search with an evaluator is one batch: it descends to the leaves of a batch and ends when they are evaluated.
"""

from libc.stdint cimport int8_t, int32_t, uint32_t, uint64_t

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidOption

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_NO_MOVE
from mcts_core.engine.evaluation_thread cimport EvaluationThread
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.games.general_rules cimport FOLLOWED, NativeRules, PythonRules, Rules, rules_of
from mcts_core.games.user_rollout cimport length_limit
from mcts_core.tree.general_proofs cimport points_for, points_of
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.gumbel cimport best_by_halving, complete_values, improve_policy, score_by_noise
from mcts_core.tree.score_bounds cimport EXACT, Interval, interval_of, root_interval
from mcts_core.tree.tree cimport (LINK_BLOCK, LINK_KIND, LINK_TERMINAL, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY,
                                  WIDE_INDEX, Tree, TreeOps, TreeRoot)
from mcts_core.tree.view cimport has_root
from mcts_core.engine.reuse cimport leads_to, path_in_general
from mcts_core.engine.settings cimport GeneralSettings, SearchSettings
from mcts_core.engine.report cimport settled_values
from mcts_core.engine.root_rows cimport ChildRow, RootRows, new_rows, points_within
from mcts_core.engine.searched_tree cimport LOST, OPEN, WON, Counts, RootView, Standing
from mcts_core.engine.stats_snapshot cimport is_plain_board
from mcts_core.engine.turn cimport require_kind


cdef GeneralOps *ops = <GeneralOps *>hot_table("tree.general_tree")


cdef inline GeneralOptions *options_of(GeneralCore core) noexcept nogil:
    return &(<GeneralSettings>core.settings).options


cdef class GeneralCore(SearchCore):
    """Searches of general games, and of all games with an evaluator."""

    def __cinit__(self, uint64_t memory, uint32_t threads=1):
        self.others_rules = [None] * threads

    def __dealloc__(self):
        self.drop_trees()  # before the game goes, whose exact search has memory in them

    # ---- the root ----------------------------------------------------------------------------------------------------

    cdef object root_of(self, object state, SearchSettings settings):
        require_kind(settings, GeneralSettings)
        cdef GeneralSettings own = settings
        cdef bint observing = own is not None and own.function is not None
        cdef Rules rules = rules_of(state, observing, observing and own.by_state)
        cdef str option
        if own is None or not (own.by_line or own.options.rollout_moves):
            return rules
        option = ("rollout_moves" if not own.by_line else
                  "nested_rollouts" if own.options.nested else "final_move 'best_line'")
        if own.by_line and rules.players != 1:
            raise InvalidOption(f"{option} needs a game of one player, got {rules.players} in {shorten(state)}")
        if isinstance(rules, PythonRules):
            (<PythonRules>rules).longest = length_limit((<PythonRules>rules).user, state, own.options.rollout_moves)
        elif own.options.rollout_moves or not own.options.nested:
            raise InvalidOption(f"{option} needs a game written in Python, got {shorten(state)}")
        elif (<NativeRules>rules).context.extra.chance != NULL:
            raise InvalidOption(f"{option} needs a game without chance, got {shorten(state)}")
        if own.by_line:
            rules.keep_lines()
        return rules

    cdef const TreeOps *layout(self) noexcept nogil:
        return &ops.tree

    cdef Rules rules_for(self, uint32_t number, object root):
        """The rules of a thread: each needs its own, because the table walks positions in its own memory."""
        cdef NativeRules rules
        if number == 0:
            return root
        rules = NativeRules((<NativeRules?>root).native, False)
        if (<GeneralSettings>self.settings).by_line:
            rules.keep_lines()
        self.others_rules[number] = rules
        return rules

    cdef int reset_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed) except -1:
        cdef Rules rules = self.rules_for(number, root)
        cdef TreeRoot at = TreeRoot(NULL, NULL, 0, &rules.table)
        cdef int status = tree.ops.reset(tree, &at, options_of(self), seed, False)
        if status == RUN_GAME_ERROR:
            rules.fail()
        return status

    cdef int resume_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed, bint moved) except -1:
        cdef Rules rules = self.rules_for(number, root)
        cdef TreeRoot at = TreeRoot(NULL, NULL, 0, &rules.table)
        if (<GeneralTree *>tree).nested.full:  # such a policy cannot learn on
            return RUN_MEMORY
        if isinstance(rules, PythonRules):
            (<PythonRules>rules).user.adopt((<PythonRules>self.rules).user)
        if not ops.open_root(<GeneralTree *>tree, seed):
            return RUN_MEMORY
        if rules.keeps:
            (<GeneralTree *>tree).best = rules.line_value
        tree.ops.resume(tree, &at, seed, moved)
        return RUN_DONE

    cdef int take_root(self, object root, object state) except -1:
        self.rules = root
        self.keeper = None if self.rules.table.proving == NULL else self.rules.root
        self.state = state
        if (<GeneralSettings>self.settings).by_line:
            (<GeneralTree *>self.tree).best = self.rules.line_value
            if isinstance(root, PythonRules):
                for move in self.rules.line or ():
                    (<PythonRules>root).user.identity_of(move)  # lines are stored by numbers
        self.in_batches = options_of(self).puct
        return 0

    cdef object root_now(self):
        return self.rules

    cdef void drop_result(self) noexcept:
        self.rules = self.state = None

    cdef list path_to(self, object root, object state):
        if (<GeneralSettings>self.settings).by_line:
            self.rules.line_value = (<GeneralTree *>self.tree).best
            try:
                if isinstance(root, PythonRules):
                    (<PythonRules>root).follow_line(self.rules)
                elif isinstance(self.rules, NativeRules):
                    follow_native_line(root, self.rules)
            except Exception:  # raised by the user's game; the search will meet and report it
                pass
        return path_in_general(self.tree, self.rules, self.state, root, state)

    cdef void limit_rollouts(self, double deadline) noexcept:
        if isinstance(self.rules, PythonRules):
            (<PythonRules>self.rules).user.deadline = deadline
            self.named = True
            self.fit_names()

    cdef void fit_names(self) noexcept:
        SearchCore.fit_names(self)
        if isinstance(self.rules, PythonRules):
            (<PythonRules>self.rules).kept.fit(self.memory, self.tree.arena.committed + self.name_bytes()
                                               + (<GeneralTree *>self.tree).nested.bytes)

    cdef uint64_t name_bytes(self) noexcept:
        return (<PythonRules>self.rules).user.name_bytes() if isinstance(self.rules, PythonRules) else 0

    cdef int mover_of(self, object root) except? -3:
        return (<Rules>root).player

    cdef list legal_moves(self):
        return self.rules.root_moves

    cdef int check_root(self) except -1:
        return self.rules.check_root()

    cdef int fail(self) except -1:
        return self.rules.fail()

    cdef object refusal(self, const Tree *tree, int status):
        if status == RUN_MEMORY and tree != NULL and (<const GeneralTree *>tree).nested.full:
            return InvalidOption(f"memory_mb must be larger: the first rollout of nested_rollouts needs more for its "
                                 f"moves and their names, got {self.memory / 2**20:g}")
        return SearchCore.refusal(self, tree, status)

    cdef int sum_counts(self, Counts *counts) except -1:
        cdef uint32_t number
        SearchCore.sum_counts(self, counts)
        counts.bytes += (<GeneralTree *>self.tree).nested.bytes
        for number in range(1, self.width()):
            counts.bytes += (<GeneralTree *>self.team.members[number].tree).nested.bytes
        return 0

    cdef bint may_begin(self, uint32_t move) except -1:
        """Whether the root has this move. A proof by bounds names a best one."""
        cdef GeneralColumns columns
        cdef uint32_t slot
        if move == MCTS_NO_MOVE or not has_root(self.tree):
            return True
        columns = general_columns(<GeneralTree *>self.tree, self.root())
        for slot in range(columns.count):
            if columns.moves[slot] == move:
                return True
        return False

    cdef object name(self, uint32_t move):
        return self.rules.name(move)

    @property
    def names(self):
        return list((<PythonRules>self.rules).user.moves) if isinstance(self.rules, PythonRules) else None

    cdef int take_names(self, object root, object names) except -1:
        return (<PythonRules>root).user.take_names(names) if isinstance(root, PythonRules) else 0

    cdef bint is_proven(self) noexcept nogil:
        return self.tree.proof.value >= 0 or ((<GeneralTree *>self.tree).bounded and self.tree.settled)

    cdef GeneralBlock *root(self) noexcept nogil:
        cdef GeneralTree *general = <GeneralTree *>self.tree
        return general_block(general, general_root(general) & WIDE_INDEX)

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        cdef uint32_t link = view.links[slot], distance
        cdef int32_t points
        if self.settings.proves:
            points = self.proven_points(link, &distance)
            return WON if points == 2 and distance == 0 else LOST if points == 0 and distance == 0 else OPEN
        return WON if ends_with_win(<GeneralTree *>self.tree, link, self.root().player) else OPEN

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        cdef GeneralSettings settings = self.settings
        if settings.function is not None:
            self.evaluator = evaluator_of(settings.function, settings.by_state)
            self.evaluator.prepare(self.rules, settings.options.batch)
        self.plan(limit)
        limit = SearchCore.start(self, limit, repeatable)
        self.broken = False
        self.runs_ahead = settings.overlaps
        if self.runs_ahead:
            self.other = evaluator_of(settings.function, settings.by_state)
            self.other.prepare(self.rules, settings.options.batch)
            self.beside = EvaluationThread(self.rules)
        return limit

    cdef void plan(self, uint32_t limit) noexcept nogil:
        (<GeneralTree *>self.tree).simulations = limit

    cdef int run(self, uint32_t count) except -1 nogil:
        """Up to ``count`` iterations by rollouts, or up to one batch of evaluations."""
        cdef int status
        if not self.in_batches:
            return SearchCore.run(self, count)
        if self.runs_ahead:
            return self.run_beside(count)
        status = ops.gather(<GeneralTree *>self.tree, count, self.evaluator.observations, self.evaluator.stride)
        if status != RUN_GAME_ERROR and self.waiting():
            with gil:
                self.evaluate()
        return status

    cdef int evaluate(self) except -1:
        """Evaluates the waiting leaves, which ends their iterations."""
        cdef Evaluator evaluator = self.evaluator
        try:
            evaluator.evaluate(self.rules, self.waiting())
            self.resolve(evaluator)
        finally:
            evaluator.release()
        evaluator.prepare(self.rules, options_of(self).batch)
        return 0

    cdef int run_beside(self, uint32_t count) except -1 nogil:
        """Passes up to one batch on to the thread that calls the evaluator, behind the one that it has, and ends the
        oldest one where there are two or no other.

        So the thread begins with a batch as soon as it has ended the one before. Gathering and ending follow each other
        in the same order however long the calls take, so a seed gives the same search. In between, no visit that waits
        is counted.
        """
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef int status = ops.gather(general, count, self.evaluator.observations, self.evaluator.stride)
        if status == RUN_DONE or status == RUN_MEMORY:
            with gil:
                self.pass_on(status == RUN_MEMORY)
        ops.hide(general)
        return status

    cdef int pass_on(self, bint all_of_them) except -1:
        """``all_of_them``: ends all batches, because the tree has no room for more."""
        cdef EvaluationThread beside = self.beside
        cdef bint gathered = self.waiting() > 0
        try:
            if gathered:
                beside.begin(self.evaluator, self.waiting())
                self.evaluator, self.other = self.other, self.evaluator
            while beside.asked > (0 if all_of_them or not gathered else 1):
                self.take_oldest(beside.finish())
                if not all_of_them:
                    break
        except BaseException:
            self.broken = True
            raise
        return 0

    cdef int take_oldest(self, Evaluator evaluator) except -1:
        try:
            self.resolve(evaluator)
        finally:
            evaluator.release()
        return evaluator.prepare(self.rules, options_of(self).batch)

    cdef void give_up(self, object error) noexcept:
        if self.beside is not None:
            self.beside.give_up(error)

    cdef int join(self) except -1:
        """Ends the thread that calls the evaluator. What it has evaluated by then counts; where a number of iterations
        decides, all that waits does."""
        cdef EvaluationThread beside = self.beside
        cdef Evaluator evaluator
        cdef int status
        if beside is None:
            status = SearchCore.join(self)
            if self.teamed and (<GeneralSettings>self.settings).by_line:
                self.take_best_line()
            return status
        self.beside = None
        try:
            while self.stop_reason == "decided" and self.deadline >= 1e300 and beside.asked:
                self.take_oldest(beside.finish())
        finally:
            beside.close()
        while beside.asked and not self.broken and self.stop_reason != "solved":
            evaluator = beside.answered()
            if evaluator is None:
                break
            self.take_oldest(evaluator)
        return RUN_DONE

    cdef int take_best_line(self) except -1:
        """Takes the best line of all threads; of equal ones, the first thread's."""
        cdef GeneralTree *own = <GeneralTree *>self.tree
        cdef double value
        cdef uint32_t number
        for number in range(1, self.team.count):
            value = (<GeneralTree *>self.team.members[number].tree).best
            if value > own.best:
                own.best, self.rules.line = value, (<Rules>self.others_rules[number]).best_line()
                (<NativeRules>self.rules).context.line_changed = False  # the line is not its own
        return 0

    cdef int gather_leaves(self, uint32_t count, float *observations, uint64_t stride) noexcept nogil:
        cdef int status = ops.gather(<GeneralTree *>self.tree, count, observations, stride)
        if status == RUN_GAME_ERROR:
            ops.retract(<GeneralTree *>self.tree)
        return status

    cdef int use_evaluation(self, const GeneralEvaluation *evaluation, uint32_t row) noexcept nogil:
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef GeneralEvaluation part = evaluation[0]
        part.rows = general.older.waiting if general.older.entries else general.waiting
        if part.policy != NULL:
            part.policy += <uint64_t>row * part.width
        part.values += <uint64_t>row * part.value_width
        return ops.resolve(general, &part)

    cdef int resolve(self, Evaluator evaluator) except -1:
        cdef int fault
        with nogil:  # the thread that calls the evaluator wants the lock
            fault = self.use_evaluation(&evaluator.evaluation, 0)
        if fault != FAULT_NONE:
            raise evaluator.complaint(self.rules, <GeneralTree *>self.tree, 0)
        return 0

    cdef uint32_t waiting(self) noexcept nogil:
        return (<GeneralTree *>self.tree).waiting

    cdef void rest(self) noexcept:
        if self.tree != NULL:
            ops.retract(<GeneralTree *>self.tree)
        self.evaluator = self.other = None
        if self.rules is not None:
            self.rules.rest()

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef RootRows read_rows(self):
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef GeneralColumns columns = general_columns(general, self.root())
        cdef RootRows rows = new_rows(columns.count)
        cdef Interval interval
        cdef ChildRow *row
        cdef uint32_t slot, away
        rows.listed, rows.bounded = self.is_ordered(), general.bounded
        rows.unknown = self.value() if general.scored else 0.5
        if (<GeneralSettings>self.settings).by_halving:
            self.improve()
        for slot in range(columns.count):
            row = rows.add(columns.moves[slot], columns.visits[slot], columns.sums[slot])
            row.link = columns.links[slot]
            row.proven = <int8_t>self.proven_points(row.link, &away)
            row.distance = away + 1 if row.proven >= 0 else 0
            if general.bounded:
                interval = interval_of(general, row.link, self.rules.player)
                row.low, row.high = interval.low, interval.high
                if row.proven < 0:
                    row.proven = <int8_t>points_within(row.low, row.high)
                    row.distance = row.proven >= 0 and row.link & LINK_KIND == LINK_TERMINAL
            elif columns.priors != NULL:
                row.prior = max(<float>0.0, columns.priors[slot])
            if (<GeneralSettings>self.settings).by_halving:
                row.policy = general.completed[slot]
        if not is_plain_board(self.state):
            rows.moves = [self.rules.name(rows.rows[slot].move) for slot in range(rows.count)]
        return rows

    cdef int proven_points(self, uint32_t link, uint32_t *distance) noexcept nogil:
        """Half-points that a link of the root's block is proven to give to the player to move; -1: none are."""
        cdef int points = points_of(<GeneralTree *>self.tree, link, distance) if self.settings.proves else -1
        return points if points < 0 else points_for(self.root().player, points)

    cdef bint is_clear(self, uint32_t *move) noexcept:
        """The first move of a proof, else the one that ``leader`` returns, where no move is a win. To list and compare
        225 children took 0.1 ms."""
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef GeneralColumns columns
        cdef uint32_t slot, best = 0, distance
        cdef int points
        cdef double value, highest = -1.0
        cdef bint found = False, alone = False
        if not isinstance(self.rules, NativeRules) or general.bounded or general.scored or self.settings.by_value:
            return False
        if self.settings.proves and self.tree.proof.value >= 0:
            move[0] = self.tree.proof.move
            return move[0] != MCTS_NO_MOVE
        columns = general_columns(general, self.root())
        for slot in range(columns.count):
            if self.settings.proves:
                points = self.proven_points(columns.links[slot], &distance)
            else:
                points = 2 if ends_with_win(general, columns.links[slot], self.root().player) else -1
            if points == 2 or points == 1:  # of draws, visits are not all
                return False
            if points == 0:
                continue
            value = columns.sums[slot] / columns.visits[slot] if columns.visits[slot] else 0.5
            if not found or columns.visits[slot] > columns.visits[best] or (
                    columns.visits[slot] == columns.visits[best] and value > highest):
                found, alone, best, highest = True, True, slot, value
            elif columns.visits[slot] == columns.visits[best] and value == highest:
                alone = False
        if found and (<GeneralSettings>self.settings).by_halving:
            best, alone = self.halved(&columns), True
        move[0] = columns.moves[best]
        return found and (alone or self.is_ordered())

    cdef int leave_out(self, RootRows rows) except -1:
        """Leaves out the moves that another one is proven to be better than; once the value is known, all that are not
        known to keep it, or, where none is, all but the move that another search has told."""
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef double least = 0.0
        cdef bint settled = self.tree.settled and self.tree.proof.value < 0
        cdef uint32_t i
        cdef int32_t told
        if not general.bounded:
            return 0
        for i in range(rows.count):
            least = max(least, rows.rows[i].low)
        if settled and least < root_interval(general).high - EXACT:
            told = -1 if self.tree.proof.move == MCTS_NO_MOVE else rows.find(self.rules.name(self.tree.proof.move))
            for i in range(rows.count):
                rows.rows[i].out = told >= 0 and <int32_t>i != told
        elif settled:
            for i in range(rows.count):
                rows.rows[i].out = rows.rows[i].low < root_interval(general).high - EXACT
        else:
            for i in range(rows.count):
                rows.rows[i].out = rows.rows[i].high <= least and rows.rows[i].low != least
        return 0

    cdef list extended(self, list line):
        """Only the first move if the tree has proven nothing about it: the visits below do not show best play."""
        return line if self.link_of(line[0]) & LINK_KIND != LINK_BLOCK else line[:1]

    cdef tuple bounds(self):
        cdef GeneralTree *general = <GeneralTree *>self.tree
        return bounds_of(general, general_root(general), self.rules.player) if general.bounded else None

    cdef void improve(self) noexcept:
        """Writes the share of every move of the root in the improved policy to ``completed``."""
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef GeneralColumns columns = general_columns(general, self.root())
        complete_values(general, self.root(), &columns, columns.visits, general.completed)
        improve_policy(&columns, general.completed)

    cdef uint32_t halved(self, const GeneralColumns *columns) noexcept:
        """With Gumbel noise, the most visited move, of several the one with the best score."""
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef uint32_t slot, most = 0
        for slot in range(columns.count):
            if columns.priors[slot] >= 0:
                most = max(most, columns.visits[slot])
        score_by_noise(self.seed, general.options.gumbel_scale, columns, general.root_scores)
        complete_values(general, self.root(), columns, columns.visits, general.completed)
        return best_by_halving(columns, general.root_scores, general.completed, most)

    cdef bint is_ordered(self) noexcept:
        return self.rules.table.ordered

    cdef uint32_t moves_to_try(self) noexcept:
        cdef GeneralSettings settings = self.settings
        if settings.options.puct or settings.options.nested or settings.by_line:
            return 0
        return <uint32_t>len(self.rules.root_moves)

    cdef uint32_t leader(self, RootRows rows) except? 0xFFFFFFFF:
        cdef GeneralColumns columns
        cdef int32_t at
        if (<GeneralSettings>self.settings).by_halving:
            columns = general_columns(<GeneralTree *>self.tree, self.root())
            at = rows.find(self.rules.name(columns.moves[self.halved(&columns)]))
            if at >= 0 and not rows.rows[at].out:
                return <uint32_t>at
        return SearchCore.leader(self, rows)

    cdef double value(self):
        cdef GeneralBlock *top = general_block(<GeneralTree *>self.tree, 0)
        return totals_of(top)[self.rules.player] / top.valued

    cdef tuple values(self):
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef GeneralBlock *top = general_block(general, 0)
        cdef uint32_t plies, first
        cdef int player, points
        cdef dict known = {}
        if not self.rules.general:
            return None
        values = [totals_of(top)[player] / top.valued for player in range(self.rules.players)]
        points = self.proof(&plies, &first)
        if points >= 0:
            known = {self.rules.player: points / 2.0, 1 - self.rules.player: 1.0 - points / 2.0}
        elif general.bounded and self.is_proven():
            for player in range(self.rules.players):
                low, high = bounds_of(general, general_root(general), player)
                if high - low <= EXACT:
                    known[player] = (low + high) / 2.0
        return settled_values(values, known, self.rules.table.constant)

    cdef tuple scale(self):
        cdef GeneralTree *general = <GeneralTree *>self.tree
        cdef int player = self.rules.player
        return (general.low[player], general.high[player]) if general.scored else None

    cdef list kept_line(self):
        return self.rules.best_line()

    cdef object line_value(self):
        return (<GeneralTree *>self.tree).best if self.rules.best_line() is not None else None

    cdef bint signs(self) noexcept:
        return not self.rules.general


cdef int follow_native_line(NativeRules root, NativeRules before) except -1:
    """Takes over what is left of the best line of an earlier search, if this root lies on it."""
    cdef list line = before.best_line()
    cdef int step
    if line is None or root.context.game != before.context.game:
        return 0
    for step in range(min(<int>len(line), FOLLOWED + 1)):
        if leads_to(before.native, line[:step], root.native):
            root.line, root.line_value = line[step:], before.line_value
            return 0
    return 0


cdef bint ends_with_win(const GeneralTree *general, uint32_t link, int32_t player) noexcept nogil:
    """Whether the player who makes the move gets the highest value."""
    return link & LINK_KIND == LINK_TERMINAL and not general.scored and ending_values(general, link)[player] >= 1


cdef tuple bounds_of(const GeneralTree *general, uint32_t link, uint32_t player):
    cdef Interval interval = interval_of(general, link, player)
    return interval.low, interval.high
