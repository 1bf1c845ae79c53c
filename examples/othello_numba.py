"""Othello, 8 x 8, with rules compiled by Numba: the search calls them some ten million times a second.

A position is two words of 64 bits: the stones of the player to move and those of the other player. Cell
``8 * row + col`` is bit ``8 * row + col``, with row 0 on top; black (X) begins. A move is a cell, or ``PASS`` for a
player who has no move. If neither player has a move, the game is over.

    python examples/othello_numba.py                                   # a game of the search against random moves
    mcts-core play examples.othello_numba:OTHELLO --seconds 1          # you against the search
    mcts-core check examples.othello_numba:OTHELLO
"""

import argparse
import random

import numpy as np

try:
    from numba import carray, cfunc, njit, types
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("this example needs Numba: pip install '.[numba]' in a clone, or pip install numba",
                              name="numba") from error

import mcts_core

PASS = 64
ONGOING, WIN, DRAW, LOSS = range(4)

POSITION = np.dtype([("mine", np.uint64), ("theirs", np.uint64)])

START = np.array([(1 << 28 | 1 << 35, 1 << 27 | 1 << 36)], POSITION)

ONE = np.uint64(1)
STEPS = np.array([1, 7, 8, 9], np.uint64)  # along a row, a diagonal, a column, the other diagonal
INNER = 0x7E7E7E7E7E7E7E7E  # without the first and the last column, so that no line runs on into the next row
ALL = 0xFFFFFFFFFFFFFFFF
LINES = np.array([INNER, INNER, ALL, INNER], np.uint64)


@njit
def mobility(mine, theirs):
    """The cells that the player with the stones ``mine`` may play."""
    found = np.uint64(0)
    for i in range(4):
        step, between = STEPS[i], theirs & LINES[i]
        up, down = between & (mine << step), between & (mine >> step)
        for _ in range(5):
            up |= between & (up << step)
            down |= between & (down >> step)
        found |= up << step | down >> step
    return found & ~(mine | theirs)


@njit
def turned(mine, theirs, stone):
    """The stones that a new ``stone`` turns over."""
    found = np.uint64(0)
    for i in range(4):
        step, between = STEPS[i], theirs & LINES[i]
        up, down = between & (stone << step), between & (stone >> step)
        for _ in range(5):
            up |= between & (up << step)
            down |= between & (down >> step)
        if up << step & mine:
            found |= up
        if down >> step & mine:
            found |= down
    return found


@njit
def count(stones):
    number = 0
    while stones:
        stones &= stones - ONE
        number += 1
    return number


@cfunc(types.int32(types.voidptr, types.voidptr, types.CPointer(types.uint32)))
def legal_moves(context, state, moves):
    position = carray(state, 1, POSITION)[0]
    cells = mobility(position.mine, position.theirs)
    if cells == 0:
        if mobility(position.theirs, position.mine) == 0:
            return 0
        moves[0] = PASS
        return 1
    number = 0
    for cell in range(64):
        if cells >> np.uint64(cell) & ONE:
            moves[number] = cell
            number += 1
    return number


@cfunc(types.int32(types.voidptr, types.voidptr, types.uint32))
def play(context, state, move):
    position = carray(state, 1, POSITION)[0]
    mine, theirs = position.mine, position.theirs
    if move != PASS:
        stone = ONE << np.uint64(move)
        over = turned(mine, theirs, stone)
        mine |= stone | over
        theirs &= ~over
    position.mine, position.theirs = theirs, mine
    if move == PASS or mobility(theirs, mine) or mobility(mine, theirs):
        return ONGOING
    lead = count(mine) - count(theirs)
    return WIN if lead > 0 else LOSS if lead < 0 else DRAW


def stones(state):
    """The stones of a position as two words, (black, white)."""
    mine, theirs = np.frombuffer(state.data, POSITION)[0].tolist()
    black_to_move = state.to_move > 0
    return (mine, theirs) if black_to_move else (theirs, mine)


def draw(state):
    """The board; ``*`` marks the legal moves."""
    black, white = stones(state)
    legal = set(state.legal_moves())
    lines = ["  a b c d e f g h"]
    for row in range(8):
        cells = range(8 * row, 8 * row + 8)
        marks = (
            "X" if black >> cell & 1 else "O" if white >> cell & 1 else "*" if cell in legal else "." for cell in cells
        )
        lines.append(f"{row + 1} " + " ".join(marks))
    return "\n".join(lines)


OTHELLO = mcts_core.native_game(
    legal_moves=legal_moves,
    play=play,
    state_size=POSITION.itemsize,
    max_moves=65,
    max_plies=128,
    start=START,
    name=f"{__name__}:OTHELLO",
    text=draw,
)


def main(argv=None):
    """Plays a game against random moves; returns 0."""
    parser = argparse.ArgumentParser(description="Othello: mcts_core against random moves.")
    parser.add_argument("--seconds", type=float, default=0.2, help="time of each search (default 0.2)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    choice, engine = random.Random(args.seed), mcts_core.Searcher(seed=args.seed)
    state, rates = OTHELLO.state(), []
    while state.winner() is None:
        if state.to_move > 0:
            move = engine.search(state, args.seconds)
            rates.append(engine.stats().iterations_per_second)
        else:
            move = choice.choice(state.legal_moves())
        state = state.play(move)
    black, white = (count(np.uint64(each)) for each in stones(state))
    print(
        f"{state}\nsearch (X) {black} : {white} random (O), {sorted(rates)[len(rates) // 2]:,.0f} iterations per second"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
