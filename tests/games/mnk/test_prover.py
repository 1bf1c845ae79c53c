"""Proofs for m,n,k games: against minimax on small boards, against proven positions, and played out to the end."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core import MNK, Gomoku, dispatch
from mcts_core.testing.probe import Probe
from mcts_core.testing.threat_probe import ThreatProbe

DATA = Path(__file__).resolve().parents[2] / "data"
LOSS, DRAW, WIN = 0, 1, 2
PLENTY = 10**6
NEVER = 1 << 31
"""Looks at the interrupt."""
RULES = ("freestyle", "exact")


def rows(name):
    lines = (DATA / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def cells(text, cols):
    """The moves of a list of x,y."""
    pairs = [pair.split(",") for pair in text.split(";")] if text not in "-." else []
    return [int(y) * cols + int(x) for x, y in pairs]


class Truth:
    """A position of gomoku_dev.tsv."""

    def __init__(self, row):
        self.rule = "exact" if row[0] == "exact5" else "freestyle"
        self.kind, self.plies = row[4], row[6]
        self.moves, self.good = (cells(row[i], 15) for i in (2, 5))
        self.state = Gomoku.from_moves(self.moves, size=15, rule=self.rule)


TRUTHS = [Truth(row) for row in rows("gomoku_dev.tsv")]
ATTACKS = [truth for truth in TRUTHS if truth.kind.startswith(("vcf", "open4", "win1"))]
DEFENCES = [truth for truth in TRUTHS if truth.kind.startswith("defend")]


def check_to_the_end(state, probe, path, proof, choose=None):
    """Plays a proof out against every reply, or those that ``choose`` picks; ``state`` is the one after ``path``."""
    value, distance, _exact, move = proof
    if value == WIN:
        after = state.play(move)
        if distance == 1:
            assert after.winner() == state.to_move
            return
        check_to_the_end(after, probe, path + [move], (LOSS, distance - 1, False, None), choose)
        return
    assert value == LOSS
    assert state.winner() is None
    replies = state.legal_moves()
    for reply in replies if choose is None else choose(replies):
        after = state.play(reply)
        assert after.winner() is None, str(after)
        answer, _spent = probe.prove(path + [reply], PLENTY)
        assert answer is not None and answer[0] == WIN and answer[1] <= distance - 1, (str(after), answer, distance)
        check_to_the_end(after, probe, path + [reply], answer, choose)


# ---- small boards: the exact search ----------------------------------------------------------------------------------

def minimax(state, table):
    """(value, plies to the end) of ``state`` and, in ``table``, of all that come after it."""
    if state not in table:
        winner = state.winner()
        if winner is not None:
            result = (DRAW if winner == 0 else LOSS, 0)
        else:
            children = [minimax(state.play(move), table) for move in state.legal_moves()]
            result = max(((2 - value, plies + 1) for value, plies in children), key=preference)
        table[state] = result
    return table[state]


def preference(result):
    value, plies = result
    return value, -plies if value == WIN else plies


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("m", "n", "k", "moves", "count", "step"), [
    (3, 3, 3, [], 5478, 1), (4, 3, 3, [5], None, 2), (5, 2, 4, [7], None, 2),
    pytest.param(4, 3, 3, [], None, 1, marks=pytest.mark.slow),
    pytest.param(5, 2, 4, [], None, 1, marks=pytest.mark.slow)])
def test_all_positions_have_the_value_and_distance_of_minimax(m, n, k, moves, count, step, rule):
    """All that come after these ``moves``."""
    table = {}
    minimax(MNK.from_moves(moves, m=m, n=n, k=k, rule=rule), table)
    assert count is None or len(table) == count
    for state, (value, plies) in list(table.items())[::step if rule == "freestyle" or count is None else 3 * step]:
        if state.winner() is not None:
            continue
        proof, _spent = Probe(state).prove([], PLENTY, exact=True, memory=1 << 14)
        assert proof is not None and proof[:3] == (value, plies, True), str(state)
        if proof[3] is None:
            assert value == LOSS
        else:
            after, left = table[state.play(proof[3])]
            assert 2 - after == value and left + 1 == plies, str(state)


def test_small_positions_have_their_proven_value():
    positions = rows("mnk_small_dev.tsv")
    assert len(positions) > 80
    for row in positions:
        m, n, k = map(int, row[:3])
        state = MNK.from_moves(cells(row[3], m), m=m, n=n, k=k)
        proof, _spent = Probe(state).prove([], PLENTY, exact=True)
        assert proof is not None and proof[0] == int(row[4]) + 1 and proof[2], row
        if proof[0] != LOSS:
            assert proof[3] in cells(row[5], m), row


@pytest.mark.parametrize("row", [row for row in rows("mnk_literature.tsv")
                                 if row[0] != "c4" and int(row[0]) * int(row[1]) <= 64
                                 and row[:3] not in (["7", "7", "5"], ["8", "8", "5"])], ids="-".join)
def test_empty_boards_of_the_literature_are_solved(row):
    m, n, k = map(int, row[:3])
    proof, _spent = Probe(MNK(m, n, k)).prove([], 10 * PLENTY, exact=True, memory=1 << 24)
    assert proof is not None and proof[0] == int(row[3]) + 1 and proof[2]
    assert proof[0] == WIN or proof[1] == m * n


def random_position(chooser, m, n, k, rule, stones):
    """A position of that many stones where the game goes on; None when the moves drawn ended it."""
    state = MNK(m, n, k, rule=rule)
    for _ in range(stones):
        state = state.play(chooser.choice(state.legal_moves()))
        if state.winner() is not None:
            return None
    return state


BOARDS = [(5, 5, 4), (6, 5, 4), (7, 4, 4), (6, 6, 5), (7, 7, 5), (8, 8, 5), (6, 6, 6), (5, 4, 3), (32, 2, 5)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("m", "n", "k"), BOARDS)
def test_a_position_is_worth_what_its_best_move_leads_to(m, n, k, rule):
    chooser, checked = random.Random(f"{m} {n} {k}"), 0
    while checked < 6:
        state = random_position(chooser, m, n, k, rule, chooser.randrange(max(2, m * n - 26), m * n - 4))
        if state is None:
            continue
        probe = Probe(state)
        proof, _spent = probe.prove([], PLENTY, exact=True)
        if proof is None:
            continue
        reached = {}
        for move in state.legal_moves():
            winner = state.play(move).winner()
            if winner is None:
                child, _spent = probe.prove([move], PLENTY, exact=True)
                assert child is not None and child[2]
                reached[move] = 2 - child[0], child[1] + 1
            else:
                reached[move] = DRAW if winner == 0 else WIN, 1
        assert proof[2] and proof[:2] == max(reached.values(), key=preference), (str(state), proof)
        assert proof[3] is None or reached[proof[3]] == proof[:2], (str(state), proof)
        quick, _spent = Probe(state).prove([], PLENTY)
        assert quick[0] == proof[0] and quick[1] >= proof[1], (str(state), quick, proof)
        checked += 1


@pytest.mark.parametrize(("board", "slice_"), [((6, 4, 4), 5000), ((5, 5, 4), 5000), ((6, 5, 4), 500)])
def test_calls_in_slices_lose_little(board, slice_):
    at_once, needed = Probe(MNK(*board)).prove([], PLENTY, exact=True)
    probe, total, calls, proof = Probe(MNK(*board)), 0, 0, None
    while (proof is None or not proof[2]) and calls < 1000:
        proof, spent = probe.prove([], slice_, exact=True)
        assert spent <= slice_ + 500
        total += spent
        calls += 1
    assert calls > 1 and proof == at_once
    assert total <= 1.3 * needed


@pytest.mark.parametrize("board", [(6, 4, 4), (5, 5, 4), (8, 8, 5)])
def test_an_interrupted_proof_can_go_on(board):
    expected = Probe(MNK(*board)).prove([], 50_000)
    assert Probe(MNK(*board)).prove([], 50_000, looks=NEVER) == expected
    for looks in (1, 2, 9):
        probe = Probe(MNK(*board))
        proof, spent = probe.prove([], PLENTY, looks=looks)
        assert proof is None and looks * 256 <= spent < looks * 256 + 500
    if board != (8, 8, 5):
        assert probe.prove([], PLENTY, exact=True)[0] == Probe(MNK(*board)).prove([], PLENTY, exact=True)[0]


# ---- threats ---------------------------------------------------------------------------------------------------------

def test_attacks_of_fours_are_found_with_the_shortest_distance():
    assert len(ATTACKS) > 140
    for truth in ATTACKS:
        proof, spent = Probe(truth.state).prove([], PLENTY)
        assert proof is not None and proof[0] == WIN and proof[3] in truth.good, str(truth.state)
        assert proof[1] == int(truth.plies), (truth.kind, proof)
        assert proof[2] == (proof[1] <= 5) and spent < PLENTY


def test_most_attacks_need_a_small_budget():
    found = [Probe(truth.state).prove([], 500)[0] is not None for truth in ATTACKS]
    assert sum(found) >= 0.95 * len(found)


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", RULES)
def test_attacks_hold_against_every_defence(rule, step):
    played = 0
    for truth in TRUTHS[::step]:
        if truth.rule != rule:
            continue
        probe = Probe(truth.state)
        # Those by threes have too many lines of play: test_continuous_threats.py plays some of each.
        if ThreatProbe(truth.state).prove([], PLENTY, threes=False)[0] is not None:
            proof, _spent = probe.prove([], PLENTY)
            check_to_the_end(truth.state, probe, [], proof)
            played += 1
    assert played > 60 // step


def test_the_defender_of_an_attack_is_proven_lost():
    for truth in ATTACKS:
        probe = Probe(truth.state)
        proof, _spent = probe.prove([], PLENTY)
        if proof[1] > 1:
            lost, _spent = probe.prove([proof[3]], PLENTY)
            assert lost is not None and lost[0] == LOSS and lost[1] == proof[1] - 1, str(truth.state)
            assert lost[2] == (lost[1] <= 4)


@pytest.mark.parametrize("most", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_moves_known_to_lose_are_proven_so_and_no_other(most):
    assert len(DEFENCES) > 80
    chooser, attacks = random.Random(4), []
    for truth in DEFENCES:
        probe = Probe(truth.state)
        legal = set(truth.state.legal_moves())
        for move in truth.good:
            fours, _spent = ThreatProbe(truth.state).prove([move], 10_000, threes=False)
            if fours is not None and fours[0] == WIN:
                proof, _spent = probe.prove([move], 20_000)
                # The list knows attacks of fours alone, and stops at those of 13 plies.
                assert proof[1] > 13, (str(truth.state), move)
                attacks.append((truth.state.play(move), probe, [move], proof))
        losing = sorted(legal - set(truth.good))
        for move in chooser.sample(losing, min(most, len(losing))):
            proof, _spent = probe.prove([move], 20_000)
            assert proof is not None and proof[0] == WIN, (str(truth.state), move)
    if most == 3:  # each takes seconds
        check_to_the_end(*attacks[-1], choose=lambda replies: replies[::2])
    else:
        for attack in attacks:
            check_to_the_end(*attack)
    assert attacks


def placed(first, second, cols=15, rows=15, rule="freestyle"):
    """A position with stones on these (x, y)."""
    grid = [["."] * cols for _ in range(rows)]
    for mark, stones in (("X", first), ("O", second)):
        for x, y in stones:
            grid[y][x] = mark
    return MNK.from_string("\n".join(" ".join(row) for row in grid), m=cols, n=rows, k=5, rule=rule)


def scattered(count):
    """Stones that threaten nothing, in the lower part of 15x15."""
    return [(0, 14), (4, 12), (8, 14), (12, 12), (14, 9), (1, 9), (14, 14)][:count]


@pytest.mark.parametrize("rule", RULES)
def test_two_fives_at_once_cannot_be_stopped(rule):
    state = placed(scattered(4), [(3, 3), (4, 3), (5, 3), (6, 3)], rule=rule)
    assert Probe(state).prove([], 100)[0][:3] == (LOSS, 2, True)


@pytest.mark.parametrize("rule", RULES)
def test_two_open_threes_cannot_be_stopped_and_one_can(rule):
    lost = placed(scattered(6), [(3, 3), (4, 3), (5, 3), (10, 6), (10, 7), (10, 8)], rule=rule)
    probe = Probe(lost)
    proof, _spent = probe.prove([], PLENTY)
    assert proof is not None and proof[:3] == (LOSS, 4, True)
    check_to_the_end(lost, probe, [], proof)
    assert Probe(placed(scattered(3), [(3, 3), (4, 3), (5, 3)], rule=rule)).prove([], PLENTY)[0] is None


def test_a_four_in_reply_is_no_escape_but_counts_as_resistance():
    # The defender's only three makes fours, each of which costs the attacker a stone elsewhere.
    own = [(0, 14), (1, 14), (2, 14)] + scattered(6)[3:]
    lost = placed(own, [(3, 3), (4, 3), (5, 3), (10, 6), (10, 7), (10, 8)])
    probe = Probe(lost)
    proof, _spent = probe.prove([], PLENTY)
    assert proof is not None and proof[0] == LOSS and proof[1] > 4
    check_to_the_end(lost, probe, [], proof, choose=lambda replies: replies[::3] + [m for m in replies if m >= 210])


def test_an_overline_wins_in_freestyle_only():
    own, others = [(3, 3), (4, 3), (5, 3), (7, 3), (8, 3)], scattered(5)
    assert Probe(placed(own, others)).prove([], 1000)[0][:2] == (WIN, 1)
    proof, _spent = Probe(placed(own, others, rule="exact")).prove([], 1000)
    assert proof is None or proof[1] > 1
    # The same line for the opponent is a threat in freestyle only.
    assert Probe(placed(scattered(4) + [(7, 9)], own)).prove([54 + 15 * 4], 1000)[0][:2] == (WIN, 1)
    after = Probe(placed(scattered(4) + [(7, 9)], own, rule="exact")).prove([54 + 15 * 4], 1000)[0]
    assert after is None or after[1] > 1


CORNERS = [(1, 0), (0, 1), (1, 1), (1, -1)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("cols", "rows_"), [(32, 32), (15, 15), (9, 32), (32, 9), (13, 8), (7, 7), (5, 5)])
def test_fives_are_seen_in_all_places(cols, rows_, rule):
    lines = 0
    for dx, dy in CORNERS:
        for y in range(rows_):
            for x in range(cols):
                line = [(x + i * dx, y + i * dy) for i in range(5)]
                ends_inside = 0 <= line[4][0] < cols and 0 <= line[4][1] < rows_
                near_edge = min(x, y, cols - 1 - x, rows_ - 1 - y) <= 5
                if not ends_inside or not near_edge or (x + 2 * y + (rule == "exact")) % 5 and cols > 9:
                    continue
                gap = line[(x + y) % 5]
                own = [cell for cell in line if cell != gap]
                used = set(line)
                free = [(a, b) for b in range(rows_) for a in range(cols)
                        if (a, b) not in used and (a + 2 * b) % 5 == 0][:4]
                state = placed(own, free, cols, rows_, rule)
                proof = Probe(state).prove([], 100)[0]
                assert proof[:3] == (WIN, 1, True) and state.play(proof[3]).winner() == 1, str(state)
                lines += 1
    assert lines >= 12


def turned(move, symmetry):
    x, y = move % 15, move // 15
    if symmetry & 1:
        x = 14 - x
    if symmetry & 2:
        y = 14 - y
    if symmetry & 4:
        x, y = y, x
    return 15 * y + x


def test_turned_positions_have_the_same_proof():
    for truth in TRUTHS[::5]:
        proofs = set()
        for symmetry in range(8):
            moves = [turned(move, symmetry) for move in truth.moves]
            state = Gomoku.from_moves(moves, size=15, rule=truth.rule)
            proof, _spent = ThreatProbe(state).prove([], PLENTY, threes=False)  # by threes not always the shortest one
            proofs.add(proof and proof[:3])
        assert len(proofs) == 1, (str(truth.state), proofs)


def test_an_attack_is_found_in_slices():
    long = max(ATTACKS, key=lambda truth: int(truth.plies))
    at_once, needed = Probe(long.state).prove([], PLENTY)
    probe, total, proof = Probe(long.state), 0, None
    while proof is None and total < 20 * needed:
        proof, spent = probe.prove([], 100)
        total += spent
    assert proof is not None and proof[:3] == at_once[:3]
    assert total <= 2 * needed


def test_an_interrupted_attack_can_go_on():
    long = max(ATTACKS, key=lambda truth: int(truth.plies))
    expected, needed = Probe(long.state).prove([], PLENTY)
    assert Probe(long.state).prove([], PLENTY, looks=NEVER) == (expected, needed)
    assert needed > 1000
    for looks in (1, 2, 3):
        probe = Probe(long.state)
        proof, spent = probe.prove([], PLENTY, looks=looks)
        assert proof is None and looks * 64 <= spent < looks * 64 + 500
        assert probe.prove([], PLENTY)[0][:3] == expected[:3]


# ---- memory and the like ---------------------------------------------------------------------------------------------

def test_a_path_is_as_good_as_a_state():
    truth = next(truth for truth in ATTACKS if truth.kind == "vcf9")
    probe = Probe(Gomoku(15, rule=truth.rule))
    assert probe.prove(truth.moves, PLENTY) == Probe(truth.state).prove([], PLENTY)
    assert probe.prove([], 1000)[0] is None
    assert probe.prove(truth.moves, PLENTY)[0] == Probe(truth.state).prove([], PLENTY)[0]


@pytest.mark.parametrize("state", [MNK(5, 4, 4), max(ATTACKS, key=lambda truth: int(truth.plies)).state], ids=str)
def test_forgetting_starts_anew(state):
    probe = Probe(state)
    fresh = probe.prove([], PLENTY, exact=True)
    again, spent = probe.prove([], PLENTY, exact=True)
    assert again == fresh[0] and spent < fresh[1]
    for _ in range(1100):
        probe.forget()
    assert probe.prove([], PLENTY, exact=True) == fresh


@pytest.mark.parametrize("memory", [0, 5000, 1 << 20])
def test_any_memory_will_do(memory):
    proof, _spent = Probe(MNK(5, 4, 4)).prove([], PLENTY, exact=True, memory=memory)
    assert proof[:3] == (DRAW, 20, True)
    truth = ATTACKS[-1]
    assert Probe(truth.state).prove([], PLENTY, memory=memory)[0][:2] == (WIN, int(truth.plies))


def test_boards_without_a_prover_say_so():
    assert Probe(MNK(9, 9, 4)).guide[3] is False
    assert all(Probe(state).guide[3] for state in (MNK(9, 9, 5), MNK(8, 8, 4), Gomoku(32)))


def test_no_budget_proves_nothing_false():
    for state in (MNK(5, 5, 4), MNK(6, 6, 5), Gomoku(15), Gomoku(32, rule="exact")):
        proof, spent = Probe(state).prove([], 0)
        assert proof is None or proof[0] == DRAW
        assert spent < 500


PROGRAM = """
import random
from mcts_core import MNK
from mcts_core.testing.probe import Probe

