import threading
import time

import pytest

import mcts_core as mc
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.session import Session

QUICK = 0.02
LONG = 50.0


@pytest.fixture
def table():
    """Makes sessions with a game; they are closed at the end, and leave no thread."""
    before = set(threading.enumerate())
    made = []

    def make(start, person=1, seconds=QUICK, turns=None):
        session = Session(turns or threading.BoundedSemaphore(2), Limits(threads=4, memory_mb=16))
        made.append(session)
        session.set(seconds, 1)
        session.begin(start, person)
        return session

    yield make
    for session in made:
        session.close()
    for session in made:
        session.join()
    assert set(threading.enumerate()) <= before


def settled(session):
    """The session when no search runs."""
    seen = session.look()
    deadline = time.monotonic() + 30
    while seen["thinking"] is not None:
        assert time.monotonic() < deadline
        seen = session.look(seen["version"])
    return seen


def test_a_new_game(table):
    seen = table(mc.ConnectFour()).look()
    assert (seen["ply"], seen["to_move"], seen["person"], seen["winner"]) == (0, 1, 1, None)
    assert seen["legal"] == [0, 1, 2, 3, 4, 5, 6] and seen["moves"] == [] and seen["thinking"] is None
    assert seen["form"] == "slots" and seen["column_names"][0] == "1" and not seen["can_take_back"]
    assert seen["limits"] == {"seconds": [0.01, 60.0], "threads": [1, 4]}


def test_the_engine_answers_and_its_figures_are_told(table):
    session = table(mc.Gomoku(9))
    session.play("e5", 0)
    seen = settled(session)
    assert seen["ply"] == 2 and seen["moves"][0] == "e5" and seen["to_move"] == 1 and seen["error"] is None
    figures = seen["figures"]
    assert (figures["purpose"], figures["ply"], figures["player"]) == ("answer", 1, -1)
    assert figures["move"] == seen["moves"][1]
    assert figures["visits"] >= sum(entry["visits"] for entry in figures["moves"]) > 0
    assert all(0 <= entry["value"] <= 1 and entry["cell"] == divmod(entry["move"], 9) for entry in figures["moves"])
    chance, = seen["values"]
    assert chance["ply"] == 1 and chance["value"] == pytest.approx(1 - figures["value"])


def test_the_engine_begins_where_the_visitor_is_second(table):
    session = table(mc.TicTacToe(), person=-1)
    seen = settled(session)
    assert seen["ply"] == 1 and seen["to_move"] == -1 and not seen["can_take_back"]
    with pytest.raises(Refused, match="no move of yours to take back") as error:
        session.take_back()
    assert error.value.status == 409


def test_a_whole_game_is_told_to_its_end(table):
    session = table(mc.TicTacToe())
    seen = settled(session)
    while seen["winner"] is None:
        session.play(seen["legal"][0], seen["ply"])
        seen = settled(session)
    assert seen["winner"] in (-1, 0) and seen["values"][-1] == {"ply": seen["ply"], "value": 0.5 + 0.5 * seen["winner"]}
    assert (seen["lines"] != ()) == (seen["winner"] != 0)
    for action in (session.hint, lambda: session.play(0, seen["ply"])):
        with pytest.raises(Refused, match="this one is over"):
            action()


def test_moves_are_checked_and_change_nothing_when_wrong(table):
    session = table(mc.ConnectFour())
    before = session.look()
    with pytest.raises(mc.IllegalMove):
        session.play(7, 0)
    with pytest.raises(Refused, match="the game is at move 0, not at 1"):
        session.play(3, 1)
    assert session.look() == before


def test_taking_back_ends_the_search_and_goes_to_the_last_decision(table):
    session = table(mc.ConnectFour())
    session.play(3, 0)
    two = settled(session)
    session.set(LONG, 1)
    session.play(2, 2)
    thinking = session.look()
    assert thinking["thinking"] == {"purpose": "answer", "waiting": False} and thinking["ply"] == 3
    with pytest.raises(Refused, match="the engine is to move"):
        session.play(2, 3)
    session.take_back()
    back = session.look()
    assert back["thinking"] is None and back["moves"] == two["moves"] and back["values"] == two["values"]
    session.take_back()
    assert session.look()["ply"] == 0 and session.look()["values"] == []


