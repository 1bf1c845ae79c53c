"""Checks the game table of a native position: canaries, ranges, and whether its functions agree with each other."""

from __future__ import annotations

import math
from typing import NamedTuple

from mcts_core.arguments import shorten
from mcts_core.checks.table_probe import TableProbe
from mcts_core.games.mnk.position import MNK
from mcts_core.games.mnk.weights import shipped
from mcts_core.searcher import rollouts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from typing import Any

ONGOING, WIN, DRAW, LOSS, ILLEGAL = range(5)
OUTCOMES = "0 (the game goes on), 1 (the player who moved wins), 2 (draw) or 3 (the player who moved loses)"
ALL_MOVES = 65520
ROLLOUTS = 4
"""Rollouts from each position that is examined closely."""
RANDOM_GAMES = 150
"""Random games with which the rollouts from one position are compared."""
PLIES = 40_000
"""About how many moves these games may take, for one comparison and in all."""
FEW_GAMES = 10
"""Random games, at least, that are compared."""
LONGEST = 1_000_000
"""MCTS_RULES_LONGEST_GAME: moves of a rollout where there is no max_plies."""
ENDLESS = "endless"
"""The key of a problem after which more looks at the game would only show it again, slowly."""
VALUE_ONE = 65536
"""MCTS_VALUE_ONE: a certain win."""
ELSEWHERE = 6
"""Other positions that are valued with the same memory before a position is valued again."""
DEVIATIONS = 6.0
"""Standard deviations by which two means may differ. Chance exceeds this in two of a thousand million comparisons."""


class Found(NamedTuple):
    """A problem: the function at fault, a key that distinguishes its problems, and the text."""

    part: str
    key: str
    text: str


def table_problems(start: Any, state: Any, path: list[int], legal: list[int]) -> Iterator[Found]:
    """The problems of the table in ``state``. ``path`` leads there from ``start``, and ``legal`` are its moves."""
    probe = TableProbe(state)
    data = probe.data
    if not probe.is_complete:
        yield Found("table", "NULL", "all functions of the game table except `rollouts` must be set")
        return
    outcomes: dict[int, int] = {}
    found = list(_moves(probe, legal)) or list(_plays(state, probe, legal, outcomes))
    if not found:
        for check in (_simulate, _expand, _rollout, _guide, _valuation, _observe):
            found.extend(check(start, state, path, legal, outcomes))
            if any(each.key == ENDLESS for each in found):
                break
    if probe.data != data:
        found.append(Found("state", "changed", "the functions of the table changed a state that they may only read"))
    yield from found


def _failed(part: str, key: str, probe: TableProbe, error: Exception, where: str = "") -> Found:
    """The problem of a function that reported an error."""
    if not probe.endless:
        return Found(part, key, f"failed: {error}{where}")
    longest = probe.sizes[2]
    what = f"a rollout did not end within {longest or LONGEST:,} moves"
    return Found("play", ENDLESS, f"{what}, but max_plies is {longest}" if longest else f"{what}: every game must end")


def _moves(probe: TableProbe, legal: list[int]) -> Iterator[Found]:
    room, fixed = probe.sizes[1] or ALL_MOVES, probe.sizes[3]
    returned, moves, damage = probe.list_moves(probe.data, room)
    again = probe.list_moves(probe.data, room)
    if damage:
        yield Found("legal_moves", "damage", f"wrote to {damage}")
    elif not 1 <= returned <= room:
        text = f"must return 1 to {room} while the game goes on, got {returned}"
        yield Found("legal_moves", "count", text)
    elif max(moves) >= room:
        yield Found("legal_moves", "range", f"moves must be from 0 to {room - 1}, got {shorten(moves)}")
    elif (returned, moves, damage) != again:
        text = f"must list the same moves for the same state, got {shorten(moves)} and {shorten(again[1])}"
        yield Found("legal_moves", "again", text)
    elif (sorted(moves) != sorted(legal)) if fixed else (moves != legal):
        text = (
            f"the position's legal_moves() must return the moves of the table{'' if fixed else ', in the same order'}: "
            f"expected {shorten(moves)}, got {shorten(legal)}"
        )
        yield Found("legal_moves", "face", text)


