"""bench/strength.py: the positions of known value, the counts, and that no false proof passes unseen."""

import json
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import arguments  # noqa: E402
import figures  # noqa: E402
import positions  # noqa: E402
import progress  # noqa: E402
import strength  # noqa: E402

sys.path.remove(str(BENCH))


def load(name):
    return positions.COLLECTIONS[name].load()


# ---- positions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "count"), [("c4", 1110), ("ck_small", 220), ("ttt", 4520), ("mnk_small", 82),
                                             ("gomoku", 278), ("literature", 36)])
def test_positions_are_read(name, count):
    loaded = load(name)
    assert len(loaded) == count
    for position in loaded:
        legal = position.state().legal_moves()
        assert len(legal) == position.legal
        assert position.good <= set(legal) and (position.good or name == "literature")
        assert position.unproven <= set(legal) - position.good
        for move in legal:
            possible = position.possible(move)
            assert possible and possible <= {1, 0, -1}
            if position.value is not None:
                assert min(possible) <= position.value
                assert (position.value in possible) == (position.verdict(move) != "wrong")


def test_a_few_positions_by_hand():
    first, second = load("c4")[:2]
    assert first.state() == mc.ConnectFour() and first.good == {3} and first.value == 1 and first.distance == 41
    assert [first.possible(move) for move in range(7)] == [{-1}, {-1}, {0}, {1}, {0}, {-1}, {-1}]
    assert second.state() == mc.ConnectFour().play(0) and second.good == {1, 2, 3, 5}
    assert second.groups == (("tag", "opening"), ("value", "won"), ("plies", "0-7"))
    assert positions.cells("4,5;0,1", 15) == (79, 15) and positions.cells("-", 15) == ()
    corner = next(position for position in load("ttt") if position.moves == "...\n...\n..X")
    assert corner.state() == mc.TicTacToe().play(8) and corner.good == {4}
    assert corner.value == 0 and corner.possible(4) == {0} and corner.possible(0) == {-1} and corner.distance is None


@pytest.mark.long
def test_values_of_gomoku_moves():
    for position in load("gomoku"):
        kind = dict(position.groups)["kind"]
        won = kind in ("win1", "open4") or kind.startswith("vcf")
        assert position.value == (1 if won else None)
        assert {frozenset(position.possible(move)) for move in position.good} == {
            frozenset({1}) if won else frozenset({1, 0, -1})}
        wrong = [move for move in position.state().legal_moves() if position.verdict(move) == "wrong"]
        assert all(position.possible(move) == {-1} for move in wrong)
        assert all(position.possible(move) == {1, 0, -1} for move in position.unproven)


def test_verdicts():
    position = positions.Position("MNK", (), (), frozenset({1}), frozenset({2}), 9, (), 0)
    assert [position.verdict(move) for move in (1, 2, 3)] == ["good", "unproven", "wrong"]
    assert [position.possible(move) for move in (1, 2, 3)] == [{0}, {1, 0, -1}, {-1}]


def test_gomoku_line_whose_numbers_disagree():
    line = ["freestyle", "15", "7,7", "2", "block4", "0,0", "2", "224", "0", "*3", "-", "engine"]
    with pytest.raises(ValueError, match="223 moves are left"):
        positions.gomoku(line)


def test_bands_of_plies():
    assert [positions.band(plies) for plies in (0, 7, 8, 11, 12, 15, 16, 36)] == [
        "0-7", "0-7", "8-11", "8-11", "12-15", "12-15", "16-19", "36-39"]


def test_plies_to_the_end_are_those_of_the_game():
    """A score of 1 is a win with the last stone; then the board has no room for more than the other's last one."""
    assert positions.plies_to_end(1, 0, 42) == 41 and positions.plies_to_end(-1, 1, 42) == 40
    assert positions.plies_to_end(0, 5, 42) is None and positions.plies_to_end(1, 0, 9) == 9
    assert positions.plies_to_end(-2, 0, 9) == 6
    for position in load("c4"):
        wins = [move for move in position.state().legal_moves() if position.state().play(move).winner()]
        assert (position.distance == 1) == bool([move for move in wins if len(position.moves) < 41])


def test_a_sample_is_spread_and_repeats():
    loaded = load("c4")
    chosen = positions.sample(loaded, 222, seed=5)
    assert chosen == sorted(set(chosen)) == positions.sample(loaded, 222, seed=5)
    assert chosen != positions.sample(loaded, 222, seed=6)
    tags = [dict(position.groups)["tag"] for position in loaded]
    for tag in set(tags):
        assert abs([tags[number] for number in chosen].count(tag) - tags.count(tag) / 5) <= 1
    assert positions.sample(loaded, 5000, seed=1) == list(range(len(loaded)))


