"""bench/threads.py: its rounds, its table and its file. Never a speed."""

import json
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import threads  # noqa: E402

sys.path.remove(str(BENCH))


def test_every_round_has_a_rate_for_every_number_of_threads():
    found = threads.rates(mc.TicTacToe(), "uct", [1, 2], 0.01, 3)
    assert sorted(found) == [1, 2]
    assert all(len(rates) == 3 and min(rates) > 0 for rates in found.values())


def test_the_table_tells_the_median_of_the_ratios(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(threads, "rates", lambda *_: {1: [100.0, 200.0, 400.0], 2: [190.0, 360.0, 800.0],
                                                      3: [100.0, 200.0, 400.0]})
    file = tmp_path / "rates.json"
    assert threads.main(["--threads", "3,2", "--json", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.lstrip("| ").startswith(tuple(threads.GAMES))]
    assert len(rows) == len(threads.GAMES) * len(threads.PRESETS)
    for row in rows:
        assert "200" in row and "1.90" in row and "1.00" in row and "2: 1.85 yes" in row
    written = json.loads(file.read_text())
    assert [(entry["game"], entry["preset"]) for entry in written["found"]] == [
        (game, preset) for game in threads.GAMES for preset in threads.PRESETS]


def test_a_goal_that_is_missed_is_told(monkeypatch, capsys):
    monkeypatch.setattr(threads, "rates", lambda *_: {1: [100.0], 2: [184.0]})
    threads.main(["--threads", "2"])
    assert "2: 1.85 NO" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--seconds", "-1"], ["--seconds", "x"],
                                       ["--threads", "1,x"], ["--threads", "0"], ["--threads", ""]])
def test_bad_arguments_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        threads.main(arguments)
    assert caught.value.code == 2 and arguments[0] in capsys.readouterr().err
