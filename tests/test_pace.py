"""mcts_core/pace.py: sure moves end early, open choices go on."""

from types import SimpleNamespace

import mcts_core as mc
from mcts_core.pace import Pace


def stats(seconds, best, **visits):
    moves = [SimpleNamespace(move=move, visits=count, proven=None) for move, count in visits.items()]
    return SimpleNamespace(seconds=seconds, iterations=1000 * seconds, move=best, moves=moves)


def test_no_search_is_enough_in_the_first_half():
    assert not Pace(1.0).enough(stats(0.49, "a", a=490, b=0))


def test_a_move_that_cannot_be_caught_up_with_is_enough():
    assert Pace(1.0).enough(stats(0.6, "a", a=510, b=90))
    assert not Pace(1.0).enough(stats(0.6, "a", a=490, b=110))
    assert Pace(1.0).enough(stats(0.6, "a", a=9000, b=90))  # visits that were reused count


def test_a_settled_choice_is_enough_when_its_time_is_over():
    pace = Pace(1.0)
    assert not pace.enough(stats(0.4, "a", a=250, b=150))
    assert pace.enough(stats(1.0, "a", a=600, b=400))


def test_close_moves_and_changes_of_mind_go_on():
    pace = Pace(1.0)
    assert not pace.enough(stats(0.4, "a", a=210, b=190))
    assert not pace.enough(stats(1.0, "a", a=550, b=450))
    pace = Pace(1.0)
    assert not pace.enough(stats(0.4, "b", a=150, b=250))
    assert not pace.enough(stats(0.7, "a", a=400, b=250))
    assert not pace.enough(stats(1.1, "a", a=700, b=300))
    assert pace.enough(stats(1.5, "a", a=1100, b=300))


def test_moves_that_lose_are_no_rivals():
    seen = stats(1.0, "a", a=500, b=480)
    seen.moves[1].proven = "loss"
    pace = Pace(1.0)
    pace.enough(stats(0.1, "a", a=50, b=50))
    assert pace.enough(seen)


def test_it_reads_what_a_search_reports():
    engine, looks, pace = mc.Searcher(seed=1, book=False), [], Pace(0.001)
    engine.search(mc.ConnectFour(), 0.3, progress=lambda found: looks.append(pace.enough(found)), every=0.01)
    assert looks and set(looks) <= {True, False}
