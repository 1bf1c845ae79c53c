"""Games of OpenSpiel as states of the search, and the search as a bot of OpenSpiel (extra [openspiel]).

``state`` makes a state of any turn-based game, for one player or several, with or without chance and hidden
information. ``Bot`` plays in OpenSpiel's own tools, such as ``pyspiel.evaluate_bots``. ``pyspiel`` is imported on first
use.

Source: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", arXiv:1908.09453.
"""

from __future__ import annotations

import math
import operator
import random
import re
from bisect import bisect_left

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.bots import openspiel_draws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from mcts_core.bots.openspiel_bot import Bot

__all__ = ["Bot", "GeneralState", "HiddenState", "OrdinaryState", "state"]

MOST_PLAYERS = 32
STATE_BYTES = 4096
"""Of a position of OpenSpiel, about: 0.2 kB in hex to 8 kB in go, which Python does not know."""
FORGETFUL = "its players forget what they did, so what they know does not determine what may be hidden; take {0}"
REFUSED = {
    "dark_hex_ir": FORGETFUL.format("dark_hex"),
    "liars_dice_ir": FORGETFUL.format("liars_dice"),
    "morpion_solitaire": "OpenSpiel's own child() crashes in this game",
    "phantom_ttt_ir": FORGETFUL.format("phantom_ttt"),
}
"""Games that cannot be searched, also within other games such as misere(game=...), and why."""


