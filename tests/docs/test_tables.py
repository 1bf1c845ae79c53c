"""docs/options.md, docs/command_line.md and docs/reference/search.md: their tables say what the code does."""

import ast
import dataclasses
import inspect
import pathlib
import re
import sys
import tomllib

import pytest

import mcts_core as mc
from mcts_core import defaults, option_rows
from mcts_core.cli.main import build_parser

DOCS = pathlib.Path(__file__).parents[2] / "docs"
OPTIONS = (DOCS / "options.md").read_text(encoding="utf-8")
SEARCH = (DOCS / "reference" / "search.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| .* \|$",
                                              OPTIONS.split("## All options")[1].split("## Defaults by game")[0], re.M)}


CHECKS = {name: row.check for name, row in option_rows.ROWS.items()}
WORDS = {"preset": option_rows.PRESETS, "selection": option_rows.SELECTIONS, "rollout": option_rows.ROLLOUTS,
         "rave_schedule": option_rows.SCHEDULES, "final_move": option_rows.FINAL_MOVES,
         "root_policy": option_rows.ROOT_POLICIES,
         "valuation": ("rollout", "network")}


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
    check = CHECKS[name]
    low, high = as_number(low), as_number(high) - bool(less)
    low, high = (int(number) if number == int(number) else number for number in (low, high))
    check(low, name), check(high, name)
    for outside in (low - 1 if isinstance(low, int) else low / 2, high + 1):
        with pytest.raises(mc.InvalidOption):
            check(outside, name)


def test_the_words_are_those_that_are_taken():
    found = {name: {*words} for name, (values, _) in ROWS.items() if (words := re.findall(r'`"([\w-]+)"`', values))}
    assert found == {name: {*words} for name, words in WORDS.items()}
    for name, words in found.items():
        assert [CHECKS[name](word, name) for word in words] == [*words]


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


# The page, help(Searcher), the types and the help of the command line explain an option each in its own way. What they
# say of its name, words, range and default has to be the same.

def paragraphs():
    """What help(Searcher) says about each option."""
    found = {}
    text = re.sub(r"\n {4,}", " ", inspect.getdoc(mc.Searcher))
    for names, said in re.findall(r"^((?:\w+, )*\w+): (.*)$", text, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), said)
    for name, other in {"gumbel_moves": "root_policy", "gumbel_scale": "root_policy", "rave_k": "rave_schedule",
                        "rave_bias": "rave_schedule", "grave_ref": "selection"}.items():
        assert f"``{name}``" in found[other]
        found[name] = found[other]
    return found


def test_the_help_explains_every_option_and_its_words():
    said = paragraphs()
    assert sorted(said) == sorted(ROWS)
    for name, words in WORDS.items():
        for word in words:
            assert f'``"{word}"``' in said[name], (name, word)


def test_the_help_has_the_ranges_of_the_page():
    compared = []
    for name, text in paragraphs().items():
        row = re.search(r"([-\d.e]+) to ([\d.^e]+)( - 1)?$", ROWS[name][0])
        if not row or name in ("fpu", "exploration", "c_puct", "leaf_proofs", "node_proofs", "root_proofs",
                               "noise_alpha", "gumbel_scale"):
            continue  # whose help names no range, but that of values, of the time of a step or of another option
        pairs = {(float(low), as_number(high.replace(",", "").replace("**", "^")) - bool(less)) for low, high, less in
                 re.findall(r"(?<![\d.])(\d[\d.e-]*) to (\d(?:[\d,*.e]*\d)?)( - 1)?(?!\d)", text)}
        if pairs:
            compared.append(name)
            assert (as_number(row[1]), as_number(row[2]) - bool(row[3])) in pairs, (name, pairs)
    assert {"rollouts_per_leaf", "expand_distance", "seed", "threads", "batch", "gumbel_moves", "least_prior",
            "rollout_moves", "nested_rollouts", "every", "valuation", "noise_weight"} <= {*compared}


def test_the_help_and_the_page_have_the_defaults_of_the_code():
    real = {"c_puct": {defaults.PUCT["c_puct"], defaults.EVALUATOR["c_puct"]},
            "batch": {defaults.EVALUATOR["batch"], defaults.POLICY_VALUE["batch"]},
            "noise_weight": {defaults.PUCT["noise_weight"], defaults.EVALUATOR["noise_weight"]},
            "least_prior": {defaults.PUCT["least_prior"]}, "every": {option_rows.EVERY},
            "gumbel_moves": {defaults.GUMBEL["gumbel_moves"]}, "gumbel_scale": {defaults.GUMBEL["gumbel_scale"]}}
    for name, numbers in real.items():
        assert {float(number) for number in re.findall(r"[\d.]+", ROWS[name][1])} == numbers, name
        said = re.findall(r"default(?: is)? ([\d.]*\d)|(?:and|is) ([\d.]*\d)(?= with ``policy|, and a move)",
                          paragraphs()[name])
        assert numbers <= {float(one or other) for one, other in said}, (name, said)


