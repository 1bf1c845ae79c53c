"""src/mcts_core/engine/weighted_draw.pyx: choices drawn at random by weights."""

from mcts_core.engine.weighted_draw import drawn


def test_choices_are_drawn_by_their_weights():
    for number, choice in ((0, "b"), (2**62 - 1, "b"), (2**62 + 2**11, "d"), (2**64 - 1, "d")):
        assert drawn("abcd", [0, 1, 0.0, 3], number) == choice
    assert drawn("ab", [0, 0], 5) is None
