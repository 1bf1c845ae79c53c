"""General games in a soak: chance, several players, rewards, hidden information, evaluators that fail now and then."""

import contextlib
import copy
import json
import math
import pickle
import random
from dataclasses import dataclass

import consistency

import mcts_core as mc

try:
    import numpy  # at first, because it starts threads
except ImportError:
    numpy = None

MEMORY = 1
"""``memory_mb`` of the Searchers of general games."""
LENGTH = 9
"""Moves of a game."""
PLAYED = 4
"""The most moves that one step of the soak plays."""


@dataclass(frozen=True)
class Rules:
    """What a game has."""

    players: int = 2
    chance: bool = False
    scored: bool = False
    hidden: bool = False


class Steps:
    """Players add 1 to 3 in turn; chance adds 0 or 5. Every player has a secret from 0 to 9. The sum of all moves and
    secrets decides who wins."""

    actions = 4

    def __init__(self, rules, moves=(), secrets=None):
        self.rules, self.players, self.moves = rules, rules.players, moves
        self.secrets = secrets or (7, 2, 5)[:rules.players]
        turns = sum(number % 3 != 2 for number in range(len(moves))) if rules.chance else len(moves)
        self.to_move = mc.CHANCE if rules.chance and len(moves) % 3 == 2 else turns % rules.players

    def __eq__(self, other):
        return isinstance(other, Steps) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.moves, self.secrets))

    def legal_moves(self):
        return [1, 2, 3]

    def chance_outcomes(self):
        return [(0, 0.75), (5, 0.25)]

    def play(self, move):
        return type(self)(self.rules, (*self.moves, move), self.secrets)

    def returns(self):
        if len(self.moves) < LENGTH:
            return None
        winner = (sum(self.moves) + sum(self.secrets)) % self.players
        return [float(player == winner) for player in range(self.players)]

    def observation(self):
        return [[[len(self.moves), sum(self.moves) % 7]]]


class Scored(Steps):
    """A move earns its player as many points, and costs every other player a hundred times that."""

    discount = 0.9

    def rewards(self):
        mover = Steps(self.rules, self.moves[:-1], self.secrets).to_move
        gain = float(self.moves[-1])
        return [0.0 if mover == mc.CHANCE else gain if player == mover else -100.0 * gain
                for player in range(self.players)]


class Hidden(Steps):
    """A player knows his own secret only."""

    def determinize(self, player, rng):
        secrets = [secret if owner == player else rng.randrange(10) for owner, secret in enumerate(self.secrets)]
        return Hidden(self.rules, self.moves, tuple(secrets))

    def observation_key(self, player):
        return self.moves, self.secrets[player]


def first_position(chooser):
    """The first position of a random game."""
    kind = chooser.choice([Steps, Scored, Hidden])
    return kind(Rules(chooser.randint(1, 3), chooser.random() < 0.4, kind is Scored, kind is Hidden))


class Judge:
    """A ``policy_value``. If ``failing``, it raises or returns an invalid evaluation after a random number of calls."""

    def __init__(self, chooser, players, failing):
        self.draw, self.players = random.Random(chooser.randrange(2**32)), players
        self.left = chooser.randrange(1, 200) if failing else math.inf
        self.bad = chooser.choice([None, (None, math.nan), ([1.0, -1.0, 1.0], 0.0), ([1.0], 0.0), (None, "x"),
                                   "worn out"])

    def __call__(self, state):
        self.left -= 1
        if self.left < 0:
            if self.bad == "worn out":
                raise OSError(self.bad)
            return self.bad
        values = [self.draw.uniform(-1, 1) for _ in range(self.players)]
        return [self.draw.random() for _ in range(3)], values if self.players > 1 else values[0]


def random_options(chooser, state):
    """Options that the game accepts."""
    options = {"memory_mb": MEMORY, "seed": chooser.randrange(5)}
    if chooser.random() < 0.3:
        options["fpu"] = chooser.choice([0.0, 0.4, 1.5])
    if not state.rules.hidden and chooser.random() < 0.6:
        options["policy_value"] = Judge(chooser, state.players, chooser.random() < 0.2)
        options["batch"] = chooser.choice([1, 3, 8])
        if chooser.random() < 0.3:
            options["root_policy"] = "gumbel"
            options.pop("fpu", None)
        elif chooser.random() < 0.3:
            options |= {"noise_alpha": 0.5, "temperature": 1.0}
    elif state.rules.scored and chooser.random() < 0.5:
        options["rollout_moves"] = chooser.choice([1, 4])
    elif state.players == 1 and not (state.rules.chance or state.rules.hidden) and chooser.random() < 0.5:
        options |= chooser.choice([{"final_move": "best_line"}, {"nested_rollouts": chooser.choice([2, 5, 100])}])
        if "nested_rollouts" in options:
            options.pop("fpu", None)
    return options


