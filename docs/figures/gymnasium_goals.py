"""Plays gymnasium environments with the Planner and compares the results with what is best there.

    python docs/figures/gymnasium_goals.py    all environments, 20 seeds each; needs the extra [gymnasium]
    python docs/figures/gymnasium_goals.py --only taxi --seeds 5

CartPole-v1: 500 steps. FrozenLake8x8-v1, slippery: the success rate of the best policy within the time limit of 200
steps, by value iteration, less two standard errors. Taxi-v3: the reward of the shortest path, by breadth-first search.
Blackjack-v1: the mean of the best policy, by value iteration over the rules with an infinite deck, over 100 hands for
each seed. The environment draws the dealer's second card at once, so copies draw it anew. Acrobot-v1: -100, gymnasium's
own threshold.

The last four show states by arrays, and the Planner finds out that these name the states: FrozenLake-v1 without ice and
CliffWalking with one-hot observations, and MiniGrid-Empty of 5x5 and 6x6 (package minigrid) with its own. The goal is
the end of the episode in every one, within the time limit of the environment, or 200 steps where it has none.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import gymnasium
import numpy
from gymnasium.envs.toy_text.blackjack import draw_card

from mcts_core.bots.gymnasium import Planner


def frozen_lake_best(env, state=0):
    """The chance to reach the goal within the time limit with the best policy, which knows the step."""
    table = env.unwrapped.P
    values = dict.fromkeys(table, 0.0)
    for _ in range(env.spec.max_episode_steps):
        values = {
            here: max(sum(chance * (reward + (0.0 if over else values[there]))
                          for chance, there, reward, over in outcomes) for outcomes in table[here].values())
            for here in table
        }
    return values[state]


def newest(name):
    """An environment by its newest version: newer versions of gymnasium have Taxi-v4 alone, the same but for its mask,
    and CliffWalking-v1."""
    return max((known for known in gymnasium.registry if known.startswith(f"{name}-v")),
               key=lambda known: int(known.rpartition("v")[2]))


class OneHot(gymnasium.ObservationWrapper):
    """The number of a state as an array of zeros and a one."""

    def __init__(self, env):
        super().__init__(env)
        self._rows = numpy.eye(int(env.observation_space.n), dtype=numpy.float32)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (len(self._rows),), numpy.float32)

    def observation(self, observation):
        return self._rows[observation].copy()


def taxi_best(env, state):
    """The total reward of the shortest way."""
    table = env.unwrapped.P
    waiting, seen = deque([(state, 0)]), {state}
    while waiting:
        here, steps = waiting.popleft()
        for outcomes in table[here].values():
            _, there, reward, over = outcomes[0]
            if over:
                return reward - steps
            if reward == -1 and there not in seen:
                seen.add(there)
                waiting.append((there, steps + 1))
    raise AssertionError(state)


def blackjack_best():
    """The mean result of the best policy of Blackjack-v1, ``sab=False, natural=False``."""
    cards = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}

    @lru_cache(None)
    def dealer(total, ace):
        """The chances of the dealer's end, 0: bust."""
        best = total + 10 if ace and total <= 11 else total
        if best >= 17:
            return {best if best <= 21 else 0: 1.0}
        ends: dict[int, float] = {}
        for card, chance in cards.items():
            for end, part in dealer(total + card, ace or card == 1).items():
                ends[end] = ends.get(end, 0.0) + chance * part
        return ends

    @lru_cache(None)
    def stick(best, shown):
        return sum(chance * ((best > end) - (best < end)) for end, chance in dealer(shown, shown == 1).items())

    @lru_cache(None)
    def player(total, ace, shown):
        best = total + 10 if ace and total <= 11 else total
        hit = sum(chance * (-1.0 if total + card > 21 else player(total + card, ace or card == 1, shown))
                  for card, chance in cards.items())
        return max(hit, stick(best, shown))

    return sum(cards[one] * cards[two] * cards[shown] * player(one + two, 1 in (one, two), shown)
               for one in cards for two in cards for shown in cards)


def report(name, totals, goal, begin, steps):
    mean = sum(totals) / len(totals)
    spread = math.sqrt(sum((total - mean) ** 2 for total in totals) / max(1, len(totals) - 1))
    error = spread / math.sqrt(len(totals))
    seconds = time.perf_counter() - begin
    print(f"{name}: mean {mean:.3f} +- {error:.3f} (least {min(totals):g}, most {max(totals):g}) of {len(totals)}, "
          f"goal {goal}; {steps} steps, {1000 * seconds / max(steps, 1):.1f} ms a step", flush=True)
    return mean, error


def hide_dealer(env, rng):
    """Draws the dealer's second card of Blackjack anew."""
    env.dealer[1] = draw_card(rng)


