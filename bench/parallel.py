#!/usr/bin/env python3
"""What the workers of search_parallel gain, and what their rounds cost.

    python bench/parallel.py --game connect4 --workers 2 4 --games 200
    python bench/parallel.py --game gomoku --workers 4 --one-tree --games 200
    python bench/parallel.py --costs processes dask --seconds 2

The first plays matches between that many workers and one of them, each worker with --iterations a move in --rounds
rounds, all in this process, one after the other: what as many cores would gain in the same time. --one-tree plays the
same matches between one tree with all those iterations and one with a worker's: what could be gained at most. Every
opening is played twice with sides swapped; elo.py has the formula. Seeds come from --seed, so that a match repeats.

--costs searches by a pool of two processes, or by two processes of a Dask cluster on this machine, and tells how long
a round takes besides the worker's work.
"""

import argparse
import json
import logging
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import elo
import games
import match
import openings
import players
import progress
import workers
from arguments import positive, whole
from report import as_text

import mcts_core as mc

MEMORY_MB = 64


class OneByOne(Executor):
    """Runs tasks at once, in this thread."""

    def submit(self, function, /, *arguments, **keywords):
        future = Future()
        try:
            future.set_result(function(*arguments, **keywords))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass(frozen=True)
class Setting:
    """Workers, or trees, as one side of a match."""

    workers: int
    iterations: int
    """Of each worker."""
    rounds: int

    def player(self, game, seed):
        """The player of one game."""
        return Player(self, seed)


class Player:
    """Every move is a search by all workers; ``proven`` is what the last one reported."""

    def __init__(self, setting, seed):
        self.setting, self.seed, self.proven = setting, seed, None
        self.executor = OneByOne()

    def move(self, state):
        """The move to play."""
        setting = self.setting
        found = mc.search_parallel(
            state, iterations=setting.iterations, executor=self.executor, workers=setting.workers,
            rounds=setting.rounds, seed=players.seed_of(self.seed, len(state.moves)), memory_mb=MEMORY_MB)
        self.proven = found.stats.proven
        return found.move


def main(argv=None):
    args = parse(argv)
    if args.costs:
        found = [cost(kind, args.seconds, args.searches) for kind in args.costs]
        print(as_text([("", ["executor", "workers", "ms per round", "of these besides the work", "quartiles"],
                        [row(entry) for entry in found])]))
    else:
        found = []
        for count in args.workers:
            found.append(gain(args, count))
            whose = "one tree of" if args.one_tree else f"{args.rounds} rounds,"
            print(f"{args.game.name}, {whose} {count} x {args.iterations:,} iterations against 1 x: "
                  f"{found[-1].pop('text')}", flush=True)
    if args.out:
        args.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="parallel.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect4", metavar="GAME", help=f"{games.NAMES} (default connect4)")
    parser.add_argument("--workers", type=whole, nargs="+", default=[2, 4], metavar="N", help="(default 2 4)")
    parser.add_argument("--iterations", type=whole, default=10_000, help="of a worker, for a move (default 10,000)")
    parser.add_argument("--rounds", type=whole, default=10, help="of a search (default 10)")
    parser.add_argument("--one-tree", action="store_true", help="no workers: one tree with as many iterations as all")
    parser.add_argument("--games", type=whole, default=200, help="of each match, an even number (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    parser.add_argument("--at-a-time", type=whole, default=1, metavar="N", help="pairs of games, in processes")
    parser.add_argument("--costs", nargs="+", choices=("processes", "dask"), help="measure rounds instead")
    parser.add_argument("--seconds", type=positive, default=1.0, help="of a search (default 1)")
    parser.add_argument("--searches", type=whole, default=9, help="for the costs (default 9)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the figures there, as JSON")
    args = parser.parse_args(argv)
    try:
        args.game = games.find(args.game)
    except ValueError as error:
        parser.error(str(error))
    if args.games % 2:
        parser.error(f"--games must be even, since each opening is played twice; got {args.games}")
    return args


def gain(args, count):
    """The result of a match between ``count`` workers and one."""
    if args.one_tree:
        many, one = (players.Setting("ours", (("reuse", False), ("memory_mb", MEMORY_MB)), None, iterations)
                     for iterations in (count * args.iterations, args.iterations))
    else:
        many, one = (Setting(number, args.iterations, args.rounds) for number in (count, 1))
    work = partial(match.play_pair, game=args.game, settings=(many, one), seed=args.seed)
    tasks = list(enumerate(islice(openings.sequence(args.game, args.seed), args.games // 2)))
    pairs = []
    done = workers.results(work, tasks, args.at_a_time, in_order=False)
    for pair in progress.follow(done, len(tasks), "pairs", lambda: str(elo.result(match.points(pairs)))):
        pairs.append(pair)
    result = elo.result(match.points(pairs))
    broken = [game for pair in pairs for game in pair["games"] if game["broken"]]
    text = f"{result}{f'; {len(broken)} games did not bear out a proof' if broken else ''}"
    return {"game": args.game.name, "workers": count, "one_tree": args.one_tree, "iterations": args.iterations,
            "rounds": args.rounds, "seed": args.seed, "broken": broken, "text": text} | asdict(result)


@contextmanager
def two_processes(kind):
    """An executor of two processes."""
    if kind == "processes":
        with ProcessPoolExecutor(2, get_context("spawn")) as executor:
            yield executor
        return
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                      silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        yield client


def cost(kind, seconds, searches):
    """What rounds take, in seconds, in each of some searches."""
    with two_processes(kind) as executor:
        found = []
        for number in range(searches + 1):
            result = mc.search_parallel(mc.ConnectFour(), seconds, executor=executor, workers=2, rounds=20,
                                        solver=False, memory_mb=MEMORY_MB)
            if number:  # the first one starts the processes
                found.append({"round": result.seconds_per_round, "overhead": result.overhead_per_round})
    return {"executor": kind, "workers": 2, "seconds": seconds, "searches": found}


def row(entry):
    """A line of the table."""
    overheads = sorted(1000 * found["overhead"] for found in entry["searches"])
    quarter = len(overheads) // 4
    return [entry["executor"], str(entry["workers"]), f"{1000 * median(f['round'] for f in entry['searches']):.1f}",
            f"{median(overheads):.1f}", f"{overheads[quarter]:.1f} to {overheads[-1 - quarter]:.1f}"]


if __name__ == "__main__":
    raise SystemExit(main())
