"""Text of positions, the same for every board game: lists of moves and diagrams.

A list of moves is a sequence of ints or a text; in a text, moves are separated by spaces, commas or semicolons, or
simply written one after the other where every move of the board is one digit. A diagram has a row of cells per line,
row 0 on top: ``X`` the player who began, ``O`` the other, ``.`` empty; white space is free.
"""

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import IllegalMove, InvalidState

CELLS = ".XO"


def parse_moves(moves, count, base=0):
    """The moves of a text or a sequence as a list of ints from 0 to ``count - 1``; ``base`` is the first move's number.

    Whether the moves are legal one after the other is for the game to say. Raises IllegalMove.
    """
    base = as_int(base, "base", 0, 1)
    last = count - 1 + base
    whole = shorten(moves)
    if isinstance(moves, (bytes, bytearray)):
        raise IllegalMove(f"moves must be a text or a sequence of ints, got {whole}")
    if isinstance(moves, str):
        tokens = moves.replace(",", " ").replace(";", " ").split()
        if last <= 9 and len(tokens) == 1:
            tokens = list(tokens[0])
        numbers = []
        for token in tokens:
            if not (token.isascii() and token.isdigit() and len(token) < 10):
                raise IllegalMove(f"move {len(numbers) + 1} of {whole} must be a number from {base} to {last}, "
                                  f"got {shorten(token)}")
            numbers.append(int(token))
    else:
        try:
            numbers = list(moves)
        except TypeError:
            raise IllegalMove(f"moves must be a text or a sequence of ints, got {whole}") from None
    return [as_int(number, f"move {index + 1} of {whole}", base, last, IllegalMove) - base
            for index, number in enumerate(numbers)]


def parse_diagram(text, rows, cols):
    """The cells of a diagram, row by row from the top, as bytes: 0 empty, 1 the player who began, 2 the other.

    Raises InvalidState.
    """
    if not isinstance(text, str):
        raise InvalidState(f"a diagram must be a str, got {shorten(text)}")
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


def check_winner(first, second, stones, line, text):
    """Raises InvalidState unless at most one player has a ``line`` and then has made the last of all ``stones``."""
    if first and second:
        raise InvalidState(f"only one player can have {line}, but both do in {shorten(text)}")
    if first and stones % 2 == 0 or second and stones % 2 == 1:
        raise InvalidState(f"the player with {line} must have moved last, but the numbers of stones "
                           f"say that {'O' if first else 'X'} did in {shorten(text)}")


def format_diagram(cells, rows, cols):
    """The diagram of ``rows * cols`` cells (0, 1, 2), one row a line, a space between two cells."""
    return "\n".join(" ".join(CELLS[cells[row * cols + col]] for col in range(cols)) for row in range(rows))
