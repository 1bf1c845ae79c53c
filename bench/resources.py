"""What this process holds of the system: memory, threads, descriptors; and whether that grows."""

import contextlib
import ctypes
import gc
import os
import sys
import threading
import time
from array import array
from dataclasses import dataclass
from statistics import median

from figures import slope

MIB = 2**20
OF_THIS_PROCESS = os.name == "posix"
"""Whether /proc/self is this process; programs of Windows that run in Wine find another one there."""
FEWEST = 20
"""Samples after the warm-up, without which no growth is judged."""


@dataclass(frozen=True)
class Kind:
    """A resource that is sampled."""

    title: str
    allowed: float
    """Growth from the end of the warm-up to the end that is no leak yet: what the allocator keeps, jitter."""
    unit: float
    """What one of the shown numbers stands for."""


KINDS = {
    "resident": Kind("resident memory, MiB", 16 * MIB, MIB),
    "heap": Kind("memory of malloc in use, MiB", 4 * MIB, MIB),
    "address_space": Kind("address space, MiB", 256 * MIB, MIB),
    "blocks": Kind("objects of Python", 1500, 1),
    "threads": Kind("threads", 0, 1),
    "descriptors": Kind("open files", 0, 1),
}


class MallInfo(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                     "fsmblks", "uordblks", "fordblks", "keepcost")]


class Record:
    """Samples, in arrays: objects of Python would be counted themselves. ``amounts``: kind -> its samples."""

    def __init__(self):
        self.amounts = {kind: array("q", [amount]) for kind, amount in sample().items()}
        for amounts in self.amounts.values():
            amounts.pop()

    def __len__(self):
        return max(map(len, self.amounts.values()))

    def add(self):
        """Takes a sample."""
        for kind, amount in sample().items():
            self.amounts[kind].append(amount)


def sample():
    """Kind -> amount, now, when what nobody needs is given back; only what the system tells."""
    gc.collect()
    settle()
    trim()
    pages = statm()
    found = {
        "resident": pages[1] if pages else peak(),
        "heap": heap(),
        "address_space": pages[0] if pages else None,
        "blocks": sys.getallocatedblocks(),
        "threads": native_threads(),
        "descriptors": descriptors(),
    }
    return {kind: amount for kind, amount in found.items() if amount is not None}


def settle():
    """Waits for what mcts_core gives back in the background, where it does."""
    with contextlib.suppress(ImportError):
        from mcts_core import arena

        arena.settle()


def statm():
    """Bytes of address space and of resident memory; None where there is no /proc."""
    if not OF_THIS_PROCESS:
        return None
    try:
        with open("/proc/self/statm") as file:
            return [int(pages) * os.sysconf("SC_PAGE_SIZE") for pages in file.read().split()[:2]]
    except OSError:
        return None


def peak():
    """The most resident memory so far, in bytes; None where the system does not tell."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def heap():
    """Bytes that malloc has given out; None where it is not glibc's, version 2.33 or newer."""
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError, TypeError):
        return None
    tell.restype = MallInfo
    info = tell()
    return info.uordblks + info.hblkhd


def trim():
    """Lets glibc give free memory back, as resident memory would else depend on where its holes are."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        pass


def native_threads():
    """The number of this process's threads, those that Python does not know included where the system tells."""
    return entries("/proc/self/task") or threading.active_count()


def descriptors():
    """The number of open files; None where the system does not tell."""
    found = entries("/proc/self/fd") or entries("/dev/fd")
    return found and found - 1  # less the one of the folder itself


def entries(folder):
    """How many entries a folder of the system has that tells of this process; None where there is none."""
    try:
        return len(os.listdir(folder)) if OF_THIS_PROCESS else None
    except OSError:
        return None


def wait_for_threads(count, seconds=5.0):
    """Waits until no more than ``count`` threads are left; the names of the newest, as many as are too many then."""
    end = time.monotonic() + seconds
    while native_threads() > count and time.monotonic() < end:
        time.sleep(0.002)
    left = native_threads() - count
    if left <= 0:
        return []
    names = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    return (names[-left:] + ["one that Python does not know"] * left)[:left]


def judge(amounts, warm):
    """A row for each kind of ``amounts``: how it grew after the first ``warm`` samples, and whether that is a leak.

    Growth is the lesser of two: that of the least-squares line through the samples, and that from the median of their
    first third to the median of the last. A single sample that is out of the way moves one of them at most. ``flat`` is
    None where there are too few samples.
    """
    rows = []
    for kind, taken in amounts.items():
        steady = taken[warm:]
        if not steady:
            continue
        known = KINDS[kind]
        row = {"kind": kind, "first": taken[0], "warm": steady[0], "last": steady[-1], "highest": max(steady),
               "samples": len(steady), "allowed": known.allowed, "unit": known.unit, "growth": None, "flat": None}
        if len(steady) >= FEWEST:
            third = len(steady) // 3
            line = slope(list(enumerate(steady))) * (len(steady) - 1)
            step = median(steady[-third:]) - median(steady[:third])
            growth = min(line, step)
            row |= {"growth": growth, "flat": growth <= known.allowed}
        rows.append(row)
    return rows


def table(rows):
    """Heading, titles and cells for ``report.as_text``."""
    cells = []
    for row in rows:
        kind = KINDS[row["kind"]]
        shown = [row["first"], row["warm"], row["last"], row["highest"], row["growth"]]
        cells.append([kind.title, *("-" if amount is None else f"{amount / kind.unit:,.1f}" if kind.unit > 1
                                    else f"{amount:,.0f}" for amount in shown),
                      f"<= {kind.allowed / kind.unit:,.0f}",
                      "too few samples" if row["flat"] is None else "yes" if row["flat"] else "NO"])
    return ("Held after each round",
            ["", "first", "after warm-up", "last", "highest", "growth since warm-up", "allowed", "flat"], cells)
