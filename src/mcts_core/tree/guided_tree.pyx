"""The guided search: selection with priors, AMAF statistics and proven values; layout: ``tree/guided_tree.pxd``.

Here are its memory, expansion and the iteration with the backup. Selection is in ``guided_selection.pxd``, blocks are
made in ``guided_blocks.pxd``, proofs in ``guided_solver.pxd`` by the rule of ``proof_rule.pxd``; the AMAF statistics
are in ``rave.pxd``, the values of leaves in ``leaf_value.pxd``, what comes from the valuation of the game in
``valuation.pxd``, and how several threads value leaves in ``flights.pxd``. All of this is compiled with this module,
once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from mcts_core.game cimport mcts_game, mcts_interrupt, mcts_policy, mcts_proof
from mcts_core.platform cimport MCTS_LIKELY, MCTS_UNLIKELY, mcts_publish
from mcts_core.tree.dirichlet cimport mix_noise
from mcts_core.tree.flights cimport (clear_lanes, free_flights, keep_way, lanes_forget_provers, leave_game,
                                     make_flights, ready_lanes, retrace, serve, up_to_proof, value_any, wait_for)
from mcts_core.tree.guided_blocks cimport (block_at, children_reserve, find_children, free_block, leaf_sign, make_block,
                                           set_link)
from mcts_core.tree.guided_selection cimport best_unknown, select
from mcts_core.tree.guided_solver cimport (FOLLOWING_PACE, FOLLOWING_SLICES, ROOT_SLICE, ask_prover, check_best,
                                           checks_moves, clear_prover, forget_prover, forget_spent, has_prover,
                                           is_milestone, make_prover, node_budget, prove_node, prove_root,
                                           reconsider, search_root_exactly, settle, settle_proof)
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.leaf_value cimport points_of_link, value_leaf
from mcts_core.tree.guided_proofs cimport terminal, value_of
from mcts_core.tree.prover cimport prover_fits
from mcts_core.tree.rave cimport add_amaf, give_amaf, reference_of
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration
from mcts_core.tree.tree cimport (FIRST_PATH, LAYOUT_GUIDED, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, NO_SLOT, RUN_DONE,
                                  RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY, WIDE_INDEX, WIDE_UNIT, Tree, TreeRoot,
                                  begin_search, count_iteration, gain_of, must_end, path_reserve, result_of, spent_of)
from mcts_core.tree.valuation cimport forget_estimator, prepare_estimator


cdef extern from "kernels/selection/ucb1.h" nogil:
    void ucb_fill_ln()


cdef extern from "kernels/exp2.h" nogil:
    void exp2_fill()


cdef enum:
    # with several threads:
    ROUND = 256                  # in a search that can be repeated, after so many iterations none is in flight
    LEAST_DELAY = 64             # the answer to a question is used after so many iterations,
    DELAY_SHARE = 16             # and one more for each so many steps of its proof budget

cdef GuidedOps ops

assert sizeof(GuidedBlock) == GUIDED_HEADER


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void guided_destroy(Tree *tree) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    if guided == NULL:
        return
    forget_prover(guided)
    forget_estimator(guided)
    free_flights(guided)
    free(guided.noise)
    free(guided.children.moves)
    free(guided.children.actions)
    free(guided.children.outcomes)
    free(guided.children.distances)
    free(guided.children.priors)
    free(guided.played)
    free(guided.amaf_row)
    free(guided.scratch)
    free_tree(tree)


cdef Tree *guided_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(GuidedTree), LAYOUT_GUIDED, &ops.tree, bytes)


cdef bint guided_reserve(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil:
    return path_reserve(tree, levels) and children_reserve(<GuidedTree *>tree, count)


cdef void guided_refresh(Tree *tree, uint32_t index, uint32_t _, uint32_t reference) noexcept nogil:
    select(<GuidedTree *>tree, block_at(<GuidedTree *>tree, index), reference)


cdef void add_noise(GuidedTree *guided, GuidedBlock *block) noexcept nogil:
    """Mixes noise into the priors of the root."""
    mix_noise(&guided.tree.rng, guided.options.noise_alpha, guided.options.noise_weight, block.count,
              guided_columns(guided, block).priors, guided.noise)


cdef void begin_root(GuidedTree *guided, uint64_t seed) noexcept nogil:
    """Sets what every search of a new root begins with."""
    begin_search(&guided.tree, seed)
    guided.tree.proof.value = -1
    guided.tree.settled = 0
    guided.by_book = 0
    forget_spent(guided)
    # Searches by a valuation have few iterations: exact search begins with the first of them.
    guided.root_proofs_due = ROOT_SLICE if guided.options.share and guided.options.root_proofs else 0
    guided.following_due = 0


cdef void follow_proof(GuidedTree *guided) noexcept nogil:
    """The root follows from a proven one, but has no proof yet. Exact search tries harder, so that a won game stays
    won: without that and with 100 iterations a move, 3 of 101 won games of Connect Four were given away. That takes a
    slice in each of the first iterations; where time is limited, exact search may take as long as the iterations do:
    more of it left 1 to 11 iterations within 5 to 20 ms, and lost games that were won."""
    if guided.options.root_proofs:
        guided.root_proofs_due = 0
        guided.following_due = <uint64_t>FOLLOWING_SLICES * ROOT_SLICE


cdef void forget_provers(GuidedTree *guided) noexcept nogil:
    forget_prover(guided)
    lanes_forget_provers(guided)


cdef void set_root(GuidedTree *guided, const TreeRoot *root) noexcept nogil:
    guided.tree.game = root.game
    guided.guide = root.game.guide
    guided.tree.root = root.state
    guided.tree.root_sign = root.sign


cdef void guided_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint32_t distance = 0
    cdef int32_t value
    cdef GuidedBlock *block
    cdef bint followed = tree.proof.value >= 0
    leave_game(guided, root.game)
    set_root(guided, root)
    if moved:
        begin_root(guided, seed)
        block = block_at(guided, guided_columns(guided, block_at(guided, 0)).links[0] & WIDE_INDEX)
        if block.proof:  # that of a root stands in the tree; visits to a proven node were not counted in its block
            block.proof = 0
            block.visits = guided_columns(guided, block_at(guided, 0)).visits[0]
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value >= 0:
            prove_root(guided, value, distance)
        elif followed:
            follow_proof(guided)
        if guided.options.noise_alpha > 0:
            add_noise(guided, block)
            select(guided, block, reference_of(guided, 2))
    else:
        begin_search(tree, seed)
    tree.reused = guided_columns(guided, block_at(guided, 0)).visits[0]


cdef int guided_reset(Tree *tree, const TreeRoot *root, const void *given, uint64_t seed, bint keep) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef const GuidedOptions *options = <const GuidedOptions *>given
    cdef const mcts_game *game = root.game
    cdef GuidedBlock *block
    cdef bint followed = keep and tree.proof.value >= 0
    leave_game(guided, game)
    set_root(guided, root)
    guided.flies = False
    tree.fixed_moves = tree.narrow = 0
    tree.wins_per_visit = options.wins_per_visit
    tree.most_visits = visits_that_fit(options.wins_per_visit, options.selection)
    tree.half = <float>0.5 / <float>options.wins_per_visit
    guided.options = options[0]
    begin_root(guided, seed)
    if followed:
        follow_proof(guided)
    set_exploration(tree, options.exploration)
    if not empty_arena(tree, WIDE_UNIT, options.tree_bytes, WIDE_INDEX):
        return RUN_SYSTEM_MEMORY
    if not guided_reserve(tree, FIRST_PATH, game.max_moves if game.max_moves > 64 else 64):
        return RUN_SYSTEM_MEMORY
    if game.guide.actions > guided.played_room:
        if not room_for(<void **>&guided.played, game.guide.actions):
            return RUN_SYSTEM_MEMORY
        guided.played_room = game.guide.actions
    if not prover_fits(&guided.prover, game, options.prover_bytes):
        forget_prover(guided)
    if not keep:
        clear_prover(guided)
        clear_lanes(guided)
    # Block 0 stands above the root and has one child, the root: so the root is a slot like any other.
    tree.arena.top = block_units(guided, 8)
    block = <GuidedBlock *>tree.arena.base
    memset(block, 0, tree.arena.top * WIDE_UNIT)
    block.sign = 1
    block.capacity = 8
    block.count = 1
    return RUN_DONE


# ---- expansion -------------------------------------------------------------------------------------------------------

cdef int expand(GuidedTree *guided, uint32_t length, uint32_t *link) noexcept nogil:
    """Gives the leaf at the end of the path a block, or finds its proven value; its new link in ``link``."""
    cdef GuidedBlock *block
    cdef GuidedBlock *above = <GuidedBlock *>guided.tree.path_record[length - 1]
    cdef uint32_t index = 0, count = 0, slot = guided.tree.path_slot[length - 1]
    cdef int32_t value
    cdef uint32_t distance = 0
    cdef mcts_proof proof
    cdef mcts_policy policy = guided.options.policy
    cdef int status
    if not path_reserve(&guided.tree, length + 2):
        return RUN_SYSTEM_MEMORY
    if guided.options.leaf_proofs and has_prover(guided) and length > 1 and guided.options.share == 0:
        status = ask_prover(guided, length, guided.options.leaf_proofs, 0, False, &proof)
        if status != RUN_DONE:
            return status
        if proof.value >= 0:
            link[0] = terminal(leaf_sign(guided, length), proof.value, proof.distance)
            set_link(guided, length, link[0])
            return RUN_DONE
    if length == 1:
        policy.symmetry = 0
    while True:
        status = find_children(guided, length, &policy, &count)
        if status != RUN_DONE:
            return status
        status = make_block(guided, count, &index)
        if status != RUN_DONE:
            return status
        block = block_at(guided, index)
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value != -2 or policy.distance == 0:
            break
        free_block(guided, index)  # all of these lose, but perhaps not those that were left out
        policy.distance = 0
    if guided.options.selection == SELECT_GRAVE and length == 1 and not give_amaf(guided, block):
        return RUN_MEMORY
    if value >= 0:
        if length == 1:
            prove_root(guided, value, distance)
        else:
            link[0] = terminal(block.sign, value, distance)
            free_block(guided, index)
            set_link(guided, length, link[0])
            return RUN_DONE
    block.visits = guided_columns(guided, above).visits[slot]
    if length == 1 and guided.options.noise_alpha > 0:
        add_noise(guided, block)
    guided.tree.path_record[length] = <uint8_t *>block
    select(guided, block, reference_of(guided, length + 1))
    link[0] = LINK_BLOCK | index
    set_link(guided, length, link[0])
    return RUN_DONE


# ---- one iteration ---------------------------------------------------------------------------------------------------

cdef inline int descend(GuidedTree *guided, uint32_t *end, uint32_t *reached, bint *proven) noexcept nogil:
    """Follows the best child of every block to a leaf and expands it where that is due. ``end``: the length of the
    path, ``reached``: the link at its end, ``proven``: that node has just been proven."""
    cdef Tree *tree = &guided.tree
    cdef uint32_t length = 0, index = 0, slot, link, other
    cdef int status
    cdef GuidedBlock *block
    cdef GuidedBlock *below
    cdef GuidedColumns columns
    proven[0] = False
    while True:
        block = block_at(guided, index)
        tree.path_record[length] = <uint8_t *>block
        if MCTS_UNLIKELY(block.flags & BLOCK_STALE):
            select(guided, block, reference_of(guided, length + 1))
        slot = block.best
        link = block.best_link
        tree.path_slot[length] = slot
        columns = guided_columns(guided, block)
        tree.path_passed[length] = NO_SLOT
        if MCTS_LIKELY(link & LINK_KIND == LINK_BLOCK):
            below = block_at(guided, link & WIDE_INDEX)
            if MCTS_UNLIKELY(below.proof != 0):
                link = below.proof
        if MCTS_UNLIKELY(link & LINK_KIND == LINK_TERMINAL) and result_of(link) == 1 and guided.options.solver:
            other = best_unknown(guided, block, reference_of(guided, length + 1))
            if other != NO_SLOT:
                tree.path_passed[length] = slot
                slot = other
                link = columns.links[slot]
                tree.path_slot[length] = slot
            else:  # the other children are at most draws, some of them since they were last looked at
                proven[0] = True
        tree.path_move[length] = columns.moves[slot]
        length += 1
        if MCTS_LIKELY(link & LINK_KIND == LINK_BLOCK):
            index = link & WIDE_INDEX
            continue
        if link & LINK_KIND != LINK_TERMINAL and (columns.visits[slot] >= guided.options.expand_after or length == 1):
            status = expand(guided, length, &link)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
            if link & LINK_KIND == LINK_BLOCK:
                index = link & WIDE_INDEX
                continue
            proven[0] = True
        break
    end[0] = length
    reached[0] = link
    return RUN_DONE


cdef inline void add_points(GuidedTree *guided, GuidedBlock *block, GuidedColumns *columns, uint32_t slot,
                            int32_t points) noexcept nogil:
    """Adds what a visit gave to a slot."""
    cdef int32_t add = gain_of(&guided.tree, block.sign, points)
    columns.wins[slot] += add
    if guided.options.selection == SELECT_TUNED:
        columns.squares[slot] += <uint32_t>(add * add) // guided.options.wins_per_visit


cdef inline uint32_t count_visits(GuidedTree *guided, uint32_t length) noexcept nogil:
    """Counts a visit without a win for every node of the path, a virtual loss, so that the next iteration takes another
    one. Returns the level of the deepest node whose visits are at a milestone, 0: of none."""
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef uint32_t slot, prove = 0
    while length > 1:
        length -= 1
        block = <GuidedBlock *>guided.tree.path_record[length]
        columns = guided_columns(guided, block)
        slot = guided.tree.path_slot[length]
        guided.tree.nodes += columns.visits[slot] == 0
        columns.visits[slot] += 1
        block.visits += 1
        if prove == 0 and is_milestone(block.visits):
            prove = length
        block.flags |= BLOCK_STALE
    return prove


cdef inline uint32_t back_up(GuidedTree *guided, uint32_t length, uint32_t depth, int32_t points,
                             bint counted) noexcept nogil:
    """Adds an iteration that gave these points to every node of the path, from the leaf up; ``counted``: the visits are
    there already. Returns the level of the deepest node whose visits have come to a milestone, 0: of none."""
    cdef Tree *tree = &guided.tree
    cdef uint32_t i = length, slot, passed, prove = 0
    cdef bint amaf = guided.options.selection >= SELECT_RAVE
    cdef bint grave = guided.options.selection == SELECT_GRAVE
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    count_iteration(tree, depth)
    while i > 1:
        i -= 1
        block = <GuidedBlock *>tree.path_record[i]
        columns = guided_columns(guided, block)
        slot = tree.path_slot[i]
        if amaf:  # the moves of the path join those of the rollout
            guided.played[columns.actions[slot]] = 1 if block.sign == tree.root_sign else 2
            add_amaf(guided, block, points)
        add_points(guided, block, &columns, slot, points)
        passed = tree.path_passed[i]
        if passed != NO_SLOT:  # what the levels above see is the draw
            points = <int32_t>guided.options.wins_per_visit
            tree.nodes += columns.visits[passed] == 0
            columns.visits[passed] += 1
            add_points(guided, block, &columns, passed, points)
        if not counted:
            columns.visits[slot] += 1
            block.visits += 1
            if prove == 0 and is_milestone(block.visits):
                prove = i
        if grave:
            select(guided, block, reference_of(guided, i + 1))
    # When all counts are written, and not level by level: a vector that contains a number just written cannot be loaded
    # before that has reached the cache, so each level waited for the one below, and gomoku's search took 1.08 times as
    # long. With GRAVE the best child depends on an AMAF record further up, which this iteration has not changed yet.
    if not grave:
        for i in range(1, length):
            select(guided, <GuidedBlock *>tree.path_record[i], 0)
    block = block_at(guided, 0)
    columns = guided_columns(guided, block)
    columns.visits[0] += 1
    columns.wins[0] += points
    return prove


cdef int iterate(GuidedTree *guided) noexcept nogil:
    cdef Tree *tree = &guided.tree
    cdef uint32_t length = 0, link = 0, depth, prove
    cdef int32_t points = 0
    cdef bint proven = False
    cdef GuidedColumns columns
    cdef int status = descend(guided, &length, &link, &proven)
    if MCTS_UNLIKELY(status != RUN_DONE):
        return status
    depth = length - 1
    if guided.options.selection >= SELECT_RAVE:
        memset(guided.played, 0, guided.guide.actions)
    if link & LINK_KIND != LINK_TERMINAL:
        status = value_leaf(guided, length, &link, &points)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
        if MCTS_UNLIKELY(link & LINK_KIND == LINK_TERMINAL):
            set_link(guided, length, link)
            proven = True
    if link & LINK_KIND == LINK_TERMINAL:
        points = points_of_link(guided, link)
    columns = guided_columns(guided, <GuidedBlock *>tree.path_record[depth])
    tree.nodes += columns.visits[tree.path_slot[depth]] == 0
    # A move that is proven to lose counts as one visit with no win, and keeps those that it had. In gomoku at 50 ms, to
    # go on with another move in the same iteration lost 140 Elo, and to take back what the move had won about 30.
    if proven and guided.options.solver:
        status = settle(guided, &length, &points)
        if status != RUN_DONE:
            return status
    prove = back_up(guided, length, depth, points, False)
    if prove > 1 and guided.options.node_proofs and has_prover(guided):
        return prove_node(guided, prove)
    return RUN_DONE


# ---- iterations in flight --------------------------------------------------------------------------------------------

cdef int begin_flight(GuidedTree *guided) noexcept nogil:
    """Begins an iteration and gives its leaf to a lane. Asks exact search if a node of its path is at a milestone."""
    cdef Flights *flights = guided.flights
    cdef Flight *flight = &flights.flights[flights.begun % MOST_FLIGHTS]
    cdef Lane *lane = &flights.lanes[flights.begun % flights.lane_count]
    cdef uint32_t length = 0, prove
    cdef int status = descend(guided, &length, &flight.link, &flight.proven)
    if status != RUN_DONE:
        return status
    if not keep_way(guided, &flight.way, length):
        return RUN_SYSTEM_MEMORY
    flight.status = RUN_DONE
    guided.tree.rollouts += flight.link & LINK_KIND != LINK_TERMINAL
    prove = count_visits(guided, length)
    flights.begun += 1
    mcts_publish(&lane.given, lane.given + 1)
    if prove > 1 and guided.options.node_proofs and has_prover(guided):
        if flights.asked - flights.answered == MOST_QUESTIONS:
            status = use_answer(guided)
            if status != RUN_DONE or up_to_proof(guided, retrace(guided, &flight.way)) <= prove:
                return status
        return ask(guided, prove)
    return RUN_DONE


cdef int end_flight(GuidedTree *guided) noexcept nogil:
    """Ends the oldest iteration in flight."""
    cdef Flights *flights = guided.flights
    cdef Flight *flight = &flights.flights[flights.ended % MOST_FLIGHTS]
    cdef uint32_t length, full, link
    cdef bint whole, proven
    cdef int32_t points
    cdef int status
    cdef GuidedColumns columns
    wait_for(flights, flights.ended % flights.lane_count, flights.ended // flights.lane_count + 1)
    full = retrace(guided, &flight.way)
    if flight.status != RUN_DONE:
        return flight.status
    length = up_to_proof(guided, full)
    if length < full:  # a node that was proven since ends the iteration
        take_back(guided, length, full)
    whole = length == flight.way.length
    proven = whole and flight.proven
    points = flight.points
    if flight.link & LINK_KIND == LINK_TERMINAL:
        points = points_of_link(guided, flight.link)
    elif guided.options.share < SHARES:
        guided.tree.rollouts += guided.options.rollouts - 1  # begin_flight() has counted one
    columns = guided_columns(guided, <GuidedBlock *>guided.tree.path_record[length - 1])
    link = known(guided, columns.links[guided.tree.path_slot[length - 1]])
    if link:
        points = points_of_link(guided, link)
    elif whole and flight.link & LINK_KIND == LINK_TERMINAL:
        set_link(guided, length, flight.link)
        proven = True
    if proven and guided.options.solver:
        full = length
        status = settle(guided, &length, &points)
        if status != RUN_DONE:
            return status
        take_back(guided, length, full)
    flights.ended += 1
    back_up(guided, length, flight.way.length - 1, points, True)
    return RUN_DONE


cdef void withdraw_flight(GuidedTree *guided) noexcept nogil:
    """Takes back the visits of the oldest iteration in flight."""
    cdef Flights *flights = guided.flights
    wait_for(flights, flights.ended % flights.lane_count, flights.ended // flights.lane_count + 1)
    take_back(guided, 1, retrace(guided, &flights.flights[flights.ended % MOST_FLIGHTS].way))
    flights.ended += 1


cdef void take_back(GuidedTree *guided, uint32_t first, uint32_t end) noexcept nogil:
    """Takes back the visits of an iteration in flight from the levels ``first`` to ``end`` of its path."""
    cdef GuidedBlock *block
    cdef GuidedBlock *below
    cdef GuidedColumns columns
    cdef uint32_t level = end, slot
    while level > first:
        level -= 1
        block = <GuidedBlock *>guided.tree.path_record[level]
        columns = guided_columns(guided, block)
        slot = guided.tree.path_slot[level]
        columns.visits[slot] -= 1
        guided.tree.nodes -= first == 1 and columns.visits[slot] == 0
        block.visits -= 1
        if level + 1 == end and columns.links[slot] & LINK_KIND == LINK_BLOCK:
            below = block_at(guided, columns.links[slot] & WIDE_INDEX)
            if below.visits > columns.visits[slot]:  # the leaf was expanded meanwhile, with this visit
                below.visits = columns.visits[slot]
                if below.proof == 0:
                    below.flags |= BLOCK_STALE
        select(guided, block, reference_of(guided, level + 1))


cdef int ask(GuidedTree *guided, uint32_t level) noexcept nogil:
    """Asks for a proof of the node at this level of the path."""
    cdef Flights *flights = guided.flights
    cdef Lane *lane = &flights.lanes[flights.lane_count]
    cdef Question *question = &flights.questions[flights.asked % MOST_QUESTIONS]
    if not keep_way(guided, &question.way, level):
        return RUN_SYSTEM_MEMORY
    question.budget = node_budget(guided, <GuidedBlock *>guided.tree.path_record[level])
    question.wins_only = checks_moves(guided)
    question.due = guided.tree.iterations + LEAST_DELAY + <uint32_t>(question.budget // DELAY_SHARE)
    flights.asked += 1
    guided.prover_asked = True
    mcts_publish(&lane.given, lane.given + 1)
    return RUN_DONE


cdef int use_answer(GuidedTree *guided) noexcept nogil:
    """Waits for the answer to the oldest question, and uses what it proves."""
    cdef Flights *flights = guided.flights
    cdef Question *question = &flights.questions[flights.answered % MOST_QUESTIONS]
    cdef uint32_t length
    cdef GuidedColumns columns
    flights.answered += 1
    wait_for(flights, flights.lane_count, flights.answered)
    if question.status != RUN_DONE or question.proof.value < 0:
        return question.status
    length = up_to_proof(guided, retrace(guided, &question.way))
    columns = guided_columns(guided, <GuidedBlock *>guided.tree.path_record[length - 1])
    if length < question.way.length or known(guided, columns.links[guided.tree.path_slot[length - 1]]):
        return RUN_DONE
    return settle_proof(guided, length, &question.proof)


cdef int run_flights(GuidedTree *guided, uint32_t count) noexcept nogil:
    cdef Flights *flights = guided.flights
    cdef Tree *tree = &guided.tree
    cdef uint32_t in_flight, landing, end = spent_of(tree) + count
    cdef int status = RUN_DONE, halted = RUN_DONE
    if count < flights.lane_count:  # where a leaf takes longer than a slice: one for each thread
        end = min(spent_of(tree) + flights.lane_count, flights.limit)
    landing = end
    # No iteration is in flight after a run. How long runs are depends on the time that they take, so in a search that
    # can be repeated they end at fixed numbers of iterations.
    if flights.repeatable:
        end = min((end + ROUND - 1) // ROUND * ROUND, flights.limit)
        landing = min(spent_of(tree) // ROUND * ROUND + ROUND, end)
    while True:
        in_flight = flights.begun - flights.ended
        if in_flight == 0 and spent_of(tree) == landing:
            landing = min(landing + ROUND, end)
        if (halted == RUN_DONE and not tree.settled and not tree.interrupted and in_flight < MOST_FLIGHTS
                and spent_of(tree) + in_flight < landing):
            if tree.proof.value < 0:
                halted = begin_flight(guided)
                continue
            if in_flight == 0:
                tree.proof_iterations += 1
                halted = spend_on_root(guided)
                continue
        if in_flight == 0:
            break
        status = end_flight(guided)
        while (status == RUN_DONE and flights.answered != flights.asked
               and flights.questions[flights.answered % MOST_QUESTIONS].due <= tree.iterations):
            status = use_answer(guided)
        if status == RUN_DONE:
            status = spend_on_root(guided)
        if flights.ended % flights.lane_count == 0 and not tree.interrupted:  # ROUND slow leaves may take seconds
            must_end(tree)
        if status != RUN_DONE:
            while flights.ended != flights.begun:
                withdraw_flight(guided)
            return status
    if halted != RUN_DONE:
        return halted
    return RUN_SOLVED if tree.settled else RUN_DONE


cdef bint take_off(GuidedTree *guided, uint32_t threads, uint32_t limit, bint repeatable, uint64_t seed,
                   const mcts_interrupt *interrupt) noexcept nogil:
    guided.flies = (prepare_estimator(guided) and (not has_prover(guided) or make_prover(guided))
                    and make_flights(guided, threads) and ready_lanes(guided, seed, interrupt))
    if guided.flies:
        guided.flights.limit = limit
        guided.flights.repeatable = repeatable
    return guided.flies


cdef void answer_all(GuidedTree *guided) noexcept nogil:
    if guided.flights.repeatable:
        wait_for(guided.flights, guided.flights.lane_count, guided.flights.asked)


cdef void land(GuidedTree *guided) noexcept nogil:
    cdef uint32_t i
    guided.flies = False
    for i in range(guided.flights.lane_count + 1):
        guided.by_book |= guided.flights.lanes[i].valuer.by_book


cdef bint help_out(Flights *flights, uint32_t first) noexcept nogil:
    return serve(flights, flights.lane_count) or value_any(flights, first)


# ---- a run -----------------------------------------------------------------------------------------------------------

cdef int spend_on_root(GuidedTree *guided) noexcept nogil:
    """Adds what an iteration is worth to the budget for exact search of the root, and spends it when that is due."""
    cdef uint32_t slices
    cdef int status
    if not has_prover(guided):
        return RUN_DONE
    guided.root_proofs_due += guided.options.root_proofs
    if guided.following_due:
        slices = FOLLOWING_SLICES - <uint32_t>(guided.following_due // ROOT_SLICE)
        if not guided.tree.hurried or spent_of(&guided.tree) >= FOLLOWING_PACE * slices:
            guided.following_due -= ROOT_SLICE
            guided.root_proofs_due += ROOT_SLICE
    if guided.root_proofs_due < ROOT_SLICE:
        return RUN_DONE
    guided.root_proofs_due -= ROOT_SLICE
    if guided.flies:
        wait_for(guided.flights, guided.flights.lane_count, guided.flights.asked)
    status = search_root_exactly(guided)
    if status == RUN_DONE and checks_moves(guided):
        status = check_best(guided)
    return status


cdef int guided_run(Tree *tree, uint32_t count) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint32_t _
    cdef int status
    count = min(count, tree.most_visits - tree.reused - tree.iterations)
    guided.tree.interrupted = 0
    if guided.flies:
        return run_flights(guided, count)
    if not prepare_estimator(guided):
        return RUN_SYSTEM_MEMORY
    for _ in range(count):
        if guided.tree.settled:
            return RUN_SOLVED
        if guided.tree.interrupted:
            break
        if guided.tree.proof.value < 0:
            status = iterate(guided)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
        else:
            guided.tree.proof_iterations += 1
        status = spend_on_root(guided)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
    return RUN_SOLVED if guided.tree.settled else RUN_DONE


ops.tree.create = guided_create
ops.tree.destroy = guided_destroy
ops.tree.reset = guided_reset
ops.tree.resume = guided_resume
ops.tree.run = guided_run
ops.tree.reserve = guided_reserve
ops.tree.refresh = guided_refresh
ops.accept = set_link
ops.reconsider = reconsider
ops.forget_prover = forget_provers
ops.take_off = take_off
ops.answer_all = answer_all
ops.land = land
ops.help = help_out

ucb_fill_ln()
exp2_fill()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
