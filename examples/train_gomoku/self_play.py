"""Games of the network against itself, as positions to learn from.

    python self_play.py NETWORK --out FOLDER --games 200 --workers 2

A quarter of the moves are searched with more iterations and with noise; they train the policy. The others are searched
fast and train the value alone. The target of the value is mostly the result of the game and partly the value of the
search. Some games have a random move. Their result says nothing about the positions before that move, whose target is
instead the search's value of the last of these positions.
"""

import argparse
import gc
import multiprocessing
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from options import at_least
from patterns import looked_at
from samples import Counts, Samples

import mcts_core as mc

FULL_SHARE = 0.25
NOISE_ALPHA, NOISE_WEIGHT = 0.15, 0.25
RESULT_SHARE = 0.85
"""Share of the game's result in the target value; the rest is the value of the search."""
MOST_STONES = 72
"""A game with so many stones on the board ends as a draw."""
LONG_SHARE = 0.25
"""Share of the positions of such a game that are kept, besides those with a policy. Without this, such positions were
half of all and pulled every value to 0.5."""
SIZES, USUAL_SIZE, USUAL_SHARE = range(9, 21), 15, 0.7
OPENING_STONES = 7
"""Random stones of an opening, at most."""
FAR = 0.25
"""Openings whose value differs from 0.5 by more than this are dropped with probability DROPPED."""
DROPPED = 0.95
RANDOM_SHARE, RANDOM_BEFORE, NEAR_SHARE = 0.5, 14, 0.1
"""Share of the games with a random move; the most stones on the board before it; how often it is any cell near a stone,
and not a move drawn in proportion to visits."""
SHARP_BEFORE, SHARP_TEMPERATURE = 8, 0.3
"""With fewer stones than this, moves are drawn in proportion to visits, with this temperature."""
MEMORY_MB = 16
"""Memory of a search in MiB; trees of a thousand iterations take less than one."""
SHARD = 2000
"""About so many positions per file."""


@dataclass
class Turn:
    """A searched position. ``board`` and ``value`` are from the view of the side to move, ``side`` (1: black)."""

    side: int
    board: np.ndarray
    value: float
    proven: bool
    policy: tuple | None


class Game:
    """A game in progress: the state, and its stones as 1 (black) and -1 (white)."""

    def __init__(self, size):
        self.state = mc.Gomoku(size=size)
        self.stones = np.zeros((size, size), np.int8)
        self.count = 0

    def play(self, move):
        self.stones.flat[move] = self.state.to_move
        self.state = self.state.play(move)
        self.count += 1

    def board(self):
        """The board for the network: 1 for a stone of the side to move, 2 for one of the other side."""
        own = self.stones * self.state.to_move
        return np.where(own < 0, 2, own).astype(np.int8)

    def near(self):
        """The empty cells near a stone."""
        return np.flatnonzero(looked_at(self.board()[None])[0])


