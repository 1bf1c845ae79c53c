"""The sources of the user's functions as syntax trees, and which fields they change."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import sys
import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "fill", "add", "discard",
            "update", "itemset", "setdefault", "popitem", "put"}
"""Methods that change the object on which they are called."""
FIRST_CALLS = ("__init__", "__post_init__", "__new__")


class NoSource(ValueError):
    """The source of a function is not known."""


def unwrapped(function: Any) -> Any:
    """The function below decorators that keep it, as ``functools.cache`` does."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


@functools.lru_cache(maxsize=1000)
def tree_of(function: Any) -> ast.FunctionDef:
    """The definition of a function, with the lines of its file. Raises NoSource."""
    if hasattr(function, "mcts_source"):
        made = ast.parse(function.mcts_source).body[0]
        assert isinstance(made, ast.FunctionDef)
        return made
    try:
        text = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError, IndentationError) as error:
        raise NoSource(str(error)) from None
    found = next((node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))), None)
    if found is None:
        raise NoSource("it is not a function")
    if isinstance(found, ast.Lambda):
        body = ast.Return(found.body)
        found = ast.FunctionDef(name="function", args=found.args, body=[ast.copy_location(body, found.body)],
                                decorator_list=[], lineno=found.lineno, col_offset=0)
        ast.fix_missing_locations(found)
    ast.increment_lineno(found, function.__code__.co_firstlineno - 1)
    found.decorator_list = []
    return found


@functools.lru_cache(maxsize=1000)
def made_init(cls: type) -> Any:
    """An ``__init__`` as that of a dataclass or a named tuple, but with a source. None: the class is neither."""
    if hasattr(cls, "_fields") and issubclass(cls, tuple):
        names = list(getattr(cls, "_fields"))  # noqa: B009 - a type has none
        defaults = dict(cls._field_defaults)  # type: ignore[attr-defined]
        later: dict[str, Any] = {}
    elif dataclasses.is_dataclass(cls) and getattr(cls.__init__, "__code__", None) is not None and (
            cls.__init__.__code__.co_filename == "<string>"):
        fields = dataclasses.fields(cls)
        given = {field.name: field.default if field.default is not dataclasses.MISSING else field.default_factory()  # type: ignore[operator]
                 for field in fields
                 if field.default is not dataclasses.MISSING or callable(field.default_factory)}
        names = [field.name for field in fields if field.init]
        defaults = {name: value for name, value in given.items() if name in names}
        later = {name: value for name, value in given.items() if name not in names}
    else:
        return None
    lines = [f" self.{name} = {name}" for name in names] + [f" self.{name} = mcts_{name}" for name in later]
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = [f"{name}=None" if name in defaults else name for name in names]
    text = f"def __init__({', '.join(['self', *parameters])}):\n" + "\n".join(lines or [" pass"])
    scope: dict[str, Any] = {f"mcts_{name}": value for name, value in later.items()}
    exec(text, scope)
    made = scope["__init__"]
    made.__defaults__ = tuple(defaults[name] for name in names if name in defaults)
    made.mcts_source = text
    return made


def parts_of(cls: Any) -> tuple[str, ...] | None:
    """The names of the parts of a named tuple, or of a dataclass that holds values only; None for other classes."""
    if not isinstance(cls, type):
        return None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return tuple(getattr(cls, "_fields"))  # noqa: B009
    if dataclasses.is_dataclass(cls) and getattr(cls, "__dataclass_params__").frozen and not hasattr(  # noqa: B009
            cls, "legal_moves"):
        return tuple(field.name for field in dataclasses.fields(cls))
    return None


def functions_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The functions that the class and its bases define, with their names: methods, properties, static ones."""
    for base in cls.__mro__:
        if base in (object, tuple) or base.__module__ in ("abc", "typing", "enum", "builtins"):
            continue
        for name, value in vars(base).items():
            function = plain_function(value)
            if function is not None:
                yield name, function


def plain_function(value: Any) -> Any:
    """The function behind a member of a class: a method, property, static or class method. None: it is something else.
    """
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    elif isinstance(value, functools.cached_property):
        value = value.func
    value = unwrapped(value) if value is not None else None
    return value if inspect.isfunction(value) else None


def imported_files(cls: type) -> set[str]:
    """The files of the functions and classes of other modules that methods of the class name."""
    found = set()
    for _, function in functions_of(cls):
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if inspect.isfunction(value) or inspect.isclass(value) or inspect.ismodule(value):
                file = getattr(sys.modules.get(getattr(value, "__module__", value.__name__)), "__file__", None)
                if file is not None and file.endswith(".py"):
                    found.add(file)
    return found


def changed_fields(cls: type) -> set[str]:
    """Names of attributes that functions of the class other than ``__init__`` assign or change."""
    found: set[str] = set()
    for name, function in functions_of(cls):
        if name in FIRST_CALLS:
            continue
        try:
            tree = tree_of(function)
        except NoSource:
            continue
        found.update(_changed_in(tree))
    return found


def _changed_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield from root_attributes(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield from root_attributes(node.func.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "replace":
            yield from (keyword.arg for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in (
                "replace", "_replace"):
            yield from (keyword.arg for keyword in node.keywords if keyword.arg)


def root_attributes(node: ast.AST) -> Iterator[str]:
    """``x`` of ``self.x[...][...]``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        yield node.attr


def fields_from_parameters(cls: type) -> set[str]:
    """Attributes that ``__init__`` assigns from an expression with one of its parameters."""
    function = plain_function(getattr(cls, "__init__", None))
    if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):
        return {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set(
            cls._fields)
    if function is None:
        return set()
    try:
        tree = tree_of(function)
    except NoSource:
        return set()
    parameters = {each.arg for each in (*tree.args.args[1:], *tree.args.kwonlyargs)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            uses = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if uses & parameters:
                found.update(each.attr for target in targets for each in ast.walk(target)
                             if isinstance(each, ast.Attribute))
    return found
