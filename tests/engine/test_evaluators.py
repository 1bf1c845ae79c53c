"""src/mcts_core/engine/evaluators.pyx: what evaluators may return, in both forms, and the observations that they
get."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from general_games import Corner, flat
from no_numpy import NO_NUMPY

import mcts_core as mc
from mcts_core.errors import EvaluatorError

START = mc.ConnectFour()


def search(evaluator, state=START, iterations=40, **options):
    engine = mc.Searcher(evaluator=evaluator, seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


# ---- what comes back -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", [
    np.float32, np.float64, np.float16, np.int64, np.uint8, ">f4", "list", "transposed", "strided", "memoryview",
    "column of values"])
def test_any_real_numbers_are_taken(kind):
    weights = np.array([1, 2, 3, 4, 3, 2, 1])

    def evaluator(observations):
        policy = np.tile(weights, (len(observations), 1)).astype(np.float32)
        values = np.zeros(len(observations), np.float32)
        if kind == "list":
            return [policy.tolist(), values.tolist()]
        if kind == "transposed":
            return np.asfortranarray(policy), values
        if kind == "strided":
            return np.repeat(policy, 2, 1)[:, ::2], np.repeat(values, 3)[::3]
        if kind == "memoryview":
            return memoryview(policy), memoryview(values)
        if kind == "column of values":
            return policy, values[:, None]
        return policy.astype(kind), values.astype(kind)

    def plain(observations):
        return np.tile(weights, (len(observations), 1)) / 16, np.zeros(len(observations))

    assert search(evaluator).moves == search(plain).moves


def test_only_the_legal_moves_count():
    state = mc.ConnectFour.from_moves("333333")

    def evaluator(observations):
        policy, values = flat(observations)
        policy[:, 3] = np.nan
        return policy, values

    assert {entry.move for entry in search(evaluator, state, 6).moves} == {0, 1, 2, 4, 5, 6}
    with pytest.raises(EvaluatorError, match="got nan for action 3 in row 0"):
        search(evaluator)


def test_policies_are_divided_by_their_sum():
    def evaluator(scale):
        return lambda observations: (
            scale * np.arange(1, 8) * np.ones((len(observations), 1)), np.zeros(len(observations)))

    first = search(evaluator(1.0)).moves
    assert search(evaluator(4096.0)).moves == first
    assert search(evaluator(1 / 4096)).moves == first


def test_a_policy_without_weight_on_legal_moves_is_flat():
    assert search(lambda observations: (0 * flat(observations)[0], flat(observations)[1])).moves == search(flat).moves
    assert search(lambda observations: (None, flat(observations)[1])).moves == search(flat).moves


def test_rounding_beyond_the_range_of_values_is_forgiven():
    stats = search(lambda observations: (flat(observations)[0], np.full(len(observations), 1.00001)))
    assert stats.value <= 1


@pytest.mark.parametrize(("returned", "text"), [
    (lambda n: None, r"must return \(policy, value\), got None"),
    (lambda n: np.ones((n, 7)), r"must return \(policy, value\), got array"),
    (lambda n: (np.ones((n, 7)), np.zeros(n), 1), r"must return \(policy, value\)"),
    (lambda n: (np.ones((n, 6)), np.zeros(n)),
     r"policy must have the shape \(\d+, 7\): B positions, A actions, got \(\d+, 6\)"),
    (lambda n: (np.ones((n + 1, 7)), np.zeros(n)), r"policy must have the shape"),
    (lambda n: (np.ones(7), np.zeros(n)), r"policy must have the shape \(\d+, 7\).*got \(7,\)"),
    (lambda n: (np.ones((n, 7, 1)), np.zeros(n)), "policy must have the shape"),
    (lambda n: (np.ones((n, 0)), np.zeros(n)), "policy must have the shape"),
    (lambda n: (np.ones((n, 7)), np.zeros(n + 1)), r"value must have the shape \(\d+,\), one value for each position"),
    (lambda n: (np.ones((n, 7)), 0.5), r"value must have the shape \(\d+,\), one value for each position, got \(\)"),
    (lambda n: (np.ones((n, 7)), np.zeros((n, 3))), "value must have the shape"),
    (lambda n: (np.ones((n, 7)), np.zeros((n, 1, 1))), "value must have the shape"),
    (lambda n: (np.ones((n, 7)), None), "value must be an array of real numbers, got None"),
    (lambda n: (np.ones((n, 7)), np.full(n, np.nan)), "from -1 to 1, got nan in row 0"),
    (lambda n: (np.ones((n, 7)), np.full(n, 1.5)), "from -1 to 1, got 1.5 in row 0"),
    (lambda n: (np.ones((n, 7)), np.full(n, -np.inf)), "from -1 to 1, got -inf"),
    (lambda n: (np.full((n, 7), np.nan), np.zeros(n)), "finite number >= 0, got nan for action 3 in row 0"),
    (lambda n: (np.full((n, 7), -0.1), np.zeros(n)), "finite number >= 0, got -0.1 for action 3"),
    (lambda n: (np.full((n, 7), np.inf), np.zeros(n)), "finite number >= 0, got inf"),
    (lambda n: (np.full((n, 7), 1e300), np.zeros(n)), "finite number >= 0, got inf"),
    (lambda n: (np.ones((n, 7)) * 1j, np.zeros(n)), "(?s)policy must be an array of real numbers.*complex"),
    (lambda n: (np.ones((n, 7), bool), np.zeros(n)), "its dtype is bool"),
    (lambda n: (np.full((n, 7), "x"), np.zeros(n)), "its dtype is <U1"),
    (lambda n: (np.full((n, 7), None), np.zeros(n)), "its dtype is object"),
    (lambda n: ([[1, 2], [3]], np.zeros(n)), "policy must be an array of real numbers"),
    (lambda n: ("policy", "value"), "policy must be an array of real numbers, got 'policy'"),
])
@pytest.mark.parametrize("late", [False, True], ids=["at the root", "later"])
def test_what_is_no_evaluation(returned, text, late):
    calls, broken = [], [True]

    def evaluator(observations):
        calls.append(1)
        if not broken or late and len(calls) < 5:
            return flat(observations)
        return returned(len(observations))

    engine = mc.Searcher(evaluator=evaluator, seed=1)
    with np.errstate(over="ignore"), pytest.raises(EvaluatorError, match=text):
        engine.search(START, iterations=200)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert len(calls) == (5 if late else 1)
    broken.clear()
    engine.search(START, iterations=50)
    assert engine.stats().moves == search(flat, iterations=50).moves


def test_a_policy_that_is_too_short_for_a_python_game():
    with pytest.raises(EvaluatorError, match="legal move has the index 4 and the policy 4 entries"):
        search(lambda observations: (np.ones((len(observations), 4)), np.zeros(len(observations))), Corner())

    class Told(Corner):
        actions = 5

    with pytest.raises(EvaluatorError, match=r"policy must have the shape \(1, 5\)"):
        search(lambda observations: (np.ones((len(observations), 4)), np.zeros(len(observations))), Told())
    stats = search(lambda observations: (np.eye(5)[[4] * len(observations)], np.zeros(len(observations))), Told())
    assert stats.move == "left" and stats.pv == ("left", "left")


@pytest.mark.parametrize(("error", "wrapped"), [
    (ZeroDivisionError, True), (mc.GameError, True), (KeyboardInterrupt, False), (SystemExit, False)])
@pytest.mark.parametrize("call", [1, 6])
@pytest.mark.parametrize("form", ["evaluator", "policy_value"])
def test_what_an_evaluator_raises(error, wrapped, call, form):
    calls = []

    def evaluator(observations):
        calls.append(1)
        if len(calls) == call:
            raise error("on purpose")
        return flat(observations) if form == "evaluator" else (None, 0.0)

    engine = mc.Searcher(seed=1, **{form: evaluator}, batch=4)
    if wrapped:
        with pytest.raises(EvaluatorError, match=f"raised {error.__name__}: on purpose") as caught:
            engine.search(START, iterations=100)
        assert type(caught.value.__cause__) is error
        with pytest.raises(mc.NoSearch):
            engine.stats()
    else:
        with pytest.raises(error, match="on purpose"):
            engine.search(START, iterations=100)
        if call == 1 or form == "policy_value" and call == 1:
            with pytest.raises(mc.NoSearch):
                engine.stats()
        else:
            stats = engine.stats()
            assert stats.stop_reason == "cancelled"
            again = mc.Searcher(seed=1, **{form: evaluator}, batch=4)
            again.search(START, iterations=stats.iterations)
            assert again.stats().moves == stats.moves and again.stats().nodes == stats.nodes
    engine.search(START, iterations=50)
    assert engine.stats().iterations == 50


def test_a_search_within_an_evaluator():
    def evaluator(observations):
        mc.Searcher(evaluator=flat, seed=2).search(START, iterations=10)
        return flat(observations)

    assert search(evaluator).moves == search(flat).moves
    engine = mc.Searcher(evaluator=lambda observations: engine.search(START, iterations=5), seed=1)
    with pytest.raises(EvaluatorError, match="SearchBusy"):
        engine.search(START, iterations=5)


# ---- what goes in ----------------------------------------------------------------------------------------------------

def test_observations_of_a_batch():
    kept = []

    def evaluator(observations):
        kept.append((observations, observations.copy()))
        return flat(observations)

    search(evaluator, iterations=60, batch=5)
    assert [len(first) for first, _ in kept[:3]] == [1, 5, 5]
    for first, copy in kept:
        assert first.dtype == np.float32 and first.shape[1:] == (3, 6, 7) and first.flags.c_contiguous
        assert (first == copy).all()  # what was kept is not written again
    assert (kept[0][0][0] == START.observation()).all()
    first_moves = {batch[row].tobytes() for batch, _ in kept[:3] for row in range(len(batch))}
    assert {START.play(move).observation().tobytes() for move in range(7)} <= first_moves


@pytest.mark.parametrize("state", [
    mc.ConnectFour(), mc.ConnectFour(4, 5, 3), mc.ConnectFour(8, 9, 5), mc.ConnectFour(127, 1, 9),
    mc.ConnectFour(1, 64, 4), mc.ConnectFour(63, 2, 5), mc.TicTacToe(), mc.MNK(7, 4, 4), mc.Gomoku(15),
    mc.Gomoku(20, "exact")], ids=repr)
def test_native_observations_are_the_diagram(state):
    import random

    draw = random.Random(5)
    while state.winner() is None:
        diagram = np.array([line.split() for line in state.diagram().splitlines()])
        mine, theirs = ("X", "O") if state.to_move == 1 else ("O", "X")
        planes = state.observation()
        assert planes.dtype == np.float32 and planes.shape == (3, *diagram.shape)
        assert (planes[0] == (diagram == mine)).all() and (planes[1] == (diagram == theirs)).all()
        assert (planes[2] == (state.to_move == 1)).all()
        state = state.play(draw.choice(state.legal_moves()))
    assert state.actions == (state.cols if isinstance(state, mc.ConnectFour) else state.rows * state.cols)


@pytest.mark.parametrize(("given", "text"), [
    (np.zeros((2, 2)), r"must have the shape \(planes, rows, columns\), got \(2, 2\)"),
    (np.zeros((0, 2, 2)), "must have the shape"),
    ("abc", "observation\\(\\) must return numbers"),
    ([[[1], [2, 3]]], "observation\\(\\) must return numbers"),
    (None, "must have the shape|must return numbers"),
])
def test_python_observations_that_are_none(given, text):
    class Blurred(Corner):
        def observation(self):
            return given

    with pytest.raises(mc.GameError, match=text):
        search(lambda observations: (np.ones((len(observations), 5)), np.zeros(len(observations))), Blurred())


def test_python_observations_keep_their_shape():
    class Growing(Corner):
        def observation(self):
            return np.zeros((1, 1, 2 + len(self.path)))

    with pytest.raises(mc.GameError, match=r"shape \(1, 1, 2\), as at the root, got \(1, 1, 3\)"):
        search(lambda observations: (np.ones((len(observations), 5)), np.zeros(len(observations))), Growing())


@pytest.mark.parametrize(("index", "text"), [
    (-1, "from 0 to A-1, got -1"), (None, "must return an int >= 0, got None"), (True, "got True"), (1.0, "got 1.0"),
    (3, "two legal moves of .* have the same index in the policy, 3")])
def test_actions_that_are_none(index, text):
    class Wrong(Corner):
        def action(self, move):
            return index

    with pytest.raises(mc.GameError, match=text):
        search(lambda observations: (np.ones((len(observations), 5)), np.zeros(len(observations))), Wrong())


def test_a_game_without_what_an_evaluator_needs():
    class Blind(Corner):
        observation = None

    class Mute(Corner):
        action = None

    with pytest.raises(mc.InvalidState, match="needs states with a method observation"):
        search(flat, Blind())
    with pytest.raises(mc.GameError, match="moves that are ints, or states with a method action.*got the move 'left'"):
        search(flat, Mute())
    engine = mc.Searcher(evaluator=flat)
    with pytest.raises(mc.InvalidState, match="needs states with a method observation"):
        engine.ponder(Blind())

    class Told(Corner):
        actions = 4

    with pytest.raises(mc.GameError, match="from 0 to 3, got 4 for 'left'"):
        search(flat, Told())

    class Odd(Corner):
        actions = 2.5

    with pytest.raises(mc.InvalidState, match="actions must be an int"):
        search(flat, Odd())


# ---- by state --------------------------------------------------------------------------------------------------------

def by_state(policy_value, state=None, iterations=40, **options):
    engine = mc.Searcher(policy_value=policy_value, seed=1, **options)
    engine.search(state or Corner(), iterations=iterations)
    return engine.stats()


def test_priors_of_other_moves_than_the_legal_ones():
    for priors in ({"up": 1.0}, {0: 0.5, 1: 0.5}):
        with pytest.raises(mc.EvaluatorError, match=r"priors of policy_value must be of legal moves, such as 'left', "
                                                    r"got none of them: \{"):
            by_state(lambda state, priors=priors: (priors, 0.0))
    assert by_state(lambda state: ({}, 0.0)).moves  # nothing is known: all alike


def test_forms_of_priors():
    expected = by_state(lambda state: ({"left": 0.75, "right": 0.25}, 0.0)).moves
    for priors in ([3, 1], (0.3, 0.1), np.array([0.75, 0.25]), iter([0.75, 0.25]), {"left": 3, "right": 1, "up": 7}):
        if not isinstance(priors, dict):
            priors = list(priors)
        assert [(entry.move, entry.visits) for entry in by_state(lambda state, priors=priors: (priors, 0.0)).moves] == [
            (entry.move, entry.visits) for entry in expected]
    flat_one = by_state(lambda state: (None, 0.0)).moves
    assert by_state(lambda state: ({}, 0.0)).moves == flat_one == by_state(lambda state: ([0, 0], 0)).moves
    only = by_state(lambda state: ({"right": 1}, 0.0), iterations=3).moves
    assert (only[0].move, only[0].visits) == ("right", 3)


def test_the_states_are_those_of_the_game():
    seen = []

    def policy_value(state):
        seen.append(state.path)
        return None, 0.0

    by_state(policy_value, iterations=6)
    assert seen[0] == "" and set(seen) == {"", "l", "r"} and len(seen) == 3  # what is over needs no evaluation
    native = []
    mc.Searcher(policy_value=lambda state: (native.append(state), (None, 0.0))[1], seed=1).search(START, iterations=5)
    assert native[0] == START and native[1] in [START.play(move) for move in START.legal_moves()]


@pytest.mark.parametrize(("returned", "text"), [
    (None, r"must return \(priors, value\), got None"),
    (0.5, r"must return \(priors, value\), got 0.5"),
    (([1], 0.0), "as many as the legal moves, 2, got 1"),
    (("ab", 0.0), "must be a dict of numbers by move"),
    ((5, 0.0), "must be a dict of numbers by move"),
    (({"left": None}, 0.0), "must be a dict of numbers by move"),
    (([1, "x"], 0.0), "must be a dict of numbers by move"),
    ((["1", "2"], 0.0), "must be a dict of numbers by move"),
    (({1, 2}, 0.0), "must be a dict of numbers by move, or a sequence of numbers, got {1, 2}: a set has no order"),
    ((itertools.repeat(1), 0.0), r"as many as the legal moves, 2, got more from repeat\(1\)"),
    ((range(10**12), 0.0), "as many as the legal moves, 2, got 1000000000000"),
    (([1, 1], {0: 0.5}), "value of policy_value must be a number, got {0: 0.5}"),
    (([1, -1], 0.0), "finite numbers >= 0, got -1 for the move 'right'"),
    (([float("nan"), 1], 0.0), "got nan for the move 'left'"),
    (({"right": float("inf")}, 0.0), "got inf for the move 'right'"),
    (([1, 1], None), "value of policy_value must be a number, got None"),
    (([1, 1], "x"), "must be a number, got 'x'"),
    (([1, 1], [0.0, 0.0]), "must be a number, got"),
    (([1, 1], 2.0), "from -1 to 1, got 2"),
    (([1, 1], float("nan")), "from -1 to 1, got nan"),
])
def test_what_is_no_evaluation_of_a_state(returned, text):
    with pytest.raises(EvaluatorError, match=text):
        by_state(lambda state: returned if state.path else ([1, 1], 0.0))
    with pytest.raises(EvaluatorError, match=text):
        by_state(lambda state: returned)


def test_answers_about_a_state_that_raise():
    def failing():
        yield 1
        raise ZeroDivisionError("late")

    for answer, text in [(lambda: (failing(), 0.0), "got <generator .*: late"),
                         (lambda: (None, failing()), "value of policy_value raised ZeroDivisionError: late")]:
        with pytest.raises(EvaluatorError, match=text) as caught:
            mc.Searcher(policy_value=lambda state, answer=answer: answer(), seed=1).search(START, iterations=5)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


class Interrupting:
    """Raises KeyboardInterrupt where it is asked for its class: isinstance does so, with an abstract class."""

    @property
    def __class__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("answer", [(None, Interrupting()), (Interrupting(), 0.0)], ids=["value", "priors"])
def test_interrupts_at_a_look_at_the_kind_of_an_answer_come_through(answer):
    engine = mc.Searcher(policy_value=lambda state: answer, seed=1)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            engine.search(START, iterations=5)


@pytest.mark.parametrize("value", [{0: 0.5, 1: -0.5}, {0.5, -0.5}, ["0.5", "-0.5"], itertools.repeat(0.5)])
def test_values_of_two_players_that_are_no_list_of_numbers(value):
    with pytest.raises(EvaluatorError, match="value of policy_value must be a number, or one for each player, got "):
        mc.Searcher(policy_value=lambda state: (None, value), seed=1).search(START, iterations=5)


def test_values_of_every_player():
    class Three(Corner):
        players = 3

        @property
        def to_move(self):
            return len(self.path)

        def returns(self):
            return None if len(self.path) < 3 else [1.0, 0.5, 0.0]

    stats = by_state(lambda state: (None, [0.5, -0.5, -1.0]), Three(), 1)
    assert stats.values == (0.75, 0.25, 0.0)
    with pytest.raises(EvaluatorError, match="a number for each of the 3 players, got 0.0"):
        by_state(lambda state: (None, 0.0), Three())
    with pytest.raises(EvaluatorError, match=r"the shape \(1, 3\), a value for each position and player, got \(1,\)"):
        search(lambda observations: (None, np.zeros(1)), Three())

    class Two(Three):
        players = 2

        @property
        def to_move(self):
            return len(self.path) % 2

        def returns(self):
            return None if len(self.path) < 3 else [1.0, 0.5]

    assert by_state(lambda state: (None, 0.5), Two(), 1).values == (0.25, 0.75)  # the value of the second, after a move
    assert by_state(lambda state: (None, [0.5, 0.5]), Two(), 1).values == (0.75, 0.75)
    with pytest.raises(EvaluatorError, match="values of one kind"):
        by_state(lambda state: (None, 0.5 if state.path == "l" else [0.5, 0.5]), Two(), 40, batch=4)
    with pytest.raises(EvaluatorError, match="a number, or one for each player"):
        by_state(lambda state: (None, [1.0]* 3), Two())


# ---- numpy is needed by evaluators alone -----------------------------------------------------------------------------

def run(code, folder):
    done = subprocess.run([sys.executable, "-c", "import sys\n" f"sys.path[:0] = {sys.path!r}\n" + code], cwd=folder,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


NIM = """
import mcts_core as mc
class Nim:
    players = 2
    def __init__(self, left=5, to_move=0): self.left, self.to_move = left, to_move
    def legal_moves(self): return [n for n in (1, 2) if n <= self.left]
    def play(self, n): return Nim(self.left - n, 1 - self.to_move)
    def returns(self): return None if self.left else [float(self.to_move == 1), float(self.to_move == 0)]
