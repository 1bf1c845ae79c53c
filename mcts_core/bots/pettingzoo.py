"""The search as a player of PettingZoo's ``connect_four_v3`` and ``tictactoe_v3``.

    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    player = Agent(env, seconds=0.5)

``Agent`` reads observations alone and needs no package; the extra [pettingzoo] installs the environments.
"""

from __future__ import annotations

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.bots.budgets import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GAMES: dict[str, tuple[type[mcts_core.ConnectFour] | type[mcts_core.TicTacToe], int, int]] = {
    "connect_four_v3": (mcts_core.ConnectFour, 6, 7),
    "tictactoe_v3": (mcts_core.TicTacToe, 3, 3),
}
"""The game, rows and columns of each environment."""


class Agent:
    """Plays either side of an environment, one position after another: ``player(observation)`` is the action.

    game: ``"connect_four_v3"``, ``"tictactoe_v3"``, or such an environment.
    engine: the ``Searcher`` that it plays with; without one it makes its own with ``options``, those of ``Searcher``.
    seconds, iterations: the budget of a move, as in ``Searcher.search``; one second when none is named.

    It keeps nothing of a game but the tree of its engine, which is used again where a position comes after the last
    one: the same Agent may play many games, and both sides.

    Raises InvalidState for another game, InvalidOption.
    """

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
        start = GAMES[self._name][0]()
        if engine is None:
            check(mcts_core.Searcher(**options), start, seconds, iterations)
            self.engine = mcts_core.Searcher(**options)
        elif not isinstance(engine, mcts_core.Searcher):
            raise mcts_core.InvalidOption(f"engine must be a Searcher, got {shorten(engine)}")
        elif options:
            raise mcts_core.InvalidOption(f"an engine has its own options, got {', '.join(sorted(options))} as well")
        else:
            # The engine itself is left alone: it may hold a tree that is to be used again.
            check(mcts_core.Searcher(), start, seconds, iterations)
            self.engine = engine

    def __call__(self, observation: Any) -> int:
        """The action for what the player to move observes.

        observation: what ``env.last()`` or ``env.observe(agent)`` gives: ``observation`` and ``action_mask``.

        Raises InvalidState for what is no position of the game, GameOver where the mask allows no action: the game is
        over, or it is the other player's turn.
        """
        position = state(self._name, observation)
        move: int = self.engine.search(position, self._seconds, iterations=self._iterations)
        return move


def state(game: Any, observation: Any) -> mcts_core.ConnectFour | mcts_core.MNK:
    """The position that the player to move observes; its moves are the environment's actions.

    game: as in ``Agent``. observation: as in ``Agent.__call__``. The first plane is the stones of the player to move,
    the second those of the other one; who began is the one with more stones, or the player to move.

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
            "no action is allowed: the game is over, or it is the other player's turn, who did not ask"
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
    """The name of an environment, which may be wrapped."""
    name = game
    if not isinstance(game, str):
        metadata = getattr(game, "metadata", None)
        name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or name not in GAMES:
        raise mcts_core.InvalidState(
            f"a game of PettingZoo must be one of {', '.join(GAMES)}, or its environment, got {shorten(game)}"
        )
    return name
