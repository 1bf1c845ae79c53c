"""bench/games.py and bench/openings.py: the games of matches and how they begin."""

import sys
from itertools import islice
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import games  # noqa: E402
import openings  # noqa: E402

sys.path.remove(str(BENCH))


def take(name, number, seed=1):
    return list(islice(openings.sequence(games.find(name), seed), number))


def after(name, moves):
    state = games.find(name).start()
    for move in moves:
        assert state.winner() is None
        state = state.play(move)
    return state


def test_games():
    assert games.find("connect4").start() == mc.ConnectFour()
    assert games.find("gomoku").start() == mc.Gomoku(15, "freestyle")
    assert games.find("gomoku-exact").start() == mc.Gomoku(15, "exact")
    assert games.find("mnk:6,5,4").start() == mc.MNK(6, 5, 4)
    names = ("connect4", "gomoku", "gomoku-exact", "mnk:6,5,4", "mnk:7,7,5")
    assert [games.find(name).openspiel for name in names] == [
        "connect_four", "gomoku(size=15,connect=5)", None, "mnk(m=6,n=5,k=4)", "gomoku(size=7,connect=5)"]


@pytest.mark.parametrize("name", ["chess", "mnk", "mnk:3,3", "mnk:3,3,4,5", "mnk:0,3,3", ""])
def test_unknown_games(name):
    with pytest.raises(ValueError):
        games.find(name)


def test_openings_repeat_and_do_not_depend_on_how_many_are_taken():
    for name in ("connect4", "gomoku", "mnk:6,5,4"):
        assert take(name, 40)[:15] == take(name, 15) != take(name, 15, seed=2)


def test_openings_of_connect_four():
    found = take("connect4", 300)
    assert {len(moves) for moves in found} == {2, 3, 4, 5, 6}
    positions = [after("connect4", moves) for moves in found]
    assert len(set(positions)) == 300 and all(map(openings.still_open, positions))


@pytest.mark.parametrize(("name", "file", "count"), [("gomoku", "openings15_freestyle.txt", 21),
                                                     ("gomoku-exact", "openings15_exact5.txt", 30)])
def test_openings_of_gomoku(name, file, count):
    lines = openings.read(openings.DATA / file)
    assert len(lines) == count == len({tuple(line) for line in lines})

    def shape(cells):
        """What is the same for all places and symmetries, the order of the moves included."""
        first = cells[0]
        return min(tuple((f * x if not swap else g * y, g * y if not swap else f * x) for x, y in
                         ((x - first[0], y - first[1]) for x, y in cells)) for f in (1, -1) for g in (1, -1)
                   for swap in (False, True))

    shapes = [shape(line) for line in lines]
    found = take(name, 3 * count)
    cells = [[(move % 15, move // 15) for move in moves] for moves in found]
    assert all(2 <= x <= 12 and 2 <= y <= 12 for opening in cells for x, y in opening)
    assert sorted(map(shape, cells)) == sorted(3 * shapes)
    assert len({after(name, moves) for moves in found}) == 3 * count
    assert all(openings.still_open(after(name, moves)) for moves in found[:5])


def test_openings_of_other_boards():
    found = take("mnk:3,3,3", 30)  # repeats some: there are not so many
    assert all(openings.still_open(after("mnk:3,3,3", moves)) for moves in found)
    for moves in take("mnk:20,12,5", 20):
        assert all(7 <= move % 20 <= 13 and 3 <= move // 20 <= 9 for move in moves) and 1 <= len(moves) <= 4


def test_open_positions():
    assert openings.still_open(mc.ConnectFour())
    assert not openings.still_open(mc.ConnectFour.from_moves("414141", base=1))  # a win in one
    assert not openings.still_open(mc.ConnectFour.from_moves("44335", base=1))  # two threats that cannot both be met
    assert openings.still_open(mc.ConnectFour.from_moves("41414", base=1))  # one that can be met
    assert not openings.still_open(mc.ConnectFour.from_moves("4141414", base=1))  # over
    assert openings.can_win(mc.ConnectFour.from_moves("414141", base=1)) and not openings.can_win(mc.ConnectFour())


@pytest.mark.parametrize("name", ["connect4", "gomoku", "mnk:5,5,4"])
@pytest.mark.parametrize("plies", [0, 1, 3])
def test_the_number_of_random_moves_can_be_chosen(name, plies):
    taken = list(islice(openings.sequence(games.find(name), 5, plies), 6))
    assert {len(moves) for moves in taken} == {plies}
    assert taken == list(islice(openings.sequence(games.find(name), 5, plies), 6))
