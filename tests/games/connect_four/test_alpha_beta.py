"""src/mcts_core/games/connect_four/alpha_beta.pyx: whatever is reported proven must be true."""

import random
from functools import cache
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.testing.probe import Probe

DATA = Path(__file__).resolve().parents[2] / "data"
EVER = 1 << 40
NEVER = 1 << 31
"""Looks at the interrupt."""


def rows_of(name):
    lines = (DATA / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def score_of(value, distance, stones, cells):
    """The score of a proof: +k wins with the k-th last stone."""
    return 0 if value == 1 else (cells + 2 - stones - distance) // 2 * (1 if value == 2 else -1)


def check_proof(proof, score, stones, cells, keeping, optimal, exact):
    value, distance, is_exact, move = proof
    assert value == 1 + (score > 0) - (score < 0)
    assert move in keeping
    assert distance % 2 == {2: 1, 0: 0, 1: (cells - stones) % 2}[value]
    claimed = score_of(value, distance, stones, cells)
    if is_exact:
        assert claimed == score and move in optimal
    else:
        assert not exact and value != 1 and abs(claimed) <= abs(score)


STANDARD = [([int(column) - 1 for column in moves], int(score), {int(column) - 1 for column in keeping},
             {int(column) - 1 for column in optimal})
            for moves, score, _scores, keeping, optimal, _tag, _erred in rows_of("c4_dev.tsv") if moves != "-"]


@pytest.fixture(scope="module")
def prover():
    return Probe(mc.ConnectFour())


@pytest.mark.parametrize("plies", range(12, 37))
def test_signs_of_the_solved_collection(prover, plies):
    chosen = [row for row in STANDARD if len(row[0]) == plies]
    assert len(chosen) >= 33
    for path, score, keeping, optimal in chosen:
        proof, spent = prover.prove(path, EVER, False, 1 << 24)
        assert spent > 0
        check_proof(proof, score, plies, 42, keeping, optimal, False)


@pytest.mark.parametrize("plies", range(16, 37))
def test_distances_of_the_solved_collection(prover, plies):
    prover.forget()
    for path, score, keeping, optimal in STANDARD:
        if len(path) == plies:
            proof, _ = prover.prove(path, EVER, True, 1 << 24)
            check_proof(proof, score, plies, 42, keeping, optimal, True)


@pytest.mark.parametrize("memory", [1 << 22, 20_000, 700, 0])
def test_slices_of_interleaved_positions(memory):
    """Small budgets in turn for many positions: never a wrong claim, and with a table that is large enough a proof."""
    chosen = random.Random(1).sample([row for row in STANDARD if len(row[0]) >= 18], 40)
    prover, done = Probe(mc.ConnectFour()), set()
    for _ in range(200 if memory == 1 << 22 else 6):
        for index, (path, score, keeping, optimal) in enumerate(chosen):
            if index not in done:
                proof, spent = prover.prove(path, 2000, True, memory)
                assert 0 < spent <= 2001
                if proof is not None:
                    check_proof(proof, score, len(path), 42, keeping, optimal, False)
                    if proof[2]:
                        done.add(index)
    assert len(done) == 40 if memory == 1 << 22 else len(done) > 10


def test_forgetting_starts_anew():
    """Also after more times than the marks of entries can count, which are 1,023."""
    prover = Probe(mc.ConnectFour())
    path = STANDARD[400][0][:14]
    fresh = prover.prove(path, EVER, True, 1 << 20)
    again, spent = prover.prove(path, EVER, True, 1 << 20)
    assert again == fresh[0] and spent < fresh[1]
    for _ in range(1100):
        prover.forget()
        prover.prove(path, 40, True, 1 << 20)
    prover.forget()
    assert prover.prove(path, EVER, True, 1 << 20) == fresh


def test_slices_cost_little():
    whole, sliced = Probe(mc.ConnectFour()), Probe(mc.ConnectFour())
    chosen = [row for row in STANDARD if 13 <= len(row[0]) <= 16][::6]
    at_once = together = 0
    for path, _score, _keeping, _optimal in chosen:
        at_once += whole.prove(path, EVER, False, 1 << 24)[1]
    left = list(chosen)
    while left:
        for row in list(left):
            proof, spent = sliced.prove(row[0], 5000, False, 1 << 24)
            together += spent
            if proof is not None:
                left.remove(row)
    assert at_once > 100_000
    assert together < 1.15 * at_once


def test_an_interrupted_proof_can_go_on():
    path = STANDARD[400][0][:12]
    at_once, needed = Probe(mc.ConnectFour()).prove(path, EVER, False, 1 << 20)
    assert Probe(mc.ConnectFour()).prove(path, EVER, False, 1 << 20, looks=NEVER) == (at_once, needed)
    assert at_once is not None and needed > 5000
    for looks in (1, 2, 9):
        prover = Probe(mc.ConnectFour())
        assert prover.prove(path, EVER, False, 1 << 20, looks=looks) == (None, looks * 257)
        proof, rest = prover.prove(path, EVER, False, 1 << 20)
        assert proof[:3] == at_once[:3] and rest < 1.15 * needed


def test_the_same_search_twice_is_the_same():
    path = STANDARD[400][0][:12]
    first, second = Probe(mc.ConnectFour()), Probe(mc.ConnectFour(), 9)
    expected = first.prove(path, EVER, False, 1 << 20)
    assert second.prove(path, EVER, False, 1 << 20) == expected
    first.forget()
    assert first.prove(path, EVER, False, 1 << 20) == expected
    assert first.prove(path, EVER, False, 1 << 20)[1] < 10  # from the table


def test_paths_and_roots_are_the_same_position():
    for path, score, keeping, optimal in STANDARD[600:640]:
        root = mc.ConnectFour.from_moves(path[:5])
        check_proof(Probe(root).prove(path[5:], EVER, True)[0], score, len(path), 42, keeping, optimal, True)
        root = mc.ConnectFour.from_string(str(mc.ConnectFour.from_moves(path)))
        check_proof(Probe(root).prove([], EVER, True)[0], score, len(path), 42, keeping, optimal, True)


OTHERS = [row for row in rows_of("ck_small_dev.tsv") if row[5] != "."]


@pytest.mark.parametrize("shape", sorted({tuple(map(int, row[:3])) for row in OTHERS}), ids=str)
def test_other_boards(shape):
    cols, rows, connect = shape
    prover = Probe(mc.ConnectFour(rows=rows, cols=cols, connect=connect))
    checked = 0
    for row in OTHERS:
        if tuple(map(int, row[:3])) != shape:
            continue
        path = [] if row[3] == "-" else [int(column) - 1 for column in row[3]]
        if rows * cols - len(path) > 30:
            continue
        keeping, optimal = ({int(column) - 1 for column in columns} for columns in row[6:8])
        for exact in (False, True):
            proof, _ = prover.prove(path, EVER, exact, 1 << 23)
            check_proof(proof, int(row[4]), len(path), rows * cols, keeping, optimal, exact)
            checked += 1
    assert checked >= 2


@cache
def minimax(state):
    """The score by exhaustive search."""
    if state.winner() is not None:
        stones = len(state.moves)
        return -((state.rows * state.cols + 2 - stones) // 2) if state.winner() else 0
    return max(-minimax(state.play(move)) for move in state.legal_moves())


def check_state(state, prover, path, **how):
    cells = state.rows * state.cols
    scores = {move: -minimax(state.play(move)) for move in state.legal_moves()}
    best = max(scores.values())
    sign = (best > 0) - (best < 0)
    keeping = {move for move, score in scores.items() if (score > 0) - (score < 0) == sign}
    optimal = {move for move, score in scores.items() if score == best}
    proof, _ = prover.prove(path, how["budget"], how["exact"], how["memory"])
    if proof is not None:
        check_proof(proof, best, len(state.moves), cells, keeping, optimal, how["exact"] and how["budget"] == EVER)
    return proof is not None and (proof[2] or not how["exact"])


SMALL = [(3, 3, 3), (4, 3, 3), (3, 4, 3), (4, 4, 3), (2, 5, 3), (3, 3, 2), (5, 3, 3)]


@pytest.mark.parametrize("shape", SMALL, ids=str)
def test_every_position_of_small_boards(shape):
    """Every position that can be reached, or every 7th: at once with a table that forgets, and in slices."""
    rows, cols, connect = shape
    start = mc.ConnectFour(rows=rows, cols=cols, connect=connect)
    minimax.cache_clear()
    frontier, count, solved = {start}, 0, 0
    probes = [Probe(start) for _ in range(3)]
    while frontier:
        following = set()
        for state in frontier:
            if state.winner() is None:
                following.update(state.play(move) for move in state.legal_moves())
                count += 1
                if rows * cols > 12 and count % 7:
                    continue
                path = list(state.moves)
                assert check_state(state, probes[0], path, budget=EVER, exact=True, memory=1 << 12)
                assert check_state(state, probes[1], path, budget=EVER, exact=False, memory=300)
                for _ in range(3):
                    solved += check_state(state, probes[2], path, budget=20, exact=True, memory=1 << 16)
        frontier = following
    assert solved > count // 10


def test_sampled_positions_of_four_by_four():
    start, chance = mc.ConnectFour(rows=4, cols=4, connect=4), random.Random(4)
    minimax.cache_clear()
    probes = [Probe(start), Probe(start)]
    for _ in range(150):
        state = start
        for _ in range(chance.randrange(5, 15)):
            moves = [move for move in state.legal_moves() if state.play(move).winner() is None]
            if moves:
                state = state.play(chance.choice(moves))
        if state.legal_moves():
            path = list(state.moves)
            assert check_state(state, probes[0], path, budget=EVER, exact=True, memory=1 << 14)
            for _ in range(4):
                check_state(state, probes[1], path, budget=30, exact=True, memory=1 << 14)
