"""The modules of examples/train_gomoku for the tests, and what they say slowly."""

import importlib
import pathlib
import random
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).parents[1] / "examples" / "train_gomoku"
NAMES = [path.stem for path in FOLDER.glob("*.py")]


def load(*names):
    """Some modules of the folder, which share what they import; their names, which are common ones, stay free."""
    before = {name: sys.modules.pop(name) for name in NAMES if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(FOLDER))
        for name in NAMES:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def random_board(rows, cols, stones, chooser):
    """A board from the view of the side to move with stones near each other."""
    board = np.zeros((rows, cols), np.int8)
    places = [(chooser.randrange(rows), chooser.randrange(cols))] if stones else []
    while len(places) < stones:
        row, col = chooser.choice(places)
        row, col = row + chooser.randint(-2, 2), col + chooser.randint(-2, 2)
        if 0 <= row < rows and 0 <= col < cols and (row, col) not in places:
            places.append((row, col))
    for number, place in enumerate(reversed(places)):
        board[place] = 2 - number % 2
    return board


def random_boards(seed=1, count=40):
    chooser = random.Random(seed)
    for _ in range(count):
        rows, cols = chooser.randint(5, 20), chooser.randint(5, 20)
        yield random_board(rows, cols, chooser.randint(1, 25), chooser)


def board_of(text):
    """A board of a drawing: ``.`` empty, ``x`` the side to move, ``o`` the other."""
    return np.array([[".xo".index(cell) for cell in line] for line in text.split()], np.int8)
