"""The hot kernels of Connect Four: every instruction set that runs here, against the simple rules and exact odds."""

import math
import random
from functools import cache

import pytest

from mcts_core import dispatch
from mcts_core.errors import GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.games.connect_four.position import ConnectFour, perft, simple_rollouts
from mcts_core.testing.kernel_probe import ConnectFourKernels

ONGOING, WIN, DRAW, ILLEGAL = 0, 1, 2, 4
KERNELS = {isa: ConnectFourKernels(isa) for isa in dispatch.supported()}
BASE = KERNELS["baseline"]
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
BOARDS = [
    (6, 7, 4), (3, 3, 3), (4, 3, 3), (2, 4, 3), (5, 6, 4), (7, 8, 4), (8, 9, 5), (9, 8, 5), (1, 32, 3), (63, 1, 4),
    (3, 16, 4), (5, 10, 6), (1, 64, 4), (127, 1, 5), (20, 6, 4), (11, 10, 4), (31, 4, 7), (2, 2, 2), (1, 2, 2),
]


def kinds(board):
    """The kernels that can run a board: its own and the more general ones."""
    rows, cols, connect = board
    if (rows + 1) * cols > 64:
        return [2]
    return [0, 1, 2] if board == (6, 7, 4) else [1, 2]


def random_path(state, plies, chance):
    """A game of at most that many plies from ``state`` that does not end, and the position it leads to."""
    path = []
    while len(path) < plies:
        going_on = [move for move in state.legal_moves() if state.play(move).winner() is None]
        if not going_on:
            break
        path.append(chance.choice(going_on))
        state = state.play(path[-1])
    return path, state


@cache
def exact_odds(state):
    """Win, draw, loss of the player to move and the expected number of moves, when all moves are uniformly random."""
    if state.winner() is not None:
        assert state.winner() != state.to_move
        lost = state.winner() != 0
        return 0.0, float(not lost), float(lost), 0.0
    below = [exact_odds(state.play(move)) for move in state.legal_moves()]
    mean = [sum(figures) / len(below) for figures in zip(*below, strict=True)]
    return mean[2], mean[1], mean[0], mean[3] + 1


def assert_odds(counts, odds, sigmas=5):
    """Counts of independent events agree with their probabilities."""
    n = sum(counts)
    for count, p in zip(counts, odds, strict=True):
        assert abs(count - n * p) <= sigmas * math.sqrt(n * p * (1 - p)) + 1e-9, (counts, odds)


# ---- rollouts ----


@pytest.mark.odds
@EVERY_KERNEL
def test_a_million_games_from_the_empty_board(kernel):
    n = 1_000_000
    wins, draws, losses, plies = kernel.rollouts(ConnectFour(), n, 2024)
    assert wins + draws + losses == n
    assert abs(wins / n - 0.5556) < 5 * 0.0005 + 0.0003
    assert abs(draws / n - 0.0025) < 5 * 0.00005 + 0.0001
    assert abs(plies / n - 21.31) < 5 * 0.0075 + 0.01


@pytest.mark.odds
@EVERY_KERNEL
@pytest.mark.parametrize(
    "board", [(3, 3, 3), (4, 3, 3), (2, 4, 3), (3, 4, 3), (2, 2, 2), (1, 8, 3), (1, 9, 3), (1, 11, 2)]
)
def test_the_odds_of_uniform_play_are_exact(kernel, board):
    n = 100_000
    chance = random.Random(1)
    for plies in (0, 1, 3):
        _, state = random_path(ConnectFour(*board), plies, chance)
        odds = exact_odds(state)
        for kind in kinds(board):
            *counts, length = kernel.rollouts(state, n, 5 + plies, kind)
            assert_odds(counts, odds[:3])
            assert abs(length / n - odds[3]) < 5 * board[0] * board[1] / math.sqrt(n) / 4
    if kernel is BASE:
        *counts, length = simple_rollouts(ConnectFour(*board), n, 9)
        assert_odds(counts, exact_odds(ConnectFour(*board))[:3])


@pytest.mark.odds
@EVERY_KERNEL
def test_the_odds_late_on_the_standard_board_are_exact(kernel):
    """With full columns, when most draws are empty moves."""
    chance = random.Random(4)
    tested = 0
    while tested < 6:
        _, state = random_path(ConnectFour(), 32, chance)
        if len(state.moves) < 32:
            continue
        tested += 1
        odds = exact_odds(state)
        for kind in (0, 1, 2):
            *counts, length = kernel.rollouts(state, 100_000, tested, kind)
            assert_odds(counts, odds[:3])
            assert abs(length / 100_000 - odds[3]) < 5 * 3 / math.sqrt(100_000)


