"""mcts_core/progress.py: what progress=True shows, wherever the program runs."""

import importlib.util
import io
import subprocess
import sys
import time
import types

import pytest

import mcts_core as mc
from mcts_core import progress, text_tables

FOUR = mc.ConnectFour(4, 4, 3)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Frames(list):
    """A display that keeps what it was to show."""

    def __init__(self, stays=False):
        super().__init__()
        self.stays = stays

    def show(self, share, text):
        self.append((share, text))

    def clear(self):
        self.append("cleared")


@pytest.fixture
def frames(monkeypatch):
    """The displays that are made from now on."""
    made = []

    def make():
        made.append(Frames(stays=True))
        return made[-1]

    monkeypatch.setattr(progress, "make_display", make)
    return made


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as a terminal of 100 columns."""
    stream = Terminal()
    # pytest sets sys.stderr itself between a fixture and its test
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=stream, modules=sys.modules))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    return stream


def without(monkeypatch, *names):
    """These packages cannot be imported."""
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


def seen_at_the_end(text):
    """What a terminal shows after ``text`` of carriage returns."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part):]
    return shown.rstrip()


# ---- every function that works for long ------------------------------------------------------------------------------


def check(made, what):
    """One display was made, was told of the work to its end, and then cleared."""
    display, = made
    assert display[-1] == "cleared"
    assert display[-2][0] == 1.0 and what in display[-2][1]
    assert all(0.0 <= share < 1.0 for share, _ in display[:-2])


@pytest.mark.parametrize("budget, left", [({"seconds": 0.3}, "0 s left"), ({"iterations": 300_000}, " left")])
def test_a_search(frames, budget, left):
    move = mc.search(mc.ConnectFour(), progress=True, every=0.01, preset="uct", **budget)
    check(frames, f"move {move + 1}, value ")
    assert len(frames[0]) > 4 and all(left in text for _, text in frames[0][:-2])
    shares = [share for share, _ in frames[0][:-1]]
    assert shares == sorted(shares)


def test_a_searcher(frames):
    engine = mc.Searcher(progress=True, every=0.01, preset="uct")
    engine.search(mc.Gomoku(), 0.1)
    check(frames, "move h8" if engine.stats().move == 112 else "move ")
    engine.search(mc.Gomoku(), 0.05, progress=False)
    assert len(frames) == 1
    engine.search(mc.Gomoku(), 0.05, progress=lambda stats: None)
    assert len(frames) == 1
    mc.Searcher().search(mc.Gomoku(), 0.05, progress=True, every=0.01)
    assert len(frames) == 2


@pytest.mark.needs("numpy")
def test_without_progress_there_is_none(frames):
    for nothing in (None, False):
        mc.search(FOUR, 0.05, progress=nothing, every=0.001)
        mc.search_many([FOUR], iterations=10, progress=nothing)
        list(mc.selfplay(FOUR, games=1, iterations=5, progress=nothing))
        mc.check_game(FOUR, 2, progress=nothing)
    assert frames == []


def test_many_positions(frames):
    over = mc.ConnectFour(4, 4, 2).play(0).play(2).play(1)
    mc.search_many([FOUR, FOUR.play(0), over], iterations=10, errors="return", progress=True)
    check(frames, "3 of 3 positions, 1 failed, 0 s")


def test_a_parallel_search(frames):
    found = mc.search_parallel(mc.Gomoku(), 0.4, executor="threads", workers=2, memory_mb=64, preset="uct",
                               progress=True, every=0.01)
    check(frames, f"move {mc.Gomoku().name(found.move)}, value ")


def test_games_of_selfplay(frames):
    pytest.importorskip("numpy")
    list(mc.selfplay(FOUR, games=3, iterations=5, progress=True, shard_games=1))
    check(frames, "3 of 3 games, ")
    parts = mc.selfplay(FOUR, games=3, iterations=5, progress=True, shard_games=1)
    next(parts)
    parts.close()
    assert frames[1][-1] == "cleared"


def test_a_checked_game(frames):
    mc.check_game(FOUR, 5, progress=True)
    check(frames, "5 of 5 games, 0 s")
    seen = []
    mc.check_game(FOUR, 300, progress=seen.append, every=0.001)
    assert isinstance(seen[-1], mc.CheckProgress) and seen[-1].games == seen[-1].total == 300
    assert seen[-1].problems == 0 and seen[-1].seconds > 0 and seen[-1].positions > 300
    with pytest.raises(ZeroDivisionError):
        mc.check_game(FOUR, 5, progress=lambda found: 1 / 0)
    with pytest.raises(mc.InvalidOption, match="progress must be True, False or a function of one argument, a CheckPr"):
        mc.check_game(FOUR, 5, progress="bar")


# ---- where it is shown -----------------------------------------------------------------------------------------------


