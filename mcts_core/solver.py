"""``solve``: the exact value of a position, and of every move."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from mcts_core.engine.exact_search import ExactSearch, now
from mcts_core.engine.settings import default_memory
from mcts_core.errors import InvalidState
from mcts_core.games.connect_four import openings
from mcts_core.games.mnk.position import MNK
from mcts_core.options import MAX_SECONDS, as_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.results import Stats

MEMORY = 256 << 20
MOST_CELLS = 64
PROVEN = ("loss", "draw", "win")


@dataclass(frozen=True, slots=True)
class SolvedMove:
    """What is known of one legal move, for the player who makes it.

    ``proven`` is ``"win"``, ``"draw"``, ``"loss"`` or None; the game then ends within ``distance`` plies, this move
    included. ``exact``: in so many with best play of both, the winner as fast and the loser as slowly as possible.
    """

    move: int
    proven: str | None
    distance: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Solution:
    """What ``solve`` found, for the player to move."""

    proven: str | None
    """``"win"``, ``"draw"`` or ``"loss"``; None: the time ended before that was proven."""
    distance: int | None
    """Plies within which the game ends; with best play of both if ``exact``."""
    exact: bool
    moves: tuple[SolvedMove, ...]
    """Every legal move, the best one first."""
    best_moves: tuple[int, ...]
    """The moves that win fastest, draw, or lose slowest; where ``exact`` is False those known to keep the value."""
    pv: tuple[int, ...]
    """Best play of both to the end of the game, as far as it is known."""
    seconds: float
    """Wall-clock time."""
    book: bool
    """Whether the book of Connect Four was used."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)


def solve(state: Any, seconds: float | None = None, *, book: bool = True) -> Solution:
    """The exact value of ``state``, its distance, the best moves and best play to the end of the game.

    It works for Connect Four and m,n,k games on boards of at most 64 cells. The value of the position comes first, then
    that of every move, then the distances. After ``seconds``, if they are given, it returns what is proven by then;
    without, it searches to the end: Connect Four of the usual size takes less than a second from about 14 stones on and
    about half a minute from the first move; large boards may take for ever. ``book=False`` does without the book of
    Connect Four.

    Raises GameOver, InvalidState (the game has no exact search), InvalidOption.
    """
    begin = now()
    deadline = None if seconds is None else begin + as_number(seconds, "seconds", 0.0, MAX_SECONDS)
    if isinstance(state, MNK) and state.rows * state.cols > MOST_CELLS:
        raise InvalidState(f"solve needs a board of at most {MOST_CELLS} cells, got {state.rows * state.cols}")
    search = ExactSearch(state, min(MEMORY, default_memory()), book and openings.ready_for(state))
    return _Solving(state, search, deadline).run(begin)


class _Solving:
    """One call of ``solve``."""

    def __init__(self, state: Any, search: ExactSearch, deadline: float | None) -> None:
        self.state = state
        self.search = search
        self.deadline = deadline
        self.late = False
        self.root: tuple[int, int, bool] | None = None
        self.moves: dict[int, tuple[int, int, bool]] = {}
        """Half-points, distance, whether that is best play."""
        self.ended: set[int] = set()
        for move in state.legal_moves():
            winner = state.play(move).winner()
            if winner is not None:
                self.moves[move] = (2 if winner else 1, 1, True)
                self.ended.add(move)

    def run(self, begin: float) -> Solution:
        legal = self.state.legal_moves()
        for exact in (False, True):
            self._look_at_root(exact)
            for keeping in (True, False):
                for move in legal:
                    if self._keeps(move) is keeping or not exact:
                        self._look_at(move, exact)
        best = self._best_moves()
        pv = self._line(best[0]) if best else ()
        order = {move: index for index, move in enumerate(legal)}
        rows = [self._row(move) for move in legal]
        rows.sort(key=lambda row: (row.move not in best, -_worth(self.moves.get(row.move)), order[row.move]))
        value, distance, exact = self.root or (None, None, False)
        return Solution(
            None if value is None else PROVEN[value], distance, exact, tuple(rows), best, pv, now() - begin,
            self.search.by_book)

    def _look_at_root(self, exact: bool) -> None:
        found = self._prove([], exact)
        if found is not None:
            self.root = found[:3]

    def _look_at(self, move: int, exact: bool) -> None:
        known = self.moves.get(move)
        if move in self.ended or (known is not None and known[2]):
            return
        found = self._prove([move], exact)
        if found is not None:
            self.moves[move] = (2 - found[0], found[1] + 1, found[2])

    def _prove(self, path: list[int], exact: bool) -> tuple[int, int, bool, int | None] | None:
        if self.late:
            return None
        found = self.search.prove(path, exact, self.deadline)
        self.late = self.deadline is not None and now() >= self.deadline
        return found

    def _keeps(self, move: int) -> bool:
        return self.root is not None and move in self.moves and self.moves[move][0] == self.root[0]

    def _row(self, move: int) -> SolvedMove:
        known = self.moves.get(move)
        return SolvedMove(move, None, None, False) if known is None else SolvedMove(move, PROVEN[known[0]], *known[1:])

    def _best_moves(self) -> tuple[int, ...]:
        keeping = [move for move in self.state.legal_moves() if self._keeps(move)]
        if self.root is None or not self.root[2]:
            return tuple(keeping)
        return tuple(move for move in keeping if self.moves[move][1:] == self.root[1:]) or tuple(keeping)

    def _line(self, first: int) -> tuple[int, ...]:
        if self.root is None or not self.root[2]:
            return (first,)
        line, state = [first], self.state.play(first)
        while state.winner() is None:
            found = self._prove(line, True)
            if found is None or found[3] is None or not found[2]:
                break
            line.append(found[3])
            state = state.play(found[3])
        return tuple(line)


def _worth(known: tuple[int, int, bool] | None) -> float:
    """Orders moves: fast wins, draws, unknown ones, slow losses, fast losses."""
    if known is None:
        return 0.5
    value, distance, _ = known
    return value - 1 + (1 / (1 + distance)) * (value - 1) if value != 1 else 0.75


def completed(stats: Stats, state: Any, seconds: float) -> Stats:
    """``stats`` of a search of ``state`` with what ``solve`` proves of its moves in ``seconds`` more; as they are where
    the game has no exact search for its board."""
    if seconds <= 0 or all(entry.proven is not None for entry in stats.moves):
        return stats
    try:
        solution = solve(state, seconds)
    except InvalidState:
        return stats
    known = {each.move: each for each in solution.moves if each.proven is not None}
    moves = tuple(
        replace(entry, proven=known[entry.move].proven, distance=known[entry.move].distance)
        if entry.move in known and (entry.proven is None or known[entry.move].exact) else entry
        for entry in stats.moves)
    found = replace(stats, moves=moves, book=stats.book or solution.book)
    if stats.proven is None:
        found = replace(found, proven=solution.proven, distance=solution.distance)
    if hasattr(stats, "_origin"):
        object.__setattr__(found, "_origin", stats._origin)
    return found
