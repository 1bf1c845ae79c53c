"""Files of data that come with the package: the network for five in a row and the book of Connect Four."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any


def read(spec: ModuleSpec | None, name: str) -> bytes:
    """The file ``name`` beside the module of ``spec``, also from an archive. Raises OSError if it is missing."""
    # As pkgutil.get_data does it. importlib.resources imports zipfile, tempfile and more: a fifth of the time until
    # the Gomocup engine answers.
    assert spec is not None and spec.origin is not None
    loader: Any = spec.loader
    data: bytes = loader.get_data(os.path.join(os.path.dirname(spec.origin), name))
    return data
