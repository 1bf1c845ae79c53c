import doctest
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


def test_the_table_of_the_readme_has_the_form_of_the_real_one():
    engine = mcts_core.Searcher(seed=1)
    engine.search(mcts_core.ConnectFour(), iterations=10_000)
    shown, = (block for kind, block in BLOCKS if kind == "text")

    def form(text):
        first, *rest = re.sub(r"[\d.,]+", "#", text).splitlines()
        return [first.split(), *(line.split() for line in rest[:-1]), rest[-1].split()[:2]]

    assert form(shown) == form(str(engine.stats()))


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_are_understood(line):
    words = shlex.split(line, comments=True)[1:]
    if words == ["--version"]:
        return
    args = build_parser().parse_args(words)
    for spec in args.games if words[0] == "bench" else [args.game]:
        if not spec.startswith("examples."):
            parse_game(spec).play_text(getattr(args, "moves", ""), getattr(args, "base", None))


def test_the_readme_shows_every_command():
    assert {line.split()[1] for line in COMMANDS} >= {"play", "selfplay", "analyze", "bench"}
