"""src/mcts_core/testing/probe.pyx: the game table from Python, and the random numbers of game.h."""

import pytest

import mcts_core as mc
from mcts_core.testing.probe import Probe

MASK = 2**64 - 1


def splitmix(seed):
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        yield z ^ z >> 31


def test_random_numbers_are_splitmix():
    probe, expected = Probe(mc.ConnectFour(), 42), splitmix(42)
    for _ in range(8):
        next(expected)  # these seeded the lanes
    assert [probe.random() for _ in range(100)] == [next(expected) for _ in range(100)]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 225, 2**31 + 1])
def test_bounded_numbers_are_uniform(n):
    probe = Probe(mc.ConnectFour(), 1)
    numbers = [probe.below(n) for _ in range(7000)]
    assert 0 <= min(numbers) and max(numbers) < n
    parts = min(n, 7)
    counts = [0] * parts
    for number in numbers:
        counts[number * parts // n] += 1
    expected = [(-(-n * (part + 1) // parts) - -(-n * part // parts)) / n * 7000 for part in range(parts)]
    assert sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True)) < 30


def test_sizes():
    size, moves, plies, fixed = Probe(mc.ConnectFour()).sizes
    assert size >= 16 and (moves, plies, fixed) == (7, 42, True)


def test_expand_reports_every_slot():
    outcomes, moves, same = Probe(mc.TicTacToe.from_moves("031")).expand([4], 9)
    # X has 0 and 1, O has 3 and 4; X to move wins at 2
    assert same is False and moves is None
    assert outcomes == [4, 4, 1, 4, 4, 0, 0, 0, 0]


def test_errors_of_python_games_come_out():
    class Raising:
        to_move, winner, legal_moves = 1, lambda self: None, lambda self: [1]

        def play(self, move):
            raise ValueError("broken")

    for call in (lambda probe: probe.rollout(), lambda probe: probe.simulate([], 0), lambda probe: probe.expand([], 1),
                 lambda probe: probe.children([]), lambda probe: probe.policy_rollout([])):
        with pytest.raises(mc.GameError, match="broken"):
            call(Probe(Raising()))


class Seven:
    """Numbers to seven, each once; who takes the last one has won. Written in Python."""

    def __init__(self, taken=(), to_move=1):
        self.taken, self.to_move = taken, to_move

    def legal_moves(self):
        return [n for n in range(7) if n not in self.taken]

    def play(self, move):
        return Seven((*self.taken, move), -self.to_move)

    def winner(self):
        return None if len(self.taken) < 7 else -self.to_move


def test_the_guide_of_a_python_game():
    probe = Probe(Seven((6, 5, 4, 3, 2)))
    rollouts, distance, actions, prover = probe.guide
    assert (rollouts, distance, prover) == (0b11, 0, False) and actions >= 256
    children, same, complete, rest = probe.children([])
    assert [child[0] for child in children] == [child[1] for child in children] == [0, 1]
    assert all(child[2:] == (0, 0, 0.5) for child in children)
    assert (same, complete, rest) == (True, True, 0)
    (child,), same, complete, rest = probe.children([0])
    assert child == (1, 1, 1, 0, 0.5) and (same, complete, rest) == (False, True, 0)  # it wins at once
    for rollout in (0, 1):
        result, played, proof = probe.policy_rollout([0], rollout)
        assert result == 0 and proof is None
        assert len(played) == actions and list(played[:3]) == [0, 2, 0]  # only what was played after the path
    assert probe.policy_rollout([0], told=False) == (0, bytes(actions), None)


def test_moves_and_plays_of_a_state():
    probe = Probe(mc.ConnectFour.from_moves("333333"))
    returned, moves, damage = probe.list_moves(probe.data, 7)
    assert (returned, sorted(moves), damage) == (6, [0, 1, 2, 4, 5, 6], None)
    outcome, after, damage = probe.play_move(probe.data, 0)
    assert outcome == 0 and damage is None and len(after) == len(probe.data) and after != probe.data
    winning = Probe(mc.ConnectFour.from_moves("304151"))
    assert winning.play_move(winning.data, 2)[0] == 1 and winning.list_moves(winning.data, 3)[:2] == (7, [3, 2, 4])
    assert winning.list_moves(winning.data, 3)[2] == "bytes after the room for 3 moves"
    with pytest.raises(ValueError, match="a state has .* bytes, got 1"):
        probe.play_move(b"1", 0)


def test_children_are_asked_for_again_with_more_room():
    probe = Probe(mc.TicTacToe())
    assert probe.children([], room=2) == probe.children([])
