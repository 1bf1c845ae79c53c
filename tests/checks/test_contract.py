"""mcts_core/checks/contract.py: what it finds in games that break their contract."""

import json
import random
import re

import pytest
from checked_games import Dice, broken
from nim import Comparable, Nim
from raising import Raising

import mcts_core as mc


def at(stones, value, otherwise):
    """A method that gives ``value`` at that many stones."""
    return lambda self: value if self.stones == stones else otherwise(self)


class Sorting(Nim):
    """play changes the position it is called on."""

    def play(self, move):
        child = super().play(move)
        if self.stones == 4:
            self.stones = 2
        return child


class Tired(Nim):
    """legal_moves has other answers when it is asked again."""

    asked = 0

    def legal_moves(self):
        self.asked += 1
        return super().legal_moves()[: 1 if self.asked > 1 and self.stones == 5 else 3]


class Dicey(Nim):
    """The same move does different things."""

    dice = random.Random(1)

    def play(self, move):
        return Dicey(self.dice.randrange(self.stones), -self.to_move)


class Unequal(Nim):
    def __eq__(self, other):
        return self is other


class Unhashed(Comparable):
    def __hash__(self):
        return id(self)


def raising(self):
    if self.stones == 5:
        raise KeyError("five")
    return Nim.legal_moves(self)


def failing_player(self):
    if self.stones == 5:
        raise KeyError("five")
    return 1


PROBLEMS = {
    "player": (
        broken(__init__=lambda self, stones=8, to_move=1: Nim.__init__(self, stones, to_move if stones > 5 else 0)),
        "to_move",
        r"must be \+1 or -1, got 0",
    ),
    "player raises": (
        broken(to_move=property(failing_player, lambda self, value: None)),
        "to_move",
        "raised KeyError: 'five'",
    ),
    "winner": (broken(winner=at(5, 2, Nim.winner)), r"winner\(\)", r"must be None, \+1, -1 or 0, got 2"),
    "winner true": (broken(winner=at(5, True, Nim.winner)), r"winner\(\)", "got True"),
    "winner text": (broken(winner=at(5, "white", Nim.winner)), r"winner\(\)", "got 'white'"),
    "none": (
        broken(legal_moves=at(5, None, Nim.legal_moves)),
        r"legal_moves\(\)",
        "must return a list of moves, got None",
    ),
    "text": (
        broken(legal_moves=at(5, "123", Nim.legal_moves)),
        r"legal_moves\(\)",
        "must return a list of moves, got '123'",
    ),
    "number": (broken(legal_moves=at(5, 7, Nim.legal_moves)), r"legal_moves\(\)", "must return a list of moves, got 7"),
    "empty": (
        broken(legal_moves=at(5, [], Nim.legal_moves)),
        r"legal_moves\(\)",
        r"returned no move although winner\(\) is None",
    ),
    "twice": (
        broken(legal_moves=at(5, [1, 2, 1], Nim.legal_moves)),
        r"legal_moves\(\)",
        r"must not repeat a move, but lists 1 2 times: \[1, 2, 1\]",
    ),
    "unhashable": (
        broken(legal_moves=at(5, [[1]], Nim.legal_moves)),
        "moves",
        r"moves must be hashable, such as ints, strings or tuples, got \[1\], a list",
    ),
    "many": (
        broken(legal_moves=at(5, range(70_000), Nim.legal_moves)),
        r"legal_moves\(\)",
        "at most 65520 moves, got 70000",
    ),
    "raises": (broken(legal_moves=raising), r"legal_moves\(\)", "raised KeyError: 'five'"),
    "play none": (
        broken(play=lambda self, move: None),
        r"play\(\)",
        "must return a new position, got None for the move",
    ),
    "play itself": (broken(play=lambda self, move: self), r"play\(\)", "got the same object"),
    "play raises": (broken(play=lambda self, move: 1 / 0), r"play\(\)", "raised ZeroDivisionError: division by zero"),
    "play changes": (
        Sorting,
        r"play\(\)",
        r"play\([123]\) changed the position it was played in: legal_moves\(\) was \[1, 2, 3\] and is \[1, 2\]",
    ),
    "asked again": (
        Tired,
        "position",
        r"the same position gave different answers when it was asked twice: legal_moves\(\) was "
        r"\[1, 2, 3\] and is \[1\]",
    ),
    "played again": (Dicey, r"play\(\)", r"playing \d twice led to different positions"),
    "unequal": (Unequal, r"__eq__\(\)", "positions after the same moves must be equal"),
    "hash": (Unhashed, r"__hash__\(\)", "equal positions must have equal hashes"),
}


