"""What the server does not do, with the HTTP status that says so."""

from __future__ import annotations


class Refused(RuntimeError):
    """A request that cannot be met: the text says why, ``status`` is that of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
