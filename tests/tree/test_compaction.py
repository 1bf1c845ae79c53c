"""src/mcts_core/tree/compaction.pyx: searches that are longer than their memory, and what pruning keeps."""

import subprocess
import sys
from pathlib import Path

import pytest
from value_games import Claim

import mcts_core as mc
from mcts_core.testing.tree_probe import audit, keep, prune, records

pytestmark = pytest.mark.usefixtures("no_book")

DATA = Path(__file__).resolve().parents[1] / "data"
NO_PROOFS = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
GAMES = [mc.ConnectFour(), mc.ConnectFour(5, 8, 4), mc.ConnectFour(11, 10, 4), mc.MNK(6, 6, 4), mc.Gomoku(9),
         mc.Gomoku(15, "exact")]
SEARCHES = {
    "uct": ({"preset": "uct"}, 200_000),
    "uct, leaves of 3": ({"preset": "uct", "rollouts_per_leaf": 3}, 110_000),
    "guided": ({**NO_PROOFS, "expand_after": 2}, 25_000),
    "guided, leaves of 3": ({**NO_PROOFS, "rollouts_per_leaf": 3, "expand_after": 1}, 13_000),
    "no solver": ({"solver": False, "expand_after": 2, "fpu": 0.6}, 20_000),
    "tuned": ({**NO_PROOFS, "selection": "ucb1-tuned", "expand_after": 1}, 16_000),
    "rave": ({"solver": False, "selection": "rave", "expand_after": 1}, 13_000),
    "grave": ({**NO_PROOFS, "selection": "grave", "grave_ref": 8, "expand_after": 1}, 13_000),
}


class Wide:
    """Forty numbers, of which six are taken, by turns but for every third: a tree that never ends."""

    def __init__(self, taken=frozenset(), to_move=1):
        self.taken, self.to_move = taken, to_move

    def legal_moves(self):
        return [n for n in range(40) if n not in self.taken]

    def play(self, move):
        return Wide(self.taken | {move}, -self.to_move if move % 3 else self.to_move)

    def winner(self):
        return None if len(self.taken) < 6 else 1 - sum(self.taken) % 3


class Broad:
    """So many moves that one node is all the memory there is."""

    def __init__(self, plies=0, narrow=0):
        self.plies, self.narrow, self.to_move = plies, narrow, 1 - plies % 2 * 2

    def legal_moves(self):
        return list(range(self.narrow if self.plies == 0 and self.narrow else 60_000))

    def play(self, move):
        return Broad(self.plies + 1)

    def winner(self):
        return 1 if self.plies == 3 else None


