"""src/mcts_core/engine/targets.pyx: what self-play keeps of a search, beside the statistics of the same search."""

import pytest
from general_games import flat
from general_oracle import Tangle
from value_games import Draws, Scores, drawish_value

import mcts_core as mc
from mcts_core.engine.targets import Target
from mcts_core.engine.weighted_draw import drawn


class Bounded:
    """One player chooses one of three lotteries, which win with these chances; the first one once more."""

    players, actions = 1, 4

    def __init__(self, chance=None, won=None):
        self.chance, self.won = chance, won
        self.to_move = 0 if chance is None else mc.CHANCE

    def legal_moves(self):
        return ["low", "high", "half", "middle"]

    def play(self, move):
        if self.chance is not None:
            return Bounded(self.chance, move)
        return Bounded({"low": 0.25, "half": 0.5, "high": 0.75, "middle": 0.5}[move])

    def chance_outcomes(self):
        return [(1.0, self.chance), (0.0, 1 - self.chance)]

    def returns(self):
        return None if self.won is None else [self.won]


def weights(stats):
    """What the weights are, in another way: from the statistics."""
    if stats.proven is not None or stats.stop_reason == "solved":
        return {entry.move: float(entry.move == stats.move) for entry in stats.moves}
    least = max((entry.bounds[0] for entry in stats.moves if entry.bounds), default=0)
    found = {entry.move: entry.visits if entry.policy is None else entry.policy for entry in stats.moves}
    for entry in stats.moves:
        if entry.proven == "loss" or (entry.bounds and entry.bounds[1] < least):
            found[entry.move] = 0.0
    return found if any(found.values()) else {move: float(move == stats.move) for move in found}


@pytest.mark.parametrize("options", [
    {"preset": "uct"}, {}, {"selection": "grave"},
    pytest.param({"evaluator": flat, "solver": False}, marks=pytest.mark.needs("numpy")),
    pytest.param({"evaluator": flat, "root_policy": "gumbel"}, marks=pytest.mark.needs("numpy")),
])
@pytest.mark.parametrize("moves", ["3", "332", "33221", "4041", "3323"])
def test_a_target_has_the_figures_of_the_statistics(options, moves):
    for iterations in (1, 9, 60):
        engine = mc.Searcher(seed=3, **options)
        engine.search(mc.ConnectFour.from_moves(moves), iterations=iterations)
        stats, found = engine.stats(), Target(engine._core)
        assert (found.move, found.value, found.values, found.rollouts) == (
            stats.move, stats.value, stats.values, stats.rollouts)
        assert found.settled == (stats.proven is not None)
        assert dict(zip(found.moves, found.weights, strict=True)) == weights(stats)


@pytest.mark.parametrize("state", [Bounded(), Tangle(3), Tangle(5, players=3), mc.Gomoku(9).play(40)],
                         ids=["bounds", "two", "three", "gomoku"])
def test_targets_of_other_games(state):
    settled = set()
    for iterations in (2, 5, 30, 300):
        engine = mc.Searcher(seed=1)
        engine.search(state, iterations=iterations)
        stats, found = engine.stats(), Target(engine._core)
        assert dict(zip(found.moves, found.weights, strict=True)) == weights(stats)
        assert found.values == stats.values and found.value == stats.value
        assert found.settled == (stats.proven is not None or stats.stop_reason == "solved")
        settled.add(found.settled)
    if isinstance(state, Bounded):
        assert settled == {False, True}


def test_if_all_moves_are_lost_the_one_that_is_played_has_the_weight():
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour.from_moves("22334"), iterations=200)  # two threats
    stats, found = engine.stats(), Target(engine._core)
    assert stats.proven == "loss" and found.settled
    assert found.weights == [float(move == stats.move) for move in found.moves]


@pytest.mark.needs("numpy")
def test_shares_are_written_at_indices():
    import numpy

    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.TicTacToe(), iterations=90)
    found, row = Target(engine._core), numpy.full(12, -1.0, numpy.float32)
    found.write(row, [move + 2 for move in found.moves])
    assert row[:2].tolist() == [-1, -1] and row[11] == -1 and row[2:11].sum() == pytest.approx(1)
    for move, weight in zip(found.moves, found.weights, strict=True):
        assert row[move + 2] == numpy.float32(weight / 90)
    with pytest.raises(ValueError, match="float32"):
        found.write(row.astype(numpy.float64), found.moves)
    for wrong, error in (([0] * 8, ValueError), ([0] * 8 + [12], IndexError), ([0] * 8 + [-1], IndexError)):
        with pytest.raises(error):
            found.write(row, wrong)


def test_there_is_none_before_a_search_nor_while_it_runs():
    def look(stats):
        with pytest.raises(mc.SearchBusy):
            Target(engine._core)
        seen.append(stats)

    engine, seen = mc.Searcher(preset="uct"), []
    with pytest.raises(mc.NoSearch):
        Target(engine._core)
    engine.search(mc.ConnectFour(), seconds=0.1, progress=look, every=0.01)
    assert seen and Target(engine._core).move == engine.stats().move


def test_moves_are_drawn_by_powers_of_their_weights():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.TicTacToe(), iterations=90)
    found = Target(engine._core)
    best = max(zip(found.weights, found.moves, strict=True))[1]
    assert {found.drawn(1e9, number << 58) for number in range(64)} == {best}
    assert {found.drawn(1.0, number << 54) for number in range(1024)} == set(found.moves)
    odds = [(weight / max(found.weights)) ** 0.5 for weight in found.weights]
    for number in range(0, 2**64, 2**58):
        assert found.drawn(0.5, number) == drawn(found.moves, odds, number)  # no number is that near to a limit


@pytest.mark.parametrize("state", [Draws(), Scores()], ids=["two", "three"])
@pytest.mark.parametrize("iterations", [30, 500])
def test_visits_that_draws_pass_on_have_no_weight(state, iterations):
    engine = mc.Searcher(seed=1, **({} if isinstance(state, Scores) else {"policy_value": drawish_value}))
    engine.search(state, iterations=iterations)
    target = Target(engine._core)
    shares = dict(zip(target.moves, target.weights, strict=True))
    assert not target.settled and shares["bad"] < 0.12 * sum(shares.values())
    assert abs(sum(shares.values()) - iterations) <= 2


@pytest.mark.needs("numpy")
def test_rows_of_boards_are_weighted_alike():
    """Evaluated boards keep rows, from which the weights come: against those of the same figures as a list."""
    import numpy as np

    def level(observations):
        return None, np.zeros(len(observations), np.float32)

    found = 0
    for seed in range(40):
        state, engine = mc.MNK(4, 4, 4), mc.Searcher(evaluator=level, seed=seed, root_proofs=0, leaf_proofs=0)
        for move in (5, 10, 6, 9, 4, 7, 1, 13, 0):
            state = state.play(move)
        engine.search(state, iterations=800 + 10 * seed)
        stats, target = engine.stats(), Target(engine._core)
        drawn = [entry for entry in stats.moves if entry.proven == "draw"]
        passed = sum(entry.visits for entry in stats.moves) - stats.iterations
        if stats.proven or not drawn or passed <= 0:
            continue
        found += 1
        others = sum(entry.visits for entry in stats.moves) - sum(entry.visits for entry in drawn)
        for entry, share in ((entry, dict(zip(target.moves, target.weights, strict=True))[entry.move])
                             for entry in stats.moves):
            expected = entry.visits if entry.proven == "draw" else entry.visits * max(0.0, 1 - passed / others)
            assert share == (0.0 if entry.proven == "loss" else pytest.approx(expected, abs=0.05 * entry.visits + 2))
    assert found > 0
