"""The games of matches."""

import re
from dataclasses import dataclass

NAMES = "connect4, gomoku, gomoku-exact or mnk:m,n,k"
GOMOKU_SIZE = 15


@dataclass(frozen=True)
class Game:
    """A game under the name by which it is asked for."""

    name: str
    constructor: str
    """``ConnectFour``, ``Gomoku`` or ``MNK``: a name of mcts_core."""
    options: tuple
    """(name, value) pairs for it."""
    openspiel: str | None
    """What OpenSpiel calls the same game, with the same numbers for the moves; None where it has no such game."""

    def start(self):
        """The first position."""
        import mcts_core

        return getattr(mcts_core, self.constructor)(**dict(self.options))


def find(name):
    """The Game of a name. Raises ValueError."""
    if name == "connect4":
        return Game(name, "ConnectFour", (), "connect_four")
    if name in ("gomoku", "gomoku-exact"):
        exact = name == "gomoku-exact"
        options = ("size", GOMOKU_SIZE), ("rule", "exact" if exact else "freestyle")
        # OpenSpiel's mnk(m=15,n=15,k=5) is the same game at a twenty-fifth of the simulations per second.
        return Game(name, "Gomoku", options, None if exact else f"gomoku(size={GOMOKU_SIZE},connect=5)")
    sizes = re.fullmatch(r"mnk:(\d+),(\d+),(\d+)", name)
    if not sizes:
        raise ValueError(f"the game must be {NAMES}, got {name!r}")
    m, n, k = map(int, sizes.groups())
    theirs = f"gomoku(size={m},connect={k})" if m == n else f"mnk(m={m},n={n},k={k})"
    game = Game(name, "MNK", (("m", m), ("n", n), ("k", k)), theirs)
    game.start()  # the package's own error
    return game
