"""bench/soak.py and what it is made of: every check finds what it is there for, and the whole of it runs."""

import contextlib
import ctypes
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import consistency  # noqa: E402
import figures  # noqa: E402
import resources  # noqa: E402
import soak  # noqa: E402
import soak_general  # noqa: E402
import soak_interrupts  # noqa: E402
import soak_seats  # noqa: E402
import soak_steps  # noqa: E402
from consistency import Asked  # noqa: E402

sys.path.remove(str(BENCH))

STATE = mc.ConnectFour.from_moves("4455", base=1)
ASKED = Asked(iterations=500, memory=2**20, seed=3)


def script(*arguments):
    return subprocess.run([sys.executable, BENCH / "soak.py", *map(str, arguments)], capture_output=True, text=True)


def searched(state=STATE, **options):
    """(move, Stats) of a search of 500 iterations."""
    engine = mc.Searcher(**{"seed": 3, "memory_mb": 1, **options})
    return engine.search(state, iterations=500), engine.stats()


def changed(stats, **changes):
    return dataclasses.replace(stats, **changes)


def with_move(stats, index, **changes):
    moves = list(stats.moves)
    moves[index] = dataclasses.replace(moves[index], **changes)
    return changed(stats, moves=tuple(moves))


# ---- consistency -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [STATE, mc.MNK(3, 3, 3), mc.MNK(4, 4, 3), mc.Gomoku(9), soak_seats.Dots(2, 2)],
                         ids=["connect4", "mnk333", "mnk443", "gomoku9", "dots"])
@pytest.mark.parametrize("options", [{}, {"preset": "uct"}, {"selection": "rave"}, {"rollouts_per_leaf": 3},
                                     {"final_move": "max"}], ids=str)
def test_true_statistics_have_no_fault(state, options):
    move, stats = searched(state, **options)
    asked = dataclasses.replace(ASKED, rollouts_per_leaf=options.get("rollouts_per_leaf", 1))
    assert consistency.faults(state, stats, asked, move) == []


UCT = searched(preset="uct")[1]
SOLVED = searched(mc.ConnectFour.from_moves("4757", base=1))[1]
FAULTS = {
    "another move returned": (UCT, {"move": (UCT.move + 1) % 7}, f"returned {UCT.move}, but Stats.move is"),
    "an illegal move": (UCT, {"move": 9}, "9 is not legal"),
    "a move left out": (UCT, {"moves": UCT.moves[1:]}, "legal are"),
    "a move twice": (UCT, {"moves": UCT.moves + UCT.moves[-1:]}, "legal are"),
    "moves not in order": (UCT, {"moves": UCT.moves[::-1]}, "not ordered"),
    "a value of the position": (UCT, {"value": 1.5}, "the value is 1.5"),
    "a proof without a distance": (UCT, {"proven": "win", "value": 1.0}, "with distance None"),
    "a distance without a proof": (UCT, {"distance": 4}, "proven None with distance 4"),
    "a word that is no proof": (UCT, {"proven": "won", "distance": 3}, "proven 'won'"),
    "a proof and another value": (UCT, {"proven": "win", "distance": 3, "value": 0.9}, "its value is 0.9"),
    "no line": (UCT, {"pv": ()}, "does not begin with"),
    "a line from another move": (UCT, {"pv": (6,)}, "does not begin with"),
    "a line that is not legal": (UCT, {"pv": (UCT.move, 7)}, "move 1 of the principal variation"),
    "a line beyond the end": (SOLVED, {"pv": (2, 6, 1, 0, 3)}, "of the principal variation"),
    "reuse of nothing": (UCT, {"reused_visits": 9, "iterations": 491}, "9 visits were reused"),
    "visits lost": (UCT, {"visits": 400}, "400 visits, but 500 iterations"),
    "visits gained": (UCT, {"visits": 600}, "600 visits, but 500 iterations"),
    "rollouts without iterations": (UCT, {"rollouts": 501}, "501 rollouts in 500 iterations"),
    "no node": (UCT, {"nodes": 0}, "0 nodes"),
    "no iteration": (UCT, {"iterations": 0, "visits": 0}, "after 0 iterations"),
    "depths": (UCT, {"depth_mean": 3.5, "depth_max": 3}, "mean depth 3.5"),
    "no memory": (UCT, {"bytes": 0}, "0 bytes"),
    "too much memory": (UCT, {"bytes": 2**20 + 1}, "1048577 bytes of at most 1048576"),
    "threads": (UCT, {"threads": 2}, "2 threads, asked for 1"),
    "another seed": (UCT, {"seed": 4}, "seed 4, asked for 3"),
    "too many iterations": (UCT, {"iterations": 501, "visits": 501}, "501 iterations, asked for 500"),
    "too few iterations": (UCT, {"iterations": 499, "visits": 499}, "stopped by iterations after 499 of 500"),
    "time without a budget": (UCT, {"stop_reason": "time"}, "stopped by 'time'"),
    "solved without a proof": (UCT, {"stop_reason": "solved"}, "stopped by 'solved'"),
    "cancelled by nobody": (UCT, {"stop_reason": "cancelled"}, "stopped by 'cancelled'"),
    "one move of seven": (UCT, {"stop_reason": "only_move"}, "7 legal moves"),
    "an unknown reason": (UCT, {"stop_reason": "bored"}, "stopped by 'bored'"),
    "an overshoot": (UCT, {"overshoot": 0.1}, "an overshoot of 0.1 s"),
    "no time": (UCT, {"seconds": 0.0}, "a search of 0.0 s"),
}


