"""mcts_core/render: what it offers, what imports it, how boards and Stats show themselves."""

import subprocess
import sys

import pytest

import mcts_core as mc
from mcts_core import game, render

NAMES = ["dot", "heat_map", "html", "plot", "rich_board", "rich_stats", "svg", "text"]


def test_public_names():
    assert sorted(render.__all__) == NAMES and set(NAMES) <= set(dir(render))
    for name in NAMES:
        assert getattr(render, name).__doc__ and getattr(render, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'painting'"):
        _ = render.painting
    assert mc.render is render and "render" in mc.__all__


@pytest.mark.parametrize("state", [
    mc.ConnectFour.from_moves("33"), mc.MNK(5, 4, 4), mc.Gomoku.from_moves([112]), mc.TicTacToe.from_moves("40")])
def test_boards_show_themselves(state):
    assert state._repr_svg_() == render.svg(state)
    assert state.__rich__() == render.rich_board(state)


def test_positions_without_a_picture_show_none():
    class Other(game.NativeState):
        pass

    assert Other()._repr_svg_() is None and Other().__rich__().startswith("<")


def test_without_the_package_there_is_no_picture():
    """The native modules know nothing of drawing."""
    try:
        game.set_renderer(None)
        assert mc.TicTacToe()._repr_svg_() is None and mc.TicTacToe().__rich__() == "TicTacToe()"
    finally:
        game.set_renderer(mc._show)
    assert mc.TicTacToe()._repr_svg_() == render.svg(mc.TicTacToe())


def python(code, cwd):
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=True,
                          timeout=60).stdout


def test_drawing_is_imported_when_it_is_used(tmp_path):
    code = ("import sys, mcts_core as mc\n"
            "def drawing(): return sorted(n for n in sys.modules if 'render' in n or n == 'mcts_core.engine.top')\n"
            "state = mc.TicTacToe()\n"
            "mc.search(state, iterations=20)\n"
            "repr(state), str(state), str(mc.stats()), mc.stats().to_dict()\n"
            "print(drawing())\n"
            "state._repr_svg_(), mc.stats()._repr_html_(), mc.stats().to_dot(), mc.render.text(state)\n"
            "print(len(drawing()) > 3, [name for name in ('matplotlib', 'rich', 'numpy') if name in sys.modules])")
    assert python(code, tmp_path).splitlines() == ["[]", "True []"]


def test_subclasses_written_in_python_have_pictures():
    class Mine(mc.Gomoku):
        pass

    assert Mine(9).play(40)._repr_svg_() == render.svg(mc.Gomoku(9).play(40))
