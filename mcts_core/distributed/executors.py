"""Executors: opens those that are given by name, and finds the number of workers. Imported on first use."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib import import_module
from multiprocessing import current_process, get_context, parent_process

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import InvalidOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

NAMES = "'processes', 'threads' or 'dask:ADDRESS'"
MAX_WORKERS = 4096
DASK = "dask:"
MANAGER_SECONDS = 5.0
"""How long the thread of an executor may take to notice that its processes were killed."""
CODE_SECONDS = 0.1
"""How long it may take until the exit code of a process that has ended is known."""
GUARD = "New processes import the script that starts them: put its code under if __name__ == \"__main__\":"


class Opened:
    """An executor that is ready for tasks. As a context manager it closes the executor, unless the caller gave it.

    ``executor``: ``"processes"`` or None for fresh processes; ``"threads"``; ``"dask:ADDRESS"`` for the cluster of the
    scheduler at that address; a Dask ``Client``; any ``concurrent.futures.Executor``. ``workers``: the number of tasks
    at a time, by default the number of its processes or threads. Raises InvalidOption, and RuntimeError in a process
    that is still starting and would start processes itself.
    """

    def __init__(self, executor: Any, workers: int | None = None) -> None:
        count = None if workers is None else as_int(workers, "workers", 1, MAX_WORKERS)
        self.client: Any = None
        """The Dask client that this object created, if any."""
        name = "processes" if executor is None else executor if isinstance(executor, str) else None
        self._own = name is not None
        if name is not None and name.startswith(DASK):
            executor = self.client = connect(name[len(DASK):])
        if name == "processes" or isinstance(executor, ProcessPoolExecutor):
            check_start()
        self.executor: Executor
        given: Any = executor
        if name == "processes":
            count = count or usable_cores()
            self.executor = ProcessPoolExecutor(count, get_context("spawn"), initializer=start)
        elif name == "threads":
            count = count or usable_cores()
            self.executor = ThreadPoolExecutor(count)
        elif isinstance(executor, type):
            raise InvalidOption(f"executor must be an object, got the class {shorten(executor)}; call it to make one")
        elif callable(getattr(executor, "get_executor", None)):
            if getattr(executor, "asynchronous", False):
                raise InvalidOption(f"executor must be a Client without asynchronous=True, got {shorten(executor)}")
            count = count or sum(given.nthreads().values())
            if not count:
                self.close()
                raise InvalidOption(
                    f"executor must have workers, but {shorten(executor)} has none yet; wait until one has joined"
                )
            self.executor = given.get_executor(pure=False)
        elif callable(getattr(executor, "submit", None)):
            count = count or getattr(executor, "_max_workers", None)
            if not isinstance(count, int):
                raise InvalidOption(
                    f"workers must be given for {shorten(executor)}, whose number of workers is unknown"
                )
            self.executor = given
        else:
            raise InvalidOption(
                f"executor must be {NAMES}, a concurrent.futures.Executor or a Dask Client, got {shorten(executor)}"
            )
        self.workers: int = count

    def __enter__(self) -> Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close(busy=kind is not None)

    def close(self, busy: bool = False) -> None:
        """Closes the executor without waiting for tasks. ``busy``: tasks may run, so the processes are killed."""
        if self.client is not None:
            self.client.close()
        elif self._own:
            processes = dict(getattr(self.executor, "_processes", None) or {})
            manager = getattr(self.executor, "_executor_manager_thread", None)
            self.executor.shutdown(wait=False, cancel_futures=True)
            if busy:
                for process in processes.values():
                    process.kill()
                # without its executor this thread prints a traceback when it finds dead processes and cancelled tasks
                if manager is not None and manager.is_alive():  # Ctrl-C may have kept it from starting
                    manager.join(MANAGER_SECONDS)


def connect(address: str) -> Any:
    """A client of the Dask cluster at this address."""
    if not address:
        raise InvalidOption(f"executor {DASK!r} needs the address of a scheduler, such as 'dask:tcp://127.0.0.1:8786'")
    client = _import_dask(DASK + address)
    try:
        return client(address)
    except (OSError, ValueError) as error:
        raise InvalidOption(f"executor {DASK + address!r}: no Dask scheduler at this address ({error})") from error


def _import_dask(executor: str) -> Any:
    """The class of Dask's clients."""
    try:
        return import_module("distributed").Client
    except (AttributeError, ImportError):  # AttributeError: a folder of that name, where the package is not installed
        raise InvalidOption(f"executor {executor!r} needs Dask: pip install '.[dask]' in a clone, or pip install "
                            f"distributed") from None


def import_first(executor: Any) -> None:
    """Imports what opens ``executor``, because the thread that opens it must not import: see ``run_apart``."""
    if executor is None or executor == "processes":
        begin = "popen_spawn_win32" if os.name == "nt" else "popen_spawn_posix"
        for name in (begin, "resource_tracker", "synchronize"):
            with suppress(ImportError):  # where processes cannot be started, opening says so
                import_module(f"multiprocessing.{name}")
    elif isinstance(executor, str) and executor.startswith(DASK):
        _import_dask(executor)


def was_killed(executor: Any, error: BaseException) -> bool:
    """Whether ``error`` of a task means that a worker process was lost that had started. One that cannot start ends by
    itself: with exit code 1 by an exception (on Windows this may be a kill, too), with 0 where its initializer fails.
    """
    if not isinstance(error, BrokenProcessPool):
        return type(error).__name__ == "KilledWorker"  # of Dask
    processes = list(dict(getattr(executor, "_processes", None) or {}).values())
    deadline = time.monotonic() + CODE_SECONDS
    codes: set[int | None] = {None}
    while processes and codes <= {None, -signal.SIGTERM} and time.monotonic() < deadline:  # the pool ends the others
        time.sleep(0.001)
        codes = {process.exitcode for process in processes}
    return not codes & {0, 1}


def usable_cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # a system without that call
        return os.cpu_count() or 1


def check_start() -> None:
    """Raises RuntimeError in a process that is still starting, while it imports the script of its parent."""
    if getattr(current_process(), "_inheriting", False):
        raise RuntimeError(f"a new process tried to start processes while it was still starting. {GUARD}")


def start() -> None:
    """Prepares a worker process: it leaves Ctrl-C to its parent, and ends when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Ends this process with its parent; without this it would wait for work for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
