"""Checks of arguments that all modules use."""

import math
import operator
import os

from mcts_core.errors import IllegalMove, InvalidOption

MAX_SECONDS = 1e9


def shorten(value, length=80):
    """``repr(value)`` for a message, cut to ``length`` characters."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= length else text[:length - 3] + "..."


cdef bint is_bool(value) except -1:
    """Whether a value is True or False, of Python or in an array of any library."""
    return isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool")


def as_int(value, name, low, high, error=InvalidOption):
    """``value`` as an int from ``low`` to ``high``. Raises ``error`` otherwise, with ``name`` in the message."""
    try:
        number = value if type(value) is int else operator.index(value)
    except TypeError:
        number = None
    if number is None or (type(value) is not int and is_bool(value)) or not low <= number <= high:
        expected = f"an int from {low} to {high}" if low < high else f"{low}"
        raise error(f"{name} must be {expected}, got {shorten(value)}") from None
    return number


def as_number(value, name, low, high, *, above=False, noun="number"):
    """``value`` as a float from ``low`` to ``high``, or InvalidOption, which calls it by ``noun``; ``above``: it
    may not be ``low`` itself."""
    cdef bint is_number = type(value) is float or type(value) is int
    try:
        # float() also reads text, and bytes of any kind
        if not is_number and (is_bool(value) or not (hasattr(value, "__float__") or hasattr(value, "__index__"))):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidOption(f"{name} must be a {noun}, got {shorten(value)}") from None
    if not math.isfinite(number) or not low <= number <= high or (above and number == low):
        expected = f"above {low:g} and at most {plain(high)}" if above else f"from {low:g} to {plain(high)}"
        raise InvalidOption(f"{name} must be a finite {noun} {expected}, got {shorten(value)}")
    return number


cdef str plain(number):
    """As people write it: 1e9, and not 1e+09."""
    return f"{number:g}".replace("e+0", "e")


def as_duration(seconds):
    """``seconds`` as a time limit, or InvalidOption."""
    return as_number(seconds, "seconds", 0.0, MAX_SECONDS, above=True)


def as_path(value, name):
    """``value`` as a str or bytes that names a file or folder, or InvalidOption."""
    try:
        path = os.fspath(value)
    except TypeError:
        raise InvalidOption(f"{name} must be a str or a path, got {shorten(value)}") from None
    if ("\0" if isinstance(path, str) else b"\0") in path:
        raise InvalidOption(f"{name} must have no null characters, got {shorten(value)}")
    return path


cdef int as_move(object move, int count, str name) except -1:
    """``move`` as a C int from 0 to ``count - 1``. Raises IllegalMove otherwise, also for a bool."""
    cdef Py_ssize_t number = -1
    if type(move) is int:
        try:
            number = move
        except OverflowError:
            pass
    if not 0 <= number < count:
        number = as_int(move, f"a {name}", 0, count - 1, IllegalMove)
    return <int>number
