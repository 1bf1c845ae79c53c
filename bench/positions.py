"""The positions of known value in ``tests/data``, as one kind of record whatever their file."""

import random
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
    """The right moves, as ours; empty where none is known."""
    unproven: frozenset
    """Moves that may be right or wrong."""
    legal: int
    """Number of legal moves."""
    groups: tuple
    """(heading, name) pairs under which it is counted; a sample is spread over the first two."""
    value: int | None = None
    """1 won, 0 drawn, -1 lost for the player to move; None where it is not known."""
    values: tuple = ()
    """(move, value) pairs where more is known of moves than that they are right or wrong."""
    distance: int | None = None
    """Plies to the end of the game with best play; None where it is not known or nobody wins."""

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

    def possible(self, move):
        """The values that a move may have, for the player to move."""
        known = dict(self.values)
        verdict = self.verdict(move)
        if move in known:
            return {known[move]}
        if self.value is None or verdict == "unproven":
            return set(VALUES)
        return {self.value} if verdict == "good" else {value for value in VALUES if value < self.value}


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


def sample(positions, count, seed):
    """About ``count`` numbers of positions, in order: each group of the first two headings has its share of them."""
    order = random.Random(seed).sample(range(len(positions)), len(positions))
    order.sort(key=lambda number: positions[number].groups[:2])
    count = min(count, len(order))
    return sorted(order[(2 * place + 1) * len(order) // (2 * count)] for place in range(count))


def sign(number):
    return (number > 0) - (number < 0)


def band(plies):
    """The name of the band of plies that a position is in."""
    low = 0 if plies < 8 else plies // 4 * 4
    return "0-7" if plies < 8 else f"{low}-{low + 3}"


def plies_to_end(score, plies, cells):
    """Plies from a position after ``plies`` moves to the end of the game; None for a draw.

    ``score``: +k when the player to move wins with the k-th last of his stones, -k when the other one does so, with all
    ``cells`` of the board shared out in turn.
    """
    if score == 0:
        return None
    winner = plies % 2 if score > 0 else (plies + 1) % 2
    stones, played = (cells + 1 - winner) // 2, (plies + 1 - winner) // 2
    to_play = stones - abs(score) + 1 - played
    return 2 * to_play - (score > 0)


def column_values(scores):
    """The values of columns from their scores, ``.`` for a full one."""
    return tuple((column, sign(int(score))) for column, score in enumerate(scores.split()) if score != ".")


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
    played, value = column_digits(moves), sign(int(score))
    groups = ("tag", tag), ("value", VALUES[value]), ("plies", band(len(played)))
    values = column_values(scores)
    return Position("ConnectFour", (), played, frozenset(column_digits(good)), frozenset(), len(values), groups, value,
                    values, plies_to_end(int(score), len(played), 42))


def connect_small(fields):
    """A line of ck_small_dev.tsv."""
    cols, rows, connect, moves, score, scores, good, _ = fields
    options = ("rows", int(rows)), ("cols", int(cols)), ("connect", int(connect))
    played, value = column_digits(moves), sign(int(score))
    groups = ("board", f"{cols}x{rows}x{connect}"), ("value", VALUES[value])
    values = column_values(scores)
    return Position("ConnectFour", options, played, frozenset(column_digits(good)), frozenset(), len(values), groups,
                    value, values, plies_to_end(int(score), len(played), int(cols) * int(rows)))


def mnk_small(fields):
    """A line of mnk_small_dev.tsv."""
    cols, rows, k, moves, value, good, legal = fields
    options = ("m", int(cols)), ("n", int(rows)), ("k", int(k))
    groups = ("board", f"{cols}x{rows}x{k}"), ("value", VALUES[int(value)])
    return Position("MNK", options, cells(moves, int(cols)), frozenset(cells(good, int(cols))), frozenset(), int(legal),
                    groups, int(value))


def literature(fields):
    """A line of mnk_literature.tsv: an empty board, of whose moves nothing is told."""
    gravity = fields[0] == "c4"
    cols, rows, *rest = map(int, fields[1:5] if gravity else fields[:4])
    if gravity:
        value, game, connect, legal = rest[0], "ConnectFour", 4, cols
        options = ("rows", rows), ("cols", cols), ("connect", connect)
    else:
        (connect, value), game, legal = rest, "MNK", cols * rows
        options = ("m", cols), ("n", rows), ("k", connect)
    groups = (("board", f"{game} {cols}x{rows}x{connect}"),)
    distance = rest[1] if gravity and value else None
    return Position(game, options, (), frozenset(), frozenset(range(legal)), legal, groups, value, (), distance)


def tic_tac_toe(fields):
    """A line of ttt_truth.tsv; None for a finished game."""
    board, side, value, plies, good, _ = fields
    if side == "-":
        return None
    groups = ("value", VALUES[int(value)]), ("plies", str(9 - board.count(".")))
    diagram = "\n".join(board[row:row + 3] for row in (0, 3, 6))
    return Position("TicTacToe", (), diagram, frozenset(map(int, good)), frozenset(), board.count("."), groups,
                    int(value), (), int(plies) if int(value) else None)


def gomoku(fields):
    """A line of gomoku_dev.tsv."""
    rule, size, moves, _, kind, good, plies, legal, losing, unproven, tags, _ = fields
    size = int(size)
    played, right = cells(moves, size), cells(good, size)
    others = set(range(size * size)).difference(played, right)
    if unproven.startswith("*"):  # *N: N of the others, not listed; in one position one other move loses
        unknown = others
        if len(unknown) != int(unproven[1:]) + int(losing):
            raise ValueError(f"{len(unknown)} moves are left, the file says {unproven} and {losing}")
    else:
        unknown = set(cells(unproven, size))
    rule_name = {"freestyle": "freestyle", "exact5": "exact"}[rule]
    groups = ("rule", rule_name), ("kind", kind), (rule_name, kind), ("tags", "none" if tags == "-" else tags)
    won = kind in ("win1", "open4") or kind.startswith("vcf")
    values = [(move, 1) for move in right if won] + [(move, -1) for move in sorted(others - unknown)]
    return Position("Gomoku", (("size", size), ("rule", rule_name)), played, frozenset(right), frozenset(unknown),
                    int(legal), groups, 1 if won else None, tuple(values), 1 if kind == "win1" else None)


COLLECTIONS = {
    "c4": Collection("c4_dev.tsv", "Connect Four 6x7", connect_four, (10_000, 100_000, 1_000_000)),
    "ck_small": Collection("ck_small_dev.tsv", "small boards with gravity", connect_small, (1_000, 10_000, 100_000)),
    "ttt": Collection("ttt_truth.tsv", "tic-tac-toe, every position", tic_tac_toe, (1_000, 5_000, 20_000)),
    "mnk_small": Collection("mnk_small_dev.tsv", "small m,n,k boards", mnk_small, (1_000, 10_000, 100_000)),
    "gomoku": Collection("gomoku_dev.tsv", "gomoku 15x15 tactics", gomoku, (10_000, 100_000)),
    "literature": Collection("mnk_literature.tsv", "empty boards of known value", literature, (100_000,)),
}
