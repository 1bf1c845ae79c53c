"""mcts_core/checks/check_game.py: what it finds in games that break their contract, and in others not."""

import json
import random

import pytest
from callback_game import ROLLOUT, word
from callback_game import nim as native_nim
from paper_game import Paper, random_tree

import mcts_core as mc


class Nim:
    """Take one to three of the stones; who takes the last one wins."""

    def __init__(self, stones=8, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [number for number in (1, 2, 3) if number <= self.stones]

    def play(self, move):
        return type(self)(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Comparable(Nim):
    def __eq__(self, other):
        return (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self):
        return hash((self.stones, self.to_move))


@pytest.mark.parametrize(
    "game",
    [
        Nim,
        Nim(),
        Comparable,
        mc.TicTacToe,
        mc.TicTacToe(),
        mc.ConnectFour(4, 4, 3),
        mc.MNK(5, 4, 3),
        lambda: mc.Gomoku(6),
        Paper(random_tree(3)),
        native_nim(),
        native_nim().from_moves("12"),
    ],
)
def test_sound_games_have_no_problems(game):
    report = mc.check_game(game, 60, seed=1, raise_on_error=True)
    assert report.ok and report.problems == ()
    assert report.games == report.wins + report.draws + report.losses == 60
    assert report.positions > 60 and 1 <= report.mean_length <= report.longest


def test_counts():
    report = mc.check_game(Nim(1), 7)
    assert (report.game, report.games, report.positions, report.wins, report.draws, report.losses) == (
        "Nim",
        7,
        14,
        7,
        0,
        0,
    )
    assert (report.mean_length, report.longest, report.most_moves, report.seed) == (1.0, 1, 1, 0)
    assert mc.check_game(mc.TicTacToe, 300, seed=2).draws == pytest.approx(0.127 * 300, abs=25)
    assert mc.check_game(native_nim(name="nim"), 2).game == "nim"


def test_the_same_seed_plays_the_same_games():
    one, two, three = (mc.check_game(mc.MNK(5, 5, 4), 30, seed=seed).to_dict() for seed in (1, 1, 2))
    for document in (one, two, three):
        del document["seconds"]
    assert one == two and one != three


def test_texts():
    report = mc.check_game(Nim, 50)
    first, second, third = str(report).splitlines()
    assert first.startswith(f"Nim: 50 random games, {report.positions:,} positions, ")
    assert second == f"won by the first player {report.wins}, drawn 0, won by the second {report.losses}"
    assert third == "no problem found"
    document = report.to_dict()
    assert document["ok"] is True and document["problems"] == [] and json.dumps(document)


def broken(**methods):
    """Nim with other methods: each gets the position, as its stones."""
    return type("Broken", (Nim,), methods)


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


class Endless(Nim):
    def play(self, move):
        return Endless(self.stones, -self.to_move)


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
    import re

    game, part, words = PROBLEMS[what]
    report = mc.check_game(game, 100, seed=3)
    assert not report.ok
    problem = next(problem for problem in report.problems if re.fullmatch(part, problem.part))
    assert re.search(words, problem.text), problem
    assert problem.count >= 1 and f"{problem.part}: {problem.text}" in str(report)
    assert json.dumps(report.to_dict())
    with pytest.raises(mc.GameError, match=words):
        mc.check_game(game, 100, seed=3, raise_on_error=True)


def test_a_problem_says_where_it_was_seen():
    report = mc.check_game(PROBLEMS["winner"][0], 100)
    (problem,) = (problem for problem in report.problems if problem.part == "winner()")
    assert sum(problem.moves) == 3 and problem.count > 1
    assert f"(after {list(problem.moves)}, seen {problem.count} times)" in str(report)
    first = mc.check_game(PROBLEMS["play none"][0], 1).problems[0]
    assert first.moves == () and "(in the first position" in str(mc.check_game(PROBLEMS["play none"][0], 1))


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


def test_a_play_that_changes_the_first_position_only_later():
    class Late(Nim):
        first = None

        def play(self, move):
            if self.stones == 2 and Late.first is not None:
                Late.first.stones = 0
            return super().play(move)

    start = Late(8)
    Late.first = start
    report = mc.check_game(start, 100)
    assert not report.ok and report.games <= 2 and "changed" in str(report)


def test_who_moves_last_never_wins():
    wrong = broken(winner=lambda self: None if self.stones else self.to_move)
    report = mc.check_game(wrong, 60)
    assert report.ok  # a game can be like that
    (hint,) = report.hints
    assert hint.startswith("the player who moves last never wins: 60 games, all won by the other player. If the last "
                           "move is meant to win, winner() has the wrong sign")
    assert f"hint: {hint}" in str(report) and list(report.to_dict()["hints"]) == [hint]
    assert mc.check_game(Nim, 60).hints == () == mc.check_game(wrong, 5).hints


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


def test_a_game_without_end():
    report = mc.check_game(Endless, 100, max_plies=50)
    assert "a random game did not end within 50 moves (max_plies)" in str(report)
    assert report.games == 3 and report.positions <= 160  # and no search, which would not end either
    assert mc.check_game(Nim, 10, max_plies=8).ok and not mc.check_game(Nim, 10, max_plies=2).ok


def test_a_search_that_fails_is_a_problem():
    class Worn(Nim):
        """Sound for some hundred moves."""

        played = 0

        def play(self, move):
            Worn.played += 1
            if Worn.played > 300:
                raise ValueError("worn out")
            return super().play(move)

    report = mc.check_game(Worn, 1)
    assert [problem.part for problem in report.problems] == ["search"] and report.games == 1
    assert "a search (preset='uct') raised GameError: Worn.play() raised ValueError: worn out" in str(report)


def test_a_rollout_that_fails_in_the_end_is_a_problem():
    calls = []

    def rollout(context, state, rng):
        calls.append(1)
        return 2 if len(calls) < 200 else -5

    problem, = mc.check_game(native_nim(1, rollout=ROLLOUT(rollout)), 1).problems
    assert problem.part == "rollout" and "rollout() returned -5, which is an error" in problem.text


@pytest.mark.parametrize("often", [15, 40, 41, 42, 43, 44, 45, 60, 300])
def test_a_native_game_that_fails_now_and_then_is_a_problem(often):
    """Wherever the failure comes, in the middle of a look at the table too."""
    asked = []

    def legal_moves(context, state, moves):
        asked.append(1)
        count = min(3, word(state)[0])
        for number in range(count):
            moves[number] = number + 1
        return -7 if len(asked) % often == 0 else count

    report = mc.check_game(native_nim(legal_moves=legal_moves), 40)
    assert not report.ok and "legal_moves() returned -7, which is an error" in str(report)


@pytest.mark.parametrize(
    "game, words",
    [
        (7, "7 has no to_move and no legal_moves and no play and no winner"),
        (object(), "has no to_move"),
        (lambda: 3, "3 has no to_move"),
        (int, "0 has no to_move"),
        (lambda: 1 / 0, r"must return the first position, but raised ZeroDivisionError: division by zero"),
        (type("Half", (), {"to_move": 1, "play": None}), "has no legal_moves and no winner"),
    ],
)
def test_what_is_no_game_is_refused(game, words):
    with pytest.raises(mc.InvalidState, match=words):
        mc.check_game(game)


def test_a_finished_game_is_refused():
    with pytest.raises(mc.GameOver, match=r"the game is over \(winner 1\): there is nothing to check"):
        mc.check_game(Nim(0, -1))
    with pytest.raises(mc.GameOver, match="there is nothing to check"):
        mc.check_game(native_nim(1).state().play(1))


@pytest.mark.parametrize(
    "options, words",
    [
        ({"games": 0}, "games must be an int from 1"),
        ({"games": 1.5}, "games must be an int"),
        ({"seed": -1}, "seed must be an int from 0"),
        ({"max_plies": 0}, "max_plies must be an int from 1"),
        ({"raise_on_error": 1}, "raise_on_error must be True or False, got 1"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(mc.InvalidOption, match=words):
        mc.check_game(Nim, **options)


def test_at_most_so_many_problems():
    class Wild(Nim):
        """Another error each time."""

        count = 0

        def legal_moves(self):
            Wild.count += 1
            raise type(f"Error{Wild.count}", (Exception,), {})

    report = mc.check_game(Wild, 1000)
    assert len(report.problems) == 20 == report.games


# ---- general games ---------------------------------------------------------------------------------------------------


class Dice:
    """Three players throw a die in turn, three rounds; a player may pass. The highest sum wins, or shares the win."""

    players = 3

    def __init__(self, sums=(0, 0, 0), plies=0, throwing=False):
        self.sums, self.plies, self.throwing = sums, plies, throwing

    @property
    def to_move(self):
        return mc.CHANCE if self.throwing else self.plies % 3

    def legal_moves(self):
        return ["throw", "pass"]

    def chance_outcomes(self):
        return [(pips, 1 / 6) for pips in range(1, 7)]

    def play(self, move):
        if move == "throw":
            return type(self)(self.sums, self.plies, True)
        won = 0 if move == "pass" else move
        sums = tuple(each + won * (player == self.plies % 3) for player, each in enumerate(self.sums))
        return type(self)(sums, self.plies + 1)

    def returns(self):
        if self.plies < 9:
            return None
        best = [player for player in range(3) if self.sums[player] == max(self.sums)]
        return [1 / len(best) if player in best else 0.0 for player in range(3)]


def test_a_sound_general_game():
    report = mc.check_game(Dice, 200, seed=1)
    assert report.ok, report
    assert sum(report.values) == pytest.approx(1) and len(report.values) == 3
    assert report.wins == report.draws == report.losses == 0 and report.games == 200
    assert 9 <= report.mean_length <= report.longest <= 18
    assert f"mean results of the players {report.values[0]:.3f}, " in str(report) and json.dumps(report.to_dict())
    assert mc.check_game(Dice(throwing=True), 20).ok  # chance begins
    assert mc.check_game(Nim, 5).values is None


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


def test_general_games_that_cannot_be_checked():
    with pytest.raises(mc.InvalidState, match="has no returns"):
        mc.check_game(type("Half", (), {"players": 2, "to_move": 0, "legal_moves": 1, "play": 1}))
    with pytest.raises(mc.InvalidState, match="hidden_information"):
        mc.check_game(type("Poker", (Dice,), {"hidden_information": True}))
    with pytest.raises(mc.GameOver, match="the game is over .returns"):
        mc.check_game(Dice(plies=9))


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


def test_a_game_in_which_nobody_passes_the_turn_gets_a_hint():
    class Stays(Nim):
        def play(self, move):
            return Stays(self.stones - move, self.to_move)

    hint, = mc.check_game(Stays, 60).hints
    assert hint.startswith("the same player is to move in all ") and hint.endswith("whose to_move is -to_move")


def test_a_draw_that_is_meant_to_be_an_open_game_is_explained():
    class Open(Nim):
        def winner(self):
            return 0 if self.stones else -self.to_move

    with pytest.raises(mc.GameOver, match=r"\(while it goes on, winner\(\) must be None\)$"):
        mc.check_game(Open)
    with pytest.raises(mc.GameOver, match=r"; while the game goes on, winner\(\) must be None$"):
        mc.search(Open(), iterations=1)


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


# ---- rewards and hidden information ----------------------------------------------------------------------------------

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
    ("rewards", lambda self: 5.0, "rewards()", "a list of one finite number, that of the only player, got 5.0"),
    ("rewards", lambda self: [1.0, 2.0], "rewards()", "got [1.0, 2.0]"),
    ("rewards", lambda self: [float("inf")], "rewards()", "finite"),
    ("rewards", lambda self: 1 / 0, "rewards()", "ZeroDivisionError"),
    ("rewards", lambda self: [random.random()], "rewards()", "twice gave different rewards"),
    ("returns", lambda self: [float("nan")] if self.year == 3 else None, "returns()", "finite"),
    ("discount", 0.0, "discount", "must be a number above 0 and at most 1, got 0.0"),
    ("discount", "much", "discount", "got 'much'"),
    ("discount", property(lambda self: 1.0 - 0.1 * self.year), "discount", "in every position, was 1 and is 0.9"),
])
def test_problems_of_games_with_rewards(method, value, part, said):
    game = type("Broken", (Saver,), {method: value})
    problems = mc.check_game(game, 20, seed=1).problems
    assert any(problem.part == part and said in problem.text for problem in problems), problems


class Cards:
    """Two players have one card each of three; they pass or bet, and the better card wins."""

    players, hidden_information = 2, True

    def __init__(self, cards=(0, 1), line=""):
        self.cards, self.line = cards, line
        self.to_move = len(line) % 2

    def legal_moves(self):
        return ["pass", "bet"]

    def play(self, move):
        return type(self)(self.cards, self.line + move[0])

    def returns(self):
        if len(self.line) < 2:
            return None
        return [0.0, 1.0] if self.cards[0] < self.cards[1] else [1.0, 0.0]

    def determinize(self, player, rng):
        other = rng.choice([card for card in range(3) if card != self.cards[player]])
        return type(self)((self.cards[0], other) if player == 0 else (other, self.cards[1]), self.line)

    def observation_key(self, player):
        return self.cards[player], self.line


class ComparedCards(Cards):
    def __eq__(self, other):
        return (self.cards, self.line) == (other.cards, other.line)

    def __hash__(self):
        return hash((self.cards, self.line))


class Stones(Nim):
    """With players +1 and -1, and without keys."""

    hidden_information = True

    def determinize(self, player, rng):
        assert player == self.to_move
        return Stones(self.stones, self.to_move)


@pytest.mark.parametrize("game", [Cards, ComparedCards, Stones])
def test_sound_games_with_hidden_information(game):
    report = mc.check_game(game, 50, seed=1, raise_on_error=True)
    assert report.ok and report.games == 50 and report.hints == ()


def test_a_determinization_that_draws_nothing_is_a_hint():
    game = type("Seen", (ComparedCards,), {"determinize": lambda self, player, rng: self})
    report = mc.check_game(game, 50, seed=1)
    assert report.ok and "determinize() returned the position itself" in report.hints[0]


@pytest.mark.parametrize(("method", "function", "part", "said"), [
    ("determinize", lambda self, player, rng: None, "determinize()", "(0, rng) must return a position, got None"),
    ("determinize", lambda self, player, rng: ComparedCards((2, 1), self.line), "determinize()",
     "must return a position that fits what the player knows: observation_key(0) is (0, ''), and of the position "
     "returned (2, '')"),
    ("determinize", lambda self, player, rng: ComparedCards(self.cards, self.line + "p"), "determinize()",
     "a position in which 0 is to move, got one with to_move 1"),
    ("determinize", lambda self, player, rng: ComparedCards(self.cards, "pp"), "determinize()", "the game is over"),
    ("determinize", lambda self, player, rng: 1 / 0, "determinize()", "ZeroDivisionError"),
    ("determinize", lambda self, player, rng: Cards.determinize(self, player, random), "determinize()",
     "must draw all that is hidden with rng"),
    ("determinize", lambda self, player, rng: Cards.determinize(self, player, random.SystemRandom()), "determinize()",
     "must draw all that is hidden with rng"),
    ("observation_key", lambda self, player: [self.cards[player]], "observation_key()", "hashable"),
    ("observation_key", lambda self, player: object(), "observation_key()", "two different keys"),
    ("observation_key", lambda self, player: 1 / 0, "observation_key()", "ZeroDivisionError"),
    ("observation_key", lambda self, player: (self.cards, self.line), "determinize()", "fits what the player knows"),
])
def test_problems_of_games_with_hidden_information(method, function, part, said):
    game = type("Broken", (ComparedCards,), {method: function})
    problems = mc.check_game(game, 50, seed=1).problems
    assert problems[0].part == part and said in problems[0].text, problems


def test_hidden_information_without_determinize_is_refused():
    with pytest.raises(mc.InvalidState, match=r"write determinize\(player, rng\)"):
        mc.check_game(type("Bare", (Cards,), {"determinize": None}))