@pytest.mark.parametrize(("stats", "changes", "message"), FAULTS.values(), ids=FAULTS)
def test_false_statistics_are_faults(stats, changes, message):
    state = STATE if stats is UCT else mc.ConnectFour.from_moves("4757", base=1)
    assert consistency.faults(state, stats, ASKED, stats.move) == []
    found = consistency.faults(state, changed(stats, **changes), ASKED, stats.move)
    assert any(message in text for text in found), found


@pytest.mark.parametrize(("changes", "message"), [
    ({"wins": 1e6}, "1000000.0 wins"), ({"wins": -1.0}, "-1.0 wins"), ({"value": 0.123}, "has the value 0.123"),
    ({"visits": 501}, "the moves have"), ({"proven": "win"}, "proven 'win' with distance None"),
    ({"proven": "won", "distance": 1}, "proven 'won'"), ({"proven": "win", "distance": 0}, "in 0 plies"),
    ({"proven": "loss", "distance": 2}, "although another move lives")])
def test_false_statistics_of_a_move_are_faults(changes, message):
    found = consistency.faults(STATE, with_move(UCT, 0, **changes), ASKED, UCT.move)
    assert any(message in text for text in found), found


def test_a_win_thrown_away_is_a_fault():
    chosen = next(index for index, entry in enumerate(SOLVED.moves) if entry.move == SOLVED.move)
    assert SOLVED.proven == "win" and SOLVED.moves[chosen].proven == "win"
    found = consistency.faults_of_choice(with_move(SOLVED, chosen, proven="draw"))
    assert found == ["a proven win, but the move chosen is a proven draw"]


def test_a_draw_counts_for_two_moves():
    stats = with_move(UCT, 0, visits=UCT.moves[0].visits + 10)
    assert any("the moves have 510 visits" in text for text in consistency.faults_of_counts(stats, ASKED))
    drawn = with_move(stats, 6, proven="draw", distance=30)
    assert consistency.faults_of_counts(drawn, ASKED) == []


def test_a_search_may_end_early_where_the_memory_is_full():
    asked = Asked(seconds=0.1, memory=1000)
    late = changed(UCT, stop_reason="time", seconds=0.09, bytes=900)
    assert consistency.faults_of_end(late, asked, 7) == []
    assert "stopped by 'time'" in consistency.faults_of_end(changed(late, bytes=400), asked, 7)[0]


def test_reuse_where_it_may_be():
    asked = dataclasses.replace(ASKED, reusable=True)
    stats = changed(UCT, reused_visits=100, iterations=400)
    assert consistency.faults_of_counts(stats, asked) == []
    assert consistency.faults_of_counts(changed(stats, iterations=450), asked)


