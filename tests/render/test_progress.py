"""mcts_core/render/progress.py: the bar of selfplay."""

import io
import sys

import pytest
from rich.console import Console

import mcts_core as mc
from mcts_core.render import progress


def test_the_bar_tells_games_and_positions():
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    bar = progress.Bar(8, console)
    bar(mc.SelfPlayProgress(games=3, total=8, positions=24_000, evaluations=10**6, seconds=2.0))
    bar.close()
    text = console.file.getvalue()
    assert "self-play" in text and "3/8" in text and "12,000 positions/s" in text


def test_selfplay_draws_it_to_the_end(monkeypatch):
    bars = []

    class Spy(progress.Bar):
        def __init__(self, total):
            super().__init__(total, Console(file=io.StringIO(), force_terminal=True, width=100))
            bars.append([total])

        def __call__(self, found):
            super().__call__(found)
            bars[-1].append(found.games)

        def close(self):
            super().close()
            bars[-1].append("closed")

    monkeypatch.setattr(progress, "Bar", Spy)
    assert len(list(mc.selfplay(mc.TicTacToe(), games=3, iterations=5, progress=True, shard_games=1))) == 3
    assert bars[0][0] == 3 and bars[0][-2:] == [3, "closed"]
    parts = mc.selfplay(mc.TicTacToe(), games=3, iterations=5, progress=True, shard_games=1)
    next(parts)
    parts.close()
    assert bars[1][-1] == "closed"
    with pytest.raises(mc.EvaluatorError):
        next(mc.selfplay(mc.TicTacToe(), games=3, iterations=5, progress=True, evaluator=len))
    assert bars[2] == [3, "closed"]


def test_without_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ModuleNotFoundError, match=r"extra \[rich\]"):
        next(mc.selfplay(mc.TicTacToe(), games=1, iterations=5, progress=True))
