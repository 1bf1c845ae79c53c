"""The scripts in ``bench``: their statistics, parsers and data, and that they run. Never a speed."""

import importlib.util
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import cases  # noqa: E402
import figures  # noqa: E402
import machine  # noqa: E402
import measure  # noqa: E402
import positions  # noqa: E402
import reference  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import strength  # noqa: E402

sys.path.remove(str(BENCH))


def run_script(name, *arguments):
    return subprocess.run([sys.executable, BENCH / name, *map(str, arguments)], capture_output=True, text=True)


# ---- figures ---------------------------------------------------------------------------------------------------------


def test_summary_of_values():
    assert figures.summarize([5, 1, 2, 4, 3]) == figures.Summary(3, 2, 4, 5)
    assert figures.summarize([1.0, 2.0]) == figures.Summary(1.5, 1.25, 1.75, 2)
    assert figures.summarize([7]) == figures.Summary(7, 7, 7, 1)


def test_wilson_interval():
    assert figures.wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert figures.wilson(10, 10) == pytest.approx((0.722467, 1.0), abs=1e-6)
    assert figures.wilson(0, 10) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert figures.wilson(0, 0) == (0.0, 1.0)


# ---- what is measured ------------------------------------------------------------------------------------------------


def test_cases_are_consistent():
    names = [case.name for case in cases.CASES]
    assert len(set(names)) == len(names)
    for case in cases.CASES:
        assert case.reference is None or case.reference in reference.PROGRAMS
        assert not case.targets or case.reference
        assert (case.openspiel is None) == (case.openspiel_target is None)
        assert case.openspiel is None or case.times == 1
        assert case.level in cases.LEVELS


def test_every_game_can_be_made():
    sizes = {game: len(measure.state_of(game).legal_moves()) for game in cases.GAMES}
    assert sizes == {"connect4": 7, "gomoku15": 225, "gomoku15-exact": 225, "gomoku20": 400, "gomoku20-exact": 400,
                     "mnk8x8x5": 64, "tictactoe": 9}
    assert measure.state_of("gomoku20-exact") == mc.Gomoku(20, "exact")
    assert measure.state_of("mnk8x8x5") == mc.MNK(8, 8, 5)


def test_choosing_cases():
    quick, default, full = ({case.name for case in cases.choose(level)} for level in cases.LEVELS)
    assert quick < default < full == {case.name for case in cases.CASES}
    assert [case.name for case in cases.choose("quick", ["1e7"])] == ["connect4-iterations-1e7"]


def test_ours_does_the_work_asked_for():
    rollouts = measure.ours("tictactoe", "rollouts", 50, 1)
    assert rollouts["count"] == 50 and rollouts["cpu"] >= 0 and rollouts["wall"] > 0 and "bytes" not in rollouts
    iterations = measure.ours("connect4", "iterations", 300, 1)
    assert iterations["count"] == 300 and iterations["bytes"] > 0


def test_calls_are_those_with_a_goal():
    assert {*measure.calls(1), "import mcts_core"} == set(cases.CALLS)


@pytest.mark.skipif(not importlib.util.find_spec("pyspiel"), reason="OpenSpiel (pyspiel) is not installed")
def test_openspiel_plays_the_games_of_the_cases():
    import pyspiel

    for case in cases.CASES:
        if case.openspiel:
            found = pyspiel.load_game(case.openspiel)
            assert found.num_distinct_actions() == len(measure.state_of(case.game).legal_moves())
            assert measure.openspiel(case.openspiel, "iterations", 5, 1)["count"] == 5


