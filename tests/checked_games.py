"""Games that keep the contract, for tests of what breaks it."""

import mcts_core as mc


class Nim:
    """Take one to three of the stones; who takes the last one wins."""

    def __init__(self, stones=8, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [number for number in (1, 2, 3) if number <= self.stones]

    def play(self, move):
        return type(self)(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Comparable(Nim):
    def __eq__(self, other):
        return (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self):
        return hash((self.stones, self.to_move))


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
