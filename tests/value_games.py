"""Games written in Python whose positions are values: equal when they look the same, hashable."""


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
