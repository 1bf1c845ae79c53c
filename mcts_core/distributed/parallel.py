"""A search by several workers of an executor: processes, threads, or the machines of a cluster.

Every worker keeps a tree of its own. The search goes in rounds; in each a worker hears what the others have found
since its last one, searches on, and tells what is new in the common top of its tree (slow tree parallelisation: Bourki
et al., "Scalability and Parallelization of Monte-Carlo Tree Search", CG 2010). The calling process has a tree as well,
of a short search, which hears everything: from there come the move and the statistics.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from uuid import uuid4

from mcts_core.arguments import as_int, shorten
from mcts_core.distributed import messages
from mcts_core.distributed import worker as parallel_worker
from mcts_core.distributed.executors import GUARD, Opened
from mcts_core.distributed.worker import FIRST, FIRST_SHARE, LEAST, Answer, Task
from mcts_core.engine.loop import clock
from mcts_core.engine.request import ANY
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import run_together
from mcts_core.errors import GameError, InvalidOption, InvalidState, WorkersLost
from mcts_core.keywords import refuse
from mcts_core.many import MEMORY_MB, seed_of
from mcts_core.options import (
    FUNCTIONS,
    MAX_ITERATIONS,
    MAX_SEED,
    NAMES,
    as_duration,
    as_interval,
    as_progress,
    random_seed,
)
from mcts_core.origin import stats_of, top_of
from mcts_core.searcher import Searcher
from mcts_core.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from typing import Any, Unpack

    from mcts_core.keywords import ParallelOptions
    from mcts_core.results import Stats

ROUNDS = 20
MAX_ROUNDS = 100_000
ROUND_SECONDS = 0.05
"""What a round lasts at least, where the number of rounds is not given."""
ROUND_ITERATIONS = 500
SHORTEST = 0.2
"""Of a round: less time than that is not worth another one."""
LONGER = 10
"""Times what a round costs beside the search is what it lasts at least, where the number of rounds is not given."""
FEWEST = 4
"""Rounds are left by that, about."""
TRIP = 0.005
"""Seconds that a task takes there and back, before that is measured."""
SPARE = 0.002
"""Seconds to hear the last answers."""
KEPT = 4
"""Rounds of all workers for which news is kept; who was away for longer never hears it."""
SILENT = 2
"""Rounds of all workers after which one that did not take part is called silent."""
LEASE = 60.0
"""Seconds, at least, that a worker keeps a tree on which no round runs."""
LONG_LEASE = 1800.0
"""The same where no time is given."""
LAST_LEASE = 2.0
"""The same after the last round, where a process may have two of them to do."""
POLL = 0.05
"""Seconds between two looks at signals while waiting: on Windows, Ctrl-C does not end a wait."""
_OWN = ("seconds", "iterations", "executor", "workers", "rounds", "seed", "progress", "every")
_SHARED = NAMES - {"reuse", "seed"}
ERROR_LENGTH = 200
"""Characters of what a failure says."""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What one tree gave: that of a worker process, or of one of its threads."""

    id: str
    """Host and process, and which of its trees: ``node7:4711/0``."""
    iterations: int
    """Those that were heard of."""
    rounds: int
    seconds: float
    """Sum of its rounds."""
    error: str | None
    """Why it was lost or late, None where nothing is known against it. A failure that belongs to one of several is told
    of each that was not heard of afterwards."""


@dataclass(frozen=True, slots=True)
class ParallelResult:
    """What ``search_parallel`` found."""

    move: Any
    """The move to play."""
    stats: Stats
    """Of all trees as one: ``iterations``, ``rollouts``, ``nodes``, ``bytes``, ``prunes``, ``dropped_nodes`` and
    ``threads`` are sums, ``visits`` is the sum of the iterations."""
    workers: tuple[WorkerReport, ...]
    """Of each tree that was heard of."""
    errors: tuple[str, ...]
    """What went wrong with the workers: tasks that failed, or had not answered in time."""
    rounds: int
    """Of the worker that had the most."""
    seconds: float
    """Wall-clock time of the whole call."""
    seconds_per_round: float
    """Mean time from a task to its answer; 0 where there was none."""
    overhead_per_round: float
    """Mean part of it in which the worker did not work on the task."""
    own_iterations: int
    """Iterations of the calling process, which are counted in the Stats."""

    def __str__(self) -> str:
        """The table of the Stats, a line for each worker, and what went wrong."""
        workers = [
            f"worker {each.id}  {counted(each.iterations, 'iteration')} in {counted(each.rounds, 'round')} of "
            f"{each.seconds:.3f} s" + (f"  {each.error}" if each.error else "") for each in self.workers
        ]
        return "\n".join([str(self.stats), *workers, *self.errors])


