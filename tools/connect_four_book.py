"""Makes the book of Connect Four: who wins each position of the standard board with so many stones, and the scores of
positions with fewer.

    python tools/connect_four_book.py solve --stones 10 --results signs.txt
    python tools/connect_four_book.py check --stones 10 --results signs.txt --sample 2000
    python tools/connect_four_book.py pack signs.book --stones 10 --results signs.txt
    python tools/connect_four_book.py solve --stones 4 --scores --book signs.book --results scores.txt
    python tools/connect_four_book.py pack mcts_core/games/connect_four/openings.book --stones 10 --results signs.txt \\
                                           --score-stones 4 --score-results scores.txt

``solve`` computes all of it from nothing with the exact search of the package, and appends one line for each position,
its moves and its value for the player to move, to the file of results. The value is "+", "=" or "-", and with
``--scores`` the score, a number (``src/mcts_core/games/connect_four/alpha_beta.pyx`` defines it); ``--book`` makes that
faster.
It can be stopped at any time, and goes on from there; ``--part 0 2`` does the first half of the positions, for two
processes with a file each, and leaves out those that the files of ``--known`` have. ``check`` computes some positions
again, in another order, each with an empty table and without a book, and compares. ``pack`` writes the file that the
package reads, and reads it back.

In it are the positions, mirror images once, in which the player to move neither wins at once nor has lost after his
move: the search sees those itself.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import struct
import time
import zlib
from pathlib import Path

from mcts_core import ConnectFour
from mcts_core.games.connect_four import openings
from mcts_core.games.connect_four.book import Book
from mcts_core.games.connect_four.position import use_book
from mcts_core.testing.probe import Probe

COLS, ROWS, HEIGHT = 7, 6, 7
FLOOR = sum(1 << HEIGHT * column for column in range(COLS))
BOARD = FLOOR * (2**ROWS - 1)
ENDLESS = 1 << 60
"""Budget of a proof."""
SIGNS = "-=+"
RESULT = re.compile(rb"(\d*) ([-=+]|-?\d+)\r?\n")
CELLS = COLS * ROWS
SCORE_BITS = 6


def mirror(key: int) -> int:
    """A key of the mirror image."""
    result = 0
    for column in range(COLS):
        result = result << HEIGHT | key >> HEIGHT * column & 2**HEIGHT - 1
    return result


def winning_cells(stones: int) -> int:
    """The empty cells of the board, or stones, that complete a line of four."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (HEIGHT - 1, HEIGHT, HEIGHT + 1):
        for others in ((-1, 1, 2), (-2, -1, 1), (1, 2, 3), (-3, -2, -1)):
            line = BOARD
            for n in others:
                line &= stones << n * step if n > 0 else stones >> -n * step
            found |= line
    return found & BOARD


def positions(stones: int) -> dict[int, bytes]:
    """The positions that the book is of: moves that lead there, by key; of two mirror images the smaller key.

    The key of a position is the stones of the player to move, plus all stones, plus the lowest cell of each column.
    """
    level: dict[int, tuple[int, int, bytes]] = {FLOOR: (0, 0, b"")}
    for _ in range(stones):
        following: dict[int, tuple[int, int, bytes]] = {}
        for mine, taken, path in level.values():
            theirs = mine ^ taken
            playable = taken + FLOOR & BOARD
            mine_wins = winning_cells(mine)
            for column in range(COLS):
                move = playable >> HEIGHT * column & 2**ROWS - 1
                move <<= HEIGHT * column
                if not move or move & mine_wins:
                    continue
                key = theirs + (taken | move) + FLOOR
                following.setdefault(min(key, mirror(key)), (theirs, taken | move, path + b"%d" % (column + 1)))
        level = following
    return {key: path for key, (mine, taken, path) in sorted(level.items()) if is_open(mine, taken)}


def is_open(mine: int, taken: int) -> bool:
    """Whether the player to move neither wins at once nor loses at once after every move."""
    playable = taken + FLOOR & BOARD
    theirs = winning_cells(mine ^ taken) & ~taken
    if winning_cells(mine) & playable:
        return False
    forced = theirs & playable
    if forced:
        playable = 0 if forced & forced - 1 else forced
    return playable & ~(theirs >> 1) != 0


def read_results(path: Path) -> dict[bytes, str]:
    """The value or the score of each position that was solved, by its moves; a line that was cut short is none."""
    found = {}
    if path.exists():
        for line in path.read_bytes().splitlines(keepends=True):
            if result := RESULT.fullmatch(line):
                found[result[1]] = result[2].decode()
    return found


