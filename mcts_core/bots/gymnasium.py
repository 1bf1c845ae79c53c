"""The search as a planner in gymnasium environments (extra [gymnasium]).

``Planner`` needs no knowledge of an environment and no training: it copies the environment, tries actions in the copies
and plays the one that did best. ``gymnasium`` is imported when a Planner is made.

Source of the interface: M. Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning Environments",
arXiv:2407.17032.
"""

from __future__ import annotations

import copy
import itertools
import random
from dataclasses import dataclass

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import GameError, InvalidOption, InvalidState
from mcts_core.options import as_number, random_seed
from mcts_core.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any, Self

    from mcts_core.results import Stats

__all__ = ["Episode", "Planner"]

METHODS = ("line", "states", "sequences")
MOST_ACTIONS = 4096
"""Of an action space of several parts, all of whose combinations are tried."""
_SHARED = frozenset({
    "spec", "metadata", "action_space", "observation_space", "_action_space", "_observation_space", "_np_random",
    "_metadata", "P", "desc", "initial_state_distrib", "screen", "window", "window_surface", "clock", "viewer",
})
"""Attributes that copies of an environment have in common: what never changes, the source of chance, and windows."""


def import_gymnasium() -> Any:
    try:
        import gymnasium  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError('a Planner needs gymnasium: pip install "mcts-core[gymnasium]"') from error
    return gymnasium


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode that a Planner played."""

    total: float
    """The sum of its rewards, without a discount."""
    steps: int
    terminated: bool
    truncated: bool
    actions: tuple[Any, ...]


class Planner:
    """Chooses actions in a gymnasium environment by search in copies of it.

    env: the environment to act in. It is copied, and never stepped but by ``play``.
    seconds, iterations: the budget of each action, those of ``Searcher.search``; the default is 100 iterations.
    horizon: steps that a plan looks ahead, 1 to 10,000. What comes later counts nothing. The time limit of the
        environment (``TimeLimit``) is not planned with.
    discount: weight of a reward, by every step that it is later; above 0, at most 1.
    method: how the search remembers what it tried. ``"states"``: by observation, which must tell all that matters; each
        state's value is that of its best action. ``"line"``: by the sequence of actions, for environments without
        chance; it keeps and plays the best sequence. ``"sequences"``: by the sequence of actions, with or without
        chance (open loop), and plays what did best on average. The default is ``"states"`` where observations are
        discrete, else ``"sequences"``.
    copies: how the state of the environment is copied. ``"deepcopy"`` (the default) copies the environment with
        ``copy.deepcopy``. ``"state"``: by its own ``get_state()`` and ``set_state(state)``, or ``clone_state()`` and
        ``restore_state(state)``, in one environment that ``make`` makes. ``"replay"``: by the seed of the episode and
        the actions since, in one environment of that kind; for environments without chance that cannot be copied. The
        episode must be begun with ``reset`` and continued with ``step`` of the Planner.
    make: a function that returns a new environment of the same kind, for ``"state"`` and ``"replay"``; by default
        ``gymnasium.make`` of the environment's spec.
    actions: where actions are continuous (Box), how many of them are tried: those of a grid over the space and, where
        there is room, random ones. Discrete ones are all tried, or those of ``info["action_mask"]`` where there is one.
    widening: for many or continuous actions, progressive widening: a position that was visited n times tries n **
        widening of the actions, above 0 and at most 1. Then ``actions`` may be large, and those of a Box are points
        that are spread over the space, its bounds included. Not with ``method="line"``.
    key: for ``method="states"``, a function that names an observation by a hashable value, such as one that rounds
        it. By default, different observations are different states, so continuous ones hardly come twice.
    hold: rollouts repeat a random action up to so many times, which moves heavy things farther.
    seed: of the Planner's own random numbers, also those of the copies.
    options: those of a ``Searcher``.

    Copies draw their chance from ``np_random``, which the Planner replaces in them: it cannot foresee what the
    environment will draw. An environment with another source of chance shows its future to its copies.

    Raises InvalidOption, InvalidState for an environment whose actions cannot be listed, ImportError.
    """

    def __init__(
        self, env: Any, *, seconds: float | None = None, iterations: int | None = None, horizon: int = 100,
        discount: float = 0.99, method: str | None = None, copies: str = "deepcopy",
        make: Callable[[], Any] | None = None, actions: int = 9, widening: float | None = None,
        key: Callable[[Any], Hashable] | None = None, hold: int = 1, seed: int | None = None, **options: Any,
    ) -> None:
        gymnasium = import_gymnasium()
        import numpy

        if not isinstance(env, gymnasium.Env):
            raise InvalidOption(f"env must be a gymnasium environment, got {shorten(env)}")
        self.env = env
        self.horizon = as_int(horizon, "horizon", 1, 10_000)
        self.discount = as_number(discount, "discount", 0.0, 1.0, above=True)
        self.hold = as_int(hold, "hold", 1, 1000)
        if method is not None and method not in METHODS:
            raise InvalidOption(f"method must be {' or '.join(map(repr, METHODS))}, got {shorten(method)}")
        self.widening = 0.0 if widening is None else as_number(widening, "widening", 0.0, 1.0, above=True)
        if self.widening and method == "line":
            raise InvalidOption(f"widening needs method 'states' or 'sequences', got 'line' and {widening!r}")
        if key is not None and not callable(key):
            raise InvalidOption(f"key must be a function of an observation, got {shorten(key)}")
        self.key = key
        first = random_seed() if seed is None else as_int(seed, "seed", 0, 2**64 - 1)
        self._random = numpy.random.default_rng(first)
        self._actions = _actions_of(env.action_space, as_int(actions, "actions", 1, MOST_ACTIONS), self._random,
                                    self.widening > 0)
        self._copier = _copier_of(copies, env, make, self._random)
        self._began: int | None = None
        self._played: list[Any] = []
        self._chosen: tuple[Any, Any] | None = None
        self._plan: tuple[int, tuple[Any, ...]] = 0, ()
        self._mask: Any = None
        self._observation: Any = None
        self.model = object()
        """What all states of this Planner's environment share."""
        if seconds is None and iterations is None:
            iterations = 100
        self._budget: dict[str, Any] = {"seconds": seconds, "iterations": iterations}
        self._wanted = method
        self.method = method
        """How the search remembers what it tried; None: the first search decides."""
        self._options = {"seed": first, **options}
        self._engine: Searcher | None = None if method is None else self._make_engine()

    def _make_engine(self) -> Searcher:
        options = dict(self._options)
        if self.method == "line":
            options.setdefault("final_move", "best_line")
        if self.method in ("line", "sequences", "states"):
            options.setdefault("rollout_moves", self.horizon)
        return Searcher(**options)

    # ---- acting ------------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Resets the environment; what its ``reset`` returned."""
        if seed is None:
            seed = int(self._random.integers(2**31))
        observation, info = self.env.reset(seed=seed, options=options)
        self._began, self._played, self._chosen = seed, [], None
        self._plan = 0, ()
        self._observation = observation
        self._mask = _mask_of(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Any]:
        """Takes a step in the environment; what its ``step`` returned."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._played.append(action)
        self._observation = observation
        self._mask = _mask_of(info)
        return observation, reward, terminated, truncated, info

    def search(self, observation: Any = None, info: Any = None) -> Any:
        """The action to take where the environment is now.

        ``observation``, ``info``: what the last ``reset`` or ``step`` of the environment returned; not needed after
        those of the Planner.
        """
        if observation is not None:
            self._observation, self._mask = observation, _mask_of(info)
        if self._observation is None:
            raise InvalidState("there is no observation yet: call reset(), or give search() what the environment's "
                               "reset() or step() returned")
        if self._engine is None:
            self.method = "states" if _is_discrete(self.env.observation_space) else "sequences"
            self._engine = self._make_engine()
        root = self._root()
        self._chosen = None
        move = self._engine.search(root, **self._budget)
        if self.method == "line":
            self._chosen = root, move
            self._plan = len(root.moves), tuple(self._engine.stats().pv)
        return self._actions.of(move)

    def play(self, *, seed: int | None = None, progress: Callable[[int, float, Stats], object] | None = None,
             most_steps: int = 1_000_000) -> Episode:
        """Plays an episode from ``reset(seed=seed)`` to its end, or ``most_steps``.

        ``progress`` is called after each step with the number of steps, the sum of rewards and the Stats of the search.
        """
        self.reset(seed=seed)
        total, steps, terminated, truncated = 0.0, 0, False, False
        while not (terminated or truncated) and steps < most_steps:
            _, reward, terminated, truncated, _ = self.step(self.search())
            total += float(reward)
            steps += 1
            if progress is not None:
                progress(steps, total, self.stats())
        return Episode(total, steps, terminated, truncated, tuple(self._played))

    def stats(self) -> Stats:
        """The figures of the last search; moves are numbers of actions. Values count rewards from the step to take."""
        if self._engine is None:
            raise InvalidState("there are no statistics: no search has run yet")
        return self._engine.stats()

    # ---- planning ----------------------------------------------------------------------------------------------------

    def _root(self) -> Any:
        legal = self._actions.legal(self._mask)
        snapshot = self._copier.save(self)
        if self.method == "line":
            return _Position(self, snapshot, self._line(), _key(self._observation), legal)
        kind = _Observed if self.method == "states" else _Drawn
        return kind(self, self._copier, snapshot, self._observation, legal, 0.0, False)

    def _line(self) -> tuple[Any, ...]:
        """Names the position to search: the actions since a search began anew. It goes on with the one before where the
        environment shows what a copy shows after the action that was chosen."""
        if self._chosen is not None:
            before, move = self._chosen
            child = before.play(move)
            if child.seen == _key(self._observation):
                moves: tuple[Any, ...] = child.moves
                return moves
        self._plan = 0, ()
        return (object(),)

    def _planned(self, depth: int, draw: random.Random) -> tuple[Any, ...]:
        """The moves with which a rollout begins, at so many moves since the search began anew: as many of the last
        search's best line as chance wants, in every other rollout."""
        begin, line = self._plan
        rest = line[depth - begin:]
        return rest[:draw.randint(1, len(rest))] if rest and draw.random() < 0.5 else ()


