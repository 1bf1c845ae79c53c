from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

def set_renderer(function: Callable[[NativeState, str], object] | None) -> None: ...


CHANCE: str

def import_numpy() -> Any: ...
def imported(name: str, attribute: str) -> Any: ...

@disjoint_base
class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""

    @property
    def actions(self) -> int | None:
        """The number of entries of an evaluator's policy, where a move is its own index; None: the game has none."""
    def observation(self) -> Any:
        """Returns what an evaluator sees of this position: a float32 array of shape (planes, rows, columns).

        Positions of Connect Four and m,n,k games have three planes of 0 and 1, with row 0 on top: the stones of the
        player to move, the stones of the other player, and a plane that is 1 everywhere if the player who began is to
        move, else 0. The planes of a game of your own are those that its ``observe`` writes.

        Raises InvalidState for a game without observations, and ImportError without numpy.
        """

    def _repr_svg_(self) -> str | None: ...
    def __rich__(self) -> object: ...
    def explain_error(self) -> str | None:
        """Returns what the functions of the game reported last, in words; None if the game reports nothing.

        For subclasses: a search that ends with an error of the game raises a GameError with this text.
        """