@pytest.mark.parametrize("what", PROBLEMS)
def test_problems_are_told_in_words(what):
    game, part, words = PROBLEMS[what]
    report = mc.check_game(game, 100, seed=3)
    assert not report.ok
    problem = next(problem for problem in report.problems if re.fullmatch(part, problem.part))
    assert re.search(words, problem.text), problem
    assert problem.count >= 1 and f"{problem.part}: {problem.text}" in str(report)
    assert json.dumps(report.to_dict())
    with pytest.raises(mc.GameError, match=words):
        mc.check_game(game, 100, seed=3, raise_on_error=True)


class Shared:
    """Tic-tac-toe as many write it at first: play writes into the one board that there is."""

    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self, board=None, to_move=1):
        self.board, self.to_move = board or [0] * 9, to_move

    def legal_moves(self):
        return [cell for cell in range(9) if not self.board[cell]]

    def play(self, move):
        self.board[move] = self.to_move
        return Shared(self.board, -self.to_move)

    def winner(self):
        for line in self.lines:
            if abs(sum(self.board[cell] for cell in line)) == 3:
                return self.board[line[0]]
        return None if 0 in self.board else 0


class Itself(Shared):
    def play(self, move):
        self.board[move] = self.to_move
        self.to_move = -self.to_move
        return self


@pytest.mark.parametrize("game", [Shared, Itself, Shared([1] + [0] * 8, -1)])
def test_a_play_that_changes_its_position_is_named(game):
    report = mc.check_game(game)
    problem = report.problems[0]
    assert problem.part == "play()" and problem.moves == ()
    move = 0 if isinstance(game, type) else 1
    assert problem.text.startswith(f"play({move}) changed the position it was played in")
    assert report.games == 1  # the next one would begin where this one was broken off


def test_a_name_that_two_moves_have_is_a_problem():
    class Named(Nim):
        def name(self, move):
            return f"take {move}"

    assert mc.check_game(Named, 50).ok
    Named.name = lambda self, move: "take 1" if move == 1 else "take  1"
    problem, = mc.check_game(Named, 50).problems
    assert (problem.part, problem.moves) == ("name()", ())
    assert problem.text == "must give each move another name, but 1 and 2 are both 'take  1'"
    Named.name = "a name of the game and not of its moves"
    assert mc.check_game(Named, 50).ok


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("raising", ["hash", "eq"])
def test_moves_that_raise_are_a_problem(raising, count):
    class Broken(Nim):
        def legal_moves(self):
            return [Raising(raising) for _ in range(count)] if self.stones == 5 else super().legal_moves()

    problem = mc.check_game(Broken, 20, seed=1).problems[0]
    assert problem.part == "moves"
    assert problem.text.startswith("__hash__() or __eq__() of a move raised ZeroDivisionError: ")


def test_numbers_of_numpy_are_ints():
    numpy = pytest.importorskip("numpy")

    class Numbers(Nim):
        def __init__(self, stones=8, to_move=1):
            super().__init__(stones, numpy.int64(to_move))

        def legal_moves(self):
            return list(numpy.arange(1, min(3, self.stones) + 1))

        def play(self, move):
            return Numbers(self.stones - move, -self.to_move)

        def winner(self):
            return None if self.stones else -self.to_move

    assert mc.check_game(Numbers, 50, raise_on_error=True).ok
    assert mc.search(Numbers(6), iterations=500, seed=1) == 2


@pytest.mark.parametrize("returned", [(Nim(3), 0.0, False), {"stones": 3}, 3], ids=["tuple", "dict", "move"])
def test_what_play_returns_must_be_a_position(returned):
    class Gives(Nim):
        def play(self, move):
            return returned

    problem = mc.check_game(Gives, 5).problems[0]
    assert problem.part == "play()" and problem.text.startswith("must return a new position, got ")


def test_different_positions_must_not_be_equal():
    class Same(Nim):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    problem, = mc.check_game(Same, 5).problems
    assert (problem.part, problem.text) == ("__eq__()", "the positions before and after a move must not be equal")


def late(value, otherwise):
    """A method that gives ``value`` after the fourth ply, where ``plies`` counts them."""
    return lambda self: value if self.plies >= 4 else otherwise(self)


