"""mcts_core/checks/optional_members.py: observations, indices of moves, rollouts and moves in place of positions
written in Python."""

import random
import subprocess
import sys

import numpy as np
import pytest
from no_numpy import NO_NUMPY

import mcts_core as mc


class Walk:
    """One player takes five steps of 1 to 3, each of which is worth its length."""

    players, to_move, actions, discount = 1, 0, 3, 0.5

    def __init__(self, steps=()):
        self.steps = steps

    def legal_moves(self):
        return [1, 2, 3]

    def play(self, step):
        return type(self)((*self.steps, step))

    def rewards(self):
        return [float(self.steps[-1])]

    def returns(self):
        return [8.0] if len(self.steps) == 5 else None

    def observation(self):
        return [[[float(len(self.steps))]]]

    def action(self, step):
        return step - 1

    def rollout(self, seed):
        rng, moves = random.Random(seed), []
        for _ in range(5 - len(self.steps)):
            moves.append(rng.choice(self.legal_moves()))
        return [sum(move * 0.5**ply for ply, move in enumerate(moves)) + 8.0 * 0.5**len(moves)], moves


def problems(**members):
    """The problems reported for Walk with these members: {part: text}."""
    report = mc.check_game(type("Other", (Walk,), members)(), 20, seed=1)
    return {problem.part: problem.text for problem in report.problems}


def test_right_members_are_no_problem():
    assert mc.check_game(Walk(), 50, seed=1).ok
    assert problems(rollout=Walk.rollout, play=lambda self, step: type(self)((*self.steps, step))) == {}
    cut = problems(rollout=lambda self, seed: ([100.0], []))  # an estimate: the game goes on after no move
    assert cut == {}


@pytest.mark.parametrize(("members", "part", "text"), [
    ({"observation": lambda self: [[[0.0] * (1 + len(self.steps))]]}, "observation()", "must have the shape"),
    ({"observation": lambda self: [0.0]}, "observation()", "must have the shape (planes, rows, columns), got (1,)"),
    ({"observation": lambda self: "board"}, "observation()", "must return numbers of shape"),
    ({"observation": lambda self: [[[0.0, np.nan if self.steps else 1.0]]]}, "observation()",
     "must contain finite numbers, got"),
    ({"observation": lambda self: 1 / 0}, "observation()", "raised ZeroDivisionError: division by zero"),
    ({"action": lambda self, step: step}, "action()", "the index of a move in the policy must be an int from 0 to 2"),
    ({"action": lambda self, step: 0}, "action()", "have the same index in the policy, 0"),
    ({"action": lambda self, step: "a"}, "action()", "must return an int >= 0, got 'a'"),
    ({"observation": lambda self: __import__("not_there")}, "observation()", "raised ModuleNotFoundError: No module"),
    ({"action": lambda self, step: __import__("not_there")}, "action()", "raised ModuleNotFoundError: No module"),
    ({"actions": "3"}, "actions", "must be an int from 1, the number of entries of a policy, got '3'"),
    ({"rollout": lambda self, seed: None}, "rollout()", "must return a number from -1e100 to 1e100 for each"),
    ({"rollout": lambda self, seed: ([1.0], [4])}, "rollout()",
     "must return legal moves, but returned 4 as move 1 of [4], where only [1, 2, 3] are legal"),
    ({"rollout": lambda self, seed: ([1.0], [1] * 9)}, "rollout()", "where the game is over"),
    ({"rollout": lambda self, seed: ([1.0], [np.arange(2)])}, "rollout()", "must return moves that can be compared"),
    ({"rollout": lambda self, seed: ([0.0], [1] * (5 - len(self.steps)))}, "rollout()",
     "returned [0.0] for moves that are worth [2.1875]: [1, 1, 1, 1, 1]"),
    ({"rollout": lambda self, seed: ([random.random()], [])}, "rollout()", "must return the same for the same seed"),
    ({"rollout": lambda self, seed: ([setattr(self, "steps", (1,) * 5) or 1.0], [])}, "rollout()",
     "changed the position: to_move was 0 and is None"),
], ids=lambda value: None if isinstance(value, str) else next(iter(value)))
def test_wrong_members(members, part, text):
    assert text in problems(**members)[part]


