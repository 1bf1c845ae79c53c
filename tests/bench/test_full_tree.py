"""bench/full_tree.py: its counting, that the trees are full, and that searches that go on with them search."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import full_tree  # noqa: E402

sys.path.remove(str(BENCH))


def script(*arguments):
    command = [sys.executable, BENCH / "full_tree.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def tables_of(text):
    """The rows of each Markdown table, as lists of cells."""
    found = []
    for line in text.splitlines():
        if not line.startswith("| "):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "preset":
            found.append([])
        found[-1].append(cells)
    return found


# ---- counting --------------------------------------------------------------------------------------------------------


def test_a_cell_has_the_lower_of_two_medians():
    samples = [(0, (90, 9.0), (100, 10.0), (60, 6.0)), (0, (50, 5.0), (100, 10.0), (100, 10.0)),
               (0, (70, 7.0), (100, 10.0), (70, 7.0)), (1, (80, 8.0), (200, 20.0), (100, 10.0))]
    found = full_tree.cell(samples)
    assert found == {"again": pytest.approx(0.8), "fresh": pytest.approx(0.4), "iterations": 75, "fewest": 50,
                     "samples": 4}
    assert full_tree.cell(samples[:3])["again"] == pytest.approx(1.0)
    assert full_tree.cell([]) is None


def test_verdict():
    rows = [{"cells": {2: {"again": 0.95}, 5: {"again": 0.899}}}, {"cells": {2: None, 5: {"again": 0.9}}}]
    assert full_tree.verdict(rows) == "2 of 3 cells reach 0.9; the lowest is 0.90"
    assert full_tree.verdict([{"cells": {2: None}}]) == "nothing was measured"


def test_a_search_that_ends_early_is_no_sample():
    won = mc.ConnectFour.from_moves("112233", base=1)
    assert full_tree.measured(mc.Searcher(memory_mb=1), won, 0.01) is None
    iterations, rate = full_tree.measured(full_tree.new_searcher("uct", 1), mc.Gomoku(15), 0.01)
    assert iterations >= 1 and 0 < rate <= iterations / 1e-6


# ---- trees -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", full_tree.PRESETS)
def test_trees_are_full(preset):
    engine, most = full_tree.new_searcher(preset, 1), full_tree.room(preset, 1)
    stats = full_tree.fill(engine, mc.Gomoku(15), most, 60)
    assert stats.prunes or stats.bytes >= full_tree.FULL * most
    assert stats.bytes <= most


def test_a_position_that_is_solved_is_no_full_tree():
    stats = full_tree.fill(full_tree.new_searcher("default", 1), mc.TicTacToe(), full_tree.room("default", 1), 60)
    assert stats.stop_reason == "solved" and stats.bytes < full_tree.FULL * full_tree.room("default", 1)


@pytest.mark.parametrize("fresh_first", [False, True])
def test_moves_are_played_on(fresh_first, monkeypatch):
    searched = []

    def measured(engine, state, seconds):
        searched.append((engine, state))
        engine.search(state, iterations=50)
        return 50, 50 / seconds

    monkeypatch.setattr(full_tree, "measured", measured)
    engine = full_tree.new_searcher("uct", 1)
    samples = full_tree.play_on(engine, lambda: full_tree.new_searcher("uct", 1), mc.Gomoku(15), 0.01, fresh_first)
    assert [sample[0] for sample in samples] == list(range(full_tree.MOVES))
    turns = [searched[start:start + 3] for start in range(0, len(searched), 3)]
    for number, turn in enumerate(turns):
        assert [who is engine for who, _ in turn] == ([False, True, True] if fresh_first == (number % 2 == 0)
                                                      else [True, True, False])
        assert len({state for _, state in turn}) == 1
    assert [len(turn[0][1].moves) for turn in turns] == sorted({len(turn[0][1].moves) for turn in turns})


def test_trees_that_are_not_copied_are_filled_again(monkeypatch):
    filled, true = [], full_tree.fill

    def fill(engine, *others):
        filled.append(engine)
        return true(engine, *others)

    monkeypatch.setattr(full_tree, "fill", fill)
    for copied, times in ((1, 1), (0.5, 4)):
        args = SimpleNamespace(budgets=[2.0, 3.0], repeats=2, fill=60, copied=copied)
        told = full_tree.row("uct", "mnk:9,9,5", 1, args)
        assert told["full"] and all(cell["fewest"] >= 1 for cell in told["cells"].values())
        assert len(filled) == times and len(set(map(id, filled))) == 1
        filled.clear()


# ---- the script ------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_script(tmp_path):
    file = tmp_path / "full_tree.json"
    done = script("--sizes", 1, "--presets", "uct", "default", "--games", "mnk:9,9,5", "gomoku", "--budgets", 5, 20,
                  "--repeats", 1, "--core", -1, "--json", file)
    assert done.returncode == 0, done.stderr
    again, fresh = tables_of(done.stdout)
    for table in (again, fresh):
        assert table[0] == ["preset", "game", "memory_mb", "tree, MB", "5 ms", "20 ms"]
        assert table[1] == ["---", "---", "---:", "---:", "---:", "---:"]
        assert [row[:3] for row in table[2:]] == [
            [preset, game, "1"] for preset in ("uct", "default") for game in ("mnk:9,9,5", "gomoku")]
    rows = json.loads(file.read_text())["rows"]
    for number, row in enumerate(rows, 2):
        assert row["full"] and 0 < row["bytes"] <= 2**20
        for column, cell in enumerate(row["cells"].values(), 4):
            assert cell["fewest"] >= 1 and cell["samples"] >= 1
            assert float(again[number][column]) == pytest.approx(cell["again"], abs=0.006)
            assert fresh[number][column] == f"{cell['fresh']:.2f} ({cell['fewest']:,})"
    assert " of 8 cells reach 0.9; the lowest is " in done.stdout


def test_a_tree_that_cannot_be_filled_is_told():
    done = script("--sizes", 1, 2, "--presets", "default", "--games", "mnk:3,3,3", "--budgets", 2, "--repeats", 1)
    assert done.returncode == 0, done.stderr
    (rows, _), told = tables_of(done.stdout), done.stdout.splitlines()[-1]
    assert [row[2] for row in rows[2:]] == ["1"] and rows[2][4] == "-"
    assert told.startswith("default, mnk:3,3,3, 1 MB: the tree was not full")


@pytest.mark.parametrize(("arguments", "message"), [
    (("--sizes", 0), "--sizes"), (("--games", "chess"), "the game must be"), (("--presets", "best"), "--presets"),
    (("--budgets", -1), "--budgets"), (("--repeats", "few"), "--repeats")])
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        full_tree.main([*map(str, arguments)])
    assert end.value.code == 2 and message in capsys.readouterr().err
