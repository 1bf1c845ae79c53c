"""Games behind the general tree: native games by their table, Python games by their methods.

A general game in Python has ``players``, ``to_move`` (an index, or ``CHANCE``), ``legal_moves()``,
``chance_outcomes()`` at chance nodes, ``play(move)`` and ``returns()``. An ordinary game, with ``to_move`` +1 or -1 and
``winner()``, has two players; player 0 is +1. The tree holds no Python objects; ``kept_states`` has the states that it
comes back to.
"""

import math

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.game import import_numpy
from mcts_core.arguments import shorten
from mcts_core.games.state_kinds import has_member, member, refuse_hidden
from mcts_core.games.user_states import as_count, endless

from mcts_core.game cimport (MCTS_CHANCE, MCTS_DRAW, MCTS_ERROR, MCTS_MAX_MOVES, MCTS_NO_MOVE, MCTS_ONGOING,
                             MCTS_ORDERED, MCTS_WIN, NativeState, general_of, mcts_game, mcts_general, mcts_proof,
                             mcts_rng, mcts_rng_below, mcts_rng_next)
from mcts_core.games.board_position cimport BoardPosition
from mcts_core.games.kept_states cimport NOT_ASKED, KeptStates
from mcts_core.games.python_game cimport check_table, error_in_table
from mcts_core.games.user_rollout cimport random_rollout, refuse_chance
from mcts_core.games.user_states cimport (CLOSE, LONGEST_ROLLOUT, MAX_PLAYERS, NAME_BYTES, UserStates, as_constant,
                                          refuse_repeated, sums_to_one, value_of)


cdef enum:
    LONGEST_GAME = 20000       # moves in the tree; one iteration can add any number of chance moves


cdef Rules rules_of(object state, bint observing, bint aligned):
    """``state`` behind a table of rules. ``observing``: an evaluator values the leaves, so moves need actions, and
    states need observations unless policies are ``aligned`` with the legal moves.

    Raises InvalidState, GameOver, GameError.
    """
    refuse_hidden(state)
    if isinstance(state, NativeState) and not aligned:
        return NativeRules(state, observing)
    return PythonRules(state, observing, aligned)


cdef class Rules:

    def __cinit__(self, *arguments):
        memset(&self.table, 0, sizeof(self.table))

    cdef object name(self, uint32_t move):
        return move

    cdef list best_line(self):
        """The moves of the best line that was found; None: none yet."""
        return self.line

    cdef void keep_lines(self) noexcept:
        """Prepares for a search that keeps the best line."""
        self.keeps = True
        self.line_value = -math.inf

    cdef int fail(self) except -1:
        """Raises the exception behind the error code that a function of the table returned."""
        told = self.root.explain_error() if isinstance(self.root, NativeState) else None
        raise GameError(told or error_in_table(self.root))

    cdef int check_root(self) except -1:
        """Raises GameError if the root has changed since the search began."""
        return 0

    cdef void rest(self) noexcept:
        """Releases what only a running search needs."""


# ---- native games ----------------------------------------------------------------------------------------------------

