"""The session of a page without a server; tests/web/test_page.py runs it in a browser."""

import json
import threading

import pytest

from mcts_core.web import limits
from mcts_core.web.worker import LIMITS, Worker

pytestmark = pytest.mark.wasm

FOUR, FIVE, THREE = ({"game": {"name": name}} for name in ("connect4", "gomoku", "tictactoe"))


@pytest.fixture
def worker():
    """A worker, which starts no thread."""
    before = threading.active_count()
    yield Worker()
    assert threading.active_count() == before


def act(worker, action, fields=None, **more):
    """The status and the answer."""
    return json.loads(worker.act(action, json.dumps({**(fields or {}), **more})))


def search(worker, fields, purpose="answer", seconds=0.3, **more):
    status, news = act(worker, "search", fields, purpose=purpose, seconds=seconds, **more)
    assert status == 200 and news["running"]
    return news


def ended(worker, most=400):
    """The news at the end of the search."""
    for _ in range(most):
        if not worker.step():
            return json.loads(worker.news())
    pytest.fail("the search has no end")


def test_offers_are_those_of_the_protocol(worker):
    found = json.loads(worker.offers())
    assert found["game"] == {"name": "connect4", "rows": 6, "cols": 7, "connect": 4} and len(found["games"]) == 4
    assert found["limits"] == {"seconds": [limits.LEAST_SECONDS, LIMITS.seconds], "threads": [1, 1]}
    assert found["levels"][-1] == "full" and found["number"] == 0


def test_a_search_goes_on_step_by_step(worker):
    search(worker, FIVE, seconds=limits.LEAST_SECONDS)  # reads the network
    ended(worker)
    search(worker, FIVE, moves=["h8"])
    versions, visits = [], []
    while worker.step():
        news = json.loads(worker.news())
        versions.append(news["version"])
        visits.append(news["figures"]["visits"])
        assert news["figures"]["stop_reason"] in ("running", "time")
    assert versions == sorted(set(versions)) and visits == sorted(visits) and len(visits) >= 3
    news = json.loads(worker.news())
    assert not news["running"] and news["figures"]["seconds"] >= 0.3 and news["figures"]["move"]
    assert not worker.step()


def test_a_search_can_be_finished_and_dropped_between_two_steps(worker, monkeypatch):
    search(worker, FIVE, seconds=50, moves=["h8"])
    assert worker.step()
    assert act(worker, "finish")[0] == 200
    figures = ended(worker, 4)["figures"]
    assert figures["stop_reason"] == "cancelled" and figures["move"]
    search(worker, FIVE, seconds=50)
    assert worker.step()
    assert act(worker, "drop")[1]["number"] == 0
    monkeypatch.setattr("mcts_core.Searcher.search", lambda *args, **options: pytest.fail("nobody wants it"))
    assert not worker.step() and json.loads(worker.news())["figures"] is None


def test_a_search_takes_the_place_of_another(worker):
    search(worker, FIVE, seconds=50)
    worker.step()
    number = search(worker, THREE, "hint")["number"]
    news = ended(worker)
    assert news["number"] == number == 2 and len(news["figures"]["moves"]) == 9


def test_an_analysis_has_a_number_for_every_move_and_ends_when_all_is_proven(worker):
    search(worker, THREE, "analysis", moves=["b2", "a1"])
    figures = ended(worker)["figures"]
    assert figures["stop_reason"] == "solved" and all(entry["proven"] for entry in figures["moves"])
    search(worker, FIVE, "analysis", moves=["h8", "i9"])
    for _ in range(40):
        assert worker.step()
        figures = json.loads(worker.news())["figures"]
        if all(entry["value"] is not None for entry in figures["moves"]):
            break
    assert len(figures["moves"]) == 223


def test_a_level(worker):
    search(worker, FOUR, level="novice", moves=["4"])
    assert ended(worker)["figures"]["visits"] <= 200


def test_what_cannot_be_done_is_refused(worker):
    assert act(worker, "position", FOUR, moves=["4"])[1]["ply"] == 1
    assert act(worker, "read", FOUR, text="44") == [200, {"diagram": None, "moves": ["4", "4"]}]
    status, answer = act(worker, "search", FOUR, purpose="answer", seconds=1000)
    assert status == 400 and answer["field"] == "seconds" and "from 0.01 to 60" in answer["error"]
    status, answer = act(worker, "search", FOUR, purpose="answer", threads=2)
    assert status == 400 and answer["field"] == "threads"
    status, answer = act(worker, "search", FOUR, purpose="answer", moves=list("1212121"))
    assert status == 409 and "the game is over" in answer["error"]


def test_a_search_that_fails_is_told(worker, monkeypatch):
    def fail(*args, **options):
        raise MemoryError("no room")

    monkeypatch.setattr("mcts_core.Searcher.search", fail)
    search(worker, FOUR)
    assert ended(worker)["error"] == "the search failed: no room"