# ---- the reference ---------------------------------------------------------------------------------------------------

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef SIZE
#define SIZE 15
#endif
int main(int argc, char **argv) {
    struct timespec t;
    uint8_t last = (uint8_t)(SIZE * SIZE - 1);
    clock_gettime(CLOCK_MONOTONIC, &t);
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (!strcmp(argv[1], "playouts")) printf("playouts %s seconds 1 last %d\n", argv[2], (int)last);
    else printf("iterations %s seconds 1 nodes 4 allocated 10 best %s\n", argv[2], argv[3]);
    return 0;
}
"""


def test_reference_is_built_and_run(tmp_path):
    (tmp_path / "ref_c4.c").write_text(PROGRAM)
    (tmp_path / "ref_gomoku.c").write_text(PROGRAM)
    if not shutil.which("cc") or sys.platform == "win32":
        with pytest.raises(reference.Missing):
            reference.build(["c4"], tmp_path, tmp_path)
        return
    programs = reference.build(["c4", "gomoku20"], tmp_path, tmp_path)
    rollouts = reference.measure(programs["c4"], "rollouts", 70, 3)
    assert rollouts["count"] == 70 and rollouts["cpu"] >= 0 and rollouts["wall"] >= 0
    assert reference.measure(programs["c4"], "iterations", 80, 3) | {"cpu": 0, "wall": 0} == {
        "count": 80, "cpu": 0, "wall": 0, "bytes": 240}
    wide = subprocess.run([programs["gomoku20"], "playouts", "1"], capture_output=True, text=True).stdout
    assert "last 399" in wide, "cells of a 20x20 board do not fit 8 bits"


def test_missing_reference_says_why(tmp_path):
    with pytest.raises(reference.Missing, match="no folder"):
        reference.build(["c4"], None, tmp_path)
    with pytest.raises(reference.Missing, match="ref_c4.c not found"):
        reference.build(["c4"], tmp_path, tmp_path)


def test_a_compiler_that_is_not_there(tmp_path, monkeypatch):
    (tmp_path / "ref_c4.c").write_text(PROGRAM)
    monkeypatch.setenv("CC", "no-such-compiler -x")
    with pytest.raises(reference.Missing, match="no C compiler .no-such-compiler"):
        reference.build(["c4"], tmp_path, tmp_path)


def test_a_program_that_does_not_compile(tmp_path):
    (tmp_path / "ref_c4.c").write_text("int main(void) { nonsense }\n")
    with pytest.raises(reference.Missing, match="does not compile|no C compiler"):
        reference.build(["c4"], tmp_path, tmp_path)


def test_unknown_output_of_a_reference_program():
    with pytest.raises(ValueError, match="printed 'playouts many'"):
        reference.parse("playouts many", "rollouts")


# ---- rows and tables -------------------------------------------------------------------------------------------------


def samples(*pairs, **more):
    return [{"count": count, "cpu": cpu, "wall": cpu, **more} for count, cpu in pairs]


CASE = cases.Case("connect4", "iterations", 1000, "c4", {"baseline": 3.0, "avx2": 3.0}, openspiel="connect_four",
                  openspiel_target=20, bytes_target=7)
FOUND = {
    "reference": samples((1000, 1.0), (1000, 2.0), (1000, 4.0), bytes=50_000),
    "baseline": samples((1000, 0.5), (1000, 0.5), (1000, 1.0), bytes=6_000),
    "avx2": samples((1000, 0.25), (1000, 0.5), (1000, 2.0), bytes=6_000),
    "openspiel": samples((100, 1.0)),
}


def test_ratios_are_formed_within_a_round():
    rows = report.ratio_rows(CASE, FOUND)
    assert [(row["isa"], row["against"], row["ratio"].median, row["reached"]) for row in rows] == [
        ("baseline", "reference", 4.0, True),  # 2, 4, 4
        ("avx2", "reference", 4.0, True),      # 4, 4, 2
        ("baseline", "openspiel", 20.0, True),
        ("avx2", "openspiel", 40.0, True),
    ]
    slow = report.ratio_rows(CASE, {"reference": FOUND["reference"], "baseline": FOUND["reference"]})
    assert [(row["ratio"].median, row["reached"]) for row in slow] == [(1.0, False)]


def test_rows_without_a_reference_are_plain():
    rows = report.ratio_rows(CASE, {"baseline": FOUND["baseline"]})
    assert [(row["against"], row["ratio"], row["per_second"].median) for row in rows] == [(None, None, 2000.0)]
    assert "2 k" in report.as_text(report.tables(rows, [], []))


def test_bytes_per_iteration():
    row = report.memory_row(CASE, FOUND)
    assert (row["bytes_per_iteration"], row["reference"], row["reached"]) == (6.0, 50.0, True)
    assert report.memory_row(CASE, {"baseline": samples((1000, 1.0), bytes=7_001)})["reached"] is False
    assert report.memory_row(cases.Case("connect4", "rollouts", 10), {}) is None


def test_costs_of_calls():
    rows = report.call_rows({"a()": {"baseline": [3e-6, 1e-6, 2e-6]}, "b()": {"-": [2.0]}}, {"a()": 2.5e-6, "b()": 1.0})
    assert [(row["call"], row["seconds"].median, row["reached"]) for row in rows] == [
        ("a()", 2e-6, True), ("b()", 2.0, False)]


@pytest.mark.parametrize(("number", "text"), [(3.14159e6, "3.14 M"), (123_456, "123 k"), (999, "999"), (2e9, "2 G"),
                                              (523_456_789, "523 M")])
def test_amounts(number, text):
    assert report.amount(number) == text


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.5 s"), (0.0115, "11.5 ms"), (2.72e-6, "2.72 us"),
                                               (35.5e-9, "35.5 ns")])
def test_durations(seconds, text):
    assert report.duration(seconds) == text


def test_tables_line_up():
    calls = report.call_rows({"a()": {"baseline": [2e-6]}}, {"a()": 1e-6})
    found = report.tables(report.ratio_rows(CASE, FOUND), [report.memory_row(CASE, FOUND)], calls)
    assert len(found) == 4
    for _, titles, cells in found:
        assert cells and all(len(line) == len(titles) and all(isinstance(cell, str) for cell in line) for line in cells)
    text = report.as_text(found)
    assert ">= 20" in text and "<= 7" in text and "< 1 us" in text and " NO" in text
    page = report.as_markdown(found, {"processor": "P"}, ["A note."], "python bench/run.py")
    assert "| processor | P |" in page and "- A note." in page
    assert page.count("\n## ") == 4


def test_share_of_others():
    taken = {"case": {"baseline": [{"count": 1, "cpu": 3.0, "wall": 4.0}]}}
    assert run.taken_by_others(taken) == "25%"
    assert run.taken_by_others({}) == "-"


def test_machine_is_described():
    facts = machine.describe(None)
    assert all(isinstance(value, str) and value for value in facts.values())
    assert "without pinning" in facts["cores"] and "core 1" in machine.describe(1)["cores"]
    assert machine.version_line(["no-such-program"]) == "unknown"


# ---- run.py ----------------------------------------------------------------------------------------------------------


def test_run_measures_and_writes(tmp_path):
    done = run_script("run.py", "--quick", "--scale", 0.001, "--rounds", 2, "--core", -1, "--only",
                      "connect4-iterations-1e6", "--only", "tictactoe", "--only", "calls", "--reference",
                      tmp_path / "none", "--json", tmp_path / "found.json", "--markdown", tmp_path / "found.md")
    assert done.returncode == 0, done.stderr
    assert "Without the reference programs" in done.stdout and "Cost of one call" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    assert set(found["samples"]) == {"connect4-iterations-1e6", "tictactoe-rollouts"}
    for isa in mc.dispatch.supported():
        assert [taken["count"] for taken in found["samples"]["connect4-iterations-1e6"][isa]] == [1000, 1000]
    assert {row["call"] for row in found["calls"]} == set(cases.CALLS)
    peers = {row["against"] for row in found["rows"]}
    assert peers == ({None, "openspiel"} if run.has_openspiel() else {None})
    page = (tmp_path / "found.md").read_text()
    command = "--quick --rounds 2 --only connect4-iterations-1e6 --only tictactoe --only calls --scale 0.001"
    assert f"\npython bench/run.py {command} --markdown bench/RESULTS.md\n" in page and "tic-tac-toe rollouts" in page


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--scale", "0"], ["--scale", "nan"], ["--only", "chess"],
                                       ["--core", "4096"], ["--quick", "--full"]])
def test_run_refuses(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        run.parse(arguments)
    assert end.value.code == 2 and arguments[0].strip("-") in capsys.readouterr().err


def test_run_lists_the_names(capsys):
    with pytest.raises(SystemExit) as end:
        run.parse(["--list"])
    assert end.value.code == 0
    assert capsys.readouterr().out.split() == [case.name for case in cases.CASES] + ["calls"]


def test_run_without_the_package_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HERE", tmp_path)  # without measure.py
    with pytest.raises(run.Failed, match="make bench"):
        run.main(["--core", "-1"])


# ---- strength.py -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "count"), [("c4", 1110), ("ck", 220), ("ttt", 4520), ("mnk", 82), ("gomoku", 278)])
def test_positions_are_read(name, count):
    loaded = positions.COLLECTIONS[name].load()
    assert len(loaded) == count
    for position in loaded:
        legal = position.state().legal_moves()
        assert len(legal) == position.legal
        assert position.good and position.good <= set(legal)
        assert position.unproven <= set(legal) - position.good


def test_a_few_positions_by_hand():
    first, second = positions.COLLECTIONS["c4"].load()[:2]
    assert first.state() == mc.ConnectFour() and first.good == {3}
    assert second.state() == mc.ConnectFour().play(0) and second.good == {1, 2, 3, 5}
    assert second.groups == (("tag", "opening"), ("value", "won"), ("plies", "0-5"))
    assert positions.cells("4,5;0,1", 15) == (79, 15) and positions.cells("-", 15) == ()
    corner = next(position for position in positions.COLLECTIONS["ttt"].load() if position.moves == "...\n...\n..X")
    assert corner.state() == mc.TicTacToe().play(8) and corner.good == {4}


def test_verdicts():
    position = positions.Position("MNK", (), (), frozenset({1}), frozenset({2}), 9, ())
    assert [position.verdict(move) for move in (1, 2, 3)] == ["good", "unproven", "wrong"]


def test_gomoku_line_whose_numbers_disagree():
    line = ["freestyle", "15", "7,7", "2", "block4", "0,0", "2", "224", "0", "*3", "-", "engine"]
    with pytest.raises(ValueError, match="223 moves are left"):
        positions.gomoku(line)


def test_verdicts_are_counted_by_group():
    some = [positions.Position("MNK", (), (), frozenset({0}), frozenset(), legal, (("kind", kind),))
            for legal, kind in ((2, "vcf11"), (4, "vcf5"), (4, "vcf5"))]
    rows = strength.count(some, [{"verdicts": ["good", "wrong", "unproven"]}])
    assert [(row["group"], row["name"], row["positions"], row["chance"]) for row in rows] == [
        ("all", "", 3, pytest.approx(1 / 3)), ("kind", "vcf5", 2, 0.25), ("kind", "vcf11", 1, 0.5)]
    assert [[(r["good"], r["unproven"], r["wrong"]) for r in row["results"]] for row in rows] == [
        [(1, 1, 1)], [(0, 1, 1)], [(1, 0, 0)]]
    assert [row["results"][0]["low"] for row in rows] == [figures.wilson(*pair)[0] for pair in ((1, 3), (0, 2), (1, 1))]


def test_strength_repeats_in_any_number_of_processes(tmp_path):
    documents = []
    for processes in (1, 2):
        done = run_script("strength.py", "--set", "c4", "--set", "gomoku", "--sample", 12, "--iterations", 20, 60,
                          "--option", "exploration=0.5", "--processes", processes, "--json", tmp_path / "found.json")
        assert done.returncode == 0, done.stderr
        assert "Connect Four 6x7 (c4_dev.tsv)" in done.stdout
        document = json.loads((tmp_path / "found.json").read_text())
        documents.append({name: found["rows"] for name, found in document["sets"].items()})
    assert documents[0] == documents[1]
    total = documents[0]["c4"][0]
    assert (total["group"], total["positions"], len(total["results"])) == ("all", 12, 2)


def test_strength_knows_the_moves_of_the_search():
    easy = [position for position in positions.COLLECTIONS["c4"].load() if ("tag", "win1") in position.groups][:5]
    found = [strength.judge((number, position), {"iterations": 2000}, {}, 1) for number, position in enumerate(easy)]
    assert found == ["good"] * 5


def test_strength_options():
    args = strength.parse(["--iterations", "1e3", "20", "--option", "exploration=0.5", "--option", "final_move=max"])
    assert args.iterations == [1000, 20] and args.option == {"exploration": 0.5, "final_move": "max"}
    assert strength.budgets(args, positions.COLLECTIONS["c4"]) == [{"iterations": 1000}, {"iterations": 20}]
    timed = strength.parse(["--seconds", "0.5"])
    assert strength.budgets(timed, positions.COLLECTIONS["c4"]) == [{"seconds": 0.5}]
    assert strength.budget_name({"seconds": 0.5}) == "0.5 s" and strength.budget_name({"iterations": 1000}) == "1,000"


@pytest.mark.parametrize("arguments", [["--set", "chess"], ["--iterations", "0"], ["--iterations", "1.5"],
                                       ["--iterations", "inf"], ["--seconds", "nan"], ["--option", "exploration"],
                                       ["--option", "speed=3"], ["--option", "exploration=-1"], ["--sample", "0"]])
def test_strength_refuses(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        strength.parse(arguments)
    assert end.value.code == 2 and arguments[0] in capsys.readouterr().err


def test_natural_order():
    assert sorted(["vcf11", "vcf5", "block4", "vcf13+"], key=strength.natural) == ["block4", "vcf5", "vcf11", "vcf13+"]
    assert math.isclose(len(strength.natural("6x7x4")), 5)
