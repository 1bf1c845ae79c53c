"""src/mcts_core/engine/exact_search.pyx: proofs of positions, with a deadline and without."""

import ctypes
import time

import pytest

import mcts_core as mc
from mcts_core.engine.exact_search import ExactSearch
from mcts_core.engine.loop import clock
from mcts_core.testing.probe import ValuedState

NEAR_THE_END = mc.ConnectFour.from_moves("444444326522677111", base=1)


def test_a_proof_and_its_distance():
    search = ExactSearch(NEAR_THE_END, 1 << 22, False)
    assert search.prove([], False, None)[0] == 2
    assert search.prove([], True, None) == (2, 7, True, 5)
    assert search.prove([2], True, None) == (2, 5, True, 1)
    assert not search.by_book


def test_it_ends_at_the_deadline_and_goes_on_from_there():
    state = mc.ConnectFour(rows=7, cols=7)
    search = ExactSearch(state, 1 << 24, False)
    begin = time.monotonic()
    assert search.prove([], True, clock() + 0.05) is None
    assert time.monotonic() - begin < 20
    assert search.prove([], True, clock() - 1) is None


def test_what_is_not_exact_is_told_at_the_deadline():
    state = mc.ConnectFour.from_moves("44444326", base=1)
    search = ExactSearch(state, 1 << 26, False)
    sign = search.prove([], False, None)
    assert search.prove([], True, clock())[0] == sign[0]


def test_positions_without_an_exact_search_are_refused():
    class Plain:
        to_move = 1

        def legal_moves(self):
            return [0]

        def play(self, move):
            return self

        def winner(self):
            return None

    for state in (Plain(), mc.ConnectFour(rows=9, cols=9)):
        with pytest.raises(mc.InvalidState, match="exact search"):
            ExactSearch(state, 1 << 20, False)
    with pytest.raises(mc.GameOver):
        ExactSearch(mc.ConnectFour.from_moves("1212121", base=1), 1 << 20, False)


def test_an_error_of_native_rules_ends_it():
    prove = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint64,
                             ctypes.c_int32, ctypes.c_void_p)(lambda *arguments: -1)
    state = ValuedState(mc.TicTacToe(), {"prove": ctypes.cast(prove, ctypes.c_void_p).value}, prove)
    with pytest.raises(mc.GameError, match="ValuedState: a function of its game table returned an error"):
        mc.solve(state, 5)
