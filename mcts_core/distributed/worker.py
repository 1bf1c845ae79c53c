"""A round of a parallel search, as a worker does it: hear what the others found, search on, tell.

An executor runs each round wherever it likes, so a process keeps the trees of a search in a table between the rounds,
and whichever tree is free goes on. Trees are dropped when they were left alone for their lease.
"""

from __future__ import annotations

import os
import pickle
import platform
import threading
from collections import deque
from dataclasses import dataclass
from uuid import uuid4

from mcts_core.distributed import messages
from mcts_core.engine.loop import clock
from mcts_core.engine.request import ANY
from mcts_core.engine.turn import Halt
from mcts_core.many import seed_of
from mcts_core.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIRST = 1000
"""Iterations, at least, of a tree before it hears of others, so that it has the nodes that they tell of."""
FIRST_SHARE = 0.05
"""Of the time, at most."""
LEAST = 32
"""News of a node that are worth telling: this part of a round's iterations."""
SHARE = 2048
"""Or this part of the tree's visits, where that is more."""
MOST_SEARCHES = 8
"""That a process keeps trees of."""


class Ended(Exception):
    """The search of a round is over, so nobody waits for its answer."""


@dataclass(frozen=True, slots=True)
class Task:
    """A round of a worker."""

    search: str
    home: str
    """The process that asks: the trees of its own threads go by ``slot``, so that a search there can be repeated."""
    slot: int
    """Which of the rounds that run at a time this is."""
    number: int
    """The rounds of the slot before this one."""
    problem: bytes
    """A pickle of the state and the options."""
    legal: int
    """The number of its legal moves."""
    seed: int
    seconds: float
    """0: as long as it takes."""
    iterations: int
    first: int
    """The number of the first one of ``news``."""
    news: tuple[tuple[str, bytes], ...]
    """What the trees of these names told, in the order in which it was heard."""
    lease: float
    """Seconds that a tree is kept without a round; few after what may be the last one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tree found in a round."""

    tree: str
    process: str
    """Where the tree is, for people."""
    number: int
    """Orders the trees of a search."""
    fresh: bool
    """Whether this was the tree's first round."""
    heard: int
    """The number of the first news that the tree has not heard."""
    told: bytes | None
    """None: nothing that counts, as the root's moves have no statistics yet."""
    seconds: float
    """Of the round, in the worker."""
    iterations: int
    rollouts: int
    prunes: int
    dropped_nodes: int
    depth_sum: float
    depth_max: int
    visits: int
    nodes: int
    bytes: int
    threads: int
    proven: str | None
    pv: tuple[Any, ...]


