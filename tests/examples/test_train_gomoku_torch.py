"""examples/train_gomoku: the network, its file, and what it learns; needs PyTorch."""

import math
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
from gomoku_training import FOLDER, board_of, load, random_board, random_boards

torch = pytest.importorskip("torch")
patterns, network, first_network, samples, window, learner, polish, train = load(
    "patterns", "network", "first_network", "samples", "window", "learner", "polish", "train")

pytestmark = [pytest.mark.examples]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The first network, fitted shorter than that of a training, as a file."""
    path = tmp_path_factory.mktemp("network") / "first.net"
    network.export(first_network.fit(steps=300, games=64), path, 0)
    return path


@pytest.fixture
def with_value(first, tmp_path):
    """The first network with random weights in the value's last layers."""
    model = network.load(first)
    torch.manual_seed(2)
    with torch.no_grad():
        model.value2.copy_(torch.randn(len(model.value2)) * 0.2)
        model.value1_bias.copy_(torch.randn(len(model.value1_bias)))
        model.value2_bias.fill_(0.3)
    network.export(model, tmp_path / "value.net", 17)
    return tmp_path / "value.net"


def by_model(model, board):
    offsets, _, indices = patterns.patterns(board[None])
    batch = network.Batch(offsets, indices)
    with torch.no_grad():
        logits, value = model(batch)
    return logits.numpy(), float(torch.sigmoid(value))


def test_the_model_computes_what_the_integers_do(with_value):
    model, reference = network.load(with_value), network.IntegerNetwork(with_value)
    values = []
    for board in [np.zeros((15, 15), np.int8), *random_boards(4)]:
        _, _, logits, value = reference(board[None])
        found, found_value = by_model(model, board)
        assert np.allclose(found, logits / 256 * math.log(2), atol=0.05)
        values.append(1 / (1 + 2.0 ** (-value[0] / 256)))
        assert found_value == pytest.approx(values[-1], abs=0.02)
    assert max(values) - min(values) > 0.1


def test_a_file_comes_back_as_it_was(with_value, tmp_path):
    model = network.load(with_value)
    network.export(model, tmp_path / "again.net", 17)
    assert (tmp_path / "again.net").read_bytes() == with_value.read_bytes()
    assert network.read(with_value)[1] == 17
    assert with_value.stat().st_size == 55_208


def test_the_limits_of_the_file_are_kept(tmp_path):
    model = network.LineNetwork(16, 8, 4)
    with torch.no_grad():
        for weights in model.parameters():
            weights.copy_(torch.randn(weights.shape) * 1e4)
    model.clamp()
    network.export(model, tmp_path / "large.net", 1)
    arrays, _ = network.read(tmp_path / "large.net")
    for name, array in arrays.items():
        assert abs(array.astype(int)).max() == network.LIMITS[name]
    for (_, one), (_, other) in zip(model.named_parameters(), network.load(tmp_path / "large.net").named_parameters(),
                                    strict=True):
        assert torch.allclose(one, other, atol=0.002)


@pytest.mark.parametrize("change, message", [
    (lambda text: b"MCTSLIVE" + text[8:], "not a network file"),
    (lambda text: text[:8] + b"\2" + text[9:], "format 1, got 2"),
    (lambda text: text[:100] + bytes([text[100] ^ 1]) + text[101:], "damaged"),
    (lambda text: text[:-10], "damaged"),
    (lambda text: b"", "not a network file"),
])
def test_a_damaged_file_is_refused(first, tmp_path, change, message):
    (tmp_path / "bad.net").write_bytes(change(first.read_bytes()))
    with pytest.raises(ValueError, match=message):
        network.load(tmp_path / "bad.net")


def best_cells(path, text):
    board = board_of(text)
    _, cells, logits, _ = network.IntegerNetwork(path)(board[None])
    return [tuple(divmod(int(cell), board.shape[1])) for cell in cells[np.argsort(-logits, kind="stable")]]


EMPTY_ROWS = " ".join(["." * 11] * 4)


@pytest.mark.parametrize("row", ["..ooxxxx...", "..oox.xxx..", "...xxxx.oo."])
def test_the_first_network_completes_a_five(first, row):
    best = best_cells(first, f"{EMPTY_ROWS} {row} ...oo...... {EMPTY_ROWS}")[0]
    full = row[:best[1]] + "x" + row[best[1] + 1:]
    assert best[0] == 4 and "xxxxx" in full


@pytest.mark.parametrize("row", ["..xoooo....", "....oo.oo..", "oooo......."])
def test_the_first_network_blocks_a_four(first, row):
    best = best_cells(first, f"{EMPTY_ROWS} {row} ...xx...... {EMPTY_ROWS}")[0]
    full = row[:best[1]] + "o" + row[best[1] + 1:]
    assert best[0] == 4 and "ooooo" in full


