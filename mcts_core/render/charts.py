"""Charts with matplotlib (extra [plot]): the course of a search, and its visits on the board."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mcts_core import InvalidOption, InvalidState, Stats
from mcts_core.arguments import as_int, shorten
from mcts_core.render.board import Board, names_of
from mcts_core.render.markup import check_stats, label, share_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#8c8c00")
"""The colours of Okabe and Ito except black and yellow. Colour-blind readers can distinguish them, and lines also
differ by their markers."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_OVER = ("seconds", "iterations")


def plot(
    history: Iterable[Stats],
    *,
    state: Any = None,
    top: int = 5,
    over: str = "seconds",
    base: int = 1,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Draws the course of a search: the shares of the visits and the values of its moves over time.

    history: the Stats of one search in their order, as ``engine.watch(state, seconds)`` yields them.
    state: the position that was searched, which knows the names of the moves; by default the position of the Stats.
    top: the number of moves to draw, 1 to 8: the moves with the most visits at the end, including the move to play.
    over: the unit of time: ``"seconds"`` or ``"iterations"``.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.
    axes: two axes to draw on, for the visits and for the values; by default the axes of a new figure of pyplot.

    Returns the two axes. Raises ModuleNotFoundError without matplotlib, InvalidOption.
    """
    found = _history(history)
    count = as_int(top, "top", 1, len(_COLOURS))
    if over not in _OVER:
        raise InvalidOption(f"over must be {' or '.join(map(repr, _OVER))}, got {shorten(over)}")
    last = found[-1]
    position = last.state if state is None else state
    names = names_of(position, base)
    first, second = _axes(axes, 2)
    times = [getattr(stats, over) for stats in found]
    moves = [entry.move for entry in sorted(last.moves, key=lambda entry: entry.move != last.move)
             if entry.visits or entry.move == last.move][:count]
    for number, move in enumerate(moves):
        shares, values = _course(found, move)
        style: dict[str, Any] = {
            "color": _COLOURS[number], "marker": _MARKERS[number], "markersize": 4, "linewidth": 2.0 if not number
            else 1.3, "label": label(move, names),
        }
        first.plot(times, shares, **style)
        second.plot(times, values, **style)
    second.plot(times, [stats.value for stats in found], color="#808080", linestyle="--", linewidth=1.5, label="root")
    first.set(title="visits", ylabel="share of the visits", ylim=(0.0, 1.0))
    second.set(title="values", ylabel="value for the player to move")
    if last.scale is None:
        low, high = second.get_ylim()
        second.set_ylim(max(low, -0.02), min(high, 1.02))
    for each in (first, second):
        each.set_xlabel(over)
        each.grid(alpha=0.3)
    second.legend(title="move", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return first, second


def heat_map(stats: Stats, *, state: Any = None, base: int = 1, axes: Axes | None = None) -> Axes:
    """Draws the board. The colour of a cell shows its share of the visits, on a square root scale.

    stats: the statistics of a search of a position of ConnectFour, MNK, Gomoku or TicTacToe.
    state: that position; by default the position of ``stats``.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.
    axes: the axes to draw on; by default the axes of a new figure of pyplot.

    Returns the axes. Raises ModuleNotFoundError without matplotlib, InvalidState, InvalidOption.
    """
    check_stats(stats)
    position = stats.state if state is None else state
    if position is None:
        raise InvalidState("these statistics do not contain their position: pass it as state")
    board = Board(position, base)
    shares = _shares(board, stats)
    ground: Axes = _axes(axes, 1)[0]
    from matplotlib.colors import PowerNorm
    from matplotlib.patches import Circle

    greatest = max(max(row) for row in shares)
    image = ground.imshow(shares, cmap="cividis", norm=PowerNorm(0.5, 0.0, greatest or 1.0))
    bar = ground.figure.colorbar(image, ax=ground, shrink=0.8, format=lambda share, _: f"{share:.0%}")
    bar.set_label("share of the visits (scale of square roots)")
    for (row, column), player in sorted(board.stones.items()):
        fill, edge = ("#111111", "#ffffff") if player > 0 else ("#ffffff", "#111111")
        ground.add_patch(Circle((column, row), 0.4, facecolor=fill, edgecolor=edge, linewidth=0.8))
        if board.last == (row, column):
            ground.add_patch(Circle((column, row), 0.13, facecolor="#e5532d", edgecolor="none"))
    row, column = board.cell_of(stats.move)
    for colour, linewidth in (("#ffffff", 5.0), ("#111111", 2.0)):
        ground.add_patch(Circle((column, row), 0.36, fill=False, edgecolor=colour, linewidth=linewidth))
    ground.set_xticks(range(board.width), board.columns)
    ground.set_yticks(range(board.height), board.rows or [""] * board.height)
    ground.tick_params(length=0)
    ground.set_title(f"{board.title}\n{board.status()}, ring: the move to play", fontsize="medium")
    return ground


def _history(history: Any) -> list[Stats]:
    try:
        found = list(history)
    except TypeError:
        raise InvalidOption(f"history must be a sequence of Stats, got {shorten(history)}") from None
    if not found:
        raise InvalidOption("history must have at least one Stats, got none")
    for stats in found:
        check_stats(stats)
    return found


def _course(history: Sequence[Stats], move: Hashable) -> tuple[list[float], list[float]]:
    """The shares of the visits and the values of a move. A value is NaN, a gap in the line, without visits."""
    shares, values = [], []
    for stats in history:
        entry = next((entry for entry in stats.moves if entry.move == move), None)
        if entry is None:
            raise InvalidOption(
                f"history must be from one search, but only its last Stats contain the move {shorten(move)}")
        shares.append(share_of(entry.visits, stats))
        values.append(entry.value if entry.visits else float("nan"))
    return shares, values


def _shares(board: Board, stats: Stats) -> list[list[float]]:
    shares = [[0.0] * board.width for _ in range(board.height)]
    for (row, column), entry in board.visited(stats):
        shares[row][column] = share_of(entry.visits, stats)
    return shares


def _axes(axes: Any, count: int) -> list[Any]:
    """``axes`` as a list, or those of a new figure."""
    if axes is not None:
        given = [axes] if count == 1 else list(axes) if isinstance(axes, Iterable) else []
        if len(given) != count or not all(callable(getattr(each, "get_figure", None)) for each in given):
            what = "axes of matplotlib" if count == 1 else f"a sequence of {count} axes of matplotlib"
            raise InvalidOption(f"axes must be {what}, got {shorten(axes)}")
        return given
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("charts need matplotlib: install mcts-core with the extra [plot]") from error
    _, made = pyplot.subplots(1, count, figsize=(5.2 * count, 4.4), layout="constrained", squeeze=False)
    return list(made[0])
