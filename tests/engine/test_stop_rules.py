"""src/mcts_core/engine/stop_rules.pyx: the rules only_move and decided end a search early and never change its move."""

import random

import pytest
from random_play import played_on

import mcts_core as mc

pytestmark = [pytest.mark.wasm, pytest.mark.usefixtures("no_book")]

GAMES = [mc.ConnectFour(), mc.ConnectFour(8, 9, 5), mc.ConnectFour(5, 4, 4), mc.TicTacToe(), mc.MNK(5, 4, 3),
         mc.Gomoku(9)]
SEARCHES = {
    "uct": {"preset": "uct"},
    "narrow": {"preset": "uct", "exploration": 0.1},
    "several": {"preset": "uct", "rollouts_per_leaf": 3},
    "guided": {"solver": False},
    "rave": {"solver": False, "selection": "rave", "exploration": 0.1},
}


class Board:
    """A user's game: the state of a native one."""

    def __init__(self, state):
        self.state = state

    @property
    def to_move(self):
        return self.state.to_move

    def legal_moves(self):
        return self.state.legal_moves()

    def play(self, move):
        return Board(self.state.play(move))

    def winner(self):
        return self.state.winner()


class Line:
    """One legal move a turn; the last one, after ``left`` moves, wins."""

    def __init__(self, left, to_move=1, won=None):
        self.left, self.to_move, self.won = left, to_move, won

    def legal_moves(self):
        return ["go"]

    def play(self, move):
        return Line(self.left - 1, -self.to_move, self.to_move if self.left == 1 else None)

    def winner(self):
        return self.won


def positions(count, seed, games=GAMES):
    """Random positions in which the game goes on."""
    chooser, found = random.Random(seed), []
    while len(found) < count:
        found.append(played_on(chooser.choice(games), chooser, chooser.randrange(30)))
    return found


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_the_move_is_the_same(options):
    chooser, reasons = random.Random(5), {}
    for index, state in enumerate(positions(150, 11)):
        iterations = chooser.choice([1, 2, 30, 300, 1000, 3000])
        whole = mc.Searcher(seed=index, stop_early=False, **options)
        short = mc.Searcher(seed=index, stop_early=True, **options)
        move = whole.search(state, iterations=iterations)
        assert short.search(state, iterations=iterations) == move, (state, index, iterations)
        stats = short.stats()
        assert whole.stats().stop_reason == "iterations" and whole.stats().iterations == iterations
        reasons[stats.stop_reason] = reasons.get(stats.stop_reason, 0) + 1
        assert stats.iterations == 1 if stats.stop_reason == "only_move" else stats.iterations <= iterations
        if stats.stop_reason == "iterations":
            assert stats.moves == whole.stats().moves
        elif stats.stop_reason == "decided":
            assert stats.iterations < iterations
            again = mc.Searcher(seed=index, stop_early=True, **options)
            again.search(state, iterations=iterations)
            assert (again.stats().iterations, again.stats().moves) == (stats.iterations, stats.moves)
    assert reasons["decided"] > 20 and reasons["iterations"] > 20


def test_the_move_is_the_same_in_a_users_game():
    decided = 0
    for index, state in enumerate(positions(25, 3, [mc.TicTacToe(), mc.ConnectFour(4, 4, 3)])):
        for options in ({"preset": "uct", "exploration": 0.1}, {"solver": False}):
            whole = mc.Searcher(seed=index, stop_early=False, **options)
            short = mc.Searcher(seed=index, stop_early=True, **options)
            assert short.search(Board(state), iterations=150) == whole.search(Board(state), iterations=150)
            decided += short.stats().stop_reason == "decided"
    assert decided > 5


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}], ids=["uct", "guided"])
def test_decided_is_not_told_too_early(options):
    """At the look before the one that ended the search, the others could still have caught up."""
    for seed in range(10):
        engine = mc.Searcher(seed=seed, stop_early=True, exploration=0.2, **options)
        engine.search(mc.ConnectFour(), iterations=6400)
        stats = engine.stats()
        assert stats.stop_reason == "decided"
        interval = 6400 // 64 + 1
        assert stats.iterations % interval == 0
        assert stats.moves[0].visits - stats.moves[1].visits > 6400 - stats.iterations
        before = mc.Searcher(seed=seed, stop_early=False, exploration=0.2, **options)
        before.search(mc.ConnectFour(), iterations=stats.iterations - interval)
        moves = before.stats().moves
        assert moves[0].visits - moves[1].visits <= 6400 - (stats.iterations - interval)


