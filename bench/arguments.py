"""Numbers and options as the command lines of these scripts take them."""

import ast
import re


def whole(text):
    """A whole number above 0, as digits or like 1e6."""
    number = float(text)
    if not 1 <= number < 1e18 or number != int(number):
        raise ValueError
    return int(number)


def positive(text):
    """A number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def option(text):
    """(name, value) of ``name=value``; a value that is no Python literal is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"expected name=value, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def options(text):
    """A dict from ``name=value,name=value``; a comma ends a value only where another name and ``=`` follow."""
    parts = re.split(r",(?=\s*[^\W\d]\w*\s*=(?!=))", text) if text.strip() else []
    return dict(option(part.strip()) for part in parts)


def as_text(named):
    """The options as they are typed."""
    return ",".join(f"{name}={value}" for name, value in named.items())
