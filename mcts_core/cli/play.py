"""``mcts-core play GAME``: a person at the terminal against the engine."""

from __future__ import annotations

from random import Random

from mcts_core import IllegalMove, InvalidOption
from mcts_core.arguments import shorten
from mcts_core.bots import levels
from mcts_core.cli import options
from mcts_core.cli.explain import explain
from mcts_core.cli.games import GeneralGame, draw, parse_game
from mcts_core.cli.tables import make_screen, show_board, show_stats
from mcts_core.cli.thinking import search_bar, think
from mcts_core.move_names import Names
from mcts_core.text_tables import course, cut, ellipsis, fitting, plain_table
from mcts_core.words import counted, expectation, expected_value, proof, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from mcts_core import Searcher, Stats
    from mcts_core.cli.games import Game
    from mcts_core.cli.options import Commands
    from mcts_core.cli.tables import Screen

COMMANDS = f"""\
moves  list the legal moves
hint   what the engine would play for you, with its statistics, and why
undo   take back your last move and the answer to it, also after the end of the game
swap   change sides; after the end of the game, start another one with sides changed
again  another game
level  how strong the engine plays: level {', '.join(levels.NAMES)}
board  show the board again
help   show this list
quit   leave (so do exit, q, the end of input and Ctrl-C)"""
WORDS = {"q": "quit", "exit": "quit", "?": "help", "rematch": "again", "new": "again"}
"""Other words for commands."""
WIDEST_VIEW = 48
"""Columns of what stands beside the board."""
MOST_SEEN = 4
"""Moves of the engine's view."""
AFTER_THE_END = "again, swap, undo or quit"
NO_LEVELS = "levels are for games of two players with winner(); all others are played at full strength"


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "play", help="play against the engine",
        description="You against the engine. Besides moves, type: moves, hint, undo, swap, again,\n"
                    "level, board, help, quit. Ctrl-C while the engine thinks makes it move at once;\n"
                    "at the prompt, it ends the game.")
    options.add_game(parser, compiles=True)
    parser.add_argument("--side", choices=("first", "second"), default="first",
                        help="the side that you play (default first); the engine plays all others")
    parser.add_argument("--level", choices=levels.NAMES, default=levels.FULL, metavar="LEVEL",
                        help=f"how strong the engine plays: {', '.join(levels.NAMES)} (default). Below full it "
                             "searches little and errs as people do; the search options then apply to hints alone")
    options.add_progress(parser)
    options.add_search_options(parser)
    options.add_output_options(parser, json=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays games; returns the exit code."""
    game = parse_game(args.game, general=True, compiles=args.compile)
    if game.is_over(game.start):
        raise InvalidOption(f"GAME {args.game!r}: the first position is a finished game")
    if getattr(game.start, "hidden_information", False):
        raise InvalidOption(f"GAME {args.game!r} has hidden information: a terminal would show it. Watch it by "
                            f"mcts-core selfplay")
    if len(game.players) == 1 and args.side != "first":
        raise InvalidOption(f"--side {args.side}: {args.game} is a game of one player")
    if args.level != levels.FULL and isinstance(game, GeneralGame):
        raise InvalidOption(f"--level {args.level}: {NO_LEVELS}")
    return Table(game, options.make_engine(args), make_screen(args.color), args).play()


class Table:
    """Games between the person who plays ``person`` and the engine, which plays all others."""

    def __init__(self, game: Game, engine: Searcher, screen: Screen, args: argparse.Namespace) -> None:
        self.game = game
        self.engine = engine
        self.args = args
        self.limits = options.budget(args)
        self.screen = screen
        self.level: str = args.level
        self.person = game.players[0 if args.side == "first" else 1]
        self.states = [game.start]
        self.seen: Stats | None = None
        """What the engine found when it chose its last move; None while it has not moved, or played below full."""
        self.values: dict[int, dict[Any, float]] = {}
        """The value of each player, by the number of moves before the search that found it."""
        self._random = Random(args.seed)

    @property
    def state(self) -> Any:
        """The position on the board."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        return self.game.is_over(self.state)

    @property
    def is_alone(self) -> bool:
        """Whether the game has one player, the person."""
        return len(self.game.players) == 1

    def play(self) -> int:
        """Plays until the person leaves; returns 0."""
        self.begin()
        while True:
            if not self.is_over and self.state.to_move != self.person:
                if not self.roll():
                    self.answer()
                continue
            self.show()
            before = self.states
            while self.states is before:
                if not self.obey():
                    return 0

    def begin(self) -> None:
        """The first position."""
        self.states, self.seen, self.values = [self.game.start], None, {}
        who = "You play alone" if self.is_alone else f"You are {self.game.side(self.person)}"
        if self.state.to_move == self.person:
            who += "" if self.is_alone else " and begin"
        elif not self.game.chances(self.state):
            who += ", the engine begins"
        level = "" if self.level == levels.FULL else f" at level {self.level}"
        self.screen.heading(f"{self.game.title}{level}. {who}. Type help for the commands.")

    def show(self) -> None:
        """Shows the board, and how the game ended or what can be played where nobody can know that."""
        beside = self.view()
        if not show_board(self.screen, self.game, self.state, beside) and self.values:
            for line in self.course():
                self.screen.text(line)
        if not self.is_over:
            if self.game.listed(self.state):
                self.list_moves()
            return
        words = self.game.result(self.states, self.person)
        moves = sum(not self.game.chances(state) for state in self.states[:-1])
        self.screen.heading(f"{words} after {counted(moves, 'move')}")

    def view(self) -> list[str]:
        """The lines beside the board: what the engine found before its last move, and the course of the game."""
        stats = self.seen
        if stats is None:
            return self.course()
        names = Names(stats.state)
        shown = sorted(stats.moves, key=lambda entry: entry.move != stats.move)[:MOST_SEEN]
        rows = [[names.shown(entry.move), f"{entry.visits:,}", proof(entry) or value_of(entry)]
                for entry in shown if entry.visits or entry.proven or entry.move == stats.move]
        table = plain_table(["move", "visits", "value"], rows, WIDEST_VIEW, self.screen.encoding)
        line = cut(f"expected: {' '.join(names.line(stats.pv))}", WIDEST_VIEW, ellipsis(self.screen.encoding))
        return ["the engine's view before its move", *table, fitting(line, self.screen.encoding), *self.course()]

    def course(self) -> list[str]:
        """A line with the values for the person so far; nothing before there are two of them."""
        found = [values[self.person] for _, values in sorted(self.values.items())][-WIDEST_VIEW // 2:]
        if len(found) < 2:
            return []
        drawn = fitting(course(found), self.screen.encoding)
        return [f"value for you: {drawn} {found[-1]:.3f}"]

    def note(self, stats: Stats) -> None:
        """Keeps the values of a search of the current position for the course of the game, where they are from 0 to 1.
        """
        if stats.scale is not None:
            return
        if stats.values is not None:
            values = dict(enumerate(stats.values))
        else:
            value = expected_value(stats)
            values = {player: value if player == self.state.to_move else 1.0 - value for player in self.game.players}
        self.values[len(self.states) - 1] = values

    def roll(self) -> bool:
        """Chance moves, if it is its turn."""
        chances = self.game.chances(self.state)
        if chances:
            outcome = draw(chances, self._random)
            self.screen.text(f"chance: {Names(self.state).of(outcome)}")
            self.states = [*self.states, self.state.play(outcome)]
        return bool(chances)

    def answer(self) -> None:
        """The engine moves."""
        names, hurried = Names(self.state), False
        if self.level == levels.FULL:
            hurried = think(self.engine, self.state, self.limits, search_bar(self.args, self.state, self.limits))
            stats = self.engine.stats()
            self.seen = stats
            self.note(stats)
            move, told = stats.move, f"{expectation(stats)} for itself, after {counted(stats.iterations, 'iteration')}"
            told += f", {stats.iterations_per_second:,.0f} per second"
        else:
            def search(engine: Searcher, iterations: int) -> None:
                nonlocal hurried
                hurried = think(engine, self.state, {"iterations": iterations})

            move, stats = levels.choose(self.state, levels.LEVELS[self.level], self._random.getrandbits(63), search)
            told, self.seen = f"level {self.level}", None
        side = self.game.side(self.state.to_move)
        self.states = [*self.states, self.state.play(move)]
        self.screen.text()
        who = "the engine" if len(self.game.players) == 2 else f"the engine, {side},"
        self.screen.text(f"{who} plays {names.of(move)} ({told}{', hurried by Ctrl-C' if hurried else ''})")

    def obey(self) -> bool:
        """Does what the person types next, a move or a command; False when the person leaves."""
        side = "" if self.is_alone else f"{self.game.side(self.person)}, "
        what = AFTER_THE_END if self.is_over else f"{side}{self.game.prompt(self.state)}"
        try:
            line = input(f"{what}: ").strip()
        except EOFError:
            self.screen.text()
            return False
        word, _, rest = line.lower().partition(" ")
        word = WORDS.get(word, word)
        does = None if self.is_move(line) else getattr(self, f"do_{word}", None)
        if word == "quit" and does is None and not self.is_move(line):
            return False
        if does is not None and (word == "level" or not rest):
            does(rest.strip())
        elif line and self.is_over:
            self.screen.text(f"the game is over: {AFTER_THE_END}")
        elif line:
            self.move(line)
        return True

    def is_move(self, line: str) -> bool:
        """Whether a user's game calls a move as a command is called."""
        if self.is_over or not self.game.listed(self.state):
            return False
        try:
            self.game.find(self.state, line)
        except IllegalMove:
            return False
        return True

    def move(self, line: str) -> None:
        """The person moves."""
        try:
            move = self.game.find(self.state, line)
        except IllegalMove:
            self.screen.text(f"{shorten(line)} is no move here: type {self.game.expected(self.state)}, or help")
            return
        try:
            self.states = [*self.states, self.state.play(move)]
        except IllegalMove as error:
            self.screen.text(f"{error}; type moves for a list")

    def list_moves(self) -> None:
        """Shows the legal moves."""
        self.screen.text(f"moves: {self.game.moves(self.state)}")

    def do_help(self, rest: str) -> None:
        if self.is_over:
            self.screen.text("the game is over")
        else:
            self.screen.text(f"a move: {self.game.expected(self.state)}")
        for line in COMMANDS.splitlines():
            self.screen.text(line)

    def do_board(self, rest: str) -> None:
        self.show()

    def do_moves(self, rest: str) -> None:
        if self.is_over:
            self.screen.text("the game is over: there are no moves")
        else:
            self.list_moves()

    def do_hint(self, rest: str) -> None:
        """Shows what the engine would play for the person."""
        if self.is_over:
            self.screen.text("the game is over: there is nothing to play")
            return
        think(self.engine, self.state, self.limits, search_bar(self.args, self.state, self.limits))
        stats, names = self.engine.stats(), Names(self.state)
        show_stats(self.screen, names, stats, top=5)
        self.screen.heading(f"hint: {names.of(stats.move)}, {expectation(stats)}")
        for sentence in explain(stats, self.state, self.called, self.game.is_over):
            self.screen.text(sentence)
        self.note(stats)

    def called(self, player: Any) -> str:
        """What a player is called."""
        if player == self.person:
            return "you"
        return "the engine" if len(self.game.players) == 2 else self.game.side(player)

    def do_undo(self, rest: str) -> None:
        """Takes back to the person's last decision."""
        earlier = [number for number, state in enumerate(self.states[:-1]) if state.to_move == self.person]
        if not earlier:
            self.screen.text("there is no move of yours to take back")
            return
        self.states = self.states[:earlier[-1] + 1]
        self.values = {number: values for number, values in self.values.items() if number < len(self.states)}
        self.seen = None

    def do_swap(self, rest: str) -> None:
        """Changes to the side of the next player, for the next game where this one is over."""
        if self.is_alone:
            self.screen.text("there is only one player")
            return
        seats = self.game.players
        self.person = seats[(seats.index(self.person) + 1) % len(seats)]
        if self.is_over:
            self.begin()
        else:
            self.screen.text(f"you are {self.game.side(self.person)} now")
            self.states = [*self.states]

    def do_again(self, rest: str) -> None:
        self.begin()

    def do_level(self, rest: str) -> None:
        if isinstance(self.game, GeneralGame):
            self.screen.text(NO_LEVELS)
            return
        if rest in levels.NAMES:
            self.level = rest
        elif rest:
            self.screen.text(f"{shorten(rest)} is no level: type one of {', '.join(levels.NAMES)}")
            return
        self.screen.text(f"level {self.level} (of {', '.join(levels.NAMES)})")
