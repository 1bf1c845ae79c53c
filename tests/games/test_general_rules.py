"""src/mcts_core/games/general_rules.pyx and the general part of the game table: games in Python, native ones, broken
ones."""

import gc
import weakref

import numpy as np
import pytest
from general_games import Dice
from general_oracle import Tangle, network
from table_games import Race, native_race, start

import mcts_core as mc
from mcts_core.games.state_kinds import is_general


def search(state, iterations=500, **options):
    engine = mc.Searcher(seed=1, **options)
    move = engine.search(state, iterations=iterations)
    return move, engine.stats()


# ---- the contract ----------------------------------------------------------------------------------------------------

def test_a_game_of_one_player_with_chance():
    """Optimal stopping by hand: from 7 a throw gives (8 + 9 + 10) / 60 = 0.45 < 0.7; from 3 it gives at least 0.65."""
    assert search(Dice(7), 4000)[0] == "stop"
    assert search(Dice(3), 4000)[0] == "throw"
    stats = search(Dice(7), 4000)[1]
    assert stats.values == (stats.value,) and stats.proven is None and stats.distance is None
    assert {entry.move: entry.value for entry in stats.moves}["stop"] == pytest.approx(0.7)
    assert stats.pv == ("stop",)


def test_the_principal_variation_ends_at_chance():
    assert search(Dice(3), 2000)[1].pv == ("throw",)


def test_chance_is_a_name_of_the_package():
    assert mc.CHANCE == "chance"
    assert is_general(Dice()) and is_general(Race()) and not is_general(mc.ConnectFour()) and not is_general(5)


def test_a_pass_is_a_move_and_players_may_move_twice():
    class Passing:
        players = 2

        def __init__(self, moves=()):
            self.moves = moves
            self.to_move = 0 if len(moves) < 2 else 1

        def legal_moves(self):
            return [None, (1, "a")]

        def play(self, move):
            return Passing((*self.moves, move))

        def returns(self):
            if len(self.moves) < 3:
                return None
            first = self.moves[0] is None and self.moves[1] is not None
            return (1.0, 0.0) if first else (0.0, 1.0)

    move, stats = search(Passing(), 2000)
    assert move is None and stats.value > 0.9 and stats.pv[:2] == (None, (1, "a"))


@pytest.mark.parametrize("kind", [tuple, iter])
def test_lists_may_be_other_collections(kind):
    class Other(Dice):
        def legal_moves(self):
            return kind(super().legal_moves())

        def chance_outcomes(self):
            return kind(super().chance_outcomes())

        def returns(self):
            values = super().returns()
            return None if values is None else kind(values)

    assert search(Other(4), 300)[1].moves == search(Dice(4), 300)[1].moves


def test_numbers_may_be_those_of_numpy():
    class Arrays(Dice):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            if not self.rolling:
                self.to_move = np.int64(0)

        def chance_outcomes(self):
            return [(pips, np.float64(1 / 6)) for pips in range(1, 7)]

        def returns(self):
            values = super().returns()
            return None if values is None else np.array(values)

    assert search(Arrays(4), 300)[1].moves == search(Dice(4), 300)[1].moves


def test_an_outcome_without_probability_never_comes():
    class Loaded(Dice):
        def chance_outcomes(self):
            return [(1, 0.0), (2, 1.0), (3, 0.0)]

        def play(self, move):
            assert move not in (1, 3)
            return super().play(move)

    assert search(Loaded(), 2000)[0] in ("throw", "stop")


