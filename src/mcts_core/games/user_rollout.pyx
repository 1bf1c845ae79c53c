"""Rollouts of games that are written in Python: random moves, or the game's own ``rollout(seed)``."""

from libc.stdint cimport uint32_t

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, InvalidOption

from mcts_core.game cimport mcts_rng_below, mcts_rng_next


cdef uint32_t length_limit(UserStates user, object state, uint32_t rollout_moves) except? 0xFFFFFFFF:
    if rollout_moves and not user.scored:
        raise InvalidOption(f"rollout_moves needs a game with rewards() or discount, because others have no value "
                            f"before their end, got {shorten(state)}")
    return rollout_moves


cdef object random_move(UserStates user, object state, mcts_rng *rng, bint *chance):
    cdef double at, sum = 0.0
    cdef list moves
    chance[0] = user.draws and user.mover(state) < 0
    if not chance[0]:
        moves = user.legal(state)
        return moves[mcts_rng_below(rng, <uint32_t>len(moves))]
    at = <double>(mcts_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)
    for outcome, probability in user.outcomes(state):
        if probability > 0:
            move = outcome
            sum += <double>probability
            if at < sum:
                break
    return move


cdef int random_rollout(UserStates user, object state, uint32_t longest, list line, mcts_rng *rng,
                        double *values) except -1:
    cdef double weight = 1.0
    cdef uint32_t count = 0, player, players = <uint32_t>user.players
    cdef bint chance
    cdef list returned = None
    if user.rolls:
        returned, moves = user.rollout(state, mcts_rng_next(rng))
        if line is not None:
            line += moves
        for player in range(players):
            values[player] = returned[player]
        return 0
    for player in range(players):
        values[player] = 0.0
    if user.pushes:
        state = user.copied(state)
    while returned is None:
        if longest and count == longest:
            return 0
        user.check_length(state, count)
        move = random_move(user, state, rng, &chance)
        if line is not None:
            if chance:
                refuse_chance(state)
            line.append(move)
        if user.pushes:
            user.push(state, move)
        else:
            state = user.child(state, move)
        count += 1
        returned = user.values(state)
        if user.scored:
            for player, reward in enumerate(user.rewards(state)):
                values[player] += weight * <double>reward
            if returned is not None or user.mover(state) >= 0:
                weight *= user.discount
    for player in range(players):
        values[player] += weight * <double>returned[player]
    return 0


cdef int refuse_chance(object state) except -1:
    raise GameError(f"the best line needs a game without chance, but chance is to move in {shorten(state)}; leave out "
                    f"final_move 'best_line' or nested_rollouts")
