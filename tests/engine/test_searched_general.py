"""src/mcts_core/engine/searched_general.pyx, engine/turn.pyx and the facade over them: budgets, stop rules, signals,
the choice of the move, background searches."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest
from general_games import Corner, Dice, by_position, flat
from general_oracle import Tangle, network
from noughts import Noughts
from table_games import Race, native_race, start

import mcts_core as mc
from mcts_core import defaults
from mcts_core.engine.loop import clock
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_general import GeneralCore
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import GeneralSettings, TwoPlayerSettings
from mcts_core.engine.turn import Claim, Halt
from mcts_core.games.mnk.weights import shipped

START = mc.ConnectFour()
SOON = 5.0
KINDS = {
    "rollouts": (Race(), {}),
    "evaluator": (START, {"evaluator": flat}),
    "policy_value": (Race(), {"policy_value": lambda state: (None, [0.0, 0.0, 0.0])}),
}
every_kind = pytest.mark.parametrize(("state", "options"), KINDS.values(), ids=KINDS.keys())


def slow(observations):
    time.sleep(0.001)
    return flat(observations)


# ---- budgets ---------------------------------------------------------------------------------------------------------

@every_kind
def test_iterations_are_exact(state, options):
    engine = mc.Searcher(seed=1, **options)
    for iterations in (1, 2, 7, 8, 9, 64, 1007):
        engine.search(state, iterations=iterations)
        stats = engine.stats()
        assert stats.iterations == stats.visits == iterations == sum(entry.visits for entry in stats.moves)
        assert stats.stop_reason == "iterations" and stats.overshoot == 0.0
        assert stats.proven is None and stats.reused_visits == 0 and stats.threads == 1


@every_kind
def test_same_seed_same_search(state, options):
    def run(seed, **more):
        engine = mc.Searcher(seed=seed, **options, **more)
        move = engine.search(state, iterations=400)
        stats = engine.stats()
        return move, stats.moves, stats.values, stats.pv, stats.nodes, stats.bytes, stats.depth_mean

    assert run(11) == run(11)
    noise = {} if "rollouts_per_leaf" in options or not options else {"noise_alpha": 0.5}
    assert run(11, **noise) != run(12, **noise)


@every_kind
def test_a_searcher_forgets_the_search_before(state, options):
    engine = mc.Searcher(seed=5, **options)
    engine.search(state, iterations=300)
    engine.search(state.play(state.legal_moves()[0]), iterations=900)
    engine.search(state, iterations=300)
    again = engine.stats()
    alone = mc.Searcher(seed=again.seed, **options)
    alone.search(state, iterations=300)
    first = alone.stats()
    for name in ("moves", "nodes", "bytes", "rollouts", "pv"):
        assert getattr(first, name) == getattr(again, name)


@every_kind
def test_slices_do_not_change_a_search(state, options):
    one, two = mc.Searcher(seed=9, **options), mc.Searcher(seed=9, stop_early=False, **options)
    one.search(state, iterations=3000)
    two.search(state, seconds=60, iterations=3000)
    assert one.stats().moves == two.stats().moves and two.stats().stop_reason == "iterations"


@pytest.mark.alone
@pytest.mark.parametrize("kind", [*KINDS, "slow evaluator"])
def test_a_time_budget_is_used_and_kept(kind):
    state, options = KINDS.get(kind, (START, {"evaluator": slow}))
    engine = mc.Searcher(stop_early=False, **options)
    overshoots = []
    for _ in range(4):
        begin = time.perf_counter()
        engine.search(state, 0.02)
        took = time.perf_counter() - begin
        stats = engine.stats()
        assert stats.stop_reason == "time" and took >= 0.0198
        assert stats.overshoot == pytest.approx(stats.seconds - 0.02, abs=1e-9)
        overshoots.append(stats.overshoot)
    assert min(overshoots) < 0.01


def test_an_evaluator_that_is_slower_than_the_budget_gives_a_move():
    def very_slow(observations):
        time.sleep(0.02)
        return flat(observations)

    engine = mc.Searcher(evaluator=very_slow)
    assert engine.search(START, 0.001) in range(7)
    assert engine.stats().iterations >= 1 and engine.stats().stop_reason == "time"


@pytest.mark.parametrize("options", [{"evaluator": flat}, {"policy_value": lambda state: (None, 0.0), "batch": 3}])
def test_a_full_memory_ends_the_search(options):
    small, large = (mc.Searcher(memory_mb=size, seed=4, prune=False, reuse=False, solver=False, **options)
                    for size in (1, 64))
    small.search(START, iterations=10**6)
    stats = small.stats()
    assert stats.stop_reason == "memory" and 0.9 * 2**20 < stats.bytes <= 2**20
    assert sum(entry.visits for entry in stats.moves) == stats.iterations
    if options.get("batch", 8) != 8:
        assert small.search(START, iterations=100) in range(7) and small.stats().stop_reason == "iterations"
        return
    # the last batch was cut by the memory; up to there the searches are the same
    before = stats.iterations // 8 * 8 - 8
    large.search(START, iterations=before)
    small.search(START, iterations=before)
    assert small.stats().stop_reason == "iterations" and small.stats().moves == large.stats().moves


def test_a_full_memory_ends_a_search_by_rollouts():
    class Deep(Dice):
        def legal_moves(self):
            return list(range(8))

        def play(self, move):
            return Deep(8 * self.total + move + 1)

        def returns(self):
            return None if self.total < 8**8 else [self.total % 97 / 97]

    engine = mc.Searcher(memory_mb=1, seed=4, prune=False)
    engine.search(Deep(), iterations=10**6)
    stats = engine.stats()
    assert stats.stop_reason == "memory" and 0.9 * 2**20 < stats.bytes <= 2**20
    again = mc.Searcher(memory_mb=64, seed=4)
    again.search(Deep(), iterations=stats.iterations)
    assert again.stats().moves == stats.moves


def test_a_root_that_does_not_fit_is_no_crash():
    class Wide(Dice):
        def legal_moves(self):
            return list(range(65_520))

    for options in ({}, {"policy_value": lambda state: (None, 0.0)}):
        engine = mc.Searcher(memory_mb=1, **options)
        with pytest.raises(mc.InvalidOption, match="memory_mb must be larger for this position, .* got 1$"):
            engine.search(Wide(), iterations=5)
        assert engine.search(Dice(7), iterations=500) == "stop"


def test_the_number_of_moves_has_a_limit():
    class Wide(Dice):
        def legal_moves(self):
            return list(range(65_521))

    with pytest.raises(mc.GameError, match="at most 65520 moves, got 65521"):
        mc.search(Wide(), iterations=5)


# ---- stopping early --------------------------------------------------------------------------------------------------

class Forced(Corner):
    def legal_moves(self):
        return ["left"] if self.path == "" else ["left", "right"]


def test_one_legal_move_needs_no_search():
    for options in ({"solver": False}, {"policy_value": lambda state: (None, 0.0)}):
        engine = mc.Searcher(seed=1, **options)
        assert engine.search(Forced(), 10) == "left"
        assert engine.stats().stop_reason == "only_move" and engine.stats().iterations == 1
        engine.search(Forced(), iterations=20)
        assert engine.stats().stop_reason == "iterations" and engine.stats().iterations == 20


@pytest.mark.alone
def test_a_lead_that_nothing_overtakes_ends_the_search():
    class Clear(Corner):
        def returns(self):
            return [0.9 * (self.path[0] == "l")] if len(self.path) == 2 else None

    for options in ({"solver": False}, {"policy_value": lambda state: (None, 0.0)}):
        engine = mc.Searcher(seed=1, stop_early=True, **options)
        assert engine.search(Clear(), iterations=5000) == "left"
        stats = engine.stats()
        assert stats.stop_reason == "decided" and stats.iterations < 5000
        first, second = stats.moves
        assert first.visits - second.visits > 5000 - stats.iterations
        assert engine.search(Clear(), 1.0) == "left"
        assert engine.stats().stop_reason == "decided" and engine.stats().seconds < 0.95
        # where visits are data all of them are wanted
        drawn = mc.Searcher(seed=1, stop_early=True, temperature=1.0, **options)
        drawn.search(Clear(), iterations=5000)
        assert drawn.stats().stop_reason == "iterations"


# ---- the move --------------------------------------------------------------------------------------------------------

class Menu:
    """Each move ends the game with a value of its own for the only player."""

    players, to_move = 1, 0

    def __init__(self, values, chosen=None):
        self.values, self.chosen = values, chosen

    def legal_moves(self):
        return list(self.values)

    def play(self, move):
        return Menu(self.values, move)

    def returns(self):
        return None if self.chosen is None else [self.values[self.chosen]]


def test_robust_and_max():
    menu = Menu({"a": 0.3, "b": 0.8, "c": 0.5})
    for final_move in ("robust", "max"):
        engine = mc.Searcher(seed=1, final_move=final_move)
        assert engine.search(menu, iterations=200) == "b"
    prior = {"a": 1.0, "b": 0.0, "c": 0.0}
    robust, best = (mc.Searcher(seed=1, final_move=rule, c_puct=2.0, fpu=1.0, policy_value=lambda state: (prior, 0.0))
                    for rule in ("robust", "max"))
    assert robust.search(menu, iterations=12) == "a" and best.search(menu, iterations=12) == "b"
    assert robust.stats().moves == best.stats().moves


def test_a_move_that_wins_at_once_is_played():
    prior = {"a": 1.0, "b": 0.0}
    engine = mc.Searcher(seed=1, policy_value=lambda state: (prior, 0.0), c_puct=0.5, fpu=0.7)
    assert engine.search(Menu({"a": 0.6, "b": 1.0}), iterations=30) == "b"
    assert engine.stats().moves[0].move == "a"
    engine.search(Menu({"a": 0.6, "b": 0.99}), iterations=30)
    assert engine.stats().move == "a"


def test_temperature_draws_moves_by_visits():
    menu = Menu({"a": 0.5, "b": 0.45, "c": 0.4})
    exact = mc.Searcher(seed=1, exploration=1.0, solver=False)
    exact.search(menu, iterations=60)
    visits = {entry.move: entry.visits for entry in exact.stats().moves}
    for temperature, power in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.5), (1e6, 0.0)):
        count = 600
        drawn = []
        for seed in range(count):
            engine = mc.Searcher(seed=seed, exploration=1.0, solver=False, temperature=temperature)
            move = engine.search(menu, iterations=60)
            drawn.append(move)
            assert engine.stats().move == move == engine.stats().pv[0] == engine.stats().move
        weights = {move: number**power for move, number in visits.items()}
        for move, weight in weights.items():
            share = weight / sum(weights.values())
            assert drawn.count(move) / count == pytest.approx(share, abs=5 * (share * (1 - share) / count) ** 0.5)
    for temperature in (0.0, 1e-3, 1e-300):
        engine = mc.Searcher(seed=3, exploration=1.0, solver=False, temperature=temperature)
        assert engine.search(menu, iterations=60) == "a"
    same = [mc.Searcher(seed=8, exploration=1.0, solver=False, temperature=1.0).search(menu, iterations=60)
            for _ in range(3)]
    assert len(set(same)) == 1


def test_a_move_without_a_visit_is_never_drawn():
    menu = Menu({"a": 0.5, "b": 0.45, "c": 0.4})
    for seed in range(50):
        engine = mc.Searcher(seed=seed, policy_value=lambda state: ({"b": 1}, 0.0), fpu=0.0, temperature=1e6)
        assert engine.search(menu, iterations=10) == "b"


def test_noise_reaches_every_move_of_the_root():
    def sure(observations):
        policy, values = flat(observations)
        return policy * [1, 0, 0, 0, 0, 0, 0], values

    engine = mc.Searcher(seed=1, evaluator=sure, fpu=0.0)
    engine.search(START, iterations=50)
    assert [entry.visits for entry in engine.stats().moves] == [50, 0, 0, 0, 0, 0, 0]
    reached, first = set(), set()
    for seed in range(40):
        engine = mc.Searcher(seed=seed, evaluator=sure, noise_alpha=0.3, noise_weight=1.0)
        engine.search(START, iterations=50)
        first.add(engine.stats().moves[0].move)
        reached |= {entry.move for entry in engine.stats().moves if entry.visits}
    assert reached == set(range(7)) and len(first) > 3
    quiet = mc.Searcher(seed=1, evaluator=sure, noise_alpha=0.3, noise_weight=0.0, fpu=0.0)
    quiet.search(START, iterations=50)
    assert [entry.visits for entry in quiet.stats().moves] == [50, 0, 0, 0, 0, 0, 0]


# ---- options ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("options", "text"), [
    ({"evaluator": 5}, "evaluator must be a function, got 5"),
    ({"policy_value": "f"}, "policy_value must be a function"),
    ({"evaluator": flat, "policy_value": flat}, "give one of them"),
    ({"batch": 8}, "batch needs an evaluator or policy_value"),
    ({"evaluator": flat, "batch": 0}, "batch must be an int from 1 to 4096, got 0"),
    ({"evaluator": flat, "batch": 4097}, "batch must be"),
    ({"evaluator": flat, "batch": 2.0}, "batch must be"),
    ({"evaluator": flat, "c_puct": -1}, "c_puct must be"),
    ({"evaluator": flat, "c_puct": float("nan")}, "c_puct must be"),
    ({"evaluator": flat, "noise_alpha": 0}, "noise_alpha must be"),
    ({"evaluator": flat, "noise_weight": 1.5}, "noise_weight must be"),
    ({"temperature": -1}, "temperature must be"),
    ({"temperature": "hot"}, "temperature must be a number"),
])
def test_bad_options(options, text):
    with pytest.raises(mc.InvalidOption, match=text):
        mc.Searcher(**options)


@pytest.mark.parametrize(("state", "options", "text"), [
    (Race(), {"selection": "rave"}, "selection 'rave' has no meaning here: Race is a general game"),
    (Race(), {"policy_value": flat, "solver": True}, "solver True has no meaning here"),
    (Race(), {"rollout": "decisive"}, "rollout 'decisive'"),
    (START, {"evaluator": flat, "exploration": 0.3}, "exploration 0.3 has no meaning here: an evaluator is given"),
    (START, {"evaluator": flat, "rollouts_per_leaf": 2}, "rollouts_per_leaf 2 has no meaning"),
    (START, {"evaluator": flat, "node_proofs": 4}, "node_proofs 4 has no meaning here: an evaluator is given"),
    (Race(), {"policy_value": lambda state: (None, 0.0), "leaf_proofs": 4}, "leaf_proofs 4 has no meaning"),
    (START, {"c_puct": 1.0}, "c_puct 1.0 needs an evaluator or selection 'puct'"),
    (START, {"noise_alpha": 0.3}, "noise_alpha 0.3 needs"),
    (START, {"noise_weight": 0.3}, "noise_weight 0.3 needs"),
    (START, {"least_prior": 0.3}, "least_prior 0.3 needs selection 'puct'"),
    (START, {"temperature": 1.0}, "temperature 1.0 needs an evaluator or a general game"),
    (Race(), {"c_puct": 1.0}, "c_puct 1.0 needs an evaluator for such a game, got "),
    (Race(), {"noise_alpha": 0.3}, "noise_alpha 0.3 needs an evaluator"),
    (Race(), {"noise_weight": 0.3}, "noise_weight 0.3 needs an evaluator"),
    (Race(), {"least_prior": 0.3}, "least_prior 0.3 needs selection 'puct' and has no meaning here: Race is a general"),
    (Race(), {"network": shipped()}, "network .* needs selection 'puct' and has no meaning here: Race is a general"),
    (START, {"evaluator": flat, "least_prior": 0.3}, "least_prior 0.3 .* has no meaning here: an evaluator is given"),
    (Race(), {"policy_value": flat, "least_prior": 0.3}, "least_prior 0.3 .* no meaning here: an evaluator is given"),
])
def test_options_that_have_no_meaning(state, options, text):
    with pytest.raises(mc.InvalidOption, match=text):
        mc.Searcher(**options).search(state, iterations=5)


@pytest.mark.parametrize("name", defaults.UCT)
def test_an_option_at_its_value_of_textbook_uct_is_taken(name):
    assert mc.search(Race(), iterations=5, **{name: defaults.UCT[name]}) in Race().legal_moves()


def test_the_options_are_told():
    assert mc.Searcher().options(Race()) == {
        "final_move": "robust", "fpu": None, "exploration": 0.5**0.5, "rollouts_per_leaf": 1, "temperature": 0.0,
        "exchange_every": 4000, "solver": True}
    assert mc.Searcher(evaluator=flat, noise_alpha=0.3).options(START) == {
        "final_move": "robust", "fpu": None, "batch": 8, "c_puct": 0.625, "noise_alpha": 0.3, "noise_weight": 0.25,
        "temperature": 0.0, "evaluator": flat, "root_policy": "puct", "solver": True, "leaf_proofs": 8,
        "root_proofs": 16}
    assert mc.Searcher(evaluator=flat, root_policy="gumbel").options(START) == {
        "final_move": "robust", "batch": 8, "evaluator": flat, "root_policy": "gumbel", "gumbel_moves": 16,
        "gumbel_scale": 1.0, "solver": True, "leaf_proofs": 8, "root_proofs": 16}
    assert "solver" not in mc.Searcher(policy_value=flat).options(Race())
    assert mc.Searcher(policy_value=flat).options(START)["batch"] == 1
    assert "batch=3" in repr(mc.Searcher(evaluator=flat, batch=3))
    for preset in ("uct", "strong"):
        mc.Searcher(preset=preset, evaluator=flat).search(START, iterations=3)
        mc.Searcher(preset=preset).search(Race(), iterations=3)


def test_stats_of_an_ordinary_game_have_no_values():
    mc.search(START, iterations=20)
    assert mc.stats().values is None and mc.stats().to_dict()["values"] is None
    mc.search(Race(), iterations=20, seed=1)
    stats = mc.stats()
    assert len(stats.values) == 3 and stats.value == stats.values[0]
    played = next(entry for entry in stats.moves if entry.move == stats.move)
    assert str(stats).startswith(f"move {stats.move}  value {played.value:.3f}")


class Known:
    """A hand-made game: a node is (player, its children), a leaf the values of all players."""

    constant_sum = True

    def __init__(self, node):
        self.node = node
        self.to_move = node[0] if isinstance(node, tuple) else 0

    def legal_moves(self):
        return list(range(len(self.node[1])))

    def play(self, move):
        return type(self)(self.node[1][move])

    def returns(self):
        return self.node if isinstance(self.node, list) else None


class KnownTwo(Known):
    players = 2


class KnownThree(Known):
    players = 3


def test_values_of_a_solved_search_are_proven_and_have_the_constant_sum():
    first, second, third = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    tree = (2, [(0, [first, second]), (1, [first, second, third]), (0, [third, first])])  # player 2 loses for sure
    mc.search(KnownThree(tree), iterations=500, seed=1)
    stats = mc.stats()
    assert (stats.proven, stats.stop_reason, stats.value) == ("loss", "solved", 0.0)
    assert stats.values[2] == 0.0 and sum(stats.values) == pytest.approx(1) and stats.values[0] > stats.values[1] > 0
    tree = (2, [(0, [first, second]), (1, [second, third])])
    mc.search(KnownThree(tree), iterations=500, seed=1)
    assert sum(mc.stats().values) == pytest.approx(1)
    tree = (0, [(1, [first, first]), (1, [second, third])])
    mc.search(KnownThree(tree), iterations=500, seed=1)
    assert mc.stats().values == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("options", [{}, {"policy_value": lambda state: (None, 0.0)}], ids=["rollouts", "evaluator"])
def test_values_of_two_players_agree_with_a_proof(player, options):
    win, loss = [1.0 - player, 1.0 * player], [1.0 * player, 1.0 - player]
    other = 1 - player
    for tree, value in (((player, [(other, [win, loss]), (other, [loss, win]), (other, [win, win])]), 1.0),
                        ((player, [(other, [win, loss]), (other, [loss, win])]), 0.0),
                        ((player, [(other, [[0.5, 0.5], win]), (other, [loss, win])]), 0.5)):
        mc.search(KnownTwo(tree), iterations=500, seed=1, **options)
        stats = mc.stats()
        assert stats.stop_reason == "solved" and stats.value == stats.values[player] == value
        assert sum(stats.values) == 1.0


# ---- one Searcher, two kinds of trees --------------------------------------------------------------------------------

def test_a_searcher_takes_games_of_both_kinds():
    def found(engine, state):
        engine.search(state, iterations=200)
        return engine.stats().moves, engine.stats().nodes

    engine, native = mc.Searcher(seed=1), native_race()(start())
    for _ in range(3):
        for state in (Race(), START, native):
            moves = found(engine, state)
            assert moves == found(mc.Searcher(seed=engine.stats().seed), state)
    assert found(mc.Searcher(seed=1), Race()) == found(mc.Searcher(seed=1), native)


class Nested(Noughts):
    """Its moves ask for another search, with the same options."""

    def play(self, move):
        mc.search(START, iterations=5)
        return super().play(move)


def test_a_search_that_is_called_within_one_of_the_same_searcher():
    words = "game, evaluator or progress callback of a search called the Searcher that runs it; make another Searcher"
    with pytest.raises(mc.GameError, match=words) as caught:
        mc.search(Nested(), iterations=20)
    assert isinstance(caught.value.__cause__, mc.SearchBusy)
    mc.search(Nested(), iterations=20, exploration=1.0)  # it has a Searcher of its own

    def figures(state):
        return engine.stats(), 0.0

    engine = mc.Searcher(policy_value=figures)
    with pytest.raises(mc.EvaluatorError, match="SearchBusy: this Searcher is searching; its statistics"):
        engine.search(START, iterations=5)


def test_busy_with_a_game_of_the_other_kind():
    engine = mc.Searcher(seed=1, solver=False)  # no search ends by itself
    for pondered, other in ((START, Race()), (Race(), START)):
        engine.ponder(pondered)
        with pytest.raises(mc.SearchBusy, match="another thread"):
            engine.search(other, iterations=5)
        assert engine.stop().stop_reason == "cancelled"
        engine.search(other, iterations=5)
        assert engine.stats().iterations == 5


# ---- threads, progress, cancelling -----------------------------------------------------------------------------------

@every_kind
def test_ponder_and_stop(state, options):
    engine = mc.Searcher(seed=1, **options)
    for _ in range(3):
        engine.ponder(state)
        time.sleep(0.005)
        with pytest.raises(mc.SearchBusy, match="another thread"):
            engine.search(state, iterations=1)
        stats = engine.stop()
        assert stats.stop_reason == "cancelled" and stats.iterations >= 1
        assert sum(entry.visits for entry in stats.moves) == stats.iterations
        assert engine.stats() == stats
    with engine.pondering(state):
        time.sleep(0.005)
    assert engine.stats().stop_reason == "cancelled"
    engine.search(state, iterations=20)
    assert engine.stats().iterations == 20


@pytest.mark.alone
@every_kind
def test_progress(state, options):
    engine, reports = mc.Searcher(seed=1, stop_early=False, **options), []
    engine.search(state, 0.1, progress=reports.append, every=0.01)
    assert len(reports) >= 2
    for stats in reports:
        assert stats.stop_reason == "running" and sum(entry.visits for entry in stats.moves) == stats.iterations > 0
    counts = [stats.iterations for stats in reports]
    assert counts == sorted(counts) and engine.stats().iterations >= counts[-1]
    with pytest.raises(ZeroDivisionError):
        engine.search(state, 5, progress=lambda stats: 1 / 0, every=0.01)
    assert engine.stats().stop_reason == "cancelled"


@pytest.mark.alone
@every_kind
def test_watch_and_asyncio(state, options):
    engine = mc.Searcher(seed=1, stop_early=False, **options)
    seen = [stats.stop_reason for stats in engine.watch(state, 0.2, every=0.02)]
    assert seen[-1] == "time" and set(seen[:-1]) == {"running"}
    move = asyncio.run(engine.search_async(state, iterations=50))
    assert move == engine.stats().move and engine.stats().iterations == 50


def test_stop_within_a_slow_evaluator():
    engine = mc.Searcher(evaluator=slow, seed=1)
    engine.ponder(START)
    time.sleep(0.01)
    begin = time.monotonic()
    assert engine.stop().stop_reason == "cancelled"
    assert time.monotonic() - begin < SOON


def test_an_error_comes_out_of_stop():
    def broken(observations):
        raise KeyError("on demand")

    engine = mc.Searcher(evaluator=broken, seed=1)
    engine.ponder(START)
    with pytest.raises(mc.EvaluatorError, match="on demand"):
        while True:
            engine.stop()
    assert engine.stop() is None


def test_searches_in_threads_do_not_disturb_each_other():
    expected, found = {}, {}

    def run(seed):
        engine = mc.Searcher(seed=seed, evaluator=network)
        engine.search(Tangle(seed), iterations=300)
        return engine.stats().moves

    for seed in range(4):
        expected[seed] = run(seed)
    workers = [threading.Thread(target=lambda seed=seed: found.update({seed: run(seed)})) for seed in expected]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == expected


CTRL_C = """
import sys
sys.path[:0] = {path!r}
import signal, threading, time
import mcts_core as mc
from general_oracle import Tangle
from table_games import Race, native_race, start
from general_games import flat
engine = mc.Searcher(seed=1, stop_early=False, {options})
sent = []
def interrupt():
    time.sleep(0.2)
    sent.append(time.perf_counter())
    signal.raise_signal(signal.SIGINT)
