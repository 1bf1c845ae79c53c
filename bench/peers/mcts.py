"""The package ``mcts``: a state with getPossibleActions, takeAction, isTerminal and getReward."""

import random

from peers.connect_four import Board, after


def state_class(first_searches):
    """States whose reward is that of the player for whom the search is made."""
    sign = 1 if first_searches else -1

    class State(Board):
        __slots__ = ()
        getPossibleActions = Board.moves
        takeAction = Board.play
        isTerminal = Board.over

        def getReward(self):
            return sign * self.result()

    return State


def search(game, moves, count, seed):
    from mcts import mcts

    random.seed(seed)
    state = after(state_class(first_searches=len(moves) % 2 == 0)(), moves)
    searcher = mcts(iterationLimit=count)
    return lambda: (searcher.search(initialState=state), searcher)