cdef class NativeRules(Rules):
    """The table over a native position."""

    def __cinit__(self, NativeState root, bint observing):
        cdef const mcts_game *game = root.game
        cdef const mcts_general *extra = general_of(game)
        cdef NativeContext *context = &self.context
        cdef int32_t player, count, i
        kind = type(root).__name__
        check_table(root, False)
        if game.legal_moves == NULL or game.play == NULL or not 1 <= game.max_moves <= MCTS_MAX_MOVES:
            raise InvalidState(f"{kind} cannot be searched like this: its game table must have legal_moves, play and "
                               f"max_moves from 1 to {MCTS_MAX_MOVES}, got max_moves {game.max_moves}")
        if observing and (extra == NULL or extra.observe == NULL):
            raise InvalidState(f"an evaluator needs observations, but the game table of {kind} has no observe()")
        self.native = root
        self.root = root
        self.players = 2
        context.game = game
        context.extra = extra
        context.root = root.state
        context.state = <uint8_t *>malloc(game.state_size + 1)
        context.rolling = <uint8_t *>malloc(game.state_size + 1)
        context.moves = <uint32_t *>malloc(4 * game.max_moves)
        context.probabilities = <double *>malloc(8 * game.max_moves)
        if (context.state == NULL or context.rolling == NULL or context.moves == NULL
                or context.probabilities == NULL):
            raise MemoryError
        if extra != NULL:
            self.shape = (extra.planes, extra.rows, extra.cols)
            self.actions = extra.actions
        if extra != NULL and extra.to_move != NULL:
            self.general = True
            self.players = extra.players
            if not 1 <= extra.players <= MAX_PLAYERS:
                raise InvalidState(f"a game must have 1 to {MAX_PLAYERS} players, but the game table of {kind} "
                                   f"has {extra.players}")
            context.constant = as_constant(root, self.players, False)
            if extra.returns == NULL:
                raise InvalidState(f"the game table of {kind} has to_move(), so it must have returns() as well")
            asked = member(root, "returns")
            if callable(asked) and asked() is not None:
                raise GameOver(f"the game is over: there is nothing to search in {shorten(root)}")
            player = extra.to_move(game.context, root.state)
            if player == MCTS_CHANCE and extra.chance != NULL:
                raise InvalidState(chance_at_root(root))
            count = game.legal_moves(game.context, root.state, context.moves)
            if count == 0:
                raise GameOver(f"the game is over: there is nothing to search in {shorten(root)}")
            if not 0 <= player < self.players or not 0 < count <= <int32_t>game.max_moves:
                self.fail()
            self.root_moves = [context.moves[i] for i in range(count)]
        else:
            winner = root.winner()
            if winner is not None:
                raise GameOver(f"the game is over (winner {winner}): there is nothing to search in {root!r}")
            player = 0 if root.to_move == 1 else 1
            self.root_moves = root.legal_moves()
            if can_prove(game):
                self.table.prove = native_prove
                self.table.proving = game
        self.player = player
        context.root_player = player
        self.table.context = context
        self.table.players = self.players
        self.table.constant = context.constant
        self.table.ordered = game.flags & MCTS_ORDERED != 0
        self.table.look = native_look
        self.table.onward = native_onward
        self.table.keep = native_keep
        self.table.rollout = native_rollout
        self.table.observe = native_observe

    def __dealloc__(self):
        free(self.context.state)
        free(self.context.rolling)
        free(self.context.moves)
        free(self.context.probabilities)
        free(self.context.line)

    cdef list best_line(self):
        cdef uint32_t i
        if self.context.line_changed:
            self.context.line_changed = False
            self.line = [self.context.line[i] for i in range(self.context.line_length)]
        return self.line


cdef inline bint is_value(double value) noexcept nogil:
    return 0.0 <= value <= 1.0


cdef int32_t advance(const NativeContext *context, uint8_t *state, int32_t *to_move, uint32_t move,
                     double *values) noexcept nogil:
    """Plays a move. Returns 0 if the game goes on, 1 if it is over (with its ``values``), and below 0 for an error."""
    cdef const mcts_game *game = context.game
    cdef const mcts_general *extra = context.extra
    cdef int32_t outcome = game.play(game.context, state, move), mover = to_move[0]
    cdef uint32_t player
    if outcome < 0:
        return MCTS_ERROR
    if extra == NULL or extra.to_move == NULL:
        to_move[0] = 1 - mover
        if outcome == MCTS_ONGOING:
            return 0
        values[mover] = 1.0 if outcome == MCTS_WIN else 0.5 if outcome == MCTS_DRAW else 0.0
        values[1 - mover] = 1.0 - values[mover]
        return 1
    if outcome != MCTS_ONGOING:
        if extra.returns(game.context, state, values) < 0:
            return MCTS_ERROR
        for player in range(extra.players):
            if not is_value(values[player]):
                return MCTS_ERROR
        return MCTS_ERROR if context.constant and not sums_to_one(values, <int>extra.players) else 1
    to_move[0] = extra.to_move(game.context, state)
    if to_move[0] >= <int32_t>extra.players or to_move[0] < (0 if extra.chance == NULL else MCTS_CHANCE):
        return MCTS_ERROR
    return 0


