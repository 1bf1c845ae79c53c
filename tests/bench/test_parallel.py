"""bench/parallel.py: matches between workers, and what rounds cost."""

import json
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import parallel  # noqa: E402

sys.path.remove(str(BENCH))


def test_a_match(tmp_path, capsys):
    path = tmp_path / "found.json"
    argv = ["--game", "mnk:4,4,3", "--iterations", "60", "--rounds", "3", "--games", "4", "--out", str(path)]
    assert parallel.main(argv) == 0
    two, four = json.loads(path.read_text())
    assert (two["workers"], four["workers"], two["games"]) == (2, 4, 4)
    assert two["wins"] + two["draws"] + two["losses"] == 4 and 0 <= two["share"] <= 1 and two["broken"] == []
    assert "mnk:4,4,3, 3 rounds, 2 x 60 iterations against 1 x: 4 games: +" in capsys.readouterr().out
    assert parallel.main(argv) == 0
    assert json.loads(path.read_text()) == [two, four]
    assert parallel.main([*argv, "--one-tree", "--workers", "3"]) == 0
    (one,) = json.loads(path.read_text())
    assert one["one_tree"] and one["workers"] == 3 and "one tree of 3 x 60" in capsys.readouterr().out


def test_a_player_searches_by_all_its_workers():
    import mcts_core as mc

    player = parallel.Setting(3, 500, 2).player(None, 1)
    state = mc.ConnectFour(7, 8)
    assert player.move(state) in state.legal_moves() and player.proven is None
    state = mc.ConnectFour.from_moves("4757", base=1)
    assert player.move(state) == 2 and player.proven == "win"


def test_costs(capsys):
    assert parallel.main(["--costs", "processes", "--seconds", "0.1", "--searches", "2"]) == 0
    printed = capsys.readouterr().out.split()
    assert printed.count("processes") == 1 and "2" in printed


def test_bad_arguments(capsys):
    for argv, message in ((["--game", "chess"], "the game must be"), (["--games", "3"], "must be even")):
        with pytest.raises(SystemExit):
            parallel.parse(argv)
        assert message in capsys.readouterr().err
