"""How Sphinx makes the documentation site: ``make docs``.

The source folder is the repository, not docs/: so links between README.md, docs/ and bench/ are the same on the site as
in a checkout.
"""

import os
import sys
from pathlib import Path

# Not all stubs of native modules have docstrings, and no module has types: extensions/native_signatures.py joins both.
os.environ["SPHINX_AUTODOC_IGNORE_NATIVE_MODULE_TYPE_STUBS"] = "1"

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import mcts_core

project = "mcts_core"
version = release = mcts_core.__version__
language = "en"

extensions = [
    "myst_parser", "sphinx.ext.autodoc", "native_signatures", "terminal_docstrings", "folder_links", "plain_pages",
    "play_page",
]
root_doc = "docs/index"
include_patterns = [
    "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md",
    "bench/*.md", "bench/avx512/*.md", "docs/*.md", "docs/reference/*.md", "examples/README.md",
    "examples/*/README.md",
]
exclude_patterns = ["build", "dist", ".*"]

myst_heading_anchors = 4

nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # the types of annotations, most of which are not documented here

autodoc_default_options = {"members": True}
autodoc_mock_imports = ["pyspiel"]  # the base class of openspiel.Bot
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"mcts_core {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
templates_path = ["templates"]
html_additional_pages = {"index": "front.html"}  # the front door of the folder leads to docs/index.html
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_domain_indices = False