def test_outcomes_come_by_their_probability():
    """The share of each outcome among the visits of a chance node, within five standard errors."""
    chances = [0.05, 0.5, 0.15, 0.3]

    class Wheel:
        players = 1
        counts = [0] * 4

        def __init__(self, stage=0):
            self.stage = stage
            self.to_move = mc.CHANCE if stage == 1 else 0

        def legal_moves(self):
            return ["spin"]

        def chance_outcomes(self):
            return list(enumerate(chances))

        def play(self, move):
            return Wheel(1) if self.stage == 0 else Wheel(2 + move)

        def returns(self):
            return None if self.stage < 2 else [[0.0, 1.0, 0.0, 0.5][self.stage - 2]]

    n = 20_000
    stats = search(Wheel(), n)[1]
    # the mean of 1 with probability 0.5 and 0.5 with 0.3
    assert stats.value == pytest.approx(0.65, abs=5 * 0.41 / n**0.5)
    assert stats.nodes == 6


# ---- broken games ----------------------------------------------------------------------------------------------------

class Broken(Dice):
    """Breaks one part of the contract above 4."""

    @property
    def to_move(self):
        if self.total > 4 and self.what.startswith("to_move"):
            return {"to_move 1": 1, "to_move -1": -1, "to_move True": True, "to_move None": None, "to_move X": "X",
                    "to_move 0.0": 0.0}[self.what]
        return self._to_move

    @to_move.setter
    def to_move(self, value):
        self._to_move = value

    def legal_moves(self):
        if self.total > 4 and self.what.startswith("moves"):
            return {"moves none": [], "moves None": None, "moves text": "ab", "moves number": 7,
                    "moves twice": ["stop", "stop"], "moves unhashable": [["stop"]]}[self.what]
        return super().legal_moves()

    def chance_outcomes(self):
        if self.total > 4 and self.what.startswith("chance"):
            return {"chance None": None, "chance empty": [], "chance half": [(1, 0.5)],
                    "chance negative": [(1, -1), (2, 2)], "chance nan": [(1, float("nan"))], "chance flat": [1, 2],
                    "chance dict": {1: 1.0},
                    "chance twice": [(1, 0.5), (1, 0.5)], "chance text": [(1, "p")]}[self.what]
        return super().chance_outcomes()

    def play(self, move):
        if isinstance(move, list):
            move = move[0]
        if self.total > 4:
            if self.what == "play None":
                return None
            if self.what == "play self":
                return self
            if self.what == "play raises":
                raise KeyError("lost")
            if self.what == "play foreign":
                return 17
        return super().play(move)

    def returns(self):
        if self.total > 4 and self.what.startswith("returns"):
            return {"returns short": [], "returns long": [0.5, 0.5], "returns nan": [float("nan")], "returns 2": [2.0],
                    "returns -1": [-1.0], "returns number": 0.5, "returns text": "1", "returns dict": {0: 1.0},
                    "returns words": ["a"]}[self.what]
        return super().returns()


