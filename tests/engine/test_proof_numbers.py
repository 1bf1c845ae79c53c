"""src/mcts_core/engine/proof_numbers.pyx: proof-number search over any game of two players in turn."""

import gc
import random
import sys
from functools import cache

import pytest

import mcts_core as mc
from mcts_core.engine.proof_numbers import ProofNumbers, ProofSearch

BYTES = 1 << 30
EVER = 1e300


class Nim:
    """Whoever takes the last stone wins."""

    calls = 0

    def __init__(self, piles, to_move=1):
        self.piles, self.to_move = tuple(piles), to_move

    def legal_moves(self):
        return [(pile, count) for pile, left in enumerate(self.piles) for count in range(1, left + 1)]

    def play(self, move):
        Nim.calls += 1
        pile, count = move
        left = list(self.piles)
        left[pile] -= count
        return type(self)(left, -self.to_move)

    def winner(self):
        return None if any(self.piles) else -self.to_move

    def __eq__(self, other):
        return (self.piles, self.to_move) == (other.piles, other.to_move)

    def __hash__(self):
        return hash((self.piles, self.to_move))


class Graph:
    """A random game: positions are numbers, some of which end it; from some the same player moves again, and positions
    may come back until the game is cut."""

    def __init__(self, edges, ends, movers, at=0, ply=0):
        self.edges, self.ends, self.movers, self.at, self.ply = edges, ends, movers, at, ply
        self.to_move = movers[at]

    def legal_moves(self):
        return list(range(len(self.edges[self.at])))

    def play(self, move):
        return Graph(self.edges, self.ends, self.movers, self.edges[self.at][move], self.ply + 1)

    def winner(self):
        return 0 if self.ply >= 12 and self.ends[self.at] is None else self.ends[self.at]

    def __eq__(self, other):
        return (self.at, self.ply) == (other.at, other.ply)

    def __hash__(self):
        return hash((self.at, self.ply))


class Unequal(Graph):
    """The same without comparison by value."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def play(self, move):
        return Unequal(self.edges, self.ends, self.movers, self.edges[self.at][move], self.ply + 1)


def graph(rng, kind=Graph):
    size = rng.randrange(3, 14)
    edges = [[rng.randrange(size) for _ in range(rng.randrange(1, 4))] for _ in range(size)]
    ends = [None] + [rng.choice([None, None, None, 1, -1, 0]) for _ in range(size - 1)]
    return kind(edges, ends, [rng.choice([1, -1]) for _ in range(size)])


def minimax(state):
    """The winner with best play, by trying everything."""
    known = {}

    def value(state):
        key = state.at, state.ply
        if key not in known:
            winner = state.winner()
            if winner is None:
                winner = max(value(state.play(move)) * state.to_move for move in state.legal_moves()) * state.to_move
            known[key] = winner
        return known[key]

    return value(state)


def settled(state, attacker, bytes=BYTES):
    search = ProofNumbers(state, attacker, bytes)
    assert search.run(10**9, EVER)
    return search


@pytest.mark.parametrize("kind", [Graph, Unequal])
def test_random_games_are_proven_as_by_trying_everything(kind):
    rng = random.Random(1)
    for _ in range(300):
        state = graph(rng, kind)
        winner = minimax(state)
        for attacker in (1, -1):
            assert settled(state, attacker).proven == (winner == attacker)


@pytest.mark.slow
def test_no_random_game_is_proven_falsely():
    rng = random.Random(2)
    for _ in range(100_000):
        state = graph(rng)
        assert settled(state, 1).proven == (minimax(state) == 1)


def test_the_value_of_nim_is_that_of_the_sum_of_its_piles():
    for piles in ((1,), (1, 1), (1, 2, 3), (2, 2, 1), (3, 4, 5), (1, 4, 5)):
        left = 0
        for pile in piles:
            left ^= pile
        assert settled(Nim(piles), 1).proven == (left != 0)
        assert settled(Nim(piles), -1).proven == (left == 0)


def against_all_replies(state, search, player):
    """Whether the search's moves win for ``player`` whatever is replied, in as many plies as it says."""
    @cache
    def plies(state):
        if state.winner() is not None:
            assert state.winner() == player
            return 0
        if state.to_move != player:
            return 1 + max(plies(state.play(move)) for move in state.legal_moves())
        return 1 + plies(state.play(settled(state, player).line()[0]))
    return plies(state)


