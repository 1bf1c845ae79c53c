#!/usr/bin/env python3
"""The speed of games written in Python: beside other packages, beside the user's own calls, and with moves in place.
See README.md."""

import argparse
import copy
import random
import subprocess
import sys
from pathlib import Path

import arguments
import machine
import peers
from figures import summarize
from measure import clocks
from peers.boards import BOARDS
from peers.python_rules import state_class
from report import amount, as_text, goal, times

HERE = Path(__file__).resolve().parent
OTHERS = ("mcts", "multimcts", "mctspy")
GAMES = {"connect4": "Connect Four class", "othello": "Othello class"}
BY_FASTEST = {"connect4": 1.2, "othello": 1.05}
ABOVE_CALLS = 0.07
BY_PLAY = 3.0
OPENSPIEL = ("breakthrough", "pentago", "hex(board_size=7)", "mancala", "einstein_wurfelt_nicht")
BY_BOT = 0.5
PLIES = 20_000
"""Of the random games whose time is that of the user's own calls."""
PART = 4
"""A peer runs a PART-th of the iterations; a search of OpenSpiel's games too."""


class Gomoku:
    """Five in a row on 15x15 points as users write it: the board is a list of lists, which ``play`` deep-copies."""

    size = 15

    def __init__(self):
        self.board = [[0] * self.size for _ in range(self.size)]
        self.to_move, self.last, self.left = 1, None, self.size * self.size

    def clone(self):
        return copy.deepcopy(self)

    def put(self, move):
        row, column = move
        self.board[row][column] = self.to_move
        self.to_move, self.last, self.left = -self.to_move, move, self.left - 1

    def play(self, move):
        child = self.clone()
        child.put(move)
        return child

    def legal_moves(self):
        return [(y, x) for y, row in enumerate(self.board) for x, stone in enumerate(row) if not stone]

    def winner(self):
        if self.last is not None:
            row, column = self.last
            player = self.board[row][column]
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if 1 + self.run(row, column, down, right) + self.run(row, column, -down, -right) >= 5:
                    return player
        return None if self.left else 0

    def run(self, row, column, down, right):
        """The stones of one player in a row from a point, without that point."""
        player, count = self.board[row][column], 0
        row, column = row + down, column + right
        while 0 <= row < self.size and 0 <= column < self.size and self.board[row][column] == player:
            count, row, column = count + 1, row + down, column + right
        return count


class PushingGomoku(Gomoku):
    """The same with moves in place."""

    copy, push = Gomoku.clone, Gomoku.put


def main(argv=None):
    args = parse(argv)
    if args.install:
        subprocess.run([sys.executable, HERE / "install.py"], check=True)
    core = machine.pin(args.core)
    for name, value in machine.describe(core).items():
        print(f"{name}: {value}")
    tables = [against_packages(args), above_calls(args), with_valuation(args), in_place(args), against_openspiel(args)]
    print(f"\n{as_text([table for table in tables if table is not None])}")
    return 0


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python_games.py", description=__doc__)
    parser.add_argument("--rounds", type=arguments.whole, default=7, metavar="N", help="of every candidate (default 7)")
    parser.add_argument("--iterations", type=arguments.whole, default=8000, metavar="N",
                        help="of one search of Connect Four, an eighth of them in Othello (default 8000)")
    parser.add_argument("--core", type=int, metavar="N", help="the core to stay on (default: the last one)")
    parser.add_argument("--install", action="store_true", help="first install the packages of requirements.txt")
    return parser.parse_args(argv)


def iterations_of(game, args):
    """Iterations of one search: games of Othello are longer."""
    return args.iterations if game == "connect4" else args.iterations // 8 or 1


def rate(run, count):
    """Iterations per second of CPU time."""
    _, cpu, _ = clocks(run)
    return count / cpu


def searched(state, count, seed, **options):
    """Iterations per second of CPU time of one of our searches, and its Stats."""
    import mcts_core as mc

    engine = mc.Searcher(seed=seed, **options)
    _, cpu, _ = clocks(lambda: engine.search(state, iterations=count))
    return engine.stats().iterations / cpu, engine.stats()


def against_packages(args):
    """Plain UCT beside the packages that are installed."""
    there, cells = [name for name in OTHERS if peers.version(name)], []
    for game, title in GAMES.items():
        count = iterations_of(game, args)
        rates = {name: [] for name in ("python_rules", *there)}
        for seed in range(args.rounds):
            for name, found in rates.items():
                few = count if name == "python_rules" else count // PART or 1
                found.append(rate(peers.search(name, game, (), few, seed), few))
        ours = rates.pop("python_rules")
        ratios = {name: summarize([one / two for one, two in zip(ours, found, strict=True)]).median
                  for name, found in rates.items()}
        least = min(ratios.values(), default=None)
        cells.append([title, amount(summarize(ours).median),
                      ", ".join(f"{name} {times(ratio)}" for name, ratio in ratios.items()) or "none is installed",
                      *(("", "") if least is None else goal(BY_FASTEST[game], least >= BY_FASTEST[game], ">= {:g}"))])
    return "Plain UCT, by other packages", ["work", "ours/s", "ratios", "to reach", "reached"], cells


