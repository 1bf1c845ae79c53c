"""Games of OpenSpiel as states of the search, and the search as a bot of OpenSpiel (extra [openspiel]).

``state`` makes a state of any game that moves in turns: for one player or many, with or without chance and hidden
information. ``Bot`` plays in OpenSpiel's own tools, ``pyspiel.evaluate_bots`` for one. ``pyspiel`` is imported when one
of them is used.

Source: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", arXiv:1908.09453.
"""

from __future__ import annotations

import math
import operator

import mcts_core
from mcts_core.arguments import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from mcts_core.bots.openspiel_bot import Bot

__all__ = ["Bot", "GeneralState", "HiddenState", "OrdinaryState", "state"]

MOST_PLAYERS = 32
MOST_DRAWS = 100
"""Of a position that fits what a player knows; then the real one is taken."""


def __getattr__(name: str) -> Any:
    if name == "Bot":  # its base class is one of pyspiel
        from mcts_core.bots.openspiel_bot import Bot

        return Bot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def state(
    source: Any, *, native: bool = True, general: bool = False, utility_range: tuple[float, float] | None = None
) -> Any:
    """The state that mcts_core searches for ``source``: a ``pyspiel.State``, or a ``pyspiel.Game`` or the text that
    loads one (``"hex(board_size=5)"``) at its beginning. Moves are OpenSpiel's actions.

    One of four kinds:

    - ``connect_four``, ``tic_tac_toe``, ``mnk`` and ``gomoku`` become ``ConnectFour``, ``TicTacToe``, ``MNK`` and
      ``Gomoku``, if the rules are the same (not with ``wrap``, ``anti`` or other ``dims``, not on boards that these do
      not take, not from a start of one's own); not with ``native=False``.
    - Games of two players without chance that end in a win, a loss or a draw become an ``OrdinaryState``, which the
      search can prove.
    - Games that hide information become a ``HiddenState``, which is searched by what its players know.
    - All others, and with ``general=True`` all, become a ``GeneralState``: any number of players, chance, any results.

    The results of the last two are the game's utilities, moved to [0, 1]: (utility - low) / (high - low), where
    ``utility_range`` is (low, high), or else the least and greatest utility that the game names. Some name far more
    than play reaches (2048: 20480); the search then sees little difference between results, and a range of one's own
    helps. What lies outside of that counts as its nearer end. A range makes every game of perfect information a
    GeneralState.

    ``source`` is copied; what happens to it later does not change the state.

    Raises InvalidState for games that are not searched: simultaneous moves, hidden information of which OpenSpiel
    writes no information state, chance that the game draws itself (``SAMPLED_STOCHASTIC``), no finite range of
    utilities; InvalidOption; ModuleNotFoundError without pyspiel.
    """
    pyspiel = import_pyspiel()
    for name, value in (("native", native), ("general", general)):
        if not isinstance(value, bool):
            raise mcts_core.InvalidOption(f"{name} must be True or False, got {shorten(value)}")
    wanted = None if utility_range is None else _as_range(utility_range)
    if isinstance(source, pyspiel.State):
        game = source.get_game()
        check_game(game)
        position = source.clone()
    else:
        game = as_game(source, "a pyspiel.State, a pyspiel.Game or the text of one")
        check_game(game)
        position = game.new_initial_state()
    if native and not general and wanted is None:
        found = _native(game, position)
        if found is not None:
            return found
    if _is_hidden(game):
        low, high = wanted or _range_of(game)
        return HiddenState(position, Rules(game, str(game), game.num_players(), low, high, wanted is not None))
    if not general and wanted is None and _ends_in_win_loss_or_draw(game):
        return OrdinaryState(position, Rules(game, str(game), 2, -1.0, 1.0, False))
    low, high = wanted or _range_of(game)
    return GeneralState(position, Rules(game, str(game), game.num_players(), low, high, wanted is not None))


def import_pyspiel() -> Any:
    """The module of OpenSpiel. Raises ModuleNotFoundError that names the extra."""
    try:
        import pyspiel  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("games of OpenSpiel need pyspiel: install mcts-core with the extra [openspiel]",
                                  name="pyspiel") from error
    return pyspiel


