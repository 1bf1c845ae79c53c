"""A round of a parallel search in a worker: it receives what the others found, searches on, and reports its news.

An executor runs a round in any of its processes. So every process keeps the trees of a search in a table between the
rounds, and a round takes any free tree. A tree is dropped when no round has used it for the time of its lease.
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
from mcts_core.engine.request import ANY, seed_of
from mcts_core.engine.turn import Halt
from mcts_core.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIRST = 1000
"""Iterations of a tree, at least, before it receives news, so that it has the nodes that the news are about."""
FIRST_SHARE = 0.05
"""Share of the time that these iterations may take, at most."""
LEAST = 32
"""A node is reported if its new visits are at least one in so many of the round's iterations."""
SHARE = 2048
"""And at least one in so many of the tree's visits."""
MOST_SEARCHES = 8
"""Searches, at most, of which a process keeps trees."""


class Ended(Exception):
    """The search is over, so nobody waits for the answer of this round."""


class NotLoaded(Exception):
    """This process cannot import a class or a function of the state or the options."""


@dataclass(frozen=True, slots=True)
class Task:
    """A round of a worker."""

    search: str
    home: str
    """The calling process. Its own threads find their trees by ``slot``, so that such a search is repeatable."""
    slot: int
    """The number of the slot: one of the rounds that run at the same time."""
    number: int
    """The number of earlier rounds of the slot."""
    problem: bytes
    """A pickle of the state and the options."""
    legal: int
    """The number of its legal moves."""
    seed: int
    seconds: float
    """0: no time limit."""
    iterations: int
    first: int
    """The number of the first message in ``news``."""
    news: tuple[tuple[str, bytes], ...]
    """Pairs of a tree's name and its message, in the order in which they arrived."""
    lease: float
    """Seconds for which a tree is kept without a round; short if this may be the last round."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a round."""

    tree: str
    process: str
    """Host and process of the tree, to show."""
    number: int
    """The order of the trees of a search."""
    fresh: bool
    """Whether this was the tree's first round."""
    heard: int
    """The number of the first message that the tree has not received."""
    told: bytes | None
    """The news of the tree; None if the moves of the root have no statistics yet."""
    seconds: float
    """Time of the round in the worker."""
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
    line_value: float | None
    """What ``pv`` gives, in searches that keep the best line."""


class Tree:
    """A tree of a search; one round at a time uses it."""

    def __init__(self, task: Task, halt: Halt) -> None:
        try:
            self.state, options = pickle.loads(task.problem)
        except (AttributeError, ImportError) as error:
            raise NotLoaded(str(error)) from error
        if task.slot:
            options["root_proofs"] = 0  # one worker looks for a proof of the root
        self.engine = Searcher(**options)
        self.request = self.engine._request(self.state, None, 1)
        self.request.stop_early, self.request.reuse, self.request.halt = False, ANY, halt
        self.name = uuid4().hex
        self.number = task.number << 16 | task.slot
        if self.number:
            self.request.settings.vary()  # without rollouts all trees of the search would be the same
        self.seed = seed_of(task.seed, self.number)
        self.heard = task.first
        self.visits = 0
        self.halt = halt

    def round(self, task: Task, begin: float) -> Answer:
        """Adds the news of the others, searches, and returns the answer."""
        core = self.engine._core
        fresh = self.visits == 0
        parts: list[dict[str, Any]] = []
        left = task.iterations
        if fresh and task.news:
            few = min(left, max(FIRST, 4 * task.legal))
            parts.append(self.search(task, 0, begin, task.seconds * FIRST_SHARE, few))
            left -= few
        if self.visits > task.legal:  # the moves of the root have statistics
            for index, (teller, message) in enumerate(task.news, task.first):
                if index >= self.heard and teller != self.name:
                    messages.hear(core, message)
            self.heard = max(self.heard, task.first + len(task.news))
        solved = bool(parts) and parts[-1]["stop_reason"] == "solved"
        if left and not solved:
            parts.append(self.search(task, 1, begin, task.seconds, left))
            if parts[-1]["reused_visits"] == 0:  # the root had no children yet, so the search started anew
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
            pv=tuple(final["pv"]), line_value=final["line_value"], seconds=clock() - begin,
        )

    def search(self, task: Task, part: int, begin: float, seconds: float, iterations: int) -> dict[str, Any]:
        """Searches on with the tree and returns the figures."""
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
        """Trees by slot if this is the calling process, otherwise by number."""
        self.idle: list[Tree] = []
        self.until = 0.0
        self.busy = 0


class Table:
    """The searches whose trees this process keeps."""

    def __init__(self) -> None:
        self.process = uuid4().hex
        self._lock = threading.Lock()
        self._searches: dict[str, Search] = {}
        self._halts: dict[str, Halt] = {}
        """Those of the searches that were called in this process."""
        self._ended: deque[str] = deque(maxlen=64)
        self._sweeps: list[float] = []
        """The times of the coming sweeps, the next one first."""

    def run(self, task: Task) -> Answer:
        """Runs a round on a free tree, or on a new one."""
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
        """From now on, ``halt`` stops the rounds of this search in this process."""
        self._halts[search] = halt

    def end(self, search: str) -> None:
        """Stops the rounds of a search in this process, and drops its trees."""
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
        """``whole`` False: the round failed, and the tree may be in an intermediate state."""
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
            if not home:  # at home, end() drops the trees
                self._sweep_at(found.until)

    def _drop_if_empty(self, search: str) -> None:
        found = self._searches.get(search)
        if found is not None and not found.trees and not found.busy:
            del self._searches[search]

    def _sweep(self) -> None:
        """Drops the searches whose lease is over."""
        now = clock()
        free = sorted((found.until, name) for name, found in self._searches.items() if not found.busy)
        over = len(self._searches) - MOST_SEARCHES
        for index, (until, name) in enumerate(free):
            if until <= now or index < over:
                del self._searches[name]

    def _sweep_at(self, time: float) -> None:
        """Schedules a sweep at ``time``, unless one comes before."""
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
    """The function that an executor runs."""
    return table.run(task)


def _after_fork() -> None:
    global table
    table = Table()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
