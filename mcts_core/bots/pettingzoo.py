"""The search as a player of PettingZoo's ``connect_four_v3`` and ``tictactoe_v3``.

    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    player = Agent(env, seconds=0.5)

``Agent`` needs only observations, not PettingZoo itself; the extra [pettingzoo] installs the environments.
"""

from __future__ import annotations

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.bots.budgets import engine_for
from mcts_core.option_rows import checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GAMES: dict[str, tuple[type[mcts_core.ConnectFour] | type[mcts_core.TicTacToe], int, int]] = {
    "connect_four_v3": (mcts_core.ConnectFour, 6, 7),
    "tictactoe_v3": (mcts_core.TicTacToe, 3, 3),
}
"""The game, rows and columns of each environment."""


class Agent:
    """Plays either side of an environment: ``player(observation)`` returns the action.

    game: ``"connect_four_v3"``, ``"tictactoe_v3"``, or such an environment.
    engine: the ``Searcher`` to play with. Without one the Agent makes its own from ``options``, those of ``Searcher``.
    seconds, iterations: the limits of a move, as in ``Searcher.search``; one second without a limit.

    The Agent keeps nothing of a game but its engine's tree, which it reuses if a position follows the last one. So the
    same Agent can play many games, and both sides. With a ``seed``, the searches of all games have seeds of their own
    (``Searcher``), so a series of games repeats as a whole, and its games may differ.

    Raises InvalidState for another game, InvalidOption.
    """

    @checked({})
    def __init__(
        self,
        game: Any,
        engine: mcts_core.Searcher | None = None,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        **options: Any,
    ) -> None:
        self._name = _name_of(game)
        self._seconds, self._iterations = seconds, iterations
        self.engine = engine_for(engine, options, GAMES[self._name][0], seconds, iterations)

    def __call__(self, observation: Any) -> int:
        """The action for an observation of the player to move.

        observation: the result of ``env.last()`` or ``env.observe(agent)``, with ``observation`` and ``action_mask``.

        Raises InvalidState if it is not a position of the game. Raises GameOver if the mask allows no action: the game
        is over, or it is the other player's turn.
        """
        position = state(self._name, observation)
        move: int = self.engine.search(position, self._seconds, iterations=self._iterations)
        return move


def state(game: Any, observation: Any) -> mcts_core.ConnectFour | mcts_core.MNK:
    """Returns the position of an observation; its moves are the environment's actions.

    game: as in ``Agent``.
    observation: as in ``Agent.__call__``.

    The first plane holds the stones of the player to
    move, the second those of the other player. The player with more stones began, or the player to move if both have
    the same number.

    Raises what ``Agent.__call__`` raises.
    """
    name = _name_of(game)
    kind, rows, cols = GAMES[name]
    try:
        planes, mask = observation["observation"], observation["action_mask"]
        mine, theirs = ([bool(planes[row][col][plane]) for row in range(rows) for col in range(cols)]
                        for plane in (0, 1))
        legal = [action for action, allowed in enumerate(mask) if allowed]
        size = len(planes), len(planes[0]), len(planes[0][0])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise mcts_core.InvalidState(
            f"an observation of {name} must have observation ({rows} x {cols} x 2) and action_mask, "
            f"got {shorten(observation)}"
        ) from error
    if size != (rows, cols, 2):
        raise mcts_core.InvalidState(f"observation must be {rows} x {cols} x 2 in {name}, got {shorten(size)}")
    if not legal:
        raise mcts_core.GameOver(
            "action_mask allows no action: the game is over, or it is the other player's turn"
        )
    if any(one and other for one, other in zip(mine, theirs, strict=True)):
        raise mcts_core.InvalidState(f"both players have a stone in the same cell of {shorten(observation)}")
    me, other = "XO" if sum(mine) == sum(theirs) else "OX"
    diagram = "".join(me if one else other if two else "." for one, two in zip(mine, theirs, strict=True))
    position = kind.from_string(diagram)
    if position.legal_moves() != legal:
        raise mcts_core.InvalidState(
            f"action_mask must allow the legal moves {position.legal_moves()} of the position, got {legal}"
        )
    return position


def _name_of(game: Any) -> str:
    """The name of an environment, even if it is wrapped."""
    name = game
    if not isinstance(game, str):
        metadata = getattr(game, "metadata", None)
        name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or name not in GAMES:
        raise mcts_core.InvalidState(
            f"a game of PettingZoo must be one of {', '.join(GAMES)} or such an environment, got {shorten(game)}"
        )
    return name
