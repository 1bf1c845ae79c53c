"""What the server does not do, with the HTTP status that says so."""

from __future__ import annotations


class Refused(RuntimeError):
    """A request that cannot be met: the text says why, ``status`` is that of HTTP, ``field`` the field at fault."""

    def __init__(self, status: int, text: str, field: str | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.field = field
