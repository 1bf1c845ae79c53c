"""Trains the network for five in a row by self-play, on a CPU.

    pip install mcts-core numpy torch
    python train.py --out run --minutes 60

The first network has hand-made priors and knows nothing about values. Then worker processes play games with the newest
network all the time. This process plays as well, learns from the newest positions, and writes a new network about every
75 seconds. run/network.net is the result, run/networks has all networks, and run/log.tsv has a line for each. Continue
an interrupted run with --resume.
"""

import argparse
import multiprocessing
import signal
import time
from pathlib import Path

import first_network
import numpy as np
import torch
from learner import BATCH, Learner
from network import export, load
from options import at_least
from polish import filled, polish
from samples import Counts, Samples
from self_play import play_shards
from window import Window

WINDOW = 120_000, 220_000
"""The network learns from so many of the newest positions: at first the first number, growing up to the second."""
WINDOW_SHARE = 0.25
"""The window grows by this share of the positions played."""
POLISH_WINDOW = 900_000
"""Positions, the newest ones, that the last network learns from after the games."""
COLUMNS = ("seconds", "generation", "positions", "games", "draws", "length", "black", "window", "steps", "policy_loss",
           "policy_entropy", "value_loss", "learnt_per_second", "network")


class Run:
    """A folder with networks, shards, the checkpoint and the log, and the state of its training."""

    def __init__(self, args):
        self.args = args
        self.networks, self.shards = args.out / "networks", args.out / "shards"
        self.checkpoint, self.log = args.out / "checkpoint.pt", args.out / "log.tsv"
        self.window = Window()
        self.rng = np.random.default_rng(args.seed)
        self.progress = {"seconds": 0.0, "generation": 0, "positions": 0, "games": 0, "shards": [], "owed": 0.0}

    def begin(self):
        """Makes the first network, or continues from the checkpoint."""
        if self.checkpoint.exists():
            if not self.args.resume:
                raise SystemExit(f"{self.args.out} already has a training: use --resume, or choose another --out")
            self.learner = Learner(load(newest(self.networks)), self.args.rate)
            self.progress = self.learner.restore(self.checkpoint)
            self.window = self.refilled(self.limit)
            return
        for folder in (self.networks, self.shards):
            folder.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        torch.manual_seed(self.args.seed)
        model = load(self.args.start) if self.args.start else first_network.fit(seed=self.args.seed)
        self.learner = Learner(model, self.args.rate)
        export(model, self.networks / name_of(0), 0)
        self.log.write_text("\t".join(COLUMNS) + "\n")
        self.learner.save(self.checkpoint, self.progress)
        print(f"first network: {time.perf_counter() - begin:.0f} s", flush=True)

    def refilled(self, limit):
        """Returns a window of the newest positions that were learnt from, up to ``limit``."""
        known = set(self.progress["shards"])
        return filled([path for path in sorted(self.shards.glob("*.npz")) if path.name in known], limit)

    @property
    def limit(self):
        low, high = WINDOW
        return min(high, low + int(WINDOW_SHARE * self.progress["positions"]))

    def take(self):
        """Adds the new shards to the window; returns their Counts."""
        known, counts, parts = set(self.progress["shards"]), Counts(), []
        for path in sorted(self.shards.glob("*.npz")):
            if path.name not in known:
                samples, figures = Samples.load(path)
                counts.add(figures)
                parts.append(samples)
                self.progress["shards"].append(path.name)
        self.progress["positions"] += counts.positions
        self.progress["games"] += counts.games
        self.progress["owed"] += self.args.passes * counts.positions / BATCH
        if parts:
            self.window.add(Samples.join(parts), self.limit)
        return counts

    def learn(self, done):
        """Runs the training steps that the new positions allow; returns their number and the mean losses."""
        steps = int(self.progress["owed"])
        self.progress["owed"] -= steps
        figures = np.array([self.learner.step(sampled, done) for sampled in
                            self.window.batches(steps, BATCH, self.rng)]).reshape(-1, 4)
        with_policy = np.maximum(figures[:, :1].sum(), 1)
        policy = (figures[:, :1] * figures[:, 1:3]).sum(0) / with_policy
        return steps, *policy, figures[:, 3].mean() if steps else 0.0

    def generation(self, begin, before):
        """Learns and writes the next network, the checkpoint and a line of the log."""
        progress = self.progress
        at = time.perf_counter()
        counts = self.take()
        total = 60 * self.args.minutes
        steps, policy_loss, entropy, value_loss = self.learn((before + at - begin) / total)
        learnt = steps * BATCH / (time.perf_counter() - at)
        progress["generation"] += 1
        network = name_of(progress["generation"])
        self.learner.export(self.networks / network, progress["generation"])
        progress["seconds"] = before + time.perf_counter() - begin
        self.learner.save(self.checkpoint, progress)
        figures = (f"{progress['seconds']:.0f}", progress["generation"], progress["positions"], progress["games"],
                   f"{counts.drawn_share:.3f}", f"{counts.mean_length:.1f}", f"{counts.black_share:.3f}",
                   self.window.positions, steps, f"{policy_loss:.4f}", f"{entropy:.4f}", f"{value_loss:.4f}",
                   f"{learnt:.0f}", network)
        with self.log.open("a") as file:
            file.write("\t".join(map(str, figures)) + "\n")
        print(f"generation {progress['generation']}, {progress['seconds'] / 60:.1f} minutes: {counts}; "
              f"{steps} steps, policy {policy_loss:.3f} (entropy {entropy:.3f}), value {value_loss:.3f}",
              flush=True)
        return time.perf_counter() - at

    def polish(self):
        """Learns once more, from far more positions than the window holds, and writes the last network."""
        polish(newest(self.networks), self.refilled(POLISH_WINDOW), self.args.polish, self.rng,
               self.args.out / "network.net", self.progress["generation"] + 1)


