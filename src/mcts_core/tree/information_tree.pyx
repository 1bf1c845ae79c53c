"""Information set Monte Carlo tree search, and planning in environments that tell what they show.

Each iteration descends in a position of its own that fits what the player to move at the root knows: ``determinize``
of the state draws it (single-observer ISMCTS: Cowling, Powley and Whitehouse, IEEE TCIAIG 4, 2012). The choices of a
node are compared by UCB1 in which the visits of the parent are those where the choice was legal. Nodes are found by
``observation_key`` of the player to move, so that every player decides by what he himself knows, or, where a game does
not have it, by the moves and the outcomes of chance since the root.

For one player with keys, maxima are backed up in place of means: the value of a choice is that of the outcomes seen so
far, each as often as it came, and the value of a node that of its best choice (DP-UCT: Keller and Helmert, ICAPS 2013).
A mean over what was explored would hide a goal that only a sequence of right moves reaches. This is exact where the key
tells all that matters, as in a Markov decision process whose state is observed. Descents go by the same values with a
bonus for what was tried rarely, backed up like a reward (MBIE-EB: Strehl and Littman, Journal of Computer and System
Sciences 74, 2008): without it they would find no goal that is far away. Several paths lead to one node, but a backup
sees its own path only. So each iteration also computes the values of some further nodes from what follows them, all
nodes in turn: value iteration in what has been seen of the environment (as Dyna does: Sutton, ICML 1990).

Where there are many moves, a node tries more of them the more visits it has: progressive widening (Coulom, Computer
Games Workshop 2007; for continuous actions Couetoux et al., LION 5, 2011).

The games behind it are written in Python, so all of this holds the GIL.
"""

import random

from libc.math cimport ceil, sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.games.user_states import endless
from mcts_core.games.state_kinds import has_member, member
from mcts_core.tree.portable_math cimport natural_log
from mcts_core.game cimport mcts_rng_below, mcts_rng_seed
from mcts_core.games.user_rollout cimport length_limit, random_move, random_rollout
from mcts_core.games.user_states cimport UserStates, footprint, refuse_repeated


cdef enum:
    LONGEST_GAME = 20000
    KEY_BYTES = 200              # of a key with its node, about, besides what the key holds: its place in a dict
    MOST_VISITS = 4096           # visits up to which pruning compares nodes
    MOST_COMPARED = 256          # positions that are compared with a new root
    SWEPT = 64                   # nodes beside its path whose values an iteration computes
    FOLLOWED = 2                 # moves after which a position is still recognised

cdef double UNSEEN = 1e140
cdef double EQUAL = 1e-9         # share of the larger one by which equal scores may differ by rounding


cdef int grow(void **array, uint32_t *room, uint32_t needed, size_t size) except -1:
    cdef uint32_t more = room[0]
    cdef void *moved
    if needed <= more:
        return 0
    while more < needed:
        more = 2 * more + 16
    moved = realloc(array[0], more * size)
    if moved == NULL:
        raise MemoryError("no memory for a search tree")
    array[0] = moved
    room[0] = more
    return 0


