"""bench/overshoot.py: its counting, that it sees a search that is late, and that what keeps the cores busy ends."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import busy  # noqa: E402
import figures  # noqa: E402
import overshoot  # noqa: E402

sys.path.remove(str(BENCH))


def script(*arguments):
    command = [sys.executable, BENCH / "overshoot.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def sample(over, budget=0.01, waited=0.0, game="connect4"):
    return {"game": game, "preset": "strong", "budget": budget, "over": over, "unseen": over / 10, "waited": waited}


class Late:
    """A Searcher that is late by ``seconds``."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.overshoot = 0.0

    def search(self, state, seconds):
        time.sleep(seconds + self.seconds)
        return state.legal_moves()[0]

    def stats(self):
        return self


# ---- counting --------------------------------------------------------------------------------------------------------


def test_percentiles_by_nearest_rank():
    values = list(range(200, 0, -1))
    assert [figures.percentile(values, share) for share in (0.5, 0.9, 0.99, 1.0)] == [100, 180, 198, 200]
    assert figures.percentile([5.0, 1.0, 3.0], 0.99) == 5.0 and figures.percentile([7], 0.5) == 7
    assert figures.percentile([1, 2], 0.5) == 1 and figures.percentile([1, 2], 0.51) == 2


def test_summary():
    found = overshoot.summary([sample(0.001 * number) for number in range(1, 101)] + [sample(-0.005)] * 7, 0.1)
    assert (found["searches"], found["early"]) == (107, 7)
    assert [found[name] for name in ("p50", "p90", "p99", "max")] == pytest.approx([0.05, 0.09, 0.099, 0.1])
    assert found["unseen"] == pytest.approx(0.0099) and found["reached"] is True
    assert overshoot.summary([sample(0.1)] * 3, 0.1)["reached"] is False


def test_one_late_search_in_a_hundred_is_forgiven_and_two_are_not():
    prompt = [sample(0.0001)] * 198
    assert overshoot.summary(prompt + [sample(0.02)] * 2, 0.005)["reached"] is True
    assert overshoot.summary(prompt + [sample(0.02)] * 3, 0.005)["reached"] is False


def test_nothing_is_reached_where_no_search_came_to_its_deadline():
    for samples in ([], [sample(-0.001)] * 5):
        found = overshoot.summary(samples, 0.005)
        assert found["reached"] is None and found["early"] == len(samples) and "p99" not in found


def test_waiting_for_a_core_is_told_apart():
    found = overshoot.summary([sample(0.03, waited=0.028), sample(0.004, waited=0.001), sample(0.001, waited=0.5)], 1)
    assert found["own"] == pytest.approx(0.003)
    assert overshoot.summary([sample(0.03, waited=None)], 1)["own"] is None


def test_rows_and_their_table():
    samples = {"idle": [sample(0.001), sample(0.006), sample(0.002, budget=0.2), sample(-0.1, budget=0.2)],
               "busy": [sample(0.006), sample(-0.001, game="dots")]}
    rows = overshoot.rows_of(samples, ["idle", "busy"], ("game", "budget"))
    assert [(row["load"], row["game"], row["budget"], row["searches"], row["early"], row["goal"], row["reached"])
            for row in rows] == [
        ("idle", "connect4", 0.01, 2, 0, 0.005, False), ("idle", "connect4", 0.2, 2, 1, 0.005, True),
        ("busy", "connect4", 0.01, 1, 0, 0.025, True), ("busy", "dots", 0.01, 1, 1, 0.025, None)]
    heading, titles, cells = overshoot.table("Heading", rows, ("game", "budget"))
    assert heading == "Heading" and {len(titles)} == {len(line) for line in cells}
    assert [line[-1] for line in cells] == ["NO", "yes", "yes", "-"]
    assert cells[0][:5] == ["idle", "connect4", "10 ms", "2", "0"] and cells[0][-2] == "< 5 ms"
    assert cells[3][5:11] == ["-"] * 6
    assert overshoot.count_of(rows) == "2 of 3"


def test_short_budgets_are_measured_more_often():
    assert overshoot.schedule([0.2, 0.002]) == [0.002] * 10 + [0.2]
    assert overshoot.schedule([0.05]) == [0.05]