# ---- actions and observations ----------------------------------------------------------------------------------------

class _Actions:
    """The actions that are tried, by their numbers; ``order``: in which order, by default that of the numbers."""

    def __init__(self, values: list[Any], masked: bool, order: list[int] | None = None) -> None:
        self.values = values
        self.all = list(range(len(values))) if order is None else order
        self.masked = masked

    def of(self, number: int) -> Any:
        return self.values[number]

    def legal(self, mask: Any) -> list[int]:
        if mask is None or not self.masked:
            return self.all
        legal = [number for number in self.all if number < len(mask) and mask[number]]
        return legal or self.all


def _actions_of(space: Any, count: int, draw: Any, widening: bool) -> _Actions:
    """``widening``: the first actions of the order must be as good as any, since they are tried first."""
    spaces = import_gymnasium().spaces
    if isinstance(space, spaces.Discrete):
        if space.n > MOST_ACTIONS:
            raise InvalidState(f"an action space must have at most {MOST_ACTIONS} actions, got {space}")
        order = [int(number) for number in draw.permutation(int(space.n))] if widening else None
        return _Actions([int(space.start) + number for number in range(int(space.n))], True, order)
    if isinstance(space, spaces.Box):
        return _Actions(_spread(space, count) if widening else _grid(space, count, draw), False)
    parts: list[list[Any]] | None = None
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        parts = [[int(start) + number for number in range(int(n))]
                 for n, start in zip(space.nvec, space.start, strict=True)]
    elif isinstance(space, spaces.MultiBinary):
        parts = [[0, 1]] * int(space.n)
    if parts is None:
        raise InvalidState(f"actions must be Discrete, MultiDiscrete, MultiBinary or Box, got {space}")
    size = 1
    for part in parts:
        size *= len(part)
    if size > MOST_ACTIONS:
        raise InvalidState(f"an action space must have at most {MOST_ACTIONS} combinations, got {size} of {space}")
    import numpy

    order = [int(number) for number in draw.permutation(size)] if widening else None
    return _Actions([numpy.array(values, space.dtype) for values in itertools.product(*parts)], False, order)