def above_calls(args):
    """The share of a search's time above that of as many plies of random games in a plain loop in Python."""
    cells = []
    for game, title in GAMES.items():
        cls, count = state_class(BOARDS[game]), iterations_of(game, args)
        shares = []
        for seed in range(args.rounds):
            counts, counting = counted(cls)
            per_second, _ = searched(cls(), count, seed, preset="uct", exploration=2**0.5)
            searched(counting(), count, seed, preset="uct", exploration=2**0.5)
            shares.append(1 / (per_second * counts["play"] / count * ply_cost(cls, seed)) - 1)
        share = summarize(shares).median
        cells.append([title, ", ".join(f"{name} {calls / count:.1f}" for name, calls in counts.items()),
                      f"{100 * share:.0f} %", *goal(100 * ABOVE_CALLS, share <= ABOVE_CALLS, "<= {:g} %")])
    return "Time above the user's own calls", ["work", "calls per iteration", "above", "to reach", "reached"], cells


def counted(cls):
    """A subclass that counts the calls of its methods."""
    counts = {"play": 0, "legal_moves": 0, "winner": 0}

    def counting(name):
        method = getattr(cls, name)

        def call(self, *arguments):
            counts[name] += 1
            return method(self, *arguments)

        return call

    return counts, type("Counting", (cls,), {"__slots__": (), **{name: counting(name) for name in counts}})


def ply_cost(cls, seed):
    """CPU seconds of one ply of random games: legal_moves, a random one of them, play and winner."""
    plies, draw = 0, random.Random(seed).random

    def loop():
        nonlocal plies
        while plies < PLIES:
            state = cls()
            while state.winner() is None:
                moves = state.legal_moves()
                state = state.play(moves[int(draw() * len(moves))])
                plies += 1

    return clocks(loop)[1] / plies


def with_valuation(args):
    """Searches with a policy_value that costs nothing."""
    cells = []
    for game, title in GAMES.items():
        cls, count = state_class(BOARDS[game]), iterations_of(game, args)
        counts, counting = counted(cls)
        found = [searched(cls(), count, seed, policy_value=free)[0] for seed in range(args.rounds)]
        _, stats = searched(counting(), count, 0, policy_value=free)
        cells.append([title, amount(summarize(found).median), f"{stats.depth_mean:.1f}",
                      f"{counts['play'] / stats.iterations:.2f}"])
    return "With a policy_value that costs nothing", ["work", "ours/s", "mean depth", "play per iteration"], cells


def free(state):
    """The same value for each position."""
    return None, 0.0


def in_place(args):
    """Moves in place, by ``play``."""
    count, ratios = args.iterations // 100 or 1, []
    for seed in range(args.rounds):
        rates = [searched(cls(), count, seed, preset="uct", exploration=2**0.5)[0] for cls in (PushingGomoku, Gomoku)]
        ratios.append(rates[0] / rates[1])
    ratio = summarize(ratios).median
    return ("Moves in place", ["work", "push by play", "to reach", "reached"],
            [["gomoku 15x15, a list of lists", times(ratio), *goal(BY_PLAY, ratio >= BY_PLAY, ">= {:g}")]])


def against_openspiel(args):
    """OpenSpiel's own games, by its MCTSBot; None if it is not installed."""
    if peers.version("openspiel") is None:
        return None
    import pyspiel

    from mcts_core.bots import openspiel

    count, cells = args.iterations // PART // 4 or 1, []
    for name in OPENSPIEL:
        if name.partition("(")[0] not in pyspiel.registered_names():
            continue
        game, ratios, rates = pyspiel.load_game(name), [], []
        state = openspiel.state(game)
        while getattr(state, "to_move", 0) == "chance":
            state = state.play(state.chance_outcomes()[0][0])
        position = state.to_pyspiel()
        for seed in range(args.rounds):
            bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 2 * 2**0.5, count, 4096, False, seed,
                                  False)
            theirs = rate(lambda bot=bot, position=position: bot.step(position), count)
            rates.append(searched(state, count, seed, **plain(state))[0])
            ratios.append(rates[-1] / theirs)
        ratio = summarize(ratios).median
        cells.append([name, amount(summarize(rates).median), times(ratio), *goal(BY_BOT, ratio >= BY_BOT, ">= {:g}")])
    return "OpenSpiel's games, per simulation by its MCTSBot", ["game", "ours/s", "ratio", "to reach", "reached"], cells


def plain(state):
    """Options of plain UCT."""
    return {"solver": False} if hasattr(state, "players") else {"preset": "uct", "exploration": 2**0.5}


if __name__ == "__main__":
    raise SystemExit(main())