class Newest:
    """Returns the bytes of the newest network of a folder, or None if it is the same as at the last call."""

    def __init__(self, folder):
        self.folder, self.last = folder, None

    def __call__(self):
        path = newest(self.folder)
        if path == self.last:
            return None
        self.last = path
        return path.read_bytes()


def name_of(generation):
    return f"{generation:05d}.net"


def newest(folder):
    """The path of the newest network."""
    return max(Path(folder).glob("*.net"))


def work(out, name, stop, budgets):
    """A process that plays until the event ``stop``, or until its parent has ended."""
    parent = multiprocessing.parent_process()
    play_shards(Newest(out / "networks"), out / "shards", name, lambda total: stop.is_set() or not parent.is_alive(),
                **budgets)


def main(argv=None):
    args = parse(argv)
    torch.set_num_threads(1)
    run = Run(args)
    run.begin()
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    budgets = {"full": args.full, "fast": args.fast}
    workers = [context.Process(target=work, args=(args.out, f"worker{number}", stop, budgets))
               for number in range(1, args.workers)]
    # Ctrl-C reaches the workers too. They inherit that it is ignored, so not even one that still starts ends by it.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    for worker in workers:
        worker.start()
    signal.signal(signal.SIGINT, handler)
    try:
        loop(run, workers, budgets)
    except KeyboardInterrupt:
        raise SystemExit("interrupted; continue with --resume") from None
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    run.polish()
    progress = run.progress
    print(f"{args.out / 'network.net'}: generation {progress['generation'] + 1}, {progress['positions']:,} positions")


def loop(run, workers, budgets):
    """Plays and learns in turns until the time is over."""
    args, learning = run.args, 0.0
    current = Newest(run.networks)
    begin, before = time.perf_counter(), run.progress["seconds"]
    end = begin + 60 * args.minutes - before
    while (left := end - time.perf_counter()) > 0:
        # the last generation takes the rest of the time; the duration of the last training is reserved for the next one
        length = left if left < 1.5 * args.generation_seconds else args.generation_seconds
        until = time.perf_counter() + max(length - learning, min(length, 1))
        current.last = None
        play_shards(current, run.shards, "trainer", lambda total, until=until: time.perf_counter() >= until, **budgets)
        for worker in workers:
            if not worker.is_alive():
                raise SystemExit(f"{worker.name} ended with exit status {worker.exitcode}")
        learning = run.generation(begin, before)


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("run"), metavar="FOLDER", help="of the run (default run)")
    parser.add_argument("--resume", action="store_true", help="continue the training in that folder")
    parser.add_argument("--start", type=Path, metavar="NETWORK", help="network file to start from")
    for name, kind, least, default, what in (
        ("minutes", float, 0, 60, "of training, including those before --resume; the learning rate falls over this "
                                  "time"),
        ("workers", int, 1, 2, "processes that play; one of them also learns"),
        ("generation-seconds", float, 1, 75, "seconds from one network to the next"),
        ("passes", float, 0, 4, "how often the network learns from each position"),
        ("rate", float, 0, 2e-3, "initial learning rate"),
        ("polish", int, 0, 1000, "steps after the games, on the newest 900,000 positions, for the last network"),
        ("full", int, 1, 400, "iterations of the searches that train the policy"),
        ("fast", int, 1, 80, "iterations of the other searches"),
        ("seed", int, 0, 1, "seed of the first network and of the batches"),
    ):
        parser.add_argument(f"--{name}", type=at_least(least, kind), default=default,
                            metavar="N" if kind is int else "X", help=f"{what} (default {default})")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
