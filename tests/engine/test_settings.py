"""src/engine/settings.pyx: options in native form, and what a game offers."""

import pytest
from value_games import Claim

import mcts_core as mc
from mcts_core.engine.settings import TwoPlayerSettings, guide_of, kind_of


def test_what_games_offer():
    policies, distance, actions, proves = guide_of(mc.ConnectFour())
    assert policies & 1 and (distance, proves) == (0, True) and actions >= 7
    policies, distance, actions, proves = guide_of(mc.Gomoku(15))
    assert policies & 1 and distance > 0 and actions >= 225 and proves
    assert not guide_of(mc.ConnectFour(11, 10, 4))[3]  # more than 64 bits
    assert not guide_of(Claim())[3]


def test_settings_take_names_only():
    settings = TwoPlayerSettings(guided=True, exploration=0.5, rollouts_per_leaf=3, by_value=False)
    assert settings.rollouts_per_leaf == 3
    with pytest.raises(TypeError):
        TwoPlayerSettings(True, 0.5, 3, False)
    with pytest.raises(TypeError):
        TwoPlayerSettings(guided=True)


def test_states_that_the_general_tree_searches_have_no_kind():
    class Several:
        players = (0, 1, 2)

    class Cards:
        hidden_information, determinize = True, print

    assert kind_of(Several()) is None and kind_of(Cards()) is None
    assert kind_of(object()) is not None and kind_of(mc.ConnectFour()) is not None
