"""A match of a trained network against plain UCT, with the same number of simulations for every move.

    python versus_uct.py trained.onnx --simulations 100 --games 400

An opening is a few random moves, and is played twice with sides swapped. A simulation of the network is one evaluation
(the evaluation of the position itself is extra); a simulation of UCT (UCB1, c = 0.707 on values from 0 to 1) is one
random game. Neither side keeps its tree between moves.
"""

import argparse
import math
import random

import onnx_evaluator

import mcts_core as mc

OPENING_MOVES = 2, 6
"""Smallest and largest number of random moves of an opening."""


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="ONNX file")
    parser.add_argument("--simulations", type=int, default=100, metavar="N", help="simulations for each move")
    parser.add_argument("--games", type=int, default=400, metavar="N", help="number of games, an even number")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="threads of the network")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    args = parser.parse_args(argv)
    if args.games < 2 or args.games % 2:
        parser.error(f"--games must be even and at least 2, got {args.games}")
    print(report(play(onnx_evaluator.load(args.network, args.threads), args.simulations, args.games // 2, args.seed)))


def play(evaluate, simulations, pairs, seed):
    """The points of the network, 1, 1/2 or 0, in both games of each opening."""
    games = [[opening, side] for opening in openings(pairs, seed) for side in (1, -1)]  # `side` is the network's
    turn = 0
    while True:
        for ours in (True, False):
            open_games = [game for game in games
                          if game[0].winner() is None and (game[0].to_move == game[1]) == ours]
            options = {"evaluator": evaluate, "batch": 1} if ours else {"preset": "uct"}
            found = mc.search_many([state for state, _ in open_games], iterations=simulations, seed=seed + turn,
                                   **options)
            for game, result in zip(open_games, found, strict=True):
                game[0] = game[0].play(result.move)
            turn += 1
        if all(state.winner() is not None for state, _ in games):
            points = [(1 + state.winner() * side) / 2 for state, side in games]
            return list(zip(points[::2], points[1::2], strict=True))


def openings(count, seed):
    """Different positions after a few random moves, in which the player to move cannot win at once."""
    chooser = random.Random(seed)
    found = set()
    while len(found) < count:
        state = mc.ConnectFour()
        for _ in range(chooser.randint(*OPENING_MOVES)):
            state = state.play(chooser.choice(state.legal_moves()))
        if all(state.play(move).winner() is None for move in state.legal_moves()) and state not in found:
            found.add(state)
            yield state


def report(pairs):
    """The score with its Elo difference and 95 % interval. The two games of an opening are one observation."""
    points = [point for pair in pairs for point in pair]
    share = sum(points) / len(points)
    variance = sum((sum(pair) / 2 - share) ** 2 for pair in pairs) / len(pairs)
    margin = 1.96 * math.sqrt(variance / len(pairs))
    low, middle, high = (elo(min(max(each, 0.0), 1.0)) for each in (share - margin, share, share + margin))
    return (f"{len(points)} games: +{points.count(1)} ={points.count(0.5)} -{points.count(0)}, {100 * share:.1f} %, "
            f"Elo {middle:+.0f} ({low:+.0f} to {high:+.0f})")


def elo(share):
    """The Elo difference for a share of the points."""
    if share in (0.0, 1.0):
        return math.inf if share else -math.inf
    return 400 * math.log10(share / (1 - share))


if __name__ == "__main__":
    main()
