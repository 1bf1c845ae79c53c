"""mcts_core/tree/general_proofs.pxd and the solver of searches by evaluations: against exhaustive search and paper."""

import functools
import random

import numpy as np
import pytest
from general_games import Corner

import mcts_core as mc

PROVEN = {1.0: "win", 0.5: "draw", 0.0: "loss"}


class Twig:
    """A random game of two players in turn; ``path``: the moves that led here."""

    def __init__(self, number, path=()):
        self.number, self.path = number, path
        self.to_move = 1 if len(path) % 2 == 0 else -1
        draw = random.Random(f"{number} {path}")
        over = len(path) == 7 or (len(path) > 0 and draw.random() < 0.2)
        self.result = draw.choice((1, 0, -1)) if over else None
        self.moves = list(range(draw.randint(1 if path else 2, 4)))
        self.value = draw.uniform(-1, 1)

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