def __getattr__(name: str) -> Any:
    if name == "Bot":  # imported late, because its base class is in pyspiel
        from mcts_core.bots.openspiel_bot import Bot

        return Bot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def state(
    source: Any, *, native: bool = True, general: bool = False, utility_range: tuple[float, float] | None = None
) -> Any:
    """The state that mcts_core searches for ``source``. Its moves are OpenSpiel's actions.

    ``source`` is a ``pyspiel.State``, a ``pyspiel.Game`` or the text that loads one (``"hex(board_size=5)"``). A game
    stands for its first position.

    The state is of one of four kinds:

    - ``connect_four``, ``tic_tac_toe``, ``mnk`` and ``gomoku`` become ``ConnectFour``, ``TicTacToe``, ``MNK`` and
      ``Gomoku`` if the rules and the board size are supported (no ``wrap``, ``anti`` or other ``dims``) and the game
      begins on the empty board. ``native=False`` prevents this.
    - Games of two players without chance that end in a win, a loss or a draw become an ``OrdinaryState``, whose value
      the search can prove.
    - Games that hide information become a ``HiddenState``, which is searched by what its players know.
    - All other games become a ``GeneralState``: any number of players, chance, any results. With ``general=True`` every
      game of perfect information does.

    The results of the last two are the game's utilities, scaled to [0, 1]: (utility - low) / (high - low). Here
    ``utility_range`` is (low, high), by default the minimum and maximum utility that the game declares. Some games
    declare far more than play reaches (2048: 20480), so that the search sees little difference between results; then
    pass a range of your own. Utilities outside of it count as its nearer end. A range makes every game of
    perfect information a GeneralState.

    ``source`` is copied, so later changes to it do not change the state.

    Raises InvalidState for games that cannot be searched: simultaneous moves, hidden information without information
    states, chance events that the game draws itself (``SAMPLED_STOCHASTIC``), no finite range of utilities. Raises
    InvalidOption, and ModuleNotFoundError without pyspiel.
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
    """The module of OpenSpiel. Raises ModuleNotFoundError with the name of the extra."""
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
    except (RuntimeError, ValueError, IndexError) as error:
        reason = str(error).partition("\n")[0].removesuffix(" Available games are:")
        raise mcts_core.InvalidState(f"OpenSpiel cannot load the game {shorten(source)}: {reason}") from error


def check_game(game: Any) -> None:
    """Raises InvalidState for a game that the search does not support."""
    pyspiel = import_pyspiel()
    kind = game.get_type()
    reason = next((why for name, why in REFUSED.items() if name in re.findall(r"\w+", str(game))), None)
    if reason is not None:
        pass
    elif kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        reason = "its players move at the same time"
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        reason = "its players do not move in turns"
    elif _is_hidden(game) and not kind.provides_information_state_string:
        reason = "it hides information and has no information states"
    elif kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        reason = "it draws its chance events itself without giving the probabilities"
    elif not 1 <= game.num_players() <= MOST_PLAYERS:
        reason = f"it has {game.num_players()} players"
    else:
        return
    raise mcts_core.InvalidState(
        f"{shorten(str(game))} cannot be searched: {reason}; a game must have turns and 1 to {MOST_PLAYERS} players"
    )


def _is_hidden(game: Any) -> bool:
    """Returns whether a player does not see everything."""
    return bool(game.get_type().information != import_pyspiel().GameType.Information.PERFECT_INFORMATION)


class Rules:
    """The data that the states of one game share. Immutable."""

    __slots__ = ("clipped", "game", "high", "low", "players", "text")

    def __init__(self, game: Any, text: str, players: int, low: float, high: float, clipped: bool) -> None:
        self.game = game
        self.text = text
        self.players = players
        self.low, self.high = low, high
        self.clipped = clipped
        """Whether utilities outside of low to high count as the nearer end; otherwise they are errors."""

    def key(self) -> tuple[Any, ...]:
        return self.text, self.low, self.high, self.clipped


class _State:
    """The common part of both kinds of states. States are equal if they have the same game and history."""

    __slots__ = ("_key", "_legal", "_position", "_rules")

    def __init__(self, position: Any, rules: Rules) -> None:
        self._position = position  # not shared with other objects, and changed by ``push`` alone
        self._rules = rules
        self._legal: list[int] | None = None
        self._key: tuple[Any, ...] | None = None

    @property
    def actions(self) -> int:
        """The number of distinct moves, which is the length of an evaluator's policy. A move is its own index."""
        count: int = self._rules.game.num_distinct_actions()
        return count

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves from the start of the game to this position, including those of chance."""
        return tuple(self._position.history())

    def legal_moves(self) -> list[int]:
        """OpenSpiel's legal actions; at a chance node the outcomes; an empty list at the end."""
        legal = self._legal
        if legal is None:
            legal = self._legal = self._position.legal_actions()
        return legal.copy()

    def name(self, move: int) -> str:
        """Returns OpenSpiel's name of the legal move ``move``. What another number gives depends on the
        game of OpenSpiel, which raises its own errors."""
        position = self._position
        return str(position.action_to_string(position.current_player(), move))

    def play(self, move: int) -> Self:
        """The state after ``move``; this state does not change. Raises IllegalMove, GameOver."""
        legal = self._legal
        if legal is None:
            legal = self._legal = self._position.legal_actions()
        if type(move) is not int or move not in legal:
            move = self._as_move(move, legal)
        return type(self)(self._position.child(move), self._rules)

    def copy(self) -> Self:
        """A copy for ``push``: the search plays its rollouts on copies."""
        return type(self)(self._position.clone(), self._rules)

    def push(self, move: int) -> None:
        """Plays ``move`` on this very state, which must be a copy that nothing else uses. Raises IllegalMove,
        GameOver."""
        legal = self._legal
        if legal is None:
            legal = self._position.legal_actions()
        if type(move) is not int or not _in_order(move, legal):
            move = self._as_move(move, legal)
        self._position.apply_action(move)
        self._legal = self._position.legal_actions()  # which also shows whether the game is over
        self._key = None

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
        """OpenSpiel's observation tensor for the player to move, as a float32 array (planes, rows, columns). A tensor
        of one or two dimensions becomes (1, 1, n) or (1, rows, columns).

        Raises InvalidState for games without observations, at chance nodes and at the end. Needs numpy.
        """
        game, position = self._rules.game, self._position
        if not game.get_type().provides_observation_tensor:
            raise mcts_core.InvalidState(f"{shorten(self._rules.text)} has no observation tensor")
        shape = tuple(game.observation_tensor_shape())
        if len(shape) > 3:
            raise mcts_core.InvalidState(
                f"an observation must have at most three dimensions, got {shape} in {shorten(self._rules.text)}"
            )
        if position.is_terminal() or position.is_chance_node():
            raise mcts_core.InvalidState(f"there is an observation only where a player is to move, not in {self!r}")
        import numpy  # installed, because pyspiel needs it

        tensor = position.observation_tensor(position.current_player())
        return numpy.array(tensor, numpy.float32).reshape((1,) * (3 - len(shape)) + shape)

    def to_pyspiel(self) -> Any:
        """A copy of the position as ``pyspiel.State``."""
        return self._position.clone()

    def _value(self) -> tuple[Any, ...]:
        if self._key is None:
            # str() too: the history does not contain a custom first position, and serialize() not in every game.
            position = self._position
            self._key = position.serialize(), str(position), *self._rules.key()
        return self._key

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, _State):
            return NotImplemented
        return self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + STATE_BYTES

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


def _in_order(move: int, legal: list[int]) -> bool:
    """Whether ``move`` is in a list in ascending order, as OpenSpiel's usually are."""
    place = bisect_left(legal, move)
    return place < len(legal) and legal[place] == move


class OrdinaryState(_State):
    """A position of a game of two players without chance that ends in a win, a loss or a draw.

    The function ``state`` makes it, from a ``position`` of OpenSpiel and the ``rules`` that the positions of a game
    share, and raises the errors.
    """

    __slots__ = ()

    @property
    def to_move(self) -> int:
        """+1 for OpenSpiel's player 0, -1 for its player 1. At the end, the player who did not move last."""
        position = self._position
        if not position.is_terminal():
            return -1 if position.current_player() else 1
        history = position.full_history()
        return 1 if not history or history[-1].player else -1

    def winner(self) -> int | None:
        """None while the game goes on, then +1, -1, or 0 for a draw."""
        if self._legal or not self._position.is_terminal():
            return None
        found = self._position.returns()
        if found not in ([1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]):
            raise mcts_core.GameError(
                f"{self!r} ended with the utilities {found}, which are neither win, loss nor draw; "
                f"make the state with general=True"
            )
        return int(found[0])


