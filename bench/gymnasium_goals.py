"""Plays gymnasium environments with the Planner and compares the results with what is best there.

    python bench/gymnasium_goals.py                         all environments, 20 seeds each; needs the extra [gymnasium]
    python bench/gymnasium_goals.py --only taxi --seeds 5

CartPole-v1: 500 steps. FrozenLake-v1 8x8, slippery: the success rate of the best policy within the time limit of 200
steps, by value iteration, less two standard errors. Taxi-v3: the reward of the shortest path, by breadth-first search.
Blackjack-v1: the mean of the best policy, by value iteration over the rules with an infinite deck; hands instead of
seeds. Acrobot-v1: -100, gymnasium's own threshold.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from functools import lru_cache

import gymnasium

from mcts_core.bots.gymnasium import Planner

STEPS = 200
"""The time limit of FrozenLake 8x8."""


def frozen_lake_best(env, state=0):
    """The chance to reach the goal within ``STEPS`` steps with the best policy, which knows the step."""
    table = env.unwrapped.P
    values = dict.fromkeys(table, 0.0)
    for _ in range(STEPS):
        values = {
            here: max(sum(chance * (reward + (0.0 if over else values[there]))
                          for chance, there, reward, over in outcomes) for outcomes in table[here].values())
            for here in table
        }
    return values[state]


def taxi_name():
    """Newer versions of gymnasium have Taxi-v4 alone: the same but for its mask."""
    return "Taxi-v4" if "Taxi-v4" in gymnasium.registry else "Taxi-v3"


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


def play(name, seeds, options, **making):
    totals, begin, steps = [], time.perf_counter(), 0
    planner = None
    for seed in range(seeds):
        if planner is None or name not in ("Blackjack-v1",):
            planner = Planner(gymnasium.make(name, **making), seed=seed, **options)
        episode = planner.play(seed=seed)
        totals.append(episode.total)
        steps += episode.steps
    return totals, begin, steps


def cartpole(seeds, factor):
    totals, begin, steps = play("CartPole-v1", seeds, {"iterations": int(40 * factor), "horizon": 100,
                                                           "method": "line"})
    report("CartPole-v1", totals, "500, each", begin, steps)
    return min(totals) == 500


def frozen_lake(seeds, factor):
    best = frozen_lake_best(gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=True))
    totals, begin, steps = play("FrozenLake-v1", seeds, {"iterations": int(100 * factor), "horizon": 200},
                                map_name="8x8", is_slippery=True)
    error = math.sqrt(best * (1 - best) / seeds)
    goal = f"{best:.3f} - 2 * {error:.3f} = {best - 2 * error:.3f}"
    mean, _ = report("FrozenLake-v1 8x8", totals, goal, begin, steps)
    return mean >= best - 2 * error


def taxi(seeds, factor):
    best = []
    for seed in range(seeds):
        env = gymnasium.make(taxi_name())
        best.append(taxi_best(env, env.reset(seed=seed)[0]))
    totals, begin, steps = play(taxi_name(), seeds, {"iterations": int(1000 * factor), "horizon": 100})
    report("Taxi-v3", totals, f"{sum(best) / len(best):.3f}, each", begin, steps)
    return totals == best


def acrobot(seeds, factor):
    totals, begin, steps = play("Acrobot-v1", seeds, {"iterations": int(20 * factor), "horizon": 200, "hold": 12,
                                               "method": "line"})
    mean, _ = report("Acrobot-v1", totals, "-100", begin, steps)
    return mean >= -100


def blackjack(seeds, factor):
    best = blackjack_best()
    totals, begin, steps = play("Blackjack-v1", 100 * seeds, {"iterations": int(300 * factor), "horizon": 20,
                                                              "discount": 1.0})
    mean, error = report("Blackjack-v1", totals, f"{best:.4f} within two standard errors", begin, steps)
    return mean >= best - 2 * error


GOALS = {"cartpole": cartpole, "frozen_lake": frozen_lake, "taxi": taxi, "acrobot": acrobot, "blackjack": blackjack}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=GOALS, action="append")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--factor", type=float, default=1.0, help="times as many iterations")
    options = parser.parse_args()
    met = {name: GOALS[name](options.seeds, options.factor) for name in options.only or GOALS}
    missed = [name for name, good in met.items() if not good]
    print("all goals met" if not missed else f"missed: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
