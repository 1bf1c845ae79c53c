"""A game written in Python, small enough to be solved at once."""


class Nim:
    """Take one or two; who takes the last one wins."""

    def __init__(self, left=5, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return [1, 2][:self.left]

    def play(self, move):
        return Nim(self.left - move, -self.to_move)

    def winner(self):
        return -self.to_move if self.left == 0 else None
