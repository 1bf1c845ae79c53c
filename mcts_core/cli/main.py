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
from mcts_core.words import cause_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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


class _Parser(argparse.ArgumentParser):
    def print_help(self, file: Any = None) -> None:
        """As its base class does, which drops the errors of an output that cannot be written."""
        (file or sys.stdout).write(self.format_help())


def build_parser(named: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of the commands ``named`` alone, whose modules are then imported."""
    parser = _Parser(
        prog="mcts-core",
        description="Monte Carlo tree search in native code: play, watch, analyze and measure.",
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
    words = sys.argv[1:] if argv is None else argv
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


def _parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Like ``parse_args``, but also takes moves behind options: argparse takes words of ``*`` from one place only."""
    args, rest = parser.parse_known_args(words)
    rest = [word for word in rest if word != "--"]
    if not rest:
        return args
    moves = getattr(args, "moves", None)
    if moves is None or any(word.startswith("-") for word in rest):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    args.moves = [*moves, *rest]
    return args


def _drop_unwritten() -> None:
    """Of streams that cannot be written: the interpreter flushes them once more at exit and would print a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError), open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), stream.fileno())
