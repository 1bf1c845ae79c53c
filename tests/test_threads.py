"""Many threads at once, with and without the GIL: what they share, and what each has for itself."""

import subprocess
import sys
import sysconfig
import threading

import pytest
from nim import SmallNim

import mcts_core as mc

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
THREADS = 8


def together(work, count=THREADS):
    """Runs work(0) .. work(count - 1), each in a thread, from the same moment on; what they returned or raised."""
    ready = threading.Barrier(count)
    results = [None] * count

    def run(number):
        ready.wait()
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.MNK(4, 4, 3), mc.Gomoku(9), SmallNim(9)],
                         ids=["connect4", "mnk", "gomoku", "python"])
def test_searches_in_threads_are_those_of_one_thread(state):
    def work(number):
        engine = mc.Searcher(seed=number)
        move = engine.search(state, iterations=300)
        stats = engine.stats()
        return move, stats.iterations, stats.value, [(each.move, each.visits) for each in stats.moves]

    assert together(work) == [work(number) for number in range(THREADS)]


def test_one_searcher_serves_one_thread_at_a_time():
    """Nobody gets a wrong answer: a move, or SearchBusy; afterwards the searcher is as good as new."""
    engine = mc.Searcher(seed=1)
    state = mc.ConnectFour()

    def work(number):
        outcomes = []
        for _ in range(20):
            try:
                outcomes.append(engine.search(state, iterations=200) in state.legal_moves())
            except mc.SearchBusy:
                outcomes.append("busy")
        return outcomes

    results = together(work)
    assert not [result for result in results if isinstance(result, Exception)]
    outcomes = [outcome for result in results for outcome in result]
    assert set(outcomes) <= {True, "busy"} and outcomes.count(True) >= 1
    assert engine.search(state, iterations=50) in state.legal_moves()


def test_figures_may_be_read_and_searches_ended_from_any_thread():
    """Without the solver, as visits redirected from a proven draw count for two moves."""
    engine = mc.Searcher(seed=1, solver=False)
    state = mc.ConnectFour()
    engine.search(state, iterations=50)

    def work(number):
        for _ in range(30):
            if number < 2:
                try:
                    assert engine.search(state, iterations=400) in state.legal_moves()
                except mc.SearchBusy:
                    pass
            elif number < 4:
                engine.stop()
            else:
                try:
                    stats = engine.stats()
                except mc.SearchBusy:
                    continue
                assert sum(move.visits for move in stats.moves) <= stats.visits

    assert together(work) == [None] * THREADS


def test_boards_are_made_once_for_all_threads():
    """Sizes that no other test has: their tables are made while all threads ask for them."""
    def work(number):
        boards = []
        for size in range(5, 13):
            state = mc.MNK(size, 17, 5)
            boards.append((size, len(state.legal_moves()), str(state.play(state.legal_moves()[-1]))))
        return boards

    first, *others = together(work)
    assert [board[:2] for board in first] == [(size, 17 * size) for size in range(5, 13)]
    assert all(other == first for other in others)


def test_each_thread_has_the_figures_of_its_own_last_search():
    def work(number):
        mc.search(mc.ConnectFour(), iterations=100 + number, seed=number)
        return mc.stats().iterations

    assert together(work) == [100 + number for number in range(THREADS)]


def test_the_package_declares_that_it_needs_no_gil():
    """On a free-threaded Python importing a module that does not say so would turn the GIL on, with a warning."""
    code = ("import sys, mcts_core, mcts_core.cli.main\n"
            "import mcts_core.engine.bulk_rollouts, mcts_core.testing.probe, mcts_core.testing.tree_probe\n"
            "print(getattr(sys, '_is_gil_enabled', lambda: True)())")
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(not FREE_THREADED)