@pytest.mark.parametrize(("what", "cause", "text"), [
    ("to_move 1", None, "to_move must be 0 or CHANCE, got 1"),
    ("to_move -1", None, "got -1"),
    ("to_move True", None, "got True"),
    ("to_move None", None, "got None"),
    ("to_move X", None, "got 'X'"),
    ("to_move 0.0", None, "got 0.0"),
    ("moves none", None, "returned no move although returns() is None"),
    ("moves None", None, "must return a list of moves, got None"),
    ("moves text", None, "must return a list of moves, got 'ab'"),
    ("moves number", TypeError, "legal_moves() raised TypeError"),
    ("moves twice", None, "legal_moves() must not repeat a move"),
    ("moves unhashable", None, "moves must be hashable, such as ints, strings or tuples, got ['stop'], a list"),
    ("chance None", None, "chance_outcomes() must return a list of (move, probability), got None"),
    ("chance empty", None, "got none in"),
    ("chance half", None, "sum to 1, got a sum of 0.5"),
    ("chance negative", None, "probabilities from 0 to 1"),
    ("chance nan", None, "probabilities from 0 to 1"),
    ("chance flat", None, "got [1, 2]"),
    ("chance dict", None, "got {1: 1.0}"),
    ("chance twice", None, "chance_outcomes() must not repeat a move"),
    ("chance text", None, "got [(1, 'p')]"),
    ("play None", None, "must return a new state, got None"),
    ("play self", None, "must return a new state, got the same object"),
    ("play raises", KeyError, "play() raised KeyError: 'lost'"),
    ("play foreign", AttributeError, "'int' object has no attribute 'returns'"),
    ("returns short", None,
     "must return None or a list of one number from 0 to 1, the result of the only player, got 0: []"),
    ("returns long", None, "got 2: [0.5, 0.5]"),
    ("returns nan", None, "one number from 0 to 1"),
    ("returns 2", None, "got [2.0]"),
    ("returns -1", None, "got [-1.0]"),
    ("returns number", None, "got 0.5; did you mean [0.5]?"),
    ("returns text", None, "got '1'"),
    ("returns dict", None, "got {0: 1.0}"),
    ("returns words", None, "got ['a']"),
])
@pytest.mark.parametrize("network", [False, True])
def test_broken_games_raise_game_error(network, what, cause, text):
    game = type("Broken", (Broken,), {"what": what})
    options = {"policy_value": lambda state: (None, 0.0), "batch": 4} if network else {}
    engine = mc.Searcher(seed=1, **options)
    with pytest.raises(mc.GameError) as caught:
        engine.search(game(0), iterations=20_000)
    assert text in str(caught.value)
    assert type(caught.value.__cause__) is (cause or type(None))
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert engine.search(Dice(7), iterations=2000) == "stop"  # the Searcher is as good as new
    assert engine.stats().iterations == 2000 or engine.stats().stop_reason == "solved"
    if not what.startswith("chance"):
        with pytest.raises(mc.GameError):
            engine.search(game(5), iterations=500)


@pytest.mark.parametrize("players", [0, 33, -1, 2.0, True, "two", None, [2]])
def test_impossible_numbers_of_players(players):
    class Odd(Dice):
        pass

    Odd.players = players
    with pytest.raises(mc.InvalidState, match="players must be an int from 1 to 32"):
        search(Odd())


def test_32_players_are_searched():
    class Crowd(Tangle):
        pass

    stats = search(Tangle(3, players=32, length=4), 200)[1]
    assert len(stats.values) == 32


def test_hidden_information_is_refused():
    class Poker(Dice):
        hidden_information = True

    class Chess(Dice):
        hidden_information = False

    with pytest.raises(mc.InvalidState, match="every player sees everything"):
        search(Poker())
    assert search(Chess(7))[0] == "stop"

    class Kriegspiel:
        hidden_information = True
        to_move = 1

        def legal_moves(self):
            return [0]

        def play(self, move):
            return Kriegspiel()

        def winner(self):
            return None

    for options in ({"policy_value": lambda state: (None, 0)}, {}, {"preset": "uct"}):
        with pytest.raises(mc.InvalidState, match="every player sees everything"):
            search(Kriegspiel(), **options)


def test_objects_that_are_no_general_states():
    class Nothing:
        players = 2

    class Half(Dice):
        returns = None

    with pytest.raises(mc.InvalidState, match="must have players, to_move, legal_moves.*has no method legal_moves"):
        search(Nothing())
    with pytest.raises(mc.InvalidState, match="has no method returns"):
        search(Half())

    class Nobody(Dice):
        def __init__(self):
            pass

    with pytest.raises(mc.InvalidState, match="has no to_move"):
        search(Nobody())


def test_roots_where_nobody_is_to_move():
    with pytest.raises(mc.GameOver, match=r"returns \[0.7\]"):
        search(Dice(7, True))
    with pytest.raises(mc.InvalidState, match="chance is to move"):
        search(Dice(7, False, True))


def test_endless_games_end():
    class Endless(Dice):
        def play(self, move):
            return Endless(0)

    with pytest.raises(mc.GameError, match="did not end within 1000000 moves"):
        search(Endless(), 1)


