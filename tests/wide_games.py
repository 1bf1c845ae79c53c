"""Games in which all moves are alike, of every kind: what a search plays there must not depend on their order."""

import mcts_core as mc

PLIES = 2


class Wide:
    """``count`` moves in every position; who wins depends on the sum of both moves alone."""

    def __init__(self, count=200, chosen=(), to_move=1):
        self.count, self.chosen, self.to_move = count, chosen, to_move

    def __eq__(self, other):
        return isinstance(other, Wide) and (self.count, self.chosen) == (other.count, other.chosen)

    def __hash__(self):
        return hash((self.count, self.chosen))

    def legal_moves(self):
        return list(range(self.count))

    def play(self, move):
        return type(self)(self.count, (*self.chosen, move), -self.to_move)

    def winner(self):
        return None if len(self.chosen) < PLIES else 1 if sum(self.chosen) % 2 else -1


class WideGeneral:
    """The same for one player or more. Each gets a number of points that depends on the sum of all moves. ``chance``: a
    coin follows each move and is added to it."""

    def __init__(self, players=2, count=200, chance=False, chosen=(), tossing=False):
        self.players, self.count, self.chance, self.chosen, self.tossing = players, count, chance, chosen, tossing
        self.to_move = mc.CHANCE if tossing else len(chosen) % players

    def legal_moves(self):
        return list(range(self.count))

    def chance_outcomes(self):
        return [(0, 0.5), (1, 0.5)]

    def after(self, *changes):
        return type(self)(self.players, self.count, self.chance, *changes)

    def play(self, move):
        if self.tossing:
            return self.after((*self.chosen[:-1], self.chosen[-1] + move), False)
        return self.after((*self.chosen, move), self.chance)

    def returns(self):
        if self.tossing or len(self.chosen) < PLIES:
            return None
        return [float((sum(self.chosen) + player) % 3 == 0) for player in range(self.players)]


class WideScored(WideGeneral):
    """With rewards: the player who moved gets a point for an even move."""

    def rewards(self):
        mover = (len(self.chosen) - 1) % self.players
        even = bool(self.chosen) and not self.tossing and self.chosen[-1] % 2 == 0
        return [float(even and player == mover) for player in range(self.players)]


class WideHidden(Wide):
    """With a hidden number of the other player, which is added to the sum."""

    hidden_information = True

    def __init__(self, count=200, chosen=(), to_move=1, hidden=0):
        super().__init__(count, chosen, to_move)
        self.hidden = hidden

    def play(self, move):
        return WideHidden(self.count, (*self.chosen, move), -self.to_move, self.hidden)

    def winner(self):
        return None if len(self.chosen) < PLIES else 1 if (sum(self.chosen) + self.hidden) % 2 else -1

    def determinize(self, player, rng):
        return WideHidden(self.count, self.chosen, self.to_move, rng.randrange(2))

    def observation_key(self, player):
        return self.chosen