worker = threading.Thread(target=interrupt)
worker.start()
try:
    engine.search({state}, 30)
except KeyboardInterrupt:
    delay = time.perf_counter() - sent[0]
else:
    sys.exit("no KeyboardInterrupt")
worker.join()
stats = engine.stats()
assert stats.stop_reason == "cancelled" and stats.iterations > 0, stats
assert sum(entry.visits for entry in stats.moves) == stats.iterations
engine.search({state}, iterations=50)
assert engine.stats().iterations == 50
print(delay)
"""


@pytest.mark.parametrize(("state", "options"), [
    ("Race()", ""), ("mc.ConnectFour()", "evaluator=flat"),
    ("mc.ConnectFour()", "policy_value=lambda state: (None, 0.0)")])
def test_ctrl_c(state, options, tmp_path):
    code = CTRL_C.format(path=[os.path.dirname(os.path.dirname(__file__)), *sys.path], state=state, options=options)
    delays = []
    for _ in range(2):  # a busy machine may delay one of them
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60)
        assert done.returncode == 0, done.stderr
        delays.append(float(done.stdout))
        if delays[-1] < 0.05:
            break
    assert min(delays) < 0.05


# ---- the core --------------------------------------------------------------------------------------------------------

def test_core_without_a_search():
    core = GeneralCore(2**20)
    assert core.figures() is None and core.held == 0
    core.release()
    assert core.figures() is None and core.held == 0 and core.wait(core.cancel())


def test_release_gives_the_arena_back():
    core = GeneralCore(2**28)
    for _ in range(2):
        core.search(SearchRequest(START, GeneralSettings(evaluator=flat), clock(), iterations=1000, seed=1))
        assert core.figures()["iterations"] == 1000 and core.held >= core.figures()["bytes"]
        core.release()
        assert core.figures() is None and core.held == 0


def test_a_claimed_core():
    core, other = GeneralCore(2**24), GeneralCore(2**24)
    request = SearchRequest(Race(), GeneralSettings(exploration=0.7), clock(), iterations=10, seed=1)
    claim = Claim(core)
    for call in (lambda: Claim(core), core.figures, core.release, core.check_free,
                 lambda: core.search(request)):
        with pytest.raises(mc.SearchBusy, match="in another thread"):
            call()
    del claim  # whoever has it last gives the core back
    core.check_free()
    claim = Claim(core)
    with pytest.raises(ValueError, match="its own core"):
        other.search(request, claim)
    core.search(request, claim)
    assert core.figures()["iterations"] == 10
    with pytest.raises(ValueError, match="no other search has had"):
        core.search(request, claim)
    core.cancel()  # a search of the past
    core.search(request)
    assert core.figures()["stop_reason"] == "iterations"
    assert other.search(request) in Race().legal_moves()


PLAIN = TwoPlayerSettings(guided=False, exploration=0.7, rollouts_per_leaf=1, by_value=False)


@pytest.mark.parametrize(("core", "state", "settings"), [
    (GeneralCore(2**24), Race(), GeneralSettings(exploration=0.7)),
    (TwoPlayerCore(2**24), START, PLAIN),
    (TwoPlayerCore(2**24, 2), START, PLAIN),
], ids=["general", "one thread", "two threads"])
def test_a_halt_ends_all_that_it_is_given_to(core, state, settings):
    halt = Halt()
    assert not halt.told
    timer = threading.Timer(0.05, halt.tell)
    timer.start()
    core.search(SearchRequest(state, settings, clock(), iterations=2**29, seed=1, halt=halt))
    timer.join()
    assert halt.told and core.figures()["stop_reason"] == "cancelled"
    core.search(SearchRequest(state, settings, clock(), iterations=2**29, seed=1, halt=halt))  # also what begins later
    assert core.figures()["stop_reason"] == "cancelled"
    core.search(SearchRequest(state, settings, clock(), iterations=2000, seed=1))
    assert core.figures()["stop_reason"] == "iterations"


def test_a_cancelled_search_is_waited_for():
    """Nobody is told that it is busy when it is about to end."""
    core, settings = GeneralCore(2**24), GeneralSettings(exploration=0.7)
    short = SearchRequest(Race(), settings, clock(), iterations=10, seed=1)
    for call in (core.figures, core.check_free, lambda: core.search(short)):
        begun = threading.Event()

        def progress(figures, begun=begun):
            begun.set()
            time.sleep(0.05)

        request = SearchRequest(Race(), settings, clock(), 60.0, seed=1, progress=progress, every=0.001)
        worker = threading.Thread(target=core.search, args=(request,))
        worker.start()
        assert begun.wait(SOON)
        core.cancel()
        call()
        worker.join(SOON)
        assert not worker.is_alive()


@pytest.mark.needs("fork")
def test_a_fork_while_it_searches(tmp_path):
    code = f"""
