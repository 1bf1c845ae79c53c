"""How strong the engine plays: below full strength it thinks little, and overlooks things as people do.

People who err rarely play at random: they look at sensible moves, but miss what the opponent threatens, or their own
chance. A level is therefore a small search whose move is drawn by the visits, and a share of moves made without a look
at wins and threats of one move. ``tests/bots/test_levels.py`` plays the levels against each other.
"""

from __future__ import annotations

from mcts_core import Searcher
from mcts_core.games.mnk.position import MNK

TYPE_CHECKING = False  # the command line reads the names: typing and dataclasses would be most of the time of that
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import Any

    from mcts_core import Stats

FULL = "full"
_MEMORY_MB = 16
_LARGE = 64
_CANDIDATES = 12
"""Moves whose answers are looked at; in a game written in Python each costs as many plays as there are answers."""


class Level:
    """One of ``LEVELS``.

    knowledge: whether it searches with the defaults of full strength. Otherwise it searches by plain UCT, on large
    boards of m,n,k games by rollouts, without the network.
    temperature: the move is drawn in proportion to visits ** (1 / temperature); 0: the best one.
    overlooks: the share of its moves without a look at wins and threats of one move.
    """

    __slots__ = ("iterations", "knowledge", "name", "overlooks", "temperature")

    def __init__(self, name: str, iterations: int, knowledge: bool, temperature: float, overlooks: float) -> None:
        self.name, self.iterations, self.knowledge = name, iterations, knowledge
        self.temperature, self.overlooks = temperature, overlooks


LEVELS = {level.name: level for level in (
    Level("beginner", 30, False, 2.0, 0.45),
    Level("novice", 120, False, 1.2, 0.2),
    Level("casual", 500, False, 0.7, 0.08),
    Level("club", 1500, True, 0.4, 0.02),
    Level("strong", 6000, True, 0.2, 0.0),
)}
NAMES = (*LEVELS, FULL)


def choose(
    state: Any, level: Level, seed: int | None = None, run: Callable[[Searcher, int], object] | None = None
) -> tuple[Any, Stats]:
    """The move of a level, and the search that it is drawn from. ``seed``: for the same move again. ``run(engine,
    iterations)`` does the search, for who wants to watch or end it."""
    from random import Random

    random = Random(seed)
    engine = searcher(state, level, random.getrandbits(63))
    if run is None:
        engine.search(state, iterations=level.iterations)
    else:
        run(engine, level.iterations)
    stats = engine.stats()
    return draw(state, level, stats, random), stats


def searcher(state: Any, level: Level, seed: int | None = None, **options: Any) -> Searcher:
    """What searches for the moves of a level, with further ``options`` of a Searcher."""
    if level.knowledge:
        return Searcher(seed=seed, memory_mb=_MEMORY_MB, **options)
    # On a large board, plain UCT with so few iterations plays anywhere, which no beginner does. A search with the
    # network, even with 30 iterations, loses to no beginner there.
    if isinstance(state, MNK) and state.m * state.n > _LARGE:
        return Searcher(valuation="rollout", seed=seed, memory_mb=_MEMORY_MB, **options)
    return Searcher(preset="uct", seed=seed, memory_mb=_MEMORY_MB, **options)


def draw(state: Any, level: Level, stats: Stats, random: Random) -> Any:
    """The move of a level, by what its search found."""
    best = stats.move
    drawn = any(entry.proven == "draw" for entry in stats.moves)
    # a worse move than a proven draw may have as many visits as that: those that the draw passed on
    candidates = {entry.move: 0 if drawn and entry.proven is None and entry.value < 0.5 else entry.visits
                  for entry in stats.moves}
    if random.random() >= level.overlooks:
        looked = _look(state, [entry.move for entry in stats.moves])
        if len(looked) == 1:
            return next(iter(looked))
        candidates = {move: candidates[move] for move in looked}
        if best not in candidates:
            best = max(candidates, key=lambda move: candidates[move])
    if level.temperature == 0.0 or not any(candidates.values()):
        return best
    weights = [visits ** (1.0 / level.temperature) for visits in candidates.values()]
    return random.choices(list(candidates), weights)[0]


def _look(state: Any, moves: list[Any]) -> list[Any]:
    """What is left of ``moves``, the most visited first, after a look at who wins at once: a win, or what the opponent
    cannot answer by one."""
    for move in moves:
        if state.play(move).winner() == state.to_move:
            return [move]
    seen, safe, threats = set(), [], []
    for move in moves[:_CANDIDATES]:
        answers = _wins_after(state, move)
        seen.add(move)
        if not answers:
            safe.append(move)
        threats += [answer for answer in answers if answer not in threats]
    safe += [move for move in threats if move in moves and move not in seen and not _wins_after(state, move)]
    return safe or moves


def _wins_after(state: Any, move: Any) -> list[Any]:
    """With what the opponent wins at once after ``move``."""
    after = state.play(move)
    if after.winner() is not None or after.to_move == state.to_move:
        return []
    return [answer for answer in after.legal_moves() if after.play(answer).winner() == after.to_move]
