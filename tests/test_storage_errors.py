"""mcts_core/storage.py, src/mcts_core/engine/storage.pyx, src/mcts_core/tree/storage.pyx: the format of files, and
files that are damaged, foreign or made up. Each is refused with its reason, or can be searched with."""

import base64
import os
import pathlib
import pickle
import struct
import subprocess
import sys

import pytest
from network_oracle import made_up
from saved_files import MAGIC, PREFIX, load, put_together, run, saved, searched, take_apart

import mcts_core as mc
from mcts_core import storage

TESTS = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def small():
    """A small saved Searcher."""
    return saved(searched(mc.TicTacToe(), 20, preset="uct", memory_mb=1))


def refused(path, data, text=""):
    path.write_bytes(data)
    with pytest.raises(mc.InvalidFile) as caught:
        mc.Searcher.load(path)
    message = str(caught.value)
    assert message.startswith(repr(str(path))[:40]) and " cannot be loaded: " in message and text in message
    return message


def changed(data, *path, to):
    """The file with another value in its header."""
    header, trees = take_apart(data)
    at = header
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return put_together(header, trees)


def test_the_format(small):
    """As the documentation says; files of version 1 must be readable for ever."""
    assert small[:8] == MAGIC and struct.unpack_from("<II", small, 8)[0] == 1
    header, trees = take_apart(small)
    assert put_together(header, trees)[PREFIX.size:].count(b"TicTacToe") == 1
    assert set(header) == {"package", "options", "game", "resolved", "search", "searches"}
    assert header["game"] == {"class": "TicTacToe", "rules": {}, "diagram": None, "moves": []}
    assert b"pickle" not in small and len(trees) % 64 == 0
    assert load(put_together(header, trees)).stats() == load(small).stats()


def test_a_file_of_this_version_of_the_format_can_be_read():
    """Saved in version 1 of the format: Connect Four after 33, 300 iterations of UCT, seed 11, memory_mb 16."""
    engine = mc.Searcher.load(TESTS / "data" / "saved_1.mcts")
    stats = engine.stats()
    assert (stats.iterations, stats.seed, stats.stop_reason, sum(m.visits for m in stats.moves)) == (
        300, 11, "iterations", 300)
    fresh = mc.Searcher(preset="uct", seed=11, memory_mb=16)
    fresh.search(mc.ConnectFour.from_moves("33"), iterations=300)
    assert fresh.stats().moves == stats.moves
    state = mc.ConnectFour.from_moves("33").play(stats.move)
    assert engine.search(state, iterations=300) == fresh.search(state, iterations=300)
    assert engine.stats().moves == fresh.stats().moves and engine.stats().reused_visits > 0


def test_truncated_files(small, tmp_path):
    assert len(small) < 4000
    for length in range(len(small)):
        with pytest.raises(mc.InvalidFile):
            load(small[:length])
    for length in (0, 1, 5, 8, 9, 23, 24, 100, len(small) - 1):
        refused(tmp_path / "short", small[:length], "truncated" if 0 < length < 24 else "")
    refused(tmp_path / "long", small + b"\0", f"should have {len(small)} bytes, but it has {len(small) + 1}")


def test_flipped_bits(small):
    for place in range(len(small)):
        data = bytearray(small)
        data[place] ^= 1 << place % 8
        with pytest.raises(mc.InvalidFile):
            load(bytes(data))


@pytest.mark.parametrize(("data", "text"), [
    (b"", "not a saved Searcher"), (b"hello", "not a saved Searcher"), (b"X" * 1000, "not a saved Searcher"),
    (pickle.dumps({"a": 1}) * 20, "not a saved Searcher"), (MAGIC, "truncated to 8 bytes"),
    (MAGIC.replace(b"\r\n", b"\n") + bytes(100), "not a saved Searcher"),
    (put_together({}, b"", version=2), "it has version 2 of the format, this version of mcts_core reads 1"),
    (put_together({}, b"", version=0), "it has version 0"), (put_together({}, b"", version=2**32 - 1), "version"),
    (put_together({}, b"", magic=b"\x89PNG\r\n\x1a\n"), "not a saved Searcher"),
    (put_together(b"{", b""), "header cannot be read"), (put_together(b"\xff\xfe", b""), "header cannot be read"),
    (put_together(b"[" * 100_000, b""), "header cannot be read"), (put_together(b"[]", b""), "not an object"),
    (put_together(b'{"options":{"seed":' + b"9" * 5000 + b"}}", b""), "header cannot be read"),
    (put_together({}, b""), "options must be there"), (put_together({"options": {"no": 1}}, b""), "options are not"),
    (put_together({"options": {"seed": -1}}, b""), "seed must be an int"),
    (put_together({"options": {}}, b"x" * 64), "a tree but no search"),
    (put_together({"options": {}, "search": 3}, b""), "trees must be there as list"),
    (put_together({"options": {}, "search": {"trees": []}}, b""), "no position"),
    (PREFIX.pack(MAGIC, 1, 10, 2**62) + bytes(100), "bytes, but it has 124"),
    (PREFIX.pack(MAGIC, 1, 2**32 - 1, 0) + bytes(100), "bytes, but it has 124"),
    (PREFIX.pack(MAGIC, 1, 2**21, 0) + bytes(2**21 + 64), "bytes, but it has"),
], ids=lambda value: repr(value)[:40])
def test_foreign_files(data, text, tmp_path):
    refused(tmp_path / "foreign", data, text)