# ---- counts ----------------------------------------------------------------------------------------------------------


def test_verdicts_are_counted_by_group():
    some = [positions.Position("MNK", (), (), frozenset({0}), frozenset(), legal, (("kind", kind),))
            for legal, kind in ((2, "vcf11"), (4, "vcf5"), (4, "vcf5"))]
    found = [{"verdict": "good", "proven": "win", "false": [], "seconds": 1},
             {"verdict": "wrong", "proven": None, "false": [], "seconds": 2},
             {"verdict": "unproven", "proven": "draw", "false": ["so"], "seconds": 3}]
    rows = strength.count(some, [{"found": found}])
    assert [(row["group"], row["name"], row["positions"], row["chance"]) for row in rows] == [
        ("all", "", 3, pytest.approx(1 / 3)), ("kind", "vcf5", 2, 0.25), ("kind", "vcf11", 1, 0.5)]
    counts = [[result[name] for name in ("good", "unproven", "wrong", "solved", "false_proofs", "seconds")]
              for row in rows for result in row["results"]]
    assert counts == [[1, 1, 1, 2, 1, 2], [0, 1, 1, 1, 1, 2.5], [1, 0, 0, 1, 0, 1]]
    assert [row["results"][0]["low"] for row in rows] == [figures.wilson(*pair)[0] for pair in ((1, 3), (0, 2), (1, 1))]
    assert [row["results"][0]["not_lost"] for row in rows] == [pytest.approx(2 / 3), 0.5, 1]


def stats(move, proven=None, distance=None, **children):
    entries = [SimpleNamespace(move=int(name[1:]), proven=value) for name, value in children.items()]
    return SimpleNamespace(move=move, proven=proven, distance=distance, moves=entries)


def test_false_proofs_are_found():
    empty = load("c4")[0]
    assert strength.false_proofs(empty, 3, stats(3, "win", 41, _3="win", _0="loss", _2="draw", _6=None)) == []
    assert strength.false_proofs(empty, 0, stats(0)) == []
    assert "the value is 1" in strength.false_proofs(empty, 3, stats(3, "draw"))[0]
    assert "does not keep it" in strength.false_proofs(empty, 0, stats(0, "win"))[0]
    assert "it takes 41" in strength.false_proofs(empty, 3, stats(3, "win", 39))[0]
    assert "move 2 is a proven loss" in strength.false_proofs(empty, 3, stats(3, _2="loss"))[0]
    defence = next(position for position in load("gomoku") if ("kind", "defend3") in position.groups)
    good, bad = min(defence.good), min(set(defence.state().legal_moves()) - defence.good - defence.unproven)
    assert strength.false_proofs(defence, good, stats(good, "draw", **{f"_{good}": "win", f"_{bad}": "loss"})) == []
    assert len(strength.false_proofs(defence, bad, stats(bad, "draw", **{f"_{bad}": "draw"}))) == 2


class First:
    """A Searcher that plays the first move and reports what it is told to."""

    proven = None

    def __init__(self, **options):
        pass

    def search(self, state, **budget):
        self.move = state.legal_moves()[0]
        return self.move

    def stats(self):
        return SimpleNamespace(move=self.move, proven=self.proven, seconds=0.5, iterations=1, moves=[])