cdef class InformationTree:

    def __cinit__(self, state, *, double exploration, fpu=None, uint64_t limit=1 << 30, bint means=False,
                  uint32_t rollout_moves=0, uint32_t rollouts_per_leaf=1):
        require_hidden(state)
        self.user = UserStates(state, has_member(state, "players"))
        self.widening = as_widening(member(state, "widening", 0.0))
        key = member(state, "observation_key")
        if key is not None and not callable(key):
            raise InvalidState(f"observation_key must be a method, which the search calls with a player, got "
                               f"{shorten(key)} in {shorten(state)}")
        self.keyed = key is not None
        self.maxima = self.keyed and self.user.players == 1 and not means
        self.exploration = exploration
        self.has_fpu = fpu is not None
        self.fpu = 0.0 if fpu is None else fpu
        # over all steps of a plan the bonuses sum up to the exploration
        self.bonus = exploration * max(1.0 - self.user.discount, 1.0 / rollout_moves if rollout_moves else 0.01)
        self.limit = limit - limit // 3  # the rest is for the half that pruning copies
        self.longest = length_limit(self.user, state, rollout_moves)
        self.rollouts_per_leaf = rollouts_per_leaf
        self.numbers = {}

    def __dealloc__(self):
        free(self.nodes)
        free(self.choices)
        free(self.outcomes)
        free(self.path)
        free(self.legal)
        free(self.places)

    cdef uint64_t bytes(self) noexcept nogil:
        return (<uint64_t>self.node_count * sizeof(InformationNode) + self.key_total + self.user.name_total
                + <uint64_t>self.choice_count * sizeof(Choice) + <uint64_t>self.outcome_count * sizeof(Outcome))

    # ---- between two searches ----------------------------------------------------------------------------------------

    cdef bint follows(self, object state, bint below):
        """Whether a search of ``state`` can use the nodes: the same player moves there as at the root, and states that
        can be compared show that it is the root or comes at most two moves later. ``below``: it is not the root.

        Nodes of a search for another player are of no use. Their positions were drawn by what he knows, so they would
        give his secrets away.
        """
        cdef uint32_t depth
        cdef list near = [self.root], further
        try:
            if (not self.keyed or type(state) is not type(self.root) or type(state).__eq__ is object.__eq__
                    or self.user.mover(state) != self.player):
                return False
            for depth in range(FOLLOWED + 1):
                if (depth or not below) and state in near:
                    return True
                further = []
                for position in near if depth < FOLLOWED else ():
                    if len(further) < MOST_COMPARED and self.user.values(position) is None:
                        further += [self.user.child(position, move) for move in self.moves_of(position)]
                near = further[:MOST_COMPARED]
        except Exception:  # raised by the user's game; the search will meet and report it
            pass
        return False

    cdef list moves_of(self, object state):
        """The legal moves, or the outcomes of chance."""
        if self.user.mover(state) >= 0:
            return self.user.legal(state)
        return [move for move, _ in self.user.outcomes(state)]

    # ---- pruning -----------------------------------------------------------------------------------------------------

    cdef uint32_t least_kept(self) noexcept nogil:
        """The least visits of the nodes that take half of the memory."""
        cdef uint64_t sizes[MOST_VISITS]
        cdef uint64_t half = 0, kept = 0
        cdef uint32_t number, least = MOST_VISITS
        cdef const InformationNode *node
        memset(sizes, 0, sizeof(sizes))
        for number in range(self.node_count):
            node = &self.nodes[number]
            sizes[min(node.visits, <uint32_t>(MOST_VISITS - 1))] += (
                sizeof(InformationNode) + node.key_bytes + node.count * sizeof(Choice))
        for number in range(<uint32_t>MOST_VISITS):
            half += sizes[number]
        half //= 2
        while least > 0 and kept + sizes[least - 1] <= half:
            least -= 1
            kept += sizes[least]
        return least

    cdef int prune(self) except -1:
        """Drops all but the most visited nodes, which take half of the memory, and the moves that none of them has.
        Where maxima are backed up, the choices that led to a dropped node keep its value."""
        cdef uint32_t least = self.least_kept(), root = self.numbers[self.root_key]
        cdef uint64_t key_total = 0
        cdef uint32_t number, slot, kept = 0, choice_count = 0, outcome_count = 0
        cdef uint32_t *places = <uint32_t *>malloc(self.node_count * sizeof(uint32_t))
        cdef Choice *choices = <Choice *>malloc((self.choice_count + 1) * sizeof(Choice))
        cdef Outcome *outcomes = <Outcome *>malloc((self.outcome_count + 1) * sizeof(Outcome))
        cdef InformationNode *node
        cdef dict numbers = {}, ids = {}
        cdef list named = [], renamed = [-1] * len(self.user.moves)
        if places == NULL or choices == NULL or outcomes == NULL:
            free(places)
            free(choices)
            free(outcomes)
            raise MemoryError("no memory to prune a search tree")
        for number in range(self.node_count):
            places[number] = NOTHING
            if number == root or self.nodes[number].visits >= least:
                places[number] = kept
                kept += 1
                key_total += self.nodes[number].key_bytes
                for slot in range(self.nodes[number].first, self.nodes[number].first + self.nodes[number].count):
                    renamed[self.choices[slot].move] = 0
        try:  # the user's keys and moves run the user's code: nothing has changed yet
            for number in range(<uint32_t>len(renamed)):
                if renamed[number] == 0:
                    renamed[number] = len(named)
                    ids[self.user.moves[number]] = len(named)
                    named.append(self.user.moves[number])
            for key, number in self.numbers.items():
                if places[number] != NOTHING:
                    if not self.keyed and key:  # it begins with the node before, which has at least as many visits
                        key = places[<uint32_t>key[0]], renamed[key[1]], *key[2:]
                    numbers[key] = places[number]
            self.user.set_names(named, ids)
        except BaseException:
            free(places)
            free(choices)
            free(outcomes)
            raise
        for number in range(self.node_count):
            if places[number] == NOTHING:
                continue
            node = &self.nodes[number]
            memcpy(&choices[choice_count], &self.choices[node.first], node.count * sizeof(Choice))
            node.first, node.room = choice_count, node.count
            choice_count += node.count
            for slot in range(node.first, choice_count):
                choices[slot].move = renamed[choices[slot].move]
                choices[slot].outcome = self.keep_outcomes(choices[slot].outcome, places, outcomes, &outcome_count)
        for number in range(self.node_count):  # now no outcome needs the value of a dropped node
            if places[number] != NOTHING:
                self.nodes[places[number]] = self.nodes[number]
        free(places)
        free(self.choices)
        free(self.outcomes)
        self.prunes += 1
        self.dropped += self.node_count - kept
        self.numbers, self.node_count, self.key_total = numbers, kept, key_total
        self.choices, self.choice_room, self.choice_count = choices, self.choice_count + 1, choice_count
        self.outcomes, self.outcome_room, self.outcome_count = outcomes, self.outcome_count + 1, outcome_count
        self.full = self.bytes() >= self.limit
        return 0

    cdef uint32_t keep_outcomes(self, uint32_t at, const uint32_t *places, Outcome *kept,
                                uint32_t *count) noexcept nogil:
        """Copies the outcomes of a choice; those that lead to dropped nodes become one that ends there."""
        cdef uint32_t first = NOTHING, ended = NOTHING
        cdef const Outcome *outcome
        while at != NOTHING:
            outcome = &self.outcomes[at]
            at = outcome.next
            if outcome.node != NOTHING and places[outcome.node] != NOTHING:
                kept[count[0]] = outcome[0]
                kept[count[0]].node = places[outcome.node]
            elif ended == NOTHING:
                ended = count[0]
                kept[ended] = outcome[0]
                kept[ended].node = NOTHING
                if outcome.node != NOTHING:
                    kept[ended].value = outcome.count * self.nodes[outcome.node].value
            else:
                kept[ended].count += outcome.count
                kept[ended].reward += outcome.reward
                kept[ended].value += (outcome.value if outcome.node == NOTHING
                                      else outcome.count * self.nodes[outcome.node].value)
                continue
            kept[count[0]].next = first
            first = count[0]
            count[0] += 1
        return first

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef int begin(self, object state, object seed) except -1:
        """Makes ``state`` the root; the nodes of a search before stay."""
        mcts_rng_seed(&self.rng, seed)
        self.lot = mcts_rng_below(&self.rng, 0xFFFFFFFF)
        self.random = random.Random(seed)
        self.root = self.user.root = state
        self.iterations = self.rollouts = self.depth_max = self.valued = self.prunes = self.dropped = 0
        self.depth_sum = 0
        memset(self.totals, 0, sizeof(self.totals))
        self.find_scale()
        try:
            if self.user.values(state) is not None:
                raise GameOver(f"the game is over: there is nothing to search in {shorten(state)}")
            self.player = self.user.mover(state)
            if self.player < 0:
                raise InvalidState(f"a search needs a position in which a player is to move, but chance is to move in "
                                   f"{shorten(state)}: play() one of its outcomes first")
            self.root_moves = list(self.user.legal(state))
            refuse_repeated(state, self.root_moves, "legal_moves")
            self.root_key = self.key_of(state, self.player, 0, ())
        except (GameOver, InvalidState):
            raise
        except Exception as error:
            self.user.error = error
            self.user.raise_error()
        if self.root_key not in self.numbers:
            self.numbers[self.root_key] = self.new_node(self.player, self.root_key)
        self.reused = self.nodes[<uint32_t>self.numbers[self.root_key]].visits
        return 0

    cdef object key_of(self, object state, int player, uint32_t length, tuple drawn):
        """The key of the node of ``state``, after ``length`` steps of the descent. ``drawn``: the outcomes of chance
        since the last step."""
        cdef const Step *step
        if not self.keyed:
            if length == 0:
                return ()
            step = &self.path[length - 1]
            return step.node, self.choices[step.choice].move, player, *drawn
        self.user.calling = "observation_key()"
        key = state.observation_key(player if self.user.general else 1 - 2 * player)
        try:
            hash(key)
        except TypeError:
            raise GameError(f"{type(state).__name__}.observation_key() must return a hashable value, "
                            f"got {shorten(key)}") from None
        return player, key

    cdef object draw_state(self):
        """A position that fits what the player at the root knows."""
        self.user.calling = "determinize()"
        told = self.player if self.user.general else 1 - 2 * self.player
        state = self.root.determinize(told, self.random)
        if state is None:
            raise GameError(f"{type(self.root).__name__}.determinize() must return a state, got None")
        if self.user.values(state) is not None or self.user.mover(state) != self.player:
            raise GameError(f"{type(self.root).__name__}.determinize() must return a state in which the same player is "
                            f"to move as in the one that is searched")
        if self.keyed and self.key_of(state, self.player, 0, ()) != self.root_key:
            raise GameError(f"{type(self.root).__name__}.determinize({told}, rng) must return a state that fits what "
                            f"the player knows, but its observation_key({told}) is another one")
        return state

    cdef bint is_drawing(self):
        """Whether determinize() is the method of the game that was called last."""
        return self.user.calling == "determinize()"

    cdef uint32_t new_node(self, int player, object key) except? 0xFFFFFFFE:
        cdef InformationNode *node
        cdef uint64_t size = KEY_BYTES + footprint(key)
        grow(<void **>&self.nodes, &self.node_room, self.node_count + 1, sizeof(InformationNode))
        node = &self.nodes[self.node_count]
        memset(node, 0, sizeof(InformationNode))
        node.player = player
        node.key_bytes = <uint32_t>min(size, <uint64_t>NOTHING)
        self.key_total += node.key_bytes
        self.node_count += 1
        return self.node_count - 1

    cdef int add_choice(self, uint32_t number, uint32_t move) except -1:
        """Adds a choice behind the others of a node, which may have to move."""
        cdef InformationNode *node = &self.nodes[number]
        cdef Choice *choice
        cdef uint32_t room
        if node.count == node.room:
            room = 2 * node.room if node.room else <uint32_t>4
            grow(<void **>&self.choices, &self.choice_room, self.choice_count + room, sizeof(Choice))
            if node.count:
                memcpy(&self.choices[self.choice_count], &self.choices[node.first], node.count * sizeof(Choice))
            node.first = self.choice_count
            node.room = room
            self.choice_count += room
        choice = &self.choices[node.first + node.count]
        memset(choice, 0, sizeof(Choice))
        choice.move = move
        choice.outcome = NOTHING
        node.count += 1
        return 0

    cdef list widened(self, uint32_t node, list moves):
        """The moves that a node tries at its visits: with progressive widening, the first ones only."""
        cdef Py_ssize_t count
        if self.widening == 0.0:
            return moves
        count = <Py_ssize_t>ceil((self.nodes[node].visits + 1) ** self.widening)
        return moves if count >= len(moves) else moves[:count]

    cdef int find_places(self, uint32_t node) except -1:
        """Writes the place of each choice of a node to ``places``."""
        cdef uint32_t at, room = self.place_room
        grow(<void **>&self.places, &self.place_room, <uint32_t>len(self.user.moves), sizeof(uint32_t))
        if self.place_room > room:
            memset(&self.places[room], 0, (self.place_room - room) * sizeof(uint32_t))
        for at in range(self.nodes[node].count):
            self.places[self.choices[self.nodes[node].first + at].move] = at
        return 0

    cdef list seen_of(self, uint32_t node, list moves):
        """The moves that are choices of the node: the others have no place in a full tree."""
        cdef list seen = []
        cdef uint32_t number, at
        self.find_places(node)
        for move in moves:
            found = self.user.ids.get(move)
            if found is not None:
                number = found
                at = self.places[number]
                if at < self.nodes[node].count and self.choices[self.nodes[node].first + at].move == number:
                    seen.append(move)
        return seen

    cdef int list_legal(self, uint32_t node, list moves) except -1:
        """Lists the choices of the legal moves, and adds those that are new."""
        cdef uint32_t i, at, move, count = <uint32_t>len(moves)
        grow(<void **>&self.legal, &self.legal_room, count, sizeof(uint32_t))
        for i in range(count):
            self.legal[i] = self.user.identity_of(moves[i])
        self.find_places(node)
        for i in range(count):
            move = self.legal[i]
            at = self.places[move]  # of another node, where this one has no such choice
            if at >= self.nodes[node].count or self.choices[self.nodes[node].first + at].move != move:
                at = self.places[move] = self.nodes[node].count
                self.add_choice(node, move)
            self.legal[i] = at
        for i in range(count):  # now that the choices no longer move
            self.legal[i] += self.nodes[node].first
        return 0

    # ---- selection ---------------------------------------------------------------------------------------------------

    cdef double low_end(self, int player) noexcept nogil:
        return self.low[player] if self.user.scored and self.low[player] < UNSEEN else 0.0

    cdef double span(self, int player) noexcept nogil:
        """From the lowest to the highest value; 1 where all are equal but for rounding."""
        cdef double low = self.low[player], high = self.high[player]
        if not self.user.scored or not high - low > EQUAL * max(abs(low), abs(high)):
            return 1.0
        return high - low

    cdef void widen_scale(self, const InformationNode *node, const Choice *choice) noexcept nogil:
        cdef double mean = choice.sum / choice.visits
        self.low[node.player] = min(self.low[node.player], mean)
        self.high[node.player] = max(self.high[node.player], mean)

    cdef void find_scale(self) noexcept nogil:
        """The lowest and the highest value in the nodes that there are. Where maxima are backed up, also those that
        were there: values from rollouts fade, and on a smaller scale an untried move would score below tried ones.
        """
        cdef uint32_t number, slot
        cdef int player
        for player in range(self.user.players):
            if not (self.maxima and self.node_count):
                self.low[player], self.high[player] = UNSEEN, -UNSEEN
        for number in range(self.node_count):
            for slot in range(self.nodes[number].first, self.nodes[number].first + self.nodes[number].count):
                if self.choices[slot].visits:
                    self.widen_scale(&self.nodes[number], &self.choices[slot])

    cdef uint32_t select(self, uint32_t node, uint32_t count) noexcept nogil:
        """The place among the legal choices: one without a visit by chance, else UCB1 with the visits so far in which
        the choice was legal. Equal scores are decided by chance: by the order of the moves, the first one would get
        more visits, and often they alone decide between moves of equal value."""
        cdef int32_t player = self.nodes[node].player
        cdef double low = self.low_end(player), factor = 1.0 / self.span(player), value, score, top = -UNSEEN
        cdef uint32_t i, best = 0, untried = 0, equal = 0, at
        cdef Choice *choice
        if not self.has_fpu:
            for i in range(count):
                untried += self.choices[self.legal[i]].visits == 0
            if untried:
                at = mcts_rng_below(&self.rng, untried)
                for i in range(count):
                    if self.choices[self.legal[i]].visits == 0:
                        if at == 0:
                            return i
                        at -= 1
        for i in range(count):
            choice = &self.choices[self.legal[i]]
            if choice.visits == 0:
                score = self.fpu
            else:
                value = choice.hope if self.maxima else choice.sum / choice.visits
                score = ((value - low) * factor
                         + self.exploration * sqrt(natural_log(choice.legal) / choice.visits))
            if score > top + EQUAL:
                top = score
                best = i
                equal = 1
            elif score >= top - EQUAL:
                equal += 1
                if mcts_rng_below(&self.rng, equal) == 0:
                    best = i
        return best

    # ---- an iteration ------------------------------------------------------------------------------------------------

    cdef int add_reward(self, uint32_t length, object state) except -1:
        """Adds what led to ``state`` to the last step."""
        cdef uint32_t player
        if not self.user.scored:
            return 0
        for player, reward in enumerate(self.user.rewards(state)):
            self.path[length - 1].rewards[player] += <double>reward
        return 0

    cdef int roll_out(self, object state, double *values) except -1:
        """The mean values of the rollouts of a leaf."""
        cdef double found[MAX_PLAYERS]
        cdef uint32_t _, player
        self.rollouts += self.rollouts_per_leaf
        random_rollout(self.user, state, self.longest, None, &self.rng, values)
        for _ in range(1, self.rollouts_per_leaf):
            random_rollout(self.user, state, self.longest, None, &self.rng, found)
            for player in range(<uint32_t>self.user.players):
                values[player] += found[player]
        for player in range(<uint32_t>self.user.players):
            values[player] /= self.rollouts_per_leaf
        return 0

    cdef bint runs_in_circle(self, uint32_t node, uint32_t length) noexcept nogil:
        """Whether the descent came back to a node by choices that have led nowhere else so far. It would go round and
        round, as it chooses by the same values each time, and all of these visits would count against other choices.
        """
        cdef uint32_t at = length, next = node
        cdef const Choice *choice
        while at > 0:
            at -= 1
            choice = &self.choices[self.path[at].choice]
            if choice.outcome != NOTHING and (self.outcomes[choice.outcome].node != next
                                              or self.outcomes[choice.outcome].next != NOTHING):
                return False
            next = self.path[at].node
            if next == node:
                return True
        return False

    cdef list untried_of(self, list moves):
        """The legal moves that this iteration has not chosen at the current node. ``legal`` becomes their choices."""
        cdef uint32_t i, count = 0
        cdef list left = []
        for i in range(<uint32_t>len(moves)):
            if self.choices[self.legal[i]].tried != self.number:
                self.legal[count] = self.legal[i]
                count += 1
                left.append(moves[i])
        return left

    cdef int iterate(self) except -1:
        cdef double values[MAX_PLAYERS]
        cdef uint32_t length = 0, node, leaf, place, plies = 0, number
        cdef int player
        cdef bint chance, fresh
        cdef list moves
        cdef tuple drawn = ()
        cdef Step *step
        state = self.draw_state()
        self.number += 1
        while True:
            returned = self.user.values(state)
            if returned is not None:
                leaf = NOTHING
                for number in range(<uint32_t>self.user.players):
                    values[number] = returned[number]
                break
            plies += 1
            if plies > LONGEST_GAME:
                raise endless("game", state, LONGEST_GAME)
            player = self.user.mover(state)
            if player < 0:
                outcome = random_move(self.user, state, &self.rng, &chance)
                state = self.user.child(state, outcome)
                self.add_reward(length, state)
                if not self.keyed:
                    refuse_repeated(state, [outcome], "chance_outcomes")  # or an outcome that cannot be hashed
                    drawn = *drawn, outcome
                continue
            key = self.key_of(state, player, length, drawn)
            drawn = ()
            found = self.numbers.get(key)
            self.full = self.full or self.bytes() >= self.limit
            if found is None:
                leaf = NOTHING
                self.roll_out(state, values)
                if not self.full:
                    leaf = self.new_node(player, key)
                    self.numbers[key] = leaf
                    self.nodes[leaf].value = values[player]
                break
            node = found
            if self.full and self.nodes[node].count == 0:  # it stays a leaf
                leaf = NOTHING
                self.roll_out(state, values)
                break
            if self.nodes[node].player != player:
                raise GameError(f"{type(state).__name__}.observation_key() gave the same key to two players")
            fresh = self.nodes[node].met != self.number
            self.nodes[node].met = self.number
            if self.longest and length == self.longest:
                leaf = node
                if self.maxima:
                    values[0] = self.nodes[node].value
                else:
                    self.roll_out(state, values)
                break
            moves = self.widened(node, self.user.legal(state))
            if self.full:
                moves = self.seen_of(node, moves)
                if not moves:
                    leaf = NOTHING
                    self.roll_out(state, values)
                    break
            self.list_legal(node, moves)
            if self.maxima:
                self.weigh(node)
                if not fresh and self.runs_in_circle(node, length):
                    moves = self.untried_of(moves)
                    if not moves:
                        leaf = node
                        values[0] = self.nodes[node].value
                        break
            place = self.select(node, <uint32_t>len(moves))
            for number in range(<uint32_t>len(moves)):
                self.choices[self.legal[number]].legal += 1
            grow(<void **>&self.path, &self.path_room, length + 1, sizeof(Step))
            step = &self.path[length]
            memset(step, 0, sizeof(Step))
            step.node, step.choice, step.met = node, self.legal[place], fresh
            step.tried = self.choices[step.choice].tried != self.number
            self.choices[step.choice].tried = self.number
            length += 1
            state = self.user.child(state, moves[place])
            self.add_reward(length, state)
        self.back_up(length, leaf, values)
        if self.maxima and self.user.discount < 1.0:  # else values in a cycle of moves need not have a limit
            self.sweep()
        self.iterations += 1
        self.depth_sum += length
        self.depth_max = max(self.depth_max, length)
        return 0

    # ---- backup ------------------------------------------------------------------------------------------------------

    cdef int back_up(self, uint32_t length, uint32_t leaf, double *values) except -1:
        """``leaf``: the node at which the descent ended, with these values; NOTHING: there is none."""
        cdef uint32_t at = length, player
        cdef Step *step
        cdef Choice *choice
        cdef InformationNode *node
        while at > 0:
            at -= 1
            step = &self.path[at]
            node = &self.nodes[step.node]
            choice = &self.choices[step.choice]
            node.visits += step.met
            choice.visits += 1
            choice.tries += step.tried
            if self.maxima:
                self.add_outcome(step, leaf, values[0])
                self.weigh(step.node)
                values[0] = node.value
                leaf = step.node
            else:
                for player in range(<uint32_t>self.user.players):
                    values[player] = step.rewards[player] + self.user.discount * values[player]
                choice.sum += values[node.player]
            self.widen_scale(node, choice)
        for player in range(<uint32_t>self.user.players):
            self.totals[player] += values[player]
        self.valued += 1
        return 0

    cdef int add_outcome(self, Step *step, uint32_t leaf, double value) except -1:
        cdef uint32_t number = self.choices[step.choice].outcome
        cdef Outcome *outcome
        while number != NOTHING and self.outcomes[number].node != leaf:
            number = self.outcomes[number].next
        if number == NOTHING:
            number = self.outcome_count
            grow(<void **>&self.outcomes, &self.outcome_room, number + 1, sizeof(Outcome))
            self.outcome_count += 1
            memset(&self.outcomes[number], 0, sizeof(Outcome))
            self.outcomes[number].node = leaf
            self.outcomes[number].next = self.choices[step.choice].outcome
            self.choices[step.choice].outcome = number
        outcome = &self.outcomes[number]
        outcome.count += 1
        outcome.reward += step.rewards[0]
        if leaf == NOTHING:
            outcome.value += value
        return 0

    cdef double value_of(self, const Choice *choice, bint hope) noexcept nogil:
        """The value of a choice by its outcomes so far; ``hope``: by the hopes of what follows."""
        cdef double sum = 0.0
        cdef uint32_t number = choice.outcome
        cdef const Outcome *outcome
        cdef const InformationNode *node
        while number != NOTHING:
            outcome = &self.outcomes[number]
            if outcome.node == NOTHING:
                sum += outcome.reward + self.user.discount * outcome.value
            else:
                node = &self.nodes[outcome.node]
                sum += outcome.reward + self.user.discount * outcome.count * (
                    self.hope_of(node) if hope else node.value)
            number = outcome.next
        return sum / choice.visits

    cdef double hope_of(self, const InformationNode *node) noexcept nogil:
        """Where nothing was tried yet: the highest value so far, or the node's own value if that is higher; only its
        own value if the tree is full."""
        if node.count:
            return node.hope
        return node.value if self.full else max(node.value, self.low_end(node.player) + self.span(node.player))

    cdef void sweep(self) noexcept nogil:
        """Finds the values of some nodes again, from the newest one to the oldest, because what follows is newer."""
        cdef uint32_t _
        for _ in range(min(<uint32_t>SWEPT, self.node_count)):
            if self.swept == 0 or self.swept > self.node_count:
                self.swept = self.node_count
            self.swept -= 1
            self.weigh(self.swept)

    cdef void weigh(self, uint32_t number) noexcept nogil:
        """Finds the values of a node's choices again, since those of what follows have changed, and its own."""
        cdef InformationNode *node = &self.nodes[number]
        cdef Choice *choice
        cdef double best = -UNSEEN, hope = -UNSEEN, span = self.span(node.player), value
        cdef uint32_t slot
        for slot in range(node.first, node.first + node.count):
            choice = &self.choices[slot]
            if choice.visits == 0:
                hope = max(hope, self.low_end(node.player) + span)
                continue
            value = self.value_of(choice, False)
            choice.sum = value * choice.visits
            best = max(best, value)
            choice.hope = self.value_of(choice, True) + self.bonus * span / sqrt(<double>choice.visits)
            hope = max(hope, choice.hope)
        if best > -UNSEEN:
            node.value = best
        if hope > -UNSEEN:
            node.hope = hope


cdef int require_hidden(object state) except -1:
    if not callable(member(state, "determinize")):
        raise InvalidState(f"{shorten(state)} has hidden_information and needs a method determinize(player, rng)")
    return 0


cdef double as_widening(value) except? -1.0:
    try:
        exponent = -1.0 if isinstance(value, (bool, str, bytes)) else float(value)
    except Exception:
        exponent = -1.0
    if not 0.0 <= exponent <= 1.0:
        raise InvalidState(f"widening must be a number from 0 to 1, got {shorten(value)}")
    return exponent
