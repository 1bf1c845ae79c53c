"""``mcts-core kaggle-bundle``: the archive of a submission to Kaggle's connectx."""

from __future__ import annotations

import argparse

from mcts_core.cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.cli.options import Commands

DESCRIPTION = """\
Write an archive (tar.gz) for a submission to Kaggle's connectx: main.py, and this package as it is
compiled for the Python that runs here. It needs the same Python on the same kind of machine, and
neither network nor anything installed there."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "kaggle-bundle", help="write the archive of a submission to Kaggle's connectx", description=DESCRIPTION,
        formatter_class=options.HelpFormatter)
    parser.add_argument(
        "file", nargs="?", default="submission.tar.gz", metavar="FILE",
        help="the archive, which takes the place of one that is there (default submission.tar.gz)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the archive; returns the exit code."""
    from mcts_core.bots.kaggle_bundle import write_bundle

    size = write_bundle(args.file)
    print(f"{args.file}: {size / 1e6:.1f} MB")
    return 0
