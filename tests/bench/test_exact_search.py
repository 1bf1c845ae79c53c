"""bench/exact_search.py: which positions it takes, and that it counts wrong values."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import exact_search  # noqa: E402

import mcts_core as mc  # noqa: E402


def test_random_positions_are_open_and_the_same_for_a_seed():
    found = exact_search.random_positions(15, 20, 3)
    assert found == exact_search.random_positions(15, 20, 3) != exact_search.random_positions(15, 20, 4)
    for path, score in found:
        state = mc.ConnectFour.from_moves(path)
        assert len(path) == 15 and state.winner() is None and score is None
        assert not any(state.play(move).winner() for move in state.legal_moves())


def test_a_file_is_compared(tmp_path, capsys):
    rows = [line.split("\t")[:2] for line in (ROOT / "tests/data/c4_dev.tsv").read_text().splitlines()
            if line and line[0] not in "#-" and len(line.split("\t")[0]) == 28]
    file = tmp_path / "set"
    file.write_text("".join(f"{moves} {score}\n" for moves, score in rows))
    command = ["--file", str(file), "--no-book", "--memory", "8", "--count", "500"]
    assert exact_search.main(command) == 0 and exact_search.main([*command, "--exact"]) == 0
    assert capsys.readouterr().out.count(f"{len(rows)}") >= 2
    moves, score = rows[0]
    file.write_text(f"{moves} {int(score) + 1}\n")
    assert exact_search.main([*command, "--exact"]) == 1


def test_own_sets(capsys):
    assert exact_search.main(["--stones", "24", "26", "--count", "3", "--memory", "8"]) == 0
    assert capsys.readouterr().out.count("stones") == 2
