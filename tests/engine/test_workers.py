"""src/mcts_core/engine/workers.pyx: threads that are started, waited for and ended together, and what comes in
between."""

import _thread
import asyncio
import signal
import threading
import time

import pytest

import mcts_core as mc
from mcts_core.engine import workers
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import Worker, run_apart, run_together

SOON = 5.0


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before, handler = _thread._count(), signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)
    deadline = time.monotonic() + SOON
    while _thread._count() > before:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def until(halt):
    """A function that ends when it is told."""
    def wait():
        deadline = time.monotonic() + 4 * SOON
        while not halt.told and time.monotonic() < deadline:
            time.sleep(0.001)
        return halt.told

    return wait


def test_functions_run_side_by_side():
    barrier, halt = threading.Barrier(3), Halt()
    assert sorted(run_together([lambda: barrier.wait(SOON)] * 3, halt)) == [0, 1, 2]
    assert run_together([lambda number=number: number for number in range(50)], halt) == list(range(50))
    assert run_together([], halt) == [] and not halt.told


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_what_one_raises_ends_all(error):
    halt = Halt()

    def fail():
        raise error("on purpose")

    with pytest.raises(error, match="on purpose"):
        run_together([until(halt), fail, until(halt)], halt)
    assert halt.told


def test_run_apart_calls_in_another_thread_and_returns_its_result(monkeypatch):
    own = threading.get_ident()
    assert run_apart(lambda: 5) == 5 and run_apart(threading.get_ident) != own
    with pytest.raises(RuntimeError, match="on purpose"):  # not taken for a system without threads
        run_apart(lambda: (_ for _ in ()).throw(RuntimeError("on purpose")))
    started, ended = threading.Event(), threading.Event()
    timer = threading.Timer(0.01, lambda: started.wait(SOON) and signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_apart(lambda: (started.set(), time.sleep(0.3), ended.set()))
    assert ended.is_set()  # it was waited for
    timer.join()

    def none(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers, "start_new_thread", none)
    assert run_apart(threading.get_ident) == own


def test_an_interrupt_ends_all():
    halt, begin = Halt(), time.monotonic()
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_together([until(halt)] * 3, halt)
    assert time.monotonic() - begin < SOON and halt.told
    timer.join()


def test_a_second_interrupt_waits_as_well():
    halt, ended = Halt(), []

    def linger():
        until(halt)()
        time.sleep(0.2)
        ended.append(time.monotonic())

    def interrupt():
        for _ in range(2):
            time.sleep(0.05)
            _thread.interrupt_main()

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        run_together([linger] * 2, halt)
    assert len(ended) == 2 and isinstance(caught.value.__context__, KeyboardInterrupt)
    other.join()


def test_a_function_that_does_not_end_keeps_nobody(monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 0.2)
    halt, begin, event = Halt(), time.monotonic(), threading.Event()
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_together([lambda: event.wait(8 * SOON)], halt)
        assert time.monotonic() - begin < 4 * SOON
    finally:
        event.set()
    timer.join()


@pytest.mark.parametrize("error", [RuntimeError("no thread"), MemoryError(), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("begun", [False, True])
def test_a_thread_that_cannot_be_started_ends_all(error, begun, monkeypatch):
    """Whether it has begun or not: Python may fail after the system has started it."""
    true, calls, halt, at_work, ended = workers.start_new_thread, [], Halt(), threading.Semaphore(0), []

    def start(function, arguments):
        calls.append(function)
        if len(calls) < 3 or begun:
            true(function, arguments)
            assert at_work.acquire(timeout=SOON)
        if len(calls) == 3:
            raise error

    def work():
        at_work.release()
        ended.append(until(halt)())

    monkeypatch.setattr(workers, "start_new_thread", start)
    with pytest.raises(type(error)):
        run_together([work] * 5, halt)
    assert len(calls) == 3 and ended == [True] * (3 if begun else 2)


async def asynchronous(engine):
    return await engine.search_async(mc.ConnectFour(), 1)


@pytest.mark.wasm
@pytest.mark.parametrize("need", [
    lambda: mc.Searcher(threads=2).search(mc.ConnectFour(), iterations=10_000),
    lambda: mc.Searcher().ponder(mc.ConnectFour()),
    lambda: next(iter(mc.Searcher().watch(mc.ConnectFour(), 1))),
    pytest.param(lambda: asyncio.run(asynchronous(mc.Searcher())), marks=pytest.mark.needs("asyncio.run")),
    lambda: mc.search_many([mc.ConnectFour()] * 4, iterations=100, threads=2),
    lambda: mc.search_parallel(mc.ConnectFour(), iterations=100, executor="threads", workers=1),
], ids=["threads", "ponder", "watch", "search_async", "search_many", "search_parallel"])
def test_where_the_system_starts_no_thread(need, monkeypatch):
    """What needs one says so, and what needs none works."""
    def start(function, arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers, "start_new_thread", start)
    with pytest.raises(RuntimeError, match="starts no thread .*can't start new thread.*threads=1 need none"):
        need()
    mc.Searcher().search(mc.ConnectFour(), iterations=100)
    mc.search_many([mc.ConnectFour()] * 4, iterations=100)


def test_a_function_runs_once():
    """A thread that begins late, after its starter has given it up."""
    ran = []
    worker = Worker(lambda number: ran.append(number) or 7, (3,))
    worker.run()
    worker.run()
    assert ran == [3] and worker.value == 7


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no setitimer")
def test_handlers_run_while_it_waits():
    halt, calls = Halt(), []

    def handle(*_):
        calls.append(1)
        if len(calls) == 3:
            halt.tell()

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        assert run_together([until(halt)] * 2, halt) == [True, True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
