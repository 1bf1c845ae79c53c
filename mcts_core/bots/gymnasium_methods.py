"""Decides whether the observations of a gymnasium environment identify its states, for the Planner's method."""

from __future__ import annotations

import random

from mcts_core.bots.gymnasium_spaces import mask_of, stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Any

    from mcts_core.bots.gymnasium import Planner, _Position

WALKS, STEPS = 8, 40
"""Random walks from the first position, and the most steps of each."""
MOST_STATES = 0.5
"""Different observations, as a share of the steps of all walks: with more, a search would rarely meet one again."""
PAIRS, AHEAD = 40, 50
"""Pairs of positions with equal observations that are compared, and the most steps by which they are."""
FEWEST_PAIRS = 4


def observations_name_states(planner: Planner, start: _Position, seed: int) -> Iterator[bool | None]:
    """Whether observations come back in random walks from ``start``, and what follows equal ones is the same.

    Two positions with equal observations are compared by the same actions and the same random numbers of the copies,
    so chance does not make them differ: as long as both go on, they must show the same. Of rewards only the sign is
    compared, since many depend on the time of the episode, and time limits are left out. The answer is False if a part
    of the state is not in the observation, and if chance has another source than the generator of the copies.

    Yields None now and then, so that the caller can look at the clock, and the answer at the end.
    """
    choice = random.Random(seed)
    first: dict[Hashable, _Position] = {start.seen: start}
    again: list[tuple[_Position, _Position]] = []
    steps = 0
    for _ in range(WALKS):
        here = start
        for _ in range(STEPS):
            here = here.play(choice.choice(here.legal_moves()))
            yield None
            if here.returns() is not None:
                break
            steps += 1
            before = first.setdefault(here.seen, here)
            if before is not here:
                again.append((before, here))
        if not again and steps >= STEPS:  # continuous ones: look no further
            break
    if len(again) < FEWEST_PAIRS or len(first) > MOST_STATES * (steps + 1):
        yield False
        return
    for pair in choice.sample(again, min(PAIRS, len(again))):
        numbers, actions = planner._random.bit_generator.state, choice.getrandbits(32)
        shown = []
        for position in pair:
            planner._random.bit_generator.state = numbers
            shown.append(_shown(planner, position, random.Random(actions)))
        if any(one != other for one, other in zip(*shown, strict=False)):
            yield False
            return
        yield None
    yield True


def _shown(planner: Planner, position: _Position, choice: random.Random) -> list[Any]:
    """What random actions from a position show: legal actions, observation, the end, and the sign of the reward."""
    simulated, legal = planner._copier.restore(position._snapshot), position.legal_moves()
    shown: list[Any] = []
    for _ in range(AHEAD):
        action = planner._actions.of(choice.choice(legal))
        observation, reward, terminated, truncated, info = stepped(simulated, action)
        if truncated and not terminated:
            break
        shown.append((legal, planner._name(observation), bool(terminated), (reward > 0) - (reward < 0)))
        if terminated:
            break
        legal = planner._actions.legal(mask_of(info))
    return shown
