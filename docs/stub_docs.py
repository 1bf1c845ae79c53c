"""Writes the docstrings of native modules into their stubs, where editors read them: ``python docs/stub_docs.py``.

tests/docs/test_stub_docs.py fails while a stub says something else than its module.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from pathlib import Path
from typing import Any

import mcts_core
from mcts_core.games.mnk.network import Network

PACKAGE = Path(__file__).resolve().parent.parent / "mcts_core"
STUBS = ("errors", "game", "games/board_position", "games/connect_four/position", "games/mnk/network",
         "games/mnk/position", "games/native_games", "games/native_positions", "games/user_states")
"""Those of modules with public classes and functions."""
LONGEST = 120
"""Characters of a line."""
PUBLIC = {base for name in mcts_core.__all__ if inspect.isclass(found := getattr(mcts_core, name))
          for base in found.__mro__} | {mcts_core.native_game, mcts_core.seconds_left, Network}
"""The classes and functions whose docstrings are written."""


def with_docstrings(name: str) -> str:
    """The text of a stub with the docstrings of its module."""
    text = (PACKAGE / f"{name}.pyi").read_text(encoding="utf-8")
    module = importlib.import_module(f"mcts_core.{name.replace('/', '.')}")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = [place for node in ast.parse(text).body for place in places_of(node, module, starts)]
    for begin, end, new in sorted(places, reverse=True):
        text = text[:begin].rstrip() + new + text[end:]
    return text


def places_of(node: ast.stmt, owner: Any, starts: list[int], depth: int = 1) -> list[tuple[int, int, str]]:
    """Where a class or function and what is in it gets which text: begin, end, text."""
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_") or is_repeated(node):
        return []
    real = vars(owner).get(node.name)
    if depth == 1 and real not in PUBLIC:
        return []
    doc = getattr(getattr(real, "__func__", real), "__doc__", None)
    first, last = node.body[0], node.body[-1]
    found = []
    if doc and real is not None:
        indent = "    " * depth
        written = "\n" + textwrap.indent('"""' + inspect.cleandoc(doc).strip(), indent)
        written += f'\n{indent}"""' if "\n" in written[1:] or len(written) > LONGEST - 2 else '"""'
        begin = position(min([first, *getattr(first, "decorator_list", [])], key=lambda each: each.lineno), starts)
        has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if len(node.body) == 1 and has_docstring:  # ... or a docstring alone
            found.append((begin, starts[last.end_lineno - 1] + last.end_col_offset, written))
        elif has_docstring:
            found.append((begin, starts[first.end_lineno - 1] + first.end_col_offset, written))
        else:
            line = starts[first.lineno - 1 - len(getattr(first, "decorator_list", []))]
            found.append((line, line, written + "\n\n"))
    if isinstance(node, ast.ClassDef) and real is not None:
        for member in node.body:
            found += places_of(member, real, starts, depth + 1)
    return found


def position(node: Any, starts: list[int]) -> int:
    begin: int = starts[node.lineno - 1] + node.col_offset
    return begin


def is_repeated(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Whether this is an overload: the function itself has the docstring."""
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


if __name__ == "__main__":
    for stub in STUBS:
        (PACKAGE / f"{stub}.pyi").write_text(with_docstrings(stub), encoding="utf-8", newline="\n")
