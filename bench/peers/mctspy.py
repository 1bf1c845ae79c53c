"""The package ``mctspy``: a subclass of its state, with the players 1 and -1."""

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
            return 1 if self.first_moves else -1

    return State


def search(game, moves, count, seed):
    import numpy
    from mctspy.games.common import TwoPlayersAbstractGameState
    from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
    from mctspy.tree.search import MonteCarloTreeSearch

    numpy.random.seed(seed)
    state = after(state_class(TwoPlayersAbstractGameState)(), moves)
    root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
    searcher = MonteCarloTreeSearch(root)

    def run():
        best = searcher.best_action(count)
        # A node does not know its move; untried moves are taken from the end of the list.
        return state.moves()[::-1][root.children.index(best)], root

    return run
