"""mcts_core/self_play/files.py: folders that are whole at any time, and go on."""

import dataclasses
import io
import json
import os
import random
import re
import subprocess
import sys
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import mcts_core as mc
from mcts_core.games.mnk.weights import shipped

OPTIONS = {"games": 11, "iterations": 12, "seed": 3, "shard_games": 3, "together": 2}


def evaluate(observations):
    sums = observations.reshape(len(observations), -1) @ np.arange(observations[0].size)
    return np.stack([(sums + k) % 5 + 1 for k in range(9)], 1), sums % 7 / 7 - 0.5


def play(folder, **options):
    return mc.selfplay(mc.TicTacToe(), folder=folder, **{"evaluator": evaluate, **OPTIONS, **options})


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder of a call that was not ended."""
    folder = tmp_path_factory.mktemp("self") / "play"
    paths = play(folder)
    assert paths == [folder / f"shard-0000{number}.npz" for number in range(4)]
    return folder


def manifest(folder):
    return json.loads((folder / "selfplay.json").read_text(encoding="utf-8"))


def test_files_are_what_the_iterator_yields(whole):
    parts = list(mc.selfplay(mc.TicTacToe(), evaluator=evaluate, **OPTIONS))
    for number, (part, path) in enumerate(zip(parts, sorted(whole.glob("*.npz")), strict=True)):
        read = mc.SelfPlayData.load(path)
        entry = manifest(whole)["shards"][str(number)]
        assert len(read) == entry["positions"] == len(part) and entry["games"] == len(set(part.games.tolist()))
        for name in ("observations", "policies", "results", "values", "actions", "games", "plies"):
            assert np.array_equal(getattr(read, name), getattr(part, name))
            assert getattr(read, name).dtype == getattr(part, name).dtype
    assert len(contents(whole)) == 5


def test_the_same_call_again_plays_nothing(whole):
    before = contents(whole)
    times = {path: path.stat().st_mtime_ns for path in whole.iterdir()}
    assert play(whole, evaluator=lambda observations: 1 / 0) == sorted(whole.glob("*.npz"))
    assert play(whole, evaluator=lambda observations: 1 / 0, seed=None) == sorted(whole.glob("*.npz"))
    assert contents(whole) == before and times == {path: path.stat().st_mtime_ns for path in whole.iterdir()}


class Stop(Exception):
    pass


@pytest.mark.parametrize("games", [1, 3, 4, 7, 10])
def test_a_call_that_progress_ended_goes_on(whole, tmp_path, games):
    def stop(progress):
        if progress.games >= games:
            raise Stop

    with pytest.raises(Stop):
        play(tmp_path, progress=stop)
    there = contents(tmp_path)
    assert len(there) == 1 + (games - 1) // 3
    assert all(contents(whole)[name] == data for name, data in there.items() if name != "selfplay.json")
    seen = []
    play(tmp_path, progress=seen.append)
    assert contents(tmp_path) == contents(whole)
    assert seen[0].games >= 3 * (len(there) - 1) and seen[-1].games == 11 and seen[0].positions == 2


def test_nothing_is_lost_when_the_evaluator_fails(whole, tmp_path):
    left = 60

    def failing(observations):
        nonlocal left
        left -= 1
        if not left:
            raise ValueError("out of order")
        return evaluate(observations)

    with pytest.raises(mc.EvaluatorError, match="out of order"):
        play(tmp_path, evaluator=failing)
    assert 1 < len(contents(tmp_path)) < 5
    play(tmp_path)
    assert contents(tmp_path) == contents(whole)


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from test_files import play
import mcts_core.storage as storage
real, left = os.replace, {left}
def replace(source, target):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL) if hasattr(signal, "SIGKILL") else os._exit(1)
    real(source, target)
os.replace = replace
play({folder!r})
"""


@pytest.mark.long
@pytest.mark.parametrize("left", [1, 2, 3, 6])
def test_a_killed_call_leaves_what_is_whole_and_goes_on(whole, tmp_path, left):
    """The process is killed with a file written but not yet in its place."""
    folder = tmp_path / "folder"
    code = KILLED.format(tests=os.path.dirname(__file__), left=left, folder=str(folder))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and not done.stderr
    for path in folder.glob("*.npz"):
        assert path.read_bytes() == (whole / path.name).read_bytes()
    play(folder)
    assert {name: data for name, data in contents(folder).items() if not name.endswith(".tmp")} == contents(whole)