class Uneven:
    """A tree in which nodes have few or many moves, drawn from their number: records of many sizes."""

    def __init__(self, sizes, number=1, plies=0):
        self.sizes, self.number, self.plies, self.to_move = sizes, number, plies, 1 - plies % 2 * 2

    def legal_moves(self):
        return list(range(self.sizes[self.number // 64 % len(self.sizes)]))

    def play(self, move):
        number = (self.number * 1_103_515_245 + 12_345 + move * 2_654_435_761) % 2**31
        return Uneven(self.sizes, number, self.plies + 1)

    def winner(self):
        if self.plies == 8:
            return self.number // 32 % 3 - 1
        return -self.to_move if self.plies >= 3 and self.number // 256 % 41 == 0 else None


def figures(stats):
    data = stats.to_dict()
    for name in ("seconds", "iterations_per_second", "overshoot"):
        del data[name]
    return data


def check(engine, state, iterations, memory_mb=1):
    """What holds of every search, whatever was pruned; its Stats."""
    stats = engine.stats()
    nodes, used, taken = audit(engine, int(stats.proven is not None))
    assert stats.bytes <= memory_mb * 2**20
    assert used <= taken and stats.bytes % taken == 0
    assert stats.visits == stats.iterations == iterations or stats.proven
    counted = sum(entry.visits for entry in stats.moves)
    assert counted == stats.iterations or counted > stats.iterations and any(
        entry.proven == "draw" for entry in stats.moves)
    assert {entry.move for entry in stats.moves} == set(state.legal_moves())
    assert all(0 <= entry.wins <= entry.visits for entry in stats.moves) and 0 <= stats.value <= 1
    assert stats.move == stats.pv[0] and stats.move in state.legal_moves()
    assert (stats.prunes > 0) == (stats.dropped_nodes > 0)
    assert nodes >= 1
    return stats


# ---- searches that are longer than their memory ----------------------------------------------------------------------

@pytest.mark.parametrize(("name", "state"), [
    pytest.param(name, state, marks=[] if name in ("uct", "guided") or state in GAMES[::2] else pytest.mark.slow)
    for name in SEARCHES for state in GAMES], ids=str)
def test_a_full_tree_is_pruned_and_the_search_goes_on(name, state):
    options, iterations = SEARCHES[name]
    found = []
    for _ in range(2 if state in (mc.ConnectFour(), mc.Gomoku(9)) else 1):
        engine = mc.Searcher(memory_mb=1, seed=9, **options)
        engine.search(state, iterations=iterations)
        stats = check(engine, state, iterations)
        assert stats.prunes > 0 and stats.stop_reason == "iterations" or stats.stop_reason == "solved"
        found.append(figures(stats))
    assert found[0] == found[-1]
    if name.startswith("uct"):
        assert stats.nodes == audit(engine)[0] and stats.nodes + stats.dropped_nodes >= stats.rollouts // (
            3 if "leaves" in name else 1)


@pytest.mark.parametrize(("options", "iterations"), [
    ({"preset": "uct"}, 60_000), ({}, 10_000), ({"selection": "grave", "grave_ref": 8}, 2000),
], ids=str)
def test_games_written_in_python_are_pruned(options, iterations):
    engine = mc.Searcher(memory_mb=1, seed=2, **options)
    engine.search(Wide(), iterations=iterations)
    stats = check(engine, Wide(), iterations)
    assert stats.prunes > 0 and stats.stop_reason == "iterations"


def test_nodes_that_were_widened_are_pruned():
    """Blocks of all moves are younger than those of the moves below them."""
    state = mc.MNK(9, 9, 5)
    for seed in range(3):
        engine = mc.Searcher(memory_mb=1, seed=seed, expand_distance=1, expand_after=1, valuation="rollout",
                             **NO_PROOFS)
        engine.search(state, iterations=12_000)
        assert check(engine, state, 12_000).prunes > 5


@pytest.mark.parametrize(("memory_mb", "iterations"), [
    (1, 300_000), (1.01, 300_000), (2.02, 600_000), (7, 1_500_000)])
def test_any_budget_is_kept_all_the_time(memory_mb, iterations):
    state, seen = mc.ConnectFour(), []
    engine = mc.Searcher(memory_mb=memory_mb, preset="uct", seed=1)
    engine.search(state, iterations=iterations, progress=seen.append, every=0.001)
    stats = check(engine, state, iterations, memory_mb)
    assert stats.prunes > 0 and seen and all(figures.bytes <= memory_mb * 2**20 for figures in seen)
    assert max(figures.bytes for figures in [stats, *seen]) > 0.5 * memory_mb * 2**20
    assert engine._core.held <= memory_mb * 2**20


def test_slices_and_deadlines_that_do_not_strike_change_nothing():
    found = []
    for budget in ({}, {"seconds": 600}, {"progress": lambda stats: None, "every": 0.001}):
        engine = mc.Searcher(memory_mb=1, seed=3, preset="uct")
        engine.search(mc.ConnectFour(), iterations=600_000, **budget)
        found.append(figures(engine.stats()))
    assert found[0]["prunes"] > 3 and found[0] == found[1] == found[2]


def test_a_search_by_time_prunes_and_keeps_its_deadline():
    engine, late = mc.Searcher(memory_mb=1, preset="uct"), []
    for _ in range(4):
        engine.search(mc.ConnectFour(), 0.15)
        stats = engine.stats()
        assert stats.stop_reason == "time" and stats.bytes <= 2**20
        late.append(stats.overshoot)
        if stats.prunes and late[-1] < 0.02:
            break
    assert stats.prunes > 0 and min(late) < 0.02


def test_without_pruning_a_full_tree_ends_the_search():
    for options in ({"preset": "uct"}, NO_PROOFS):
        engine = mc.Searcher(memory_mb=1, seed=3, prune=False, **options)
        engine.search(mc.ConnectFour(), iterations=1_000_000)
        stats = engine.stats()
        assert (stats.stop_reason, stats.prunes, stats.dropped_nodes) == ("memory", 0, 0)
        longer = mc.Searcher(memory_mb=1, seed=3, **options)
        longer.search(mc.ConnectFour(), iterations=stats.iterations)
        assert figures(longer.stats()) == figures(stats) | {"stop_reason": "iterations"}
        longer.search(mc.ConnectFour(), iterations=stats.iterations + 5000)
        assert longer.stats().prunes == 1
    assert "prune=False" in repr(engine) and "prune" not in repr(longer)


def test_a_node_that_no_memory_holds_ends_the_search():
    """Pruning for it would go on for ever."""
    with pytest.raises(mc.InvalidOption, match="memory_mb must be larger for this position, .* got 1$"):
        mc.Searcher(memory_mb=1).search(Broad(), iterations=50)
    engine = mc.Searcher(memory_mb=1, seed=1)
    assert engine.search(Broad(narrow=3), iterations=50) in range(3)
    assert engine.stats().stop_reason == "memory" and 0 < engine.stats().iterations < 50
    audit(engine)


def test_a_proof_may_come_after_pruning():
    solved = 0
    for seed in range(4):
        engine = mc.Searcher(memory_mb=1, seed=seed, selection="grave", expand_after=1, **NO_PROOFS)
        engine.search(mc.MNK(6, 6, 4), iterations=200_000)
        stats = engine.stats()
        assert stats.proven in (None, "win")
        solved += stats.proven == "win" and stats.prunes > 0
    assert solved > 0


# ---- what goes -------------------------------------------------------------------------------------------------------

BUCKET = 1.126
"""Visits that count alike are within an eighth of an octave."""


@pytest.mark.parametrize("way", [prune, keep])
@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.0])
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 2}, NO_PROOFS,
                                     {"selection": "grave", "grave_ref": 5, **NO_PROOFS},
                                     {"selection": "rave", "solver": False, "expand_after": 1}], ids=str)
