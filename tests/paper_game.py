"""Games that are written down: trees small enough to be solved by hand, or drawn at random."""

import random


class Paper:
    """A hand-written tree: {name: (player to move, {move: name})}, leaves {name: winner}."""

    def __init__(self, tree, name="root"):
        self.tree, self.name = tree, name

    @property
    def to_move(self):
        return self.tree[self.name][0] if isinstance(self.tree[self.name], tuple) else 1

    def legal_moves(self):
        return list(self.tree[self.name][1])

    def play(self, move):
        return Paper(self.tree, self.tree[self.name][1][move])

    def winner(self):
        return None if isinstance(self.tree[self.name], tuple) else self.tree[self.name]


def random_tree(seed):
    """A Paper game of at most five moves with up to four choices each; players need not alternate."""
    chooser = random.Random(seed)
    alternate, tree = chooser.random() < 0.5, {}

    def grow(name, depth, player):
        if depth == 0 or depth < 4 and chooser.random() < 0.25:
            tree[name] = chooser.choice((1, 0, 0, -1))
            return
        moves = {move: f"{name}{move}" for move in range(chooser.randrange(1, 5))}
        tree[name] = (player, moves)
        for child in moves.values():
            grow(child, depth - 1, -player if alternate else chooser.choice((1, -1)))

    grow("root", chooser.randrange(2, 6), chooser.choice((1, -1)))
    return tree if isinstance(tree["root"], tuple) else random_tree(seed + 1_000_000)


def solve(tree, name="root"):
    """(winner by best play, plies until then: the winner hurries, the loser and who only draws delay)."""
    if not isinstance(tree[name], tuple):
        return tree[name], 0
    player, moves = tree[name]
    values = [solve(tree, child) for child in moves.values()]
    best = max(player * winner for winner, _ in values)
    plies = [distance for winner, distance in values if player * winner == best]
    return player * best, 1 + (min(plies) if best == 1 else max(plies))
