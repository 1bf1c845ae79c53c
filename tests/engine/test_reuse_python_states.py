"""The tree of the last search, used again for states written in Python: how they compare says what may be reused."""

from dataclasses import dataclass
from itertools import permutations

import pytest
from reused_tree import figures, fresh, line, node_after, play
from value_games import BareClaim, Claim, ToldClaim

import mcts_core as mc


def test_states_that_are_not_compared_by_value_begin_anew():
    for game, reuses in ((Claim, True), (ToldClaim, True), (BareClaim, False)):
        engine, state = mc.Searcher(), game()
        engine.search(state, iterations=2000)
        (move,) = line(engine, 1)
        engine.search(state.play(move), iterations=10)
        assert (engine.stats().reused_visits > 20) == reuses
        engine.search(state.play(move), iterations=10)
        assert (engine.stats().reused_visits > 20) == reuses


def test_python_games_are_followed_to_the_most_visited_equal_position_or_by_their_moves():
    for game in (Claim, ToldClaim):
        engine, state = mc.Searcher(preset="uct", seed=1), game()
        for plies in (1, 2, 3):
            engine.search(state, iterations=6000)
            path = line(engine, plies)
            after = play(state, path)
            ways = [path] if game is ToldClaim else [
                list(way) for way in permutations(path) if play(state, way) == after]
            visits = max(node[0] for node in (node_after(engine, way) for way in ways) if node)
            engine.search(after, iterations=1)
            assert engine.stats().reused_visits == visits


@dataclass(frozen=True)
class Heaps:
    """Take one or two from a heap; who takes the last one wins."""

    heaps: tuple = (3, 4, 5)
    to_move: int = 1

    def legal_moves(self):
        return [(heap, take) for heap, left in enumerate(self.heaps) for take in (1, 2) if take <= left]

    def play(self, move):
        heaps = list(self.heaps)
        heaps[move[0]] -= move[1]
        return Heaps(tuple(heaps), -self.to_move)

    def winner(self):
        return None if any(self.heaps) else -self.to_move


@pytest.mark.parametrize("options", [{}, {"preset": "uct"}, {"selection": "puct"}, {"selection": "rave"}])
def test_of_equal_positions_the_one_with_the_most_visits_is_found(options):
    """The two moves that lead to a position may have come in either order."""
    compared = 0
    for number in range(40):
        engine = mc.Searcher(seed=number, **options)
        state = Heaps()
        engine.search(state, iterations=300)
        for path in ([first, second] for first in state.legal_moves() for second in state.play(first).legal_moves()):
            after = play(state, path)
            nodes = [node_after(engine, way) for way in (path, path[::-1]) if play(state, way) == after]
            known = [node[0] for node in nodes if node]
            if len(known) < 2 or known[0] == known[1]:
                continue
            engine.search(after, iterations=1)
            assert engine.stats().reused_visits == max(known)
            compared += 1
            break
    assert compared > 10


def test_python_games_with_other_moves_that_lead_to_an_equal_state():
    """``moves`` is not the path here: the position is found among the most visited ones."""
    class Menu(Claim):
        @property
        def moves(self):
            return self.legal_moves()

    engine, state = mc.Searcher(preset="uct"), Menu()
    engine.search(state, iterations=3000)
    path = line(engine, 1)
    visits = node_after(engine, path)[0]
    engine.search(play(state, path), iterations=1)
    assert engine.stats().reused_visits == visits


class Touchy(Claim):
    """Its comparison raises on demand."""

    broken = None

    def __eq__(self, other):
        if Touchy.broken is not None:
            raise Touchy.broken
        return super().__eq__(other)

    __hash__ = Claim.__hash__


class Sloppy(Claim):
    """Equal to any position with the same owners, whoever is to move."""

    def __eq__(self, other):
        return self.owners == other.owners

    def __hash__(self):
        return hash(self.owners)