def as_game(source: Any, expected: str = "a pyspiel.Game or the text of one") -> Any:
    """The ``pyspiel.Game`` that ``source`` is or names. Raises InvalidState."""
    pyspiel = import_pyspiel()
    if isinstance(source, pyspiel.Game):
        return source
    if not isinstance(source, str):
        raise mcts_core.InvalidState(f"a game of OpenSpiel must be {expected}, got {shorten(source)}")
    try:
        return pyspiel.load_game(source)
    except (RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0].removesuffix(" Available games are:")
        raise mcts_core.InvalidState(f"OpenSpiel does not load the game {shorten(source)}: {reason}") from error


def check_game(game: Any) -> None:
    """Raises InvalidState for a game that the search would search wrongly or not at all."""
    pyspiel = import_pyspiel()
    kind = game.get_type()
    reason = None
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        reason = "its players move at the same time"
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        reason = "its players do not move in turns"
    elif _is_hidden(game) and not kind.provides_information_state_string:
        reason = "it hides information and does not tell what its players know"
    elif kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        reason = "it draws its chance itself and does not tell the probabilities"
    elif not 1 <= game.num_players() <= MOST_PLAYERS:
        reason = f"it has {game.num_players()} players"
    if reason is not None:
        raise mcts_core.InvalidState(
            f"the search takes games in turns, for 1 to {MOST_PLAYERS} players; "
            f"{shorten(str(game))} is none: {reason}"
        )


def _is_hidden(game: Any) -> bool:
    """Whether some player does not see everything."""
    return bool(game.get_type().information != import_pyspiel().GameType.Information.PERFECT_INFORMATION)


class Rules:
    """What the states of one game share. Never changes."""

    __slots__ = ("clipped", "game", "high", "low", "players", "text")

    def __init__(self, game: Any, text: str, players: int, low: float, high: float, clipped: bool) -> None:
        self.game = game
        self.text = text
        self.players = players
        self.low, self.high = low, high
        self.clipped = clipped
        """Whether utilities outside of low to high are moved to its ends, or are errors."""

    def key(self) -> tuple[Any, ...]:
        return self.text, self.low, self.high, self.clipped


class _State:
    """What both kinds have in common. A value: equal states have the same game and history."""

    __slots__ = ("_key", "_legal", "_position", "_rules")

    def __init__(self, position: Any, rules: Rules) -> None:
        self._position = position  # of this object alone; never changed
        self._rules = rules
        self._legal: list[int] | None = None
        self._key: tuple[Any, ...] | None = None

    @property
    def actions(self) -> int:
        """The number of distinct moves of the players, the length of an evaluator's policy; a move is its own index."""
        count: int = self._rules.game.num_distinct_actions()
        return count

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves, those of chance included, that led here from where the game began."""
        return tuple(self._position.history())

    def legal_moves(self) -> list[int]:
        """OpenSpiel's legal actions; at a chance node its outcomes; none at the end."""
        legal = self._legal
        if legal is None:
            legal = self._legal = self._position.legal_actions()
        return legal.copy()

    def name(self, move: int) -> str:
        """What OpenSpiel calls a legal move."""
        position = self._position
        return str(position.action_to_string(position.current_player(), move))

    def play(self, move: int) -> Self:
        """The state after ``move``; this one stays as it is. Raises IllegalMove, GameOver."""
        legal = self._legal
        if legal is None:
            legal = self._legal = self._position.legal_actions()
        if type(move) is not int or move not in legal:
            move = self._as_move(move, legal)
        return type(self)(self._position.child(move), self._rules)

    def _as_move(self, move: Any, legal: list[int]) -> int:
        if self._position.is_terminal():
            raise mcts_core.GameOver(f"the game is over: no move can be played in {self!r}, got {shorten(move)}")
        try:
            number = operator.index(move)
        except TypeError:
            number = -1
        if isinstance(move, bool) or number not in legal:
            raise mcts_core.IllegalMove(f"a move must be one of {shorten(legal)} in {self!r}, got {shorten(move)}")
        return number

    def observation(self) -> Any:
        """OpenSpiel's observation tensor for the player to move: a float32 array (planes, rows, columns); those of one
        or two dimensions are (1, 1, n) and (1, rows, columns).

        Raises InvalidState for games without one, at chance nodes and at the end; needs numpy.
        """
        game, position = self._rules.game, self._position
        if not game.get_type().provides_observation_tensor:
            raise mcts_core.InvalidState(f"{shorten(self._rules.text)} has no observation tensor")
        shape = tuple(game.observation_tensor_shape())
        if len(shape) > 3:
            raise mcts_core.InvalidState(
                f"an observation must have at most three dimensions, that of {shorten(self._rules.text)} has {shape}"
            )
        if position.is_terminal() or position.is_chance_node():
            raise mcts_core.InvalidState(f"there is an observation only where a player is to move, not in {self!r}")
        import numpy  # pyspiel needs it

        tensor = position.observation_tensor(position.current_player())
        return numpy.array(tensor, numpy.float32).reshape((1,) * (3 - len(shape)) + shape)

    def to_pyspiel(self) -> Any:
        """A copy of the position as ``pyspiel.State``."""
        return self._position.clone()

    def _value(self) -> tuple[Any, ...]:
        if self._key is None:
            # The diagram as well: the history does not tell of a start of one's own, nor does serialize() everywhere.
            position = self._position
            self._key = position.serialize(), str(position), *self._rules.key()
        return self._key

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, _State):
            return NotImplemented
        return self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self._rules
        return _restore, (type(self), self._position, rules.low, rules.high, rules.clipped)

    def __str__(self) -> str:
        return str(self._position)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._rules.text} after {len(self._position.history())} moves>"


