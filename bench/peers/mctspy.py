"""The package ``mctspy``: a subclass of its state, with the players 1 and -1."""

from peers.boards import BOARDS, after


def state_class(base, board=BOARDS["connect4"]):
    """States that derive from the package's ``TwoPlayersAbstractGameState``."""

    class State(board, base):
        __slots__ = ()
        get_legal_actions = board.moves
        move = board.play
        is_game_over = board.over
        game_result = property(board.result)

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
    state = after(state_class(TwoPlayersAbstractGameState, BOARDS[game])(), moves)
    root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
    searcher = MonteCarloTreeSearch(root)

    def run():
        best = searcher.best_action(count)
        # A node does not know its move; untried moves are taken from the end of the list.
        return state.moves()[::-1][root.children.index(best)], root

    return run
