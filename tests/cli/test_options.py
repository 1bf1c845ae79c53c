import argparse
import zlib

import pytest

from mcts_core import ConnectFour, Gomoku, InvalidOption, Searcher, TicTacToe
from mcts_core.cli import options
from mcts_core.games.mnk.network import Network
from mcts_core.games.mnk.weights import shipped


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


@pytest.mark.parametrize("argv, expected", [
    ((), {"valuation": "network", "selection": "puct", "network": shipped()}),
    (("--valuation", "rollout"), {"valuation": "rollout", "selection": "grave"}),
    (("--valuation", "0.25", "--c-puct", "1.5"), {"valuation": 0.25, "c_puct": 1.5}),
    (("--selection", "puct", "--least-prior", "0"), {"selection": "puct", "least_prior": 0.0}),
])
def test_the_valuation_of_five_in_a_row(argv, expected):
    found = options.make_engine(parse(*argv)).options(Gomoku(15))
    assert {name: found[name] for name in expected} == expected


def test_a_network_comes_from_its_file(tmp_path):
    file = tmp_path / "own.network"
    data = bytearray(shipped().source)
    data[24] ^= 1  # of its generation
    data[-4:] = zlib.crc32(data[:-4]).to_bytes(4, "little")
    file.write_bytes(data)
    found = options.make_engine(parse("--network", str(file))).options(Gomoku(15))
    assert found["network"] == Network(bytes(data)) != shipped()


def test_networks_that_cannot_be_read_are_one_line(cli, tmp_path):
    file = tmp_path / "own.network"
    code, out, err = cli("analyze", "gomoku", "--iterations", 5, "--network", file)
    assert (code, out) == (2, "") and "No such file" in err and repr(str(file)) in err
    file.write_bytes(b"no network")
    code, out, err = cli("analyze", "gomoku", "--iterations", 5, "--network", file)
    assert (code, out) == (2, "") and err.startswith("mcts-core: error: not a network: it must begin with")
    code, out, err = cli("analyze", "gomoku", "--iterations", 5, "--valuation", "networks")
    assert (code, out) == (2, "")
    assert "valuation must be 'network', 'rollout' or a number from 0 to 1, got 'networks'" in err


@pytest.mark.parametrize("argv", [
    ("--exploration", "nan"), ("--memory-mb", "-1"), ("--seed", "-5"), ("--c-puct", "-1"), ("--least-prior", "1.5"),
    ("--valuation", "1.5"), ("--valuation", "nan"),
])
def test_what_the_library_refuses_is_refused(argv):
    with pytest.raises(InvalidOption):
        options.make_engine(parse(*argv))
