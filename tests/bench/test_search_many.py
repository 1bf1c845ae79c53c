"""bench/search_many.py: its rounds, its table and its file. Never a speed."""

import json
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import search_many  # noqa: E402

sys.path.remove(str(BENCH))


def test_positions_go_on_and_begin_with_the_first_one():
    found = search_many.positions(mc.TicTacToe(), 40)
    assert len(found) == 40 and found[0] == mc.TicTacToe() and len(set(found)) > 20
    assert all(state.winner() is None for state in found)
    assert found == search_many.positions(mc.TicTacToe(), 40)


@pytest.mark.parametrize("preset", search_many.PRESETS)
def test_every_round_has_a_sample_of_every_candidate(preset):
    found = search_many.samples(mc.TicTacToe(), preset, 50, 20, 2)
    assert sorted(found) == ["bare", "long", "many"]
    assert all(len(taken) == 2 and min(taken) >= 0 for taken in found.values())


def test_the_table_shows_the_median_of_the_ratios(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(search_many, "samples", lambda *_: {"many": [1.2e-7, 3e-7, 9e-7], "bare": [1e-7, 1e-7, 3e-7],
                                                            "long": [1e-7, 2e-7, 3e-7]})
    file = tmp_path / "samples.json"
    assert search_many.main(["--json", str(file), "--games", "gomoku"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.lstrip("| ").startswith("gomoku")]
    assert len(rows) == 2 and all("1.50" in row and "1.00" in row and "200" in row for row in rows)
    assert "1.1 NO" in rows[0] and "1.1 NO" in rows[1]
    assert [entry["preset"] for entry in json.loads(file.read_text())["found"]] == ["uct", "strong"]


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--positions", "x"], ["--games", "chess"]])
def test_bad_arguments_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        search_many.main(arguments)
    assert caught.value.code == 2 and arguments[0] in capsys.readouterr().err
