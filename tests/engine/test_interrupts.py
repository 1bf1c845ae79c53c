"""Interrupts at random moments at every entry point: what the handler of a signal raises, as that of Ctrl-C does, may
come between any two steps. It has to reach the caller, and must leave no thread and no Searcher that is busy."""

import _thread
import asyncio
import gc
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from table_games import Race

import mcts_core as mc

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer that sends signals")

LAZY = mc.search_many, mc.search_parallel, mc.selfplay
"""What is imported when it is asked for: an interrupt within an import is Python's matter."""
SOON = 10.0
"""Seconds, for what takes milliseconds: a machine may be busy."""
STATE = mc.Gomoku(15)


class Interrupts:
    """Signals that raise KeyboardInterrupt some time after ``arm``: one, or another one ``again`` seconds later."""

    def __init__(self):
        self.raised = []
        self.unraisable = []
        self.delay = self.again = 0.0

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.handle), sys.unraisablehook
        sys.unraisablehook = lambda found: self.unraisable.append((found.exc_type, found.object))
        return self

    def __exit__(self, *error):
        self.disarm()
        signal.signal(signal.SIGALRM, self.before[0])
        sys.unraisablehook = self.before[1]

    def handle(self, *_):
        again, self.again = self.again, 0.0
        signal.setitimer(signal.ITIMER_REAL, again)
        self.raised.append(KeyboardInterrupt())
        raise self.raised[-1]

    def arm(self):
        signal.setitimer(signal.ITIMER_REAL, self.delay)

    def disarm(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(1e-6)  # lets in what came at another thread

    def during(self, call, delay, again=0.0):
        """What came out of ``call``, None: it ended before."""
        self.delay, self.again = delay, again
        self.raised.clear()
        caught = None
        try:
            try:
                call(self.arm)
                self.disarm()
            except KeyboardInterrupt as error:
                caught = error
            self.disarm()
        except KeyboardInterrupt as error:
            caught = error
        return caught


def network(observations):
    return np.ones((len(observations), 7), np.float32), np.zeros(len(observations), np.float32)


class Point:
    """An entry point: ``call`` uses ``engine``, or Searchers of its own."""

    def __init__(self, **options):
        self.engine = mc.Searcher(memory_mb=4, **options)
        self.state = STATE

    def end(self):
        """What is left to the caller."""

    def close(self):
        """After the last call."""


class Search(Point):
    def call(self, arm):
        arm()
        self.engine.search(self.state, 0.0005)


class Threads(Point):
    def __init__(self):
        super().__init__(threads=2)

    def call(self, arm):
        arm()
        self.engine.search(STATE, iterations=1100)


class UserGame(Search):
    def __init__(self):
        super().__init__()
        self.state = Race()


class Valued(Search):
    """Python code of the user's and of abstract classes, which look at what it returns."""

    def __init__(self):
        super().__init__(policy_value=lambda state: ({}, (0.0, 0.0, 0.0)))
        self.state = Race()


class Saved(Point):
    """Leaves no temporary file, and nothing open."""

    def __init__(self):
        super().__init__()
        self.engine.search(STATE, iterations=300)
        self.folder = tempfile.mkdtemp()
        self.open = self.files()

    def files(self):
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    def call(self, arm):
        arm()
        self.engine.save(os.path.join(self.folder, "engine"))
        mc.Searcher.load(os.path.join(self.folder, "engine"))

    def end(self):
        assert set(os.listdir(self.folder)) <= {"engine"} and self.files() <= self.open

    def close(self):
        shutil.rmtree(self.folder)


class Progress(Point):
    def call(self, arm):
        arm()
        self.engine.search(STATE, 0.003, progress=str, every=0.001)


class Ponder(Point):
    def call(self, arm):
        arm()
        self.engine.ponder(STATE)
        self.engine.stop()

    def end(self):
        self.engine.stop()


class Pondering(Point):
    def call(self, arm):
        arm()
        with self.engine.pondering(STATE):
            pass


class Watch(Point):
    def call(self, arm):
        arm()
        for _ in self.engine.watch(STATE, 0.003, every=0.001):
            pass


class WatchBrokenOff(Point):
    def call(self, arm):
        arm()
        for _ in self.engine.watch(STATE, 60, every=0.001):
            break


class SearchAsync(Point):
    """In an event loop of its own: asyncio.run itself hangs after some of these interrupts. Loop and task go when no
    interrupt can come, as asyncio swallows one then. An interrupted loop leaves its task and so the search unfinished:
    whoever goes on with the Searcher stops it."""

    def call(self, arm):
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda loop, context: None)
        self.task = self.loop.create_task(self.engine.search_async(STATE, 0.001))
        arm()
        self.loop.run_until_complete(self.task)

    def end(self):
        self.engine.stop()
        self.loop.close()
        self.loop = self.task = None
        gc.collect()


class Forgotten(Point):
    def call(self, arm):
        other = mc.Searcher(memory_mb=1)
        arm()
        other.ponder(STATE)
        del other


