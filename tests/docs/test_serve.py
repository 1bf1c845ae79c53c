"""docs/serve.md: its commands, its limits and its picture."""

import pathlib
import re
import shlex

from mcts_core.cli.games import parse_game
from mcts_core.cli.main import build_parser
from mcts_core.web import limits
from mcts_core.web.limits import Limits

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
TEXT = (DOCS / "serve.md").read_text(encoding="utf-8")


def test_the_commands_are_known(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)  # the program looks for games of users in the folder where it runs
    commands = re.findall(r"^mcts-core .*$", TEXT, re.MULTILINE)
    for command in commands:
        args = build_parser().parse_args(shlex.split(command, comments=True)[1:])
        assert parse_game(args.game).start.legal_moves()
    assert len(commands) == 4


def test_the_table_has_all_limits_with_their_defaults():
    args = build_parser().parse_args(["serve"])
    rows = dict(re.findall(r"^\| `--([a-z-]+)` \| ([^|]+) \|", TEXT, re.MULTILINE))
    assert rows.pop("max-threads") == "the number of processors" and args.max_threads == Limits().threads
    told = {"max-seconds": "seconds", "max-searches": "searches", "max-games": "sessions", "memory-mb": "memory_mb",
            "idle-minutes": "idle_minutes"}
    assert {name: float(value) for name, value in rows.items()} == {
        name: getattr(Limits(), field) for name, field in told.items()}
    for name, field in told.items():
        assert getattr(args, name.replace("-", "_")) == getattr(Limits(), field)


def test_the_figures_of_the_text_are_those_of_the_server():
    words = " ".join(TEXT.split())
    assert f"at most {limits.BODY_BYTES // 1024} KiB" in words and f"{limits.CONNECTIONS} connections" in words
    assert limits.REQUEST_SECONDS == 10 and limits.REST_SECONDS == 300


def test_the_picture_is_there_and_small():
    picture = (DOCS / "serve.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n") and len(picture) < 120_000
