"""An engine for any game that speaks the Universal Game Interface.

Source: https://github.com/kz04px/ugi, which leaves the notation of positions and moves to the engines. Here a move is
one word, and a position of a game of this package is its board from the top row down (``Notation``).
"""

from __future__ import annotations

import itertools
import re
import time

import mcts_core
from mcts_core.bots.budgets import DEFAULT_SECONDS, FOREVER, LEAST, MatchClock, check, fewest, within
from mcts_core.bots.thinking import GRACE, Thinking
from mcts_core.games.registry import entry_of
from mcts_core.move_names import Names
from mcts_core.option_rows import FINAL_MOVES, PRESETS, ROLLOUTS, SCHEDULES, SELECTIONS, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mcts_core import Searcher, Stats
    from mcts_core.bots.lines import Lines

EVERY = 0.5
"""Seconds between two ``info`` lines."""
SHOWN = 80
"""Characters of a command that an answer repeats."""
LIMITS = ("movetime", "nodes", "p1time", "p2time", "p1inc", "p2inc", "movestogo")
"""Words of ``go`` that a number follows: times in milliseconds, iterations, moves."""
CHECK, STRING = "check", "string"
OPTIONS: dict[str, str | tuple[str, ...] | tuple[int, int]] = {
    "preset": PRESETS, "selection": SELECTIONS, "exploration": STRING, "fpu": STRING, "solver": CHECK,
    "rollout": ROLLOUTS, "rollouts_per_leaf": (1, 100), "expand_after": (1, 2**30), "expand_distance": (0, 32),
    "prior_weight": STRING, "rave_schedule": SCHEDULES, "rave_k": STRING, "rave_bias": STRING, "grave_ref": (0, 2**30),
    "symmetry": CHECK, "leaf_proofs": (0, 2**20), "node_proofs": (0, 2**20), "root_proofs": (0, 2**20), "book": CHECK,
    "final_move": FINAL_MOVES, "memory_mb": STRING, "seed": STRING, "stop_early": CHECK, "threads": (1, 256),
    "exchange_every": (16, 2**30), "reuse": CHECK, "prune": CHECK, "c_puct": STRING, "noise_alpha": STRING,
    "noise_weight": STRING, "valuation": STRING, "least_prior": STRING,
}
"""The options of ``Searcher`` that a line of text can set in a game of two players, with their types: the words of a
combo, the range of a spin, a check, or a string, which is a fraction or a number too large for a spin."""
LOG = "log"
"""The option of the engine itself: the file of its log."""
EMPTY = "<empty>"
"""The value that switches the log off."""
RESULTS = {None: "none", 1: "p1win", -1: "p2win", 0: "draw"}


class Notation:
    """The notation of moves and positions of a game.

    The name of a move is the game's text for it, without spaces. If that text does not identify the move (it equals
    another move's text, is empty, begins with ``#``, or is Python's default text for an object), the name is ``#`` and
    the index of the move in the list of legal moves, from 0.
    """

    def __init__(self, start: Any) -> None:
        self.start = start

    def names(self, state: Any) -> dict[str, Any]:
        """The legal moves of ``state``, by name."""
        moves, called = list(state.legal_moves()), Names(state)
        words = ["".join((called.or_none(move) or ("" if _is_nameless(move) else str(move))).split()) for move in moves]
        seen: dict[str, int] = {}
        for word in words:
            seen[word] = seen.get(word, 0) + 1
        return {
            word if word and seen[word] == 1 and not word.startswith("#") else f"#{number}": move
            for number, (word, move) in enumerate(zip(words, moves, strict=True))
        }

    def name(self, state: Any, move: Any) -> str:
        """The name of a legal move of ``state``."""
        if entry_of(state):  # moves have different names here; building all names of 400 moves takes half a millisecond
            return Names(state).of(move)
        return next(name for name, other in self.names(state).items() if other is move or other == move)

    def position(self, text: str) -> Any:
        """The position of a FEN.

        For Connect Four and m,n,k games, a FEN has the rows from the top with ``/`` between them. ``x`` is a stone of
        the player who began, ``o`` one of the other player, and a number stands for that many empty cells. The side to
        move, ``x`` or ``o``, may follow. Other games read the text with their ``from_string``. Raises InvalidState.
        """
        start = self.start
        entry = entry_of(start)
        if entry is None:
            read = getattr(start, "from_string", None)
            if read is None:
                raise mcts_core.InvalidState(
                    f"a position must be startpos with or without moves, because {type(start).__name__} has no "
                    f"from_string(text)")
            return read(text)
        board, *to_move = text.split()
        if len(to_move) > 1 or any(side not in ("x", "o") for side in to_move):
            raise mcts_core.InvalidState(f"only x or o may follow the board of a FEN, got {text[:SHOWN]!r}")
        if len(board) > 4096 or re.search("[0-9]{3}", board):
            raise mcts_core.InvalidState(f"a FEN must have rows such as 2x1o with / between them, got {text[:SHOWN]!r}")
        rows = re.sub("[0-9]+", lambda count: "." * int(count[0]), board).upper().replace("/", "\n")
        kind: Any = entry.kind
        state = kind.from_string(rows, **entry.arguments_of(start))
        if to_move and {"x": 1, "o": -1}[to_move[0]] != state.to_move:
            raise mcts_core.InvalidState(f"by the numbers of stones the other player is to move in {text!r}")
        return state


