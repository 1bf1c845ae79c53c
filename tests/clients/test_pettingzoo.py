"""The players in the real environments of PettingZoo: make test KIND=clients."""

import random

import pytest

from mcts_core.bots.pettingzoo import Agent, state

pytestmark = pytest.mark.clients


def environment(name):
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    return {"connect_four_v3": connect_four_v3, "tictactoe_v3": tictactoe_v3}[name].env()


def play(env, players):
    """The rewards of a game between two functions from observation to action."""
    env.reset(seed=1)
    rewards = dict.fromkeys(env.possible_agents, 0)
    for name in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else players[env.possible_agents.index(name)](observation)
        env.step(action)
        for who, reward in env.rewards.items():
            rewards[who] += reward if action is not None else 0
    return [rewards[who] for who in env.possible_agents]


def random_player(seed):
    dice = random.Random(seed)

    def player(observation):
        return dice.choice([action for action, allowed in enumerate(observation["action_mask"]) if allowed])

    return player


@pytest.mark.parametrize("name, least", [("connect_four_v3", 49), ("tictactoe_v3", 40)])
def test_it_beats_a_random_player(name, least):
    """Fifty games on both sides by turns. At tic-tac-toe even perfect play does not win all of them."""
    env = environment(name)
    player = Agent(env, iterations=1_000, seed=1)
    results = []
    for number in range(50):
        seat = number % 2
        players = [random_player(number)] * 2
        players[seat] = player
        results.append(play(env, players)[seat])
    print(f"{name}: {results.count(1)} won, {results.count(0)} drawn, {results.count(-1)} lost")
    assert -1 not in results and results.count(1) >= least


def test_two_of_them_draw_at_tic_tac_toe():
    env = environment("tictactoe_v3")
    player = Agent(env, iterations=2_000, seed=1)
    assert play(env, [player, player]) == [0, 0]


@pytest.mark.parametrize("name", ["connect_four_v3", "tictactoe_v3"])
def test_the_position_goes_as_the_environment(name):
    """Move by move: what is read from an observation is what playing the actions gives."""
    for seed in range(10):
        env = environment(name)
        env.reset(seed=seed)
        player = random_player(seed)
        position = state(env, env.last()[0])
        while True:
            observation, _, terminated, _, _ = env.last()
            if terminated:
                break
            assert state(env, observation) == position
            action = player(observation)
            position = position.play(action)
            env.step(action)
        winner = position.winner()
        assert winner is not None
        assert [env.rewards[who] for who in env.possible_agents] == [winner, -winner]


def test_a_budget_of_time():
    env = environment("connect_four_v3")
    env.reset()
    player = Agent(env, seconds=0.05)
    assert env.action_space("player_0").contains(player(env.last()[0]))
