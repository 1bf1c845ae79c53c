"""The docstrings of dataclasses list their fields, for ``help()``.

Editors read the text below a field in the source, which Python itself drops. So the docstring of a class reads the
source again, when somebody asks for it: the text stands in one place, and an import costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def documented(cls: type[T]) -> type[T]:
    """A decorator of a dataclass: its docstring ends with the names of its fields and the text below each of them."""
    if cls.__doc__ is not None:  # else python -OO
        cls.__doc__ = FieldDocs(cls.__doc__)  # type: ignore[assignment]
    return cls


class FieldDocs:
    """The value of ``__doc__`` in a class; a descriptor."""

    def __init__(self, summary: str) -> None:
        self.summary = summary
        self._whole: str | None = None

    def __get__(self, instance: object, owner: type) -> str:
        if self._whole is None:
            from inspect import cleandoc

            listed = [f"{name}: {text}" for name, text in texts_of_fields(owner).items()]
            self._whole = "\n\n".join([cleandoc(self.summary), *(["Fields:", *listed] if listed else [])])
        return self._whole


def texts_of_fields(cls: type) -> dict[str, str]:
    """The text below each field of a dataclass in its source, with its lines but the first indented; empty where there
    is no source."""
    import ast
    import inspect
    import textwrap

    try:
        found, = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    except (OSError, SyntaxError, TypeError, ValueError):
        return {}
    texts = {}
    body = found.body if isinstance(found, ast.ClassDef) else []
    for field, below in zip(body, body[1:], strict=False):
        if (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)):
            lines = inspect.cleandoc(below.value.value).splitlines()
            texts[field.target.id] = "\n    ".join(lines)
    return texts
