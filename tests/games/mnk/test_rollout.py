"""The hot functions of m,n,k games: against the simple rollouts, exact probabilities and a slow oracle, on every
instruction set that this machine can run."""

import math
import random

import pytest
from mnk_odds import exact_lengths, late_positions, winner_of
from random_play import played_on

from mcts_core.dispatch import isa, supported
from mcts_core.games.mnk.position import MNK, Gomoku, TicTacToe, simple_rollouts
from mcts_core.testing.kernel_probe import MnkKernels

HOT = {name: MnkKernels(name) for name in supported()}
ONGOING, WIN, DRAW, ILLEGAL = 0, 1, 2, 4
ALL_RULES = ("freestyle", "exact")

BOARDS = [(3, 3, 3), (4, 3, 3), (3, 4, 3), (4, 4, 4), (4, 4, 3), (2, 4, 3), (5, 5, 4), (8, 8, 5), (8, 5, 3), (7, 6, 4),
          (8, 8, 7), (9, 9, 5), (15, 15, 5), (16, 16, 5), (16, 5, 5), (5, 16, 5), (15, 20, 5), (4, 32, 5), (20, 20, 5),
          (17, 19, 5), (32, 32, 5), (19, 3, 4), (13, 7, 6), (7, 1, 3), (1, 9, 3), (10, 9, 3), (32, 1, 4), (1, 32, 4),
          (12, 12, 12), (31, 30, 7), (9, 1, 5), (1, 9, 5)]


def kernel():
    return HOT[isa]


def surprise(counts, chances, n):
    """Pearson's chi-square as a number of standard deviations; values of low expectation are pooled."""
    terms, pooled_count, pooled_chance = [], 0, 0.0
    for value in set(counts) | set(chances):
        if n * chances.get(value, 0) < 10:
            pooled_count += counts.get(value, 0)
            pooled_chance += chances.get(value, 0)
        else:
            terms.append((counts.get(value, 0), n * chances[value]))
    if n * pooled_chance >= 10:
        terms.append((pooled_count, n * pooled_chance))
    else:
        assert pooled_count <= 60, f"{pooled_count} rollouts where {n * pooled_chance} are expected"
    freedom = len(terms) - 1
    chi = sum((count - expected) ** 2 / expected for count, expected in terms)
    return (chi - freedom) / math.sqrt(2 * max(freedom, 1))


# ---- the distribution ------------------------------------------------------------------------------------------------

EXACT_STARTS = [
    TicTacToe(), MNK(3, 3, 3, "exact"), MNK(7, 1, 3), MNK(7, 1, 3, "exact"), MNK(1, 8, 3, "exact"), MNK(5, 2, 3),
    MNK(2, 5, 4, "exact"), MNK(4, 3, 3).play(5).play(6), MNK(9, 1, 4), MNK(3, 3, 3).play(4).play(0), MNK(9, 1, 5),
    MNK(1, 9, 5),
]


@pytest.mark.odds
@pytest.mark.parametrize("state", EXACT_STARTS, ids=repr)
def test_small_boards_have_the_exact_distribution(state):
    n = 40_000
    counts = kernel().lengths(state, n, 11)
    assert sum(counts.values()) == n
    chances = exact_lengths(state)
    assert set(counts) <= set(chances)
    assert surprise(counts, chances, n) < 5


LATE_BOARDS = [(4, 4, 3), (4, 4, 4), (5, 5, 4), (8, 8, 5), (16, 3, 4), (9, 6, 5), (15, 15, 5), (20, 20, 5), (17, 5, 3)]


@pytest.mark.odds
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("board", LATE_BOARDS, ids=str)
def test_late_positions_have_the_exact_distribution(board, rule):
    count = 10_000
    for state in late_positions(board, rule):
        assert surprise(kernel().lengths(state, count, 3), exact_lengths(state), count) < 5


