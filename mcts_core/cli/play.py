"""``mcts-core play GAME``: a person at the terminal against the engine."""

from __future__ import annotations

from mcts_core import IllegalMove
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import make_screen, show_board, show_stats
from mcts_core.move_names import Names, find_move
from mcts_core.words import counted, expectation

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from mcts_core import Searcher
    from mcts_core.cli.games import Game
    from mcts_core.cli.options import Commands
    from mcts_core.cli.tables import Screen

COMMANDS = """\
undo   take back your last move and the answer to it
hint   what the engine would play for you, with its statistics
board  show the board again
help   show this list
quit   end the game (so do the end of input and Ctrl-C)"""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "play", help="play against the engine",
        description="You against the engine. Besides moves, type: undo, hint, board, help, quit.")
    options.add_game(parser)
    parser.add_argument("--side", choices=("first", "second"), default="first",
                        help="the side that you play (default first)")
    options.add_search_options(parser)
    options.add_output_options(parser, json=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays one game; returns the exit code."""
    game = parse_game(args.game)
    table = Table(game, options.make_engine(args), options.budget(args), make_screen(args.color),
                  person=1 if args.side == "first" else -1)
    return table.play()


class Table:
    """One game between the person who plays ``person`` (+1 or -1) and the engine."""

    def __init__(
        self, game: Game, engine: Searcher, limits: dict[str, Any], screen: Screen, person: int
    ) -> None:
        self.game = game
        self.engine = engine
        self.limits = limits
        self.screen = screen
        self.person = person
        self.states = [game.start]

    @property
    def state(self) -> Any:
        """The position on the board."""
        return self.states[-1]

    def play(self) -> int:
        """Plays to the end, or until the person leaves; returns 0."""
        if self.person > 0:
            who = f"You are {self.game.side(1)} and begin"
        else:
            who = f"You are {self.game.side(-1)}, the engine begins"
        self.screen.heading(f"{self.game.title}. {who}. Type help for the commands.")
        self.show()
        while self.state.winner() is None:
            if self.state.to_move != self.person:
                self.answer()
            elif not self.ask():
                return 0
        winner = self.state.winner()
        words = {0: "a draw", self.person: "you win", -self.person: "the engine wins"}[winner]
        self.screen.heading(f"{words} after {counted(len(self.states) - 1, 'move')}")
        return 0

    def show(self) -> None:
        """Shows the board."""
        show_board(self.screen, self.game, self.state)

    def answer(self) -> None:
        """The engine moves."""
        move = self.engine.search(self.state, **self.limits)
        stats, names = self.engine.stats(), Names(self.state)
        self.states.append(self.state.play(move))
        self.screen.text()
        self.screen.text(
            f"the engine plays {names.of(move)} ({expectation(stats)} for itself, after "
            f"{counted(stats.iterations, 'iteration')}, {stats.iterations_per_second:,.0f} per second)")
        self.show()

    def ask(self) -> bool:
        """Asks the person until a move is made; False when the person leaves."""
        while True:
            try:
                line = input(f"{self.game.side(self.person)}, {self.game.prompt(self.state)}: ").strip()
            except EOFError:
                self.screen.text()
                return False
            command = line.lower()
            if command == "quit":
                return False
            if command in ("help", "?"):
                self.screen.text(f"a move: {self.game.prompt(self.state)}\n{COMMANDS}")
            elif command == "board":
                self.show()
            elif command == "hint":
                self.hint()
            elif command == "undo":
                self.undo()
            elif line:
                try:
                    state = self.state.play(find_move(self.state, line))
                except IllegalMove as error:
                    self.screen.text(f"{error}")
                    continue
                self.states.append(state)
                self.show()
                return True

    def hint(self) -> None:
        """Shows what the engine would play for the person."""
        move = self.engine.search(self.state, **self.limits)
        stats, names = self.engine.stats(), Names(self.state)
        show_stats(self.screen, names, stats, top=5)
        self.screen.heading(f"hint: {names.of(move)}, {expectation(stats)}")

    def undo(self) -> None:
        """Takes back to the person's last decision."""
        earlier = [number for number, state in enumerate(self.states[:-1]) if state.to_move == self.person]
        if not earlier:
            self.screen.text("there is no move of yours to take back")
            return
        del self.states[earlier[-1] + 1:]
        self.show()
