"""The options of searches, one row for each, with their types and the error for an unknown keyword.

A new option is a row and a type here, and a keyword with its paragraph of help in ``Searcher``. Tests compare all of
these, and ``docs/options.md``. In native code, a field of this name in the options of a tree gets its value.
"""

from __future__ import annotations

from collections import namedtuple

from mcts_core.arguments import as_int, as_number, shorten
from mcts_core.engine.settings import MOST_THREADS
from mcts_core.engine.settings import ROLLOUTS as ROLLOUTS
from mcts_core.engine.settings import SELECTIONS as SELECTIONS
from mcts_core.errors import InvalidOption
from mcts_core.games.mnk.network import Network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, ParamSpec, TypeAlias, TypedDict, TypeVar

    from mcts_core.results import Stats

    P = ParamSpec("P")
    T = TypeVar("T")
    Preset: TypeAlias = Literal["strong", "uct"]
    Selection: TypeAlias = Literal["ucb1", "puct", "ucb1-tuned", "rave", "grave"]
    Rollout: TypeAlias = Literal["random", "decisive", "tactical"]
    RaveSchedule: TypeAlias = Literal["mse", "hand"]
    FinalMove: TypeAlias = Literal["robust", "max", "best_line"]
    RootPolicy: TypeAlias = Literal["puct", "gumbel"]
    Valuation: TypeAlias = Literal["rollout", "network"] | float
    Evaluator: TypeAlias = Callable[[Any], tuple[Any, Any]]
    Progress: TypeAlias = bool | Callable[[Stats], object]

    class SharedOptions(TypedDict, total=False):
        """Options of ``Searcher`` that every function that searches has, with the same meaning."""

        preset: Preset | None
        selection: Selection | None
        exploration: float | None
        fpu: float | None
        solver: bool | None
        rollout: Rollout | None
        rollouts_per_leaf: int | None
        expand_after: int | None
        expand_distance: int | None
        prior_weight: float | None
        rave_schedule: RaveSchedule | None
        rave_k: float | None
        rave_bias: float | None
        grave_ref: int | None
        symmetry: bool | None
        leaf_proofs: int | None
        node_proofs: int | None
        root_proofs: int | None
        book: bool | None
        final_move: FinalMove | None
        memory_mb: float | None
        stop_early: bool | None
        exchange_every: int | None
        prune: bool
        evaluator: Evaluator | None
        policy_value: Evaluator | None
        batch: int | None
        c_puct: float | None
        noise_alpha: float | None
        noise_weight: float | None
        root_policy: RootPolicy | None
        gumbel_moves: int | None
        gumbel_scale: float | None
        valuation: Valuation | None
        network: Network | bytes | None
        least_prior: float | None
        rollout_moves: int | None
        nested_rollouts: int | None

    class SearchOptions(SharedOptions, total=False):
        """Options of ``search``."""

        seed: int | None
        threads: int
        reuse: bool
        temperature: float | None

    class SearcherOptions(SearchOptions, total=False):
        """Options of ``Searcher``."""

        progress: Progress | None
        every: float

    class ManyOptions(SharedOptions, total=False):
        """Options of ``search_many``, which has its own ``seed`` and ``threads``."""

        reuse: bool
        temperature: float | None

    class ParallelOptions(SharedOptions, total=False):
        """Options of ``search_parallel``, which has its own ``seed``."""

        threads: int
        temperature: float | None

    class SelfPlayOptions(SharedOptions, total=False):
        """Options of ``selfplay``, which has its own ``seed``, ``threads`` and ``temperature``."""

        reuse: bool


# ---- checks ----------------------------------------------------------------------------------------------------------

def _number(low: float, high: float) -> Callable[[Any, str], Any]:
    return lambda value, name: as_number(value, name, low, high)


def _whole(low: int, high: int) -> Callable[[Any, str], Any]:
    return lambda value, name: as_int(value, name, low, high)


def _choice(*known: str) -> Callable[[Any, str], Any]:
    def check(value: Any, name: str) -> str:
        if isinstance(value, str) and value in known:
            return value
        raise InvalidOption(f"{name} must be {' or '.join(map(repr, known))}, got {shorten(value)}")

    return check


def is_flag(value: Any) -> bool:
    """Whether ``value`` is a bool, or one of numpy, which has no ``__index__`` and is recognised by its name."""
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"))


