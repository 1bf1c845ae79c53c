"""Games behind the general tree: native ones by their table, Python-written ones by their methods.

A Python-written general game has ``players``, ``to_move`` (an index, or ``CHANCE``), ``legal_moves()``,
``chance_outcomes()`` at chance nodes, ``play(move)`` and ``returns()``. An ordinary one, with ``to_move`` +1 or -1 and
``winner()``, is one of two players, of whom 0 is +1. The tree keeps no Python object; of the positions only those along
the last path are kept, from which the next one branches off.
"""

import operator

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.game import CHANCE, import_numpy, refuse_hidden
from mcts_core.notation import shorten

from mcts_core.game cimport (MCTS_CHANCE, MCTS_DRAW, MCTS_ERROR, MCTS_ONGOING, MCTS_WIN, NativeState, general_of,
                             mcts_game, mcts_general, mcts_rng, mcts_rng_below, mcts_rng_next)
from mcts_core.python_game cimport check_table
from mcts_core.tree cimport MAX_SLOTS


cdef enum:
    LONGEST_ROLLOUT = 1000000  # moves; a game that goes on is taken for endless
    LONGEST_GAME = 20000       # moves in the tree, which chance alone can add at any number in one iteration
    MOST_PLAYERS = 32          # MAX_PLAYERS of the tree

cdef double CLOSE = 1e-6       # how far probabilities may be from a sum of 1
cdef double ROUNDING = 1e-9    # how far a value may be out of its range


