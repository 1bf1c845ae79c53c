#!/usr/bin/env python3
"""Plays matches at equal time per move between two settings of the package, or against another program.

    python bench/match.py --game connect4 --a "" --b preset=uct --seconds 0.1 --games 400 --out match.json
    python bench/match.py --game gomoku --a "exploration=0.3,final_move=max" --b openspiel:c=1.4 --games 200
    python bench/match.py --game mnk:8,8,5 --iterations 1e4 --games 100 --a-values exploration=0.3,0.5,0.7
    python bench/match.py --holds --b "command:./solver" --seconds 1 --games 50 --out holds.json

A and B are options of mcts_core.Searcher ("" for its defaults), `openspiel:c=1.4` for OpenSpiel's MCTSBot with its
solver, or `command:PROGRAM` for any program that plays Connect Four by lines: "4455" (columns from 1, "-" before the
first move) is answered by the column to play, or by the scores of the seven columns, "." for a full one, of which a
best one is chosen at random. A solver that answers so is a perfect player.

Every opening is played twice with sides swapped. Draws count half. The 95 % interval is by pairs; elo.py has the
formula. Seeds come from --seed, so that a match with --iterations repeats exactly. By time, each side thinks --seconds
of wall-clock time for a move, OpenSpiel's bot never less unless it has solved the position; what they took is printed
and kept.

--out is written after each pair and is whole at any time; the same command goes on where it stopped, also with more
--games. A file that was made with other settings, or with another build of the package, is refused.

--holds: from the empty board of Connect Four A moves first against a program that tells scores, which plays the best
replies, one of them at random. A game ends with A's win or at A's first move that gives the win away.
"""

import argparse
import math
import os
import signal
import sys
from concurrent.futures import BrokenExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import elo
import games
import holds
import openings
import players
import progress
import record
import workers
from arguments import option, positive, whole
from report import as_text


def main(argv=None):
    args = parse(argv)
    if args.holds:
        return run_holds(args)
    found = {}
    for title, a, out in variants(args):
        print(f"{args.game.name}: A = {a}\n{' ' * len(args.game.name)}  B = {args.b}", flush=True)
        found[title] = run_match(args, a, out)
    if args.a_values:
        titles = [args.a_values[0], "games", "points, %", "95 %", "Elo", "95 %"]
        print(as_text([("", titles, [row(title, result) for title, result in found.items()])]))
    return 0


def parse(argv):
    """The command line."""
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="match.py", description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect4", metavar="GAME", help=f"{games.NAMES} (default connect4)")
    parser.add_argument("--a", default="", metavar="WHO", help=players.SPECIFICATION)
    parser.add_argument("--b", default="", metavar="WHO", help="the other side, likewise")
    parser.add_argument("--a-values", metavar="NAME=V1,V2,...",
                        help="a match for each value of this further option of A, and a table; the value gets into the "
                             "name of --out")
    for side, whose in (("", "both sides"), ("a-", "A"), ("b-", "B")):
        budget = parser.add_mutually_exclusive_group()
        budget.add_argument(f"--{side}seconds", type=positive, metavar="S",
                            help=f"wall-clock seconds per move of {whose}{'' if side else ' (default 0.1)'}")
        budget.add_argument(f"--{side}iterations", type=whole, metavar="N", help="iterations per move instead")
    parser.add_argument("--games", type=whole, default=400, metavar="N", help="games, an even number (default 400)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of openings and players (default 1)")
    parser.add_argument("--plies", type=int, choices=range(9), metavar="N",
                        help="random moves of each opening, 0: the first position (default: as suits the game)")
    parser.add_argument("--workers", type=whole, metavar="N",
                        help="games at a time (default 1, or as many as the executor is for)")
    parser.add_argument("--executor", metavar="WHERE", help=workers.EXECUTOR)
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON file to write, and to go on with")
    parser.add_argument("--holds", action="store_true", help="does A, who begins, keep the win against --b?")
    args = parser.parse_args(argv)
    try:
        args.game = games.find(args.game)
        a, b = (limits(args, side) for side in ("a", "b"))
        args.sweep = sweep(args.a_values) if args.a_values else [((), "")]
        args.a = [players.parse(args.a, args.game, *a, more) for more, _ in args.sweep]
        args.b = players.parse(args.b, args.game, *b)
    except (ValueError, TypeError) as error:
        parser.error(str(error))
    if args.a_values:
        args.a_values = args.a_values.partition("=")[::2]
    if args.holds and (args.b.kind != "command" or args.game.name != "connect4" or args.a_values):
        parser.error("--holds is for connect4 with --b command:..., one setting at a time")
    if not args.holds and args.games % 2:
        parser.error(f"--games must be even, since each opening is played twice; got {args.games}")
    if args.executor == "threads" and "command" in (args.b.kind, *(a.kind for a in args.a)):
        parser.error("--executor threads: all threads would talk to one and the same program of command:")
    if args.out and not args.out.parent.is_dir():
        parser.error(f"--out {args.out}: there is no folder {args.out.parent}")
    return args


