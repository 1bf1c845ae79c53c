"""The page to play on, build/page (``make page``): a part of the site where it has been built.

Copied to ``play`` in the site. A comment ``<!-- play ... -->`` holds HTML that leads there, which is then shown.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGE = Path(__file__).parents[2] / "build" / "page"
HIDDEN = re.compile(r"^<!-- play\n(.*?)\n-->$", re.MULTILINE | re.DOTALL)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", show)
    app.connect("build-finished", copy)
    return {"version": "1", "parallel_read_safe": True}


def show(app: Sphinx, name: str, source: list[str]) -> None:
    """Shows what leads to the page."""
    if (PAGE / "index.html").exists():
        source[0] = HIDDEN.sub(r"\1", source[0])


def copy(app: Sphinx, error: Exception | None) -> None:
    """Puts the page into the site."""
    if error is None and (PAGE / "index.html").exists():
        shutil.copytree(PAGE, app.outdir / "play", dirs_exist_ok=True)
