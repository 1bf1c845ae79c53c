"""Keywords of searches: every function takes every option, and says which one was meant where there is no such."""

import ast
import copy
import inspect
import io
import pathlib
import re

import pytest
from wide_games import WideGeneral, WideHidden

import mcts_core as mc
from mcts_core import option_rows
from mcts_core.bots import kaggle, pettingzoo
from mcts_core.bots.gomocup import Gomocup
from mcts_core.bots.lines import Lines
from mcts_core.bots.ugi import UGI, Notation
from mcts_core.option_rows import NAMES, ROWS

FOUR = mc.ConnectFour(4, 4, 3)
OPTIONS = {
    "preset": "uct", "selection": "ucb1", "exploration": 1.0, "fpu": 0.5, "solver": False, "rollout": "random",
    "rollouts_per_leaf": 2, "expand_after": 2, "expand_distance": 0, "prior_weight": 0.0, "rave_schedule": "mse",
    "rave_k": 10.0, "rave_bias": 0.1, "grave_ref": 5, "symmetry": False, "leaf_proofs": 0, "node_proofs": 0,
    "root_proofs": 0, "final_move": "max", "memory_mb": 2, "seed": 1, "stop_early": False, "threads": 1,
    "book": False, "exchange_every": 100, "reuse": True, "prune": False, "policy_value": lambda state: (None, 0.0),
    "valuation": "rollout", "batch": 1, "c_puct": 1.0, "noise_alpha": 0.3, "noise_weight": 0.5, "temperature": 1.0,
    "evaluator": None, "network": None, "least_prior": 0.1, "rollout_moves": 5, "root_policy": "gumbel",
    "gumbel_moves": 4, "gumbel_scale": 0.5, "nested_rollouts": 3,
}
OF_OTHER_GAMES = ("rollout_moves", "nested_rollouts")  # not of Connect Four
BY_NOISE = {"policy_value": OPTIONS["policy_value"], "root_policy": "gumbel"}
NEEDED = {
    "batch": {"policy_value": OPTIONS["policy_value"]}, "temperature": {"policy_value": OPTIONS["policy_value"]},
    "c_puct": {"selection": "puct"}, "noise_alpha": {"selection": "puct"}, "noise_weight": {"selection": "puct"},
    "least_prior": {"selection": "puct"}, "root_policy": BY_NOISE, "gumbel_moves": BY_NOISE, "gumbel_scale": BY_NOISE,
}


def by_search(**options):
    return mc.search(FOUR, iterations=30, **options)


def by_searcher(**options):
    return mc.Searcher(**options).search(FOUR, iterations=30)


def by_search_many(**options):
    return mc.search_many([FOUR, FOUR.play(0)], iterations=30, **options)


def by_search_parallel(**options):
    return mc.search_parallel(FOUR, iterations=30, executor="threads", workers=1, **options)


def by_selfplay(**options):
    return list(mc.selfplay(FOUR, games=1, iterations=10, **options))


FUNCTIONS = {"search": by_search, "Searcher": by_searcher, "search_many": by_search_many,
             "search_parallel": by_search_parallel, "selfplay": by_selfplay}


@pytest.mark.parametrize("option", [option for option in OPTIONS if option not in OF_OTHER_GAMES])
@pytest.mark.parametrize("function", ["search", "Searcher", "search_many"])
def test_every_option_works_in_every_function(function, option):
    assert FUNCTIONS[function](**{**NEEDED.get(option, {}), option: OPTIONS[option]}) is not None


@pytest.mark.parametrize("function", ["search_parallel", "selfplay"])
def test_every_option_works_in_workers_and_in_self_play(function):
    if function == "selfplay":
        pytest.importorskip("numpy")
    alone = {"batch", "temperature", "c_puct", "noise_alpha", "noise_weight", "least_prior", "policy_value",
             *OF_OTHER_GAMES, *BY_NOISE, "gumbel_moves", "gumbel_scale"}
    options = {name: value for name, value in OPTIONS.items() if name not in alone | {"reuse"}}
    assert FUNCTIONS[function](**options)
    assert FUNCTIONS[function](selection="puct", c_puct=1.0, noise_alpha=0.3, noise_weight=0.5, least_prior=0.1)
    if function == "selfplay":
        assert by_selfplay(policy_value=OPTIONS["policy_value"], batch=1, temperature=1.0, reuse=True)
        assert by_selfplay(**BY_NOISE, gumbel_moves=4, gumbel_scale=0.5)
        return
    with pytest.raises(mc.InvalidOption, match=r"search_parallel\(\) has no option 'reuse'.*option of Searcher"):
        by_search_parallel(reuse=True)


