"""examples/alphazero_connect_four: it runs from self-play to a match, small; needs the extra [alphazero]."""

import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mcts_core as mc

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "alphazero_connect_four"
SMALL = ("--generations", "1", "--games", "8", "--simulations", "8", "--first-games", "24", "--first-simulations", "20",
         "--epochs", "1", "--channels", "4", "--blocks", "1", "--threads", "1", "--match-games", "4")

pytestmark = pytest.mark.examples


def start(program, *arguments):
    return subprocess.run([sys.executable, FOLDER / program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"})


def run(program, *arguments):
    done = start(program, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(name):
    spec = importlib.util.spec_from_file_location(f"alphazero_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a small run, and what it printed."""
    folder = tmp_path_factory.mktemp("alphazero") / "run"
    return folder, run("train.py", "--out", folder, *SMALL)


def test_a_run_from_self_play_to_the_match(trained):
    folder, text = trained
    assert re.search(r"generation 0: 24 games in \d+ s\ngeneration 0: learned from [\d,]+ positions", text)
    assert re.search(r"generation 1: 8 games in .*\n.*\n.*network.onnx: [\d,]+ bytes", text)
    assert re.search(r"both with 8 simulations a move: 4 games: \+\d+ =\d+ -\d+, [\d.]+ %, Elo", text)
    for generation in (0, 1):
        names = {path.name for path in (folder / f"generation-{generation}").iterdir()}
        assert names == {"network.onnx", "network.pt", "selfplay.json", "shard-00000.npz"}


def test_a_run_that_was_ended_goes_on(trained):
    folder, text = trained
    before = (folder / "network.onnx").read_bytes()
    (folder / "generation-1" / "network.onnx").unlink()
    again = run("train.py", "--out", folder, *SMALL)
    assert "generation 0: learned" not in again and "generation 1: learned" in again
    assert (folder / "network.onnx").read_bytes() == before


def test_from_zero_by_gumbel_targets(tmp_path):
    import torch

    out = tmp_path / "run"
    options = ("--out", out, *SMALL, "--first-games", "0", "--root-policy", "gumbel", "--match-games", "0")
    text = run("train.py", *options)
    assert text.startswith("generation 1: 8 games in") and "against plain UCT" not in text
    first = out / "generation-0"
    assert {path.name for path in first.iterdir()} == {"network.onnx", "network.pt"}
    torch.manual_seed(1)
    untrained = load("network").Network(4, 1).state_dict()
    kept = torch.load(first / "network.pt", weights_only=True)
    assert all(torch.equal(kept[name], weights) for name, weights in untrained.items())
    settings = json.loads((out / "generation-1" / "selfplay.json").read_text())["settings"]
    assert settings["root_policy"] == "gumbel" and settings["leaves"] == "evaluator"
    data = mc.SelfPlayData.load(out / "generation-1" / "shard-00000.npz")
    begin = data.policies[data.plies == 0]  # 8 simulations: visits would be multiples of 1/8
    assert (begin > 0).all() and (abs(begin * 8 - np.round(begin * 8)) > 1e-3).any()
    network = (out / "network.onnx").read_bytes()
    (out / "generation-1" / "network.onnx").unlink()
    (first / "network.onnx").unlink()
    text = run("train.py", *options)
    assert "generation 1: learned" in text and (out / "network.onnx").read_bytes() == network
    done = start("train.py", *options, "--root-policy", "puct")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (f"train.py: error: folder {out} has --root-policy gumbel (now puct), "
                           "--temperature 2.0 (now 1.0), --result-share 0.8 (now 0.5). Choose another --out, or remove "
                           "this one to start anew\n")


def test_other_settings_than_those_of_the_folder(tmp_path):
    train = load("train")

    def begin(*options):
        train.keep_settings(train.parse(["--out", str(tmp_path / "run"), *options]))

    begin("--first-games", "8", "--generations", "0")
    begin("--first-games", "8", "--generations", "2", "--threads", "1", "--match-games", "0")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["settings.json"]
    for option, value in (("first-games", 0), ("first-games", 9), ("games", 600), ("simulations", 99), ("epochs", 1),
                          ("first-simulations", 99), ("channels", 4), ("blocks", 1), ("rate", 0.1), ("seed", 2)):
        with pytest.raises(SystemExit, match=rf"run has --{option} [\d.]+ \(now {value}\)\. Choose another --out"):
            begin("--first-games", "8", f"--{option}", str(value))
    with pytest.raises(SystemExit, match=r"has --first-games 8 \(now 0\), --channels 32 \(now 4\)"):
        begin("--first-games", "0", "--channels", "4")
    (tmp_path / "run" / "generation-0").mkdir()
    (tmp_path / "run" / "settings.json").unlink()
    with pytest.raises(SystemExit, match="run has generations but no settings.json"):
        begin()


def test_a_file_is_replaced_as_a_whole(tmp_path):
    train = load("train")
    path = tmp_path / "network.onnx"
    path.write_text("old")

    def fail(beside):
        beside.write_text("ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train.replace(path, fail)
    assert path.read_text() == "old"
    train.replace(path, lambda beside: beside.write_text("new"))
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_smallest_values(capsys):
    train = load("train")
    for option, least in (("generations", 0), ("games", 1), ("simulations", 1), ("first-games", 0), ("epochs", 1),
                          ("first-simulations", 1), ("channels", 1), ("blocks", 0), ("match-games", 0), ("threads", 1),
                          ("seed", 0)):
        with pytest.raises(SystemExit):
            train.parse([f"--{option}", str(least - 1)])
        assert f"error: --{option} must be at least {least}, got {least - 1}\n" in capsys.readouterr().err
    for rate in ("0", "nan", "inf"):
        with pytest.raises(SystemExit):
            train.parse(["--rate", rate])
        assert "error: --rate must be above 0 and finite, got" in capsys.readouterr().err
    for temperature in ("-0.1", "nan", "inf"):
        with pytest.raises(SystemExit):
            train.parse(["--temperature", temperature])
        assert "error: --temperature must be from 0 to 1e6, got" in capsys.readouterr().err
    for share in ("-0.1", "1.1", "nan"):
        with pytest.raises(SystemExit):
            train.parse(["--result-share", share])
        assert "error: --result-share must be from 0 to 1, got" in capsys.readouterr().err


def test_defaults_suit_the_root_policy():
    train = load("train")
    for given, temperature, share in (((), 1.0, 0.5), (("--root-policy", "gumbel"), 2.0, 0.8),
                                      (("--root-policy", "gumbel", "--temperature", "0", "--result-share", "0"), 0, 0)):
        args = train.parse([*given])
        assert (args.temperature, args.result_share) == (temperature, share)


def test_the_network_is_an_evaluator(trained):
    folder, _ = trained
    evaluate = load("onnx_evaluator").load(folder / "network.onnx", 1)
    for state in (mc.ConnectFour(), mc.ConnectFour.from_moves("3342")):
        for rows in (1, 5):
            policy, value = evaluate(np.stack([state.observation()] * rows))
            assert policy.shape == (rows, 7) and value.shape == (rows,)
            assert np.allclose(policy.sum(1), 1) and (policy > 0).all() and (abs(value) < 1).all()
        assert mc.search(state, iterations=50, evaluator=evaluate, seed=1) in state.legal_moves()


def test_onnx_and_pytorch_give_the_same(trained):
    import torch

    folder, _ = trained
    network = load("network")
    net = network.Network(4, 1)
    net.load_state_dict(torch.load(folder / "generation-1" / "network.pt", weights_only=True))
    seen = np.stack([mc.ConnectFour.from_moves(moves).observation() for moves in ("", "3", "33", "0123", "65655")])
    with torch.inference_mode():
        expected = network.Evaluating(net.eval())(torch.from_numpy(seen))
    found = load("onnx_evaluator").load(folder / "generation-1" / "network.onnx", 1)(seen)
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one, other.numpy(), atol=1e-5)


def untrained():
    """The module of the network, a small network, and games to learn from."""
    import torch

    network = load("network")
    torch.manual_seed(1)
    part = next(mc.selfplay(mc.ConnectFour(), games=30, iterations=5, seed=1, preset="uct"))
    return network, network.Network(8, 1), part


def test_training_learns_and_sees_mirror_images():
    """Data in which everything is won and column 0 is played: afterwards column 6 is as good as column 0."""
    import torch

    network, net, part = untrained()
    policies = np.zeros_like(part.policies)
    policies[:, 0] = 1
    ones = np.ones_like(part.results)
    data = mc.SelfPlayData(part.observations, policies, ones, ones, part.actions, part.games, part.plies)
    policy_loss, value_loss = network.train(net, data, 30, 1e-2, 1, 0.5)
    assert policy_loss < 0.9 and value_loss < 0.05  # ln 2 = 0.69 is the least that two equal columns leave
    with torch.inference_mode():
        logits, value = net(torch.from_numpy(part.observations[:1]))
    shares = torch.softmax(logits, 1)[0]
    assert 0.2 < shares[0] < 0.8 and 0.2 < shares[6] < 0.8 and value[0] > 0.8


@pytest.mark.parametrize(("share", "least", "most"), [(1.0, 0.8, 1.0), (0.0, -1.0, -0.8), (0.75, 0.3, 0.7)])
def test_the_value_learns_results_and_values_by_their_shares(share, least, most):
    """Data in which every game is won and every search expected a loss."""
    import torch

    network, net, part = untrained()
    ones = np.ones_like(part.results)
    data = mc.SelfPlayData(part.observations, part.policies, ones, -ones, part.actions, part.games, part.plies)
    network.train(net, data, 30, 1e-2, 1, share)
    with torch.inference_mode():
        assert least < net(torch.from_numpy(part.observations[:20]))[1].mean() < most


def test_the_match_by_itself(trained):
    folder, _ = trained
    text = run("versus_uct.py", folder / "network.onnx", "--games", "4", "--simulations", "8", "--threads", "1")
    assert re.match(r"4 games: \+\d =\d -\d, [\d.]+ %, Elo", text)


def test_the_trained_network_beats_plain_uct():
    evaluate = load("onnx_evaluator").load(FOLDER / "trained.onnx", 1)
    points = [point for pair in load("versus_uct").play(evaluate, 100, 30, 5) for point in pair]
    assert len(points) == 60 and sum(points) > 42  # 90 % of 400 games; five standard deviations are 12 games
    assert (FOLDER / "trained.onnx").stat().st_size < 200_000


def test_the_points_of_a_match_are_those_of_the_network():
    versus = load("versus_uct")

    def play_with(ours, theirs):
        """Points of an evaluator that knows nothing, with these numbers of simulations in place of equal ones."""
        def search(states, *, iterations, **options):
            assert iterations == 400
            return mc.search_many(states, iterations=ours if "evaluator" in options else theirs, **options)

        versus.mc = SimpleNamespace(search_many=search, ConnectFour=mc.ConnectFour)
        pairs = versus.play(lambda observations: (None, np.zeros(len(observations))), 400, 6, 1)
        assert len(pairs) == 6
        return sum(point for pair in pairs for point in pair)

    assert play_with(2000, 1) > 9 and play_with(1, 2000) < 3


def test_openings_and_the_score():
    versus = load("versus_uct")
    found = list(versus.openings(50, 1))
    assert len(set(found)) == 50 and found == list(versus.openings(50, 1))
    assert all(2 <= len(state.moves) <= 6 and state.winner() is None for state in found)
    assert versus.elo(0.5) == 0 and versus.elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert versus.elo(1.0) == math.inf and versus.elo(0.0) == -math.inf
    # 0.625 -+ 1.96 * sqrt(0.078125 / 4)
    assert versus.report([(1, 0.5), (0, 1), (1, 1), (0.5, 0)]) == "8 games: +4 =2 -2, 62.5 %, Elo +89 (-107 to +380)"


@pytest.mark.parametrize(("program", "arguments"), [
    ("train.py", ["--match-games", "3"]), ("versus_uct.py", ["network.onnx", "--games", "3"]),
])
def test_an_odd_number_of_games(program, arguments):
    done = subprocess.run([sys.executable, FOLDER / program, *arguments], capture_output=True, text=True, timeout=100)
    assert done.returncode == 2 and "must be even" in done.stderr
