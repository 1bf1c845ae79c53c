"""The signature: what fixed searches and rollouts find on every game, as text.

Run as a script it prints the signature of the chosen instruction set. A change that alters it on purpose commits the
new one: ``python tests/signature.py > tests/data/signature.txt``. With the argument ``guided`` it prints what guided
searches of the native games find, which changes with every improvement of a guide and is not committed.
"""

import hashlib
import sys

import mcts_core as mc


class Subtract:
    """A Python-written game: take 1, 3 or 4 of the stones; who cannot move has lost."""

    def __init__(self, stones=31, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [n for n in (1, 3, 4) if n <= self.stones]

    def play(self, move):
        return Subtract(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


SEARCHES = [
    ("connect4", mc.ConnectFour(), 200_000),
    ("connect4 mid-game", mc.ConnectFour.from_moves("33323504"), 100_000),
    ("connect4 4x5x3", mc.ConnectFour(4, 5, 3), 50_000),
    ("connect4 5x8x4", mc.ConnectFour(5, 8, 4), 50_000),
    ("connect4 8x9x5", mc.ConnectFour(8, 9, 5), 50_000),
    ("connect4 12x8x4", mc.ConnectFour(12, 8, 4), 20_000),
    ("tictactoe", mc.TicTacToe(), 50_000),
    ("mnk 4,4,4", mc.MNK(4, 4, 4), 50_000),
    ("mnk 7,6,4 exact", mc.MNK(7, 6, 4, "exact"), 50_000),
    ("mnk 8,8,5", mc.MNK(8, 8, 5), 50_000),
    ("gomoku", mc.Gomoku(15), 100_000),
    ("gomoku exact", mc.Gomoku(15, "exact"), 50_000),
    ("gomoku mid-game", mc.Gomoku.from_moves("112 97 113 98 96 111 127 128"), 50_000),
    ("gomoku 20", mc.Gomoku(20), 50_000),
    ("gomoku 20 exact", mc.Gomoku(20, "exact"), 50_000),
    ("mnk 32,32,6", mc.MNK(32, 32, 6), 5_000),
    ("python", Subtract(), 3_000),
]


GUIDED = [
    ("defaults", {}),
    ("tuned", {"selection": "ucb1-tuned", "rollouts_per_leaf": 3}),
    ("rave", {"selection": "rave", "prior_weight": 2.0, "fpu": 0.5}),
    ("rave mse", {"selection": "rave", "rave_schedule": "mse", "rave_bias": 0.01, "expand_after": 3}),
    ("grave", {"selection": "grave", "grave_ref": 10, "rollout": "decisive"}),
    ("no solver", {"solver": False, "fpu": 0.8}),
]
PYTHON_WRITTEN = [("python", Subtract(), 400), ("python second", Subtract(17, -1), 600)]
NATIVE = [
    ("connect4", mc.ConnectFour(), 4_000),
    ("connect4 8x9x5", mc.ConnectFour(8, 9, 5), 4_000),
    ("mnk 5,5,4", mc.MNK(5, 5, 4), 4_000),
    ("mnk 8,8,5", mc.MNK(8, 8, 5), 4_000),
    ("gomoku mid-game", mc.Gomoku.from_moves("112 97 113 98 96 111 127 128"), 4_000),
    ("gomoku 20 exact", mc.Gomoku(20, "exact"), 2_000),
]


def found(name, engine, state, iterations):
    """What a search finds: nodes, depths, and a digest of every move's visits and wins."""
    engine.search(state, iterations=iterations)
    stats = engine.stats()
    counts = repr([(entry.move, entry.visits, entry.wins) for entry in stats.moves]).encode()
    return (f"{name}: nodes {stats.nodes} depth {stats.depth_max} mean {stats.depth_mean!r} "
            f"moves {hashlib.sha256(counts).hexdigest()[:16]}"), stats


def guided_lines(states):
    """One line for each guided search of each state."""
    for name, state, iterations in states:
        for title, options in GUIDED:
            engine = mc.Searcher(seed=20261120, memory_mb=64, **options)
            line, stats = found(f"{name} {title}", engine, state, iterations)
            proofs = repr([(entry.move, entry.proven, entry.distance) for entry in stats.moves]).encode()
            yield (f"{line} iterations {stats.iterations} proven {stats.proven} {stats.distance} "
                   f"proofs {hashlib.sha256(proofs).hexdigest()[:16]}")


def lines():
    """One line for each search by textbook UCT, and for each guided one of a Python-written game."""
    for name, state, iterations in SEARCHES:
        engine = mc.Searcher(preset="uct", seed=20261120, exploration=0.7)
        line, _ = found(name, engine, state, iterations)
        played = mc.rollouts(state, 2_000, seed=7)
        yield f"{line} rollouts {played.wins}/{played.draws}/{played.losses} length {played.mean_length!r}"
    yield from guided_lines(PYTHON_WRITTEN)


if __name__ == "__main__":
    print("\n".join(guided_lines(NATIVE) if sys.argv[1:] == ["guided"] else lines()))
