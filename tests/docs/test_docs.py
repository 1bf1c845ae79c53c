"""The pages of docs/: every block of Python runs, every session prints what stands there. The links of all pages."""

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("**/*.md"))
OTHERS = [page for folder in (".", "bench", "examples", "examples/*") for page in sorted(ROOT.glob(f"{folder}/*.md"))]
PROGRAMS = {"clusters.md", "coming_from.md", "gymnasium.md", "kaggle.md", "native_games.md", "pettingzoo.md",
            "pictures.md", "time.md", "tutorial.md"}
"""Pages that have tests of their own: their blocks are programs, need the packages of others, or what they print and
write is compared there."""
NEW = {"index.md", "options.md", "command_line.md", "glossary.md", "troubleshooting.md"}


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def prose(page):
    """The text of a page without its blocks of code."""
    return re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """What links can lead to on a page, as repositories are shown on the web: headings in lower case with dashes."""
    headings = [re.sub(r"[`*]|\]\([^)]*\)", "", heading) for heading in re.findall(r"^#+ +(.*)$", prose(page), re.M)]
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in PROGRAMS], ids=name_of)
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


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target


def test_the_names_of_pages_in_texts_are_those_of_files():
    """Docstrings name pages, as ``docs/evaluators.md``."""
    named = set()
    for source in sorted((ROOT / "mcts_core").rglob("*.py")) + sorted((ROOT / "src").rglob("*.pyx")):
        named |= set(re.findall(r"\b((?:docs|bench)/[\w/]+\.md)\b", source.read_text(encoding="utf-8")))
    assert len(named) >= 4
    for name in named:
        assert (ROOT / name).exists(), name


def test_there_are_pages():
    assert {"index.md", "first_search.md", "own_game.md", "bots.md", "algorithms.md"} <= {page.name for page in PAGES}
    assert {name_of(page) for page in OTHERS} >= {"README.md", "bench/README.md", "examples/README.md"}


def test_the_index_lists_every_page():
    listed = re.findall(r"\]\(([^)#]+\.md)\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    pages = {(ROOT / "docs" / name).resolve() for name in listed}
    missing = {name_of(page) for page in [*PAGES, *OTHERS] if page not in pages}
    assert missing == {"docs/index.md"}
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_shows_nothing_of_the_site_where_markdown_is_shown_without_it(page):
    shown = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"^```\{|^\.\. \w", shown, re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "reference" or page.name in NEW],
                         ids=name_of)
def test_a_page_opens_with_an_example(page):
    before, _, _ = page.read_text(encoding="utf-8").partition("\n```")
    assert len(before.splitlines()) <= 8 and "\n#" not in before[1:]


@pytest.mark.parametrize("name", ["algorithms.md"])
def test_the_notes_of_a_page_are_those_that_it_calls(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    notes = re.findall(r"^\[\^(\w+)\]: ", text, re.MULTILINE)
    called = re.findall(r"\[\^(\w+)\](?!: [A-Z]\. )", text)
    assert len(notes) == len(set(notes)) >= 25
    assert set(notes) == set(called)
