"""tools/connect_four_book.py: which positions the book has, how it is computed, resumed, checked and written."""

import random
import sys
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.games.connect_four.book import Book

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import connect_four_book as tool  # noqa: E402


def wins_at_once(state):
    return any(state.play(move).winner() for move in state.legal_moves())


def has_lost(state):
    """Whether the other player wins at once after every move."""
    return all(wins_at_once(state.play(move)) for move in state.legal_moves())


@pytest.mark.parametrize("stones", [0, 1, 4, 5])
def test_the_positions_are_those_that_play_reaches(stones):
    level = {mc.ConnectFour()}
    for _ in range(stones):
        level = {state.play(move) for state in level for move in state.legal_moves() if state.winner() is None}
    expected = {state.diagram() for state in level if state.winner() is None and not wins_at_once(state)
                and not has_lost(state)}
    found = tool.positions(stones)
    states = [mc.ConnectFour.from_moves(path.decode(), base=1) for path in found.values()]
    mirrored = [mc.ConnectFour.from_moves([6 - move for move in state.moves]) for state in states]
    assert {state.diagram() for state in states} | {state.diagram() for state in mirrored} == expected
    symmetric = sum(a.diagram() == b.diagram() for a, b in zip(states, mirrored, strict=True))
    assert len(found) == (len(expected) + symmetric) // 2
    assert list(found) == sorted(found)


@pytest.mark.long
@pytest.mark.parametrize(("stones", "count"), [(6, 7603), (7, 25_316)])
def test_their_number(stones, count):
    assert len(tool.positions(stones)) == count


def test_a_key_tells_the_stones():
    for key in random.Random(1).sample(list(tool.positions(6)), 50):
        mine, taken = tool.split(key)
        assert taken.bit_count() == 6 and mine.bit_count() == 3
        assert min(key, tool.mirror(key)) == key == mine + taken + tool.FLOOR
        theirs, threats = taken & ~mine, 0
        for cell in (taken + tool.FLOOR & tool.BOARD & 2**7 - 1 << 7 * column for column in range(7)):
            threats += any(line & (theirs | cell) == line and line & cell for line in LINES)
        assert tool.is_quiet(key) == (threats == 0)


LINES = [sum(1 << 7 * (column + i * across) + row + i * up for i in range(4))
         for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)) for column in range(7) for row in range(6)
         if column + 3 * across < 7 and 0 <= row + 3 * up < 6]


@pytest.mark.parametrize("count", [0, 1, 5, 300, 5000])
def test_filters_say_what_they_were_made_of(count):
    rng = random.Random(count)
    keys = rng.sample(range(1 << 49), count)
    values = {key: rng.randrange(3) for key in keys}
    scores = {key: rng.randrange(-20, 21) for key in keys}
    book = Book(tool.as_file(12, values, 11, scores))
    assert book.stones == 12 and book.positions == count and book.score_stones == 11
    assert [book.value(key) for key in keys] == list(values.values())
    assert [book.score(key) for key in keys] == list(scores.values())
    assert Book(tool.as_file(12, values)).score_stones == -1


def test_results_are_read_back_and_a_broken_line_is_not(tmp_path):
    file = tmp_path / "results"
    assert tool.read_results(file) == {}
    file.write_bytes(b"1234 +\n5 =\n11 -\n22 \n12 -18\n7 +")
    assert tool.read_results(file) == {b"1234": "+", b"5": "=", b"11": "-", b"12": "-18"}
    (tmp_path / "other").write_bytes(b"5 -\n")
    with pytest.raises(SystemExit, match="5 has another value"):
        tool.read_all([file, tmp_path / "other"])


def test_solving_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    """With positions late in the game, which take no time."""
    paths = {key_of(path): path.encode() for path in LATE}
    monkeypatch.setattr(tool, "positions", lambda stones: paths)
    results = tmp_path / "results"
    command = ["solve", "--stones", "20", "--memory", "4", "--results", str(results)]
    assert tool.main([*command, "--part", "0", "2"]) == 0
    first = results.read_bytes()
    assert first.count(b"\n") == 2
    results.write_bytes(first + b"4444")  # it was stopped while it wrote
    assert tool.main(command) == 0
    solved = tool.read_results(results)
    assert len(solved) == 4 and "4 positions, 2 left" in capsys.readouterr().out
    for path, sign in solved.items():
        value = mc.solve(mc.ConnectFour.from_moves(path.decode(), base=1), book=False).proven
        assert {"win": "+", "draw": "=", "loss": "-"}[value] == sign
    assert tool.main(["check", "--stones", "20", "--memory", "4", "--results", str(results)]) == 0
    results.write_text(results.read_text().replace("-", "=").replace("+", "-"))
    assert tool.main(["check", "--stones", "20", "--memory", "4", "--results", str(results)]) == 1


def test_scores_are_those_of_the_data_and_go_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "positions", lambda stones: {key_of(path): path.encode() for path in LATE})
    signs, scores, book = tmp_path / "signs", tmp_path / "scores", tmp_path / "book"
    command = ["solve", "--stones", "20", "--memory", "4", "--results"]
    assert tool.main([*command, str(signs)]) == 0 == tool.main([*command, str(scores), "--scores"])
    solved = tool.read_results(scores)
    assert solved == {path.encode(): score for path, score in SCORES.items()}
    assert tool.main(["check", "--scores", "--stones", "20", "--memory", "4", "--results", str(scores)]) == 0
    command = ["pack", str(book), "--stones", "20", "--results", str(signs)]
    assert tool.main([*command, "--score-stones", "19", "--score-results", str(scores)]) == 0
    packed = Book(book.read_bytes())
    assert [packed.score(key_of(path)) for path in LATE] == [int(SCORES[path]) for path in LATE]
    with pytest.raises(SystemExit, match="is not solved yet"):
        tool.main(["pack", str(book), "--stones", "20", "--results", str(tmp_path / "none")])


def test_what_is_known_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "positions", lambda stones: {key_of(path): path.encode() for path in LATE})
    known = tmp_path / "known"
    known.write_text(f"{LATE[0]} +\n{LATE[2]} -\n")
    command = ["solve", "--stones", "24", "--memory", "4", "--results", str(tmp_path / "new"), "--known", str(known)]
    assert tool.main(command) == 0
    assert set(tool.read_results(tmp_path / "new")) == {LATE[1].encode(), LATE[3].encode()}
    assert "2 positions, 2 left" in capsys.readouterr().out


def key_of(path):
    mine = theirs = taken = 0
    for column in map(int, path):
        cell = taken + tool.FLOOR & 2**7 - 1 << 7 * (column - 1)
        mine, theirs, taken = theirs, mine | cell, taken | cell
    return min(mine + taken + tool.FLOOR, tool.mirror(mine + taken + tool.FLOOR))


ROWS = [row.split("\t") for row in (Path(__file__).resolve().parents[1] / "data/c4_dev.tsv").read_text().splitlines()]
SCORES = dict([row[:2] for row in ROWS if len(row[0]) == 24][:4])
LATE = list(SCORES)