class Tree:
    """A tree of a search, in the hands of one round at a time."""

    def __init__(self, task: Task, halt: Halt) -> None:
        self.state, options = pickle.loads(task.problem)
        if task.slot:
            options["root_proofs"] = 0  # one worker looks for a proof of the root
        self.engine = Searcher(**options)
        self.request = self.engine._request(self.state, None, 1)
        self.request.stop_early, self.request.reuse, self.request.halt = False, ANY, halt
        self.name = uuid4().hex
        self.number = task.number << 16 | task.slot
        self.seed = seed_of(task.seed, self.number)
        self.heard = task.first
        self.visits = 0
        self.halt = halt

    def round(self, task: Task, begin: float) -> Answer:
        """Hears, searches and tells."""
        core = self.engine._core
        fresh = self.visits == 0
        parts: list[dict[str, Any]] = []
        left = task.iterations
        if fresh and task.news:
            few = min(left, max(FIRST, 4 * task.legal))
            parts.append(self.search(task, 0, begin, task.seconds * FIRST_SHARE, few))
            left -= few
        if self.visits > task.legal:  # the root's moves have their statistics
            for index, (teller, message) in enumerate(task.news, task.first):
                if index >= self.heard and teller != self.name:
                    messages.hear(core, message)
            self.heard = max(self.heard, task.first + len(task.news))
        solved = bool(parts) and parts[-1]["proven"] is not None
        if left and not solved:
            parts.append(self.search(task, 1, begin, task.seconds, left))
            if parts[-1]["reused_visits"] == 0:  # the root had no children yet, so it was begun anew
                del parts[:-1]
        final = parts[-1]
        iterations = total(parts, "iterations")
        told = messages.tell(core, max(1, iterations // LEAST, self.visits // SHARE))
        if told is None:
            iterations = 0
            del parts[:]
        return Answer(
            tree=self.name, process=f"{platform.node()}:{os.getpid()}", number=self.number, fresh=fresh,
            heard=self.heard, told=told, iterations=iterations, rollouts=total(parts, "rollouts"),
            prunes=total(parts, "prunes"), dropped_nodes=total(parts, "dropped_nodes"),
            depth_sum=sum(part["depth_mean"] * part["iterations"] for part in parts),
            depth_max=max((part["depth_max"] for part in parts), default=0), visits=final["visits"],
            nodes=final["nodes"], bytes=final["bytes"], threads=final["threads"], proven=final["proven"],
            pv=tuple(final["pv"]), seconds=clock() - begin,
        )

    def search(self, task: Task, part: int, begin: float, seconds: float, iterations: int) -> dict[str, Any]:
        """The figures of a search that goes on with the tree."""
        core = self.engine._core
        if self.halt.told:
            raise Ended("the search is over")
        seed = seed_of(self.seed, 2 * task.number + part)
        core.search(self.request.replace(begin=begin, seconds=seconds, iterations=iterations, seed=seed))
        figures = core.figures()
        assert figures is not None
        self.visits = figures["visits"]
        return figures


class Search:
    """The trees of a search in this process."""

    def __init__(self) -> None:
        self.trees: dict[int, Tree] = {}
        """By slot, those of the asking process's own threads; else by number."""
        self.idle: list[Tree] = []
        self.until = 0.0
        self.busy = 0


class Table:
    """The searches that this process has trees of."""

    def __init__(self) -> None:
        self.process = uuid4().hex
        self._lock = threading.Lock()
        self._searches: dict[str, Search] = {}
        self._halts: dict[str, Halt] = {}
        """Of the searches that this process asks for."""
        self._ended: deque[str] = deque(maxlen=64)
        self._sweeps: list[float] = []
        """When sweeps come, the next one first."""

    def run(self, task: Task) -> Answer:
        """A round on a tree that is free, or on a new one."""
        begin = clock()
        tree = self._take(task)
        whole = False
        try:
            answer = tree.round(task, begin)
            whole = True
            return answer
        finally:
            self._give_back(task, tree, whole)

    def begin(self, search: str, halt: Halt) -> None:
        """From now on ``halt`` ends what runs of a search in this process."""
        self._halts[search] = halt

    def end(self, search: str) -> None:
        """Ends what runs of a search in this process, and drops its trees."""
        with self._lock:
            self._ended.append(search)
            found = self._searches.pop(search, None)
            self._halts.pop(search, None)
        for tree in found.trees.values() if found else ():
            tree.halt.tell()

    def _take(self, task: Task) -> Tree:
        home = task.home == self.process
        with self._lock:
            if task.search in self._ended:
                raise Ended("the search is over")
            found = self._searches.setdefault(task.search, Search())
            found.busy += 1
            self._sweep()
            tree = found.trees.get(task.slot) if home else found.idle.pop() if found.idle else None
            halt = self._halts.get(task.search) or Halt()
        if tree is not None:
            return tree
        try:
            tree = Tree(task, halt)
        except BaseException:
            with self._lock:
                found.busy -= 1
                self._drop_if_empty(task.search)
            raise
        with self._lock:
            found.trees[task.slot if home else tree.number] = tree
            if task.search in self._ended:
                tree.halt.tell()
        return tree

    def _give_back(self, task: Task, tree: Tree, whole: bool) -> None:
        """``whole`` False: the round failed, and the tree may know the half of something."""
        home = task.home == self.process
        with self._lock:
            found = self._searches.get(task.search)
            if found is None:
                return
            found.busy -= 1
            found.until = clock() + task.lease
            if not whole:
                found.trees.pop(task.slot if home else tree.number, None)
            elif not home:
                found.idle.append(tree)
            self._drop_if_empty(task.search)
            if not home:  # where the search ends, end() comes
                self._sweep_at(found.until)

    def _drop_if_empty(self, search: str) -> None:
        found = self._searches.get(search)
        if found is not None and not found.trees and not found.busy:
            del self._searches[search]

    def _sweep(self) -> None:
        """Drops what nobody came back to."""
        now = clock()
        free = sorted((found.until, name) for name, found in self._searches.items() if not found.busy)
        over = len(self._searches) - MOST_SEARCHES
        for index, (until, name) in enumerate(free):
            if until <= now or index < over:
                del self._searches[name]

    def _sweep_at(self, time: float) -> None:
        """Sees to it that a sweep comes then, or before."""
        if self._sweeps and self._sweeps[0] <= time:
            return

        def sweep() -> None:
            with self._lock:
                self._sweeps.remove(time)
                self._sweep()
                if self._searches:
                    self._sweep_at(min(found.until for found in self._searches.values()))

        self._sweeps.insert(0, time)
        timer = threading.Timer(max(0.0, time - clock()) + 0.01, sweep)
        timer.daemon = True
        timer.start()


def total(parts: list[dict[str, Any]], name: str) -> Any:
    return sum(part[name] for part in parts)


table = Table()


def run_round(task: Task) -> Answer:
    """What an executor is given to run."""
    return table.run(task)


def _after_fork() -> None:
    global table
    table = Table()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
