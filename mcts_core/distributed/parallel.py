"""A search by several workers of an executor: processes, threads, or the machines of a cluster.

Every worker keeps a tree of its own. In each round, a worker receives what the others have found since its last round,
searches on, and reports what is new in the top of its tree (slow tree parallelisation: Bourki et al., "Scalability and
Parallelization of Monte-Carlo Tree Search", CG 2010). The calling process has a small tree of its own and adds the
news of all workers to it; the move and the statistics come from that tree.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from uuid import uuid4

import mcts_core.engine.top  # noqa: F401 - top_of needs it, and its thread must not import: see run_apart
from mcts_core.arguments import as_duration, as_int, shorten
from mcts_core.distributed import messages
from mcts_core.distributed import worker as parallel_worker
from mcts_core.distributed.executors import GUARD, Opened, import_first, was_killed
from mcts_core.distributed.worker import FIRST, FIRST_SHARE, LEAST, Answer, NotLoaded, Task
from mcts_core.engine.loop import clock
from mcts_core.engine.request import ANY, MOST_ITERATIONS, seed_of
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import run_together
from mcts_core.errors import GameError, InvalidOption, InvalidState, WorkersLost
from mcts_core.field_docs import documented
from mcts_core.games.state_kinds import refuse_hidden
from mcts_core.many import MEMORY_MB
from mcts_core.option_rows import MAX_SEED, NAMES, as_interval, as_progress, refuse
from mcts_core.options import FUNCTIONS, limit_memory, random_seed
from mcts_core.progress import Bar, import_display, of_search, watching
from mcts_core.results import stats_of, top_of
from mcts_core.searcher import Searcher
from mcts_core.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from typing import Any, Unpack

    from mcts_core.option_rows import ParallelOptions, Progress
    from mcts_core.results import Stats

ROUNDS = 20
MAX_ROUNDS = 100_000
ROUND_SECONDS = 0.05
"""Shortest round in seconds, if the number of rounds is not given."""
ROUND_ITERATIONS = 500
SHORTEST = 0.2
"""Share of a round: if less time than this is left, no further round starts."""
LONGER = 10
"""A round lasts at least so many times its overhead, if the number of rounds is not given."""
FEWEST = 4
"""About so many rounds remain, however large the overhead is."""
TRIP = 0.005
"""Seconds that a task takes there and back; the assumption before the first measurement."""
SPARE = 0.002
"""Seconds reserved for the last answers."""
KEPT = 4
"""News is kept for so many rounds of all workers; a worker that was away for longer misses it."""
SILENT = 2
"""A worker is reported as silent if it misses so many rounds of all workers."""
LEASE = 60.0
"""Seconds, at least, for which a worker keeps a tree on which no round runs."""
LONG_LEASE = 1800.0
"""The same for a search without a time limit."""
LAST_LEASE = 2.0
"""The same after the last round; a process may still have two last rounds to run."""
POLL = 0.05
"""Seconds between two checks for signals while waiting: on Windows, Ctrl-C does not end a wait."""
_OWN = ("seconds", "iterations", "executor", "workers", "rounds", "seed", "progress", "every")
_SHARED = NAMES - {"reuse", "seed"}
ERROR_LENGTH = 200
"""Characters of a failure's message that are kept."""
IMPORTS = ("Workers import the classes and functions of the state and of the options by name: put them into a module "
           "(a .py file) that every worker can import, or use executor='threads'")


