"""The package ``multimcts``: a subclass of its GameState; the reward is that of the team that ended the game."""

import random

from peers.boards import BOARDS, after


def state_class(base, board=BOARDS["connect4"]):
    """States that derive from the package's ``GameState``."""

    class State(board, base):
        __slots__ = ()
        get_legal_moves = board.moves
        make_move = board.play
        is_terminal = board.over
        suggest_move = None  # the inherited one returns None, which the search cannot unpack

        def get_current_team(self):
            return 1 if self.first_moves else 2

        def get_reward(self):
            return 1 if self.won else 0

    return State


def search(game, moves, count, seed):
    from multimcts import MCTS, GameState

    random.seed(seed)
    state = after(state_class(GameState, BOARDS[game])(), moves)

    def run():
        best = MCTS().search(state, max_iterations=count, return_type="node")
        return best.get_move(), best

    return run
