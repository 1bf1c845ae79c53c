"""Connect Four in plain Python, for packages that want the rules in Python: two integers, as fast as it is short."""

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1  # the row above the board stays empty: lines do not run on into the next column
FLOOR = tuple(1 << column * HEIGHT for column in range(COLUMNS))
COLUMN = tuple(((1 << ROWS) - 1) << column * HEIGHT for column in range(COLUMNS))
TOP = tuple((column, 1 << column * HEIGHT + ROWS - 1) for column in range(COLUMNS))
FULL = sum(COLUMN)


class Board:
    """A position; the adapters give its methods the names that the packages want."""

    __slots__ = ("_mine", "_all", "first_moves", "won")

    def __init__(self, mine=0, all=0, first_moves=True, won=False):
        self._mine = mine  # the stones of the player to move
        self._all = all
        self.first_moves = first_moves  # is it the player who began
        self.won = won  # by the player who has just moved

    def moves(self):
        """The columns that are not full, from 0."""
        if self.won:
            return []
        stones = self._all
        return [column for column, top in TOP if not stones & top]

    def play(self, column):
        """The position after a move."""
        stones = self._all
        stone = (stones + FLOOR[column]) & COLUMN[column]
        placed = self._mine | stone
        two = placed & placed >> 1
        won = two & two >> 2
        if not won:
            two = placed & placed >> HEIGHT
            won = two & two >> 2 * HEIGHT
        if not won:
            two = placed & placed >> HEIGHT - 1
            won = two & two >> 2 * (HEIGHT - 1)
        if not won:
            two = placed & placed >> HEIGHT + 1
            won = two & two >> 2 * (HEIGHT + 1)
        return type(self)(stones ^ self._mine, stones | stone, not self.first_moves, won != 0)

    def over(self):
        """Is the game won or drawn."""
        return self.won or self._all == FULL

    def result(self):
        """+1 when the player who began has won, -1 for the other, 0 for a draw, None before the end."""
        if self.won:
            return -1 if self.first_moves else 1
        return 0 if self._all == FULL else None


def after(state, moves):
    """The position after some moves."""
    for move in moves:
        state = state.play(move)
    return state
