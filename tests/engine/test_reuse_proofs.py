"""The tree of the last search, used again: what was proven stays proven, however few iterations the next search has."""

import random
from functools import cache

import pytest

import mcts_core as mc
from mcts_core.testing.tree_probe import audit

pytestmark = pytest.mark.usefixtures("no_book")

NO_PROVER = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}


class Written:
    """Connect Four as a game written in Python."""

    def __init__(self, board):
        self.board, self.to_move = board, board.to_move

    def __eq__(self, other):
        return type(other) is type(self) and self.board == other.board

    def __hash__(self):
        return hash(self.board)

    def legal_moves(self):
        return self.board.legal_moves()

    def play(self, move):
        return type(self)(self.board.play(move))

    def winner(self):
        return self.board.winner()


class General(Written):
    """The same as a general game."""

    players = 2
    constant_sum = True

    def __init__(self, board):
        self.board, self.to_move = board, int(board.to_move < 0)

    def returns(self):
        winner = self.board.winner()
        return None if winner is None else [(1 + winner) / 2, (1 - winner) / 2]


def level(state):
    """An evaluator that knows nothing."""
    return dict.fromkeys(state.legal_moves(), 1.0), 0.0


@cache
def wins(board):
    """Whether the player to move wins, by exhaustive search."""
    if board.winner() is not None:
        return board.winner() == board.to_move
    return any(loses(board.play(move)) for move in board.legal_moves())


@cache
def loses(board):
    if board.winner() is not None:
        return board.winner() == -board.to_move
    return all(wins(board.play(move)) for move in board.legal_moves())


def opened(chooser, plies):
    board = mc.ConnectFour(4, 5, 4)
    for _ in range(chooser.randrange(plies)):
        board = board.play(chooser.choice(board.legal_moves()))
        if board.winner() is not None:
            return opened(chooser, plies)
    return board


def played_out(kind, options, iterations, least, seed):
    """Plays a game against random replies: ``iterations`` for each move until a win is proven, then ``least``. How many
    moves were searched afterwards; every one of them must keep the win."""
    chooser = random.Random(seed)
    board, proven, searched = opened(chooser, 9), False, 0
    player = board.to_move
    engine = mc.Searcher(seed=seed, reuse=True, memory_mb=8, **options)
    while board.winner() is None:
        if board.to_move == player:
            move = engine.search(kind(board), iterations=least if proven else iterations)
            searched += proven
            proven = proven or engine.stats().proven == "win"
            assert not proven or loses(board.play(move)), f"{board!r}: {move} gives the win away"
        else:
            move = chooser.choice(board.legal_moves())
        board = board.play(move)
    assert not proven or board.winner() == player
    if kind is not General and "policy_value" not in options:
        audit(engine)
    return searched


KINDS = [
    pytest.param(lambda board: board, NO_PROVER, 3000, id="guided"),
    pytest.param(lambda board: board, {**NO_PROVER, "selection": "rave", "expand_after": 1}, 1500, id="rave"),
    pytest.param(lambda board: board, {**NO_PROVER, "threads": 2, "exchange_every": 200}, 3000, id="threads"),
    pytest.param(Written, {}, 1000, id="written in Python"),
    pytest.param(lambda board: board, {"policy_value": level, "leaf_proofs": 0, "root_proofs": 0}, 800, id="evaluator"),
    pytest.param(General, {}, 1000, id="general game"),
]


@pytest.mark.parametrize(("games", "first"), [
    (12, 0), pytest.param(200, 1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("least", [1, 30])
@pytest.mark.parametrize(("kind", "options", "iterations"), KINDS)
def test_a_proven_win_is_never_given_away(kind, options, iterations, least, games, first):
    assert sum(played_out(kind, options, iterations, least, seed) for seed in range(first, first + games)) > games // 2
