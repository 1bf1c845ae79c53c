"""Writes the tables of docs/options.md and docs/command_line.md that follow from the code: python docs/tables.py

Each stands between the comments ``<!-- table: name -->`` and ``<!-- end of table -->``.
"""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path
from typing import Any

import mcts_core as mc
from mcts_core.cli.main import build_parser
from mcts_core.cli.options import add_search_options, commands_of

FOLDER = Path(__file__).parent
PAGES = ("options.md", "command_line.md")
TABLE = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


class TwoPlayers:
    """A game in Python of which only the rules are known."""

    to_move = 1

    def legal_moves(self) -> list[int]:
        return [0]

    def play(self, move: int) -> TwoPlayers:
        return self

    def winner(self) -> int | None:
        return None


class OnePlayer(TwoPlayers):
    """A general game."""

    players, to_move = 1, 0

    def returns(self) -> list[float] | None:
        return None


# ---- the defaults by game --------------------------------------------------------------------------------------------

COLUMNS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Connect Four": (mc.ConnectFour(), {}),
    "m,n,k games of at most 64 cells": (mc.MNK(8, 8, 5), {}),
    "larger m,n,k games": (mc.MNK(12, 12, 6), {}),
    "gomoku": (mc.Gomoku(), {}),
    "your own game": (TwoPlayers(), {}),
    "general games": (OnePlayer(), {}),
    "`preset=\"uct\"`": (mc.ConnectFour(), {"preset": "uct"}),
}


def shown(value: Any) -> str:
    """A default as a table has it."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def defaults() -> str:
    """A row for each option whose default depends on the game."""
    columns = [mc.Searcher(**options).options(state) for state, options in COLUMNS.values()]
    rows = [["option", *COLUMNS], ["---"] * (1 + len(COLUMNS))]
    for name in inspect.signature(mc.Searcher).parameters:
        cells = [shown(column[name]) if name in column else "-" for column in columns]
        if len({*cells} - {"-"}) > 1:
            rows.append([f"`{name}`", *cells])
    return as_table(rows)


# ---- the options of the command line ---------------------------------------------------------------------------------

GAME = "`GAME`"


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    return {name: parser for name, _, parser in commands_of(build_parser())}


def arguments(parser: argparse.ArgumentParser) -> dict[str, str]:
    """What each argument is for, by how it is written."""
    found = {}
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = action.metavar if isinstance(action.metavar, str) else "{" + ",".join(
            map(str, action.choices)) + "}" if action.choices else ""
        takes = action.nargs != 0 and bool(value)
        words = [" ".join([word, value] if takes else [word]) for word in action.option_strings] or [value]
        text = (action.help or "").replace("%%", "%").replace("|", "\\|")
        found[", ".join(f"`{word}`" for word in words)] = re.sub(r"(?<!\w)--[a-z-]+", r"`\g<0>`", text)
    return found


def common(first: str, second: str) -> dict[str, str]:
    """The arguments that two commands share."""
    others = arguments(commands()[second])
    return {written: text for written, text in arguments(commands()[first]).items() if others.get(written) == text}


def of_a_search() -> dict[str, str]:
    parser = argparse.ArgumentParser()
    add_search_options(parser)
    return arguments(parser)


def of_the_output() -> dict[str, str]:
    return {written: text for written, text in common("analyze", "check").items() if written != GAME}


def arguments_of(name: str) -> str:
    """A row for each argument of a command but for those that have a table of their own."""
    known = of_a_search() | of_the_output() | {GAME: ""}
    return rows_of({written: text for written, text in arguments(commands()[name]).items()
                    if written not in known or known[written] not in ("", text)})


def rows_of(found: dict[str, str]) -> str:
    return as_table([["argument", ""], ["---"] * 2, *([written, text] for written, text in found.items())])


# ---- pages -----------------------------------------------------------------------------------------------------------

def as_table(rows: list[list[str]]) -> str:
    return "\n".join("|" + "|".join("---" if cell == "---" else f" {cell} " for cell in row) + "|" for row in rows)


def table(name: str) -> str:
    """A table by its name in a page."""
    if name == "defaults":
        return defaults()
    if name == "arguments of a search":
        return rows_of(of_a_search())
    if name == "arguments of the output":
        return rows_of(of_the_output())
    return arguments_of(name.removeprefix("arguments of "))


def filled(text: str) -> str:
    """A page with its tables made anew."""
    return TABLE.sub(lambda found: f"{found[1]}\n{table(found[2])}\n\n{found[3]}", text)


def main() -> None:
    for name in PAGES:
        path = FOLDER / name
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
