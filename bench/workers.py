"""Work in other processes, which end when this one does."""

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context, parent_process


def results(work, tasks, count, in_order):
    """``work(task)`` of each task, by ``count`` processes; with one, in this process.

    In order, or as they come. Ends early, with BrokenProcessPool, when a process dies.
    """
    if count == 1:
        yield from map(work, tasks)
        return
    executor = ProcessPoolExecutor(count, get_context("spawn"), initializer=start)
    try:
        if in_order:
            yield from executor.map(work, tasks, chunksize=4)
        else:
            for future in as_completed([executor.submit(work, task) for task in tasks]):
                yield future.result()
        executor.shutdown()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def start():
    """Prepares a process: Ctrl-C ends it without a traceback, and so does the end of its parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent():
    """Without this it would wait for work for ever."""
    parent_process().join()
    os._exit(1)
