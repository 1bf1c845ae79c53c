"""mcts_core/games/connect_four/openings.py: the book that comes with the package."""

import random
import threading
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.games.connect_four import openings
from mcts_core.testing.probe import Probe

ENDLESS = 1 << 60
DATA = Path(__file__).resolve().parents[2] / "data/c4_dev.tsv"


def early_positions():
    """Moves and scores of the positions of the data with at most ten stones, and of those after one move more."""
    for line in DATA.read_text(encoding="ascii").splitlines():
        if line[0] == "#":
            continue
        moves, _, scores = line.split("\t")[:3]
        path = [] if moves == "-" else [int(column) - 1 for column in moves]
        if len(path) <= 9:
            for column, score in enumerate(scores.split()):
                if score != "." and mc.ConnectFour.from_moves(path).play(column).winner() is None:
                    yield [*path, column], -int(score)


@pytest.fixture(scope="module")
def probe():
    assert openings.ready_for(mc.ConnectFour())
    return Probe(mc.ConnectFour())


def test_the_book_is_small_and_complete():
    book = openings.shipped()
    assert book is openings.shipped() and book.stones == 10 and book.positions == 627_283 and book.score_stones == 4
    assert len(book.source) <= 150_000


def test_early_positions_of_the_data_have_their_values(probe):
    positions = list(early_positions())[::3]
    for moves, score in positions:
        proof, _ = probe.prove(moves, ENDLESS, False, 1 << 26, book=True)
        assert proof[0] == 1 + (score > 0) - (score < 0), (moves, score)
    assert len(positions) > 300


def test_the_empty_board_is_won_in_41_plies_at_once(probe):
    proof, nodes = probe.prove([], ENDLESS, True, 1 << 26, book=True)
    assert proof == (2, 41, True, 3) and nodes < 10_000


def test_the_first_positions_of_the_data_have_their_distances(probe):
    positions = [(moves, score) for moves, score in early_positions() if len(moves) <= 3]
    for moves, score in positions:
        (value, distance, exact, _), nodes = probe.prove(moves, ENDLESS, True, 1 << 26, book=True)
        assert exact and (value - 1) * ((44 - len(moves) - distance) // 2) == score, (moves, score)
        assert nodes < 10_000
    assert len(positions) > 60


def test_random_positions_have_the_values_that_are_found_without_the_book(probe):
    rng, compared = random.Random(1), 0
    while compared < 12:
        state = mc.ConnectFour()
        while len(state.moves) < 10 and state.winner() is None:
            state = state.play(rng.choice(state.legal_moves()))
        if state.winner() is None:
            moves = list(state.moves)
            plain, _ = probe.prove(moves, ENDLESS, False, 1 << 28)
            assert probe.prove(moves, ENDLESS, False, 1 << 26, book=True)[0][0] == plain[0], moves
            compared += 1


def test_only_connect_four_has_a_book():
    assert all(map(openings.ready_for, (mc.ConnectFour(rows=7, cols=6), mc.ConnectFour())))
    assert not any(map(openings.ready_for, (mc.TicTacToe(), object())))


def test_a_signal_handler_that_searches_while_the_book_is_read(monkeypatch):
    load, found = openings.data_files.load, []

    def loading(*given):
        if not found:
            found.append(None)
            found[0] = openings.shipped()
        return load(*given)

    monkeypatch.setattr(openings, "_read", [])
    monkeypatch.setattr(openings.data_files, "load", loading)
    thread = threading.Thread(target=lambda: found.append(openings.shipped()), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive() and found[0] is found[1] is openings.shipped()


def test_a_position_after_one_of_the_book_keeps_its_time():
    """Exact search of it once took nearly all of a short time limit: 6 iterations of 1,300 were left."""
    drawn = mc.ConnectFour.from_moves([2, 5, 3, 1, 5, 3, 3, 3, 1])
    after = drawn.play(1).play(3)
    kept = fresh = 0
    for seed in range(6):
        engine, other = mc.Searcher(seed=seed), mc.Searcher(seed=seed)
        engine.search(drawn, iterations=200_000)
        assert engine.stats().proven == "draw"
        engine.search(after, 0.02)
        other.search(after, 0.02)
        kept += engine.stats().iterations
        fresh += other.stats().iterations
    assert kept > fresh / 20
