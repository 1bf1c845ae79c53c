"""src/mcts_core/games/mnk/network.pyx, src/kernels/mnk/network.h: files of networks, and what networks compute."""

import math
import pickle
import random
import re
import struct
import threading
import zlib

import pytest
from network_oracle import NetworkOracle, exp2_minus, file_of, level, looked_at, made_up, pairs_of, sigmoid

import mcts_core as mc
from mcts_core.games.mnk.network import Network
from mcts_core.games.mnk.weights import shipped
from mcts_core.testing.network_probe import network_outputs, powers, rows_made

pytestmark = pytest.mark.wasm

SHAPES = [(5, 5), (9, 9), (15, 15), (5, 22), (22, 5), (22, 22), (8, 13)]


def random_board(draw, rows, cols, full=None):
    """A board with that share of its cells taken."""
    full = draw.choice([0.03, 0.15, 0.5, 0.9]) if full is None else full
    return [[draw.choice([1, 2]) if draw.random() < full else 0 for _ in range(cols)] for _ in range(rows)]


def outputs(network, board, player):
    return network_outputs(network, bytes(stone for row in board for stone in row), len(board), len(board[0]), player)


def signed(data):
    """``data`` with the right checksum at its end."""
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


def changed(at, kind, *numbers):
    """The file of a network with other numbers at a place, and its checksum."""
    data = bytearray(made_up(1))
    struct.pack_into(f"<{len(numbers)}{kind}", data, at, *numbers)
    return signed(bytes(data))


# ---- files -----------------------------------------------------------------------------------------------------------

def test_the_shipped_network_loads():
    network = shipped()
    assert network is shipped() and network == Network(network.source)
    assert re.fullmatch(r"\d+-[0-9a-f]{8}", network.version) and repr(network) == f"<Network {network.version}>"
    assert network.version == f"{network.generation}-{zlib.crc32(network.source[:-4]):08x}"


def test_networks_are_equal_by_their_files():
    first, again, other = Network(made_up(1)), Network(bytearray(made_up(1))), Network(memoryview(made_up(2)))
    assert first == again and hash(first) == hash(again) and first != other and first != first.source
    assert (first.generation, first.source) == (3, made_up(1)) and first.version.startswith("3-")
    copied = pickle.loads(pickle.dumps(other))
    assert copied == other and copied.version == other.version
    board = random_board(random.Random(1), 9, 9, 0.3)
    assert outputs(copied, board, 1) == outputs(other, board, 1) != outputs(first, board, 1)


def test_the_generation_is_any_number_of_the_file():
    network = Network(changed(24, "I", 2**32 - 1))
    assert network.generation == 2**32 - 1 and network.version.startswith("4294967295-")


@pytest.mark.parametrize("data", [None, "network", 7, [1, 2], level])
def test_what_are_no_bytes(data):
    with pytest.raises(mc.InvalidOption, match="must be the bytes of its file, got "):
        Network(data)
    if data is not None:
        with pytest.raises(mc.InvalidOption, match="must be the bytes of its file, got "):
            mc.Searcher(network=data)


# inner 8: half at 32, mix at 5856, bias at 6368, policy at 6496, value1 at 6560, its bias at 10656, value2 at 10784,
# its bias at 10848, the checksum at 10852
@pytest.mark.parametrize(("data", "text"), [
    (b"", r"must begin with b'MCTSLINE', got b''"), (b"MCTSLINE", "got b'MCTSLINE'"),
    (b"MCTSLINK" + made_up(1)[8:], "must begin with b'MCTSLINE', got b'MCTSLINK'"),
    (changed(8, "I", 2), "must have format 1, .* got format 2 with 32 and 32"),
    (changed(16, "I", 64), "32 channels and 32 hidden numbers, got format 1 with 64 and 32"),
    (changed(20, "I", 16), "got format 1 with 32 and 16"),
    *((changed(12, "I", inner), f"a multiple of 8 up to 256, got {inner}$") for inner in (0, 4, 12, 264, 2**32 - 8)),
    (changed(12, "I", 16), r"has 17192 bytes, got 10856$"),
    (made_up(1)[:-8], "has 10856 bytes, got 10848$"), (made_up(1) + b"\0", "has 10856 bytes, got 10857$"),
    (made_up(1)[:-1] + bytes([made_up(1)[-1] ^ 1]), "the checksum of the network is wrong"),
    (made_up(1)[:5000] + bytes([made_up(1)[5000] ^ 4]) + made_up(1)[5001:], "checksum"),
    (changed(32, "h", 8192), "from -8191 to 8191, got 8192$"), (changed(5854, "h", -8192), "got -8192$"),
    (changed(5856, "h", 4097), "from -4096 to 4096, got 4097$"), (changed(6366, "h", -32768), "got -32768$"),
    (changed(6368, "i", 2**28 + 1), "from -268435456 to 268435456, got 268435457$"),
    (changed(6492, "i", -2**31), "a bias .* got -2147483648$"),
    (changed(6560, "h", 5000), "to 4096, got 5000$"), (changed(10654, "h", -4097), "got -4097$"),
    (changed(10656, "i", 2**31 - 1), "a bias .* got 2147483647$"), (changed(10784, "h", 4100), "got 4100$"),
    (changed(10846, "h", 4100), "got 4100$"), (changed(10848, "i", -2**28 - 1), "a bias .* got -268435457$"),
])
def test_files_that_are_wrong(data, text):
    with pytest.raises(mc.InvalidFile, match=text):
        Network(data)


