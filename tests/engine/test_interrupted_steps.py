"""Interrupts at the steps of the Python code that a call runs: that of the caller's game and evaluator, of the package
and of the libraries under it. Only the interrupt comes out, nothing is left behind, and a later call works."""

import _thread
import collections.abc
import os
import pickle
import time

import numpy as np
import pytest
from interrupted_steps import interrupted_steps

import mcts_core as mc
from mcts_core.bots.kaggle_bundle import write_bundle

SOON = 10.0


class Stones:
    """Whoever takes the last one wins."""

    actions = 4

    def __init__(self, left=9, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return [take for take in (1, 2, 3) if take <= self.left]

    def play(self, take):
        return type(self)(self.left - int(take), -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move

    def observation(self):
        return [[[self.left]]]


class Move:
    """Compared, hashed and numbered by Python code."""

    def __init__(self, take):
        self.take = take

    def __hash__(self):
        return self.take

    def __eq__(self, other):
        return self.take == other.take

    def __int__(self):
        return self.take


class Objects(Stones):
    def legal_moves(self):
        return (Move(take) for take in (1, 2, 3) if take <= self.left)

    def __hash__(self):
        return self.left

    def __eq__(self, other):
        return (self.left, self.to_move) == (other.left, other.to_move)


class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __index__(self):
        return int(self.value)


class Dice:
    """One player, with chance and rewards."""

    players = 1
    discount = 0.9

    def __init__(self, at=0, chance=False):
        self.at, self.chance = at, chance

    @property
    def to_move(self):
        return mc.CHANCE if self.chance else 0

    def legal_moves(self):
        return [1, 2]

    def chance_outcomes(self):
        return [(1, Number(0)), (2, 0.5), (3, 0.5)]

    def play(self, move):
        return Dice(self.at + move, not self.chance)

    def rewards(self):
        return [Number(self.at % 3)]

    def returns(self):
        return [Number(0)] if self.at > 8 else None


class Hidden(Stones):
    hidden_information = True

    def determinize(self, player, rng):
        return Hidden(self.left, self.to_move)

    def observation_key(self, player):
        return Move(self.left)


class Priors(collections.abc.Mapping):
    def __getitem__(self, move):
        return 0.25 * move

    def __iter__(self):
        return iter((1, 2, 3))

    def __len__(self):
        return 3


class Numbers:
    """Any iterable."""

    def __init__(self, *numbers):
        self.numbers = numbers

    def __iter__(self):
        yield from map(Number, self.numbers)


def evaluate(observations):
    return np.ones((len(observations), 4), np.float32), np.zeros(len(observations), np.float32)


SEARCHES = {
    "ordinary": (Stones(), {}),
    "plain": (Stones(), {"preset": "uct"}),
    "objects": (Objects(), {"selection": "rave"}),
    "chance": (Dice(), {}),
    "hidden": (Hidden(), {}),
    "evaluator": (Stones(), {"evaluator": evaluate}),
    "numbers": (Stones(), {"policy_value": lambda state: (None, Number(0))}),
    "mapping": (Stones(), {"policy_value": lambda state: (Priors(), 0.0)}),
    "iterables": (Stones(), {"policy_value": lambda state: (Numbers(*state.legal_moves()), Numbers(0, 0))}),
    "gumbel": (Stones(), {"policy_value": lambda state: (None, 0.0), "root_policy": "gumbel"}),
}


class Files:
    """How many files are open, and what is in a folder."""

    def __init__(self, folder):
        self.folder, self.open = folder, self.count()

    def count(self):
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    def check(self, *names):
        assert self.count() == self.open and sorted(os.listdir(self.folder)) == sorted(names)


@pytest.mark.long
@pytest.mark.parametrize("most", [25, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
@pytest.mark.parametrize("name", SEARCHES)
def test_an_interrupted_search_leaves_a_searcher_that_searches(name, most):
    state, options = SEARCHES[name]
    engine = mc.Searcher(memory_mb=4, seed=1, **options)
    for _, where, found in interrupted_steps(lambda: engine.search(state, iterations=24), most):
        assert found == "interrupted", where
        engine.search(state, iterations=3)
        assert engine.stats().iterations == 3


@pytest.mark.long
@pytest.mark.parametrize("most", [25, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
def test_interrupted_stats_trees_and_copies_leave_the_searcher_whole(most):
    engine = mc.Searcher(memory_mb=4, seed=1)

    def call():
        engine.search(Objects(6), iterations=12)
        stats = engine.stats()
        return str(stats), stats.to_dict(), pickle.loads(pickle.dumps(engine)), pickle.dumps(stats)

    for _, where, found in interrupted_steps(call, most):
        assert found == "interrupted", where


@pytest.mark.long
@pytest.mark.parametrize("most", [100, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
def test_a_saved_searcher_is_whole_or_as_it_was(tmp_path, most):
    engine, path = mc.Searcher(seed=1, memory_mb=4), tmp_path / "engine"
    engine.search(mc.TicTacToe(), iterations=30)
    engine.save(path)
    files = Files(tmp_path)
    for _, where, found in interrupted_steps(lambda: engine.save(path), most):
        assert found == "interrupted", where
        files.check("engine")
        assert mc.Searcher.load(path).stats() == engine.stats()
    for _, where, found in interrupted_steps(lambda: mc.Searcher.load(path), most // 4):
        assert found == "interrupted", where
        files.check("engine")


@pytest.mark.long
@pytest.mark.parametrize("most", [100, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
def test_saved_positions_are_whole_or_as_they_were(tmp_path, most):
    data, = mc.selfplay(mc.ConnectFour(4, 4, 3), games=1, iterations=3, seed=1)
    path, threads = tmp_path / "data", _thread._count()
    data.save(path)
    before = path.read_bytes()
    files = Files(tmp_path)
    for call in (lambda: data.save(path), lambda: mc.SelfPlayData.load(path)):
        for _, where, found in interrupted_steps(call, most):
            assert found == "interrupted", where
            files.check("data")
            assert path.read_bytes() == before
    deadline = time.monotonic() + SOON
    while _thread._count() > threads and time.monotonic() < deadline:
        time.sleep(0.001)
    assert _thread._count() == threads


@pytest.mark.long
@pytest.mark.parametrize("most", [100, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
def test_a_bundle_is_whole_or_as_it_was(tmp_path, monkeypatch, most):
    monkeypatch.setattr("mcts_core.bots.kaggle_bundle._package", lambda: [("mcts_core/__init__.py", bytes(1000))])
    path = tmp_path / "bundle"
    write_bundle(path)
    before, files = path.read_bytes(), Files(tmp_path)
    for _, where, found in interrupted_steps(lambda: write_bundle(path), most):
        assert found == "interrupted", where
        files.check("bundle")
        assert path.read_bytes() == before


@pytest.mark.long
@pytest.mark.parametrize("most", [60, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"])
def test_a_folder_of_selfplay_goes_on(tmp_path, most):
    def call():
        return mc.selfplay(mc.ConnectFour(4, 4, 3), games=2, iterations=2, seed=1, shard_games=1, folder=tmp_path)

    def clear():
        for path in tmp_path.iterdir():
            path.unlink()

    paths = call()
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(paths) == 2 and len(whole) == 3
    files = Files(tmp_path)

    def anew():
        clear()
        call()

    for _, where, found in interrupted_steps(anew, most):
        assert found == "interrupted", where
        assert files.count() == files.open
        assert not [path for path in tmp_path.iterdir() if path.name not in whole]
        assert call() == paths and {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole
