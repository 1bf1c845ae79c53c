"""The files of the page, by the paths under which they are served: nothing else in the file system can be asked for."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "static"
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def load_files() -> dict[str, tuple[str, bytes]]:
    """Content type and bytes by path; ``/`` is ``index.html``."""
    found = {f"/static/{path.name}": (_TYPES[path.suffix], path.read_bytes())
             for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES}
    found["/"] = found.pop("/static/index.html")
    return found
