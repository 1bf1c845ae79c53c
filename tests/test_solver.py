"""mcts_core/solver.py: solve."""

import json
import time
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core import solver
from mcts_core.engine.exact_search import ExactSearch
from mcts_core.solver import completed

DATA = Path(__file__).resolve().parent / "data"
SIGN = {1: "win", 0: "draw", -1: "loss"}


def rows_of(name, stones):
    lines = [line.split("\t") for line in (DATA / name).read_text().splitlines() if line and line[0] not in "#-"]
    return [row for row in lines if len(row[0]) == stones]


def distance_of(score, stones):
    if score == 0:
        return 42 - stones
    last = 44 - 2 * abs(score)
    return (last if (last - stones) % 2 == (score > 0) else last - 1) - stones


@pytest.mark.parametrize("stones", [18, 21, 24, 30])
def test_solved_positions(stones):
    for moves, score, scores, _keeping, optimal, *_ in rows_of("c4_dev.tsv", stones)[:6]:
        state = mc.ConnectFour.from_moves(moves, base=1)
        solution = mc.solve(state)
        score = int(score)
        assert solution.proven == SIGN[(score > 0) - (score < 0)] and solution.exact
        assert solution.distance == distance_of(score, stones)
        assert set(solution.best_moves) == {int(column) - 1 for column in optimal}
        known = {move.move: move for move in solution.moves}
        for column, text in enumerate(scores.split()):
            if text == ".":
                assert column not in known
                continue
            each = known[column]
            assert each.exact and each.proven == SIGN[(int(text) > 0) - (int(text) < 0)]
            assert each.distance == distance_of(int(text), stones)
        assert solution.moves[0].move == solution.best_moves[0] == solution.pv[0]
        assert len(solution.pv) == solution.distance
        for move in solution.pv:
            state = state.play(move)
        assert state.winner() is not None


def test_small_boards_of_m_n_k():
    solution = mc.solve(mc.TicTacToe())
    assert (solution.proven, solution.distance, len(solution.pv)) == ("draw", 9, 9)
    assert solution.best_moves == tuple(range(9)) and not solution.book
    solution = mc.solve(mc.TicTacToe.from_moves([0, 3, 1, 4]))
    assert (solution.proven, solution.distance, solution.best_moves, solution.pv) == ("win", 1, (2,), (2,))
    assert {move.move: (move.proven, move.distance) for move in solution.moves}[8] == ("loss", 2)


def test_a_time_limit():
    state = mc.ConnectFour(rows=7, cols=8)
    begin = time.monotonic()
    solution = mc.solve(state, 0.05)
    assert time.monotonic() - begin < 20
    assert solution.proven is solution.distance is None and not solution.exact
    assert solution.best_moves == solution.pv == ()
    assert {move.move for move in solution.moves} == set(range(8))
    assert not any(move.proven for move in solution.moves)


def test_statistics_are_completed():
    state = mc.ConnectFour.from_moves("444444326522677111", base=1)
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=5000)
    stats = engine.stats()
    assert stats.stop_reason == "solved" and any(entry.proven is None for entry in stats.moves)
    whole = completed(stats, state, 60.0)
    assert {entry.move: (entry.proven, entry.distance) for entry in whole.moves} == {
        each.move: (each.proven, each.distance) for each in mc.solve(state).moves}
    assert whole.proven == "win" and whole.state == state
    assert completed(stats, state, 0.0) is stats
    engine.search(mc.Gomoku(), iterations=50)
    stats = engine.stats()
    assert completed(stats, mc.Gomoku(), 1.0) is stats


def test_statistics_are_completed_without_the_book_where_it_is_not_wanted():
    state = mc.ConnectFour.from_moves("4455", base=1)
    engine = mc.Searcher(seed=1, book=False)
    engine.search(state, iterations=5000)
    stats = engine.stats()
    assert stats.stop_reason == "solved" and not stats.book
    assert not completed(stats, state, 0.5, book=False).book
    assert completed(stats, state, 60.0).book


def test_json():
    assert json.loads(json.dumps(mc.solve(mc.TicTacToe()).to_dict()))["moves"][0]["proven"] == "draw"