@documented
@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The report of one tree, which belongs to a worker process or to one of its threads."""

    id: str
    """Host, process and number of the tree: ``node7:4711/0``."""
    iterations: int
    """The iterations that it reported."""
    rounds: int
    """The rounds that it reported."""
    seconds: float
    """The total time of its rounds."""
    error: str | None
    """Why the tree was lost or late, else None. If a failure belongs to one of several trees, each of them that did not
    report afterwards has it."""


@documented
@dataclass(frozen=True, slots=True)
class ParallelResult:
    """The result of ``search_parallel``."""

    move: Any
    """The move to play."""
    stats: Stats
    """Totals over all trees: ``iterations``, ``rollouts``, ``nodes``, ``bytes``, ``prunes``, ``dropped_nodes`` and
    ``threads`` are sums, and ``visits`` is the sum of the iterations."""
    workers: tuple[WorkerReport, ...]
    """A report of each tree that reported at all."""
    errors: tuple[str, ...]
    """The failures of the workers: tasks that failed or did not answer in time."""
    rounds: int
    """The rounds of the worker with the most rounds."""
    seconds: float
    """Wall-clock time of the whole call."""
    seconds_per_round: float
    """Mean time from a task to its answer; 0 if there was no answer."""
    overhead_per_round: float
    """The part of that time in which the worker did not work on the task."""
    own_iterations: int
    """Iterations of the calling process; the Stats include them."""

    def __str__(self) -> str:
        """The table of the Stats, a line for each worker, and the failures."""
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
    progress: Progress | None = None,
    every: float = 0.1,
    **options: Unpack[ParallelOptions],
) -> ParallelResult:
    """Searches ``state`` with several workers and returns the move to play with the statistics.

    Each worker has a tree of its own, and the workers exchange the statistics of the nodes near the root (slow tree
    parallelisation: Bourki et al., CG 2010).

    ``executor`` runs the workers: any ``concurrent.futures.Executor``, a Dask ``Client``, ``"dask:ADDRESS"``,
    ``"threads"``, or ``"processes"`` (the default), which starts new processes for this call. Their start takes some
    tenths of a second, so keep an executor for many searches. ``workers`` (1 to 4096) is the number of trees that
    search at the same time, by default one for each process or thread of the executor.

    The search ends after ``seconds``, counted from the call, or when each worker has run ``iterations``. With both, the
    limit reached first ends the search; with neither, it ends after one second. It also ends when a worker proves the
    value of the position; with a number of iterations, it completes that round first.

    ``rounds`` (1 to 100,000) is the number of parts into which the limit is divided, at most one for each iteration;
    after each round, the workers exchange their results. By default there are at most 20 rounds: a round lasts at least
    50 ms and at least ten times its own cost, or has at least 500 iterations. With a time limit, workers do not wait
    for each other. With a number of iterations they do. Then the same ``seed``, workers and rounds give the same result
    if each worker has its own tree in every round. That always holds for an executor with as many threads of this
    process. It nearly always holds for as many processes, with rounds of about 10 ms or more.

    ``options`` are those of ``Searcher``, for each worker; ``memory_mb`` is 256 by default. The state and the options
    must be picklable. Failures are in ``errors`` of the result: a worker that is lost or late costs only its share. If
    no worker is left, the calling process continues alone.

    ``progress``: True draws a bar. A function gets the Stats so far, each time ``every`` seconds (0.001 to 1e9) have
    passed. It runs in the thread that leads the search. If it raises an exception, the search ends and raises that
    exception.

    Raises InvalidOption, InvalidState (also if the state is not picklable or has hidden information), GameOver,
    GameError, WorkersLost if no worker could start, and KeyboardInterrupt on Ctrl-C. After Ctrl-C no task is left
    waiting; rounds that already run in other processes end with their time.
    """
    begin = clock()
    if seconds is not None:
        seconds = as_duration(seconds)
    if iterations is not None:
        iterations = as_int(iterations, "iterations", 1, MOST_ITERATIONS)
    elif seconds is None:
        seconds = 1.0
    count = None if rounds is None else as_int(rounds, "rounds", 1, MAX_ROUNDS)
    chosen = random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    if not options.keys() <= _SHARED:
        unknown = {name: value for name, value in options.items() if name not in _SHARED}
        refuse("search_parallel", unknown, (*_OWN, *_SHARED), {"reuse": "Searcher(reuse=...)"})
    watch, interval = as_progress(progress), as_interval(every)
    limit_memory(options, MEMORY_MB)
    engine = Searcher(**options)
    if engine._options.by_halving:
        raise InvalidOption("root_policy 'gumbel' divides the iterations of one search, which workers cannot do")
    request = engine._request(state, seconds, iterations)  # raises if the arguments are invalid
    engine._core.check(state, request.settings)
    refuse_hidden(state)
    try:
        problem = messages.dumps((state, options))
    except Exception:
        for name in FUNCTIONS:
            _check_pickles(options.get(name), InvalidOption, f"{name} of workers")
        _check_pickles(state, InvalidState, "a state that workers search")
        raise
    halt = Halt()

    def run() -> ParallelResult:
        with Opened(executor, workers) as opened, \
                watching(watch, lambda: of_search(state, seconds, (iterations or 0) * opened.workers)) as tell:
            search = _Search(engine, state, problem, opened.executor, opened.workers, chosen, halt)
            search.begin, search.seconds, search.iterations = begin, seconds, iterations
            search.rounds, search.adapts = count or _rounds(seconds, iterations), count is None
            if iterations is not None:
                search.rounds = min(search.rounds, iterations)
            search.progress, search.every = tell, interval
            try:
                search.run()
            finally:
                busy = search.end()
                opened.close(busy)
            result = search.result()
            if isinstance(tell, Bar):
                tell.finish(result.stats)
        return result

    # In a thread of its own: in the main thread an interrupt could come between any two steps of the executor, while it
    # holds a lock that its threads wait for.
    import_first(executor)
    if watch is True:
        import_display()
    return run_together([run], halt)[0]


def _check_pickles(value: Any, kind: type[Exception], what: str) -> None:
    try:
        messages.dumps(value)
    except Exception as error:
        raise kind(f"{what} must pickle, but {shorten(value)} does not: {type(error).__name__}: {error}") from error


def _rounds(seconds: float | None, iterations: int | None) -> int:
    """The number of rounds for a budget."""
    parts = ROUNDS if seconds is None else int(seconds / ROUND_SECONDS)
    if iterations is not None:
        parts = min(parts, iterations // ROUND_ITERATIONS)
    return min(max(parts, 1), ROUNDS)


class _Slot:
    """A place for one of the tasks that run at the same time."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rounds = 0
        self.failure: str | None = None
        """The type of the last failure, if no answer came after it."""
        self.closed = False
        self.future: Future[Answer] | None = None
        self.submitted = 0.0