def _plays(state: Any, probe: TableProbe, legal: list[int], outcomes: dict[int, int]) -> Iterator[Found]:
    """Also fills ``outcomes`` with the outcome that play returns for each move."""
    for move in legal:
        outcome, after, damage = probe.play_move(probe.data, move)
        outcomes[move] = outcome
        if damage:
            yield Found("play", "damage", f"wrote to {damage} for the move {move}")
        elif not ONGOING <= outcome <= LOSS:
            yield Found("play", "outcome", f"must return {OUTCOMES}, got {outcome} for the move {move}")
        elif (outcome, after, damage) != probe.play_move(probe.data, move):
            text = f"the move {move} had a different effect when it was played again in the same state"
            yield Found("play", "again", text)
        else:
            winner = state.play(move).winner()
            expected = {ONGOING: None, WIN: state.to_move, DRAW: 0, LOSS: -state.to_move}[outcome]
            if winner != expected:
                text = (
                    f"must be {expected} after the move {move} of player {state.to_move:+}, because play returned "
                    f"{outcome} for it, got {winner}"
                )
                yield Found("winner()", "outcome", text)


def _simulate(
    start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]
) -> Iterator[Found]:
    """Tries all moves at the end of ``path`` and stops at the first problem."""
    probe = TableProbe(start, 1)
    fixed = probe.sizes[3]
    left = dict.fromkeys(legal) if fixed else dict(enumerate(legal))  # the slots that are still untried
    count = probe.sizes[1] if fixed else len(legal)
    cursor: Any = 0
    tried: list[int] = []
    for _ in legal:
        try:
            result, slot, cursor, told = probe.simulate(path, cursor, tried)
        except Exception as error:
            yield _failed("simulate", "error", probe, error)
            return
        if result not in (0, 1, 2):
            yield Found("simulate", "result", f"must return 0 (lost), 1 (drawn) or 2 (won), got {result}")
            return
        if slot not in left:
            text = (
                f"must try each legal move once, got the slot {slot}, which was tried before or is not a legal move; "
                f"legal moves: {shorten(legal)}"
            )
            yield Found("simulate", "slot", text)
            return
        del left[slot]
        tried.append(slot)
        if told != count:
            yield Found("simulate", "count", f"must report {count} slots, got {told}")
            return
        if (cursor is None) != (not left):
            text = (
                f"must set the cursor to MCTS_ALL_TRIED with the last of the legal moves and not before; "
                f"{len(left)} are untried, got {'MCTS_ALL_TRIED' if cursor is None else cursor}"
            )
            yield Found("simulate", "cursor", text)
            return
        outcome = outcomes[slot if fixed else legal[slot]]
        expected = _points(outcome, state.to_move == start.to_move)
        if outcome != ONGOING and result != expected:
            text = (
                f"must return the result for the player to move at the root, {expected} after a move with the outcome "
                f"{outcome}, got {result}"
            )
            yield Found("simulate", "ending", text)
            return


def _expand(start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]) -> Iterator[Found]:
    probe = TableProbe(start)
    fixed = probe.sizes[3]
    count = probe.sizes[1] if fixed else len(legal)
    try:
        told, moves, same = probe.expand(path, count)
    except Exception as error:
        yield _failed("expand", "error", probe, error)
        return
    expected = [outcomes.get(move, ILLEGAL) for move in (range(count) if fixed else legal)]
    if not fixed and moves != legal:
        text = f"must list the moves in the order of legal_moves, {shorten(legal)}, got {shorten(moves)}"
        yield Found("expand", "moves", text)
    elif told != expected:
        text = f"must report for each slot the outcome that play returns, {shorten(expected)}, got {shorten(told)}"
        yield Found("expand", "outcomes", text)
    if same != (state.to_move == start.to_move):
        text = (
            f"must set root_player to {int(not same)}: player {start.to_move:+} is to move at the root and player "
            f"{state.to_move:+} here"
        )
        yield Found("expand", "player", text)


