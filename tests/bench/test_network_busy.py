"""bench/network_busy.py: what it prints, and its networks."""

import re
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import network_busy  # noqa: E402
import networks  # noqa: E402

sys.path.remove(str(BENCH))


def shares_of(out):
    header, *lines = out.splitlines()
    assert header.split() == ["game", "network", "search", "rows", "network", "tree", "between", "leaves", "busy",
                              "quiet"]
    found = [[float(share) for share in re.findall(r"([\d.]+)%", line)] for line in lines]
    assert all(len(shares) == 2 and 0 < share <= 100 for shares in found for share in shares)
    return lines


@pytest.mark.long
def test_a_line_for_each_search(capsys):
    assert network_busy.main(["connect4", "--sleep", "100", "300", "--rounds", "1", "--scale", "0.02",
                              "--options", "root_proofs=0"]) == 0
    lines = shares_of(capsys.readouterr().out)
    kinds = [f"{name}, threads={threads}" for name in ("search", "search_many", "selfplay") for threads in (1, 2)]
    assert [line[20:44].strip() for line in lines] == 2 * kinds
    assert [line[10:19].strip() for line in lines] == ["100 us"] * 6 + ["300 us"] * 6


def test_numbers_of_threads(capsys):
    assert network_busy.main(["connect4", "--sleep", "100", "--rounds", "1", "--scale", "0.02", "--threads", "2", "4",
                              "--options", "leaf_proofs=0,root_proofs=0"]) == 0
    assert [line[20:44].strip() for line in shares_of(capsys.readouterr().out)] == [
        "search, threads=2", *[f"{name}, threads={threads}" for name in ("search_many", "selfplay")
                               for threads in (2, 4)]]


@pytest.mark.parametrize("game", ["connect4", "gomoku"])
def test_onnx_runtime(game, capsys):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    assert network_busy.main([game, "--onnx", "--rounds", "1", "--scale", "0.02"]) == 0
    assert len(shares_of(capsys.readouterr().out)) == 6


@pytest.mark.parametrize("arguments", [["connect4"], ["gomoku"], ["connect4", "--channels", "4", "--layers", "2"]])
def test_pytorch(arguments, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    assert network_busy.main([*arguments, "--torch", "cpu", "--rounds", "1", "--scale", "0.02"]) == 0
    lines = shares_of(capsys.readouterr().out)
    assert [line[10:19].strip() for line in lines] == ["cpu"] * 6


@pytest.mark.parametrize("game, size", [("connect4", None), ("connect4", (8, 2)), ("gomoku", (32, 4))])
def test_pytorch_computes_what_onnx_runtime_does(game, size):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    state = network_busy.GAMES[game]
    seen = numpy.array([state.play(move).observation() for move in state.legal_moves()[:7]])
    by_torch = networks.ByTorch(state, torch.device("cpu"), size)
    by_onnx = networks.by_onnx(state, size)
    for rows in (1, 7):
        for one, other in zip(by_torch(seen[:rows]), by_onnx(seen[:rows]), strict=True):
            assert isinstance(one, numpy.ndarray) and one.shape == other.shape and len(one) == rows
            numpy.testing.assert_allclose(one, other, atol=1e-5)


def test_each_thread_prepares_each_size_once():
    torch = pytest.importorskip("torch")
    state = network_busy.GAMES["connect4"]
    evaluator = networks.ByTorch(state, torch.device("cpu"), (2, 1))
    calls = []
    compute = evaluator.network
    evaluator.network = lambda seen: calls.append(len(seen)) or compute(seen)

    def prepare():
        for rows in (1, 8, 9, 16, 64, 60, 8):
            evaluator.prepare(numpy.zeros((rows, *state.observation().shape), numpy.float32))

    prepare()
    assert calls == [16, 64]  # it has made calls with 8 rows before
    thread = threading.Thread(target=prepare)
    thread.start()
    thread.join()
    assert calls == [16, 64, 8, 16, 64]


def test_the_share_of_a_search():
    calls = []

    def search(evaluator, threads):
        calls.append(threads)
        for _ in range(3):
            evaluator([0, 0])

    network = network_busy.Network(lambda observations: (None, observations), sleep=1.0)
    rows, _, tree, between, leaves, busy, quiet = network.measure(lambda evaluator: search(evaluator, 1), 1)
    assert rows == 2 and len(network.walls) == 3 and calls == [1]
    assert 0 < busy <= 1 and 0 <= between <= tree and leaves > 0
    assert quiet == pytest.approx(1 / (1 + tree / 1e6))


def test_the_share_of_a_search_with_a_device():
    def busy(seconds):
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass

    def search(evaluator):
        for _ in range(3):
            busy(0.01)
            evaluator([0, 0])

    network = network_busy.Network(lambda observations: time.sleep(0.02), device=True,
                                   prepare=lambda observations: (busy(0.1), time.sleep(0.1)))
    _, wall, tree, between, _, busy_share, quiet = network.measure(search, 1)
    assert network.apart >= 0.6 and 0.3 <= network.apart_used < 0.6
    assert wall >= 20000 and 10000 <= tree < 60000 and 5000 < between < 60000  # without the 100 ms of ``prepare``
    assert quiet == pytest.approx(wall / (wall + tree))
    assert sum(network.walls) / (sum(network.walls) + network.apart) < busy_share < 1


def test_unusable_arguments(capsys):
    for arguments, message in ((["chess"], "GAME must be one of connect4, gomoku, got 'chess'"),
                               (["--options", "leaves=1"], "leaves"), (["--rounds", "0"], "--rounds"),
                               (["--layers", "3"], "--channels and --layers need --onnx or --torch"),
                               (["--onnx", "--torch"], "not allowed with")):
        with pytest.raises(SystemExit):
            network_busy.main(arguments)
        assert message in capsys.readouterr().err


def test_a_device_that_is_none(capsys):
    pytest.importorskip("torch")
    for name in ("connect4", "meta"):
        with pytest.raises(SystemExit):
            network_busy.main(["--torch", name])
        assert f"--torch {name}: " in capsys.readouterr().err