chooser = random.Random(8)
for m, n, k in ((5, 5, 4), (6, 6, 5), (15, 15, 5), (20, 9, 5)):
    for rule in ("freestyle", "exact"):
        for _ in range(10):
            state = MNK(m, n, k, rule=rule)
            for _ in range(m * n // 3):
                after = state.play(chooser.choice(state.legal_moves()))
                state = after if after.winner() is None else state
            print(Probe(state).prove([], 3000, True))
"""


def test_every_instruction_set_proves_the_same():
    outputs = [subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "MCTS_CORE_ISA": isa}, check=True,
                              capture_output=True, text=True).stdout for isa in dispatch.supported()]
    assert outputs[0].count("\n") == 80 and "None" in outputs[0] and "True" in outputs[0]
    assert len(set(outputs)) == 1


@pytest.mark.parametrize("position", [mc.Gomoku.from_moves([40, 0, 41, 8], size=9),
                                      mc.MNK.from_moves([12, 0, 13, 4], m=5, n=5, k=5)], ids=repr)
def test_what_was_found_is_forgotten_after_any_number_of_searches(position):
    def figures(engine):
        stats = engine.stats()
        visits = [(move.move, move.visits) for move in stats.moves]
        return stats.value, stats.nodes, stats.proven, stats.distance, visits

    engine = mc.Searcher(seed=1, reuse=False, memory_mb=8)
    for number in range(1100):  # the marks of 1,023 searches are different; then the table is made anew
        engine.search(position, iterations=20)
        if number % 100 == 0 or number > 1010:
            fresh = mc.Searcher(seed=engine.stats().seed, memory_mb=8)
            fresh.search(position, iterations=20)
            assert figures(engine) == figures(fresh), number


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts what only Linux tells")
def test_a_short_search_touches_little_memory():
    import resource

    mc.search(Gomoku(), iterations=10)  # the network's tables
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    mc.search(Gomoku(), iterations=3000, seed=1)
    touched = (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * resource.getpagesize()
    assert touched < 6 << 20  # 16 MB where the proofs are spread over their whole table


# ---- wins alone ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("truth", ATTACKS[::6] + DEFENCES[::6], ids=lambda truth: f"{truth.kind} {truth.rule}")
def test_a_search_for_wins_alone_finds_the_same_wins_and_no_losses(truth):
    full, _spent = Probe(truth.state).prove([], 20_000)
    wins, spent = Probe(truth.state).prove([], 20_000, wins_only=True)
    assert spent <= 21_000
    if full is not None and full[0] == WIN:
        assert wins[0] == WIN
        check_to_the_end(truth.state, Probe(truth.state), [], wins, lambda replies: random.Random(1).sample(replies, 2))
    else:
        assert wins is None or wins[0] == WIN


def test_a_search_for_wins_alone_proves_no_loss_where_all_moves_lose():
    state = Gomoku.from_moves("a1 h8 a3 h9 a5 h10 o1 h11", size=15)  # two cells for a five
    assert Probe(state).prove([], 1000)[0][:2] == (LOSS, 2)
    assert Probe(state).prove([], 1000, wins_only=True)[0] is None


def test_a_large_budget_finds_the_shortest_attack_of_fours_and_a_small_one_any():
    longer = 0
    for truth in ATTACKS:
        any_, _spent = ThreatProbe(truth.state).prove([], 200, threes=False)
        shortest, _spent = ThreatProbe(truth.state).prove([], PLENTY, threes=False)
        assert shortest[0] == WIN
        if any_ is not None:
            assert any_[0] == WIN and any_[1] >= shortest[1] and (any_[1] == shortest[1] or shortest[1] > 5)
            longer += any_[1] > shortest[1]
    assert longer  # it does not always happen to find the shortest one


def test_an_attack_that_failed_is_not_searched_again_after_a_stone_of_the_other_player():
    budget = 200
    spent = {True: 0, False: 0}
    for truth in DEFENCES[::2]:
        other = truth.state.play(truth.good[0]).legal_moves()
        parent = [truth.good[0], other[len(other) // 3]]
        if Probe(truth.state).prove(parent, budget)[0] is not None:
            continue  # the tree goes no further
        for move in truth.state.play(parent[0]).play(parent[1]).legal_moves()[::50]:
            found = {}
            for after_parent in spent:
                probe = Probe(truth.state)
                if after_parent:
                    probe.prove(parent, budget)
                found[after_parent], steps = probe.prove([*parent, move], budget)
                spent[after_parent] += steps
            if found[True] and found[False]:
                assert found[True][0] == found[False][0], (truth.state, parent, move)
    assert 0 < spent[True] < 0.8 * spent[False], spent
