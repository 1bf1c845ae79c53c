import argparse

import pytest

from mcts_core import ConnectFour, Gomoku, InvalidOption, Searcher, TicTacToe
from mcts_core.cli import options


def parse(*argv):
    parser = argparse.ArgumentParser()
    options.add_search_options(parser)
    options.add_top(parser)
    options.add_output_options(parser, json=True)
    return parser.parse_args(argv)


@pytest.mark.parametrize("argv, expected", [
    ((), {"seconds": 1.0}),
    (("--seconds", "0.5"), {"seconds": 0.5, "iterations": None}),
    (("--iterations", "10"), {"seconds": None, "iterations": 10}),
    (("--seconds", "2", "--iterations", "10"), {"seconds": 2.0, "iterations": 10}),
])
def test_the_budget_is_one_second_unless_something_is_named(argv, expected):
    assert options.budget(parse(*argv)) == expected


def test_the_engine_gets_the_options_that_are_named():
    engine = options.make_engine(parse("--seed", "17"))
    engine.search(TicTacToe(), iterations=10)
    assert engine.stats().seed == 17
    engine = options.make_engine(parse("--seed", "17"), seed=18)
    engine.search(TicTacToe(), iterations=10)
    assert engine.stats().seed == 18


@pytest.mark.parametrize("argv, expected", [
    ((), {"solver": True, "rollout": "decisive"}),
    (("--preset", "strong"), {"solver": True, "rollout": "decisive"}),
    (("--preset", "uct"), {"solver": False, "rollout": "random", "selection": "ucb1"}),
    (("--preset", "uct", "--solver", "--exploration", "0.25"), {"solver": True, "exploration": 0.25}),
    (("--no-solver", "--selection", "rave"), {"solver": False, "selection": "rave"}),
    (("--rollout", "random", "--selection", "ucb1-tuned"), {"rollout": "random", "selection": "ucb1-tuned"}),
])
def test_the_search_has_the_options_that_are_named_and_the_defaults_of_the_game(argv, expected):
    found = options.make_engine(parse(*argv)).options(ConnectFour())
    assert {name: found[name] for name in expected} == expected


def test_every_choice_is_known_to_the_library():
    parser = argparse.ArgumentParser()
    options.add_search_options(parser)
    choices = {action.dest: action.choices for action in parser._actions if action.choices}
    assert set(choices) == {"preset", "selection", "rollout", "final_move"}
    for name, known in choices.items():
        for choice in known:
            Searcher(**{name: choice}).search(Gomoku(6), iterations=10)


@pytest.mark.parametrize("argv", [("--exploration", "nan"), ("--memory-mb", "-1"), ("--seed", "-5")])
def test_what_the_library_refuses_is_refused(argv):
    with pytest.raises(InvalidOption):
        options.make_engine(parse(*argv))
