"""src/mcts_core/games/connect_four/book.pyx: its file, and exact search with a book.
tests/bench/test_connect_four_book.py makes books."""

import struct
import sys
import zlib
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.games.connect_four import openings
from mcts_core.games.connect_four.book import Book
from mcts_core.games.connect_four.position import use_book
from mcts_core.testing.probe import Probe

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import connect_four_book as tool  # noqa: E402

EVER = 1 << 40
ROWS = [line.split("\t") for line in (ROOT / "tests/data/c4_dev.tsv").read_text().splitlines()
        if line and line[0] not in "#-"]


def key_of(path):
    mine = theirs = taken = 0
    for column in path:
        cell = (taken + tool.FLOOR) & 2**6 - 1 << 7 * column
        mine, theirs, taken = theirs, mine | cell, taken | cell
    key = mine + taken + tool.FLOOR
    return min(key, tool.mirror(key))


def later(path, plies):
    """The paths that come so many plies after ``path``, where the game goes on."""
    if plies == 0:
        yield path
        return
    state = mc.ConnectFour.from_moves(path)
    for move in state.legal_moves():
        if state.play(move).winner() is None:
            yield from later([*path, move], plies - 1)


@pytest.fixture(scope="module")
def places():
    """Solved positions of 14 stones, and the values of all that come two plies later."""
    chosen = [([int(column) - 1 for column in row[0]], int(row[1])) for row in ROWS if len(row[0]) == 14][:6]
    probe, values = Probe(mc.ConnectFour()), {}
    for path, _ in chosen:
        for each in later(path, 2):
            values[key_of(each)] = probe.prove(each, EVER, False, 1 << 24)[0][0]
    return chosen, values


def book_of(values):
    return Book(tool.as_file(16, values))


@pytest.fixture
def with_book():
    openings.shipped()  # read now, it does not take the place of the test's own book
    before = use_book(None)
    yield use_book
    use_book(before)


def test_exact_search_reads_the_book(places, with_book):
    """The same values by a sixth of the work, and moves that keep them; without leave it does not read."""
    chosen, values = places
    with_book(book_of(values))
    work = [0, 0]
    for path, score in chosen:
        for book in (False, True):
            proof, spent = Probe(mc.ConnectFour()).prove(path, EVER, False, 1 << 24, book=book)
            assert proof[0] == 1 + (score > 0) - (score < 0)
            work[book] += spent
    assert work[1] * 6 < work[0]


def test_a_position_of_the_book_has_its_value_and_a_move(places, with_book):
    chosen, values = places
    with_book(book_of(values))
    for path, _ in chosen[:3]:
        for each in list(later(path, 2))[:12]:
            plain, work = Probe(mc.ConnectFour()).prove(each, EVER, False, 1 << 24)
            proof, less = Probe(mc.ConnectFour()).prove(each, EVER, False, 1 << 24, book=True)
            assert proof[0] == plain[0] and less <= work
            if proof[0] and proof[1] > 1:
                value = Probe(mc.ConnectFour()).prove([*each, proof[3]], EVER, False, 1 << 24)[0]
                assert value[0] == 2 - proof[0]


def test_the_distance_is_that_without_a_book(places, with_book):
    chosen, values = places
    with_book(book_of(values))
    for path, score in chosen[:3]:
        proof, _ = Probe(mc.ConnectFour()).prove(path, EVER, True, 1 << 24, book=True)
        assert proof[2] and proof[:2] == Probe(mc.ConnectFour()).prove(path, EVER, True, 1 << 24)[0][:2]
        assert (proof[0] > 1) == (score > 0)


def test_a_search_that_reads_the_book_leaves_no_move_that_gives_the_value_away(places, with_book):
    """The table keeps what the first search found of the later positions: also a bound from the book, which has no
    move."""
    chosen, values = places
    with_book(book_of(values))
    compared = 0
    for path, _ in chosen:
        probe = Probe(mc.ConnectFour())
        probe.prove(path, EVER, True, 1 << 24, book=True)
        for each in later(path, 2):
            proof, _ = probe.prove(each, 1, False, 1 << 24, book=True)
            if proof is not None and proof[0] and proof[1] > 1:
                value = Probe(mc.ConnectFour()).prove([*each, proof[3]], EVER, False, 1 << 24)[0]
                assert value[0] == 2 - proof[0], (each, proof)
                compared += 1
    assert compared > 20


