"""docs/tutorial.md: each step works as it stands, in its order, and prints what the page shows."""

import doctest
import os
import pathlib
import re
import shlex
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "tutorial.md"


def run(command, folder):
    """A command of the page in the folder of the reader's file; whoever plays leaves at once. A check plays a
    twentieth of its games."""
    program, *arguments = shlex.split(command)
    assert program == "mcts-core"
    if arguments[0] == "check":
        arguments += ["--games", "100"]
    done = subprocess.run(
        [sys.executable, "-m", "mcts_core", *arguments], cwd=folder, input="quit\n", capture_output=True, text=True,
        timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_step_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    printed = []
    try:
        for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            kind, block = match.groups()
            where = f"{PAGE.name} at character {match.start()}"
            if kind == "sh":
                printed += [run(line, tmp_path) for line in block.splitlines()]
            elif not block.startswith(">>> "):
                name, = re.findall(r"^Save this as `(\w+\.py)`:$", text[: match.start()], re.MULTILINE)
                if not (tmp_path / name).exists():  # the first block is the reader's file
                    (tmp_path / name).write_text(block, encoding="utf-8")
                else:
                    exec(compile(block, where, "exec"), names)
            else:
                test = parser.get_doctest(block, names, where, PAGE.name, text[: match.start()].count("\n"))
                runner.run(test, clear_globs=False)
                names = test.globs
    finally:
        sys.modules.pop("domineering", None)
    failed, attempted = runner.summarize(verbose=False)
    assert failed == 0 and attempted >= 20
    checked, played = printed
    assert "no problem found" in checked
    assert "6 . . . . . ." in played
