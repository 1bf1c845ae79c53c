"""mcts_core/words.py: numbers with their nouns."""

import pytest

from mcts_core.words import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves"), (1234, "1,234 moves")])
def test_counted(number, text):
    assert counted(number, "move") == text
