"""Actions and observations of gymnasium as the search knows them: numbers, and values that can be looked up."""

from __future__ import annotations

import itertools

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, InvalidState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

MOST_ACTIONS = 4096
"""Of an action space of several parts, all of whose combinations are tried."""
MOST_REWARD = 1e100
"""Of a step, in either direction."""


def import_gymnasium() -> Any:
    try:
        import gymnasium  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError('a Planner needs gymnasium: pip install "mcts-core[gymnasium]"') from error
    return gymnasium


class Actions:
    """The actions that are tried, by their numbers; ``order``: in which order, by default that of the numbers."""

    def __init__(self, values: list[Any], masked: bool, order: list[int] | None = None) -> None:
        self.values = values
        self.all = list(range(len(values))) if order is None else order
        self.masked = masked

    def of(self, number: int) -> Any:
        value = self.values[number]
        return value if type(value) is int else value.copy()  # an environment may change its action

    def is_at(self, number: int, action: Any) -> bool:
        """Whether the action of this number is the same as ``action``."""
        import numpy

        return bool(numpy.array_equal(self.values[number], action))

    def legal(self, mask: Any, over: bool = False) -> list[int]:
        """``over``: after the end of the episode, where a mask may allow nothing and no action is asked for."""
        if mask is None or not self.masked or over:
            return self.all
        flags = mask.tolist() if hasattr(mask, "tolist") else mask
        if (not isinstance(flags, (list, tuple)) or len(flags) != len(self.all)
                or not all(map((0, 1).__contains__, flags))):
            raise GameError(f"info['action_mask'] must have a 0 or 1 for each of the {len(self.all)} actions, "
                            f"got {shorten(mask)}")
        legal = [number for number in self.all if flags[number]]
        if not legal:
            raise GameError(f"info['action_mask'] must allow an action until the episode ends, got {shorten(mask)}")
        return legal


def actions_of(space: Any, count: int, draw: Any, widening: bool) -> Actions:
    """``widening``: the first actions of the order must be as good as any, since they are tried first."""
    spaces = import_gymnasium().spaces
    if isinstance(space, spaces.Discrete):
        if space.n > MOST_ACTIONS:
            raise InvalidState(f"an action space must have at most {MOST_ACTIONS} actions, got {space}")
        order = [int(number) for number in draw.permutation(int(space.n))] if widening else None
        return Actions([int(space.start) + number for number in range(int(space.n))], True, order)
    if isinstance(space, spaces.Box):
        return Actions(_spread(space, count) if widening else _grid(space, count, draw), False)
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
    return Actions([numpy.array(values, space.dtype) for values in itertools.product(*parts)], False, order)


def _bounds(space: Any) -> tuple[Any, Any]:
    """The least and the largest number in each direction of a Box."""
    import numpy

    if not (numpy.isfinite(space.low).all() and numpy.isfinite(space.high).all()):
        raise InvalidState(f"the actions of a Box must be bounded, got {space}")
    return space.low.ravel().astype(float), space.high.ravel().astype(float)


def _actions_at(space: Any, points: list[Any]) -> list[Any]:
    """Points within the bounds of a Box as its actions."""
    import numpy

    if numpy.issubdtype(space.dtype, numpy.integer):
        points = [numpy.rint(point) for point in points]
    return [point.reshape(space.shape).astype(space.dtype).clip(space.low, space.high) for point in points]


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
    return _actions_at(space, [low + (high - low) * point.clip(0.0, 1.0) for point in places])


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
    return _actions_at(space, values)


def mask_of(info: Any) -> Any:
    return info.get("action_mask") if isinstance(info, dict) else None


def begun(env: Any, seed: int, options: Any) -> tuple[Any, Any]:
    """What ``reset`` of an environment returned, checked."""
    found = env.reset(seed=seed, options=options)
    if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[1], dict):
        raise GameError(f"{type(env.unwrapped).__name__}.reset() must return a pair (observation, info) with a "
                        f"dict as info, got {shorten(found)}")
    return found[0], found[1]


def stepped(env: Any, action: Any) -> tuple[Any, Any, Any, Any, Any]:
    """What ``step`` of an environment returned, checked."""
    found = env.step(action)
    if not isinstance(found, (tuple, list)) or len(found) != 5:
        count = f"{len(found)} values: " if isinstance(found, (tuple, list)) else ""
        raise GameError(f"{type(env.unwrapped).__name__}.step() must return five values (observation, reward, "
                        f"terminated, truncated, info), got {count}{shorten(found)}")
    observation, reward, terminated, truncated, info = found
    try:
        is_number = -MOST_REWARD <= float(reward) <= MOST_REWARD
    except (TypeError, ValueError, OverflowError):
        is_number = False
    if not is_number or isinstance(reward, (str, bytes)):
        raise GameError(f"{type(env.unwrapped).__name__}.step() must return a reward from -1e100 to 1e100 as the "
                        f"second value, got {shorten(reward)}")
    return observation, reward, terminated, truncated, info


def is_discrete(space: Any) -> bool:
    spaces = import_gymnasium().spaces
    if isinstance(space, spaces.Tuple):
        return all(is_discrete(part) for part in space.spaces)
    if isinstance(space, spaces.Dict):
        return all(is_discrete(part) for part in space.spaces.values())
    return isinstance(space, (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary, spaces.Text))


def key_of(observation: Any) -> Hashable:
    """An observation as a value that can be looked up: equal ones have equal names, also if they are arrays."""
    if isinstance(observation, dict):
        return tuple((name, key_of(part)) for name, part in sorted(observation.items()))
    if isinstance(observation, (list, tuple)):
        return tuple(map(key_of, observation))
    if isinstance(observation, (set, frozenset)):
        return frozenset(map(key_of, observation))
    found: Hashable = observation
    if hasattr(observation, "__array__"):  # of numpy, and of others, such as a tensor
        import numpy

        array = numpy.asarray(observation)
        if array.ndim == 0:
            found = array.item()
        elif array.dtype.hasobject:
            found = key_of(array.tolist())
        elif array.dtype.kind in "fc":
            found = (array + 0.0).tobytes()  # -0.0 is equal to 0.0
        else:
            found = array.tobytes()
    return found
