"""Monte Carlo tree search in native code.

    >>> import mcts_core as mc
    >>> state = mc.ConnectFour.from_moves("4455", base=1)
    >>> mc.search(state, iterations=10_000, seed=1) + 1
    3
"""

import sys as _sys

# "-m": runpy still looks for the module, which imports this package first
if getattr(_sys, "argv", None) and (_sys.argv[0].endswith(("mcts-core", "mcts-core.exe"))
                                    or (_sys.argv[0] == "-m" and "mcts_core" in _sys.orig_argv)):
    from mcts_core.interrupts import end_quietly as _end_quietly

    _sys.excepthook = _end_quietly
try:
    from mcts_core import game as _game
except ImportError:
    from importlib.util import find_spec

    if find_spec("mcts_core.game") is not None:
        raise
    raise ImportError(
        f"{__path__[0]} has no native modules for this Python: if it is a clone, import the installed package from "
        "another folder or by `python -P`, or build the modules here by `pip install -e .`"
    ) from None
from mcts_core.errors import (
    EvaluatorError,
    GameError,
    GameOver,
    IllegalMove,
    InvalidCell,
    InvalidFile,
    InvalidOption,
    InvalidState,
    NoSearch,
    OutOfTime,
    SearchBusy,
    WorkersLost,
)
from mcts_core.game import CHANCE
from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.games.mnk.position import MNK, Gomoku, TicTacToe
from mcts_core.games.user_states import seconds_left
from mcts_core.searcher import Searcher, rollouts, search, stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core import render
    from mcts_core.checks.check_game import check_game
    from mcts_core.checks.check_report import CheckProgress, CheckReport, Problem
    from mcts_core.clock import Clock
    from mcts_core.compiled.compile import compile
    from mcts_core.distributed.parallel import ParallelResult, WorkerReport, search_parallel
    from mcts_core.games.native_games import NativeGame, NativePosition, native_game
    from mcts_core.many import Result, SearchManyProgress, search_many
    from mcts_core.results import MoveStats, Node, Rollouts, Stats
    from mcts_core.self_play.selfplay import SelfPlayData, SelfPlayProgress, selfplay
    from mcts_core.solver import Solution, SolvedMove, solve

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "MNK",
    "CheckProgress",
    "CheckReport",
    "Clock",
    "ConnectFour",
    "EvaluatorError",
    "GameError",
    "GameOver",
    "Gomoku",
    "IllegalMove",
    "InvalidCell",
    "InvalidFile",
    "InvalidOption",
    "InvalidState",
    "MoveStats",
    "NativeGame",
    "NativePosition",
    "NoSearch",
    "Node",
    "OutOfTime",
    "ParallelResult",
    "Problem",
    "Result",
    "Rollouts",
    "SearchBusy",
    "SearchManyProgress",
    "Searcher",
    "SelfPlayData",
    "SelfPlayProgress",
    "Solution",
    "SolvedMove",
    "Stats",
    "TicTacToe",
    "WorkerReport",
    "WorkersLost",
    "check_game",
    "compile",
    "get_include",
    "native_game",
    "render",
    "rollouts",
    "search",
    "search_many",
    "search_parallel",
    "seconds_left",
    "selfplay",
    "solve",
    "stats",
]


def get_include() -> str:
    """The folder of the C header of the game table, for ``#include "mcts_core/game.h"``."""
    return __path__[0] + "/include"


def _find(name: str) -> object:
    # Read when asked for: dataclasses take longer to import than all of this package.
    if name in ("MoveStats", "Node", "Rollouts", "Stats"):
        from mcts_core import results

        return getattr(results, name)
    if name == "Clock":
        from mcts_core.clock import Clock

        return Clock
    if name in ("Result", "SearchManyProgress", "search_many"):
        from mcts_core import many

        return getattr(many, name)
    if name in ("CheckProgress", "CheckReport", "Problem"):
        from mcts_core.checks import check_report

        return getattr(check_report, name)
    if name == "check_game":
        from mcts_core.checks.check_game import check_game

        return check_game
    if name == "compile":
        from mcts_core.compiled.compile import compile

        return compile
    if name in ("NativeGame", "NativePosition", "native_game"):
        from mcts_core.games import native_games

        return getattr(native_games, name)
    if name in ("ParallelResult", "WorkerReport", "search_parallel"):
        from mcts_core.distributed import parallel

        return getattr(parallel, name)
    if name in ("SelfPlayData", "SelfPlayProgress", "selfplay"):
        from mcts_core.self_play import selfplay

        return getattr(selfplay, name)
    if name in ("Solution", "SolvedMove", "solve"):
        from mcts_core import solver

        return getattr(solver, name)
    if name == "render":
        from importlib import import_module

        return import_module("mcts_core.render")
    raise AttributeError(f"module 'mcts_core' has no attribute {name!r}")


if not TYPE_CHECKING:  # checkers would take any name to be there
    __getattr__ = _find


def _show(state: object, form: str) -> object:
    """What a position shows of itself in a notebook or on a console of rich."""
    from mcts_core.render import show

    return show(state, form)


_game.set_renderer(_show)


def __dir__() -> list[str]:
    # of what else is here, the modules that were imported among it, only what Python itself puts into a module
    return sorted({*__all__, "__version__", *(name for name in globals() if name[:2] == name[-2:] == "__")})