GENERAL_PROBLEMS = {
    "players": ({"players": property(late(4, lambda self: 3))}, "players", "the same in every position, got 4"),
    "to_move": ({"to_move": property(late(3, Dice.to_move.fget))}, "to_move", "from 0 to 2 or CHANCE, got 3"),
    "to_move -1": ({"to_move": property(late(-1, Dice.to_move.fget))}, "to_move", "from 0 to 2 or CHANCE, got -1"),
    "returns": ({"returns": late([1.0, 0.0], Dice.returns)}, "returns()", "for each of the 3 players, got [1.0, 0.0]"),
    "returns 2": ({"returns": late([1, 0, 2], Dice.returns)}, "returns()", "got [1, 0, 2]"),
    "returns nan": ({"returns": late([0, 0, float("nan")], Dice.returns)}, "returns()", "got [0, 0, nan]"),
    "returns text": ({"returns": late("won", Dice.returns)}, "returns()", "got 'won'"),
    "sum": ({"chance_outcomes": late([(1, 0.5), (2, 0.6)], Dice.chance_outcomes)}, "chance_outcomes()",
            "sum to 1, got [(1, 0.5), (2, 0.6)]"),
    "negative": ({"chance_outcomes": late([(1, -0.5), (2, 1.5)], Dice.chance_outcomes)}, "chance_outcomes()",
                 "must be numbers from 0 to 1 that sum to 1, got [(1, -0.5)"),
    "no chance": ({"chance_outcomes": late([], Dice.chance_outcomes)}, "chance_outcomes()", "sum to 1, got []"),
    "pairs": ({"chance_outcomes": late([1, 2], Dice.chance_outcomes)}, "chance_outcomes()",
              "must return pairs of a move and its probability, got [1, 2]"),
    "twice": ({"chance_outcomes": late([(1, 0.5), (1, 0.5)], Dice.chance_outcomes)}, "chance_outcomes()",
              "must not repeat a move, but lists 1 2 times"),
    "no moves": ({"legal_moves": late([], Dice.legal_moves)}, "legal_moves()", "although returns() is None"),
    "raises": ({"returns": lambda self: 1 / 0}, "returns()", "raised ZeroDivisionError"),
}


@pytest.mark.parametrize("what", GENERAL_PROBLEMS)
def test_problems_of_general_games(what):
    methods, part, words = GENERAL_PROBLEMS[what]
    report = mc.check_game(type("Broken", (Dice,), methods), 20)
    assert any(problem.part == part and words in problem.text for problem in report.problems), report


class Saver:
    """Three years: save one coin, or spend all for two coins each."""

    players, to_move, discount = 1, 0, 0.5

    def __init__(self, year=0, saved=0, gain=None):
        self.year, self.saved, self.gain = year, saved, gain

    def legal_moves(self):
        return ["save", "spend"]

    def play(self, move):
        if move == "save":
            return type(self)(self.year + 1, self.saved + 1, -1.0)
        return type(self)(self.year + 1, 0, 2.0 * self.saved)

    def rewards(self):
        return [self.gain + 0.0]  # fails in the first position, which nobody asks

    def returns(self):
        return [10.0] if self.year == 3 else None


def test_a_sound_game_with_rewards():
    report = mc.check_game(Saver, 400, seed=1, raise_on_error=True)
    total = 0.0
    for number in range(8):
        state, weight = Saver(), 1.0
        for year in range(3):
            state = state.play("save" if number >> year & 1 else "spend")
            total += weight * state.gain / 8
            weight *= 0.5
        total += weight * 10.0 / 8
    assert abs(report.values[0] - total) < 0.15


@pytest.mark.parametrize(("method", "value", "part", "said"), [
    ("rewards", lambda self: 5.0, "rewards()", "a list of one number from -1e100 to 1e100, that of the only player, "
                                               "got 5.0"),
    ("rewards", lambda self: [1.0, 2.0], "rewards()", "got [1.0, 2.0]"),
    ("rewards", lambda self: [float("inf")], "rewards()", "1e100"),
    ("rewards", lambda self: 1 / 0, "rewards()", "ZeroDivisionError"),
    ("rewards", lambda self: [random.random()], "rewards()", "twice gave different rewards"),
    ("returns", lambda self: [float("nan")] if self.year == 3 else None, "returns()", "1e100"),
    ("discount", 0.0, "discount", "must be a number above 0 and at most 1, got 0.0"),
    ("discount", "much", "discount", "got 'much'"),
    ("discount", property(lambda self: 1.0 - 0.1 * self.year), "discount", "in every position, was 1 and is 0.9"),
])
def test_problems_of_games_with_rewards(method, value, part, said):
    game = type("Broken", (Saver,), {method: value})
    problems = mc.check_game(game, 20, seed=1).problems
    assert any(problem.part == part and said in problem.text for problem in problems), problems


@pytest.mark.parametrize("players", ["2", None, 2.0, 0, 33, 10**13, [2]])
def test_players_that_are_no_number_of_players(players):
    report = mc.check_game(type("Broken", (Dice,), {"players": players}), 5, seed=1)
    problem = report.problems[0]
    assert problem.part == "players"
    assert problem.text.startswith("must be an int from 1 to 32, the same in every position, got ")


@pytest.mark.parametrize("member", ["players", "to_move", "legal_moves", "play", "returns", "rewards", "discount"])
def test_a_first_position_whose_properties_raise(member):
    start = type("Broken", (Dice,), {member: property(lambda self: 1 // 0)})()
    with pytest.raises(mc.GameError, match=rf"^Broken\.{member} raised ZeroDivisionError"):
        mc.check_game(start, 5, seed=1)