class Mutable(Claim):
    """May be changed in place."""

    def become(self, other):
        self.owners, self.to_move = other.owners, other.to_move


class Unhashable(Claim):
    __hash__ = None

    def __eq__(self, other):
        return Claim.__eq__(self, other)


class Reversed(Claim):
    """Equal positions may list their moves in another order."""

    def __init__(self, owners=(0,) * 8, to_move=1, turned=False):
        super().__init__(owners, to_move)
        self.turned = turned

    def legal_moves(self):
        moves = super().legal_moves()
        return moves[::-1] if self.turned else moves


def test_a_comparison_that_fails_does_not_keep_a_position_from_being_searched():
    for error in (ValueError("the truth value of an array"), TypeError("no"), mc.GameError("odd"), RecursionError()):
        engine, state = mc.Searcher(), Touchy()
        engine.search(state, iterations=500)
        try:
            Touchy.broken = error
            engine.search(state.play(0), iterations=50)
        finally:
            Touchy.broken = None
        assert engine.stats().reused_visits == 0 and engine.stats().visits == 50


def test_ctrl_c_in_a_comparison_comes_out():
    engine, state = mc.Searcher(), Touchy()
    engine.search(state, iterations=500)
    try:
        Touchy.broken = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            engine.search(state.play(0), iterations=50)
    finally:
        Touchy.broken = None
    engine.search(state.play(0), iterations=50)
    assert engine.stats().reused_visits == 0 and engine.stats().visits == 50


def test_states_that_look_equal_with_another_player_to_move_begin_anew():
    for path in ([], [1], [1, 2]):
        engine, state = mc.Searcher(preset="uct"), Sloppy()
        engine.search(state, iterations=4000)
        after = play(state, path)
        turned = Sloppy(after.owners, -after.to_move)
        assert turned == after
        engine.search(turned, iterations=300)
        stats = engine.stats()
        assert stats.reused_visits == 0 and figures(stats) == fresh(turned, {"preset": "uct"}, 300, stats.seed)


def test_a_state_that_was_changed_in_place_begins_anew():
    engine, state = mc.Searcher(preset="uct"), Mutable()
    engine.search(state, iterations=2000)
    state.become(Mutable().play(1).play(4))
    engine.search(state, iterations=300)
    stats = engine.stats()
    assert stats.reused_visits == 0 and figures(stats) == fresh(state, {"preset": "uct"}, 300, stats.seed)
    engine.search(state, iterations=10)
    assert engine.stats().reused_visits == 300


def test_states_without_a_hash_begin_anew():
    engine = mc.Searcher()
    for _ in range(2):
        engine.search(Unhashable(), iterations=100)
        assert engine.stats().reused_visits == 0


def test_equal_states_that_list_their_moves_otherwise_begin_anew():
    for plies in range(3):
        # a line of the first search has blocks in the second one only with the same seed
        engine, state = mc.Searcher(preset="uct", **({"seed": 1} if plies else {})), Reversed()
        engine.search(state, iterations=3000)
        after = play(state, line(engine, plies))
        engine.search(Reversed(after.owners, after.to_move, True), iterations=100)
        assert engine.stats().reused_visits == 0
        engine.search(state, iterations=3000)
        engine.search(after, iterations=100)
        assert engine.stats().reused_visits > 0


def test_a_game_that_fails_leaves_nothing_to_reuse():
    class Failing(Claim):
        fails = False

        def winner(self):
            if Failing.fails and self.owners.count(0) < 5:
                raise ZeroDivisionError
            return super().winner()

    engine = mc.Searcher(seed=1)
    engine.search(Failing(), iterations=300)
    assert engine.stats().proven is None  # else the next search knows all
    Failing.fails = True
    with pytest.raises(mc.GameError, match="ZeroDivisionError"):
        engine.search(Failing().play(0), iterations=500)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    Failing.fails = False
    engine.search(Failing().play(0), iterations=500)
    assert engine.stats().reused_visits == 0
