import time

import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.bots import levels
from mcts_core.web import limits
from mcts_core.web.positions import Line
from mcts_core.web.thinking import LINE_LENGTH, PURPOSES, Engines, Job, think

ENGINES = Engines(16)
SLICES = Engines(16, in_slices=True)


def run(start, moves, purpose, *, seconds=0.5, level=levels.FULL, report=lambda figures: True, engines=ENGINES,
        alone=False):
    """The last figures of a job, which finishes once ``report`` of the figures so far is False."""
    line = Line({}, start)
    for name in moves.split():
        line.play(name)
    job = Job(7, purpose, line, seconds, 1, level, alone)
    for figures in think(job, engines):
        job.finishing = job.finishing or not report(figures)
    return figures


def reports(count):
    """A report that ends the job after ``count`` figures, or half a minute."""
    seen, end = [], time.monotonic() + 30
    return seen, lambda figures: seen.append(figures) or (len(seen) < count and time.monotonic() < end)


def test_an_answer():
    figures = run(mc.Gomoku(9), "e5", "answer")
    assert (figures["number"], figures["purpose"], figures["ply"], figures["player"]) == (7, "answer", 1, -1)
    best = figures["moves"][0]
    assert best["name"] == figures["move"] and best["value"] == figures["value"] and best["line"][0] == best["name"]
    assert all(entry["cell"] == (9 - int(entry["name"][1:]), ord(entry["name"][0]) - 97) for entry in figures["moves"])


@pytest.mark.parametrize("level", [levels.FULL, "club"])
def test_the_tree_alone_has_no_exact_search_and_no_book(level):
    figures = [run(mc.ConnectFour(), "4 4", "answer", level=level, alone=alone) for alone in (False, True)]
    assert [each["alone"] for each in figures] == [False, True]
    assert figures[0]["proven"] == "win"
    assert all(entry["proven"] is None for entry in figures[1]["moves"])


@pytest.mark.parametrize("moves, purpose", [("4 4 4 4 4 3 2 6 5 5 7 7 1", "analysis"), ("4 4", "answer"), ("", "hint")])
def test_moves_come_in_the_order_that_a_player_needs(moves, purpose):
    figures = run(mc.ConnectFour(), moves, purpose)
    ranks = {"win": 0, None: 1, "draw": 1, "loss": 2}
    found = [(entry["proven"], entry["distance"], entry["visits"]) for entry in figures["moves"]]
    assert [ranks[proven] for proven, _, _ in found] == sorted(ranks[proven] for proven, _, _ in found)
    wins, losses = ([distance for proven, distance, _ in found if proven == each] for each in ("win", "loss"))
    assert wins == sorted(wins) and losses == sorted(losses, reverse=True)
    rest = [visits for proven, _, visits in found if ranks[proven] == 1]
    assert rest[1:] == sorted(rest[1:], reverse=True)  # the first one is the best move if nothing wins
    assert figures["visits"] >= sum(visits for _, _, visits in found)


def test_a_value_from_few_iterations_says_so():
    assert run(mc.ConnectFour(), "4", "answer", level="beginner")["few"]
    assert not run(mc.Gomoku(9), "e5", "answer", level="club")["few"]
    assert not run(mc.TicTacToe(), "b2 a2 a1 a3", "answer")["few"]  # proven


@pytest.mark.parametrize("engines", [ENGINES, SLICES], ids=["thread", "slices"])
def test_every_move_of_a_hint_on_a_small_board_has_a_number(engines):
    four = mc.ConnectFour()
    for start, moves in ((four, "4 4 4 4 4 3 2 6"), (four, "1 7 1 7 1 6"), (mc.TicTacToe(), "")):
        figures = run(start, moves, "hint", engines=engines)
        assert all(entry["value"] is not None for entry in figures["moves"])
        assert len(figures["moves"]) == len(start.legal_moves())


@pytest.mark.parametrize("purpose", ["hint", "analysis"])
def test_moves_far_from_all_stones_have_no_number(purpose):
    _, report = reports(12)
    figures = run(mc.Gomoku(), "h8 i9", purpose, report=report)
    left_out = [entry for entry in figures["moves"] if entry["value"] is None]
    assert len(left_out) > 100 and "a1" in {entry["name"] for entry in left_out}
    assert all(entry["visits"] == 0 for entry in left_out)


def test_an_only_move_has_a_value():
    figures = run(mc.TicTacToe(), "b2 a1 c1 a3 a2 c2 b3 b1", "hint")
    assert len(figures["moves"]) == 1 and figures["proven"] == "draw" and figures["distance"] == 1


