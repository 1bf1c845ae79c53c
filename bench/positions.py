"""The positions of known value in ``tests/data``, as one kind of record whatever their file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
"""The tests need these files and travel with them; a second copy could only differ."""


@dataclass(frozen=True)
class Position:
    """A position and the moves that keep its value."""

    game: str
    """``ConnectFour``, ``MNK`` or ``Gomoku``: a name of mcts_core."""
    options: tuple
    """(name, value) pairs of its constructor."""
    moves: tuple
    """The moves that lead there, or a diagram as a string."""
    good: frozenset
    """The right moves, as ours."""
    unproven: frozenset
    """Moves that may be right or wrong."""
    legal: int
    """Number of legal moves."""
    groups: tuple
    """(heading, name) pairs under which it is counted."""

    def state(self):
        """The position as a state of mcts_core."""
        import mcts_core

        game, options = getattr(mcts_core, self.game), dict(self.options)
        if isinstance(self.moves, str):
            return game.from_string(self.moves, **options)
        return game.from_moves(self.moves, **options)

    def verdict(self, move):
        """``good``, ``unproven`` or ``wrong``."""
        return "good" if move in self.good else "unproven" if move in self.unproven else "wrong"


@dataclass(frozen=True)
class Collection:
    """A file of positions."""

    file: str
    title: str
    read: Callable
    """Fields of a line -> Position, or None for a line without a search."""
    iterations: tuple
    """What is searched when nothing else is asked for."""

    def load(self, folder=DATA):
        """The positions of the file, in its order."""
        lines = Path(folder, self.file).read_text(encoding="utf-8").splitlines()
        read = [self.read(line.split("\t")) for line in lines if line and not line.startswith("#")]
        return [position for position in read if position is not None]


VALUES = {1: "won", 0: "drawn", -1: "lost"}


def sign(number):
    return (number > 0) - (number < 0)


def band(plies, width=6):
    """The name of the band of plies that a position is in."""
    low = plies // width * width
    return f"{low}-{low + width - 1}"


def column_digits(text):
    """Columns written as digits from 1, ``-`` for none, as ours."""
    return tuple(int(digit) - 1 for digit in text if digit != "-")


def cells(text, cols):
    """``x,y;x,y`` with ``-`` for none, as ours."""
    pairs = (pair.split(",") for pair in text.split(";") if pair != "-")
    return tuple(int(y) * cols + int(x) for x, y in pairs)


def connect_four(fields):
    """A line of c4_dev.tsv."""
    moves, score, scores, good, _, tag, _ = fields
    played = column_digits(moves)
    groups = ("tag", tag), ("value", VALUES[sign(int(score))]), ("plies", band(len(played)))
    return Position("ConnectFour", (), played, frozenset(column_digits(good)), frozenset(),
                    sum(entry != "." for entry in scores.split()), groups)


def connect_small(fields):
    """A line of ck_small_dev.tsv."""
    cols, rows, connect, moves, score, scores, good, _ = fields
    options = ("rows", int(rows)), ("cols", int(cols)), ("connect", int(connect))
    groups = ("board", f"{cols}x{rows}x{connect}"), ("value", VALUES[sign(int(score))])
    return Position("ConnectFour", options, column_digits(moves), frozenset(column_digits(good)), frozenset(),
                    sum(entry != "." for entry in scores.split()), groups)


def mnk_small(fields):
    """A line of mnk_small_dev.tsv."""
    cols, rows, k, moves, value, good, legal = fields
    options = ("m", int(cols)), ("n", int(rows)), ("k", int(k))
    groups = ("board", f"{cols}x{rows}x{k}"), ("value", VALUES[int(value)])
    return Position("MNK", options, cells(moves, int(cols)), frozenset(cells(good, int(cols))), frozenset(), int(legal),
                    groups)


def tic_tac_toe(fields):
    """A line of ttt_truth.tsv; None for a finished game."""
    board, side, value, _, good, _ = fields
    if side == "-":
        return None
    groups = ("value", VALUES[int(value)]), ("plies", str(9 - board.count(".")))
    diagram = "\n".join(board[row:row + 3] for row in (0, 3, 6))
    return Position("TicTacToe", (), diagram, frozenset(map(int, good)), frozenset(), board.count("."), groups)


def gomoku(fields):
    """A line of gomoku_dev.tsv."""
    rule, size, moves, _, kind, good, _, legal, losing, unproven, tags, _ = fields
    size = int(size)
    played, right = cells(moves, size), cells(good, size)
    if unproven.startswith("*"):  # *N: N of the others, not listed; in one position one other move loses
        open_moves = set(range(size * size)).difference(played, right)
        if len(open_moves) != int(unproven[1:]) + int(losing):
            raise ValueError(f"{len(open_moves)} moves are left, the file says {unproven} and {losing}")
    else:
        open_moves = cells(unproven, size)
    rule_name = {"freestyle": "freestyle", "exact5": "exact"}[rule]
    groups = ("rule", rule_name), ("kind", kind), (rule_name, kind), ("tags", "none" if tags == "-" else tags)
    return Position("Gomoku", (("size", size), ("rule", rule_name)), played, frozenset(right), frozenset(open_moves),
                    int(legal), groups)


COLLECTIONS = {
    "c4": Collection("c4_dev.tsv", "Connect Four 6x7", connect_four, (10_000, 100_000, 1_000_000)),
    "ck": Collection("ck_small_dev.tsv", "small boards with gravity", connect_small, (1_000, 10_000, 100_000)),
    "ttt": Collection("ttt_truth.tsv", "tic-tac-toe, every position", tic_tac_toe, (1_000, 20_000)),
    "mnk": Collection("mnk_small_dev.tsv", "small m,n,k boards", mnk_small, (1_000, 10_000, 100_000)),
    "gomoku": Collection("gomoku_dev.tsv", "gomoku 15x15 tactics", gomoku, (10_000, 100_000)),
}
