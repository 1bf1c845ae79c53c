#!/usr/bin/env python3
"""How much of a game's time mcts_core.Clock uses, and whether it ever loses on time.

    python bench/game_clock.py                                   # 2,000 simulated games for each row: two minutes
    python bench/game_clock.py --games 200 --json game_clock.json
    python bench/game_clock.py --play connect4:1.5 gomoku:3 --games 6     # real games, the engine against itself

Simulated games run in simulated time: the clock is the real one, the search and the server are models, so thousands of
games take seconds. A search is late by 0.3 ms on average and, one time in fifty, by up to 25 ms; three in ten searches
find a sure move, a quarter an open choice. After some moves, as in the games that were recorded for gomoku and
Connect Four, the game is proven and a move takes no time; one game in twenty is open until the board is full. The
server counts the way of its request and of the answer too, half of the latency each at most, which the player does not
see. "Told": it reports before each move what is left. "Overhead": what the clock was told to expect of a move.

A row: games, of these lost on time, and the shares of the time that were used in even games (at least EVEN moves of the
player before the game is proven): the mean and the 10th percentile. The time of the way counts as used. The exit status
is 1 when a simulated game was lost on time or a game of unknown length missed a goal.

Games of unknown length use a game in Python, whose length only random games show. All their moves are alike, so all
choices are close, and the search ends late by up to an iteration. The goals: at least 80 % of the time is used, no move
but the last takes less than a third of the median, and no game is lost on time.

Real games begin with the openings of match.py and have no latency. "thought" counts the moves that came before the game
was proven, for the side that is named.
"""

import argparse
import functools
import itertools
import json
import math
import random
import sys
from pathlib import Path
from statistics import fmean, median
from types import SimpleNamespace
from unittest import mock

import games
import openings
from arguments import positive, whole
from figures import percentile
from report import as_text, duration

EVEN = 7
"""Moves that a player thinks about before the game is proven, from which on a game counts as even."""
ROWS = [  # game, seconds, increment, latency, told, overhead (None: that of the clock)
    ("connect4", 1.5, 0.0, 0.0, False, None),
    ("connect4", 1.5, 0.0, 0.05, True, 0.03),
    ("connect4", 3.0, 0.0, 0.05, False, 0.05),
    ("connect4", 1.0, 0.2, 0.05, True, None),
    ("gomoku", 3.0, 0.0, 0.0, False, None),
    ("gomoku", 3.0, 0.0, 0.01, True, 0.01),
    ("gomoku", 10.0, 0.0, 0.05, True, 0.03),
    ("gomoku", 60.0, 0.0, 0.05, True, None),
    ("gomoku", 2.0, 0.2, 0.05, True, None),
    ("another", 3.0, 0.0, 0.0, False, None),
    ("another", 10.0, 0.0, 0.05, True, None),
]
UNKNOWN = [(cost, moves, seconds) for cost in (1e-5, 1e-3, 1e-2)
           for moves, seconds in ((10, 1.0), (10, 10.0), (30, 3.0), (30, 30.0), (100, 10.0), (200, 20.0), (200, 200.0))]
"""Games of unknown length: seconds of an iteration, moves of each side, seconds of each side."""
LONGEST = {"connect4": 21, "gomoku": 113, "another": 60}
"""Moves of a player in the longest game. Of another game the clock does not know it."""


