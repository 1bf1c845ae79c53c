"""src/mcts_core/games/mnk/continuous_threats.pyx: every proof played out to the end, positions made by hand, and exact
search."""

import random
from functools import cache
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core import MNK, Gomoku
from mcts_core.testing.probe import Probe
from mcts_core.testing.threat_probe import ThreatProbe

DATA = Path(__file__).resolve().parents[2] / "data"
LOSS, WIN = 0, 2
PLENTY = 2 * 10**6
RULES = ("freestyle", "exact")
FOURS_ONLY = 1999
"""The highest budget with which the prover leaves threes alone."""


def game_of_near_moves(chooser, size, rule):
    """A position after 8 to 35 random moves within two cells of a stone; None when the game has ended."""
    state, reached = MNK(size, size, 5, rule=rule), {size // 2 * size + size // 2}
    for _ in range(chooser.randrange(8, 36)):
        move = chooser.choice(sorted(reached & set(state.legal_moves())))
        state = state.play(move)
        if state.winner() is not None:
            return None
        x, y = move % size, move // size
        reached |= {b * size + a for b in range(max(0, y - 2), min(size, y + 3))
                    for a in range(max(0, x - 2), min(size, x + 3))}
    return state


def games_of_near_moves(seed, size, rule, count):
    chooser = random.Random(f"{seed} {size} {rule}")
    while count:
        state = game_of_near_moves(chooser, size, rule)
        if state is not None:
            yield state
            count -= 1


def games_cut_short(rule, plies):
    """The games of gomoku_dev.tsv, so many plies before their tactics."""
    for line in (DATA / "gomoku_dev.tsv").read_text().splitlines():
        row = line.split("\t")
        if line.startswith("#") or row[0][:5] != rule[:5]:
            continue
        moves = [int(y) * 15 + int(x) for x, y in (pair.split(",") for pair in row[2].split(";"))]
        if len(moves) > plies + 8:
            yield Gomoku.from_moves(moves[:-plies], size=15, rule=rule)


def ask(probe, path):
    """The shorter one of the proofs by fours and by threes, and whether it is by threes."""
    fours, _spent = probe.prove(path, PLENTY, threes=False)
    if fours is not None and fours[1] <= 5:
        return fours, False
    threes, _spent = probe.prove(path, PLENTY)
    if fours is None or threes is not None and threes[1] < fours[1]:
        return threes, True
    return fours, False


def check_to_the_end(state, probe, path, proof, chooser, width):
    """Plays a proof: every legal reply must lose in time; ``width`` of those that fours do not refute are played on,
    fewer from reply to reply, and one of the others."""
    value, distance, _exact, move = proof
    if value == WIN:
        after = state.play(move)
        if distance == 1:
            assert after.winner() == state.to_move
            return
        state, path, distance = after, [*path, move], distance - 1
    assert state.winner() is None and distance >= 2
    stubborn, others = [], []
    for reply in state.legal_moves():
        after = state.play(reply)
        assert after.winner() is None, str(after)
        answer, by_threes = ask(probe, [*path, reply])
        assert answer is not None and answer[0] == WIN and answer[1] < distance, (str(after), state.rule, answer, proof)
        (stubborn if by_threes else others).append((reply, after, answer))
    for reply, after, answer in (chooser.sample(stubborn, min(width, len(stubborn)))
                                 + chooser.sample(others, min(1, len(others)))):
        check_to_the_end(after, probe, [*path, reply], answer, chooser, max(1, width - 1))


def check_proofs(states, budget, width):
    """Plays out all that is proven by threes and not by fours: the numbers of wins and losses."""
    chooser, proven = random.Random(4), {WIN: 0, LOSS: 0}
    for state in states:
        probe = ThreatProbe(state, 1 << 25)
        if probe.prove([], budget, threes=False)[0] is not None:
            continue
        proof, spent = probe.prove([], budget)
        assert spent <= budget + 1000
        if proof is not None:
            check_to_the_end(state, probe, [], proof, chooser, width)
            proven[proof[0]] += 1
    return proven


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [10, 13, 15])
def test_proofs_in_random_games_hold_against_every_defence(size, rule):
    proven = check_proofs(games_of_near_moves(1, size, rule, 50), 10_000, 2)
    assert proven[WIN] >= 3


@pytest.mark.parametrize("rule", RULES)
def test_proofs_in_games_of_engines_hold_against_every_defence(rule):
    proven = check_proofs(list(games_cut_short(rule, 5))[::3], 10_000, 1)
    assert sum(proven.values()) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [10, 11, 12, 13, 14, 15, 19])
def test_proofs_in_thousands_of_games_hold_against_every_defence(size, rule):
    proven = check_proofs(games_of_near_moves(2, size, rule, 1000), 20_000, 3)
    assert proven[WIN] >= 80 and proven[LOSS] >= 20


@pytest.mark.slow
@pytest.mark.parametrize("plies", [2, 4, 7, 9, 12])
@pytest.mark.parametrize("rule", RULES)
def test_long_proofs_in_games_of_engines_hold_against_every_defence(rule, plies):
    proven = check_proofs(games_cut_short(rule, plies), 200_000, 3)
    assert sum(proven.values()) >= 10


