"""Copies of gymnasium environments, for searches that try actions in them."""

from __future__ import annotations

import copy

from mcts_core.arguments import shorten
from mcts_core.bots.gymnasium_spaces import import_gymnasium
from mcts_core.errors import InvalidOption, InvalidState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcts_core.bots.gymnasium import Planner

_SHARED = frozenset({
    "spec", "metadata", "action_space", "observation_space", "_action_space", "_observation_space", "_np_random",
    "_metadata", "P", "desc", "initial_state_distrib", "screen", "window", "window_surface", "clock", "viewer",
})
"""Attributes that copies of an environment have in common: what never changes, the source of chance, and windows."""


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


class DeepCopies:
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


class Replays:
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


def copier_of(copies: str, env: Any, make: Callable[[], Any] | None, draw: Any) -> Any:
    if copies == "deepcopy":
        return DeepCopies(env, draw)
    if copies == "state":
        return OwnStates(env, make, draw)
    if copies == "replay":
        return Replays(env, make)
    raise InvalidOption(f"copies must be 'deepcopy' or 'state' or 'replay', got {shorten(copies)}")