def test_a_line_on_a_terminal(terminal, monkeypatch):
    without(monkeypatch, "rich", "rich.console", "tqdm")
    with progress.of_parts("game") as bar:
        bar((1, 4, 10.0, "connect4"))
        bar((2, 4, 10.0, ""))
        assert seen_at_the_end(terminal.getvalue()) == f"[{'#' * 10}{' ' * 10}]  50 %  2 of 4 games, 10 s left"
    assert seen_at_the_end(terminal.getvalue()) == "" and terminal.getvalue().endswith("\r")
    assert "\n" not in terminal.getvalue() and "\x1b" not in terminal.getvalue()


@pytest.mark.parametrize("columns, line", [
    (10, " 25 %  1…"), (40, " 25 %  1 of 4 games, connec…, 30 s left"),
    (59, " 25 %  1 of 4 games, connect4, 30 s left")])
def test_narrow_terminals_get_the_text_alone(terminal, monkeypatch, columns, line):
    without(monkeypatch, "rich", "rich.console", "tqdm")
    monkeypatch.setenv("COLUMNS", str(columns))
    progress.of_parts("game")((1, 4, 10.0, "connect4"))
    assert terminal.getvalue().strip("\r") == line


class Trade:
    """A game whose moves have long names, of wide characters for the second player."""

    to_move = 1

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        return mc.TicTacToe()

    def winner(self):
        return None

    def name(self, move):
        return ["sell two sheep and one brick to the harbour in the north-west for one ore", "羊を売る" * 30][move]


@pytest.mark.parametrize("columns", [45, 60, 80, 120, 200])
@pytest.mark.parametrize("kind", ["line", "rich"])
@pytest.mark.parametrize("move", [0, 1])
def test_a_long_name_is_cut_before_the_figures_of_a_search(terminal, monkeypatch, columns, kind, move):
    if kind == "line":
        without(monkeypatch, "rich", "rich.console", "tqdm")
    monkeypatch.setenv("COLUMNS", str(columns))
    stats = types.SimpleNamespace(move=move, moves=[], value=0.5625, stop_reason="running", proven=None,
                                  seconds=4.0, iterations=100)
    progress.of_search(Trade(), 10.0, None)(stats)
    shown = terminal.getvalue()
    assert "move " in shown and ", value 0.562, 6 s left" in shown
    line = shown.strip("\r").splitlines()[0]
    if kind == "line":
        whole = f"{Trade().name(move)}, value 0.562, 6 s left"
        assert columns - 3 <= text_tables.columns(line) < columns or line.endswith(whole)


def test_rich_where_it_is_installed(terminal):
    pytest.importorskip("rich")
    before = sys.stderr
    with progress.of_parts("game") as bar:
        bar((1, 4, 10.0, "[red]"))
        bar.clear()
        bar((2, 4, 10.0, ""))
        assert sys.stderr is before and "1 of 4 games, [red], 30 s left" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # the cursor is back, the line is gone


def test_tqdm_where_rich_is_not_installed(terminal, monkeypatch):
    drawn = []

    class Bar:
        monitor_interval = 10

        def __init__(self, **given):
            assert given["file"] is terminal and given["leave"] is False and self.monitor_interval == 0

        def set_description_str(self, text, refresh):
            self.text = text

        def refresh(self):
            drawn.append((self.n, self.text))

        def close(self):
            drawn.append("closed")

    without(monkeypatch, "rich", "rich.console")
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    with progress.of_parts("game") as bar:
        bar((1, 4, 10.0, ""))
    assert drawn == [(0.25, "1 of 4 games, 30 s left"), "closed"]