@dataclass(frozen=True)
class Task:
    """An environment and how the Planner searches it."""

    name: str
    options: dict[str, Any]
    making: dict[str, Any] = field(default_factory=dict)
    episodes: int = 1
    """How many episodes each seed's Planner plays."""
    one_hot: bool = False
    most_steps: int = 1_000_000

    def make(self):
        if self.name.startswith("MiniGrid"):
            import minigrid  # noqa: F401  It registers its environments.
        env = gymnasium.make(self.name, **self.making)
        return OneHot(env) if self.one_hot else env


TASKS = {
    "cartpole": Task("CartPole-v1", {"iterations": 40, "horizon": 100, "method": "line"}),
    "frozen_lake": Task("FrozenLake8x8-v1", {"iterations": 100, "horizon": 200}, {"is_slippery": True}),
    "taxi": Task(newest("Taxi"), {"iterations": 1000, "horizon": 100}),
    "acrobot": Task("Acrobot-v1", {"iterations": 40, "horizon": 200, "hold": 12, "method": "line"}),
    "blackjack": Task("Blackjack-v1", {"iterations": 300, "horizon": 20, "discount": 1.0, "determinize": hide_dealer},
                      episodes=100),
    "lake": Task("FrozenLake-v1", {"iterations": 100}, {"is_slippery": False}, one_hot=True),
    "cliff": Task(newest("CliffWalking"), {"iterations": 100}, one_hot=True, most_steps=200),
    "grid5": Task("MiniGrid-Empty-5x5-v0", {"iterations": 50, "horizon": 20}),
    "grid6": Task("MiniGrid-Empty-6x6-v0", {"iterations": 50, "horizon": 30}),
}


def play(task, seeds, factor):
    totals, begin, steps = [], time.perf_counter(), 0
    for seed in seeds:
        planner = Planner(task.make(), seed=seed,
                          **{**task.options, "iterations": int(task.options["iterations"] * factor)})
        for number in range(task.episodes):
            episode = planner.play(seed=seed * task.episodes + number)
            totals.append(episode.total)
            steps += episode.steps
    return totals, begin, steps


def cartpole(seeds, factor):
    totals, begin, steps = play(TASKS["cartpole"], seeds, factor)
    report("CartPole-v1", totals, "500, each", begin, steps)
    return min(totals) == 500


def frozen_lake(seeds, factor):
    best = frozen_lake_best(TASKS["frozen_lake"].make())
    totals, begin, steps = play(TASKS["frozen_lake"], seeds, factor)
    error = math.sqrt(best * (1 - best) / len(seeds))
    goal = f"{best:.3f} - 2 * {error:.3f} = {best - 2 * error:.3f}"
    mean, _ = report("FrozenLake8x8-v1", totals, goal, begin, steps)
    return mean >= best - 2 * error


def taxi(seeds, factor):
    best = []
    for seed in seeds:
        env = TASKS["taxi"].make()
        best.append(taxi_best(env, env.reset(seed=seed)[0]))
    totals, begin, steps = play(TASKS["taxi"], seeds, factor)
    report(TASKS["taxi"].name, totals, f"{sum(best) / len(best):.3f}, each", begin, steps)
    return totals == best


def acrobot(seeds, factor):
    totals, begin, steps = play(TASKS["acrobot"], seeds, factor)
    mean, _ = report("Acrobot-v1", totals, "-100", begin, steps)
    return mean >= -100


def blackjack(seeds, factor):
    best = blackjack_best()
    totals, begin, steps = play(TASKS["blackjack"], seeds, factor)
    mean, error = report("Blackjack-v1", totals, f"{best:.4f} within two standard errors", begin, steps)
    return mean >= best - 2 * error


def ended(name, seeds, factor):
    """Whether every episode comes to its end within the time limit, by the method that the Planner chooses."""
    task, begin, steps, reached = TASKS[name], time.perf_counter(), [], 0
    for seed in seeds:
        planner = Planner(task.make(), seed=seed,
                          **{**task.options, "iterations": int(task.options["iterations"] * factor)})
        episode = planner.play(seed=seed, most_steps=task.most_steps)
        steps.append(episode.steps)
        reached += episode.terminated
    seconds = time.perf_counter() - begin
    print(f"{name}, {task.name}: {reached} of {len(seeds)} came to the end, goal all; {min(steps)} to {max(steps)} "
          f"steps, by method {planner.method!r}, {1000 * seconds / sum(steps):.1f} ms a step", flush=True)
    return reached == len(seeds)


GOALS = {"cartpole": cartpole, "frozen_lake": frozen_lake, "taxi": taxi, "acrobot": acrobot, "blackjack": blackjack,
         **{name: partial(ended, name) for name in ("lake", "cliff", "grid5", "grid6")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=GOALS, action="append")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--factor", type=float, default=1.0, help="times as many iterations")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    met = {name: GOALS[name](seeds, options.factor) for name in options.only or GOALS}
    missed = [name for name, good in met.items() if not good]
    print("all goals met" if not missed else f"missed: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
