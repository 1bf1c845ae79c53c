"""Pages that also read well where Markdown is shown without Sphinx: what only the site needs is hidden in them.

A comment ``<!-- sphinx ... -->`` holds reStructuredText, the directives of the reference. It becomes a block of the
page. The contents of the site, in the sidebar, are the links of the index, with a part for each of its sections.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from sphinx.application import Sphinx

HIDDEN = re.compile(r"^<!-- sphinx\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)\.md\)")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", complete)
    return {"version": "1", "parallel_read_safe": True}


def complete(app: Sphinx, name: str, source: list[str]) -> None:
    """Gives a page what is hidden in it, and the index its contents."""
    text = HIDDEN.sub(r"```{eval-rst}\n\1```", source[0])
    source[0] = text + contents(text) if name == app.config.root_doc else text


def contents(text: str) -> str:
    """The ``toctree`` blocks for the links of an index, each page once."""
    blocks, listed = [], set()
    _, *parts = SECTION.split(text)
    for title, part in zip(parts[::2], parts[1::2], strict=True):
        pages = [posixpath.normpath(page) for page in LINK.findall(part)]
        pages = [page for page in dict.fromkeys(pages) if page not in listed]
        listed.update(pages)
        entries = "\n".join(f"README <{page}>" if page == "../README" else page for page in pages)
        blocks.append(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{entries}\n```\n")
    return "".join(blocks)