cdef int32_t native_look(void *opaque, const uint32_t *path, uint32_t length, bint listed,
                         GeneralPosition *position) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    cdef const mcts_game *game = context.game
    cdef uint32_t i
    cdef int32_t over = 0
    if length > LONGEST_GAME:
        return MCTS_ERROR
    memcpy(context.state, context.root, game.state_size)
    context.player = context.root_player
    for i in range(length):
        if over:
            return MCTS_ERROR
        over = advance(context, context.state, &context.player, path[i], position.values)
        if over < 0:
            return MCTS_ERROR
    context.plies = length
    return native_describe(context, over, listed, position)


cdef int32_t native_onward(void *opaque, const uint32_t *move, GeneralPosition *position) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    cdef int32_t over = 0
    if move != NULL:
        context.plies += 1
        if context.plies > LONGEST_ROLLOUT:
            return MCTS_ERROR
        over = advance(context, context.state, &context.player, move[0], position.values)
        if over < 0:
            return MCTS_ERROR
    return native_describe(context, over, True, position)


cdef int32_t native_describe(NativeContext *context, int32_t over, bint listed,
                             GeneralPosition *position) noexcept nogil:
    cdef const mcts_game *game = context.game
    cdef int32_t count
    position.kind = KIND_OVER if over else KIND_CHANCE if context.player == MCTS_CHANCE else KIND_DECISION
    position.player = <uint32_t>context.player
    if over or not listed:
        return 0
    if position.capacity < game.max_moves:
        position.count = game.max_moves
        return 0
    if position.kind == KIND_CHANCE:
        count = context.extra.chance(game.context, context.state, position.moves, position.probabilities)
        if not are_probabilities(position.probabilities, count, game.max_moves):
            return MCTS_ERROR
        position.count = count
        return 0
    count = game.legal_moves(game.context, context.state, position.moves)
    if not 1 <= count <= <int32_t>game.max_moves:
        return MCTS_ERROR
    position.count = count
    memcpy(position.actions, position.moves, 4 * count)
    return 0


cdef int32_t native_keep(void *opaque, const uint32_t *path, uint32_t length, bint rolled) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    cdef void *larger
    if length > context.line_room:
        larger = realloc(context.line, <uint64_t>length * sizeof(uint32_t))
        if larger == NULL:
            return MCTS_ERROR
        context.line, context.line_room = <uint32_t *>larger, length
    memcpy(context.line, path, <uint64_t>length * sizeof(uint32_t))
    context.line_length, context.line_changed = length, True
    return 0


cdef bint are_probabilities(const double *probabilities, int32_t count, uint32_t most) noexcept nogil:
    cdef double sum = 0.0
    cdef int32_t i
    if not 1 <= count <= <int32_t>most:
        return False
    for i in range(count):
        if not is_value(probabilities[i]):
            return False
        sum += probabilities[i]
    return 1.0 - CLOSE <= sum <= 1.0 + CLOSE


cdef int32_t native_rollout(void *opaque, mcts_rng *rng, double *values) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    cdef const mcts_game *game = context.game
    cdef uint8_t *state = context.rolling
    cdef int32_t count, over = 0, plies = 0, to_move = context.player
    cdef uint32_t player, move
    if context.extra != NULL and context.extra.rollout != NULL:
        if context.extra.rollout(game.context, context.state, rng, values) < 0:
            return MCTS_ERROR
        for player in range(context.extra.players):
            if not is_value(values[player]):
                return MCTS_ERROR
        return 0
    memcpy(state, context.state, game.state_size)
    while not over:
        if plies == LONGEST_ROLLOUT:
            return MCTS_ERROR
        plies += 1
        if to_move == MCTS_CHANCE:
            count = context.extra.chance(game.context, state, context.moves, context.probabilities)
            if not are_probabilities(context.probabilities, count, game.max_moves):
                return MCTS_ERROR
            move = context.moves[drawn(rng, context.probabilities, count)]
        else:
            count = game.legal_moves(game.context, state, context.moves)
            if not 1 <= count <= <int32_t>game.max_moves:
                return MCTS_ERROR
            move = context.moves[mcts_rng_below(rng, count)]
        over = advance(context, state, &to_move, move, values)
        if over < 0:
            return MCTS_ERROR
    return 0


