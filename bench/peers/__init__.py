"""The other packages that are measured, and this one with the same rules in Python, each called by a module of its own
in this folder.

Such a module has ``search(game, moves, count, seed)``: a function without arguments that searches, from the position of
a game of ``cases.GAMES`` after ``moves``, with ``count`` simulations, and returns ``(move, tree)``, the tree only to
keep it in memory. What comes before the search, such as imports, happens outside that function.
"""

import importlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements.txt"


@dataclass(frozen=True)
class Peer:
    """A package: the key in ``PEERS`` is the name of its module here."""

    title: str
    distribution: str
    """Its name in the package index."""
    made_of: str
    """What the tree and the rules are written in."""
    games: tuple = ("connect4",)
    remark: str = ""
    """What a reader of the figures must know."""
    ours: bool = False
    """Whether it is this package, with the rules that the others search."""


PEERS = {
    "openspiel": Peer("OpenSpiel", "open_spiel", "C++", ("connect4", "gomoku15"),
                      "`pyspiel.MCTSBot`, one random rollout, without its solver"),
    "mcts": Peer("mcts", "mcts", "Python",
                 remark="it never turns the reward for the opponent, who then helps the player to move; such games are "
                        "short, which makes it faster"),
    "multimcts": Peer("multimcts", "multimcts", "Cython tree, Python rules",
                      remark="its README's use raises TypeError; with `suggest_move = None` in the state it runs"),
    "fastmcts": Peer("fastmcts", "fastmcts", "Python and numpy",
                     remark="players numbered 0 and 1 as its interface says; its own example games number them 1 and "
                            "-1, which turns every result round; its README's quick start raises TypeError"),
    "mctspy": Peer("mctspy", "mctspy", "Python and numpy"),
    "python_rules": Peer("mcts_core", "mcts-core", "native tree, Python rules", ours=True),
}


def version(key):
    """The version of an installed peer, None when it is not installed."""
    try:
        return version_of(PEERS[key].distribution)
    except PackageNotFoundError:
        return None


def versions():
    """The versions of all that is installed, by name, numpy included."""
    found = {peer.title: version(key) for key, peer in PEERS.items()}
    try:
        found["numpy"] = version_of("numpy")
    except PackageNotFoundError:
        pass
    return {name: number for name, number in found.items() if number}


def search(key, game, moves, count, seed):
    """The function of a peer that searches; see above."""
    return importlib.import_module(f"peers.{key}").search(game, moves, count, seed)
