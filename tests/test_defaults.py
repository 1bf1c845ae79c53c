"""mcts_core/defaults.py, and Searcher.options(), which shows what it gives."""

import pathlib
import re

import pytest

import mcts_core as mc
from mcts_core import defaults
from mcts_core.engine.settings import kind_of
from mcts_core.games.mnk.weights import shipped

PRESETS = [defaults.UCT, defaults.RULES_ONLY, defaults.CONNECT_FOUR, defaults.SMALL_BOARD, defaults.LARGE_BOARD,
           defaults.NETWORK_BOARD]


class Coin:
    """One move ends the game."""

    def __init__(self, winner=None):
        self.result, self.to_move = winner, 1

    def legal_moves(self):
        return ["heads", "tails"]

    def play(self, move):
        return Coin(1 if move == "heads" else -1)

    def winner(self):
        return self.result


STATES = [mc.ConnectFour(), mc.ConnectFour(12, 8, 4), mc.TicTacToe(), mc.MNK(7, 7, 4), mc.MNK(8, 8, 5), mc.Gomoku(8),
          mc.MNK(9, 8, 5), mc.Gomoku(9), mc.Gomoku(15, "exact"), mc.Gomoku(20), mc.MNK(32, 32, 6), mc.MNK(9, 9, 3),
          Coin()]


def test_all_presets_have_the_same_options():
    for preset in PRESETS:
        assert list(preset) == list(defaults.UCT)


def test_textbook_uct_knows_nothing_but_the_rules():
    uct = defaults.UCT
    assert uct["selection"] == "ucb1" and uct["rollout"] == "random" and uct["exploration"] == 0.5**0.5
    assert uct["solver"] is uct["symmetry"] is False and uct["fpu"] is None
    assert uct["rollouts_per_leaf"] == uct["expand_after"] == 1
    for name in ("prior_weight", "expand_distance", "leaf_proofs", "node_proofs", "root_proofs"):
        assert uct[name] == 0


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_every_value_is_one_that_a_searcher_takes(number):
    options = dict(PRESETS[number])
    options = {name: value for name, value in options.items() if not hidden(options, name)}
    found = mc.Searcher(**options).options(mc.Gomoku() if options["valuation"] == "network" else mc.ConnectFour())
    assert {name: found[name] for name in options} == options


def hidden(options, name):
    """Whether an option has no meaning beside the others."""
    return options["selection"] == "puct" and name in (
        "exploration", "prior_weight", "rave_schedule", "rave_k", "rave_bias", "grave_ref")


def shown(base):
    """The options that a Searcher shows of those of a game."""
    if base["selection"] != "puct":
        return {**base, "final_move": "robust"}
    base = {name: value for name, value in base.items() if not hidden(base, name)}
    return {**base, **defaults.PUCT, "network": shipped(), "final_move": "robust"}


def test_every_selection_has_an_exploration():
    for selection in ("ucb1", "ucb1-tuned", "rave", "grave"):
        assert 0 <= defaults.EXPLORATION[selection] < 10
    assert set(defaults.EXPLORATION) == {"ucb1", "ucb1-tuned", "rave", "grave"}


def test_the_defaults_follow_the_game():
    expected = [defaults.CONNECT_FOUR] * 2 + [defaults.SMALL_BOARD] * 4 + [defaults.NETWORK_BOARD] * 4
    expected += [defaults.LARGE_BOARD, {**defaults.LARGE_BOARD, "rollout": "decisive"},  # three have no tactics
                 defaults.RULES_ONLY]
    assert [defaults.of_game(state) for state in STATES] == expected


def test_states_of_one_kind_have_the_same_defaults():
    """A Searcher keeps the settings of a kind."""
    kinds = {}
    for state in STATES:
        known = kinds.setdefault(kind_of(state), defaults.of_game(state))
        assert known == defaults.of_game(state)
        assert kind_of(state) == kind_of(state.play(state.legal_moves()[0]))
    assert len({kind_of(mc.MNK(8, 8, 5)), kind_of(mc.MNK(9, 8, 5)), kind_of(mc.ConnectFour()),
                kind_of(Coin())}) == 4


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{type(state).__name__}-{len(state.legal_moves())}")
@pytest.mark.parametrize("preset", [None, "strong", "uct"])
def test_the_defaults_are_valid_for_their_game(preset, state):
    engine = mc.Searcher(preset=preset, seed=1, memory_mb=64)
    assert engine.search(state, iterations=30) in state.legal_moves()
    base = defaults.UCT if preset == "uct" else defaults.of_game(state)
    assert engine.options(state) == shown(base)


def test_who_names_something_of_rollouts_gets_them():
    for options in ({"rollout": "tactical"}, {"exploration": 0.3}, {"rave_k": 10.0}, {"valuation": "rollout"},
                    {"prior_weight": 1.0}, {"selection": "grave"}):
        assert mc.Searcher(**options).options(mc.Gomoku())["valuation"] == "rollout"
    for options in ({}, {"leaf_proofs": 10}, {"c_puct": 1.0}, {"selection": "puct"}, {"noise_alpha": 0.1},
                    {"network": shipped(), "expand_after": 2}):
        assert mc.Searcher(**options).options(mc.Gomoku())["valuation"] == "network"
    assert mc.Searcher(preset="uct").options(mc.Gomoku())["valuation"] == "rollout"
    options = mc.Searcher(selection="puct", valuation="rollout").options(mc.Gomoku())
    assert (options["valuation"], options["network"]) == ("rollout", None)


