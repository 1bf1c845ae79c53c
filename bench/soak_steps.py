"""What is done in a soak, step by step, and what is looked at after each step."""

import asyncio
import contextlib
import copy
import gc
import os
import pickle
import random
import sys
import threading
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import consistency
import soak_general
from consistency import Asked
from soak_seats import RESIDENTS, Dots, Faulty

import mcts_core as mc

CHILD = 30.0
"""Seconds after which a child of a fork is taken for a hang."""
MODULE_MEMORY = 8
"""``memory_mb`` of the module's own search."""
FILLING = {"seconds": 1.0, "iterations": 10**6}
"""The budget of a search that fills a small memory."""


class Unwanted(Exception):
    """What a progress callback raises."""


@dataclass
class Soak:
    """The state of a run: what was counted, and what went wrong."""

    there: dict
    """``soak_seats.features``."""
    folder: Path
    """For files."""
    chooser: random.Random = field(default_factory=random.Random)
    steps: Counter = field(default_factory=Counter)
    seconds: Counter = field(default_factory=Counter)
    """Of the steps, by their name."""
    expected: Counter = field(default_factory=Counter)
    reasons: Counter = field(default_factory=Counter)
    totals: Counter = field(default_factory=Counter)
    faults: list = field(default_factory=list)
    """(where, text)."""
    where: str = ""

    def fault(self, text):
        """Something is wrong."""
        self.faults.append((self.where, text))

    def expect(self, holds, text):
        """Something is wrong unless ``holds``."""
        if not holds:
            self.fault(text)

    def check(self, seat, stats, asked, move=None):
        """Compares what a search of a seat tells with what it was asked for."""
        for text in consistency.faults(seat.state, stats, asked, move):
            self.fault(text)
        self.reasons[stats.stop_reason] += 1
        for name in ("iterations", "reused_visits", "prunes", "dropped_nodes"):
            self.totals[name] += getattr(stats, name, 0)
        self.totals["searches"] += 1
        self.totals["searches by several threads"] += stats.threads > 1
        if stats.stop_reason != "running":
            self.totals["longest overshoot, ms"] = max(self.totals["longest overshoot, ms"],
                                                       round(1000 * stats.overshoot, 1))
            self.check_held(seat.engine, seat.memory, stats)

    def check_held(self, engine, memory, stats=None):
        """Compares the memory that a Searcher keeps with its budget."""
        for text in consistency.held_faults(engine._core.held, stats, memory):
            self.fault(text)

    @contextlib.contextmanager
    def expecting(self, *kinds, always=True):
        """A context that ends with one of these exceptions, or, unless ``always``, without one."""
        try:
            yield
        except kinds as error:
            self.expected[type(error).__name__] += 1
        else:
            self.expect(not always, f"expected {' or '.join(kind.__name__ for kind in kinds)}, nothing was raised")

    def budget(self, seat):
        """A random budget, of at most some hundredths of a second."""
        chooser = self.chooser
        iterations = int(10 ** chooser.uniform(0, 4.3 if seat.native else 2.7))
        seconds = 10 ** chooser.uniform(-3.5, -1.3)
        kind = chooser.random()
        if seat.native and seat.memory <= 4 * 2**20 and kind < 0.2:
            return {"iterations": 10**6, "seconds": 0.1}  # to the limit of the memory
        if kind < 0.6:
            return {"iterations": iterations}
        return {"seconds": seconds} if kind < 0.9 else {"iterations": iterations, "seconds": seconds}

    def play_on(self, seat, move):
        """Goes on with the move found, or another one, or searches the position again."""
        if self.chooser.random() < 0.9:
            seat.play(move if self.chooser.random() < 0.7 else self.chooser.choice(seat.state.legal_moves()))


# ---- searches --------------------------------------------------------------------------------------------------------

def search(soak, seat):
    """A search of the position at hand."""
    budget = soak.budget(seat)
    asked = seat.asked(**budget)
    move = seat.engine.search(seat.state, **budget)
    seat.remember()
    soak.check(seat, seat.engine.stats(), asked, move)
    soak.play_on(seat, move)