@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.MNK(5, 5, 4), Claim()], ids=repr)
def test_the_least_visited_subtrees_go(state, options, share, way):
    if isinstance(state, Claim):
        options = {name: value for name, value in options.items() if name not in NO_PROOFS}
    engine = mc.Searcher(seed=5, memory_mb=16, **options)
    engine.search(state, iterations=2500)
    prune(engine, 1.0)  # only what is linked
    before, stats = records(engine), engine.stats()
    total = audit(engine)[2]
    way(engine, share)
    after, pruned = records(engine), engine.stats()
    nodes, used, taken = audit(engine)
    assert used == taken and (taken <= share * total or len(after) == 1)
    assert nodes == pruned.nodes and nodes + pruned.dropped_nodes == stats.nodes
    # what is left is as it was, with all that is above it
    assert () in after and all(record == before[path] for path, record in after.items())
    assert all(path[:-1] in after for path in after)
    assert (pruned.moves, pruned.value, pruned.visits) == (stats.moves, stats.value, stats.visits)
    # nothing that went had more visits than what stayed
    gone = {path: record for path, record in before.items() if path not in after}
    most = max(visits for visits, _, _ in gone.values())
    assert (pruned.prunes, stats.prunes) == (1, 0) and pruned.dropped_nodes > 0
    if len(after) > 1:
        assert most <= BUCKET * min(visits for path, (visits, _, _) in after.items() if path) + 1
    # and no more went than had to: what was the next to stay does not fit
    least, size = (most, min) if way is prune else ((most - 1) / BUCKET, max)
    level = [units for path, (visits, _, units) in gone.items() if visits >= least and path[:-1] in after]
    assert taken + size(level) > share * total
    # the most visited line is there as far as its visits are
    line = ()
    while line in before and before[line][0] > BUCKET * most + 1:
        assert line in after
        children = before[line][1]
        line = (*line, max(children, key=lambda move: children[move]))
    assert line or most > 100


@pytest.mark.parametrize("way", [prune, keep])
@pytest.mark.parametrize(("sizes", "options", "iterations"), [
    ((3, 12, 20, 30), {"expand_after": 2}, 6000), ((3, 12, 20), {"expand_after": 1}, 6000),
    ((2, 5, 8, 130), {"preset": "uct", "rollouts_per_leaf": 2}, 15_000),
], ids=str)
def test_children_may_lie_before_their_parents(sizes, options, iterations, way):
    """Where the record of a node that was proven, or of a leaf that became a block, is used again."""
    engine = mc.Searcher(seed=9, memory_mb=16, **options)
    engine.search(Uneven(sizes), iterations=iterations)
    before = records(engine)
    way(engine, 1.0)
    assert records(engine) == before
    for share in (0.6, 0.3, 0.1):
        way(engine, share)
        after = records(engine)
        assert 1 < len(after) < len(before) and all(record == before[path] for path, record in after.items())
        assert audit(engine, 1)[0] == engine.stats().nodes
        before = after


@pytest.mark.parametrize("way", [prune, keep])
def test_what_no_link_leads_to_goes_without_a_prune(way):
    engine = mc.Searcher(seed=1, memory_mb=16, selection="grave", **NO_PROOFS)
    engine.search(mc.MNK(6, 6, 4), iterations=2000)
    _, used, taken = audit(engine)
    before = records(engine)
    assert used < taken  # proven nodes gave their children up
    for _ in range(2):
        way(engine, 1.0)
        assert audit(engine)[1:] == (used, used) and records(engine) == before
        assert engine.stats().prunes == engine.stats().dropped_nodes == 0


@pytest.mark.parametrize("way", [prune, keep])
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 3}, NO_PROOFS,
                                     {"selection": "rave"}, {"selection": "grave", "grave_ref": 5}], ids=str)