def _points(outcome: int, same: bool) -> int:
    """Half-points for the player to move at the root; ``same``: that player made the move."""
    return 1 if outcome == DRAW else 2 if (outcome == WIN) == same else 0


def _rollout(start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]) -> Iterator[Found]:
    probe = TableProbe(state)
    longest = probe.sizes[2]
    if longest and len(path) >= longest:
        yield Found("play", ENDLESS, f"the game goes on after {len(path)} moves, but max_plies is {longest}")
        return
    possible = {0, 1, 2}
    if ONGOING not in outcomes.values():
        possible = {_points(outcome, True) for outcome in outcomes.values()}
    for _ in range(ROLLOUTS):
        try:
            result, plies = probe.rollout()
        except Exception as error:
            yield _failed("rollout", "error", probe, error)
            return
        if result not in possible:
            text = (
                f"must return {' or '.join(map(str, sorted(possible)))} here (0 lost, 1 drawn, 2 won, for the player "
                f"to move), got {result}"
            )
            yield Found("rollout", "result", text)
            return
        if longest and plies + len(path) > longest:
            yield Found("rollout", "plies", f"played {plies} moves after {len(path)}, but max_plies is {longest}")
            return


def _guide(start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]) -> Iterator[Found]:
    probe = TableProbe(start, 2)
    if probe.guide is None:
        return
    policies, _, actions, _ = probe.guide
    same = state.to_move == start.to_move
    try:
        children, told_same, _, _ = probe.children(path)
    except Exception as error:
        yield _failed("children", "error", probe, error)
        return
    moves = [child[0] for child in children]
    if len(set(moves)) != len(moves) or not set(moves) <= set(legal):
        text = f"must list different legal moves, got {shorten(moves)}; legal moves: {shorten(legal)}"
        yield Found("children", "moves", text)
        return
    for move, action, outcome, distance, prior in children:
        expected = outcomes[move]
        if expected != ONGOING and (outcome, distance) != (expected, 0):
            text = (
                f"must report that the move {move} ends the game, with the outcome {expected} at distance 0, got "
                f"{outcome} at distance {distance}"
            )
            yield Found("children", "outcome", text)
        elif expected == ONGOING and (outcome > LOSS or (outcome != ONGOING and distance == 0)):
            text = f"must not report that the move {move} ends the game, got the outcome {outcome}"
            yield Found("children", "outcome", text)
        if actions and action >= actions:
            text = f"the action of the move {move} must be below {actions}, got {action}"
            yield Found("children", "action", text)
        if not 0 <= prior <= 1:
            yield Found("children", "prior", f"the prior of the move {move} must be from 0 to 1, got {prior}")
    missing = [move for move in legal if outcomes[move] == WIN and move not in moves]
    if missing and not any(outcome == WIN for _, _, outcome, _, _ in children):
        yield Found("children", "missing", f"must not omit the winning move {missing[0]}")
    if told_same != same:
        yield Found("children", "player", f"must set root_player to {int(same)}")
    for policy in range(32):
        if policies >> policy & 1:
            yield from _rollouts_by_policy(probe, path, policy)


def _rollouts_by_policy(probe: TableProbe, path: list[int], policy: int) -> Iterator[Found]:
    try:
        result, played, _ = probe.policy_rollout(path, policy)
    except Exception as error:
        yield _failed("policy_rollout", f"error {policy}", probe, error, f" (rollout policy {policy})")
        return
    if result not in (0, 1, 2) or max(played) > 2:
        text = f"must return 0, 1 or 2 and mark actions with 0, 1 or 2, got {result} and marks up to {max(played)}"
        yield Found("policy_rollout", f"result {policy}", text)