class Player:
    """Plays games with a network, given as the bytes of its file."""

    def __init__(self, network, seed=None, full=400, fast=80):
        self.rng = np.random.default_rng(seed)
        self.full, self.fast = full, fast
        # no stop_early: it would cut off visits, which the policy is made of
        options = {"valuation": "network", "network": network, "memory_mb": MEMORY_MB}
        self.thorough = mc.Searcher(**options, reuse=False, stop_early=False, noise_alpha=NOISE_ALPHA,
                                    noise_weight=NOISE_WEIGHT)
        self.quick = mc.Searcher(**options)

    def play(self):
        """Plays a game; returns its positions for ``Samples.of``, and its Counts."""
        game, turns = self.opening(), []
        random_at = self.rng.integers(game.count, RANDOM_BEFORE) if self.rng.random() < RANDOM_SHARE else None
        cut, points = None, None
        while points is None:
            stats, turn = self.search(game)
            turns.append(turn)
            if turn.proven:
                points = seen_by(turn.side, turn.value)
                break
            move = self.chosen(stats, game)
            if game.count == random_at:
                move = self.random_move(stats, game)
                cut = len(turns) - 1 if move != stats.move else None
            game.play(move)
            if game.state.winner() is not None:
                points = (1 + game.state.winner()) / 2
            elif game.count >= MOST_STONES:
                points = 0.5
        drawn = len(turns) if points == 0.5 else 0
        rows = list(learnt(turns, points, cut))
        if game.count >= MOST_STONES:
            rows = [row for row in rows if row[2] is not None or self.rng.random() < LONG_SHARE]
        return rows, Counts(1, len(turns), drawn, game.count, points)

    def search(self, game):
        """Searches the position, sometimes with more iterations; returns the Stats and the Turn."""
        full = self.rng.random() < FULL_SHARE
        engine = self.thorough if full else self.quick
        engine.search(game.state, iterations=self.full if full else self.fast)
        stats = engine.stats()
        policy = None
        if full and not stats.proven:  # a proof names one of several winning moves, and needs no network
            self.quick.search(game.state, iterations=1)  # for the priors without noise
            priors = {entry.move: entry.prior or 0.0 for entry in self.quick.stats().moves}
            policy = policy_of(stats, priors, engine.options(game.state)["c_puct"])
        return stats, Turn(game.state.to_move, game.board(), stats.value, stats.proven is not None, policy)

    def opening(self):
        """A game with its first stones at random places near each other, in most cases about even."""
        rng = self.rng
        while True:
            game = Game(USUAL_SIZE if rng.random() < USUAL_SHARE else int(rng.choice(SIZES)))
            size = len(game.stones)
            row, col = rng.integers(size // 2 - 2, size // 2 + 3, 2)
            game.play(int(row * size + col))
            for _ in range(rng.integers(OPENING_STONES)):
                game.play(int(rng.choice(game.near())))
            self.quick.search(game.state, iterations=self.fast)
            if abs(self.quick.stats().value - 0.5) <= FAR or rng.random() >= DROPPED:
                return game

    def chosen(self, stats, game):
        """The move to play: the best one, or early in the game one that is about as good."""
        return self.drawn(stats, SHARP_TEMPERATURE) if game.count < SHARP_BEFORE else stats.move

    def random_move(self, stats, game):
        """A move that may be bad."""
        return int(self.rng.choice(game.near())) if self.rng.random() < NEAR_SHARE else self.drawn(stats, 1.0)

    def drawn(self, stats, temperature):
        """A move drawn in proportion to the visits of the search."""
        visits = np.array([entry.visits for entry in stats.moves], float)
        shares = (visits / visits.max()) ** (1 / temperature)
        return stats.moves[self.rng.choice(len(shares), p=shares / shares.sum())].move


def seen_by(side, value):
    """Converts the points of black to those of ``side``, or back."""
    return value if side > 0 else 1 - value


def learnt(turns, points, cut):
    """The positions with their targets: ``(board, value, policy)``.

    ``points`` are black's in the game. After position ``cut`` a random move was played; for the positions up to it, the
    search's value of position ``cut`` replaces the points.
    """
    for number, turn in enumerate(turns):
        if turn.proven:
            value = turn.value
        else:
            until_cut = cut is not None and number <= cut
            result = seen_by(turns[cut].side, turns[cut].value) if until_cut else points
            value = RESULT_SHARE * seen_by(turn.side, result) + (1 - RESULT_SHARE) * turn.value
        yield turn.board, value, turn.policy


def policy_of(stats, priors, c_puct):
    """The target policy from a search: shares of visits, without visits that only the noise explains.

    As in KataGo (Wu, arXiv 1902.10565, section 3.2): each move except the most visited one loses visits as long as its
    PUCT score with fewer visits, by the ``priors`` without noise, is below that of the most visited move. If a single
    visit remains, it is removed as well. None if no move with visits remains.
    """
    entries = [entry for entry in stats.moves if entry.visits and entry.proven != "loss"]
    if not entries:
        return None
    best = max(entries, key=lambda entry: entry.visits)
    scale = c_puct * stats.visits ** 0.5
    top = best.value + scale * priors[best.move] / (1 + best.visits)
    cells, weights = [best.move], [float(best.visits)]
    for entry in entries:
        if entry is best:
            continue
        visits = float(entry.visits)
        if entry.value < top:
            # the fewest visits with which value + scale prior / (1 + visits) is below the top
            visits = min(visits, np.ceil(scale * priors[entry.move] / (top - entry.value) - 1))
        if visits > 1:
            cells.append(entry.move)
            weights.append(visits)
    total = sum(weights)
    return cells, [weight / total for weight in weights]


def play_shards(network, folder, name, until, seed=None, **budgets):
    """Plays games and writes shards, files ``folder/TIME-name.npz``, until ``until(counts)``; returns the Counts.

    ``network()`` returns the bytes of the network to play with, or None if it has not changed since the last call.
    """
    gc.set_threshold(200_000)  # games leave no reference cycles behind
    total, counts, kept, player = Counts(), Counts(), [], None
    over = until(total)
    while not over:
        newer = network()
        if newer is not None:
            player = Player(newer, None if seed is None else seed + total.games, **budgets)
        positions, game = player.play()
        kept.extend(positions)
        counts.add(game)
        total.add(game)
        over = until(total)
        if over or len(kept) >= SHARD:
            Samples.of(kept).save(Path(folder) / f"{time.time_ns() // 10**6}-{name}.npz", counts)
            counts, kept = Counts(), []
    return total


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, help="network file")
    parser.add_argument("--out", type=Path, default=Path("games"), metavar="FOLDER", help="folder of the shards")
    parser.add_argument("--games", type=at_least(1), default=100, metavar="N",
                        help="games of each worker (default 100)")
    parser.add_argument("--full", type=at_least(1), default=400, metavar="N",
                        help="iterations of the moves with a policy")
    parser.add_argument("--fast", type=at_least(1), default=80, metavar="N", help="iterations of the others")
    parser.add_argument("--workers", type=at_least(1), default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="seed of openings and random moves")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    begin, total = time.perf_counter(), Counts()
    jobs = [(args, worker) for worker in range(args.workers)]
    if args.workers == 1:
        found = map(play_games, jobs)
    else:
        found = multiprocessing.Pool(args.workers).imap_unordered(play_games, jobs)
    for counts in found:
        total.add(counts)
    seconds = time.perf_counter() - begin
    print(f"{total}; {60 * total.positions / seconds:,.0f} positions a minute")


def play_games(job):
    args, worker = job
    newest = iter([args.network.read_bytes()])
    seed = None if args.seed is None else args.seed + 10**6 * worker
    return play_shards(lambda: next(newest, None), args.out, f"worker{worker}", lambda total: total.games >= args.games,
                       seed, full=args.full, fast=args.fast)


if __name__ == "__main__":
    main()