cdef uint32_t drawn(mcts_rng *rng, const double *probabilities, uint32_t count) noexcept nogil:
    """A random outcome, drawn by its probability; never one of probability 0."""
    cdef double at = <double>(mcts_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0), sum = 0.0
    cdef uint32_t i, last = 0
    for i in range(count):
        if probabilities[i] <= 0:
            continue
        last = i
        sum += probabilities[i]
        if at < sum:
            break
    return last


cdef int32_t native_observe(void *opaque, float *row) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    if row == NULL:
        return 0
    return context.extra.observe(context.game.context, context.state, row)


cdef inline bint can_prove(const mcts_game *game) noexcept nogil:
    return game.guide != NULL and game.guide.prove != NULL


cdef int32_t native_prove(void *opaque, const uint32_t *path, uint32_t length, void *memory, uint64_t budget,
                          bint exact, mcts_proof *proof) noexcept nogil:
    cdef const NativeContext *context = <const NativeContext *>opaque
    cdef const mcts_game *game = context.game
    return game.guide.prove(game.context, context.root, path, length, memory, budget, exact, proof)


# ---- games written in Python -----------------------------------------------------------------------------------------

def chance_at_root(state):
    return (f"a search needs a position in which a player is to move, but chance is to move in {shorten(state)}: "
            f"play one of its chance_outcomes() first")


