from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Network:
    """A line-pattern network for five in a row on boards with sides of 5 to 22.

    ``data``: the bytes of a file that the training program wrote; ``source`` returns them. ``generation`` is the number
    from the training, and ``version`` identifies the network by generation and checksum. Raises InvalidFile.

    The table of the patterns takes 4 MiB of addresses, 8 MiB with the one for exactly five. A search computes each row
    at its first use.
    """

    def __new__(cls, data: bytes | bytearray | memoryview) -> Self: ...
    @property
    def source(self) -> bytes: ...
    @property
    def generation(self) -> int: ...
    @property
    def version(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...
