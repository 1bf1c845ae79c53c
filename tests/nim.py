"""Nim written in Python: a game small enough to be solved at once, for all tests that need any game of a user's."""


class Nim:
    """Take one to three of the stones; who takes the last one wins."""

    most = 3

    def __init__(self, stones=8, to_move=1):
        self.stones, self.to_move = stones, to_move

    def __repr__(self):
        return f"{type(self).__name__}({self.stones}, {self.to_move})"

    def legal_moves(self):
        return list(range(1, min(self.most, self.stones) + 1))

    def play(self, move):
        return type(self)(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Comparable(Nim):
    """Equal by value, so that a search can go on with the tree of the last one, and so that it can be pickled."""

    def __eq__(self, other):
        return (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self):
        return hash((self.stones, self.to_move))


class SmallNim(Nim):
    """Take one or two of five."""

    most = 2

    def __init__(self, stones=5, to_move=1):
        super().__init__(stones, to_move)
