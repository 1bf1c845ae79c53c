"""Plays games of hidden information against OpenSpiel's ISMCTS with equal simulations, and measures exploitability.

    python docs/figures/hidden_information.py                       all five games, 1,000 deals each; needs [openspiel]
    python docs/figures/hidden_information.py --only leduc --deals 500 --simulations 200

Each deal is played twice with sides swapped: chance draws the same numbers. The 95 % interval is over deals. Both sides
search without the tree of the move before, by UCB1 with the same constant (a share of the width of the utilities), and
play the most visited move. OpenSpiel's bot in C++ needs ``ResampleFromInfostate``, which of these games only Kuhn and
Leduc poker have. In the others its bot in Python plays, which draws positions by ``HiddenState.determinize``, as our
search does. Speeds are by processor time.

The exploitability of Kuhn poker, in chips a game, is that of the shares of visits and that of the most visited move at
every information state, as the mean of --seeds runs.

Kuhn poker has 12 information states, so the result of the match is also computed from how often each side plays each
move there: in --searches searches of ours, and in ten times as many of OpenSpiel's bot. Over the cards and the course
of the game the result is exact; its 95 % interval is that of these shares alone.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable

import numpy
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import expected_game_score, exploitability, ismcts, mcts

import mcts_core as mc
from mcts_core.bots import openspiel

GAMES = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice",
    "phantom_ttt": "phantom_ttt",
    "goofspiel": "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=5,points_order=descending))",
}
IN_CPP = {"kuhn", "leduc"}


def width_of(game):
    """Of the utilities: what ``exploration`` is a share of."""
    return game.max_utility() - game.min_utility()


def cpp_bot(simulations, exploration, seed, kind=pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT):
    return pyspiel.ISMCTSBot(seed, pyspiel.RandomRolloutEvaluator(1, seed), exploration, simulations, -1, kind, False,
                             False)


def python_bot(game, simulations, exploration, seed):
    draw = random.Random(seed)
    state = numpy.random.RandomState(seed)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, state), exploration, simulations, random_state=state)
    roots = {}  # one for each search, as in ours

    def draw_position(position, player):
        history = str(position.history())
        if history not in roots:
            roots.clear()
            roots[history] = openspiel.state(position)
        return roots[history].determinize(player, draw).to_pyspiel()

    bot.set_resampler(draw_position)
    return bot


def play(game, seat, deal, ours, theirs, spent):
    """The utility of our side in one game. ``spent``: decisions and processor seconds of both sides are added."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(deal.choices(actions, chances)[0])
            continue
        side = state.current_player() != seat
        choose = theirs if side else ours
        begin = time.process_time()
        action = choose(state)
        if len(state.legal_actions()) > 1:
            spent[side][0] += 1
            spent[side][1] += time.process_time() - begin
        state.apply_action(action)
    return state.returns()[seat]


def match(name, deals, simulations, exploration):
    game = pyspiel.load_game(GAMES[name])
    width = width_of(game)
    won, spent = [], [[0, 0.0], [0, 0.0]]
    for number in range(deals):
        engine = mc.Searcher(seed=number, exploration=exploration, reuse=False)

        def ours(state, engine=engine):
            return engine.search(openspiel.state(state), iterations=simulations)

        bot = (cpp_bot(simulations, exploration * width, number + 1) if name in IN_CPP
               else python_bot(game, simulations, exploration * width, number + 1))
        won.append(sum(play(game, seat, random.Random(number), ours, bot.step, spent) for seat in (0, 1)) / 2)
    mean, error = numpy.mean(won), numpy.std(won, ddof=1) / math.sqrt(deals)
    rates = [simulations * count / max(seconds, 1e-9) for count, seconds in spent]
    print(f"{name}: {mean:+.3f} +- {1.96 * error:.3f} a game, of {width / 2:g} at most, over {2 * deals} games with "
          f"{simulations} simulations a move; {rates[0]:,.0f} simulations a second, OpenSpiel's bot in "
          f"{'C++' if name in IN_CPP else 'Python'} {rates[1]:,.0f}: {rates[0] / rates[1]:.2f} times", flush=True)


