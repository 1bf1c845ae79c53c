"""Files of data that come with the package: the network for five in a row and the book of Connect Four."""

from __future__ import annotations

import os

from mcts_core.errors import InvalidFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from typing import Any, TypeVar

    _T = TypeVar("_T")


def load(spec: ModuleSpec | None, name: str, make: Callable[[bytes], _T]) -> _T:
    """Returns what ``make`` makes of the file ``name`` beside the module of ``spec``, also from an archive. Raises
    OSError if it is missing, and InvalidFile, with its path, if ``make`` does."""
    # As pkgutil.get_data does it. importlib.resources imports zipfile, tempfile and more: a fifth of the time until
    # the Gomocup engine answers.
    assert spec is not None and spec.origin is not None
    loader: Any = spec.loader
    path = os.path.join(os.path.dirname(spec.origin), name)
    data: bytes = loader.get_data(path)
    try:
        return make(data)
    except InvalidFile as error:
        raise InvalidFile(f"{path!r} cannot be read, install mcts_core again: {error}") from None
