"""The package ``fastmcts``: a subclass of its state, with the players 0 and 1; its search in one process."""

import random

from peers.connect_four import Board, after


def state_class(base):
    """States that derive from the package's ``TwoPlayersAbstractGameState``."""

    class State(Board, base):
        __slots__ = ()
        get_legal_actions = Board.moves
        move = Board.play
        is_game_over = Board.over
        game_result = property(Board.result)

        @property
        def next_to_move(self):
            return 0 if self.first_moves else 1

    return State


def search(game, moves, count, seed):
    from fastmcts.games.common import TwoPlayersAbstractGameState
    from fastmcts.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
    from fastmcts.tree.search import MonteCarloTreeSearch

    random.seed(seed)
    state = after(state_class(TwoPlayersAbstractGameState)(), moves)
    root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
    searcher = MonteCarloTreeSearch(root)
    return lambda: (searcher.best_action(simulations_number=count).parent_action, root)
