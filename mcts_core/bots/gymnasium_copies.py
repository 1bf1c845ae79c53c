"""Copies of gymnasium environments, for searches that try actions in them."""

from __future__ import annotations

import copy
import math
from contextlib import suppress

from mcts_core.arguments import shorten
from mcts_core.bots.gymnasium_spaces import import_gymnasium
from mcts_core.errors import InvalidOption, InvalidState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcts_core.bots.gymnasium import Planner

_CONSTANT = frozenset({"spec", "_cached_spec", "metadata", "_metadata"})
"""Attributes that copies of an environment have in common, because they never change."""
_TABLES = frozenset({"P", "desc", "initial_state_distrib"})
"""The same of gymnasium's own environments. Others may have a state of such a name."""
_WINDOWS = frozenset({"screen", "window", "window_surface", "clock", "viewer"})
"""Attributes that copies have in common where they are of pygame, or cannot be copied."""
_SPACES = ("action_space", "observation_space")
_IDLE = ("OrderEnforcing", "PassiveEnvChecker", "RecordVideo", "HumanRendering")
"""Wrappers of gymnasium that only check, record or show."""
_ATOMS = frozenset({int, float, bool, str, bytes, type(None), complex, type})
"""Types of values that copies share."""


def _wrappers(*names: str) -> tuple[type[Any], ...]:
    """gymnasium's wrappers of these names, as far as its version has them."""
    wrappers = import_gymnasium().wrappers
    return tuple(kind for kind in (getattr(wrappers, name, None) for name in names) if kind is not None)


def _without_limits(env: Any) -> Any:
    """The environment within the outer wrappers that limit, check, record or show."""
    outer = _wrappers(*_IDLE, "TimeLimit", "RecordEpisodeStatistics", "Autoreset")
    while type(env) in outer:
        env = env.env
    return env


def _layers(env: Any, kind: type) -> list[Any]:
    """The wrappers of an environment from the outside in, and the environment (of ``kind``) within them."""
    layers = [env]
    while isinstance(inner := vars(layers[-1]).get("env"), kind) and not any(inner is layer for layer in layers):
        layers.append(inner)
    return layers


def _unlimited(env: Any) -> Any:
    """``env``, after the time limits within it were lifted."""
    for layer in _layers(env, import_gymnasium().Env):
        if isinstance(layer, _wrappers("TimeLimit")):
            layer._max_episode_steps = math.inf
    return env


def _is_known(kind: type) -> bool:
    """Whether gymnasium itself wrote how an environment of ``kind`` takes a step."""
    owner = next(one for one in kind.__mro__ if "step" in vars(one))
    return owner.__module__.startswith("gymnasium.")


