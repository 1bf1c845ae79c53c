"""bench/network_match.py: who moves when, whose points are counted, and what it refuses."""

import sys
from pathlib import Path

import numpy as np
import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import network_match  # noqa: E402

sys.path.remove(str(BENCH))


def column(wanted, calls=None):
    """An evaluator whose policy is one column."""
    def evaluate(observations):
        if calls is not None:
            calls.append(len(observations))
        policy = np.full((len(observations), 7), 1e-6, np.float32)
        policy[:, wanted] = 1.0
        return policy, np.zeros(len(observations), np.float32)

    return evaluate


@pytest.mark.long
def test_the_points_are_those_of_a():
    """A searches and B plays any legal move: A wins nearly all games, whoever begins."""
    strong = {"evaluator": column(3), "root_proofs": 1000, "leaf_proofs": 100}
    weak = {"evaluator": column(0), "solver": False}
    pairs, seconds = network_match.play([strong, weak], 10, 16, 1)
    assert len(pairs) == 10 and all(spent > 0 for spent in seconds)
    assert sum(map(sum, pairs)) >= 18
    swapped, _ = network_match.play([weak, strong], 10, 16, 1)
    assert sum(map(sum, swapped)) <= 2


def test_a_match_repeats_exactly():
    sides = [{"evaluator": column(3)}, {"evaluator": column(3), "solver": False}]
    assert network_match.play(sides, 6, 8, 2)[0] == network_match.play(sides, 6, 8, 2)[0]


def test_every_game_is_played_to_its_end_by_both(monkeypatch):
    asked = []
    search_many = mc.search_many

    def spy(states, **options):
        asked.append((options["evaluator"], [state.to_move for state in states]))
        return search_many(states, **options)

    monkeypatch.setattr(mc, "search_many", spy)
    sides = [{"evaluator": column(3)}, {"evaluator": column(2)}]
    pairs, _ = network_match.play(sides, 3, 4, 1)
    assert all(points in (0, 0.5, 1) for pair in pairs for points in pair)
    assert [entry[0] for entry in asked[:2]] == [sides[0]["evaluator"], sides[1]["evaluator"]]
    assert [len(entry[1]) for entry in asked[:2]] == [3, 6]  # B answers in three games and begins the others


@pytest.mark.parametrize(("words", "text"), [
    (["--games", "3"], "--games must be even, got 3"),
    (["--a", "solver=7"], "solver"),
    (["--b", "colour=red"], "colour"),
])
def test_bad_arguments(words, text, capsys):
    with pytest.raises(SystemExit):
        network_match.main(words)
    assert text in capsys.readouterr().err