def test_positions_before_a_score_of_the_book_have_their_distance_at_once(places, with_book):
    """And a position that the book has the score of gets a move that keeps it."""
    chosen, values = places
    probe, scores = Probe(mc.ConnectFour()), {}
    for path, _ in chosen[:3]:
        for each in later(path, 1):
            value, distance = probe.prove(each, EVER, True, 1 << 24)[0][:2]
            scores[key_of(each)] = (44 - len(each) - distance) // 2 * (value - 1)
    with_book(Book(tool.as_file(16, values, 15, scores)))
    for path, _ in chosen[:3]:
        plain, work = Probe(mc.ConnectFour()).prove(path, EVER, True, 1 << 24)
        proof, less = Probe(mc.ConnectFour()).prove(path, EVER, True, 1 << 24, book=True)
        assert proof[:3] == plain[:3] and proof[2] and less < 20 < work
        for each in later(path, 1):
            plain = Probe(mc.ConnectFour()).prove(each, EVER, True, 1 << 24)[0]
            proof = Probe(mc.ConnectFour()).prove(each, EVER, True, 1 << 24, book=True)[0]
            assert proof[:3] == plain[:3]
            if proof[1] > 1:
                after = Probe(mc.ConnectFour()).prove([*each, proof[3]], EVER, True, 1 << 24)[0]
                assert after[:2] == (2 - proof[0], proof[1] - 1)


def test_what_the_book_says_is_believed(places, with_book):
    """A book in which all is turned round turns the values round: it was read, and the options decide whether."""
    (path, score), values = next((row for row in places[0] if row[1]), None), places[1]
    with_book(book_of({key: 2 - value for key, value in values.items()}))
    state = mc.ConnectFour.from_moves(path)
    told = {}
    for options in ({}, {"book": False}, {"preset": "uct", "solver": True, "root_proofs": 8}):
        engine = mc.Searcher(seed=1, **options)
        engine.search(state, iterations=20_000)
        told[tuple(options)] = engine.stats()
    right = "win" if score > 0 else "loss"
    assert told["book",].proven == right and not told["book",].book
    assert not told["preset", "solver", "root_proofs"].book
    if openings.ready_for(state):
        assert told[()].book and told[()].proven != right


def test_other_boards_have_no_book(places, with_book):
    with_book(book_of(places[1]))
    assert not openings.ready_for(mc.TicTacToe())
    for state in (mc.ConnectFour(rows=4, cols=5), mc.TicTacToe()):
        engine = mc.Searcher(seed=1, book=True)
        engine.search(state, iterations=300)
        assert engine.stats().book is False


GOOD = tool.as_file(8, {1: 2, 2: 1, 3: 0})


def with_checksum(data):
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


@pytest.mark.parametrize(("data", "message"), [
    (b"", "it must begin with"), (b"MCTSC4BK", "it must begin with"), (b"x" + GOOD[1:], "it must begin with"),
    (GOOD[:-1] + b"\0", "checksum"), (GOOD[:-1], "checksum"),
    (with_checksum(GOOD[:8] + b"\2" + GOOD[9:]), "got form 2"),
    (with_checksum(GOOD[:12] + b"\0" + GOOD[13:]), "with 0"),
    (with_checksum(GOOD[:12] + b"\x15" + GOOD[13:]), "with 21"),
    (with_checksum(GOOD[:20] + b"\x08" + GOOD[21:]), "fewer than its 8 stones, got 8"),
    (with_checksum(GOOD[:32] + b"\2" + GOOD[33:]), "got 2 of"),
    (with_checksum(GOOD[:36] + b"\2" + GOOD[37:]), r"of 2\^2"),
    (with_checksum(GOOD[:36] + b"\x16" + GOOD[37:]), r"of 2\^22"),
    (with_checksum(GOOD[:36] + b"\x15" + GOOD[37:]), "ends at"),
    (with_checksum(GOOD + b"more"), "has .* bytes, got"),
])
def test_a_damaged_file_is_refused(data, message):
    assert Book(GOOD).value(1) == 2
    with pytest.raises(mc.InvalidFile, match=message):
        Book(data)
