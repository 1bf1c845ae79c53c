"""The keywords of searches: their types, for editors and type checkers, and the error for an unknown keyword."""

from __future__ import annotations

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, ParamSpec, TypeAlias, TypedDict, TypeVar

    from mcts_core.games.mnk.network import Network
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
            from mcts_core.options import NAMES

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
