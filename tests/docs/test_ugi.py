"""docs/ugi.md: its sessions and commands."""

import engine_page
from referee import EngineProcess
from ugi_talk import INFO


def test_the_documentation_runs():
    page = engine_page.read("ugi.md")
    for session in engine_page.sessions(page):
        first, *lines = session.splitlines()
        assert first.startswith("$ mcts-core ")
        with EngineProcess(*first.removeprefix("$ mcts-core ").split()) as engine:
            for line in lines:
                side, text = line[:2], line[2:]
                if side == "> ":
                    engine.send(text)
                else:
                    assert side == "< "
                    _, answer = engine.answer()
                    if text.startswith("info depth"):
                        assert INFO.fullmatch(answer) and INFO.fullmatch(text)
                    else:
                        assert answer == text
            engine.send("quit")
            assert engine.ended() == ([], 0, "")
    for last in engine_page.run_commands(page):
        assert last.startswith("bestmove ")
