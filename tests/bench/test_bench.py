"""The scripts in ``bench``: their statistics, parsers and data, and that they run. Never a speed."""

import importlib
import json
import math
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import cases  # noqa: E402
import chart  # noqa: E402
import figures  # noqa: E402
import growth  # noqa: E402
import install  # noqa: E402
import machine  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import reference  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import tactics  # noqa: E402
from peers import connect_four  # noqa: E402

ADAPTERS = {name: importlib.import_module(f"peers.{name}") for name in peers.PEERS}

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
        assert all(case.game in peers.PEERS[key].games and case.work == "iterations" for key in case.peers)
        assert case.level in cases.LEVELS
    assert set(cases.COMPARED) <= set(names)
    assert {key for case in cases.CASES for key in case.peers} == set(peers.PEERS)
    for game in cases.GROWTH:
        counts = {case.count for case in cases.choose("default") if (case.game, case.work) == (game, "iterations")}
        assert growth.BASE in counts and min(counts) == 1000 and max(counts) >= 1_000_000


def test_every_game_can_be_made():
    sizes = {game: len(measure.state_of(game).legal_moves()) for game in cases.GAMES}
    assert sizes == {"connect4": 7, "gravity8x9x5": 9, "gomoku15": 225, "gomoku15-exact": 225, "gomoku20": 400,
                     "gomoku20-exact": 400, "mnk8x8x5": 64, "tictactoe": 9}
    assert measure.state_of("gravity8x9x5") == mc.ConnectFour(8, 9, 5)
    assert measure.state_of("gomoku20-exact") == mc.Gomoku(20, "exact")
    assert measure.state_of("mnk8x8x5") == mc.MNK(8, 8, 5)


def test_choosing_cases():
    quick, default, full = ({case.name for case in cases.choose(level)} for level in cases.LEVELS)
    assert quick < default <= full == {case.name for case in cases.CASES}
    assert [case.name for case in cases.choose("quick", ["1e7"])] == ["connect4-iterations-1e7"]


def test_ours_does_the_work_asked_for():
    rollouts = measure.ours("tictactoe", "rollouts", 50, 1)
    assert rollouts["count"] == 50 and rollouts["cpu"] >= 0 and rollouts["wall"] > 0 and "bytes" not in rollouts
    iterations = measure.ours("connect4", "iterations", 300, 1)
    assert iterations["count"] == 300 and iterations["bytes"] > 0 and iterations["depth"] > 0


def test_calls_are_those_with_a_goal():
    assert {*measure.calls(1), "import mcts_core"} == set(cases.CALLS)


# ---- other packages --------------------------------------------------------------------------------------------------

PYTHON_STATES = {  # name -> its state class without the package, and the names of moves, play, over
    "mcts": (ADAPTERS["mcts"].state_class(True), "getPossibleActions", "takeAction", "isTerminal"),
    "multimcts": (ADAPTERS["multimcts"].state_class(object), "get_legal_moves", "make_move", "is_terminal"),
    "fastmcts": (ADAPTERS["fastmcts"].state_class(object), "get_legal_actions", "move", "is_game_over"),
    "mctspy": (ADAPTERS["mctspy"].state_class(object), "get_legal_actions", "move", "is_game_over"),
}


def random_games(state_class, moves, play, over):
    """Pairs (state of the adapter, our position) of sixty random games, checked to have the same moves and end."""
    choose = random.Random(7)
    for _ in range(60):
        theirs, ours = state_class(), mc.ConnectFour()
        while True:
            assert getattr(theirs, over)() == (ours.winner() is not None)
            yield theirs, ours
            if ours.winner() is not None:
                break
            assert getattr(theirs, moves)() == ours.legal_moves()
            move = choose.choice(ours.legal_moves())
            theirs, ours = getattr(theirs, play)(move), ours.play(move)
            assert type(theirs) is state_class


