import threading
import time

import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.web import limits
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.session import Session
from mcts_core.web.turns import Turns

QUICK = 0.02
LONG = 50.0
FOUR, FIVE, THREE = ({"game": {"name": name}} for name in ("connect4", "gomoku", "tictactoe"))


@pytest.fixture
def table():
    """Makes sessions; they are closed at the end, and leave no thread."""
    before = set(threading.enumerate())
    made = []

    def make(turns=None, games=None):
        session = Session(turns or Turns(2), Limits(threads=4, memory_mb=16), games or Games())
        made.append(session)
        return session

    yield make
    for session in made:
        session.close()
    for session in made:
        session.join()
    assert set(threading.enumerate()) <= before


def search(session, fields, purpose="answer", seconds=QUICK, level="full"):
    return session.search(fields, purpose, seconds, 1, level)


def settled(session):
    """The session when no search runs."""
    seen = session.look()
    deadline = time.monotonic() + 30
    while seen["running"]:
        assert time.monotonic() < deadline
        seen = session.look(seen["version"])
    return seen


def test_a_session_without_a_search(table):
    assert table().look() == {"version": 0, "number": 0, "running": False, "waiting": False, "figures": None,
                              "error": None}


def test_positions_and_texts(table):
    session = table()
    assert session.position(FOUR | {"moves": ["4"]})["ply"] == 1
    assert session.read(FOUR | {"text": "44"}) == {"diagram": None, "moves": ["4", "4"]}


def test_a_search_has_a_number_and_ends(table):
    session = table()
    assert search(session, FIVE | {"moves": ["h8"]}) == 1
    seen = settled(session)
    assert seen["number"] == 1 and seen["error"] is None and seen["figures"]["number"] == 1
    assert seen["figures"]["ply"] == 1 and seen["figures"]["player"] == -1
    assert search(session, THREE, "hint") == 2 and settled(session)["figures"]["number"] == 2


def test_what_cannot_be_searched_changes_nothing(table):
    session = table()
    before = session.look()
    for fields in (FOUR | {"moves": ["8"]}, FOUR | {"moves": list("1212121")}, {}):
        with pytest.raises(Refused):
            search(session, fields)
    assert session.look() == before


def test_news_come_while_a_search_runs_and_it_can_be_finished(table):
    session = table()
    search(session, FIVE | {"moves": ["h8"]}, seconds=LONG)
    seen = session.look()
    while seen["figures"] is None or seen["figures"]["seconds"] < 0.3:
        newer = session.look(seen["version"])
        assert newer["version"] > seen["version"]
        seen = newer
    assert seen["figures"]["stop_reason"] == "running" and seen["running"]
    session.finish()
    seen = settled(session)
    assert seen["figures"]["stop_reason"] == "cancelled" and seen["figures"]["move"]
    session.finish()  # there is nothing to finish


def test_a_search_that_is_dropped_tells_nothing(table):
    session = table()
    search(session, FIVE, seconds=LONG)
    session.drop()
    seen = session.look()
    assert not seen["running"] and seen["number"] == 0 and seen["figures"] is None
    session.join()
    assert session.look() == seen


def test_a_search_takes_the_place_of_another(table):
    session = table()
    search(session, FIVE, seconds=LONG)
    begin = time.monotonic()
    search(session, THREE, "hint")
    seen = settled(session)
    assert seen["number"] == 2 and len(seen["figures"]["moves"]) == 9 and time.monotonic() - begin < LONG / 2


def test_searches_wait_for_their_turn(table):
    turns = Turns(1)
    first, second, third = table(turns), table(turns), table(turns)
    search(first, FIVE, seconds=LONG)
    while first.look()["figures"] is None:
        time.sleep(0.01)
    search(second, THREE)
    search(third, THREE)
    seen = second.look()
    while not seen["waiting"]:
        seen = second.look(seen["version"])
    third.close()
    third.join()
    first.finish()
    assert settled(first)["figures"] and settled(second)["figures"] and third.look()["figures"] is None


def test_an_analysis_lets_others_search(table, monkeypatch):
    monkeypatch.setattr(limits, "SHARE_SECONDS", 0.05)
    turns = Turns(1)
    endless, other = table(turns), table(turns)
    search(endless, FIVE, "analysis")
    while endless.look()["figures"] is None:
        time.sleep(0.01)
    search(other, THREE)
    assert settled(other)["figures"]["move"]
    before = endless.look()
    assert before["running"]
    deadline = time.monotonic() + 30
    while endless.look()["figures"]["visits"] <= before["figures"]["visits"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_analysis_that_nobody_looks_at_ends(table, monkeypatch):
    monkeypatch.setattr(limits, "WATCH_SECONDS", 0.2)
    session = table()
    search(session, FIVE, "analysis")
    seen = settled(session)
    assert seen["figures"]["visits"] > 0 and not session.thinks() or session.join() is None


def test_an_analysis_ends_when_all_is_proven(table):
    session = table()
    search(session, THREE | {"moves": ["b2", "a1"]}, "analysis")
    seen = settled(session)
    assert all(entry["proven"] for entry in seen["figures"]["moves"])


def test_a_level(table):
    session = table()
    search(session, FOUR, level="novice")
    assert settled(session)["figures"]["visits"] <= 200


def test_a_search_that_fails_is_told(table, monkeypatch):
    def fail(*args, **options):
        raise MemoryError("no room")

    session = table()
    monkeypatch.setattr(mc.Searcher, "watch", fail)
    search(session, FOUR)
    seen = settled(session)
    assert seen["error"] == "the search failed: no room" and seen["figures"] is None
    monkeypatch.undo()
    search(session, FOUR)
    assert settled(session)["error"] is None


def test_a_users_game_that_fails_is_told_with_its_cause(table):
    class Broken(SmallNim):
        def play(self, move):
            raise ValueError("out of matches")

    session = table(games=Games(Broken(), "b:Broken"))
    search(session, {"game": {"name": "b:Broken"}})
    error = settled(session)["error"]
    assert error.startswith("the search failed: ") and error.count("out of matches") == 1


def test_a_users_game_is_searched(table):
    session = table(games=Games(SmallNim(), "nim:Nim"))
    search(session, {"game": {"name": "nim:Nim"}, "moves": ["1"]}, "hint")
    assert settled(session)["figures"]["proven"] == "win"


def test_a_session_that_rests_goes_on(table):
    session = table()
    search(session, FOUR)
    settled(session)
    session.rest()
    search(session, FOUR)
    assert settled(session)["figures"]


def test_who_waits_for_news_is_told_of_the_end(table):
    session = table()
    search(session, FIVE, seconds=LONG)
    threading.Timer(0.1, session.close).start()
    begin = time.monotonic()
    session.look(10**9)
    assert time.monotonic() - begin < 4
    with pytest.raises(Refused, match="the server is stopping"):
        search(session, FIVE)
