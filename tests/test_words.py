"""mcts_core/words.py: numbers with their nouns."""

import pytest

from mcts_core.words import as_data, counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves"), (1234, "1,234 moves")])
def test_counted(number, text):
    assert counted(number, "move") == text


def test_as_data():
    class Whole:
        def __index__(self):
            return 7

    assert (as_data(Whole()), as_data(True), as_data(1.5), as_data({3})) == (7, 1, "1.5", "{3}")
