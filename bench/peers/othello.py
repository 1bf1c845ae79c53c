"""Othello in plain Python, for packages that want the rules in Python: two integers, bit 8 * row + column."""

FULL = (1 << 64) - 1
RIGHT, LEFT = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F  # the cells that a step to the right, or to the left, can reach
STEPS = ((1, RIGHT), (9, RIGHT), (8, FULL), (7, LEFT), (-1, LEFT), (-9, LEFT), (-8, FULL), (-7, RIGHT))
PASS = 64


def moved(stones, step):
    """All stones one step further."""
    return (stones << step if step > 0 else stones >> -step) & FULL


def placements(mine, theirs):
    """The cells where a stone turns others."""
    found, empty = 0, FULL & ~(mine | theirs)
    for step, reached in STEPS:
        line = moved(mine, step) & reached & theirs
        for _ in range(5):
            line |= moved(line, step) & reached & theirs
        found |= moved(line, step) & reached & empty
    return found


class Board:
    """A position; the adapters give its methods the names that the packages want."""

    __slots__ = ("_mine", "_theirs", "_open", "first_moves")

    def __init__(self, mine=0x0000000810000000, theirs=0x0000001008000000, first_moves=True):
        self._mine, self._theirs = mine, theirs  # the stones of the player to move, and of the other one
        self.first_moves = first_moves
        self._open = placements(mine, theirs)

    def moves(self):
        """The cells to place a stone on; PASS alone if there is none."""
        cells, found = self._open, []
        while cells:
            cell = cells & -cells
            found.append(cell.bit_length() - 1)
            cells ^= cell
        return found or [PASS]

    def play(self, move):
        """The position after a move."""
        mine, theirs = self._mine, self._theirs
        if move == PASS:
            return type(self)(theirs, mine, not self.first_moves)
        stone, turned = 1 << move, 0
        for step, reached in STEPS:
            line, cell = 0, moved(stone, step) & reached
            while cell & theirs:
                line |= cell
                cell = moved(cell, step) & reached
            if cell & mine:
                turned |= line
        return type(self)(theirs & ~turned, mine | stone | turned, not self.first_moves)

    def over(self):
        """Can neither player place a stone."""
        return not self._open and not placements(self._theirs, self._mine)

    def result(self):
        """+1 when the player who began has won, -1 for the other, 0 for a draw, None before the end."""
        if not self.over():
            return None
        ahead = self._mine.bit_count() - self._theirs.bit_count()
        return (ahead > 0) - (ahead < 0) if self.first_moves else (ahead < 0) - (ahead > 0)

    @property
    def won(self):
        """By the player who has just moved."""
        return self._theirs.bit_count() > self._mine.bit_count()
