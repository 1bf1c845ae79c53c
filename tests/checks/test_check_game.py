"""mcts_core/checks/check_game.py: the games that it plays and counts, and what comes before and after them."""

import json
import random
from dataclasses import dataclass, field

import pytest
from callback_game import ONGOING, ROLLOUT, WIN, word
from callback_game import nim as native_nim
from checked_games import Dice, Endless, broken
from nim import Comparable, Nim
from paper_game import Paper, random_tree
from wide_games import Wide, WideHidden

import mcts_core as mc
from mcts_core.checks import check_game, check_table


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
    report = mc.check_game(game, 30, seed=1, raise_on_error=True)
    assert report.ok and report.problems == ()
    assert report.games == report.wins + report.draws + report.losses == 30
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
    hint, comparing = report.hints
    assert hint.startswith("the player who moves last never wins: 60 games, all won by the other player. If the last "
                           "move is meant to win, winner() has the wrong sign")
    assert f"hint: {hint}" in str(report) and list(report.to_dict()["hints"]) == [hint, comparing]
    assert mc.check_game(Comparable, 60).hints == ()
    assert mc.check_game(Nim, 60).hints == mc.check_game(wrong, 5).hints == (comparing,)


def test_a_game_without_end():
    report = mc.check_game(Endless, 100, max_plies=50)
    assert "a random game did not end within 50 moves (max_plies)" in str(report)
    assert report.games == 3 and report.positions <= 160  # and no search, which would not end either
    assert mc.check_game(Nim, 10, max_plies=8).ok and not mc.check_game(Nim, 10, max_plies=2).ok


class Cells(tuple):
    """Whose comparison gives an array, which is neither true nor false, as that of numpy."""

    __hash__ = None

    def __eq__(self, other):
        return Cells()

    def __bool__(self):
        raise ValueError("the truth of an array is not known")


@dataclass(frozen=True)
class Board(Nim):
    """A frozen dataclass with an array."""

    cells: tuple = field(default_factory=Cells)
    stones: int = 6
    to_move: int = 1

    def play(self, move):
        return Board(Cells(self.cells + (move,)), self.stones - move, -self.to_move)


def test_a_winner_by_the_view_of_the_last_mover_is_a_hint():
    class Wrong(Nim):
        def winner(self):
            return None if super().winner() is None else 1

    hint, _ = mc.check_game(Wrong, 60).hints
    assert hint.startswith("player +1 won all 60 games. If the other one can win, winner() has a mistake")


class Heap:
    """Nim as a general game: who takes the last stone wins."""

    players = 2

    def __init__(self, stones=8, to_move=0):
        self.stones, self.to_move = stones, to_move

    def __eq__(self, other):
        return (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self):
        return hash((self.stones, self.to_move))

    def legal_moves(self):
        return list(range(1, min(3, self.stones) + 1))

    def play(self, move):
        return type(self)(self.stones - move, (self.to_move + 1) % self.players)

    def returns(self):
        return None if self.stones else self.won_by((self.to_move - 1) % self.players)

    def won_by(self, winner):
        return [float(player == winner) for player in range(self.players)]


@pytest.mark.parametrize("players", [2, 3])
def test_results_by_the_view_of_the_mover_are_a_hint_in_general_games(players):
    right = type("Right", (Heap,), {"players": players})
    assert mc.check_game(right, 60).hints == ()
    fixed = type("Fixed", (right,), {"returns": lambda self: None if self.stones else self.won_by(players - 1)})
    hint, = mc.check_game(fixed, 60).hints
    assert hint.startswith(f"player {players - 1} has the highest result in all 60 games with one winner. If another "
                           f"player can win, returns() has a mistake: the values must be in the order of the players")
    loses = type("Loses", (right,), {"returns": lambda self: None if self.stones else self.won_by(self.to_move)})
    hint, = mc.check_game(loses, 60).hints
    assert hint.startswith("the player who moves last never wins: in all 60 games with one winner, another player has "
                           "the highest result. If the last move is meant to win, returns() has a mistake")
    assert all(mc.check_game(each, 20 * (players - 1) - 1).hints == () for each in (fixed, loses))
    stays = type("Stays", (fixed,), {"play": lambda self, move: type(self)(self.stones - move, self.to_move)})
    hint, = mc.check_game(stays, 60).hints
    assert hint.startswith(f"only player 0 of {players} is ever to move. If the players take turns, play() must")