class _Worker:
    """What is known about a worker's tree."""

    def __init__(self, answer: Answer, name: str) -> None:
        self.name = name
        self.iterations = self.rounds = 0
        self.seconds = 0.0
        self.latest = answer
        self.heard_at = 0.0
        self.answers = 0
        """Number of answers of all workers when this one last answered."""


class _Search:
    """A search as the calling process leads it."""

    begin: float
    seconds: float | None
    iterations: int | None
    rounds: int
    adapts: bool
    """Whether rounds become longer when their overhead is large."""
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
        self.killed = False
        """Whether a worker was lost that had started."""
        self.own: list[dict[str, Any]] = []
        self.answers: list[tuple[float, float]] = []
        """(Seconds from task to answer, seconds in the worker) of each answer."""
        self.totals = dict.fromkeys(("iterations", "rollouts", "prunes", "dropped_nodes"), 0)
        self.depth_sum, self.depth_max = 0.0, 0
        self.trips: deque[float] = deque(maxlen=2 * workers)
        self.news: deque[tuple[str, bytes]] = deque(maxlen=KEPT * workers)
        self.told = 0
        self.most = engine.most_iterations(state)
        self.stop_reason = "time"

    # ---- the course of a search --------------------------------------------------------------------------------------

    def run(self) -> None:
        """Searches until the budget is spent or the position is solved."""
        parallel_worker.table.begin(self.name, self.halt)
        self.request = self.engine._request(self.state, self.seconds, self.iterations)
        self.request.reuse, self.request.halt = ANY, self.halt
        if self.progress is not None:  # perhaps only this process searches
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
        if self.errors and not (self.answers or self.killed or any(slot.future for slot in self.slots)):
            hint = (f". {GUARD}" if isinstance(self.cause, BrokenExecutor) else
                    f". {IMPORTS}" if isinstance(self.cause, NotLoaded) else "")
            raise WorkersLost(f"no worker could start: {self.errors[0]}{hint}") from self.cause
        if all(slot.closed for slot in self.slots):
            self.search_alone()
        elif self.iterations is not None and all(slot.rounds == self.rounds for slot in self.slots):
            self.stop_reason = "iterations"

    def left(self) -> float:
        """Seconds left."""
        if self.halt.told:
            return 0.0
        return float("inf") if self.seconds is None else self.begin + self.seconds - clock()

    def search_first(self) -> None:
        """The short search in this process; it goes on until every move of the root has statistics."""
        few = max(FIRST, 4 * self.legal)
        if self.iterations is not None:
            few = min(few, max(self.iterations, self.legal + 1))
        self.search_here((self.seconds or 0.0) * FIRST_SHARE, few)
        if not self.can_hear() and self.own[-1]["stop_reason"] == "time":
            self.search_here(self.seconds or 0.0, self.legal + 1)
            if self.own[-1]["reused_visits"] == 0:  # the root had no children yet, so the search started anew
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
        """Spends the rest of one worker's budget in this process, when all workers are lost."""
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
        """Gives every free slot its next task and returns the busy slots. By iterations, only when all are free."""
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
                        future: Any = self.executor.submit(parallel_worker.run_round, task)
                    except Exception as error:
                        self.fail(slot, error)
                        continue
                    if not isinstance(future, Future):
                        raise InvalidOption(f"executor must return a concurrent.futures.Future from submit(), but "
                                            f"{type(self.executor).__name__} returned {shorten(future)}")
                    slot.future = future
        return [slot for slot in self.slots if slot.future is not None]

    def quota(self, rounds: int) -> int:
        """Iterations that a worker should have run after so many rounds."""
        assert self.iterations is not None
        return self.iterations * rounds // self.rounds

    def task(self, slot: _Slot) -> Task | None:
        """The next task of a slot, or None."""
        # no tree may get more visits than it can count
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
        """The slots whose tasks are done: by iterations all of them, by time at least one; fewer at the end."""
        pending = {slot.future: slot for slot in self.slots if slot.future is not None}
        enough = FIRST_COMPLETED if self.iterations is None else ALL_COMPLETED
        while True:
            left = self.left()
            done, others = wait(pending, max(0.0, min(POLL, left)), enough)
            # a queued task that shutdown(cancel_futures=True) cancels is never reported
            dropped = {future for future in others if future.done()}
            done, others = done | dropped, others - dropped
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
        """Processes the answers of these slots; returns whether the position is solved."""
        answers = []
        for slot in slots:
            future, slot.future = slot.future, None
            assert future is not None
            error = CancelledError("the executor dropped the task") if future.cancelled() else future.exception()
            if error is None and not isinstance(future.result(), Answer):
                error = TypeError(f"the executor must return the result of its task, got {shorten(future.result())}")
            if error is None:
                answers.append((future.result(), slot))
            elif isinstance(error, GameError):
                raise error
            else:
                self.killed = self.killed or was_killed(self.executor, error)
                self.fail(slot, error)
        for answer, slot in sorted(answers, key=lambda pair: pair[0].number):
            try:
                self.hear(answer, slot)
            except (ValueError, MemoryError) as error:
                self.fail(slot, error)
        if not answers:
            return False
        figures = self.core.figures()
        return figures is not None and figures["stop_reason"] == "solved"

    def fail(self, slot: _Slot, error: BaseException) -> None:
        """Records that a slot's task failed; after two failures in a row the slot is closed."""
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
            raise ValueError("the worker ran more iterations than requested")
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
        """Cancels all tasks; returns whether one may still run."""
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
        solved = figures["stop_reason"] == "solved"
        if not solved:
            for slot in self.slots:
                if slot.future is not None:
                    self.errors.append(f"worker {slot.number}, round {slot.rounds}: late, no answer "
                                       f"{now - slot.submitted:.3f} s after the task was sent")
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
        """The figures over all trees, which replace those of the tree in this process."""
        trees = [figures, *({name: getattr(worker.latest, name) for name in ("nodes", "bytes", "threads")}
                            for worker in self.workers.values())]
        if figures["line_value"] is None:
            found = {"pv": self.line(figures)}
        else:
            found = self.best_line(figures)
        return {
            **self.totals,
            "nodes": sum(tree["nodes"] for tree in trees),
            "bytes": sum(tree["bytes"] for tree in trees),
            "depth_mean": self.depth_sum / self.totals["iterations"],
            "depth_max": self.depth_max,
            "reused_visits": 0,
            "seed": self.seed,
            "threads": sum(tree["threads"] for tree in trees[1:]) or figures["threads"],
            **found,
            "seconds": now - self.begin,
            "overshoot": max(0.0, now - self.begin - self.seconds) if self.seconds is not None else 0.0,
        }

    def line(self, figures: dict[str, Any]) -> list[Any]:
        """The principal variation of the largest tree that chooses the same move; the tree in this process is small."""
        lines = [(answer.proven is not None, answer.visits, answer.pv)
                 for answer in (worker.latest for worker in self.workers.values())
                 if answer.pv[0] == figures["move"] and answer.proven == figures["proven"]]
        return list(max(lines, key=lambda entry: entry[:2])[2]) if lines else figures["pv"]

    def best_line(self, figures: dict[str, Any]) -> dict[str, Any]:
        """The best line of all trees. Of equal ones, that of this process, else that of the first worker."""
        best = figures
        for worker in sorted(self.workers.values(), key=lambda worker: worker.latest.number):
            value = worker.latest.line_value
            if value is not None and value > best["line_value"]:
                best = {"move": worker.latest.pv[0], "pv": list(worker.latest.pv), "line_value": value}
        return {name: best[name] for name in ("move", "pv", "line_value")}

    def trouble(self, worker: _Worker, now: float) -> str | None:
        """What went wrong with a worker, or None."""
        since = f"{now - worker.heard_at:.3f} s before the end"
        if worker.heard_at < self.failed_at:
            return f"lost: no answer after a failure, last answer {since}"
        late = [slot for slot in self.slots if slot.future is not None and slot.submitted > worker.heard_at]
        if late:
            return f"late: last answer {since}"
        if len(self.answers) - worker.answers > SILENT * len(self.slots):
            return f"silent: last answer {since}"
        return None
