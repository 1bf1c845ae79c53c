"""The fuzzer's targets on their seeds, on what was once found, and on some changes by chance: `make fuzz` does more."""

import random
import struct
import zlib

import pytest
from fuzz import targets

FINDINGS = [
    (targets.notation, b"mnk:312,3,\x1d3\n01234567"),  # a space to strip(), none to int()
    (targets.messages, b"\x03\x00\x08\x00\x00\x00\x00\x01\x00\x00"),  # more wins than visits were heard
    (targets.messages, b"\x02\x00~\xff\xff\xff\x04\x00\x00\x80"),  # half of a message left wrong means in the tree
    (targets.network, b"\x01\x1b\x00\x00\x00\xff"),  # a generation of 2**31 or more: OverflowError
    (targets.messages, b"\x03\x00" + struct.pack("<6I", 3, 3, 4, 1, 5, 300)),  # the move of a proof was not legal
    # moves in the tree that its game, written in Python, does not have: GameError when the search plays them
    (targets.saved, b"\x07\x00\xe8\x03\x00@\x00\x00\x00\xcf\x00\x00\x00@\x00\x00@\x00"),
    # the options of another preset than that of the search: loaded, but not loaded again after it was saved
    (targets.saved, b"\xf7\x01\x00\xff\xff\xff@" + bytes(8) + b"\xff\xff\t\x05" + bytes(19)),
]


@pytest.mark.parametrize("name", targets.TARGETS)
def test_inputs_to_begin_with(name):
    for data in targets.inputs(name):
        targets.TARGETS[name](data)


@pytest.mark.parametrize("name", targets.TARGETS)
def test_changed_inputs(name):
    draw = random.Random(zlib.crc32(name.encode()))
    seeds = targets.SEEDS[targets.TARGETS[name]]
    for _ in range(40):
        data = bytearray(draw.choice(seeds))
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(data) + 1)
            data[at:at + draw.randrange(2)] = draw.choice([
                b"", b"\0", b"\xff", b" ", b"-", b"9", bytes([draw.randrange(256)]),
                draw.choice(seeds)[:draw.randrange(9)],
            ])
        targets.TARGETS[name](bytes(data))


def test_networks_that_are_accepted_are_searched(monkeypatch):
    monkeypatch.setattr(targets, "SEARCHED", 1)
    searched = []
    check = targets.probe.check_tree
    monkeypatch.setattr(targets.probe, "check_tree", lambda engine: searched.append(check(engine)))
    for data in targets.SEEDS[targets.network]:
        targets.network(data)
    assert 10 < len(searched) < len(targets.SEEDS[targets.network])


@pytest.mark.parametrize(("target", "data"), FINDINGS)
def test_what_was_found(target, data):
    target(data)


@pytest.mark.parametrize("error", [KeyError, SystemError, ValueError, MemoryError])
def test_what_is_no_refusal_comes_out(monkeypatch, error):
    def play_text(game, text):
        raise error

    monkeypatch.setattr("mcts_core.cli.games.BoardGame.play_text", play_text)
    with pytest.raises(error):
        targets.notation(b"connect4\n44")