def test_a_problem_within_a_rollout_is_told_with_its_moves():
    report = mc.check_game(type("Other", (Walk,), {
        "rewards": lambda self: [1.0] if self.steps != (3, 3, 3) else "x",
        "rollout": lambda self, seed: ([0.0], [3] * (5 - len(self.steps)))})(), 1, seed=1)
    assert report.problems[0].part == "rewards()" and report.problems[0].moves == (3, 3, 3)


def test_rewards_that_positions_share():
    last = []

    def play(self, step):
        last[:] = [step]
        return type(self)((*self.steps, step))

    found = problems(play=play, rewards=lambda self: [float(last[0])])
    assert "changed when other moves were played" in found["rewards()"]


def test_two_players_and_chance_have_rollouts_too():
    class Coin:
        players = 2

        def __init__(self, line=()):
            self.line = line
            self.to_move = 1 if line == ("pass",) else mc.CHANCE if len(line) == 1 else 0

        def legal_moves(self):
            return ["pass", "throw"]

        def chance_outcomes(self):
            return [("heads", 0.5), ("tails", 0.5)]

        def play(self, move):
            return Coin((*self.line, move))

        def returns(self):
            if len(self.line) < 2:
                return None
            return [1.0, 0.0] if self.line[-1] == "heads" else [0.0, 1.0]

        def rollout(self, seed):
            assert self.to_move != mc.CHANCE  # no search asks there
            rng, moves = random.Random(seed), []
            while len(self.line) + len(moves) < 2:
                line = (*self.line, *moves)
                moves.append(rng.choice(["heads", "tails"] if line == ("throw",) else self.legal_moves()))
            won = float(moves[-1] == "heads")
            return [won, 1 - won], moves

    assert mc.check_game(Coin(), 50, seed=1).ok


WITHOUT_NUMPY = NO_NUMPY + """
import mcts_core as mc
class Pass:
    to_move, actions = 1, 1
    def __init__(self, moves=0): self.moves = moves
    def legal_moves(self): return [0]
    def play(self, move): return Pass(self.moves + 1)
    def winner(self): return 0 if self.moves == 3 else None
    def observation(self): return 5
print(mc.check_game(Pass(), 5).problems)
"""


def test_without_numpy_observations_are_not_asked_for(tmp_path):
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "()\n", done.stderr


class Pile:
    """Take one or two of the stones; who takes the last one wins."""

    def __init__(self, stones=9, to_move=1):
        self.stones, self.to_move = [0] * stones, to_move

    def legal_moves(self):
        return [1, 2][: len(self.stones)]

    def play(self, move):
        return type(self)(len(self.stones) - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move

    def copy(self):
        return type(self)(len(self.stones), self.to_move)

    def push(self, move):
        del self.stones[:move]
        self.to_move = -self.to_move


def shallow(self):
    other = type(self)(0, self.to_move)
    other.stones = self.stones
    return other


@pytest.mark.parametrize(("members", "part", "text"), [
    ({}, None, ""),
    ({"copy": lambda self: type(self)(len(self.stones), -self.to_move)}, "copy()",
     "the copy differs from the position: to_move was 1 and is -1"),
    ({"copy": lambda self: self}, "copy()", "must return a new state, which push() can change, got the same object"),
    ({"copy": shallow}, "copy()", "on a copy changed the position that was copied: "),
    ({"push": lambda self, move: self.stones.pop()}, "push()", "led to another position than play(): "),
    ({"push": lambda self, move: 1 // 0}, "push()", "raised ZeroDivisionError"),
])
def test_a_push_leads_where_play_does(members, part, text):
    report = mc.check_game(type("Other", (Pile,), members)(), 20, seed=1)
    assert report.ok == (part is None), report
    assert part is None or text in {problem.part: problem.text for problem in report.problems}[part]