def test_more_games(whole, tmp_path):
    for games in (2, 3, 7, 11):
        play(tmp_path, games=games)
    assert contents(tmp_path) == contents(whole)
    with pytest.raises(mc.InvalidOption, match="games must be at least 11, the number of games in folder .*, got 10"):
        play(tmp_path, games=10)
    assert contents(tmp_path) == contents(whole)


def test_files_that_are_gone_or_cut_are_played_again(whole, tmp_path):
    play(tmp_path)
    (tmp_path / "shard-00001.npz").unlink()
    (tmp_path / "shard-00002.npz").write_bytes(b"")
    play(tmp_path)
    assert contents(tmp_path) == contents(whole)


def test_a_network_is_named_among_the_settings(tmp_path):
    settings = {"games": 1, "iterations": 2, "seed": 1, "folder": tmp_path}
    paths = mc.selfplay(mc.MNK(13, 5, 5), **settings)
    assert mc.selfplay(mc.MNK(13, 5, 5), **settings) == paths
    assert mc.selfplay(mc.MNK(13, 5, 5), network=shipped(), **settings) == paths
    with pytest.raises(mc.InvalidOption, match=f"network was '{shipped().version}' and is"):
        mc.selfplay(mc.MNK(13, 5, 5), valuation="rollout", **settings)


@pytest.mark.parametrize(("options", "text"), [
    ({"iterations": 13}, "iterations was 12 and is 13"), ({"seed": 4}, "seed was 3 and is 4"),
    ({"temperature": 0.5}, "temperature was 1.0 and is 0.5"), ({"temperature_plies": 1}, "temperature_plies was 30"),
    ({"shard_games": 4}, "shard_games was 3"), ({"together": 3}, "together was 2"),
    ({"label": "b"}, "label was '' and is 'b'"), ({"noise_alpha": 1.0}, "noise_alpha was None and is 1.0"),
    ({"evaluator": None, "preset": "uct"}, "leaves was 'evaluator' and is 'rollouts'"),
    ({"c_puct": 1, "batch": 2}, "batch was 1 and is 2; c_puct was 0.625 and is 1.0"),
    ({"memory_mb": 1}, "memory_mb was 256.0 and is 1.0"),
])
def test_other_settings_are_refused(whole, options, text):
    before = contents(whole)
    with pytest.raises(mc.InvalidOption, match="was made with other settings: .*" + text):
        play(whole, **options)
    assert contents(whole) == before


@pytest.mark.parametrize("start", [mc.TicTacToe().play(4), mc.MNK(3, 3, 3).play(0)])
def test_another_start_is_refused(whole, start):
    with pytest.raises(mc.InvalidOption, match="start was '[0-9a-f]{16}' and is "):
        mc.selfplay(start, folder=whole, evaluator=evaluate, **OPTIONS)
    with pytest.raises(mc.InvalidOption, match=r"game was 'mcts_core\.\S+\.TicTacToe' and is 'mcts_core\.\S+\.Conn"):
        mc.selfplay(mc.ConnectFour(), folder=whole, evaluator=evaluate, **OPTIONS)


def test_a_seed_of_its_own(tmp_path):
    play(tmp_path / "a", seed=None, games=1)
    play(tmp_path / "b", seed=None, games=1)
    seed = manifest(tmp_path / "a")["seed"]
    assert seed != manifest(tmp_path / "b")["seed"]
    play(tmp_path / "a", seed=None, games=3)
    play(tmp_path / "b", seed=None, games=3)
    play(tmp_path / "c", seed=seed, games=3)
    assert contents(tmp_path / "a") == contents(tmp_path / "c") != contents(tmp_path / "b")


@pytest.mark.parametrize(("text", "reason"), [
    (b"", "Expecting value"), (b"\xff\xfe", "it is not a text file"), (b"[]", ""), (b"{}", "'format'"),
    (b'{"format": "other"}', "another format"),
    (b'{"format": "mcts_core selfplay", "version": 2}', "its version is 2, but this package reads version 1"),
    (b'{"format": "mcts_core selfplay", "version": 1, "settings": {}, "seed": 1, "shards": []}', ""),
    (b'{"format": "mcts_core selfplay", "version": 1, "settings": {}, "seed": 1, "shards": {"x": {}}}', ""),
    (b'{"format": "mcts_core selfplay", "version": 1, "settings": {}, "seed": 1e999, "shards": {}}', "infinity"),
    (b"[" * 100_000, "recursion"),
])
def test_a_manifest_that_is_none(tmp_path, text, reason):
    (tmp_path / "selfplay.json").write_bytes(text)
    with pytest.raises(mc.InvalidFile, match="is not a manifest of selfplay: .*" + reason):
        play(tmp_path)
    assert contents(tmp_path) == {"selfplay.json": text}