class OrdinaryState(_State):
    """A position of a game of two players without chance that is won, lost or drawn. Made by ``state``."""

    __slots__ = ()

    @property
    def to_move(self) -> int:
        """+1: OpenSpiel's player 0; -1: its player 1. At the end, who did not move last."""
        position = self._position
        if not position.is_terminal():
            return -1 if position.current_player() else 1
        history = position.full_history()
        return 1 if not history or history[-1].player else -1

    def winner(self) -> int | None:
        """None while the game goes on, then +1, -1, or 0 for a draw."""
        if not self._position.is_terminal():
            return None
        found = self._position.returns()
        if found not in ([1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]):
            raise mcts_core.GameError(
                f"{self!r} ended with the utilities {found}, neither win, loss nor draw; "
                f"a state made with general=True takes them"
            )
        return int(found[0])


class GeneralState(_State):
    """A position of a general game. Made by ``state``."""

    __slots__ = ()

    @property
    def players(self) -> int:
        """The number of players."""
        return self._rules.players

    @property
    def to_move(self) -> int | str | None:
        """The player to move, from 0, or ``mcts_core.CHANCE``; None at the end."""
        player: int = self._position.current_player()
        if player >= 0:
            return player
        return mcts_core.CHANCE if self._position.is_chance_node() else None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """(move, probability) of each outcome. Raises InvalidState where chance is not to move."""
        if not self._position.is_chance_node():
            raise mcts_core.InvalidState(f"chance is not to move in {self!r}")
        outcomes: list[tuple[int, float]] = self._position.chance_outcomes()
        return outcomes

    def returns(self) -> list[float] | None:
        """None while the game goes on, then the utility of each player, moved to [0, 1] as ``state`` says."""
        if not self._position.is_terminal():
            return None
        rules = self._rules
        low, width = rules.low, rules.high - rules.low
        values = [(utility - low) / width for utility in self._position.returns()]
        if rules.clipped:
            return [min(max(value, 0.0), 1.0) for value in values]
        if not all(-1e-6 <= value <= 1 + 1e-6 for value in values):
            raise mcts_core.GameError(
                f"{self!r} ended with the utilities {self._position.returns()}, but the game names {low:g} to "
                f"{rules.high:g} as its range; utility_range=(low, high) gives it another one"
            )
        return [min(max(value, 0.0), 1.0) for value in values]


class HiddenState(GeneralState):
    """A position of a general game in which players do not see everything. Made by ``state``."""

    __slots__ = ("_known",)
    hidden_information = True

    def observation_key(self, player: int) -> str:
        """OpenSpiel's information state of a player."""
        return str(self._position.information_state_string(player))

    def determinize(self, player: int, rng: Any) -> HiddenState:
        """A position with the same information state of ``player``, drawn with ``rng``.

        It is drawn along the game so far: what chance and the others did is drawn again, chance by its probabilities,
        the others at random, of what gives the player the information states that he had. Most games of OpenSpiel
        offer no such draw themselves.
        """
        history, known = self._history_of(player)
        for _ in range(MOST_DRAWS):
            position = self._rules.game.new_initial_state()
            for (mover, action), seen in zip(history, known, strict=True):
                position = _redrawn(position, mover, action, seen, player, rng)
                if position is None:
                    break
            if position is not None:
                return type(self)(position, self._rules)
        return type(self)(self._position.clone(), self._rules)

    def _history_of(self, player: int) -> tuple[list[tuple[int, int]], list[tuple[str, bool]]]:
        """Who did what so far, and what ``player`` knew after each of it."""
        known: dict[int, Any] = getattr(self, "_known", None) or {}
        if player not in known:
            position = self._rules.game.new_initial_state()
            history, seen = [], []
            for step in self._position.full_history():
                position.apply_action(step.action)
                history.append((step.player, step.action))
                seen.append(_view(position, player))
            known[player] = history, seen
            self._known = known
        found: tuple[list[tuple[int, int]], list[tuple[str, bool]]] = known[player]
        return found


