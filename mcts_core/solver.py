"""``solve``: the exact value of a position and of every move."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from mcts_core.arguments import MAX_SECONDS, as_number, shorten
from mcts_core.engine.exact_search import ExactSearch, has_exact_search
from mcts_core.engine.loop import clock
from mcts_core.engine.proof_numbers import ProofSearch
from mcts_core.engine.root_rows import RESULTS
from mcts_core.engine.settings import default_memory
from mcts_core.errors import InvalidState
from mcts_core.field_docs import documented
from mcts_core.games.board_position import BoardPosition
from mcts_core.games.connect_four import openings
from mcts_core.games.mnk.position import MNK
from mcts_core.games.state_kinds import is_general
from mcts_core.option_rows import as_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.results import Stats

MEMORY = 256 << 20
MOST_CELLS = 64


@documented
@dataclass(frozen=True, slots=True)
class SolvedMove:
    """What ``solve`` proved about one legal move, for the player who makes it."""

    move: Any
    """The move, as ``play`` takes it."""
    proven: str | None
    """``"win"``, ``"draw"`` or ``"loss"``, or None if nothing is proven."""
    distance: int | None
    """Plies within which the game ends, this move included; None if nothing is proven, and for draws of your own
    games."""
    exact: bool
    """Whether the game ends after exactly ``distance`` plies with best play: the winner wins as fast and the loser
    loses as late as possible."""


@documented
@dataclass(frozen=True, slots=True)
class Solution:
    """What ``solve`` proved, for the player to move."""

    proven: str | None
    """``"win"``, ``"draw"`` or ``"loss"``, or None if the time ended before the value was proven."""
    distance: int | None
    """Plies within which the game ends, or None where that is not known: of draws of your own games."""
    exact: bool
    """Whether the game ends after exactly ``distance`` plies with best play of both players."""
    moves: tuple[SolvedMove, ...]
    """Every legal move, the best one first."""
    best_moves: tuple[Any, ...]
    """The moves that win fastest, draw, or lose latest: all of them if every row of ``moves`` is exact, else those
    known, at least one. If ``exact`` is False: the moves known to keep the value."""
    pv: tuple[Any, ...]
    """The line of best play of both players, as far as it was proven."""
    seconds: float
    """Wall-clock time of the call."""
    book: bool
    """Whether the exact search read the book of Connect Four."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)


def solve(state: Any, seconds: float | None = None, *, book: bool = True) -> Solution:
    """Proves the exact value of ``state``: who wins, in how many plies, and by which moves.

    It works for m,n,k games on boards of at most 64 cells, for Connect Four where ``(rows + 1) * cols`` is at most 64,
    and for your own games of two players who take turns, written in Python or compiled. It proves the value of the
    position first, then the value of every move, then the distances. With ``seconds`` (0 to 1e9), it returns what it
    has proven by then. Without, it searches until everything is proven. On the standard board of Connect Four this
    takes a second from the empty board, up to half a minute with 5 to 8 stones on it, and less than a second from about
    14 stones on. Other large boards can take far longer. ``book=False`` searches without the book of Connect Four.

    Boards are searched by alpha-beta (Knuth and Moore, Artificial Intelligence 6, 1975), which decides positions by
    pairs of cells such as claimeven (Allis 1988).

    Your own games are searched by proof numbers (Allis, van der Meulen and van den Herik, "Proof-Number Search",
    Artificial Intelligence 66, 1994), which find deep forced wins such as mates; of draws and quiet positions they see
    little unless the game is small. Distances are then those of the proof found, never ``exact``; of the other moves
    only that is proven which takes about as many calls of ``play`` as the value of the position. Where states have
    ``__eq__`` and ``__hash__``, equal ones are searched once. A search ends without a proof after about 256 MiB.

    Raises GameOver, InvalidState (the game has no exact search, or is not one of two players in turn), InvalidOption,
    and GameError (your game raised an exception or broke its contract).
    """
    begin = clock()
    deadline = None if seconds is None else begin + as_number(seconds, "seconds", 0.0, MAX_SECONDS)
    book = as_flag(book, "book")
    if isinstance(state, MNK) and state.rows * state.cols > MOST_CELLS:
        raise InvalidState(f"solve needs a board of at most {MOST_CELLS} cells, got {state.rows * state.cols}")
    if is_general(state):
        raise InvalidState(f"solve needs a game of two players who take turns, got the general game {shorten(state)}")
    memory = min(MEMORY, default_memory())
    search: ExactSearch | ProofSearch
    if isinstance(state, BoardPosition) or has_exact_search(state):
        search = ExactSearch(state, memory, book and openings.ready_for(state))
    else:
        search = ProofSearch(state, memory)
    return _Solving(state, search, deadline).run(begin)


