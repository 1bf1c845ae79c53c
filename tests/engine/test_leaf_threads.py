"""One tree whose leaves are valued by several threads: src/mcts_core/engine/leaf_threads.pyx,
src/mcts_core/tree/flights.pxd."""

import _thread
import functools
import pickle
import random
import subprocess
import sys
import threading
import time

import pytest
from guided_oracle import FIRST_PROOF, Oracle
from network_oracle import Valuer, made_up

import mcts_core as mc
from mcts_core.games.mnk.network import Network
from mcts_core.testing.probe import Probe, check_tree

NO_PROVER = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
WORTH = 512  # iterations for which a thread is started
MOST = 8  # iterations in flight
ROUND = 256  # after so many iterations none is in flight


def found(state, iterations, threads, seed=3, **options):
    engine = mc.Searcher(threads=threads, seed=seed, memory_mb=64, **options)
    engine.search(state, iterations=iterations)
    check_tree(engine)
    return engine.stats()


@functools.cache
def of_one_thread(state, iterations, **options):
    return found(state, iterations, 1, **options)


@functools.cache
def of_two_threads(state, iterations):
    return found(state, iterations, 2)


def alike(stats):
    return stats.moves, stats.pv, stats.nodes, stats.bytes, stats.rollouts, stats.depth_mean, stats.prunes, stats.proven


# ---- against an oracle -----------------------------------------------------------------------------------------------

class Flight:
    def __init__(self, way, proven, points):
        self.way, self.proven, self.points, self.length = way, proven, points, len(way)


class FlightOracle(Oracle):
    """Iterations that begin before others end, without threads. Without exact search, a leaf's value does not depend on
    when it is found."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        self.cut = self.widened = 0  # iterations whose way had changed when they ended

    def fly(self, count):
        flights, done = [], 0
        while not self.settled and done < count:
            landing = min(done // ROUND * ROUND + ROUND, count)
            if self.proof is None and len(flights) < MOST and done + len(flights) < landing:
                flights.append(self.begin())
            elif flights:
                self.end(flights.pop(0))
                done += 1
            else:
                done += 1  # of a root whose value is known
        while flights:
            self.end(flights.pop(0))

    def begin(self):
        way, proven = self.descend()
        child = way[-1][1]
        if child.value is not None:
            points = child.value * self.rollouts_per_leaf
        else:
            points = self.value_leaf(way, [entry[1].move for entry in way[1:]])[0]
        for block, taken, _ in reversed(way[1:]):
            self.nodes += taken.visits == 0
            taken.visits += 1
            block.visits += 1
            block.stale = True
            assert block.visits < FIRST_PROOF or not self.node_proofs
        return Flight([list(entry) for entry in way], proven, points)

    def retrace(self, flight):
        way, block = [], self.top
        for before, child, drawn in flight.way:
            if block is not before:
                child, drawn = next((other for other in block.children if other.move == child.move), None), None
                self.widened += 1
            if child is None:
                break
            way.append([block, child, drawn])
            block = child.block
            if block is None or child.value is not None:
                break
        self.cut += len(way) < flight.length
        return way

    def end(self, flight):
        way = self.retrace(flight)
        child, points = way[-1][1], flight.points
        self.depths.append(flight.length - 1)
        if child.value is not None:
            points = child.value * self.rollouts_per_leaf
        if len(way) == flight.length and flight.proven and self.solver:
            way, points = self.settle(way, points)
        for block, child, drawn in reversed(way[1:]):
            child.wins += self.share(block.player, points)
            if drawn is not None:
                points = self.rollouts_per_leaf
                self.nodes += drawn.visits == 0
                self.add(drawn, points)
            block.best, block.stale = self.highest(block, block.children, None), False
        self.root.visits += 1
        self.root.wins += points


CASES = [
    (mc.Gomoku(6), {}, 2), (mc.Gomoku.from_moves("12 7 16", size=6), {"fpu": 0.3, "c_puct": 2.0}, 2),
    (mc.MNK(9, 5, 5).play(22), {"expand_after": 3, "symmetry": True}, 2),
    (mc.Gomoku.from_moves("12 7 16 8 11", size=5), {"solver": False}, 2),
    (mc.Gomoku.from_moves("12 7 16 8 11 0 4 20", size=5), {"noise_alpha": 0.3}, 3),
    (mc.Gomoku.from_moves("12 7 16 8 11 0 4 20 2 22 18 23 19 3", size=5), {"c_puct": 3.0}, 2),
]


def compare(state, threads, **options):
    """Runs the search and the oracle, whose figures must be equal. Returns the oracle."""
    count = WORTH * min(threads, MOST) + 100
    engine = mc.Searcher(seed=7, memory_mb=16, threads=threads, selection="puct", valuation="network",
                         **{"least_prior": 0.2, **NO_PROVER, **options})
    engine.search(state, iterations=count)
    stats, asked = engine.stats(), engine.options(state)
    del asked["final_move"], asked["exchange_every"]
    oracle = FlightOracle(Probe(state, 7), state.to_move, prover_bytes=0, **asked,
                          valuer=Valuer(asked["network"], state))
    oracle.fly(count)
    expected = oracle.figures()
    assert {name: getattr(stats, name) for name in expected} == expected
    expected = oracle.children()
    moves = {entry.move: (entry.visits, entry.wins, entry.proven, entry.distance) for entry in stats.moves}
    assert {move: moves[move] for move in expected} == expected
    assert stats.threads == threads
    check_tree(engine)
    return oracle


@pytest.mark.parametrize(("state", "options", "threads"), CASES, ids=lambda value: str(value)[:50].replace("\n", "/"))
def test_iterations_in_flight_equal_the_oracle(state, options, threads):
    """The oracle computes each value anew, so this also tests what the lanes keep from one leaf to the next."""
    compare(state, threads, network=Network(made_up(11)), **options)


def test_ways_that_change_while_an_iteration_is_in_flight():
    """Small boards with many stones, of whose moves most are left out at first: nodes are proven and widened all the
    time."""
    cut = widened = proven = 0
    for seed in range(4):
        choice, state = random.Random(seed), mc.MNK(5, 5, 5)
        while len(state.moves) < 10 + seed % 3:
            following = state.play(choice.choice(state.legal_moves()))
            state = following if following.winner() is None else state
        oracle = compare(state, 2, network=Network(made_up(seed, extreme=True)), least_prior=1.0, expand_distance=1,
                         c_puct=(1.0, 4.0)[seed % 2])
        cut, widened = cut + oracle.cut, widened + oracle.widened
        proven += any(child.value is not None for child in oracle.root.block.children)
    assert cut > 9 and widened > 9 and proven


# ---- determinism, proofs, what is counted ----------------------------------------------------------------------------

@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_number_of_threads_and_iterations_gives_the_same(threads):
    """Whatever the threads' speed, and with any seed: this search draws no random numbers."""
    state = mc.Gomoku.from_moves([112, 113, 127, 97, 128])
    first = found(state, 9001, threads)
    assert first.iterations == first.visits == sum(entry.visits for entry in first.moves) == 9001
    assert first.threads == threads
    assert abs(first.nodes - first.iterations) < 100  # it is one tree
    for seed in (3, 4):
        assert alike(found(state, 9001, threads, seed=seed)) == alike(first)
    # nor does it matter how many they are, so that the oracle need not be compared with many
    assert alike(first) == alike(of_two_threads(state, 9001))
    one = of_one_thread(state, 9001)
    assert abs(one.value - first.value) < 0.03 and alike(one) != alike(first)


