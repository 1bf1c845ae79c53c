"""The signature: what fixed searches and rollouts find on every game, as text.

Run as a script it prints the signature of the chosen instruction set. A change that alters it on purpose commits the
new one: ``python tests/signature.py > tests/data/signature.txt``.
"""

import hashlib

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


def lines():
    """One line for each search: nodes, depths, and a digest of every move's visits and wins."""
    for name, state, iterations in SEARCHES:
        engine = mc.Searcher(preset="uct", seed=20261120, exploration=0.7)
        engine.search(state, iterations=iterations)
        stats = engine.stats()
        counts = repr([(entry.move, entry.visits, entry.wins) for entry in stats.moves]).encode()
        played = mc.rollouts(state, 2_000, seed=7)
        yield (f"{name}: nodes {stats.nodes} depth {stats.depth_max} mean {stats.depth_mean!r} "
               f"moves {hashlib.sha256(counts).hexdigest()[:16]} "
               f"rollouts {played.wins}/{played.draws}/{played.losses} length {played.mean_length!r}")


if __name__ == "__main__":
    print("\n".join(lines()))