def test_who_wins_is_no_hint_where_something_else_may_explain_it():
    """Chance, one player, equal results, one deal of cards in all games, or one player who always moves last."""
    tied = type("Tied", (Heap,), {"returns": lambda self: None if self.stones else [0.5, 0.5]})
    alone = type("Alone", (Heap,), {"players": 1})
    dealt = type("Dealt", (Heap,), {
        "returns": lambda self: None if self.stones else [0.0, 1.0], "hidden_information": True,
        "determinize": lambda self, player, rng: type(self)(self.stones, self.to_move)})
    won = type("Won", (Dice,), {"returns": lambda self: Dice.returns(self) and [0.0, 0.0, 1.0],
                                "__eq__": lambda self, other: vars(self) == vars(other), "__hash__": lambda self: 1})
    scored = type("Scored", (Heap,), {  # player 2 moves last in each game, and has the lowest result
        "players": 3, "legal_moves": lambda self: [1, 2],
        "play": lambda self, move: type(self)(self.stones * 4 + move, self.to_move + 1),
        "returns": lambda self: [self.stones % 2, 1 - self.stones % 2, 0] if self.to_move == 3 else None})
    for game in (tied, alone, dealt, won, scored):
        report = mc.check_game(game, 60)
        assert report.ok and not any("last" in hint or "highest" in hint for hint in report.hints), report


def test_rewards_in_the_order_of_the_mover_are_a_hint():
    rewarded = type("Rewarded", (Heap,), {
        "rewards": lambda self: [0.0, 0.0] if self.stones else [1.0, 0.0],
        "returns": lambda self: None if self.stones else [0.0, 0.0]})
    hint, = mc.check_game(rewarded, 60).hints
    assert hint.startswith("player 0 has the highest result in all 60 games") and "rewards() or returns() has" in hint


class Walk:
    """A draw by repetition; ``log`` holds the positions so far."""

    def __init__(self, at=0, to_move=1, log=()):
        self.at, self.to_move, self.log = at, to_move, log

    def __eq__(self, other):
        return (self.at, self.to_move, self.log) == (other.at, other.to_move, other.log)

    def __hash__(self):
        return hash((self.at, self.to_move))

    def legal_moves(self):
        return [-1, 1, 2]

    def play(self, move):
        at, to_move = self.at + move, -self.to_move
        return type(self)(at, to_move, (*self.log, (at, to_move)))

    def winner(self):
        return -self.to_move if abs(self.at) >= 4 else 0 if self.log.count((self.at, self.to_move)) >= 3 else None


def test_positions_that_share_what_later_moves_change_are_a_problem():
    log = []

    def play(self, move):
        log.append((self.at + move, -self.to_move))
        return type(self)(*log[-1], log)

    assert mc.check_game(Walk, 100).ok
    problem = mc.check_game(type("Shared", (Walk,), {"play": play}), 100).problems[0]
    assert problem.part == "play()" and problem.moves == (-1,) and problem.text == (
        "an earlier position gives other answers after later moves, as if positions shared a list or a dict that "
        "play() changes: winner() was None and is 0")

    class Late(Heap):
        """A general game whose moves change after some hundred games."""

        played = 0

        def play(self, move):
            Late.played += 1
            return super().play(move)

        def legal_moves(self):
            return [1] if Late.played > 2000 and self.stones == 6 else super().legal_moves()

    assert any("legal_moves() was [1, 2, 3] and is [1]" in problem.text for problem in mc.check_game(Late).problems)


def test_determinize_without_hidden_information_is_a_hint():
    class Open(Nim):
        def determinize(self, player, rng):
            return self

    hint, _ = mc.check_game(Open, 20).hints
    assert hint.startswith("the game has determinize(), but not hidden_information = True")


