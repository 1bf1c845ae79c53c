"""OpenSpiel's bot in C++, with its own games. Its rewards are in [-1, 1]: there, 2 * sqrt(2) is our sqrt(2)."""

import math

GAMES = {"connect4": "connect_four", "gomoku15": "gomoku(size=15,connect=5)"}
MEMORY_MB = 8192  # far more than it needs here: it never collects garbage


def search(game, moves, count, seed):
    import pyspiel

    loaded = pyspiel.load_game(GAMES[game])
    bot = pyspiel.MCTSBot(
        game=loaded, evaluator=pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed), uct_c=2 * math.sqrt(2),
        max_simulations=count, max_memory_mb=MEMORY_MB, solve=False, seed=seed, verbose=False)
    state = loaded.new_initial_state()
    for move in moves:
        state.apply_action(move)
    return lambda: (bot.step(state), bot)