def test_sums_that_do_not_fit():
    """Each weight may be as large as it may be, but not all of 256: the table is summed up in 32 bits."""
    parts = {"half": [[8191] * 256] * 364, "mix": [[4096] + [0] * 31 for _ in range(256)]}
    with pytest.raises(mc.InvalidFile, match="of channel 0 of the network are too large: .* may reach 4293918720"):
        Network(level(inner=256, **parts))
    most = {"half": [[8191] * 128] * 364, "mix": [[0, 4096] + [0] * 30 for _ in range(128)]}
    Network(level(inner=128, bias=[0, 2**31 - 1 - 128 * 4095 * 4096] + [0] * 30, **most))
    with pytest.raises(mc.InvalidFile, match="channel 1 .* reach 2147483648"):
        Network(level(inner=128, bias=[0, -(2**31 - 128 * 4095 * 4096)] + [0] * 30, **most))


# ---- what networks compute -------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("seed", "inner", "extreme", "shapes"), [
    (1, 8, False, SHAPES), (2, 8, True, SHAPES[1:]), (3, 16, True, [(9, 9), (5, 22)]),
    (4, 128, True, [(5, 5), (6, 7)])])
def test_outputs_equal_the_oracle(seed, inner, extreme, shapes):
    source = made_up(seed, inner, extreme)
    assert len(check(Network(source), NetworkOracle(source), seed, shapes)) > 1


def test_outputs_of_the_shipped_network_equal_the_oracle():
    check(shipped(), NetworkOracle(shipped().source), 9, [(9, 9), (5, 12)])


