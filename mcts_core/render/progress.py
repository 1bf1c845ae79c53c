"""A progress bar on the terminal, with rich (extra [rich])."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from mcts_core import SelfPlayProgress


class Bar:
    """A line on standard error with the finished games, positions per second and the time left. Call it with a
    SelfPlayProgress. Raises ModuleNotFoundError without rich."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        try:
            from rich import progress
            from rich.console import Console
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("a progress bar needs rich: install mcts-core with the extra [rich]") from error
        self._progress = progress.Progress(
            progress.TextColumn("self-play"), progress.BarColumn(), progress.MofNCompleteColumn(),
            progress.TextColumn("games, {task.fields[rate]} positions/s,"), progress.TimeRemainingColumn(),
            progress.TextColumn("left"), console=Console(stderr=True) if console is None else console,
        )
        self._task = self._progress.add_task("", total=total, rate=0)
        self._progress.start()

    def __call__(self, found: SelfPlayProgress) -> None:
        rate = round(found.positions / found.seconds) if found.seconds > 0 else 0
        self._progress.update(self._task, completed=found.games, rate=f"{rate:,}")

    def close(self) -> None:
        """Ends the updates; the line stays."""
        self._progress.stop()