class _Solving:
    """One call of ``solve``."""

    def __init__(self, state: Any, search: ExactSearch | ProofSearch, deadline: float | None) -> None:
        self.state = state
        self.search = search
        self.deadline = deadline
        self.late = False
        self.root: tuple[int, int | None, bool] | None = None
        self.moves: dict[Any, tuple[int, int | None, bool]] = {}
        """Value in half-points, distance, whether the distance is exact."""
        if isinstance(search, ProofSearch):
            self.legal = search.legal
            return
        self.legal = state.legal_moves()
        for move in self.legal:
            winner = state.play(move).winner()
            if winner is not None:
                self.moves[move] = (2 if winner else 1, 1, True)

    def run(self, begin: float) -> Solution:
        for exact in (False, True):
            self._look_at_root(exact)
            for move in sorted(self.legal, key=self._keeps, reverse=True) if exact else self.legal:
                self._look_at(move, exact)
        best = self._best_moves()
        pv = self._line(best[0]) if best else ()
        rows = [self._row(move) for move in self.legal]
        rows.sort(key=lambda row: (row.move not in best, _rank(self.moves.get(row.move))))
        value, distance, exact = self.root or (None, None, False)
        return Solution(
            None if value is None else RESULTS[value], distance, exact, tuple(rows), best, pv, clock() - begin,
            self.search.by_book)

    def _look_at_root(self, exact: bool) -> None:
        found = self._prove([], exact)
        if found is None:
            return
        self.root = found[:3]
        if found[3] is not None:  # the move of the proof keeps the value within the distance
            self.moves[found[3]] = self.root

    def _look_at(self, move: int, exact: bool) -> None:
        known = self.moves.get(move)
        if known is not None and known[2]:
            return
        found = self._prove([move], exact)
        if found is not None:
            self.moves[move] = (2 - found[0], None if found[1] is None else found[1] + 1, found[2])

    def _prove(self, path: list[Any], exact: bool) -> tuple[int, int | None, bool, Any] | None:
        if self.late:
            return None
        found = self.search.prove(path, exact, self.deadline)
        self.late = self.deadline is not None and clock() >= self.deadline
        return found

    def _keeps(self, move: int) -> bool:
        return self.root is not None and move in self.moves and self.moves[move][0] == self.root[0]

    def _row(self, move: int) -> SolvedMove:
        known = self.moves.get(move)
        return SolvedMove(move, None, None, False) if known is None else SolvedMove(move, RESULTS[known[0]], *known[1:])

    def _best_moves(self) -> tuple[int, ...]:
        keeping = [move for move in self.legal if self._keeps(move)]
        keeping.sort(key=lambda move: _rank(self.moves[move]))
        if self.root is None or not self.root[2]:
            return tuple(keeping)
        return tuple(move for move in keeping if self.moves[move][1:] == self.root[1:])

    def _line(self, first: int) -> tuple[int, ...]:
        if isinstance(self.search, ProofSearch):
            return self.search.line if self.search.line[:1] == (first,) else (first,)
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


def _rank(known: tuple[int, int | None, bool] | None) -> tuple[int, int]:
    """The order of moves: fast wins, slow wins, draws, unknown moves, late losses, early losses."""
    if known is None:
        return 2, 0
    value, distance, _ = known
    if value == 1 or distance is None:
        return 1, 0
    return (0, distance) if value else (3, -distance)


def completed(stats: Stats, state: Any, seconds: float, *, book: bool = True) -> Stats:
    """``stats`` of a search that solved ``state``, completed by what ``solve`` proves of its moves in ``seconds`` more.
    They are unchanged if the game has no exact search for this board."""
    if seconds <= 0 or all(entry.proven is not None for entry in stats.moves):
        return stats
    try:
        solution = solve(state, seconds, book=book)
    except InvalidState:
        return stats
    known: dict[Any, SolvedMove] = {each.move: each for each in solution.moves if each.proven is not None}
    moves = tuple(
        replace(entry, proven=known[entry.move].proven, distance=known[entry.move].distance)
        if entry.move in known and (entry.proven is None or known[entry.move].exact) else entry
        for entry in stats.moves)
    found = replace(stats, moves=moves, book=stats.book or solution.book)
    object.__setattr__(found, "_origin", stats._origin)
    return found
