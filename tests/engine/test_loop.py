"""src/mcts_core/engine/loop.pyx and the trees that it drives: budgets, stop rules, signals, determinism."""

import copy
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import mcts_core as mc
from mcts_core.engine.loop import clock
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import TwoPlayerSettings, default_memory
from mcts_core.testing.probe import check_tree

pytestmark = pytest.mark.usefixtures("no_book")

PRESETS = ["uct", "strong"]
GAMES = [mc.ConnectFour(), mc.ConnectFour(8, 9, 5), mc.TicTacToe(), mc.Gomoku(15), mc.Gomoku(20, "exact")]


def test_default_memory_is_a_sensible_share():
    assert 64 * 2**20 <= default_memory() <= 2**50
    assert default_memory() <= (sys.maxsize + 1) // 4  # there are 2 GiB of addresses on a system of 32 bits
    assert sys.platform != "emscripten" or default_memory() == 64 * 2**20


def test_clock_runs_forward():
    first = clock()
    assert clock() >= first


@pytest.mark.parametrize("state", GAMES, ids=repr)
@pytest.mark.parametrize("preset", PRESETS)
def test_same_seed_same_search(preset, state):
    def run(seed):
        engine = mc.Searcher(preset=preset, seed=seed)
        move = engine.search(state, iterations=5000)
        stats = engine.stats()
        return move, stats.moves, stats.pv, stats.nodes, stats.depth_mean, stats.iterations, stats.proven

    assert run(11) == run(11)
    by_network = mc.Searcher(preset=preset).options(state)["valuation"] == "network"  # which draws nothing
    assert (run(11) == run(12)) is by_network


@pytest.mark.parametrize("preset", PRESETS)
def test_a_searcher_forgets_the_search_before(preset):
    engine = mc.Searcher(preset=preset, seed=5)
    engine.search(mc.ConnectFour(), iterations=3000)
    engine.search(mc.Gomoku(15), iterations=3000)
    engine.search(mc.ConnectFour(9, 7, 4), iterations=100)
    engine.search(mc.ConnectFour(), iterations=3000)
    stats = engine.stats()
    alone = mc.Searcher(preset=preset, seed=stats.seed)
    alone.search(mc.ConnectFour(), iterations=3000)
    first, again = alone.stats().to_dict(), stats.to_dict()
    for name in ("seconds", "iterations_per_second"):
        del first[name], again[name]
    assert first == again


def test_a_core_may_change_between_its_trees():
    """The plain tree and the guided one live side by side."""
    core, expected = TwoPlayerCore(2**28), {}
    for _ in range(2):
        for guided in (False, True):
            settings = TwoPlayerSettings(guided=guided, exploration=0.7, rollouts_per_leaf=1, by_value=False,
                                         tree_bytes=2**28)
            core.search(SearchRequest(mc.ConnectFour(), settings, clock(), iterations=2000, seed=3))
            figures = core.figures()
            found = figures["moves"], figures["nodes"], figures["iterations"]
            assert expected.setdefault(guided, found) == found and found[2] == 2000
    assert expected[False] != expected[True]


@pytest.mark.parametrize("preset", PRESETS)
def test_slices_do_not_change_a_search(preset):
    """A time budget that never strikes cuts the search into other slices, the tree is the same."""
    one, two = mc.Searcher(preset=preset, seed=9), mc.Searcher(preset=preset, seed=9)
    one.search(mc.ConnectFour(), iterations=20000)
    two.search(mc.ConnectFour(), seconds=60, iterations=20000)
    assert one.stats().moves == two.stats().moves
    assert two.stats().stop_reason == "iterations"


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.1])
@pytest.mark.parametrize("preset", PRESETS)
def test_time_budget_is_used_and_kept(preset, seconds):
    engine = mc.Searcher(preset=preset)
    overshoots = []
    for _ in range(50):  # until the system lets a search run in time
        begin = time.perf_counter()
        engine.search(mc.Gomoku(15), seconds)
        took = time.perf_counter() - begin
        stats = engine.stats()
        assert stats.stop_reason == "time"
        assert took >= seconds * 0.99 and stats.seconds >= seconds
        assert stats.overshoot == pytest.approx(stats.seconds - seconds, abs=1e-9)
        overshoots.append(stats.overshoot)
        if len(overshoots) > 1 and min(overshoots) < 0.01:
            break
    # correctness, not speed: a search that overlooked its deadline would be late every time
    assert min(overshoots) < 0.01


class Alarm(Exception):
    pass


def ring(number, frame):
    raise Alarm


