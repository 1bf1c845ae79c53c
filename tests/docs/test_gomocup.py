"""docs/gomocup.md: its sessions and commands."""

import re

import engine_page
from gomocup_talk import is_move
from referee import EngineProcess


def test_the_documentation_runs():
    page = engine_page.read("gomocup.md")
    for session in engine_page.sessions(page):
        with EngineProcess("gomocup", "--iterations", "200", "--seed", "1") as engine:
            for line in session.splitlines():
                side, text = line[:2], line[2:]
                if side == "> ":
                    engine.send(text)
                else:
                    assert side == "< "
                    _, answer = engine.answer()
                    found, shown = (re.sub(r"in [\d.]+ s,", "in 0 s,", said) for said in (answer, text))
                    assert found == shown
            engine.send("END")
            lines, code, errors = engine.ended()
            assert (code, errors) == (0, "") and lines == []
    for last in engine_page.run_commands(page):
        assert is_move(last)