def _slots(kind: type) -> list[str]:
    """The attributes of ``kind`` that are not in its dict."""
    found = [given for one in kind.__mro__ if (given := one.__dict__.get("__slots__"))]
    names = [name for given in found for name in ((given,) if isinstance(given, str) else given)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _parts(space: Any) -> list[Any]:
    """A space and the spaces of which it is made: in a dict, a tuple, or as an attribute."""
    parts = [space]
    for part in parts:
        for value in vars(part).values():
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
            parts += [one for one in inner if isinstance(one, import_gymnasium().spaces.Space)]
    return parts


def _twin(space: Any, draw: Any) -> Any:
    """A copy of a space that draws with ``draw``."""
    twin = copy.deepcopy(space)
    for part in _parts(twin):
        part._np_random = draw
    return twin


def _shares(name: str, value: Any, known: bool) -> bool:
    """Whether copies have the value of an attribute in common; ``known``: all of the environment is gymnasium's."""
    if type(value) in _ATOMS or name in _CONSTANT:
        return True
    if name in _TABLES:
        return known
    return name in _WINDOWS and type(value).__module__.partition(".")[0] == "pygame"


def _copied(layers: list[Any], idle: tuple[type[Any], ...], known: bool, memo: dict[int, Any]) -> Any:
    """A copy of an environment, wrapper by wrapper and attribute by attribute, without the wrappers that are ``idle``.

    ``copy.deepcopy`` takes ten times as long for a small environment, because it copies spaces and source of chance,
    and of one with ``EzPickle`` it makes a new one in its first state.
    """
    for layer in layers:
        if not (type(layer) in idle or hasattr(type(layer), "__deepcopy__")):
            memo[id(layer)] = object.__new__(type(layer))
    made = None
    for layer in reversed(layers):
        if type(layer) not in idle:
            made = memo.get(id(layer))
            if made is None:
                made = copy.deepcopy(layer, memo)
            else:
                _fill(made, layer, known, memo)
        memo[id(layer)] = made
    return made


def _fill(made: Any, env: Any, known: bool, memo: dict[int, Any]) -> None:
    """Copies the attributes of one layer."""
    attributes = vars(made)
    for name in _slots(type(env)):
        if hasattr(env, name):
            setattr(made, name, copy.deepcopy(getattr(env, name), memo))
    for name, value in vars(env).items():
        if _shares(name, value, known):
            attributes[name] = value
            continue
        try:
            attributes[name] = copy.deepcopy(value, memo)
        except Exception:
            if name not in _WINDOWS:
                raise
            attributes[name] = value


class DeepCopies:
    """Copies by ``copy.deepcopy``.

    All copies draw with one generator: where the environment uses ``np_random`` and where it samples its spaces. They
    have its space of actions and that of observations in common, if these are of gymnasium's own kinds.
    """

    def __init__(self, env: Any, draw: Any) -> None:
        gymnasium = import_gymnasium()
        self._env = _without_limits(env)
        self._draw = draw
        self._kind, self._wrapper, self._space = gymnasium.Env, gymnasium.Wrapper, gymnasium.spaces.Space
        self._idle = _wrappers(*_IDLE)
        self._known = False
        self._spaces: dict[int, tuple[Any, Any]] = {}
        """Spaces of the environment and those of its copies, by the ids of both."""
        self._memo: dict[int, Any] = {}
        """What copies do not copy."""
        self.save(None)

    def save(self, planner: Planner | None) -> Any:
        """A copy of the environment as it is now, without limits."""
        layers = _layers(self._env, self._kind)
        self._known = all(_is_known(type(layer)) for layer in layers)
        own = [(name, getattr(self._env.unwrapped, name, None)) for name in _SPACES]
        sources = [vars(layer).get("_np_random") for layer in layers]
        before, self._spaces = self._spaces, {}
        for name, value in [*own, *(item for layer in layers for item in vars(layer).items())]:
            if not isinstance(value, self._space) or id(value) in self._spaces:
                continue
            sources += [part._np_random for part in _parts(value)]
            if name.removeprefix("_") in _SPACES and type(value).__module__.startswith("gymnasium."):
                pair = before.get(id(value))
                if pair is None or pair[0] != pair[1]:  # it may have been changed
                    pair = value, _twin(value, self._draw)
                self._spaces[id(pair[0])] = self._spaces[id(pair[1])] = pair
        self._memo = {number: pair[1] for number, pair in self._spaces.items()}
        self._memo[id(self._draw)] = self._draw
        memo = {id(source): self._draw for source in sources if source is not None}
        made = _unlimited(self._copy(self._env, self._idle, {**self._memo, **memo}))
        inner = made.unwrapped
        with suppress(AttributeError):
            inner.render_mode = None
        for name, space in own:
            if id(space) in self._memo:  # it may have been an attribute of the class
                vars(inner)[name] = self._memo[id(space)]
        return made

    def restore(self, snapshot: Any) -> Any:
        return self._copy(snapshot, (), dict(self._memo))

    def _copy(self, env: Any, idle: tuple[type[Any], ...], memo: dict[int, Any]) -> Any:
        try:
            made = _copied(_layers(env, self._kind), idle, self._known, memo)
        except Exception as error:
            raise InvalidState(f"{shorten(env)} cannot be copied by copy.deepcopy ({type(error).__name__}: {error}): "
                               f"give copies='state' or copies='replay'") from error
        for layer in _layers(made, self._kind):
            if not isinstance(layer, self._wrapper):
                layer._np_random = self._draw
        return made


class OwnStates:
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
        import numpy

        self._env = inner
        self._draw = draw
        self._scratch = numpy.random.default_rng(0)
        self._made = _simulator(env, make)
        self._made.reset(seed=0)
        for name in _SPACES:  # which may be those of the class
            vars(self._made.unwrapped)[name] = _twin(getattr(self._made.unwrapped, name), draw)
        self._resetting = [layer for layer in _layers(self._made, import_gymnasium().Env)
                           if isinstance(layer, _wrappers("Autoreset"))]

    def save(self, planner: Planner) -> Any:
        return getattr(self._env, self._get)()

    def restore(self, snapshot: Any) -> Any:
        inner = self._made.unwrapped
        inner._np_random = self._scratch  # a state may be written to it: that of the environment's own generator
        getattr(inner, self._put)(snapshot)
        inner._np_random = self._draw
        for layer in self._resetting:  # an episode may have ended in the last copy
            layer.autoreset = False
        return self._made


class Replays:
    """Copies by playing the actions of the episode again."""

    def __init__(self, env: Any, make: Callable[[], Any] | None) -> None:
        self._made = _simulator(env, make)

    def save(self, planner: Planner) -> Any:
        if planner._began is None:
            raise InvalidState("copies='replay' needs an episode that was begun with reset() of the Planner")
        return *planner._began, list(planner._played)

    def restore(self, snapshot: Any) -> Any:
        seed, options, actions = snapshot
        self._made.reset(seed=seed, options=copy.deepcopy(options))
        for action in actions:
            self._made.step(copy.deepcopy(action))
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


def _simulator(env: Any, make: Callable[[], Any] | None) -> Any:
    """A new environment of the same kind, without limits."""
    return _unlimited(_without_limits(_maker_of(env, make)()))


def copier_of(copies: str, env: Any, make: Callable[[], Any] | None, draw: Any) -> Any:
    if copies == "deepcopy":
        return DeepCopies(env, draw)
    if copies == "state":
        return OwnStates(env, make, draw)
    if copies == "replay":
        return Replays(env, make)
    raise InvalidOption(f"copies must be 'deepcopy' or 'state' or 'replay', got {shorten(copies)}")
