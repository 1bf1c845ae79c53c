"""src/mcts_core/engine/turn.pyx: what a game, an evaluator or a callback may ask of the Searcher whose search calls it.

Whichever thread it runs in, nothing may wait for the end of that search: the search waits for the callback.
"""

import asyncio
import ctypes
import logging
import threading
import time

import pytest
from callback_game import ONGOING, VALUE, WEIGH, WIN, nim, word
from nim import Nim

import mcts_core as mc
from mcts_core.testing.probe import ValuedState

SOON = 20.0
"""Seconds after which a call counts as one that never returns."""
MESSAGE = "a search called the Searcher that runs it"


class Caller:
    """Calls ``function`` once, from within a search, in a thread that ``elsewhere`` accepts."""

    def __init__(self, function, elsewhere=lambda: True):
        self.function, self.elsewhere = function, elsewhere
        self.lock = threading.Lock()
        self.found = self.thread = None

    def __call__(self):
        if self.thread is None and self.elsewhere() and self.lock.acquire(blocking=False):
            self.thread = threading.get_ident()
            try:
                self.found = self.function()
            except Exception as error:
                self.found = error


def in_time(function):
    """Runs it in a thread, which may not hang."""
    results = []

    def run():
        try:
            results.append(function())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON)
    assert not thread.is_alive(), "it waits for itself"
    if isinstance(results[0], BaseException):
        raise results[0]
    return results[0]


def slow_nim(call):
    """Native nim by callbacks in Python. Each thread has a tree of its own."""
    def play(context, state, move):
        call()
        word(state)[0] -= move
        return ONGOING if word(state)[0] else WIN

    return nim(60, play=play).state(), {"solver": False}


def valued_nim(call):
    """The same with a valuation: all threads value leaves of one tree."""
    def value(context, root, path, length, memory, estimate):
        call()
        estimate[0].value = 30000
        return 0

    def weigh(context, root, path, length, memory, moves, count, weights):
        for i in range(count):
            weights[i] = 1
        return 0

    keeper = {"value": VALUE(value), "weigh": WEIGH(weigh)}
    functions = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in keeper.items()}
    return ValuedState(nim(200).state(), functions, keeper), {"selection": "puct", "valuation": "network",
                                                              "solver": False}


def evaluated(call):
    """A second thread calls the evaluator."""
    import numpy as np

    def evaluator(observations):
        call()
        return np.ones((len(observations), 7)), np.zeros(len(observations))

    return mc.ConnectFour(), {"evaluator": evaluator}


GAMES = [pytest.param(slow_nim, id="a tree for each thread"), pytest.param(valued_nim, id="one tree"),
         pytest.param(evaluated, id="an evaluator", marks=pytest.mark.needs("numpy"))]


def stop_and(call):
    def both(engine):
        assert engine.stop() is None
        return call(engine)

    return both


def within_pondering(engine):
    with engine.pondering(mc.TicTacToe()):
        pass


CALLS = {
    "stats": lambda engine: engine.stats(),
    "tree": lambda engine: engine.tree(),
    "search": lambda engine: engine.search(mc.TicTacToe(), iterations=5),
    "ponder": lambda engine: engine.ponder(mc.TicTacToe()),
    "pondering": within_pondering,
    "watch": lambda engine: list(engine.watch(mc.TicTacToe(), iterations=5)),
    "search_async": lambda engine: asyncio.run(engine.search_async(mc.TicTacToe(), iterations=5)),
    "check": lambda engine: engine._core.check_free(),
    "release": lambda engine: engine._core.release(),
}


@pytest.mark.parametrize("make", GAMES)
@pytest.mark.parametrize("runner", ["search", "ponder"])
@pytest.mark.parametrize("threads", [2, 3])
def test_stop_in_another_thread_of_the_search(make, runner, threads):
    searching = []
    caller = Caller(lambda: engine.stop(), lambda: threading.get_ident() not in searching)
    state, options = make(caller)
    engine = mc.Searcher(threads=threads, memory_mb=64, **options)

    def search():
        searching.append(threading.get_ident())
        return engine.search(state, iterations=200_000)

    def ponder():
        engine.ponder(state)
        while caller.thread is None or engine._background.running:
            time.sleep(0.001)
        return engine.stop().move

    move = in_time({"search": search, "ponder": ponder}[runner])
    assert caller.found is None and caller.thread not in (None, *searching)
    stats = engine.stats()
    assert stats.stop_reason == "cancelled" and stats.move == move and stats.iterations < 200_000
    engine.search(mc.ConnectFour() if make is evaluated else state, iterations=10)


@pytest.mark.parametrize("make", GAMES)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_else_cannot_be_asked_then(make, call):
    """Also after ``stop()``: another thread would wait for the end of the search then."""
    searching = []
    caller = Caller(lambda: stop_and(call)(engine), lambda: threading.get_ident() not in searching)
    state, options = make(caller)
    engine = mc.Searcher(threads=2, memory_mb=64, **options)

    def search():
        searching.append(threading.get_ident())
        engine.search(state, iterations=200_000)

    begin = time.monotonic()
    in_time(search)
    assert isinstance(caller.found, mc.SearchBusy | mc.InvalidOption), caller.found
    if isinstance(caller.found, mc.InvalidOption):  # of the other game
        assert call in (CALLS["search"], CALLS["ponder"], CALLS["pondering"], CALLS["watch"], CALLS["search_async"])
    assert engine.stats().stop_reason == "cancelled" and time.monotonic() - begin < SOON / 2