@pytest.mark.parametrize("name", PYTHON_STATES)
def test_rules_of_the_adapters_are_ours(name):
    ends = set()
    for theirs, ours in random_games(*PYTHON_STATES[name]):
        assert theirs.result() == ours.winner()
        if ours.winner() is not None:
            ends.add(ours.winner())
            if name == "mcts":
                assert theirs.getReward() == ours.winner()
                assert ADAPTERS["mcts"].state_class(False).getReward(theirs) == -ours.winner()
            if name == "multimcts":  # the reward of the team that ended the game
                assert theirs.get_reward() == abs(ours.winner())
        if name == "multimcts":
            assert theirs.get_current_team() == (1 if ours.to_move == 1 else 2)
        if name in ("fastmcts", "mctspy"):
            assert theirs.game_result == ours.winner()
            assert theirs.next_to_move == {"fastmcts": (0, 1), "mctspy": (1, -1)}[name][ours.to_move == -1]
    assert ends >= {1, -1}


def test_a_draw_by_the_rules_of_the_adapters():
    choose, draws = random.Random(1), 0
    while not draws:
        theirs, ours = connect_four.Board(), mc.ConnectFour()
        while ours.winner() is None:
            move = choose.choice(ours.legal_moves())
            theirs, ours = theirs.play(move), ours.play(move)
        draws += ours.winner() == 0
    assert theirs.over() and theirs.result() == 0 and not theirs.won and theirs.moves() == []


@pytest.mark.parametrize("name", peers.PEERS)
def test_an_installed_package_searches(name):
    if peers.version(name) is None:
        pytest.skip(f"{name} is not installed; make bench has an environment with it")
    for game in peers.PEERS[name].games:
        sample = measure.peer(name, game, "iterations", 30, 1)
        assert sample["count"] == 30 and sample["cpu"] >= 0 and sample.get("grown", 0) >= 0
    position = tactics.POSITIONS[0]
    assert peers.search(name, "connect4", position.moves, 500, 1)()[0] in position.right


def test_required_packages_are_those_of_the_peers():
    required = install.lines((BENCH / "requirements.txt").read_text())
    others = [peer.distribution for peer in peers.PEERS.values() if not peer.ours]
    assert [line.partition("==")[0] for line in required] == others
    assert all(line.partition("==")[2][0].isdigit() for line in required)
    assert set(peers.versions()) - {"numpy"} == {peer.title for key, peer in peers.PEERS.items() if peers.version(key)}


def test_a_package_that_cannot_be_installed_is_left_out(tmp_path, capsys):
    pip = tmp_path / "pip.py"
    pip.write_text("import sys\nsys.exit('mctspy==0.1.1' in sys.argv)\n")
    assert install.main([sys.executable, pip]) == ["mctspy==0.1.1"]
    assert "mctspy==0.1.1 could not be installed" in capsys.readouterr().err
    pip.write_text("")
    assert install.main([sys.executable, pip]) == []


def test_a_package_that_crashes_is_left_out(tmp_path, monkeypatch):
    broken = tmp_path / "measure.py"
    broken.write_text("""
import json, os, sys
task = json.loads(sys.argv[1])
if task.get("name") == "mcts":
    os.abort()
if task.get("name") == "mctspy":
    sys.exit("cannot play")
print(json.dumps({"count": task["count"], "cpu": 1.0, "wall": 1.0, "bytes": 1, "depth": 1.0}))
""")
    monkeypatch.setattr(run, "HERE", tmp_path)
    there, failures = {"mcts", "mctspy", "fastmcts"}, {}
    case = next(case for case in cases.CASES if "mcts" in case.peers)
    found = run.take_samples([case], {}, ["baseline"], there, failures, run.parse(["--rounds", "2"]))[case.name]
    assert there == {"fastmcts"} and len(found["fastmcts"]) == 2 and len(found["baseline"]) == 2 * case.times
    assert "cannot play" in failures["mctspy"]
    assert "signal" in failures["mcts"] or sys.platform == "win32"
    broken.write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(run.Failed, match="not done after 0.2 s"):
        run.measured({"what": "peer"}, seconds=0.2)


def test_tactical_positions():
    for position in tactics.POSITIONS:
        state = mc.ConnectFour.from_moves(position.moves)
        assert position.right < set(state.legal_moves())
        wins = {move for move in state.legal_moves() if state.play(move).winner() == state.to_move}
        assert (wins == position.right) if position.kind == "win in one" else not wins
        threats = {reply for move in state.legal_moves() for after in [state.play(move)]
                   for reply in after.legal_moves() if after.play(reply).winner() == after.to_move}
        assert threats == (position.right if position.kind == "forced block" else set()) or wins
    assert measure.tactical(None, 2000, 2) == {kind: [4, 4] for kind in tactics.KINDS}
    wrong = tactics.count(lambda moves, seed: 3 if seed == 1 else None, 2)
    assert wrong == {"win in one": [2, 4], "forced block": [2, 4], "double threat": [0, 4]}


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


