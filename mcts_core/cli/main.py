"""The command ``mcts-core``: reads the command line, runs one job, turns errors into one line and an exit code.

Exit codes: 0 done, 1 the reader of the output went away, 2 a wrong argument or an error of the library or of the
system, 3 a game that breaks its contract (``check``), 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
from importlib import import_module

import mcts_core
from mcts_core.cli import options
from mcts_core.cli.games import GAME_HELP
from mcts_core.option_rows import find_nearest
from mcts_core.words import cause_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn

COMMANDS = ("demo", "play", "serve", "selfplay", "analyze", "bench", "check", "gomocup", "ugi", "kaggle-bundle",
            "completion")
"""Each is a module of this folder."""

ERRORS = (
    mcts_core.IllegalMove,
    mcts_core.GameOver,
    mcts_core.InvalidState,
    mcts_core.InvalidOption,
    mcts_core.InvalidFile,
    mcts_core.SearchBusy,
    mcts_core.GameError,
    mcts_core.WorkersLost,
    MemoryError,
)


def version_text() -> str:
    """The version of the package, the instruction set in use and the Python that runs it, on one line."""
    import platform

    from mcts_core.dispatch import isa

    return f"mcts-core {mcts_core.__version__} ({isa}, {platform.python_implementation()} {platform.python_version()})"


class _Version(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        print(version_text())
        parser.exit()


def whole(text: str) -> int:
    """A whole number."""
    with contextlib.suppress(ValueError):
        return int(text)
    meant = ""
    with contextlib.suppress(ValueError):
        value = float(text.replace(",", ""))
        meant = f"; did you mean {int(value)}?" if value.is_integer() and abs(value) < 2**63 else ""
    raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}{meant}")


def number(text: str) -> float:
    """Any number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


class _Parser(argparse.ArgumentParser):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.register("type", int, whole)
        self.register("type", float, number)

    def error(self, message: str) -> NoReturn:
        """Ends the program with one line."""
        hint = "" if "did you mean" in message else f"; see {self.prog} --help"
        self.exit(2, f"{self.prog}: error: {message}{hint}\n")

    def print_help(self, file: Any = None) -> None:
        """As its base class does, which drops the errors of an output that cannot be written."""
        (file or sys.stdout).write(self.format_help())


def build_parser(named: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of the commands ``named`` alone, whose modules are then imported."""
    parser = _Parser(
        prog="mcts-core",
        description="Monte Carlo tree search in native code: play, watch, analyze and measure.\n"
                    "mcts-core help COMMAND explains a command.",
        epilog=GAME_HELP,
        formatter_class=options.HelpFormatter,
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show the version, the instruction set and the Python, and end"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in named:
        import_module(f"mcts_core.cli.{name.replace('-', '_')}").add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line ``argv`` (``sys.argv[1:]`` when None) and returns the exit code.

    Raises SystemExit where argparse does: 0 after ``--help`` and ``--version``, 2 for unknown arguments. From then on
    what standard input and output cannot decode or encode are escapes.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed when the program began
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError) or (error.errno == errno.EINVAL and error.filename is None):
            return 1  # Windows says EINVAL of a pipe that nobody reads
        with contextlib.suppress(OSError):
            print(f"mcts-core: error: {error}", file=sys.stderr)
        return 2
    finally:
        _drop_unwritten()


def _run(argv: Sequence[str] | None) -> int:
    words = _as_options(list(sys.argv[1:] if argv is None else argv))
    named = [name for name in COMMANDS if name in words[:1]]  # one command loads no other
    try:
        args = _parse(build_parser(named or COMMANDS), words)
        code: int = args.run(args)
        return code
    except ERRORS as error:
        sys.stdout.flush()
        print(f"mcts-core: error: {error}{cause_of(error)}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        sys.stdout.flush()
        print("mcts-core: error: the system starts no more threads: its memory or its limit of threads is used up",
              file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130


def _as_options(words: list[str]) -> list[str]:
    """The words with the options that ``help``, ``version`` and nothing at all stand for."""
    first = words[0] if words else "help"
    if first == "help":
        return [*words[1:2], "--help"]
    return ["--version", *words[1:]] if first == "version" else words


def _parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Like ``parse_args``, but also takes moves behind options: argparse takes words of ``*`` from one place only."""
    commands = {name: command for name, _, command in options.commands_of(parser)}
    first = words[0]
    own = _options_of(parser)
    if first not in commands and not any(option.startswith(first) for option in own):
        what = f"unrecognized arguments: {first}" if first.startswith("-") else f"there is no command {first!r}"
        parser.error(what + _meant(first, own if first.startswith("-") else [*commands, "help", "version"]))
    args, rest = parser.parse_known_args(words)
    rest = [word for word in rest if word != "--"]
    if not rest:
        return args
    moves = getattr(args, "moves", None)
    unknown = next((word for word in rest if word.startswith("-")), None)
    if moves is None or unknown is not None:
        hint = "" if unknown is None else _meant(unknown.partition("=")[0], _options_of(commands[first]))
        commands[first].error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    args.moves = [*moves, *rest]
    return args


def _options_of(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a parser as they are written."""
    return [word for action in parser._actions for word in action.option_strings]


def _meant(word: str, known: Iterable[str]) -> str:
    """The hint at the word of ``known`` that was probably meant; empty if there is none."""
    names = {each.strip("-").replace("-", "_"): each for each in known}
    nearest = find_nearest(word.strip("-").replace("-", "_"), list(names))
    return "" if nearest is None else f"; did you mean {names[nearest]}?"


def _drop_unwritten() -> None:
    """Of streams that cannot be written: the interpreter flushes them once more at exit and would print a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError), open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), stream.fileno())