def test_differences():
    assert consistency.differences(UCT, UCT) == []
    assert consistency.differences(UCT, changed(UCT, seconds=9.0, overshoot=1.0)) == []
    found = consistency.differences(UCT, changed(with_move(UCT, 0, visits=1), nodes=7))
    assert len(found) == 2 and found[0].startswith("moves ") and found[1].startswith("nodes ")


def test_memory_that_a_searcher_keeps():
    stats = changed(UCT, bytes=2000)
    assert consistency.held_faults(4000, stats, 5000, page=100) == []
    assert consistency.held_faults(5100, None, 5000, page=100) == []
    assert "keeps 5101 bytes of at most 5000" in consistency.held_faults(5101, stats, 5000, page=100)[0]
    assert "its tree takes 2000" in consistency.held_faults(1999, stats, 5000, page=100)[0]


# ---- resources -------------------------------------------------------------------------------------------------------


def verdict(kind, amounts, warm=10):
    row, = resources.judge({kind: amounts}, warm)
    return row["flat"]


def test_slope():
    assert figures.slope([(0, 1), (1, 3), (2, 5)]) == pytest.approx(2)
    assert figures.slope([(0, 4), (5, 4), (7, 4)]) == 0
    assert figures.slope([(0, 0), (1, 1), (2, 0), (3, 1)]) == pytest.approx(0.2)