def limits(args, side):
    """(seconds, iterations) of a side, one of them None."""
    seconds, iterations = getattr(args, f"{side}_seconds"), getattr(args, f"{side}_iterations")
    if seconds is None and iterations is None:
        seconds, iterations = args.seconds, args.iterations
    return (0.1, None) if seconds is None and iterations is None else (seconds, iterations)


def sweep(text):
    """A list of (options, value as text) from ``name=v1,v2,...``."""
    name, equals, values = text.partition("=")
    if not equals or not all(values.split(",")):
        raise ValueError(f"--a-values must be name=value,value,..., got {text!r}")
    return [((option(f"{name}={value}"),), value) for value in values.split(",")]


def variants(args):
    """(title, setting of A, file) of each match."""
    for a, (_, value) in zip(args.a, args.sweep, strict=True):
        out = args.out
        if out and value:
            out = out.with_name(f"{out.stem}-{args.a_values[0]}-{value}{out.suffix}")
        yield value, a, out


def run_match(args, a, out):
    """Plays what is missing of a match; prints and returns its Result."""
    settings = {"game": args.game.name, "a": a.to_dict(), "b": args.b.to_dict(), "seed": args.seed,
                "build": record.build()}
    if args.plies is not None:
        settings["plies"] = args.plies
    kept = record.Record(out, settings, lambda pairs: elo.result(points(pairs)).to_dict())
    wanted = enumerate(islice(openings.sequence(args.game, args.seed, args.plies), args.games // 2))
    tasks = [(number, opening) for number, opening in wanted if number not in kept.entries]
    work = partial(play_pair, game=args.game, settings=(a, args.b), seed=args.seed)
    gather(work, tasks, args, kept, "pairs", lambda: short(kept.ordered()))
    return report_match(kept.ordered())


def gather(work, tasks, args, kept, label, note):
    """Does the tasks and keeps their results, in the order in which they come."""
    done = len(kept.entries)
    found = workers.results(work, tasks, args.workers, in_order=False, executor=args.executor)
    try:
        for entry in progress.follow(found, done + len(tasks), label, note, done):
            kept.add(entry)
    except BrokenExecutor:
        raise players.Failed("a worker ended unexpectedly") from None


def play_pair(task, game, settings, seed):
    """Both games of an opening."""
    number, opening = task
    played = [play_game(game, settings, opening, first, (seed, number)) for first in (0, 1)]
    return {"number": number, "opening": opening, "games": played}


def play_game(game, settings, opening, first, seed):
    """One game; ``first``: 0 when A makes the first move of the game, 1 when B does.

    ``thinking``: moves, seconds in all and of the longest move. ``broken``: plies at which a side reported a proven
    value that the game did not bear out.
    """
    sides = [setting.player(game, players.seed_of(*seed, first, side)) for side, setting in enumerate(settings)]
    state, moves, claims = game.start(), [], []
    for move in opening:
        state = state.play(move)
        moves.append(move)
    thinking = [[0, 0.0, 0.0], [0, 0.0, 0.0]]
    while state.winner() is None:
        side = first if state.to_move == 1 else 1 - first
        move, seconds = players.clocked(sides[side], state)
        spent = thinking[side]
        spent[:] = spent[0] + 1, spent[1] + seconds, max(spent[2], seconds)
        claims.append((len(moves), side, sides[side].proven))
        try:
            state = state.play(move)
        except ValueError as error:
            raise players.Failed(f"{'AB'[side]} = {settings[side]} played {move!r} after {moves}: {error}") from None
        moves.append(move)
    winner = state.winner()
    points = 0.5 if winner == 0 else float((winner == 1) == (first == 0))
    broken = [ply for ply, side, proven in claims if breaks(proven, points if side == 0 else 1 - points)]
    return {"first": "AB"[first], "moves": moves, "points": points, "broken": broken,
            "thinking": {name: [number, round(total, 4), round(longest, 4)]
                         for name, (number, total, longest) in zip("AB", thinking, strict=True)}}


def breaks(proven, points):
    """Did a side get less than it had proven. (More it may get by the other's mistakes.)"""
    return (proven == "win" and points < 1) or (proven == "draw" and points < 0.5)


def points(pairs):
    """The points of A in both games of each pair."""
    return [tuple(game["points"] for game in pair["games"]) for pair in pairs]


def short(pairs):
    """The running score."""
    result = elo.result(points(pairs))
    return str(result).partition(": ")[2] if result else ""


def report_match(pairs):
    """Prints what a match gave; returns its Result."""
    result = elo.result(points(pairs))
    played = [game for pair in pairs for game in pair["games"]]
    print(result)
    print("pairs by points of A: " + ", ".join(
        f"{text}: {number}" for text, number in zip(("0", "1/2", "1", "3/2", "2"), result.pairs, strict=True)))
    for name, whose in (("A", "A moved first"), ("B", "B moved first")):
        mine = [game["points"] for game in played if game["first"] == name]
        print(f"{whose}: A got {sum(mine):g} of {len(mine)}", end="; " if name == "A" else "\n")
    for name in "AB":
        moves, total, longest = zip(*(game["thinking"][name] for game in played), strict=True)
        mean = sum(total) / sum(moves) if sum(moves) else math.nan
        print(f"{name} took {1000 * mean:.1f} ms a move, {1000 * max(longest):.1f} at most",
              end="; " if name == "A" else "\n")
    broken = [(pair["number"], game["first"], game["broken"]) for pair in pairs for game in pair["games"]
              if game["broken"]]
    if broken:
        print(f"Games in which a side got less than it had proven: {len(broken)}. With little time per move, this is a "
              "mistake that the side made later. Otherwise the proof may be false.")
        print(*(f"pair {number}, {first} first, at plies {plies}" for number, first, plies in broken), sep="\n")
    print(flush=True)
    return result


def row(title, result):
    """A line of the table of a sweep."""
    return [title, str(result.games), f"{100 * result.share:.1f}", f"{100 * result.low:.1f}-{100 * result.high:.1f}",
            elo.elo_text(result.elo), f"{elo.elo_text(result.elo_low)} to {elo.elo_text(result.elo_high)}"]


def run_holds(args):
    """The mode --holds."""
    a, = args.a
    print(f"Connect Four from the empty board: A = {a}, who begins, against {args.b}", flush=True)
    settings = {"game": "connect4", "mode": "holds", "a": a.to_dict(), "b": args.b.to_dict(), "seed": args.seed,
                "build": record.build()}
    kept = record.Record(args.out, settings, holds.summary)
    tasks = [number for number in range(args.games) if number not in kept.entries]
    work = partial(holds.play, game=args.game, settings=(a, args.b), seed=args.seed)
    gather(work, tasks, args, kept, "games", lambda: holds.short(kept.ordered()))
    print(holds.text(kept.ordered()))
    return 0


def interrupt(signum, frame):
    """Ends the program as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupt)
    try:
        sys.exit(main())
    except (players.Failed, record.OtherSettings, ValueError) as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        os._exit(1)  # without waiting for the games that are being played
    except KeyboardInterrupt:
        print("stopped; the same command goes on, where --out is named", file=sys.stderr, flush=True)
        os._exit(130)