def test_the_classes_of_hand_made_priors():
    def kind(left, right, player=1):
        """The class of a cell between two half-lines, both from the cell outwards; # is outside of the board."""
        cells = [[".xo#".index(cell) for cell in half] for half in (left, right)]
        numbers = [sum((1 + value) * 3 ** place for place, value in enumerate(half) if value < 3) for half in cells]
        return first_network.classes(player)[patterns.pair(*map(np.array, numbers))]

    assert kind("xx...", "xx...") == 0  # five
    assert kind("xxx..", ".....") == kind("xx...", "x....") == 1  # a straight four
    assert kind("xxxo.", ".....") == kind("xxx##", ".....") == kind(".xxx.", "o....") == 2
    assert kind("xx...", ".....") == 3 and kind("xxo..", ".....") == 4
    assert kind("x....", ".....") == 5 and kind("xo...", ".o...") == 7
    assert kind("oo...", "oo...", player=2) == 0 and kind("oo...", "oo...") == 7


def sampled(turns, count=64):
    found = window.Window()
    found.add(samples.Samples.of(turns), 10**6)
    return found, list(found.batches(3, count, np.random.default_rng(1)))


def turns_of(seed=5, count=60):
    """Positions with a policy in each third one: the first two of its cells, 3 to 1."""
    chooser = random.Random(seed)
    for number in range(count):
        size = chooser.choice((9, 12, 15))
        board = random_board(size, size, chooser.randint(2, 20), chooser)
        cells = patterns.patterns(board[None])[1]
        yield board, chooser.random(), (cells[:2].tolist(), [0.75, 0.25]) if number % 3 == 0 else None


def test_batches_have_the_targets_of_their_positions():
    turns = list(turns_of())
    by_value = {np.float32(value): (board, policy) for board, value, policy in turns}
    _, batches = sampled(turns)
    for drawn in batches:
        ends = drawn.batch.offsets.numpy()
        assert len(drawn.values) == 64 and 0 < drawn.policies < 64
        assert len(drawn.weights) == ends[drawn.policies]
        used = drawn.batch.patterns.numpy()
        for number, value in enumerate(drawn.values):
            board, policy = by_value[value]
            part = slice(ends[number], ends[number + 1])
            assert (policy is not None) == (number < drawn.policies)
            expected = patterns.patterns(board[None])[2]
            assert np.array_equal(used[drawn.batch.rows[part].numpy()], expected)
            if policy:
                assert drawn.weights[part].tolist() == [0.75, 0.25] + [0.0] * (len(expected) - 2)


def test_the_window_drops_what_is_old():
    found = window.Window()
    for number in range(5):
        found.add(samples.Samples.of(list(turns_of(number, 10))), 25)
    assert found.positions == 30 and len(found.chunks) == 3


def test_gradients_are_those_of_plain_operations(with_value):
    """The sums of rows and the maxima have gradients of their own making."""
    model = network.load(with_value)
    _, (drawn, *_) = sampled(list(turns_of()))
    batch = drawn.batch
    table = torch.randn(len(batch.patterns), 8, requires_grad=True)
    cells = network._SumOfFour.apply(table, batch)
    total, highest = network._SumAndMaximum.apply(cells, batch)
    weights = torch.randn(2, *total.shape)
    (total * weights[0] + highest * weights[1]).sum().backward()
    found, table.grad = table.grad, None
    cells = table[batch.rows].sum(1)
    parts = torch.split(cells, batch.sizes.tolist())
    total, highest = torch.stack([part.sum(0) for part in parts]), torch.stack([part.amax(0) for part in parts])
    (total * weights[0] + highest * weights[1]).sum().backward()
    assert torch.allclose(found, table.grad, atol=1e-4)
    assert model.table(torch.arange(5)).shape == (5, network.CHANNELS)


def test_learning_lowers_both_losses_and_a_checkpoint_goes_on(first, tmp_path):
    turns = [(board, 1.0 if (board == 1).sum() > (board == 2).sum() else 0.0, policy)
             for board, _, policy in turns_of(count=200)]
    found, _ = sampled(turns)
    learning = learner.Learner(network.load(first))
    rng = np.random.default_rng(1)
    figures = np.array([learning.step(drawn, 0.1) for drawn in found.batches(150, 64, rng)])
    before, after = figures[:10].mean(0), figures[-10:].mean(0)
    assert after[1] < before[1] - 0.2 and after[3] < before[3] - 0.1
    assert (figures[:, 1] >= figures[:, 2] - 1e-4).all()  # a cross-entropy is no less than the entropy
    learning.save(tmp_path / "checkpoint.pt", {"generation": 3})
    again = learner.Learner(network.load(first))
    assert again.restore(tmp_path / "checkpoint.pt") == {"generation": 3}
    drawn = next(found.batches(1, 64, np.random.default_rng(2)))
    assert learning.step(drawn, 0.5) == again.step(drawn, 0.5)
    learning.export(tmp_path / "learnt.net", 4)
    for (_, one), (_, other) in zip(learning.averaged.named_parameters(),
                                    network.load(tmp_path / "learnt.net").named_parameters(), strict=True):
        assert torch.allclose(one, other, atol=0.002)


