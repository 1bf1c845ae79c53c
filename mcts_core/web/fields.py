"""Reads the body of a request: one JSON object whose fields have known names and types."""

from __future__ import annotations

import json
import math
from typing import Any

from mcts_core.arguments import shorten
from mcts_core.web.refusals import Refused


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object that ``body`` is. Raises Refused."""
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise Refused(400, f"the body must be a JSON object in UTF-8, got {shorten(body)}") from None
    if not isinstance(found, dict):
        raise Refused(400, f"the body must be a JSON object, got {shorten(found)}")
    return found


def check_names(fields: dict[str, Any], *known: str) -> None:
    """Raises Refused where a field is not one of ``known``."""
    for name in fields:
        if name not in known:
            what = f"one of {', '.join(known)}" if known else "absent"
            raise Refused(400, f"a field must be {what}, got {shorten(name)}")


def whole(fields: dict[str, Any], name: str, low: int, high: int, default: int | None = None) -> int:
    """The int ``name`` from ``low`` to ``high``; a field without a default must be there. Raises Refused."""
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise Refused(400, f"{name} must be a whole number from {low} to {high}, got {shorten(value)}", name)
    return value


def real(fields: dict[str, Any], name: str, low: float, high: float, default: float) -> float:
    """The number ``name`` from ``low`` to ``high``. Raises Refused."""
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(400, f"{name} must be a number from {low:g} to {high:g}, got {shorten(value)}", name)
    if not low <= value <= high or not math.isfinite(value):
        raise Refused(400, f"{name} must be a number from {low:g} to {high:g}, got {shorten(value)}", name)
    return float(value)


def flag(fields: dict[str, Any], name: str) -> bool:
    """Whether ``name`` is true; False where it is absent. Raises Refused."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise Refused(400, f"{name} must be true or false, got {shorten(value)}", name)
    return value


def choice(fields: dict[str, Any], name: str, known: tuple[str, ...], default: str) -> str:
    """The text ``name``, one of ``known``. Raises Refused."""
    value = fields.get(name, default)
    if not isinstance(value, str) or value not in known:
        raise Refused(400, f"{name} must be {' or '.join(known)}, got {shorten(value)}", name)
    return value


def words(fields: dict[str, Any], name: str, count: int) -> list[str]:
    """The list ``name`` of at most ``count`` texts; none where it is absent. Raises Refused."""
    value = fields.get(name, [])
    if not isinstance(value, list) or len(value) > count or not all(isinstance(word, str) for word in value):
        raise Refused(400, f"{name} must be a list of at most {count} texts, got {shorten(value)}", name)
    return value


def text(fields: dict[str, Any], name: str) -> str | None:
    """The text ``name``, None where it is absent. Raises Refused."""
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(400, f"{name} must be a text, got {shorten(value)}", name)
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)
