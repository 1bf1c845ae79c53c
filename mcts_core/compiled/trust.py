"""Plays random games on the class and on the compiled game, and reports the first difference."""

from __future__ import annotations

from mcts_core.compiled.codes import Uncodable
from mcts_core.compiled.random_games import random_games
from mcts_core.errors import GameError
from mcts_core.game import CHANCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from mcts_core.compiled.random_games import Stepper
    from mcts_core.games.native_games import NativeGame

GAMES = 200


def compare(game: NativeGame, stepper: Stepper, first: Any, seed: int, seconds: float) -> None:
    """Raises GameError at the first position of random games in which moves, player, winner, fields or text of the two
    differ."""
    native, before = game.state(), 0
    line: list[Any] = [native]
    for position, played in random_games(stepper, first, seed, seconds, GAMES):
        if not played:
            line = [native]
        elif len(played) > before or before == 0:
            number = game.twin.number(played[-1])
            if number is None:
                _differ(stepper, position, played, f"the move {played[-1]!r} was not in the first random games: list "
                        f"all moves in the class, as moves = [...]")
            line.append(_after(stepper, line[-1], number, position, played))
        before = len(played)
        _look(game, stepper, position, line[-1], played)


def _after(stepper: Stepper, state: Any, number: int, position: Any, played: list[Any]) -> Any:
    try:
        return state.play(number)
    except Exception as error:
        raise GameError(_text(stepper, position, played, str(error))) from None


def _look(game: NativeGame, stepper: Stepper, position: Any, state: Any, played: list[Any]) -> None:
    won, end = stepper.result(position), "returns" if stepper.general else "winner"
    found = getattr(state, end)()
    if found != won:
        _differ(stepper, position, played, f"{end}() is {won} in Python and {found} compiled")
    try:
        data = game.twin.record.encode(position)
    except Uncodable as error:
        raise GameError(_text(stepper, position, played, f"a field does not fit into the record: {error}")) from None
    if data != state.data:
        ours, theirs = game.twin.decoded(data), game.twin.decoded(state.data)
        name = next((name for name in game.twin.record.fields
                     if repr(getattr(ours, name)) != repr(getattr(theirs, name))), "a field")
        _differ(stepper, position, played, f"{name} is {getattr(ours, name, None)!r} in Python and "
                                           f"{getattr(theirs, name, None)!r} compiled")
    if won is not None:
        return
    mover = stepper.mover(position)
    if mover < 0 and stepper.general:
        _compare_chance(game, stepper, position, state, played)
        return
    if state.to_move != mover:
        _differ(stepper, position, played, f"to_move is {mover} in Python and {state.to_move} compiled")
    moves = [game.twin.number(move) for move in stepper.moves(position)]
    try:
        found = state.legal_moves()
    except Exception as error:
        raise GameError(_text(stepper, position, played, str(error))) from None
    if isinstance(position.legal_moves(), (set, frozenset)):
        moves, found = sorted(moves), sorted(found)
    if moves != found:
        values = [game.twin.numbering.value(number) for number in found]
        _differ(stepper, position, played, f"legal_moves() is {stepper.moves(position)!r} in Python and {values!r} "
                                           f"compiled"[:600])


def _compare_chance(game: NativeGame, stepper: Stepper, position: Any, state: Any, played: list[Any]) -> None:
    """The same where chance is to move in Python."""
    expected = [(game.twin.number(move), chance) for move, chance in stepper.outcomes(position)]
    if state.to_move != CHANCE:
        _differ(stepper, position, played, f"chance is to move in Python, and player {state.to_move} compiled")
    try:
        found = state.chance_outcomes()
    except Exception as error:
        raise GameError(_text(stepper, position, played, str(error))) from None
    if [move for move, _ in found] != [move for move, _ in expected] or any(
            abs(one[1] - other[1]) > 1e-9 for one, other in zip(found, expected, strict=True)):
        values = [(game.twin.numbering.value(number), chance) for number, chance in found]
        _differ(stepper, position, played, f"chance_outcomes() is {stepper.outcomes(position)!r} in Python and "
                                           f"{values!r} compiled"[:600])


def _differ(stepper: Stepper, position: Any, played: list[Any], what: str) -> NoReturn:
    raise GameError(_text(stepper, position, played, what))


def _text(stepper: Stepper, position: Any, played: list[Any], what: str) -> str:
    shown = str(position)
    return (f"{stepper.name}: the compiled game differs from the class: {what}\n  after the moves {played!r}\n"
            f"{shown[:600]}")
