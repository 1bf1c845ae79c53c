"""The package ``mcts``: a state with getPossibleActions, takeAction, isTerminal and getReward."""

import random

from peers.boards import BOARDS, after


def state_class(first_searches, board=BOARDS["connect4"]):
    """States whose reward is that of the player for whom the search is made."""
    sign = 1 if first_searches else -1

    class State(board):
        __slots__ = ()
        getPossibleActions = board.moves
        takeAction = board.play
        isTerminal = board.over

        def getReward(self):
            return sign * self.result()

    return State


def search(game, moves, count, seed):
    from mcts import mcts

    random.seed(seed)
    state = after(state_class(len(moves) % 2 == 0, BOARDS[game])(), moves)
    searcher = mcts(iterationLimit=count)
    return lambda: (searcher.search(initialState=state), searcher)
