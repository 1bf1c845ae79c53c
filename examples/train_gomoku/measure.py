"""A match between two network files, through the search of the package.

    python measure.py A.net B.net --games 200 --iterations 400
    python measure.py A.net B.net --games 200 --seconds 0.05

Every opening is played twice with sides swapped. The openings are near-even ones of the file --openings (by default
that of the benchmarks), each in a random symmetry and shifted a little. A dash in place of a network stands for the
search with its default options.
"""

import argparse
import math
import random
from pathlib import Path

from options import at_least

import mcts_core as mc

OPENINGS = Path(__file__).resolve().parents[2] / "bench" / "data" / "openings15_freestyle.txt"
SIZE = 15
SHIFT, BORDER = 2, 2
"""Cells by which an opening is shifted, at most, and free cells between its stones and the edge, at least."""


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs=2, help="network files, or -")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games, an even number (default 100)")
    parser.add_argument("--iterations", type=at_least(1), metavar="N", help="iterations for each move (default 400)")
    parser.add_argument("--seconds", type=at_least(0.001, float), metavar="X",
                        help="seconds for each move, instead of iterations")
    parser.add_argument("--openings", type=Path, default=OPENINGS, metavar="FILE", help="file of openings")
    parser.add_argument("--seed", type=at_least(0), default=1, metavar="N", help="seed of openings and searches")
    args = parser.parse_args(argv)
    if args.games < 2 or args.games % 2:
        parser.error(f"--games must be even and at least 2, got {args.games}")
    if args.iterations and args.seconds:
        parser.error("give --iterations or --seconds, not both")
    budget = {"seconds": args.seconds} if args.seconds else {"iterations": args.iterations or 400}
    engines = [searcher(network, args) for network in args.networks]
    pairs = []
    for opening in openings(args.openings, args.games // 2, random.Random(args.seed)):
        pairs.append((black_points(opening, engines, budget), 1 - black_points(opening, engines[::-1], budget)))
        if len(pairs) % 10 == 0 and len(pairs) < args.games // 2:
            print(report(pairs), flush=True)
    print(report(pairs))


def openings(path, count, chooser):
    """Positions after the openings of a file, all equally often."""
    lines = [[int(number) for number in line.split(",")] for line in path.read_text().splitlines() if line.strip()]
    for number in range(count):
        if number % len(lines) == 0:
            chooser.shuffle(lines)
        numbers = lines[number % len(lines)]
        yield mc.Gomoku.from_moves(placed(list(zip(numbers[::2], numbers[1::2], strict=True)), chooser), size=SIZE)


def placed(offsets, chooser):
    """The moves of an opening, rotated, mirrored and shifted at random."""
    signs = chooser.choice((1, -1)), chooser.choice((1, -1))
    turned = [(signs[0] * x, signs[1] * y) for x, y in offsets]
    if chooser.random() < 0.5:
        turned = [(y, x) for x, y in turned]
    room, places = SIZE // 2 - BORDER, []
    for numbers in zip(*turned, strict=True):
        shift = chooser.randint(max(-SHIFT, -room - min(numbers)), min(SHIFT, room - max(numbers)))
        places.append([SIZE // 2 + shift + number for number in numbers])
    return [y * SIZE + x for x, y in zip(*places, strict=True)]


def searcher(network, args):
    """The search with a network. By iterations it starts each tree anew, so that all trees have the same size."""
    options = {} if network == "-" else {"valuation": "network", "network": Path(network).read_bytes()}
    return mc.Searcher(**({} if args.seconds else {"reuse": False, "seed": args.seed}), **options)


def black_points(state, engines, budget):
    """The points of the first engine, which plays black, in a game against the second one."""
    while state.winner() is None:
        state = state.play(engines[state.to_move < 0].search(state, **budget))
    return (1 + state.winner()) / 2


def report(pairs):
    """The score of the first network, with its difference in Elo and the 95 % interval.

    The two games of an opening are one observation.
    """
    points = [point for pair in pairs for point in pair]
    share = sum(points) / len(points)
    variance = sum((sum(pair) / 2 - share) ** 2 for pair in pairs) / len(pairs)
    margin = 1.96 * math.sqrt(variance / len(pairs))
    low, middle, high = (elo(min(max(each, 0.0), 1.0)) for each in (share - margin, share, share + margin))
    return (f"{len(points)} games: +{points.count(1)} ={points.count(0.5)} -{points.count(0)}, {100 * share:.1f} %, "
            f"Elo {middle:+.0f} ({low:+.0f} to {high:+.0f})")


def elo(share):
    """The difference in strength that goes with a share of the points."""
    if share in (0.0, 1.0):
        return math.inf if share else -math.inf
    return 400 * math.log10(share / (1 - share))


if __name__ == "__main__":
    main()
