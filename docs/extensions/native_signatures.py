"""Types for the classes and functions of native modules, which have docstrings, from their stubs, which have types.

Python can ask a compiled class neither for the arguments of its constructor nor for the types of its properties. So
autodoc gets, in place of each member of such a class, the one of the stub, with the docstring of the real one.
"""

from __future__ import annotations

import functools
import inspect
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, get_overloads

from sphinx.application import Sphinx
from sphinx.util.inspect import safe_getattr, stringify_signature


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_autodoc_attrgetter(type, member_of)
    app.connect("autodoc-process-signature", signature_of)
    return {"version": "1", "parallel_read_safe": True}


@functools.cache
def stub_of(name: str) -> ModuleType | None:
    """The stub of a native module as a module, or None."""
    module = sys.modules.get(name)
    path = getattr(module, "__file__", None) or ""
    suffix = next((suffix for suffix in EXTENSION_SUFFIXES if path.endswith(suffix)), None)
    if not name.startswith("mcts_core.") or suffix is None:
        return None
    stub = Path(path.removesuffix(suffix) + ".pyi")
    result = ModuleType(name)
    result.__file__ = str(stub)
    # Stubs name classes before they are there.
    exec(compile(stub.read_text(encoding="utf-8"), stub, "exec", annotations.compiler_flag), vars(result))
    for key, value in vars(result).items():
        if getattr(value, "__name__", None) == "_overload_dummy":  # the first of them has the default of every argument
            vars(result)[key] = get_overloads(SimpleNamespace(__module__=name, __qualname__=key))[0]
    return result


def twin_of(native: Any) -> Any:
    """The class or function of the stub that stands for a native one, or None."""
    stub = stub_of(getattr(native, "__module__", None) or "")
    return None if stub is None else vars(stub).get(getattr(native, "__name__", ""))


def member_of(owner: type, name: str, *default: Any) -> Any:
    """What autodoc gets for a member of a class; it asks for ``__new__`` to tell how one is made."""
    real = safe_getattr(owner, name, *default)
    if name == "__new__":
        twin = twin_of(owner)
        return real if twin is None else vars(twin).get("__init__", real)
    if name.startswith("__"):
        return real
    for base in owner.__mro__:
        if name in vars(base):
            twin = twin_of(base)
            typed = None if twin is None else vars(twin).get(name)
            return real if typed is None else described(typed, real.__doc__, twin)
    return real


def described(typed: Any, doc: str | None, owner: type) -> Any:
    """A member of a stub with a docstring."""
    if isinstance(typed, property):
        return property(typed.fget, doc=doc)
    bound = isinstance(typed, classmethod)
    function: FunctionType = typed.__func__ if bound else typed
    function.__doc__ = doc
    return function.__get__(owner) if bound else function


def signature_of(
    app: Sphinx, what: str, name: str, native: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Of a native function, by its stub."""
    twin = twin_of(native) if what == "function" else None
    if twin is None:
        return None
    found = inspect.signature(twin)
    returned = found.return_annotation
    text = stringify_signature(found, show_return_annotation=False, unqualified_typehints=True)
    return text, None if returned is inspect.Signature.empty else str(returned)
