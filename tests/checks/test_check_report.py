"""mcts_core/checks/check_report.py: how a report reads."""

import json

from checked_games import Dice, broken
from nim import Comparable, Nim

import mcts_core as mc


def test_texts():
    report = mc.check_game(Comparable, 50)
    first, second, third = str(report).splitlines()
    assert first.startswith(f"Comparable: 50 random games, {report.positions:,} positions, ")
    assert second == f"won by the first player {report.wins}, drawn 0, won by the second {report.losses}"
    assert third == "no problem found"
    document = report.to_dict()
    assert document["ok"] is True and document["problems"] == [] and json.dumps(document)


def test_a_problem_says_where_it_was_seen():
    report = mc.check_game(broken(winner=lambda self: 2 if self.stones == 5 else Nim.winner(self)), 100)
    (problem,) = (problem for problem in report.problems if problem.part == "winner()")
    assert sum(problem.moves) == 3 and problem.count > 1
    assert f"(after {list(problem.moves)}, seen {problem.count} times)" in str(report)
    report = mc.check_game(broken(play=lambda self, move: None), 1)
    assert report.problems[0].moves == () and "(in the first position" in str(report)


def test_words_of_one_game_and_one_player():
    assert str(mc.check_game(Nim(1), 1)).startswith("Nim: 1 random game, 2 positions, 1.0 moves on average, 1 at most, "
                                                    "up to 1 legal move\n")

    class Alone(Dice):
        players = 1
        to_move = 0

        def returns(self):
            return 0.5 if self.plies else None

    assert mc.check_game(Alone, 5).problems[0].text == (
        "must return None or a list of one number from 0 to 1, the result of the only player, got 0.5; "
        "did you mean [0.5]?")
    method = broken(to_move=property(lambda self: self.play, lambda self, value: None))
    assert mc.check_game(method, 5).problems[0].text.endswith("; make it an attribute or a property, not a method")


class Pile(Nim):
    """All positions share one list of stones."""

    def __init__(self, pile=None, to_move=1):
        self.pile, self.to_move = [8] if pile is None else pile, to_move

    @property
    def stones(self):
        return self.pile[0]

    def play(self, move):
        self.pile[0] -= move
        return Pile(self.pile, -self.to_move)


def test_a_position_that_changed_is_reported_before_what_follows_from_it():
    first, *others = mc.check_game(Pile).problems
    assert first.part == "play()" and "changed the position it was played in" in first.text
    assert any(each.part == "legal_moves()" for each in others)
