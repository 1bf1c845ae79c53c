"""Talks with an engine of the Gomocup protocol."""

import io
import re

from mcts_core.bots.gomocup import Gomocup
from mcts_core.bots.lines import Lines

MOVE = re.compile(r"(\d+),(\d+)")


def is_move(line):
    return MOVE.fullmatch(line) is not None


class Talk:
    """An engine in this process; ``ask`` gives commands and waits for their answers."""

    def __init__(self, **options):
        self.written = io.BytesIO()
        self.engine = Gomocup(Lines(io.BytesIO(), self.written), **{"iterations": 50, "seed": 1, **options})

    def ask(self, *commands):
        """What is answered, without remarks."""
        begin = len(self.written.getvalue())
        for command in commands:
            assert self.engine.handle(command)
        self.engine.finish()
        lines = self.written.getvalue()[begin:].decode().splitlines()
        return [line for line in lines if not line.startswith(("MESSAGE ", "DEBUG "))]

    def move(self, *commands):
        """The move that is answered, as column and row."""
        line, = self.ask(*commands)
        assert is_move(line), line
        return tuple(int(part) for part in line.split(","))


def board(own, other):
    """The commands of BOARD for squares such as "3,4"."""
    return ["BOARD", *(f"{square},1" for square in own.split()), *(f"{square},2" for square in other.split()), "DONE"]