def filled(soak, seat):
    """One that fills the memory; what comes next begins with a full tree."""
    asked = seat.asked(**FILLING)
    move = seat.engine.search(seat.state, **FILLING)
    seat.remember()
    stats = seat.engine.stats()
    soak.check(seat, stats, asked, move)
    soak.totals["trees filled"] += stats.prunes > 0 or stats.stop_reason == "memory"
    soak.play_on(seat, move)


def progress(soak, seat):
    """One that reports, and whose callback may raise."""
    budget = soak.budget(seat)
    asked = seat.asked(**budget)
    most, told = soak.chooser.choice([1, 3, 10**9]), []

    def tell(stats):
        soak.check(seat, stats, asked)
        soak.expect(stats.stop_reason == "running", f"in progress, but stopped by {stats.stop_reason}")
        with soak.expecting(mc.SearchBusy):
            seat.engine.search(seat.state, iterations=1)
        told.append(stats)
        if len(told) == most:
            raise Unwanted

    with soak.expecting(Unwanted, always=False):
        move = seat.engine.search(seat.state, **budget, progress=tell, every=0.001)
        soak.check(seat, seat.engine.stats(), asked, move)
    soak.expect(len(told) <= most, "the search went on after an exception in its callback")
    seat.remember()


def cancelled(soak, seat):
    """Another thread stops the search, perhaps before it begins or after it ended."""
    asked = seat.asked(seconds=0.05)
    asked.cancelled = True
    delay, told = soak.chooser.choice([0.0, 0.001, 0.01, 0.06]), []

    def stop():
        time.sleep(delay)
        told.append(seat.engine.stop())

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        move = seat.engine.search(seat.state, 0.05)
    finally:
        thread.join()
    seat.remember()
    soak.check(seat, seat.engine.stats(), asked, move)
    soak.expect(len(told) == 1, "stop() raised in another thread")
    soak.play_on(seat, move)


def pondered(soak, seat):
    """ponder and stop; in between the Searcher is busy, unless it is done: solved, or out of memory."""
    asked = seat.asked()
    asked.cancelled = True
    seat.engine.ponder(seat.state)
    time.sleep(soak.chooser.choice([0.0, 0.001, 0.02]))
    if soak.chooser.random() < 0.5:
        with soak.expecting(mc.SearchBusy, always=False):
            seat.engine.search(seat.state, iterations=1)
            asked = None
        with soak.expecting(mc.SearchBusy, always=False):
            seat.engine.stats()
    stats = seat.engine.stop()
    seat.remember()
    soak.expect(stats is not None, "stop() told nothing of a search that nobody else ended")
    if stats is not None and asked is not None:
        soak.check(seat, stats, asked)
        soak.play_on(seat, stats.move)


def pondering(soak, seat):
    """The same as a context."""
    asked = seat.asked()
    asked.cancelled = True
    with seat.engine.pondering(seat.state) as engine:
        time.sleep(soak.chooser.choice([0.0, 0.005]))
    seat.remember()
    soak.check(seat, engine.stats(), asked)


def let_go(soak, seat):
    """A Searcher of which nobody knows any more ends its search."""
    engine = mc.Searcher(**seat.options)
    engine.ponder(seat.state)
    del engine
    gc.collect()


def awaited(soak, seat):
    """A search for asyncio."""
    asked = seat.asked(seconds=0.01)
    move = asyncio.run(seat.engine.search_async(seat.state, 0.01))
    seat.remember()
    soak.check(seat, seat.engine.stats(), asked, move)
    soak.play_on(seat, move)


def timed_out(soak, seat):
    """A task that is cancelled ends its search, if that has not ended by itself: solved, or out of memory."""
    timeout = soak.chooser.choice([0.0005, 0.003, 0.02])
    seat.searched = None

    async def wait():
        await asyncio.wait_for(seat.engine.search_async(seat.state, 30.0), timeout)

    begin = time.monotonic()
    with soak.expecting(TimeoutError, asyncio.TimeoutError, always=False):
        asyncio.run(wait())
    soak.expect(time.monotonic() - begin < 20.0, "a cancelled task did not end its search")
    soak.check_held(seat.engine, seat.memory)


