"""bench/clock.py: its counting, what it says as a manager, and that it sees an engine that is late."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import clock  # noqa: E402

sys.path.remove(str(BENCH))

PATIENT = """
import sys, time
for line in sys.stdin:
    word, *rest = line.split()
    if word == "START":
        taken, free = set(), iter(range(225))
        print("OK", flush=True)
    elif word[0].isdigit() or word == "TURN":
        column, row = (rest or [word])[0].split(",")[:2]
        taken.add(15 * int(row) + int(column))
    if word in ("TURN", "DONE"):
        time.sleep(float(sys.argv[1]))
        row, column = divmod(next(cell for cell in free if cell not in taken), 15)
        print("MESSAGE of no interest")
        print(f"{column},{row}", flush=True)
"""
"""An engine that plays the first free cell after so many seconds."""


def sample(used, **others):
    return {"limit": 0.05, "used": used, "waited": 0.0, "reused": 7, "early": False, "first": False, "game": 0,
            "elsewhere": 0.25, **others}


def script(*arguments):
    return subprocess.run([sys.executable, BENCH / "clock.py", *map(str, arguments)], capture_output=True, text=True)


# ---- counting --------------------------------------------------------------------------------------------------------


def test_a_row_counts_late_moves_and_leaves_early_ones_out():
    row = clock.row_of("busy", 0.05, [
        sample(0.04), sample(0.045, first=True, reused=0), sample(0.06, reused=9),
        sample(0.051, waited=0.004, reused=0), sample(0.002, early=True, reused=1000)])
    assert (row["moves"], row["early"], row["late"], row["own"]) == (5, 1, 2, 1)
    assert (row["min"], row["median"], row["max"], row["first"]) == (0.04, 0.045, 0.06, 0.045)
    assert (row["reused"], row["new"], row["elsewhere"]) == (7, 1, 0.25)


def test_rows_without_any_figures_can_be_shown():
    rows = [clock.row_of("alone", 0.3, []), clock.row_of("alone", 1.0, [sample(0.9, reused=None, elsewhere=None)])]
    _, titles, cells = clock.table(rows)
    assert {len(titles)} == {len(line) for line in cells}
    assert cells[0][:4] == ["alone", "300 ms", "0", "0"] and cells[1][4] == "900.0 ms"


# ---- the manager -----------------------------------------------------------------------------------------------------


def test_an_engine_is_asked_by_board_first_then_by_turn():
    assert clock.commands_of([112, 113, 98], first=True) == ["BOARD", "7,7,2", "8,7,1", "8,6,2", "DONE"]
    assert clock.commands_of([112, 113], first=True) == ["BOARD", "7,7,1", "8,7,2", "DONE"]
    assert clock.commands_of([112, 113, 98], first=False) == ["TURN 8,6"]


@pytest.mark.needs("select on pipes")
def test_a_game_is_played_to_its_end_and_each_move_timed():
    opening = [112, 97]
    samples = clock.play([sys.executable, "-c", PATIENT, "0.002"], 0.05, opening)
    assert [one["first"] for one in samples[:3]] == [True, True, False]
    assert all(one["used"] >= 0.002 and not one["early"] and one["reused"] is None for one in samples)
    state = mc.Gomoku().play(112).play(97)
    for cell in range(len(samples)):  # both play the free cells in turn
        state = state.play(cell)
    assert state.winner() is not None


@pytest.mark.long
@pytest.mark.needs("select on pipes")
def test_a_late_engine_is_seen():
    samples = clock.play([sys.executable, "-c", PATIENT, "0.02"], 0.01, [112, 97])
    row = clock.row_of("alone", 0.01, samples)
    assert row["late"] == row["moves"] > 0


def test_games_beside_other_programs_can_be_left_out(monkeypatch):
    cores = iter([0.5, 0.1, None, 0.3, 0.0])
    monkeypatch.setattr(clock.Elsewhere, "cores", lambda self: next(cores))
    monkeypatch.setattr(clock, "play", lambda command, limit, opening: [sample(0.04), sample(0.01, early=True)])
    found = clock.measure([], 0.05, 3, 1, 0.2, ())
    assert [one["game"] for one in found] == [1, 1, 2, 2, 4, 4]
    monkeypatch.setattr(clock.Elsewhere, "cores", lambda self: 1.0)
    assert clock.measure([], 0.05, 3, 1, 0.2, ()) == []


@pytest.mark.needs("select on pipes")
@pytest.mark.parametrize("program", ["print('ERROR no')", "pass", "import time; time.sleep(60)"])
def test_an_engine_that_does_not_play_is_told(monkeypatch, program):
    monkeypatch.setattr(clock, "PATIENCE", 0.5)
    with pytest.raises((RuntimeError, BrokenPipeError)):
        clock.play([sys.executable, "-c", program], 0.05, [112, 97])


# ---- the script ------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.needs("select on pipes")
def test_the_script(tmp_path):
    file = tmp_path / "clock.json"
    done = script("--limits", 0.02, "--moves", 3, "--json", file)
    assert done.returncode == 0, done.stderr
    document = json.loads(file.read_text())
    assert [row["load"] for row in document["rows"]] == ["alone", "busy"]
    for row in document["rows"]:
        assert row["moves"] - row["early"] >= 3 and row["min"] <= row["median"] <= row["max"]
        assert row["reused"] is not None
    assert len(document["samples"]) == sum(row["moves"] for row in document["rows"])
    assert "Time used for a move" in done.stdout


@pytest.mark.parametrize("arguments", [["--moves", "0"], ["--limits", "-1"], ["--loads", "none"], ["--quiet", "x"]])
def test_wrong_arguments_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        clock.main(arguments)
    assert end.value.code == 2 and "usage: clock.py" in capsys.readouterr().err