def as_flag(value: Any, name: str) -> bool:
    """``value`` as a bool, or InvalidOption."""
    if is_flag(value):
        return bool(value)
    raise InvalidOption(f"{name} must be True or False, got {shorten(value)}")


def _function(value: Any, name: str) -> Any:
    if callable(value):
        return value
    raise InvalidOption(f"{name} must be a function, got {shorten(value)}")


def _valuation(value: Any, name: str) -> str | float:
    """``"rollout"``, ``"network"`` or the share of the network."""
    if not isinstance(value, str):
        return as_number(value, name, 0.0, 1.0)
    if value in ("network", "rollout"):
        return value
    raise InvalidOption(f"{name} must be 'network', 'rollout' or a number from 0 to 1, got {shorten(value)}")


def _network(value: Any, name: str) -> Network:
    return value if isinstance(value, Network) else Network(value)


def _memory(value: Any, name: str) -> int:
    return int(as_number(value, name, 1.0, MOST_MB) * 2**20)


def as_interval(every: Any) -> float:
    """Seconds between two calls of ``progress``."""
    return as_number(every, "every", 1e-3, 1e9)


def as_progress(progress: Any, what: str = "the Stats so far") -> bool | Callable[[Any], object]:
    """``progress`` as it was given: True, a function, or False, which None means too. ``what`` it is called with."""
    if progress is None or is_flag(progress):
        return bool(progress)
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    raise InvalidOption(f"progress must be True, False or a function of one argument, {what}, got {shorten(progress)}")


# ---- the rows --------------------------------------------------------------------------------------------------------

EVERY = 0.1
"""Default of ``every``."""
MAX_SEED = 2**64 - 1
MOST_MB = 65536.0
"""Of the option memory_mb."""
PRESETS = ("strong", "uct")
SCHEDULES = ("mse", "hand")
FINAL_MOVES = ("robust", "max", "best_line")
ROOT_POLICIES = ("puct", "gumbel")

UCB, PUCT, GENERAL, EVALUATOR, GUMBEL, NESTED, GIVEN = 1, 2, 4, 8, 16, 32, 64
"""Searches: of games of two players in turn by UCB1 and its kin, or by PUCT; of general games by rollouts; of any game
with an evaluator, and of these by sequential halving; by nested rollouts; those to which the option is given."""
PLAYERS, TREES = UCB | PUCT, UCB | PUCT | GENERAL
EVERY_SEARCH = 127

Row = namedtuple("Row", "check default searches help")
"""An option. ``check(value, name)`` returns the value in the form that a search uses, or raises InvalidOption.
``default``: where the game has none of its own (``defaults.py``). ``searches``: those that have it. ``help``: one line.
"""