def _is_nameless(move: Any) -> bool:
    """Whether the text of a move would be Python's default, an address in memory."""
    kind: Any = type(move)
    return kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__


class UGI:
    """The engine. ``handle`` carries out a command; the answers go to ``lines``.

    ``seconds`` and ``iterations`` limit every move except ``go infinite``, in addition to the limits of ``go``; without
    any limit a move takes one second. Other keywords are options of ``Searcher``, which ``setoption`` changes. Raises
    InvalidOption and InvalidState. If the game fails in a first short search, the engine sends the error and goes on.
    """

    @checked({})
    def __init__(
        self,
        lines: Lines,
        notation: Notation,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        **options: Any,
    ) -> None:
        self._lines = lines
        self._notation = notation
        self._seconds = seconds
        self._iterations = iterations
        self._options = options
        self._log: str | None = None
        self._engine = self._checked(options)
        self._begin = "startpos"
        """The position before the moves, in the words of the command."""
        self._moves: list[str] = []
        self._states: list[Any] = [notation.start]
        """The positions from that one to the current one: one more than there are moves."""
        self._clocks = {1: MatchClock(), -1: MatchClock()}
        """Of both players: a manager may let one process play both sides."""
        self._thinking: Thinking | None = None
        self._received = 0.0
        self._commands: Mapping[str, Callable[[list[str]], None]] = {
            "ugi": self._ugi, "isready": self._isready, "uginewgame": self._new_game, "position": self._position,
            "go": self._go, "stop": self._stop, "query": self._query, "setoption": self._setoption,
        }

    def handle(self, line: str) -> bool:
        """Carries out one command; returns False if it was the last one."""
        self._received = time.perf_counter()
        word, *words = line.split() or [""]
        if word == "quit":
            self._end_search()
            return False
        command = self._commands.get(word)
        try:
            if command is None:
                raise mcts_core.InvalidOption(f"unknown command {line[:SHOWN]!r}")
            command(words)
        except Exception as error:  # a user's game may raise anything
            self._tell(error)
            if word == "go":  # must be answered
                self._lines.send("bestmove none")
        return True

    def finish(self) -> None:
        """Called after the last command: waits a little for a running search, then ends it."""
        if self._thinking is not None:
            self._thinking.wait(GRACE)

    def close(self) -> None:
        """Ends everything without further answers."""
        if self._thinking is not None:
            self._thinking.stop(silent=True)

    def _ugi(self, words: list[str]) -> None:
        values = {"threads": 1, "reuse": True, "prune": True, "book": self._options.get("preset") != "uct",
                  **self._engine.options(self._notation.start), **self._options}
        described = {name: self._described(name, values.get(name)) for name in OPTIONS}
        self._lines.send(
            f"id name mcts_core {mcts_core.__version__}",
            "id author the authors of mcts_core",
            *(f"option name {name} type {text}" for name, text in described.items() if text),
            f"option name {LOG} type string default {self._log or EMPTY}",
            "ugiok",
        )

    def _described(self, name: str, value: Any) -> str:
        """The rest of the line of an option after ``type``, with its value or ``auto``; empty where the game has none
        of its values."""
        kind = OPTIONS[name]
        if kind == CHECK and isinstance(value, bool):
            return f"check default {_truth(value)}"
        if isinstance(kind, tuple) and isinstance(kind[0], int) and isinstance(value, int):
            return f"spin default {value} min {kind[0]} max {kind[1]}"
        default = "auto" if value is None else value
        words = ("true", "false") if kind == CHECK else kind
        if isinstance(words, str) or isinstance(words[0], int):
            return f"string default {default}"
        taken = [str(word) for word in words if kind == CHECK or self._takes(name, word)]
        return f"combo default {default} {' '.join(f'var {word}' for word in ('auto', *taken))}" if taken else ""

    def _takes(self, name: str, value: Any) -> bool:
        """Whether the game has this value of an option, beside the others."""
        try:
            mcts_core.Searcher(**{**self._options, name: value}).most_iterations(self._notation.start)
        except mcts_core.InvalidOption:
            return False
        return True

    def _isready(self, words: list[str]) -> None:
        self._lines.send("readyok")

    def _new_game(self, words: list[str]) -> None:
        self._end_search()
        self._engine = mcts_core.Searcher(**self._options)
        self._begin, self._moves, self._states = "startpos", [], [self._notation.start]
        self._clocks = {1: MatchClock(), -1: MatchClock()}

    def _setoption(self, words: list[str]) -> None:
        found = re.fullmatch(r"name (\S+) value (.+)", " ".join(words))
        if not found:
            raise mcts_core.InvalidOption("setoption must be followed by name NAME value VALUE")
        known = {name.lower(): name for name in (*OPTIONS, LOG)}
        name = known.get(found[1].lower())
        if name == LOG:
            path = None if found[2] in (EMPTY, "auto") else found[2]
            try:
                self._lines.log(path)
            except (OSError, ValueError) as error:
                raise mcts_core.InvalidOption(f"{LOG} must be a file that can be written, got {found[2][:SHOWN]!r}: "
                                              f"{error}") from None
            self._log = path
            return
        if name is None:
            raise mcts_core.InvalidOption(
                f"an option must be one of {', '.join(known.values())}, got {found[1][:SHOWN]!r}")
        self._end_search()
        options = {**self._options, name: _value(found[2])}
        if options[name] is None:
            del options[name]
        self._engine, self._options = self._checked(options), options

    def _position(self, words: list[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        begin, moves = " ".join(words[:at]), words[at + 1:]
        if begin == self._begin:  # the game goes on: keep the positions of its first moves
            pairs = zip(moves, self._moves, strict=False)
            states = self._states[:1 + sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))]
        elif begin == "startpos":
            states = [self._notation.start]
        elif begin.startswith("fen "):
            states = [self._notation.position(begin[4:])]
        else:
            raise mcts_core.InvalidState(
                f"position must be followed by startpos or by fen and a position, got {begin[:SHOWN]!r}")
        for number, word in enumerate(moves[len(states) - 1:], len(states)):
            if states[-1].winner() is not None:
                raise mcts_core.GameOver(f"move {number}, {word[:SHOWN]!r}, comes after the end of the game")
            names = self._notation.names(states[-1])
            if word not in names:
                shown = ", ".join(itertools.islice(names, 12)) + (", ..." if len(names) > 12 else "")
                raise mcts_core.IllegalMove(f"move {number} must be one of {shown}, got {word[:SHOWN]!r}")
            states.append(states[-1].play(names[word]))
        self._begin, self._moves, self._states = begin, moves, states

    def _query(self, words: list[str]) -> None:
        state = self._states[-1]
        about = " ".join(words)
        if about == "gameover":
            answer = _truth(state.winner() is not None)
        elif about == "p1turn":
            answer = _truth(state.to_move == 1)
        elif about == "result":
            answer = RESULTS[state.winner()]
        else:
            self._tell(f"a query must be gameover, p1turn or result, got {about[:SHOWN]!r}")
            answer = "unknown"
        self._lines.send(f"response {answer}")

    def _go(self, words: list[str]) -> None:
        self._end_search()
        state = self._states[-1]
        if state.winner() is not None:
            raise mcts_core.GameOver("the game is over")
        limits = self._limits(words)
        iterations = fewest(self._engine, state, limits.get("nodes"), self._iterations)
        seconds: float | None = FOREVER
        if "infinite" in words:
            iterations = None
        else:
            seconds = self._seconds_of(limits, state, DEFAULT_SECONDS if iterations is None else None)

        received, clock = self._received, self._clocks[1 if state.to_move == 1 else -1]

        def answer(stats: Stats | None, error: Exception | None) -> None:
            try:
                if stats is None:
                    raise error or RuntimeError("there are no statistics")
                answers = [self._info(state, stats), f"bestmove {self._notation.name(state, stats.move)}"]
            except Exception as error:
                self._tell(error)
                answers = ["bestmove none"]
            clock.spend(time.perf_counter() - received)
            self._lines.send(*answers)

        self._thinking = Thinking(
            self._engine, state, seconds, iterations, answer, lambda stats: self._lines.send(self._info(state, stats)),
            EVERY, hold="infinite" in words,
        )

    def _stop(self, words: list[str]) -> None:
        self._end_search()

    def _limits(self, words: list[str]) -> dict[str, int]:
        """The limits of ``go`` with their numbers; reports other words and skips them."""
        limits = {}
        rest = [word for word in words if word != "infinite"]
        while rest:
            name = rest.pop(0)
            if name not in LIMITS or not rest or not re.fullmatch("-?[0-9]{1,18}", rest[0]):
                known = ", ".join(LIMITS)
                given = f"{name} {rest[0]}" if name in LIMITS and rest and rest[0] not in LIMITS else name
                self._tell(f"the limits of go are infinite and, with a number, {known}; got {given[:SHOWN]!r}")
                while rest and rest[0] not in LIMITS:
                    rest.pop(0)
            else:
                limits[name] = max(0, int(rest.pop(0)))
        if "nodes" in limits:
            limits["nodes"] = max(1, limits["nodes"])
        return limits

    def _seconds_of(self, limits: Mapping[str, int], state: Any, otherwise: float | None) -> float | None:
        """Seconds of the search from now; ``otherwise`` if no time is given."""
        named = [] if self._seconds is None else [self._seconds]
        if "movetime" in limits:
            named.append(within(limits["movetime"] / 1000))
        player = "p1" if state.to_move == 1 else "p2"
        if f"{player}time" in limits:
            named.append(self._clocks[1 if state.to_move == 1 else -1].seconds(
                limits[f"{player}time"] / 1000,
                limits.get(f"{player}inc", 0) / 1000,
                min(limits.get("movestogo", 0), 10**6) or None,
                state=state,
                moves_made=len(self._moves) // 2,
            ))
        if not named:
            return otherwise
        return max(LEAST, min(named) - (time.perf_counter() - self._received))

    def _end_search(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()
            self._thinking = None

    def _checked(self, options: dict[str, Any]) -> Searcher:
        """A new Searcher with these options, after another one has tried them in a short search of the game. Raises
        what that raises, except an error of the game, which it reports: each ``go`` that meets it has an answer of its
        own."""
        engine = mcts_core.Searcher(**options)
        start = self._notation.start
        try:
            check(engine, start, self._seconds, self._iterations)
        except mcts_core.GameOver:
            check(engine, mcts_core.TicTacToe(), self._seconds, self._iterations)
        except mcts_core.GameError as error:
            self._tell(error)
        return mcts_core.Searcher(**options)

    def _info(self, state: Any, stats: Stats) -> str:
        """The ``info`` line. 100 ``cp`` are a win, -100 a loss; ``mate`` counts plies to a win, below 0 to a loss."""
        score = f"cp {round(200 * stats.value - 100)}"
        if stats.proven in ("win", "loss") and stats.distance is not None:
            score = f"mate {stats.distance if stats.proven == 'win' else -stats.distance}"
        names = []
        for move in stats.pv:
            names.append(self._notation.name(state, move))
            state = state.play(move)
        return (
            f"info depth {round(stats.depth_mean)} seldepth {stats.depth_max} score {score} "
            f"time {round(1000 * stats.seconds)} nodes {stats.iterations} nps {round(stats.iterations_per_second)} "
            f"pv {' '.join(names)}"
        )

    def _tell(self, what: Exception | str) -> None:
        """Sends an error or a message as an ``info string`` line."""
        if not isinstance(what, str):
            own = type(what).__module__.startswith("mcts_core.")
            what = f"{'' if own else f'{type(what).__name__}: '}{what}{_cause(what)}"
        self._lines.send(f"info string {what}")


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _cause(error: Exception) -> str:
    """The cause of an error, if its message does not contain it."""
    cause = error.__cause__
    told = f"{type(cause).__name__}: {cause}"
    return "" if cause is None or told in str(error) else f" (caused by {told})"


def _value(text: str) -> Any:
    """The value of an option's text: a bool, a number or a word; None for auto."""
    word = text.lower()
    if word in ("auto", "true", "false"):
        return {"auto": None, "true": True, "false": False}[word]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
