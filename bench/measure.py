"""One measurement in this fresh process: ``measure.py TASK`` with TASK as JSON, the result as JSON.

TASK has ``what``: ``about`` (the package); ``ours`` with game, work, count and seed; ``peer`` with the same and the
name of a peer; ``tactics`` with the name of a peer or None, count and seeds; ``calls`` with repeats.
"""

import json
import math
import statistics
import sys
import time
from pathlib import Path

import peers
import tactics


def clocks(function):
    """(result, CPU seconds, wall-clock seconds) of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    used, took = time.process_time() - cpu, time.perf_counter() - wall
    return result, used or took, took  # on Windows the time of a process grows in steps of 16 ms


def state_of(game):
    """Our first position of a game of ``cases.GAMES``."""
    import mcts_core as mc

    if game == "connect4":
        return mc.ConnectFour()
    if game.startswith("gravity"):
        return mc.ConnectFour(*map(int, game.removeprefix("gravity").split("x")))
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
    return {"version": number, "folder": mcts_core.__path__[0], "isa": dispatch.isa, "supported": dispatch.supported()}


def ours(game, work, count, seed):
    """Rollouts, or iterations of textbook UCT with the reference's exploration constant."""
    import mcts_core as mc

    state = state_of(game)
    if work == "rollouts":
        mc.rollouts(state, 1)  # imports what it needs: 7 to 17 ms
        result, cpu, wall = clocks(lambda: mc.rollouts(state, count, seed=seed))
        return {"count": result.wins + result.draws + result.losses, "cpu": cpu, "wall": wall}
    engine = mc.Searcher(preset="uct", exploration=math.sqrt(2), seed=seed)
    _, cpu, wall = clocks(lambda: engine.search(state, iterations=count))
    stats = engine.stats()
    return {"count": stats.iterations, "cpu": cpu, "wall": wall, "bytes": stats.bytes,
            "depth": stats.depth_mean}


def peer(name, game, work, count, seed):
    """Simulations of another package; ``grown``: bytes by which the search made the process grow, where it is known."""
    assert work == "iterations"
    run = peers.search(name, game, (), count, seed)
    before = resident("VmRSS")
    (_, tree), cpu, wall = clocks(run)
    after = resident("VmHWM")
    del tree
    return {"count": count, "cpu": cpu, "wall": wall} | ({"grown": max(0, after - before)} if after else {})


def resident(what):
    """Bytes of this process in memory, now (VmRSS) or at most (VmHWM); None where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(what)), None)


def tactical(name, count, seeds):
    """Right moves in the positions of ``tactics``, by a peer or by us: kind -> [right, all]."""
    def ours(moves, seed):
        import mcts_core as mc

        return mc.search(mc.ConnectFour.from_moves(moves), iterations=count, preset="uct", seed=seed)

    def theirs(moves, seed):
        return peers.search(name, "connect4", moves, count, seed)()[0]

    return tactics.count(theirs if name else ours, seeds)


def calls(repeats):
    """CPU seconds of one call of each kind, the median of seven loops."""
    import mcts_core as mc

    state = mc.ConnectFour.from_moves("4455", base=1)
    functions = {
        "search(state, iterations=1, preset='uct')": (lambda: mc.search(state, iterations=1, preset="uct"), 1),
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
    functions = {"about": about, "ours": ours, "peer": peer, "tactics": tactical, "calls": calls}
    print(json.dumps(functions[task.pop("what")](**task)))