cdef Rules rules_of(object state, bint observing, bint aligned):
    """``state`` behind a table of rules. ``observing``: leaves are evaluated, so their moves have actions, and unless
    policies are ``aligned`` with the legal moves there are observations.

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

    cdef int fail(self) except -1:
        """Raises what lies behind the error that a function of the table returned."""
        told = self.root.explain_error() if isinstance(self.root, NativeState) else None
        raise GameError(told or f"the native rules of {type(self.root).__name__} reported an error")

    cdef void rest(self) noexcept:
        """Lets go what only a running search needs."""


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
        if game.legal_moves == NULL or game.play == NULL or not 1 <= game.max_moves <= MAX_SLOTS:
            raise InvalidState(f"{kind} cannot be searched like this: its game table must have legal_moves, play and "
                               f"max_moves from 1 to {MAX_SLOTS}, which says {game.max_moves}")
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
            if not 1 <= extra.players <= MOST_PLAYERS:
                raise InvalidState(f"a game must have 1 to {MOST_PLAYERS} players, but the game table of {kind} "
                                   f"says {extra.players}")
            if extra.returns == NULL:
                raise InvalidState(f"the game table of {kind} has to_move() and must have returns() as well")
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
        self.player = player
        context.root_player = player
        self.table.context = context
        self.table.players = self.players
        self.table.look = native_look
        self.table.rollout = native_rollout
        self.table.observe = native_observe

    def __dealloc__(self):
        free(self.context.state)
        free(self.context.rolling)
        free(self.context.moves)
        free(self.context.probabilities)


cdef inline bint is_value(double value) noexcept nogil:
    return 0.0 <= value <= 1.0


cdef int32_t advance(const NativeContext *context, uint8_t *state, int32_t *to_move, uint32_t move,
                     double *values) noexcept nogil:
    """Plays a move: 0 the game goes on, 1 it is over and its values are known, negative: an error."""
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
        return 1
    to_move[0] = extra.to_move(game.context, state)
    if to_move[0] >= <int32_t>extra.players or to_move[0] < (0 if extra.chance == NULL else MCTS_CHANCE):
        return MCTS_ERROR
    return 0


cdef int32_t native_look(void *opaque, const uint32_t *path, uint32_t length, bint listed,
                         GeneralPosition *position) noexcept nogil:
    cdef NativeContext *context = <NativeContext *>opaque
    cdef const mcts_game *game = context.game
    cdef uint32_t i
    cdef int32_t count, over = 0
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
    """An outcome by its probability; never one of probability 0."""
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


# ---- games written in Python -----------------------------------------------------------------------------------------

def chance_at_root(state):
    return (f"a search needs a position in which a player is to move, but chance is to move in {shorten(state)}: "
            f"play() one of its outcomes first")


cdef class PythonRules(Rules):
    """The table over a user's state."""

    def __cinit__(self, root, bint observing, bint aligned):
        self.root = root
        self.moves = []
        self.ids = {}
        self.trail = [root]
        self.trail_moves = []
        self.leaves = []
        self.observing = observing
        self.aligned = aligned
        self.general = hasattr(root, "players")
        self.acts = callable(getattr(root, "action", None))
        contract = ("a state must have players, to_move, legal_moves(), play(move) and returns()" if self.general
                    else "a state must have to_move, legal_moves(), play(move) and winner()")
        for name in ("legal_moves", "play", "returns" if self.general else "winner"):
            if not callable(getattr(root, name, None)):
                raise InvalidState(f"{contract}; {shorten(root)} has no method {name}()")
        if not hasattr(root, "to_move"):
            raise InvalidState(f"{contract}; {shorten(root)} has no to_move")
        if observing and not aligned and not callable(getattr(root, "observation", None)):
            raise InvalidState(f"an evaluator needs states with a method observation(), which {shorten(root)} has not; "
                               f"policy_value takes states as they are")
        self.players = 2
        if self.general:
            if type(root.players) is not int or not 1 <= root.players <= MOST_PLAYERS:
                raise InvalidState(f"players must be an int from 1 to {MOST_PLAYERS}, got {shorten(root.players)}")
            self.players = root.players
        actions = getattr(root, "actions", None) if observing and not aligned else None
        if actions is not None:
            if type(actions) is not int or not 1 <= actions < 1 << 30:
                raise InvalidState(f"actions must be an int, the number of entries of a policy, got {shorten(actions)}")
            self.actions = actions
        self.table.context = <void *>self
        self.table.players = self.players
        self.table.look = python_look
        self.table.rollout = python_rollout
        self.table.observe = python_observe
        values = None
        if observing and not aligned:
            self.numpy = import_numpy()
        try:
            values = self.returns(root)
            if values is None:
                self.player = self.mover(root)
                if self.player >= 0:
                    self.root_moves = self.legal(root)
                    if observing and not aligned:
                        self.shape = self.planes_of(root).shape
        except Exception as error:
            self.error = error
            self.fail()
        if values is not None:
            told = f"returns {values}" if self.general else f"winner {root.winner()}"
            raise GameOver(f"the game is over ({told}): there is nothing to search in {shorten(root)}")
        if self.player < 0:
            raise InvalidState(chance_at_root(root))

    cdef object name(self, uint32_t move):
        return self.moves[move]

    cdef void rest(self) noexcept:
        self.trail = [self.root]
        self.trail_moves = []
        self.leaves = []
        self.listed = None

    cdef int fail(self) except -1:
        """Raises what a method of the user's game raised, as the cause of a GameError; Ctrl-C and the like as it is."""
        error, self.error = self.error, None
        if error is None:
            raise GameError(f"{type(self.root).__name__} gave different moves for the same position")
        if isinstance(error, GameError) or not isinstance(error, Exception):
            raise error
        raise GameError(f"{type(self.root).__name__}.{self.calling} raised {type(error).__name__}: {error}") from error

    cdef object at(self, const uint32_t *path, uint32_t length):
        """The position after a path."""
        cdef uint32_t common = 0, known = <uint32_t>len(self.trail_moves)
        if length > LONGEST_GAME:
            raise GameError(f"a game of {type(self.root).__name__} did not end within {LONGEST_GAME} moves")
        while common < length and common < known and <uint32_t>self.trail_moves[common] == path[common]:
            common += 1
        del self.trail[common + 1:]
        del self.trail_moves[common:]
        while common < length:
            state = self.child(self.trail[common], self.moves[path[common]])
            self.trail.append(state)
            self.trail_moves.append(path[common])
            common += 1
        return self.trail[length]

    cdef object child(self, object state, object move):
        self.calling = "play()"
        child = state.play(move)
        if child is None or child is state:
            raise GameError(f"{type(state).__name__}.play({shorten(move)}) must return a new state, got "
                            + ("None" if child is None else "the same object"))
        return child

    cdef object returns(self, object state):
        """None while the game goes on, then the value of each player, checked."""
        if not self.general:
            self.calling = "winner()"
            winner = state.winner()
            if winner is None:
                return None
            try:
                if isinstance(winner, bool):
                    raise TypeError
                value = operator.index(winner)
            except TypeError:
                value = 2
            if not -1 <= value <= 1:
                raise GameError(f"{type(state).__name__}.winner() must return None, +1, -1 or 0, got {shorten(winner)}")
            return [(1 + value) / 2, (1 - value) / 2]
        self.calling = "returns()"
        given = state.returns()
        if given is None:
            return None
        expected = (f"{type(state).__name__}.returns() must return None or a number from 0 to 1 for each of the "
                    f"{self.players} players")
        try:
            if isinstance(given, (str, bytes, dict, set, frozenset)):
                raise TypeError
            values = [float(value) for value in given]
        except (TypeError, ValueError, OverflowError):
            raise GameError(f"{expected}, got {shorten(given)}") from None
        if len(values) != self.players:
            raise GameError(f"{expected}, got {len(values)}: {shorten(given)}")
        for value in values:
            if not -ROUNDING <= value <= 1 + ROUNDING:
                raise GameError(f"{expected}, got {shorten(given)}")
        return [min(max(value, 0.0), 1.0) for value in values]

    cdef int mover(self, object state) except -2:
        """The index of the player to move, checked; -1 for chance."""
        self.calling = "to_move"
        value = state.to_move
        if not self.general:
            if not isinstance(value, int) or value not in (1, -1):
                raise GameError(f"{type(state).__name__}.to_move must be +1 or -1, got {shorten(value)}")
            return 0 if value == 1 else 1
        if isinstance(value, str):
            if value == CHANCE:
                return -1
        elif not isinstance(value, bool):
            try:
                number = operator.index(value)
            except TypeError:
                number = -1
            if 0 <= number < self.players:
                return number
        raise GameError(f"{type(state).__name__}.to_move must be an int from 0 to {self.players - 1} or CHANCE, "
                        f"got {shorten(value)}")

    cdef list legal(self, object state):
        self.calling = "legal_moves()"
        moves = state.legal_moves()
        if type(moves) is not list:
            if moves is None or isinstance(moves, (str, bytes)):
                raise GameError(f"{type(state).__name__}.legal_moves() must return a list of moves, "
                                f"got {shorten(moves)}")
            moves = list(moves)
        if not moves:
            raise GameError(f"{type(state).__name__}.legal_moves() returned no move although "
                            f"{'returns' if self.general else 'winner'}() is None in {shorten(state)}; "
                            f"to pass is a move as well")
        if len(moves) > MAX_SLOTS:
            raise GameError(f"{type(state).__name__}.legal_moves() must return at most {MAX_SLOTS} moves, "
                            f"got {len(moves)}")
        return moves

    cdef list outcomes(self, object state):
        """(move, probability) of a chance node, checked."""
        self.calling = "chance_outcomes()"
        given = state.chance_outcomes()
        expected = f"{type(state).__name__}.chance_outcomes() must return a list of (move, probability)"
        try:
            if isinstance(given, (str, bytes, dict, set, frozenset)):
                raise TypeError
            outcomes = [(move, float(probability)) for move, probability in given]
        except (TypeError, ValueError, OverflowError):
            raise GameError(f"{expected}, got {shorten(given)}") from None
        if not outcomes:
            raise GameError(f"{expected}, got none in {shorten(state)}")
        if len(outcomes) > MAX_SLOTS:
            raise GameError(f"{expected}, at most {MAX_SLOTS}, got {len(outcomes)}")
        total = 0.0
        for _, probability in outcomes:
            if not 0 <= probability <= 1 + CLOSE:
                raise GameError(f"{expected} with probabilities from 0 to 1, got {shorten(given)}")
            total += probability
        if not abs(total - 1) <= CLOSE:
            raise GameError(f"{expected} whose probabilities sum to 1, got a sum of {total:.9g}: {shorten(given)}")
        return outcomes

    cdef uint32_t identity_of(self, object move) except? 0xFFFFFFFF:
        self.calling = "__hash__() of a move"
        identity = self.ids.get(move)
        if identity is None:
            identity = len(self.moves)
            self.moves.append(move)
            self.ids[move] = identity
        return identity

    cdef int describe(self, object state, bint listed, GeneralPosition *position) except -1:
        cdef uint32_t slot
        cdef int player
        cdef list moves
        values = self.returns(state)
        if values is not None:
            position.kind = KIND_OVER
            for slot in range(<uint32_t>self.players):
                position.values[slot] = values[slot]
            return 0
        player = self.mover(state)
        position.kind = KIND_CHANCE if player < 0 else KIND_DECISION
        position.player = <uint32_t>player
        if not listed:
            return 0
        if player < 0:
            outcomes = self.outcomes(state)
            moves = [move for move, _ in outcomes]
        else:
            outcomes = None
            moves = self.legal(state)
        self.listed = moves
        self.calling = "__hash__() of a move"
        if len(set(moves)) != len(moves):
            raise GameError(f"{type(state).__name__}.{'legal_moves' if player >= 0 else 'chance_outcomes'}() must not "
                            f"repeat a move, got {shorten(moves)}")
        position.count = <uint32_t>len(moves)
        if position.count > position.capacity:
            return 0
        for slot in range(position.count):
            position.moves[slot] = self.identity_of(moves[slot])
            if outcomes is not None:
                position.probabilities[slot] = outcomes[slot][1]
        if outcomes is None and self.observing:
            self.add_actions(state, moves, position.actions)
        return 0

    cdef int add_actions(self, object state, list moves, uint32_t *actions) except -1:
        """The entry of the policy of each legal move."""
        cdef uint32_t slot, count = <uint32_t>len(moves)
        cdef set met = set()
        if self.aligned:
            for slot in range(count):
                actions[slot] = slot
            return 0
        for slot in range(count):
            move = moves[slot]
            index = move
            if self.acts:
                self.calling = "action()"
                index = state.action(move)
            try:
                if isinstance(index, bool):
                    raise TypeError
                number = operator.index(index)
            except TypeError:
                if self.acts:
                    raise GameError(f"{type(state).__name__}.action({shorten(move)}) must return an int >= 0, "
                                    f"got {shorten(index)}") from None
                raise GameError(f"an evaluator needs moves that are ints or a method action(move) of states that tells "
                                f"their index in the policy, got the move {shorten(move)}") from None
            if number < 0 or number >= (self.actions if self.actions else 1 << 30):
                raise GameError(f"the index of a move in the policy must be an int from 0 to "
                                f"{self.actions - 1 if self.actions else 'A-1'}, got {number} for {shorten(move)}")
            if number in met:
                raise GameError(f"two legal moves of {shorten(state)} have the same index in the policy, {number}")
            met.add(number)
            actions[slot] = number
        return 0

    cdef int play_out(self, mcts_rng *rng, double *values) except -1:
        """A random game from the position of the last look."""
        cdef int count = 0, player
        cdef uint32_t i, n
        cdef double at, sum
        state = self.trail[len(self.trail) - 1]
        while True:
            returned = self.returns(state)
            if returned is not None:
                break
            if count == LONGEST_ROLLOUT:
                raise GameError(f"a random game of {type(state).__name__} did not end within {LONGEST_ROLLOUT} moves")
            player = self.mover(state)
            if player >= 0:
                moves = self.legal(state)
                move = moves[mcts_rng_below(rng, <uint32_t>len(moves))]
            else:
                outcomes = self.outcomes(state)
                n = <uint32_t>len(outcomes)
                at = <double>(mcts_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)
                sum = 0.0
                for i in range(n):
                    outcome, probability = outcomes[i]
                    if probability > 0:
                        move = outcome
                        sum += probability
                        if at < sum:
                            break
            state = self.child(state, move)
            count += 1
        for i in range(<uint32_t>self.players):
            values[i] = returned[i]
        return 0

    cdef object planes_of(self, object state):
        """The observation of ``state`` as an array, checked."""
        self.calling = "observation()"
        given = state.observation()
        try:
            planes = self.numpy.ascontiguousarray(given, dtype=self.numpy.float32)
        except (TypeError, ValueError) as error:
            raise GameError(f"{type(state).__name__}.observation() must return numbers of shape (planes, rows, "
                            f"columns), got {shorten(given)}") from error
        if planes.ndim != 3 or planes.size == 0 or self.shape is not None and planes.shape != self.shape:
            expected = "(planes, rows, columns)" if self.shape is None else f"{self.shape}, as at the root"
            raise GameError(f"{type(state).__name__}.observation() must have the shape {expected}, "
                            f"got {self.numpy.shape(given)}")
        return planes

    cdef int write(self, object state, float *row) except -1:
        cdef Py_buffer view
        planes = self.planes_of(state)
        PyObject_GetBuffer(planes, &view, PyBUF_C_CONTIGUOUS)
        memcpy(row, view.buf, view.len)
        PyBuffer_Release(&view)
        return 0


cdef int32_t python_look(void *context, const uint32_t *path, uint32_t length, bint listed,
                         GeneralPosition *position) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        rules.describe(rules.at(path, length), listed, position)
        return 0
    except BaseException as error:
        rules.error = error
        return MCTS_ERROR


cdef int32_t python_rollout(void *context, mcts_rng *rng, double *values) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        rules.play_out(rng, values)
        return 0
    except BaseException as error:
        rules.error = error
        return MCTS_ERROR


cdef int32_t python_observe(void *context, float *row) noexcept with gil:
    cdef PythonRules rules = <PythonRules>context
    try:
        state = rules.trail[len(rules.trail) - 1]
        if row != NULL:
            rules.write(state, row)
        else:
            rules.leaves.append((state, rules.listed))
        return 0
    except BaseException as error:
        rules.error = error
        return MCTS_ERROR