class OtherKind(Point):
    """Changes the kind of the search."""

    def call(self, arm):
        arm()
        self.engine.search(Race(), iterations=3)
        self.engine.search(mc.TicTacToe(), iterations=3)


class Many(Point):
    def call(self, arm):
        arm()
        mc.search_many([STATE] * 4, seconds=60, threads=3, memory_mb=1)


class ManyEnding(Point):
    def call(self, arm):
        arm()
        mc.search_many([STATE] * 4, iterations=5, threads=3, memory_mb=1)


class Together(Point):
    def call(self, arm):
        arm()
        mc.search_many([mc.ConnectFour()] * 3, iterations=8, evaluator=network, memory_mb=1)


class SelfPlay(Point):
    def call(self, arm):
        arm()
        for _ in mc.selfplay(mc.ConnectFour(4, 4, 3), games=2, iterations=4, threads=2, together=2, memory_mb=1):
            pass


class Parallel(Point):
    """With an executor of the user's."""

    def __init__(self):
        super().__init__()
        self.executor = ThreadPoolExecutor(2)

    def call(self, arm):
        arm()
        mc.search_parallel(STATE, iterations=60, rounds=2, executor=self.executor, workers=2, memory_mb=1)

    def close(self):
        self.executor.shutdown()


class ParallelLong(Point):
    def call(self, arm):
        arm()
        mc.search_parallel(STATE, iterations=2**20, rounds=1, executor="threads", workers=2, memory_mb=1)


POINTS = [Search, Threads, UserGame, Valued, Saved, Progress, Ponder, Pondering, Watch, WatchBrokenOff, SearchAsync,
          Forgotten, OtherKind, Many, ManyEnding, Together, SelfPlay, Parallel, ParallelLong]
ENDLESS = {Many: 0.004, ParallelLong: 0.01}
"""Calls that only an interrupt ends, and the seconds after which that comes at the latest."""


def wait_for_threads(count):
    deadline = time.monotonic() + SOON
    while _thread._count() > count:
        assert time.monotonic() < deadline, "a thread runs on"
        time.sleep(0.0005)


def hammer(kind, seconds, most):
    """Interrupts the calls of an entry point for so long, or so often."""
    gc.collect()  # what other tests left: Python throws away what is raised when a thread or a task is collected
    chooser = random.Random(kind.__name__)
    threads = _thread._count()
    point = kind()
    idle = threads + (2 if kind is Parallel else 0)
    try:
        with Interrupts() as interrupts:
            longest = ENDLESS.get(kind)
            if longest is None:
                longest = 0.0
                for _ in range(3):
                    begin = time.perf_counter()
                    assert interrupts.during(point.call, 0.0) is None
                    point.end()
                    longest = 1.1 * (time.perf_counter() - begin)
            end, caught = time.monotonic() + seconds, 0
            while caught < most and time.monotonic() < end:
                delay = chooser.uniform(1e-5, chooser.choice([3e-4, longest]))
                again = chooser.uniform(1e-5, 3e-4) if chooser.random() < 0.3 else 0.0
                found = interrupts.during(point.call, delay, 0.0 if kind is SearchAsync else again)
                assert (found is None) == (not interrupts.raised), "an interrupt was swallowed"
                assert found is None or any(found is error for error in interrupts.raised)
                caught += found is not None
                found = None
                point.end()
                point.engine.search(point.state, iterations=3)
                wait_for_threads(idle)
            gc.collect()
            assert [found for found in interrupts.unraisable if issubclass(found[0], KeyboardInterrupt)] == []
            assert caught > 0
        engine = point.engine
        engine.search(point.state, iterations=30)
        assert engine.stats().iterations == 30
    finally:
        point.close()
    wait_for_threads(threads)


@pytest.fixture(autouse=True)
def no_callbacks_of_the_collector():
    """Other packages have some (distributed does): what an interrupt raises there, Python throws away."""
    kept, gc.callbacks[:] = gc.callbacks[:], []
    yield
    gc.callbacks[:] = kept


@pytest.mark.parametrize("kind", POINTS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_interrupts(kind):
    hammer(kind, 0.15, 150)


@pytest.mark.slow
@pytest.mark.parametrize("kind", POINTS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_interrupts_for_long(kind):
    hammer(kind, 60.0, 10**9)


def test_ctrl_c_in_an_event_loop():
    """``asyncio.run`` makes one of Ctrl-C that comes at a task's next wait."""
    engine, chooser = mc.Searcher(memory_mb=4), random.Random(1)
    threads = _thread._count()
    before = (signal.signal(signal.SIGINT, signal.default_int_handler),
              signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT)))

    async def main(delay):
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # asyncio's own may race
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            await engine.search_async(STATE, 60)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    try:
        for _ in range(40):
            with pytest.raises(KeyboardInterrupt):
                asyncio.run(main(chooser.uniform(1e-5, 2e-3)))
            engine.search(STATE, iterations=3)
            wait_for_threads(threads)
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGALRM, before[1])
