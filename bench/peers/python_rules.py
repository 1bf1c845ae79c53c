"""This package, searching the rules in Python that the other packages search."""

import math

import mcts_core as mc
from peers.boards import BOARDS, after


def state_class(board=BOARDS["connect4"]):
    """States with the members that this package wants."""

    class State(board):
        __slots__ = ()
        legal_moves = board.moves
        winner = board.result

        @property
        def to_move(self):
            return 1 if self.first_moves else -1

    return State


def search(game, moves, count, seed):
    state = after(state_class(BOARDS[game])(), moves)
    engine = mc.Searcher(preset="uct", exploration=math.sqrt(2), seed=seed)
    return lambda: (engine.search(state, iterations=count), engine)
