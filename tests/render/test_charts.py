"""mcts_core/render/charts.py: charts by matplotlib, read back from its objects."""

import sys

import matplotlib
import pytest
from matplotlib.figure import Figure

import mcts_core as mc
from mcts_core.render import heat_map, plot

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def history():
    """Stats of one search: after 200, 400, ... iterations. The tree of each holds that of the one before."""
    found = []
    for iterations in range(200, 1201, 200):
        engine = mc.Searcher(preset="uct", seed=1)
        engine.search(mc.ConnectFour.from_moves("33"), iterations=iterations)
        found.append(engine.stats())
    return found


def lines_of(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.get_lines()}


def drawn(axes):
    """The picture is made, which fails on what cannot be drawn."""
    axes.figure.canvas.draw()
    return axes


def test_lines_are_the_shares_and_values(history):
    visits, values = plot(history, over="iterations", top=3, axes=Figure().subplots(1, 2))
    times = [stats.iterations for stats in history]
    best = [entry.move for entry in history[-1].moves][:3]
    assert list(lines_of(visits)) == [str(move + 1) for move in best]
    assert list(lines_of(values)) == [*(str(move + 1) for move in best), "root"]
    for move in best:
        entries = [next(entry for entry in stats.moves if entry.move == move) for stats in history]
        shares = [entry.visits / stats.visits for entry, stats in zip(entries, history, strict=True)]
        assert lines_of(visits)[str(move + 1)] == (times, shares)
        assert lines_of(values)[str(move + 1)] == (times, [entry.value for entry in entries])
    assert lines_of(values)["root"] == (times, [stats.value for stats in history])
    assert visits.get_xlabel() == values.get_xlabel() == "iterations" and visits.get_ylim() == (0.0, 1.0)
    assert len({line.get_color() for line in values.get_lines()}) == 4
    assert len({line.get_marker() for line in values.get_lines()}) == 4
    assert [text.get_text() for text in values.get_legend().get_texts()] == list(lines_of(values))
    drawn(visits)


def test_over_seconds_on_a_figure_of_pyplot(history):
    from matplotlib import pyplot

    visits, values = plot(iter(history))
    try:
        assert visits.get_xlabel() == "seconds" and visits.figure is values.figure
        assert lines_of(visits)[str(history[-1].move + 1)][0] == [stats.seconds for stats in history]
        assert pyplot.fignum_exists(visits.figure.number)
        drawn(visits)
    finally:
        pyplot.close(visits.figure)


def test_a_search_that_is_watched():
    engine = mc.Searcher(preset="uct", seed=1)
    watched = list(engine.watch(mc.Gomoku.from_moves([112]), 0.1, every=0.02))
    visits, values = plot(watched, axes=Figure().subplots(1, 2))
    assert len(lines_of(visits)) == 5 and all(name[0] in "abcdefghijklmno" for name in lines_of(visits))
    drawn(values)


def test_moves_without_visits_are_left_out(history):
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour.from_moves("112233", base=1), iterations=50)
    stats = engine.stats()
    visited = sum(entry.visits > 0 or entry.move == stats.move for entry in stats.moves)
    assert visited < 5
    visits, _ = plot([stats], axes=Figure().subplots(1, 2))
    assert len(lines_of(visits)) == visited
    drawn(visits)


def test_a_heat_map_is_the_shares_of_the_visits():
    state = mc.Gomoku.from_moves([112, 97])
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(state, iterations=2000)
    stats = engine.stats()
    axes = drawn(heat_map(stats, axes=Figure().subplots()))
    shares = axes.get_images()[0].get_array()
    assert shares.shape == (15, 15)
    for entry in stats.moves:
        assert shares[divmod(entry.move, 15)] == entry.visits / stats.visits
    assert shares[7, 7] == shares[6, 7] == 0
    stones = {tuple(patch.center): patch.get_facecolor()[0] for patch in axes.patches if patch.radius == 0.4}
    assert stones.keys() == {(7, 7), (7, 6)} and stones[7, 7] < 0.5 < stones[7, 6]
    assert [tuple(patch.center) for patch in axes.patches if patch.radius == 0.13] == [(7, 6)]
    row, column = divmod(stats.move, 15)
    assert {tuple(patch.center) for patch in axes.patches if patch.radius == 0.36} == {(column, row)}
    assert [label.get_text() for label in axes.get_xticklabels()] == list("abcdefghijklmno")
    assert [label.get_text() for label in axes.get_yticklabels()] == [str(row) for row in range(15, 0, -1)]
    assert "gomoku" in axes.get_title() and "X to move" in axes.get_title()


def test_heat_maps_of_columns(history):
    stats = history[-1]
    axes = drawn(heat_map(stats, axes=Figure().subplots()))
    shares = axes.get_images()[0].get_array()
    rows = {3: 3}  # two stones lie in the middle column
    for entry in stats.moves:
        assert shares[rows.get(entry.move, 5), entry.move] == entry.visits / stats.visits
    assert shares.sum() == pytest.approx(1)


def test_a_heat_map_needs_the_board(history):
    import dataclasses

    copy = dataclasses.replace(history[-1])
    with pytest.raises(mc.InvalidState, match="do not contain their position: pass it as state"):
        heat_map(copy)
    assert heat_map(copy, state=history[-1].state, axes=Figure().subplots()).get_images()
    with pytest.raises(mc.InvalidState, match="only positions of ConnectFour and MNK"):
        heat_map(copy, state="board")
    with pytest.raises(mc.InvalidOption, match="stats must belong to the position"):
        heat_map(copy, state=mc.ConnectFour.from_moves("333333"))
    with pytest.raises(mc.InvalidOption, match="axes must be axes of matplotlib, got 5"):
        heat_map(copy, state=history[-1].state, axes=5)


@pytest.mark.parametrize("options, message", [
    ({"history": 3}, "history must be a sequence of Stats, got 3"),
    ({"history": []}, "history must have at least one Stats, got none"),
    ({"history": [3]}, "stats must be a Stats, got 3"),
    ({"top": 9}, "top must be an int from 1 to 8, got 9"),
    ({"over": "days"}, "over must be 'seconds' or 'iterations', got 'days'"),
    ({"base": 2}, "base must be"),
    ({"axes": [1]}, "axes must be a sequence of 2 axes of matplotlib, got [1]"),
    ({"axes": (1, 2)}, "axes must be a sequence of 2 axes of matplotlib, got (1, 2)"),
    ({"axes": 5}, "axes must be a sequence of 2 axes of matplotlib, got 5"),
])
def test_wrong_arguments(history, options, message):
    with pytest.raises(mc.InvalidOption) as caught:
        plot(**{"history": history, **options})
    assert message in str(caught.value)


def test_a_history_of_two_searches(history):
    engine = mc.Searcher(seed=1)
    engine.search(mc.Gomoku(), iterations=20)
    with pytest.raises(mc.InvalidOption, match="history must be from one search"):
        plot([history[0], engine.stats()], axes=Figure().subplots(1, 2))


def test_without_matplotlib(monkeypatch, history):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: plot(history), lambda: heat_map(history[-1])):
        with pytest.raises(ModuleNotFoundError, match=r"charts need matplotlib: .* \[plot\]"):
            call()