def _bounds(space: Any) -> tuple[Any, Any]:
    """The least and the largest number in each direction of a Box."""
    import numpy

    if not (numpy.isfinite(space.low).all() and numpy.isfinite(space.high).all()):
        raise InvalidState(f"the actions of a Box must be bounded, got {space}")
    return space.low.ravel(), space.high.ravel()


def _spread(space: Any, count: int) -> list[Any]:
    """``count`` actions of a Box, of which the first ones are spread over it as evenly as all.

    They are the sequence R of M. Roberts ("The unreasonable effectiveness of quasirandom sequences", 2018), stretched
    by a quarter and cut off at the bounds: the best action of a machine is often as much as it can.
    """
    import numpy

    low, high = _bounds(space)
    golden = 2.0
    for _ in range(64):
        golden = (1.0 + golden) ** (1.0 / (low.size + 1))
    steps = golden ** -numpy.arange(1.0, low.size + 1)
    places = ((0.5 + numpy.outer(numpy.arange(count), steps)) % 1.0 - 0.5) * 1.25 + 0.5
    return [(low + (high - low) * point.clip(0.0, 1.0)).reshape(space.shape).astype(space.dtype) for point in places]


def _grid(space: Any, count: int, draw: Any) -> list[Any]:
    """About ``count`` actions of a Box: all points of the finest grid that is no larger, and random ones beside it."""
    import numpy

    low, high = _bounds(space)
    side = int(count ** (1.0 / low.size) + 1e-9) if low.size else 1
    values = []
    if side >= 2:
        axes = [numpy.linspace(bottom, top, side) for bottom, top in zip(low, high, strict=True)]
        values = [numpy.array(point) for point in itertools.product(*axes)]
    values += [low + (high - low) * draw.random(low.size) for _ in range(count - len(values))]
    return [point.reshape(space.shape).astype(space.dtype) for point in values]