# ---- measuring -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["connect4", "mnk:4,4,3", "dots"])
def test_a_bot_plays_on_and_measures(game):
    bot = overshoot.Bot(game, "uct", {"memory_mb": 8}, seed=1)
    found = [bot.search(0.001) for _ in range(40)]  # several games
    assert {(one["game"], one["preset"], one["budget"]) for one in found} == {(game, "uct", 0.001)}
    assert sum(one["over"] >= 0 for one in found) > 30  # textbook UCT does not end early
    assert all(one["unseen"] <= one["over"] for one in found if one["over"] >= 0)


def test_a_late_search_is_seen():
    bot = overshoot.Bot("connect4", "uct", {}, seed=1)
    bot._engine = Late(0.02)
    found = [bot.search(0.001) for _ in range(3)]
    assert all(one["over"] >= 0.02 and one["unseen"] >= 0.02 for one in found)
    assert overshoot.summary(found, overshoot.GOALS["idle"])["reached"] is False


def test_samples_end_in_time():
    class Bot:
        def search(self, seconds):
            time.sleep(seconds)
            return seconds

    begin = time.monotonic()
    found = overshoot.take_samples([Bot(), Bot()], [0.001, 0.1], 0.05)
    assert found[:20] == [0.001] * 20 and len(found) in range(20, 50)
    assert time.monotonic() - begin >= 0.05


# ---- busy cores ------------------------------------------------------------------------------------------------------


def ended(process):
    return process.poll() is not None


def test_busy_processes_run_and_end(monkeypatch):
    started, popen = [], subprocess.Popen

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(busy.subprocess, "Popen", start)
    with busy.processes(count=2) as pids:
        assert len(pids) == len(set(pids)) == 2
        assert not any(map(ended, started))
    assert all(map(ended, started))
    with pytest.raises(KeyError), busy.processes(pinned=False, count=1):
        raise KeyError
    assert len(started) == 3 and all(map(ended, started))


def test_a_busy_process_ends_when_its_starter_is_gone():
    process = subprocess.Popen([sys.executable, BENCH / "busy.py", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"busy" and not ended(process)
    process.stdin.close()  # as the system does when the starter ends, however
    assert process.wait(timeout=20) == 0
    process.stdout.close()


def test_a_busy_process_ends_after_its_time():
    done = subprocess.run([sys.executable, BENCH / "busy.py", "0.01", str(busy.cores()[0])], stdin=subprocess.PIPE,
                          capture_output=True, timeout=20)
    assert done.returncode == 0 and done.stdout.strip() == b"busy"


def test_a_busy_process_that_does_not_start_is_told(monkeypatch):
    monkeypatch.setattr(busy, "LONGEST", "never")
    with pytest.raises(RuntimeError, match="ended with 1"), busy.processes(count=1):
        raise AssertionError("not reached")


# ---- the script ------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.alone
def test_the_script(tmp_path):
    file = tmp_path / "overshoot.json"
    done = script("--seconds", 1, "--games", "mnk:5,5,4", "dots", "--presets", "uct", "--budgets", 0.002, 0.01,
                  "--set", "memory_mb=8", "--json", file)
    assert done.returncode == 0, done.stderr
    document = json.loads(file.read_text())
    assert document["options"] == {"memory_mb": 8} and document["goals"] == {"idle": 0.005, "busy": 0.025}
    assert {(row["load"], row["game"]) for row in document["rows"]} == {
        (load, game) for load in ("idle", "busy") for game in ("mnk:5,5,4", "dots")}
    for row in document["rows"]:
        assert row["searches"] >= 1 and row["reached"] in (True, False)
        assert row["p50"] <= row["p90"] <= row["p99"] <= row["max"]
        assert row["searches"] == sum(one["searches"] for one in document["by_budget"]
                                      if (one["load"], one["game"]) == (row["load"], row["game"]))
    assert "p99 to reach" in done.stdout and "goals reached: " in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("arguments", "message"), [
    (("--seconds", 0), "--seconds"), (("--games", "chess"), "the game must be"), (("--loads", "heavy"), "--loads"),
    (("--set", "speed=3"), "speed"), (("--core", 4096), "--core 4096"), (("--budgets", "soon"), "--budgets")])
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        overshoot.main([*map(str, arguments)])
    assert end.value.code == 2 and message in capsys.readouterr().err
