import pytest

from mcts_core import InvalidOption
from mcts_core.web.limits import Limits


def test_the_defaults_are_within_their_own_limits():
    granted = Limits()
    assert granted.threads >= 1 and granted.memory_mb >= granted.threads


@pytest.mark.parametrize("name, value", [
    ("sessions", 0), ("searches", 0), ("seconds", 0.0), ("seconds", float("nan")), ("threads", 257),
    ("memory_mb", 0.5), ("idle_minutes", float("inf")),
])
def test_a_limit_out_of_its_range_is_refused(name, value):
    with pytest.raises(InvalidOption, match=f"the limit of {name} must be from "):
        Limits(**{name: value})


def test_every_thread_has_memory():
    with pytest.raises(InvalidOption, match="at least 1 for each of the 8 threads, got 7"):
        Limits(threads=8, memory_mb=7)