def _mask_of(info: Any) -> Any:
    return info.get("action_mask") if isinstance(info, dict) else None


def _is_discrete(space: Any) -> bool:
    spaces = import_gymnasium().spaces
    if isinstance(space, spaces.Tuple):
        return all(_is_discrete(part) for part in space.spaces)
    if isinstance(space, spaces.Dict):
        return all(_is_discrete(part) for part in space.spaces.values())
    return isinstance(space, (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary, spaces.Text))


def _key(observation: Any) -> Hashable:
    """An observation as a value that can be looked up."""
    if isinstance(observation, dict):
        return tuple((name, _key(part)) for name, part in sorted(observation.items()))
    if isinstance(observation, (list, tuple)):
        return tuple(map(_key, observation))
    found: Hashable = observation
    if hasattr(observation, "tobytes"):
        found = observation.item() if getattr(observation, "ndim", 1) == 0 else observation.tobytes()
    return found


# ---- copies ----------------------------------------------------------------------------------------------------------

def _without_limits(env: Any) -> Any:
    """The environment within the wrappers that limit, check, record or show."""
    wrappers = import_gymnasium().wrappers
    names = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics", "RecordVideo",
             "HumanRendering", "Autoreset")
    outer = tuple(kind for kind in (getattr(wrappers, name, None) for name in names) if kind is not None)
    while isinstance(env, outer):
        env = env.env
    return env


_ATOMS = frozenset({int, float, bool, str, bytes, type(None), complex, type})
"""Types of values that copies share."""


def _copied(env: Any, memo: dict[int, Any]) -> Any:
    """A copy of an environment, wrapper by wrapper and attribute by attribute.

    ``copy.deepcopy`` takes ten times as long for a small environment, because it copies spaces and source of chance,
    and of one with ``EzPickle`` it makes a new one in its first state.
    """
    kind = type(env)
    if hasattr(kind, "__deepcopy__"):
        return copy.deepcopy(env, memo)
    made = object.__new__(kind)
    memo[id(env)] = made
    attributes = vars(made)
    for name, value in vars(env).items():
        if type(value) in _ATOMS or name in _SHARED:
            attributes[name] = value
        elif name == "env":
            attributes[name] = _copied(value, memo)
        else:
            attributes[name] = copy.deepcopy(value, memo)
    return made