class Time:
    """Simulated time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Search:
    """A model of a Searcher: it takes its time and reports visits on the way."""

    def __init__(self, time, chooser):
        self._time = time
        self._chooser = chooser
        self._stopped = False
        self.proven = False

    def stop(self):
        self._stopped = True

    def search(self, state, seconds, progress=None, every=0.1):
        chooser, begin = self._chooser, self._time.now
        if self.proven:
            self._time.now += min(seconds, chooser.uniform(0.0, 0.001))
            return
        sure, changes = chooser.random() < 0.3, chooser.random() < 0.25
        share, change_at = (0.9, 0.0) if sure else (0.55, chooser.random() * seconds if changes else 0.0)
        self._stopped = False
        if progress is not None:
            for look in range(1, int(seconds / every)):
                now = look * every
                self._time.now = begin + now
                first = share * now
                progress(SimpleNamespace(
                    seconds=now, iterations=now, move=int(now > change_at),
                    moves=[SimpleNamespace(move=int(now > change_at), visits=first, proven=None),
                           SimpleNamespace(move=int(now <= change_at), visits=now - first, proven=None)]))
                if self._stopped:
                    break
        end = self._time.now if self._stopped else begin + seconds
        self._time.now = end + min(0.025, chooser.expovariate(1 / 0.0003 if chooser.random() > 0.02 else 1 / 0.01))


@functools.cache
def line(name):
    """The positions of a game that nobody wins, until the board is full."""
    chooser = random.Random(name)
    while True:
        states = [games.find(name).start()]
        while True:
            moves = states[-1].legal_moves()
            chooser.shuffle(moves)
            followers = (states[-1].play(move) for move in moves)
            state = next((state for state in followers if state.winner() in (None, 0)), None)
            if state is None:
                break
            if state.winner() == 0:
                return states
            states.append(state)


def lengths(name, chooser):
    """(moves of a player until the game is proven, moves until its end)."""
    longest = LONGEST[name]
    if chooser.random() < 0.05:
        return longest, longest
    if name == "connect4":
        return chooser.randint(4, 8), chooser.randint(13, longest)
    thought = min(longest, int(3 * chooser.paretovariate(1.1)))
    return thought, min(longest, thought + chooser.randint(2, 8))


def simulate(make, row, states, chooser):
    """(lost on time, moves thought about, share of the time used) in a game."""
    name, seconds, increment, latency, told, overhead = row
    time = Time()
    clock = make(seconds, increment, timer=time, **({} if overhead is None else {"overhead": overhead}))
    engine = Search(time, chooser)
    thought, moves = lengths(name, chooser)
    left = seconds
    for made in range(moves):
        engine.proven = made >= thought
        ways = [chooser.uniform(0.0, latency / 2) for _ in range(2)]
        if told:
            clock.set(round(max(0.0, left), 3))
        begin = time.now
        clock.search(engine, states[2 * made] if states else None)
        left -= time.now - begin + sum(ways)
        if left < 0.0:
            return True, thought, 1.0
        left += increment
        time.now += 0.05
    given = seconds + increment * min(moves, thought)
    return False, thought, (seconds + increment * moves - left) / given


def simulated(make, row, count, seed):
    """The figures of ``count`` games."""
    chooser = random.Random(f"{seed}/{row}")
    states = line(row[0]) if row[0] != "another" else None
    played = [simulate(make, row, states, chooser) for _ in range(count)]
    used = [share for lost, thought, share in played if thought >= EVEN and not lost]
    return {"row": row, "games": count, "lost": sum(lost for lost, *_ in played), "even": len(used),
            "mean": fmean(used) if used else None, "low": percentile(used, 0.1) if used else None}


class Steps:
    """A position of a game whose length only its end shows; a move takes ``cost`` seconds of the simulated ``time``."""

    def __init__(self, time, plies, cost, to_move=1):
        self.time, self.plies, self.cost, self.to_move = time, plies, cost, to_move

    def legal_moves(self):
        return range(12)

    def play(self, move):
        self.time.now += self.cost
        return Steps(self.time, self.plies - 1, self.cost, -self.to_move)

    def winner(self):
        return None if self.plies else 1


class Alike:
    """A model of a Searcher to which all moves seem alike, and whose iterations take ``cost`` seconds."""

    def __init__(self, time, cost):
        self._time, self._cost = time, cost
        self._stopped = False

    def stop(self):
        self._stopped = True

    def search(self, state, seconds, progress=None, every=0.1):
        begin, self._stopped = self._time.now, False
        for look in range(1, 1 + (math.ceil(seconds / every) if progress else 1)):
            iterations = math.ceil(min(seconds, look * every if progress else seconds) / self._cost)
            self._time.now = begin + iterations * self._cost
            if progress is not None:
                progress(SimpleNamespace(
                    seconds=self._time.now - begin, iterations=iterations, move=iterations % 3,
                    moves=[SimpleNamespace(move=move, visits=iterations // 12, proven=None) for move in range(12)]))
            if self._stopped:
                break


def unknown(make, cost, moves, seconds):
    """The figures of a game of unknown length."""
    from mcts_core.games import length

    time, taken = Time(), []
    clock = make(seconds, timer=time)
    with mock.patch.object(length, "perf_counter", time):
        for made in range(moves):
            before = clock.remaining
            clock.search(Alike(time, cost), Steps(time, 2 * (moves - made), cost / (2 * moves)))
            taken.append(before - clock.remaining)
    usual = max(1e-9, median(taken))
    row = {"cost": cost, "moves": moves, "seconds": seconds, "used": sum(taken) / seconds,
           "least": min(taken[:-1]) / usual, "most": max(taken) / usual, "lost": clock.remaining <= 0.0}
    return row | {"reached": row["used"] >= 0.8 and row["least"] >= 1 / 3 and not row["lost"]}


def unknown_table(rows):
    """Heading, titles and cells for ``report.as_text``."""
    titles = ["iteration", "moves", "seconds", "used", "least / median", "most / median", "lost", "reached"]
    cells = [[duration(row["cost"]), f"{row['moves']}", f"{row['seconds']:g}", f"{100 * row['used']:.0f} %",
              f"{row['least']:.2f}", f"{row['most']:.2f}", "yes" if row["lost"] else "no",
              "yes" if row["reached"] else "NO"] for row in rows]
    return "Games of unknown length", titles, cells


def play(game, seconds, opening):
    """A real game of the engine against itself: for each side the moves before the proof and the share used."""
    import mcts_core

    state = game.start()
    for move in opening:
        state = state.play(move)
    clocks = {player: mcts_core.Clock(seconds) for player in (1, -1)}
    engines = {player: mcts_core.Searcher() for player in (1, -1)}
    thought = {1: 0, -1: 0}
    while state.winner() is None:
        player = state.to_move
        move = clocks[player].search(engines[player], state)
        thought[player] += engines[player].stats().stop_reason not in ("solved", "only_move")
        state = state.play(move)
    return {"winner": state.winner(), "plies": len(state.moves) - len(opening),
            "thought": [thought[1], thought[-1]],
            "used": [1.0 - clocks[player].remaining / seconds for player in (1, -1)],
            "lost": any(clock.remaining <= 0.0 for clock in clocks.values())}


def starts(game, args):
    """Openings without end; the first position is always the same one."""
    return itertools.repeat([]) if args.plies == 0 else openings.sequence(game, args.seed, args.plies)


def table(rows):
    """Heading, titles and cells for ``report.as_text``."""
    titles = ["game", "seconds", "increment", "latency", "told", "overhead", "games", "lost", "even", "used: mean",
              "10 %"]
    cells = []
    for row in rows:
        name, seconds, increment, latency, told, overhead = row["row"]
        shares = ["-" if row[name] is None else f"{100 * row[name]:.0f} %" for name in ("mean", "low")]
        named = "-" if overhead is None else f"{1000 * overhead:.0f} ms"
        cells.append([name, f"{seconds:g}", f"{increment:g}", f"to {1000 * latency:.0f} ms", "yes" if told else "no",
                      named, f"{row['games']:,}", f"{row['lost']:,}", f"{row['even']:,}", *shares])
    return "Simulated games", titles, cells


def main(argv=None):
    args = parse(argv)
    if args.play:
        found = []
        for (name, seconds), game in args.play:
            for opening, _ in zip(starts(game, args), range(args.games), strict=False):
                one = {"game": name, "seconds": seconds, **play(game, seconds, opening)}
                found.append(one)
                used = ", ".join(f"{100 * share:.0f} % ({thought} moves thought)"
                                 for share, thought in zip(one["used"], one["thought"], strict=True))
                print(f"{name}, {seconds:g} s: used {used}; {one['plies']} plies, winner {one['winner']}"
                      f"{', LOST ON TIME' if one['lost'] else ''}", flush=True)
        lost = sum(one["lost"] for one in found)
    else:
        import mcts_core

        found = [simulated(mcts_core.Clock, row, args.games, args.seed) for row in ROWS]
        others = [unknown(mcts_core.Clock, *row) for row in UNKNOWN]
        print(as_text([table(found), unknown_table(others)]))
        lost = sum(row["lost"] for row in found) + sum(not row["reached"] for row in others)
        found += others
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")
    return int(lost > 0)


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="game_clock.py", description=first, epilog=details.replace("%", "%%"),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=whole, metavar="N", help="games of each row (default 2000; with --play 6)")
    parser.add_argument("--play", nargs="+", metavar="GAME:S", help=f"real games; {games.NAMES}, seconds a side")
    parser.add_argument("--plies", type=int, choices=range(9), metavar="N",
                        help="random moves before real games, 0: from the first position (default: as suits the game)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of lengths, delays, openings (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    args = parser.parse_args(argv)
    args.games = args.games or (6 if args.play else 2000)
    try:
        named = [(name, positive(text)) for name, _, text in (word.rpartition(":") for word in args.play or ())]
        args.play = [(one, games.find(one[0])) for one in named]
    except ValueError as error:
        parser.error(f"--play: {error}")
    return args


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