def test_positions_that_cannot_be_compared_are_a_hint():
    """The search works, without reuse."""
    assert mc.search(Board(), iterations=200, seed=1) == 2
    report = mc.check_game(Board, 50, seed=1)
    assert report.ok and report.hints == (
        "positions cannot be compared, so the search does not reuse its tree: __eq__() or __hash__() raised "
        "ValueError: the truth of an array is not known (line 107 of test_check_game.py)",)


def test_positions_without_equality_are_a_hint():
    """Then a Searcher starts each search from scratch."""
    assert mc.check_game(Nim, 5).hints == (
        "positions have no __eq__(), so a Searcher starts each search from scratch: with @dataclass(frozen=True) or "
        "__eq__() and __hash__() it goes on with the tree of the last search",)
    half = type("Half", (Comparable,), {"__hash__": None, "__eq__": Comparable.__eq__})
    assert mc.check_game(half, 5).hints[0].startswith("positions have no __hash__(), so")
    assert mc.check_game(Comparable, 5).hints == mc.check_game(mc.TicTacToe, 5).hints == ()


def test_a_set_of_moves_is_a_hint():
    unordered = type("Unordered", (Comparable,), {
        "legal_moves": lambda self: set(Comparable.legal_moves(self)),
        "play": lambda self, move: unordered(self.stones - move, -self.to_move)})
    hint, = mc.check_game(unordered, 5).hints
    assert hint.startswith("legal_moves() returns a set, whose order may differ from one process to the next")


def test_moves_in_another_order_each_time():
    shuffled = broken(legal_moves=lambda self: random.sample(Nim.legal_moves(self), len(Nim.legal_moves(self))))
    problem = mc.check_game(shuffled, 20).problems[0]
    assert problem.part == "legal_moves()"
    assert problem.text.startswith("listed the moves of one position in two orders: ")


def test_the_time_limit_ends_the_games():
    report = mc.check_game(Comparable, 10**6, seconds=0.2)
    assert report.ok and 0.2 <= report.seconds < 5 and 1 < report.games < 10**6
    assert report.hints == (f"only {report.games:,} of 1,000,000 games were played within 0.2 s: seconds= allows more "
                            f"time",)
    told = []
    mc.check_game(Comparable, 10**6, seconds=0.05, progress=told.append)
    assert told[-1].games < told[-1].total == 10**6
    for wrong in (0, -1, "1", float("nan")):
        with pytest.raises(mc.InvalidOption, match="seconds"):
            mc.check_game(Nim, seconds=wrong)


def turning(ends_after=None, **options):
    """A native game of two moves that ends after so many of them, or never, and the list of the calls of its play."""
    calls = []

    def legal_moves(context, state, moves):
        moves[0], moves[1] = 0, 1
        return 2

    def play(context, state, move):
        calls.append(move)
        if ends_after is None:
            return ONGOING
        word(state)[0] += 1
        return WIN if word(state)[0] == ends_after else ONGOING

    return native_nim(0, legal_moves=legal_moves, play=play, max_moves=2, **options), calls


def test_a_native_game_without_end():
    game, calls = turning()
    report = mc.check_game(game, 100, max_plies=50)
    problem, = report.problems
    assert problem.part == "play" and problem.moves == ()
    assert problem.text == "a rollout did not end within 1,000,000 moves: every game must end"
    assert report.games == 3 and len(calls) < 1_010_000  # one such rollout is enough


def test_a_native_game_without_end_but_with_max_plies():
    game, calls = turning(max_plies=100)
    report = mc.check_game(game, 1, max_plies=1000)
    assert report.problems[0].text == "a rollout did not end within 100 moves, but max_plies is 100"
    assert len(calls) < 12_000


def test_deep_in_the_first_game_few_positions_are_examined_closely(monkeypatch):
    """A close look plays rollouts to the end, so that the looks of a long game would take the square of its length."""
    monkeypatch.setattr(check_game, "CLOSE_PLIES", 10)
    looks = []
    monkeypatch.setattr(check_table, "table_problems", lambda start, state, path, legal: looks.append(len(path)) or [])
    assert mc.check_game(turning(60)[0], 1).ok
    assert looks[:11] == list(range(11)) and 12 < len(looks) < 40


