"""Connect Four with Numba: the smallest example of ``native_game``, also used to measure its speed.

A position is two words: the stones of the player to move, and all stones. Column ``c`` has the bits ``7 c`` to
``7 c + 5``, from the floor upwards. The bit above stays empty, so that no line runs from one column into the next.
"""

import numpy as np

try:
    from numba import carray, cfunc, njit, types
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("this example needs Numba: pip install '.[numba]' in a clone, or pip install numba",
                              name="numba") from error

import mcts_core

ONGOING, WIN, DRAW = range(3)

POSITION = np.dtype([("mine", np.uint64), ("all", np.uint64)])
CENTRE_FIRST = np.array([3, 2, 4, 1, 5, 0, 6], np.uint32)  # the order in which the search tries the moves
FLOOR = np.array([1 << 7 * column for column in range(7)], np.uint64)
CELLS = np.array([0b111111 << 7 * column for column in range(7)], np.uint64)
NONE, THREE, SEVEN = np.uint64(0), np.uint64(3), np.uint64(7)
FLOORS = np.uint64(sum(1 << 7 * column for column in range(7)))
FULL = np.uint64(sum(0b111111 << 7 * column for column in range(7)))


@njit
def in_line(stones, step):
    """Not 0 if four of the stones are in line in the direction ``step``."""
    pairs = stones & (stones >> np.uint64(step))
    return pairs & (pairs >> np.uint64(2 * step))


@njit
def four_in_a_row(stones):
    return (in_line(stones, 1) | in_line(stones, 7) | in_line(stones, 6) | in_line(stones, 8)) != 0


@cfunc(types.int32(types.voidptr, types.voidptr, types.CPointer(types.uint32)))
def legal_moves(context, state, moves):
    position = carray(state, 1, POSITION)[0]
    count = 0
    for column in CENTRE_FIRST:
        if CELLS[column] & ~position.all:
            moves[count] = column
            count += 1
    return count


@cfunc(types.int32(types.voidptr, types.voidptr, types.uint32))
def play(context, state, column):
    position = carray(state, 1, POSITION)[0]
    stone = (position.all + FLOOR[column]) & CELLS[column]
    mine = position.mine | stone
    position.all |= stone
    position.mine = position.all ^ mine
    if four_in_a_row(mine):
        return WIN
    return DRAW if position.all == FULL else ONGOING


RULES = {"legal_moves": legal_moves, "play": play, "state_size": POSITION.itemsize, "max_moves": 7, "max_plies": 42}

CONNECT_FOUR = mcts_core.native_game(**RULES, name=f"{__name__}:CONNECT_FOUR")


# ---- for more speed: a rollout of its own that uses bit tricks of this game -----------------------------------------

DROPS = np.append(CELLS, np.uint64(0))  # selected by three random bits: a column, or none


@njit
def random_word(rng):
    """The next 64 random bits, as mcts_rng_next of mcts_core/game.h."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@cfunc(types.int32(types.voidptr, types.voidptr, types.CPointer(types.uint64)))
def rollout(context, state, rng):
    """Takes 21 columns from each random word, and skips full columns and the number that means none."""
    position = carray(state, 1, POSITION)[0]
    mine, stones = position.mine, position.all
    plies = 0
    while True:
        word = random_word(rng)
        for _ in range(21):
            stone = (stones + FLOORS) & DROPS[word & SEVEN]
            word >>= THREE
            moved = stone != 0
            mine |= stone
            stones |= stone
            plies += moved
            if four_in_a_row(mine):
                return 4 * plies + (2 if plies % 2 else 0)  # the player who moved last has won
            mine ^= stones if moved else NONE
        if stones == FULL:
            return 4 * plies + 1


FAST = mcts_core.native_game(**RULES, rollout=rollout, name=f"{__name__}:FAST")
