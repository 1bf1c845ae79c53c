"""Iterations in flight: the leaves of one guided tree are valued by several threads. For ``guided_tree.pyx`` alone.

The thread of the search descends and backs up. It gives the leaves to *lanes* in turn. A lane is a queue with memory of
its own for the valuation and for exact search. Any free thread values the next leaf of any lane; the thread of the
search does so when it would have to wait. The leaves of a lane are valued one at a time, in the order in which the lane
got them, and iterations end in the order in which they began. So the result does not depend on which thread is faster.

A node whose visits come to a milestone becomes a *question* to exact search. Questions have a lane of their own,
because an answer may take as long as hundreds of leaves. An answer is used after a number of iterations that depends
only on the question's proof budget, or earlier if MOST_QUESTIONS wait.

The lane of questions has the exact search memory of the tree itself, which the thread of the search uses for the root
when no question waits. With two memories, what had proven a position was not there when it became the root, and won
games were given away.

An iteration in flight counts as a visit without a win for the nodes of its path: a virtual loss (Chaslot, Winands and
van den Herik, CG 2008, "Parallel Monte-Carlo Tree Search"). When it ends, its path may have changed: another one may
have proven a node of it, or given a node its remaining moves.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from mcts_core.game cimport mcts_game, mcts_interrupt, mcts_rng_seed
from mcts_core.platform cimport mcts_publish, mcts_published, mcts_take, mcts_wait
from mcts_core.tree.guided_blocks cimport block_at
from mcts_core.tree.guided_solver cimport ask_prover, clear_prover, forget_prover
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.leaf_value cimport value_leaf
from mcts_core.tree.memory cimport room_for
from mcts_core.tree.prover cimport prover_fits
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, NO_SLOT, WIDE_INDEX, thread_seed
from mcts_core.tree.valuation cimport forget_estimator, prepare_estimator


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef inline void free_way(Way *way) noexcept nogil:
    free(way.record)
    free(way.slots)
    free(way.moves)
    free(way.passed)


cdef inline void free_flights(GuidedTree *guided) noexcept nogil:
    cdef Flights *flights = guided.flights
    cdef uint32_t i
    if flights == NULL:
        return
    for i in range(flights.lane_count + 1):
        if flights.lanes[i].valuer != NULL:
            if i < flights.lane_count:
                forget_prover(flights.lanes[i].valuer)
            forget_estimator(flights.lanes[i].valuer)
            free(flights.lanes[i].valuer)
    for i in range(<uint32_t>MOST_FLIGHTS):
        free_way(&flights.flights[i].way)
    for i in range(<uint32_t>MOST_QUESTIONS):
        free_way(&flights.questions[i].way)
    free(flights)
    guided.flights = NULL


cdef inline void forget_other_game(GuidedTree *tree, const mcts_game *game) noexcept nogil:
    if not prover_fits(&tree.prover, game, tree.prover.bytes):
        forget_prover(tree)
    if tree.estimator != NULL and tree.estimator_game != game:
        forget_estimator(tree)


cdef inline void leave_game(GuidedTree *guided, const mcts_game *game) noexcept nogil:
    """Forgets what belongs to another game, in the lanes as well."""
    cdef uint32_t i
    forget_other_game(guided, game)
    for i in range(0 if guided.flights == NULL else guided.flights.lane_count):
        forget_other_game(guided.flights.lanes[i].valuer, game)


cdef inline void lanes_forget_provers(GuidedTree *guided) noexcept nogil:
    cdef uint32_t i
    for i in range(0 if guided.flights == NULL else guided.flights.lane_count):
        forget_prover(guided.flights.lanes[i].valuer)


cdef inline void clear_lanes(GuidedTree *guided) noexcept nogil:
    """Empties the memory of exact search."""
    cdef uint32_t i
    for i in range(0 if guided.flights == NULL else guided.flights.lane_count):
        clear_prover(guided.flights.lanes[i].valuer)


cdef inline bint make_flights(GuidedTree *guided, uint32_t count) noexcept nogil:
    cdef uint32_t i
    if guided.flights != NULL and guided.flights.lane_count != count:
        free_flights(guided)
    if guided.flights != NULL:
        return True
    guided.flights = <Flights *>calloc(1, sizeof(Flights))
    if guided.flights == NULL:
        return False
    guided.flights.lane_count = count
    for i in range(count + 1):
        guided.flights.lanes[i].valuer = <GuidedTree *>calloc(1, sizeof(GuidedTree))
        if guided.flights.lanes[i].valuer == NULL:
            free_flights(guided)
            return False
    return True


cdef inline bint room_for_way(Way *way, uint32_t length) noexcept nogil:
    if length <= way.room:
        return True
    if not (room_for(<void **>&way.record, 2 * length * sizeof(uint8_t *))
            and room_for(<void **>&way.slots, 2 * length * sizeof(uint32_t))
            and room_for(<void **>&way.moves, 2 * length * sizeof(uint32_t))
            and room_for(<void **>&way.passed, 2 * length * sizeof(uint32_t))):
        return False
    way.room = 2 * length
    return True


# ---- lanes -----------------------------------------------------------------------------------------------------------

cdef inline bint ready_lanes(GuidedTree *guided, uint64_t seed, const mcts_interrupt *interrupt) noexcept nogil:
    """Prepares the lanes for a search; False when the system gives no memory."""
    cdef Flights *flights = guided.flights
    cdef Lane *lane
    cdef GuidedTree *valuer
    cdef uint32_t i
    flights.begun = flights.ended = flights.asked = flights.answered = 0
    for i in range(flights.lane_count + 1):
        lane = &flights.lanes[i]
        lane.given = lane.done = lane.busy = 0
        valuer = lane.valuer
        valuer.options = guided.options
        if i < flights.lane_count:
            if not prover_fits(&valuer.prover, guided.tree.game, guided.options.lane_bytes):
                forget_prover(valuer)
            valuer.options.prover_bytes = guided.options.lane_bytes
        else:
            valuer.prover = guided.prover
        valuer.guide = guided.guide
        valuer.by_book = 0
        valuer.unseen = 0
        valuer.tree.game = guided.tree.game
        valuer.tree.root = guided.tree.root
        valuer.tree.root_sign = guided.tree.root_sign
        valuer.tree.wins_per_visit = guided.tree.wins_per_visit
        valuer.tree.half = guided.tree.half
        valuer.tree.interrupt = interrupt[0]
        valuer.tree.interrupted = 0
        valuer.tree.rollouts = 0
        mcts_rng_seed(&valuer.tree.rng, thread_seed(seed, i + 1))
        if i < flights.lane_count and not prepare_estimator(valuer):
            return False
    return True


cdef inline void value_flight(GuidedTree *valuer, Flight *flight) noexcept nogil:
    if flight.link & LINK_KIND == LINK_TERMINAL:
        return
    valuer.tree.path_move = flight.way.moves
    flight.status = value_leaf(valuer, flight.way.length, &flight.link, &flight.points)


cdef inline void answer(GuidedTree *valuer, Question *question) noexcept nogil:
    valuer.tree.path_move = question.way.moves
    question.status = ask_prover(valuer, question.way.length, question.budget, 0, question.wins_only, &question.proof)


cdef inline bint serve(Flights *flights, uint32_t number) noexcept nogil:
    """Values the next leaf of a lane, or answers its next question. False: none waits, or another thread is at one."""
    cdef Lane *lane = &flights.lanes[number]
    cdef uint32_t done
    if mcts_published(&lane.given) == mcts_published(&lane.done) or not mcts_take(&lane.busy):
        return False
    done = lane.done
    if mcts_published(&lane.given) == done:
        mcts_publish(&lane.busy, 0)
        return False
    if number == flights.lane_count:
        answer(lane.valuer, &flights.questions[done % MOST_QUESTIONS])
    else:
        value_flight(lane.valuer, &flights.flights[(done * flights.lane_count + number) % MOST_FLIGHTS])
    mcts_publish(&lane.done, done + 1)
    mcts_publish(&lane.busy, 0)
    return True


cdef inline bint value_any(Flights *flights, uint32_t first) noexcept nogil:
    """Values a leaf of the first lane, from ``first`` on, that has one."""
    cdef uint32_t i
    for i in range(flights.lane_count):
        if serve(flights, (first + i) % flights.lane_count):
            return True
    return False


cdef inline void wait_for(Flights *flights, uint32_t number, uint32_t count) noexcept nogil:
    """Waits until ``count`` leaves or questions of a lane are done, and helps meanwhile."""
    cdef uint32_t times = 0
    while mcts_published(&flights.lanes[number].done) < count:
        # while it waits for a leaf it answers no question, because that may take long
        if serve(flights, number) or value_any(flights, number):
            times = 0
        else:
            mcts_wait(times)
            times += 1


# ---- ways ------------------------------------------------------------------------------------------------------------

cdef inline bint keep_way(const GuidedTree *guided, Way *way, uint32_t length) noexcept nogil:
    if not room_for_way(way, length):
        return False
    way.length = length
    memcpy(way.record, guided.tree.path_record, length * sizeof(uint8_t *))
    memcpy(way.slots, guided.tree.path_slot, length * sizeof(uint32_t))
    memcpy(way.moves, guided.tree.path_move, length * sizeof(uint32_t))
    memcpy(way.passed, guided.tree.path_passed, length * sizeof(uint32_t))
    return True


cdef inline uint32_t retrace(GuidedTree *guided, const Way *way) noexcept nogil:
    """Makes a way, as far as the tree still has it, the path of the tree; its length.

    Where a block was moved, or replaced by one with more moves, the slot is
    found by its move."""
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef uint32_t i, slot, link = LINK_BLOCK
    for i in range(way.length):
        block = block_at(guided, link & WIDE_INDEX)
        columns = guided_columns(guided, block)
        slot = way.slots[i]
        guided.tree.path_passed[i] = way.passed[i]
        if <uint8_t *>block != way.record[i] or slot >= columns.count or columns.moves[slot] != way.moves[i]:
            guided.tree.path_passed[i] = NO_SLOT
            slot = 0
            while slot < columns.count and columns.moves[slot] != way.moves[i]:
                slot += 1
            if slot == columns.count:  # no such move: the path ends above
                return i
        guided.tree.path_record[i] = <uint8_t *>block
        guided.tree.path_slot[i] = slot
        guided.tree.path_move[i] = way.moves[i]
        link = columns.links[slot]
        if link & LINK_KIND != LINK_BLOCK:
            return i + 1
    return way.length


cdef inline uint32_t up_to_proof(const GuidedTree *guided, uint32_t length) noexcept nogil:
    """The length of the path up to its first proven node, ``length`` where there is none."""
    cdef GuidedColumns columns
    cdef uint32_t i
    for i in range(length):
        columns = guided_columns(guided, <GuidedBlock *>guided.tree.path_record[i])
        if known(guided, columns.links[guided.tree.path_slot[i]]):
            return i + 1
    return length