def solved(probe: Probe, path: bytes, args: argparse.Namespace, book: bool) -> tuple[str, int]:
    """The value or the score of a position, and the nodes it took."""
    (value, distance, *_), nodes = probe.prove([move - 49 for move in path], ENDLESS, args.scores, args.memory << 20,
                                               book=book)
    if args.scores:
        return str((CELLS + 2 - len(path) - distance) // 2 * (value - 1)), nodes
    return SIGNS[value], nodes


def solve(args: argparse.Namespace) -> int:
    known = read_all(args.known)
    paths = [path for path in positions(args.stones).values() if path not in known]
    part, parts = args.part
    paths = paths[len(paths) * part // parts:len(paths) * (part + 1) // parts]
    done = read_results(args.results)
    left = [path for path in paths if path not in done]
    print(f"{len(paths)} positions, {len(left)} left", flush=True)
    if args.book is not None:
        openings.shipped()  # read now, it does not take the place of the book that was asked for
        use_book(Book(args.book.read_bytes()))
    probe, began, nodes, told = Probe(ConnectFour()), time.process_time(), 0, time.time()
    with args.results.open("ab") as file:
        file.seek(0, 2)
        if file.tell() and not args.results.read_bytes().endswith(b"\n"):
            file.write(b"\n")
        for count, path in enumerate(left, 1):
            value, spent = solved(probe, path, args, args.book is not None)
            nodes += spent
            file.write(path + b" " + value.encode() + b"\n")
            if time.time() > told + 10:
                told = time.time()
                file.flush()
                used = time.process_time() - began
                print(f"{count} of {len(left)}: {used:.0f} s of processor, {1000 * used / count:.1f} ms and "
                      f"{nodes // count} nodes each", flush=True)
    print(f"done: {time.process_time() - began:.0f} s of processor", flush=True)
    return 0


def check(args: argparse.Namespace) -> int:
    """Solves a sample of the positions again, in random order, each with an empty table; and counts."""
    places, found = positions(args.stones), read_all(args.results)
    paths = [path for path in places.values() if path in found]
    wrong, probe = 0, Probe(ConnectFour())
    for path in random.Random(args.seed).sample(paths, min(args.sample, len(paths))):
        probe.forget()
        value, _ = solved(probe, path, args, False)
        if value != found[path]:
            wrong += 1
            print(f"{path.decode()}: {found[path]} in the results, {value} now")
    print(f"{len(places)} positions, {len(paths)} solved, {min(args.sample, len(paths))} of them again, {wrong} wrong")
    if not args.scores:
        signs = [found[path] for key, path in places.items() if path in found and is_quiet(key)]
        print(f"{len(signs)} of them in which nobody can win with the next stone: {signs.count('+')} won, "
              f"{signs.count('=')} drawn, {signs.count('-')} lost")
    return 1 if wrong else 0


def is_quiet(key: int) -> bool:
    """Whether the other player has no winning cell that is playable."""
    mine, taken = split(key)
    return not winning_cells(mine ^ taken) & (taken + FLOOR & BOARD)


def split(key: int) -> tuple[int, int]:
    """The stones of the player to move, and all stones."""
    mine = taken = 0
    for column in range(COLS):
        part = key >> HEIGHT * column & 2**HEIGHT - 1
        height = part.bit_length() - 1
        mine |= (part ^ 1 << height) << HEIGHT * column
        taken |= (2**height - 1) << HEIGHT * column
    return mine, taken


def read_all(names: list[Path]) -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    for name in names:
        for path, sign in read_results(name).items():
            if found.setdefault(path, sign) != sign:
                raise SystemExit(f"{name}: {path.decode()} has another value in another file")
    return found


def places_of(key: int, seed: int, segments: int, bits: int) -> tuple[int, int, int]:
    """As ``c4_bit_of`` of ``src/kernels/connect_four/book.h``."""
    word, mask = 2**64 - 1, (1 << bits) - 1
    h = (key ^ seed) * 0x9E3779B97F4A7C15 & word
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & word
    h ^= h >> 32
    first = (h >> 32) * (segments - 2) >> 32
    third = ((h ^ h >> 43) * 0x9E3779B97F4A7C15 & word) >> 40 & mask
    return (first << bits) + (h & mask), (first + 1 << bits) + (h >> 21 & mask), (first + 2 << bits) + third


def make_filter(said: dict[int, int]) -> bytes:
    """A filter that says one bit for each key, with its header. The places of all keys are peeled: one that only one
    key has is its own, and the key goes last."""
    count = max(len(said), 16)
    bits = max(3, int(math.log(count) / math.log(3.33) + 2.25))
    size = count * max(1.125, 0.875 + 0.25 * math.log(1e6) / math.log(count))
    for seed in range(1, 10_000):
        segments = max(3, math.ceil(size / 2**bits) + seed // 20)
        places = {key: places_of(key, seed, segments, bits) for key in said}
        users, sums = [0] * (segments << bits), [0] * (segments << bits)
        for key, three in places.items():
            for place in three:
                users[place] += 1
                sums[place] ^= key
        single, order = [place for place, n in enumerate(users) if n == 1], []
        while single:
            place = single.pop()
            if users[place] != 1:
                continue
            key = sums[place]
            order.append((key, place))
            for other in places[key]:
                users[other] -= 1
                sums[other] ^= key
                if users[other] == 1:
                    single.append(other)
        if len(order) == len(said):
            break
    else:
        raise SystemExit("no seed makes a filter")
    array = bytearray(segments << bits - 3)
    for key, place in reversed(order):
        value = said[key]
        for other in places[key]:
            value ^= array[other >> 3] >> (other & 7) & 1
        array[place >> 3] ^= value << (place & 7)
    return struct.pack("<QII", seed, segments, bits) + bytes(array)


def as_file(stones: int, values: dict[int, int], score_stones: int = 0, scores: dict[int, int] | None = None) -> bytes:
    """The file of a book: ``src/mcts_core/games/connect_four/book.pyx`` says what is in it."""
    filters = [{key: int(value == 2) for key, value in values.items()},
               {key: int(value == 1) for key, value in values.items() if value != 2}]
    if scores is not None:
        filters += [{key: score + 2**(SCORE_BITS - 1) >> bit & 1 for key, score in scores.items()}
                    for bit in range(SCORE_BITS)]
    data = struct.pack("<8sIIII", b"MCTSC4BK", 1, stones, len(values), score_stones)
    data += b"".join(map(make_filter, filters))
    return data + struct.pack("<I", zlib.crc32(data))


def read_complete(stones: int, names: list[Path]) -> dict[int, str]:
    """What was found of every position, by key."""
    found = read_all(names)
    paths = positions(stones)
    for path in paths.values():
        if path not in found:
            raise SystemExit(f"{path.decode()} is not solved yet")
    return {key: found[path] for key, path in paths.items()}


def pack(args: argparse.Namespace) -> int:
    """Writes the file of the book and reads it back."""
    values = {key: SIGNS.index(sign) for key, sign in read_complete(args.stones, args.results).items()}
    scores = None
    if args.score_stones:
        scores = {key: int(score) for key, score in read_complete(args.score_stones, args.score_results).items()}
    data = as_file(args.stones, values, args.score_stones, scores)
    book = Book(data)
    if any(book.value(key) != value for key, value in values.items()) \
            or any(book.score(key) != score for key, score in (scores or {}).items()):
        raise SystemExit("the book does not say what it was made of")
    args.book.write_bytes(data)
    print(f"{len(values)} positions, {len(scores or {})} scores, {len(data)} bytes")
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for run in (solve, check, pack):
        command = commands.add_parser(run.__name__)
        command.set_defaults(run=run)
        command.add_argument("--stones", type=int, required=True)
        if run is not pack:
            command.add_argument("--scores", action="store_true", help="scores in place of values")
        if run is solve:
            command.add_argument("--book", type=Path, help="a book that the search may ask")
            command.add_argument("--results", type=Path, required=True)
            command.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("PART", "PARTS"))
            command.add_argument("--known", type=Path, nargs="+", default=[])
        else:
            command.add_argument("--results", type=Path, required=True, nargs="+")
        if run is check:
            command.add_argument("--sample", type=int, default=1000)
            command.add_argument("--seed", type=int, default=1)
        if run is pack:
            command.add_argument("book", type=Path)
            command.add_argument("--score-stones", type=int, default=0)
            command.add_argument("--score-results", type=Path, nargs="+", default=[])
        else:
            command.add_argument("--memory", type=int, default=1024 if run is solve else 64,
                                 help="MB of the table of the search")
    args = parser.parse_args(argv)
    return args.run(args)


if __name__ == "__main__":
    raise SystemExit(main())