def test_a_hint_is_what_the_engine_would_play(table):
    session = table(mc.ConnectFour(2, 2, 2))
    session.play(0, 0)
    assert settled(session)["ply"] == 2
    session.hint()
    seen = settled(session)
    assert seen["ply"] == 2 and seen["figures"]["purpose"] == "hint" and seen["figures"]["player"] == 1
    assert seen["hint"]["name"] == seen["figures"]["move"] and seen["figures"]["proven"] == "win"
    session.play(seen["hint"]["move"], 2)
    assert session.look()["winner"] == 1 and session.look()["hint"] is None


def test_a_move_ends_the_search_for_a_hint(table):
    session = table(mc.Gomoku(), seconds=LONG)
    session.hint()
    with pytest.raises(Refused, match="looking for a hint already"):
        session.hint()
    session.set(QUICK, 1)
    session.play(112, 0)
    seen = settled(session)
    assert seen["ply"] == 2 and seen["hint"] is None


def test_news_come_while_the_engine_thinks_and_it_can_be_told_to_move(table):
    session = table(mc.Gomoku(), seconds=LONG)
    session.play(112, 0)
    seen = session.look()
    while seen["figures"] is None or seen["figures"]["seconds"] < 0.3:
        newer = session.look(seen["version"])
        assert newer["version"] > seen["version"]
        seen = newer
    assert seen["figures"]["stop_reason"] == "running" and seen["thinking"] is not None
    session.finish()
    seen = settled(session)
    assert seen["ply"] == 2 and seen["figures"]["stop_reason"] == "cancelled"
    with pytest.raises(Refused, match="the engine is not thinking"):
        session.finish()


def test_a_new_game_ends_the_search_of_the_old_one(table):
    session = table(mc.Gomoku(), person=-1, seconds=LONG)
    session.set(QUICK, 2)
    session.begin(mc.TicTacToe(), -1)
    seen = settled(session)
    assert seen["number"] == 2 and seen["game"] == {"name": "tictactoe"} and seen["ply"] == 1 and seen["threads"] == 2


def test_searches_wait_for_their_turn(table):
    turns = threading.BoundedSemaphore(1)
    first = table(mc.Gomoku(), person=-1, seconds=LONG, turns=turns)
    while first.look()["figures"] is None:
        time.sleep(0.01)
    second = table(mc.TicTacToe(), person=-1, turns=turns)
    third = table(mc.TicTacToe(), person=-1, turns=turns)
    seen = second.look()
    while not seen["thinking"]["waiting"]:
        seen = second.look(seen["version"])
    third.close()
    third.join()
    first.finish()
    assert settled(first)["ply"] == 1 and settled(second)["ply"] == 1 and third.look()["ply"] == 0


def test_a_search_that_fails_is_told(table, monkeypatch):
    def fail(*args, **options):
        raise MemoryError("no room")

    session = table(mc.ConnectFour())
    monkeypatch.setattr(mc.Searcher, "search", fail)
    session.play(3, 0)
    seen = settled(session)
    assert seen["error"] == "the search failed: no room" and seen["ply"] == 1
    monkeypatch.undo()
    session.take_back()
    session.play(3, 0)
    assert settled(session)["ply"] == 2


def test_a_session_that_rests_goes_on(table):
    session = table(mc.ConnectFour())
    session.play(3, 0)
    settled(session)
    session.rest()
    session.play(3, 2)
    assert settled(session)["ply"] == 4


def test_who_waits_for_news_is_told_of_the_end(table):
    session = table(mc.Gomoku(), person=-1, seconds=LONG)
    threading.Timer(0.1, session.close).start()
    begin = time.monotonic()
    version = 10**9
    session.look(version)
    assert time.monotonic() - begin < 4
    with pytest.raises(Refused, match="the server is stopping"):
        session.begin(mc.Gomoku(), -1)
