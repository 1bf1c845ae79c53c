"""src/mcts_core/tree/general_proofs.pxd and the solver of the general tree: against exhaustive search and paper."""

import functools
import pickle
import random

import numpy as np
import pytest
from general_games import Corner
from table_games import GOAL, native_race, start

import mcts_core as mc
from mcts_core.testing.probe import TableState

PROVEN = {1.0: "win", 0.5: "draw", 0.0: "loss"}


@functools.cache
def drawn(number, path):
    """(result, moves, value) of a position of ``Twig``."""
    draw = random.Random(f"{number} {path}")
    over = len(path) == 7 or (len(path) > 0 and draw.random() < 0.2)
    result = draw.choice((1, 0, -1)) if over else None
    return result, list(range(draw.randint(1 if path else 2, 4))), draw.uniform(-1, 1)


class Twig:
    """A random game of two players in turn; ``path``: the moves that led here."""

    def __init__(self, number, path=()):
        self.number, self.path = number, path
        self.to_move = 1 if len(path) % 2 == 0 else -1
        self.result, self.moves, self.value = drawn(number, path)

    def legal_moves(self):
        return self.moves

    def play(self, move):
        return Twig(self.number, (*self.path, move))

    def winner(self):
        return self.result

    actions = 4

    def observation(self):
        return [[[self.value]]]


@functools.cache
def solved(number, path):
    """(value for the player to move, plies to the end with best play: wins short, the rest long)."""
    state = Twig(number, path)
    if state.result is not None:
        return (1 + state.result * state.to_move) / 2, 0
    found = [solved(number, (*path, move)) for move in state.moves]
    best = 1 - min(value for value, _ in found)
    plies = [plies for value, plies in found if 1 - value == best]
    return best, 1 + (min(plies) if best == 1 else max(plies))


