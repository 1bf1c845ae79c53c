"""docs/options.md, docs/command_line.md and docs/reference/search.md: their tables say what the code does."""

import dataclasses
import inspect
import pathlib
import re
import sys
import tomllib

import pytest

import mcts_core as mc
from mcts_core.options import _GENERAL, _GIVEN, _OWN

DOCS = pathlib.Path(__file__).parents[2] / "docs"
OPTIONS = (DOCS / "options.md").read_text(encoding="utf-8")
SEARCH = (DOCS / "reference" / "search.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| .* \|$",
                                              OPTIONS.split("## All options")[1].split("## Defaults by game")[0], re.M)}


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.delitem(sys.modules, "tables", raising=False)
    import tables

    yield tables
    del sys.modules["tables"]


@pytest.mark.parametrize("name", ["options.md", "command_line.md"])
def test_the_tables_are_those_that_the_code_makes(tables, name):
    """Else: python docs/tables.py"""
    text = (DOCS / name).read_text(encoding="utf-8")
    assert name in tables.PAGES and text.count("<!-- table: ") >= 1
    assert text == tables.filled(text)


def test_every_command_is_on_the_page(tables):
    text = (DOCS / "command_line.md").read_text(encoding="utf-8")
    for name, parser in tables.commands().items():
        row, = re.findall(rf"^\| \[`{name}`\]\((.*?)\) \|", text, re.MULTILINE)
        if row.startswith("#"):  # the others have a page of their own
            assert f"## {name}\n" in text and f"<!-- table: arguments of {name} -->" in text
        assert re.search(rf"^mcts-core {name}", text, re.MULTILINE) or row.endswith(".md")
        for written in tables.arguments(parser):
            assert row.endswith(".md") or written in text or written == tables.GAME, written


def test_the_options_are_those_of_the_searcher():
    assert sorted(ROWS) == sorted(inspect.signature(mc.Searcher).parameters)


def as_number(text):
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent) if exponent else float(text)


@pytest.mark.parametrize("name", [name for name, (values, _) in ROWS.items()
                                  if re.search(r"\d to [\d^e]+( - 1)?$", values) and name not in ("threads", "every")])
def test_the_ranges_are_those_that_are_checked(name):
    low, high, less = re.search(r"([-\d.e]+) to ([\d.^e]+)( - 1)?$", ROWS[name][0]).groups()
    check = {**_OWN, **_GIVEN, **_GENERAL}[name]
    low, high = as_number(low), as_number(high) - bool(less)
    low, high = (int(number) if number == int(number) else number for number in (low, high))
    check(low, name), check(high, name)
    for outside in (low - 1 if isinstance(low, int) else low / 2, high + 1):
        with pytest.raises(mc.InvalidOption):
            check(outside, name)


def test_the_words_are_those_that_are_taken():
    taken = {**_OWN, **_GIVEN, **_GENERAL}
    found = 0
    for name, (values, _) in ROWS.items():
        for word in re.findall(r'`"([\w-]+)"`', values):
            assert taken[name](word, name) == word
            found += 1
    assert found == 19


def test_fixed_defaults_are_the_real_ones():
    real = {**mc.Searcher().options(mc.ConnectFour()), **mc.Searcher().options(mc.Gomoku())}
    real |= {name: parameter.default for name, parameter in inspect.signature(mc.Searcher).parameters.items()
             if parameter.default is not None}
    shown = {name: default for name, (_, default) in ROWS.items()
             if re.fullmatch(r'None|True|False|[\d.e-]+|`".*"`', default)}
    assert len(shown) >= 15
    for name, default in shown.items():
        if name in real:
            assert default.strip('`"') == str(real[name]) or float(default) == real[name], name


def test_the_options_whose_default_depends_on_the_game_are_in_the_table():
    table = OPTIONS.split("<!-- table: defaults -->")[1]
    assert {name for name, (_, default) in ROWS.items() if default == "by game"} == set(
        re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


def test_the_fields_are_those_of_the_stats():
    table = SEARCH.split("| field | |")[1].split("A `MoveStats` has")[0]
    named = [name for row in table.splitlines() if row.startswith("| `")
             for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(field.name for field in dataclasses.fields(mc.Stats))
    entry = SEARCH.split("A `MoveStats` has")[1].split("\n\n")[0]
    assert {field.name for field in dataclasses.fields(mc.MoveStats)} <= set(re.findall(r"`(\w+)`", entry))


def test_the_extras_are_those_of_the_project():
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in re.findall(r"^\| `.*$", text, re.MULTILINE)))
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*named} == {*project["optional-dependencies"]} - {"browser", "docs", "test"}  # these are for contributors


def test_every_public_name_is_in_the_reference_for_people_and_for_the_site():
    pages = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference").glob("*.md"))]
    hidden = "\n".join(part for text in pages for part in re.findall(r"<!-- sphinx\n(.*?)-->", text, re.DOTALL))
    seen = "\n".join(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL) for text in pages)
    for name in mc.__all__:
        assert re.search(rf"\b{name}\b", seen), name
        assert re.search(rf":: (mcts_core\.)?{name}$|:: mcts_core\.{name}$", hidden, re.MULTILINE), name
    for name in mc.render.__all__:
        assert f":: mcts_core.render.{name}\n" in hidden and f"`{name}(" in seen, name
