"""Saved Searchers taken apart and put together with valid checksums; run as a script, what comes of damaged ones."""

import hashlib
import io
import json
import os
import random
import struct
import subprocess
import sys

from seeds import without_seed

import mcts_core as mc
from mcts_core.storage import _build
from mcts_core.testing.probe import check_tree

MAGIC = b"\x89MCTS\r\n\x1a"
PREFIX = struct.Struct("<8sIIQ")

GAMES = [
    mc.ConnectFour(), mc.ConnectFour(4, 5, 3), mc.ConnectFour(5, 8, 4), mc.ConnectFour(8, 9, 5), mc.TicTacToe(),
    mc.MNK(4, 4, 4), mc.MNK(8, 7, 5, "exact"), mc.Gomoku(15), mc.ConnectFour.from_moves("33323504"),
    mc.Gomoku.from_moves("112 97 113 98 96 111 127 128"), mc.ConnectFour.from_moves("15347546561", base=1),
]
OPTIONS = [
    {"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 3}, {},
    {"selection": "ucb1-tuned", "rollouts_per_leaf": 3}, {"selection": "rave", "prior_weight": 2.0, "fpu": 0.5},
    {"selection": "grave", "grave_ref": 10, "rollout": "decisive"}, {"solver": False, "fpu": 0.8},
]
THREADS = [{"threads": 2, "exchange_every": 64, **options} for options in ({"preset": "uct"}, {"solver": False}, {})]


def searched(state, iterations=800, **options):
    engine = mc.Searcher(**{"seed": 7, "memory_mb": 16, **options})
    engine.search(state, iterations=iterations)
    return engine


def take_apart(data):
    """The header and the trees."""
    magic, version, header, trees = PREFIX.unpack(data[:PREFIX.size])
    assert (magic, version) == (MAGIC, 1)
    end = PREFIX.size + header
    assert data[end:end + 32] == hashlib.sha256(data[:end]).digest()
    assert data[-32:] == hashlib.sha256(data[:-32]).digest()
    assert len(data) == end + 32 + trees + 32
    return json.loads(data[PREFIX.size:end]), bytearray(data[end + 32:-32])


def put_together(header, trees, version=1, magic=MAGIC):
    """A file with the right checksums."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    begin = PREFIX.pack(magic, version, len(text), len(trees)) + text
    begin += hashlib.sha256(begin).digest() + bytes(trees)
    return begin + hashlib.sha256(begin).digest()


def load(data):
    return _build(lambda options: mc.Searcher(**options), io.BytesIO(data), len(data))


def places(data, path=()):
    """The paths of all values of JSON data."""
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield (*path, key)
        yield from places(data[key], (*path, key))


def change_header(header, draw):
    """Other values, or values of other types, at some places."""
    for _ in range(draw.choice([1, 1, 2, 4])):
        *path, last = draw.choice(list(places(header)))
        at = header
        for key in path:
            at = at[key]
        value = at[last]
        at[last] = draw.choice([
            None, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, 10**400, 1e308, "x", [], {}, True, False, 0.5,
            *([value + 1, value - 1, value * 2] if isinstance(value, (int, float)) else []),
        ])


def change_trees(trees, draw):
    """Bits, bytes or words changed, or words exchanged."""
    kind = draw.randrange(4)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        if kind == 0:
            trees[draw.randrange(len(trees))] ^= 1 << draw.randrange(8)
        elif kind == 1:
            trees[draw.randrange(len(trees))] = draw.randrange(256)
        else:
            i, j = (4 * draw.randrange(len(trees) // 4) for _ in range(2))
            if kind == 2:
                word, = struct.unpack_from("<I", trees, i)
                word = draw.choice([word + 1, word - 1, word + 64, word ^ 1 << 30, word ^ 1 << 31, 0, 1, 0x7FFFFFFF,
                                    0xFFFFFFFF, draw.getrandbits(32)])
                struct.pack_into("<I", trees, i, word & 0xFFFFFFFF)
            else:
                trees[i:i + 4], trees[j:j + 4] = trees[j:j + 4], trees[i:i + 4]


def main(seed, cases):
    """Loads damaged files with valid checksums, and searches with what could be loaded. Prints how many were refused
    and how many could be used; ends with an exception, or dies, where neither is so."""
    draw = random.Random(seed)
    refused = used = gone_on = 0
    while refused + used < cases:
        options = draw.choice([*OPTIONS, *THREADS])
        engine = mc.Searcher(seed=draw.randrange(99), memory_mb=8, **options)
        game = draw.choice(GAMES)
        engine.search(game, iterations=draw.choice([1, 5, 30, 300] if "threads" not in options else [300, 1100]))
        whole_header, whole_trees = take_apart(saved(engine))
        for _ in range(50):
            header, trees = json.loads(json.dumps(whole_header)), bytearray(whole_trees)
            if draw.randrange(5):
                change_trees(trees, draw)
            else:
                change_header(header, draw)
            try:
                loaded = load(put_together(header, trees))
            except (mc.InvalidFile, mc.InvalidOption):
                refused += 1
                continue
            used += 1
            if header.get("search") is not None:
                loaded.stats()
            state = game
            without_seed(loaded)  # so that the same position goes on, too
            while state.winner() is None and state.moves[len(game.moves):][:3] == state.moves[len(game.moves):]:
                try:
                    move = loaded.search(state, iterations=60)
                except mc.InvalidOption:  # of the changed options
                    break
                gone_on += loaded.stats().reused_visits > 0
                check_tree(loaded)
                if len(state.moves) == len(game.moves) + 2:
                    break
                state = state.play(move)
    print(refused, used, gone_on)


def saved(engine):
    """What ``engine.save`` writes."""
    return engine.__reduce__()[1][1]


def run(code, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=60,
        env={**os.environ, **environment}, check=False,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