def test_these_are_all_options():
    assert OPTIONS.keys() == NAMES


def test_every_row_is_a_keyword_with_a_type_and_a_paragraph_of_help():
    parameters = inspect.signature(mc.Searcher).parameters
    own = {"progress", "every"}  # of the caller, not of the search
    assert parameters.keys() - own == ROWS.keys() == typed_dicts()["SearcherOptions"].keys() - own
    for name, row in ROWS.items():
        assert re.search(rf"^ *(\w+, )*{name}(, \w+)*: |``{name}``", mc.Searcher.__doc__, re.MULTILINE), name
        assert row.help and "\n" not in row.help and (row.help[0].islower() or row.help.startswith("Dirichlet"))
        given = parameters[name].default
        assert given is None or given == row.default
        assert row.default is None or row.check(row.default, name) == row.default


def test_every_search_has_the_options_of_its_rows():
    """Each search has those whose rows name it, with what was given."""
    general, hidden = WideGeneral(1), WideHidden()
    for state, searches, given in (
            (FOUR, option_rows.UCB, {}), (FOUR, option_rows.UCB, {"preset": "uct"}),
            (FOUR, option_rows.PUCT, {"selection": "puct"}), (mc.Gomoku(), option_rows.PUCT, {}),
            (general, option_rows.GENERAL, {"solver": False}), (hidden, option_rows.GENERAL, {}),
            (hidden, option_rows.GENERAL, {"rollout_moves": 9}), (general, option_rows.NESTED, {"nested_rollouts": 9}),
            (FOUR, option_rows.EVALUATOR, {"policy_value": OPTIONS["policy_value"], "solver": False}),
            (FOUR, option_rows.GUMBEL, {**BY_NOISE, "solver": False})):
        found = mc.Searcher(**given).options(state)
        expected = {name for name, row in ROWS.items() if row.searches != option_rows.EVERY_SEARCH
                    and row.searches & searches} | (given.keys() & ROWS.keys() - {"preset"}) | {"final_move"}
        assert found.keys() - {"solver", "leaf_proofs", "root_proofs"} == expected - {
            "solver", "leaf_proofs", "root_proofs"}, (state, given)


WRONG = [
    ("exploraton", 1, "exploration"), ("iteration", 10, "iterations"), ("selecton", "rave", "selection"),
    ("memory", 64, "memory_mb"), ("Solver", True, "solver"), ("n_jobs", 2, "threads"), ("cpuct", 1, "c_puct"),
    ("rollout_per_leaf", 2, "rollouts_per_leaf"),
]


@pytest.mark.parametrize(("wrong", "value", "right"), WRONG)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_wrong_name_says_which_one_was_meant(function, wrong, value, right):
    if (function, right) == ("Searcher", "iterations"):
        text = r"Searcher\(\) has no option 'iteration', got iteration=10"
    else:
        text = rf"^{function}\(\) has no option '{wrong}', got {wrong}={value!r}; did you mean '{right}'\?$"
    with pytest.raises(mc.InvalidOption, match=text):
        FUNCTIONS[function](**{wrong: value})


@pytest.mark.parametrize("function", ["search", "search_many", "search_parallel"])
@pytest.mark.parametrize("wrong", ["time", "second", "timeout", "seconds_"])
def test_misspelt_budgets(function, wrong):
    with pytest.raises(mc.InvalidOption, match=rf"{function}\(\) has no option '{wrong}', got {wrong}=1; "
                                               r"did you mean 'seconds'\?"):
        FUNCTIONS[function](**{wrong: 1})