@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.ConnectFour(5, 8, 4), mc.Gomoku(9), Claim()], ids=repr)
def test_moving_records_changes_no_search(options, state, way, monkeypatch):
    """Compacted or not, a tree that loses nothing goes on in the same way."""
    monkeypatch.setattr("mcts_core.searcher.random_seed", lambda: 7)
    if isinstance(state, Claim):
        options = {name: value for name, value in options.items() if name not in NO_PROOFS}
    found = []
    for compacted in (False, True):
        engine = mc.Searcher(memory_mb=16, **options)
        engine.search(state, iterations=2000)
        if compacted:
            way(engine, 1.0)
        engine.search(state, iterations=1500)
        assert engine.stats().reused_visits == 2000 or engine.stats().proven
        found.append({**figures(engine.stats()), "nodes": 0, "bytes": 0})
        found[-1]["records"] = records(engine)
    assert found[0] == found[1]


@pytest.mark.parametrize(("options", "most"), [({"preset": "uct"}, 4000), ({"selection": "rave"}, 800)], ids=str)
@pytest.mark.parametrize("state", GAMES, ids=repr)
def test_without_time_little_is_kept_and_all_visits(state, options, most):
    engine = mc.Searcher(memory_mb=16, solver=False, **options)
    engine.search(state, iterations=60_000 if "preset" in options else 4000)
    before, stats = records(engine), engine.stats()
    keep(engine, 1.0, 0.0)
    after, kept = records(engine), engine.stats()
    assert 1 <= len(after) < 20 < len(before) and all(record == before[path] for path, record in after.items())
    assert (kept.moves, kept.value, kept.visits, kept.prunes) == (stats.moves, stats.value, stats.visits, 1)
    assert kept.nodes == audit(engine)[0] and kept.nodes + kept.dropped_nodes == stats.nodes
    engine.search(state, iterations=most)
    assert engine.stats().reused_visits == stats.visits and audit(engine)


def test_more_records_than_a_choice_has_room_for():
    """In a tree of one megabyte it has room for 4096: what is found later goes."""
    engine = mc.Searcher(memory_mb=1, preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=120_000)
    before, stats = records(engine), engine.stats()
    assert len(before) > 6000 and stats.prunes == 0
    keep(engine, 1.0)
    after, kept = records(engine), engine.stats()
    assert 2000 < len(after) < 4096 and all(record == before[path] for path, record in after.items())
    assert kept.prunes == 1 and kept.nodes == audit(engine)[0] and kept.nodes + kept.dropped_nodes == stats.nodes
    assert max(before[path][0] for path in before.keys() - after.keys()) < 200


# ---- the memory of the process ---------------------------------------------------------------------------------------

RESIDENT = """
import os, re, sys
import mcts_core as mc

def peak():
    if os.path.exists("/proc/self/status"):  # what resource tells includes the process that this one was forked from
        with open("/proc/self/status") as file:
            return int(re.search("VmHWM: *([0-9]+) kB", file.read().replace(chr(9), " "))[1]) * 1024
    import resource
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024

state = {state}
mc.Searcher(memory_mb=1, seed=1, {options}).search(state, iterations=100)
before = peak()
engine = mc.Searcher(memory_mb={memory_mb}, seed=1, {options})
engine.search(state, iterations={iterations})
print(peak() - before, engine.stats().bytes, engine.stats().prunes)
"""


@pytest.mark.needs("resource")
@pytest.mark.parametrize(("state", "options", "memory_mb", "iterations"), [
    ("mc.ConnectFour()", "preset='uct'", 8, 1_700_000),
    ("mc.ConnectFour()", "preset='uct', rollouts_per_leaf=2", 8, 700_000),
    ("mc.ConnectFour(11, 10, 4)", "preset='uct'", 8, 700_000),
    ("mc.ConnectFour()", "book=False, expand_after=1, root_proofs=0, node_proofs=1", 8, 120_000),
    ("mc.Gomoku(15)", "expand_after=1, valuation='rollout'", 8, 20_000),
    ("mc.Gomoku(15)", "expand_after=1, rollout='random', leaf_proofs=0", 8, 26_000),
    pytest.param("mc.ConnectFour()", "preset='uct', rollouts_per_leaf=2", 64, 8_000_000, marks=pytest.mark.slow),
    pytest.param("mc.ConnectFour(11, 10, 4)", "preset='uct'", 64, 8_000_000, marks=pytest.mark.slow),
    pytest.param("mc.Gomoku(15)", "expand_after=1, rollout='random', leaf_proofs=0", 64, 500_000,
                 marks=pytest.mark.slow),
])
def test_the_process_stays_within_the_budget(state, options, memory_mb, iterations):
    code = RESIDENT.format(state=state, options=options, memory_mb=memory_mb, iterations=iterations)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    grown, tree, prunes = map(int, done.stdout.split())
    assert prunes > 0 and tree <= memory_mb * 2**20
    assert grown <= (memory_mb + 16) * 2**20
    assert grown > 0.4 * memory_mb * 2**20  # what is measured is there
