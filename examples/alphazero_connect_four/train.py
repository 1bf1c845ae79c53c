"""Trains a network for Connect Four by self-play, on a CPU in some minutes.

    pip install '.[alphazero]'
    python train.py --out run
    python train.py --out zero --first-games 0 --root-policy gumbel --simulations 16  # from an untrained network

Plain UCT plays the first generation. Its random games know as little of Connect Four as an untrained network, but they
play far better and are a thousand times faster. The network learns from these games, plays the next generation, learns
from that, and so on. With --first-games 0, the untrained network plays the first games. At the end, the network plays a
match against plain UCT. run/network.onnx is the result; onnx_evaluator.py makes an evaluator from it. To continue an
interrupted run, start it again; --generations, --match-games and --threads may change.
"""

import argparse
import json
import math
import os
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

DEFAULTS = {"puct": {"temperature": 1.0, "result_share": 0.5}, "gumbel": {"temperature": 2.0, "result_share": 0.8}}
"""By the root policy. Gumbel search has a sharper policy, and it tries bad moves, too, which pull its value down."""

MAY_CHANGE = {"generations", "match_games", "threads", "out"}
"""Options that may change when a run is continued."""


def main(argv=None):
    args = parse(argv)
    keep_settings(args)
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
        policy, value = network.train(net, data, args.epochs, args.rate, args.seed + generation, args.result_share)
        save(net, weights, exported)
        print(f"generation {generation}: learned from {len(data):,} positions in {time.perf_counter() - at:.0f} s, "
              f"policy loss {policy:.3f}, value loss {value:.3f}", flush=True)
    result = args.out / "network.onnx"
    replace(result, lambda beside: beside.write_bytes(exported.read_bytes()))
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
    numbers = (
        ("generations", 4, 0, "generations that the network plays"),
        ("games", 512, 1, "games in each of them"),
        ("simulations", 100, 1, "simulations for each move of them, and of the match"),
        ("first-games", 2048, 0, "games that UCT plays first; 0 for none"),
        ("first-simulations", 1000, 1, "simulations for each move of them"),
        ("epochs", 3, 1, "training epochs in each generation"),
        ("channels", 32, 1, "channels of the network"),
        ("blocks", 2, 0, "residual blocks of the network"),
        ("match-games", 400, 0, "games against plain UCT at the end, an even number; 0 for none"),
        ("threads", 2, 1, "threads"),
        ("seed", 1, 0, "random seed"),
    )
    for name, default, _, what in numbers:
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{what} (default {default})")
    parser.add_argument("--root-policy", choices=("puct", "gumbel"), default="puct",
                        help="search of the network's games: puct (default) learns the shares of visits; gumbel plans "
                             "with Gumbel noise and learns the improved policy")
    parser.add_argument("--temperature", type=float, metavar="X",
                        help="of the first 15 moves of a game (default 1, with gumbel 2)")
    parser.add_argument("--result-share", type=float, metavar="X",
                        help="weight of a game's result in the target of the value, beside the search's value "
                             "(default 0.5, with gumbel 0.8)")
    parser.add_argument("--rate", type=float, default=3e-3, metavar="X", help="maximum learning rate (default 0.003)")
    parser.add_argument("--out", type=Path, default=Path("run"), metavar="FOLDER",
                        help="folder of the run (default run)")
    args = parser.parse_args(argv)
    for name, value in DEFAULTS[args.root_policy].items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    for name, _, least, _ in numbers:
        value = getattr(args, name.replace("-", "_"))
        if value < least:
            parser.error(f"--{name} must be at least {least}, got {value}")
    if args.match_games % 2:
        parser.error(f"--match-games must be even, got {args.match_games}")
    if not 0 <= args.temperature <= 1e6:
        parser.error(f"--temperature must be from 0 to 1e6, got {args.temperature}")
    if not 0 <= args.result_share <= 1:
        parser.error(f"--result-share must be from 0 to 1, got {args.result_share}")
    if not 0 < args.rate < math.inf:
        parser.error(f"--rate must be above 0 and finite, got {args.rate}")
    return args


def keep_settings(args):
    """Writes the settings to the folder of a new run. Ends the program if the folder was made with other settings."""
    settings = {name: value for name, value in vars(args).items() if name not in MAY_CHANGE}
    path = args.out / "settings.json"
    if path.exists():
        before = json.loads(path.read_text())
        found = ", ".join(f"--{name.replace('_', '-')} {before.get(name)} (now {value})"
                          for name, value in settings.items() if before.get(name) != value)
    else:
        found = f"generations but no {path.name}" if any(args.out.glob("generation-*")) else ""
    if found:
        sys.exit(f"train.py: error: folder {args.out} has {found}. Choose another --out, or remove this one to start "
                 "anew")
    args.out.mkdir(parents=True, exist_ok=True)
    replace(path, lambda beside: beside.write_text(json.dumps(settings, indent=1)))


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
                 "temperature": args.temperature, "evaluator": onnx_evaluator.load(before, args.threads)}
        if args.root_policy == "puct":
            games["noise_alpha"] = 1.0
    paths = mc.selfplay(mc.ConnectFour(), folder=folder, seed=args.seed + generation, temperature_plies=15,
                        label=f"generation {generation}", progress=sys.stderr.isatty(), **games)
    print(f"generation {generation}: {games['games']:,} games in {time.perf_counter() - at:.0f} s", flush=True)
    return paths


def save(net, weights, exported):
    """Writes the weights, then the ONNX file: a generation with that file is complete."""
    replace(weights, lambda beside: torch.save(net.state_dict(), beside))
    replace(exported, lambda beside: network.save(net, beside))


def replace(path, write):
    """Writes a file beside ``path``, then moves it there: an interrupted run leaves no partial file."""
    beside = path.with_name(f"part-{path.name}")
    write(beside)
    os.replace(beside, path)


if __name__ == "__main__":
    main()
