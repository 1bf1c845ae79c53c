"""src/mcts_core/engine/records.pyx: the objects are those that the constructors make."""

from dataclasses import FrozenInstanceError, fields

import pytest

import mcts_core as mc
from mcts_core.engine.records import record, records
from mcts_core.results import MoveStats, Node

NAMES = tuple(field.name for field in fields(MoveStats))


def test_objects_are_those_of_the_constructor():
    made = MoveStats(3, 10, 5.0, 0.5, "win", 7, 0.25, 0.125)
    values = {name: getattr(made, name) for name in NAMES}
    assert record(MoveStats, values) == made and repr(record(MoveStats, values)) == repr(made)
    assert records(MoveStats, NAMES, [(3, 10, 5.0, 0.5, "win", 7, 0.25, 0.125), (4, 1, 0.0, 0.0)]) == (
        made, MoveStats(4, 1, 0.0, 0.0))
    assert records(MoveStats, NAMES, []) == ()
    with pytest.raises(FrozenInstanceError):
        record(MoveStats, values).visits = 3


def test_names_that_are_no_fields_are_refused():
    with pytest.raises(AttributeError):
        record(Node, {"weight": 1})
    with pytest.raises(AttributeError):
        records(Node, ("weight",), [(1,)])
    with pytest.raises(AttributeError):
        records(Node, ("__class_getitem__", "__doc__"), [(1, 2)])
    with pytest.raises(TypeError):
        record(None, {})


@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.Gomoku(15)])
def test_statistics_have_all_fields(state):
    engine = mc.Searcher(seed=1, memory_mb=64)
    engine.search(state, iterations=50)
    stats = engine.stats()
    assert type(stats)(**{field.name: getattr(stats, field.name) for field in fields(stats)}) == stats
    assert stats.moves == tuple(MoveStats(*(getattr(move, name) for name in NAMES)) for move in stats.moves)