def ended_by(how, engine, state):
    """Seconds that a search took after its end was due."""
    due = time.perf_counter() + 0.02
    if how == "deadline":
        engine.search(state, 0.02)
        assert engine.stats().stop_reason == "time"
    elif how == "stop":
        over = threading.Event()

        def keep_stopping():
            while not over.wait(0.02):
                engine.stop()

        stopper = threading.Thread(target=keep_stopping)
        stopper.start()
        engine.search(state, iterations=10**6)
        over.set()
        stopper.join()
        assert engine.stats().stop_reason == "cancelled"
    else:
        previous = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            with pytest.raises(Alarm):
                engine.search(state, iterations=10**6)
        finally:
            signal.signal(signal.SIGALRM, previous)
    return time.perf_counter() - due


@pytest.mark.parametrize("how", ["deadline", "stop", *(["signal"] if hasattr(signal, "setitimer") else [])])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.MNK(8, 8, 5), mc.MNK(7, 7, 4)], ids=repr)
def test_a_proof_of_seconds_ends_with_the_search(state, threads, how):
    late = []
    for _ in range(4):  # a busy machine may delay some of them
        engine = mc.Searcher(leaf_proofs=2**20, threads=threads, memory_mb=64)
        late.append(ended_by(how, engine, state))
        check_tree(engine)
        if late[-1] < 0.2:
            break
    assert min(late) < 0.2
    engine.search(state, 0.001)
    check_tree(engine)


@pytest.mark.parametrize("preset", PRESETS)
def test_iterations_are_exact(preset):
    engine = mc.Searcher(preset=preset, seed=1)
    for iterations in (1, 2, 63, 64, 65, 10_007):
        engine.search(mc.ConnectFour(), iterations=iterations)
        assert engine.stats().iterations == iterations
        assert engine.stats().stop_reason == "iterations"
        assert engine.stats().overshoot == 0.0


@pytest.mark.parametrize("state", GAMES, ids=repr)
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}, {}], ids=["uct", "guided", "strong"])
def test_memory_limit_ends_the_search(options, state):
    engine = mc.Searcher(memory_mb=1, seed=1, prune=False, **options)
    small = len(state.legal_moves()) == 9 and isinstance(state, mc.MNK)
    move = engine.search(state, iterations=5000 if small else 3_000_000)
    stats = engine.stats()
    assert stats.bytes <= 2**20
    if not small:
        # what is kept for exact search is not the tree's
        assert stats.stop_reason == "memory" and stats.bytes > (0.9 if "preset" in options else 0.55) * 2**20
    assert move in state.legal_moves()
    # a drawn child that is passed over counts beside the one that the iteration goes on into
    counted = sum(entry.visits for entry in stats.moves)
    assert counted == stats.iterations or counted > stats.iterations and any(
        entry.proven == "draw" for entry in stats.moves)
    engine.search(state, iterations=100)
    assert engine.stats().stop_reason == "iterations"


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0},
                                     {"solver": False, "selection": "rave"}, {"solver": False, "selection": "grave"}])
def test_a_full_tree_holds_what_an_unlimited_one_held_then(options):
    small = mc.Searcher(memory_mb=1, seed=4, prune=False, **options)
    small.search(mc.ConnectFour(), iterations=10**7)
    large = mc.Searcher(memory_mb=64, seed=4, **options)
    large.search(mc.ConnectFour(), iterations=small.stats().iterations)
    assert small.stats().stop_reason == "memory"
    assert small.stats().moves == large.stats().moves


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("state", "options"), [(mc.ConnectFour(), {"preset": "uct"}),
                                                (mc.MNK(9, 9, 5), {"expand_after": 1, "rollout": "random",
                                                                   "leaf_proofs": 0, "node_proofs": 0,
                                                                   "root_proofs": 0})], ids=["plain", "guided"])
def test_a_search_thinks_however_full_the_tree_is(state, options, threads):
    """Where to move what is left of it together would take longer than there is time."""
    options = {**options, "memory_mb": 8 * threads, "threads": threads, "seed": 1, "stop_early": False}
    full = mc.Searcher(prune=False, **options)
    full.search(state, iterations=10_000_000)
    assert full.stats().stop_reason == "memory"
    engine = mc.Searcher(**options)
    engine.search(state, iterations=full.stats().iterations)
    for move in engine.stats().pv[:2]:
        state = state.play(move)
    done = []
    for _ in range(6):  # a busy machine may keep one of them from running
        again = copy.copy(engine)
        again.search(state, 0.004)
        stats = again.stats()
        assert 0 < stats.reused_visits < stats.visits and stats.bytes < engine.stats().bytes
        done.append(stats.iterations)
        if len(done) > 1 and max(done) > 30:
            break
    assert max(done) > 30