@pytest.mark.parametrize("inner", ["search", "search_many"])
def test_a_search_within_a_search_stops_the_outer_one(inner):
    """In a thread of the inner one, for which the outer one waits."""
    caller = Caller(lambda: outer.stop(), lambda: threading.get_ident() != searching)
    state, options = slow_nim(caller)
    begun = []

    def progress(stats):
        nonlocal searching
        if begun:
            return
        begun.append(True)
        searching = threading.get_ident()
        if inner == "search":
            mc.Searcher(threads=2, memory_mb=16, **options).search(state, iterations=3000)
        else:
            mc.search_many([state] * 4, iterations=500, threads=2, memory_mb=16, **options)

    searching = None
    outer = mc.Searcher(memory_mb=16)
    in_time(lambda: outer.search(mc.Gomoku(), 60, progress=progress, every=0.01))
    assert caller.found is None and caller.thread not in (None, searching)
    assert outer.stats().stop_reason == "cancelled"


@pytest.mark.parametrize("call", ["stop", "stats", "search", "save"])
def test_moves_that_are_compared_while_statistics_are_read(call, tmp_path):
    class Take:
        def __init__(self, count):
            self.count = count

        def __eq__(self, other):
            caller()
            return self.count == other.count

        def __hash__(self):
            return hash(self.count)

    class Moves(Nim):
        def legal_moves(self):
            return [Take(count) for count in super().legal_moves()]

        def play(self, move):
            return super().play(move.count)

    ready = []
    caller = Caller(lambda: {"stop": engine.stop, "stats": engine.stats,
                             "search": lambda: engine.search(mc.TicTacToe(), iterations=5),
                             "save": lambda: engine.save(tmp_path / "never")}[call](), lambda: bool(ready))
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(Moves(30), iterations=500)
    ready.append(True)
    stats = in_time(engine.stats)
    assert stats.iterations == 500 and caller.thread is not None
    assert caller.found is None if call == "stop" else isinstance(caller.found, mc.SearchBusy)
    assert engine.stats().iterations == 500


# ---- objects of a search in the background, from within it -----------------------------------------------------------

@pytest.mark.needs("numpy")
def test_a_watch_that_its_own_search_closes():
    watched = []
    caller = Caller(lambda: watched[0].close(), lambda: bool(watched))
    state, options = evaluated(caller)
    engine = mc.Searcher(**options)
    watched.append(engine.watch(state, 60, every=0.01))
    in_time(lambda: list(watched[0]))
    assert caller.thread is not None and caller.found is None
    assert engine.stats().stop_reason == "cancelled" and engine.stats().seconds < 30


@pytest.mark.needs("numpy")
def test_a_watch_whose_own_search_asks_for_more():
    watched = []
    caller = Caller(lambda: next(watched[0]), lambda: bool(watched))
    state, options = evaluated(caller)
    engine = mc.Searcher(**options)
    watched.append(engine.watch(state, iterations=500, every=0.01))
    assert in_time(lambda: list(watched[0]))[-1].iterations == 500  # it goes on
    assert isinstance(caller.found, mc.SearchBusy) and "cannot wait" in str(caller.found)


@pytest.mark.needs("numpy")
def test_a_pondering_that_its_own_search_leaves():
    contexts = []
    caller = Caller(lambda: contexts[0].__exit__(None, None, None), lambda: bool(contexts))
    state, options = evaluated(caller)
    engine = mc.Searcher(**options)
    context = engine.pondering(state)
    context.__enter__()
    background = engine._background
    contexts.append(context)
    in_time(background.join)
    assert caller.thread is not None and caller.found is None
    assert engine.stats().stop_reason == "cancelled"


@pytest.mark.needs("numpy")
def test_a_background_search_whose_own_thread_waits_for_it():
    searches = []
    caller = Caller(lambda: searches[0].result(), lambda: bool(searches))
    state, options = evaluated(caller)
    engine = mc.Searcher(**options)
    engine.ponder(state)
    searches.append(engine._background)
    while caller.found is None:
        time.sleep(0.001)
    assert isinstance(caller.found, mc.SearchBusy) and not searches[0].own
    assert engine.stop().stop_reason == "cancelled"


def test_a_handler_of_the_log_stops_the_searcher(caplog):
    """It is called by the thread that has pondered, when the search has ended."""
    caller = Caller(lambda: engine.stop())

    class Handler(logging.Handler):
        def emit(self, record):
            caller()

    logger, handler = logging.getLogger("mcts_core"), Handler()
    logger.addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG, "mcts_core"):
            engine = mc.Searcher()
            engine.ponder(mc.TicTacToe())
            while caller.found is None:
                time.sleep(0.001)
            assert caller.found.stop_reason == "solved" and caller.thread != threading.get_ident()
            assert in_time(engine.stop).stop_reason == "solved"
    finally:
        logger.removeHandler(handler)
