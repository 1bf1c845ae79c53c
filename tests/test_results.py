"""mcts_core/results.py: Stats, MoveStats, Rollouts."""

import dataclasses
import json

import pytest

import mcts_core as mc

pytestmark = pytest.mark.wasm

FIELDS = ("move", "value", "visits", "moves", "pv", "iterations", "rollouts", "seconds", "iterations_per_second",
          "nodes", "bytes", "prunes", "dropped_nodes", "depth_mean", "depth_max", "reused_visits",
          "stop_reason", "proven", "distance", "overshoot", "seed", "threads",
          "isa", "values", "book", "scale", "line_value", "bounds")


@pytest.fixture(scope="module")
def stats():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=5000)
    return engine.stats()


def test_fields(stats):
    assert tuple(field.name for field in dataclasses.fields(stats)) == FIELDS
    assert isinstance(stats.moves, tuple) and isinstance(stats.pv, tuple)
    assert isinstance(stats.moves[0], mc.MoveStats) and isinstance(stats, mc.Stats)
    assert stats.iterations_per_second == pytest.approx(stats.iterations / stats.seconds)
    assert stats.threads == 1 and stats.reused_visits == stats.prunes == stats.dropped_nodes == 0
    assert stats.proven is stats.distance is None
    for entry in stats.moves:
        assert entry.value == entry.wins / entry.visits
        assert 2 * entry.wins == int(2 * entry.wins) <= 2 * entry.visits


def test_frozen(stats):
    with pytest.raises(dataclasses.FrozenInstanceError):
        stats.move = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        stats.moves[0].visits = 3


def test_to_dict_is_json(stats):
    data = json.loads(json.dumps(stats.to_dict()))
    assert tuple(data) == ("move", "name", *FIELDS[1:], "pv_names")
    assert data["name"] == str(stats.move + 1) and data["pv_names"] == [str(move + 1) for move in stats.pv]
    assert data["moves"][0] == {"move": stats.moves[0].move, "name": str(stats.moves[0].move + 1),
                                "visits": stats.moves[0].visits, "wins": stats.moves[0].wins,
                                "value": stats.moves[0].value, "proven": None, "distance": None, "prior": None,
                                "policy": None, "bounds": None}
    assert data["pv"] == list(stats.pv)


def test_moves_that_json_does_not_know():
    class Odd:
        to_move = 1

        def __init__(self, over=False):
            self.over = over

        def legal_moves(self):
            return [(1, "a"), frozenset({2}), None, ((1, 2), 3), float("inf"), (1, float("-inf"))]

        def play(self, move):
            return Odd(True)

        def winner(self):
            return 1 if self.over else None

    engine = mc.Searcher(seed=1)
    engine.search(Odd(), iterations=20)
    data = json.loads(json.dumps(engine.stats().to_dict(), allow_nan=False))
    names = {json.dumps(entry["move"]) for entry in data["moves"]}
    assert names == {'[1, "a"]', '"frozenset({2})"', "null", '"((1, 2), 3)"', '"inf"', '[1, "-inf"]'}
    assert "frozenset({2})" in str(engine.stats())


def test_str_is_a_table(stats):
    lines = str(stats).splitlines()
    best = next(entry for entry in stats.moves if entry.move == stats.move)
    assert best.value != stats.value  # that of the move, as in its row, and not the mean over all moves
    assert lines[0].startswith(
        f"move {stats.move + 1} (number {stats.move})  value {best.value:.3f}  5,000 iterations in ")
    assert lines[0].endswith("stopped by iterations")
    assert lines[1].split() == ["move", "number", "visits", "wins", "value"]
    assert [line.split() for line in lines[2:9]] == [
        [str(entry.move + 1), str(entry.move), f"{entry.visits:,}", f"{entry.wins:,.1f}", f"{entry.value:.3f}"]
        for entry in stats.moves]
    assert len({len(line) for line in lines[1:9]}) == 1
    assert lines[9] == "pv " + " ".join(str(move + 1) for move in stats.pv)
    assert lines[10:] == [f"{stats.nodes:,} nodes, {stats.bytes / 1e6:.1f} MB  depth {stats.depth_mean:.1f}/"
                          f"{stats.depth_max}"]
    assert max(map(len, lines)) <= 100


def test_what_is_proven_is_in_the_table():
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour.from_moves("112233", base=1), iterations=500)
    stats = engine.stats()
    assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == (3, "win", 1, "solved")
    lines = str(stats).splitlines()
    assert "  win in 1  " in lines[0] and lines[0].endswith("stopped by solved")
    assert lines[1].split() == ["move", "number", "visits", "wins", "value", "proven"]
    assert lines[2].split()[:2] == ["4", "3"] and lines[2].endswith("  win in 1")
    assert stats.to_dict()["proven"] == "win" and stats.to_dict()["distance"] == 1


def test_the_move_to_play_is_the_first_row():
    for seed in range(30):
        engine = mc.Searcher(seed=seed, preset="uct", final_move="max")
        engine.search(mc.Gomoku(15), iterations=2000)
        stats = engine.stats()
        lines = str(stats).splitlines()
        name = mc.Gomoku(15).name(stats.move)
        assert lines[2].split()[:2] == [name, str(stats.move)] and len(lines) == 17
        assert [line.split()[0] for line in lines[2:14]].count(name) == 1


def test_long_tables_are_cut():
    engine = mc.Searcher(seed=1)
    engine.search(mc.Gomoku(15), iterations=500)
    lines = str(engine.stats()).splitlines()
    assert len(lines) == 1 + 1 + 12 + 1 + 2 and lines[-3] == "... and 213 more moves"


def test_a_move_without_a_visit_has_no_value():
    engine = mc.Searcher(seed=1, preset="uct")
    engine.search(mc.ConnectFour(), iterations=1)
    lines = str(engine.stats()).splitlines()
    assert "  1 iteration in " in lines[0] and " nodes, " in lines[-1]
    assert [line.split() for line in lines[2:9]] == [
        [str(entry.move + 1), str(entry.move), str(entry.visits), f"{entry.wins:.1f}",
         f"{entry.value:.3f}" if entry.visits else "-"] for entry in engine.stats().moves]
    assert sum(line.endswith(" -") for line in lines) == 6


def test_a_proven_position_has_its_proof_in_place_of_a_value():
    state = mc.ConnectFour.from_moves("1534754656135", base=1)
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=100_000)
    stats = engine.stats()
    assert stats.proven == "win"
    assert str(stats).startswith(f"move {stats.move + 1} (number {stats.move})  win within {stats.distance}  "
                                 f"{stats.iterations:,} iterations in ")


def test_moves_that_are_ints_of_another_kind_are_ints_in_json():
    numpy = pytest.importorskip("numpy")

    class Takes:
        def __init__(self, left=5, to_move=1):
            self.left, self.to_move = left, to_move

        def legal_moves(self):
            return list(numpy.arange(1, min(3, self.left) + 1))

        def play(self, move):
            return Takes(self.left - move, -self.to_move)

        def winner(self):
            return None if self.left else -self.to_move

        def name(self, move):
            return f"take {move}"

    mc.search(Takes(), iterations=50, seed=1)
    data = json.loads(json.dumps(mc.stats().to_dict()))
    assert data["move"] == 1 and sorted(entry["move"] for entry in data["moves"]) == [1, 2, 3]
    assert "move    number" in str(mc.stats()) or "move  number" in str(mc.stats())
