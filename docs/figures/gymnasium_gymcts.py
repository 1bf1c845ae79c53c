"""Compares the Planner with gymcts in gymnasium environments, at equal environment steps and at equal time a decision.

    pip install gymcts
    python docs/figures/gymnasium_gymcts.py                        CartPole, FrozenLake 8x8 and Taxi, 5 seeds each
    python docs/figures/gymnasium_gymcts.py --only taxi --seeds 20
    python docs/figures/gymnasium_gymcts.py --only frozen_lake --seeds 10 --factor 0.05 --limit steps

The Planner plays first, with the settings of gymnasium_goals.py times --factor. gymcts then plays the same seeds twice:
for each decision it may take as much processor time as the Planner took on average for one, and then as many steps in
copies; ``--limit`` leaves one of the two out. The time of a decision includes the step that follows it.

gymcts plans with copies that also copy the source of chance, so it knows what the environment will draw. This script
gives the source of chance of each copy a new seed; ``--foresee`` leaves it as gymcts has it. Each decision starts a new
tree, as gymcts does by default.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from typing import Any

import gymnasium
import numpy
from gymcts.gymcts_agent import GymctsAgent
from gymcts.gymcts_deepcopy_wrapper import DeepCopyMCTSGymEnvWrapper
from gymnasium_goals import TASKS

from mcts_core.bots.gymnasium import Planner

LIMITS = ["time", "steps"]


class Counted(gymnasium.Wrapper):
    """Counts the steps of an environment and of all its copies."""

    steps = 0

    def step(self, action: Any) -> Any:
        Counted.steps += 1
        return self.env.step(action)


class Unforeseen(DeepCopyMCTSGymEnvWrapper):
    """A copy draws other numbers than the environment that was copied."""

    draw = numpy.random.default_rng(1)

    def __deepcopy__(self, memo: dict[int, Any]) -> Unforeseen:
        made = object.__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            setattr(made, name, copy.deepcopy(value, memo))
        made.unwrapped.np_random = numpy.random.default_rng(int(self.draw.integers(2**63)))
        return made


def decide(env: Any, steps: float | None, seconds: float | None) -> Any:
    """gymcts's action. Its search needs two simulations before it can name one."""
    begin, first, idle = time.process_time(), Counted.steps, 0
    agent = GymctsAgent(copy.deepcopy(env))
    agent.vanilla_mcts_search(num_simulations=2)
    while (Counted.steps - first + idle < steps if steps is not None
           else time.process_time() - begin < (seconds or 0.0)):
        before = Counted.steps
        agent.vanilla_mcts_search(num_simulations=1)
        idle += Counted.steps == before  # a simulation that ends in the tree counts as a step
    return agent.search_root_node.get_best_action()


def play_gymcts(env: Any, seed: int, steps: float | None, seconds: float | None) -> tuple[float, int]:
    random.seed(seed)  # of gymcts
    env.reset(seed=seed)
    total, length, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(decide(env, steps, seconds))
        total, length, over = total + float(reward), length + 1, terminated or truncated
    return total, length


def measured(play: Any) -> tuple[float, int, float, float]:
    """The result and length of an episode; the steps in copies and the processor seconds of a decision."""
    Counted.steps, begin = 0, time.process_time()
    total, length = play()
    return total, length, Counted.steps / length - 1, (time.process_time() - begin) / length


def report(name: str, results: list[tuple[float, int, float, float]]) -> None:
    totals, lengths, steps, seconds = (numpy.array(column) for column in zip(*results, strict=True))
    error = totals.std(ddof=1) / len(totals) ** 0.5 if len(totals) > 1 else float("nan")
    decisions = lengths.sum()
    print(f"  {name}: mean {totals.mean():.3f} +- {error:.3f} (least {totals.min():g}, most {totals.max():g}); "
          f"{(steps * lengths).sum() / decisions:.0f} steps and {1000 * (seconds * lengths).sum() / decisions:.1f} ms "
          f"a decision, {decisions} decisions", flush=True)


def play_planner(env: Any, options: dict[str, Any], seed: int) -> tuple[float, int]:
    episode = Planner(env, seed=seed, **options).play(seed=seed)
    return episode.total, episode.steps


def compare(name: str, seeds: range, factor: float, foresee: bool, limits: list[str]) -> None:
    task = TASKS[name]
    options = {**task.options, "iterations": int(task.options["iterations"] * factor)}
    print(f"{task.name}, {len(seeds)} episodes, {options['iterations']} iterations of the Planner a decision")
    ours = [measured(lambda seed=seed: play_planner(Counted(task.make()), options, seed)) for seed in seeds]
    report("Planner", ours)
    kind = DeepCopyMCTSGymEnvWrapper if foresee else Unforeseen
    decisions = sum(length for _, length, _, _ in ours)
    steps = sum(length * count for _, length, count, _ in ours) / decisions
    seconds = sum(length * each for _, length, _, each in ours) / decisions
    for limit in limits:
        most = (None, seconds) if limit == "time" else (steps, None)
        report(f"gymcts, equal {limit}", [
            measured(lambda seed=seed, most=most: play_gymcts(kind(Counted(task.make())), seed, *most))
            for seed in seeds])


def main() -> None:
    names = ("cartpole", "frozen_lake", "taxi")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=names, action="append")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--factor", type=float, default=1.0, help="times as many iterations of the Planner")
    parser.add_argument("--limit", choices=LIMITS, help="of gymcts (default: both, one after the other)")
    parser.add_argument("--foresee", action="store_true", help="gymcts's copies draw what the environment will draw")
    options = parser.parse_args()
    for name in options.only or names:
        compare(name, range(options.seeds), options.factor, options.foresee,
                [options.limit] if options.limit else LIMITS)


if __name__ == "__main__":
    main()
