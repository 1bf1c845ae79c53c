"""Learns from positions of self-play at a falling rate and writes the network: the last step of a training.

    python polish.py NETWORK SHARDS --out network.net --steps 20000

SHARDS are folders with the files of self_play.py, or of a training. The generation of the new network is that of
NETWORK plus one.
"""

import argparse
from pathlib import Path

import numpy as np
from learner import BATCH, Learner
from network import load, read
from options import at_least
from samples import Samples
from window import Window

RATE = 1.5e-3
SHARDS_OF_CHUNK = 30


def filled(paths, limit):
    """A window of the newest positions of shards, up to ``limit``; the newest shard is the last one."""
    window, parts, positions = Window(), [], 0
    for path in reversed(paths):
        if positions >= limit:
            break
        samples, counts = Samples.load(path)
        parts.append(samples)
        positions += counts.positions
    parts.reverse()
    for at in range(0, len(parts), SHARDS_OF_CHUNK):
        window.add(Samples.join(parts[at:at + SHARDS_OF_CHUNK]), limit)
    return window


def polish(network, window, steps, rng, out, generation):
    """Learns from the window, from the network file ``network`` on, and writes the network file ``out``."""
    learner = Learner(load(network), RATE)
    for number, sampled in enumerate(window.batches(steps if window.positions else 0, BATCH, rng)):
        learner.step(sampled, number / steps)
    learner.export(out, generation)


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, help="network file to start from")
    parser.add_argument("shards", type=Path, nargs="+", help="folders of positions")
    parser.add_argument("--out", type=Path, default=Path("network.net"), metavar="FILE",
                        help="of the new network (default network.net)")
    parser.add_argument("--steps", type=at_least(0), default=20_000, metavar="N",
                        help=f"batches of {BATCH} positions (default 20000)")
    parser.add_argument("--positions", type=at_least(1), default=10**9, metavar="N",
                        help="learn from the newest N positions only")
    parser.add_argument("--seed", type=at_least(0), default=1, metavar="N", help="seed of the batches (default 1)")
    args = parser.parse_args(argv)
    paths = sorted((path for folder in args.shards for path in folder.glob("*.npz")), key=lambda path: path.name)
    if not paths:
        parser.error(f"no shards, files *.npz, in {', '.join(map(str, args.shards))}")
    window = filled(paths, args.positions)
    generation = read(args.network)[1] + 1
    polish(args.network, window, args.steps, np.random.default_rng(args.seed), args.out, generation)
    print(f"{args.out}: generation {generation}, from {window.positions:,} positions")


if __name__ == "__main__":
    main()