@pytest.mark.parametrize("number", range(len(STATES)))
def test_every_game_is_searched_by_puct(number):
    state = STATES[number]
    engine = mc.Searcher(selection="puct", seed=1, memory_mb=16)
    assert engine.search(state, iterations=30) in state.legal_moves()
    assert engine.options(state)["c_puct"] == defaults.PUCT["c_puct"]
    assert "exploration" not in engine.options(state)


def test_a_network_is_for_five_in_a_row():
    with pytest.raises(mc.InvalidOption, match="network .* is only for five in a row, got ConnectFour"):
        mc.Searcher(selection="puct", network=shipped()).search(mc.ConnectFour(), iterations=10)
    with pytest.raises(mc.InvalidOption, match="'network' needs a game with a valuation"):
        mc.Searcher(selection="puct", valuation="network").search(mc.ConnectFour(), iterations=10)
    with pytest.raises(mc.InvalidOption, match="c_puct 2.0 needs an evaluator or selection 'puct', got"):
        mc.Searcher(c_puct=2.0).search(mc.ConnectFour(), iterations=10)


def test_boards_with_as_many_cells_may_differ_in_kind():
    engine = mc.Searcher(seed=1, memory_mb=16)
    for state in (mc.MNK(20, 15, 5), mc.MNK(30, 10, 5), mc.MNK(20, 15, 5)):
        assert engine.search(state, iterations=20) in state.legal_moves()
        assert (engine.options(state)["valuation"] == "network") is (state.m == 20)


def test_options_that_are_given_change_single_points():
    engine = mc.Searcher(rollout="random", prior_weight=7, fpu=0.5, final_move="max", grave_ref=9)
    assert engine.options(mc.Gomoku(15)) == {
        **defaults.LARGE_BOARD, "rollout": "random", "prior_weight": 7.0, "fpu": 0.5, "final_move": "max",
        "grave_ref": 9}
    engine = mc.Searcher(preset="uct", solver=True, rollouts_per_leaf=4)
    assert engine.options(mc.Gomoku(15)) == engine.options(Coin()) == {
        **defaults.UCT, "solver": True, "rollouts_per_leaf": 4, "final_move": "robust"}


def test_the_exploration_follows_the_selection_unless_it_is_given():
    for selection, exploration in defaults.EXPLORATION.items():
        options = mc.Searcher(preset="uct", selection=selection).options(mc.ConnectFour())
        assert options["selection"] == selection
        assert options["exploration"] == exploration
        options = mc.Searcher(preset="uct", selection=selection, exploration=0.3).options(mc.ConnectFour())
        assert options["exploration"] == 0.3
    for state in STATES:
        own = defaults.of_game(state)
        assert mc.Searcher(selection=own["selection"]).options(state) == shown(own)
    assert mc.Searcher(selection="ucb1").options(mc.Gomoku(15))["exploration"] == defaults.EXPLORATION["ucb1"]


def test_the_options_are_a_copy():
    engine = mc.Searcher(seed=1)
    engine.options(mc.ConnectFour())["solver"] = "nonsense"
    assert engine.options(mc.ConnectFour())["solver"] is defaults.CONNECT_FOUR["solver"]


TUNING = pathlib.Path(__file__).parents[1] / "bench" / "TUNING.md"
SEARCHES = {"Connect Four": defaults.CONNECT_FOUR, "m,n,k games of at most 64 cells": defaults.SMALL_BOARD,
            "larger m,n,k games": defaults.LARGE_BOARD, "gomoku": {**defaults.NETWORK_BOARD, **defaults.PUCT},
            "your own game": defaults.RULES_ONLY, "searches with an evaluator": defaults.EVALUATOR}


def rows_of_evidence():
    table = TUNING.read_text(encoding="utf-8").split("## Today's defaults")[1].split("\n## ")[0]
    return re.findall(r"^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE)


def test_the_table_of_evidence_has_todays_defaults():
    for search, option, default, _ in rows_of_evidence():
        value = SEARCHES[search][option]
        assert default == (f"{value:.3g}" if isinstance(value, float) else str(value)), (search, option)


def test_every_default_beyond_textbook_uct_has_its_evidence():
    shown = {(search, option) for search, option, _, _ in rows_of_evidence()}
    for search, values in SEARCHES.items():
        if search == "searches with an evaluator":
            continue
        for option, value in values.items():
            is_shown = option != "solver" or search == "your own game"
            if option in defaults.UCT and value != defaults.UCT[option] and is_shown:
                assert (search, option) in shown, (search, option)


def test_evidence_names_the_games_or_says_that_there_is_none():
    for search, option, _, evidence in rows_of_evidence():
        told = re.search(r"\b\d+ (games|positions)|not measured|the same games|no other formula", evidence)
        assert told, (search, option)
