"""Matches between two settings of a search with a trained network, with equal simulations a move, in Elo.

    python bench/network_match.py --a solver=True --b solver=False --simulations 50 --games 400
    python bench/network_match.py --network one.onnx --other two.onnx --simulations 16

Connect Four, from the openings of match.py (2 to 6 random moves), each played twice with sides swapped. Every move is a
new search; both sides evaluate one leaf at a time, and all games run side by side in ``search_many``. The network is
that of ``examples/alphazero_connect_four`` where none is given; ``--other`` is the network of B. Prints the result and
the processor time of each side. Needs ONNX Runtime.
"""

import argparse
import sys
import time
from itertools import islice
from pathlib import Path

import arguments
import elo
import games
import openings

import mcts_core as mc

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "alphazero_connect_four"


def load(path):
    """The network of a file, as an evaluator."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        import onnx_evaluator
    finally:
        sys.path.remove(str(EXAMPLE))
    return onnx_evaluator.load(path, 1)


def play(sides, pairs, simulations, seed):
    """The points of A in both games of each opening, and the processor seconds of A and of B.

    ``sides``: the keywords of ``search_many`` of A and of B.
    """
    game = games.find("connect4")
    starts = [mc.ConnectFour.from_moves(moves) for moves in islice(openings.sequence(game, seed), pairs)]
    boards = [[state, first] for state in starts for first in (0, 1)]  # `first`: who moves first, 0 for A
    starters = [state.to_move for state, _ in boards]
    seconds, turn = [0.0, 0.0], 0
    while any(state.winner() is None for state, _ in boards):
        for side, options in enumerate(sides):
            due = [board for board, starter in zip(boards, starters, strict=True)
                   if board[0].winner() is None and (board[0].to_move == starter) == (board[1] == side)]
            begin = time.process_time()
            found = mc.search_many([state for state, _ in due], iterations=simulations, seed=seed * 1000 + turn,
                                   batch=1, **options)
            seconds[side] += time.process_time() - begin
            for board, result in zip(due, found, strict=True):
                board[0] = board[0].play(result.move)
            turn += 1
    points = []
    for (state, first), starter in zip(boards, starters, strict=True):
        won = (1 + state.winner() * starter) / 2  # of the side that moved first after the opening
        points.append(won if first == 0 else 1 - won)
    return list(zip(points[::2], points[1::2], strict=True)), seconds


def main(argv=None):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--a", default="", metavar="OPTIONS", help="name=value,... of the search")
    parser.add_argument("--b", default="", metavar="OPTIONS")
    parser.add_argument("--network", type=Path, default=EXAMPLE / "trained.onnx", metavar="FILE")
    parser.add_argument("--other", type=Path, metavar="FILE", help="the network of B (default: the same)")
    parser.add_argument("--simulations", type=arguments.whole, default=50, metavar="N", help="for each move")
    parser.add_argument("--games", type=arguments.whole, default=400, metavar="N", help="an even number")
    parser.add_argument("--seed", type=arguments.whole, default=1, metavar="N")
    args = parser.parse_args(argv)
    if args.games % 2:
        parser.error(f"--games must be even, got {args.games}")
    sides = []
    for text in (args.a, args.b):
        try:
            sides.append(arguments.options(text))
            mc.Searcher(evaluator=lambda observations: None, **sides[-1])
        except (ValueError, TypeError) as error:
            parser.error(f"{text!r}: {error}")
    for side, network in zip(sides, (args.network, args.other or args.network), strict=True):
        side["evaluator"] = load(network)
    pairs, seconds = play(sides, args.games // 2, args.simulations, args.seed)
    print(f"A: {args.a or 'default'}; B: {args.b or 'default'}; {args.simulations} simulations a move: "
          f"{elo.result(pairs)}; {seconds[0]:.1f} and {seconds[1]:.1f} s of processor time", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