def ours(*pairs):
    return samples(*pairs, bytes=6_000, depth=4.5)


CASE = cases.Case("connect4", "iterations", 100_000, "c4", {"baseline": 3.0, "avx2": 3.0},
                  peers={"openspiel": 20, "mcts": None}, bytes_target=7)
FOUND = {
    "reference": samples((1000, 1.0), (1000, 2.0), (1000, 4.0), bytes=50_000),
    "baseline": ours((1000, 0.5), (1000, 0.5), (1000, 1.0)),
    "avx2": ours((1000, 0.25), (1000, 0.5), (1000, 2.0)),
    "openspiel": samples((100, 1.0), grown=17_000),
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
    thrice = cases.Case("connect4", "iterations", 1000, times=3, peers={"openspiel": None})
    rows = report.ratio_rows(thrice, {"avx2": ours(*[(1000, 1.0)] * 3, *[(1000, 0.5), (1000, 9.0), (1000, 0.25)]),
                                      "openspiel": samples((100, 1.0), (100, 0.5))})
    assert [(row["against"], row["ratio"].low, row["ratio"].high, row["target"]) for row in rows if row["against"]] == [
        ("openspiel", 10.0, 10.0, None)]  # a peer's speed by the median of the round


def test_rows_without_a_reference_are_plain():
    rows = report.ratio_rows(CASE, {"baseline": FOUND["baseline"]})
    assert [(row["against"], row["ratio"], row["per_second"].median) for row in rows] == [(None, None, 2000.0)]
    assert "2 k" in report.as_text(report.tables(rows, [], [], [], []))


def test_bytes_per_iteration():
    row = report.memory_row(CASE, FOUND)
    assert (row["bytes_per_iteration"], row["reference"], row["reached"]) == (6.0, 50.0, True)
    assert row["peers"] == {"openspiel": 170.0}
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


@pytest.mark.parametrize(("ratio", "text"), [(4.254, "4.25"), (99.99, "99.99"), (1234.5, "1,234")])
def test_ratios(ratio, text):
    assert report.times(ratio) == text


TACTICS = report.tactics_rows({"mcts_core": {"win in one": [2, 2], "forced block": [2, 2]},
                               "openspiel": {"win in one": [2, 2], "forced block": [1, 2]}})


def all_tables():
    calls = report.call_rows({"a()": {"baseline": [2e-6]}}, {"a()": 1e-6})
    return report.tables(report.ratio_rows(CASE, FOUND), [report.memory_row(CASE, FOUND)], growth_rows(), calls,
                         TACTICS)


def test_tables_line_up():
    found = all_tables()
    assert len(found) == 7
    for _, titles, cells in found:
        assert cells and all(len(line) == len(titles) and all(isinstance(cell, str) for cell in line) for line in cells)
    text = report.as_text(found)
    assert ">= 20" in text and "<= 7" in text and "< 1 us" in text and " NO" in text
    page = report.as_markdown(found, {"processor": "P"}, ["A note."], "python bench/run.py", ["chart.svg"])
    assert "| processor | P |" in page and "- A note." in page and "](chart.svg)" in page
    assert page.count("\n## ") == 7


def test_who_plays_wrongly_is_told():
    assert [row["plays_rightly"] for row in TACTICS] == [True, False]
    lines = report.as_text(all_tables()).splitlines()
    assert [line.split()[0] for line in lines if "PLAYS WRONGLY" in line] == ["openspiel"]


# ---- growth and pictures ---------------------------------------------------------------------------------------------


def growth_rows():
    steps = [cases.Case("connect4", "iterations", count) for count in (1000, growth.BASE, 10_000_000)]
    speeds = {1000: 4.0, growth.BASE: 1.0, 10_000_000: 2.0}
    return growth.rows(steps, {case.name: {"reference": samples((1000, 10.0)), "avx2": ours((1000, speeds[case.count]))}
                               for case in steps})


def test_growth():
    rows = growth_rows()
    assert {row["isa"] for row in rows} == {"avx2"}
    assert [(row["iterations"], row["per_second"], row["relative"], row["reached"]) for row in rows] == [
        (1000, 250.0, 0.25, None), (100_000, 1000.0, 1.0, None), (10_000_000, 500.0, 0.5, False)]
    assert {(row["bytes"], row["depth"], row["reference"], row["reference_relative"]) for row in rows} == {
        (6.0, 4.5, 100.0, 1.0)}
    assert growth.rows([CASE], {CASE.name: FOUND}) == []
    steps = [cases.Case("connect4", "iterations", count) for count in (1000, 10_000)]
    rows = growth.rows(steps, {case.name: {"avx2": ours((1000, 1.0))} for case in steps})
    assert [(row["relative"], row["reference"], row["target"]) for row in rows] == [(None, None, None)] * 2


SVG = "{http://www.w3.org/2000/svg}"


def test_bars_have_the_numbers():
    (title, bars), = panels = report.compared(report.ratio_rows(CASE, FOUND), TACTICS)
    assert title == "Connect Four, 100,000 iterations"
    assert [(bar["name"], bar["kind"], bar["per_second"], bar["note"]) for bar in bars] == [
        ("mcts_core, baseline", "ours", 2000.0, ""), ("mcts_core, avx2", "ours", 2000.0, ""),
        ("textbook UCT in plain C", "reference", 500.0, ""), ("OpenSpiel (C++)", "peer", 100.0, "plays wrongly")]
    drawing = ElementTree.fromstring(chart.bars(panels, "a <processor> & more"))
    texts = ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text") if text.get("class") != "halo"]
    halos = [text.text for text in drawing.iter(f"{SVG}text") if text.get("class") == "halo"]
    assert halos == [text.text for text in drawing.iter(f"{SVG}text") if text.get("class") == "text value"]
    assert "a <processor> & more" in texts and "100, plays wrongly" in texts
    assert texts.count("2 k") == 2 and "500" in texts and any("logarithmic" in text for text in texts)
    drawn = [bar for bar in drawing.iter(f"{SVG}rect") if bar.get("class") != "page"]
    assert [bar.get("class") for bar in drawn] == ["ours", "ours", "reference", "peer"]
    widths = [float(bar.get("width")) for bar in drawn]
    scale = (chart.WIDTH - 64 - 262) / 2  # the axis runs from 100 to 10,000
    assert widths == pytest.approx([math.log10(20) * scale] * 2 + [math.log10(5) * scale, 1], abs=0.1)
    assert chart.bars([], "") is None and report.compared([]) == []


def test_curves_have_the_numbers():
    rows = growth_rows()
    drawing = ElementTree.fromstring(chart.curves(rows, "P"))
    drawn = {line.get("class"): line for line in drawing.iter(f"{SVG}polyline")}
    assert {line.find(f"{SVG}title").text for line in drawn.values()} == {"avx2", "reference"}
    heights = [float(point.split(",")[1]) for point in drawn["line ours"].get("points").split()]
    upward = chart.Axis([100, 1000], 330, 92)
    assert heights == [upward.at(250), upward.at(1000), upward.at(500)]
    assert len({point.split(",")[1] for point in drawn["line reference"].get("points").split()}) == 1
    assert chart.curves([], "P") is None


@pytest.mark.parametrize("folder", [BENCH, BENCH / "avx512"])
def test_the_committed_pictures_are_of_the_committed_results(folder):
    page = (folder / "RESULTS.md").read_text()
    assert "](chart.svg)" in page and "](growth.svg)" in page
    assert f"\npython bench/run.py --results {folder.relative_to(BENCH.parent).as_posix()}\n" in page
    guide, = re.findall(r"\[README.md\]\((.*?)\)", page)
    assert (folder / guide).resolve() == BENCH / "README.md"
    drawing = ElementTree.parse(folder / "chart.svg")
    shown = [text.text.partition(",")[0] for text in drawing.iter(f"{SVG}text") if "value" in text.get("class")]
    assert len(shown) >= 4 and all(f"| {speed} |" in page for speed in shown)
    assert "## Growth" in page and ElementTree.parse(folder / "growth.svg").find(f".//{SVG}polyline") is not None


def test_axis_is_logarithmic():
    axis = chart.Axis([30, 4000], 100, 400)
    assert axis.powers() == [10, 100, 1000, 10_000]
    assert [axis.at(value) for value in (10, 100, 10_000)] == [100, 200, 400]
    assert chart.Axis([10], 0, 1).powers() == [10, 100]


def test_share_of_others():
    taken = {"case": {"baseline": [{"count": 1, "cpu": 3.0, "wall": 4.0}]}}
    assert run.taken_by_others(taken) == "25%"
    assert run.taken_by_others({}) == "-"


def test_machine_is_described():
    facts = machine.describe(None)
    assert all(isinstance(value, str) and value for value in facts.values())
    assert "without pinning" in facts["cores"] and "core 1" in machine.describe(1)["cores"]
    assert machine.version_line(["no-such-program"]) == "unknown"


def test_processors_have_their_family(tmp_path):
    info = tmp_path / "cpuinfo"
    first = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: A B\n"
    info.write_text(first + "\nprocessor\t: 1\nmodel\t\t: 2\n")
    assert machine.processor(info) == "A B (family 25, model 1)"
    info.write_text("processor\t: 0\nmodel name\t: A: B\n")
    assert machine.processor(info) == "A: B"


def test_compilers_are_found_in_the_modules(tmp_path):
    assert machine.built_with(tmp_path).startswith("unknown (Python: ")
    (tmp_path / "a.so").write_bytes(b"\x00GCC: (Debian 12.2.0-14) 12.2.0\x00\xff")
    (tmp_path / "b.so").write_bytes(b"Ubuntu clang version 18.1.3\x00")
    assert machine.built_with(tmp_path) == "GCC: (Debian 12.2.0-14) 12.2.0, clang version 18.1.3"


# ---- run.py ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_run_measures_and_writes(tmp_path):
    only = ("--only", "connect4-iterations-1e5", "--only", "connect4-iterations-1e6", "--only", "tictactoe")
    done = run_script("run.py", "--quick", "--scale", 0.001, "--rounds", 2, "--core", -1, *only, "--only", "calls",
                      "--reference", tmp_path / "none", "--json", tmp_path / "found.json",
                      "--results", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    assert "Without the reference programs" in done.stdout and "Cost of one call" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    assert set(found["samples"]) == {"connect4-iterations-1e5", "connect4-iterations-1e6", "tictactoe-rollouts"}
    for isa in mc.dispatch.supported():
        assert [taken["count"] for taken in found["samples"]["connect4-iterations-1e6"][isa]] == [1000, 1000]
    assert {row["call"] for row in found["calls"]} == set(cases.CALLS)
    assert {row["iterations"] for row in found["growth"]} == {10**5, 10**6}
    there = {key for key in peers.PEERS if peers.version(key)}
    assert {row["against"] for row in found["rows"]} == {None, *there}
    assert all((f"Without {peer.title}:" in done.stdout) == (key not in there) for key, peer in peers.PEERS.items())
    page = (tmp_path / "results" / "RESULTS.md").read_text()
    command = f"--quick --rounds 2 {' '.join(only)} --only calls --scale 0.001"
    assert f"\npython bench/run.py {command} --results bench\n" in page and "tic-tac-toe rollouts" in page
    for picture in ("chart.svg", "growth.svg"):
        assert f"({picture})" in page
        assert ElementTree.parse(tmp_path / "results" / picture).getroot().tag == f"{SVG}svg"


@pytest.mark.long
def test_run_asks_whether_they_play_rightly(tmp_path):
    done = run_script("run.py", "--rounds", 1, "--core", -1, "--only", "tactics", "--json", tmp_path / "found.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["tactics"][0]["program"] == "mcts_core" and found["tactics"][0]["plays_rightly"]
    assert found["tactics"][0]["right"] == {kind: [10, 10] for kind in tactics.KINDS}


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--scale", "0"], ["--scale", "nan"], ["--only", "chess"],
                                       pytest.param(["--core", "4096"], marks=pytest.mark.needs("a choice of cores")),
                                       ["--quick", "--full"]])
def test_run_refuses(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        run.parse(arguments)
    assert end.value.code == 2 and arguments[0].strip("-") in capsys.readouterr().err


def test_run_lists_the_names(capsys):
    with pytest.raises(SystemExit) as end:
        run.parse(["--list"])
    assert end.value.code == 0
    assert capsys.readouterr().out.split() == [case.name for case in cases.CASES] + ["calls", "tactics"]


def test_run_without_the_package_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HERE", tmp_path)  # without measure.py
    with pytest.raises(run.Failed, match="make bench"):
        run.main(["--core", "-1"])
