import pytest

from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.sessions import ID_FORM, Sessions


@pytest.fixture
def sessions():
    found = Sessions(Limits(sessions=3, threads=1, memory_mb=16, idle_minutes=10))
    yield found
    found.close()


def test_ids_are_long_and_all_different(sessions):
    keys = [sessions.open()[0] for _ in range(3)]
    assert len(set(keys)) == 3 and all(ID_FORM.fullmatch(key) for key in keys)


def test_a_session_is_found_by_its_id_alone(sessions):
    key, session = sessions.open()
    assert sessions.get(key) is session
    for other in ("A" * 32, key[:-1], ""):
        with pytest.raises(Refused, match="there is no such game") as error:
            sessions.get(other)
        assert error.value.status == 404
    sessions.drop(key)
    sessions.drop(key)
    with pytest.raises(Refused):
        sessions.get(key)


def test_a_full_server_refuses_unless_a_session_is_unused(sessions):
    keys = [sessions.open()[0] for _ in range(3)]
    with pytest.raises(Refused, match="there are 3 games already") as error:
        sessions.open()
    assert error.value.status == 503
    sessions.get(keys[1]).used -= 61
    sessions.open()
    assert len(sessions) == 3
    with pytest.raises(Refused):
        sessions.get(keys[1])


def test_what_is_not_used_ends(sessions):
    key, session = sessions.open()
    session.position({"game": {"name": "tictactoe"}})
    sessions.sweep(session.used + 599)
    assert sessions.get(key) is session
    sessions.sweep(session.used + 601)
    assert len(sessions) == 0


def test_closing_ends_searches_and_opens_no_more(sessions):
    key, session = sessions.open()
    session.search({"game": {"name": "gomoku"}}, "answer", 50, 1, "full")
    assert session.thinks()
    sessions.close()
    assert not session.thinks() and len(sessions) == 0
    with pytest.raises(Refused, match="stopping"):
        sessions.open()
