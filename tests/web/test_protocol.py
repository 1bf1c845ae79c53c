import pytest

from mcts_core.web import protocol
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.sessions import Sessions

pytestmark = pytest.mark.wasm

GRANTED = Limits(threads=2, memory_mb=16, seconds=5)
FOUR = {"game": {"name": "connect4"}}


@pytest.fixture
def ask():
    """Does an action, without any server."""
    sessions = Sessions(GRANTED)
    session = sessions.open()[1]
    yield lambda action, **fields: protocol.act(session, GRANTED, action, fields)
    sessions.close()


def test_offers():
    found = protocol.offers(Games(), GRANTED, {"game": {"name": "tictactoe"}, "seconds": 1.0, "threads": 1})
    assert found["limits"] == {"seconds": [0.01, 5], "threads": [1, 2]} and found["levels"][0] == "beginner"
    assert found["game"] == {"name": "tictactoe"} and found["levels"][-1] == "full" and len(found["games"]) == 4


@pytest.mark.needs("threads")
def test_actions(ask):
    assert ask("position", **FOUR, moves=["4"])["ply"] == 1
    assert ask("read", **FOUR, text="44")["moves"] == ["4", "4"]
    news = ask("search", **FOUR, moves=["4"], purpose="hint", seconds=0.05)
    assert news["number"] == 1 and news["running"]
    assert ask("finish")["number"] == 1
    assert ask("drop") | {"version": 0} == {
        "version": 0, "number": 0, "running": False, "waiting": False, "figures": None, "error": None}


@pytest.mark.parametrize("action, fields, field", [
    ("search", {"purpose": "answer", "seconds": 6}, "seconds"),
    ("search", {"purpose": "answer", "seconds": "1"}, "seconds"),
    ("search", {"purpose": "answer", "threads": 3}, "threads"), ("search", {"purpose": "hint", "level": "x"}, "level"),
    ("search", {"purpose": "hint", "alone": 1}, "alone"),
    ("search", {"purpose": "fun"}, "purpose"), ("search", {}, "purpose"), ("search", {"purpose": "hint", "x": 1}, None),
    ("search", {"purpose": "hint", "moves": ["9"]}, "text"), ("position", {"purpose": "hint"}, None),
    ("position", {"moves": ["9"]}, "text"), ("read", {"text": 3}, "text"), ("read", {"moves": []}, None),
])
def test_wrong_fields_are_refused(ask, action, fields, field):
    with pytest.raises(Refused) as error:
        ask(action, **FOUR, **fields)
    assert error.value.status == 400 and error.value.field == field


def test_no_fields_where_none_belong(ask):
    for action in ("finish", "drop"):
        with pytest.raises(Refused, match="a field must be absent"):
            ask(action, now=True)