@pytest.mark.parametrize("start, moves, proofs", [
    (mc.ConnectFour(4, 4, 4), "1 2 1 2 1 3", {"1": ("win", 1)}), (mc.TicTacToe(), "b2 a2 a1", {"a3": ("loss", 2)}),
])
def test_an_analysis_goes_on_until_each_move_has_a_proof(start, moves, proofs):
    figures = run(start, moves, "analysis")
    found = {entry["name"]: (entry["proven"], entry["distance"]) for entry in figures["moves"]}
    assert all(proven is not None for proven, _ in found.values()) and figures["stop_reason"] == "solved"
    assert {name: found[name] for name in proofs} == proofs


def test_proofs_of_single_moves_are_right():
    """Against the values of the positions after them."""
    state = mc.TicTacToe.from_moves("40")
    figures = run(mc.TicTacToe(), "b2 a3", "analysis")
    after = {entry["name"]: entry["proven"] for entry in figures["moves"]}
    for move in state.legal_moves():
        engine = mc.Searcher()
        engine.search(state.play(move), iterations=10_000)
        turned = {"win": "loss", "loss": "win", "draw": "draw"}[engine.stats().proven]
        assert after["abc"[move % 3] + str(3 - move // 3)] == turned


def test_an_analysis_has_lines_of_several_moves_and_no_end():
    seen, report = reports(12)
    run(mc.Gomoku(), "h8 i9", "analysis", report=report)
    assert seen[-1]["visits"] > seen[0]["visits"]
    lines = [entry["line"] for entry in seen[-1]["moves"][:5]]
    assert sum(len(line) > 1 for line in lines) >= 2 and len({line[0] for line in lines}) == 5
    assert all(len(line) <= LINE_LENGTH for line in lines)


def test_a_report_ends_a_search():
    begin = time.monotonic()
    for purpose in PURPOSES:
        for engines in (ENGINES, SLICES):
            figures = run(mc.Gomoku(), "h8 i9", purpose, seconds=50, report=lambda figures: False, engines=engines)
            assert figures["move"]
    assert time.monotonic() - begin < 40


@pytest.mark.alone
def test_slices_are_one_search():
    """Of one tree, with the figures of all slices together; one slice is enough for an only move."""
    seen, report = reports(1000)
    figures = run(mc.Gomoku(), "h8 i9", "answer", seconds=0.5, report=report, engines=Engines(16, in_slices=True))
    visits = [each["visits"] for each in seen]
    assert len(visits) >= 4 and visits == sorted(visits) and [each["seconds"] for each in seen][-1] >= 0.5
    assert figures["per_second"] == pytest.approx(figures["visits"] / figures["seconds"], rel=0.01)
    assert {each["stop_reason"] for each in seen[:-2]} == {"running"} and figures["stop_reason"] == "time"
    assert run(mc.Gomoku(9), "e5", "answer", level="club", engines=SLICES)["visits"] == 1500
    only = run(mc.TicTacToe(), "b2 a1 c1 a3 a2 c2 b3 b1", "answer", seconds=50, engines=SLICES)
    assert only["stop_reason"] in ("only_move", "solved")


def test_a_search_that_is_over_before_the_clock_moves(monkeypatch):
    """As in a browser, whose clock goes in steps of up to 0.1 ms."""
    monkeypatch.setattr("mcts_core.web.thinking.monotonic", lambda: 1.0)
    engines = Engines(16, in_slices=True)
    only = run(mc.TicTacToe(), "b2 a1 c1 a3 a2 c2 b3 b1", "answer", seconds=50, engines=engines)
    assert only["seconds"] == 0.0 and only["per_second"] == only["visits"] / 1e-4


def test_a_level_has_its_own_move():
    figures = run(mc.ConnectFour(), "4", "answer", level="beginner")
    assert figures["visits"] < 100 and figures["moves"][0]["name"] == figures["move"]


def test_a_game_written_in_python():
    figures = run(SmallNim(4), "", "hint")
    assert (figures["proven"], figures["move"]) == ("win", "1")
    assert {entry["name"]: entry["proven"] for entry in figures["moves"]} == {"1": "win", "2": "loss"}
    assert figures["moves"][0]["cell"] is None and figures["moves"][0]["line"][0] == "1"


def test_the_trees_share_the_memory():
    engines = Engines(16)
    limit = sum(float(str(engine).split("memory_mb=")[1].split(",")[0].rstrip(")"))
                for engine in (engines.main(2), engines.side()))
    assert limit <= 16 and engines.main(2) is engines.main(2)
    before = engines.main(2)
    assert engines.main(1) is not before
    engines.forget()
    assert Engines(1).main(1) is not None and limits.SHOWN_MOVES >= 225