@pytest.mark.parametrize(("path", "to", "text"), [
    (("game", "class"), "Chess", "a position of 'Chess', which this version does not know"),
    (("game", "class"), "os.system", "does not know"), (("game", "class"), ["TicTacToe"], "class must be there as str"),
    (("game", "class"), "ConnectFour", "the rules of ConnectFour are rows, cols, connect, got {}"),
    (("game", "rules"), {"base": 1}, "the rules of TicTacToe are"),
    (("game", "moves"), [0, 0], "cell a3 (number 0) is occupied"),
    (("game", "moves"), [0, 3, 1, 4, 2], "the end of a game"),
    (("game", "moves"), "012", "moves must be there as list"),
    (("game", "moves"), [True], "must be an int"), (("game", "diagram"), "X", "its position is impossible"),
    (("game", "diagram"), 3, "its position is impossible"), (("game", "moves"), [4], "damaged"),
    (("game",), None, "a tree but no position"), (("resolved",), 7, "resolved must be there as dict"),
    (("resolved", "exploration"), "x", "options do not fit"), (("resolved", "nothing"), 1, "options do not fit"),
    (("resolved", "selection"), "rave", "guided must be there"),
    (("resolved", "rollouts_per_leaf"), 0, "options do not fit"),
    (("options", "preset"), "best", "options are not"), (("options", "memory_mb"), 1e300, "options are not"),
    (("search", "trees", 0, "bytes"), 2**50, "other sizes than its header says"),
    (("search", "trees", 0, "bytes"), -64, "bytes must be from 0"),
    (("search", "trees", 0, "bytes"), 10**30, "bytes must be from 0"),
    (("search", "trees"), [], "other sizes than its header says"), (("search", "trees"), [3], "bytes must be there"),
    (("searches",), 2**63, "searches must be from 0"), (("searches",), -1, "searches must be from 0"),
    (("search", "seed"), 2**64, "seed must be from 0"), (("search", "seconds"), 0.0, "seconds must be a finite"),
    (("search", "seconds"), 1, "seconds must be there as float"),
    (("search", "overshoot"), -1.0, "overshoot must be a finite"),
    (("search", "stop_reason"), "a b", "stop_reason must be a word"), (("search", "isa"), "", "isa must be a word"),
    (("search", "finished"), 1, "finished must be there as bool"), (("search", "pv"), [9], "variation is not legal"),
    (("search", "pv"), [], "variation is empty"), (("search", "pv"), [4, 4], "variation is not legal"),
    (("search", "pv"), {"4": 4}, "pv must be there as list"), (("search", "bytes"), 0, "bytes must be from 1"),
    (("search", "trees", 0, "iterations"), 10, "the visits of the root are not those of its"),
    (("search", "trees", 0, "iterations"), 2**31, "iterations must be from"),
    (("search", "trees", 0, "reused"), 2**30 - 10, "reused must be from"),
    (("search", "trees", 0, "nodes"), -1, "nodes must be from"),
    (("search", "trees", 0, "rollouts"), True, "rollouts must be there as int"),
    (("search", "trees", 0, "depth_sum"), 2**63, "depth_sum must be from"),
], ids=repr)
def test_headers_that_cannot_be(path, to, text, small, tmp_path):
    refused(tmp_path / "bad", changed(small, *path, to=to), text)


@pytest.mark.parametrize(("name", "to", "text"), [
    ("value", 3, "value must be from -1 to 2"), ("move", 40, "the first move of a proof must be legal"),
    ("move", True, "the first move of a proof must be legal"),
    ("root_proofs_due", -1, "root_proofs_due must be from 0"), ("settled", 1, "settled must be from 0 to 0"),
    ("exact", 2, "exact must be from 0 to 1"), ("proof_iterations", 2**31, "proof_iterations must be from 0"),
])
def test_proofs_that_cannot_be(name, to, text, tmp_path):
    data = saved(searched(mc.ConnectFour(), 50))
    refused(tmp_path / "bad", changed(data, "search", "trees", 0, "guided", name, to=to), text)
    refused(tmp_path / "bad", changed(data, "search", "trees", 0, "guided", to=None), "guided must be there")


