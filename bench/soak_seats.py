"""Who plays in a soak: games, random options for them, and the Searchers with both."""

import gc
import importlib.util
import inspect
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

from consistency import Asked

import mcts_core as mc

DOTS = Path(__file__).resolve().parent.parent / "examples" / "dots_and_boxes.py"

NATIVE = [
    *[("ConnectFour", size) for size in ((6, 7, 4), (6, 7, 4), (4, 5, 4), (5, 4, 3), (7, 8, 4), (9, 12, 5), (4, 4, 4))],
    *[("MNK", size) for size in ((3, 3, 3), (4, 4, 3), (5, 4, 4), (6, 6, 4), (7, 7, 5), (8, 9, 5), (12, 7, 6))],
    *[("Gomoku", size) for size in ((15, "freestyle"), (15, "exact"), (9, "freestyle"), (19, "freestyle"))],
]
"""Names of mcts_core with their arguments."""
DOTS_SIZES = [(1, 2), (2, 2), (2, 3), (3, 3)]
OPENING = 10
"""Random moves before a game that a Searcher goes over to, fewer than this."""
FILL = 100_000
"""Iterations of gomoku that fill the memory of a Searcher that stays."""

RESIDENTS = (
    {"memory_mb": 2}, {"memory_mb": 4, "solver": False}, {"memory_mb": 3, "preset": "uct", "seed": 1},
    {"memory_mb": 4, "seed": 2},
)
"""The options of the Searchers that stay. They suit every game."""

CHOICES = {
    "preset": (0.3, ["uct", "strong"]), "selection": (0.3, ["ucb1", "puct", "ucb1-tuned", "rave", "grave"]),
    "final_move": (0.2, ["max", "robust"]), "solver": (0.3, [False, True]), "rollout": (0.2, ["random", "decisive"]),
    "rollouts_per_leaf": (0.15, [1, 2, 5]), "exploration": (0.2, [0.0, 0.3, 1.4]), "fpu": (0.15, [0.5, 1.1, 5.0]),
    "expand_after": (0.2, [1, 3, 20]), "expand_distance": (0.15, [0, 1, 2]), "prior_weight": (0.15, [0.0, 2.0, 10.0]),
    "grave_ref": (0.1, [0, 5, 200]), "rave_schedule": (0.1, ["mse", "hand"]), "symmetry": (0.15, [True, False]),
    "leaf_proofs": (0.15, [0, 20, 500]), "node_proofs": (0.1, [0, 8]), "root_proofs": (0.1, [0, 32]),
    "seed": (0.6, list(range(5))), "stop_early": (0.2, [True, False]),
}
"""Option -> how often it is given, and its values."""
MEMORY = (1, 1, 2, 2.5, 4, 16)
SMALL = (1, 1, 1.5, 2)
"""Of Searchers whose memory is soon full."""


def load_dots():
    """Dots and Boxes of examples/, the game written in Python."""
    spec = importlib.util.spec_from_file_location("dots_and_boxes", DOTS)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where pickle looks for the class of a state
    spec.loader.exec_module(module)
    return module.DotsAndBoxes


Dots = load_dots()


class Faulty(Dots):
    """A game whose rules fail in every position with more than ``good`` edges drawn."""

    good = 2

    def legal_moves(self):
        if len(self.drawn) > self.good:
            raise OSError("no rules here")
        return super().legal_moves()

    def play(self, move):
        after = super().play(move)
        after.__class__ = Faulty
        return after


def accepted(**options):
    """Whether this version has these options."""
    try:
        mc.Searcher(**options)
    except (TypeError, mc.InvalidOption):
        return False
    return True


def picklable():
    """Whether a Searcher can be pickled."""
    try:
        pickle.dumps(mc.Searcher())
    except (TypeError, pickle.PicklingError):
        return False
    return True