def check(network, oracle, seed, shapes):
    """The values of random boards, and of all cells whatever the kernels say of them."""
    draw, values, logits = random.Random(seed), set(), set()
    for rows, cols in shapes:
        player, board = draw.randrange(2), random_board(draw, rows, cols)
        value, cells = outputs(network, board, player)
        assert value == oracle.value(board, player)
        assert sorted(cells) == sorted(row * cols + col for row, col in looked_at(board))
        for cell, (logit, patterns) in cells.items():
            assert patterns == tuple(b * (b + 1) // 2 + a for a, b in pairs_of(board, player, divmod(cell, cols)))
            assert logit == oracle.logit(board, player, divmod(cell, cols))
            logits.add(logit)
        values.add(value)
    assert len(logits) > 3
    return values


@pytest.mark.parametrize("seed", [5, 6])
def test_empty_and_full_boards(seed):
    source = made_up(seed, extreme=True)
    network, oracle = Network(source), NetworkOracle(source)
    for rows, cols in SHAPES:
        for board in (random_board(random.Random(seed), rows, cols, 1.0), [[0] * cols for _ in range(rows)]):
            for player in (0, 1):
                value, cells = outputs(network, board, player)
                assert value == oracle.value(board, player) and not cells


def test_the_largest_sums_of_channels():
    """All channels of all cells are 1: the largest sums that a board of 22 x 22 allows, and those of 16 bits."""
    source = level(bias=[2**28] * 32, value1=[[4096] * 32] * 32 + [[0] * 32] * 32, value2=[0] * 31 + [1])
    network, oracle = Network(source), NetworkOracle(source)
    board = [[int(row % 3 == 1 and col % 3 == 1) for col in range(22)] for row in range(22)]
    value, cells = outputs(network, board, 0)
    assert len(cells) > 400 and value == oracle.value(board, 0) == 8191 >> 9


def turned(board, way):
    """One of the eight symmetries."""
    if way & 1:
        board = board[::-1]
    if way & 2:
        board = [row[::-1] for row in board]
    return [list(row) for row in zip(*board, strict=True)] if way & 4 else board


@pytest.mark.parametrize("source", [made_up(7, extreme=True), shipped().source], ids=["made up", "shipped"])
def test_symmetries_and_colours_change_nothing(source):
    network, draw = Network(source), random.Random(3)
    for rows, cols in [(5, 5), (9, 9), (5, 22), (8, 13), (22, 22)]:
        board = random_board(draw, rows, cols)
        labels = [[row * cols + col for col in range(cols)] for row in range(rows)]
        value, cells = outputs(network, board, 0)
        for way in range(8):
            there, names = turned(board, way), turned(labels, way)
            for player in (0, 1):
                seen = there if player == 0 else [[(0, 2, 1)[stone] for stone in row] for row in there]
                other, found = outputs(network, seen, player)
                assert other == value
                places = {names[cell // len(names[0])][cell % len(names[0])]: found[cell][0] for cell in found}
                assert places == {cell: cells[cell][0] for cell in cells}


def test_the_value_is_that_of_the_player_to_move():
    """A network that counts own stones beside a cell, and takes the opponent's away."""
    half = [[0] * 8 for _ in range(364)]
    for number in range(1, 4):  # half-lines of one cell: empty, own, other
        half[number][0] = (0, 256, -256)[number - 1]
    mix = [[1024] + [0] * 31] + [[0] * 32] * 7
    source = file_of(half, mix, [0] * 32, [512] + [0] * 31, [[0] * 32] * 64, [0] * 32, [0] * 32, 0)
    board = [[0] * 9 for _ in range(9)]
    board[1][1] = 1  # beside the corner: its half-line in that direction has more than one cell
    board[0][1] = 1
    board[8][7] = 2
    network = Network(source)
    for player in (0, 1):
        _, cells = outputs(network, board, player)
        assert {cell: found[0] for cell, found in cells.items()} == {
            row * 9 + col: NetworkOracle(source).logit(board, player, (row, col)) for row, col in looked_at(board)}


def test_powers_of_two():
    exponents = [*range(0, 2100, 7), 4095, 255, 256, 257, 7935, 7936, 10**6]
    for x, (power, share) in zip(exponents, powers(exponents), strict=True):
        assert power * 2**31 == exp2_minus(x) and share * 65536 == sigmoid(x)
        assert abs(power - 2 ** (-x / 256)) < 1e-8 and abs(share - 1 / (1 + 2 ** (-x / 256))) <= 1 / 65536
        assert x > 1500 or math.isclose(power, 2 ** (-x / 256), rel_tol=1e-6)
    assert powers([0]) == [(1.0, 0.5)]


# ---- the table -------------------------------------------------------------------------------------------------------

def patterns_of(board):
    """The patterns of all cells that the network looks at, for the player who began."""
    return {b * (b + 1) // 2 + a for cell in looked_at(board) for a, b in pairs_of(board, 0, cell)}


def test_rows_are_computed_when_a_position_needs_them():
    network, draw, seen = Network(made_up(3, inner=16)), random.Random(4), set()
    assert rows_made(network) == rows_made(network, exact=True) == 0
    for _ in range(3):
        board = random_board(draw, 15, 15, 0.1)
        outputs(network, board, 0)
        assert patterns_of(board) - seen
        seen |= patterns_of(board)
        assert (rows_made(network), rows_made(network, exact=True)) == (len(seen), 0)


def test_a_search_for_exactly_five_computes_rows_of_its_own():
    network = Network(made_up(3))
    mc.Searcher(network=network, selection="puct", seed=1).search(mc.Gomoku(rule="exact"), iterations=50)
    assert rows_made(network) == 0 < rows_made(network, exact=True)


@pytest.mark.parametrize("extreme", [False, True])
def test_outputs_do_not_depend_on_the_rows_that_are_there(extreme):
    source, draw = made_up(5, extreme=extreme), random.Random(6)
    boards = [random_board(draw, 9, 9, 0.2) for _ in range(20)]
    forwards, backwards = Network(source), Network(source)
    found = [outputs(forwards, board, 1) for board in boards]
    assert found == [outputs(backwards, board, 1) for board in reversed(boards)][::-1]


@pytest.mark.needs("threads")
def test_threads_that_compute_the_same_rows_find_the_same_outputs():
    source = made_up(3, inner=16)
    board = random_board(random.Random(2), 15, 15, 0.2)
    expected = outputs(Network(source), board, 0)
    for _ in range(3):
        network, ready, found = Network(source), threading.Barrier(6), []

        def work(network=network, ready=ready, found=found):
            ready.wait()
            found.append(outputs(network, board, 0))

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 6
