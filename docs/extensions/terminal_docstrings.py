"""The docstrings of the package as reStructuredText. They are written to be read in a terminal, in three forms more.

    name: what it is, perhaps in
        several lines.
    other, one_more: what these are.

A list of arguments like this one becomes a definition list, an indented paragraph such as that an example of code, and
the name of something public, as in ``Searcher`` or ``stats()``, a link.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

import mcts_core

ITEM = re.compile(r"([a-z_]\w*(?:, [a-z_]\w*)*): +(.*)")
NAME = re.compile(r"``(\w+)((?:\.\w+)*)(\(\))?``")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", rewrite)
    return {"version": "1", "parallel_read_safe": True}


def rewrite(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if what == "class" and "Fields:" in lines:  # autodoc finds their texts by itself
        del lines[lines.index("Fields:"):]
    lines[:] = [with_links(line) for line in structured(lines)]


def structured(lines: list[str]) -> list[str]:
    result: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        if paragraph and all(ITEM.match(line) or line.startswith(" ") for line in paragraph):
            result += as_list(paragraph) if ITEM.match(paragraph[0]) else [".. code-block:: python", "", *paragraph]
        else:
            result += paragraph
        result.append("")
        paragraph = []
    return result


def as_list(paragraph: list[str]) -> list[str]:
    result: list[str] = []
    for line in paragraph:
        item = ITEM.match(line)
        if item:
            names = ", ".join(f"``{name}``" for name in item[1].split(", "))
            result += ["", names, f"    {item[2]}"]
        else:
            result.append(f"    {line.strip()}")
    return result[1:]


def with_links(line: str) -> str:
    def link(found: re.Match[str]) -> str:
        name, rest, call = found.groups()
        # of functions only those that are called: `stats` may be an argument as well
        if name not in mcts_core.__all__ or not (name[0].isupper() or call and not rest):
            return found[0]
        return f":py:obj:`{name}{rest}{call or ''} <mcts_core.{name}{rest}>`"

    return NAME.sub(link, line)