def faults(state, stats, move):
    """The faults of the Stats of a search of ``state`` that returned ``move``, as texts."""
    found = []
    legal = state.legal_moves()
    if move != stats.move or move not in legal or sorted(entry.move for entry in stats.moves) != legal:
        found.append(f"returned {move!r}, Stats.move is {stats.move!r}, Stats.moves {stats.moves!r}, legal are {legal}")
    low, high = stats.scale or (0.0, 1.0)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    for entry in stats.moves:
        if not (entry.visits == 0 or low - slack <= entry.value <= high + slack):
            found.append(f"move {entry.move!r} has the value {entry.value}, seen were {low} to {high}")
    if not all(map(math.isfinite, stats.values)) or len(stats.values) != state.players:
        found.append(f"the values are {stats.values}")
    if stats.visits != stats.iterations + stats.reused_visits:
        found.append(f"{stats.visits} visits, but {stats.iterations} iterations and {stats.reused_visits} of reuse")
    if stats.bytes > MEMORY * 2**20:
        found.append(f"{stats.bytes} bytes of {MEMORY} MiB")
    json.dumps(stats.to_dict(), allow_nan=False)
    return found


def general_game(soak, _seat):
    """Plays some moves of a general game. A pickled copy of the Searcher must find the same."""
    state = first_position(soak.chooser)
    options = random_options(soak.chooser, state)
    judge = options.get("policy_value")
    engine = mc.Searcher(**options)
    with contextlib.ExitStack() as failing:
        if judge is not None and judge.left < math.inf:
            failing.enter_context(soak.expecting(mc.EvaluatorError, always=False))
        for _ in range(soak.chooser.randint(1, PLAYED)):
            budget = {"iterations": int(10 ** soak.chooser.uniform(0, 2.7))}
            other = pickle.loads(pickle.dumps(engine)) if soak.chooser.random() < 0.3 else None
            move = engine.search(state, **budget)
            stats = engine.stats()
            for text in faults(state, stats, move):
                soak.fault(f"{state.rules}, {options}: {text}")
            soak.check_held(engine, MEMORY * 2**20)
            soak.totals["searches of general games"] += 1
            if other is not None:
                other.search(state, **budget)
                for text in consistency.differences(stats, other.stats()):
                    soak.fault(f"{state.rules}, {options}: a pickled Searcher: {text}")
            state = state.play(move)
            while state.returns() is None and state.to_move == mc.CHANCE:
                state = state.play(soak.chooser.choice([0, 5]))
            if state.returns() is not None:
                return
        copy.copy(engine)


def games_of_selfplay(soak, _seat):
    """Self-play of a general game, twice, with equal results."""
    state = first_position(soak.chooser)
    if numpy is None or state.rules.hidden:
        return

    def evaluator(observations):
        policy = numpy.repeat(1.0 + observations.reshape(-1, 2)[:, 1:], state.actions, axis=1)
        return policy, numpy.repeat(observations.reshape(-1, 2)[:, :1] / 10, state.players, axis=1)

    options = {"evaluator": evaluator} if soak.chooser.random() < 0.7 else {}
    runs = [next(iter(mc.selfplay(state, games=3, iterations=8, seed=4, together=2, threads=threads, **options)))
            for threads in (1, soak.chooser.choice([1, 2, 3]))]
    for name in ("policies", "results", "values", "actions"):
        one, other = [getattr(run, name) for run in runs]
        soak.expect(numpy.array_equal(one, other) and numpy.isfinite(one).all(), f"selfplay of {state.rules}: {name}")
    soak.totals["positions of selfplay"] += len(runs[0])


STEPS = {general_game: 6, games_of_selfplay: 1}
"""What is done, and how often, beside the steps of ``soak_steps``."""
