"""The move that a search of hidden information plays, and draws that are out of time."""

import math

import pytest

import mcts_core as mc


class Urns:
    """Three urns of equal worth; ``players`` is 2 for a search by means, 1 for one by maxima."""

    hidden_information, to_move = True, 0

    def __init__(self, players, opened=None):
        self.players, self.opened = players, opened

    def legal_moves(self):
        return ["first", "second", "third"]

    def play(self, move):
        return Urns(self.players, move)

    def returns(self):
        return None if self.opened is None else [0.5] * self.players

    def determinize(self, player, rng):
        return Urns(self.players)

    def observation_key(self, player):
        return self.opened


def test_equal_moves_are_drawn():
    """Six iterations visit each urn twice. The seed draws one of them; the statistics name the same one."""
    for players in (1, 2):
        played = []
        for seed in range(60):
            played.append(mc.search(Urns(players), iterations=6, seed=seed))
            stats = mc.stats()
            assert [entry.visits for entry in stats.moves] == [2, 2, 2]
            assert stats.move == played[-1] == mc.search(Urns(players), iterations=6, seed=seed)
        for move in ("first", "second", "third"):
            assert 5 <= played.count(move) <= 35


def test_the_most_visited_move_is_played():
    """With one iteration more, one urn has three visits: that one is played."""
    for seed in range(20):
        move = mc.search(Urns(2), iterations=7, seed=seed)
        assert {entry.move: entry.visits for entry in mc.stats().moves}[move] == 3


class Drawing(Urns):
    """Its draws are counted; the one with the number ``late`` finds that the time is over."""

    late, draws, left = 0, 0, None

    def __init__(self):
        super().__init__(2)

    def determinize(self, player, rng):
        Drawing.draws += 1
        Drawing.left = mc.seconds_left()
        if Drawing.draws == Drawing.late:
            raise mc.OutOfTime("too little time for a draw")
        return super().determinize(player, rng)


@pytest.mark.parametrize("limits", [{"iterations": 50}, {"seconds": 60.0}, {"seconds": 60.0, "iterations": 50}])
def test_a_draw_that_is_out_of_time_ends_the_search(limits, monkeypatch):
    monkeypatch.setattr(Drawing, "draws", 0)
    monkeypatch.setattr(Drawing, "late", 6)
    engine = mc.Searcher(seed=1)
    assert engine.search(Drawing(), **limits) in Drawing().legal_moves()
    stats = engine.stats()
    assert (stats.iterations, stats.stop_reason, stats.visits) == (5, "time", 5)
    assert 0 < Drawing.left <= 60 if "seconds" in limits else Drawing.left == math.inf
    monkeypatch.setattr(Drawing, "late", 0)
    engine.search(Drawing(), iterations=10)  # goes on
    assert engine.stats().iterations == 10


def test_the_first_draw_that_is_out_of_time_raises(monkeypatch):
    monkeypatch.setattr(Drawing, "draws", 0)
    monkeypatch.setattr(Drawing, "late", 1)
    engine = mc.Searcher(seed=1)
    with pytest.raises(mc.OutOfTime, match="^too little time for a draw$"):
        engine.search(Drawing(), 1e-6)
    assert 0 < Drawing.left <= 0.25
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert mc.seconds_left() == math.inf


def test_searches_within_a_draw_have_times_of_their_own():
    class Nested(Urns):
        seen = ()

        def determinize(self, player, rng):
            before = mc.seconds_left()
            mc.Searcher(seed=1).search(Drawing(), iterations=2)
            Nested.seen = *Nested.seen, (before, Drawing.left, mc.seconds_left())
            return super().determinize(player, rng)

    mc.Searcher(seed=1).search(Nested(2), 60.0, iterations=3)
    assert len(Nested.seen) == 3
    for before, within, after in Nested.seen:
        assert 50 < after <= before <= 60 and within == math.inf


def test_out_of_time_elsewhere_is_an_error_of_the_game():
    class Late(Urns):
        def play(self, move):
            raise mc.OutOfTime("not here")

        def determinize(self, player, rng):
            return Late(2)

    with pytest.raises(mc.OutOfTime, match="not here"):
        mc.search(Late(2), iterations=5, seed=1)
