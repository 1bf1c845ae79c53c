"""This package, searching the rules in Python that the other packages search."""

import math

import mcts_core as mc
from peers.connect_four import Board, after


class State(Board):
    __slots__ = ()
    legal_moves = Board.moves
    winner = Board.result

    @property
    def to_move(self):
        return 1 if self.first_moves else -1


def search(game, moves, count, seed):
    state = after(State(), moves)
    engine = mc.Searcher(preset="uct", exploration=math.sqrt(2), seed=seed)
    return lambda: (engine.search(state, iterations=count), engine)
