"""src/games/mnk/valuation.pyx: values and weights of positions in any order, against the network on the board alone."""

import random

import pytest

import mcts_core as mc
from mcts_core.games.mnk.weights import shipped
from mcts_core.testing.network_probe import network_outputs, powers
from mcts_core.testing.probe import Probe


@pytest.mark.parametrize(("m", "n"), [(5, 5), (9, 9), (13, 5), (22, 22)])
def test_positions_in_any_order_have_the_values_of_their_boards(m, n):
    draw = random.Random(m)
    start = mc.MNK(m, n, 5)
    for _ in range(2):
        start = start.play(draw.choice(start.legal_moves()))
    paths, state = [[]], start
    while state.play(state.legal_moves()[0]).winner() is None and len(paths) < 40:
        move = draw.choice(state.legal_moves())
        if state.play(move).winner() is None:
            state = state.play(move)
            paths.append([*paths[-1], move])
    probe = Probe(start)
    assert probe.create_valuation(shipped())
    for path in draw.choices(paths, k=60):
        board = bytearray(m * n)
        for number, move in enumerate([*start.moves, *path]):
            board[move] = 1 + number % 2
        logit, looked_at = network_outputs(shipped(), bytes(board), n, m, len(path) % 2)
        assert probe.value(path) == (0, round(65536 * powers([logit])[0][1]), None)
        moves = sorted(cell for cell in looked_at if not board[cell])
        most = max(looked_at[move][0] for move in moves)
        returned, weights, damage = probe.weigh(path, moves)
        assert (returned, damage) == (0, None)
        expected = [powers([most - looked_at[move][0]])[0][0] for move in moves]
        assert [weight / max(weights) for weight in weights] == pytest.approx(expected, abs=1e-5)


def test_boards_that_networks_do_not_know_have_no_valuation():
    assert Probe(mc.Gomoku(22)).valuation == (True, True, True, True)
    for state in (mc.Gomoku(23), mc.MNK(9, 4, 5), mc.MNK(9, 9, 4), mc.MNK(9, 9, 6), mc.ConnectFour()):
        assert not (Probe(state).valuation or (False,))[0]