def search_parallel(
    state: Any,
    seconds: float | None = None,
    *,
    iterations: int | None = None,
    executor: Any = None,
    workers: int | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    progress: Callable[[Stats], object] | None = None,
    every: float = 0.1,
    **options: Unpack[ParallelOptions],
) -> ParallelResult:
    """Searches ``state`` by several workers and returns the move to play with its statistics.

    ``executor``: any ``concurrent.futures.Executor``, a Dask ``Client``, ``"threads"``, ``"dask:ADDRESS"``, or
    ``"processes"``, the default: fresh ones, which end with the call and take some tenths of a second to begin; keep an
    executor for many searches. It is used from a thread that leads the search. ``workers`` (1 to 4096): trees that
    search at a time, by default one for each process or thread of the executor.

    The search ends ``seconds`` after the call began, or when each worker has run ``iterations``, whichever comes first;
    after one second where neither is given. It ends when any worker has proven the value of the position; by
    iterations, after that round. ``rounds`` (1 to 100,000): the parts of the budget after which workers exchange what
    they found, by default 20 or fewer, so that a round lasts 50 ms and ten times what it takes besides the search, or
    has 500 iterations. By time nobody waits for another; by iterations all do, and then the same ``seed``, workers and
    rounds give the same result where each worker has its own tree in every round: always on an executor of as many
    threads of this process, nearly always, with rounds of some 10 ms or more, on one of as many processes.

    ``options`` are those of ``Searcher``, for each worker; ``memory_mb`` is 256 by default. The state and the options
    must pickle. What fails is in ``errors`` of the result: a worker that is lost or late costs its share. Where none is
    left the calling process searches on alone.

    ``progress`` is called with the Stats so far whenever ``every`` seconds (0.001 to 1e9) have passed, in the thread
    that leads the search. An exception that it raises ends the search and comes out of it.

    Raises InvalidOption, InvalidState (also for what does not pickle), GameOver, GameError; WorkersLost where no worker
    could begin; KeyboardInterrupt on Ctrl-C, after which no task is left waiting: rounds that run in other processes
    end with their time.
    """
    begin = clock()
    if seconds is not None:
        seconds = as_duration(seconds)
    if iterations is not None:
        iterations = as_int(iterations, "iterations", 1, MAX_ITERATIONS)
    elif seconds is None:
        seconds = 1.0
    count = None if rounds is None else as_int(rounds, "rounds", 1, MAX_ROUNDS)
    chosen = random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    if not options.keys() <= _SHARED:
        unknown = {name: value for name, value in options.items() if name not in _SHARED}
        refuse("search_parallel", unknown, (*_OWN, *_SHARED), {"reuse": "Searcher(reuse=...)"})
    report = None if progress is None else (as_progress(progress), as_interval(every))
    options.setdefault("memory_mb", MEMORY_MB)
    engine = Searcher(**options)
    if engine._options.by_halving:
        raise InvalidOption("root_policy 'gumbel' shares out the iterations of one search, which workers cannot")
    request = engine._request(state, seconds, iterations)  # raises what is wrong with them
    engine._core.check(state, request.settings)
    try:
        problem = messages.dumps((state, options))
    except Exception:
        for name in FUNCTIONS:
            _check_pickles(options.get(name), InvalidOption, f"{name} of workers")
        _check_pickles(state, InvalidState, "a state that workers search")
        raise
    halt = Halt()

    def run() -> ParallelResult:
        with Opened(executor, workers) as opened:
            search = _Search(engine, state, problem, opened.executor, opened.workers, chosen, halt)
            search.begin, search.seconds, search.iterations = begin, seconds, iterations
            search.rounds, search.adapts = count or _rounds(seconds, iterations), count is None
            if report is not None:
                search.progress, search.every = report
            try:
                search.run()
            finally:
                busy = search.end()
                opened.close(busy)
        return search.result()

    # In a thread of its own: in the main one an interrupt could come between any two steps of an executor, which may
    # hold a lock there that its threads wait for.
    return run_together([run], halt)[0]