def watched(soak, seat):
    """Statistics on the way, until the consumer has had enough."""
    budget = soak.budget(seat)
    asked = seat.asked(**budget)
    asked.cancelled = True
    most = soak.chooser.choice([1, 2, 10**9])
    seat.searched = None
    for number, stats in enumerate(seat.engine.watch(seat.state, **budget, every=0.001), 1):
        soak.check(seat, stats, asked)
        if number == most:
            break
    gc.collect()  # closes the iterator also where objects are not counted


def many(soak, seat):
    """Several positions in a call: the results do not depend on the number of threads."""
    states, state = [], seat.state
    for _ in range(soak.chooser.randrange(1, 6)):
        states.append(state)
        state = state.play(soak.chooser.choice(state.legal_moves()))
        if state.winner() is not None:
            states.append(state)
            break
    options = {name: value for name, value in seat.options.items() if name not in ("seed", "threads")}
    asked = Asked(iterations=60, memory=seat.memory, rollouts_per_leaf=options.get("rollouts_per_leaf", 1))
    runs = [mc.search_many(states, iterations=60, threads=threads, seed=5, errors="return", **options)
            for threads in (1, soak.chooser.choice([2, 3]))]
    for state, one, other in zip(states, *runs, strict=True):
        if state.winner() is not None:
            soak.expect(isinstance(one.error, mc.GameOver) and isinstance(other.error, mc.GameOver),
                        f"a finished game was searched: {one!r}, {other!r}")
        elif one.error is not None or other.error is not None:
            soak.fault(f"search_many failed: {one.error!r}, {other.error!r}")
        else:
            wrong = consistency.faults(state, one.stats, asked, one.move)
            wrong += consistency.differences(one.stats, other.stats)
            for text in wrong:
                soak.fault(f"search_many, by one thread and by several: {text}")


def module_level(soak, seat):
    """The module's own Searcher."""
    budget = soak.budget(seat)
    move = mc.search(seat.state, **budget, memory_mb=MODULE_MEMORY)
    asked = Asked(**budget, memory=MODULE_MEMORY * 2**20)
    for text in consistency.faults(seat.state, mc.stats(), asked, move):
        soak.fault(text)


def random_games(soak, seat):
    """Rollouts of the position."""
    found = mc.rollouts(seat.state, 20)
    soak.expect(found.wins + found.draws + found.losses == 20, f"20 random games: {found}")


def repeated(soak, seat):
    """A Searcher of long standing finds the same as a fresh one with the seed of its search."""
    if "seed" not in seat.options:
        return
    budget = {"iterations": soak.chooser.choice([30, 3000] if seat.native else [30])}
    for _ in range(2):  # the first one may go on with a tree; the second one, in the same position, begins anew
        seat.engine.search(seat.state, **budget)
        seat.remember()
    stats = seat.engine.stats()
    fresh = mc.Searcher(**{**seat.options, "seed": stats.seed})
    fresh.search(seat.state, **budget)
    for text in consistency.differences(stats, fresh.stats()):
        soak.fault(f"a Searcher of long standing and a fresh one: {text}")


# ---- bad input and bad games -----------------------------------------------------------------------------------------

def refused(soak, seat):
    """Bad input is refused, and takes no memory."""
    before = seat.engine._core.held
    over = seat.state
    while over.winner() is None:
        over = over.play(soak.chooser.choice(over.legal_moves()))
    seat.searched = None
    with soak.expecting(mc.InvalidOption):
        seat.engine.search(seat.state, iterations=soak.chooser.choice([0, -1, 2**40, "many"]))
    with soak.expecting(mc.InvalidOption):
        seat.engine.search(seat.state, soak.chooser.choice([0.0, -1.0, float("nan"), float("inf"), "long"]))
    with soak.expecting(mc.InvalidState):
        seat.engine.search(soak.chooser.choice([None, "board", object()]), iterations=10)
    with soak.expecting(mc.InvalidOption):
        mc.Searcher(**soak.chooser.choice([{"memory_mb": 0}, {"seed": -1}, {"fpu": float("nan")}, {"preset": "best"},
                                           {"threads": 0}, {"reuse": 3}]))
    with soak.expecting(mc.GameOver):
        seat.engine.search(over, iterations=10)
    with soak.expecting(mc.GameOver):
        seat.engine.ponder(over)
    soak.expect(seat.engine._core.held <= before, "a refused search took memory")


