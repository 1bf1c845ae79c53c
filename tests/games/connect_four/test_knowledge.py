"""src/mcts_core/games/connect_four/knowledge.pyx: children and rollouts of the guide against the plain rules of the
package."""

import hashlib
import math
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.testing.probe import Probe

ONGOING, WIN, DRAW, LOSS = 0, 1, 2, 3
RANDOM, DECISIVE, TACTICAL = 0, 1, 2
BOARDS = [(6, 7, 4), (3, 3, 3), (4, 3, 3), (5, 6, 4), (7, 8, 4), (3, 16, 4), (1, 32, 3), (5, 10, 6), (2, 2, 2),
          (8, 9, 5), (11, 10, 4), (1, 64, 4), (31, 4, 7), (15, 7, 3), (63, 1, 4)]


def board(shape):
    rows, cols, connect = shape
    return mc.ConnectFour(rows=rows, cols=cols, connect=connect)


def random_game(state, chance, plies):
    """A random game of at most that many plies that goes on."""
    path = []
    while len(path) < plies:
        moves = [move for move in state.legal_moves() if state.play(move).winner() is None]
        if not moves:
            break
        path.append(chance.choice(moves))
        state = state.play(path[-1])
    return path, state


def positions(shape, count, seed):
    """Random positions of a board as (empty board, path, position)."""
    chance, start = random.Random(seed), board(shape)
    for _ in range(count):
        path, state = random_game(start, chance, chance.randrange(shape[0] * shape[1]))
        yield start, path, state


def winning_moves(state):
    return [move for move in state.legal_moves() if state.play(move).winner() == state.to_move]


def is_lost_in_two(state):
    return not winning_moves(state) and all(
        state.play(move).winner() is None and winning_moves(state.play(move)) for move in state.legal_moves())


def heights(state):
    lines = [line.split() for line in state.diagram().splitlines()]
    cells = [line for line in lines if line and all(cell in {"X", "O", "."} for cell in line)]
    return [sum(line[column] != "." for line in cells) for column in range(state.cols)]


def mirrored(state):
    return mc.ConnectFour.from_moves([state.cols - 1 - move for move in state.moves], rows=state.rows, cols=state.cols,
                                     connect=state.connect)


@pytest.mark.parametrize("shape", BOARDS, ids=str)
def test_children_against_the_rules(shape):
    seen = set()
    for start, path, state in positions(shape, 60 if shape[0] * shape[1] < 60 else 25, 1):
        cut = len(path) // 2
        inner = start
        for move in path[:cut]:
            inner = inner.play(move)
        found, same, complete, rest = Probe(inner).children(path[cut:])
        assert complete and rest == 0 and same is ((len(path) - cut) % 2 == 0)
        assert sorted(child[0] for child in found) == state.legal_moves()
        tops = heights(state)
        rank = {WIN: 0, ONGOING: 1, DRAW: 1, LOSS: 2}
        assert [rank[child[2]] for child in found] == sorted(rank[child[2]] for child in found)
        for move, action, outcome, distance, prior in found:
            after = state.play(move)
            assert action == move * shape[0] + tops[move]
            if after.winner() == state.to_move:
                expected = WIN, 0
            elif after.winner() == 0:
                expected = DRAW, 0
            elif winning_moves(after):
                expected = LOSS, 1
            elif is_lost_in_two(after):
                expected = WIN, 2
            else:
                expected = ONGOING, 0
            assert (outcome, distance) == expected, (str(state), move)
            assert {WIN: prior == 1, LOSS: prior == 0}.get(outcome, 0.05 <= prior <= 0.95)
            seen.add(expected)
    if shape == (6, 7, 4):
        assert seen == {(WIN, 0), (WIN, 2), (LOSS, 1), (ONGOING, 0)}


def test_the_last_move_draws():
    start, chance, checked = mc.ConnectFour(), random.Random(2), 0
    while checked < 10:
        path, state = random_game(start, chance, 41)
        if len(path) == 41 and not winning_moves(state):
            (move,) = state.legal_moves()
            assert Probe(start).children(path)[0] == [(move, move * 6 + 5, DRAW, 0, 0.5)]
            checked += 1