class _DeepCopies:
    """Copies by ``copy.deepcopy``."""

    def __init__(self, env: Any, draw: Any) -> None:
        self._env = _without_limits(env)
        self._draw = draw
        self._save(self._env)

    def _save(self, env: Any) -> Any:
        try:
            made = _copied(env, {})
        except Exception as error:
            raise InvalidState(f"{shorten(env)} cannot be copied by copy.deepcopy ({type(error).__name__}: {error}): "
                               f"give copies='state' or copies='replay'") from error
        inner = made.unwrapped
        inner.render_mode = None
        inner._np_random = self._draw
        return made

    def save(self, planner: Planner) -> Any:
        return self._save(self._env)

    def restore(self, snapshot: Any) -> Any:
        return self._save(snapshot)


class _OwnStates:
    """Copies by the environment's own methods, in one simulator."""

    def __init__(self, env: Any, make: Callable[[], Any] | None, draw: Any) -> None:
        inner = env.unwrapped
        for get, put in (("get_state", "set_state"), ("clone_state", "restore_state")):
            if callable(getattr(inner, get, None)) and callable(getattr(inner, put, None)):
                self._get, self._put = get, put
                break
        else:
            raise InvalidOption(f"copies='state' needs an environment with get_state() and set_state(state), or "
                                f"clone_state() and restore_state(state), which {shorten(inner)} has not")
        self._env = inner
        self._draw = draw
        self._made = _without_limits(_maker_of(env, make)())
        self._made.reset(seed=0)

    def save(self, planner: Planner) -> Any:
        return getattr(self._env, self._get)()

    def restore(self, snapshot: Any) -> Any:
        inner = self._made.unwrapped
        getattr(inner, self._put)(snapshot)
        inner._np_random = self._draw
        return self._made


class _Replays:
    """Copies by playing the actions of the episode again."""

    def __init__(self, env: Any, make: Callable[[], Any] | None) -> None:
        self._made = _without_limits(_maker_of(env, make)())

    def save(self, planner: Planner) -> Any:
        if planner._began is None:
            raise InvalidState("copies='replay' needs an episode that was begun with reset() of the Planner")
        return planner._began, list(planner._played)

    def restore(self, snapshot: Any) -> Any:
        seed, actions = snapshot
        self._made.reset(seed=seed)
        for action in actions:
            self._made.step(action)
        return self._made


def _maker_of(env: Any, make: Callable[[], Any] | None) -> Callable[[], Any]:
    if make is not None:
        if not callable(make):
            raise InvalidOption(f"make must be a function that returns an environment, got {shorten(make)}")
        return make
    if env.spec is None:
        raise InvalidOption(f"{shorten(env)} has no spec to be made again by: give make")
    spec = env.spec
    return lambda: import_gymnasium().make(spec)


def _copier_of(copies: str, env: Any, make: Callable[[], Any] | None, draw: Any) -> Any:
    if copies == "deepcopy":
        return _DeepCopies(env, draw)
    if copies == "state":
        return _OwnStates(env, make, draw)
    if copies == "replay":
        return _Replays(env, make)
    raise InvalidOption(f"copies must be 'deepcopy' or 'state' or 'replay', got {shorten(copies)}")


# ---- states of the search --------------------------------------------------------------------------------------------

def _roll_out(planner: Planner, simulated: Any, seed: int, legal: list[int], depth: int = 0
              ) -> tuple[list[float], list[int]]:
    """Random actions in ``simulated`` up to the horizon, after those that are planned for so many moves later."""
    draw = random.Random(seed)
    planned = planner._planned(depth, draw) if depth else ()
    of, hold, discount = planner._actions.of, planner.hold, planner.discount
    total, weight, held = 0.0, 1.0, 0
    moves: list[int] = []
    move = legal[0]
    for step in range(planner.horizon):
        if step < len(planned) and planned[step] in legal:
            move, held = planned[step], 1
        elif held == 0:
            move = legal[int(draw.random() * len(legal))]
            held = 1 if hold == 1 else draw.randint(1, hold)
        held -= 1
        _, reward, terminated, truncated, info = simulated.step(of(move))
        moves.append(move)
        total += weight * float(reward)
        weight *= discount
        if terminated or truncated:
            break
        mask = _mask_of(info)
        if mask is not None:
            legal, held = planner._actions.legal(mask), 0
    return [total], moves


