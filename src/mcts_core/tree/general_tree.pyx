"""The search tree of general games: selection by UCB1 or PUCT for whoever moves, chance by its probabilities, leaves by
rollouts or by evaluations that come in batches. The layout is drawn in ``tree/general_tree.pxd``.

Every player maximises his own value: max^n (Luckhardt and Irani, AAAI 1986), in UCT by Sturtevant ("An Analysis of UCT
in Multi-player Games", CG 2008). UCB1 is that of Auer, Cesa-Bianchi and Fischer (Machine Learning 47, 2002), PUCT and
the noise of the root those of Silver et al. (Nature 550, 2017; Science 362, 2018), the other selection by priors that
of ``tree/gumbel.pxd``. This module is compiled once per instruction set. Its parts are in ``tree/``, too:
``general_blocks.pxd``, ``general_selection.pxd``, ``general_evaluation.pxd``, ``general_solver.pxd``,
``score_bounds.pxd`` and ``scored_games.pxd``.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from mcts_core.game cimport mcts_proof
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_DECISION, KIND_OVER, GeneralRules
from mcts_core.platform cimport MCTS_LIKELY, MCTS_UNLIKELY
from mcts_core.tree.dirichlet cimport mix_noise
from mcts_core.tree.general_blocks cimport (ending_of, free_block, lacks_next, look, new_block, open_next, open_root,
                                            position_room, set_link, shuffle)
from mcts_core.tree.general_evaluation cimport drop_oldest, fault_of, from_signed, take
from mcts_core.tree.general_proofs cimport is_proven_block, points_of, proven_link, proven_value
from mcts_core.tree.general_selection cimport (best_by_bound, best_by_gumbel, best_by_priors, counts_passed,
                                               draw_outcome, pass_over, passes, values_of_passed)
from mcts_core.tree.general_solver cimport (accept, ask_prover, forget_proof, forget_prover, has_prover, prove_root,
                                            reconsider, search_exactly, set_points, settle, shorten_win, tighten_path)
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.gumbel cimport score_by_noise
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration
from mcts_core.tree.nested_policy cimport forget_nested
from mcts_core.tree.nested_rollouts cimport roll_nested
from mcts_core.tree.prover cimport prover_clear, prover_fits
from mcts_core.tree.score_bounds cimport closed_values, is_closed, settle_root
from mcts_core.tree.scored_games cimport (add_rewards, back_up_scored, forget_range, keep_better, leaf_value,
                                          see_again)
from mcts_core.tree.spread cimport spread_out
from mcts_core.tree.tree cimport (FIRST_PATH, LAYOUT_GENERAL, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS,
                                  NO_SLOT, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY,
                                  WIDE_INDEX, Tree, TreeRoot, begin_search, count_iteration, path_reserve)


cdef extern from "kernels/selection/ucb1.h" nogil:
    void ucb_fill_ln()


cdef extern from "kernels/selection/priors.h" nogil:
    void priors_share(float *column, uint32_t count, double sum)


cdef GeneralOps ops

assert sizeof(GeneralBlock) == GENERAL_HEADER and sizeof(Ending) == sizeof(double)


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void general_destroy(Tree *tree) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    if general == NULL:
        return
    forget_prover(general)
    forget_nested(&general.nested)
    free(general.entries)
    free(general.position.moves)
    free(general.position.actions)
    free(general.position.probabilities)
    free(general.position.values)
    free(general.position.rewards)
    free(general.noise)
    free(general.root_scores)
    free(general.completed)
    free_tree(tree)


cdef Tree *general_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(GeneralTree), LAYOUT_GENERAL, &ops.tree, bytes)


cdef bint entry_room(GeneralTree *general) noexcept nogil:
    if general.entry_count < general.entry_room:
        return True
    if not room_for(<void **>&general.entries, (2 * general.entry_room + 16) * sizeof(GeneralEntry)):
        return False
    general.entry_room = 2 * general.entry_room + 16
    return True


cdef bint general_reserve(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    if general.position.values == NULL and not (
            room_for(<void **>&general.position.values, MAX_PLAYERS * sizeof(double))
            and room_for(<void **>&general.position.rewards, MAX_PLAYERS * sizeof(double))):
        return False
    return path_reserve(tree, levels) and position_room(general, count)


cdef void general_refresh(Tree *tree, uint32_t index, uint32_t visits, uint32_t reference) noexcept nogil:
    """Does nothing: this tree finds the best child when selection asks for it."""


cdef int general_reset(Tree *tree, const TreeRoot *root, const void *given, uint64_t seed, bint _) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef const GeneralOptions *options = <const GeneralOptions *>given
    cdef GeneralBlock *top
    cdef int status
    cdef uint32_t index
    set_exploration(tree, options.exploration)
    if (not empty_arena(tree, GENERAL_UNIT, tree.arena.reserved, WIDE_INDEX)
            or not general_reserve(tree, FIRST_PATH, 64)):
        return RUN_SYSTEM_MEMORY
    tree.wins_per_visit = 1
    tree.most_visits = MAX_ITERATIONS
    tree.half = 0.5
    general.best = -LARGEST_SUM
    general.rules = <const GeneralRules *>root.rules
    general.options = options[0]
    general.players = general.rules.players
    general.scored = general.rules.scored
    general.bounded = options.bounds and not general.scored
    general.header = header_for(general.players, general.scored, general.bounded)
    forget_range(general)
    begin_search(tree, seed)
    general.seed = seed
    forget_proof(general)
    if not prover_fits(&general.prover, general.rules.proving, options.prover_bytes):
        forget_prover(general)
    prover_clear(&general.prover)
    forget_batches(general)
    forget_nested(&general.nested)
    general.last_ending = 0
    general.fault = FAULT_NONE
    # Block 0 stands above the root and has one child, the root.
    tree.arena.top = general_units(general, 1, 1, True)
    top = general_block(general, 0)
    memset(top, 0, tree.arena.top * GENERAL_UNIT)
    top.player = CHANCE_PLAYER
    top.count = 1
    general_columns(general, top).limits[0] = CERTAIN
    status = look(general, 0, 0, True)
    if status == RUN_DONE and general.position.kind != KIND_DECISION:
        status = RUN_GAME_ERROR
    if status != RUN_DONE:
        return status
    index = new_block(general, True)
    if index == 0:
        return RUN_MEMORY
    general_columns(general, top).links[0] = (LINK_WAITS if options.puct else LINK_BLOCK) | index
    return RUN_DONE


cdef inline bint has_noise(const GeneralTree *general) noexcept nogil:
    return general.options.gumbel_scale > 0 if general.options.gumbel else general.options.noise_alpha > 0


cdef void add_noise(GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """Mixes noise into the priors of the root."""
    mix_noise(&general.tree.rng, general.options.noise_alpha, general.options.noise_weight, block.count,
              general_columns(general, block).priors, general.noise)


cdef void general_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef uint32_t distance
    cdef int32_t value
    general.rules = <const GeneralRules *>root.rules
    if not prover_fits(&general.prover, general.rules.proving, general.prover.bytes):
        forget_prover(general)
    begin_search(tree, seed)
    general.seed = seed
    tree.reused = general_columns(general, general_block(general, 0)).visits[0]
    general.root_proofs_spent = 0
    if not moved:
        return
    block.proof = 0  # that of a root stands in the tree
    forget_nested(&general.nested)
    forget_proof(general)
    if general.bounded:
        settle_root(general)
    value = proven_value(general, block, &distance) if general.options.solver else -1
    if value >= 0:
        prove_root(general, value, distance)
    if general.scored:
        see_again(general)
    if general.options.puct and general.options.noise_alpha > 0:
        add_noise(general, block)


# ---- descent and backup ----------------------------------------------------------------------------------------------

cdef inline uint32_t step(GeneralTree *general, uint32_t index, uint32_t at) noexcept nogil:
    """Selects at the block ``index``, writes entry ``at`` of the path, counts the visit; returns the child's link.

    Until its value comes the visit counts as lost: the virtual loss of a leaf that waits. A visit to a proven child
    would teach nothing: the descent goes on into the best of the children that nothing is proven of. A visit to a draw,
    as in the guided tree, is counted all the same when the value comes; with score bounds, a visit to any child whose
    values are known and which may be the best one. At a root with Gumbel noise such a visit is the iteration:
    sequential halving deals out visits, one for each.
    """
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, passed = NO_SLOT, depth = at - general.path_used
    if block.player < 0:
        slot = draw_outcome(general, &columns)
    elif general.options.gumbel:
        slot = best_by_gumbel(general, block, &columns, depth)
    elif general.options.puct:
        slot = best_by_priors(general, block, &columns, depth)
    else:
        slot = best_by_bound(general, block, &columns)
    if block.player >= 0 and passes(general, block, &columns, slot):
        passed = pass_over(general, block, &columns, depth, &slot)
    general.tree.path_record[at] = <uint8_t *>block
    general.tree.path_slot[at] = slot
    general.tree.path_passed[at] = passed
    general.tree.path_move[at] = columns.moves[slot]
    block.visits += 1
    columns.visits[slot] += 1
    return columns.links[slot]


cdef inline void forget_batches(GeneralTree *general) noexcept nogil:
    general.entry_count = general.path_used = general.waiting = general.collisions = 0
    memset(&general.older, 0, sizeof(GeneralBatch))
    general.hidden = False


cdef void undo(GeneralTree *general, uint32_t start, uint32_t length) noexcept nogil:
    """Takes back the visits of a descent."""
    cdef uint32_t at
    cdef GeneralBlock *block
    for at in range(start, start + length):
        block = <GeneralBlock *>general.tree.path_record[at]
        block.visits -= 1
        general_columns(general, block).visits[general.tree.path_slot[at]] -= 1


cdef void back_up(GeneralTree *general, uint32_t start, uint32_t length, const double *values) noexcept nogil:
    """Ends an iteration: adds its values to the nodes of its path. ``values``: of its last move."""
    cdef uint32_t at = start + length, passed
    cdef double proven[MAX_PLAYERS]
    cdef double discounted[MAX_PLAYERS]
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    if MCTS_UNLIKELY(general.scored):
        memcpy(discounted, values, 8 * general.players)
        values = discounted
        back_up_scored(general, start, at, discounted)
        at = start
    while at > start:
        at -= 1
        block = <GeneralBlock *>general.tree.path_record[at]
        passed = general.tree.path_passed[at]
        if block.player >= 0:
            columns = general_columns(general, block)
            columns.sums[general.tree.path_slot[at]] += values[block.player]
            # not if meanwhile a better move was found
            if MCTS_UNLIKELY(passed != NO_SLOT and counts_passed(general, block, columns.links[passed])):
                values_of_passed(general, columns.links[passed], proven)
                general.tree.nodes += columns.visits[passed] == 0
                columns.visits[passed] += 1
                columns.sums[passed] += proven[block.player]
                values = proven
        add_values(general, block, values)
    block = general_block(general, 0)
    general_columns(general, block).visits[0] += 1
    block.visits += 1
    add_values(general, block, values)
    count_iteration(&general.tree, length)


cdef int finish(GeneralTree *general, uint32_t start, uint32_t length, bint fresh) noexcept nogil:
    """Ends an iteration where the game is over, as the last look has reported. ``fresh``: nobody was there before."""
    cdef uint32_t link, distance
    cdef double proven[2]
    cdef const double *values
    if general.scored:
        add_rewards(general)
    link = ending_of(general)
    if link == 0:
        return RUN_MEMORY
    link |= LINK_TERMINAL
    values = ending_values(general, link)
    if general.options.keeps_line and not keep_better(general, length, values[0], False):
        return RUN_GAME_ERROR
    general.tree.nodes += fresh
    if general.options.solver and points_of(general, link, &distance) >= 0:
        settle(general, start, length, link, proven)
        values = proven
    else:
        set_link(general, start + length - 1, link)
    if general.bounded:
        tighten_path(general, start, length)
    back_up(general, start, length, values)
    return RUN_SOLVED if general.tree.settled else RUN_DONE


cdef void visit_again(GeneralTree *general, uint32_t start, uint32_t length, uint32_t link) noexcept nogil:
    """Ends an iteration at a child that is proven."""
    cdef uint32_t distance
    cdef double values[2]
    set_points(points_of(general, link, &distance), values)
    back_up(general, start, length, values)


# ---- searches by rollouts --------------------------------------------------------------------------------------------

cdef int roll_out(GeneralTree *general, uint32_t length) noexcept nogil:
    """Runs rollouts from the position of the last look and backs up their mean."""
    cdef double mean[MAX_PLAYERS]
    cdef double value
    cdef uint32_t player, rollouts = general.options.rollouts_per_leaf, _
    memset(mean, 0, sizeof(mean))
    for _ in range(rollouts):
        if general.rules.rollout(general.rules.context, &general.tree.rng, general.position.values) < 0:
            return RUN_GAME_ERROR
        if general.options.keeps_line:
            value = leaf_value(general, 0, general.position.values[0])
            if not keep_better(general, length, value, True):
                return RUN_GAME_ERROR
        for player in range(general.players):
            mean[player] += general.position.values[player]
    for player in range(general.players):
        mean[player] /= rollouts
        if general.scored:
            mean[player] = leaf_value(general, player, mean[player])
    general.tree.rollouts += rollouts
    back_up(general, 0, length, mean)
    return RUN_DONE


cdef int iterate(GeneralTree *general) noexcept nogil:
    cdef uint32_t index = general_root(general) & WIDE_INDEX, length = 0, link, kind, seen
    cdef int status = RUN_DONE
    cdef double closed[MAX_PLAYERS]
    while True:
        if MCTS_UNLIKELY(not path_reserve(&general.tree, length + 1)):
            status = RUN_SYSTEM_MEMORY
            break
        link = step(general, index, length)
        length += 1
        kind = link & LINK_KIND
        if kind == LINK_BLOCK:
            if MCTS_UNLIKELY(is_proven_block(general_block(general, link & WIDE_INDEX))):
                visit_again(general, 0, length, link)
                return RUN_DONE
            if general.bounded and is_closed(general, link):
                closed_values(general, link, closed)
                back_up(general, 0, length, closed)
                return RUN_DONE
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            if general.options.keeps_line and not keep_better(general, length, ending_values(general, link)[0], False):
                status = RUN_GAME_ERROR
                break
            back_up(general, 0, length, ending_values(general, link))
            return RUN_DONE
        if link:
            visit_again(general, 0, length, link)
            return RUN_DONE
        seen = general_columns(general, general_block(general, index)).visits[
            general.tree.path_slot[length - 1]] - 1
        status = look(general, 0, length, seen > 0)
        if status != RUN_DONE:
            break
        if general.position.kind == KIND_CHANCE and seen == 0:  # chance is no leaf: the iteration goes on below it
            status = look(general, 0, length, True)
            if status != RUN_DONE:
                break
        if general.position.kind == KIND_OVER:
            status = finish(general, 0, length, seen == 0)
            if status != RUN_DONE and status != RUN_SOLVED:
                break
            return status
        if seen == 0 and general.position.kind != KIND_CHANCE:
            status = roll_out(general, length)
            if status != RUN_DONE:
                break
            general.tree.nodes += 1
            return RUN_DONE
        index = new_block(general, False)
        if index == 0:
            status = RUN_MEMORY
            break
        general.tree.nodes += seen == 0
        general_block(general, index).visits = seen
        set_link(general, length - 1, LINK_BLOCK | index)
    undo(general, 0, length)
    return status


cdef int iterate_nested(GeneralTree *general) noexcept nogil:
    cdef int status = roll_nested(general)
    if status == RUN_DONE:
        back_up(general, 0, 1, general.position.values)
    return status


cdef inline uint32_t room_left(const GeneralTree *general, uint32_t count) noexcept nogil:
    """``count`` iterations, or as many as the counters have room for."""
    return min(count, <uint32_t>MAX_ITERATIONS - general.tree.reused - general.tree.iterations)


cdef int general_run(Tree *tree, uint32_t count) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef uint32_t _
    cdef int status
    count = room_left(general, count)
    if general.tree.settled:
        return RUN_SOLVED
    for _ in range(count):
        status = iterate_nested(general) if general.options.nested else iterate(general)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
    return RUN_DONE


# ---- searches by evaluations -----------------------------------------------------------------------------------------

cdef int enter(GeneralTree *general, uint32_t length, uint32_t leaf, bint fresh) noexcept nogil:
    """Adds the path that was just walked to the batch."""
    cdef GeneralEntry *entry
    if not entry_room(general):
        return RUN_SYSTEM_MEMORY
    entry = &general.entries[general.entry_count]
    entry.start = general.path_used
    entry.length = length
    entry.leaf = leaf
    entry.fresh = fresh
    general.entry_count += 1
    general.path_used += length
    if leaf:
        general.waiting += 1
    else:
        general.collisions += 1
    return RUN_DONE


cdef int descend(GeneralTree *general, float *row) noexcept nogil:
    """One descent: to a finished game, which is backed up at once, or to a leaf that then waits."""
    cdef uint32_t index = general_root(general) & WIDE_INDEX, start = general.path_used, length = 0, link, kind, child
    cdef double values[2]
    cdef mcts_proof proof
    cdef GeneralColumns columns
    cdef bint fresh
    cdef int status
    while True:
        if MCTS_UNLIKELY(not path_reserve(&general.tree, start + length + 1)):
            status = RUN_SYSTEM_MEMORY
            break
        columns = general_columns(general, general_block(general, index))
        if lacks_next(&columns):
            index = open_next(general, index, start + length)
            if index == 0:
                status = RUN_MEMORY
                break
        link = step(general, index, start + length)
        length += 1
        kind = link & LINK_KIND
        if MCTS_LIKELY(kind == LINK_BLOCK):
            if MCTS_UNLIKELY(is_proven_block(general_block(general, link & WIDE_INDEX))):
                visit_again(general, start, length, link)
                return RUN_DONE
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            back_up(general, start, length, ending_values(general, link))
            return RUN_DONE
        if kind == LINK_WAITS:
            status = enter(general, length, NO_LEAF, False)
            if status != RUN_DONE:
                break
            return RUN_DONE
        if link:
            visit_again(general, start, length, link)
            return RUN_DONE
        status = look(general, start, length, True)
        if status != RUN_DONE:
            break
        fresh = general_columns(general, general_block(general, index)).visits[
            general.tree.path_slot[start + length - 1]] == 1
        if general.position.kind == KIND_OVER:
            status = finish(general, start, length, fresh)
            if status != RUN_DONE and status != RUN_SOLVED:
                break
            return status
        if general.options.leaf_proofs and has_prover(general):
            status = ask_prover(general, start, length, general.options.leaf_proofs, &proof)
            if status != RUN_DONE:
                break
            if proof.value >= 0:
                general.tree.nodes += fresh
                settle(general, start, length, proven_link(<int32_t>general.position.player, proof.value,
                                                           proof.distance), values)
                back_up(general, start, length, values)
                return RUN_SOLVED if general.tree.settled else RUN_DONE
        child = new_block(general, False)
        if child == 0:
            status = RUN_MEMORY
            break
        if general.position.kind == KIND_CHANCE:
            general.tree.nodes += fresh
            set_link(general, start + length - 1, LINK_BLOCK | child)
            index = child
            continue
        status = wait(general, length, child, fresh, row)
        if status != RUN_DONE:
            free_block(general, child)
            break
        set_link(general, start + length - 1, LINK_WAITS | child)
        return RUN_DONE
    undo(general, start, length)
    return status


cdef int wait(GeneralTree *general, uint32_t length, uint32_t leaf, bint fresh, float *row) noexcept nogil:
    """Writes the observation of the position that was just described into ``row``, and adds its path to the batch."""
    cdef GeneralBlock *block = general_block(general, leaf)
    cdef int status
    if general.rules.observe(general.rules.context, row) < 0:
        return RUN_GAME_ERROR
    status = enter(general, length, leaf, fresh)
    if status == RUN_DONE:
        block.visits = 1
    return status


cdef int general_gather(GeneralTree *general, uint32_t count, float *observations, uint64_t stride) noexcept nogil:
    cdef int status = RUN_DONE
    cdef uint32_t most = general.options.batch, end
    cdef GeneralColumns columns
    show(general)
    if general.older.entries == 0:
        general.older = GeneralBatch(general.entry_count, general.path_used, general.waiting)
    general.waiting = general.collisions = 0
    count = room_left(general, count)
    if root_waits(general):
        if general.older.entries:
            return RUN_DONE
        status = look(general, 0, 0, True)
        if status == RUN_DONE:
            columns = general_columns(general, general_block(general, general_root(general) & WIDE_INDEX))
            memcpy(columns.limits, general.position.actions, columns.total * sizeof(uint32_t))  # a fault spoils them
            status = wait(general, 0, general_root(general) & WIDE_INDEX, True, observations)
        return status
    general.tree.interrupted = 0
    if general.options.root_proofs and has_prover(general) and general.tree.iterations > 0:
        status = search_exactly(general)
        if status != RUN_DONE:
            return status
    if general.tree.settled:
        general_retract(general)
        return shorten_win(general)
    end = general.tree.iterations + count
    while (general.waiting < most and general.collisions < most
           and general.tree.iterations + general.older.waiting + general.waiting < end):
        status = descend(general, NULL if observations == NULL else observations + general.waiting * stride)
        if MCTS_UNLIKELY(status != RUN_DONE or general.tree.interrupted):
            break
        if general.tree.iterations - (end - count) >= most:
            # a batch of finished games alone must end, too: the loop looks at the clock in between
            break
    if status == RUN_SOLVED:  # what waits has nothing to add
        general_retract(general)
        return shorten_win(general)
    if general.waiting == 0:  # where every descent met a leaf of the older batch
        drop_entries(general, general.older.entries)
    return status


cdef inline void drop_entries(GeneralTree *general, uint32_t first) noexcept nogil:
    """Takes back the entries from ``first`` on, none of which has a leaf."""
    cdef uint32_t number
    for number in range(first, general.entry_count):
        undo(general, general.entries[number].start, general.entries[number].length)
    general.entry_count = first
    general.path_used = general.older.path
    general.collisions = 0


cdef void general_hide(GeneralTree *general) noexcept nogil:
    cdef uint32_t number
    if general.hidden:
        return
    for number in range(general.entry_count):
        undo(general, general.entries[number].start, general.entries[number].length)
    general.hidden = general.entry_count > 0


cdef inline void show(GeneralTree *general) noexcept nogil:
    """Counts the visits that wait again."""
    cdef uint32_t at
    cdef GeneralBlock *block
    if MCTS_LIKELY(not general.hidden):
        return
    for at in range(general.path_used):
        block = <GeneralBlock *>general.tree.path_record[at]
        block.visits += 1
        general_columns(general, block).visits[general.tree.path_slot[at]] += 1
    general.hidden = False


cdef inline bint still_waits(const GeneralTree *general, const GeneralEntry *entry) noexcept nogil:
    """Whether the link to a leaf is as it was: meanwhile the exact search of the root may have proven the leaf."""
    cdef uint32_t at = entry.start + entry.length - 1
    cdef GeneralColumns columns = general_columns(general, <GeneralBlock *>general.tree.path_record[at])
    return columns.links[general.tree.path_slot[at]] == LINK_WAITS | entry.leaf


cdef void general_retract(GeneralTree *general) noexcept nogil:
    cdef uint32_t number
    cdef const GeneralEntry *entry
    show(general)
    for number in range(general.entry_count):
        entry = &general.entries[number]
        undo(general, entry.start, entry.length)
        if entry.leaf and entry.length == 0:
            general_block(general, entry.leaf).visits = 0
        elif entry.leaf:
            if still_waits(general, entry):
                set_link(general, entry.start + entry.length - 1, 0)
            free_block(general, entry.leaf)
    forget_batches(general)


cdef int general_resolve(GeneralTree *general, const GeneralEvaluation *evaluation) noexcept nogil:
    cdef uint32_t number, row = 0, player
    cdef const GeneralEntry *entry
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    cdef const float *value
    cdef double values[MAX_PLAYERS]
    cdef GeneralBatch batch = general.older
    show(general)
    if batch.entries == 0:
        batch = GeneralBatch(general.entry_count, general.path_used, general.waiting)
    if evaluation.rows != batch.waiting:
        return fault_of(general, FAULT_VALUE, 0, 0, 0, 0)
    if take(general, batch.entries, evaluation) != FAULT_NONE:
        return general.fault
    for number in range(batch.entries):
        entry = &general.entries[number]
        if entry.leaf == NO_LEAF:
            undo(general, entry.start, entry.length)
            continue
        block = general_block(general, entry.leaf)
        value = evaluation.values + <uint64_t>row * evaluation.value_width
        for player in range(general.players):
            if general.scored:
                values[player] = value[player]
            elif evaluation.value_width > 1:
                values[player] = from_signed(value[player])
            else:
                values[player] = from_signed(value[0] if player == <uint32_t>block.player else -value[0])
        columns = general_columns(general, block)
        priors_share(columns.priors, columns.total, entry.sum)
        if general.options.spread > 0:
            priors_share(columns.priors, columns.total, spread_out(
                columns.priors, columns.total, general.options.spread, &general.tree.rng))
        # noise at the root makes moves differ
        if columns.count == columns.total and not (general.rules.ordered or (entry.length == 0 and has_noise(general))):
            shuffle(&general.tree.rng, columns.moves, columns.priors, columns.count)
        add_values(general, block, values)
        for player in range(general.players if general.scored else 0):
            values[player] = carried(general, block, player, values[player])
        general.tree.rollouts += 1
        row += 1
        if entry.length == 0:
            general_columns(general, general_block(general, 0)).links[0] = LINK_BLOCK | entry.leaf
            if general.options.gumbel:
                score_by_noise(general.seed, general.options.gumbel_scale, &columns, general.root_scores)
            if general.options.noise_alpha > 0:
                add_noise(general, block)
            continue
        general.tree.nodes += entry.fresh
        if still_waits(general, entry):
            set_link(general, entry.start + entry.length - 1, LINK_BLOCK | entry.leaf)
        else:
            free_block(general, entry.leaf)
        back_up(general, entry.start, entry.length, values)
    drop_oldest(general, &batch)
    return FAULT_NONE


ops.tree.create = general_create
ops.tree.destroy = general_destroy
ops.tree.reset = general_reset
ops.tree.resume = general_resume
ops.tree.run = general_run
ops.tree.reserve = general_reserve
ops.tree.refresh = general_refresh
ops.gather = general_gather
ops.resolve = general_resolve
ops.retract = general_retract
ops.hide = general_hide
ops.accept = accept
ops.reconsider = reconsider
ops.open_root = open_root
ops.forget_prover = forget_prover

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