import sys
sys.path[:0] = {[os.path.dirname(os.path.dirname(__file__)), *sys.path]!r}
import os, time
import mcts_core as mc
from table_games import Race
engine = mc.Searcher(seed=1)
engine.ponder(Race())
time.sleep(0.05)
child = os.fork()
if child == 0:
    engine.search(Race(), iterations=77)
    os._exit(0 if engine.stats().iterations == 77 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert engine.stop().stop_reason == "cancelled"
print("done")
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=tmp_path,
                          timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_the_line_of_a_proven_root_gives_nothing_away():
    """Where exact search has proven the root, visits say nothing of the best play below: the line ends before that."""
    proven = 0
    for first in range(12):
        state = mc.MNK(4, 3, 3).play(first)
        engine = mc.Searcher(seed=1, evaluator=lambda observations: by_position(observations, 12), batch=1)
        engine.search(state, iterations=20)
        stats = engine.stats()
        if stats.proven != "loss":
            continue
        proven += 1
        value, loser = -1, state.to_move
        for move in stats.pv:
            state = state.play(move)
            value = {"win": 1, "draw": 0, "loss": -1}[mc.solve(state).proven] * state.to_move * loser \
                if state.winner() is None else state.winner() * loser
            assert value == -1
    assert proven > 3