"""


def test_general_games_and_policies_by_state_need_no_numpy(tmp_path):
    code = NIM + """
print(mc.search(Nim(), iterations=500, seed=1))
print(mc.search(Nim(), iterations=500, seed=1, policy_value=lambda state: (None, 0.0)))
print("numpy" in sys.modules)
"""
    assert run(code, tmp_path).split() == ["2", "2", "False"]


def test_without_numpy_the_message_names_the_extra(tmp_path):
    code = NO_NUMPY + NIM + """
for call in (lambda: mc.search(mc.ConnectFour(), iterations=5, evaluator=print), mc.ConnectFour().observation):
    try:
        call()
    except ImportError as error:
        print(error)
"""
    assert run(code, tmp_path).splitlines() == [
        "observations and evaluators need numpy: pip install numpy"] * 2


# ---- priors ----------------------------------------------------------------------------------------------------------

class Scattered:
    """A move for every one of ``actions``, which is its index in the policy; the game ends after it."""

    def __init__(self, actions, last=None):
        self.indices, self.last = actions, last
        self.to_move, self.actions = 1 if last is None else -1, 64

    def legal_moves(self):
        return list(self.indices)

    def play(self, move):
        return Scattered(self.indices, move)

    def winner(self):
        return None if self.last is None else 0

    def observation(self):
        return np.zeros((1, 1, 1), np.float32)


def shares(policy, actions):
    """The priors by the rule: entries divided by their sum, which four float64 add up, entry by entry in turn."""
    entries = [np.float64(policy[action]) for action in actions]
    sums = [np.float64(0)] * 4
    for number, entry in enumerate(entries):
        sums[number % 4] += entry
    total = (sums[0] + sums[1]) + (sums[2] + sums[3])
    return {action: float(np.float32(entry / total)) for action, entry in zip(actions, entries, strict=True)}


@pytest.mark.parametrize("actions", [
    list(range(40)), list(range(24, 64)), list(range(63, 20, -1)), [n for n in range(64) if n % 9 != 4],
    [*range(8), *range(9, 25), 60, 30, *range(40, 45)], list(range(7)), [3, 1, 2, 0, 4, 5, 7, 6, 8]])
def test_the_entries_of_the_legal_moves_become_priors(actions):
    draw = np.random.default_rng(len(actions))
    policy = draw.random(64).astype(np.float32)
    policy[actions[0]] = -0.0
    stats = search(lambda observations: (policy[None], np.zeros(1, np.float32)), Scattered(actions), batch=1)
    assert {entry.move: entry.prior for entry in stats.moves} == shares(policy, actions)


@pytest.mark.parametrize("number", [-1.0, float("inf"), float("nan"), -1e-42])
@pytest.mark.parametrize("at", [0, 7, 8, 20, 38, 39])
def test_a_bad_entry_is_found_wherever_it_stands(number, at):
    actions = [n for n in range(44) if n not in (3, 17, 18, 30)]
    policy = np.full(64, 0.5, np.float32)
    policy[actions[at]] = number
    policy[[3, 17, 50]] = float("nan")  # of no legal move
    with pytest.raises(EvaluatorError, match=f"finite number >= 0, got .* for action {actions[at]} in row 0"):
        search(lambda observations: (policy[None], np.zeros(1, np.float32)), Scattered(actions), batch=1)
    policy[actions[at]] = 0.5
    search(lambda observations: (policy[None], np.zeros(1, np.float32)), Scattered(actions), batch=1)
