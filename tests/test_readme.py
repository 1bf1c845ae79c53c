import dataclasses
import doctest
import inspect
import pathlib
import re
import shlex

import pytest

import mcts_core
from mcts_core.cli.games import parse_game
from mcts_core.cli.main import build_parser

TEXT = (pathlib.Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()
            if line.startswith("mcts-core ")]


def test_the_session_prints_what_the_readme_says():
    """The blocks of Python in their order: sessions are compared, definitions are run."""
    names = {"__name__": "readme"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    sessions = 0
    for number, block in enumerate(block for kind, block in BLOCKS if kind == "python"):
        if block.startswith(">>> "):
            test = parser.get_doctest(block, names, f"README.md block {number}", "README.md", 0)
            runner.run(test, clear_globs=False)
            names = test.globs
            sessions += 1
        else:
            exec(compile(block, f"README.md block {number}", "exec"), names)
    failed, attempted = runner.summarize(verbose=False)
    assert sessions >= 2 and attempted >= 15
    assert failed == 0


def test_the_table_of_the_readme_is_the_real_one():
    """But for times, and for visits and values, which tuning changes."""
    call, = re.findall(r"^`(mc\.search\(.*\))`:$", TEXT, re.MULTILINE)
    eval(call, {"mc": mcts_core})
    shown, = (block for kind, block in BLOCKS if kind == "text")

    def form(text):
        first, headings, *rows, variation = text.splitlines()
        move, _, _, _, _, *proof = rows[0].split()
        return re.sub(r"[\d.,]+", "#", first), headings.split(), len(rows), move, proof, variation.split()[:2]

    assert form(shown) == form(str(mcts_core.stats()))


def test_the_options_of_the_readme_are_those_of_the_searcher():
    table = TEXT.split("| option | default | |", 1)[1].split("**`Stats`**", 1)[0]
    named = [name for row in table.splitlines() if row.startswith("| `")
             for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(inspect.signature(mcts_core.Searcher).parameters)


def test_the_fields_of_the_readme_are_those_of_the_stats():
    table = TEXT.split("**`Stats`**", 1)[1].split("**Errors.**", 1)[0]
    named = [name for row in table.splitlines() if row.startswith("| `")
             for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(field.name for field in dataclasses.fields(mcts_core.Stats))


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_are_understood(line):
    words = shlex.split(line, comments=True)[1:]
    if words == ["--version"]:
        return
    args = build_parser().parse_args(words)
    if words[0] in ("gomocup", "kaggle-bundle"):
        return
    for spec in args.games if words[0] == "bench" else [args.game]:
        if not spec.startswith("examples."):
            parse_game(spec).play_text(getattr(args, "moves", ""), getattr(args, "base", None))


def test_the_readme_shows_every_command():
    assert {line.split()[1] for line in COMMANDS} >= {
        "play", "selfplay", "analyze", "bench", "gomocup", "kaggle-bundle", "ugi"}