def test_refusals():
    with pytest.raises(mc.InvalidState, match="at most 64 cells, got 225"):
        mc.solve(mc.Gomoku())
    with pytest.raises(mc.InvalidState, match="exact search"):
        mc.solve(mc.ConnectFour(rows=9, cols=9))
    with pytest.raises(mc.InvalidState, match="no method legal_moves"):
        mc.solve("a position")
    with pytest.raises(mc.InvalidState, match=r"\(rows \+ 1\) \* cols of at most 64, got ConnectFour\(rows=8, cols=8"):
        mc.solve(mc.ConnectFour(rows=8, cols=8))
    with pytest.raises(mc.InvalidOption, match="book must be True or False, got 'no'"):
        mc.solve(mc.TicTacToe(), book="no")
    with pytest.raises(mc.GameOver):
        mc.solve(mc.ConnectFour.from_moves("1212121", base=1))
    with pytest.raises(mc.InvalidOption, match="seconds"):
        mc.solve(mc.TicTacToe(), -1)


class Stones:
    """Whoever takes the last of some stones wins, one to three at a time."""

    def __init__(self, left, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return (move for move in ("one", "two", "three")[:self.left])

    def play(self, move):
        return type(self)(self.left - ("one", "two", "three").index(move) - 1, -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move


def test_games_of_users_are_solved_by_their_rules():
    won = mc.solve(Stones(6))
    assert (won.proven, won.distance, won.exact, won.best_moves) == ("win", 3, False, ("two",))
    assert won.pv[0] == "two" and len(won.pv) == 3
    assert {row.move: row.proven for row in won.moves} == {"one": "loss", "two": "win", "three": "loss"}
    lost = mc.solve(Stones(8))
    assert (lost.proven, lost.distance) == ("loss", 4) and set(lost.best_moves) == {"one", "two", "three"}
    assert json.loads(json.dumps(won.to_dict()))["proven"] == "win"


def test_a_draw_of_a_users_game_has_no_distance():
    class Drawn(Stones):
        def winner(self):
            return None if self.left else 0

    drawn = mc.solve(Drawn(5))
    assert (drawn.proven, drawn.distance) == ("draw", None) and set(drawn.best_moves) == {"one", "two", "three"}


def test_a_large_game_of_a_user_ends_with_its_time():
    class Long(Stones):
        def legal_moves(self):
            return ["one", "two"]

        def winner(self):
            return 0 if self.left < 2 else None

    begin = time.perf_counter()
    found = mc.solve(Long(10_000), 0.05)
    assert time.perf_counter() - begin < 5 and found.proven is None and found.best_moves == ()


def test_an_exception_of_a_users_game_is_an_error():
    class Broken(Stones):
        def winner(self):
            return self.missing

    with pytest.raises(mc.GameError, match=r"Broken.winner\(\) raised AttributeError"):
        mc.solve(Broken(3))


class Limited:
    """An exact search that proves no more after so many proofs, as when the time ends."""

    def __init__(self, proofs, *options):
        self.search, self.left = ExactSearch(*options), proofs

    def prove(self, *options):
        self.left -= 1
        return self.search.prove(*options) if self.left >= 0 else None

    @property
    def by_book(self):
        return self.search.by_book


@pytest.mark.parametrize("moves", ["444444326522677111", "115466444661134722622", "144751577175155443343"])
def test_what_is_proven_early_names_a_best_move(moves, monkeypatch):
    state = mc.ConnectFour.from_moves(moves, base=1)
    whole, exact = mc.solve(state), 0
    for proofs in range(1, 2 * len(state.legal_moves()) + 2):
        monkeypatch.setattr(solver, "ExactSearch", lambda *options, proofs=proofs: Limited(proofs, *options))
        found = mc.solve(state)
        assert found.proven == whole.proven and found.best_moves and found.moves[0].move == found.best_moves[0]
        assert found.pv[0] == found.best_moves[0]
        if found.exact:
            assert set(found.best_moves) <= set(whole.best_moves)
            exact += 1
    assert exact
