"""Games written in Python whose positions are values: equal when they look the same, hashable."""

from random import Random


class Claim:
    """Numbers 0 to 7 are claimed in turn, but who claims a multiple of three moves again; there are draws."""

    def __init__(self, owners=(0,) * 8, to_move=1):
        self.owners, self.to_move = owners, to_move

    def __repr__(self):
        return f"{type(self).__name__}({self.owners}, {self.to_move})"

    def __eq__(self, other):
        return type(self) is type(other) and (self.owners, self.to_move) == (other.owners, other.to_move)

    def __hash__(self):
        return hash((self.owners, self.to_move))

    def legal_moves(self):
        return [number for number, owner in enumerate(self.owners) if not owner]

    def next(self, move):
        owners = (*self.owners[:move], self.to_move, *self.owners[move + 1:])
        return owners, self.to_move if move % 3 == 0 else -self.to_move

    def play(self, move):
        return type(self)(*self.next(move))

    def winner(self):
        if 0 in self.owners:
            return None
        total = sum(owner * (number * number + 1) for number, owner in enumerate(self.owners))
        return 0 if total % 4 == 0 else 1 if total > 0 else -1


class ToldClaim(Claim):
    """The same; a position tells the moves that led to it."""

    def __init__(self, owners=(0,) * 8, to_move=1, moves=()):
        super().__init__(owners, to_move)
        self.moves = list(moves)

    def play(self, move):
        return ToldClaim(*self.next(move), (*self.moves, move))


class BareClaim(Claim):
    """The same; positions are not compared by value."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Draws:
    """Two moves draw at once; the third one leads to a long game that the player who plays it loses. ``lead``: so many
    moves come before, of which there is one each."""

    actions = 3

    def __init__(self, path=(), lead=0):
        self.path, self.lead = path, lead
        self.to_move = -1 if len(path) % 2 else 1
        self.chosen = path[lead] if len(path) > lead else None

    def legal_moves(self):
        if len(self.path) < self.lead:
            return ["on"]
        return ["draw", "bad", "another draw"] if len(self.path) == self.lead else ["x", "y"]

    def play(self, move):
        return type(self)((*self.path, move), self.lead)

    def winner(self):
        if self.chosen in ("draw", "another draw"):
            return 0
        return (1 if self.lead % 2 else -1) if len(self.path) > 40 else None

    def observation(self):
        return [[[0.0 if self.chosen != "bad" else -0.9 if self.to_move == (-1 if self.lead % 2 else 1) else 0.9]]]

    def action(self, move):
        return {"bad": 1, "y": 1, "another draw": 2}.get(move, 0)


class Scores(Draws):
    """The same for the first of ``players``: the draws are worth 0.6 to him, the long game nothing."""

    players = 3

    def __init__(self, path=(), lead=0):
        super().__init__(path, lead)
        self.to_move = len(path) % self.players

    def returns(self):
        winner = self.winner()
        return None if winner is None else [0.0 if winner else 0.6] + [0.5] * (self.players - 1)


class Alone(Scores):
    players = 1


class Shares:
    """Three players move in turn, seven times in all; of each end they get shares that no other end gives."""

    players = 3

    def __init__(self, path=""):
        self.path = path
        self.to_move = len(path) % 3

    def legal_moves(self):
        return ["a", "b", "c"]

    def play(self, move):
        return Shares(self.path + move)

    def returns(self):
        draw = Random(self.path)
        return [draw.random() for _ in range(3)] if len(self.path) == 7 else None

    def best(self):
        """The values of best play, by exhaustive search."""
        return self.returns() or max((self.play(move).best() for move in "abc"), key=lambda best: best[self.to_move])


def drawish_value(state):
    return None, state.observation()[0][0][0]
