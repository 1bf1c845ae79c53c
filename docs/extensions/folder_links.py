"""A link to a folder of the repository leads to its README.md, as it does where repositories are browsed."""

from __future__ import annotations

import posixpath
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", lead_to_readmes)
    return {"version": "1", "parallel_read_safe": True}


def lead_to_readmes(app: Sphinx, document: nodes.document) -> None:
    for link in document.findall(pending_xref):
        if link["reftype"] != "myst" or link["refdomain"] is not None:
            continue
        folder = posixpath.dirname(link["refdoc"])
        page = posixpath.normpath(posixpath.join(folder, link["reftarget"], "README"))
        if page in app.env.found_docs:
            link.attributes.update(refdomain="doc", reftarget=page, reftargetid=None)
