"""Trains a network for Connect Four by self-play, on a CPU in some minutes.

    pip install '.[alphazero]'
    python train.py --out run
    python train.py --out zero --first-games 0 --root-policy gumbel --simulations 16     # from zero

Plain UCT plays the first generation. Its random games know as little of Connect Four as an untrained network, but they
play far better and are a thousand times faster. The network learns from these games, plays the next generation, learns
from that, and so on. With --first-games 0, the first games are those of the untrained network. At the end, the network
plays a match against plain UCT. run/network.onnx is the result; onnx_evaluator.py makes an evaluator from it. To
continue an interrupted run, start it again.
"""

import argparse
import sys
import time
from pathlib import Path

import network
import onnx_evaluator
import torch
import versus_uct

import mcts_core as mc

WINDOW = 3
"""The network learns from the games of so many generations at a time."""


def main(argv=None):
    args = parse(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    begin = time.perf_counter()
    net = network.Network(args.channels, args.blocks)
    played = []
    for generation in range(args.generations + 1):
        folder = args.out / f"generation-{generation}"
        played.append(play(generation, folder, args))
        weights, exported = folder / "network.pt", folder / "network.onnx"
        if exported.exists():
            net.load_state_dict(torch.load(weights, weights_only=True))
            continue
        if not played[-1]:  # the untrained network
            save(net, weights, exported)
            continue
        data = mc.SelfPlayData.join(mc.SelfPlayData.load(path) for paths in played[-WINDOW:] for path in paths)
        at = time.perf_counter()
        policy, value = network.train(net, data, args.epochs, args.rate, args.seed + generation)
        save(net, weights, exported)
        print(f"generation {generation}: learned from {len(data):,} positions in {time.perf_counter() - at:.0f} s, "
              f"policy loss {policy:.3f}, value loss {value:.3f}", flush=True)
    result = args.out / "network.onnx"
    result.write_bytes(exported.read_bytes())
    print(f"{result}: {result.stat().st_size:,} bytes, {time.perf_counter() - begin:.0f} s in all", flush=True)
    if args.match_games:
        evaluate = onnx_evaluator.load(result, args.threads)
        pairs = versus_uct.play(evaluate, args.simulations, args.match_games // 2, args.seed)
        print(f"against plain UCT, both with {args.simulations} simulations a move: {versus_uct.report(pairs)}")


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, what in (
        ("generations", 4, "generations that the network plays"),
        ("games", 512, "games in each of them"),
        ("simulations", 100, "simulations for each move of them, and of the match"),
        ("first-games", 2048, "games of UCT, before those of the network; 0 for none"),
        ("first-simulations", 1000, "simulations for each move of them"),
        ("epochs", 3, "training epochs in each generation"),
        ("channels", 32, "channels of the network"),
        ("blocks", 2, "residual blocks of the network"),
        ("match-games", 400, "games against plain UCT at the end, an even number; 0 for none"),
        ("threads", 2, "threads"),
        ("seed", 1, "random seed"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{what} (default {default})")
    parser.add_argument("--root-policy", choices=("puct", "gumbel"), default="puct",
                        help="search of the network's games: PUCT, and the share of each move in its visits as the "
                             "target (default), or by Gumbel noise, and the improved policy as the target")
    parser.add_argument("--rate", type=float, default=3e-3, metavar="X", help="maximum learning rate (default 0.003)")
    parser.add_argument("--out", type=Path, default=Path("run"), metavar="FOLDER", help="of the run (default run)")
    args = parser.parse_args(argv)
    if args.match_games < 0 or args.match_games % 2:
        parser.error(f"--match-games must be even, got {args.match_games}")
    return args


def play(generation, folder, args):
    """Plays the games of a generation that are still missing; returns their files."""
    at = time.perf_counter()
    if generation == 0 and args.first_games == 0:
        folder.mkdir(parents=True, exist_ok=True)
        return []
    if generation == 0:
        games = {"games": args.first_games, "iterations": args.first_simulations, "preset": "uct",
                 "threads": args.threads}
    else:
        before = folder.parent / f"generation-{generation - 1}" / "network.onnx"
        games = {"games": args.games, "iterations": args.simulations, "root_policy": args.root_policy,
                 "evaluator": onnx_evaluator.load(before, args.threads)}
        if args.root_policy == "puct":
            games["noise_alpha"] = 1.0
    paths = mc.selfplay(mc.ConnectFour(), folder=folder, seed=args.seed + generation, temperature_plies=15,
                        label=f"generation {generation}", progress=sys.stderr.isatty(), **games)
    print(f"generation {generation}: {games['games']:,} games in {time.perf_counter() - at:.0f} s", flush=True)
    return paths


def save(net, weights, exported):
    """Writes the weights, then the ONNX file: a generation with that file is complete."""
    torch.save(net.state_dict(), weights)
    network.save(net, exported)


if __name__ == "__main__":
    main()