SMALL = [(6, 6), (5, 6), (6, 5), (5, 5), (7, 5), (7, 7), (8, 8)]


def check_small_boards(seed, count):
    """Compares what is proven of random positions with exact search: the numbers of wins and losses."""
    chooser, proven = random.Random(seed), {WIN: 0, LOSS: 0}
    for _ in range(count):
        m, n = chooser.choice(SMALL)
        state = MNK(m, n, 5, rule=chooser.choice(RULES))
        for _ in range(chooser.randrange(4, m * n - 6)):
            state = state.play(chooser.choice(state.legal_moves()))
            if state.winner() is not None:
                break
        if state.winner() is not None:
            continue
        proof, _spent = ThreatProbe(state, 1 << 18).prove([], 20_000)
        if proof is None:
            continue
        truth, _spent = Probe(state).prove([], PLENTY // 2, exact=True)
        if truth is None:
            continue
        assert truth[0] == proof[0] and (not truth[2] or truth[1] <= proof[1]), (str(state), state.rule, truth, proof)
        assert not (truth[2] and proof[2]) or truth[1] == proof[1], (str(state), state.rule, truth, proof)
        proven[proof[0]] += 1
    return proven


def test_exact_search_confirms_the_proofs_on_small_boards():
    proven = check_small_boards(1, 250)
    assert proven[WIN] >= 25 and proven[LOSS] >= 4


@pytest.mark.slow
def test_exact_search_confirms_many_proofs_on_small_boards():
    proven = check_small_boards(2, 40_000)
    assert proven[WIN] > 4000 and proven[LOSS] > 800


# ---- positions made by hand ------------------------------------------------------------------------------------------

def placed(first, second, rule="freestyle", size=15):
    """A position with stones on these (x, y)."""
    grid = [["."] * size for _ in range(size)]
    for mark, stones in (("X", first), ("O", second)):
        for x, y in stones:
            assert grid[y][x] == "."
            grid[y][x] = mark
    return MNK.from_string("\n".join(" ".join(row) for row in grid), m=size, n=size, k=5, rule=rule)


TWO_TWOS = [(5, 7), (6, 7), (7, 5), (7, 6)]
"""One stone at CROSSING makes two open threes of them."""
CROSSING = 7 * 15 + 7
APART = [(0, 14), (4, 12), (12, 12), (14, 9), (14, 14), (1, 10), (0, 1), (13, 1)]
"""Stones that threaten nothing."""


@pytest.mark.parametrize("rule", RULES)
def test_two_threes_at_once_win(rule):
    state = placed(TWO_TWOS, APART[:4], rule)
    probe = ThreatProbe(state)
    assert probe.prove([], PLENTY, threes=False)[0] is None
    proof, spent = probe.prove([], PLENTY)
    assert proof is not None and proof[:3] == (WIN, 5, True) and spent < 5000
    check_to_the_end(state, probe, [], proof, random.Random(1), 20)
    lost, _spent = probe.prove([CROSSING], PLENTY)
    assert lost is not None and lost[:3] == (LOSS, 4, True)


@pytest.mark.parametrize("rule", RULES)
def test_an_open_three_alone_wins_nothing(rule):
    state = placed([(5, 7), (6, 7), (2, 2), (12, 3)], APART[:4], rule)
    assert ThreatProbe(state).prove([CROSSING], PLENTY)[0] is None


@pytest.mark.parametrize("rule", RULES)
def test_a_four_in_reply_delays_a_loss(rule):
    """It stops the three in the row, and the stone that it costs goes where it is of no use against the column."""
    own = [*TWO_TWOS, (8, 11)]
    state = placed(own, [(9, 9), (9, 12), (11, 10), *APART[:2]], rule)
    assert ThreatProbe(state).prove([CROSSING], PLENTY)[0][:2] == (LOSS, 4)
    state = placed(own, [(8, 8), (8, 9), (8, 10), *APART[:2]], rule)
    probe = ThreatProbe(state)
    proof, _spent = probe.prove([CROSSING], PLENTY)
    assert proof is not None and proof[0] == LOSS and proof[1] > 4 and proof[3] == 7 * 15 + 8
    check_to_the_end(state.play(CROSSING), probe, [CROSSING], proof, random.Random(1), 3)


@pytest.mark.parametrize("rule", RULES)
def test_two_fours_in_reply_refute_two_threes(rule):
    """One stone stops the three in the row and makes a four in its column and another one in a diagonal."""
    own = [*TWO_TWOS, (8, 11), (12, 3)]
    for others, refuted in (((9, 6), (10, 5), (11, 4)), True), (APART[:3], False):
        state = placed(own, [(8, 8), (8, 9), (8, 10), *others], rule)
        proof, _spent = ThreatProbe(state).prove([CROSSING], PLENTY)
        assert proof is not None and proof[0] == (WIN if refuted else LOSS)
        fours, _spent = ThreatProbe(state).prove([CROSSING], PLENTY, threes=False)
        assert (fours is not None and fours[0] == WIN) == refuted


def test_a_three_that_grows_into_an_overline_is_one_in_freestyle_only():
    """To the left the three of the row has one cell only, to the right six in a row."""
    own, others = [*TWO_TWOS, (10, 7)], [(3, 7), *APART[:4]]
    freestyle, exact = (ThreatProbe(placed(own, others, rule)).prove([CROSSING], PLENTY)[0] for rule in RULES)
    assert freestyle is not None and freestyle[:2] == (LOSS, 4)
    assert exact is None or exact[1] > 4


@pytest.mark.parametrize("rule", RULES)
def test_who_faces_two_threes_to_come_is_lost(rule):
    """The threat is not one of fours: no zone is known, and all replies are tried."""
    twos = [*TWO_TWOS, (2, 3), (3, 3), (4, 1), (4, 2), (10, 10), (11, 10), (12, 12), (12, 11)]
    apart = [(0, 0), (6, 0), (12, 0), (18, 0), (0, 6), (18, 6), (0, 12), (18, 12), (0, 18), (6, 18), (12, 18), (18, 18)]
    state = placed(apart, twos, rule, 19)
    probe = ThreatProbe(state)
    proof, _spent = probe.prove([], PLENTY)
    assert proof is not None and proof[0] == LOSS and proof[1] == 6 and not proof[2]
    check_to_the_end(state, probe, [], proof, random.Random(1), 2)


@pytest.mark.parametrize("size", [9, 20, 32])
@pytest.mark.parametrize("rule", RULES)
def test_a_three_at_the_edge_is_no_threat(size, rule):
    """One cell further from it, it is."""
    apart = [(0, size - 2), (2, size - 1), (1, size - 4)]
    for shift in (0, 1):
        x = size - 1 - shift
        own = [(x - 2, 4), (x - 1, 4), (x, 2), (x, 3)]
        state = placed(own, [*apart, (0, 0)], rule, size)
        proof, _spent = ThreatProbe(state).prove([4 * size + x], PLENTY)
        assert (proof is not None and proof[0] == LOSS) == bool(shift)


# ---- budget, memory, engine ------------------------------------------------------------------------------------------

@cache
def some_proven(rule):
    """Ten positions that threes prove, with the value and the steps needed, more than 1,500."""
    found = []
    for state in games_of_near_moves(3, 15, rule, 1000):
        if ThreatProbe(state).prove([], 20_000, threes=False)[0] is None:
            proof, needed = ThreatProbe(state).prove([], 20_000)
            if proof is not None and needed > 1500:
                found.append((state, proof[0], needed))
                if len(found) == 10:
                    break
    return found


def test_an_interrupted_search_ends_soon_and_can_go_on():
    for state, value, needed in some_proven("freestyle")[:5]:
        assert ThreatProbe(state).prove([], 20_000, looks=1 << 31)[1] == needed
        for looks in (1, 2, 5):
            probe = ThreatProbe(state)
            proof, spent = probe.prove([], 20_000, looks=looks)
            assert proof is None and 64 * looks <= spent < 800 * looks and spent <= needed
            proof, _spent = probe.prove([], 40_000)
            assert proof is not None and proof[0] == value


@pytest.mark.parametrize("rule", RULES)
def test_a_proof_is_found_in_slices(rule):
    for state, value, needed in some_proven(rule)[:6]:
        probe, total, proof = ThreatProbe(state), 0, None
        while proof is None and total < 10 * needed + 10_000:
            proof, spent = probe.prove([], 2000)  # half of it for wins: less may not suffice for one position
            total += spent
        assert proof is not None and proof[0] == value


def test_the_prover_looks_for_threes_with_larger_budgets_only():
    state = placed(TWO_TWOS, APART[:4])
    for exact in (False, True):
        proof, spent = Probe(state).prove([], FOURS_ONLY, exact=exact)
        assert proof is None and spent <= ThreatProbe(state).prove([], FOURS_ONLY, threes=False)[1]
    proof, _spent = Probe(state).prove([], 2000)
    assert proof is not None and proof[:3] == (WIN, 5, True)
    check_to_the_end(state, ThreatProbe(state), [], proof, random.Random(1), 3)


@pytest.mark.parametrize("memory", [0, 5000, 1 << 20])
def test_any_memory_will_do(memory):
    for state, value, _needed in some_proven("freestyle")[:5]:
        proof, spent = ThreatProbe(state, memory).prove([], 40_000)
        assert spent <= 41_000 and (proof is None or proof[0] == value)


def test_a_search_plays_a_win_by_threes():
    state = placed(TWO_TWOS, APART[:4])
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=20_000)
    stats = engine.stats()
    assert stats.proven == "win" and stats.distance == 5


def test_positions_without_a_search_are_refused():
    with pytest.raises(mc.InvalidState, match="five in a row"):
        ThreatProbe(MNK(8, 8, 4))
    with pytest.raises(mc.InvalidState, match="goes on"):
        ThreatProbe(Gomoku.from_moves([0, 15, 1, 16, 2, 17, 3, 18, 4], size=15))