class _Position:
    """A state of an environment without chance: a value, by the actions since the beginning."""

    players, to_move = 1, 0
    __slots__ = ("_gain", "_legal", "_over", "_planner", "_snapshot", "discount", "moves", "seen")

    def __init__(self, planner: Planner, snapshot: Any, moves: tuple[Any, ...], seen: Hashable, legal: list[int],
                 gain: float = 0.0, over: bool = False) -> None:
        self._planner, self._snapshot, self._legal, self._gain, self._over = planner, snapshot, legal, gain, over
        self.seen = seen
        self.discount = planner.discount
        self.moves = moves

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, _Position) and self._planner is other._planner and self.moves == other.moves)

    def __hash__(self) -> int:
        return hash(self.moves)

    def legal_moves(self) -> list[int]:
        return self._legal

    def play(self, move: int) -> _Position:
        planner = self._planner
        simulated = planner._copier.restore(self._snapshot)
        action = planner._actions.of(move)
        observation, reward, terminated, truncated, info = simulated.step(action)
        legal = planner._actions.legal(_mask_of(info))
        if isinstance(planner._copier, _DeepCopies):
            snapshot = simulated
        elif isinstance(planner._copier, _OwnStates):
            snapshot = getattr(simulated.unwrapped, planner._copier._get)()
        else:
            snapshot = self._snapshot[0], [*self._snapshot[1], action]
        return _Position(planner, snapshot, (*self.moves, move), _key(observation), legal, float(reward),
                         bool(terminated or truncated))

    def rewards(self) -> list[float]:
        return [self._gain]

    def returns(self) -> list[float] | None:
        return [0.0] if self._over else None

    def rollout(self, seed: int) -> tuple[list[float], list[int]]:
        planner = self._planner
        return _roll_out(planner, planner._copier.restore(self._snapshot), seed, self._legal, len(self.moves))


class _Drawn:
    """A state of an environment with chance, which each descent draws anew.

    ``play`` steps on in the descent's own copy, so a state is good until the next one is made.
    """

    players, to_move, hidden_information = 1, 0, True
    __slots__ = ("_copier", "_gain", "_legal", "_observation", "_over", "_planner", "_snapshot", "discount", "model",
                 "widening")

    def __init__(self, planner: Planner, copier: Any, snapshot: Any, observation: Any, legal: list[int], gain: float,
                 over: bool) -> None:
        self._planner, self._copier, self._snapshot, self._observation = planner, copier, snapshot, observation
        self._legal, self._gain, self._over = legal, gain, over
        self.discount = planner.discount
        self.model = planner.model
        self.widening = planner.widening

    def determinize(self, player: int, rng: random.Random) -> Self:
        return type(self)(self._planner, None, self._copier.restore(self._snapshot), self._observation, self._legal,
                          0.0, False)

    def legal_moves(self) -> list[int]:
        return self._legal

    def play(self, move: int) -> Self:
        if self._copier is not None:
            raise GameError("only a determinized state of an environment can be played")
        actions = self._planner._actions
        observation, reward, terminated, truncated, info = self._snapshot.step(actions.of(move))
        return type(self)(self._planner, None, self._snapshot, observation, actions.legal(_mask_of(info)),
                          float(reward), bool(terminated or truncated))

    def rewards(self) -> list[float]:
        return [self._gain]

    def returns(self) -> list[float] | None:
        return [0.0] if self._over else None

    def rollout(self, seed: int) -> tuple[list[float], list[int]]:
        return _roll_out(self._planner, self._snapshot, seed, self._legal)


class _Observed(_Drawn):
    """The same, known by its observation."""

    __slots__ = ()

    def observation_key(self, player: int) -> Hashable:
        key = self._planner.key
        return _key(self._observation if key is None else key(self._observation))
