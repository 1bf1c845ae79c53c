"""src/mcts_core/games/user_states.pyx: what a game written in Python answers wrongly is told alike by all searches."""

import itertools
import re
from decimal import Decimal
from fractions import Fraction

import pytest

import mcts_core as mc

SEARCHES = {
    "plain": {"preset": "uct"},
    "guided": {},
    "general": {"policy_value": lambda state: ([1.0] * len(state.legal_moves()), 0.0)},
}


class Passes:
    """Two players in turn pass five times."""

    def __init__(self, passes=0):
        self.passes, self.to_move = passes, 1 - 2 * (passes % 2)

    def legal_moves(self):
        return ["pass", "pass on"]

    def play(self, move):
        return type(self)(self.passes + 1)

    def winner(self):
        return None if self.passes < 5 else 0


class Third(Passes):
    def __init__(self, passes=0):
        super().__init__(passes)
        self.to_move = 2 if passes == 1 else self.to_move


class Yes(Passes):
    def winner(self):
        return True if self.passes == 1 else None


class Lost(Passes):
    def play(self, move):
        return None


class Same(Passes):
    def play(self, move):
        return self


class Stuck(Passes):
    def legal_moves(self):
        return [] if self.passes == 1 else ["pass"]


class Text(Passes):
    def legal_moves(self):
        return "pass" if self.passes == 1 else ["pass"]


class Twice(Passes):
    def legal_moves(self):
        return ["pass", "pass"] if self.passes == 1 else ["pass"]


class Breaks(Passes):
    def winner(self):
        return 1 // (1 - self.passes) and None


FAULTS = [
    (Third, r"Third.to_move must be \+1 or -1, got 2"),
    (Yes, r"Yes.winner\(\) must return None, \+1, -1 or 0, got True"),
    (Lost, r"Lost.play\('pass( on)?'\) must return a new state, got None"),
    (Same, r"Same.play\('pass( on)?'\) must return a new state, got the same object"),
    (Stuck, r"Stuck.legal_moves\(\) returned no move although winner\(\) is None in "),
    (Text, r"Text.legal_moves\(\) must return a list of moves, got 'pass'"),
    (Twice, r"Twice.legal_moves\(\) must not repeat a move, got \['pass', 'pass'\]"),
    (Breaks, r"Breaks.winner\(\) raised ZeroDivisionError: "),
]


class ForEver(Passes):
    """Whose games do not end."""

    def winner(self):
        return None


class ForEverScored:
    """The same with rewards."""

    players, to_move, discount = 1, 0, 0.9

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        return ForEverScored()

    def returns(self):
        return None


class ForEverHidden(ForEverScored):
    hidden_information = True

    def determinize(self, player, rng):
        return ForEverHidden()


@pytest.mark.parametrize(("game", "advice"), [
    (ForEver, "policy_value replaces its rollouts"), (ForEverScored, "rollout_moves cuts its rollouts"),
    (ForEverHidden, "rollout_moves cuts its rollouts")])
