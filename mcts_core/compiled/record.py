"""The fields of a position as a record of fixed size: which there are, of which kinds, and the way there and back."""

from __future__ import annotations

import enum
import itertools
import math
import pickle

import numpy as np

from mcts_core.compiled.codes import NONE, Codes, Uncodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Refuse = Callable[[str, str, str], Exception]
    """Makes the error from the name of a field, the reason, and what to write instead."""

LARGEST_STATE = 32768
LENGTH = "__length"
"""What follows the name of a list of varying length, in the entry with its length."""
MOST_MEMBERS = 1024
"""Of a set, that random games need not have shown."""


def fields_of(position: Any) -> dict[str, Any]:
    """The fields of a position by name: of its ``__dict__``, its ``__slots__``, or as a named tuple."""
    names = getattr(type(position), "_fields", None)
    if names is not None and isinstance(position, tuple):
        return dict(zip(names, position, strict=True))
    found = {}
    for base in reversed(type(position).__mro__):
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__") and hasattr(position, name):
                found[name] = getattr(position, name)
    found.update(getattr(position, "__dict__", {}))
    return found


class Field:
    """What the values of one field were so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kinds: set[Any] = set()
        """Of its numbers: int, bool, float, str, None or an enum."""
        self.shape: tuple[int, ...] | None = None
        """None: not seen yet; (): a number."""
        self.containers: tuple[type, ...] = ()
        self.dtype: Any = None
        """Of an array of numpy."""
        self.values: set[bytes] = set()
        """At most two different ones, to see whether it is constant."""
        self.trouble: tuple[str, str] | None = None
        """Why it does not fit into a record, and what to write instead."""
        self.first: Any = None
        self.container = ""
        """``"list"`` for one of varying length, whose length has an entry of its own in the record; ``"dict"``, whose
        values are in it; ``"set"``, of which it has a flag for each of ``keys``; else empty."""
        self.keys: list[Any] = []
        """Of a dict in their order, or all members that a set can have."""
        self.empty: Any = None
        """A list, dict or set of the kind of the field, as an example of what to make."""
        self.is_optional = False
        """Whether it is a sequence at one time, and None at another: a sequence of NONE in the record."""
        self.depth = 0
        """How often it is indexed in a row: a text at a smaller depth is a row of characters."""

    def observe(self, value: Any) -> None:
        if self.shape is None:
            self.first = value
        if len(self.values) < 2:
            try:
                self.values.add(pickle.dumps(value))
            except Exception:
                self.values.add(repr(value).encode())
        if isinstance(value, (dict, set, frozenset)):
            value = self._look_inside(value)
            if value is None:
                return
        if value is None and self.shape and self.dtype is None:
            self.is_optional = True
            return
        if self.shape == () and self.kinds == {None} and isinstance(value, (list, tuple)):  # it was None so far
            self.is_optional, self.shape = True, None
            self.kinds.clear()
        try:
            shape, containers, dtype = self._look(value, 0)
        except Uncodable as error:
            self.trouble = self.trouble or (str(error.args[0]), error.args[1])
            return
        if self.shape is None:
            self.shape, self.containers, self.dtype = shape, containers, dtype
        elif shape != self.shape and not self._varies(shape, containers, dtype):
            length = ("a sequence of varying length", "use a list of fixed length, with 0 where there is nothing, and "
                      "an int that counts what is in it")
            none = ("once a number and once a sequence", "use two fields")
            self.trouble = self.trouble or (none if () in (shape, self.shape) else length)
        elif dtype != self.dtype:
            self.trouble = self.trouble or (f"an array of {self.dtype} or of {dtype}", "give it one dtype")

    def _look_inside(self, value: Any) -> Any:
        """The values of a dict; None for a set, and where the field has trouble."""
        kind = "dict" if isinstance(value, dict) else "set"
        if self.shape is not None and self.container != kind:
            self.trouble = self.trouble or (f"a {kind} at one time and something else at another", "use two fields")
            return None
        if kind == "set":
            self.container, self.empty, self.shape = kind, type(value)(), (0,)
            self.keys = list({*self.keys, *value})
            return None
        if self.shape is None and type(value) is dict:
            self.container, self.empty, self.keys = kind, {}, list(value)
        elif list(value) != self.keys:
            self.trouble = self.trouble or (
                "a dict that does not keep its keys", "give it all of its keys at the beginning, with None or 0 for "
                "nothing, or use a list of fixed length, indexed by the number of the key")
            return None
        return list(value.values())

    def _varies(self, shape: tuple[int, ...], containers: tuple[type, ...], dtype: Any) -> bool:
        """Takes note of another length of a list; False: it is something else."""
        known = self.shape or ()
        if self.container not in ("", "list") or not known or not shape or dtype is not None or self.dtype is not None:
            return False
        if shape[1:] != known[1:] and 0 not in (shape[0], known[0]):
            return False
        if shape[0] and not known[0]:
            known, self.containers = (0, *shape[1:]), containers
        self.container, self.empty = "list", containers[0]()
        self.shape = (max(known[0], shape[0]), *known[1:])
        return True

    def settle(self) -> None:
        """Decides how much a list or a set can hold, after all random games. Raises Uncodable."""
        if self.container == "list" and self.shape:
            self.shape = (2 * self.shape[0], *self.shape[1:])
        elif self.container == "set":
            self.keys, self.kinds = _all_members(self.keys or [0]), {bool}
            self.shape = (len(self.keys),)

    def _look(self, value: Any, level: int) -> tuple[tuple[int, ...], tuple[type, ...], Any]:
        """Shape, containers by depth, and dtype of an array. Raises Uncodable."""
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biuf" or value.dtype.name in ("uint16", "uint64"):
                raise Uncodable(f"an array of {value.dtype}", "use an array of int8, int64, bool or float64")
            if value.dtype.kind == "f" and value.dtype != np.float64:
                raise Uncodable(f"an array of {value.dtype}, which is rounded otherwise in numpy",
                                "use dtype=np.float64")
            return value.shape, (np.ndarray,), value.dtype
        if isinstance(value, str) and level < self.depth and value:
            self.kinds.add(str)
            return (len(value),), (str,), None
        if isinstance(value, (list, tuple)) and not isinstance(value, enum.Enum):
            inner = [self._look(each, level + 1) for each in value]
            if not inner:
                return (0,), (type(value),), None
            if None in value and any(each[0] for each in inner):
                raise Uncodable("a container of sequences and None",
                                "use a sequence of the same length in place of None, such as (-1, -1)")
            if any(each[0] != inner[0][0] for each in inner):
                raise Uncodable("a sequence of sequences of different lengths",
                                "give each a field of its own, or use sequences of one length, with 0 where there is "
                                "nothing")
            if any(each[2] is not None for each in inner):
                raise Uncodable("a list of arrays", "use one array with one dimension more")
            return (len(value), *inner[0][0]), (type(value), *inner[0][1]), None
        self.kinds.add(_kind_of(value))
        return (), (), None

    @property
    def is_constant(self) -> bool:
        return len(self.values) == 1

    @property
    def scalar(self) -> Any:
        """The dtype of its numbers."""
        if self.dtype is not None:
            return self.dtype
        if self.kinds == {bool}:
            return np.dtype(np.bool_)
        return np.dtype(np.float64 if float in self.kinds else np.int64)

    @property
    def stored(self) -> Any:
        """The dtype in the record, where Numba has no array of bools: one of numpy is one of bytes. Those of Python are
        uint16, which no array of numpy is, as their sum does not wrap around."""
        if not self.shape or self.scalar.kind != "b":
            return self.scalar
        return np.dtype(np.uint16 if self.dtype is None else np.uint8)

    def refused(self) -> tuple[str, str] | None:
        """Why it cannot be in a record, and what to write instead; None if it can."""
        if self.trouble is not None:
            return self.trouble
        if self.is_optional and self.container:
            return "once None and once a list, dict or set", "use an empty one in place of None"
        if self.container == "set" and not self.keys:
            return ("a set of other than ints, texts, or tuples of ints of one length",
                    "use ints, or a list with 1 for what is in the set and 0 for the rest")
        if self.is_optional and (None in self.kinds or 0 in (self.shape or ()) or self.scalar.kind != "i"):
            return "once None and once a sequence", "use a sequence of the same length with -1 in it for None"
        if float in self.kinds and not self.kinds <= {float, int, bool}:
            return "a float at one time and None or a text at another", "use a number for it"
        if len([kind for kind in self.kinds if isinstance(kind, type) and issubclass(kind, enum.Enum)]) > 1:
            return "a member of different enums", "use one enum for it"
        return None


def _kind_of(value: Any) -> Any:
    """int, bool, float, str, None or an enum. Raises Uncodable with reason and advice."""
    if value is None or isinstance(value, enum.Enum):
        return None if value is None else type(value)
    if isinstance(value, (bool, np.bool_)):
        return bool
    if isinstance(value, (int, np.integer)):
        if not -(1 << 62) < int(value) < 1 << 62:
            raise Uncodable("an int of more than 62 bits",
                            "use two ints, or a list with a number for each cell")
        return int
    if isinstance(value, (float, np.floating)):
        return float
    if isinstance(value, str):
        return str
    name = type(value).__name__
    inside = " within another container" if name in ("dict", "set", "frozenset") else ""
    raise Uncodable(f"a {name}{inside}", _ADVICE.get(name, "keep numbers, texts, and sequences of numbers in fields"))


_ADVICE = {
    "dict": "give each a field of its own",
    "set": "give each a field of its own, such as self.mine and self.theirs",
    "frozenset": "give each a field of its own, such as self.mine and self.theirs",
    "deque": "use a list of fixed length and an int that counts what is in it",
    "Random": "rules may not depend on chance: leave it out",
}


def _all_members(seen: list[Any]) -> list[Any]:
    """All that a set may have in later positions, in order: all ints between the smallest and the largest member, or
    all tuples of such, as long as they are few. Else those that it had; none if they have no order."""
    try:
        members = sorted(seen)
    except TypeError:
        return []
    if all(type(each) is int for each in members) and members and members[-1] - members[0] < MOST_MEMBERS:
        return list(range(members[0], members[-1] + 1))
    if members and all(isinstance(each, tuple) and len(each) == len(members[0]) and all(
            type(part) is int for part in each) for each in members):
        ranges = [range(min(column), max(column) + 1) for column in zip(*members, strict=True)]
        if math.prod(map(len, ranges)) <= MOST_MEMBERS and type(members[0]) is tuple:
            return list(itertools.product(*ranges))
        return members
    return members if all(isinstance(each, (int, str)) for each in members) else []


class Record:
    """The layout of the positions of a class. ``dtype`` is the record, ``constants`` the fields that never change."""

    def __init__(self, cls: type, fields: dict[str, Field], constants: dict[str, Any], codes: Codes,
                 refuse: Refuse) -> None:
        self.cls, self.constants, self.codes = cls, constants, codes
        self.fields = {name: field for name, field in fields.items() if name not in constants}
        for name, field in self.fields.items():
            why = field.refused()
            if why is not None:
                raise refuse(name, *why)
        found = [(name, field.stored, field.shape or ()) for name, field in self.fields.items()]
        found += [(f"{name}{LENGTH}", np.dtype(np.int64), ()) for name, field in self.fields.items()
                  if field.container == "list"]
        items = sorted(found, key=lambda item: (-item[1].itemsize, item[0]))
        items = items or [("_empty", np.dtype(np.int64), ())]
        plain = np.dtype(items)
        size = (plain.itemsize + 7) // 8 * 8
        offsets = [plain.fields[name][1] for name, _, _ in items]  # type: ignore[index]
        self.dtype = np.dtype({"names": [item[0] for item in items],
                               "formats": [(item[1], item[2]) if item[2] else item[1] for item in items],
                               "offsets": offsets, "itemsize": size})
        if size > LARGEST_STATE:
            raise refuse(max(items, key=lambda item: int(np.prod(item[2], dtype=np.int64)))[0],
                         f"the fields have {size} bytes, and at most {LARGEST_STATE} are possible",
                         "keep less in a position")

    def encode(self, position: Any) -> bytes:
        """The bytes of a position. Raises Uncodable with the field and what was expected."""
        found = fields_of(position)
        block = np.zeros(1, self.dtype)
        for name, value in self.constants.items():
            if name in found and not same(found[name], value):
                raise Uncodable(f"{name} is {found[name]!r}, and this game was compiled with {value!r}")
        for name, field in self.fields.items():
            value = found[name] if name in found else getattr(position, name)
            try:
                if field.container == "list":
                    block[f"{name}{LENGTH}"][0] = len(value)
                block[name][0] = self._numbers(self._listed(value, field), field)
            except (Uncodable, ValueError, TypeError, OverflowError):
                shape = "x".join(map(str, field.shape or ())) or "a number"
                raise Uncodable(f"{name} must be of the kind of the first position ({shape}), "
                                f"got {value!r}"[:300]) from None
        return block.tobytes()

    def _listed(self, value: Any, field: Field) -> Any:
        """A dict or set as the list of what the record has for it, and a list filled up. Raises Uncodable."""
        if field.container == "set":
            if not isinstance(value, (set, frozenset)) or not value <= set(field.keys):
                raise Uncodable("another set")
            return [key in value for key in field.keys]
        if field.container == "dict":
            if not isinstance(value, dict) or list(value) != field.keys:
                raise Uncodable("a dict with other keys")
            return list(value.values())
        if field.container == "list":
            inner = (field.shape or ())[1:]
            nothing: Any = 0
            for length in reversed(inner):
                nothing = [nothing] * length
            missing = (field.shape or (0,))[0] - len(value)
            if missing < 0:
                raise Uncodable("a longer list")
            return [*value, *[nothing] * missing]
        return value

    def _numbers(self, value: Any, field: Field) -> Any:
        if field.dtype is not None:
            found = np.asarray(value)
            if found.shape != field.shape or not np.array_equal(found.astype(field.dtype), found, equal_nan=True):
                raise Uncodable("another array")
            return found
        shape = field.shape or ()
        if value is None and field.is_optional:
            return np.full(shape, NONE)

        def of(number: Any) -> int | float:
            code, kind = self.codes.of(number), field.scalar.kind
            if isinstance(code, float) and kind != "f" or kind == "b" and code not in (0, 1):
                raise Uncodable("a number of another kind")
            if isinstance(number, str) and str not in field.kinds and not any(
                    isinstance(each, type) and issubclass(each, enum.Enum) for each in field.kinds):
                raise Uncodable("a text")
            if number is None and None not in field.kinds:
                raise Uncodable("None")
            return code

        if not shape:
            return of(value)
        return np.array(_mapped(value, len(shape), of), field.scalar).reshape(shape)

    def decode(self, data: bytes) -> Any:
        """The position with these bytes, a new object of the class."""
        block = np.frombuffer(data, self.dtype)[0]
        found = {name: self._value(block[name][:block[f"{name}{LENGTH}"]] if field.container == "list" else block[name],
                                   field) for name, field in self.fields.items()}
        found = {**self.constants, **found}
        make = getattr(self.cls, "_make", None)
        if make is not None and issubclass(self.cls, tuple):
            return make(found[name] for name in self.cls._fields)  # type: ignore[attr-defined]
        position: Any = object.__new__(self.cls)
        for name, value in found.items():
            object.__setattr__(position, name, value)
        return position

    def _value(self, stored: Any, field: Field) -> Any:
        if field.dtype is not None:
            return np.array(stored, field.dtype)
        if field.is_optional and stored.flat[0] == NONE:
            return None
        members = next((kind for kind in field.kinds if isinstance(kind, type) and issubclass(kind, enum.Enum)), None)
        if field.kinds <= {float, int, bool} and len(field.kinds) == 1:
            back = next(iter(field.kinds), int)
        elif float in field.kinds:
            back = float
        elif members is not None:
            by_code = {self.codes.of(each): each for each in members}
            back = lambda code: by_code.get(int(code), None if code == self.codes.of(None) else int(code))  # noqa: E731
        else:
            back = lambda code: self.codes.back(int(code))  # noqa: E731
        if not field.shape:
            return back(stored)
        if field.container == "set":
            return type(field.empty)(key for key, is_in in zip(field.keys, stored, strict=True) if is_in)
        if field.container == "list" and not len(stored):
            return type(field.empty)()
        made = _built(stored, field.containers, back)
        return dict(zip(field.keys, made, strict=True)) if field.container == "dict" else made


def _mapped(value: Any, depth: int, of: Callable[[Any], Any]) -> Any:
    return [_mapped(each, depth - 1, of) for each in value] if depth else of(value)


def _built(stored: Any, containers: tuple[type, ...], back: Callable[[Any], Any]) -> Any:
    if not containers:
        return back(stored)
    if containers[0] is str:
        return "".join(back(each) for each in stored)
    inner: Iterable[Any] = (_built(each, containers[1:], back) for each in stored)
    kind = containers[0]
    return kind._make(inner) if hasattr(kind, "_make") else kind(inner)


def same(one: Any, other: Any) -> bool:
    """Whether two values of a field are equal, arrays too."""
    try:
        return bool(one is other or pickle.dumps(one) == pickle.dumps(other) or np.array_equal(one, other))
    except Exception:
        return False