def found_by(state, iterations, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine


def value_of(state):
    return None, state.value


def batch(observations):
    return None, observations[:, 0, 0, 0]


@pytest.mark.parametrize("number", range(40))
def test_proofs_are_those_of_exhaustive_search(number):
    """Also at the number of iterations at which only a part is proven."""
    state = Twig(number)
    value, plies = solved(number, ())
    for iterations in (1, 3, 10, 30, 100, 1000, 20000):
        for options in ({"policy_value": value_of}, {"evaluator": batch}, {"evaluator": batch, "batch": 1},
                        {"policy_value": value_of, "root_policy": "gumbel"}):
            stats = found_by(state, iterations, **options).stats()
            for entry in stats.moves:
                if entry.proven is not None:
                    best, after = solved(number, (entry.move,))
                    assert entry.proven == PROVEN[1 - best]
                    # a shorter win may not be found yet, and so a longer defence against it
                    assert entry.distance >= after + 1 if best < 1 else entry.distance <= 8
            if stats.proven is not None:
                assert stats.proven == PROVEN[value] and stats.stop_reason == "solved" and stats.value == value
                assert stats.distance <= 7 and (stats.distance >= plies if value == 1 else True)
                assert 1 - solved(number, (stats.move,))[0] == value  # the move keeps it
            else:
                assert stats.iterations == iterations
                assert {entry.proven for entry in stats.moves} <= {None, "draw", "loss"}
            assert sum(entry.visits for entry in stats.moves) >= stats.iterations == stats.visits
            if not any(entry.proven == "draw" for entry in stats.moves):
                assert sum(entry.visits for entry in stats.moves) == stats.iterations
    assert stats.proven is not None


@pytest.mark.parametrize("number", range(10))
def test_without_a_solver_nothing_is_proven(number):
    stats = found_by(Twig(number), 1000, policy_value=value_of, solver=False).stats()
    assert stats.proven is None and stats.iterations == 1000
    assert {entry.proven for entry in stats.moves} == {None}


class Paper:
    """name -> {move: name} or a result for +1; the names' lengths say who is to move."""

    def __init__(self, tree, name="r", to_move=1):
        self.tree, self.name, self.to_move = tree, name, to_move

    def legal_moves(self):
        return list(self.tree[self.name])

    def play(self, move):
        return Paper(self.tree, self.tree[self.name][move], -self.to_move)

    def winner(self):
        return None if isinstance(self.tree[self.name], dict) else self.tree[self.name]


def test_proofs_on_paper():
    """r: a leads to a position where every answer wins for +1, after 1 and after 3 more plies; b is a draw at once.

    The value of everything is 0, so the descents are a (A), b (drawn), a: x, won for +1. A's x is excluded, so its next
    visit goes to y (Y), and the one after that finds Y's only move, won for +1. Then A and r are proven: 4 plies.
    """
    tree = {"r": {"a": "A", "b": "B"}, "B": 0, "A": {"x": "X", "y": "Y"}, "X": 1, "Y": {"z": "Z"}, "Z": {"w": "W"},
            "W": -1}
    tree["Z"] = 1
    engine = found_by(Paper(tree), 100, policy_value=lambda state: (None, 0.0))
    stats = engine.stats()
    assert stats.proven == "win" and stats.move == "a" and stats.distance == 3 and stats.pv == ("a",)
    assert {entry.move: (entry.proven, entry.distance) for entry in stats.moves} == {"a": ("win", 3), "b": ("draw", 1)}
    top = engine.tree()
    assert [(node.move, node.proven, node.distance, node.children) for node in top.children][0][:3] == ("a", "win", 3)


def test_a_lost_position_is_held_the_longest():
    tree = {"r": {"a": "A", "b": "B"}, "A": -1, "B": {"c": "C"}, "C": {"d": "D"}, "D": -1}
    stats = found_by(Paper(tree), 100, policy_value=lambda state: (None, 0.0)).stats()
    assert (stats.proven, stats.move, stats.distance, stats.value) == ("loss", "b", 3, 0.0)


def test_a_proven_loss_gets_no_more_visits_whatever_its_prior():
    tree = {"r": {"a": "A", "b": "B"}, "A": {"c": "C", "d": "D"}, "C": -1, "D": 0}
    tree["B"] = {"x": "r"}
    stats = found_by(Paper(tree), 50, policy_value=lambda state: ({"a": 0.99, "b": 0.01, "c": 1, "x": 1}, 0.0)).stats()
    lost = next(entry for entry in stats.moves if entry.move == "a")
    assert lost.visits == 2 and lost.proven == "loss" and lost.prior == 0.0 and stats.move == "b"


class Open:
    """Moves 1, 2 and 3 draw at once; what becomes of move 0 shows after 40 moves, good for who begins."""

    def __init__(self, path=()):
        self.path = path
        self.to_move = -1 if len(path) % 2 else 1

    def legal_moves(self):
        return [0, 1] if self.path else [0, 1, 2, 3]

    def play(self, move):
        return type(self)((*self.path, move))

    def winner(self):
        if self.path and self.path[0]:
            return 0
        return int(sum(self.path) > 0) if len(self.path) == 40 else None

    def observation(self):
        return [[[0.6 * self.to_move]]]


class Alone(Open):
    players, to_move = 1, 0

    def __init__(self, path=()):
        self.path = path

    def returns(self):
        return None if self.winner() is None else [(1.0 + self.winner()) / 2]


class Pair(Alone):
    players, constant_sum = 2, True
    to_move = property(lambda self: len(self.path) % 2)

    def returns(self):
        return None if self.winner() is None else [(1.0 + self.winner()) / 2, (1.0 - self.winner()) / 2]


def value_0(observations):
    return np.ones((len(observations), 4)), observations[:, 0, 0, 0]


@pytest.mark.parametrize(("state", "options"), [
    (Open(), {"policy_value": lambda state: (None, 0.6 * state.to_move)}),
    (Open(), {"policy_value": lambda state: (None, 0.6 * state.to_move), "fpu": 1.0}),
    (Open(), {"evaluator": value_0, "batch": 1}),
    (Open(), {"evaluator": value_0, "batch": 8}),
    (Alone(), {}),
    (Alone(), {"policy_value": lambda state: (None, [0.6])}),
    (Pair(), {}),
    (Pair(), {"policy_value": lambda state: (None, [0.6, -0.6])}),
])
def test_several_draws_are_no_reason_to_play_one(state, options):
    """A visit to a draw is counted for the draw that selection came to. Were it another one, selection would come to
    the same draw for ever, and count a visit of the other in each iteration."""
    stats = found_by(state, 2000, **options).stats()
    visits = {entry.move: entry.visits for entry in stats.moves}
    draws = [visits[move] for move in (1, 2, 3)]
    assert stats.move == 0 and stats.proven is None and visits[0] > 1500
    assert 1 <= min(draws) and max(draws) <= min(draws) + 8 + 0.2 * max(draws)
    assert sum(draws) < 400 and sum(visits.values()) <= 2000 + sum(draws)
    assert stats.value > 0.6


def test_sequential_halving_deals_out_visits_to_draws_as_to_all_moves():
    stats = found_by(Open(), 2000, evaluator=value_0, root_policy="gumbel").stats()
    assert stats.move == 0 and sorted(entry.visits for entry in stats.moves) == [250, 250, 750, 750]
    assert stats.moves[0].move == 0 and {entry.value for entry in stats.moves[1:]} == {0.5}


# ---- exact search ----------------------------------------------------------------------------------------------------

def flat(observations):
    return None, np.zeros(len(observations), np.float32)


FORMS = ({"evaluator": flat}, {"policy_value": lambda state: (None, 0.0)})


@pytest.mark.parametrize("form", FORMS, ids=["evaluator", "policy_value"])
@pytest.mark.parametrize(("state", "proven"), [
    (mc.ConnectFour.from_moves("332211"), "win"), (mc.ConnectFour.from_moves("3322"), "win"),
    (mc.ConnectFour.from_moves("33221"), "loss"), (mc.TicTacToe(), "draw"), (mc.ConnectFour(4, 5, 3), "win"),
    (mc.Gomoku.from_moves("h8 a1 h9 c1 h10 e1", size=15), "win"),
], ids=str)
def test_exact_search_proves_the_root(form, state, proven):
    stats = found_by(state, 2000, **form).stats()
    assert stats.proven == proven and stats.stop_reason == "solved"
    if state.play(stats.move).winner() is not None:
        assert stats.distance == 1
        return
    after = mc.search_many([state.play(stats.move)], iterations=20000, seed=1)[0].stats  # by the default search
    assert after.proven == {"win": "loss", "loss": "win", "draw": "draw"}[proven]


@pytest.mark.parametrize("form", FORMS, ids=["evaluator", "policy_value"])
def test_exact_search_at_leaves_saves_evaluations(form):
    state = mc.ConnectFour.from_moves("33442")
    known = found_by(state, 300, **form, root_proofs=0, leaf_proofs=200).stats()
    plain = found_by(state, 300, **form, root_proofs=0, leaf_proofs=0).stats()
    assert known.rollouts < plain.rollouts


def test_proofs_of_exact_search_are_those_of_the_default_search():
    draw = random.Random(5)
    compared = 0
    for _ in range(60):
        state = mc.ConnectFour()
        for _ in range(draw.randint(8, 26)):
            if state.winner() is None:
                state = state.play(draw.choice(state.legal_moves()))
        if state.winner() is not None:
            continue
        one = found_by(state, 400, evaluator=flat).stats()
        other = found_by(state, 20000).stats()
        if one.proven is not None and other.proven is not None:
            compared += 1
            assert one.proven == other.proven
            assert next(entry.proven for entry in other.moves if entry.move == one.move) in (one.proven, None)
    assert compared > 20


def test_the_same_seed_proves_the_same():
    state = mc.ConnectFour.from_moves("33442")
    one, other = (found_by(state, 300, evaluator=flat).stats() for _ in range(2))
    assert one.moves == other.moves and one.nodes == other.nodes


def test_general_games_have_no_solver():
    with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Corner is a general game"):
        found_by(Corner(), 5, policy_value=lambda state: (None, 0.0), solver=True)


# ---- services --------------------------------------------------------------------------------------------------------

def test_proofs_in_many_searches_side_by_side():
    states = [mc.ConnectFour.from_moves(text) for text in ("332211", "3", "33221")]
    together = mc.search_many(states, evaluator=flat, iterations=200, seed=4)
    assert [result.stats.proven for result in together] == ["win", None, "loss"]
    assert [result.stats.stop_reason for result in together] == ["solved", "iterations", "solved"]


def test_a_temperature_draws_no_lost_move_and_plays_a_proven_win():
    state = mc.ConnectFour.from_moves("332")  # 1 or 4 must be played
    for seed in range(30):
        engine = mc.Searcher(evaluator=flat, temperature=10.0, seed=seed)
        move = engine.search(state, iterations=200)
        stats = engine.stats()
        assert {entry.move: entry.proven for entry in stats.moves}[move] != "loss" or stats.proven == "loss"
        engine.search(mc.ConnectFour.from_moves("332211"), iterations=50)
        assert engine.stats().move in (0, 4) and engine.stats().proven == "win"


def test_a_proven_win_is_the_target_of_self_play():
    data = next(mc.selfplay(mc.ConnectFour.from_moves("3322"), games=4, iterations=50, evaluator=flat, seed=1))
    first = data.plies == 0
    assert (data.policies[first].max(axis=1) == 1).all() and (data.results[first] == 1).all()
    assert (data.values[first] == 1).all()


@pytest.mark.parametrize("number", range(20))
def test_trees_are_sound_saved_and_used_again(number):
    from mcts_core.engine import storage

    engine = mc.Searcher(policy_value=value_of, seed=number)
    state = Twig(number)
    for iterations in (3, 10, 30, 100):
        state = Twig(number)
        while state.winner() is None:
            move = engine.search(state, iterations=iterations)
            storage.check(engine._core)
            state = state.play(move)


@pytest.mark.parametrize("number", range(12))
def test_news_of_proofs(number):
    """Two trees that hear of each other prove what is true, and one that hears of a proof has it."""
    from mcts_core.engine.settings import GeneralSettings
    from mcts_core.testing.general_probe import GeneralProbe

    state = Twig(number)
    settings = [GeneralSettings(policy_value=function, c_puct=0.6, solver=True)
                for function in (value_of, lambda state: (None, -state.value))]
    first = GeneralProbe(state, settings[0], seed=1)
    second = GeneralProbe(state, settings[1], seed=2, like=first)
    second.run(1)
    for _ in range(200):
        for one, other in ((first, second), (second, first)):
            if one.proof is None:
                one.run(3)
            news = one.tell()
            assert other.hear(news), news
            assert one.proof is None or other.proof is not None
    value, _ = solved(number, ())
    assert first.proof[0] == second.proof[0] == int(2 * value)
    for probe in (first, second):
        probe.compact()
        probe.check()


def test_news_of_proofs_that_cannot_be():
    from array import array

    from mcts_core.engine.settings import GeneralSettings
    from mcts_core.testing.general_probe import GeneralProbe

    state = Paper({"r": {"a": "A", "b": "B"}, "A": {"x": "X", "y": "X"}, "X": 0, "B": {"z": "Z"}, "Z": 1})
    settings = GeneralSettings(policy_value=lambda state: (None, 0.0), c_puct=0.6, solver=True)
    teller, hearer = GeneralProbe(state, settings), None
    teller.run(30)
    told = array("I", teller.tell())
    hearer = GeneralProbe(state, settings, like=teller)
    hearer.run(2)
    links = [at for at, word in enumerate(told) if word >> 20 == 0x200]
    assert links
    for at in links:
        for word in (0x20000003, 0x3FFFFFFF, 0x40000000, 0x60000001, 0x20040000):
            damaged = array("I", told)
            damaged[at] = word
            assert not hearer.hear(damaged.tobytes())
    assert hearer.hear(told.tobytes())
    without = GeneralProbe(state, GeneralSettings(policy_value=lambda state: (None, 0.0), c_puct=0.6), like=teller)
    without.run(2)
    assert not without.hear(told.tobytes())


# ---- general games with a constant sum -------------------------------------------------------------------------------

class Sprout:
    """A game grown by ``grow``: a leaf is what player 0 gets, any other node (who moves, nodes)."""

    players, constant_sum = 2, True

    def __init__(self, node):
        self.node = node
        self.to_move = 0 if isinstance(node, float) else node[0]

    def legal_moves(self):
        return list(range(len(self.node[1])))

    def chance_outcomes(self):
        return [(move, 1 / len(self.node[1])) for move in self.legal_moves()]

    def play(self, move):
        return type(self)(self.node[1][move])

    def returns(self):
        return [self.node, 1 - self.node] if isinstance(self.node, float) else None


class Undeclared(Sprout):
    constant_sum = False


class Certain(Sprout):
    """One that names no outcomes of chance, so that its nodes have no bounds."""

    chance_outcomes = None


def grow(draw, depth, ends, movers):
    """A random game; who moves is drawn, too, and nobody has to take turns."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(ends)
    return draw.choice(movers), [grow(draw, depth - 1, ends, movers) for _ in range(draw.randint(1, 3))]


def seedling(number, ends=(0.0, 0.5, 1.0), movers=(0, 1), kind=Sprout):
    draw = random.Random(number)
    return kind((draw.choice((0, 1)), [grow(draw, 3, ends, movers) for _ in range(draw.randint(2, 3))]))


def worth(node):
    """What player 0 gets with best play."""
    if isinstance(node, float):
        return node
    values = [worth(child) for child in node[1]]
    return max(values) if node[0] == 0 else min(values) if node[0] == 1 else sum(values) / len(values)


def longest(node):
    return 0 if isinstance(node, float) else 1 + max(map(longest, node[1]))


def assert_proofs_are_true(state, stats):
    mover = state.to_move

    def proof_for(value):
        return PROVEN.get(value if mover == 0 else 1 - value)

    for entry in stats.moves:
        below = state.node[1][entry.move]
        if entry.proven is not None:
            assert entry.proven == proof_for(worth(below)) and 1 <= entry.distance <= 1 + longest(below)
    if stats.proven is not None:
        assert stats.proven == proof_for(worth(state.node)) and stats.stop_reason == "solved"
        assert worth(state.node[1][stats.move]) == worth(state.node)  # the move keeps it


@pytest.mark.parametrize("kind", [Sprout, Certain])
@pytest.mark.parametrize("options", [{}, {"policy_value": lambda state: (None, 0.0)}], ids=["rollouts", "evaluator"])
@pytest.mark.parametrize("number", [
    *range(60), *(pytest.param(each, marks=pytest.mark.slow) for each in range(60, 200))])
def test_constant_sums_are_solved_as_by_exhaustive_search(number, options, kind):
    """With bounds and without."""
    state = seedling(number, kind=kind)
    for iterations in (1, 3, 10, 30, 2000):
        stats = found_by(state, iterations, **options).stats()
        assert_proofs_are_true(state, stats)
        assert sum(entry.visits for entry in stats.moves) >= stats.iterations
    assert stats.proven is not None


RANDOM_GAMES = [{"movers": (0, 1, mc.CHANCE)}, {"ends": (0.0, 0.25, 0.5, 0.75, 1.0)},
                {"ends": (0.0, 0.3, 0.5, 1.0), "movers": (0, 1, 1, mc.CHANCE)}]


@pytest.mark.parametrize("games", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_is_proven_that_is_not_so(games):
    """Of random games with chance and with other ends than wins, losses and draws, after few iterations and many."""
    engine, proven, partly = mc.Searcher(reuse=False), 0, 0
    for number in range(games):
        state = seedling(number, **RANDOM_GAMES[number % 3])
        engine.search(state, iterations=1 + number * 7 % 90)
        stats = engine.stats()
        assert_proofs_are_true(state, stats)
        proven += stats.proven is not None
        partly += stats.proven is None and any(entry.proven for entry in stats.moves)
    assert proven > games // 10 and partly > games // 20


def test_a_chance_node_is_proven_when_all_of_its_outcomes_are_equal():
    even, uneven = (mc.CHANCE, [1.0, (1, [1.0])]), (mc.CHANCE, [1.0, 0.0])
    stats = found_by(Sprout((0, [uneven, even])), 200).stats()
    assert (stats.move, stats.proven, stats.distance) == (1, "win", 3)
    stats = found_by(Sprout((0, [uneven, 0.0])), 200).stats()  # its value is proven by bounds, and is no draw
    assert {entry.move: entry.proven for entry in stats.moves} == {0: None, 1: "loss"}
    assert stats.value == pytest.approx(0.5, abs=1e-9)
    assert (stats.proven, stats.stop_reason, stats.iterations < 200) == (None, "solved", True)


def test_what_is_proven_lost_is_left():
    """a loses after a reply that must be found; b is unclear, and all further visits go there."""
    deep = (1, [(0, [0.25, 0.75]), (0, [0.75, 0.25])])
    stats = found_by(Certain((0, [(1, [0.0, 1.0]), deep])), 500).stats()
    lost, other = sorted(stats.moves, key=lambda entry: entry.move)
    assert lost.proven == "loss" and lost.distance == 2 and lost.visits < 10 and other.visits > 490
    assert stats.move == 1 and stats.iterations == 500


def test_a_copy_of_a_solved_search_has_its_proof():
    engine = found_by(seedling(1), 2000)
    stats = pickle.loads(pickle.dumps(engine)).stats()
    assert stats.proven is not None and stats == engine.stats()


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}])
def test_without_a_solver_constant_sums_are_not_proven(options):
    stats = found_by(seedling(1), 500, **options).stats()
    assert stats.proven is None and stats.iterations == 500


def test_a_sum_that_is_not_declared_proves_nothing():
    """With an evaluator; by rollouts there are bounds."""
    options = {"policy_value": lambda state: (None, 0.0)}
    stats = found_by(seedling(1, kind=Undeclared), 500, **options).stats()
    assert stats.proven is None and stats.iterations == 500
    with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Undeclared is a general game without "
                                               "constant_sum"):
        found_by(seedling(1, kind=Undeclared), 5, solver=True, **options)
    assert found_by(seedling(1, kind=Undeclared), 500).stats().bounds is not None


def test_a_sum_that_does_not_hold_is_refused():
    class Generous(Sprout):
        def returns(self):
            values = super().returns()
            return values and [values[0], 1.0]

    with pytest.raises(mc.GameError, match=r"returns\(\) must return two numbers that sum to 1, because"):
        found_by(Generous(seedling(1).node), 100)
    assert "sum to 1" in mc.check_game(Generous(seedling(1).node), 20).problems[0].text


def test_where_a_sum_cannot_be_constant():
    class Lonely(Sprout):
        players = 1

    class Paid(Sprout):
        def rewards(self):
            return [0.0, 0.0]

    class Unsure(Sprout):
        constant_sum = "yes"

    for kind, message in ((Lonely, "constant_sum is for games of two players or more .* with 1 of them"),
                          (Paid, "constant_sum is for games of two players or more without rewards"),
                          (Unsure, "constant_sum must be True or False, got 'yes'")):
        with pytest.raises(mc.InvalidState, match=message):
            found_by(kind(seedling(1).node), 10)


class Constant(TableState):
    constant_sum = True


def constant_race(*steps):
    def returns(context, state, values):
        values[0] = float(state[0].steps[0] >= GOAL)
        values[1] = 1 - values[0]
        return 0

    return native_race(2, {"returns": returns}, Constant)(start(*steps))


@pytest.mark.parametrize("threads", [1, 2])
def test_native_games_with_a_constant_sum(threads):
    """A step wins from 5; from 4 it loses, because the other one is at 5, and the die may do anything."""
    stats = found_by(constant_race(5, 3), 2000, threads=threads).stats()
    assert (stats.move, stats.proven, stats.distance) == (0, "win", 1)
    stats = found_by(constant_race(4, 5), 2000, threads=threads, exchange_every=100).stats()
    assert {entry.move: (entry.proven, entry.distance) for entry in stats.moves} == {0: ("loss", 2), 1: (None, None)}
    assert (stats.move, stats.proven) == (1, None)


def test_a_sum_of_a_native_game_that_does_not_hold():
    """The loser of the race has a quarter, too."""
    with pytest.raises(mc.GameError):
        found_by(native_race(2, kind=Constant)(start(5, 3)), 100)
