"""Dots and Boxes: a complete game in Python, searched by mcts_core.

Two players draw the edges between dots, one at a time. A player who draws the fourth edge of a box owns the box *and
moves again*. When every edge is drawn, the player with more boxes wins; equal numbers are a draw.

The example shows three things. A game needs only ``to_move``, ``legal_moves()``, ``play(move)`` and ``winner()``. Turns
need not alternate, because the search reads ``to_move`` in every position. A move may be any hashable value, here the
pair (row, column) of an edge in the picture that ``str`` draws.

    python examples/dots_and_boxes.py
    mcts-core play examples.dots_and_boxes:DotsAndBoxes
"""

import argparse
import random

import mcts_core


class DotsAndBoxes:
    """A position on ``rows`` x ``cols`` boxes. The picture has 2 rows + 1 by 2 cols + 1 places: dots have an even row
    and an even column, boxes an odd row and an odd column, and edges one of each."""

    def __init__(self, rows=3, cols=3):
        self.rows = rows
        self.cols = cols
        self.edges = tuple(
            (row, col) for row in range(2 * rows + 1) for col in range(2 * cols + 1) if (row + col) % 2)
        self.drawn = frozenset()
        self.owners = {}
        self.to_move = 1

    def legal_moves(self):
        """The edges that are not drawn yet."""
        return [edge for edge in self.edges if edge not in self.drawn]

    def play(self, move):
        """The position after drawing the edge ``move``; this position does not change."""
        if move not in self.edges or move in self.drawn:
            raise mcts_core.IllegalMove(f"a move must be an edge that is not drawn yet, got {move!r}")
        after = object.__new__(DotsAndBoxes)
        after.rows, after.cols, after.edges = self.rows, self.cols, self.edges
        after.drawn = self.drawn | {move}
        closed = [box for box in self.boxes_beside(move) if after.drawn.issuperset(self.edges_of(box))]
        after.owners = {**self.owners, **dict.fromkeys(closed, self.to_move)} if closed else self.owners
        after.to_move = self.to_move if closed else -self.to_move
        return after

    def winner(self):
        """None while there are edges to draw, then 1, -1 or 0."""
        if len(self.drawn) < len(self.edges):
            return None
        score = self.score()
        return (score > 0) - (score < 0)

    def score(self):
        """The lead of the first player in boxes."""
        return sum(self.owners.values())

    def boxes_beside(self, edge):
        """The one or two boxes that have this edge."""
        row, col = edge
        sides = [(row - 1, col), (row + 1, col)] if col % 2 else [(row, col - 1), (row, col + 1)]
        return [(r, c) for r, c in sides if 0 < r < 2 * self.rows and 0 < c < 2 * self.cols]

    @staticmethod
    def edges_of(box):
        """The four edges of a box."""
        row, col = box
        return (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)

    def __str__(self):
        """The board with the numbers of the rows and columns of the picture."""
        lines = ["   " + "".join(str(col % 10) for col in range(2 * self.cols + 1))]
        for row in range(2 * self.rows + 1):
            line = ""
            for col in range(2 * self.cols + 1):
                if row % 2 == col % 2 == 0:
                    line += "+"
                elif row % 2 == col % 2 == 1:
                    line += {1: "X", -1: "O", None: " "}[self.owners.get((row, col))]
                elif (row, col) in self.drawn:
                    line += "|" if row % 2 else "-"
                else:
                    line += " "
            lines.append(f"{row:2} {line}".rstrip())
        return "\n".join(lines)


def play_against_random(side, iterations, seed, show=None):
    """Plays one game of the search, as ``side`` (1 or -1), against random moves; returns the winner."""
    engine = mcts_core.Searcher(seed=seed)
    choice = random.Random(seed)
    state = DotsAndBoxes()
    while state.winner() is None:
        if state.to_move == side:
            move = engine.search(state, iterations=iterations)
            if show:
                show(f"{state}\n{engine.stats()}\n")
        else:
            move = choice.choice(state.legal_moves())
        state = state.play(move)
    if show:
        show(f"{state}\nthe search leads by {side * state.score()} boxes at the end")
    return state.winner()


def main(argv=None):
    """Plays some games against random moves and prints the statistics of every search in the first one; returns 0."""
    parser = argparse.ArgumentParser(description="Dots and Boxes: mcts_core against random moves.")
    parser.add_argument("--games", type=int, default=4, help="number of games, with alternating sides (default 4)")
    parser.add_argument("--iterations", type=int, default=1000, help="iterations of each search (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game (default 1)")
    args = parser.parse_args(argv)
    won = drawn = 0
    for number in range(args.games):
        side = -1 if number % 2 else 1
        winner = play_against_random(side, args.iterations, args.seed + number, show=print if number == 0 else None)
        won += winner == side
        drawn += winner == 0
    print(f"{args.games} games against random moves: {won} won, {drawn} drawn, {args.games - won - drawn} lost")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
