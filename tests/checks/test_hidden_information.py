"""mcts_core/checks/hidden_information.py: what it finds in games in which something is hidden, and in others not."""

import random

import pytest
from nim import Nim
from raising import Raising

import mcts_core as mc


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


def test_a_determinization_that_hides_nothing_is_a_hint():
    game = type("Copied", (Cards,), {"determinize": lambda self, player, rng: type(self)(self.cards, self.line)})
    report = mc.check_game(game, 50, seed=1)
    assert report.ok and report.hints[0].startswith("determinize() never changed what the other players know, in ")


def test_a_key_without_what_is_hidden_may_be_the_cause():
    game = type("Public", (Cards,), {"observation_key": lambda self, player: self.line})
    hint, = mc.check_game(game, 50, seed=1).hints
    assert hint.startswith("determinize() never changed what the other players know, in ")
    assert hint.endswith("if you do draw it, observation_key() leaves it out: the key of a player must contain what "
                         "only he knows, such as his own cards")


@pytest.mark.parametrize("base", [Cards, ComparedCards])
def test_a_determinization_that_draws_the_same_each_time_is_a_hint(base):
    game = type("Same", (base,), {
        "determinize": lambda self, player, rng: base.determinize(self, player, random.Random(1))})
    report = mc.check_game(game((2, 0)), 50, seed=1)
    hint, = report.hints
    assert report.ok and hint.startswith("determinize() always drew the same for a position, in ")
    assert hint.endswith("draw what is hidden with the rng that it is given, and not with a generator of the same "
                         "seed each time")


def test_a_determinization_that_changes_its_position():
    def redraw(self, player, rng):
        drawn = Cards.determinize(self, player, rng)
        self.cards = drawn.cards
        return drawn

    report = mc.check_game(type("Redrawn", (Cards,), {"determinize": redraw}), 50, seed=1)
    assert any(problem.part == "determinize()" and "determinize() changed the position that it was called on: "
               "observation_key(" in problem.text for problem in report.problems)


def test_a_key_that_never_changes_is_a_hint():
    class Longer(Cards):
        """Three moves, so that the first player has positions of two lengths."""

        def returns(self):
            return None if len(self.line) < 3 else [0.5, 0.5]

    assert mc.check_game(Longer, 50, seed=1).hints == ()
    game = type("Forgetful", (Longer,), {"observation_key": lambda self, player: "cards"})
    report = mc.check_game(game, 50, seed=1)
    hint, = report.hints
    assert report.ok and hint.startswith("observation_key(0) is 'cards' in all ")


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


@pytest.mark.parametrize("raising", ["hash", "eq"])
def test_keys_that_raise_are_a_problem(raising):
    game = type("Raising", (ComparedCards,), {"observation_key": lambda self, player: Raising(raising)})
    problem = mc.check_game(game, 5, seed=1).problems[0]
    assert problem.part == "observation_key()"
    assert problem.text.startswith(f"__{raising}__() of a key raised ZeroDivisionError: ")


def test_hidden_information_without_determinize_is_refused():
    with pytest.raises(mc.InvalidState, match=r"write determinize\(player, rng\)"):
        mc.check_game(type("Bare", (Cards,), {"determinize": None}))
