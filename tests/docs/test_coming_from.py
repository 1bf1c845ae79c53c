"""docs/coming_from.md: its programs, each where its package is installed, and its table."""

import doctest
import pathlib
import re
import sys

import pytest

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
SECTIONS = dict(zip(["mcts_core", *re.findall(r"^## (.*)$", PAGE, re.MULTILINE)],
                    re.split(r"^## .*\n", PAGE, flags=re.MULTILINE), strict=True))
PACKAGES = {"python-chess": "chess", "gymnasium": "gymnasium"}
"""The modules of those that make test-clients installs."""
STOCKFISH = """\
for line in map(str.strip, open(0)):
    if line == "uci":
        print("id name stand-in", "uciok", sep="\\n", flush=True)
    elif line == "isready":
        print("readyok", flush=True)
    elif line.startswith("go"):
        print("info depth 1 score cp 20 nodes 200 pv e2e4", "bestmove e2e4", sep="\\n", flush=True)
    elif line == "quit":
        break
"""
"""Knows the first move of a game, and speaks UCI."""


def programs(section):
    return re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)


def run(section, blocks):
    """Runs blocks of one section with the names of the page's first program; fails where one prints something else."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    exec("import mcts_core as mc", names := {})
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, names, f"{section} {number}", "coming_from.md", 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    failed, attempted = runner.summarize(verbose=False)
    assert attempted and not failed


@pytest.mark.parametrize("section", SECTIONS)
def test_programs_that_need_no_other_package_run(section):
    blocks = programs(section)
    if section == "mctx":
        run(section, blocks[1:])
    elif section == "mcts_core":
        run(section, blocks)
    else:
        assert len(blocks) == 2


def test_the_programs_of_openspiel_run():
    run("OpenSpiel", programs("OpenSpiel"))


@pytest.mark.needs("mctx")
def test_the_programs_of_mctx_run():
    run("mctx", programs("mctx"))


@pytest.mark.clients
@pytest.mark.parametrize("section", PACKAGES)
def test_the_programs_of_other_packages_run(section, tmp_path, monkeypatch):
    package = PACKAGES[section]
    pytest.importorskip(package, reason=f"{package} is not installed; make test-clients installs it")
    program = tmp_path / "stockfish"
    program.write_text(f"#!{sys.executable}\n{STOCKFISH}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    run(section, programs(section))


def rows():
    lines = re.findall(r"^\| (\d+\. .*) \|$", PAGE, re.MULTILINE)
    return [re.split(r" \| ", line) for line in lines]


def test_the_table_has_the_same_ten_things_of_all():
    assert [int(row[0].partition(".")[0]) for row in rows()] == list(range(1, 11))
    assert all(len(row) == 1 + len(SECTIONS) and all(row) for row in rows())


@pytest.mark.parametrize("column, section", list(enumerate(SECTIONS, 1)))
def test_the_programs_show_what_the_table_names(column, section):
    text = "\n".join(programs(section))
    numbered = {int(number) for comment in re.findall(r"#( .*)$", text, re.MULTILINE)
                for number in re.findall(r"\b(\d+)\b", comment.partition(":")[0])}
    for number, row in enumerate(rows(), 1):
        for code in re.findall(r"`([^`]*)`", row[column]):
            for word in re.findall(r"[A-Za-z_]{3,}", code):
                assert re.search(rf"\b{word}\b", text), (section, code)
        if "`" in row[column]:
            assert number in numbered, (section, row[column])
