"""Work in other processes or threads, or on a cluster."""

import sys
from concurrent.futures import as_completed
from functools import partial
from pathlib import Path

from mcts_core.distributed.executors import NAMES, Opened

EXECUTOR = f"{NAMES.replace(chr(39), '')} (default: processes, where there is more than one worker)"
"""What --executor takes."""


def results(work, tasks, count, in_order, executor=None):
    """``work(task)`` of each task, ``count`` at a time; in this process where that is 1 and no executor is named.

    In order, or as they come. Ends early, with BrokenExecutor, when a process dies. On a Dask cluster the folder of
    this script must be where it is here; ``count`` None: as many as the executor has processes or threads.
    """
    if executor is None and count in (None, 1):
        yield from map(work, tasks)
        return
    with Opened(executor, count) as opened:
        if opened.client is not None:
            work, tasks = shipped(work, tasks)
        if in_order:
            yield from opened.executor.map(work, tasks, chunksize=4)
        else:
            for future in as_completed([opened.executor.submit(work, task) for task in tasks]):
                yield future.result()


def shipped(work, tasks):
    """The same for a Dask cluster, the scheduler of which reads tasks and does not know these modules."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return partial(call, str(Path(__file__).resolve().parent)), [cloudpickle.dumps((work, task)) for task in tasks]


def call(folder, packed):
    """Does a task, with the modules of ``folder``."""
    import pickle
    import sys

    if folder not in sys.path:
        sys.path.append(folder)
    work, task = pickle.loads(packed)
    return work(task)
