"""mcts_core/background.py, src/mcts_core/engine/background_search.pyx and the loop as far as they need it:
pondering, asyncio, progress, cancelling."""

import _thread
import asyncio
import gc
import io
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest

import mcts_core as mc
from mcts_core.engine import workers
from mcts_core.engine.background_search import BackgroundSearch
from mcts_core.engine.loop import clock
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import GeneralSettings

PRESETS = ["uct", "strong"]
START = mc.ConnectFour(7, 8)
SOON = 5.0
"""Seconds, for what takes milliseconds: a machine may be busy."""


class Board:
    """A user's game: the state of a native one, with an error on demand."""

    failing = False

    def __init__(self, state):
        self.state = state
        self.to_move = state.to_move

    def legal_moves(self):
        return self.state.legal_moves()

    def play(self, move):
        if Board.failing:
            raise KeyError("on demand")
        return Board(self.state.play(move))

    def winner(self):
        return self.state.winner()


@pytest.fixture(autouse=True)
def no_thread_is_left():
    Board.failing = False
    before = _thread._count()
    yield
    Board.failing = False
    wait_while(lambda: _thread._count() > before)


def wait_while(condition):
    deadline = time.monotonic() + SOON
    while condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


# ---- ponder and stop -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("state", [START, mc.Gomoku(15), Board(mc.TicTacToe())], ids=["c4", "gomoku", "user"])
@pytest.mark.parametrize("preset", PRESETS)
def test_ponder_and_stop(preset, state):
    engine = mc.Searcher(preset=preset, seed=1)
    delays = []
    for _ in range(3):
        assert engine.ponder(state) is None
        time.sleep(0.02)
        begin = time.perf_counter()
        stats = engine.stop()
        delays.append(time.perf_counter() - begin)
        assert stats.iterations >= 1 and stats.move in state.legal_moves()
        assert stats.stop_reason == "cancelled" or stats.proven
        assert engine.stop() == stats == engine.stop() == engine.stats()
    assert min(delays) < 0.05
    engine.search(state, iterations=20)
    assert engine.stats().iterations <= 20


def test_stop_before_the_thread_gets_on():
    engine = mc.Searcher(seed=1)
    for _ in range(50):
        engine.ponder(START)
        stats = engine.stop()
        assert stats.iterations >= 1 and stats.stop_reason == "cancelled"


def test_stop_with_nothing_to_stop():
    engine = mc.Searcher(seed=1)
    assert engine.stop() is None
    engine.search(START, iterations=50)
    assert engine.stop() == engine.stats() and engine.stats().stop_reason == "iterations"
    engine.search(START, iterations=60)  # a stop of the past does not end a search of the future
    assert engine.stats().iterations == 60


def test_stop_ends_a_search_of_another_thread():
    engine, found = mc.Searcher(preset="uct"), []
    worker = threading.Thread(target=lambda: found.append(engine.search(START, 60)))
    worker.start()
    stats = None
    while stats is None:  # it has not begun
        stats = engine.stop()
    worker.join(SOON)
    assert stats.stop_reason == "cancelled" and found == [stats.move] and stats.seconds < 30


def test_stop_waits_for_no_search_that_began_after_it():
    engine = mc.Searcher(seed=1)
    number = engine._core.cancel()
    with engine.pondering(START):  # another thread may do this within stop()
        assert engine._core.wait(number)
        with pytest.raises(mc.SearchBusy):
            engine.stats()


