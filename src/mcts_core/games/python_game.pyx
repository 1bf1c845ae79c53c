"""Games written in Python, behind the game table: the tree calls back once per phase, holding the GIL.

A state is any object with ``to_move`` (+1 or -1), ``legal_moves()``, ``play(move)`` (returns a new state) and
``winner()`` (None while the game goes on, then +1, -1 or 0). The tree holds no Python objects; ``kept_states`` has the
states that it comes back to.
"""


from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.arguments import shorten
from mcts_core.games.state_kinds import refuse_hidden

from mcts_core.game cimport (MCTS_DRAW, MCTS_ERROR, MCTS_GAME_VERSION, MCTS_LOSS, MCTS_MAX_MOVES, MCTS_ONGOING,
                             MCTS_ROLLOUT_DECISIVE, MCTS_ROLLOUT_RANDOM, MCTS_WIN, NativeState, mcts_children,
                             mcts_expansion, mcts_game, mcts_pick_untried, mcts_policy, mcts_rng, mcts_rng_below,
                             mcts_rollout_report, mcts_simulation)
from mcts_core.games.kept_states cimport NOT_ASKED, KeptStates
from mcts_core.games.user_states cimport UserStates, moves_since, refuse_repeated, value_of


cdef enum:
    ACTIONS = 1024  # AMAF statistics; each move takes one when it first appears, and all later moves share the last

PYTHON_GUIDE = (1 << MCTS_ROLLOUT_RANDOM | 1 << MCTS_ROLLOUT_DECISIVE, 0, ACTIONS, False)


cdef NativeState as_native(object state, str purpose):
    """``state`` behind a game table. Raises InvalidState, GameOver (with ``purpose`` in its message), GameError."""
    if not isinstance(state, NativeState):
        return PythonGame(state)
    check_table(state, True)
    winner = state.winner()
    if winner is not None:
        raise GameOver(f"the game is over (winner {winner}): {purpose} in {state!r}")
    return state


cdef int check_table(NativeState native, bint phases) except -1:
    """Raises InvalidState if a search of ``native`` would crash; ``phases``: it needs rollout, simulate and expand."""
    cdef const mcts_game *game = native.game
    if game == NULL or native.state == NULL:
        raise InvalidState(f"{shorten(native)} is not a position: {type(native).__name__}.__cinit__ must set game and "
                           "state")
    if game.version != MCTS_GAME_VERSION:
        raise InvalidState(f"{type(native).__name__} was built for version {game.version} of the game table, but this "
                           f"package supports version {MCTS_GAME_VERSION}: build it again")
    if phases and (game.rollout == NULL or game.simulate == NULL or game.expand == NULL):
        raise InvalidState(f"the game table of {type(native).__name__} must have the functions rollout, simulate and "
                           "expand")
    return 0


cdef str error_in_table(object state):
    """What is known of an error that a game does not explain itself."""
    return (f"{type(state).__name__}: a function of its game table returned an error or an invalid result; "
            f"check_game() reports which")


cdef int raise_error_of(NativeState native, object state) except -1:
    """Raises the exception behind the error code that a function of the table returned."""
    if isinstance(native, PythonGame):
        error = (<PythonGame>native).user.error
        if error is None or isinstance(error, Exception):
            (<PythonGame>native).user.error = None
            try:
                (<PythonGame>native).check_root()  # a changed root explains all other errors
            except GameError as changed:
                if changed.__cause__ is None:  # not a failure of the check itself
                    raise changed from error
            (<PythonGame>native).user.error = error
        (<PythonGame>native).user.raise_error()
    raise GameError(native.explain_error() or error_in_table(state))