def test_a_game_that_changes_its_mind_is_an_error_and_no_crash():
    class Fickle(Tangle):
        calls = 0

        def play(self, move):
            Fickle.calls += 1
            child = Tangle.play(self, move)
            other = Fickle(self.number + Fickle.calls % 3, self.players, self.chance, self.length, child.path)
            return other

        def legal_moves(self):
            return list(self.moves)

    for number in range(6):
        try:
            stats = search(Fickle(number), 400)[1]
        except mc.GameError:
            continue
        assert stats.iterations == 400 or stats.stop_reason == "solved"


def test_no_state_is_kept_alive():
    class Marked(Dice):
        pass

    state = Marked(3)
    dead = weakref.ref(state)
    engine = mc.Searcher()
    engine.search(state, iterations=300)
    engine.search(Dice(), iterations=10)
    del state
    gc.collect()
    assert dead() is None


# ---- native general games --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("players", [1, 2, 3, 5])
@pytest.mark.parametrize("options", [{}, {"rollouts_per_leaf": 3, "exploration": 0.2}], ids=str)
def test_a_native_general_game_is_searched_like_the_same_one_in_python(players, options):
    native = search(native_race(players)(start(turn=players - 1)), 300, **options)[1]
    python = search(Race(players, to_move=players - 1), 300, **options)[1]
    assert native.moves == python.moves and native.values == python.values and native.pv == python.pv
    assert (native.nodes, native.bytes, native.rollouts) == (python.nodes, python.bytes, python.rollouts)
    assert native.value == native.values[players - 1]


@pytest.mark.parametrize("players", [1, 2, 3])
def test_a_native_general_game_with_an_evaluator(players):
    def evaluator(observations):
        sums = observations.reshape(len(observations), -1) @ np.arange(2 * players)
        value = np.stack([sums % (7 + k) / 13 for k in range(players)], 1)
        return np.stack([sums % 5, sums % 3 + 1], 1), value if players > 2 else value[:, 0]

    native = search(native_race(players)(start()), 300, evaluator=evaluator)[1]
    python = search(Race(players), 300, evaluator=evaluator)[1]
    assert native.moves == python.moves and native.values == python.values and native.pv == python.pv


def test_a_native_rollout_of_its_own_is_used():
    def rollout(context, state, rng, values):
        values[0], values[1], values[2] = 0.125, 0.25, 0.5
        return 0

    stats = search(native_race(broken={"rollout": rollout})(start()), 2)[1]
    assert stats.values == (0.125, 0.25, 0.5)


def test_a_native_game_tells_its_policy_and_observations():
    state = native_race(3)(start(1, 2, 3, turn=1))
    assert state.actions == 2
    assert state.observation().tolist() == Race(3, (1, 2, 3), 1).observation()


def broken_numbers(at):
    def returns(context, state, values):
        values[0], values[1], values[2] = at, 0, 0
        return 0

    return returns


def broken_chance(moves, chances):
    def chance(context, state, numbers, probabilities):
        for slot, (move, probability) in enumerate(zip(moves, chances, strict=True)):
            numbers[slot], probabilities[slot] = move, probability
        return len(moves)

    return chance


@pytest.mark.parametrize("broken", [
    {"play": lambda context, state, move: -1},
    {"to_move": lambda context, state: 7 if state[0].steps[0] else state[0].turn},
    {"to_move": lambda context, state: -2 if state[0].steps[0] else state[0].turn},
    {"returns": broken_numbers(float("nan"))},
    {"returns": broken_numbers(1.5)},
    {"returns": lambda context, state, values: -1},
    {"chance": broken_chance([10], [0.9])},
    {"chance": broken_chance([10, 11], [1.5, -0.5])},
    {"chance": lambda *arguments: 0},
    {"chance": lambda *arguments: -1},
    {"legal_moves": lambda context, state, moves: 0 if state[0].steps[0] else 2},
    {"legal_moves": lambda context, state, moves: 5 if state[0].steps[0] else 2},
    {"rollout": lambda *arguments: -1},
    {"rollout": lambda context, state, rng, values: values.__setitem__(0, 9.0) or 0},
], ids=lambda broken: next(iter(broken)))
def test_broken_native_games_raise_game_error(broken):
    engine = mc.Searcher(seed=1)
    with pytest.raises(mc.GameError, match="TableState: a function of its game table returned an error"):
        engine.search(native_race(broken=broken)(start()), iterations=500)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert engine.search(Dice(7), iterations=500) == "stop"


