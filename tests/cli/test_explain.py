"""mcts_core/cli/explain.py: a hint in words."""

from dataclasses import replace

import pytest

import mcts_core as mc
from mcts_core.cli.explain import explain
from mcts_core.results import MoveStats


def called(player):
    return {1: "you", -1: "the engine"}[player]


def sentences(state, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=500)
    return explain(engine.stats(), state, called, lambda state: state.winner() is not None)


def test_a_win_at_once_is_said_to_be_one():
    assert sentences(mc.TicTacToe.from_moves("a1 a2 b1 b2"))[0] == "c1 wins at once."


def test_a_win_by_force_names_how_long_it_takes_and_its_line():
    found = sentences(mc.TicTacToe.from_moves("a1 b1 a3 a2"))
    assert found[0] == "c3 wins within 3 plies, whatever the other side plays."
    assert found[-1].startswith("The expected line: you play c3, the engine ") and found[-1].endswith(", and you win.")


def test_a_threat_that_one_move_stops():
    state = mc.TicTacToe.from_moves("a1 b2 c1")  # the second player must stop b1
    found = sentences(state, leaf_proofs=0, node_proofs=0, root_proofs=0)
    assert found[0] == "Best play of both sides leads to a draw, and b1 keeps it."
    assert found[1] == "Every other move loses. After each of them, the other side wins at once."
    assert found[2].startswith("The expected line: the engine plays b1, you b3, ") and found[2].endswith(", a draw.")


def test_a_lost_position_names_the_longest_resistance():
    found = sentences(mc.TicTacToe.from_moves("a1 b1 a3 a2 c3"))
    assert found[0].startswith("Every move loses against best play. ")
    assert found[0].endswith(" holds out longest, up to 2 plies.")
    assert found[-1].startswith("The expected line: the engine plays b3, you ") and found[-1].endswith(", and you win.")


def test_an_open_position_names_shares_and_the_second_choice():
    state = mc.Gomoku.from_moves("h8 i7")
    reason, second, line = sentences(state)
    assert reason.split(" ")[1] == "scores" and " % on average, and " in reason and " visits went to it." in reason
    assert second.startswith("The second choice is ") and second.endswith(" % on average.")
    assert line.startswith("The expected line: you play ") and ", the engine " in line


def stats_of(moves, **more):
    engine = mc.Searcher(seed=1)
    state = mc.ConnectFour()
    engine.search(state, iterations=50)
    return replace(engine.stats(), move=moves[0].move, moves=tuple(moves), pv=(moves[0].move,), proven=None,
                   visits=sum(entry.visits for entry in moves), value=0.5, stop_reason="iterations", **more), state


@pytest.mark.parametrize("lost, words", [
    ({1: 2}, "2 loses. After it, the other side wins at once."),
    ({1: 4}, "2 loses."),
    ({1: 2, 2: 2}, "2 and 3 lose. After each of them, the other side wins at once."),
    ({1: 4, 2: 2, 4: 6}, "2, 3 and 5 lose. After 3, the other side wins at once."),
])
def test_moves_that_lose_are_named(lost, words):
    moves = [MoveStats(3, 40, 30.0, 0.75)] + [
        MoveStats(move, 2, 0.5, 0.25, "loss" if move in lost else None, lost.get(move)) for move in (0, 1, 2, 4, 5, 6)]
    stats, state = stats_of(moves)
    found = explain(stats, state, called, lambda state: False)
    assert found[0] == "4 scores 75 % on average, and 77 % of 52 visits went to it."
    assert found[1] == words
    assert found[2] == "The second choice is 1, which scores 25 % on average."


def test_values_in_units_of_the_game_are_no_percentages():
    moves = [MoveStats(3, 40, 300.0, 7.5), MoveStats(1, 2, 5.0, 2.5)]
    stats, state = stats_of(moves, scale=(0.0, 10.0))
    assert explain(stats, state, called, lambda state: False) == [
        "4 has the value 7.5, and 95 % of 42 visits went to it.", "The second choice is 2, which has the value 2.5."]


def test_the_only_move_is_called_that():
    stats, state = stats_of([MoveStats(3, 5, 2.0, 0.4)])
    assert explain(stats, state, called, lambda state: False) == ["4 is the only move."]


def test_a_long_line_is_cut():
    stats, state = stats_of([MoveStats(3, 5, 2.0, 0.4)])
    line = explain(replace(stats, pv=(3, 3, 3, 3, 3, 3, 2, 2, 2, 2)), state, called, lambda state: False)[-1]
    assert line == ("The expected line: you play 4, the engine 4, you 4, the engine 4, you 4, the engine 4, you 3, "
                    "the engine 3, and so on.")
