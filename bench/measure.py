"""One measurement in this fresh process: ``measure.py TASK`` with TASK as JSON, the result as JSON.

TASK has ``what``: ``about`` (the package), ``ours`` or ``openspiel`` with game, work, count and seed, or ``calls`` with
repeats.
"""

import json
import math
import statistics
import sys
import time

OPENSPIEL_MEMORY_MB = 8192  # far more than it needs here: it never collects garbage


def clocks(function):
    """(result, CPU seconds, wall-clock seconds) of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def state_of(game):
    """Our first position of a game of ``cases.GAMES``."""
    import mcts_core as mc

    if game == "connect4":
        return mc.ConnectFour()
    if game == "tictactoe":
        return mc.TicTacToe()
    if game.startswith("gomoku"):
        size, _, rule = game.removeprefix("gomoku").partition("-")
        return mc.Gomoku(int(size), rule or "freestyle")
    return mc.MNK(*map(int, game.removeprefix("mnk").split("x")))


def about():
    """Version and instruction sets of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    import mcts_core
    from mcts_core import dispatch

    try:
        number = version("mcts-core")
    except PackageNotFoundError:
        number = "not installed"
    try:
        peer = version("open_spiel")
    except PackageNotFoundError:
        peer = None
    return {"version": number, "folder": mcts_core.__path__[0], "isa": dispatch.isa, "supported": dispatch.supported(),
            "openspiel": peer}


def ours(game, work, count, seed):
    """Rollouts or iterations of this package, with the reference's exploration constant."""
    import mcts_core as mc

    state = state_of(game)
    if work == "rollouts":
        result, cpu, wall = clocks(lambda: mc.rollouts(state, count, seed=seed))
        return {"count": result.wins + result.draws + result.losses, "cpu": cpu, "wall": wall}
    engine = mc.Searcher(exploration=math.sqrt(2), seed=seed)
    _, cpu, wall = clocks(lambda: engine.search(state, iterations=count))
    stats = engine.stats()
    return {"count": stats.iterations, "cpu": cpu, "wall": wall, "bytes": stats.bytes}


def openspiel(game, work, count, seed):
    """Simulations of OpenSpiel's bot. Its rewards are in [-1, 1]: there, twice the constant is the same search."""
    import pyspiel

    assert work == "iterations"
    loaded = pyspiel.load_game(game)
    bot = pyspiel.MCTSBot(
        game=loaded, evaluator=pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed), uct_c=2 * math.sqrt(2),
        max_simulations=count, max_memory_mb=OPENSPIEL_MEMORY_MB, solve=False, seed=seed, verbose=False)
    state = loaded.new_initial_state()
    _, cpu, wall = clocks(lambda: bot.step(state))
    return {"count": count, "cpu": cpu, "wall": wall}


def calls(repeats):
    """CPU seconds of one call of each kind, the median of seven loops."""
    import mcts_core as mc

    state = mc.ConnectFour.from_moves("4455", base=1)
    functions = {
        "search(state, iterations=1)": (lambda: mc.search(state, iterations=1), 1),
        "state.play(move)": (lambda: state.play(3), 20),
        "state.legal_moves()": (lambda: state.legal_moves(), 20),
    }
    return {name: statistics.median(cost(function, repeats * more) for _ in range(7))
            for name, (function, more) in functions.items()}


def cost(function, repeats):
    """CPU seconds of one call, less those of an empty one."""
    def loop(called):
        start = time.process_time()
        for _ in range(repeats):
            called()
        return time.process_time() - start

    return (loop(function) - loop(lambda: None)) / repeats


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    print(json.dumps({"about": about, "ours": ours, "openspiel": openspiel, "calls": calls}[task.pop("what")](**task)))