def test_methods_of_a_searcher():
    engine = mc.Searcher()
    with pytest.raises(mc.InvalidOption, match=r"^Searcher.search\(\) has no option 'time', got time=1; did you mean "
                                               r"'seconds'\?"):
        engine.search(FOUR, time=1)
    with pytest.raises(mc.InvalidOption, match=r"has no option 'exploration', got exploration=1; it is an option of "
                                               r"Searcher\(exploration=...\)$"):
        engine.search(FOUR, iterations=9, exploration=1)
    with pytest.raises(mc.InvalidOption, match=r"Searcher\(\) has no option 'seconds', got seconds=1; it is an option "
                                               r"of search\(state, seconds=...\)$"):
        mc.Searcher(seconds=1)
    with pytest.raises(mc.InvalidOption, match=r"Searcher.watch\(\) has no option 'ever', .* did you mean 'every'\?"):
        engine.watch(FOUR, iterations=9, ever=1)
    with pytest.raises(mc.InvalidOption, match=r"Searcher.search_async\(\) has no option 'iteration'"):
        engine.search_async(FOUR, iteration=9).send(None)
    with pytest.raises(mc.InvalidOption, match=r"selfplay\(\) has no option 'seconds'.*need iterations"):
        mc.selfplay(FOUR, games=1, iterations=1, seconds=1)


BOTS = {
    "kaggle": lambda **options: kaggle.Agent(**options),
    "pettingzoo": lambda **options: pettingzoo.Agent("tictactoe_v3", **options),
    "gomocup": lambda **options: Gomocup(Lines(io.BytesIO(), io.BytesIO()), **options),
    "ugi": lambda **options: UGI(Lines(io.BytesIO(), io.BytesIO()), Notation(mc.TicTacToe()), **options),
}


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("wrong, right", [("second", "seconds"), ("iteration", "iterations"), ("threds", "threads"),
                                          ("cpuct", "c_puct")])
def test_a_bot_refuses_an_unknown_option_when_it_is_made(bot, wrong, right):
    """Its own options and those of Searcher are named."""
    with pytest.raises(mc.InvalidOption, match=rf"^(Agent|Gomocup|UGI)\(\) has no option '{wrong}', got {wrong}=2; "
                                               rf"did you mean '{right}'\?$"):
        BOTS[bot](**{wrong: 2})
    assert BOTS[bot](seconds=0.1, iterations=3, threads=1, c_puct=0.5, selection="puct") is not None


def test_a_bot_takes_its_options_by_name():
    with pytest.raises(mc.InvalidOption, match=r"^Agent\(\) takes options by name only, got 0.1$"):
        kaggle.Agent(0.1)


def test_a_position_given_to_the_searcher():
    with pytest.raises(mc.InvalidOption, match=r"^Searcher\(\) takes options by name only, got .*; a position is for "
                                               r"its method search\(\)$"):
        mc.Searcher(mc.ConnectFour())


def test_what_nothing_is_like():
    with pytest.raises(mc.InvalidOption, match=r"^search\(\) has no option 'wxyz', got wxyz=1$"):
        mc.search(FOUR, wxyz=1)


# ---- progress --------------------------------------------------------------------------------------------------------


def test_progress_of_search():
    seen = []
    mc.search(mc.ConnectFour(), iterations=300_000, preset="uct", progress=seen.append, every=0.001)
    assert seen and all(stats.stop_reason == "running" for stats in seen)
    assert mc.stats().iterations >= seen[-1].iterations
    with pytest.raises(ZeroDivisionError):
        mc.search(mc.Gomoku(), 5, progress=lambda stats: 1 / 0, every=0.001)
    message = "progress must be True, False or a function of one argument, the Stats so far, got 7"
    with pytest.raises(mc.InvalidOption, match=message):
        mc.search(FOUR, 0.1, progress=7)
    with pytest.raises(mc.InvalidOption, match="every must be a finite number from 0.001 to 1e9, got 0"):
        mc.search(FOUR, 0.1, progress=seen.append, every=0)


