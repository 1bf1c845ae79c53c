"""The site that ``make docs`` has made, in build/docs: whether all is there, leads somewhere and needs no network."""

import ast
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

import pytest

import mcts_core

ROOT = pathlib.Path(__file__).parents[2]
SITE = pathlib.Path(os.environ.get("MCTS_CORE_SITE", ROOT / "build" / "docs"))
CLASSES = ["ConnectFour", "Gomoku", "MNK", "NativeGame", "NativePosition", "TicTacToe"]

pytestmark = pytest.mark.docs


class Page(html.parser.HTMLParser):
    """The links of a page, what it loads, and what links can lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given[name] for name in ("id", "name") if given.get(name) and (name == "id" or tag == "a")]
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("author", "search", "next", "prev", "index", "canonical"):
            self.loads.append(given["href"])
        elif given.get("src"):
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def pages():
    assert (SITE / "docs" / "index.html").exists(), "make docs makes the site first"
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def text_of(name):
    """The words of a page, one space between them."""
    words = re.sub(r"<[^>]+>", "", (SITE / "docs" / name).read_text(encoding="utf-8"))
    return re.sub(r"\s+", " ", html.unescape(words))


def test_every_page_is_on_the_site(pages):
    for source in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        assert SITE / source.relative_to(ROOT).with_suffix(".html") in pages


def test_every_link_leads_somewhere(pages):
    count = 0
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            if re.match("[a-z]+:", link):
                continue
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            assert target.is_file(), (path, link)
            if anchor and target in pages:
                assert anchor in pages[target].ids, (path, link)
            count += 1
    assert count > 2000


def test_the_site_needs_no_network(pages):
    for path, page in pages.items():
        for resource in page.loads:
            assert not re.match("(?!data:)[a-z]+:|//", resource), (path, resource)
    sheets = sorted(SITE.rglob("*.css"))
    assert len(sheets) >= 3
    for sheet in sheets:
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_the_front_door_leads_to_the_index(pages):
    front = (SITE / "index.html").read_text(encoding="utf-8")
    assert 'content="0; url=docs/index.html"' in front
    assert pages[SITE / "index.html"].links == ["docs/index.html"]


def test_every_public_name_is_in_the_reference_once(pages):
    reference = [name for path, page in pages.items() if path.parent.name == "reference" for name in page.ids]
    for name in mcts_core.__all__:
        module = name == "render"
        assert reference.count("module-mcts_core.render" if module else f"mcts_core.{name}") == 1, name
    for name in mcts_core.render.__all__:
        assert reference.count(f"mcts_core.render.{name}") == 1, name


def stubs():
    """(class, member) of the stubs, those that both boards share among them."""
    def classes(name):
        path = pathlib.Path(mcts_core.__file__).with_name("games") / f"{name}.pyi"
        return {part.name: part.body for part in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(part, ast.ClassDef)}

    shared = classes("board_position")["BoardPosition"]
    for name in ("connect_four/position", "mnk/position", "native_games", "native_positions"):
        for kind, body in classes(name).items():
            if kind in CLASSES:
                for member in [*body, *(shared if kind in ("ConnectFour", "MNK") else ())]:
                    if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and (
                            member.name != "explain_error"):
                        yield kind, member


def test_native_classes_have_the_members_and_types_of_their_stubs(pages):
    ids = pages[SITE / "docs" / "reference" / "games.html"].ids
    text = text_of("reference/games.html")
    members = 0
    for kind, member in stubs():
        assert f"mcts_core.{kind}.{member.name}" in ids
        decorators = {ast.unparse(one) for one in member.decorator_list}
        returns = ast.unparse(member.returns)
        said = f"property {member.name}: {returns}" if "property" in decorators else f"→ {returns}"
        assert said in text.replace("[source]", ""), said
        members += 1
    assert members > 35
    one_line = text.replace("( ", "(").replace(", )", ")")  # how the page breaks a long one depends on its length
    for signature in [
        "class ConnectFour(rows: SupportsIndex = 6, cols: SupportsIndex = 7, connect: SupportsIndex = 4",
        "class MNK(m: SupportsIndex = 3, n: SupportsIndex = 3, k: SupportsIndex = 3, rule: str = 'freestyle'",
        "class Gomoku(size: SupportsIndex = 15, rule: str = 'freestyle')",
        "class TicTacToe",
        "play(column: str | SupportsIndex) → ConnectFour",
    ]:
        assert signature in one_line, signature


def test_docstrings_of_native_classes_are_told():
    text = text_of("reference/games.html")
    for told in ("A position of Connect Four. It never changes", "Returns the position after a stone in column",
                 "Stones fall down the columns", "The number of rows."):
        assert told in text, told


def test_arguments_told_in_docstrings_are_definition_lists():
    page = (SITE / "docs" / "reference" / "search.html").read_text(encoding="utf-8")
    for name in ("preset", "exploration", "root_proofs", "temperature", "overhead"):
        assert re.search(rf'<dt><[^\n]*<span class="pre">{name}</span>', page), name


def test_the_contents_are_the_links_of_the_index(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
    monkeypatch.delitem(sys.modules, "plain_pages", raising=False)
    import plain_pages

    one, two = "[b](b.md), [r](../README.md), [web](https://x.md)", "[b](b.md) [c](c.md#d) [e](e/f.md)"
    assert plain_pages.contents(f"[no](a.md)\n\n## One\n\n{one}\n\n## Two\n\n{two}\n") == (
        "\n```{toctree}\n:hidden:\n:caption: One\n\nb\nREADME <../README>\n```\n"
        "\n```{toctree}\n:hidden:\n:caption: Two\n\ne/f\n```\n")
    assert plain_pages.HIDDEN.sub(r"```{eval-rst}\n\1```", "a\n<!-- sphinx\n.. x:: y\n-->\nb") == (
        "a\n```{eval-rst}\n.. x:: y\n```\nb")


def test_the_page_to_play_on_is_there_where_a_link_leads_to_it():
    assert ("Play now" in text_of("index.html")) is (SITE / "play" / "index.html").exists()


def test_the_page_to_play_on_is_a_part_of_the_site_where_it_is_built(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
    monkeypatch.delitem(sys.modules, "play_page", raising=False)
    import play_page

    class App:
        outdir = tmp_path / "site"

    App.outdir.mkdir()
    monkeypatch.setattr(play_page, "PAGE", tmp_path / "page")
    text = "a\n\n<!-- play\n<p>one\ntwo</p>\n-->\n\nb"
    source = [text]
    play_page.show(App, "x", source)
    play_page.copy(App, None)
    assert source == [text] and not list(App.outdir.iterdir())
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").touch()
    play_page.show(App, "x", source)
    play_page.copy(App, None)
    assert source == ["a\n\n<p>one\ntwo</p>\n\nb"] and (App.outdir / "play" / "index.html").exists()


def test_docstrings_for_terminals_become_restructured_text(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
    monkeypatch.delitem(sys.modules, "terminal_docstrings", raising=False)
    import terminal_docstrings

    lines = ["What it does.", "", "one: first", "    and more", "two, three: the others", "", "    code = 1", "", "end"]
    assert terminal_docstrings.structured(lines) == [
        "What it does.", "", "``one``", "    first", "    and more", "", "``two``, ``three``", "    the others", "",
        ".. code-block:: python", "", "    code = 1", "", "end", ""]
    assert terminal_docstrings.structured(["a sentence: with", "two lines"]) == ["a sentence: with", "two lines", ""]
    assert terminal_docstrings.with_links("``Stats.tree`` of ``stats()``, ``search`` and ``MNK(3)``") == (
        ":py:obj:`Stats.tree <mcts_core.Stats.tree>` of :py:obj:`stats() <mcts_core.stats>`, ``search`` and ``MNK(3)``")