cdef class PythonRules(Rules):
    """The table over a user's state."""

    def __cinit__(self, root, bint observing, bint aligned):
        self.root = root
        self.leaves = []
        self.observing = observing
        self.aligned = aligned
        self.value = value_of(root)
        self.general = has_member(root, "players")
        self.user = UserStates(root, self.general)
        self.kept = KeptStates(self.user, root)
        if observing and not aligned and not callable(member(root, "observation")):
            raise InvalidState(f"an evaluator needs states with a method observation(), but {shorten(root)} has none; "
                               f"policy_value needs no observations")
        self.players = self.user.players
        actions = member(root, "actions") if observing and not aligned else None
        if actions is not None:
            count = as_count(actions, 1, (1 << 30) - 1)
            if count is None:
                raise InvalidState(f"actions must be an int from 1, the number of entries of a policy, "
                                   f"got {shorten(actions)}")
            self.actions = count
        self.table.context = <void *>self
        self.table.players = self.players
        self.table.look = python_look
        self.table.onward = python_onward
        self.table.move_bytes = NAME_BYTES
        self.table.rollout = python_rollout
        self.table.keep = python_keep
        self.table.scored = self.user.scored
        self.table.discount = self.user.discount
        self.table.constant = self.user.constant
        self.table.observe = python_observe
        if isinstance(root, NativeState):  # policy_value takes it as it is
            self.table.ordered = ((<NativeState>root).game.flags & MCTS_ORDERED != 0
                                  and not isinstance(root, BoardPosition))  # whose legal_moves() is by number
            if can_prove((<NativeState>root).game):
                self.table.prove = python_prove
                self.table.proving = (<NativeState>root).game
        values = None
        if observing and not aligned:
            import_numpy()
        try:
            values = self.user.values(root)
            if values is None:
                self.player = self.user.mover(root)
                if self.player >= 0:
                    self.root_moves = list(self.user.legal(root))
                    if observing and not aligned:
                        self.shape = self.user.planes(root).shape
        except Exception as error:
            self.user.error = error
            self.fail()
        if values is not None:
            told = f"returns {values}" if self.general else f"winner {root.winner()}"
            raise GameOver(f"the game is over ({told}): there is nothing to search in {shorten(root)}")
        if self.player < 0:
            raise InvalidState(chance_at_root(root))

    cdef object name(self, uint32_t move):
        return self.user.moves[move]

    cdef void rest(self) noexcept:
        self.kept.clear()
        self.leaves = []
        self.listed = None

    cdef int fail(self) except -1:
        error = self.user.error
        if self.root_moves is not None and (error is None or isinstance(error, Exception)):
            self.user.error = None
            try:
                self.check_root()  # a changed root explains all other errors
            except GameError as changed:
                if changed.__cause__ is None:
                    raise changed from error
            self.user.error = error
        return self.user.raise_error()

    cdef int check_root(self) except -1:
        return self.user.check_root(self.player, self.root_moves)

    cdef object at(self, const uint32_t *path, uint32_t length):
        """The state after a path."""
        if length > LONGEST_GAME:
            raise endless("game", self.root, LONGEST_GAME)
        return self.kept.at(path, length)

    cdef int describe(self, bint listed, GeneralPosition *position) except -1:
        """Describes the position of the last path."""
        cdef uint32_t slot
        cdef int player = self.kept.mover()
        cdef list moves = self.kept.legal()
        state = self.kept.state
        if player == NOT_ASKED:
            values = self.user.values(state)
            if values is not None:
                position.kind = KIND_OVER
                for slot in range(<uint32_t>self.players):
                    position.values[slot] = values[slot]
                return 0
            player = self.user.mover(state)
        position.kind = KIND_CHANCE if player < 0 else KIND_DECISION
        position.player = <uint32_t>player
        if self.keeps and player < 0:
            refuse_chance(state)
        if not listed:
            return 0
        if player < 0:
            outcomes = self.user.outcomes(state)
            moves = [move for move, _ in outcomes]
        else:
            outcomes = None
            if moves is None:
                moves = self.user.legal(state)
        self.listed = moves
        self.user.calling = "__hash__() of a move"
        refuse_repeated(state, moves, "legal_moves" if player >= 0 else "chance_outcomes")
        self.kept.know(player, moves if outcomes is None else None)
        position.count = <uint32_t>len(moves)
        if position.count > position.capacity:
            return 0
        for slot in range(position.count):
            position.moves[slot] = self.user.identity_of(moves[slot])
            if outcomes is not None:
                position.probabilities[slot] = outcomes[slot][1]
        self.table.move_bytes = <uint32_t>(self.user.name_bytes() // <uint64_t>len(self.user.moves))  # the mean so far
        if outcomes is None and self.observing:
            indices = range(len(moves)) if self.aligned else self.user.indices(state, moves, self.actions)
            for slot in range(position.count):
                position.actions[slot] = indices[slot]
        return 0

    cdef int write_rewards(self, object state, GeneralPosition *position) except -1:
        """Writes the rewards of the move that led to ``state``."""
        for player, reward in enumerate(self.user.rewards(state)):
            position.rewards[<uint32_t>player] = reward
        return 0

    cdef int rollout(self, mcts_rng *rng, double *values) except -1:
        """A rollout from the position of the last look."""
        if self.keeps:
            self.rolled = []
        return random_rollout(self.user, self.kept.state, self.longest, self.rolled, rng, values)

    cdef int keep(self, const uint32_t *path, uint32_t length, bint rolled) except -1:
        cdef uint32_t i
        self.line = [self.user.moves[path[i]] for i in range(length)]  # never empty: rollouts start below the root
        for move in self.rolled if rolled else ():
            self.line.append(move)
            self.user.identity_of(move)  # the line is stored by numbers
        return 0

    cdef int follow_line(self, PythonRules before) except -1:
        """Takes over what is left of the best line of an earlier search, where this root comes on it."""
        cdef double value = before.line_value
        cdef int step
        state = before.root
        if before.line is None:
            return 0
        for step in range(min(len(before.line), FOLLOWED + 1)):  # what is left of it then is a move at least
            if state is self.root or (self.value is not None and state == self.root):
                if before.line[step] in self.root_moves:
                    line = before.line[step:]
                    if self.user.discount < 1.0 and step:
                        value = self.value_of_line(state, line, value)
                    self.line, self.line_value = line, value
                return 0
            if before.line[step] not in self.user.legal(state):  # as rollout() of the game may return
                return 0
            state = self.user.child(state, before.line[step])
            if self.user.scored:
                value = (value - <double>self.user.rewards(state)[0]) / self.user.discount
        return 0

    cdef double value_of_line(self, object state, list line, double estimate) except? -1.0:
        """The discounted sum of rewards of moves to the end of the game; ``estimate`` where they do not lead there, or
        the game raises. To take it from the value of the longer line, as the estimate is, multiplies its rounding
        error by 1 / discount for each move: with 0.1 it was wrong by 7 after 18 moves."""
        cdef double value = 0.0, weight = 1.0
        try:
            for move in line:
                if self.user.values(state) is not None or move not in self.user.legal(state):
                    return estimate
                state = self.user.child(state, move)
                value += weight * <double>self.user.rewards(state)[0]
                weight *= self.user.discount
            ended = self.user.values(state)
        except Exception:  # the search will meet and report it if it comes again
            return estimate
        return estimate if ended is None else value + weight * <double>ended[0]

    cdef int write(self, object state, float *row) except -1:
        cdef Py_buffer view
        planes = self.user.planes(state)
        PyObject_GetBuffer(planes, &view, PyBUF_C_CONTIGUOUS)
        memcpy(row, view.buf, view.len)
        PyBuffer_Release(&view)
        return 0


cdef int32_t python_look(void *context, const uint32_t *path, uint32_t length, bint listed,
                         GeneralPosition *position) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        state = rules.at(path, length)
        rules.describe(listed, position)
        if rules.user.scored and length:
            rules.write_rewards(state, position)
        elif rules.user.scored:
            memset(position.rewards, 0, rules.players * sizeof(double))
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR


cdef int32_t python_onward(void *context, const uint32_t *move, GeneralPosition *position) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        if move != NULL:
            rules.user.check_length(rules.kept.state, rules.kept.length)
            rules.kept.onward(move[0])
        rules.describe(True, position)
        if rules.user.scored:
            rules.write_rewards(rules.kept.state, position)
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR


cdef int32_t python_rollout(void *context, mcts_rng *rng, double *values) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        rules.rollout(rng, values)
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR


cdef int32_t python_keep(void *context, const uint32_t *path, uint32_t length, bint rolled) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        rules.keep(path, length, rolled)
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR


cdef int32_t python_observe(void *context, float *row) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        state = rules.kept.state
        if row != NULL:
            rules.write(state, row)
        else:
            rules.leaves.append((state, rules.listed))
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR


cdef int32_t python_prove(void *context, const uint32_t *path, uint32_t length, void *memory, uint64_t budget,
                          bint exact, mcts_proof *proof) noexcept with gil:
    """Of a native position, whose moves the search has numbered."""
    cdef PythonRules rules = <PythonRules>context
    cdef const mcts_game *game = rules.table.proving
    cdef uint32_t *moves = <uint32_t *>malloc((length + 1) * sizeof(uint32_t))
    cdef uint32_t i
    cdef int32_t returned
    try:
        if moves == NULL:
            raise MemoryError
        for i in range(length):
            moves[i] = rules.user.moves[path[i]]
        with nogil:
            returned = game.guide.prove(game.context, (<NativeState>rules.root).state, moves, length, memory, budget,
                                        exact, proof)
        if returned < 0:
            raise GameError(f"the exact search of {type(rules.root).__name__} reported an error")
        if proof.move != MCTS_NO_MOVE:
            proof.move = rules.user.ids.get(proof.move, MCTS_NO_MOVE)
        return 0
    except BaseException as error:
        rules.user.error = error
        return MCTS_ERROR
    finally:
        free(moves)