def test_children_of_the_empty_board_start_in_the_centre():
    assert [child[0] for child in Probe(mc.ConnectFour()).children([])[0]] == [3, 2, 4, 1, 5, 0, 6]


def test_priors_know_more_than_nothing():
    """Over the solved collection: better than 0.5 for every child, and than the first move that comes."""
    error = nothing = kept = first = missable = 0
    for line in (Path(__file__).resolve().parents[2] / "data" / "c4_dev.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        moves, _score, scores, keeping = line.split("\t")[:4]
        state = mc.ConnectFour.from_moves("" if moves == "-" else moves, base=1)
        children = Probe(state).children([])[0]
        for move, _action, _outcome, _distance, prior in children:
            score = int(scores.split()[move])
            truth = (1 + (score > 0) - (score < 0)) / 2
            error += (prior - truth) ** 2
            nothing += (0.5 - truth) ** 2
        if len(keeping) < len(children):
            missable += 1
            kept += str(children[0][0] + 1) in keeping
            first += len(keeping) / len(children)
    assert error < 0.75 * nothing
    assert missable > 600 and kept > 1.3 * first


def test_blocks_and_double_threats():
    block = mc.ConnectFour.from_moves("112131", base=1)  # X has 1, 2, 3 of the floor; O is on column 1; X to move
    assert [child[:4] for child in Probe(block).children([])[0]][0] == (3, 18, WIN, 0)
    block = mc.ConnectFour.from_moves("11213", base=1)
    found = {child[0]: child[2] for child in Probe(block).children([])[0]}
    assert found == {3: ONGOING} | dict.fromkeys((0, 1, 2, 4, 5, 6), LOSS)
    double = mc.ConnectFour.from_moves("33445", base=1)  # X threatens both ends
    assert {child[2:4] for child in Probe(double).children([])[0]} == {(LOSS, 1)}


@pytest.mark.parametrize("shape", BOARDS, ids=str)
def test_symmetric_children(shape):
    chance, start, symmetric = random.Random(3), board(shape), 0
    for _ in range(40):
        path, state = random_game(start, chance, chance.randrange(6))
        every = Probe(start).children(path)[0]
        half = Probe(start).children(path, symmetry=True)[0]
        if mirrored(state) == state:
            symmetric += 1
            assert half == [child for child in every if 2 * child[0] < shape[1]]
        else:
            assert half == every
    assert symmetric


@pytest.mark.parametrize("shape", BOARDS, ids=str)
@pytest.mark.parametrize("rollout", [RANDOM, DECISIVE])
def test_what_was_played_is_the_game(shape, rollout):
    rows, cols, _ = shape
    for start, path, _state in positions(shape, 30, 5):
        probe = Probe(start, 7)
        for _ in range(2):
            result, played, _proof = probe.policy_rollout(path, rollout)
            owner = {(action // rows, action % rows): who for action, who in enumerate(played) if who}
            assert len(played) == rows * cols and set(owner.values()) <= {1, 2}
            ones, twos = (sum(who == number for who in owner.values()) for number in (1, 2))
            assert ones - twos in {0, 1} and ones + twos >= len(path)
            at = [0] * cols
            for index, move in enumerate(path):
                assert owner[move, at[move]] == 1 + index % 2
                at[move] += 1
            for column in range(cols):
                stones = [row for row in range(rows) if (column, row) in owner]
                assert stones == list(range(len(stones)))
            # the last stone of some column made the line, or the board is full
            winner = 2 if result == 2 else 0 if result == 0 else 1
            lines = {number: has_line(owner, number, shape) for number in (1, 2)}
            if winner == 1:
                assert not any(lines.values()) and len(owner) == rows * cols
            else:
                assert lines == {1: winner == 2, 2: winner == 0}
                assert (ones == twos + 1) == (winner == 2)


def has_line(owner, number, shape):
    rows, cols, connect = shape
    return any(all(owner.get((column + i * right, row + i * up)) == number for i in range(connect))
               for column in range(cols) for row in range(rows) for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)))


def odds(state, rollout, cache):
    """Loss, draw, win of the player to move under the rollout policy."""
    if state.winner() is not None:
        return (0, 1, 0) if state.winner() == 0 else (1, 0, 0)
    if state not in cache:
        moves = state.legal_moves()
        if rollout == DECISIVE:
            wins = winning_moves(state)
            threats = [move for move in moves if len(moves) > 1 and fills(state, move)]
            safe = [move for move in moves if state.play(move).winner() is None and not winning_moves(state.play(move))]
            moves = wins or (threats if threats and not safe else safe) or moves
        below = [odds(state.play(move), rollout, cache) for move in moves]
        lost, drawn, won = (sum(column) / Fraction(len(moves)) for column in zip(*below, strict=True))
        cache[state] = won, drawn, lost
    return cache[state]


def fills(state, move):
    """Whether another move than ``move`` would let the opponent win there."""
    return any(other != move and state.play(other).winner() is None and move in winning_moves(state.play(other))
               for other in state.legal_moves())


@pytest.mark.parametrize("shape", [(3, 3, 3), (2, 4, 3), (3, 4, 3), (2, 2, 2)], ids=str)
@pytest.mark.parametrize("rollout", [RANDOM, DECISIVE])
def test_odds_of_rollouts(shape, rollout):
    cache, count = {}, 4000
    for start, path, state in positions(shape, 6, 11):
        probe, results = Probe(start, 3), [0, 0, 0]
        exact = odds(state, rollout, cache)
        if len(path) % 2:
            exact = exact[::-1]
        for _ in range(count):
            results[probe.policy_rollout(path, rollout)[0]] += 1
        for seen, p in zip(results, map(float, exact), strict=True):
            assert abs(seen - count * p) <= 5 * math.sqrt(count * p * (1 - p)) + 1e-9, (results, exact, str(state))


@pytest.mark.parametrize("shape", BOARDS, ids=str)
def test_glances_are_true_and_complete(shape):
    seen = set()
    for start, path, state in positions(shape, 60 if shape[0] * shape[1] < 60 else 25, 13):
        proof = Probe(start).policy_rollout(path, DECISIVE)[2]
        assert proof == Probe(start).policy_rollout(path, RANDOM)[2]
        wins, moves = winning_moves(state), state.legal_moves()
        if wins:
            assert proof[:3] == (2, 1, True) and proof[3] in wins
        elif is_lost_in_two(state):
            assert proof[:3] == (0, 2, True) and proof[3] in moves
        elif len(moves) == 1 and state.play(moves[0]).winner() == 0:
            assert proof == (1, 1, True, moves[0])
        else:
            assert proof is None
        seen.add(proof and proof[0])
    assert shape != (6, 7, 4) or {None, 0, 2} <= seen


def test_the_guide_says_what_it_can():
    bits, distance, actions, prover = Probe(mc.ConnectFour()).guide
    assert bits == 1 << RANDOM | 1 << DECISIVE and not bits >> TACTICAL & 1
    assert (distance, actions, prover) == (0, 42, True)
    assert Probe(mc.ConnectFour(rows=8, cols=9, connect=5)).guide[2] == 72


DIGEST = """
import hashlib, random
import mcts_core as mc
from mcts_core.testing.probe import Probe
found, chance = hashlib.sha256(), random.Random(9)
for rows, cols, connect in ((6, 7, 4), (7, 8, 5), (5, 5, 4), (9, 9, 5)):
    start = mc.ConnectFour(rows=rows, cols=cols, connect=connect)
    probe = Probe(start, 5)
    for _ in range(60):
        state, path = start, []
        for _ in range(chance.randrange(14)):
            moves = [move for move in state.legal_moves() if state.play(move).winner() is None]
            if moves:
                path.append(chance.choice(moves))
                state = state.play(path[-1])
        answers = [probe.children(path), [probe.policy_rollout(path, policy) for policy in (0, 1) for _ in range(5)]]
        if probe.guide[3]:
            answers.append(probe.prove(path, 3000, True, 1 << 18))
        found.update(repr(answers).encode())
print(found.hexdigest())
"""


def test_every_instruction_set_gives_the_same():
    digests = {
        subprocess.run([sys.executable, "-c", DIGEST], env={**os.environ, "MCTS_CORE_ISA": isa}, capture_output=True,
                       text=True, check=True).stdout.strip()
        for isa in dispatch.supported()
    }
    assert len(digests) == 1 and len(digests.pop()) == hashlib.sha256().digest_size * 2