def test_a_false_proof_is_loud(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(mc, "Searcher", type("Liar", (First,), {"proven": "draw"}))
    assert strength.main(["--file", "mnk_small", "--workers", "1", "--json", str(tmp_path / "found.json")]) == 1
    values = [position.value for position in load("mnk_small")]
    document = json.loads((tmp_path / "found.json").read_text())
    assert len(document["false_proofs"]) >= sum(value != 0 for value in values) > 0
    printed = capsys.readouterr().out
    assert f"!!! {len(document['false_proofs'])} FALSE PROOFS !!!" in printed
    assert "mnk_small number 1, moves none, 1,000: a proven draw, but the value is 1" in printed


def test_errors_are_listed(monkeypatch, capsys):
    monkeypatch.setattr(mc, "Searcher", First)
    assert strength.main(["--file", "c4", "--iterations", "5", "--workers", "1", "--errors"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("5, number ")]
    firsts = [(min(position.state().legal_moves()), position) for position in load("c4")]
    assert len(lines) == sum(move not in position.good for move, position in firsts) > 500
    assert lines[0] == "5, number 0 (opening won 0-7), moves none: 0 is wrong, good: 3"


# ---- the script ------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_strength_repeats_with_any_number_of_workers(tmp_path):
    documents = []
    for workers in (1, 2):
        command = (f"--file c4 gomoku --limit 12 --iterations 20 60 --set exploration=0.5 final_move=max "
                   f"--workers {workers} --json found.json")
        done = subprocess.run([sys.executable, BENCH / "strength.py", *command.split()], capture_output=True, text=True,
                              cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Connect Four 6x7 (c4_dev.tsv)" in done.stdout
        documents.append(json.loads((tmp_path / "found.json").read_text()))
    first, second = ([[[(one["number"], one["move"], one["verdict"]) for one in column] for column in found["searches"]]
                      for found in document["files"].values()] for document in documents)
    assert first == second
    assert documents[0]["options"] == {"exploration": 0.5, "final_move": "max"}
    total = documents[0]["files"]["c4"]["rows"][0]
    assert (total["group"], total["positions"], len(total["results"])) == ("all", 12, 2)


def test_strength_knows_the_moves_of_the_search():
    easy = [position for position in load("c4") if ("tag", "win1") in position.groups][:5]
    found = [strength.judge((number, position), {"iterations": 2000}, {}, 1) for number, position in enumerate(easy)]
    assert [one["verdict"] for one in found] == ["good"] * 5
    assert all(one["move"] in position.good for one, position in zip(found, easy, strict=True))


def test_strength_options():
    args = strength.parse(["--iterations", "1e3", "20", "--set", "exploration=0.5", "--set", "final_move=max"])
    assert args.iterations == [1000, 20] and args.set == {"exploration": 0.5, "final_move": "max"}
    assert strength.budgets(args, positions.COLLECTIONS["c4"]) == [{"iterations": 1000}, {"iterations": 20}]
    timed = strength.parse(["--seconds", "0.5"])
    assert strength.budgets(timed, positions.COLLECTIONS["c4"]) == [{"seconds": 0.5}]
    assert strength.budget_name({"seconds": 0.5}) == "0.5 s" and strength.budget_name({"iterations": 1000}) == "1,000"


@pytest.mark.parametrize("given", [["--file", "chess"], ["--iterations", "0"], ["--iterations", "1.5"],
                                   ["--iterations", "inf"], ["--seconds", "nan"], ["--set", "exploration"],
                                   ["--set", "speed=3"], ["--set", "exploration=-1"], ["--limit", "0"]])
def test_strength_refuses(given, capsys):
    with pytest.raises(SystemExit) as end:
        strength.parse(given)
    assert end.value.code == 2 and given[0] in capsys.readouterr().err


def test_an_option_that_the_package_does_not_know_gets_its_error(capsys):
    with pytest.raises(mc.InvalidOption) as error:
        mc.Searcher(speed=3)
    with pytest.raises(SystemExit):
        strength.parse(["--set", "speed=3"])
    assert str(error.value) in capsys.readouterr().err


def test_natural_order():
    assert sorted(["vcf11", "vcf5", "block4", "vcf13+"], key=strength.natural) == ["block4", "vcf5", "vcf11", "vcf13+"]
    assert math.isclose(len(strength.natural("6x7x4")), 5)


# ---- arguments and progress ------------------------------------------------------------------------------------------


def test_options_in_one_text():
    assert arguments.options("") == arguments.options(" ") == {}
    assert arguments.options("a=1,b=x, c=0.5") == {"a": 1, "b": "x", "c": 0.5}
    assert arguments.options("a=(1,2),b='x,y',c=None") == {"a": (1, 2), "b": "x,y", "c": None}
    assert arguments.options(arguments.as_text({"a": 1, "b": "x", "c": False})) == {"a": 1, "b": "x", "c": False}
    assert arguments.options("a=1,b") == {"a": "1,b"}  # no name and = follow: the text goes on
    for wrong in ("a", "=3", "1a=3"):
        with pytest.raises(ValueError, match="expected name=value"):
            arguments.options(wrong)


def test_progress_is_for_terminals(monkeypatch, capsys):
    assert list(progress.follow(iter("abc"), 3, "so")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(progress.follow(iter("abc"), 8, "so", lambda: "note", done=4)) == ["a", "b", "c"]
    shown = capsys.readouterr().err
    assert f"so [{'#' * 12}{'.' * 12}] 4/8  note" in shown and shown.endswith("\r\x1b[2K")
    assert [progress.clock(seconds) for seconds in (0, 65, 3725)] == ["0:00", "1:05", "1:02:05"]
