"""Tic-tac-toe written in Python."""


class Noughts:
    """From a text: ``X`` begins, ``O``, and ``.`` for an empty cell."""

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self, cells=(0,) * 9, to_move=1):
        self.cells, self.to_move = cells, to_move

    def __repr__(self):
        return "".join("O.X"[cell + 1] for cell in self.cells)

    @classmethod
    def from_text(cls, text):
        cells = tuple("O.X".index(mark) - 1 for mark in text)
        return cls(cells, 1 if sum(cells) == 0 else -1)

    def legal_moves(self):
        return [cell for cell in range(9) if not self.cells[cell]]

    def play(self, move):
        return Noughts((*self.cells[:move], self.to_move, *self.cells[move + 1:]), -self.to_move)

    def winner(self):
        for a, b, c in self.LINES:
            if self.cells[a] and self.cells[a] == self.cells[b] == self.cells[c]:
                return self.cells[a]
        return None if 0 in self.cells else 0
