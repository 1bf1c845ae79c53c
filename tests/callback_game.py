"""Native games whose functions are Python callbacks by ctypes: slow, and easy to break in every way."""

import ctypes
import struct

from paper_game import Paper

import mcts_core as mc

INT, POINTER, NUMBER = ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32
MOVES = ctypes.POINTER(NUMBER)

LEGAL_MOVES = ctypes.CFUNCTYPE(INT, POINTER, POINTER, MOVES)
PLAY = ctypes.CFUNCTYPE(INT, POINTER, POINTER, NUMBER)
TO_MOVE = ctypes.CFUNCTYPE(INT, POINTER, POINTER)
ROLLOUT = ctypes.CFUNCTYPE(INT, POINTER, POINTER, POINTER)
SIMULATE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, MOVES, NUMBER, MOVES, POINTER)


class Expansion(ctypes.Structure):
    _fields_ = [
        ("capacity", NUMBER),
        ("moves", MOVES),
        ("outcomes", ctypes.POINTER(ctypes.c_uint8)),
        ("root_player", INT),
    ]


class Estimate(ctypes.Structure):
    """mcts_estimate: a value, and the beginning of a mcts_proof."""

    _fields_ = [("value", INT), ("padding", INT), ("proven", INT), ("distance", NUMBER), ("exact", NUMBER),
                ("move", NUMBER)]


EXPAND = ctypes.CFUNCTYPE(INT, POINTER, POINTER, MOVES, NUMBER, ctypes.POINTER(Expansion))
VALUE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, MOVES, NUMBER, POINTER, ctypes.POINTER(Estimate))
WEIGH = ctypes.CFUNCTYPE(INT, POINTER, POINTER, MOVES, NUMBER, POINTER, MOVES, NUMBER, ctypes.POINTER(ctypes.c_float))
CREATE = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER)
OBSERVE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, ctypes.POINTER(ctypes.c_float))
DESTROY = ctypes.CFUNCTYPE(None, POINTER, POINTER)

ONGOING, WIN, DRAW, LOSS = range(4)


word = (ctypes.c_int32 * 1).from_address
"""The first number of a state, to be read and written: ``word(state)[0]``."""


def nim(stones=10, *, legal_moves=None, play=None, state_size=4, max_moves=4, **options):
    """Take one to three of the stones (moves 1 to 3); who takes the last one wins. Functions may be replaced."""

    def nim_moves(context, state, moves):
        left = word(state)[0]
        for number in range(min(3, left)):
            moves[number] = number + 1
        return min(3, left)

    def nim_play(context, state, move):
        word(state)[0] -= move
        return ONGOING if word(state)[0] else WIN

    return mc.native_game(
        legal_moves=LEGAL_MOVES(legal_moves or nim_moves),
        play=PLAY(play or nim_play),
        state_size=state_size,
        max_moves=max_moves,
        start=struct.pack("i", stones).ljust(state_size, b"\0"),
        **options,
    )


def paper(tree, max_moves=4, **options):
    """The hand-written or random ``tree`` as a native game: a state is the number of a node; players need not
    alternate. Returns the game and the same as a Python-written one."""
    names = list(tree)
    numbers = {name: number for number, name in enumerate(names)}

    def node(state):
        return tree[names[word(state)[0]]]

    def legal_moves(context, state, moves):
        if not isinstance(node(state), tuple):
            return 0
        for place, move in enumerate(node(state)[1]):
            moves[place] = move
        return len(node(state)[1])

    def play(context, state, move):
        player, moves = node(state)
        word(state)[0] = numbers[moves[move]]
        winner = node(state)
        if isinstance(winner, tuple):
            return ONGOING
        return DRAW if winner == 0 else WIN if winner == player else LOSS

    game = mc.native_game(
        legal_moves=LEGAL_MOVES(legal_moves),
        play=PLAY(play),
        to_move=TO_MOVE(lambda context, state: node(state)[0]),
        state_size=4,
        max_moves=max_moves,
        start=struct.pack("i", numbers["root"]),
        **options,
    )
    return game, Paper(tree)


def wide(count=200, **options):
    """``count`` moves in both positions of a game; who wins depends on the sum of the two moves alone."""
    all_moves = (ctypes.c_uint32 * count)(*range(count))
    state = (INT * 2).from_address  # moves so far, their sum

    def legal_moves(context, at, moves):
        if state(at)[0] == 2:
            return 0
        ctypes.memmove(moves, all_moves, ctypes.sizeof(all_moves))
        return count

    def play(context, at, move):
        position = state(at)
        position[0] += 1
        position[1] += move
        if position[0] < 2:
            return 0
        return 3 if position[1] % 2 else 1  # the second player moved last

    return mc.native_game(legal_moves=LEGAL_MOVES(legal_moves), play=PLAY(play), state_size=8, max_moves=count,
                          max_plies=2, name="wide", **options).state()
