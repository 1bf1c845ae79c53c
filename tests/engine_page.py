"""What a page about an engine shows: sessions with it, and commands that send it lines."""

import pathlib
import re

from referee import EngineProcess

DOCS = pathlib.Path(__file__).parents[1] / "docs"


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


def sessions(page):
    """The text of each session."""
    found = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found
    return found


def run_commands(page):
    """The last line that the engine says to each command of the page. All of them send it lines by printf, and it ends
    without an error."""
    shells = re.findall(r"^```sh\nprintf '(.*?)' \| mcts-core (.*)\n```$", page, re.MULTILINE)
    assert len(shells) == page.count("```sh")
    for data, arguments in shells:
        with EngineProcess(*arguments.split()) as engine:
            engine.send(data.replace("\\n", "\n").encode())
            engine.process.stdin.close()
            lines, code, errors = engine.ended()
        assert (code, errors) == (0, "")
        yield lines[-1]