@pytest.mark.odds
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_kernels_agree_with_simple_rollouts(board, rule):
    m, n, k = board
    rng = random.Random(f"{board}{rule}")
    count = 2_000 if m * n > 200 else 6_000
    for share in (0, 0.2, 0.5, 0.8):
        state = played_on(MNK(m, n, k, rule), rng, int(m * n * share))
        slow = simple_rollouts(state, count // 2, 5)
        counts = kernel().lengths(state, count, 5)
        fast = kernel().rollouts(state, count, 5)
        assert sum(slow[:3]) == count // 2 and sum(fast[:3]) == sum(counts.values()) == count
        for index in range(3):
            share_of_all = (slow[index] + fast[index]) / (1.5 * count)
            spread = math.sqrt(share_of_all * (1 - share_of_all) * (1 / count + 2 / count))
            assert abs(fast[index] / count - 2 * slow[index] / count) <= 4.5 * spread + 1e-9
        mean = fast[3] / count
        spread = math.sqrt(sum(((value >> 2) - mean) ** 2 * times for value, times in counts.items()) / count)
        assert abs(mean - 2 * slow[3] / count) <= 4.5 * spread * math.sqrt(3 / count) + 1e-9


def threatening(size, k, extra, rng):
    """Cells of a square board where X has all but one cell of a line, and ``extra`` stones elsewhere, O as many."""
    row, col, gap = rng.randrange(size), rng.randrange(size - k + 1), rng.randrange(k)
    line = [row * size + col + i for i in range(k)]
    if rng.random() < 0.5:
        line = [cell % size * size + cell // size for cell in line]
    free = [cell for cell in range(size * size) if cell not in line]
    rng.shuffle(free)
    cells = {cell: 1 for index, cell in enumerate(line) if index != gap}
    cells.update({free.pop(): 1 for _ in range(extra)})
    cells.update({free.pop(): -1 for _ in range(k - 1)})
    return cells


def beside(cell, stones, size):
    row, col = divmod(cell, size)
    return any(abs(row - stone // size) < 2 and abs(col - stone % size) < 2 for stone in stones)


@pytest.mark.odds
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("size", [3, 4, 5, 8, 15, 16, 20, 32])
def test_every_cell_is_equally_likely_at_the_first_two_plies(size, rule):
    """A player with threats wins as often as a cell that completes one is drawn, wherever that is."""
    rng = random.Random(f"{size}{rule}")
    k = min(size, 5)
    shape = size, size, k, rule
    positions, count = (60, 4_000) if size < 15 else (30, 8_000)
    seen = {1: 0, 2: 0}
    hits = expected = spread = 0
    for index in range(positions):
        cells = threatening(size, k, index % 2, rng)
        if any(winner_of(cells, cell, *shape) for cell in cells):
            continue
        empty = [cell for cell in range(size * size) if cell not in cells]
        near = [cell for cell in empty if beside(cell, cells, size)]  # no other cell completes a line
        threats = sum(winner_of({**cells, cell: 1}, cell, *shape) for cell in near)
        others = sum(winner_of({**cells, cell: -1}, cell, *shape) for cell in near)
        if index % 2 and others:
            continue  # O, to move, would win before the second ply
        state = MNK.from_string("".join(".XO"[cells.get(cell, 0)] for cell in range(size * size)), m=size, n=size, k=k,
                                rule=rule)
        plies = 1 + index % 2
        assert state.to_move == (1, -1)[index % 2]
        chance = threats / len(empty)
        hits += kernel().lengths(state, count, index).get((2 if plies == 1 else 0) + 4 * plies, 0)
        expected += count * chance
        spread += count * chance * (1 - chance)
        seen[plies] += 1
    assert min(seen.values()) >= 3 and expected > 100
    assert abs(hits - expected) < 4.5 * math.sqrt(spread)


# ---- instruction sets ------------------------------------------------------------------------------------------------

def test_the_baseline_is_there():
    assert "baseline" in HOT and isa in HOT


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_instruction_sets_give_identical_rollouts(board, rule):
    rng = random.Random(f"{board}{rule}")
    m, n, k = board
    for share in (0, 0.3, 0.7):
        state = played_on(MNK(m, n, k, rule), rng, int(m * n * share))
        seed = rng.randrange(1 << 64)
        path = rng.sample(state.legal_moves(), 1) if len(state.legal_moves()) > 2 else []
        if path and state.play(path[0]).winner() is not None:
            path = []
        assert len({tuple(sorted(hot.lengths(state, 500, seed).items())) for hot in HOT.values()}) == 1
        assert len({hot.simulations(state, path, 0, 500, seed) for hot in HOT.values()}) == 1


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("board", LATE_BOARDS, ids=str)
def test_instruction_sets_give_identical_rollouts_of_late_positions(board, rule):
    for state in late_positions(board, rule):
        assert len({tuple(sorted(hot.lengths(state, 200, 3).items())) for hot in HOT.values()}) == 1
        assert len({hot.rollouts(state, 200, 3) for hot in HOT.values()}) == 1


@pytest.mark.parametrize("state", [TicTacToe(), MNK(8, 8, 5), Gomoku(15), Gomoku(20, "exact")], ids=repr)
def test_the_seed_decides(state):
    assert kernel().lengths(state, 500, 1) == kernel().lengths(state, 500, 1) != kernel().lengths(state, 500, 2)


# Values that the kernels gave when they were written: they must not change by accident.
SIGNATURES = {
    "TicTacToe()": (603, 106, 291, 7617),
    "MNK(m=8, n=8, k=5, rule='freestyle')": (541, 16, 443, 45821),
    "Gomoku(size=15, rule='freestyle')": (521, 0, 479, 108213),
    "Gomoku(size=15, rule='exact')": (491, 0, 509, 113235),
    "Gomoku(size=20, rule='freestyle')": (510, 0, 490, 165050),
    "MNK(m=10, n=7, k=4, rule='freestyle')": (511, 0, 489, 34643),
}


@pytest.mark.parametrize("name", sorted(HOT))
def test_signatures(name):
    found = {repr(state): HOT[name].rollouts(state, 1_000, 42) for state in (
        TicTacToe(), MNK(8, 8, 5), Gomoku(15), Gomoku(15, "exact"), Gomoku(20), MNK(10, 7, 4))}
    assert found == SIGNATURES


# ---- the other functions of the table --------------------------------------------------------------------------------

def slow_outcomes(state):
    """What each cell does for the player to move, from the rules."""
    outcomes = []
    legal = set(state.legal_moves())
    for cell in range(state.m * state.n):
        if cell not in legal:
            outcomes.append(ILLEGAL)
            continue
        winner = state.play(cell).winner()
        outcomes.append(ONGOING if winner is None else DRAW if winner == 0 else WIN)
    return outcomes


def order_of(board):
    """All cells in the order of trying, by the definition: from the centre outwards, then ascending."""
    m, n, _ = board
    return sorted(range(m * n), key=lambda cell: (
        (2 * (cell // m) - n + 1) ** 2 + (2 * (cell % m) - m + 1) ** 2, cell))


@pytest.mark.parametrize("name", sorted(HOT))
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("board", [board for board in BOARDS if board[0] * board[1] < 500], ids=str)
def test_play_expand_and_legal_moves_follow_the_rules(board, rule, name):
    m, n, k = board
    rng = random.Random(f"{board}{rule}")
    order = order_of(board)
    for _ in range(3):
        root = played_on(MNK(m, n, k, rule), rng, rng.randrange(m * n))
        leaf = played_on(root, rng, rng.randrange(6))
        path = leaf.moves[len(root.moves):]
        outcomes, root_player = HOT[name].expansion(root, path)
        assert outcomes == slow_outcomes(leaf)
        assert root_player == (leaf.to_move == root.to_move)
        assert HOT[name].played(root, path) == (
            [ONGOING] * len(path), [cell for cell in order if cell in set(leaf.legal_moves())])
        for cell in rng.sample(leaf.legal_moves(), min(3, len(leaf.legal_moves()))):
            child = leaf.play(cell)
            results, legal = HOT[name].played(leaf, [cell])
            assert results == [outcomes[cell]]
            assert legal == [move for move in order if move in set(child.legal_moves())]


@pytest.mark.parametrize("name", sorted(HOT))
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize(
    "board", [(3, 3, 3), (4, 4, 3), (5, 5, 4), (8, 8, 5), (9, 1, 3), (15, 15, 5), (19, 4, 4)], ids=str)
def test_simulate_tries_every_move_once(board, rule, name):
    m, n, k = board
    rng = random.Random(f"{board}{rule}{1}")
    for _ in range(3 if m * n < 100 else 1):
        root = played_on(MNK(m, n, k, rule), rng, rng.randrange(m * n))
        leaf = played_on(root, rng, rng.randrange(4))
        path = leaf.moves[len(root.moves):]
        expected = [cell for cell in order_of(board) if cell in set(leaf.legal_moves())]
        cursor, tried = 0, []
        while cursor is not None:
            count = 400
            *results, slot, slots, cursor = HOT[name].simulations(root, path, cursor, count, 9)
            tried.append(slot)
            assert slots == m * n and sum(results) == count
            child = leaf.play(slot)
            if child.winner() is not None:
                index = 1 if child.winner() == 0 else 0 if child.winner() == root.to_move else 2
                assert results[index] == count
                continue
            slow = simple_rollouts(child, count, 4)[:3]
            if child.to_move != root.to_move:
                slow = slow[::-1]
            for ours, theirs in zip(results, slow, strict=True):
                share = (ours + theirs) / (2 * count)
                assert abs(ours - theirs) <= 4.7 * math.sqrt(2 * count * share * (1 - share)) + 1e-9
        assert tried == expected


def test_rollouts_leave_the_position_alone():
    for state in (TicTacToe.from_moves("0"), MNK(8, 8, 5).play(3), Gomoku(15).play(5), Gomoku(20, "exact").play(9)):
        before = str(state), hash(state)
        kernel().rollouts(state, 100, 1)
        kernel().simulations(state, [1], 0, 100, 1)
        kernel().expansion(state, [1])
        kernel().played(state, [1])
        assert (str(state), hash(state)) == before