def run(program, *arguments):
    done = subprocess.run([sys.executable, FOLDER / program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_training_goes_on_where_it_ended_and_is_measured(first, tmp_path):
    small = ("--out", tmp_path / "run", "--generation-seconds", 4, "--full", 20, "--fast", 8, "--polish", 10)
    text = run("train.py", *small, "--start", first, "--minutes", 0.15, "--workers", 2)
    assert "generation 1, " in text and "network.net: generation" in text
    so_far = float((tmp_path / "run" / "log.tsv").read_text().splitlines()[-1].split("\t")[0])
    again = run("train.py", *small, "--resume", "--minutes", so_far / 60 + 0.1, "--workers", 1)
    log = [line.split("\t") for line in (tmp_path / "run" / "log.tsv").read_text().splitlines()]
    generations = [int(line[1]) for line in log[1:]]
    assert generations == list(range(1, len(generations) + 1)) and f"generation {generations[-1]}, " in again
    positions = [int(line[2]) for line in log[1:]]
    assert positions == sorted(positions) and positions[0] > 0 and positions[-1] > positions[0]
    final = tmp_path / "run" / "network.net"
    assert network.read(final)[1] == generations[-1] + 1
    last = tmp_path / "run" / "networks" / f"{generations[-1]:05d}.net"
    assert final.read_bytes()[network.HEADER.size:-4] != last.read_bytes()[network.HEADER.size:-4]
    match = run("measure.py", final, first, "--games", 2, "--iterations", 20)
    assert match.startswith("2 games: ")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C to a group of processes is a signal of POSIX")
def test_an_interrupted_training_ends_with_one_line_and_goes_on(first, tmp_path):
    options = "--out", tmp_path, "--generation-seconds", 2, "--full", 20, "--fast", 8, "--polish", 0, "--workers", 2
    arguments = [sys.executable, FOLDER / "train.py", *map(str, options), "--start", first]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}) as process:
        said = [process.stdout.readline(), process.stdout.readline()]
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert said[0].startswith("first network: ") and said[1].startswith("generation 1, ")
    assert process.returncode == 1 and errors.splitlines() == ["interrupted; continue with --resume"]
    assert run("train.py", *options, "--resume", "--minutes", 0).startswith(f"{tmp_path / 'network.net'}: generation 2")


@pytest.mark.parametrize("wrong", ["--minutes=-1", "--minutes=nan", "--workers=0", "--generation-seconds=0",
                                   "--passes=-1", "--rate=inf", "--polish=-1", "--full=0", "--fast=0", "--seed=-1",
                                   "--full=many"])
def test_options_without_sense_are_refused_at_once(wrong, capsys):
    with pytest.raises(SystemExit):
        train.main([wrong])
    assert f"error: argument {wrong.partition('=')[0]}: " in capsys.readouterr().err


def test_games_alone_become_shards(first, tmp_path):
    text = run("self_play.py", first, "--out", tmp_path, "--games", 2, "--full", 20, "--fast", 8, "--seed", 1)
    found, counts = samples.Samples.load(next(tmp_path.glob("*.npz")))
    assert counts.games == 2 and text.startswith("2 games, ")
    assert counts.positions - counts.drawn_positions <= len(found) <= counts.positions  # of draws a share is kept
    for boards, values, weights in found.parts():
        assert (values >= 0).all() and (values <= 1).all()
        empty = boards.reshape(len(boards), -1) == 0
        assert (weights[~empty] == 0).all()
        assert set(np.round(weights.sum(1), 5)) <= {0.0, 1.0}


def test_a_network_learns_from_folders_of_shards(first, tmp_path):
    run("self_play.py", first, "--out", tmp_path / "a", "--games", 2, "--full", 20, "--fast", 8, "--seed", 1)
    run("self_play.py", first, "--out", tmp_path / "b", "--games", 2, "--full", 20, "--fast", 8, "--seed", 2)
    positions = sum(len(samples.Samples.load(path)[0]) for path in tmp_path.glob("*/*.npz"))
    paths = sorted(tmp_path.glob("*/*.npz"))
    assert polish.filled(paths, 10**6).positions == positions
    assert polish.filled(paths, 1).positions == len(samples.Samples.load(paths[-1])[0]) < positions
    text = run("polish.py", first, tmp_path / "a", tmp_path / "b", "--out", tmp_path / "c.net", "--steps", 50)
    assert text == f"{tmp_path / 'c.net'}: generation 1, from {positions:,} positions\n"
    assert network.read(tmp_path / "c.net")[1] == 1
    assert not np.array_equal(network.read(tmp_path / "c.net")[0]["half_line"], network.read(first)[0]["half_line"])
    run("polish.py", first, tmp_path / "a", "--out", tmp_path / "d.net", "--steps", 0)
    for name, array in network.read(first)[0].items():
        assert np.array_equal(network.read(tmp_path / "d.net")[0][name], array)


def test_folders_without_shards_are_refused(first, tmp_path, capsys):
    with pytest.raises(SystemExit):
        polish.main([str(first), str(tmp_path)])
    assert f"no shards, files *.npz, in {tmp_path}" in capsys.readouterr().err