@pytest.mark.parametrize(("to", "text"), [
    (7, "network must be there as str"), ("%%%", "its network is not in base64"), ("AAAA", "must begin with"),
    (base64.b64encode(made_up(1)[:-8]).decode(), "has 10856 bytes, got 10848"), ([], "network must be there as str"),
], ids=lambda value: repr(value)[:30])
def test_networks_that_cannot_be(to, text, tmp_path):
    data = saved(searched(mc.Gomoku(9), 5, network=made_up(1)))
    for part in ("options", "resolved"):
        refused(tmp_path / "bad", changed(data, part, "network", to=to), text)


def test_files_of_other_games(tmp_path):
    """The tree of one position under the name of another one."""
    games = [mc.ConnectFour(), mc.ConnectFour(5, 6, 4), mc.MNK(7, 1, 7), mc.TicTacToe(), mc.Gomoku(8), mc.Gomoku(9)]
    count = 0
    for options in ({"preset": "uct"}, {}):
        files = [saved(searched(game, 120, **options)) for game in games]
        headers = [take_apart(data)[0] for data in files]
        for index, data in enumerate(files):
            for other, header in enumerate(headers):
                if other == index:
                    continue
                fake = changed(changed(data, "game", to=header["game"]), "resolved", to=header["resolved"])
                try:  # a tree without all moves may be one of another game as well
                    engine = load(fake)
                except mc.InvalidFile:
                    count += 1
                    continue
                assert options == {}
                assert engine.search(games[other], iterations=100) in games[other].legal_moves()
    assert count > 50


def test_big_endian_machines(small, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "byteorder", "big")
    with pytest.raises(mc.InvalidFile, match="little-endian"):
        mc.Searcher().save(tmp_path / "engine")
    assert not list(tmp_path.iterdir())
    with pytest.raises(mc.InvalidFile, match="little-endian"):
        load(small)


def test_a_file_that_shrinks(small, tmp_path, monkeypatch):
    (tmp_path / "engine").write_bytes(small)
    real = storage._read_header

    def cut(file, size):
        result = real(file, size)
        os.truncate(tmp_path / "engine", size - 40)
        return result

    monkeypatch.setattr(storage, "_read_header", cut)
    with pytest.raises(mc.InvalidFile, match="ends too early"):
        mc.Searcher.load(tmp_path / "engine")


@pytest.mark.needs("resource")
def test_a_bomb(tmp_path):
    """A gigabyte of nothing that says it is a tree: refused before memory is taken, and the process stays small."""
    done = run(
        "import hashlib, json, resource, struct, sys\n"
        "import mcts_core as mc\n"
        "engine = mc.Searcher(preset='uct', memory_mb=4)\n"
        "engine.search(mc.ConnectFour(), iterations=100)\n"
        "data = engine.__reduce__()[1][1]\n"
        "length, = struct.unpack_from('<I', data, 12)\n"
        "header = json.loads(data[24:24 + length])\n"
        "header['search']['trees'][0]['bytes'] = 2**30 // 96 * 96\n"
        "text = json.dumps(header).encode()\n"
        "begin = struct.pack('<8sIIQ', data[:8], 1, len(text), 2**30 // 96 * 96) + text\n"
        "begin += hashlib.sha256(begin).digest()\n"
        "with open(sys.argv[1], 'wb') as file:\n"
        "    file.write(begin)\n"
        "    file.truncate(len(begin) + 2**30 // 96 * 96 + 32)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for limit in (None, 100):\n"
        "    try:\n        mc.Searcher.load(sys.argv[1], memory_mb=limit)\n"
        "    except mc.InvalidOption as error:\n        print(error)\n"
        "assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 20_000\n", tmp_path / "bomb")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("memory_mb must be larger for a tree that takes 1024.0 MB, got ") == 2


@pytest.mark.parametrize(("seed", "cases"), [(1, 700), pytest.param(2, 10_000, marks=pytest.mark.slow)])
def test_damaged_trees_with_valid_checksums(seed, cases):
    """Whoever makes a file makes its checksums: it is refused, or it can be searched with. In a process of its own,
    since the failure would be a crash."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(TESTS / "saved_files.py"), str(seed), str(cases)],
        capture_output=True, text=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stderr
    refused, used, gone_on = map(int, done.stdout.split())
    assert refused + used == cases or refused + used - cases < 50
    assert refused > cases // 2 and used > cases // 20 and gone_on > cases // 20