def measure_kuhn(simulations, exploration, seeds):
    game = pyspiel.load_game(GAMES["kuhn"])

    def mean_of(shares: Callable) -> tuple[float, float]:
        """Of the shares of visits, and of the most visited moves."""
        found = numpy.zeros(2)
        for seed in range(1, seeds + 1):
            mixed, pure = policies.TabularPolicy(game), policies.TabularPolicy(game)
            for state in mixed.states:
                given, key = shares(state, seed), state.information_state_string()
                best = max(given, key=given.__getitem__)
                for action in state.legal_actions():
                    mixed.policy_for_key(key)[action] = given[action]
                    pure.policy_for_key(key)[action] = float(action == best)
            found += [exploitability.exploitability(game, policy) for policy in (mixed, pure)]
        return tuple(found / seeds)

    def ours(state, seed):
        mc.search(openspiel.state(state), iterations=simulations, exploration=exploration, seed=seed, reuse=False)
        return {entry.move: entry.visits / simulations for entry in mc.stats().moves}

    def theirs(state, seed):
        kind = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
        return dict(cpp_bot(simulations, exploration * width_of(game), seed, kind).get_policy(state))

    for who, shares in (("ours", ours), ("OpenSpiel's", theirs)):
        mixed, pure = mean_of(shares)
        print(f"kuhn, exploitability with {simulations} simulations, {who}: {mixed:.3f} of the shares of visits, "
              f"{pure:.3f} of the most visited moves", flush=True)
    uniform = exploitability.exploitability(game, policies.TabularPolicy(game))
    print(f"kuhn, exploitability of the uniform policy: {uniform:.3f}", flush=True)


def play_kuhn_exactly(simulations, exploration, searches):
    game = pyspiel.load_game(GAMES["kuhn"])
    root = game.new_initial_state()

    def moves_of(choose, count):
        """The share of the searches that play each move, at every information state."""
        policy = policies.TabularPolicy(game)
        for state in policy.states:
            shares = policy.policy_for_key(state.information_state_string())
            shares[:] = 0.0
            for seed in range(1, count + 1):
                shares[choose(state, seed)] += 1 / count
        return policy

    def result_of(first, second):
        """The chips that ``first`` wins from ``second``, as the mean of both seats."""
        seats = [first, second], [second, first]
        return sum(expected_game_score.policy_value(root, pair)[seat] for seat, pair in enumerate(seats)) / 2

    def variance_of(policy, count, result):
        """The result is linear in the share of each move of an information state."""
        total = 0.0
        for state in policy.states:
            shares = policy.policy_for_key(state.information_state_string())
            chance, kept, ends = shares[1], shares.copy(), []
            for move in (0, 1):
                shares[:] = [1 - move, move]
                ends.append(result())
            shares[:] = kept
            total += (ends[1] - ends[0]) ** 2 * chance * (1 - chance) / count
        return total

    def ours(state, seed):
        engine = mc.Searcher(seed=seed, exploration=exploration, reuse=False)
        return engine.search(openspiel.state(state), iterations=simulations)

    def theirs(state, seed):
        return cpp_bot(simulations, exploration * width_of(game), seed).step(state)

    mine, other = moves_of(ours, searches), moves_of(theirs, 10 * searches)

    def result():
        return result_of(mine, other)

    error = math.sqrt(variance_of(mine, searches, result) + variance_of(other, 10 * searches, result))
    print(f"kuhn, computed from {searches} searches of each information state with {simulations} simulations: "
          f"{result():+.4f} +- {1.96 * error:.4f} chips a game", flush=True)
    for who, policy in (("ours", mine), ("OpenSpiel's", other)):
        bets = {state.information_state_string(): float(policy.policy_for_key(state.information_state_string())[1])
                for state in policy.states}
        print(f"  {who}: exploitability {exploitability.exploitability(game, policy):.4f}; share of bets by card and "
              f"line: {', '.join(f'{key} {share:.4f}' for key, share in sorted(bets.items()))}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=GAMES, action="append")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--exploration", type=float, default=0.7)
    parser.add_argument("--seeds", type=int, default=10, help="of the exploitability of Kuhn poker")
    parser.add_argument("--searches", type=int, default=1000, help="of each information state of Kuhn poker")
    options = parser.parse_args()
    names = options.only or GAMES
    if "kuhn" in names:
        measure_kuhn(25 * options.simulations, options.exploration, options.seeds)
        play_kuhn_exactly(options.simulations, options.exploration, options.searches)
    for name in names:
        match(name, options.deals, options.simulations, options.exploration)


if __name__ == "__main__":
    main()
