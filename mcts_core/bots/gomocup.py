"""An engine for five in a row that speaks the protocol of Gomocup and of the manager Piskvork.

Source: M. Petricek and P. Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm. ``YXSTOP``,
``YXBOARD``, ``YXNBEST`` and the ``INFO`` keys ``max_node`` and ``thread_num`` come from other managers.
"""

from __future__ import annotations

import io
import math
import os
import re
import time

import mcts_core
from mcts_core.bots.budgets import DEFAULT_SECONDS, FOREVER, LEAST, Margin, MatchClock, check, fewest
from mcts_core.bots.lines import Lines
from mcts_core.bots.thinking import GRACE, Thinking
from mcts_core.option_rows import checked
from mcts_core.words import proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mcts_core import MNK, Searcher, Stats

OWN, OTHER = 1, -1
FIVE = 5
LARGEST = 32
RULES = {0: "freestyle", 1: "exact"}
CONTINUOUS = 2
"""The bit of ``rule`` for a game that goes on after a five; up to the five it is played as without this bit."""
UNSUPPORTED = {4: "renju", 8: "caro"}
UNLIMITED = 2147483647
"""The ``time_left``, in milliseconds, of a match without a limit."""
FAST = 0.01
"""Seconds of a search if the limit of a turn is 0."""
PROCESS_MB = 48
"""MiB of ``max_memory`` reserved for the interpreter and the library, which take about 40."""
LEAST_MB, MOST_MB = 1, 65536
SHOWN = 80
"""Characters of a command that an answer repeats."""
REHEARSED = 8
"""Positions of a rehearsal. On a shared core not every move is late, so fewer would often measure no delay."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_BETWEEN = r"(?:\s*,\s*|\s+)"
_COORDINATES = re.compile(_BETWEEN.join([r"([0-9]{1,4})"] * 2))
_STONE = re.compile(_BETWEEN.join([r"([0-9]{1,4})"] * 3))
_LIKE_STONE = re.compile(r"\s*[+-]?[0-9]")
_SIZE = re.compile(rf"([0-9]{{1,4}})(?:{_BETWEEN}\1)?")


class Refused(ValueError):
    """A known command that cannot be carried out: the answer is ERROR."""


class Unknown(ValueError):
    """An unknown command: the answer is UNKNOWN."""


ERRORS = (
    Refused, mcts_core.IllegalMove, mcts_core.GameOver, mcts_core.InvalidState, mcts_core.InvalidOption, MemoryError,
)


def rehearse(**options: Any) -> Margin:
    """Plays a few short practice moves and returns the margin learned from them. It takes some 0.2 s.

    Afterwards everything is loaded, and the margin fits the machine, so the first move of a game is as prompt as the
    others. ``options``: those of ``Gomocup``.
    """
    engine = Gomocup(Lines(io.BytesIO(), io.BytesIO()), **options)
    engine.handle("INFO timeout_turn 20")
    for column in range(REHEARSED):
        for line in ("START 15", "BOARD", "7,7,2", "8,8,1", f"{column},6,2", "DONE", "TURN 0,0"):
            engine.handle(line)
            engine.finish()
    engine.close()
    return engine.margin


def _other_side(stones: Mapping[int, int]) -> dict[int, int]:
    """The same stones, seen by the opponent."""
    return {cell: -who for cell, who in stones.items()}


class Times:
    """The manager's limits for a turn and for the match, in seconds, and the time that the match has taken."""

    def __init__(self, margin: Margin | None = None) -> None:
        self.margin = margin or Margin()
        self.turn: float | None = None
        self.match: float | None = None
        self._left: float | None = None
        self._fresh = False
        self._used = 0.0
        self._clock = MatchClock()

    def new_match(self) -> None:
        """Starts a new match. A ``time_left`` that arrived after the last move applies to the new match."""
        self._used = 0.0
        self._clock = MatchClock()
        if not self._fresh:
            self._left = None

    def tell_left(self, seconds: float) -> None:
        """Sets the time left in the match, which may be below 0 or infinite."""
        self._left = seconds
        self._fresh = True

    def spend(self, seconds: float) -> None:
        """Deducts the time of a move."""
        self._used += seconds
        self._clock.spend(seconds)
        self._fresh = False
        if self._left is not None:
            self._left -= seconds

    def search(self, state: MNK) -> float | None:
        """Seconds of the search for a move in ``state``, or None without a limit."""
        limits = []
        if self.turn is not None:
            limits.append(self.margin.within(self.turn) if self.turn > 0.0 else FAST)
        left = self._left
        if left is None and self.match is not None:
            left = self.match - self._used
        if left is not None and left != math.inf:
            made = (state.m * state.n - len(state.legal_moves())) // 2
            limits.append(self._clock.seconds(left, state=state, moves_made=made, reported=self._fresh))
        return min(limits) if limits else None