def test_types_and_command_line_have_the_words_of_the_options():
    tree = ast.parse(inspect.getsource(option_rows))
    literals = {node.target.id: {value.value for value in ast.walk(node.value) if isinstance(value, ast.Constant)}
                for node in ast.walk(tree) if isinstance(node, ast.AnnAssign) and "Literal" in ast.unparse(node)}
    names = {name: "".join(map(str.capitalize, name.split("_"))) for name in WORDS}
    assert {names[name]: {*words} for name, words in WORDS.items()} == literals
    play = next(action for action in build_parser()._actions if action.choices).choices["play"]
    for action in play._actions:
        if action.choices and action.dest in WORDS:
            assert {*WORDS[action.dest]} - {*action.choices} <= {"best_line"}, action.dest


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
    assert {*named} == {*project["optional-dependencies"]}


def test_every_public_name_is_in_the_reference_for_people_and_for_the_site():
    pages = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference").glob("*.md"))]
    hidden = "\n".join(part for text in pages for part in re.findall(r"<!-- sphinx\n(.*?)-->", text, re.DOTALL))
    seen = "\n".join(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL) for text in pages)
    for name in mc.__all__:
        assert re.search(rf"\b{name}\b", seen), name
        assert re.search(rf":: (mcts_core\.)?{name}$|:: mcts_core\.{name}$", hidden, re.MULTILINE), name
    for name in mc.render.__all__:
        assert f":: mcts_core.render.{name}\n" in hidden and f"`{name}(" in seen, name


def test_a_dash_among_the_defaults_means_that_the_search_has_no_such_option(tables):
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", OPTIONS.split("<!-- table: defaults -->")[1], re.MULTILINE)
    columns = list(tables.COLUMNS.values())
    dashes = [(name, column) for name, cells in rows for column, cell in enumerate(cells.split(" | ")) if cell == "-"]
    assert len(dashes) >= 10
    given = {**defaults.NETWORK_BOARD, **defaults.LARGE_BOARD}  # no value is that of a search which has no such option
    for name, column in dashes:
        state, _ = columns[column]
        if isinstance(state, mc.Gomoku):
            assert mc.Searcher(**{name: given[name]}).options(state)["valuation"] == "rollout", name
        elif name == "valuation":
            assert name not in mc.Searcher(valuation="rollout").options(state)
        else:
            with pytest.raises(mc.InvalidOption, match=rf"{name} .* has no meaning here"):
                mc.Searcher(**{name: given[name]}).options(state)


def signatures():
    """What the pages of the reference show of a function, its arguments, and the function."""
    owners = {"engine": mc.Searcher, "Searcher": mc.Searcher, "clock": mc.Clock, "": mc}
    found = []
    for page in sorted((DOCS / "reference").glob("*.md")):
        for written in re.findall(r"^(?:\| )?`([^`]*\w\([^`]*\))", page.read_text(encoding="utf-8"), re.MULTILINE):
            home, name, arguments = re.search(r"(\w*?)\.?(\w+)\((.*)\)$", written).groups()
            owner = owners.get(home)
            for place in (owner, mc.render, mc.Stats) if owner is mc else (owner,):
                if callable(getattr(place, name, None)):
                    found.append((written, arguments, getattr(place, name)))
                    break
    return found


@pytest.mark.parametrize("written, arguments, found", signatures(), ids=[written for written, _, _ in signatures()])
def test_the_reference_shows_the_real_signatures(written, arguments, found):
    parameters = inspect.signature(found).parameters
    real = {name: parameter.default for name, parameter in parameters.items() if name != "self"}
    parts = [part for part in arguments.split(", ") if part and part != "..." and not part.startswith("*")]
    shown = dict(part.partition("=")[::2] for part in parts)
    for name, default in shown.items():
        assert name in real and (not default or ast.literal_eval(default) == real[name]), (written, name)
    if "..." not in arguments and "**" not in arguments:
        assert [*shown] == [*real], written