def test_progress_of_a_searcher():
    seen, others = [], []
    engine = mc.Searcher(progress=seen.append, every=0.001, preset="uct")
    engine.search(mc.ConnectFour(), iterations=300_000)
    count = len(seen)
    assert count and copy.copy(engine)._options.progress is False
    engine.search(mc.ConnectFour(), iterations=300_000, progress=others.append)
    assert others and len(seen) == count
    with pytest.raises(mc.InvalidOption, match="progress must be True, False or a function"):
        mc.Searcher(progress="bar")
    with pytest.raises(mc.InvalidOption, match="every must be"):
        mc.Searcher(every=0)


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_of_many_searches(threads):
    seen = []
    states = [FOUR, FOUR.play(0), mc.ConnectFour(4, 4, 2).play(0).play(2).play(1), FOUR.play(1)]
    mc.search_many(states, iterations=20, threads=threads, errors="return", progress=seen.append, every=0.001)
    last = seen[-1]
    assert (last.done, last.failed, last.total) == (4, 1, 4) and last.seconds > 0
    assert [each.done for each in seen] == sorted(each.done for each in seen)
    with pytest.raises(ZeroDivisionError):
        mc.search_many(states, iterations=20, threads=threads, progress=lambda done: 1 / 0)


def test_progress_of_searches_that_are_evaluated_together():
    numpy = pytest.importorskip("numpy")
    seen = []

    def evaluator(observations):
        return numpy.ones((len(observations), 4), numpy.float32), numpy.zeros(len(observations), numpy.float32)

    mc.search_many([FOUR, FOUR.play(0)], iterations=20, evaluator=evaluator, progress=seen.append)
    assert [(each.done, each.total) for each in seen] == [(2, 2)]


@pytest.mark.parametrize("budget", [{"seconds": 0.5}, {"iterations": 400_000}])
def test_progress_of_a_parallel_search(budget):
    seen = []
    found = mc.search_parallel(mc.Gomoku(), executor="threads", workers=1, progress=seen.append, every=0.01,
                               memory_mb=64, preset="uct", **budget)
    assert seen and all(isinstance(stats, mc.Stats) and stats.stop_reason == "running" for stats in seen)
    assert 0 < seen[-1].iterations <= found.stats.iterations
    with pytest.raises(ZeroDivisionError):
        mc.search_parallel(mc.Gomoku(), 5.0, executor="threads", workers=1, progress=lambda stats: 1 / 0, every=0.01)


# ---- what editors know -----------------------------------------------------------------------------------------------


def typed_dicts():
    """Name -> the annotations of each TypedDict, those of its base among them, as text."""
    tree = ast.parse(pathlib.Path(option_rows.__file__).read_text(encoding="utf-8"))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found[node.name] = {**found.get(node.bases[0].id, {}), **{
                each.target.id: ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)}}
    return found


@pytest.mark.parametrize(("function", "name", "missing"), [
    (mc.search, "SearchOptions", set()), (mc.Searcher, "SearcherOptions", set()),
    (mc.search_many, "ManyOptions", set()), (mc.search_parallel, "ParallelOptions", {"reuse"}),
    (mc.selfplay, "SelfPlayOptions", set()),
])
def test_editors_know_every_option(function, name, missing):
    parameters = inspect.signature(function).parameters
    known = {each.name: str(each.annotation) for each in parameters.values()
             if each.kind is inspect.Parameter.KEYWORD_ONLY}
    last = list(parameters.values())[-1]
    if function is mc.Searcher:
        assert known.keys() == typed_dicts()[name].keys()
    else:
        assert last.annotation == f"Unpack[{name}]" and not known.keys() & typed_dicts()[name].keys()
        known |= typed_dicts()[name]
    assert known.keys() >= NAMES - missing
    assert [each for each, kind in known.items() if kind == "Any" and each not in ("state", "executor")] == []


@pytest.mark.parametrize("call, told", [
    (lambda: mc.Searcher(time=1), r"did you mean 'seconds', an option of search\(state, seconds=...\)\?$"),
    (lambda: mc.Searcher(iteration=9), r"did you mean 'iterations', an option of search\(state, iterations=...\)\?$"),
    (lambda: mc.Searcher().search(mc.TicTacToe(), exploraton=1),
     r"did you mean 'exploration', an option of Searcher\(exploration=...\)\?$")])
def test_an_option_that_was_meant_elsewhere_is_named(call, told):
    with pytest.raises(mc.InvalidOption, match=told):
        call()