def features():
    """Feature -> whether this version and system have it."""
    return {
        "threads=2": accepted(threads=2),
        "reuse=True": accepted(reuse=True),
        "prune=False": accepted(prune=False),
        "save and load": hasattr(mc.Searcher, "save") and hasattr(mc.Searcher, "load"),
        "pickled Searchers": picklable(),
        "fork": hasattr(os, "fork"),
    }


def reuses_by_default():
    return bool(inspect.signature(mc.Searcher).parameters["reuse"].default)


@dataclass
class Seat:
    """A Searcher and the game that it plays."""

    options: dict
    engine: mc.Searcher
    first: object
    state: object
    plies: int = 0
    searched: tuple | None = None
    """First position, plies and position of the last search; None: nobody knows what it was."""

    @property
    def memory(self):
        return int(self.options["memory_mb"] * 2**20)

    @property
    def native(self):
        return not isinstance(self.state, Dots)

    def asked(self, **budget):
        """What a search of the position is about to be asked for."""
        reuse = self.options.get("reuse", reuses_by_default())
        if reuse and self.searched is not None:
            first, plies, state = self.searched
            same = self.plies == plies and self.state == state
            reuse = self.first == first and (self.plies > plies or (same and "seed" not in self.options))
        return Asked(**budget, memory=self.memory, rollouts_per_leaf=self.options.get("rollouts_per_leaf", 1),
                     threads=self.options.get("threads", 1), reusable=reuse)

    def remember(self):
        """The position has been searched."""
        self.searched = (self.first, self.plies, self.state)

    def play(self, move):
        """Goes on with a move; a game that is over begins again."""
        self.state = self.state.play(move)
        self.plies += 1
        if self.state.winner() is not None:
            self.state, self.plies = self.first, 0

    def change_game(self, chooser):
        """Goes over to another game, after some random moves."""
        self.first = self.state = first_position(chooser)
        self.plies = 0
        for _ in range(chooser.randrange(OPENING)):
            after = self.state.play(chooser.choice(self.state.legal_moves()))
            if after.winner() is not None:
                break
            self.state = after
            self.plies += 1

    def __str__(self):
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"Searcher({options}) in {self.state!r}, ply {self.plies}"


def first_position(chooser):
    """A random game's first position."""
    if chooser.random() < 0.2:
        return Dots(*chooser.choice(DOTS_SIZES))
    name, size = chooser.choice(NATIVE)
    return getattr(mc, name)(*size)


def random_options(chooser, native, there, memory):
    """Options of a Searcher, for a native game or not: each is given now and then."""
    options = {"memory_mb": chooser.choice(memory)}
    for name, (share, values) in CHOICES.items():
        if chooser.random() < share:
            options[name] = chooser.choice(values)
    if there["threads=2"] and native and chooser.random() < 0.4:
        options |= {"threads": 2, "memory_mb": max(2, options["memory_mb"])}
    if there["reuse=True"] and chooser.random() < 0.6:
        options["reuse"] = chooser.random() < 0.7
    if there["prune=False"] and chooser.random() < 0.2:
        options["prune"] = False
    return options


def new_seat(chooser, there, memory=MEMORY):
    """A fresh Searcher with random options, which its game knows."""
    first = first_position(chooser)
    while True:
        options = random_options(chooser, not isinstance(first, Dots), there, memory)
        engine = mc.Searcher(**options)
        try:
            engine.search(first, iterations=1)
        except mc.InvalidOption:  # of a game that does not know it
            continue
        return Seat(options, engine, first, first, searched=(first, 0, first))


def residents(chooser):
    """The Searchers that stay. Their memory is full, so that it does not grow later."""
    seats = []
    for options in RESIDENTS:
        seat = Seat(options, mc.Searcher(**options), None, None)
        seat.engine.search(mc.Gomoku(19), 0.3, iterations=FILL)
        seat.change_game(chooser)
        seats.append(seat)
    return seats


def alive():
    """The number of Searchers that somebody refers to."""
    return sum(type(thing) is mc.Searcher for thing in gc.get_objects())
