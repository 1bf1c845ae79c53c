"""A short run through all native code, for `make sanitize`: every game and tree, threads, files, bad input."""

import pickle
import tempfile
from pathlib import Path

import mcts_core as mc
from mcts_core.games.connect_four import position as connect_four
from mcts_core.games.mnk import position as mnk
from mcts_core.testing import probe


class Nim:
    """A game written in Python."""

    def __init__(self, stones=5, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return list(range(1, min(self.stones, 3) + 1))

    def play(self, move):
        return Nim(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Race:
    """A general game: the dice go to and fro, who has twelve points first wins."""

    def __init__(self, points=(0, 0, 0), turn=0, thrown=False):
        self.players, self.points, self.turn = 3, points, turn
        self.to_move = mc.CHANCE if thrown else turn

    def legal_moves(self):
        return ["throw", "pass"]

    def chance_outcomes(self):
        return [(1, 0.5), (6, 0.5)]

    def play(self, move):
        if move == "throw":
            return Race(self.points, self.turn, True)
        points = list(self.points)
        points[self.turn] += 1 if move == "pass" else move
        return Race(tuple(points), (self.turn + 1) % 3)

    def returns(self):
        return [float(each >= 12) for each in self.points] if max(self.points) >= 12 else None


def even(state):
    """A policy_value."""
    return [1.0] * len(state.legal_moves()), 0.0


def refused(function, *arguments, **options):
    """Calls what must raise a ValueError."""
    try:
        function(*arguments, **options)
    except ValueError:
        return
    raise AssertionError(f"{function} took {arguments} {options}")


def searches():
    """Every tree, with each of the options that have code of their own."""
    boards = [
        mc.ConnectFour.from_moves("4455", base=1), mc.ConnectFour(9, 8, 5), mc.TicTacToe(), mc.MNK(5, 4, 4),
        mc.Gomoku(9), mc.MNK(10, 6, 5), mc.Gomoku.from_moves([112, 97, 113, 98, 114], size=15, rule="exact"),
        mc.MNK(20, 9, 5),
    ]
    for number, state in enumerate(boards):
        for options in (
            {"preset": "uct"}, {}, {"selection": "grave", "rollouts_per_leaf": 3}, {"threads": 2, "exchange_every": 16},
            {"memory_mb": 1, "selection": "rave", "solver": False}, {"policy_value": even, "noise_alpha": 0.5},
        ):
            engine = mc.Searcher(seed=number, **{"memory_mb": 4, **options})
            engine.search(state, iterations=600)
            engine.search(state.play(state.legal_moves()[0]), iterations=300)
            if "policy_value" not in options:
                engine.stats().tree()
        mc.rollouts(state, 200, seed=1)
        simple = connect_four if isinstance(state, mc.ConnectFour) else mnk
        simple.simple_rollouts(state, 50, 1)
        assert pickle.loads(pickle.dumps(state)) == state
    mnk.simple_rollouts(mc.MNK(32, 32, 5), 20, 1)
    mc.search(Nim(), iterations=300, seed=1)
    mc.search(Race(), iterations=300, seed=1)
    mc.search_many([Nim(3), mc.TicTacToe()], iterations=100, threads=2, seed=1)


def files():
    """Saved, loaded, and loaded from what is damaged."""
    engine = mc.Searcher(seed=1, memory_mb=4)
    engine.search(mc.ConnectFour(), iterations=500)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "searcher")
        engine.save(path)
        loaded = mc.Searcher.load(path)
        assert loaded.stats() == engine.stats()
        assert probe.check_tree(loaded, whole=True)
        whole = path.read_bytes()
        path.write_bytes(whole[:-40] + b"\x7f" * 40)
        refused(mc.Searcher.load, path)


def mistakes():
    """What is refused."""
    refused(mc.ConnectFour.from_moves, "4" * 9)
    refused(mc.ConnectFour.from_string, "x" * 3000)
    refused(mc.Gomoku.from_moves, [0, 0])
    refused(mc.MNK, 40, 3, 3)
    refused(mc.TicTacToe.from_string, "X X X\nO O O\n. . .")


searches()
files()
mistakes()
print("done")