class GeneralState(_State):
    """A position of a general game.

    The function ``state`` makes it, from a ``position`` of OpenSpiel and the ``rules`` that the positions of a game
    share, and raises the errors.
    """

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
        """(move, probability) of each outcome. Raises InvalidState if chance is not to move."""
        if not self._position.is_chance_node():
            raise mcts_core.InvalidState(f"chance is not to move in {self!r}")
        outcomes: list[tuple[int, float]] = self._position.chance_outcomes()
        return outcomes

    def rollout(self, seed: int) -> tuple[list[float], list[int]]:
        """A random game from here on, drawn with ``seed``: the result of each player, and the moves. Raises what the
        game raises."""
        position, draw, moves = self._position.clone(), random.Random(seed).random, []
        apply, actions, move = position.apply_action, position.legal_actions, -1
        chance = self._rules.game.max_chance_outcomes() > 0
        while True:
            if chance and position.is_chance_node():
                at = draw()
                for outcome, probability in position.chance_outcomes():
                    if probability > 0:
                        move = outcome
                        at -= probability
                    if at < 0:
                        break
            else:
                legal = actions()
                if not legal:
                    break
                move = legal[int(draw() * len(legal))]
            apply(move)
            moves.append(move)
        values = type(self)(position, self._rules).returns()
        if values is None:
            raise mcts_core.GameError(f"{self._rules.text} has no legal move where the game goes on: {position}")
        return values, moves

    def returns(self) -> list[float] | None:
        """None while the game goes on, then the utility of each player, scaled to [0, 1] as described at ``state``."""
        if self._legal or not self._position.is_terminal():
            return None
        rules = self._rules
        low, width = rules.low, rules.high - rules.low
        values = [(utility - low) / width for utility in self._position.returns()]
        if rules.clipped:
            return [min(max(value, 0.0), 1.0) for value in values]
        if not all(-1e-6 <= value <= 1 + 1e-6 for value in values):
            raise mcts_core.GameError(
                f"{self!r} ended with the utilities {self._position.returns()}, but the game declares the range "
                f"{low:g} to {rules.high:g}; pass another one as utility_range=(low, high)"
            )
        return [min(max(value, 0.0), 1.0) for value in values]


class HiddenState(GeneralState):
    """A position of a general game in which players do not see everything.

    The function ``state`` makes it, from a ``position`` of OpenSpiel and the ``rules`` that the positions of a game
    share, and raises the errors.
    """

    __slots__ = ("_drawn",)
    hidden_information = True

    def __init__(self, position: Any, rules: Rules) -> None:
        super().__init__(position, rules)
        self._drawn: tuple[Any, Any, dict[int, openspiel_draws.Known]] | None = None

    def push(self, move: int) -> None:
        super().push(move)
        self._drawn = None

    def observation_key(self, player: int) -> str:
        """Returns OpenSpiel's information state of ``player``, a number from 0. Raises what OpenSpiel raises."""
        return str(self._position.information_state_string(player))

    def determinize(self, player: int, rng: Any) -> HiddenState:
        """A position with the same information state of ``player``, drawn with ``rng``. It depends on nothing else.

        The game's own ``resample_from_infostate`` draws it where that sees nothing that is hidden from the player.
        Elsewhere a game that looks the same to the player is invented, see ``openspiel_draws``. In games with few moves
        its chance events have their probabilities, and the moves of others are random; in long games that is
        approximately so. Positions of bridge with ``use_double_dummy_result`` become positions of bridge without it,
        whose cards are played, because the results of each deal would take seconds to compute.

        Raises GameError if none is found, and OutOfTime if the time of the search is over before.
        """
        if self._drawn is None:
            self._drawn = *_playable(self._rules.game, self._position), {}
        game, position, known = self._drawn
        rules = self._rules
        if game is not rules.game:
            rules = Rules(game, str(game), rules.players, rules.low, rules.high, rules.clipped)
        return type(self)(openspiel_draws.draw(game, position, player, rng, known), rules)


def _playable(game: Any, position: Any) -> tuple[Any, Any]:
    """The game of which positions are drawn, and the position there."""
    kind = game.get_type()
    has = {**kind.parameter_specification, **game.get_parameters()}
    if kind.short_name != "bridge" or not has.get("use_double_dummy_result"):
        return game, position
    played = import_pyspiel().load_game("bridge", {**game.get_parameters(), "use_double_dummy_result": False})
    again = played.new_initial_state()
    for move in position.history():
        again.apply_action(move)
    return played, again


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
            f"pass one as utility_range=(low, high)"
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
"""From a game's parameters to the native first position, or to None if the rules differ."""


def _native(game: Any, position: Any) -> Any:
    """The same position as a native one, or None."""
    kind = game.get_type()
    begin = _NATIVE.get(kind.short_name)
    if begin is None:
        return None
    try:
        # get_parameters() returns only parameters that were given, or that the game has already used.
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
    # The history does not contain a custom first position.
    same = str(again) == str(position) and again.serialize() == position.serialize()
    return found if same else None