def test_stop_from_many_threads():
    engine = mc.Searcher(seed=1)
    for _ in range(10):
        engine.ponder(START)
        workers = [threading.Thread(target=engine.stop) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(SOON)
        assert not any(worker.is_alive() for worker in workers) and engine.stats().stop_reason == "cancelled"


def test_stop_ends_pondering_that_began_while_the_core_was_exchanged():
    class Two:
        players, to_move = 2, 0

        def __init__(self, over=False):
            self.over = over

        def legal_moves(self):
            return ["pass"]

        def play(self, move):
            return Two(True)

        def returns(self):
            return [0.5, 0.5] if self.over else None

    engine = mc.Searcher(memory_mb=16)
    core, request = engine._core, engine._request(START, None, 1)
    engine.search(Two(), iterations=10)  # of another kind, in another thread just before the search below begins
    with pytest.raises(mc.SearchBusy, match="another thread has just searched a game of another kind"):
        engine._core.search(request)
    assert engine.search(Two(), iterations=10) == "pass"
    engine._background = BackgroundSearch(core, request.replace(iterations=0, stop_early=False))
    stopping = threading.Thread(target=engine.stop, daemon=True)
    stopping.start()
    stopping.join(SOON)
    ended = not stopping.is_alive()
    core.cancel()
    assert ended


def test_busy_while_it_ponders():
    engine = mc.Searcher(seed=1)
    engine.ponder(START)
    try:
        for call in (lambda: engine.search(START, iterations=1), lambda: engine.ponder(START), engine.stats,
                     engine._core.release, lambda: next(engine.watch(START, 1)),
                     lambda: asyncio.run(engine.search_async(START, 1))):
            with pytest.raises(mc.SearchBusy, match="another thread"):
                call()
    finally:
        assert engine.stop().stop_reason == "cancelled"
    assert engine.search(START, iterations=10) in range(7)


def test_pondering():
    engine = mc.Searcher(seed=1)
    with engine.pondering(START) as same:
        assert same is engine
        with pytest.raises(mc.SearchBusy):
            engine.search(START, iterations=1)
        time.sleep(0.01)
    assert engine.stats().stop_reason == "cancelled"
    with pytest.raises(ZeroDivisionError), engine.pondering(START):
        raise ZeroDivisionError
    assert engine.search(START, iterations=10) in range(7)
    with engine.pondering(START):  # another search may follow within the block
        engine.stop()
        engine.search(START, iterations=15)
    assert engine.stats().iterations == 15


def test_pondering_ends_only_its_own_search():
    engine = mc.Searcher(seed=1)
    with engine.pondering(START):
        engine.stop()
        engine.ponder(mc.TicTacToe())
        kept = engine._background
    assert engine._background is kept
    assert engine.stop().iterations >= 1


def test_pondering_ends_when_it_is_solved():
    engine = mc.Searcher(seed=1)
    engine.ponder(mc.TicTacToe())
    wait_while(lambda: engine._background.running)
    assert engine.stats().stop_reason == "solved"
    assert engine.stop() == engine.stats()


def test_bad_states_are_refused_at_once():
    engine = mc.Searcher(seed=1)
    over = mc.ConnectFour.from_moves("0101010")
    for call in (engine.ponder, engine.watch, lambda state: engine.pondering(state).__enter__(),
                 lambda state: asyncio.run(engine.search_async(state))):
        with pytest.raises(mc.GameOver):
            call(over)
        with pytest.raises(mc.InvalidState):
            call("no state")
    assert engine.stop() is None


def test_an_error_of_the_game_comes_out_of_stop():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.ponder(Board(START))
    Board.failing = True
    wait_while(lambda: engine._background.running)
    with pytest.raises(mc.GameError, match="on demand"):
        engine.stop()
    assert engine.stop() is None
    with pytest.raises(mc.GameError, match="on demand"):
        asyncio.run(engine.search_async(Board(START), 1))
    with pytest.raises(mc.GameError, match="on demand"):
        list(engine.watch(Board(START), 1))
    assert engine.search(START, iterations=10) in range(7)


def test_a_forgotten_searcher_stops():
    engine = mc.Searcher(seed=1)
    engine.ponder(START)
    del engine  # the fixture sees that the thread ends
    gc.collect()


BEGINNINGS = {
    "ponder": lambda engine, state: engine.ponder(state),
    "pondering": lambda engine, state: engine.pondering(state).__enter__(),
    "watch": lambda engine, state: next(engine.watch(state, 60)),
    "search_async": lambda engine, state: asyncio.run(engine.search_async(state, 60)),
}


@pytest.mark.parametrize("begin", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize("error", [RuntimeError("no thread"), MemoryError(), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("begun", [False, True])
def test_a_thread_that_cannot_be_started(begin, error, begun, monkeypatch):
    """Whether it has begun or not: Python may fail after the system has started it."""
    true, at_work, caller = workers.start_new_thread, threading.Event(), threading.get_ident()

    class Telling(Board):
        def legal_moves(self):
            if threading.get_ident() != caller:
                at_work.set()
            return super().legal_moves()

    def start(function, arguments):
        if begun:
            true(function, arguments)
            assert at_work.wait(SOON)
        raise error

    engine = mc.Searcher(seed=1)
    engine.search(START, iterations=20)
    monkeypatch.setattr(workers, "start_new_thread", start)
    with pytest.raises(type(error)):
        begin(engine, Telling(START))
    monkeypatch.undo()
    assert engine.stats().stop_reason == ("cancelled" if begun else "iterations")
    engine.search(START, iterations=30)
    assert engine.stats().iterations == 30
    engine.ponder(START)
    assert engine.stop().stop_reason == "cancelled"


def test_a_search_that_refuses_its_arguments_gives_the_core_back():
    core = TwoPlayerCore(2**24)
    search = BackgroundSearch(core, SearchRequest(START, GeneralSettings(), clock(), iterations=10, seed=1))
    with pytest.raises(mc.SearchBusy, match="a game of another kind"):
        search.result()
    core.check_free()
    with pytest.raises(TypeError):
        BackgroundSearch(core, None)
    core.check_free()


def test_a_search_ends_with_whoever_began_it():
    """What an interrupt leaves: an object that nobody has got. Its search is waited for by the next one."""
    def begin_search(engine, state):
        BackgroundSearch(engine._core, SearchRequest(state, engine._options.settings(state), clock(), seed=1))

    for begin in (begin_search, BEGINNINGS["pondering"], BEGINNINGS["watch"]):
        engine = mc.Searcher(seed=1)
        begin(engine, START)
        engine.search(START, iterations=30)
        assert engine.stats().iterations == 30


def test_a_search_of_the_past_ends_no_other():
    engine = mc.Searcher(seed=1)
    engine.ponder(START)
    first = engine._background
    engine.stop()
    engine.ponder(START)
    engine._core.cancel()
    first.cancel()  # after that of the present
    assert engine.stop().stop_reason == "cancelled"
    engine.search(START, iterations=30)
    first.cancel()
    engine.search(START, iterations=40)
    assert engine.stats().iterations == 40


def test_an_event_loop_that_loses_the_end():
    """An interrupt may come between a callback's removal from the loop and its call."""
    async def main():
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe = lambda *arguments: None
        return await mc.Searcher(seed=1).search_async(START, iterations=50)

    assert asyncio.run(main()) in range(7)


# ---- progress and watch ----------------------------------------------------------------------------------------------

@pytest.mark.alone
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("state", [START, mc.Gomoku(15), Board(START)], ids=["c4", "gomoku", "user"])
def test_progress(preset, state):
    engine, seen, threads = mc.Searcher(preset=preset, seed=3), [], set()

    def progress(stats):
        seen.append(stats)
        threads.add(threading.get_ident())

    engine.search(state, 0.15, progress=progress, every=0.02)
    final = engine.stats()
    assert final.stop_reason == "time" and 1 <= len(seen) <= 8
    assert threads == {threading.get_ident()}
    counts = [stats.iterations for stats in seen] + [final.iterations]
    assert counts == sorted(counts) and len(set(counts)) == len(counts)
    for stats in seen:
        assert stats.stop_reason == "running" and 0.02 <= stats.seconds < final.seconds
        assert stats.move in state.legal_moves() and len(stats.moves) == len(state.legal_moves())


@pytest.mark.parametrize("preset", PRESETS)
def test_progress_does_not_change_the_search(preset):
    alone, watched = mc.Searcher(preset=preset, seed=3), mc.Searcher(preset=preset, seed=3)
    iterations = 100_000 if preset == "uct" else 8000
    calls = []
    watched.search(START, iterations=iterations, progress=calls.append, every=0.001)
    alone.search(START, iterations=iterations)
    assert watched.stats().moves == alone.stats().moves and watched.stats().iterations == iterations
    assert len(calls) >= 2


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("preset", PRESETS)
def test_an_exception_in_progress_ends_the_search(preset, error):
    engine = mc.Searcher(preset=preset, seed=1)

    def progress(stats):
        raise error

    with pytest.raises(error):
        engine.search(START, 60, progress=progress, every=0.01)
    stats = engine.stats()
    assert stats.stop_reason == "cancelled" and stats.iterations > 0 and stats.seconds < 30
    engine.search(START, iterations=50)
    assert engine.stats().iterations == 50


def test_within_progress():
    engine, seen = mc.Searcher(seed=1), []

    def progress(stats):
        for call in (engine.stats, lambda: engine.search(START, iterations=1), lambda: engine.ponder(START)):
            with pytest.raises(mc.SearchBusy, match="progress callback"):
                call()
        assert mc.Searcher(seed=2).search(START, iterations=10) in range(7)
        seen.append(engine.stop())

    engine.search(START, 60, progress=progress, every=0.01)
    assert seen == [None] and engine.stats().stop_reason == "cancelled" and engine.stats().seconds < 30


@pytest.mark.alone
@pytest.mark.parametrize("preset", PRESETS)
def test_watch(preset):
    engine = mc.Searcher(preset=preset, seed=3)
    seen = list(engine.watch(mc.Gomoku(15), 0.15, every=0.02))
    assert [stats.stop_reason for stats in seen] == ["running"] * (len(seen) - 1) + ["time"]
    assert 2 <= len(seen) <= 9 and seen[-1] == engine.stats()
    counts = [stats.iterations for stats in seen]
    assert counts == sorted(counts)
    assert [stats.iterations for stats in engine.watch(START, iterations=77)] == [77]


def test_watch_ends_with_its_iterator():
    engine = mc.Searcher(seed=3)
    for stats in engine.watch(START, 60, every=0.01):
        assert stats.stop_reason == "running"
        break
    gc.collect()
    assert engine.stats().stop_reason == "cancelled" and engine.stats().seconds < 30
    steps = engine.watch(START, 60, every=0.01)  # not begun, so not searching
    assert engine.search(START, iterations=30) in range(7)
    next(steps)
    with pytest.raises(mc.SearchBusy):
        engine.search(START, iterations=30)
    steps.close()
    assert engine.search(START, iterations=30) in range(7)


def test_stop_ends_watch():
    engine, seen = mc.Searcher(seed=3), []
    for stats in engine.watch(START, 60, every=0.01):
        seen.append(stats)
        engine.stop()
    assert seen[-1].stop_reason == "cancelled" and seen[-1].seconds < 30


@pytest.mark.parametrize("bad", [0, -1, "1", None, float("nan"), float("inf"), 1e-6, True])
def test_bad_every(bad):
    engine = mc.Searcher()
    if bad is not None:  # that of the Searcher
        with pytest.raises(mc.InvalidOption, match="every must be a"):
            engine.search(START, iterations=1, progress=print, every=bad)
    with pytest.raises(mc.InvalidOption, match="every must be a"):
        engine.watch(START, 1, every=bad)


@pytest.mark.parametrize("bad", [1, "print", [], object()])
def test_bad_progress(bad):
    with pytest.raises(mc.InvalidOption, match="progress must be True, False or a function"):
        mc.Searcher().search(START, iterations=1, progress=bad)


def test_bad_budgets():
    engine = mc.Searcher()
    for keywords in ({"seconds": 0}, {"seconds": "1"}, {"iterations": 0}, {"iterations": 2**40}):
        with pytest.raises(mc.InvalidOption):
            engine.watch(START, **keywords)
        with pytest.raises(mc.InvalidOption):
            asyncio.run(engine.search_async(START, **keywords))


# ---- asyncio ---------------------------------------------------------------------------------------------------------

@pytest.mark.alone
def test_search_async():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        engine = mc.Searcher(preset="uct", seed=1)
        move = await engine.search_async(START, seconds=0.15)
        ticking.cancel()
        assert move == engine.stats().move and engine.stats().stop_reason == "time" and ticks >= 3
        move = await engine.search_async(START, iterations=500)
        alone = mc.Searcher(preset="uct", seed=engine.stats().seed)
        assert move == alone.search(START, iterations=500)
        assert engine.stats().moves == alone.stats().moves
        both = await asyncio.gather(*(mc.Searcher(seed=seed).search_async(START, iterations=100) for seed in range(5)))
        assert set(both) <= set(START.legal_moves())

    asyncio.run(main())


@pytest.mark.alone
@pytest.mark.parametrize("state", [START, mc.Gomoku(15), Board(START)], ids=["c4", "gomoku", "user"])
def test_cancellation_ends_the_thread(state):
    async def main():
        delays = []
        for _ in range(3):
            engine = mc.Searcher(seed=1)
            task = asyncio.create_task(engine.search_async(state, 60))
            await asyncio.sleep(0.02)
            begin = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            delays.append(time.perf_counter() - begin)
            assert engine.stats().stop_reason == "cancelled"
            assert await engine.search_async(state, iterations=20) in state.legal_moves()
        assert min(delays) < 0.05

    asyncio.run(main())


def test_timeout_and_a_loop_that_ends():
    async def late():
        engine = mc.Searcher(seed=1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await engine.search_async(START, 60)
        assert engine.stats().stop_reason == "cancelled"

    async def left_behind():
        asyncio.create_task(mc.Searcher(seed=1).search_async(START, 60))  # noqa: RUF006
        await asyncio.sleep(0.02)

    asyncio.run(late())
    asyncio.run(left_behind())  # cancels what is left


def test_progress_of_search_async_runs_in_the_thread_of_the_loop():
    async def main(engine, **keywords):
        seen = []

        def look(stats):
            seen.append(stats)
            assert threading.get_ident() == here

        here = threading.get_ident()
        await engine.search_async(mc.Gomoku(), seconds=0.2, progress=look, **keywords)
        return seen

    seen = asyncio.run(main(mc.Searcher(preset="uct", seed=1), every=0.005))
    assert len(seen) >= 2 and {stats.stop_reason for stats in seen} == {"running"}
    assert [stats.iterations for stats in seen] == sorted(stats.iterations for stats in seen)
    assert asyncio.run(main(mc.Searcher(preset="uct", seed=1, every=60))) == []


def test_the_progress_of_the_searcher_is_that_of_search_async():
    seen = []
    engine = mc.Searcher(preset="uct", seed=1, progress=seen.append, every=0.005)
    asyncio.run(engine.search_async(mc.Gomoku(), seconds=0.1))
    assert seen
    seen.clear()
    asyncio.run(engine.search_async(mc.Gomoku(), seconds=0.05, progress=False))
    assert seen == []


def test_an_error_of_progress_ends_search_async():
    def fail(stats):
        raise KeyError("on demand")

    engine = mc.Searcher(preset="uct", seed=1)
    begin = time.monotonic()
    with pytest.raises(KeyError, match="on demand"):
        asyncio.run(engine.search_async(mc.Gomoku(), 60, progress=fail, every=0.005))
    assert time.monotonic() - begin < SOON
    assert engine.stats().stop_reason == "cancelled"
    asyncio.run(engine.search_async(mc.Gomoku(), iterations=50))


def test_progress_of_search_async_draws_a_bar(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "dumb")
    asyncio.run(mc.Searcher(preset="uct", seed=1).search_async(mc.Gomoku(), seconds=0.1, progress=True, every=0.005))
    assert "move " in stream.getvalue() and " left" in stream.getvalue()


@pytest.mark.parametrize("keywords, words", [({"progress": 3}, "progress must be True, False or a function"),
                                             ({"every": 0.0}, "every must be a finite number")])
def test_wrong_progress_is_refused_before_search_async_begins(keywords, words):
    engine = mc.Searcher(seed=1)
    with pytest.raises(mc.InvalidOption, match=words):
        asyncio.run(engine.search_async(START, iterations=50, **keywords))
    asyncio.run(engine.search_async(START, iterations=50))
    assert engine.stats().seed == 1  # the first search of this Searcher


def test_stop_ends_search_async():
    async def main():
        engine = mc.Searcher(seed=1)
        task = asyncio.create_task(engine.search_async(START, 60))
        await asyncio.sleep(0.02)
        assert engine.stop().stop_reason == "cancelled"
        assert await task == engine.stats().move

    asyncio.run(main())


# ---- the end of the interpreter, forks, leaks ------------------------------------------------------------------------

def python(code):
    """A fresh interpreter's (seconds, standard output); it must end well and say nothing on standard error."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", code], capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    return time.perf_counter() - begin, done.stdout


ENDS = {
    "ponder": "engine.ponder({state})",
    "no reference": "mc.Searcher().ponder({state})",
    "pondering": "engine.pondering({state}).__enter__()",
    "watch": "steps = engine.watch({state}, 50, every=0.01); next(steps)",
    "several": "engines = [mc.Searcher() for _ in range(5)]\nfor one in engines: one.ponder({state})",
    "a thread of the user": "threading.Thread(target=engine.search, args=({state}, 50), daemon=True).start()",
}


@pytest.mark.parametrize(("name", "state"), [(name, "mc.ConnectFour(7, 8)") for name in ENDS]
                         + [("ponder", "Game()"), ("several", "Game()")])
def test_the_interpreter_ends_at_once(name, state):
    game = """
class Game:
    def __init__(self, left=60, to_move=1): self.left, self.to_move = left, to_move
    def legal_moves(self): return [1, 2, 3]
    def play(self, move): return Game(max(0, self.left - move), -self.to_move)
    def winner(self): return None if self.left else -self.to_move
"""
    seconds, text = python(f"import threading, time, mcts_core as mc\n{game}\nengine = mc.Searcher()\n"
                           + ENDS[name].format(state=state) + "\ntime.sleep(0.05)\nprint('done')")
    assert text == "done\n" and seconds < 20


def test_exit_within_pondering():
    seconds, text = python("import mcts_core as mc, sys, time\nengine = mc.Searcher()\n"
                           "with engine.pondering(mc.ConnectFour(7, 8)):\n"
                           "    time.sleep(0.02); print('out'); sys.exit(0)")
    assert text == "out\n" and seconds < 20


@pytest.mark.needs("fork")
def test_fork_while_it_ponders():
    _, text = python("""
import os, sys, time
import mcts_core as mc
engine = mc.Searcher(seed=1)
engine.ponder(mc.ConnectFour(7, 8))
time.sleep(0.05)
child = os.fork()
if child == 0:
    try:
        ready = engine.stop() is None  # the child has no thread, and a tree in the middle of a change
        engine.search(mc.ConnectFour(7, 8), iterations=500)
        fresh = mc.Searcher(seed=engine.stats().seed)
        fresh.search(mc.ConnectFour(7, 8), iterations=500)
        ready = ready and engine.stats().moves == fresh.stats().moves
        engine.ponder(mc.ConnectFour(7, 8))
        ready = ready and engine.stop().stop_reason == "cancelled"
    finally:
        os._exit(0 if ready else 1)
_, status = os.waitpid(child, 0)
assert engine.stop().stop_reason == "cancelled"
print(os.waitstatus_to_exitcode(status))
""")
    assert text == "0\n"


@pytest.mark.needs("fork")
def test_fork_while_it_is_watched():
    """The iterator ends in the child, which has no thread that would report."""
    _, text = python("""
import os
import mcts_core as mc
watched = mc.Searcher(seed=1).watch(mc.ConnectFour(7, 8), 1.0)
next(watched)
child = os.fork()
if child == 0:
    try:
        left = sum(1 for _ in watched)
    finally:
        os._exit(0 if left < 3 else 1)
_, status = os.waitpid(child, 0)
watched.close()
print(os.waitstatus_to_exitcode(status))
""")
    assert text == "0\n"


@pytest.mark.needs("signals to threads")
def test_ctrl_c_ends_watch():
    engine = mc.Searcher(seed=1)
    timer = threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in engine.watch(START, 60, every=30):
            pass
    timer.join()
    assert engine.stats().stop_reason == "cancelled" and engine.stats().seconds < 30


def test_no_leak():
    engine = mc.Searcher(seed=1, memory_mb=8)

    def failing(stats):
        raise ZeroDivisionError

    async def cancelled():
        task = asyncio.create_task(engine.search_async(START, 60))
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def several(count):
        for _ in range(count):
            await cancelled()

    def round_of(count):
        for _ in range(count):
            engine.ponder(START)
            engine.stop()
            with pytest.raises(ZeroDivisionError):
                engine.search(START, 60, progress=failing, every=0.001)
            for _ in engine.watch(START, 60, every=0.001):
                break
        asyncio.run(several(count))
        gc.collect()

    round_of(10)
    threads = threading.active_count()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        round_of(75)  # 300 searches
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert threading.active_count() == threads
    assert after - before < 50_000