class Gomocup:
    """The engine. ``handle`` carries out a command; the answers go to ``lines``.

    ``seconds`` and ``iterations`` limit every move in addition to the manager's limits; without any limit a move takes
    one second. ``ponder``: it also searches while the opponent is to move, for at most the time of a turn. ``margin``:
    the delays of this process that are already known, as from ``rehearse``. Other keywords are options of ``Searcher``.
    Raises InvalidOption.
    """

    @checked({})
    def __init__(
        self,
        lines: Lines,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        ponder: bool = False,
        margin: Margin | None = None,
        **options: Any,
    ) -> None:
        check(mcts_core.Searcher(**options), mcts_core.Gomoku(), seconds, iterations)
        self._lines = lines
        self._seconds = seconds
        self._iterations = iterations
        self._ponder = ponder
        self._options = options
        self._told = {"rule": 0, "max_memory": 0, "max_node": 0, "thread_num": 0}
        """The values of INFO other than times."""
        self._times = Times(margin)
        self._engine: tuple[dict[str, Any], Searcher] | None = None
        self._size: tuple[int, int] | None = None
        self._stones: dict[int, int] = {}
        self._state: MNK | None = None
        """The position of ``_stones`` with the opponent to move; None if it must be made from the stones."""
        self._mover: int | None = None
        """Who moves next on a board that YXBOARD has set: OWN, OTHER, or 0 where its lines leave that open. Otherwise
        None: whoever did not place the last stone."""
        self._board: dict[int, int] | None = None
        """The stones of a BOARD that waits for its DONE, in the order of its lines."""
        self._then: Callable[[dict[int, int]], None] = self._think
        """What its DONE does with them."""
        self._wrong: Refused | Unknown | None = None
        """The first error of that BOARD."""
        self._thinking: Thinking | None = None
        self._searched = mcts_core.MNK(FIVE, FIVE, FIVE)
        """The position of that search."""
        self._pondering: Thinking | None = None
        """The search of the position after the last answer."""
        self._received = 0.0
        self._planned = 0.0
        """When the command arrived, and when its search is planned to end."""
        self._commands: Mapping[str, Callable[[str], None]] = {
            "START": self._start, "RECTSTART": self._rectstart, "RESTART": self._restart, "BEGIN": self._begin,
            "TURN": self._turn, "BOARD": self._begin_board, "DONE": self._end_board, "TAKEBACK": self._takeback,
            "PLAY": self._play, "SWAP2BOARD": self._begin_swap2, "YXBOARD": self._begin_yxboard,
            "YXNBEST": lambda text: self._think(self._stones_before(OWN)),
        }

    @property
    def margin(self) -> Margin:
        """The margin, as learned from the moves so far."""
        return self._times.margin

    def handle(self, line: str) -> bool:
        """Carries out one command; returns False if it was the last one."""
        received = time.perf_counter()
        word, *rest = line.split(None, 1) or [""]
        name, text = word.upper(), rest[0].strip() if rest else ""
        if name == "END":
            self.close()
            return False
        if name == "INFO":
            self._info(text)
        elif name == "ABOUT":
            self._lines.send(
                f'name="mcts_core", version="{mcts_core.__version__}", author="the authors of mcts_core"'
            )
        elif name == "YXSTOP":
            self._end_search()
        elif name in self._commands or (self._board is not None and _LIKE_STONE.match(line)):
            self._end_search()
            self._received = received
            try:
                if name not in self._commands:
                    self._add_to_board(line)
                    return True
                if self._board is not None and name != "DONE":
                    self._board = None
                    self._lines.send("ERROR BOARD without DONE")
                self._commands[name](text)
            except Unknown as error:
                self._lines.send(f"UNKNOWN {error}")
            except ERRORS as error:
                self._lines.send(f"ERROR {error}")
        else:
            self._lines.send(f"UNKNOWN command {line[:SHOWN]!r}")
        return True

    def finish(self) -> None:
        """Called after the last command: waits a little for a running search, then ends it."""
        if self._thinking is not None:
            self._thinking.wait(GRACE)

    def close(self) -> None:
        """Ends everything without further answers."""
        if self._thinking is not None:
            self._thinking.stop(silent=True)
        self._end_pondering()

    def _start(self, text: str) -> None:
        found = _SIZE.fullmatch(text)
        if not found or not FIVE <= int(found[1]) <= LARGEST:
            two = _COORDINATES.fullmatch(text)
            hint = f"; for a rectangle send RECTSTART {two[1]},{two[2]}" if two and not found else ""
            raise Refused(f"START must have a size from {FIVE} to {LARGEST}, got {text[:SHOWN]!r}{hint}")
        self._new_match(int(found[1]), int(found[1]))

    def _rectstart(self, text: str) -> None:
        found = _COORDINATES.fullmatch(text)
        if not found or not all(FIVE <= int(side) <= LARGEST for side in found.groups()):
            raise Refused(
                f"RECTSTART must have a width and a height from {FIVE} to {LARGEST}, such as 20,15, "
                f"got {text[:SHOWN]!r}"
            )
        self._new_match(int(found[1]), int(found[2]))

    def _restart(self, text: str) -> None:
        self._new_match(*self._sides())

    def _new_match(self, width: int, height: int) -> None:
        self._size = width, height
        self._stones, self._state, self._mover = {}, None, None
        self._engine = None
        self._times.new_match()
        self._lines.send("OK")

    def _begin(self, text: str) -> None:
        self._sides()
        if self._stones and self._mover is None:
            raise Refused(f"BEGIN needs an empty board; number of stones on this one: {len(self._stones)}")
        self._think(self._stones_before(OWN))

    def _turn(self, text: str) -> None:
        cell = self._cell(_COORDINATES, text, "TURN")
        if cell in self._stones:
            raise Refused(f"TURN {text}: the square already has a stone")
        self._think({**self._stones_before(OTHER), cell: OTHER})

    def _begin_board(self, text: str) -> None:
        self._begin_stones(text, self._think)

    def _begin_yxboard(self, text: str) -> None:
        self._begin_stones(text, self._set_board)

    def _begin_stones(self, text: str, then: Callable[[dict[int, int]], None]) -> None:
        self._sides()
        self._board, self._wrong, self._then = {}, None, then
        if text:
            self._add_to_board(text)

    def _begin_swap2(self, text: str) -> None:
        # Its squares and DONE follow in any case: they must not be answered one by one.
        self._board, self._wrong = {}, Unknown("command SWAP2BOARD")
        if text:
            self._add_to_board(text)

    def _add_to_board(self, line: str) -> None:
        """Adds the stones of a line. Some managers send all of them on one line, and DONE with them."""
        words = [line] if _STONE.fullmatch(line) else re.sub(r"\s*,\s*", ",", line).split()
        for word in words:
            if word.upper() == "DONE":
                self._end_board("")
                return
            try:
                self._add_stone(word)
            except Refused as error:
                self._wrong = self._wrong or error

    def _add_stone(self, text: str) -> None:
        assert self._board is not None
        found = _STONE.fullmatch(text)
        cell = self._cell(_STONE, text, "BOARD")
        who = {"1": OWN, "2": OTHER}.get(found[3]) if found else None
        if who is None:
            raise Refused(f"BOARD: a stone must be 1 (own) or 2 (the opponent's), got {text[:SHOWN]!r}")
        if cell in self._board:
            raise Refused(f"BOARD: {text[:SHOWN]!r} is the second stone on this square")
        self._board[cell] = who

    def _end_board(self, text: str) -> None:
        if self._board is None:
            raise Refused("DONE without BOARD")
        stones, wrong = self._board, self._wrong
        self._board = self._wrong = None
        if wrong is not None:
            raise wrong
        self._then(stones)

    def _set_board(self, stones: dict[int, int]) -> None:
        """Sets a position without a move. The one with fewer stones moves next; where they have as many, the one of the
        first line, if the lines alternate as moves do."""
        owners = list(stones.values())
        mover = -sum(owners)
        if mover == 0 and owners == owners[:2] * (len(owners) // 2):
            mover = sum(owners[:1])
        self._position(stones if mover != OTHER else _other_side(stones))
        self._stones, self._state, self._mover = stones, None, mover

    def _stones_before(self, mover: int) -> dict[int, int]:
        """The stones on the board before a move of ``mover``, OWN or OTHER. On a board that YXBOARD has set, this
        decides which stones are the engine's own."""
        return _other_side(self._stones) if self._mover == -mover else self._stones

    def _takeback(self, text: str) -> None:
        cell = self._cell(_COORDINATES, text, "TAKEBACK")
        if cell not in self._stones:
            raise Refused(f"TAKEBACK {text}: the square has no stone")
        taken = self._stones[cell]
        self._stones = {other: who for other, who in self._stones.items() if other != cell}
        self._state = None
        self._mover = None if self._mover is None else taken
        self._lines.send("OK")

    def _play(self, text: str) -> None:
        cell = self._cell(_COORDINATES, text, "PLAY")
        if cell in self._stones:
            raise Refused(f"PLAY {text}: the square already has a stone")
        self._stones, self._state, self._mover = {**self._stones_before(OWN), cell: OWN}, None, None
        self._lines.send(self._coordinates(cell))

    def _info(self, text: str) -> None:
        key, value, *_ = [*text.lower().split(), "", ""]
        if not _NUMBER.fullmatch(value):  # folder, evaluate, unknown keys, other values: no answer
            return
        number = int(value)
        if key in self._told:
            self._told[key] = number
        if key == "timeout_turn":
            self._times.turn = max(0, number) / 1000
        elif key == "timeout_match":
            self._times.match = number / 1000 if number > 0 else None
        elif key == "time_left":
            self._times.tell_left(number / 1000 if number < UNLIMITED else math.inf)
        else:
            return
        if self._thinking is not None and self._thinking.running:
            self._thinking.stop_after(self._seconds_of_search(self._searched))

    def _think(self, stones: dict[int, int]) -> None:
        """Searches the position with the engine to move, and answers with the move."""
        state = self._next_position(stones) or self._position(stones)
        if state.winner() is not None:
            raise Refused("the game is over")
        engine = self._searcher()

        def answer(stats: Stats | None, error: Exception | None) -> None:
            if stats is None:
                self._times.spend(time.perf_counter() - self._received)
                self._lines.send(f"ERROR {error}")
                return
            move: Any = stats.move
            self._stones, self._state, self._mover = {**stones, move: OWN}, state.play(move), None
            answers = [*self._remarks(stats), self._coordinates(move)]
            now = time.perf_counter()
            self._times.spend(now - self._received)
            if stats.stop_reason == "time":
                self.margin.learn(now - self._planned)
            self._lines.send(*answers)
            if self._ponder and self._state.winner() is None:
                # No lower priority for its thread: on a shared core it then ended too slowly, and more moves were late.
                seconds = self._times.turn or FOREVER
                self._pondering = Thinking(engine, self._state, seconds, None, lambda stats, error: None)

        told = self._told["max_node"]
        iterations = fewest(engine, state, self._iterations, told if told > 0 else None)
        self._searched = state
        self._thinking = Thinking(engine, state, self._seconds_of_search(state), iterations, answer)

    def _end_search(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()
            self._thinking = None
        self._end_pondering()

    def _end_pondering(self) -> None:
        """Ends pondering and keeps its tree for the next search. Only when no search runs that would start it."""
        if self._pondering is not None:
            self._pondering.stop(silent=True)
            self._pondering = None

    def _seconds_of_search(self, state: MNK) -> float:
        """Seconds of the search of ``state`` from now, at least LEAST."""
        told = self._times.search(state)
        limits = [limit for limit in (told, self._seconds) if limit is not None]
        self._planned = self._received + (min(limits) if limits else DEFAULT_SECONDS)
        return max(LEAST, self._planned - time.perf_counter())

    def _searcher(self) -> Searcher:
        """The Searcher with the options within the manager's limits."""
        options = dict(self._options)
        most = self._told["max_memory"]
        if most > 0:
            left = most / 2**20 - PROCESS_MB
            if left < LEAST_MB:
                raise Refused(f"max_memory must be {(PROCESS_MB + LEAST_MB) << 20} bytes or more, got {most}")
            options["memory_mb"] = min(left, options.get("memory_mb") or MOST_MB)
        threads = min(self._told["thread_num"], os.cpu_count() or 1)
        if threads > 1:
            options.setdefault("threads", threads)
        if self._engine is None or self._engine[0] != options:
            try:
                engine = mcts_core.Searcher(**options)
            except mcts_core.InvalidOption:  # the memory is not enough for so many threads
                engine = mcts_core.Searcher(**{**options, "threads": self._options.get("threads", 1)})
            self._engine = options, engine
        return self._engine[1]

    def _rule(self) -> str:
        number = self._told["rule"]
        rule = RULES.get(number & ~CONTINUOUS)
        if rule is None:
            names = [name for bit, name in UNSUPPORTED.items() if number & bit]
            known = "0 (five or more in a row) or 1 (exactly five)"
            raise Refused(f"rule must be {known}, got {number}" + (f" ({', '.join(names)})" if names else ""))
        return rule

    def _sides(self) -> tuple[int, int]:
        if self._size is None:
            raise Refused("there is no board yet: send START or RECTSTART first")
        return self._size

    def _cell(self, form: re.Pattern[str], text: str, command: str) -> int:
        """The square with the column and row at the begin of ``text``."""
        width, height = self._sides()
        found = form.fullmatch(text)
        if not found or not (int(found[1]) < width and int(found[2]) < height):
            raise Refused(
                f"{command} must have a square from 0,0 to {width - 1},{height - 1}, got {text[:SHOWN]!r}")
        return int(found[2]) * width + int(found[1])

    def _coordinates(self, cell: Any) -> str:
        row, column = divmod(cell, self._sides()[0])
        return f"{column},{row}"

    def _next_position(self, stones: Mapping[int, int]) -> MNK | None:
        """The position of these stones if they are those on the board plus one of the opponent; otherwise None."""
        state = self._state
        added = [cell for cell in stones if cell not in self._stones]
        if state is None or state.rule != self._rule() or len(added) != 1:
            return None
        return state.play(added[0]) if stones == {**self._stones, added[0]: OTHER} else None

    def _position(self, stones: Mapping[int, int]) -> MNK:
        """The position with these stones and the engine to move. Raises InvalidState if it is impossible."""
        width, height = self._sides()
        own = sum(who == OWN for who in stones.values())
        other = len(stones) - own
        if not own <= other <= own + 1:
            raise Refused(
                f"the opponent must have as many stones as the engine, or one more, because the engine is to move; "
                f"got {other} and {own}"
            )
        first = OWN if own == other else OTHER
        marks = ["." if who is None else "X" if who == first else "O"
                 for who in map(stones.get, range(width * height))]
        rows = "\n".join("".join(marks[start:start + width]) for start in range(0, width * height, width))
        return mcts_core.MNK.from_string(rows, m=width, n=height, k=FIVE, rule=self._rule())

    def _remarks(self, stats: Stats) -> list[str]:
        """The lines about the search: MESSAGE for the user, DEBUG for the author."""
        proven = f", {proof(stats)}" if stats.proven else ""
        line = " ".join(self._coordinates(cell) for cell in stats.pv)
        return [
            f"MESSAGE value {stats.value:.3f}{proven}, {stats.iterations} iterations in {stats.seconds:.3f} s, "
            f"pv {line}",
            f"DEBUG stopped by {stats.stop_reason}, depth {stats.depth_mean:.1f}/{stats.depth_max}, "
            f"{stats.nodes} nodes, {stats.bytes / 2**20:.1f} MiB, {stats.reused_visits} visits reused, "
            f"seed {stats.seed}",
        ]
