"""How long exact search takes for positions of Connect Four: milliseconds and nodes, for the value or the distance.

    python bench/exact_search.py --stones 8 10 12 --count 100
    python bench/exact_search.py --stones 16 --count 200 --exact
    python bench/exact_search.py --file Test_L2_R1 Test_L1_R1 --exact

Without files the positions are random ones with so many stones, in which the player to move does not win at once. A
file has a position a line: the columns of its moves, from 1 on, and its score, as in the test sets of Pascal Pons
(http://blog.gamesolver.org/solving-connect-four/02-test-protocol/); then every value is compared. Each position is
solved with an empty table; the time is that of the processor.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from pathlib import Path

import mcts_core as mc
from mcts_core.games.connect_four import openings
from mcts_core.testing.probe import Probe

ENDLESS = 1 << 60
CELLS = 42


def random_positions(stones: int, count: int, seed: int) -> list[tuple[list[int], int | None]]:
    """Moves of random games, in which nobody has won and the player to move does not win at once."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        state = mc.ConnectFour()
        while len(state.moves) < stones and state.winner() is None:
            state = state.play(rng.choice(state.legal_moves()))
        if state.winner() is None and not any(state.play(move).winner() for move in state.legal_moves()):
            found.append((list(state.moves), None))
    return found


def read_positions(path: Path) -> list[tuple[list[int], int | None]]:
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip())
    return [([int(column) - 1 for column in row[0]], int(row[1])) for row in rows]


def score_of(proof: tuple[int, int, bool, int | None], stones: int) -> int:
    """The score of an exact proof: k when the winner wins with his k-th last stone."""
    value, distance = proof[:2]
    return 0 if value == 1 else (CELLS + 2 - stones - distance) // 2 * (value - 1)


def measure(positions: list[tuple[list[int], int | None]], exact: bool, book: bool, memory: int) -> dict[str, float]:
    probe = Probe(mc.ConnectFour())
    seconds, nodes, wrong = [], [], 0
    for path, score in positions:
        probe.forget()
        begin = time.process_time()
        proof, spent = probe.prove(path, ENDLESS, exact, memory, book=book)
        seconds.append(time.process_time() - begin)
        nodes.append(spent)
        if score is not None:
            found = score_of(proof, len(path)) if exact else proof[0] - 1
            wrong += found != (score if exact else (score > 0) - (score < 0))
    return {"positions": len(positions), "mean_ms": 1000 * statistics.fmean(seconds),
            "median_ms": 1000 * statistics.median(seconds), "longest_ms": 1000 * max(seconds),
            "mean_nodes": statistics.fmean(nodes), "median_nodes": statistics.median(nodes), "wrong": wrong}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, nargs="+", default=[])
    parser.add_argument("--stones", type=int, nargs="+", default=[8, 12, 16])
    parser.add_argument("--count", type=int, default=100, help="positions of each set, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exact", action="store_true", help="the distance too, not only win, draw or loss")
    parser.add_argument("--no-book", action="store_true")
    parser.add_argument("--memory", type=int, default=64, help="MB of the table")
    args = parser.parse_args(argv)
    book = not args.no_book and openings.ready_for(mc.ConnectFour())
    sets = [(path.name, read_positions(path)[:args.count]) for path in args.file] or [
        (f"{stones} stones", random_positions(stones, args.count, args.seed)) for stones in args.stones]
    print(f"{'distance' if args.exact else 'value'}, {'with' if book else 'without'} a book, {args.memory} MB")
    print(f"{'set':16}{'positions':>10}{'mean ms':>10}{'median':>10}{'longest':>10}{'mean nodes':>12}{'median':>10}"
          f"{'wrong':>7}")
    failed = False
    for name, positions in sets:
        row = measure(positions, args.exact, book, args.memory << 20)
        print(f"{name:16}{row['positions']:10}{row['mean_ms']:10.3f}{row['median_ms']:10.3f}{row['longest_ms']:10.3f}"
              f"{row['mean_nodes']:12.0f}{row['median_nodes']:10.0f}{row['wrong']:7}", flush=True)
        failed |= row["wrong"] > 0
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