def test_shards_without_a_manifest(whole, tmp_path):
    (tmp_path / "shard-00007.npz").write_bytes(b"precious")
    with pytest.raises(mc.InvalidOption, match="has shards but no selfplay.json"):
        play(tmp_path)
    assert contents(tmp_path) == {"shard-00007.npz": b"precious"}


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError):
        play(tmp_path / "file")
    play(str(tmp_path / "deep" / "er"), games=1)
    assert len(contents(tmp_path / "deep" / "er")) == 2


@pytest.mark.parametrize("bad", ["nothing", "text", "cut", "pickle", "fewer", "lengths", "single"])
def test_files_that_are_no_shards(whole, tmp_path, monkeypatch, bad):
    monkeypatch.chdir(tmp_path)
    path, good = Path("file.npz"), (whole / "shard-00000.npz").read_bytes()
    arrays = dict(np.load(whole / "shard-00000.npz"))
    if bad == "fewer":
        del arrays["values"]
    elif bad == "lengths":
        arrays["values"] = arrays["values"][1:]
    elif bad == "pickle":
        arrays["values"] = np.array([{}] * len(arrays["values"]), object)
    if bad in ("fewer", "lengths", "pickle"):
        np.savez(path, **arrays)
    elif bad == "single":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        path.write_bytes({"nothing": b"", "text": b"hello", "cut": good[:len(good) // 2]}[bad])
    with pytest.raises(mc.InvalidFile, match=r"file.npz' is not a file of selfplay: \S"):
        mc.SelfPlayData.load(path)


def damaged(good, chooser):
    """A file with some bytes changed, cut or doubled, mostly in its headers and its directory."""
    data = bytearray(good)
    heads = [at for at in range(len(good) - 4) if good[at:at + 2] == b"PK"]
    for _ in range(chooser.choice((1, 1, 2, 8))):
        at = chooser.choice(heads) + chooser.randrange(50) if chooser.random() < 0.7 else chooser.randrange(len(data))
        at = min(at, len(data) - 1)
        data[at] = chooser.choice((data[at] ^ 1 << chooser.randrange(8), chooser.randrange(256), 0, 255))
    if chooser.random() < 0.1:
        del data[chooser.randrange(len(data)):]
    if chooser.random() < 0.05:
        at = chooser.randrange(len(data))
        data[at:at] = data[:chooser.randrange(len(data))]
    return bytes(data)


@pytest.mark.long
@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
def test_damaged_files_are_refused_or_read_as_they_were(whole, tmp_path, count, save):
    path, chooser, ends = tmp_path / "file.npz", random.Random(1), Counter()
    arrays = dict(np.load(whole / "shard-00000.npz"))
    save(path, **arrays)
    good = path.read_bytes()
    for _ in range(count):
        path.write_bytes(damaged(good, chooser))
        try:
            found = mc.SelfPlayData.load(path)
        except mc.InvalidFile as error:
            ends[type(error)] += 1
        else:
            ends["read"] += 1
            assert all(np.array_equal(getattr(found, name), array) for name, array in arrays.items())
    assert min(ends[mc.InvalidFile], ends["read"]) > count // 20


def archive(path, arrays, change=lambda name, content: content, method=zipfile.ZIP_DEFLATED):
    """Writes a file like that of a shard, after ``change`` of each part."""
    with zipfile.ZipFile(path, "w", method) as file:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array)
            file.writestr(f"{name}.npy", change(name, content.getvalue()))


SHAPE = re.compile(rb"'shape': \(([0-9, ]*)\), \}( *)")


def other_shape(shape):
    """Changes the shape in the headers of all arrays, whose length stays."""
    def change(name, content):
        found = SHAPE.search(content)
        text = b"'shape': " + shape + b", }"
        return content[:found.start()] + text.ljust(len(found[0])) + content[found.end():]

    return change


@pytest.mark.parametrize("made", [
    {"method": zipfile.ZIP_BZIP2}, {"method": zipfile.ZIP_LZMA},
    {"change": lambda name, content: content + bytes(8)}, {"change": lambda name, content: content[:-1]},
    {"change": lambda name, content: content.replace(b"'<f4'", b"'<f8'")},
    {"change": lambda name, content: content.replace(b"'<f4'", b"'|O' ")},
    {"change": lambda name, content: content[:6] + b"\3" + content[7:]},
    {"change": lambda name, content: b"(" * 60_000}, {"change": lambda name, content: bytes(10**6)},
    *({"change": other_shape(shape)} for shape in (
        b"(1,)", b"(10**18,)", b"(1000000000000,)", b"(-1, -1)", b"()", b"(0, 99999999999)", b"1", b"((((((")),
])
def test_archives_that_only_look_right_are_refused(whole, tmp_path, monkeypatch, made):
    monkeypatch.chdir(tmp_path)
    arrays = dict(np.load(whole / "shard-00000.npz"))
    archive("file.npz", arrays, **made)
    tracemalloc.start()
    try:
        with pytest.raises(mc.InvalidFile, match=r"file.npz' is not a file of selfplay: \S"):
            mc.SelfPlayData.load("file.npz")
        assert tracemalloc.get_traced_memory()[1] < 1e7
    finally:
        tracemalloc.stop()


def test_an_archive_by_hand_is_read(whole, tmp_path):
    arrays = dict(np.load(whole / "shard-00000.npz"))
    archive(tmp_path / "file.npz", arrays)
    found = mc.SelfPlayData.load(tmp_path / "file.npz")
    assert all(np.array_equal(getattr(found, name), array) for name, array in arrays.items())
    found.values[:] = 0.5  # what is read can be changed
    empty = mc.SelfPlayData(**{name: array[:0] for name, array in arrays.items()})
    empty.save(tmp_path / "empty.npz")
    assert len(mc.SelfPlayData.load(tmp_path / "empty.npz")) == 0
    turned = mc.SelfPlayData(**{name: np.asfortranarray(array) for name, array in arrays.items()})
    turned.save(tmp_path / "turned.npz")
    assert np.array_equal(mc.SelfPlayData.load(tmp_path / "turned.npz").observations, arrays["observations"])


@pytest.mark.parametrize("place", ["encrypted", "declared", "directory"])
def test_headers_that_promise_too_much_are_refused(whole, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    data = bytearray((whole / "shard-00000.npz").read_bytes())
    at = data.index(b"PK\1\2")  # the first entry of the directory
    if place == "encrypted":
        data[at + 8] |= 1
    elif place == "declared":
        data[at + 24:at + 28] = b"\xf0\xff\xff\x7f"
    else:
        end = data.rindex(b"PK\5\6")
        data[end + 12:end + 16] = b"\xf0\xff\xff\x7f"
    Path("file.npz").write_bytes(data)
    with pytest.raises(mc.InvalidFile, match=r"file.npz' is not a file of selfplay: \S"):
        mc.SelfPlayData.load("file.npz")


def test_data_are_saved_and_shown(whole, tmp_path):
    data = mc.SelfPlayData.load(whole / "shard-00000.npz")
    games = len(set(data.games.tolist()))
    shape = data.observations.shape[1:]
    assert repr(data) == (f"<SelfPlayData {len(data)} positions of {games} games  observations {shape}  "
                          f"{data.policies.shape[1]} actions>")
    data.save(tmp_path / "all")
    again = mc.SelfPlayData.load(tmp_path / "all")
    for field in dataclasses.fields(data):
        ours, theirs = getattr(data, field.name), getattr(again, field.name)
        assert ours.dtype == theirs.dtype and (ours == theirs).all()
    assert [path.name for path in tmp_path.iterdir()] == ["all"]


def test_paths_that_are_none(tmp_path):
    with pytest.raises(mc.InvalidOption, match="path must be a str or a path, got 5"):
        mc.SelfPlayData(*[np.zeros((1, 1))] * 7).save(5)
    with pytest.raises(FileNotFoundError):
        mc.SelfPlayData.load(tmp_path / "nowhere.npz")
    with pytest.raises(mc.InvalidOption, match="path must be a str or a path, got 5"):
        mc.SelfPlayData.load(5)
