"""A hint in words: why a move is the best one, and the line that the search expects."""

from __future__ import annotations

from mcts_core import Searcher
from mcts_core.move_names import Names
from mcts_core.words import best, counted, expected_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mcts_core import MoveStats, Stats

LONGEST_LINE = 8
"""Moves of the line that are named."""
MORE_ITERATIONS = 500
"""Iterations of each search that continues the line of a proof."""
MOST_NAMED = 6
"""Other moves that a sentence names."""


def explain(stats: Stats, state: Any, side: Callable[[Any], str], is_over: Callable[[Any], bool]) -> list[str]:
    """Sentences about the move to play in ``state``, for the player who is to move there.

    ``side`` returns what a player is called ("you" for the reader), ``is_over`` whether a position is the end.
    """
    names = Names(state)
    return [_reason(stats, names), *_others(stats, names), *_line(stats, state, side, is_over)]


def _reason(stats: Stats, names: Names) -> str:
    """Why the move is played."""
    move, entry = names.shown(stats.move), best(stats)
    if entry.proven == "win":
        if entry.distance == 1:
            return f"{move} wins at once."
        within = "" if entry.distance is None else f" within {_plies(entry.distance)}"
        return f"{move} wins{within}, whatever the other side plays."
    if stats.proven == "loss":
        lasts = "" if entry.distance is None else f", up to {_plies(entry.distance)}"
        return f"Every move loses against best play. {move} holds out longest{lasts}."
    if entry.proven == "draw" or stats.proven == "draw":
        return f"Best play of both sides leads to a draw, and {move} keeps it."
    if len(stats.moves) == 1:
        return f"{move} is the only move."
    found = f"{move} {_score(expected_value(stats), stats)}"
    if entry.visits:
        share = 100 * entry.visits / stats.visits
        found += f", and {share:.0f} % of {counted(stats.visits, 'visit')} went to it"
    return f"{found}."


def _score(value: float, stats: Stats) -> str:
    return f"scores {100 * value:.0f} % on average" if stats.scale is None else f"has the value {value:.3g}"


def _plies(distance: int) -> str:
    return "1 ply" if distance == 1 else f"{distance} plies"


def _others(stats: Stats, names: Names) -> list[str]:
    """What is known of the other moves."""
    others = [entry for entry in stats.moves if entry.move != stats.move]
    lost = [entry for entry in others if entry.proven == "loss"]
    if stats.proven == "loss" or not others:
        return []
    found = []
    at_once = [entry for entry in lost if entry.distance == 2]
    if len(lost) == len(others):
        found.append("Every other move loses.")
    elif lost:
        found.append(f"{_listed(lost, names)} {'loses' if len(lost) == 1 else 'lose'}.")
    if at_once:
        after = "it" if len(lost) == 1 else "each of them" if len(at_once) == len(lost) else _listed(at_once, names)
        found[-1] += f" After {after}, the other side wins at once."
    open_ones = [entry for entry in others if entry.proven is None and entry.visits]
    if open_ones and best(stats).proven is None:
        second = max(open_ones, key=lambda entry: entry.visits)
        found.append(f"The second choice is {names.shown(second.move)}, which {_score(second.value, stats)}.")
    return found


def _listed(entries: Sequence[MoveStats], names: Names) -> str:
    """"a1, a2 and b3", or how many they are."""
    if len(entries) > MOST_NAMED:
        return f"{len(entries)} other moves"
    shown = [names.shown(entry.move) for entry in entries]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _line(stats: Stats, state: Any, side: Callable[[Any], str], is_over: Callable[[Any], bool]) -> list[str]:
    """The line that the search expects, with the players' names. A proof by exact search has no line of its own, so
    further searches find it."""
    parts: list[str] = []
    moves = list(stats.pv)
    while moves and len(parts) < LONGEST_LINE:
        player = side(state.to_move)
        verb = "" if parts else " play" if player == "you" else " plays"
        parts.append(f"{player}{verb} {Names(state).shown(moves[0])}")
        try:
            state = state.play(moves.pop(0))
        except Exception:  # a user's game: the hint itself is known
            return []
        if not moves and stats.proven is not None and not is_over(state):
            engine = Searcher(seed=0)
            engine.search(state, iterations=MORE_ITERATIONS)
            moves = list(engine.stats().pv) if engine.stats().proven is not None else []
    if len(parts) < 2:
        return []
    ending = ", and so on" if moves else ""
    if is_over(state):
        ending = ", which ends the game"
        winner = state.winner() if hasattr(state, "winner") else None
        if winner == 0:
            ending = ", a draw"
        elif winner is not None:
            ending = f", and {'you win' if side(winner) == 'you' else f'{side(winner)} wins'}"
    return [f"The expected line: {', '.join(parts)}{ending}."]
