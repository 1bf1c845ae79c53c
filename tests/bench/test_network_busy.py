"""bench/network_busy.py: what it prints."""

import re
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import network_busy  # noqa: E402

sys.path.remove(str(BENCH))


def shares_of(out):
    header, *lines = out.splitlines()
    assert header.split() == ["game", "network", "search", "rows", "network", "tree", "between", "busy", "quiet"]
    found = [[float(share) for share in re.findall(r"([\d.]+)%", line)] for line in lines]
    assert all(len(shares) == 2 and 0 < share <= 100 for shares in found for share in shares)
    return lines


def test_a_line_for_each_search(capsys):
    assert network_busy.main(["connect4", "--sleep", "100", "300", "--rounds", "1", "--scale", "0.03",
                              "--options", "root_proofs=0"]) == 0
    lines = shares_of(capsys.readouterr().out)
    kinds = [f"{name}, threads={threads}" for name in ("search", "search_many", "selfplay") for threads in (1, 2)]
    assert [line[20:44].strip() for line in lines] == 2 * kinds
    assert [line[10:19].strip() for line in lines] == ["100 us"] * 6 + ["300 us"] * 6


@pytest.mark.parametrize("game", ["connect4", "gomoku"])
def test_onnx_runtime(game, capsys):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    assert network_busy.main([game, "--onnx", "--rounds", "1", "--scale", "0.03"]) == 0
    assert len(shares_of(capsys.readouterr().out)) == 6


def test_the_share_of_a_search():
    calls = []

    def search(evaluator, threads):
        calls.append(threads)
        for _ in range(3):
            evaluator([0, 0])

    network = network_busy.Network(lambda observations: (None, observations), sleep=1.0)
    rows, _, tree, between, busy, quiet = network.measure(lambda evaluator: search(evaluator, 1), 1)
    assert rows == 2 and len(network.walls) == 3 and calls == [1]
    assert 0 < busy <= 1 and 0 <= between <= tree
    assert quiet == pytest.approx(1 / (1 + tree / 1e6))


def test_unusable_arguments(capsys):
    for arguments, message in ((["chess"], "GAME must be one of connect4, gomoku, got 'chess'"),
                               (["--options", "leaves=1"], "leaves"), (["--rounds", "0"], "--rounds")):
        with pytest.raises(SystemExit):
            network_busy.main(arguments)
        assert message in capsys.readouterr().err