ROWS = {
    "preset": Row(_choice(*PRESETS), None, EVERY_SEARCH, "strong: the settings that measured strongest for the game "
                  "(default); uct: textbook UCT"),
    "memory_mb": Row(_memory, None, EVERY_SEARCH,
                     "memory limit of the tree (default: a quarter of the machine's memory)"),
    "seed": Row(_whole(0, MAX_SEED), None, EVERY_SEARCH,
                "the same seed and --iterations give the same moves on every machine"),
    "stop_early": Row(as_flag, None, EVERY_SEARCH, "end a search before its limit when its move is certain"),
    "reuse": Row(as_flag, True, EVERY_SEARCH, "continue with the tree of the last search"),
    "prune": Row(as_flag, True, EVERY_SEARCH, "prune a full tree; otherwise the search ends"),
    "book": Row(as_flag, None, EVERY_SEARCH, "read the book of Connect Four, or not"),
    "threads": Row(_whole(1, MOST_THREADS), 1, EVERY_SEARCH,
                   "threads of a search, for the games of the package and native ones (default 1)"),
    # with defaults by game
    "selection": Row(_choice(*SELECTIONS), "ucb1", PLAYERS, "the formula that selects the moves to search: ucb1, puct, "
                     "ucb1-tuned, rave or grave (the preset sets the default of this option and of those below)"),
    "exploration": Row(_number(0.0, 1e6), 0.5**0.5, UCB | GENERAL, "the constant of UCB1, on values from 0 to 1"),
    "fpu": Row(_number(-1e6, 1e6), None, TREES | EVALUATOR, "first-play urgency, the score of a child without a visit"),
    "solver": Row(as_flag, False, PLAYERS, "prove wins, losses and draws, or not"),
    "rollout": Row(_choice(*ROLLOUTS), "random", PLAYERS, "how rollouts choose moves: random: all alike; decisive: win "
                   "at once, or stop the opponent's win; tactical: also open fours and threes (m,n,k games)"),
    "rollouts_per_leaf": Row(_whole(1, 100), 1, TREES, "rollouts of one iteration"),
    "expand_after": Row(_whole(1, 2**30), 1, PLAYERS, "visits after which a node gets its children"),
    "expand_distance": Row(_whole(0, 32), 0, PLAYERS, "children are the cells within this distance of a stone"),
    "prior_weight": Row(_number(0.0, 1e6), 0.0, UCB, "weight of the game's judgement of a move, in virtual visits"),
    "rave_schedule": Row(_choice(*SCHEDULES), "hand", UCB, "how the weight of RAVE falls as visits grow"),
    "rave_k": Row(_number(0.0, 1e9), 1000.0, UCB, "with hand: a larger value gives RAVE more weight"),
    "rave_bias": Row(_number(0.0, 1e6), 1e-5, UCB, "with mse: a larger value gives RAVE less weight"),
    "grave_ref": Row(_whole(0, 2**30), 50, UCB, "visits of the node whose statistics GRAVE uses"),
    "symmetry": Row(as_flag, False, PLAYERS, "search only one of several symmetric moves"),
    "leaf_proofs": Row(_whole(0, 2**20), 0, PLAYERS, "proof budget of exact search for each new node"),
    "node_proofs": Row(_whole(0, 2**20), 0, PLAYERS, "proof budget for each visit of a node"),
    "root_proofs": Row(_whole(0, 2**20), 0, PLAYERS, "proof budget for the root, for each iteration"),
    "exchange_every": Row(_whole(16, 2**30), 4000, TREES, "iterations of each thread between two exchanges"),
    "valuation": Row(_valuation, "rollout", PLAYERS, "how leaves are valued: network (the default of five in a row on "
                     "boards of more than 64 cells), rollout, or the share of the network, from 0 to 1"),
    "final_move": Row(_choice(*FINAL_MOVES), "robust", TREES | EVALUATOR | NESTED, "the move to play: robust, the one "
                      "with the most visits (default), or max, the one with the best value"),
    # known to some searches alone
    "evaluator": Row(_function, None, GIVEN, "a function that values batches of leaves"),
    "policy_value": Row(_function, None, GIVEN, "a function that values one state"),
    "batch": Row(_whole(1, 4096), 8, EVALUATOR | GUMBEL, "leaves of one call of the evaluator"),
    "c_puct": Row(_number(0.0, 1e6), 0.8, PUCT | EVALUATOR, "the constant of PUCT, on values from 0 to 1"),
    "noise_alpha": Row(_number(1e-6, 1e6), None, PUCT | EVALUATOR, "Dirichlet noise on the priors of the root"),
    "noise_weight": Row(_number(0.0, 1.0), 0.25, PUCT | EVALUATOR, "share of the noise"),
    "temperature": Row(_number(0.0, 1e6), 0.0, GENERAL | EVALUATOR, "draws the move by visits ** (1 / temperature)"),
    "root_policy": Row(_choice(*ROOT_POLICIES), "puct", EVALUATOR | GUMBEL, "how the root divides the iterations"),
    "gumbel_moves": Row(_whole(1, 2**16), 16, GUMBEL, "moves of the root that sequential halving considers, at most"),
    "gumbel_scale": Row(_number(0.0, 1e6), 1.0, GUMBEL, "the scale of Gumbel noise; 0 is for play"),
    "network": Row(_network, None, PUCT,
                   "the network for five in a row (default: the one that comes with the package)"),
    "least_prior": Row(_number(0.0, 1.0), 0.01, PUCT, "with puct: moves whose prior is below this share of the highest "
                       "one are left out below the root"),
    "rollout_moves": Row(_whole(1, 10**6), None, GIVEN, "moves after which a rollout of a scored game ends"),
    "nested_rollouts": Row(_whole(2, 10**6), None, GIVEN, "searches in each level of nested rollouts"),
}