def test_rollouts_for_a_share_of_the_value_are_drawn_by_seed():
    state, given = mc.Gomoku(9).play(40), {"valuation": 0.5, "selection": "puct"}
    first = found(state, 3000, 2, **given)
    assert alike(found(state, 3000, 2, **given)) == alike(first) != alike(found(state, 3000, 2, seed=4, **given))


def test_all_rollouts_of_a_leaf_count():
    for threads in (1, 2):
        stats = found(mc.Gomoku(9).play(40), 3000, threads, valuation=0.5, selection="puct", rollouts_per_leaf=3)
        assert stats.threads == threads and 2 * stats.iterations < stats.rollouts <= 3 * stats.iterations


def test_more_threads_than_may_be_in_flight():
    assert found(mc.Gomoku().play(112), 20_000, 40).threads == MOST
    assert found(mc.Gomoku().play(112), 1000, 2).threads == 1  # too few iterations to start one


@pytest.mark.parametrize("threads", [2, 5])
def test_proofs_are_those_of_one_thread(threads):
    """Every kind of proof: by the rules, by exact search of leaves, nodes and the root."""
    checked = 0
    for seed in range(40):
        choice, state = random.Random(seed), mc.MNK(*((6, 6, 5), (9, 9, 5), (15, 15, 5))[seed % 3])
        center = state.legal_moves()[len(state.legal_moves()) // 2]
        near = [move for move in state.legal_moves() if abs(move % state.m - center % state.m) < 4
                and abs(move // state.m - center // state.m) < 4]
        choice.shuffle(near)
        for move in near[:choice.randrange(8, 20)]:
            following = state.play(move)
            state = following if following.winner() is None else state
            near = [other for other in near if other in state.legal_moves()]
        given = {"selection": "puct", "valuation": "network", "root_proofs": (12, 0)[seed % 2]}
        stats, one = found(state, 4000, threads, **given), of_one_thread(state, 8000, **given)
        if stats.proven and one.proven:
            assert (state.moves, stats.proven) == (state.moves, one.proven)
            checked += 1
    assert checked > 25


def test_memory():
    first = found(mc.Gomoku(), 30_000, 2)
    small = mc.Searcher(threads=2, memory_mb=2, seed=3)
    for _ in range(2):
        small.search(mc.Gomoku(), iterations=30_000)
        check_tree(small)
        stats = small.stats()
        assert stats.prunes > 0 and stats.dropped_nodes > 0 and stats.bytes <= 2 << 20
        assert stats.stop_reason == "iterations" and stats.visits >= first.visits == 30_000


# ---- a search that ends otherwise, and what comes after --------------------------------------------------------------

def test_what_follows_a_search_goes_on_in_its_tree():
    engine, state = mc.Searcher(threads=3, memory_mb=64), mc.Gomoku().play(112)
    for iterations in (5000, 100, 5000, 5000):
        move = engine.search(state, iterations=iterations)
        check_tree(engine)
        stats = engine.stats()
        assert stats.threads == (3 if iterations > 1500 else 1)
        assert stats.visits == stats.reused_visits + iterations
        again = pickle.loads(pickle.dumps(engine))
        check_tree(again)
        assert again.stats() == stats
        if iterations == 100:
            engine = again
        state = state.play(move)
    assert stats.reused_visits > 100


def test_one_searcher_takes_searches_with_one_tree_and_with_several():
    engine = mc.Searcher(threads=2, memory_mb=32)
    for state in (mc.Gomoku(), mc.ConnectFour(), mc.Gomoku(9), mc.MNK(4, 4, 4), mc.Gomoku()) * 2:
        engine.search(state, iterations=3000)
        check_tree(engine)
        stats = engine.stats()
        assert stats.visits == stats.iterations + stats.reused_visits or stats.proven


def test_time_cancel_and_no_thread_left():
    before = _thread._count()
    engine, state = mc.Searcher(threads=4, memory_mb=64), mc.Gomoku.from_moves([112, 113, 127])
    for seconds in (0.0005, 0.002, 0.05):
        engine.search(state, seconds)
        check_tree(engine)
        assert (engine.stats().stop_reason, engine.stats().threads) == ("time", 4)
        assert engine.stats().visits == engine.stats().iterations + engine.stats().reused_visits
    for budget in ({"seconds": 60}, {"iterations": 10**7}):
        timer = threading.Timer(0.1, engine.stop)
        timer.start()
        engine.search(state, **budget)
        timer.join()
        assert engine.stats().stop_reason == "cancelled"
        check_tree(engine)
    with engine.pondering(state):
        time.sleep(0.05)
    check_tree(engine)
    assert _thread._count() <= before  # threads of an earlier test may have ended


@pytest.mark.parametrize("raised", [KeyError, KeyboardInterrupt])
def test_a_progress_callback_that_raises_ends_all_threads(raised):
    before = _thread._count()
    engine = mc.Searcher(threads=3, memory_mb=64)

    def fail(stats):
        assert sum(entry.visits for entry in stats.moves) == stats.visits  # nothing is in flight
        raise raised

    with pytest.raises(raised):
        engine.search(mc.Gomoku(), 30, progress=fail, every=0.01)
    assert _thread._count() <= before  # threads of an earlier test may have ended
    check_tree(engine)
    engine.search(mc.Gomoku(), iterations=5000)
    assert engine.stats().threads == 3


SHORT_OF_MEMORY = """
import os, resource, threading
import mcts_core as mc
from mcts_core.testing.probe import check_tree

def search(room):
    engine, failed = mc.Searcher(threads=8, memory_mb=16, seed=1), False
    mc.Searcher(memory_mb=1).search(mc.Gomoku(9), iterations=50)
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, resource.RLIM_INFINITY))
    try:
        engine.search(mc.Gomoku(9), iterations=30_000)
    except (MemoryError, RuntimeError):
        failed = True
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    try:
        failed |= engine.stats().stop_reason == "memory"
        check_tree(engine)
    except mc.NoSearch:
        pass
    return failed

threading.stack_size(1 << 18)
failed = 0
for step in range(20):  # in fresh processes, because memory that was given back may be had again
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = int(search((16 << 20) + step * 250_000))
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 1)
    failed += status
assert failed
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")
def test_in_a_fork_without_memory_iterations_in_flight_are_taken_back():
    """Also of leaves that were expanded while they were in flight."""
    subprocess.run([sys.executable, "-P", "-c", SHORT_OF_MEMORY], check=True)
