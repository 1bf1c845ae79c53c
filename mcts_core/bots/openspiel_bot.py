"""The search as a player of OpenSpiel's tools: ``mcts_core.bots.openspiel.Bot``."""

from __future__ import annotations

import mcts_core
from mcts_core.arguments import as_int, shorten
from mcts_core.bots import openspiel
from mcts_core.bots.budgets import engine_for
from mcts_core.option_rows import checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

pyspiel = openspiel.import_pyspiel()
_Base: Any = pyspiel.Bot


class Bot(_Base):  # type: ignore[misc]
    """Plays a game by searching every position in which a player is to move.

    game: a ``pyspiel.Game`` or the text that loads one.
    player_id: the player, from 0, for whom OpenSpiel's tools are told that the bot plays. Like OpenSpiel's own bots it
        plays whoever is to move, so one bot can play all seats; None, the default, names none.
    engine: the ``Searcher`` to play with. Without one the bot makes its own from ``options``, those of ``Searcher``.
    seconds, iterations: the limits of a move, as in ``Searcher.search``; one second without a limit.
    native, general, utility_range: as in ``state``.

    The bot reads every position from the given ``pyspiel.State`` and remembers nothing of a game, so the same bot can
    play one game after another, and start from any position. Its engine detects whether a position follows that of its
    last search, and then reuses the tree. With a ``seed``, the searches of all games have seeds of their own
    (``Searcher``), so a series of games repeats as a whole, and its games may differ.

    The policies that it returns are those by which it moves: probability 1 for the chosen move, or, with the option
    ``temperature``, in proportion to visits ** (1 / temperature). ``engine.stats()`` returns visits and values.

    Raises InvalidState for a game that ``state`` refuses, and InvalidOption. The methods raise InvalidState for a
    position of another game or with chance to move, GameOver, and what ``Searcher.search`` raises.
    """

    @checked({})
    def __init__(
        self,
        game: Any,
        player_id: int | None = None,
        engine: mcts_core.Searcher | None = None,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        native: bool = True,
        general: bool = False,
        utility_range: tuple[float, float] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        game = openspiel.as_game(game)
        self._form: dict[str, Any] = {"native": native, "general": general, "utility_range": utility_range}
        start = openspiel.state(game, **self._form)
        self._text = str(game)
        if player_id is not None:
            as_int(player_id, "player_id", 0, game.num_players() - 1)
        self._seconds, self._iterations = seconds, iterations
        self.engine = engine_for(engine, options, lambda: _first_decision(start), seconds, iterations)

    def step(self, state: Any) -> int:
        """Returns the action to play in ``state``, a ``pyspiel.State``. Raises the errors of the class."""
        return self._choose(self._read(state))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Returns the policy in ``state``, a list of (action, probability) of every legal action, and the action to
        play. Raises the errors of the class."""
        position = self._read(state)
        move = self._choose(position)
        return self._policy(position, move), move

    def provides_policy(self) -> bool:
        """Returns True: ``get_policy`` and ``step_with_policy`` work."""
        return True

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Returns (action, probability) of every legal action in ``state``. Raises the errors of the class."""
        return self.step_with_policy(state)[0]

    def restart(self) -> None:
        """Does nothing: the engine detects a new game, and continues its series of seeds."""

    def restart_at(self, state: Any) -> None:
        """Only checks that ``state`` belongs to this game. Raises InvalidState for a position of another game."""
        self._check(state)

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Only checks that ``state`` belongs to this game; ``player_id`` and ``action`` are ignored, because the engine
        finds its tree by the position. Raises InvalidState for a position of another game."""
        self._check(state)

    def _choose(self, position: Any) -> int:
        move: int = self.engine.search(position, self._seconds, iterations=self._iterations)
        return move

    def _policy(self, position: Any, move: int) -> list[tuple[int, float]]:
        temperature = self.engine.options(position).get("temperature") or 0.0
        legal = position.legal_moves()
        if not temperature:
            return [(action, float(action == move)) for action in legal]
        visits = {entry.move: entry.visits for entry in self.engine.stats().moves}
        most = max(visits.values())
        weights = [(visits.get(action, 0) / most) ** (1 / temperature) for action in legal]
        total = sum(weights)
        return [(action, weight / total) for action, weight in zip(legal, weights, strict=True)]

    def _check(self, state: Any) -> None:
        if not isinstance(state, pyspiel.State):
            raise mcts_core.InvalidState(f"a position must be a pyspiel.State, got {shorten(state)}")
        if str(state.get_game()) != self._text:
            raise mcts_core.InvalidState(
                f"this bot plays {shorten(self._text)}, got a position of {shorten(str(state.get_game()))}"
            )

    def _read(self, state: Any) -> Any:
        self._check(state)
        if state.is_terminal():
            raise mcts_core.GameOver(f"the game is over: there is no move to play after {shorten(state.history())}")
        if state.is_chance_node():
            raise mcts_core.InvalidState("a bot chooses for a player, got a position with chance to move: apply one of "
                                         "its outcomes first")
        return openspiel.state(state, **self._form)


def _first_decision(position: Any) -> Any:
    """The first position after ``position`` in which a player is to move, with the likeliest outcomes of chance."""
    while position.to_move == mcts_core.CHANCE:
        position = position.play(max(position.chance_outcomes(), key=lambda outcome: outcome[1])[0])
    return position
