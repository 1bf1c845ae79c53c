"""Games that other processes cannot play."""

import os
import pickle


class Elsewhere:
    """A game that fails in any process but the one where it was made."""

    def __init__(self, stones=30, home=None):
        self.stones, self.home, self.to_move = stones, home or os.getpid(), 1 if stones % 2 else -1

    def legal_moves(self):
        if os.getpid() != self.home:
            raise OSError("not at home")
        return [1, 2, 3][:self.stones]

    def play(self, move):
        return Elsewhere(self.stones - move, self.home)

    def winner(self):
        return None if self.stones else -self.to_move


class NoWayBack(Elsewhere):
    """Pickles, but the pickle cannot be read."""

    def __reduce__(self):
        return pickle.loads, (b"garbage",)


class Deadly:
    """A game that ends any process but the one where it was made, by a signal, or by an exit code >= 0: ``end``."""

    def __init__(self, end, stones=12, home=None):
        self.end, self.stones, self.home = end, stones, home or os.getpid()
        self.to_move = -1 if stones % 2 else 1

    def legal_moves(self):
        return [1, 3][:self.stones]

    def play(self, move):
        if os.getpid() != self.home and self.end < 0:
            os.kill(os.getpid(), -self.end)
        elif os.getpid() != self.home:
            os._exit(self.end)
        return Deadly(self.end, max(0, self.stones - move), self.home)

    def winner(self):
        return None if self.stones else -self.to_move