def _valuation(
    start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]
) -> Iterator[Found]:
    """Asks for values with fresh memory, and again after other positions with the same memory."""
    probe = TableProbe(start)
    if probe.valuation is None:
        return
    has_value, has_weigh, has_create, has_destroy = probe.valuation
    if not has_value or has_create != has_destroy:
        yield Found("valuation", "NULL", "a valuation must have value, and create and destroy both or neither")
        return
    network = shipped() if isinstance(start, MNK) else None
    if has_create and not probe.create_valuation(network):
        text = "returned NULL without a network: a search with this valuation would raise MemoryError"
        yield Found("create", "NULL", text)
        return
    first = probe.value(path)
    returned, value, proof = first
    if returned != 0:
        yield Found("value", "error", f"must return 0 while the game goes on, got {returned}")
        return
    if not 0 <= value <= VALUE_ONE:
        text = f"must be from 0 (the player to move loses) to {VALUE_ONE} (wins), got {value}"
        yield Found("value", "range", text)
    if proof is not None:
        yield from _proof_problems(proof, legal, outcomes)
    moves = [child[0] for child in TableProbe(start).children(path)[0]] if has_weigh else []
    weights = probe.weigh(path, moves) if has_weigh else None
    if weights is not None:
        problems = list(_weights(*weights))
        yield from problems
        if problems:
            weights = None
    elsewhere = [[], path[:-1], *([*path, move] for move, outcome in outcomes.items() if outcome == ONGOING)]
    for other in elsewhere[:ELSEWHERE]:
        probe.value(other)
        again = probe.value(path)
        if again != first:
            text = (
                f"must give a position the same value whatever positions its memory has seen, got {first[1]} at first "
                f"and {again[1]} after the position at the end of the path {shorten(other)}"
            )
            yield Found("value", "memory", text)
            return
    if weights is not None and probe.weigh(path, moves) != weights:
        yield Found("weigh", "memory", "must give moves the same weights whatever positions its memory has seen")
    if probe.value([], state)[:2] != first[:2] or probe.value(path) != first:
        text = (
            f"must give a position the same value from any root, got {first[1]} from the first position of the game "
            f"and something else from the position itself"
        )
        yield Found("value", "root", text)


def _proof_problems(
    proof: tuple[int, int, bool, int | None], legal: list[int], outcomes: dict[int, int]
) -> Iterator[Found]:
    """``proof``: (value, distance, exact, move). What one move decides is compared, too."""
    value, _, _, move = proof
    if not 0 <= value <= 2:
        yield Found("value", "proof", f"the proof must have the value 0, 1 or 2, or -1 for none, got {value}")
        return
    if move is not None and move not in legal:
        yield Found("value", "proof move", f"the move of the proof must be legal or MCTS_NO_MOVE, got {move}; legal "
                                           f"moves: {shorten(legal)}")
    points = [_points(outcome, True) for outcome in outcomes.values() if outcome != ONGOING]
    if points and value != max(points) and (max(points) == 2 or ONGOING not in outcomes.values()):
        yield Found("value", "proof value", f"must not prove {value} (0 lost, 1 drawn, 2 won, for the player to move): "
                                            f"the best move that ends the game gives {max(points)}")


def _weights(returned: int, weights: list[float], damage: str | None) -> Iterator[Found]:
    if damage:
        yield Found("weigh", "damage", f"wrote to {damage}")
    elif returned != 0:
        yield Found("weigh", "error", f"must return 0, got {returned}")
    elif not all(0 <= weight < math.inf for weight in weights):
        yield Found("weigh", "range", f"weights must be finite and not negative, got {shorten(weights)}")