def test_one_search_at_a_time():
    engine = mc.Searcher()
    worker = threading.Thread(target=engine.search, args=(mc.ConnectFour(), 0.5))
    worker.start()
    busy = 0
    while worker.is_alive():
        try:
            engine.stats()
        except mc.NoSearch:  # it has not begun
            continue
        except mc.SearchBusy:
            with pytest.raises(mc.SearchBusy, match="another thread"):
                engine.search(mc.ConnectFour(), iterations=1)
            busy += 1
            break
    worker.join()
    assert busy == 1
    assert engine.stats().stop_reason == "time"
    assert engine.search(mc.ConnectFour(), iterations=10) in range(7)
    assert engine.stats().iterations == 10


@pytest.mark.alone
def test_the_gil_is_released():
    """Two searches and a counting loop share the clock: each gets on while the others run."""
    engines = [mc.Searcher(preset="uct", seed=1), mc.Searcher(seed=2)]
    workers = [threading.Thread(target=engine.search, args=(mc.Gomoku(15), 0.3)) for engine in engines]
    for worker in workers:
        worker.start()
    count = 0
    while any(worker.is_alive() for worker in workers):
        count += 1
    assert count > 1000
    assert all(engine.stats().stop_reason == "time" and engine.stats().overshoot < 0.2 for engine in engines)


CTRL_C = """
import _thread, signal, sys, threading, time
import mcts_core as mc
state = {state}
engine = mc.Searcher(seed=1, {options})
engine.search(state, iterations=1)  # loads all that a search needs
sent = []
def interrupt():
    time.sleep(0.3)
    sent.append(time.perf_counter())
    signal.raise_signal(signal.SIGINT) if {direct} else _thread.interrupt_main()
worker = threading.Thread(target=interrupt)
worker.start()
try:
    engine.search(state, 30)
except KeyboardInterrupt:
    delay = time.perf_counter() - sent[0]
else:
    sys.exit("no KeyboardInterrupt")
worker.join()
stats = engine.stats()
assert stats.stop_reason == "cancelled" and stats.iterations > 0, stats
engine.search(state, iterations=50)
assert engine.stats().iterations == 50
print(delay)
"""


@pytest.mark.parametrize(("state", "options"), [
    ("mc.ConnectFour()", "preset='uct'"), ("mc.ConnectFour()", "book=False"), ("mc.Gomoku(20)", "")])
@pytest.mark.parametrize("direct", [True, False])
def test_ctrl_c(state, options, direct):
    delays = []
    for _ in range(2):  # a busy machine may delay one of them
        done = subprocess.run([sys.executable, "-c", CTRL_C.format(state=state, options=options, direct=direct)],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        delays.append(float(done.stdout))
        if delays[-1] < 0.05:
            break
    assert min(delays) < 0.05


def test_ctrl_c_before_and_after_leave_no_trace():
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        engine = mc.Searcher(seed=1)
        signal.raise_signal(signal.SIGINT)
        assert engine.search(mc.ConnectFour(), iterations=1000) in range(7)
    finally:
        signal.signal(signal.SIGINT, previous)


def test_core_without_a_search():
    core = TwoPlayerCore(2**20)
    assert core.figures() is None and core.held == 0
    core.release()
    assert core.figures() is None and core.held == 0


@pytest.mark.parametrize("guided", [False, True])
def test_release_gives_the_arena_back(guided):
    core = TwoPlayerCore(2**28)
    settings = TwoPlayerSettings(guided=guided, exploration=0.7, rollouts_per_leaf=1, by_value=False, tree_bytes=2**28)
    for _ in range(2):
        core.search(SearchRequest(mc.ConnectFour(), settings, clock(), iterations=1000, seed=1))
        assert core.figures()["iterations"] == 1000 and core.held >= core.figures()["bytes"]
        core.release()
        assert core.figures() is None and core.held == 0


@pytest.mark.parametrize(("preset", "iterations"), [("uct", 30_000), ("strong", 4_000)])
def test_many_searchers_in_threads_do_not_disturb_each_other(preset, iterations):
    def work(seed, found):
        engine = mc.Searcher(preset=preset, seed=seed)
        for _ in range(3):
            engine.search(mc.ConnectFour(), iterations=iterations)
            found.setdefault(seed, []).append(engine.stats().moves)

    expected, found = {}, {}
    for seed in range(4):
        work(seed, expected)
    workers = [threading.Thread(target=work, args=(seed, found)) for seed in expected]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert expected == found


@pytest.mark.parametrize("preset", PRESETS)
def test_random_positions_of_every_game_are_searched(preset):
    chooser = random.Random(1)
    engine = mc.Searcher(preset=preset, seed=1)
    for state in GAMES * 6:
        for _ in range(chooser.randrange(40)):
            if state.winner() is not None:
                break
            state = state.play(chooser.choice(state.legal_moves()))
        if state.winner() is not None:
            with pytest.raises(mc.GameOver):
                engine.search(state, iterations=10)
            continue
        move = engine.search(state, iterations=400)
        assert move in state.legal_moves()
        assert 0.0 <= engine.stats().value <= 1.0
