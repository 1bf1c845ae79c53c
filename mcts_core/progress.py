"""How far long work is: what ``progress=True`` and ``--progress`` show while it runs.

In a notebook it is an output that changes in place; on a terminal a bar by rich or tqdm where one of them is installed,
else a line that is written again and again; in a file or a pipe a line at the end, and every ten seconds. It goes to
standard error, and nothing of it stays on a terminal. rich, tqdm and IPython are imported when the first bar is drawn.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from shutil import get_terminal_size

from mcts_core.engine.loop import clock
from mcts_core.game import imported
from mcts_core.move_names import Names
from mcts_core.text_tables import columns, cut, ellipsis
from mcts_core.words import counted, expectation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TextIO, TypeAlias

    from mcts_core.checks.check_report import CheckProgress
    from mcts_core.many import SearchManyProgress
    from mcts_core.results import Stats
    from mcts_core.self_play.selfplay import SelfPlayProgress

    Tell: TypeAlias = "Callable[[Any], tuple[float, Told]]"

    class Display(Protocol):
        """Where a bar is drawn."""

        stays: bool

        def show(self, share: float, text: Told) -> None: ...
        def clear(self) -> None: ...

LINE_SECONDS = 10.0
"""Between two lines in a file or a pipe."""
_BAR = 20
_WIDE = 60
"""Columns of a terminal from which on there is room for a bar beside the text."""
_NEARLY = 0.99
"""What work is shown at most to have done as long as it goes on."""


class Told(str):
    """What a bar says. The name in it is cut where there is no room for it beside the figures."""

    parts: tuple[str, str, str]

    def __new__(cls, before: str, name: str = "", after: str = "") -> Told:
        told = super().__new__(cls, before + name + after)
        told.parts = before, name, after
        return told


class Bar:
    """Is called with progress, and draws it; a context that leaves the terminal as it found it.

    ``tell`` says of progress which share of the work is done, 1.0 only at the end, and the text beside it. Nothing is
    drawn in the first ``delay`` seconds. What cannot be written ends the drawing, never the work.
    """

    def __init__(self, tell: Tell, delay: float = 0.0) -> None:
        self._tell = tell
        self._from = clock() + delay if delay > 0 else 0.0
        self._display: Display | None = None
        self._broken = False

    def __call__(self, found: Any) -> None:
        if self._broken or clock() < self._from:
            return
        try:
            if self._display is None:
                self._display = make_display()
            self._display.show(*self._tell(found))
        except (OSError, ValueError):  # a terminal that is gone, a file that is closed
            self._broken = True

    def finish(self, found: Any) -> None:
        """The work is done: where the last state stays to be seen, off a terminal, it is shown."""
        if self._display is None and not self._broken and clock() >= self._from:
            self._display = make_display()
        if self._display is not None and self._display.stays:
            self(found)

    def clear(self) -> None:
        """Takes the bar off the terminal until it is called again, so that something else can be printed."""
        if self._display is not None and not self._broken:
            try:
                self._display.clear()
            except (OSError, ValueError):
                self._broken = True

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()


class watching:
    """A context whose value is the function to call with progress: what the caller gave, the Bar that ``make`` makes
    for True, or None for False."""

    __slots__ = ("_made", "_tell")

    def __init__(self, progress: bool | Callable[[Any], object], make: Callable[[], Bar]) -> None:
        self._made = make() if progress is True else None
        if self._made is not None:
            import_display()
        self._tell = self._made or (None if isinstance(progress, bool) else progress)

    def __enter__(self) -> Callable[[Any], object] | None:
        return self._tell

    def __exit__(self, *error: object) -> None:
        if self._made is not None:
            self._made.clear()


# ---- what is shown of which work -------------------------------------------------------------------------------------


def of_search(state: Any, seconds: float | None, iterations: int | None, *, before: str = "",
              delay: float = 0.0) -> Bar:
    """Of one search with these budgets (0 or None: none), called with Stats: the best move, what is to be expected of
    it, and the time left. ``before`` is written before it."""
    names = Names(state)

    def tell(stats: Stats) -> tuple[float, Told]:
        parts = f"{before}move ", names.shown(stats.move), f", {expectation(stats)}"
        if stats.stop_reason != "running":
            return 1.0, Told(*parts[:2], f"{parts[2]}, {counted(stats.iterations, 'iteration')} in "
                                         f"{spoken(stats.seconds)}")
        shares, lefts = [0.0], []
        if seconds:
            shares.append(stats.seconds / seconds)
            lefts.append(seconds - stats.seconds)
        if iterations:
            shares.append(stats.iterations / iterations)
            lefts.append(stats.seconds * (iterations - stats.iterations) / max(1, stats.iterations))
        return min(max(shares), _NEARLY), Told(*parts[:2], f"{parts[2]}, {spoken(min(lefts, default=0.0))} left")

    return Bar(tell, delay)


def of_positions() -> Bar:
    """Of ``search_many``."""
    def tell(found: SearchManyProgress) -> tuple[float, Told]:
        failed = f", {found.failed:,} failed" if found.failed else ""
        return _counted_off(found.done, found.total, "position", failed, found.seconds)

    return Bar(tell)


def of_games(delay: float = 0.0) -> Bar:
    """Of ``selfplay``. Games that were in the folder before took no time of this call."""
    first: list[int] = []

    def tell(found: SelfPlayProgress) -> tuple[float, Told]:
        first[:] = first or [found.games]
        rate = f", {found.positions / found.seconds:,.0f} positions/s" if found.seconds > 0 else ""
        return _counted_off(found.games, found.total, "game", rate, found.seconds, first[0])

    return Bar(tell, delay)


def of_checks(delay: float = 0.0) -> Bar:
    """Of ``check_game``."""
    def tell(found: CheckProgress) -> tuple[float, Told]:
        broken = f", {counted(found.problems, 'problem')}" if found.problems else ""
        return _counted_off(found.games, found.total, "game", broken, found.seconds)

    return Bar(tell, delay)


def of_parts(noun: str, delay: float = 0.0) -> Bar:
    """Of anything, called with (parts that are done, all parts, seconds so far, what is being done)."""
    def tell(found: tuple[float, int, float, str]) -> tuple[float, Told]:
        done, total, seconds, what = found
        return _counted_off(done, total, noun, ", " if what else "", seconds, name=what)

    return Bar(tell, delay)


def _counted_off(done: float, total: int, noun: str, more: str, seconds: float, first: float = 0, name: str = ""
                 ) -> tuple[float, Told]:
    text = f"{int(done):,} of {counted(total, noun)}{more}"
    if done >= total:
        return 1.0, Told(text, name, f", {spoken(seconds)}")
    left = f", {spoken(seconds * (total - done) / (done - first))} left" if done > first else ""
    return min(done / total, _NEARLY), Told(text, name, left)


def spoken(seconds: float) -> str:
    """A duration: "7 s", "2:05", "1:02:03"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


