"""src/mcts_core/arena.pyx: memory goes back to the system in the background, whatever else happens meanwhile."""

import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import mcts_core as mc
from mcts_core import arena

PAGES = pathlib.Path("/proc/self/statm")
MEMORY_MB = 512
"""Of a Searcher here: address space that cannot be overlooked."""

needs_proc = pytest.mark.needs("/proc")
needs_fork = pytest.mark.needs("fork")


def address_space():
    """Of this process, in units of 2**20 bytes."""
    return int(PAGES.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") >> 20


def searched(**options):
    """A Searcher with more than is given back at once: a tree, or the table of exact search."""
    engine = mc.Searcher(memory_mb=MEMORY_MB, seed=1, **options)
    engine.search(mc.Gomoku(15), iterations=100_000 if options else 1000)
    assert engine._core.held > 2**20 or not options
    return engine


@needs_proc
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "threads": 2}, {}], ids=str)
def test_all_memory_goes_back(options):
    arena.settle()
    before = address_space()
    engine = searched(**options)
    assert address_space() > before + MEMORY_MB // 2
    del engine
    arena.settle()
    assert address_space() < before + MEMORY_MB // 4


@pytest.mark.wasm
@pytest.mark.parametrize("memory_mb", [4096, 4097, 8192, 65536])
def test_more_memory_than_a_system_has_addresses_for(memory_mb):
    """On a system of 32 bits a size from 4 GiB on must not count modulo 4 GiB: the tree is then smaller."""
    engine = mc.Searcher(memory_mb=memory_mb, preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=100_000)
    found = engine.stats().moves
    engine = mc.Searcher(memory_mb=64, preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=100_000)
    assert engine.stats().moves == found and engine.stats().prunes == 0


@needs_proc
def test_more_at_a_time_than_threads_are_begun():
    arena.settle()
    before = address_space()
    engines = []
    for _ in range(70):
        engines.append(mc.Searcher(memory_mb=64))
        engines[-1].search(mc.Gomoku(15), iterations=5)
    del engines
    arena.settle()
    assert address_space() < before + 1024  # of 4480


def test_searches_while_memory_goes_back():
    """From several threads; what is given back is nobody's."""
    found = []

    def play():
        for _ in range(4):
            engine = searched(preset="uct")
            found.append(engine.stats().moves)
            del engine

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and all(moves == found[0] for moves in found)
    arena.settle()


@needs_proc
@needs_fork
def test_a_fork_meanwhile_leaves_nothing_in_the_child():
    arena.settle()
    before = address_space()
    for _ in range(3):
        engine = mc.Searcher(memory_mb=MEMORY_MB, preset="uct", seed=1)
        engine.search(mc.ConnectFour(), iterations=1_500_000)
        assert engine._core.held == 2**24
        del engine
        child = os.fork()
        if not child:
            signal.alarm(30)
            arena.settle()  # no thread gives anything back here
            left = address_space() - before
            mc.Searcher(memory_mb=1).search(mc.ConnectFour(), iterations=100)
            os._exit(max(left, 0))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in range(13)  # less than there was, and no signal
    arena.settle()


EXIT = """
import os, sys
import mcts_core as mc
engine = mc.Searcher(memory_mb=512, preset="uct", seed=1)
engine.search(mc.Gomoku(15), iterations=100_000)
{end}
"""


@pytest.mark.parametrize("end", ["del engine", "del engine; os._exit(0)", ""])
def test_the_interpreter_may_end_meanwhile(end):
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", EXIT.format(end=end)], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LIMITED = """
import resource
import mcts_core as mc

def taken():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

for round in range(3):
    engine = mc.Searcher(memory_mb=64, preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=1_500_000)
    assert engine._core.held == 16 << 20
    if round == 0:
        first = taken()
        resource.setrlimit(resource.RLIMIT_AS, (first + (8 << 20), resource.RLIM_INFINITY))
    assert taken() > first - (8 << 20)
    del engine
"""


@needs_proc
def test_an_arena_waits_for_the_room_that_is_given_back():
    """Under a limit that two of them exceed, each has all of its memory."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


SHORT = """
import resource, sys
import mcts_core as mc

engine = mc.Searcher(memory_mb=100, solver=False, rollout="random", seed=1)
engine.search(mc.ConnectFour(), iterations=2_000_000)
assert engine.stats().bytes > 12 << 20
engine.save(sys.argv[1])
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (10 << 20), resource.RLIM_INFINITY))
for call in (lambda: mc.Searcher.load(sys.argv[1]), lambda: mc.solve(mc.TicTacToe())):
    try:
        call()
    except MemoryError as error:
        print(error)
"""


@needs_proc
def test_an_error_tells_what_the_system_has_no_memory_for(tmp_path):
    done = subprocess.run([sys.executable, "-P", "-c", SHORT, tmp_path / "engine"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    load, solve = done.stdout.splitlines()
    assert load.startswith("no memory for a search tree of ") and load.endswith(" MB: the system gave less")
    assert solve.startswith("no memory for an exact search with a table of ")