@pytest.mark.parametrize("board", BOARDS)
def test_fast_and_simple_rollouts_agree(board):
    n = 20_000
    _, state = random_path(ConnectFour(*board), 2, random.Random(2))
    fast, simple = BASE.rollouts(state, n, 3), simple_rollouts(state, n, 4)
    for one, other in zip(fast[:3], simple[:3], strict=True):
        p = (one + other) / (2 * n)
        assert abs(one - other) <= 5 * math.sqrt(2 * n * p * (1 - p)) + 1e-9
    most = board[0] * board[1]
    assert abs(fast[3] - simple[3]) <= 5 * math.sqrt(2 * n) * most / 4


@pytest.mark.parametrize("board", BOARDS)
def test_all_instruction_sets_and_kinds_are_identical(board):
    chance = random.Random(8)
    for plies in (0, 3, board[0] * board[1] // 2, board[0] * board[1] - 3):
        path, state = random_path(ConnectFour(*board), max(plies, 0), chance)
        runs = [kernel.rollouts(state, 2000, 77, kind) for kernel in KERNELS.values() for kind in kinds(board)]
        assert runs == [runs[0]] * len(runs)
        runs = [
            kernel.simulate_counts(ConnectFour(*board), path, 300, 78, kind)
            for kernel in KERNELS.values()
            for kind in kinds(board)
        ]
        assert runs == [runs[0]] * len(runs)


def test_rollouts_repeat_with_the_seed():
    state = ConnectFour.from_moves("33")
    assert BASE.rollouts(state, 1000, 1) == BASE.rollouts(state, 1000, 1) != BASE.rollouts(state, 1000, 2)


def test_the_length_of_a_rollout_agrees_with_its_winner():
    """One rollout each: an odd number of moves when the player to move wins, even in a loss, all cells in a draw."""
    chance = random.Random(6)
    for board in [(6, 7, 4), (4, 5, 4), (8, 9, 5)]:
        for seed in range(300):
            path, state = random_path(ConnectFour(*board), chance.randrange(board[0] * board[1] - 2), chance)
            for kind in kinds(board):
                wins, draws, losses, plies = BASE.rollouts(state, 1, seed, kind)
                assert wins + draws + losses == 1
                assert 1 <= plies <= board[0] * board[1] - len(path)
                if draws:
                    assert plies == board[0] * board[1] - len(path)
                else:
                    assert plies % 2 == wins
                if plies == 1:
                    ends = [state.play(move).winner() for move in state.legal_moves()]
                    assert (0 if draws else state.to_move) in ends


@pytest.mark.odds
@EVERY_KERNEL
def test_each_open_column_is_equally_likely(kernel):
    """Wherever the winning moves lie: the share of rollouts of one move is that of the winning columns."""
    for column in range(7):
        others = [c for c in range(7) if c != column]
        moves = [column, others[0], column, others[1], column, others[2]]
        state = ConnectFour.from_moves(moves)
        winning = [move for move in state.legal_moves() if state.play(move).winner() == 1]
        assert winning == [column]
        for kind in (0, 1, 2):
            ends = sum(kernel.rollouts(state, 1, 1000 * column + seed, kind)[3] == 1 for seed in range(4000))
            assert_odds([ends, 4000 - ends], [1 / 7, 6 / 7])


# ---- many rollouts at once ----

LANE_BOARDS = [board for board in BOARDS if (board[0] + 1) * board[1] <= 64]


def lane_kinds(board):
    return [kind for kind in kinds(board) if kind < 2]


def assert_same_odds(one, other, plies_one, plies_other, most):
    """Two independent counts of wins, draws and losses of as many games come from the same odds: chi-square with two
    degrees of freedom, and the mean length."""
    n = sum(one)
    assert sum(other) == n
    chi_square = sum((a - b) ** 2 / (a + b) for a, b in zip(one, other, strict=True) if a + b)
    assert chi_square < 25, (one, other)  # p = 4e-6
    assert abs(plies_one - plies_other) <= 5 * math.sqrt(2 * n) * most / 4


@EVERY_KERNEL
@pytest.mark.parametrize("n", [*range(41), 239, 240, 241, 1009, 20_011])
def test_many_at_once_are_exactly_as_many(kernel, n):
    for moves in ("", "3331222145"):
        wins, draws, losses, plies = kernel.bulk_rollouts(ConnectFour.from_moves(moves), n, n)
        assert wins + draws + losses == n
        assert min(wins, draws, losses) >= 0
        assert n <= plies <= (42 - len(moves)) * n


@pytest.mark.odds
@EVERY_KERNEL
def test_many_games_at_once_from_the_empty_board(kernel):
    n = 3_000_000
    wins, draws, losses, plies = kernel.bulk_rollouts(ConnectFour(), n, 31)
    one_by_one = kernel.rollouts(ConnectFour(), 1_000_000, 32)
    assert wins + draws + losses == n
    assert abs(wins / n - 0.5556) < 5 * 0.0003 + 0.0003
    assert abs(draws / n - 0.0025) < 5 * 0.00003 + 0.0001
    assert abs(plies / n - 21.31) < 5 * 0.0045 + 0.01
    for count, other in zip((wins, draws, losses, plies), one_by_one, strict=True):
        p = other / 1e6
        assert abs(count / n - p) < 5 * math.sqrt(4 / 3 * max(p * (1 - p), 0) / 1e6) + (0.05 if p > 1 else 0)


@pytest.mark.odds
@EVERY_KERNEL
@pytest.mark.parametrize(
    "board", [(3, 3, 3), (4, 3, 3), (2, 4, 3), (3, 4, 3), (2, 2, 2), (1, 2, 2), (1, 8, 3), (1, 9, 3), (1, 11, 2)]
)
def test_the_odds_of_many_at_once_are_exact(kernel, board):
    """Also where every lane plays a few games only: long games must not be lost."""
    chance = random.Random(1)
    for plies in (0, 1, 3):
        _, state = random_path(ConnectFour(*board), plies, chance)
        odds = exact_odds(state)
        for n, repeats in ((200_000, 1), (30, 700), (1, 1000)):
            total = [0, 0, 0, 0]
            for seed in range(repeats):
                total = [a + b for a, b in zip(total, kernel.bulk_rollouts(state, n, seed, 1), strict=True)]
            *counts, length = total
            assert sum(counts) == n * repeats
            assert_odds(counts, odds[:3])
            assert abs(length / sum(counts) - odds[3]) < 5 * board[0] * board[1] / math.sqrt(sum(counts)) / 4


@pytest.mark.odds
@EVERY_KERNEL
@pytest.mark.parametrize("plies", [32, 36, 39, 41])
def test_the_odds_of_many_at_once_on_nearly_full_boards_are_exact(kernel, plies):
    chance = random.Random(plies)
    tested = 0
    while tested < 4:
        path, state = random_path(ConnectFour(), plies, chance)
        if len(path) < plies:
            continue
        tested += 1
        odds = exact_odds(state)
        for kind in (0, 1):
            *counts, length = kernel.bulk_rollouts(state, 100_000, tested, kind)
            assert sum(counts) == 100_000
            assert_odds(counts, odds[:3])
            assert abs(length / 100_000 - odds[3]) < 5 * 3 / math.sqrt(100_000)


@EVERY_KERNEL
def test_many_at_once_where_moves_win_at_once(kernel):
    last = ConnectFour.from_moves("0", rows=1, cols=2, connect=2)
    assert kernel.bulk_rollouts(last, 1000, 1) == (0, 1000, 0, 1000)
    every = ConnectFour.from_moves("01", rows=2, cols=2, connect=2)
    assert all(every.play(move).winner() == 1 for move in every.legal_moves())
    assert kernel.bulk_rollouts(every, 1009, 1) == (1009, 0, 0, 1009)
    for column in range(7):
        others = [c for c in range(7) if c != column]
        state = ConnectFour.from_moves([column, others[0], column, others[1], column, others[2]])
        for kind in (0, 1):
            ends = sum(kernel.bulk_rollouts(state, 1, 1000 * column + seed, kind)[3] == 1 for seed in range(4000))
            assert_odds([ends, 4000 - ends], [1 / 7, 6 / 7])


@pytest.mark.odds
@pytest.mark.parametrize("board", LANE_BOARDS)
def test_many_at_once_and_simple_rollouts_agree(board):
    n = 40_000
    kernel = list(KERNELS.values())[-1]
    chance = random.Random(2)
    for plies in (0, 2, board[0] * board[1] // 2):
        _, state = random_path(ConnectFour(*board), plies, chance)
        *many, plies_many = kernel.bulk_rollouts(state, n, 3)
        *simple, plies_simple = simple_rollouts(state, n, 4)
        assert_same_odds(many, simple, plies_many, plies_simple, board[0] * board[1])


@pytest.mark.parametrize("board", LANE_BOARDS)
def test_many_at_once_are_identical_on_all_instruction_sets(board):
    chance = random.Random(8)
    for plies in (0, 3, board[0] * board[1] // 2, board[0] * board[1] - 3):
        _, state = random_path(ConnectFour(*board), max(plies, 0), chance)
        for kind in lane_kinds(board):
            for n in (1, 11, 12, 13, 240, 5000):
                runs = [kernel.bulk_rollouts(state, n, 77, kind) for kernel in KERNELS.values()]
                assert runs == [runs[0]] * len(runs)


def lane_by_lane(state, n, seed):
    """What many at once on the standard board must find: 24 lanes, one after the other, by the rules of the game."""
    every = 2**64 - 1
    counts = [0, 0, 0, 0]

    def mix(counter):  # SplitMix64
        z = counter * 0x9E3779B97F4A7C15 + seed & every
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & every
        z = (z ^ z >> 27) * 0x94D049BB133111EB & every
        return z ^ z >> 31

    for lane in range(24):
        a, b = (mix(9 + 2 * lane + i) for i in range(2))  # the generator drew eight numbers when it was seeded
        left = n // 24 + (lane < n % 24)
        at = state
        while left:
            word = a + b & every  # xorshift128+
            a ^= a << 23 & every
            a, b = b, a ^ b ^ a >> 18 ^ b >> 5
            for byte in word.to_bytes(8, "little"):
                high, low = byte >> 3 & 7, byte & 7
                column = high if low > high else high - 1
                if left and column >= 0 and column in at.legal_moves():
                    at = at.play(column)
                    counts[3] += 1
                    if at.winner():
                        counts[0 if at.winner() == state.to_move else 2] += 1
                        left -= 1
                        at = state
            if at.winner() == 0:  # a full board waits for the end of the word
                counts[1] += 1
                left -= 1
                at = state
    return tuple(counts)


@EVERY_KERNEL
@pytest.mark.parametrize("plies", [0, 1, 14, 25, 36])
def test_many_at_once_are_those_that_the_rules_give(kernel, plies):
    _, state = random_path(ConnectFour(), plies, random.Random(plies))
    for n in (5, 300):
        assert kernel.bulk_rollouts(state, n, 1000 + plies) == lane_by_lane(state, n, 1000 + plies)


@EVERY_KERNEL
def test_the_results_of_many_at_once_are_fixed(kernel):
    """A build without vector instructions must get them, too."""
    assert kernel.bulk_rollouts(ConnectFour(), 100_003, 5) == (55391, 240, 44372, 2130921)


def test_many_at_once_repeat_with_the_seed():
    state = ConnectFour.from_moves("33")
    first, again, other = (BASE.bulk_rollouts(state, 1000, seed) for seed in (1, 1, 2))
    assert first == again != other


def test_the_table_has_many_at_once_for_small_boards_only():
    """What mcts_core.rollouts plays, with and without a function for many."""
    from mcts_core.engine import bulk_rollouts

    hot = KERNELS[dispatch.isa]
    losses, draws, wins, plies, _ = bulk_rollouts.run(ConnectFour(), 1000, 6)
    assert (wins, draws, losses, plies) == hot.bulk_rollouts(ConnectFour(), 1000, 6)
    big = ConnectFour(8, 9, 5)
    losses, draws, wins, plies, _ = bulk_rollouts.run(big, 1000, 6)
    assert (wins, draws, losses, plies) == hot.rollouts(big, 1000, 6)
    for state, kind in ((big, None), (big, 2), (ConnectFour(), 2)):
        with pytest.raises(InvalidOption, match="at most 64 bits"):
            hot.bulk_rollouts(state, 1, 1, kind)
    with pytest.raises(GameOver):
        hot.bulk_rollouts(ConnectFour.from_moves("0101010"), 1, 1)


# ---- simulations ----


def order_of_trying(state):
    cols = state.cols
    return sorted(state.legal_moves(), key=lambda col: (abs(2 * col - (cols - 1)), col))


@EVERY_KERNEL
@pytest.mark.parametrize("board", BOARDS)
def test_simulations_try_every_move_in_order(kernel, board):
    chance = random.Random(3)
    root = ConnectFour(*board)
    for plies in [*range(6), board[0] * board[1] // 2, board[0] * board[1] - 2]:
        path, state = random_path(root, max(plies, 0), chance)
        for kind in kinds(board):
            rows = kernel.simulate_counts(root, path, 50, 1, kind)
            assert [row[0] for row in rows] == order_of_trying(state)
            for slot, wins, draws, losses in rows:
                assert wins + draws + losses == 50
                end = state.play(slot).winner()
                if end is not None:
                    assert (wins, draws, losses) == {1: (50, 0, 0), 0: (0, 50, 0), -1: (0, 0, 50)}[end * root.to_move]


@pytest.mark.odds
@EVERY_KERNEL
@pytest.mark.parametrize("board", [(3, 3, 3), (2, 4, 3), (3, 4, 3)])
def test_simulations_have_exact_odds_for_the_player_at_the_root(kernel, board):
    chance = random.Random(5)
    start = ConnectFour(*board)
    for begun in (0, 1):
        _, root = random_path(start, begun, chance)
        for plies in (0, 1, 2, 3):
            path, state = random_path(root, plies, chance)
            for kind in kinds(board):
                for slot, *counts in kernel.simulate_counts(root, path, 20_000, plies + 1, kind):
                    odds = exact_odds(state.play(slot))[:3]
                    same = state.play(slot).to_move == root.to_move
                    assert_odds(counts, odds if same else odds[::-1])


@EVERY_KERNEL
@pytest.mark.parametrize("board", BOARDS)
def test_expand_and_play_agree_with_the_rules(kernel, board):
    chance = random.Random(9)
    root = ConnectFour(*board)
    for _ in range(25):
        path, state = random_path(root, chance.randrange(board[0] * board[1]), chance)
        expected = []
        for column in range(board[1]):
            if column not in state.legal_moves():
                expected.append(ILLEGAL)
                continue
            end = state.play(column).winner()
            expected.append({None: ONGOING, 0: DRAW}.get(end, WIN))
        for kind in kinds(board):
            assert kernel.expand_outcomes(root, path, kind) == (expected, int(len(path) % 2 == 0))
            for column in state.legal_moves():
                outcomes, legal = kernel.play_outcomes(root, [*path, column], kind)
                assert outcomes == [ONGOING] * len(path) + [expected[column]]
                assert legal == order_of_trying(state.play(column))


def test_expand_in_a_won_position_counts_all_wins():
    """perft of two plies, from the outcomes of the kernels."""
    state = ConnectFour.from_moves("001122")
    outcomes, _ = BASE.expand_outcomes(state, [])
    assert outcomes == [ONGOING, ONGOING, ONGOING, WIN, ONGOING, ONGOING, ONGOING]
    assert perft(state, 2) == 6 * 7


# ---- bad input ----


def test_the_test_functions_refuse_bad_input():
    state = ConnectFour()
    over = ConnectFour.from_moves("0101010")
    with pytest.raises(GameOver):
        BASE.rollouts(over, 1, 1)
    with pytest.raises(GameOver):
        simple_rollouts(over, 1, 1)
    with pytest.raises(GameOver):
        BASE.simulate_counts(state, [0, 1, 0, 1, 0, 1, 0], 1, 1)
    for path in ([7], [-1], ["0"], [0] * 7, [0, 1, 0, 1, 0, 1, 0, 2]):
        with pytest.raises(IllegalMove):
            BASE.simulate_counts(state, path, 1, 1)
        with pytest.raises(IllegalMove):
            BASE.expand_outcomes(state, path)
        with pytest.raises(IllegalMove):
            BASE.play_outcomes(state, path)
    for kind in (-1, 3, "1", True):
        with pytest.raises(InvalidOption):
            BASE.rollouts(state, 1, 1, kind)
    with pytest.raises(InvalidOption):
        BASE.rollouts(ConnectFour(8, 9, 5), 1, 1, 1)
    for n, seed in ((-1, 0), (1.5, 0), (1, -1), (1, 2**64), ("1", 0)):
        with pytest.raises(InvalidOption):
            BASE.rollouts(state, n, seed)
        with pytest.raises(InvalidOption):
            simple_rollouts(state, n, seed)
    with pytest.raises(TypeError):
        BASE.rollouts("state", 1, 1)
    with pytest.raises(TypeError):
        BASE.rollouts(None, 1, 1)


def test_states_of_other_games_are_refused():
    from mcts_core.game import NativeState

    with pytest.raises(InvalidState, match="must be a ConnectFour"):
        BASE.rollouts(NativeState(), 1, 1)