NAMES = frozenset(ROWS)
"""The options that say what a search does."""


def options_of(searches: int, without: int = 0) -> dict[str, Any]:
    """The options that these searches have, and that not every one has, with their defaults; less those that searches
    of ``without`` have."""
    return {name: row.default for name, row in ROWS.items()
            if row.searches & searches and not row.searches & without and row.searches != EVERY_SEARCH}


# ---- unknown keywords ------------------------------------------------------------------------------------------------

SYNONYMS = {
    "time": "seconds", "time_limit": "seconds", "timeout": "seconds", "max_time": "seconds", "duration": "seconds",
    "movetime": "seconds", "simulations": "iterations", "num_simulations": "iterations", "sims": "iterations",
    "playouts": "iterations", "nodes": "iterations", "visits": "iterations", "budget": "iterations", "n": "iterations",
    "c": "exploration", "uct_c": "exploration", "cpuct": "c_puct", "num_threads": "threads", "n_jobs": "threads",
    "policy": "selection", "memory": "memory_mb", "random_state": "seed", "rng": "seed", "temp": "temperature",
    "rollout_policy": "rollout", "callback": "progress", "verbose": "progress", "dirichlet_alpha": "noise_alpha",
    "net": "network",
}
"""Names in other programs that look too different for a comparison of letters."""
TAKES_KEYWORDS = 0x08
"""The flag of a function's code for a parameter such as ``**options``."""


def checked(elsewhere: Mapping[str, str]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a method raise InvalidOption for an unknown keyword, in place of a TypeError; see ``refuse``. Its parameter
    ``**options``, if there is one, takes the options of ``Searcher``. ``Searcher`` does so for a position, too, which
    belongs to its method ``search``.

    A parameter ``**unknown`` would do the same, but editors would then accept any keyword.
    """
    def wrap(method: Callable[P, T]) -> Callable[P, T]:
        code = method.__code__
        known = frozenset(code.co_varnames[1:code.co_argcount + code.co_kwonlyargcount])
        if code.co_flags & TAKES_KEYWORDS:
            known |= NAMES | {"progress", "every"}
        name = "" if method.__name__ == "__init__" else f".{method.__name__}"

        def call(*arguments: P.args, **keywords: P.kwargs) -> T:
            if not keywords.keys() <= known:
                unknown = {word: value for word, value in keywords.items() if word not in known}
                refuse(type(arguments[0]).__name__ + name, unknown, sorted(known), elsewhere)
            if not name and len(arguments) > 1 == code.co_argcount:
                hint = "; a position is for its method search()" if hasattr(arguments[0], "search") else ""
                raise InvalidOption(f"{type(arguments[0]).__name__}() takes options by name only, got "
                                    f"{shorten(arguments[1])}{hint}")
            return method(*arguments, **keywords)

        for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            setattr(call, attribute, getattr(method, attribute))
        call.__wrapped__ = method  # type: ignore[attr-defined]
        return call

    return wrap


def refuse(function: str, unknown: Mapping[str, Any], known: Iterable[str], elsewhere: Mapping[str, str] | None = None
           ) -> None:
    """Raises InvalidOption for the first keyword in ``unknown``, if there is one.

    ``known``: the keywords of ``function``. ``elsewhere``: keywords of other functions, with the name of the function.
    """
    for name, value in unknown.items():
        given = f"{function}() has no option {name!r}, got {name}={shorten(value)}"
        if elsewhere is not None and name in elsewhere:
            raise InvalidOption(f"{given}; it is an option of {elsewhere[name]}")
        own = list(known)
        nearest = find_nearest(name, [*own, *(elsewhere or ())])
        if nearest is None or elsewhere is None or nearest in own:
            raise InvalidOption(given + (f"; did you mean {nearest!r}?" if nearest else ""))
        raise InvalidOption(f"{given}; did you mean {nearest!r}, an option of {elsewhere[nearest]}?")


def find_nearest(name: str, known: list[str]) -> str | None:
    """The keyword that was probably meant, or None."""
    from difflib import get_close_matches

    lower = name.lower()
    if lower in known:
        return lower
    close = get_close_matches(lower, known, 1, 0.75)
    if not close and SYNONYMS.get(lower) in known:
        return SYNONYMS[lower]
    close = close or get_close_matches(lower, known, 1, 0.6)
    return close[0] if close else None
