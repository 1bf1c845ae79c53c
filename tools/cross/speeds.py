"""Iterations a second of two searches, as JSON: the same program runs in Pyodide and natively."""

import json

import mcts_core as mc

SEARCHES = {
    "Connect Four, uct": (mc.ConnectFour(), {"preset": "uct"}),
    "Connect Four": (mc.ConnectFour(), {}),
    "gomoku 15x15": (mc.Gomoku(), {}),
}
SECONDS = 1.0

if __name__ == "__main__":
    found = {}
    for name, (state, options) in SEARCHES.items():
        engine = mc.Searcher(memory_mb=64, seed=1, reuse=False, stop_early=False, **options)
        speeds = []
        for _ in range(3):
            engine.search(state, SECONDS)
            speeds.append(engine.stats().iterations_per_second)
        found[name] = sorted(speeds)[1]
    print(json.dumps(found))
