"""Openings of matches: an endless sequence for each seed, every one played twice with sides swapped."""

import random
from itertools import count
from pathlib import Path

from games import GOMOKU_SIZE

DATA = Path(__file__).resolve().parent / "data"
FILES = {"gomoku": "openings15_freestyle.txt", "gomoku-exact": "openings15_exact5.txt"}
PLIES = 2, 6
"""Fewest and most random moves of an opening of Connect Four."""
BORDER = 2
"""Cells between a stone of a gomoku opening and the border, at least."""
SHIFT = 3
"""Cells by which a gomoku opening is moved from the centre, at most."""
TRIES = 200
"""Attempts to find an opening that was not there before; small games have few."""


def sequence(game, seed, plies=None):
    """Openings as lists of moves, without end, the same for the same seed however many are taken.

    ``plies``: that many random moves, 0 for the first position in every game; None: as suits the game.
    """
    chooser = random.Random(f"openings/{game.name}/{seed}")
    make = listed(game, chooser) if game.name in FILES and plies is None else drawn(game, chooser, plies)
    seen = set()
    for _ in count():
        for _ in range(TRIES):
            moves, position = next(make)
            if position not in seen:
                break
        seen.add(position)
        yield moves


def drawn(game, chooser, plies=None):
    """Random moves that leave the game open; on boards above 8x8 near the centre."""
    start = game.start()
    area = set(start.legal_moves())
    if game.constructor == "ConnectFour":
        fewest, most = PLIES
    else:
        m, n = start.m, start.n
        fewest, most = 1, max(1, min(4, m * n // 4))
        if min(m, n) > 8:
            area = {y * m + x for x in range(m // 2 - 3, m // 2 + 4) for y in range(n // 2 - 3, n // 2 + 4)}
    if plies is not None:
        fewest = most = plies
    while True:
        position, moves = start, []
        for _ in range(chooser.randint(fewest, most)):
            if position.winner() is None:
                moves.append(chooser.choice(sorted(area.intersection(position.legal_moves()))))
                position = position.play(moves[-1])
        if still_open(position):
            yield moves, position


def still_open(position):
    """Does the game go on, without a win in one and with a move that allows none."""
    return (position.winner() is None and not can_win(position)
            and any(not can_win(position.play(move)) for move in position.legal_moves()))


def can_win(position):
    """Has the player to move a move that wins at once; the game may be over."""
    return position.winner() is None and any(
        position.play(move).winner() == position.to_move for move in position.legal_moves())


def listed(game, chooser):
    """Those of the game's file, each as often as the others, in a random symmetry and place."""
    lines = read(DATA / FILES[game.name])
    while True:
        for offsets in chooser.sample(lines, len(lines)):
            moves = placed(offsets, chooser)
            position = game.start()
            for move in moves:
                position = position.play(move)
            yield moves, position


def read(path):
    """The openings of a file as lists of (x, y), offsets from the centre."""
    openings = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            numbers = [int(number) for number in line.split(",")]
            openings.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
    return openings


def placed(offsets, chooser):
    """The moves of an opening, turned, mirrored and moved at random."""
    flip_x, flip_y, swap = (chooser.choice((1, -1)), chooser.choice((1, -1)), chooser.random() < 0.5)
    turned = [(flip_x * x, flip_y * y) for x, y in offsets]
    if swap:
        turned = [(y, x) for x, y in turned]
    room = GOMOKU_SIZE // 2 - BORDER
    shifts = []
    for numbers in zip(*turned, strict=True):
        low, high = max(-SHIFT, -room - min(numbers)), min(SHIFT, room - max(numbers))
        shifts.append(chooser.randint(low, high))
    centre = GOMOKU_SIZE // 2
    return [(y + shifts[1] + centre) * GOMOKU_SIZE + x + shifts[0] + centre for x, y in turned]