def _check_pickles(value: Any, kind: type[Exception], what: str) -> None:
    try:
        messages.dumps(value)
    except Exception as error:
        raise kind(f"{what} must pickle, and {shorten(value)} does not: {type(error).__name__}: {error}") from error


def _rounds(seconds: float | None, iterations: int | None) -> int:
    """Into how many rounds a budget is cut."""
    parts = ROUNDS if seconds is None else int(seconds / ROUND_SECONDS)
    if iterations is not None:
        parts = min(parts, iterations // ROUND_ITERATIONS)
    return min(max(parts, 1), ROUNDS)


class _Slot:
    """One of the tasks that run at a time."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rounds = 0
        self.failure: str | None = None
        """The kind of the last one, where no answer came after it."""
        self.closed = False
        self.future: Future[Answer] | None = None
        self.submitted = 0.0


class _Worker:
    """What is known of a tree."""

    def __init__(self, answer: Answer, name: str) -> None:
        self.name = name
        self.iterations = self.rounds = 0
        self.seconds = 0.0
        self.latest = answer
        self.heard_at = 0.0
        self.answers = 0
        """Of all workers, when this one was heard last."""


class _Search:
    """The side of the calling process."""

    begin: float
    seconds: float | None
    iterations: int | None
    rounds: int
    adapts: bool
    """Whether rounds become longer where they cost much."""
    progress: Callable[[Stats], object] | None = None
    every = 0.0

    def __init__(self, engine: Searcher, state: Any, problem: bytes, executor: Executor, workers: int, seed: int,
                 halt: Halt) -> None:
        self.name = uuid4().hex
        self.engine = engine
        self.core = engine._core
        self.state = state
        self.problem = problem
        self.legal = len(state.legal_moves())
        self.executor = executor
        self.seed = seed
        self.halt = halt
        self.slots = [_Slot(number) for number in range(workers)]
        self.workers: dict[str, _Worker] = {}
        self.errors: list[str] = []
        self.failed_at = 0.0
        self.cause: BaseException | None = None
        self.own: list[dict[str, Any]] = []
        self.answers: list[tuple[float, float]] = []
        """(Seconds from task to answer, seconds in the worker) of each answer."""
        self.totals = dict.fromkeys(("iterations", "rollouts", "prunes", "dropped_nodes"), 0)
        self.depth_sum, self.depth_max = 0.0, 0
        self.trips: deque[float] = deque(maxlen=2 * workers)
        self.news: deque[tuple[str, bytes]] = deque(maxlen=KEPT * workers)
        self.told = 0
        self.most = MAX_ITERATIONS // engine._options.settings(state).rollouts_per_leaf // (
            1 + (engine.options(state).get("selection") == "ucb1-tuned"))
        self.stop_reason = "time"

    # ---- the course of a search --------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until the budget is spent or the position is solved."""
        parallel_worker.table.begin(self.name, self.halt)
        self.request = self.engine._request(self.state, self.seconds, self.iterations)
        self.request.reuse, self.request.halt = ANY, self.halt
        if self.progress is not None:  # a search here can be all that there is
            progress = self.progress
            self.request.every, self.request.progress = self.every, lambda found: progress(stats_of(self.core, found))
        self.report_at = self.begin + self.every
        self.round_seconds = 0.0 if self.seconds is None else self.seconds / self.rounds
        self.search_first()
        figures = self.own[-1]
        if figures["stop_reason"] in ("solved", "only_move"):
            self.stop_reason = figures["stop_reason"]
            return
        if self.can_hear():
            told = messages.tell(self.core, max(1, figures["iterations"] // LEAST))
            assert told is not None
            self.add_news("", told)
            while self.submit_all():
                if self.collect(self.wait()):
                    self.stop_reason = "solved"
                    return
                if self.left() <= 0:
                    break
        if self.errors and not self.answers and not any(slot.future for slot in self.slots):
            hint = f". {GUARD}" if isinstance(self.cause, BrokenExecutor) else ""
            raise WorkersLost(f"no worker could begin: {self.errors[0]}{hint}") from self.cause
        if all(slot.closed for slot in self.slots):
            self.search_alone()
        elif self.iterations is not None and all(slot.rounds == self.rounds for slot in self.slots):
            self.stop_reason = "iterations"

    def left(self) -> float:
        """Seconds."""
        if self.halt.told:
            return 0.0
        return float("inf") if self.seconds is None else self.begin + self.seconds - clock()

    def search_first(self) -> None:
        """The own short search; it takes as long as the root's moves need to have their statistics."""
        few = max(FIRST, 4 * self.legal)
        if self.iterations is not None:
            few = min(few, max(self.iterations, self.legal + 1))
        self.search_here((self.seconds or 0.0) * FIRST_SHARE, few)
        if not self.can_hear() and self.own[-1]["stop_reason"] == "time":
            self.search_here(self.seconds or 0.0, self.legal + 1)
            if self.own[-1]["reused_visits"] == 0:  # the root had no children yet, so it was begun anew
                first = self.own.pop(0)
                for name in self.totals:
                    self.totals[name] -= first[name]
                self.depth_sum -= first["depth_mean"] * first["iterations"]

    def can_hear(self) -> bool:
        return bool(self.own[-1]["visits"] > self.legal)

    def search_here(self, seconds: float, iterations: int) -> None:
        begin = self.begin if self.own else clock()
        seed = seed_of(self.seed, -1 - len(self.own))
        self.core.search(self.request.replace(begin=begin, seconds=seconds, iterations=iterations, seed=seed))
        figures = self.core.figures()
        assert figures is not None
        self.own.append(figures)
        self.count(figures, figures["depth_mean"] * figures["iterations"], figures["depth_max"])

    def search_alone(self) -> None:
        """What is left of a worker's budget, when all of them are gone."""
        room = self.most - self.totals["iterations"]
        if self.iterations is not None:
            room = min(room, self.iterations - self.quota(min(slot.rounds for slot in self.slots)))
        if room > 0 and self.left() > 0:
            self.request.stop_early = False
            self.search_here(self.seconds or 0.0, room)
            self.stop_reason = self.own[-1]["stop_reason"]

    def count(self, counts: dict[str, int], depth_sum: float, depth_max: int) -> None:
        for name in self.totals:
            self.totals[name] += counts[name]
        self.depth_sum += depth_sum
        self.depth_max = max(self.depth_max, depth_max)

    # ---- tasks -------------------------------------------------------------------------------------------------------

    def submit_all(self) -> list[_Slot]:
        """Gives every free slot its next task; those that have one. By iterations, only when all are free."""
        pending = [slot for slot in self.slots if slot.future is not None]
        if self.iterations is None or not pending:
            free = [slot for slot in self.slots if slot.future is None and not slot.closed]
            for slot in free:
                while not slot.closed and slot.future is None:
                    task = self.task(slot)
                    if task is None:
                        break
                    try:
                        slot.submitted = clock()
                        slot.future = self.executor.submit(parallel_worker.run_round, task)
                    except Exception as error:
                        self.fail(slot, error)
        return [slot for slot in self.slots if slot.future is not None]

    def quota(self, rounds: int) -> int:
        """Iterations of a worker after so many rounds."""
        assert self.iterations is not None
        return self.iterations * rounds // self.rounds

    def task(self, slot: _Slot) -> Task | None:
        """The next one of a slot; None when there is none."""
        # nobody may come to more visits than a tree can count
        iterations = (self.most - self.totals["iterations"]) // (2 * len(self.slots))
        if self.iterations is not None:
            if slot.rounds == self.rounds:
                return None
            iterations = min(iterations, self.quota(slot.rounds + 1) - self.quota(slot.rounds))
        if iterations < 1:
            self.stop_reason = "iterations"
            return None
        seconds, last = 0.0, self.iterations is not None and slot.rounds + 1 == self.rounds
        if self.seconds is not None:
            whole = self.round_seconds
            if self.adapts and self.trips:
                typical = sorted(self.trips)[len(self.trips) // 2]
                whole = max(whole, min(LONGER * typical, self.seconds / FEWEST))
            seconds = self.left() - SPARE - min(max(self.trips, default=TRIP), whole)
            if seconds < SHORTEST * whole:
                return None
            if self.iterations is not None:
                pass
            elif seconds > (1 + SHORTEST) * whole:
                seconds = whole
            else:
                last = True
        first = self.told - len(self.news)
        recent = [worker.latest.heard for worker in self.workers.values()
                  if len(self.answers) - worker.answers <= 2 * len(self.slots)]
        skip = max(0, min(recent) - first) if recent else 0
        return Task(
            search=self.name, home=parallel_worker.table.process, slot=slot.number, number=slot.rounds,
            problem=self.problem, legal=self.legal, seed=self.seed, seconds=seconds, iterations=iterations,
            first=first + skip, news=tuple(self.news)[skip:],
            lease=LAST_LEASE if last else LONG_LEASE if self.seconds is None else max(LEASE, 4 * self.round_seconds),
        )

    def wait(self) -> list[_Slot]:
        """The slots of the tasks that are done: by iterations all of them, else some; none when the time is over."""
        pending = {slot.future: slot for slot in self.slots if slot.future is not None}
        enough = FIRST_COMPLETED if self.iterations is None else ALL_COMPLETED
        while True:
            left = self.left()
            done, others = wait(pending, max(0.0, min(POLL, left)), enough)
            self.report()
            if left <= 0 or not others or (done and enough == FIRST_COMPLETED):
                return [slot for future, slot in pending.items() if future in done]

    def report(self) -> None:
        """Calls ``progress`` when it is time."""
        if self.progress is None or clock() < self.report_at:
            return
        figures = self.core.figures()
        if figures is not None:
            self.progress(stats_of(self.core, figures | self.sums(figures, clock()) | {"stop_reason": "running"}))
        self.report_at = clock() + self.every

    def collect(self, slots: list[_Slot]) -> bool:
        """Hears the answers of these slots; whether the position is solved."""
        answers = []
        for slot in slots:
            future, slot.future = slot.future, None
            assert future is not None
            error = CancelledError("the executor dropped the task") if future.cancelled() else future.exception()
            if error is None:
                answers.append((future.result(), slot))
            elif isinstance(error, GameError):
                raise error
            else:
                self.fail(slot, error)
        for answer, slot in sorted(answers, key=lambda pair: pair[0].number):
            try:
                self.hear(answer, slot)
            except (ValueError, MemoryError) as error:
                self.fail(slot, error)
        if not answers:
            return False
        figures = self.core.figures()
        return figures is not None and figures["proven"] is not None

    def fail(self, slot: _Slot, error: BaseException) -> None:
        """Notes that a slot's task failed; the second time in a row the slot is given up."""
        kind = type(error).__name__
        if slot.failure != kind:
            text = f"{kind}: {error}".splitlines()[0][:ERROR_LENGTH].rstrip(":. ")
            self.errors.append(f"worker {slot.number}, round {slot.rounds}: {text}")
        if slot.failure is not None:
            slot.closed = True
        slot.failure = kind
        self.failed_at = clock()
        self.cause = self.cause or error
        slot.rounds += self.iterations is not None  # its share is lost

    def hear(self, answer: Answer, slot: _Slot) -> None:
        now = clock()
        if answer.iterations > self.most - self.totals["iterations"]:
            raise ValueError("more iterations than were asked for")
        if answer.told is not None:
            messages.hear(self.core, answer.told)
            self.add_news(answer.tree, answer.told)
        slot.rounds += 1
        slot.failure = None
        trip = now - slot.submitted
        self.answers.append((trip, answer.seconds))
        if not answer.fresh:
            self.trips.append(trip - answer.seconds)
        worker = self.workers.get(answer.tree)
        if worker is None:
            same = sum(other.latest.process == answer.process for other in self.workers.values())
            worker = self.workers[answer.tree] = _Worker(answer, f"{answer.process}/{same}")
        worker.latest = answer
        worker.iterations += answer.iterations
        worker.rounds += 1
        worker.seconds += answer.seconds
        worker.heard_at = now
        worker.answers = len(self.answers)
        self.count({name: getattr(answer, name) for name in self.totals}, answer.depth_sum, answer.depth_max)

    def add_news(self, tree: str, told: bytes) -> None:
        self.news.append((tree, told))
        self.told += 1

    def end(self) -> bool:
        """Leaves no task; whether one may still run."""
        running = False
        for slot in self.slots:
            if slot.future is not None and not slot.future.done():
                running = not slot.future.cancel() or running
        parallel_worker.table.end(self.name)
        return running

    # ---- the result --------------------------------------------------------------------------------------------------

    def result(self) -> ParallelResult:
        figures = self.core.figures()
        assert figures is not None
        now = clock()
        solved = figures["proven"] is not None
        if not solved:
            for slot in self.slots:
                if slot.future is not None:
                    self.errors.append(f"worker {slot.number}, round {slot.rounds}: late, no answer "
                                       f"{now - slot.submitted:.3f} s after it was asked")
        figures |= self.sums(figures, now)
        figures["stop_reason"] = "solved" if solved else self.stop_reason
        top = top_of(self.core, figures["number"])
        stats = stats_of(self.core, figures)
        stats._origin.keep(stats.move, top)
        count = max(len(self.answers), 1)
        trips, inside = (sum(values) for values in zip(*self.answers, strict=True)) if self.answers else (0.0, 0.0)
        return ParallelResult(
            move=stats.move, stats=stats, errors=tuple(self.errors),
            workers=tuple(
                WorkerReport(worker.name, worker.iterations, worker.rounds, worker.seconds,
                             None if solved else self.trouble(worker, now))
                for worker in sorted(self.workers.values(), key=lambda worker: worker.latest.number)
            ),
            rounds=max((worker.rounds for worker in self.workers.values()), default=0), seconds=now - self.begin,
            seconds_per_round=trips / count, overhead_per_round=(trips - inside) / count,
            own_iterations=sum(part["iterations"] for part in self.own),
        )

    def sums(self, figures: dict[str, Any], now: float) -> dict[str, Any]:
        """What the figures of the own tree become when all trees are one."""
        trees = [figures, *({name: getattr(worker.latest, name) for name in ("nodes", "bytes", "threads")}
                            for worker in self.workers.values())]
        return {
            **self.totals,
            "nodes": sum(tree["nodes"] for tree in trees),
            "bytes": sum(tree["bytes"] for tree in trees),
            "depth_mean": self.depth_sum / self.totals["iterations"],
            "depth_max": self.depth_max,
            "reused_visits": 0,
            "seed": self.seed,
            "threads": sum(tree["threads"] for tree in trees[1:]) or figures["threads"],
            "pv": self.line(figures),
            "seconds": now - self.begin,
            "overshoot": max(0.0, now - self.begin - self.seconds) if self.seconds is not None else 0.0,
        }

    def line(self, figures: dict[str, Any]) -> list[Any]:
        """The principal variation of the greatest tree that would play the same move; the own one is small."""
        lines = [(answer.proven is not None, answer.visits, answer.pv)
                 for answer in (worker.latest for worker in self.workers.values())
                 if answer.pv[0] == figures["move"] and answer.proven == figures["proven"]]
        return list(max(lines, key=lambda entry: entry[:2])[2]) if lines else figures["pv"]

    def trouble(self, worker: _Worker, now: float) -> str | None:
        """What is known against a worker."""
        since = f"{now - worker.heard_at:.3f} s before the end"
        if worker.heard_at < self.failed_at:
            return f"lost: not heard of after a failure, last {since}"
        late = [slot for slot in self.slots if slot.future is not None and slot.submitted > worker.heard_at]
        if late:
            return f"late: last heard of {since}"
        if len(self.answers) - worker.answers > SILENT * len(self.slots):
            return f"silent: last heard of {since}"
        return None
