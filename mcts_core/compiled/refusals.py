"""Why a class does not compile, in the user's words: file, line, expression, reason, and what to write instead."""

from __future__ import annotations

import ast
import linecache
import os
import re

from mcts_core.errors import GameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LINE = re.compile(r'(?:File "([^"]+)", line (\d+)| at (\S+) \((\d+)\))')
_KINDS = (
    (re.compile(r"(Literal\[int\]\([^)]*\)|u?int\d+)"), "int"),
    (re.compile(r"float\d+"), "float"),
    (re.compile(r"(Literal\[bool\]\([^)]*\)|boolean|bool_?)\b"), "bool"),
    (re.compile(r"(nested)?array\((int|float|bool), (1d, \w+|\(\d+,\))[^)]*\)"), r"sequence of \2"),
    (re.compile(r"(nested)?array\((int|float|bool), [^)]*\)+"), r"board of \2"),
    (re.compile(r"(reflected )?list\((.*?)\)<iv=.*?>"), r"list of \2"),
    (re.compile(r"UniTuple\((\w[\w ]*) x (\d+)\)"), r"tuple of \2 \1"),
    (re.compile(r"Record\(.*?;(True|False)\)"), "position"),
    (re.compile(r"\bnone\b"), "None"),
)
_REASONS = (
    (r"mcts: (?P<text>.*)", "{text}", ""),
    (r"signature:\s*>>> (max|min|sum|any|all|sort)\w*\(UniTuple\(array", "np.where(...) is a tuple of arrays",
     "take one of them: np.where(...)[0]"),
    (r"Cannot modify readonly array", "a constant of the module or of the class is changed",
     "keep what changes in a field of the position: self.x"),
    (r"Use of unsupported NumPy function '(?P<name>[^']+)'", "Numba does not have {name}", "write it as a loop"),
    (r"[Uu]nsupported array index type (float|\w+\(.*float).*", "an index is a float",
     "write a // b where the result must be an int"),
    (r"No implementation of function Function\(<built-in function (get|set)item>\)[\s\S]*?signature:\s*>>> "
     r"\w+\((?P<kinds>.*)\)", "{kinds}: this cannot be indexed like that",
     "index a sequence by an int, and write a // b where an int is meant"),
    (r"No implementation of function Function\(<(built-in )?(function|class|method) '?(?P<name>[\w.]+)'?[\s\S]*?"
     r"signature:\s*>>> \w+\((?P<kinds>.*)\)", "{name} is not defined for {kinds}",
     "write it as a loop over numbers"),
    (r"Cannot unify (?P<one>.*) and (?P<other>.*) for '(?P<name>[\w$]+)(\.\d+)?'",
     "{name} is at one place {one}, at another {other}",
     "give each value a variable of its own kind"),
    (r"Can't unify return type from the following types: (?P<kinds>.*)",
     "the function returns different kinds: {kinds}",
     "return values of one kind from every return"),
    (r"Cannot infer the type of variable '?\$\w*build_(list|set)", "the kind of an empty list is unknown here",
     "compare lengths, as in len(x) == 0, or put a number into it"),
    (r"Cannot infer the type of variable '?\$|Type of variable '?\$", "the kind of a value cannot be told",
     "assign each part to a variable on a line of its own, above all what := assigns"),
    (r"Cannot infer the type of variable '?(?P<name>[\w$]+)", "the kind of {name} is unknown",
     "append a number to an empty list before it is used, or write a comprehension"),
    (r"Untyped global name '(?P<name>\w+)'", "{name} is not known there", "use numbers, lists and loops"),
    (r"NameError: (?P<text>.*)", "{text}", "define it before it is used"),
    (r"Unknown attribute '(?P<name>\w+)' of type (?P<kind>.*)", "there is no .{name} of {kind}",
     "write it as a loop"),
    (r"use of yield in", "a generator is used where it must be a list", "return a list"),
)


class Refusal(GameError):
    """A class cannot be compiled as it is written. ``details`` is what Numba says, if it is by Numba."""

    details = ""


def refusal(name: str, file: str, line: int, what: str, reason: str, instead: str) -> Refusal:
    """The error for the expression ``what``. ``instead`` says what to write in its place."""
    shown = f": {what}" if what else ""
    end = f"; {instead}" if instead else ""
    return Refusal(f"{name} cannot be compiled: {os.path.basename(file)}, line {line}{shown}\n  {reason}{end}")


def in_words(name: str, error: BaseException, files: set[str]) -> Refusal:
    """The error of Numba as a Refusal; ``files`` are those of the user."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = [(os.path.abspath(found[1] or found[3]), int(found[2] or found[4])) for found in _LINE.finditer(text)]
    own = [place for place in places if place[0] in files]
    location = getattr(error, "loc", None)
    if not own and location is not None and location.filename in files:
        own = [(location.filename, location.line)]
    file, line = own[0] if own else (next(iter(files), "?"), 0)
    what = linecache.getline(file, line).strip()
    reason, instead = _reason_of(text)
    made = refusal(name, file, line, what, reason, instead)
    made.details = text
    return made


def _reason_of(text: str) -> tuple[str, str]:
    for pattern, reason, instead in _REASONS:
        found = re.search(pattern, text)
        if found:
            parts = {key: _kinds(value or "") for key, value in found.groupdict().items()}
            return reason.format(**parts), instead
    return "this cannot be translated to machine code", "write it with numbers, lists and loops"


def _kinds(text: str) -> str:
    """Types of Numba in the words of Python."""
    for pattern, word in _KINDS:
        text = pattern.sub(word, text)
    return text[:160]


def segment(node: ast.AST) -> str:
    """The expression as it would be written, on one line."""
    try:
        text = " ".join(ast.unparse(node).split())
    except Exception:
        text = type(node).__name__
    return text if len(text) <= 90 else f"{text[:87]}..."


def line_of(error: BaseException, files: set[str]) -> str:
    """Where in the user's files an exception was raised: file, line, expression. Empty if it was not there."""
    found: Any = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            found = trace
        trace = trace.tb_next
    if found is None:
        return ""
    file = found.tb_frame.f_code.co_filename
    return (f"{os.path.basename(file)}, line {found.tb_lineno}, in {found.tb_frame.f_code.co_name}: "
            f"{linecache.getline(file, found.tb_lineno).strip()}")
