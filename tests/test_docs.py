"""The pages of docs/: every block of Python runs, and every session prints what stands there."""

import doctest
import pathlib
import re

import pytest

PAGES = sorted((pathlib.Path(__file__).parent.parent / "docs").glob("*.md"))
PROGRAMS = {"clusters.md", "kaggle.md", "native_games.md", "pettingzoo.md"}
"""Pages that have tests of their own: their blocks are programs, or need the packages of others."""


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in PROGRAMS], ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page):
    text = page.read_text(encoding="utf-8")
    names = {"__name__": page.stem}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        name = f"{page.name} block {number}"
        if block.startswith(">>> "):
            test = parser.get_doctest(block, names, name, page.name, 0)
            runner.run(test, clear_globs=False)
            names = test.globs
        else:
            exec(compile(block, name, "exec"), names)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_there_are_pages():
    assert PAGES
