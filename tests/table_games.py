"""A general game twice: written in Python, and as a native table over ctypes functions."""

import ctypes

import mcts_core as mc
from mcts_core.testing.probe import TableState

GOAL = 6
DIE = ((10, 0.5), (11, 0.25), (12, 0.0), (13, 0.25))
"""Outcomes and their probabilities; 12 never comes."""


class Race:
    """Players walk to GOAL: a step of one (move 0), or what a die says (move 1); who is there first wins, the second in
    the order of the board gets a quarter."""

    actions = 2

    def __init__(self, players=3, steps=None, to_move=0, rolling=False):
        self.players, self.steps, self.turn, self.rolling = players, steps or (0,) * players, to_move, rolling
        self.to_move = mc.CHANCE if rolling else to_move

    def legal_moves(self):
        return [0, 1]

    def chance_outcomes(self):
        return list(DIE)

    def play(self, move):
        if move == 1 and not self.rolling:
            return Race(self.players, self.steps, self.turn, True)
        steps = list(self.steps)
        steps[self.turn] += move - 10 if self.rolling else 1
        return Race(self.players, tuple(steps), (self.turn + 1) % self.players)

    def returns(self):
        if max(self.steps) < GOAL:
            return None
        first = next(player for player, steps in enumerate(self.steps) if steps >= GOAL)
        values = [0.0] * self.players
        values[first] = 1.0
        if self.players > 1:
            values[(first + 1) % self.players] = 0.25
        return values

    def observation(self):
        turn = [float(player == self.turn) for player in range(self.players)]
        return [[[float(steps) for steps in self.steps]], [turn]]


class Bytes(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_uint8 * 8), ("turn", ctypes.c_uint8), ("rolling", ctypes.c_uint8)]


State, Context = ctypes.POINTER(Bytes), ctypes.c_void_p
Numbers, Doubles, Floats = (ctypes.POINTER(kind) for kind in (ctypes.c_uint32, ctypes.c_double, ctypes.c_float))


def native_race(players=3, broken=None, kind=TableState):
    """Race as a native table; ``broken``: {name of a function: what stands in its place}."""

    def legal_moves(context, state, moves):
        if max(state[0].steps) >= GOAL:
            return 0
        moves[0], moves[1] = 0, 1
        return 2

    def play(context, state, move):
        s = state[0]
        if move == 1 and not s.rolling:
            s.rolling = 1
            return 0
        s.steps[s.turn] += move - 10 if s.rolling else 1
        s.rolling = 0
        s.turn = (s.turn + 1) % players
        return int(max(s.steps) >= GOAL)

    def to_move(context, state):
        return -1 if state[0].rolling else state[0].turn

    def returns(context, state, values):
        for player in range(players):
            values[player] = 0.0
        first = next(player for player in range(players) if state[0].steps[player] >= GOAL)
        values[first] = 1.0
        if players > 1:
            values[(first + 1) % players] = 0.25
        return 0

    def chance(context, state, moves, probabilities):
        for slot, (move, probability) in enumerate(DIE):
            moves[slot], probabilities[slot] = move, probability
        return len(DIE)

    def observe(context, state, planes):
        for player in range(players):
            planes[player] = state[0].steps[player]
            planes[players + player] = player == state[0].turn
        return 0

    Int = ctypes.c_int32
    kinds = {
        "legal_moves": ctypes.CFUNCTYPE(Int, Context, State, Numbers),
        "play": ctypes.CFUNCTYPE(Int, Context, State, ctypes.c_uint32),
        "to_move": ctypes.CFUNCTYPE(Int, Context, State),
        "returns": ctypes.CFUNCTYPE(Int, Context, State, Doubles),
        "chance": ctypes.CFUNCTYPE(Int, Context, State, Numbers, Doubles),
        "observe": ctypes.CFUNCTYPE(Int, Context, State, Floats),
        "rollout": ctypes.CFUNCTYPE(Int, Context, State, ctypes.c_void_p, Doubles),
    }
    functions = {"legal_moves": legal_moves, "play": play, "to_move": to_move, "returns": returns, "chance": chance,
                 "observe": observe, **(broken or {})}
    callbacks = {name: kinds[name](function) for name, function in functions.items() if function is not None}

    def make(start, **options):
        options = {"max_moves": 4, "players": players, "actions": 2, "shape": (2, 1, players), **options}
        state = kind(
            bytes(start),
            functions={name: ctypes.cast(callback, ctypes.c_void_p).value for name, callback in callbacks.items()},
            **options)
        state.keeper = callbacks
        return state

    return make


def start(*steps, turn=0, rolling=0):
    return Bytes((ctypes.c_uint8 * 8)(*steps), turn, rolling)