@pytest.mark.parametrize("options", [{}, {"final_move": "max"}, {"solver": False, "final_move": "max"},
                                     {"preset": "uct", "final_move": "max"}])
def test_decided_is_silent_where_values_may_change_the_move(options):
    for seed in range(5):
        engine = mc.Searcher(seed=seed, stop_early=True, exploration=0.05, **options)
        engine.search(mc.ConnectFour(), iterations=2000)
        assert engine.stats().stop_reason == "iterations" and engine.stats().iterations == 2000


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}], ids=["uct", "guided"])
def test_a_move_that_wins_at_once_is_certain(options):
    state = mc.ConnectFour.from_moves("010101")  # column 0 wins
    engine = mc.Searcher(seed=1, stop_early=True, **options)
    assert engine.search(state, 20) == 0
    assert engine.stats().stop_reason == "decided" and engine.stats().seconds < 10
    assert engine.search(state, iterations=10_000) == 0 and engine.stats().stop_reason == "decided"
    # of two, the more visited one is played
    state = mc.ConnectFour.from_moves("112233")
    for seed in range(10):
        whole = mc.Searcher(seed=seed, stop_early=False, **options)
        short = mc.Searcher(seed=seed, stop_early=True, **options)
        move = whole.search(state, iterations=500)
        assert short.search(state, iterations=500) == move and move in (0, 4)


@pytest.mark.alone
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}], ids=["uct", "guided"])
def test_decided_within_a_time_budget(options):
    engine = mc.Searcher(seed=1, stop_early=True, exploration=0.01, **options)
    engine.search(mc.ConnectFour.from_moves("334"), 1.0)
    stats = engine.stats()
    assert stats.stop_reason == "decided" and stats.seconds < 0.95 and stats.overshoot == 0.0
    lead = stats.moves[0].visits - stats.moves[1].visits
    assert lead > stats.iterations_per_second * (1.0 - stats.seconds)
    # both budgets: the nearer one counts
    engine.search(mc.ConnectFour.from_moves("334"), 60, iterations=50_000)
    assert engine.stats().stop_reason == "decided" and engine.stats().iterations < 50_000


def test_the_default_is_for_time_budgets():
    one = Line(3)
    strong, uct = mc.Searcher(seed=1), mc.Searcher(seed=1, preset="uct")
    always, never = mc.Searcher(seed=1, stop_early=True, preset="uct"), mc.Searcher(seed=1, stop_early=False)
    guided = mc.Searcher(seed=1, solver=False)
    for engine, reasons in [(guided, ("only_move", "iterations")), (uct, ("time", "iterations")),
                            (always, ("only_move", "only_move")), (strong, ("only_move", "solved")),
                            (never, ("solved", "solved"))]:
        assert engine.search(one, 0.05) == "go"
        assert engine.stats().stop_reason == reasons[0]
        assert engine.search(one, iterations=40) == "go"
        assert engine.stats().stop_reason == reasons[1]
    assert guided.search(one, 5.0, iterations=40) == "go" and guided.stats().iterations == 40


@pytest.mark.parametrize("options", [{"preset": "uct", "stop_early": True}, {"solver": False}, {},
                                     {"final_move": "max"}], ids=["uct", "guided", "strong", "max"])
def test_only_move(options):
    engine = mc.Searcher(seed=1, **options)
    state = mc.ConnectFour(4, 2, 4).play(0).play(0).play(0).play(0)
    assert state.legal_moves() == [1]
    for root in (state, Board(state), Line(5)):
        move = engine.search(root, 20)
        stats = engine.stats()
        assert move == stats.move == root.legal_moves()[0]
        assert stats.stop_reason in ("only_move", "solved") and stats.iterations <= 1 and stats.seconds < 10
        assert [entry.move for entry in stats.moves] == root.legal_moves()


def test_a_game_with_one_child_of_many_moves_has_no_only_move():
    engine = mc.Searcher(seed=1, solver=False, stop_early=True)
    assert engine.search(mc.Gomoku(15), iterations=50) in range(225)
    assert engine.stats().stop_reason != "only_move"


@pytest.mark.parametrize("bad", [1, 0, "yes", 1.0, []])
def test_bad_stop_early(bad):
    with pytest.raises(mc.InvalidOption, match="stop_early must be True or False"):
        mc.Searcher(stop_early=bad)


def test_repr_tells():
    assert "stop_early=False" in repr(mc.Searcher(stop_early=False)) and "stop_early" not in repr(mc.Searcher())
