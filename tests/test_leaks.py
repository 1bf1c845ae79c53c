"""Memory stays where it is while searches come and go: the blocks of Python, and the pages of the process."""

import ast
import copy
import gc
import os
import pathlib
import pickle
import subprocess
import sys

import pytest
from table_games import Race
from value_games import Claim

import mcts_core as mc
from mcts_core import arena

PAGES = pathlib.Path("/proc/self/statm")
BLOCKS = 300
"""Blocks of Python that may come and stay, however many searches there are: caches that fill."""
BYTES = 6 << 20
"""Bytes that may: what malloc keeps."""


class Broken(Claim):
    """A game that fails on the way."""

    def play(self, move):
        if sum(map(abs, self.owners)) == 3:
            raise OSError("broken")
        return Broken(*self.next(move))


def even(state):
    return [1.0] * len(state.legal_moves()), [0.5] * 3 if isinstance(state, Race) else 0.0


def fail(function, *arguments, **options):
    with pytest.raises((ValueError, RuntimeError)):
        function(*arguments, **options)


STATES = (mc.ConnectFour.from_moves("4455", base=1), mc.Gomoku(9), mc.TicTacToe(), mc.MNK(20, 9, 5), Claim(), Race())


def once(number, kept):
    """One search and what goes with it: another kind for each of twelve numbers, another game for each of six."""
    state = STATES[number // 12 % len(STATES)]
    kind, few = number % 12, 8 + number % 7
    board = STATES[number // 12 % 4]
    if kind == 0:
        mc.search(state, iterations=few)
        mc.stats()
    elif kind == 1:
        mc.Searcher(memory_mb=1).search(state, iterations=few)
    elif kind == 2:  # goes on with its tree, and prunes it
        kept.search(board, iterations=few)
        kept.search(board.play(kept.stats().move), iterations=few)
    elif kind == 3:
        fail(mc.search, Broken(), iterations=200)
        fail(mc.search, state, iterations=0)
        fail(board.play, 10**9)
    elif kind == 4:
        mc.Searcher(memory_mb=4, policy_value=even, noise_alpha=0.3).search(state, iterations=few)
    elif kind == 5:
        engine = mc.Searcher(memory_mb=1)
        engine.search(board, iterations=few)
        pickle.loads(pickle.dumps(engine)).search(board, iterations=few)
        copy.copy(engine)
    elif kind == 6:
        mc.search_many([state, board], iterations=few, memory_mb=1)
    elif kind == 7:
        engine = mc.Searcher(memory_mb=2, threads=2, exchange_every=16)
        engine.search(board, iterations=1200 if number % 60 == 7 else few)
    elif kind == 8:
        engine = mc.Searcher(memory_mb=1)
        engine.search(board, iterations=few, progress=lambda stats: stats.moves, every=0.001)
        engine.tree()
    elif kind == 9:
        text = str(board)
        type(board).from_string(text, **rules_of(board)).play(board.legal_moves()[-1])
        fail(type(board).from_moves, "0 0 0 0 0 0 0 0 0 0 0 0 0")
        mc.rollouts(state if number % 24 < 12 else board, few)
    elif kind == 10:
        list(mc.Searcher(memory_mb=1).watch(board, iterations=few))
    else:
        mc.search(board, iterations=few, selection="grave", rollouts_per_leaf=2, memory_mb=1)


def rules_of(board):
    names = {mc.ConnectFour: (), mc.Gomoku: ("size",), mc.TicTacToe: ()}.get(type(board), ("m", "n", "k"))
    return {name: getattr(board, name) for name in names}


def resident():
    """Bytes of the process in memory, when what it gives back is gone."""
    arena.settle()
    return int(PAGES.read_text().split()[1]) * 4096


def course(searches):
    """Blocks and bytes that are left of as many searches, after half of them to fill the caches with."""
    kept = mc.Searcher(memory_mb=1)
    for number in range(searches // 2):
        once(number, kept)
    gc.collect()
    pages, blocks = resident(), sys.getallocatedblocks()
    for number in range(searches):
        once(number, kept)
    gc.collect()
    return sys.getallocatedblocks() - blocks, resident() - pages


def leaked():
    """Bytes more after searches that are kept."""
    before, lost = resident(), []
    for _ in range(100):
        lost.append(mc.Searcher(memory_mb=1))
        lost[-1].search(mc.Gomoku(9), iterations=300)
    return resident() - before


def long_course():
    """(blocks, bytes) after each ten thousand of a hundred thousand searches."""
    kept = mc.Searcher(memory_mb=1)
    told = []
    for number in range(100_000):
        once(number, kept)
        if number % 10_000 == 9_999:
            gc.collect()
            told.append((sys.getallocatedblocks(), resident()))
    return told


def alone(call):
    """What a function of this file says in a process of its own: other tests leave memory that malloc may use."""
    folder = pathlib.Path(__file__).parent
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", f"import test_leaks; print(test_leaks.{call})"], check=True,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, timeout=3600)
    return ast.literal_eval(done.stdout)


@pytest.mark.long
@pytest.mark.needs("/proc")
def test_a_thousand_searches_leave_nothing():
    blocks, pages = alone("course(720)")
    assert blocks < BLOCKS
    assert pages < BYTES


@pytest.mark.needs("/proc")
@pytest.mark.slow
def test_a_hundred_thousand_searches_leave_nothing():
    told = alone("long_course()")
    blocks, pages = zip(*told[1:], strict=True)  # the first ten thousand fill the caches
    assert max(blocks) - min(blocks) < BLOCKS, told
    assert max(pages) - min(pages) < BYTES, told


@pytest.mark.needs("/proc")
def test_a_leak_would_be_seen():
    assert alone("leaked()") > BYTES
