# Native functions only, by cimport of tree/storage.pxd: Python sees none of them but entry().
from typing import Any

def entry(record: object, name: str, kind: type) -> Any: ...
