"""mcts_core/distributed/executors.py: executors by name."""

import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from types import ModuleType

import pytest
from raising import Raising

import mcts_core as mc
from mcts_core.distributed.executors import Opened, check_start, usable_cores


class Client:
    """What of a Dask client is needed."""

    asynchronous = False

    def __init__(self, threads):
        self.threads = threads

    def nthreads(self):
        return self.threads

    def get_executor(self, pure):
        assert pure is False
        return Executor()


def test_names():
    with Opened("threads") as opened:
        assert opened.workers == usable_cores() and opened.executor.submit(os.getpid).result() == os.getpid()
    with pytest.raises(RuntimeError):
        opened.executor.submit(os.getpid)
    for name in ("processes", None):
        with Opened(name, 2) as opened:
            assert opened.workers == 2 and opened.client is None
            assert opened.executor.submit(os.getpid).result() != os.getpid()


def test_what_the_caller_brought_stays_open():
    with ThreadPoolExecutor(3) as mine:
        with Opened(mine) as opened:
            assert opened.executor is mine and opened.workers == 3
        assert Opened(mine, 7).workers == 7
        assert mine.submit(int).result() == 0
    assert Opened(Client({"a": 2, "b": 3})).workers == 5
    assert Opened(Client({}), 2).workers == 2


def test_an_executor_that_was_interrupted_leaves_no_thread_and_prints_nothing(capfd):
    before = set(threading.enumerate())
    with pytest.raises(KeyError), Opened("processes", 2) as opened:
        opened.executor.submit(int).result()
        for _ in opened.executor.map(time.sleep, [0.0, 60.0, 60.0, 60.0, 60.0, 60.0]):
            raise KeyError  # here what map has left is cancelled
    assert not {each for each in set(threading.enumerate()) - before if "Executor" in type(each).__name__}
    assert capfd.readouterr().err == ""


def test_processes_that_work_are_ended():
    before = set(multiprocessing.active_children())
    begin = time.monotonic()
    with pytest.raises(KeyError), Opened("processes", 1) as opened:
        opened.executor.submit(int).result()
        opened.executor.submit(time.sleep, 60)
        raise KeyError
    while set(multiprocessing.active_children()) - before and time.monotonic() < begin + 20:
        time.sleep(0.01)
    assert not set(multiprocessing.active_children()) - before


def test_errors(monkeypatch):
    for executor, message in (
        ("fork", "executor must be 'processes', 'threads' or 'dask:ADDRESS'"), (3, "executor must be"),
        (Raising("eq"), "executor must be"),
        (Client({}), "has none yet"), (Executor(), "workers must be given"), ("dask:", "address of a scheduler"),
    ):
        with pytest.raises(mc.InvalidOption, match=message):
            Opened(executor)
    monkeypatch.setattr(Client, "asynchronous", True)
    with pytest.raises(mc.InvalidOption, match="without asynchronous=True"):
        Opened(Client({"a": 1}))
    for found in (None, ModuleType("distributed")):  # nothing, or a folder of that name
        monkeypatch.setitem(sys.modules, "distributed", found)
        with pytest.raises(mc.InvalidOption, match=r"pip install '\.\[dask\]' in a clone, or pip install distributed"):
            Opened("dask:tcp://127.0.0.1:8786")


@pytest.mark.needs("distributed")
def test_no_scheduler():
    with pytest.raises(mc.InvalidOption, match="no Dask scheduler at this address"):
        Opened("dask:nonsense://x")


def test_a_process_that_is_being_started_starts_none(monkeypatch):
    check_start()
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(RuntimeError, match="if __name__"):
        Opened(None)
    with Opened("threads", 1):
        pass


def test_an_interrupt_while_the_manager_is_started(monkeypatch):
    def start(thread):
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.process._ExecutorManagerThread.start", start)
    with pytest.raises(KeyboardInterrupt), Opened("processes", 1) as opened:
        opened.executor.submit(int)