def test_the_moves_of_a_proof_win_against_every_reply():
    state = Nim((1, 2, 4))
    search = settled(state, 1)
    assert search.distance == len(search.line())
    assert against_all_replies(state, search, 1) >= 1
    for move in search.line():
        state = state.play(move)
    assert state.winner() == 1


def test_a_win_that_is_not_there_has_the_move_that_prevents_it():
    state = mc.TicTacToe.from_moves([0, 4, 8])   # the second player must take an edge
    search = settled(Wrapped(state), 1)
    assert search.proven is False and search.line()[0] in (1, 3, 5, 7) and search.distance is None


class Wrapped:
    """A native position as a state in Python."""

    def __init__(self, position):
        self.position, self.to_move = position, position.to_move

    def legal_moves(self):
        return self.position.legal_moves()

    def play(self, move):
        return Wrapped(self.position.play(move))

    def winner(self):
        return self.position.winner()

    def __eq__(self, other):
        return self.position == other.position

    def __hash__(self):
        return hash(self.position)


def test_equal_states_at_one_depth_are_one_node():
    wrapped, unequal = settled(Wrapped(mc.TicTacToe()), 1), settled(mc.TicTacToe(), 1)
    assert wrapped.proven is unequal.proven is False
    assert wrapped.calls < 6000


def test_it_can_be_continued_with_the_same_result():
    whole, parts = settled(Nim((3, 4, 5)), 1), ProofNumbers(Nim((3, 4, 5)), 1, BYTES)
    while not parts.run(7, EVER):
        pass
    assert (parts.calls, parts.line(), parts.distance) == (whole.calls, whole.line(), whole.distance)


def test_a_deadline_and_a_number_of_calls_end_it():
    search = ProofNumbers(Nim((5, 6, 7)), 1, BYTES)
    assert not search.run(1000, 0.0) and search.calls == 0
    assert not search.run(50, EVER) and 50 <= search.calls < 90
    assert search.proven is None and search.distance is None and search.line() == []


def test_memory_ends_it():
    search = ProofNumbers(Nim((5, 6, 7)), 1, 100_000)
    assert not search.run(10**9, EVER)
    assert search.full and search.proven is None and search.calls < 2000


class Failing(Nim):
    """Raises at the given call of play()."""

    at = 0

    def play(self, move):
        if Nim.calls + 1 == Failing.at:
            Nim.calls += 1
            raise ArithmeticError("lost")
        return super().play(move)


def test_after_an_exception_of_the_game_it_goes_on():
    for at in range(1, 60, 7):
        Nim.calls, Failing.at = 0, at
        search = ProofNumbers(Failing((2, 3, 4)), 1, BYTES)
        with pytest.raises(mc.GameError, match=r"Failing.play\(\) raised ArithmeticError: lost"):
            search.run(10**9, EVER)
        Failing.at = 0
        assert search.run(10**9, EVER) and search.proven is True


def test_what_is_no_such_game_is_refused():
    class Three(Nim):
        players = 3

    class Returning(Nim):
        def play(self, move):
            return self

    with pytest.raises(mc.InvalidState, match="no method"):
        ProofNumbers(object(), 1, BYTES)
    with pytest.raises(mc.InvalidState, match="players"):
        ProofNumbers(Three((1, 2)), 1, BYTES)
    with pytest.raises(mc.GameOver, match="nothing to prove"):
        ProofNumbers(Nim((0,)), 1, BYTES)
    with pytest.raises(mc.GameError, match="must return a new state"):
        ProofNumbers(Returning((1, 2)), 1, BYTES).run(10, EVER)


def test_nothing_is_left_behind():
    gc.disable()
    try:
        state = Nim((1, 2, 3))
        before = sys.getrefcount(state)
        search = settled(state, 1)
        assert search.proven is False
        del search
        assert sys.getrefcount(state) == before
    finally:
        gc.enable()


def test_a_proof_search_tells_values_of_positions_below():
    search = ProofSearch(Nim((1, 2)), BYTES)
    assert search.legal == [(0, 1), (1, 1), (1, 2)]
    assert search.prove([], False, None) == (2, 3, False, (1, 1))
    assert search.line[0] == (1, 1) and len(search.line) == 3
    assert search.prove([(1, 1)], False, None)[0] == 0     # the other player loses
    assert search.prove([(0, 1)], False, None)[0] == 2
    assert search.prove([(0, 1)], True, None)[2] is False  # never exact
    assert ProofSearch(Nim((5, 6, 7)), BYTES).prove([], False, 0.0) is None
