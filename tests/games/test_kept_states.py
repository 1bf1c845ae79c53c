"""src/mcts_core/games/kept_states.pyx: the states of a game in Python that a search keeps; moves in place."""

import gc
import weakref

import pytest

import mcts_core as mc


def even(state):
    return None, 0.0


SEARCHES = {"uct": {"preset": "uct"}, "default": {}, "decisive": {"rollout": "decisive"}, "rave": {"selection": "rave"},
            "three rollouts": {"preset": "uct", "rollouts_per_leaf": 3}, "policy_value": {"policy_value": even}}
SOME = {name: SEARCHES[name] for name in ("uct", "default", "policy_value")}


class Pile:
    """Take one to three of the stones; who takes the last one wins. Counts its calls and positions."""

    ballast = 0
    calls = alive = most_alive = 0

    def __init__(self, stones=40, to_move=1):
        self.stones, self.to_move, self.weight = stones, to_move, bytes(self.ballast)
        Pile.alive += 1
        Pile.most_alive = max(Pile.most_alive, Pile.alive)

    def __del__(self):
        Pile.alive -= 1

    def legal_moves(self):
        return [1, 2, 3][: self.stones]

    def play(self, move):
        Pile.calls += 1
        return type(self)(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Scores(Pile):
    """The same as a general game."""

    players = 2

    def __init__(self, stones=40, to_move=0):
        super().__init__(stones, to_move)

    def play(self, move):
        Pile.calls += 1
        return type(self)(self.stones - move, 1 - self.to_move)

    def returns(self):
        return None if self.stones else [float(self.to_move == 1), float(self.to_move == 0)]


def found(state, memory_mb=64, iterations=400, **options):
    """What a search finds that depends on its tree."""
    engine = mc.Searcher(seed=3, memory_mb=memory_mb, **options)
    engine.search(state, iterations=iterations)
    told = engine.stats().to_dict()
    return {name: told[name] for name in ("moves", "pv", "nodes", "rollouts", "depth_mean", "depth_max", "bytes")}


@pytest.fixture(autouse=True)
def counts():
    gc.collect()
    Pile.calls = 0
    Pile.alive = Pile.most_alive = 0


@pytest.mark.parametrize("kind", [Pile, Scores])
def test_with_a_valuation_each_iteration_plays_one_move(kind):
    engine = mc.Searcher(policy_value=even, solver=False, seed=1)
    engine.search(kind(), iterations=500)
    assert engine.stats().depth_mean > 4
    assert Pile.calls <= 510


def test_a_rollout_search_plays_no_path_from_the_root():
    class Short(Pile):
        """A rollout has no more than two moves."""

        def legal_moves(self):
            return [1, 2, 3] if self.stones > 30 else [self.stones]

    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(Short(), iterations=3000)
    assert engine.stats().depth_mean > 5
    assert Pile.calls < 4.5 * 3000


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("kind", [Pile, Scores])
def test_a_search_finds_the_same_whether_states_are_kept_or_not(kind, options):
    if kind is Scores and options.keys() & {"rollout", "selection", "preset"}:
        pytest.skip("general games have other options")
    heavy = type("Heavy", (kind,), {"ballast": 300_000})
    light = found(kind(), **options)
    assert found(heavy(), memory_mb=1, **options)["moves"] == light["moves"]


@pytest.mark.parametrize(("ballast", "most"), [(100_000, 11), (10_000, 110)])
@pytest.mark.parametrize("options", SOME.values(), ids=SOME)
def test_kept_states_stay_below_the_limit(ballast, most, options):
    heavy = type("Heavy", (Pile,), {"ballast": ballast})
    light = found(Pile(), memory_mb=1, **options)
    Pile.most_alive = Pile.alive = 0
    assert found(heavy(), memory_mb=1, **options) == light
    assert 5 < Pile.most_alive < most + 5


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_states_are_released_when_the_search_ends(options):
    class Watched(Pile):
        seen = weakref.WeakSet()

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.seen.add(self)

    root = Watched()
    engine = mc.Searcher(seed=1, **options)
    engine.search(root, iterations=300)
    gc.collect()
    assert list(Watched.seen) == [root]
    assert engine.search(root.play(1), iterations=300) in (1, 2, 3)  # reused or not


@pytest.mark.parametrize("options", SOME.values(), ids=SOME)
def test_a_position_that_play_changes_is_reported(options):
    class Forgetful(Pile):
        """Fewer moves after some of them were played from a position, the root left as it is."""

        played = 0

        def legal_moves(self):
            return super().legal_moves()[: 3 - (self.played > 2)]

        def play(self, move):
            child = super().play(move)
            if self.stones < 40:
                self.played += 1
            return child

    with pytest.raises(mc.GameError, match=r"Forgetful.play\(\) changed a position, or .*: legal_moves\(\) was "
                                           r"\[1, 2, 3\] and is \[1, 2\]; play\(\) must leave"):
        mc.search(Forgetful(), iterations=2000, seed=1, **options)


def test_states_with_cycles_are_collected():
    class Circle(Pile):
        seen = weakref.WeakSet()

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.itself = self
            self.seen.add(self)

    engine = mc.Searcher(preset="uct")
    engine.search(Circle(), iterations=200)
    del engine
    gc.collect()
    assert not Circle.seen


def test_an_exception_leaves_the_kept_states_in_order():
    class Raising(Pile):
        left = 500

        def play(self, move):
            Raising.left -= 1
            if not Raising.left:
                raise KeyboardInterrupt
            return super().play(move)

    engine = mc.Searcher(preset="uct", seed=1)
    root = Raising()
    with pytest.raises(KeyboardInterrupt):
        engine.search(root, iterations=2000)
    visits = engine.stats().visits
    engine.search(root, iterations=100)
    assert engine.stats().visits >= 100 and visits > 0


class Row:
    """Three in a row on a line of cells, the board a list that moves can change in place."""

    pushed = copied = 0

    def __init__(self, cells=None, to_move=1):
        self.cells, self.to_move = cells or [0] * 12, to_move

    def legal_moves(self):
        return [cell for cell, stone in enumerate(self.cells) if not stone]

    def play(self, move):
        child = type(self)(self.cells.copy(), self.to_move)
        Row.push(child, move)
        return child

    def push(self, move):
        self.cells[move] = self.to_move
        self.to_move = -self.to_move

    def winner(self):
        for cell in range(10):
            if self.cells[cell] and self.cells[cell] == self.cells[cell + 1] == self.cells[cell + 2]:
                return self.cells[cell]
        return None if 0 in self.cells else 0


class Pushing(Row):
    def copy(self):
        Pushing.copied += 1
        return type(self)(self.cells.copy(), self.to_move)

    def push(self, move):
        Pushing.pushed += 1
        super().push(move)


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_moves_in_place_find_the_same(options):
    assert found(Pushing(), **options) == found(Row(), **options)


def test_a_rollout_in_place_makes_one_copy():
    Pushing.copied = Pushing.pushed = 0
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(Pushing(), iterations=300)
    assert Pushing.copied <= 310 and Pushing.pushed > 3 * 300
    Pushing.copied = 0
    in_place, by_play = mc.rollouts(Pushing(), 50, seed=1), mc.rollouts(Row(), 50, seed=1)
    assert (in_place.wins, in_place.losses) == (by_play.wins, by_play.losses)
    assert Pushing.copied == 50


def test_general_games_are_rolled_out_in_place():
    class General(Pushing):
        players = 2

        def copy(self):
            return type(self)(self.cells.copy(), self.to_move)

        @property
        def to_move(self):
            return self.mover

        @to_move.setter
        def to_move(self, mover):
            self.mover = mover

        def push(self, move):
            self.cells[move] = 1 + self.mover
            self.mover = 1 - self.mover

        def play(self, move):
            child = self.copy()
            child.push(move)
            return child

        def returns(self):
            won = self.winner()
            return None if won is None else [float(won == 1), float(won == 2)] if won else [0.5, 0.5]

    class Slow(General):
        push = None

        def play(self, move):
            child = self.copy()
            General.push(child, move)
            return child

    assert found(General(to_move=0)) == found(Slow(to_move=0))


@pytest.mark.parametrize(("members", "text"), [
    ({"copy": lambda self: self}, r"copy\(\) must return a new state, which push\(\) can change, got the same object"),
    ({"copy": lambda self: None}, r"copy\(\) must return a new state, which push\(\) can change, got None"),
    ({"copy": lambda self: 1 // 0}, r"copy\(\) raised ZeroDivisionError"),
    ({"push": lambda self, move: 1 // 0}, r"push\(\) raised ZeroDivisionError"),
    ({"copy": lambda self: Pushing(self.cells, self.to_move)}, r"changed the position that was searched"),
])
def test_broken_copies_and_pushes_raise_game_error(members, text):
    with pytest.raises(mc.GameError, match=text):
        mc.search(type("Other", (Pushing,), members)(), iterations=50, preset="uct")
