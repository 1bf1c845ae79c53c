"""What tests of reused trees share: a search without reuse, the nodes below a path, and the moves of a line."""

import mcts_core as mc
from mcts_core.testing.tree_probe import subtree


def figures(stats):
    """All of the Stats but the clock's."""
    data = stats.to_dict()
    for name in ("seconds", "iterations_per_second", "overshoot"):
        del data[name]
    return data


def fresh(state, options, iterations, seed):
    """What a search finds that has never seen another one."""
    engine = mc.Searcher(**{**options, "seed": seed, "reuse": False})
    engine.search(state, iterations=iterations)
    return figures(engine.stats())


def node_after(engine, path):
    """(visits, wins of the player to move, children) of the node after ``path`` (at least one move); None without a
    block."""
    found = subtree(engine, path)
    if found is None:
        return None
    above, children = subtree(engine, path[:-1])
    visits, wins = children[path[-1]]
    return visits, wins if above == found[0] else visits - wins, found[1]


def line(engine, plies):
    """The moves to the most visited child with a block, so many times."""
    path = []
    for _ in range(plies):
        children = subtree(engine, path)[1]
        path.append(max((move for move in children if subtree(engine, [*path, move])), key=lambda move: children[move]))
    return path


def play(state, moves):
    for move in moves:
        state = state.play(move)
    return state