def test_a_search_that_fails_is_a_problem():
    class Worn(Nim):
        """Sound for 125 moves."""

        played = 0

        def play(self, move):
            Worn.played += 1
            if Worn.played > 125:
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
        (type("Less", (), dict.fromkeys(("to_move", "play", "legal_moves", "returns"), len)),
         r"has no winner; with returns\(\) it also needs players"),
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


def test_a_sound_general_game():
    report = mc.check_game(Dice, 200, seed=1)
    assert report.ok, report
    assert sum(report.values) == pytest.approx(1) and len(report.values) == 3
    assert report.wins == report.draws == report.losses == 0 and report.games == 200
    assert 9 <= report.mean_length <= report.longest <= 18
    assert f"mean results of the players {report.values[0]:.3f}, " in str(report) and json.dumps(report.to_dict())
    assert mc.check_game(Dice(throwing=True), 20).ok  # chance begins
    assert mc.check_game(Nim, 5).values is None


def test_general_games_that_cannot_be_checked():
    with pytest.raises(mc.InvalidState, match="has no returns"):
        mc.check_game(type("Half", (), {"players": 2, "to_move": 0, "legal_moves": 1, "play": 1}))
    with pytest.raises(mc.InvalidState, match="hidden_information"):
        mc.check_game(type("Poker", (Dice,), {"hidden_information": True}))
    with pytest.raises(mc.GameOver, match="the game is over .returns"):
        mc.check_game(Dice(plies=9))


def test_a_game_in_which_nobody_passes_the_turn_gets_a_hint():
    class Stays(Nim):
        def play(self, move):
            return Stays(self.stones - move, self.to_move)

    hint, _ = mc.check_game(Stays, 60).hints
    assert hint.startswith("the same player is to move in all ") and hint.endswith("whose to_move is -to_move")


def test_a_draw_that_is_meant_to_be_an_open_game_is_explained():
    class Open(Nim):
        def winner(self):
            return 0 if self.stones else -self.to_move

    with pytest.raises(mc.GameOver, match=r"\(while it goes on, winner\(\) must be None\)$"):
        mc.check_game(Open)
    with pytest.raises(mc.GameOver, match=r"; while the game goes on, winner\(\) must be None$"):
        mc.search(Open(), iterations=1)


def test_a_game_with_very_many_moves_gets_a_hint():
    hint = next(hint for hint in mc.check_game(Wide(120), 5).hints if "moves" in hint)
    assert hint.startswith("there are positions with 120 moves, so a search needs at least 240 iterations there")
    hidden = next(hint for hint in mc.check_game(WideHidden(100), 5).hints if "moves" in hint)
    assert hidden.startswith("there are positions with 100 moves, so a search needs at least 200 iterations there")

    class Widens(WideHidden):
        widening = 0.5

    for game in (Wide(99), Widens(120), mc.Gomoku()):  # the last two do not try all moves
        assert not any("so a search needs" in hint for hint in mc.check_game(game, 5).hints)


def test_draws_know_when_the_time_is_over():
    """A game whose draws use up all of the time: the check ends, and counts no problem."""
    class Slow:
        players, hidden_information, left = 2, True, []

        def __init__(self, moves=()):
            self.moves, self.to_move = moves, len(moves) % 2

        def legal_moves(self):
            return [0, 1]

        def play(self, move):
            return Slow((*self.moves, move))

        def returns(self):
            return [0.5, 0.5] if len(self.moves) == 8 else None

        def determinize(self, player, rng):
            while mc.seconds_left() > 0:
                self.left.append(mc.seconds_left())
            raise mc.OutOfTime("no draw was found")

    report = mc.check_game(Slow(), seconds=0.05)
    assert 0 < max(Slow.left) <= 1.0
    assert report.games == 1 and [problem.part for problem in report.problems] == ["search"]