def test_a_leak_is_seen_and_noise_is_not():
    noise = random.Random(1)
    mib = resources.MIB
    flat = [100 * mib + noise.randrange(-3 * mib, 3 * mib) for _ in range(200)]
    assert verdict("resident", flat) is True
    assert verdict("resident", [amount + number * mib // 5 for number, amount in enumerate(flat)]) is False
    assert verdict("resident", [amount - number * mib // 5 for number, amount in enumerate(flat)]) is True
    warm = [20 * mib + number * 8 * mib for number in range(10)] + flat
    assert verdict("resident", warm) is True and verdict("resident", warm, warm=0) is True
    once = flat[:150] + [amount + 60 * mib for amount in flat[150:151]] + flat[151:]
    assert verdict("resident", once) is True
    for_good = flat[:100] + [amount + 30 * mib for amount in flat[100:]]
    assert verdict("resident", for_good) is False


@pytest.mark.parametrize("kind", ["threads", "descriptors"])
def test_what_must_not_grow_at_all(kind):
    assert verdict(kind, [5] * 60) is True
    assert verdict(kind, [5] * 30 + [6] * 30) is False
    assert verdict(kind, [5] * 58 + [6] * 2) is True  # in use at the moment, perhaps; a leak goes on


def test_too_few_samples_are_not_judged():
    row, = resources.judge({"blocks": [10**number for number in range(25)]}, 10)
    assert row["flat"] is None and row["growth"] is None and row["samples"] == 15
    assert resources.judge({"blocks": [1, 2]}, 2) == []
    heading, titles, (cells,) = resources.table([row])
    assert len(titles) == len(cells) and cells[-1] == "too few samples"


def test_the_table_says_what_grew():
    rows = resources.judge({"threads": [1] * 30 + [9] * 30, "heap": [resources.MIB] * 60}, 0)
    assert [cells[-1] for cells in resources.table(rows)[2]] == ["NO", "yes"]


def test_samples_tell_what_is_held(tmp_path):
    record = resources.Record()
    assert len(record) == 0
    record.add()
    before = resources.sample()
    assert before.keys() == record.amounts.keys() <= resources.KINDS.keys()
    assert {"blocks", "threads"} <= before.keys()
    kept = [object() for _ in range(50_000)]
    event = threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    try:
        with open(tmp_path / "file", "w"):
            after = resources.sample()
            assert resources.wait_for_threads(before["threads"], seconds=0.02) == [thread.name]
    finally:
        event.set()
        thread.join()
    assert after["blocks"] - before["blocks"] >= len(kept)
    assert after["threads"] == before["threads"] + 1
    if "descriptors" in before:
        assert after["descriptors"] == before["descriptors"] + 1
    assert resources.wait_for_threads(before["threads"]) == []
    record.add()
    assert len(record) == 2 and list(record.amounts["threads"]) == [before["threads"]] * 2


def test_memory_of_malloc_is_counted():
    before = resources.heap()
    if before is None:
        pytest.skip("this system's malloc does not tell what it has given out")
    kept = ctypes.create_string_buffer(40 * resources.MIB)
    assert resources.heap() - before >= len(kept)


def test_address_space_is_counted():
    engine = mc.Searcher(memory_mb=512)
    before = resources.sample()
    engine.search(STATE, iterations=1)
    after = resources.sample()
    if "address_space" in before:
        assert after["address_space"] - before["address_space"] >= 500 * resources.MIB


# ---- steps -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path):
    """A Soak without anything that is left out."""
    return soak_steps.Soak(soak_seats.features(), tmp_path, random.Random(1))


@pytest.fixture
def seat():
    options = {"memory_mb": 1, "seed": 1}
    return soak_seats.Seat(options, mc.Searcher(**options), STATE, STATE)


@pytest.mark.parametrize("step", soak_steps.STEPS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("first", [mc.ConnectFour(), soak_seats.Dots(2, 2)], ids=["native", "python"])
def test_each_step(run, step, first):
    threads = resources.native_threads()
    options = soak_seats.RESIDENTS[-1]
    seat = soak_seats.Seat(options, mc.Searcher(**options), first, first)
    for _ in range(3):
        step(run, seat)
        assert resources.wait_for_threads(threads) == []
    assert run.faults == []
    assert not list(run.folder.iterdir())


def test_general_games_of_all_kinds(run, seat):
    for _ in range(60):
        soak_general.general_game(run, seat)
    assert run.faults == [] and run.expected["EvaluatorError"] > 0
    assert run.totals["searches of general games"] > 100


@pytest.mark.parametrize(("changes", "text"), [
    ({"move": 4}, "Stats.move is 4"), ({"scale": (0.0, 0.01)}, "seen were 0.0 to 0.01"),
    ({"values": (float("nan"), 0.5)}, "the values are"), ({"visits": 7}, "7 visits, but 50 iterations"),
    ({"bytes": 2**21}, "2097152 bytes of 1 MiB"),
])
def test_false_statistics_of_general_games_are_faults(changes, text):
    state = soak_general.Scored(soak_general.Rules(scored=True))
    engine = mc.Searcher(memory_mb=1, seed=1)
    move = engine.search(state, iterations=50)
    assert soak_general.faults(state, engine.stats(), move) == []
    with pytest.raises(ValueError) if "values" in changes else contextlib.nullcontext():
        assert text in soak_general.faults(state, changed(engine.stats(), **changes), move)[0]


def test_a_tree_is_filled(run):
    for options in ({"memory_mb": 1, "preset": "uct"}, {"memory_mb": 1, "prune": False, "preset": "uct"}):
        seat = soak_seats.Seat(options, mc.Searcher(**options), mc.Gomoku(15), mc.Gomoku(15))
        soak_steps.filled(run, seat)
        soak_steps.search(run, seat)
    assert run.faults == [] and run.totals["trees filled"] == 2


def test_a_search_that_lies_is_a_fault(run, seat, monkeypatch):
    true = mc.Searcher.stats
    monkeypatch.setattr(mc.Searcher, "stats", lambda self: changed(true(self), depth_max=-1))
    soak_steps.search(run, seat)
    (where, text), = run.faults
    assert "greatest depth -1" in text


def test_memory_beyond_the_budget_is_a_fault(run, seat):
    big = mc.Searcher(memory_mb=8, seed=1)
    big.search(mc.Gomoku(19), iterations=20_000)
    run.check_held(big, 8 * 2**20)
    assert run.faults == []
    run.check_held(big, 2**20)
    assert len(run.faults) == 1


def test_an_exception_that_does_not_come_is_a_fault(run):
    with run.expecting(KeyError):
        raise KeyError
    with run.expecting(KeyError, always=False):
        pass
    assert run.faults == [] and run.expected == {"KeyError": 1}
    with run.expecting(KeyError):
        pass
    assert "nothing was raised" in run.faults[0][1]
    with pytest.raises(ValueError), run.expecting(KeyError):
        raise ValueError


def test_a_searcher_that_does_not_repeat_itself_is_a_fault(run, seat, monkeypatch):
    true, calls = mc.Searcher.stats, []
    monkeypatch.setattr(mc.Searcher, "stats", lambda self: calls.append(1) or changed(true(self), nodes=len(calls)))
    soak_steps.repeated(run, seat)
    assert "nodes 1 and 2" in run.faults[0][1]


@pytest.mark.needs("fork")
def test_a_child_that_fails_is_a_fault(run, seat):
    parent, search = os.getpid(), seat.engine.search

    class Engine:
        def search(self, *arguments, **options):
            if os.getpid() != parent:
                raise MemoryError
            return search(*arguments, **options)

        ponder, stop = seat.engine.ponder, seat.engine.stop

    seat.engine = Engine()
    soak_steps.forked(run, seat)
    assert "ended with 1" in run.faults[0][1]


def test_what_may_be_reused(seat):
    seat.options = {"memory_mb": 1, "reuse": True}
    assert seat.asked(iterations=5) == Asked(iterations=5, memory=2**20, reusable=True)  # nobody knows
    seat.remember()
    assert seat.asked().reusable is True  # the same position
    seat.options["seed"] = 1
    assert seat.asked().reusable is False  # begins anew with a seed
    seat.play(0)
    assert seat.asked().reusable is True
    seat.remember()
    seat.change_game(random.Random(2))
    assert seat.asked().reusable is False
    seat.options["reuse"] = False
    seat.searched = None
    assert seat.asked().reusable is False


def test_random_seats_are_usable_and_varied():
    chooser = random.Random(3)
    seats = [soak_seats.new_seat(chooser, soak_seats.features()) for _ in range(60)]
    given = {name for seat in seats for name in seat.options}
    assert given >= soak_seats.CHOICES.keys()
    assert {seat.native for seat in seats} == {True, False}
    repeated = [soak_seats.new_seat(random.Random(4), soak_seats.features()) for _ in range(2)]
    assert str(repeated[0].options) == str(repeated[1].options)


# ---- the whole -------------------------------------------------------------------------------------------------------


def broken(run, seat):
    raise OSError("number 17")


def leaking(run, seat, kept=[]):  # noqa: B006
    kept.extend(object() for _ in range(20))


def forgotten(run, seat, kept=[]):  # noqa: B006
    kept.append(mc.Searcher(memory_mb=1))


@pytest.mark.parametrize(("step", "message"), [
    (broken, "OSError: number 17"), (leaking, "objects of Python: grew by"), (forgotten, "Searchers too many")])
def test_a_run_finds_what_is_wrong(step, message, monkeypatch, capsys):
    monkeypatch.setattr(soak, "STEPS", {step: 1})
    monkeypatch.setattr(soak, "FRESH", 1)
    monkeypatch.setattr(soak_seats, "RESIDENTS", ({"memory_mb": 1},))
    monkeypatch.setattr(soak_seats, "FILL", 10)
    monkeypatch.setattr(soak_seats, "new_seat", lambda *_: soak_seats.Seat({}, None, STATE, STATE))
    monkeypatch.setattr(soak, "MOST", 40)
    monkeypatch.setitem(resources.KINDS, "blocks", dataclasses.replace(resources.KINDS["blocks"], allowed=1000))
    monkeypatch.setattr(resources, "FEWEST", 8)
    samples, true = [], resources.Record.add

    def add(record):
        true(record)
        samples.append(record)
        if len(samples) == 12:
            raise_clock()

    def raise_clock():
        monkeypatch.setattr(soak.time, "monotonic", lambda: 1e12)

    monkeypatch.setattr(resources.Record, "add", add)
    assert soak.main(["--minutes", "1"]) == 1
    printed = capsys.readouterr().out
    assert "FAULTS" in printed and message in printed


def test_a_thread_that_is_left_is_a_fault(run, monkeypatch):
    event, threads = threading.Event(), resources.native_threads()
    true = resources.wait_for_threads
    monkeypatch.setattr(resources, "wait_for_threads", lambda count: true(count, 0.01))
    monkeypatch.setattr(soak, "STEPS", {lambda run, seat: threading.Thread(target=event.wait, name="left").start(): 1})
    monkeypatch.setattr(soak, "ROUND", 2)
    try:
        soak.play_round(run, 0, 1, [], threads)
    finally:
        event.set()
        assert true(threads) == []
    assert [text for _, text in run.faults] == ["left threads: ['left']", "left threads: ['left', 'left']"]


needs_timer = pytest.mark.skipif(not soak_interrupts.POSSIBLE, reason="this system has no timer that sends signals")


@needs_timer
def test_an_interrupted_step(run, seat, monkeypatch):
    def endless(soak, seat):
        seat.engine.ponder(seat.state)
        while True:
            time.sleep(0.001)

    before = signal.getsignal(signal.SIGALRM), sys.unraisablehook
    soak_interrupts.interrupted(run, seat, endless)
    assert run.faults == [] and run.totals["interrupts"] == 1
    soak_interrupts.interrupted(run, seat, lambda soak, seat: None)  # it ends before
    assert run.faults == [] and run.totals["interrupts"] == 1
    with pytest.raises(OSError, match="number 17"):
        soak_interrupts.interrupted(run, seat, broken)
    assert (signal.getsignal(signal.SIGALRM), sys.unraisablehook) == before


@needs_timer
def test_an_interrupt_that_does_not_come_out_is_a_fault(run, seat, monkeypatch):
    monkeypatch.setattr(run.chooser, "uniform", lambda low, high: -2.0)  # after 10 ms, when both are at work

    def swallow(soak, seat):
        try:
            time.sleep(1)
        except KeyboardInterrupt:
            pass

    class Careless:
        def __del__(self):
            time.sleep(1)

    soak_interrupts.interrupted(run, seat, swallow)
    assert [text for _, text in run.faults] == ["an interrupt did not come out of the step"]
    soak_interrupts.interrupted(run, seat, lambda soak, seat: Careless() and None)
    assert "KeyboardInterrupt thrown away in <function" in run.faults[1][1] and len(run.faults) == 3


def test_kinds_of_faults():
    found = soak.kinds_of([
        ("round 1", "3 visits"), ("round 2", "14 visits"), ("round 3", "no move"),
        ("round 4", "Traceback\n  line 9\nKeyError: 5"), ("round 5", "Traceback\n  line 7\nKeyError: 6")])
    assert found == ["- 2 times, at first in round 1: 3 visits", "- 1 times, at first in round 3: no move",
                     "- 2 times, at first in round 4: Traceback\n  line 9\nKeyError: 5"]


@pytest.mark.long
def test_the_script(tmp_path):
    file = tmp_path / "soak.json"
    done = script("--minutes", 0.005, "--seed", 5, "--json", file)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["faults"] == [] and document["seed"] == 5
    assert sum(document["steps"].values()) >= soak.ROUND and document["totals"]["searches"] >= 1
    assert {row["kind"] for row in document["resources"]} >= {"blocks", "threads"}
    assert "left out, as it is not there: " in done.stdout and done.stdout.rstrip().endswith("seed 5: no fault")


@pytest.mark.long
@needs_timer
def test_the_script_with_interrupts(tmp_path):
    file = tmp_path / "soak.json"
    done = script("--minutes", 0.005, "--seed", 6, "--interrupts", "--json", file)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["interrupts"] is True and document["totals"]["interrupts"] >= 1


@pytest.mark.long
def test_the_script_with_full_trees(tmp_path):
    file = tmp_path / "soak.json"
    done = script("--minutes", 0.001, "--seed", 8, "--full", "--json", file)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["full"] is True and "trees filled" in document["totals"]


def test_bad_arguments():
    done = script("--minutes", 0)
    assert done.returncode == 2 and "--minutes" in done.stderr and "Traceback" not in done.stderr