def faulty_game(soak, seat):
    """The user's game raises in the middle of a search."""
    engine = mc.Searcher(memory_mb=1, preset=seat.options.get("preset"))
    state = Faulty(2, 2)
    with soak.expecting(mc.GameError):
        engine.search(state, iterations=1000)
    with soak.expecting(mc.NoSearch):
        engine.stats()
    with soak.expecting(mc.GameError):
        asyncio.run(engine.search_async(state, 1.0))
    with soak.expecting(mc.GameError):
        engine.ponder(state)
        while engine.stop() is not None:  # it had not come to the fault yet
            engine.ponder(state)
            time.sleep(0.01)
    move = engine.search(Dots(1, 2), iterations=10)
    soak.expect(move in Dots(1, 2).legal_moves(), f"after a GameError, the move {move!r}")


# ---- copies ----------------------------------------------------------------------------------------------------------

def saved(soak, seat):
    """A tree goes through a file; half of a file is refused."""
    if not soak.there["save and load"]:
        return
    seat.engine.search(seat.state, iterations=200)
    seat.remember()
    path = soak.folder / "tree"
    if isinstance(seat.state, Dots):  # a user's objects have no place in a file
        path.unlink(missing_ok=True)  # an interrupt may have ended an earlier step before it did
        with soak.expecting(mc.InvalidState):
            seat.engine.save(path)
        soak.expect(not path.exists(), "a save that was refused left a file")
        return
    seat.engine.save(path)
    loaded = mc.Searcher.load(path)
    for text in consistency.differences(seat.engine.stats(), loaded.stats()):
        soak.fault(f"after save and load: {text}")
    data = path.read_bytes()
    path.write_bytes(data[:soak.chooser.randrange(len(data))])
    with soak.expecting(ValueError, RuntimeError):
        mc.Searcher.load(path)
    path.unlink()
    left = list(soak.folder.iterdir())
    soak.expect(not left, f"save left {left}")
    loaded.search(seat.state, iterations=50)
    soak.check_held(loaded, seat.memory, loaded.stats())


def pickled(soak, seat):
    """A Searcher goes through pickle with its statistics."""
    if not soak.there["pickled Searchers"]:
        return
    seat.engine.search(seat.state, iterations=50)
    seat.remember()
    other = pickle.loads(pickle.dumps(seat.engine))
    for text in consistency.differences(seat.engine.stats(), other.stats()):
        soak.fault(f"after pickling: {text}")


def states_copied(soak, seat):
    """Positions are values."""
    for other in (copy.deepcopy(seat.state), pickle.loads(pickle.dumps(seat.state))):
        soak.expect(str(other) == str(seat.state), "a copied position is another one")


def forked(soak, seat):
    """A child goes on with a Searcher, also with one that is searching in another thread of its parent."""
    if not soak.there["fork"]:
        return
    seat.searched = None
    ponders = soak.chooser.random() < 0.5
    if ponders:
        seat.engine.ponder(seat.state)
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads, which this is about
        child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            status = 0 if seat.engine.search(seat.state, iterations=50) in seat.state.legal_moves() else 2
        os._exit(status)
    if ponders:
        seat.engine.stop()
    end = time.monotonic() + CHILD
    ended = status = 0
    while not ended and time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.001)
    if ended:
        soak.expect(status == 0, f"a child after fork ended with {os.waitstatus_to_exitcode(status)}")
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        soak.fault("a child after fork hangs")


def other_game(soak, seat):
    """A Searcher that stays goes over to another game."""
    if seat.options not in RESIDENTS:
        return
    seat.change_game(soak.chooser)
    search(soak, seat)


STEPS = {
    search: 30, progress: 5, cancelled: 5, pondered: 5, pondering: 3, let_go: 3, awaited: 4, timed_out: 4, watched: 5,
    many: 4, module_level: 4, random_games: 2, repeated: 4, refused: 3, faulty_game: 1, saved: 3, pickled: 3,
    states_copied: 1, forked: 1, other_game: 6, **soak_general.STEPS,
}
"""What is done, and how often."""