def _observe(start: Any, state: Any, path: list[int], legal: list[int], outcomes: dict[int, int]) -> Iterator[Found]:
    probe = TableProbe(state)
    found = probe.observe(probe.data)
    if found is None:
        return
    returned, planes, damage = found
    if damage:
        yield Found("observe", "damage", f"wrote to {damage}")
    elif returned < 0:
        yield Found("observe", "error", f"must return 0, got {returned}")
    elif not all(map(math.isfinite, planes)):
        yield Found("observe", "numbers", f"must write {len(planes)} finite numbers, got {shorten(planes)} "
                                          f"(nan: perhaps not written)")
    elif probe.observe(probe.data) != found:
        yield Found("observe", "again", "must write the same numbers for the same state")


# ---- rollouts are random games ---------------------------------------------------------------------------------------


def rollout_problems(
    start: Any, samples: list[tuple[Any, list[int]]], choice: random.Random
) -> Iterator[tuple[Found, list[int]]]:
    """Compares the mean results of rollouts and simulations with those of random games played move by move.

    ``samples``: positions and the paths that led to them. Yields each problem with the path of its position.
    """
    spent = 0
    for state, path in samples:
        if spent >= PLIES:
            break
        games = _Games(state, choice)
        own = [games.play() for number in range(RANDOM_GAMES) if number < FEW_GAMES or games.plies < PLIES]
        counted = rollouts(state, 10 * len(own), seed=1)
        theirs = [1.0] * counted.wins + [0.5] * counted.draws + [0.0] * counted.losses
        if _apart(own, theirs):
            text = (
                f"must play uniformly random moves and return the result for the player to move: {len(theirs)} "
                f"rollouts gave {_mean(theirs):.3f} on average (won 1, drawn 0.5), {len(own)} random games "
                f"{_mean(own):.3f}"
            )
            yield Found("rollout", "mean", text), path
        first, count = games.plies, len(games.legal)
        spent += first
        rounds = min(max(1, RANDOM_GAMES // count), int(PLIES / (1 + count * first / len(own))))
        if rounds == 0:  # one game after each move would take too long
            continue
        same = state.to_move == start.to_move
        played = [games.play(move) for move in games.legal for _ in range(rounds)]
        own = [result if same else 1.0 - result for result in played]
        theirs = _simulations(start, path, count, min(10 * rounds, max(1, 10 * RANDOM_GAMES // count)))
        if _apart(own, theirs):
            text = (
                f"must return the result for the player to move at the root: {len(theirs)} simulations gave "
                f"{_mean(theirs):.3f} on average (won 1, drawn 0.5), {len(own)} random games {_mean(own):.3f}"
            )
            yield Found("simulate", "mean", text), path
        spent += games.plies - first


class _Games:
    """Random games from a native position, move by move."""

    def __init__(self, state: Any, choice: random.Random) -> None:
        self.state, self.choice, self.legal, self.plies = state, choice, state.legal_moves(), 0

    def play(self, move: int | None = None) -> float:
        """The result for the player to move: 1 won, 0.5 drawn, 0 lost. ``move`` is played first if it is given."""
        state = self.state.play(self.choice.choice(self.legal) if move is None else move)
        while state.winner() is None:
            state = state.play(self.choice.choice(state.legal_moves()))
            self.plies += 1
        return float(0.5 + 0.5 * state.winner() * self.state.to_move)


def _simulations(start: Any, path: list[int], moves: int, rounds: int) -> list[float]:
    """Results for the player to move at the root of ``rounds`` simulations of each move at the end of ``path``."""
    probe = TableProbe(start, 3)
    results = []
    for _ in range(rounds):
        cursor: Any = 0
        tried: list[int] = []
        for _ in range(moves):
            points, slot, cursor, _ = probe.simulate(path, cursor, tried)
            tried.append(slot)
            results.append(points / 2)
    return results


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _apart(one: list[float], two: list[float]) -> bool:
    """Whether the means of two samples differ by more than chance explains."""
    error = 0.0
    for values in (one, two):
        mean = _mean(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        error += (variance + 1 / len(values)) / len(values)  # above 0 even if the few values happen to be equal
    return abs(_mean(one) - _mean(two)) > DEVIATIONS * math.sqrt(error)
