"""Who plays in a match: this package with any options, OpenSpiel's bot, or another program that reads lines."""

import atexit
import random
import shlex
import subprocess
import time
from dataclasses import dataclass
from functools import cache

import arguments

SPECIFICATION = "name=value,... for this package, openspiel[:c=...,rollouts=...,solve=...], or command:PROGRAM"
OPENSPIEL = {"c": 1.4, "rollouts": 1, "solve": True}
"""Options of OpenSpiel's bot; c is for its values in [-1, 1], twice that of the same search with values in [0, 1]."""
MEMORY_MB = 8192
"""Far more than OpenSpiel's bot needs here: it never collects garbage."""
NO_LIMIT = 2**31 - 1


class Failed(Exception):
    """A player cannot go on."""


@dataclass(frozen=True)
class Setting:
    """A player and how long he thinks, as plain values."""

    kind: str
    """``ours``, ``openspiel`` or ``command``."""
    options: tuple
    """(name, value) pairs; for a command the one pair ("command", text)."""
    seconds: float | None = None
    iterations: int | None = None

    @property
    def budget(self):
        """As keywords of Searcher.search."""
        return {"seconds": self.seconds} if self.iterations is None else {"iterations": self.iterations}

    def __str__(self):
        named = dict(self.options)
        if self.kind == "command":
            return f"command:{named['command']}"
        text = arguments.as_text(named)
        name = f"openspiel:{text}" if self.kind == "openspiel" else f"mcts_core({text})"
        limit = f"{self.seconds:g} s" if self.iterations is None else f"{self.iterations:,} iterations"
        return f"{name}, {limit}"

    def to_dict(self):
        """As JSON data."""
        options = {name: value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)
                   for name, value in self.options}
        return {"kind": self.kind, "options": options} | ({} if self.kind == "command" else self.budget)

    def player(self, game, seed):
        """The player of one game."""
        return {"ours": Ours, "openspiel": OpenSpiel, "command": Command}[self.kind](self, game, seed)


def parse(text, game, seconds=None, iterations=None, more=()):
    """The Setting that a specification names; ``more``: further options. Raises ValueError or TypeError."""
    kind, colon, rest = text.partition(":")
    if kind == "command" and colon:
        if game.constructor != "ConnectFour":
            raise ValueError("a command plays Connect Four only")
        if not rest.strip() or more:
            raise ValueError("command: is followed by a program and its arguments, and has no options")
        return Setting("command", (("command", rest),))
    if kind == "openspiel":
        given = arguments.options(rest) | dict(more)
        unknown = set(given).difference(OPENSPIEL)
        if unknown:
            raise ValueError(f"options of openspiel are {', '.join(OPENSPIEL)}, got {', '.join(sorted(unknown))}")
        setting = Setting("openspiel", tuple((OPENSPIEL | given).items()), seconds, iterations)
        setting.player(game, 0)
        return setting
    from mcts_core import Searcher

    given = arguments.options(text) | dict(more)
    Searcher(**given)
    return Setting("ours", tuple(given.items()), seconds, iterations)


class Ours:
    """A Searcher, made anew for each game. ``proven`` is what the last search reported."""

    def __init__(self, setting, game, seed):
        import mcts_core

        self._engine = mcts_core.Searcher(**{"seed": seed, **dict(setting.options)})
        self._budget = setting.budget
        self.proven = None

    def move(self, state):
        """The move to play."""
        move = self._engine.search(state, **self._budget)
        self.proven = self._engine.stats().proven
        return move


class OpenSpiel:
    """``pyspiel.MCTSBot``. By time, its own clock ends a search, after at least as long as was asked for."""

    proven = None

    def __init__(self, setting, game, seed):
        if game.openspiel is None:
            raise ValueError(f"OpenSpiel has no game with the rules of {game.name}")
        try:
            import pyspiel
        except ImportError:
            raise ValueError("OpenSpiel is not installed: pip install open_spiel") from None
        options = dict(setting.options)
        loaded = pyspiel.load_game(game.openspiel)
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=options["rollouts"], seed=seed % 2**31)
        by_time = setting.iterations is None
        self._bot = pyspiel.MCTSBot(
            game=loaded, evaluator=evaluator, uct_c=options["c"], max_memory_mb=MEMORY_MB, solve=options["solve"],
            max_simulations=NO_LIMIT if by_time else setting.iterations, seed=seed % 2**31, verbose=False,
            max_wall_clock_time=setting.seconds if by_time and setting.seconds else -1.0)
        self._state = loaded.new_initial_state()

    def move(self, state):
        """The move to play."""
        for move in state.moves[self._state.move_number():]:
            self._state.apply_action(move)
        return self._bot.step(self._state)


class Command:
    """Another program, for Connect Four.

    A line with the moves so far, as columns from 1 and ``-`` for none, is answered by a line with the column to play,
    or with the scores of the seven columns, ``.`` for a full one. Of scores, one of the best columns is chosen at
    random: perfect play, when they are exact.
    """

    proven = None

    def __init__(self, setting, game, seed):
        self._command = dict(setting.options)["command"]
        self._random = random.Random(seed)

    def move(self, state):
        """The move to play."""
        answer = self._ask(state)
        if len(answer) == 1:
            return self._number(answer[0]) - 1
        scores = self._scores(answer, state)
        best = max(score for score in scores if score is not None)
        return self._random.choice([column for column, score in enumerate(scores) if score == best])

    def scores(self, state):
        """The score of each column, None for a full one."""
        return self._scores(self._ask(state), state)

    def _ask(self, state):
        process = running(self._command)
        try:
            process.stdin.write("".join(str(move + 1) for move in state.moves) + "\n" if state.moves else "-\n")
            process.stdin.flush()
            answer = process.stdout.readline().split()
        except (OSError, ValueError):
            answer = []
        if not answer:
            raise Failed(f"command {self._command!r} ended or answered nothing")
        return answer

    def _scores(self, answer, state):
        scores = [None if entry == "." else self._number(entry) for entry in answer]
        legal = [column for column, score in enumerate(scores) if score is not None]
        if legal != state.legal_moves():
            raise Failed(f"command {self._command!r} answered {' '.join(answer)!r}, not the scores of the columns "
                         f"{[move + 1 for move in state.legal_moves()]} with . for the others")
        return scores

    def _number(self, text):
        try:
            return int(text)
        except ValueError:
            raise Failed(f"command {self._command!r} answered {text!r}, not a number") from None


@cache
def running(command):
    """The program, started once in each process and ended with it."""
    try:
        process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failed(f"command {command!r} does not run: {error}") from None
    atexit.register(process.terminate)
    return process


def clocked(player, state):
    """(move, wall-clock seconds)."""
    start = time.perf_counter()
    move = player.move(state)
    return move, time.perf_counter() - start


def seed_of(*parts):
    """A seed that belongs to what it is for, below 2**63."""
    return random.Random("/".join(map(str, parts))).getrandbits(63)
