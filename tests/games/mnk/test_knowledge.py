"""The guide of m,n,k games: children and rollouts against slow oracles, on every instruction set of this machine."""

import random
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from mcts_core import defaults
from mcts_core.dispatch import supported
from mcts_core.games.mnk.position import MNK, Gomoku, TicTacToe
from mcts_core.testing.kernel_probe import MnkKernels
from mcts_core.testing.probe import Probe

HOT = {name: MnkKernels(name) for name in supported()}
DATA = Path(__file__).resolve().parents[2] / "data"
ONGOING, WIN, DRAW, LOSS = range(4)
RANDOM, DECISIVE, TACTICAL = range(3)
RULES = ("freestyle", "exact")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Board:
    """A board as a dictionary of stones, with the rules written out once more."""

    def __init__(self, state):
        self.m, self.n, self.k, self.exact = state.m, state.n, state.k, state.rule == "exact"
        marks = state.diagram().split()
        self.stones = {cell: "XO".index(mark) for cell, mark in enumerate(marks) if mark != "."}
        self.mover = len(self.stones) & 1
        self.empty = [cell for cell in range(self.m * self.n) if cell not in self.stones]

    def run(self, cell, player, down, right):
        m, stones = self.m, self.stones
        col, step, length = cell % m + right, down * m + right, 0
        cell += step
        while 0 <= col < m and stones.get(cell) == player:  # there are no stones above and below the board
            cell, col, length = cell + step, col + right, length + 1
        return length

    def wins(self, cell, player):
        return any(self.completes(cell, player, down, right) for down, right in DIRECTIONS)

    def completes(self, cell, player, down, right):
        length = 1 + self.run(cell, player, down, right) + self.run(cell, player, -down, -right)
        return length == self.k or length > self.k and not self.exact

    def fives(self, player):
        return {cell for cell in self.empty if cell not in self.stones and self.wins(cell, player)}

    def after(self, cell, player):
        """Where ``player``, who cannot win now, could after a stone in ``cell``: by a line through it."""
        row, col = divmod(cell, self.m)
        self.stones[cell] = player
        found = set()
        for down, right in DIRECTIONS:
            for j in (*range(1 - self.k, 0), *range(1, self.k)):
                r, c = row + j * down, col + j * right
                other = r * self.m + c
                if 0 <= r < self.n and 0 <= c < self.m and other not in self.stones \
                        and self.completes(other, player, down, right):
                    found.add(other)
        del self.stones[cell]
        return found

    def fours(self, player, least):
        """Cells where a stone gives so many cells to win at; the player has none now."""
        own = [stone for stone, owner in self.stones.items() if owner == player]
        reached = {cell for stone in own for cell in self.around(stone, self.k - 1) if self.in_line(cell, stone)}
        return {cell for cell in reached if len(self.after(cell, player)) >= least}

    def in_line(self, cell, other):
        down, right = abs(cell // self.m - other // self.m), abs(cell % self.m - other % self.m)
        return down == right or 0 in (down, right)

    def around(self, stone, distance):
        """Empty cells at most so far away."""
        row, col = divmod(stone, self.m)
        return [r * self.m + c for r in range(max(row - distance, 0), min(row + distance + 1, self.n))
                for c in range(max(col - distance, 0), min(col + distance + 1, self.m))
                if r * self.m + c not in self.stones]

    def saves(self):
        """What holds against moves of the other player that give him two cells to win at."""
        mine, theirs = self.mover, 1 - self.mover
        threats = self.fours(theirs, 2)

        def cures(cell):
            self.stones[cell] = mine
            good = all(threat == cell or len(self.after(threat, theirs)) < 2 for threat in threats)
            del self.stones[cell]
            return good

        near = {cell for threat in threats for cell in self.after(threat, theirs)}
        return {cell for cell in near | threats if cures(cell)} | self.fours(mine, 1)

    def near(self, distance):
        return {cell for stone in self.stones for cell in self.around(stone, distance)}


def clustered(state, plies, rng, chance=0.15):
    """``state`` after moves near the last ones, mostly, as many of ``plies`` as leave the game going on."""
    for _ in range(plies):
        board = Board(state)
        near = sorted(board.near(1)) if board.stones and rng.random() > chance else board.empty
        child = state.play(rng.choice(near or board.empty))
        if child.winner() is not None:
            break
        state = child
    return state


BOARDS = [(3, 3, 3), (4, 4, 3), (4, 4, 4), (6, 5, 4), (8, 8, 5), (9, 9, 5), (15, 15, 5), (20, 19, 5), (32, 32, 5),
          (12, 9, 6), (32, 3, 3), (9, 10, 7), (1, 9, 3), (5, 32, 5), (31, 30, 9)]


def samples(seed, boards=tuple(BOARDS), each=8, plies=(5, 28, 8, 14, 11, 18, 2, 23)):
    rng = random.Random(seed)
    for m, n, k in boards:
        for rule in RULES:
            for index in range(each):
                state = clustered(MNK(m, n, k, rule), min(plies[index % len(plies)], m * n - 1), rng)
                yield state, Board(state)


def check_children(state, board, found, distance):
    """``found`` against the definition; says which case it was."""
    listed, complete, rest = found
    moves = [move for move, *_ in listed]
    mine, theirs = board.mover, 1 - board.mover
    assert len(set(moves)) == len(moves) > 0 and set(moves) <= set(board.empty)
    assert all(0 <= prior <= 1 for *_, prior in listed)
    outcomes = {(outcome, plies) for _, outcome, plies, _ in listed}
    own, other = board.fives(mine), board.fives(theirs)
    if own:
        assert (set(moves), outcomes, complete, rest) == (own, {(WIN, 0)}, True, 0)
        return "win"
    if len(board.empty) == 1:
        assert (outcomes, complete, rest) == ({(DRAW, 0)}, True, 0)
        return "last"
    if len(other) > 1:
        assert (set(moves), outcomes, complete) == (other, {(LOSS, 1)}, True)
        assert rest == (len(board.empty) > len(other))
        return "lost"
    if other:
        fours = board.after(*other, mine)
        assert (set(moves), complete, rest) == (other, True, 1)
        assert outcomes == {(WIN, 2) if len(fours) > 1 else (ONGOING, 0)}
        return "block"
    own = board.fours(mine, 2)
    if own:
        assert (set(moves), outcomes, complete, rest) == (own, {(WIN, 2)}, True, 0)
        return "open four"
    other = board.fours(theirs, 2)
    if other:
        saves = board.saves()
        assert complete and rest == (3 if len(board.empty) > len(saves) else 0)
        if saves:
            assert (set(moves), outcomes) == (saves, {(ONGOING, 0)})
            return "defend"
        assert (set(moves), outcomes) == (other, {(LOSS, 3)})
        return "defenceless"
    if outcomes == {(DRAW, len(board.empty) - 1)}:
        assert complete and rest == 0
        return "dead"
    assert outcomes == {(ONGOING, 0)} and rest == 0
    assert complete == (len(moves) == len(board.empty))
    wanted = board.near(distance) if distance else set(board.empty)
    assert wanted <= set(moves)
    assert set(moves) == wanted | board.fours(mine, 1) | board.fours(theirs, 1)
    priors = [prior for *_, prior in listed]
    assert all(first >= second for first, second in pairwise(priors))
    return "quiet"


def test_children_are_as_defined():
    """On every instruction set: those that list the same are compared once."""
    cases = Counter()
    for index, (state, board) in enumerate(samples(1, each=3)):
        if board.stones:
            distance = index % 3
            listed = []
            for isa in HOT:
                found = HOT[isa].listed(state, distance, False)
                if found not in listed:
                    listed.append(found)
                    cases[check_children(state, board, found, distance)] += 1
    assert {"win", "lost", "block", "open four", "defend", "quiet"} <= set(cases), cases


def test_all_instruction_sets_agree():
    for state, _ in samples(2, each=4):
        for distance, symmetry in ((0, False), (2, True)):
            found = [hot.listed(state, distance, symmetry) for hot in HOT.values()]
            assert all(other == found[0] for other in found)
        for policy in (RANDOM, DECISIVE, TACTICAL):
            for told in (False, True):
                played = [hot.rollouts_by_policy(state, policy, 5, 7, told) for hot in HOT.values()]
                assert all(other == played[0] for other in played)


def rows_of(name):
    lines = (DATA / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def cells_of(text, separator):
    pairs = [pair.split(",") for pair in text.split(separator)]
    return [int(y) * 15 + int(x) for x, y in pairs]


def test_truth_positions():
    kinds = Counter()
    for rule, _, moves, _, kind, good, *_ in rows_of("gomoku_dev.tsv"):
        state = Gomoku.from_moves(cells_of(moves, ";"), rule=rule.removesuffix("5"))
        probe = Probe(state)
        good = set(cells_of(good, ";" if ";" in good else " "))
        listed, same, complete, _ = probe.children([], defaults.NETWORK_BOARD["expand_distance"])
        assert same
        found = {move for move, *_ in listed}
        outcomes = {(outcome, plies) for _, _, outcome, plies, _ in listed}
        if kind == "win1":
            assert (found, outcomes, complete) == (good, {(WIN, 0)}, True)
        elif kind == "block4":
            assert found == good and complete
        elif kind == "open4":
            assert found <= good and outcomes == {(WIN, 2)}
        elif kind == "defend3":
            assert good <= found and complete and outcomes == {(ONGOING, 0)}
        elif kind == "defend_vcf":
            # a few defences far from all stones break the line of a later four
            assert len(good - found) <= len(good) // 10 and not complete
        else:
            assert good & found and (ONGOING, 0) in outcomes
        if {outcome for outcome, _ in outcomes} == {WIN}:
            assert found <= good
        kinds[kind] += 1
    assert kinds["defend3"] == 48 and kinds.total() == 278


# ---- exhaustive search -----------------------------------------------------------------------------------------------

@cache
def solve(state):
    """(half-points for the player to move, plies to the end) with the shortest win and the longest loss or draw."""
    best = (-1, 0)
    for move in state.legal_moves():
        best = max(best, value_of(state.play(move)), key=lambda pair: (pair[0], -pair[1] if pair[0] == 2 else pair[1]))
    return best


def value_of(child):
    """The same for the player who moved to ``child``."""
    if child.winner() is not None:
        return (1 if child.winner() == 0 else 2), 1
    value, plies = solve(child)
    return 2 - value, plies + 1


def late_positions(count, seed):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        m, n, k = rng.choice([(3, 3, 3), (4, 3, 3), (4, 4, 3), (4, 4, 4), (5, 4, 4), (5, 5, 4), (6, 6, 5), (12, 3, 3)])
        state = MNK(m, n, k, rng.choice(RULES))
        left = rng.randint(1, 8)
        while state.winner() is None and len(state.legal_moves()) > left:
            state = state.play(rng.choice(state.legal_moves()))
        if state.winner() is None:
            found.append(state)
    return found


def test_whatever_is_proven_is_true():
    proofs = Counter()
    for state in late_positions(300, 3):
        value, plies = solve(state)
        listed, _, complete, rest = Probe(state).children([], 0)
        found = {move: value_of(state.play(move)) for move in state.legal_moves()}
        for move, _, outcome, distance, _ in listed:
            if outcome != ONGOING:
                assert found[move] == ({WIN: 2, DRAW: 1, LOSS: 0}[outcome], distance + 1)
                proofs[outcome, distance > 0] += 1
        left_out = [found[move] for move in found if move not in {move for move, *_ in listed}]
        assert complete
        best = max(found[move][0] for move, *_ in listed)
        if best == 2:
            assert min(found[move][1] for move, *_ in listed if found[move][0] == 2) == plies
        else:
            assert all(pair[0] == 0 for pair in left_out)
            assert max((pair[1] - 1 for pair in left_out), default=0) == rest
        for policy in (RANDOM, DECISIVE, TACTICAL):
            proof = Probe(state).policy_rollout([], policy)[2]
            if proof:
                assert proof[:3] == (value, plies, True)
                assert found[proof[3]][0] == value
                proofs["proof", value, plies < 5] += 1
    assert {(WIN, False), (WIN, True), (DRAW, False), (DRAW, True), (LOSS, True)} <= set(proofs)
    assert {("proof", 0, True), ("proof", 1, False), ("proof", 2, True)} <= set(proofs), proofs


@pytest.mark.parametrize("rule", RULES)
def test_proofs_hold_on_large_boards(rule):
    """The claims of a glance, replayed against every reply."""
    seen = Counter()
    for state, board in samples(4, boards=((15, 15, 5), (20, 18, 5), (10, 10, 4)), each=36):
        proof = Probe(state).policy_rollout([], DECISIVE)[2]
        if state.rule != rule or proof is None:
            continue
        value, plies, exact, move = proof
        seen[value, plies] += 1
        mine, theirs = board.mover, 1 - board.mover
        assert exact and move in board.empty
        assert (plies == 1) == bool(board.fives(mine))
        if (value, plies) == (2, 1):
            assert board.wins(move, mine)
        elif (value, plies) == (2, 3):
            assert len(board.after(move, mine)) > 1
            assert board.fives(theirs) <= {move}
        elif (value, plies) == (0, 2):
            assert len(board.fives(theirs)) > 1
        else:
            assert (value, plies) == (0, 4) and not board.fives(theirs) and not board.saves()
            assert board.fours(theirs, 2)
    assert set(seen) >= {(2, 1), (2, 3), (0, 2)}, seen


# ---- lines -----------------------------------------------------------------------------------------------------------

def diagram(*rows, rule, m=11):
    return MNK.from_string("\n".join(" ".join(row) for row in rows), m=m, n=len(rows), k=5, rule=rule)


OVERLINES = [
    # X to move: where X wins at once with rule freestyle, with rule exact
    (("X X X . X X . . . . .", "O O . O . O . . O . ."), {3}, set()),
    (("X X X X . . . . . . .", "O O . O . O . . . . ."), {4}, {4}),
    (("X X X X . X . . . . .", "O O . O . O . . . O ."), {4}, set()),
    ((". X X X X . X . . . .", "O O . O . O . . . O ."), {0, 5}, {0}),
    (("X . X X X . X . . . .", "O O . O . O . . . O ."), {1, 5}, {1, 5}),
    (("O X X X X . . . . . .", "O . O . O . . . . . ."), {5}, {5}),
]


@pytest.mark.parametrize("rows, freestyle, exact", OVERLINES)
def test_overlines(rows, freestyle, exact):
    rows = [row.split() for row in rows]
    for rule, wins in (("freestyle", freestyle), ("exact", exact)):
        state = diagram(*rows, rule=rule)
        assert state.to_move == 1
        listed, _, complete, _ = Probe(state).children([], 2)
        assert {move for move, _, outcome, plies, _ in listed if (outcome, plies) == (WIN, 0)} == wins
        result, _, proof = Probe(state).policy_rollout([], DECISIVE)
        assert (proof is not None and proof[:2] == (2, 1)) == bool(wins)
        assert result == 2 if wins else True


def test_an_open_four_that_would_be_too_long():
    # after X at 4 both ends complete a line: with rule exact the right one makes six
    rows = [row.split() for row in (". . X X . X . X . . .", "O . O . . . . . O . O")]
    for rule, fours in (("freestyle", {4}), ("exact", set())):
        board = diagram(*rows, rule=rule)
        listed, *_ = Probe(board).children([], 2)
        assert {move for move, _, outcome, plies, _ in listed if (outcome, plies) == (WIN, 2)} == fours
        assert board.to_move == 1 and Board(board).fours(0, 2) == fours


def test_a_threat_with_three_cells_to_win_at_is_met_only_there():
    # O at the crossing makes an open four and another four: taking one end leaves two cells
    rows = [list("." * 15) for _ in range(15)]
    for row, col in ((7, 4), (7, 5), (7, 6), (4, 7), (5, 7), (6, 7)):
        rows[row][col] = "O"
    for row, col in ((3, 7), (0, 0), (0, 14), (14, 0), (14, 14), (0, 5)):
        rows[row][col] = "X"
    state = Gomoku.from_string("\n".join(" ".join(row) for row in rows))
    board = Board(state)
    assert board.mover == 0 and len(board.after(7 * 15 + 7, 1)) == 3
    listed, _, complete, rest = Probe(state).children([], 2)
    assert ([move for move, *_ in listed], complete, rest) == ([7 * 15 + 7], True, 3)
    assert board.saves() == {7 * 15 + 7}


# ---- symmetry, distance ----------------------------------------------------------------------------------------------

def images(cell, m, n):
    """A cell under the symmetries of the board, in one order for all cells."""
    row, col = divmod(cell, m)
    pairs = [(r, c) for r in (row, n - 1 - row) for c in (col, m - 1 - col)]
    if m == n:
        pairs += [(c, r) for r, c in pairs]
    return [r * m + c for r, c in pairs]


def test_symmetric_moves_are_left_out():
    rng = random.Random(5)
    sizes = Counter()
    for m, n, k in [(3, 3, 3), (15, 15, 5), (16, 16, 5), (9, 7, 4), (32, 32, 5), (10, 8, 4)]:
        for _ in range(12):
            state = MNK(m, n, k)
            stones = [m * n // 2] if rng.random() < 0.5 else []
            near = [cell for cell in range(m * n) if abs(cell // m - n // 2) < 3 and abs(cell % m - m // 2) < 3]
            first = rng.choice(near)
            stones += [first, rng.choice(images(first, m, n))][: rng.randint(0, 2)]
            if len(set(stones)) < len(stones):
                continue
            state = MNK.from_moves(stones, m=m, n=n, k=k)
            cells = Board(state).stones
            group = [index for index in range(8 if m == n else 4)
                     if all(cells.get(images(cell, m, n)[index]) == owner for cell, owner in cells.items())]
            for distance in (0, 2):
                every, _, whole, _ = Probe(state).children([], distance)
                few, _, complete, _ = Probe(state).children([], distance, True)
                orbits = {frozenset(images(move, m, n)[index] for index in group) for move, *_ in every}
                assert sorted(min(orbit) for orbit in orbits) == sorted(move for move, *_ in few)
                assert complete == whole
            sizes[len(group)] += 1
    assert {1, 2, 4, 8} <= set(sizes)


def test_empty_boards():
    for m, n, middle in ((15, 15, {112}), (16, 16, {119, 120, 135, 136}), (9, 12, {49, 58})):
        listed, same, complete, rest = Probe(MNK(m, n, 5)).children([], 2)
        assert ({move for move, *_ in listed}, same, complete, rest) == (middle, True, False, 0)
        assert len(Probe(MNK(m, n, 5)).children([], 0)[0]) == m * n


def test_what_the_guide_offers():
    assert Probe(Gomoku()).guide[:3] == (0b111, 32, 225)
    assert Probe(TicTacToe()).guide[:3] == (0b011, 32, 9)
    assert Probe(MNK(8, 8, 5)).guide[:3] == (0b111, 32, 64)
    assert Probe(MNK(4, 4, 4)).guide[:3] == (0b011, 32, 16)
    assert Probe(MNK(3, 9, 5)).guide[:3] == (0b111, 32, 27)


def test_children_along_a_path():
    rng = random.Random(6)
    for state, _ in samples(7, each=3):
        path = []
        end = state
        while len(path) < 5 and end.winner() is None:
            move = rng.choice(end.legal_moves())
            if end.play(move).winner() is not None:
                break
            path.append(move)
            end = end.play(move)
            listed, same, complete, rest = Probe(state).children(path, 2, True)
            assert (listed, True, complete, rest) == Probe(end).children([], 2, True)
            assert same == (len(path) % 2 == 0)
            assert all(action == move for move, action, *_ in listed)


# ---- rollouts --------------------------------------------------------------------------------------------------------

@cache
def exact_rollout(state, policy):
    """The probabilities of the results for the player to move (lost, drawn, won), and of each cell being played by him
    and by the other one, in a rollout that is random or decisive."""
    board = Board(state)
    moves = set(board.empty)
    if policy == DECISIVE:
        moves = board.fives(board.mover) or board.fives(1 - board.mover) or moves
    results, mine, theirs = [0.0] * 3, Counter(), Counter()
    for move in moves:
        child = state.play(move)
        share = 1 / len(moves)
        mine[move] += share
        if child.winner() is not None:
            results[1 if child.winner() == 0 else 2] += share
            continue
        theirs_results, other_mine, other_theirs = exact_rollout(child, policy)
        for index in range(3):
            results[index] += share * theirs_results[2 - index]
        for cell, probability in other_mine.items():
            theirs[cell] += share * probability
        for cell, probability in other_theirs.items():
            mine[cell] += share * probability
    return results, mine, theirs


@pytest.mark.parametrize("policy", [RANDOM, DECISIVE])
@pytest.mark.parametrize("isa", HOT)
def test_rollouts_are_distributed_as_defined(isa, policy):
    games = 4000
    for index, state in enumerate(late_positions(30, 8)):
        results, mine, theirs = exact_rollout(state, policy)
        for told in (True, False):
            counts, my_cells, their_cells, _ = HOT[isa].rollouts_by_policy(state, policy, games, 9 + index, told)
            assert sum(counts) == games
            pairs = list(zip(counts, results, strict=True))
            if told:
                cells = range(state.m * state.n)
                pairs += [(my_cells[cell], mine[cell]) for cell in cells]
                pairs += [(their_cells[cell], theirs[cell]) for cell in cells]
            for count, probability in pairs:
                spread = (games * probability * max(0, 1 - probability)) ** 0.5
                assert abs(count - games * probability) <= 5 * spread + 1e-6


def lines_of(board, player):
    return [cell for cell, owner in board.stones.items() if owner == player and board.wins(cell, player)]


@pytest.mark.parametrize("policy", [RANDOM, DECISIVE, TACTICAL])
def test_played_is_a_game(policy):
    results = Counter()
    rng = random.Random(10 + policy)
    for index, (state, _) in enumerate(samples(11, each=4)):
        path, end = [], state
        for _ in range(rng.randint(0, 3)):
            move = rng.choice(end.legal_moves())
            if end.play(move).winner() is None:
                path.append(move)
                end = end.play(move)
        result, played, _ = Probe(state, index).policy_rollout(path, policy)
        results[result] += 1
        board = Board(state)
        first = board.mover
        assert len(played) == state.m * state.n and set(played) <= {0, 1, 2}
        assert all(played[move] == 1 + step % 2 for step, move in enumerate(path))
        mine, theirs = played.count(1), played.count(2)
        assert mine - theirs in (0, 1) and mine + theirs > len(path)
        assert all(cell in board.empty for cell, player in enumerate(played) if player)
        board.stones.update({cell: first if player == 1 else 1 - first
                             for cell, player in enumerate(played) if player})
        if result == 1:
            assert 0 not in [played[cell] for cell in board.empty] and not lines_of(board, 0) + lines_of(board, 1)
            continue
        winner = first if result == 2 else 1 - first
        assert (mine > theirs) == (winner == first)
        assert not lines_of(board, 1 - winner)
        line = lines_of(board, winner)
        last = [cell for cell in line if played[cell] and cell not in path]
        assert line

        def was_last(cell, board=board, winner=winner):
            del board.stones[cell]
            none = not lines_of(board, winner)
            board.stones[cell] = winner
            return none

        assert any(was_last(cell) for cell in last)
    assert {0, 2} <= set(results)


def test_decisive_rollouts_win_and_block():
    for index, (state, board) in enumerate(samples(12, boards=((15, 15, 5), (9, 9, 5), (7, 7, 4)), each=12)):
        mine, theirs = board.fives(board.mover), board.fives(1 - board.mover)
        for policy in (DECISIVE, TACTICAL):
            result, played, _ = Probe(state, index).policy_rollout([], policy)
            used = sum(player > 0 for player in played)
            if mine:
                assert (result, used) == (2, 1)
            elif len(theirs) > 1:
                assert (result, used) == (0, 2)
            elif theirs:
                assert played[min(theirs)] == 1


def test_tactical_rollouts_make_open_fours_and_answer_open_threes():
    seen = Counter()
    for state, board in samples(13, boards=((15, 15, 5), (20, 20, 5), (9, 9, 4)), each=8):
        mine, theirs = board.mover, 1 - board.mover
        if board.fives(mine) or board.fives(theirs):
            continue
        straight = {player: straight_fours(board, player) for player in (mine, theirs)}
        if straight[mine]:
            for seed in range(10):
                result, played, _ = Probe(state, seed).policy_rollout([], TACTICAL)
                assert (result, sum(player > 0 for player in played)) == (2, 3)
            seen["made"] += 1
        elif straight[theirs]:
            replies = board.fours(mine, 1)
            for cells in straight[theirs]:
                replies = replies | cells
            for seed in range(30):
                result, played, _ = Probe(state, seed).policy_rollout([], TACTICAL)
                assert any(played[cell] == 1 for cell in replies)
                if not board.saves():
                    assert result == 0
            seen["answered"] += 1
    assert seen["made"] > 2 and seen["answered"] > 2, seen


def straight_fours(board, player):
    """For each open four that one stone makes: the cells that prevent it, the stone's own among them."""
    found = []
    for cell in board.fours(player, 2):
        wins = board.after(cell, player)
        for down, right in DIRECTIONS:
            for first in wins:
                row, col = divmod(first, board.m)
                last = (row + board.k * down) * board.m + col + board.k * right
                if 0 <= row + board.k * down < board.n and 0 <= col + board.k * right < board.m and last in wins:
                    inner = [(row + j * down) * board.m + col + j * right for j in range(1, board.k)]
                    if all(one == cell or board.stones.get(one) == player for one in inner):
                        found.append({first, cell, last})
    return found