cdef class PythonGame(NativeState):
    """The game table over a user's state.

    Raises InvalidState if the object is not a state, and GameOver if the game is over.
    """

    def __cinit__(self, root):
        refuse_hidden(root)
        self.root = root
        self.user = UserStates(root, False)
        self.kept = KeptStates(self.user, root)
        memset(&self.table, 0, sizeof(self.table))
        self.table.version = MCTS_GAME_VERSION
        self.table.context = <void *>self
        self.table.rollout = rollout
        self.table.simulate = simulate
        self.table.expand = expand
        memset(&self.guided, 0, sizeof(self.guided))
        self.guided.rollouts = 1 << MCTS_ROLLOUT_RANDOM | 1 << MCTS_ROLLOUT_DECISIVE
        self.guided.actions = ACTIONS
        self.guided.children = children
        self.guided.rollout = rollout_by_policy
        self.table.guide = &self.guided
        self.game = &self.table
        self.state = NULL
        try:
            self.to_move = self.user.sign(root)
            winner = self.user.winner(root)
            # a copy: the game may change its own list later
            self.root_moves = list(self.user.legal(root)) if winner is None else []
        except Exception as error:
            self.user.error = error
            self.user.raise_error()
        if winner is not None:
            hint = "" if winner else "; while the game goes on, winner() must be None"
            raise GameOver(f"the game is over (winner {winner}): there is nothing to search in {shorten(root)}{hint}")
        self.kept.know(0 if self.to_move == 1 else 1, self.root_moves)
        self.value = value_of(root)

    cdef int check_root(self) except -1:
        """Raises GameError if the root has changed since the search began."""
        return self.user.check_root(0 if self.to_move == 1 else 1, self.root_moves)

    cdef object move_of(self, uint32_t identity):
        return self.user.moves[identity]

    cdef list path_to(self, object before, object after, bint *later):
        """The numbers of the moves that lead from ``before`` to a state equal to ``after``, by the ``moves`` that
        states may have; None if they are unknown. ``later``: it may be a position of the tree below the root all the
        same.

        States must be comparable by value and hashable, and ``before`` unchanged since it was searched.
        """
        later[0] = False
        if before is after and self.value is None:
            return [] if self.is_same(self.to_move, self.root_moves, after) else None
        if type(before) is not type(after) or self.value is None or hash(before) != self.value:
            return None
        if before == after:
            return [] if self.is_same(self.to_move, self.root_moves, after) else None
        later[0] = True
        return self.path_by_moves(before, after)

    cdef bint leads_to(self, list path, object after) except -1:
        """Whether the moves lead from the root to a state equal to ``after``, with the same player and moves."""
        state = self.root
        for identity in path:
            state = self.user.child(state, self.user.moves[identity])
        return self.is_position(state, after)

    cdef bint is_position(self, object state, object after) except -1:
        """Whether two states are equal and have the same player and moves."""
        return bool(state == after) and self.is_same(self.user.sign(state), self.user.legal(state), after)

    cdef bint is_same(self, int player, list moves, object state) except -1:
        """Whether ``state`` has this player to move and these moves, in this order."""
        return self.user.sign(state) == player and self.user.legal(state) == moves

    cdef list path_by_moves(self, object before, object after):
        """The path according to the attribute ``moves`` of both states."""
        cdef list path = [], moves = moves_since(before, after)
        if moves is None:
            return None
        state = before
        for move in moves:
            if move not in self.user.ids or move not in self.user.legal(state):
                return None
            path.append(self.user.ids[move])
            state = self.user.child(state, move)
            if self.user.winner(state) is not None:
                return None
        return path if self.is_position(state, after) else None

    cdef list legal(self, uint32_t room):
        """The legal moves where the last path has led; a state that is kept is asked once. More than there is ``room``
        for are asked for again."""
        cdef list moves = self.kept.legal()
        if moves is None:
            state = self.kept.state
            moves = self.user.legal(state)
            if <uint32_t>len(moves) <= room:
                self.kept.know(self.user.mover(state), moves)
        return moves

    cdef list distinct(self, uint32_t room):
        """The same, checked for repetition."""
        moves = self.legal(room)
        refuse_repeated(self.kept.state, moves, "legal_moves")
        return moves

    cdef int sign(self) except 0:
        """The player to move there."""
        cdef int mover = self.kept.mover()
        return self.user.sign(self.kept.state) if mover == NOT_ASKED else 1 - 2 * mover


cdef object rollout_from(PythonGame game, object state, object winner, bint decisive, uint8_t *played, mcts_rng *rng,
                         int32_t *plies):
    """The winner of a random continuation. ``state`` is played on if states have ``push``. ``played`` receives the
    player who first played each action."""
    cdef list moves
    cdef uint32_t identity
    cdef int32_t count = 0
    while winner is None:
        game.user.check_length(state, <uint32_t>count)
        moves = game.user.legal(state)
        move = decisive_move(game, state, moves, rng) if decisive else moves[mcts_rng_below(rng, <uint32_t>len(moves))]
        if played != NULL:
            identity = game.user.identity_of(move)
            identity = min(identity, <uint32_t>(ACTIONS - 1))
            if played[identity] == 0:
                played[identity] = 1 if game.user.sign(state) == game.to_move else 2
        if game.user.pushes:
            game.user.push(state, move)
        else:
            state = game.user.child(state, move)
        winner = game.user.winner(state)
        count += 1
    plies[0] = count
    return winner


cdef inline object own_copy(PythonGame game, object state):
    """What a rollout may begin with: a copy if it will push moves on it."""
    return game.user.copied(state) if game.user.pushes else state


cdef object decisive_move(PythonGame game, object state, list moves, mcts_rng *rng):
    """A move that wins at once; otherwise a random move after which the opponent cannot win at once, or any random
    move."""
    cdef int player = game.user.sign(state)
    cdef list left = list(moves)
    cdef uint32_t at
    for move in moves:
        if game.user.winner(game.user.child(state, move)) == player:
            return move
    fallback = None
    while left:
        at = mcts_rng_below(rng, <uint32_t>len(left))
        move = left[at]
        left[at] = left[len(left) - 1]
        left.pop()
        fallback = move if fallback is None else fallback
        child = game.user.child(state, move)
        if game.user.winner(child) is not None or game.user.sign(child) == player:
            return move
        for reply in game.user.legal(child):
            if game.user.winner(game.user.child(child, reply)) == -player:
                break
        else:
            return move
    return fallback


