"""src/mcts_core/engine/settings.pyx: options in native form, and what a game offers."""

import pytest
from value_games import Claim

import mcts_core as mc
from mcts_core.engine.settings import GeneralSettings, TwoPlayerSettings, guide_of, kind_of


def test_what_games_offer():
    policies, distance, actions, proves = guide_of(mc.ConnectFour())
    assert policies & 1 and (distance, proves) == (0, True) and actions >= 7
    policies, distance, actions, proves = guide_of(mc.Gomoku(15))
    assert policies & 1 and distance > 0 and actions >= 225 and proves
    assert not guide_of(mc.ConnectFour(11, 10, 4)).has_exact_search  # more than 64 bits
    assert not guide_of(Claim()).has_exact_search


def test_settings_take_names_only():
    settings = TwoPlayerSettings(guided=True, exploration=0.5, rollouts_per_leaf=3, by_value=False)
    assert settings.most_iterations == (2**30 - 1) // 3
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


# ---- settings that vary ----------------------------------------------------------------------------------------------

def uneven(state):
    return {move: float(move) for move in state.legal_moves()}, 0.0


def enormous(state):
    return dict.fromkeys(state.legal_moves(), 3e38), 0.0


def zero(state):
    return dict.fromkeys(state.legal_moves(), 0.0), 0.0


@pytest.mark.parametrize(("state", "options"), [
    (mc.Gomoku.from_moves("h8 h9"), {}), (mc.Gomoku(9), {"policy_value": uneven}),
    (mc.Gomoku(9), {"policy_value": enormous}), (mc.Gomoku(9), {"policy_value": zero}),
], ids=["network", "uneven", "enormous", "zero"])
def test_priors_of_settings_that_vary(state, options):
    def found(seed, varies):
        engine = mc.Searcher(**options)
        request = engine._request(state, None, 200)
        if varies:
            request.settings.vary()
        engine._core.search(request.replace(seed=seed))
        return {entry.move: entry.prior for entry in engine.stats().moves if entry.prior is not None}

    plain, varied = found(1, False), found(1, True)
    assert found(2, False) == plain
    assert found(1, True) == varied != found(2, True)
    assert sum(varied.values()) == pytest.approx(1, abs=1e-4) and varied.keys() == plain.keys()
    changes = [prior / plain[move] for move, prior in varied.items() if plain[move] > 0]
    assert all(prior == 0 for move, prior in varied.items() if plain[move] == 0)
    # each between 0.5 and 1.5, and then divided by their sum
    assert 1.5 < max(changes) / min(changes) <= 3 + 1e-3


def test_settings_that_vary_belong_to_one_searcher():
    engine, other = mc.Searcher(), mc.Searcher()
    settings = engine._request(mc.Gomoku(9), None, 200).settings
    settings.vary()
    assert engine._request(mc.Gomoku(9), None, 200).settings is settings
    assert other._request(mc.Gomoku(9), None, 200).settings is not settings
    for made in (GeneralSettings(), TwoPlayerSettings(guided=True, exploration=1, rollouts_per_leaf=1, by_value=False)):
        made.vary()  # nothing else to see: searches without priors do not read it