# ---- where it is shown -----------------------------------------------------------------------------------------------


def make_display() -> Display:
    """The display for where this program runs."""
    if in_notebook():
        return _Cell()
    stream = sys.stderr
    if not is_terminal(stream):
        return _Lines(stream)
    if os.environ.get("TERM") != "dumb":
        for kind in (_RichBar, _TqdmBar):
            try:
                return kind(stream)
            except ImportError:
                pass
    return _Line(stream)


def import_display() -> None:
    """Imports what draws bars, because threads of searches draw them and must not import: see ``run_apart``."""
    if is_terminal(sys.stderr) and not in_notebook():
        for name in ("rich.progress", "tqdm"):
            with suppress(ImportError):
                import_module(name)
                break


def is_terminal(stream: TextIO | None) -> bool:
    """Whether people see at once what is written to ``stream``."""
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, OSError, ValueError):  # what programs put there may only have write(), or be closed
        return False


def in_notebook() -> bool:
    """Whether the outputs of this program are those of a notebook."""
    get_shell = imported("IPython", "get_ipython")
    return get_shell is not None and getattr(get_shell(), "kernel", None) is not None


def _percent(share: float) -> str:
    return f"{int(100 * share):3} %"


def _shown(text: Told, stream: TextIO | None, room: int | None = None) -> str:
    """``text`` in characters that ``stream`` has, without those that would move its cursor, and in ``room`` columns."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    before, name, after = ["".join(character if character.isprintable() else "?" for character in part)
                           .encode(encoding, "backslashreplace").decode(encoding) for part in text.parts]
    if room is None:
        return before + name + after
    mark = ellipsis(encoding)
    return cut(before + cut(name, max(len(mark), room - columns(before) - columns(after)), mark) + after, room, mark)


def _columns() -> int:
    return max(8, get_terminal_size().columns - 1)  # a full line would begin the next one


class _Line:
    """A line of a terminal, written anew each time with nothing but a carriage return."""

    stays = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._length = 0

    def show(self, share: float, text: Told) -> None:
        room, full = _columns(), round(_BAR * share)
        bar = f"[{'#' * full}{' ' * (_BAR - full)}] " if room >= _WIDE else ""
        done = f"{bar}{_percent(share)}  "
        self._write(done + _shown(text, self._stream, room - len(done)))

    def clear(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        # what is on the screen may be longer than what was noted when an interrupt came in between: so note it first
        before, self._length = self._length, max(self._length, columns(line))
        if before or line:
            self._stream.write("\r" + line + " " * (before - columns(line)) + ("" if line else "\r"))
            self._stream.flush()
        self._length = columns(line)


class _RichBar:
    """The same by rich. It has no thread that draws, and leaves sys.stdout and sys.stderr alone."""

    stays = False

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._stream = stream
        class Quiet(Console):
            def on_broken_pipe(self) -> None:  # rich's would end the program
                raise

        console = Quiet(file=stream)
        wide = _columns() >= _WIDE
        self._room = _columns() - 7 - (_BAR + 1 if wide else 0)
        texts = [TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}", markup=False)]
        self._progress = Progress(
            *([BarColumn(_BAR)] if wide else []), *texts, console=console, transient=True, auto_refresh=False,
            redirect_stdout=False, redirect_stderr=False)
        self._task = self._progress.add_task("", total=1.0)

    def show(self, share: float, text: Told) -> None:
        self._progress.update(self._task, completed=share, description=_shown(text, self._stream, self._room))
        if self._progress.live.is_started:
            self._progress.refresh()
        else:
            self._progress.start()

    def clear(self) -> None:
        self._progress.stop()


class _TqdmBar:
    """The same by tqdm, without its thread."""

    stays = False

    def __init__(self, stream: TextIO) -> None:
        from tqdm import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]

        class Quiet(tqdm):  # type: ignore[misc, unused-ignore]
            monitor_interval = 0

        self._stream = stream
        wide = _columns() >= _WIDE
        self._room = _columns() - 7 - (_BAR + 3 if wide else 0)
        form = f"{f'|{{bar:{_BAR}}}| ' if wide else ''}{{percentage:3.0f}} %  {{desc}}"
        self._new: Callable[[], Any] = lambda: Quiet(
            total=1.0, file=stream, leave=False, ncols=_columns(), bar_format=form)
        self._bar: Any = None

    def show(self, share: float, text: Told) -> None:
        if self._bar is None:
            self._bar = self._new()
        self._bar.n = share
        self._bar.set_description_str(_shown(text, self._stream, self._room), refresh=False)
        self._bar.refresh()

    def clear(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Lines:
    """Whole lines, in a file or a pipe; without a stream, nothing."""

    stays = True

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._next = clock() + LINE_SECONDS

    def show(self, share: float, text: Told) -> None:
        if self._stream is None or (share < 1.0 and clock() < self._next):
            return
        self._next = clock() + LINE_SECONDS
        self._stream.write(f"{_percent(share).strip()}  {_shown(text, self._stream)}\n")
        self._stream.flush()

    def clear(self) -> None:
        pass


class _Cell:
    """An output of a notebook that changes in place, and stays."""

    stays = True

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, share: float, text: Told) -> None:
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        picture = _Picture(share, text)
        if self._handle is None:
            self._handle = display(picture, display_id=True)
        else:
            self._handle.update(picture)

    def clear(self) -> None:
        pass


class _Picture:
    """What a notebook shows."""

    def __init__(self, share: float, text: str) -> None:
        self._share = share
        self._text = text

    def _repr_html_(self) -> str:
        from html import escape

        return (f'<progress value="{self._share:.3f}" max="1" style="width: 12em; vertical-align: middle"></progress> '
                f'<span style="font-variant-numeric: tabular-nums">{escape(self._text)}</span>')

    def __repr__(self) -> str:
        return f"{_percent(self._share).strip()}  {self._text}"