def test_native_roots_where_nobody_is_to_move():
    make = native_race(3)
    with pytest.raises(mc.GameOver):
        search(make(start(6)))
    with pytest.raises(mc.InvalidState, match="chance is to move"):
        search(make(start(rolling=1)))


@pytest.mark.parametrize(("missing", "text"), [
    ("legal_moves", "must have legal_moves"), ("play", "must have legal_moves, play"),
    ("returns", "must have returns")])
def test_native_tables_with_holes(missing, text):
    with pytest.raises(mc.InvalidState, match=text):
        search(native_race(broken={missing: None})(start()))


def test_a_native_table_without_chance_has_none():
    with pytest.raises(mc.GameError):
        search(native_race(broken={"chance": None})(start()))


def test_native_tables_of_another_form():
    make = native_race(3)
    with pytest.raises(mc.InvalidState, match="1 to 32 players"):
        search(make(start(), players=33))
    for count in (0, 65_521, 2**31):
        with pytest.raises(mc.InvalidState, match=f"max_moves from 1 to 65520, got max_moves {count}"):
            search(make(start(), max_moves=count))
    old = make(start(), version=2)  # which may have other fields
    assert not is_general(old) and old.actions is None
    with pytest.raises(mc.InvalidState, match="no observations"):
        old.observation()
    blind = native_race(3, broken={"observe": None})(start())
    assert search(blind)[1].iterations == 500
    with pytest.raises(mc.InvalidState, match="no observe"):
        search(blind, evaluator=network)
    with pytest.raises(mc.InvalidState, match="no observations"):
        blind.observation()


class Pass:
    """Two players in turn pass ten times."""

    def __init__(self, passes=0):
        self.passes, self.to_move = passes, 1 - 2 * (passes % 2)

    def legal_moves(self):
        return ["pass", "pass on"]

    def play(self, move):
        return type(self)(self.passes + 1)

    def winner(self):
        return None if self.passes < 10 else 0


def test_faults_of_games_in_turn_that_an_evaluator_searches():
    class Third(Pass):
        def __init__(self, passes=0):
            super().__init__(passes)
            self.to_move = 2 if passes == 2 else self.to_move

    class Yes(Pass):
        def winner(self):
            return True if self.passes == 2 else None

    def even(state):
        return [1.0, 1.0], 0.0

    assert search(Pass(), policy_value=even)[1].proven is None
    with pytest.raises(mc.GameError, match=r"Third.to_move must be \+1 or -1, got 2"):
        search(Third(), policy_value=even)
    with pytest.raises(mc.GameError, match=r"Yes.winner\(\) must return None, \+1, -1 or 0, got True"):
        search(Yes(), policy_value=even)
    with pytest.raises(mc.EvaluatorError, match="the value of policy_value must be a number"):
        search(Pass(), policy_value=lambda state: ([1.0, 1.0], "1"))


def test_too_much_chance():
    class Many(Dice):
        def chance_outcomes(self):
            return [(number, 1 / 70_000) for number in range(70_000)]

    class Endless(Dice):
        def play(self, move):
            return Endless(0, False, True)

    with pytest.raises(mc.GameError, match="at most 65520, got 70000"):
        search(Many())
    with pytest.raises(mc.GameError, match="a game of Endless did not end within 20000 moves"):
        search(Endless())
