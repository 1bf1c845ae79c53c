"""Moves, lists of moves and positions as text, the same for every board game.

Coordinates: a cell is a letter for the column and a number for the row, with ``a1`` at the bottom left. If stones fall
down columns, a move is the number of its column, from 1.

A list of moves is a str or a sequence. In a str, spaces, commas or semicolons separate the moves. Within a word,
numbers of one digit (``4455``, ``44 55``) and cells (``h8h9``) are read one after the other. A text with two readings
is refused.

A diagram has one row of cells per line, row 0 on top: ``X`` is the player who began, ``O`` the other, and ``.`` an
empty cell. White space does not matter. The diagram may have the coordinates of a printed board around it.
"""

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import IllegalMove, InvalidState

CELLS = ".XO"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
BRACKETS = str.maketrans("()|", "   ")  # around the last move and the stones of a line that wins


# ---- coordinates -----------------------------------------------------------------------------------------------------

def column_name(column, slots):
    """The name of a column: a to z, then aa, ab, ...; with ``slots``, a number from 1."""
    if slots:
        return str(column + 1)
    return LETTERS[column] if column < 26 else LETTERS[column // 26 - 1] + LETTERS[column % 26]


def column_names(cols, slots):
    """The names of the columns, from left to right."""
    return tuple([column_name(column, slots) for column in range(cols)])


def row_names(rows, slots):
    """The names of the rows, from the top: numbers down to 1; empty with ``slots``."""
    return () if slots else tuple([str(rows - row) for row in range(rows)])


def cell_name(cell, rows, cols):
    """The name of a cell, such as h8."""
    return f"{column_name(cell % cols, False)}{rows - cell // cols}"


def find_cell(text, rows, cols):
    """The cell with the name ``text``, such as h8 or H8; -1 if the board has no such cell."""
    letters = text.rstrip(DIGITS)
    number = text[len(letters):]
    if not text.isascii() or not 1 <= len(number) <= 4:
        return -1
    names = column_names(cols, False)
    row = rows - int(number)
    if letters.lower() not in names or not 0 <= row < rows:
        return -1
    return row * cols + names.index(letters.lower())


# ---- moves -----------------------------------------------------------------------------------------------------------

def split_moves(moves, count, base=0, rows=0, cols=0):
    """The single moves of a str or a sequence: those in the words of the str, or the items of the sequence.

    Words are split further: where ``count`` moves, from ``base``, are numbers of one digit, into digits; with ``rows``
    and ``cols`` also into names of cells. With ``count`` 0, moves are no numbers. Raises IllegalMove for a str with two
    readings, and for any other object.
    """
    if isinstance(moves, str):
        check_pairs(moves, rows, cols, base)
        digits = DIGITS[base:base + count] if base + count <= 10 else ""
        words = moves.replace(",", " ").replace(";", " ").split()
        found = []
        for word in words:
            if digits and len(words) == 1:
                found += rows and split_cells(word) or word
            elif digits and len(word) > 1 and set(word) <= set(digits):
                if word.startswith("0"):
                    raise IllegalMove(f"{word!r} in {shorten(moves)} has two readings: the number {int(word)}, or the "
                                      f"moves {' '.join(word)}; write one of these")
                found += word
            else:
                found += rows and split_cells(word) or [word]
        return found
    if not isinstance(moves, (bytes, bytearray)):
        try:
            return list(moves)
        except TypeError:
            pass
    raise IllegalMove(f"moves must be a text or a sequence of moves, got {shorten(moves)}")


def check_pairs(text, rows, cols, base):
    """Raises IllegalMove if ``text`` has a word such as 7,8 that may be two cells by their numbers, from ``base``, or
    one cell in the coordinates of Gomocup: column and row from 0, from the top left."""
    for word in ",".join([part.strip() for part in text.split(",")]).replace(";", " ").split() if rows else ():
        pair = word.strip(",").split(",")
        if len(pair) != 2 or not all([part.isascii() and part.isdigit() and len(part) < 5 for part in pair]):
            continue
        column, row = int(pair[0]), int(pair[1])
        if column < cols and row < rows and min(column, row) >= base:
            both = " ".join([cell_name(number - base, rows, cols) for number in (column, row)])
            single = cell_name(row * cols + column, rows, cols)
            raise IllegalMove(f"{word!r} in {shorten(text)} has two readings: the cells with the numbers {column} and "
                              f"{row}, which are {both}, or one cell by column and row as in the Gomocup protocol, "
                              f"which is {single}; write the names of cells")


def split_cells(word):
    """The names of cells that ``word`` consists of; empty if it has another form."""
    found = []
    rest = word
    while rest:
        letters = rest[:len(rest) - len(rest.lstrip(LETTERS + LETTERS.upper()))]
        number = rest[len(letters):]
        number = number[:len(number) - len(number.lstrip(DIGITS))]
        if not letters or not number:
            return []
        found.append(letters + number)
        rest = rest[len(letters) + len(number):]
    return found


def as_number(move, what, count, base, rows=0, cols=0):
    """The number, from 0 to ``count - 1``, of a move that is an int or a str; error messages call it ``what``.

    Given numbers count from ``base``. With ``rows`` and ``cols``, moves are cells, and a str may also be the name of a
    cell. The move need not be legal. Raises IllegalMove.
    """
    if not isinstance(move, str):
        return as_int(move, what, base, count - 1 + base, IllegalMove) - base
    word = move.strip()
    number = find_cell(word, rows, cols)
    if number < 0 and word.isascii() and word.isdigit() and len(word) < 10:
        number = int(word) - base
    if not 0 <= number < count:
        names = f"a cell from a1 to {cell_name(cols - 1, rows, cols)}, or " if rows else ""
        hint = "; base=1 counts from 1" if number == count and base == 0 and not rows else ""
        expected = f"{names}a number from {base} to {count - 1 + base}"
        raise IllegalMove(f"{what} must be {expected}, got {shorten(move)}{hint}")
    return number


def parse_moves(moves, count, base=0, rows=0, cols=0):
    """The moves of a str or a sequence as a list of ints from 0 to ``count - 1``; see split_moves and as_number."""
    base = as_int(base, "base", 0, 1)
    whole = shorten(moves)
    return [as_number(move, f"move {index + 1} of {whole}", count, base, rows, cols)
            for index, move in enumerate(split_moves(moves, count, base, rows, cols))]


# ---- diagrams --------------------------------------------------------------------------------------------------------

def parse_diagram(text, rows, cols):
    """The cells of a diagram, row by row from the top, as bytes: 0 empty, 1 the player who began, 2 the other.

    Raises InvalidState.
    """
    if not isinstance(text, str):
        raise InvalidState(f"a diagram must be a str, got {shorten(text)}")
    text = without_coordinates(text, rows, cols)
    cells = "".join(text.split()).upper()
    values = bytearray()
    for index, cell in enumerate(cells):
        value = CELLS.find(cell)
        if value < 0:
            raise InvalidState(f"cell {index} of the diagram must be one of '.', 'X', 'O', got {cell!r} "
                               f"in {shorten(text)}")
        values.append(value)
    lines = text.split("\n") if "\n" in text.strip() else []
    widths = [len("".join(line.split())) for line in lines if line.strip()]
    if len(values) != rows * cols or (widths and (len(widths) != rows or set(widths) != {cols})):
        raise InvalidState(f"a diagram of this board must have {rows} rows of {cols} cells ({rows * cols} cells), "
                           f"got {len(values)} cells in {shorten(text)}")
    first, second = values.count(1), values.count(2)
    if first - second not in (0, 1):
        raise InvalidState(f"a diagram must have as many X as O or one more, got {first} X and {second} O "
                           f"in {shorten(text)}")
    return bytes(values)


def without_coordinates(text, rows, cols):
    """The diagram within a board that ``draw_board`` has drawn; any other text unchanged."""
    lines = [line for line in text.splitlines() if line.strip()]
    for slots in (False, True):
        names = [line.split() for line in lines_of_columns(column_names(cols, slots), 0)]
        if len(lines) != rows + len(names) or any(
                lines[rows + at].split()[:len(each)] != each for at, each in enumerate(names)):
            continue
        found = []
        for row, line in enumerate(lines[:rows]):
            line = line.strip()
            if not slots and not line.startswith(str(rows - row)):
                return text
            found.append(line.lstrip(DIGITS).translate(BRACKETS))
        return "\n".join(found)
    return text


def check_winner(first, second, stones, line, text):
    """Raises InvalidState if both players have a ``line``, or if one has it but did not place the last stone."""
    if first and second:
        raise InvalidState(f"only one player can have {line}, but both do in {shorten(text)}")
    if first and stones % 2 == 0 or second and stones % 2 == 1:
        raise InvalidState(f"the player with {line} must have moved last, but by the numbers of stones "
                           f"{'O' if first else 'X'} did in {shorten(text)}")


def format_diagram(cells, rows, cols):
    """The diagram of ``rows * cols`` cells (0, 1, 2): one row per line, with spaces between the cells."""
    return "\n".join(" ".join(CELLS[cells[row * cols + col]] for col in range(cols)) for row in range(rows))


def lines_of_columns(names, margin):
    """The lines with the names of the columns below a board: names run downwards, after ``margin`` spaces."""
    tall = max([len(name) for name in names])
    return [(" " * (margin + 1) + " ".join(characters)).rstrip()
            for characters in zip(*[name.rjust(tall) for name in names], strict=True)]


def draw_board(marks, columns, rows, last=-1, winning=()):
    """The lines of a board with coordinates: ``marks`` has one character per cell, row by row from the top.

    ``columns`` and ``rows`` are their names; ``rows`` may be empty. The cell ``last`` is drawn in brackets, and the
    cells ``winning`` (row and column of each) between bars.
    """
    cols = len(columns)
    margin = max([len(name) for name in rows], default=0)
    lines = []
    for row in range(len(marks) // cols):
        line = list(" " + " ".join(marks[row * cols:(row + 1) * cols]) + " ")
        if last >= 0 and last // cols == row:
            line[2 * (last % cols)], line[2 * (last % cols) + 2] = "(", ")"
        for each, column in winning:
            if each == row:
                line[2 * column] = line[2 * column + 2] = "|"
        name = rows[row] if rows else ""
        lines.append(f"{name:>{margin}}{''.join(line)}".rstrip())
    return lines + lines_of_columns(columns, margin)


# ---- lines that win --------------------------------------------------------------------------------------------------

def winning_lines(stones, winner, need, exact):
    """The ends of the winner's unbroken lines that are long enough, as pairs of (row, column).

    ``stones`` has the player (+1 or -1) of each cell (row, column) with a stone. ``need``: the stones of a line that
    wins, with ``exact`` no more than these.
    """
    found = []
    for row, column in sorted(stones):
        for down, right in DIRECTIONS:
            if stones[row, column] != winner or stones.get((row - down, column - right)) == winner:
                continue
            length = 1
            while stones.get((row + length * down, column + length * right)) == winner:
                length += 1
            if length == need if exact else length >= need:
                found.append(((row, column), (row + (length - 1) * down, column + (length - 1) * right)))
    return found


def cells_of_lines(lines):
    """The set of the cells of lines that are given by their ends."""
    found = set()
    for (row, column), (last_row, last_column) in lines:
        steps = max(abs(last_row - row), abs(last_column - column))
        found |= {(row + (last_row - row) * step // steps, column + (last_column - column) * step // steps)
                  for step in range(steps + 1)} if steps else {(row, column)}
    return found
