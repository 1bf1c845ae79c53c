"""Plays games of hidden information against OpenSpiel's ISMCTS with equal simulations, and measures exploitability.

    python bench/hidden_information.py                       Kuhn and Leduc poker, 2,000 games each; needs [openspiel]
    python bench/hidden_information.py --game leduc_poker --games 500 --simulations 200

Both sides sit in each seat for the same number of games. OpenSpiel's bot needs ``ResampleFromInfostate``, which few
games have. The exploitability of Kuhn poker is that of the shares of visits at every information state, in chips.
"""

from __future__ import annotations

import argparse
import math
import random
import time

import numpy
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import exploitability

import mcts_core as mc
from mcts_core.bots import openspiel


def their_bot(game, simulations, exploration, seed):
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.ISMCTSBot(seed, evaluator, exploration, simulations, -1,
                             pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False)


def match(name, games, simulations, exploration):
    game = pyspiel.load_game(name)
    width = game.max_utility() - game.min_utility()
    deal = random.Random(1)
    ours, seconds = [], [0.0, 0.0]
    decisions = [0, 0]
    for number in range(games):
        seat = number % 2
        state = game.new_initial_state()
        engine = mc.Searcher(seed=number, exploration=exploration)
        bot = their_bot(game, simulations, exploration * width, number + 1)
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(deal.choices(actions, chances)[0])
                continue
            mine = state.current_player() == seat
            begin = time.perf_counter()
            if mine:
                action = engine.search(openspiel.state(state), iterations=simulations)
            else:
                action = bot.step(state)
            seconds[not mine] += time.perf_counter() - begin
            decisions[not mine] += 1
            state.apply_action(action)
        ours.append(state.returns()[seat])
    mean, error = numpy.mean(ours), numpy.std(ours) / math.sqrt(games)
    rates = [simulations * count / max(spent, 1e-9) for count, spent in zip(decisions, seconds, strict=True)]
    print(f"{name}: {mean:+.3f} +- {1.96 * error:.3f} chips a game over {games} games, {simulations} simulations a "
          f"move; {rates[0]:,.0f} simulations a second, OpenSpiel's {rates[1]:,.0f}", flush=True)


def kuhn(simulations, exploration):
    """The exploitability of the shares of the visits, ours and OpenSpiel's."""
    game = pyspiel.load_game("kuhn_poker")
    mine, theirs = policies.TabularPolicy(game), policies.TabularPolicy(game)
    for state in mine.states:
        mc.search(openspiel.state(state), iterations=simulations, exploration=exploration, seed=1)
        visits = {entry.move: entry.visits for entry in mc.stats().moves}
        key = state.information_state_string()
        for action in state.legal_actions():
            mine.policy_for_key(key)[action] = visits[action] / simulations
        bot = their_bot(game, simulations, exploration * 4, 1)
        for action, share in bot.get_policy(state):
            theirs.policy_for_key(key)[action] = share
    print(f"kuhn_poker: exploitability {exploitability.exploitability(game, mine):.3f}, OpenSpiel's (most visited "
          f"move) {exploitability.exploitability(game, theirs):.3f}, uniform "
          f"{exploitability.exploitability(game, policies.TabularPolicy(game)):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--exploration", type=float, default=0.7)
    options = parser.parse_args()
    kuhn(10 * options.simulations, options.exploration)
    for name in options.game or ["kuhn_poker", "leduc_poker"]:
        match(name, options.games, options.simulations, options.exploration)


if __name__ == "__main__":
    main()