def test_a_dumb_terminal_gets_the_plain_line(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    progress.of_parts("game")((1, 4, 10.0, ""))
    assert terminal.getvalue().startswith("\r[#####") and "\x1b" not in terminal.getvalue()


def test_files_get_a_line_at_the_end(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    mc.search_many([FOUR] * 3, iterations=10, progress=True, every=0.001)
    mc.search(FOUR, iterations=50, seed=1, progress=True)
    first, second = stream.getvalue().splitlines()
    assert first == "100 %  3 of 3 positions, 0 s"
    assert second.startswith("100 %  move ") and second.endswith(" 50 iterations in 0 s")


def test_files_get_a_line_every_ten_seconds(monkeypatch):
    stream, now = io.StringIO(), [100.0]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "clock", lambda: now[0])
    bar = progress.of_parts("game")
    for _ in range(25):
        bar((1, 4, 10.0, ""))
        now[0] += 1.0
    assert stream.getvalue() == "25 %  1 of 4 games, 30 s left\n" * 2


@pytest.mark.parametrize("stream", [None, "closed"])
def test_no_stream_is_no_error(monkeypatch, stream):
    if stream:
        stream = io.StringIO()
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    assert mc.search(FOUR, iterations=50, seed=1, progress=True) in range(4)


@pytest.mark.alone
def test_a_terminal_that_is_gone_ends_the_drawing_alone(terminal, monkeypatch):
    without(monkeypatch, "rich", "rich.console", "tqdm")
    calls = []

    def write(text):
        calls.append(text)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(terminal, "write", write)
    assert mc.search(mc.ConnectFour(), 0.1, progress=True, every=0.01, book=False) in range(7)
    assert len(calls) == 1


def test_an_error_leaves_the_line_clean(terminal, monkeypatch):
    without(monkeypatch, "rich", "rich.console", "tqdm")

    class Failing:
        """A game whose play fails after a while."""

        to_move, end = 1, time.monotonic() + 1.5

        def __init__(self, played=0):
            self.played = played

        def legal_moves(self):
            return [0, 1]

        def play(self, move):
            if time.monotonic() > self.end:
                raise KeyboardInterrupt
            return Failing(self.played + 1)

        def winner(self):
            return None if self.played < 30 else 0

    with pytest.raises(KeyboardInterrupt):
        mc.search(Failing(), 20.0, progress=True, every=0.001)
    assert "left" in terminal.getvalue() and seen_at_the_end(terminal.getvalue()) == ""


def test_names_that_would_move_the_cursor_do_not(terminal, monkeypatch):
    without(monkeypatch, "rich", "rich.console", "tqdm")
    progress.of_parts("game")((1, 4, 10.0, "\x1b[2J\n"))
    assert "\x1b" not in terminal.getvalue() and "?[2J?" in terminal.getvalue()


def test_a_notebook_has_one_output_that_changes(monkeypatch):
    shown = []

    class Handle:
        def update(self, picture):
            shown.append(("changed", picture))

    def display(picture, display_id):
        assert display_id is True
        shown.append(("new", picture))
        return Handle()

    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    move = mc.search(mc.ConnectFour(), 0.2, progress=True, every=0.02, preset="uct")
    assert [how for how, _ in shown[:2]] == ["new", "changed"] and {how for how, _ in shown[1:]} == {"changed"}
    last = shown[-1][1]
    assert repr(last).startswith(f"100 %  move {move + 1}, value 0.")
    assert '<progress value="1.000" max="1"' in last._repr_html_() and f"move {move + 1}, value" in last._repr_html_()
    assert "s left" in repr(shown[0][1])
    shown.clear()
    progress.of_parts("game")((1, 4, 10.0, "<b>"))
    assert "&lt;b&gt;" in shown[0][1]._repr_html_()
    monkeypatch.setattr(ipython, "get_ipython", lambda: None)
    assert not progress.in_notebook()


def test_a_bar_waits(frames):
    bar = progress.of_parts("game", delay=60.0)
    bar((1, 4, 10.0, ""))
    bar.finish((4, 4, 10.0, ""))
    assert frames == []


@pytest.mark.parametrize("seconds, words", [
    (0.4, "0 s"), (59.4, "59 s"), (59.6, "1:00"), (3723, "1:02:03"), (-1, "0 s")])
def test_durations(seconds, words):
    assert progress.spoken(seconds) == words


def test_nothing_is_imported_before_it_is_used(tmp_path):
    code = ("import sys, mcts_core as mc\n"
            "mc.search(mc.TicTacToe(), iterations=10)\n"
            "assert 'mcts_core.progress' not in sys.modules and 'logging' not in sys.modules\n"
            "mc.search_many([mc.TicTacToe()], iterations=10, progress=True)\n"
            "print([name for name in ('rich', 'tqdm', 'IPython') if name in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n" and done.stderr == "100 %  1 of 1 position, 0 s\n"


@pytest.mark.skipif(importlib.util.find_spec("tqdm") is None, reason="needs tqdm")
def test_tqdm_itself(terminal, monkeypatch):
    without(monkeypatch, "rich", "rich.console")
    with progress.of_parts("game") as bar:
        bar((1, 4, 10.0, ""))
        assert " 25 %  1 of 4 games, 30 s left" in terminal.getvalue()
    assert seen_at_the_end(terminal.getvalue()) == ""


class Writer:
    """A stream as programs put it in the place of sys.stderr."""

    def __init__(self):
        self.written = ""

    def write(self, text):
        self.written += text

    def flush(self):
        pass


def test_a_stream_that_can_only_be_written_gets_lines(monkeypatch):
    stream = Writer()
    monkeypatch.setattr("sys.stderr", stream)
    mc.search(mc.TicTacToe(), iterations=100, progress=True)
    assert stream.written.startswith("100 %  move ")


@pytest.mark.parametrize("error", [BrokenPipeError, OSError])
def test_a_terminal_that_cannot_be_written_ends_the_drawing_and_not_the_work(monkeypatch, error):
    """rich ends the program where a pipe is broken."""
    class Gone(Writer):
        encoding = "utf-8"

        def isatty(self):
            return True

        def write(self, text):
            raise error

    monkeypatch.setattr("sys.stderr", Gone())
    monkeypatch.setenv("TERM", "xterm")
    assert mc.search(mc.TicTacToe(), 0.3, iterations=10**8, progress=True, every=0.01, preset="uct") in range(9)


@pytest.mark.parametrize("every", [0, -1.0, "1", True])
def test_an_interval_that_cannot_be_is_refused_without_progress_too(every):
    expected = pytest.raises(mc.InvalidOption, match="every must be a")
    for call in (lambda: mc.search(FOUR, iterations=1, every=every),
                 lambda: mc.Searcher().search(FOUR, iterations=1, every=every),
                 lambda: mc.search_many([FOUR], iterations=1, every=every)):
        with expected:
            call()
