"""Talks with an engine of the UGI protocol."""

import io
import re

from mcts_core.bots.lines import Lines
from mcts_core.bots.ugi import UGI, Notation
from mcts_core.cli.games import parse_game

INFO = re.compile(r"info depth \d+ seldepth \d+ score (cp -?\d+|mate -?\d+) time \d+ nodes \d+ nps \d+ pv( \S+)+")


class Talk:
    """An engine in this process; ``ask`` gives commands and waits for their answers."""

    def __init__(self, game="connect4", **options):
        if isinstance(game, str):
            game = parse_game(game).start
        notation = Notation(game)
        self.written = io.BytesIO()
        self.engine = UGI(Lines(io.BytesIO(), self.written), notation, **{"iterations": 50, "seed": 1, **options})

    def ask(self, *commands):
        begin = len(self.written.getvalue())
        for command in commands:
            assert self.engine.handle(command)
        self.engine.finish()
        return self.written.getvalue()[begin:].decode().splitlines()

    def position(self):
        """What the queries say."""
        answers = self.ask("query p1turn", "query gameover", "query result")
        assert all(answer.startswith("response ") for answer in answers)
        return tuple(answer.removeprefix("response ") for answer in answers)