def _view(position: Any, player: int) -> tuple[str, bool]:
    """What a player knows, and whether he is to move."""
    return position.information_state_string(player), position.current_player() == player


def _redrawn(position: Any, mover: int, action: int, seen: tuple[str, bool], player: int, rng: Any) -> Any:
    """``position`` after an action of ``mover`` that ``player`` cannot tell from ``action``; None: there is none."""
    if mover == player:
        if position.is_terminal() or position.current_player() != player or action not in position.legal_actions():
            return None
        position.apply_action(action)
        return position if _view(position, player) == seen else None
    if position.is_chance_node():
        choices = position.chance_outcomes()
    elif position.is_terminal() or position.current_player() == player:
        return None
    else:
        choices = [(move, 1.0) for move in position.legal_actions()]
    fitting = []
    for move, weight in choices:
        child = position.child(move)
        if weight > 0 and _view(child, player) == seen:
            fitting.append((child, weight))
    if not fitting:
        return None
    return rng.choices([child for child, _ in fitting], [weight for _, weight in fitting])[0]


def _restore(kind: type[_State], position: Any, low: float, high: float, clipped: bool) -> _State:
    game = position.get_game()
    return kind(position, Rules(game, str(game), game.num_players(), low, high, clipped))


def _as_range(given: Any) -> tuple[float, float]:
    try:
        low, high = (float(number) for number in given)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise mcts_core.InvalidOption(
            f"utility_range must be two finite numbers, the lower one first, got {shorten(given)}"
        ) from None
    return low, high


def _range_of(game: Any) -> tuple[float, float]:
    low, high = float(game.min_utility()), float(game.max_utility())
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise mcts_core.InvalidState(
            f"the utilities of {shorten(str(game))} must have a finite range, got {low:g} to {high:g}; "
            f"utility_range=(low, high) gives it one"
        )
    return low, high


def _ends_in_win_loss_or_draw(game: Any) -> bool:
    pyspiel = import_pyspiel()
    kind = game.get_type()
    return bool(
        game.num_players() == 2
        and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
        and kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        and kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
        and (game.min_utility(), game.max_utility()) == (-1.0, 1.0)
    )


# ---- native positions ------------------------------------------------------------------------------------------------


def _connect_four(has: dict[str, Any]) -> Any:
    return mcts_core.ConnectFour(has["rows"], has["columns"], has["x_in_row"])


def _gomoku(has: dict[str, Any]) -> Any:
    if has["dims"] != 2 or has["wrap"] or has["anti"]:
        return None
    if has["connect"] == 5:
        return mcts_core.Gomoku(has["size"])
    return mcts_core.MNK(has["size"], has["size"], has["connect"])


_NATIVE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "connect_four": _connect_four,
    "gomoku": _gomoku,
    "mnk": lambda has: mcts_core.MNK(has["m"], has["n"], has["k"]),
    "tic_tac_toe": lambda has: mcts_core.TicTacToe(),
}
"""The beginning by the parameters of the game; None: the rules differ."""


def _native(game: Any, position: Any) -> Any:
    """The same position as a native one; None: there is none."""
    kind = game.get_type()
    begin = _NATIVE.get(kind.short_name)
    if begin is None:
        return None
    try:
        # A game tells only those parameters that were named or that it has looked at.
        found = begin({**kind.parameter_specification, **game.get_parameters()})
    except (mcts_core.InvalidOption, mcts_core.InvalidState, KeyError):  # sizes, parameters of another version
        return None
    if found is None:
        return None
    again = game.new_initial_state()
    for move in position.history():
        if not again.is_terminal() and move in again.legal_actions():
            again.apply_action(move)
            found = found.play(move)
    # A start of one's own is not in the history.
    same = str(again) == str(position) and again.serialize() == position.serialize()
    return found if same else None