cdef int32_t rollout(void *context, const void *state, mcts_rng *rng) noexcept with gil:
    cdef PythonGame game = <PythonGame>context
    cdef int32_t plies = 0
    try:
        winner = rollout_from(game, own_copy(game, game.root), None, False, NULL, rng, &plies)
        return <int32_t>(1 + winner * game.to_move) + 4 * plies
    except BaseException as error:
        game.user.error = error
        return MCTS_ERROR


cdef int32_t simulate(void *context, const void *root, const uint32_t *path, uint32_t length,
                      mcts_simulation *simulation, mcts_rng *rng) noexcept with gil:
    cdef PythonGame game = <PythonGame>context
    cdef int32_t plies = 0
    cdef list moves
    try:
        game.kept.at(path, length)
        game.kept.strictly = True
        moves = game.legal(MCTS_MAX_MOVES)
        simulation.count = <uint32_t>len(moves)
        simulation.slot = mcts_pick_untried(simulation, NULL, simulation.count)
        if simulation.slot == simulation.count:
            return MCTS_ERROR
        state = game.kept.child(moves[simulation.slot])
        winner = game.user.winner(state)
        game.kept.know_result(simulation.slot, winner)
        winner = rollout_from(game, state, winner, False, NULL, rng, &plies)
        return <int32_t>(1 + winner * game.to_move)
    except BaseException as error:
        game.user.error = error
        return MCTS_ERROR


cdef uint8_t outcome_of(PythonGame game, uint32_t slot, object move, int player) except? 255:
    """The outcome of a move for the ``player`` who makes it, where the last path has led."""
    cdef int result = game.kept.result(slot)
    if result == 1:
        return MCTS_ONGOING
    winner = game.user.winner(game.kept.child(move)) if result == 0 else result - 3
    if winner is None:
        return MCTS_ONGOING
    return MCTS_DRAW if winner == 0 else MCTS_WIN if winner == player else MCTS_LOSS


cdef int32_t expand(void *context, const void *root, const uint32_t *path, uint32_t length,
                    mcts_expansion *expansion) noexcept with gil:
    cdef PythonGame game = <PythonGame>context
    cdef list moves
    cdef uint32_t slot
    cdef int player
    try:
        game.kept.at(path, length)
        moves = game.distinct(expansion.capacity)
        if <uint32_t>len(moves) > expansion.capacity:
            return MCTS_ERROR
        player = game.sign()
        expansion.root_player = player == game.to_move
        for slot in range(<uint32_t>len(moves)):
            move = moves[slot]
            expansion.moves[slot] = game.user.identity_of(move)
            expansion.outcomes[slot] = outcome_of(game, slot, move, player)
        return <int32_t>len(moves)
    except BaseException as error:
        game.user.error = error
        return MCTS_ERROR


cdef int32_t children(void *context, const void *root, const uint32_t *path, uint32_t length,
                      const mcts_policy *policy, mcts_children *found) noexcept with gil:
    cdef PythonGame game = <PythonGame>context
    cdef list moves
    cdef uint32_t slot
    cdef int player
    try:
        game.kept.at(path, length)
        moves = game.distinct(found.capacity)
        if <uint32_t>len(moves) > found.capacity:
            return <int32_t>len(moves)
        player = game.sign()
        found.root_player = player == game.to_move
        found.complete = 1
        found.rest = 0
        for slot in range(<uint32_t>len(moves)):
            move = moves[slot]
            found.moves[slot] = game.user.identity_of(move)
            found.actions[slot] = min(found.moves[slot], <uint32_t>(ACTIONS - 1))
            found.priors[slot] = 0.5
            found.distances[slot] = 0
            found.outcomes[slot] = outcome_of(game, slot, move, player)
        return <int32_t>len(moves)
    except BaseException as error:
        game.user.error = error
        return MCTS_ERROR


cdef int32_t rollout_by_policy(void *context, const void *root, const uint32_t *path, uint32_t length,
                               const mcts_policy *policy, mcts_rollout_report *report, mcts_rng *rng) noexcept with gil:
    cdef PythonGame game = <PythonGame>context
    cdef int32_t plies = 0
    try:
        report.proof.value = -1
        if report.played != NULL:
            memset(report.played, 0, ACTIONS)
        state = own_copy(game, game.kept.at(path, length))
        winner = rollout_from(game, state, None, policy.rollout == MCTS_ROLLOUT_DECISIVE,
                              report.played, rng, &plies)
        return <int32_t>(1 + winner * game.to_move)
    except BaseException as error:
        game.user.error = error
        return MCTS_ERROR
