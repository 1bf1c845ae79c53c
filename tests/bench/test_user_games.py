"""bench/user_games.py: the candidates play one game, and the script runs. Never a speed."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import user_games  # noqa: E402

sys.path.remove(str(BENCH))


@pytest.fixture(scope="module")
def candidates():
    return user_games.first_positions()  # which compiles them


@pytest.mark.long
def test_the_candidates_play_one_game(candidates):
    counts = {name: user_games.count_games(state, 4) for name, state in candidates.items()}
    assert set(counts.values()) == {7**4} and set(user_games.TARGETS) | {user_games.SIMPLE} <= set(counts)


def test_python_connect_four():
    state = user_games.PythonConnectFour()
    for column in (3, 0, 3, 0, 3, 0):
        assert state.winner() is None
        state = state.play(column)
    assert state.play(3).winner() == 1 and state.play(1).play(0).winner() == -1
    assert state.play(3).to_move == -1


def test_the_script_runs(candidates, monkeypatch, capsys):
    monkeypatch.setattr(user_games, "first_positions", lambda: candidates)
    monkeypatch.setattr(user_games, "PLIES", 3)
    monkeypatch.setattr(user_games.machine, "pin", lambda core: 0)  # this process stays on all of its cores
    assert user_games.main(["--rounds", "2", "--iterations", "2000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(line for line in lines if line.startswith(user_games.SIMPLE))
    assert first.split()[-2:] == ["1.00", "1.00-1.00"]
    for name in user_games.TARGETS:
        assert any(line.startswith(name) and ">= 0.6" in line and line.split()[-1] in ("yes", "NO") for line in lines)


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--iterations", "few"]])
def test_bad_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        user_games.parse(arguments)
    assert end.value.code == 2 and "invalid" in capsys.readouterr().err