def test_a_rollout_without_end_ends_with_the_time(game, advice):
    with pytest.raises(mc.GameError, match=r" had not ended after [\d,]+ moves, when the time was over; .* " + advice):
        mc.search(game(), 0.02)


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize(("game", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_fault_is_told_alike(game, message, options):
    with pytest.raises(mc.GameError, match=message):
        mc.Searcher(**options).search(game(), iterations=200)


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_a_game_without_fault_is_searched(options):
    engine = mc.Searcher(**options)
    assert engine.search(Passes(), iterations=200) in ("pass", "pass on")
    assert engine.stats().value == 0.5


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("name", ["legal_moves", "play", "winner"])
def test_a_missing_method_is_named(name, options):
    class Less(Passes):
        pass

    setattr(Less, name, None)
    with pytest.raises(mc.InvalidState, match=rf"a state must have to_move, .* has no method {name}\(\)"):
        mc.Searcher(**options).search(Less(), iterations=10)


def state_with(**members):
    return type("Odd", (), {"legal_moves": len, "play": len, "to_move": 1, **members})()


@pytest.mark.parametrize(("state", "message"), [
    (state_with(returns=len), r"no method winner\(\); with returns\(\) it also needs players, the number of players"),
    (state_with(winner=len, players=2), r"no method returns\(\); with winner\(\) it has no players, and to_move is"),
    (type("Odd", (), {"state": len})(), r"no method legal_moves\(\); did you mean its state\(\)\?"),
    (state_with(), r"has no method winner\(\)$"),
])
def test_what_a_state_lacks_is_told_with_what_may_be_meant(state, message):
    with pytest.raises(mc.InvalidState, match=message):
        mc.search(state, iterations=10)


class Scores:
    """A general game of one player that ends after three moves with ``result``."""

    players, to_move, result = 1, 0, [0.5]

    def __init__(self, moves=0):
        self.moves = moves

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        return type(self)(self.moves + 1)

    def returns(self):
        return self.result if self.moves >= 3 else None


class Rolls(Scores):
    """A move, then a coin."""

    likely = 0.5

    @property
    def to_move(self):
        return mc.CHANCE if self.moves == 1 else 0

    def chance_outcomes(self):
        return [("heads", self.likely), ("tails", 0.5)]


@pytest.mark.parametrize("value", ["1", b"1", " 0.5 ", bytearray(b"1"), None])
def test_what_only_looks_like_a_number_is_refused(value):
    def said(game):
        with pytest.raises(mc.GameError) as caught:
            mc.search(game(), iterations=50, seed=1)
        assert f"{value!r}" in str(caught.value)
        part = mc.check_game(game, 5).problems[0]
        assert f"{value!r}" in part.text
        return str(caught.value)

    end = type("End", (Scores,), {"result": [value]})
    assert "End.returns() must return None or a list of one number from 0 to 1" in said(end)
    paid = type("Paid", (Scores,), {"rewards": lambda self: [value]})
    assert "Paid.rewards() must return a list of one number from -1e100 to 1e100" in said(paid)
    rolled = type("Rolled", (Rolls,), {"likely": value})
    assert "Rolled.chance_outcomes() must return a list of (move, probability)" in said(rolled)


@pytest.mark.parametrize("value", [1, 0.5, Fraction(1, 2), Decimal("0.5"), True], ids=repr)
def test_numbers_of_every_kind_are_read(value):
    mc.search(type("End", (Scores,), {"result": [value]})(), iterations=50, seed=1)
    assert mc.stats().value == float(value)


@pytest.mark.parametrize("value", [1e100, -1e100, 1.01e100, float("inf"), float("nan")])
def test_rewards_have_a_largest_size(value):
    game = type("Paid", (Scores,), {"rewards": lambda self: [value]})
    if abs(value) == 1e100:
        mc.search(game(), iterations=50, seed=1)
        return
    with pytest.raises(mc.GameError, match=r"must return a list of one number from -1e100 to 1e100, .* got \["):
        mc.search(game(), iterations=50, seed=1)


class Move:
    """A move that raises where it is compared or hashed."""

    def __init__(self, raising):
        self.raising = raising

    def __hash__(self):
        if self.raising == "hash":
            raise ValueError("by design")
        return 1

    def __eq__(self, other):
        if self.raising == "eq":
            raise ValueError("by design")
        return self is other


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("raising", ["hash", "eq"])
def test_moves_that_raise_are_errors_of_the_game(raising, plies, options):
    class Raising(Passes):
        def legal_moves(self):
            return [Move(raising), Move(raising)] if self.passes == plies else ["pass", "pass on"]

    words = "Raising: __hash__() or __eq__() of a move raised ValueError: by design"
    with pytest.raises(mc.GameError, match=re.escape(words)) as caught:
        mc.Searcher(**options).search(Raising(), iterations=200)
    assert isinstance(caught.value.__cause__, ValueError)


def test_moves_of_the_root_that_raise_when_it_is_checked_again():
    class Raising(Passes):
        def legal_moves(self):
            return [Move("eq")] if self.passes == 0 else ["pass"]

    for options in SEARCHES.values():
        with pytest.raises(mc.GameError, match="of a move raised ValueError: by design"):
            mc.Searcher(**options).search(Raising(), iterations=20)


class Drained(Passes):
    """Whose legal_moves() is an iterator that can be used once."""

    def __init__(self, passes=0):
        super().__init__(passes)
        self.left = iter(["pass", "pass on"])

    def legal_moves(self):
        return self.left


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_an_iterator_that_is_used_up_is_not_blamed_on_play(options):
    words = r"Drained.legal_moves\(\) must return a list of moves, or a new iterator at each call, got <.*iterator"
    with pytest.raises(mc.GameError, match=words) as caught:
        mc.Searcher(**options).search(Drained(), iterations=50)
    assert "play()" not in str(caught.value)
    problem = mc.check_game(Drained, 3).problems[0]
    assert problem.part == "legal_moves()" and "or a new iterator at each call" in problem.text


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_new_iterators_are_lists(options):
    fresh = type("Fresh", (Passes,), {"legal_moves": lambda self: iter(["pass", "pass on"])})
    if "policy_value" not in options:  # that of these tests asks for the length
        mc.Searcher(**options).search(fresh(), iterations=50)
    assert mc.check_game(fresh, 3).ok


class Cards(Passes):
    """The same with hidden information."""

    hidden_information = True

    def determinize(self, player, rng):
        return type(self)(self.passes)

    def observation_key(self, player):
        return self.passes


def fail(state):
    raise KeyError("seats")


class NoTruth:
    def __bool__(self):
        raise OSError("neither")


class NoNumber:
    def __index__(self):
        raise OSError("none")

    def __float__(self):
        raise OSError("none")


@pytest.mark.parametrize(("game", "member"), [
    *((Passes, member) for member in ("players", "hidden_information", "to_move", "legal_moves", "play", "winner")),
    *((Cards, member) for member in ("determinize", "observation_key", "widening", "players")),
])
def test_a_property_that_raises_is_an_error_of_the_game(game, member):
    state = type("Broken", (game,), {member: property(fail, lambda self, value: None)})()
    with pytest.raises(mc.GameError, match=rf"^Broken\.{member} raised KeyError: 'seats'$") as caught:
        mc.search(state, iterations=10)
    assert isinstance(caught.value.__cause__, KeyError)
    assert mc.search_many([state], iterations=10, errors="return")[0].error is not None


@pytest.mark.parametrize(("member", "value", "text"), [
    ("hidden_information", NoTruth(), "hidden_information must be True or False, got .*bool.. raised OSError: neither"),
    ("players", NoNumber(), "players must be an int from 1 to 32, got "),
])
def test_a_member_that_converts_to_nothing(member, value, text):
    state = type("Broken", (Passes,), {member: value, "returns": lambda self: None})()
    with pytest.raises((mc.GameError, mc.InvalidState), match=text):
        mc.search(state, iterations=10)


def endless(state):
    """An iterator that goes on for ever."""
    return itertools.count()


@pytest.mark.parametrize("searched", SEARCHES)
@pytest.mark.parametrize(("moves", "got"), [
    (endless, "more from count("),
    (lambda state: range(10**12), "1000000000000"),
    (lambda state: range(10**20), "more from range(0, 100000000000000000000)"),
    (lambda state: dict.fromkeys(range(65521)), "65521"),
    (lambda state: [0] * 65521, "65521"),
])
def test_too_many_moves_are_not_all_listed(searched, moves, got):
    state = type("Many", (Passes,), {"legal_moves": moves})()
    options = {"policy_value": lambda state: (None, 0.0)} if searched == "general" else SEARCHES[searched]
    with pytest.raises(mc.GameError, match=re.escape(f"Many.legal_moves() must return at most 65520 moves, got {got}")):
        mc.search(state, iterations=10, **options)
    problem = mc.check_game(state, 2).problems[0]
    assert problem.part == "legal_moves()"
    assert problem.text.startswith(f"must return at most 65520 moves, got {got}")


@pytest.mark.parametrize(("method", "value", "text"), [
    ("returns", lambda state: itertools.repeat(0.5) if state.passes else None,
     "returns() must return None or a number from 0 to 1 for each of the 2 players, got more than 32: repeat(0.5)"),
    ("rewards", lambda state: itertools.repeat(0.5),
     "rewards() must return a number from -1e100 to 1e100 for each of the 2 players, got more than 32: repeat(0.5)"),
    ("chance_outcomes", lambda state: itertools.repeat(("pass", 0.5)), "at most 65520, got more from repeat(('pass', "),
])
def test_endless_answers_of_general_games(method, value, text):
    members = {"players": 2, "returns": lambda state: None, method: value,
               "to_move": property(lambda state: mc.CHANCE if method == "chance_outcomes" and state.passes else 0,
                                   lambda state, value: None)}
    state = type("Endless", (Passes,), members)()
    with pytest.raises(mc.GameError, match=re.escape(text)):
        mc.search(state, iterations=10)
    assert not mc.check_game(state, 2).ok


# ---- moves that are not equal to themselves --------------------------------------------------------------------------

class NotANumber(Passes):
    """One of its moves is NaN, another one at each call."""

    first = 0

    def legal_moves(self):
        return [1.0, float("nan")] if self.passes >= self.first else [1.0, 2.0]


class LaterNotANumber(NotANumber):
    first = 1


class PairWithNaN(Passes):
    def legal_moves(self):
        return [("to", 1.0), ("to", float("nan"))]


class TwiceNaN(Passes):
    nan = float("nan")

    def legal_moves(self):
        return [self.nan, self.nan]


class GeneralNaN(Scores):
    def legal_moves(self):
        return [1.0, float("nan")]


class RewardsNaN(GeneralNaN):
    def rewards(self):
        return [1.0]


class ChanceNaN(Rolls):
    def chance_outcomes(self):
        return [(0.0, 0.5), (float("nan"), 0.5)]


class HiddenNaN(NotANumber):
    hidden_information = True

    def determinize(self, player, rng):
        return type(self)(self.passes)

    def observation_key(self, player):
        return self.passes


class HiddenLaterNaN(HiddenNaN):
    first = 1


@pytest.mark.parametrize("iterations", [1, 2, 300])
@pytest.mark.parametrize("game", [NotANumber, PairWithNaN, TwiceNaN, GeneralNaN, RewardsNaN, HiddenNaN])
def test_a_move_that_is_not_equal_to_itself_is_refused(game, iterations):
    searches = SEARCHES if issubclass(game, Passes) and not issubclass(game, HiddenNaN) else {"default": {}}
    for options in searches.values():
        text = r"a move must be equal to itself, which NaN is not, got (nan|\('to', nan\))$"
        with pytest.raises(mc.GameError, match=text):
            mc.Searcher(seed=1, **options).search(game(), iterations=iterations)


@pytest.mark.parametrize("game", [LaterNotANumber, ChanceNaN, HiddenLaterNaN])
def test_a_later_move_that_is_not_equal_to_itself_is_refused(game):
    with pytest.raises(mc.GameError, match="a move must be equal to itself, which NaN is not, got nan$"):
        mc.search(game(), iterations=300, seed=1)


@pytest.mark.parametrize("game", [NotANumber, LaterNotANumber, PairWithNaN, TwiceNaN, GeneralNaN, ChanceNaN, HiddenNaN])
def test_check_game_reports_a_move_that_is_not_equal_to_itself(game):
    problem = mc.check_game(game, 5).problems[0]
    assert problem.part == "moves"
    assert problem.text.startswith("a move must be equal to itself, which NaN is not, got ")


class Anonymous:
    """A move that is compared by identity and looks like any other."""

    def __repr__(self):
        return "step"


class NewMoves(Passes):
    def legal_moves(self):
        return [Anonymous(), Anonymous()]


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_moves_that_look_alike_and_differ_are_named(options):
    text = r"moves must be compared by their value: two calls of legal_moves\(\) gave \[step, step\] for the same"
    with pytest.raises(mc.GameError, match=text):
        mc.Searcher(seed=1, **options).search(NewMoves(), iterations=1)
    assert re.match(text, mc.check_game(NewMoves, 5).problems[0].text)
