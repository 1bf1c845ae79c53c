"""Ctrl-C while the command line is being imported, which takes some tenths of a second, prints no traceback.

The import of this package is most of that time, so its first line asks whether the command line is what imports it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def end_quietly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The ``sys.excepthook`` of the command line. After Ctrl-C, Python ends itself by the signal: 130 in a shell."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
