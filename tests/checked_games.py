"""Games that keep the contract, for tests of what breaks it."""

from nim import Nim

import mcts_core as mc


class Endless(Nim):
    def play(self, move):
        return Endless(self.stones, -self.to_move)


def broken(**methods):
    """Nim with other methods: each gets the position, as its stones."""
    return type("Broken", (Nim,), methods)


class Dice:
    """Three players throw a die in turn, three rounds; a player may pass. The highest sum wins, or shares the win."""

    players = 3

    def __init__(self, sums=(0, 0, 0), plies=0, throwing=False):
        self.sums, self.plies, self.throwing = sums, plies, throwing

    @property
    def to_move(self):
        return mc.CHANCE if self.throwing else self.plies % 3

    def legal_moves(self):
        return ["throw", "pass"]

    def chance_outcomes(self):
        return [(pips, 1 / 6) for pips in range(1, 7)]

    def play(self, move):
        if move == "throw":
            return type(self)(self.sums, self.plies, True)
        won = 0 if move == "pass" else move
        sums = tuple(each + won * (player == self.plies % 3) for player, each in enumerate(self.sums))
        return type(self)(sums, self.plies + 1)

    def returns(self):
        if self.plies < 9:
            return None
        best = [player for player in range(3) if self.sums[player] == max(self.sums)]
        return [1 / len(best) if player in best else 0.0 for player in range(3)]
