"""Morpion solitaire by nested rollouts.

A cross of 36 points is drawn on squared paper. A move adds a point that completes a line of five points, along a row, a
column or a diagonal, and draws that line. Lines of the same direction may share an end point in the touching version
(5T), and no point in the disjoint version (5D). The score is the number of moves. Nobody has found a game of 5D with
more than 82 moves, or a game of 5T with more than 178.

    python examples/morpion_solitaire.py --seconds 20
    python examples/morpion_solitaire.py --seconds 20 --touching

A move is the number of its line. So the same line has the same name in all positions, and the policy of nested rollouts
learns about lines.
"""

import argparse

import mcts_core

SIDE = 48  # of the paper: no known game comes near its edge
LENGTH = 5
STEPS = (1, SIDE, SIDE + 1, SIDE - 1)  # along a row, a column, the two diagonals
CROSS = ("...XXXX...",
         "...X..X...",
         "...X..X...",
         "XXXX..XXXX",
         "X........X",
         "X........X",
         "XXXX..XXXX",
         "...X..X...",
         "...X..X...",
         "...XXXX...")
CORNER = (SIDE - len(CROSS)) // 2 * (SIDE + 1)  # of the cross on the paper
POINTS = sum(1 << CORNER + SIDE * row + column for row, marks in enumerate(CROSS)
             for column, mark in enumerate(marks) if mark == "X")


class Lines:
    """The lines of the paper, each computed once. ``taken``: how many points of a drawn line no other line of its
    direction may take: 5 in the disjoint version, 4 in the touching one, all but the last."""

    def __init__(self, taken):
        self.taken = taken
        self.shapes = {}
        self.found = {}

    def shape(self, move):
        """The direction of a line, its points, and those that it takes, as bits of an int."""
        shape = self.shapes.get(move)
        if shape is None:
            start, direction = divmod(move, len(STEPS))
            bits = [1 << start + k * STEPS[direction] for k in range(LENGTH)]
            shape = self.shapes[move] = (direction, sum(bits), sum(bits[:self.taken]))
        return shape

    def through(self, point):
        """(line, shape) of every line that contains the point and lies on the paper."""
        lines = self.found.get(point)
        if lines is None:
            column = point % SIDE
            lines = self.found[point] = []
            for direction, step in enumerate(STEPS):
                for k in range(LENGTH):
                    # the columns of the first and the last point: a column has no step, the last diagonal goes left
                    ends = [column + side * (direction != 1) * (-1 if direction == 3 else 1)
                            for side in (-k, LENGTH - 1 - k)]
                    start = point - k * step
                    if min(ends) >= 0 and max(ends) < SIDE and start >= 0 and start + 4 * step < SIDE * SIDE:
                        move = len(STEPS) * start + direction
                        lines.append((move, self.shape(move)))
        return lines

    def moves_through(self, point, points, drawn):
        """The moves whose lines contain this point, which is there."""
        found = []
        for move, (direction, line, taken) in self.through(point):
            missing = line & ~points
            if missing and not missing & missing - 1 and not taken & drawn[direction]:
                found.append(move)
        return found


class MorpionSolitaire:
    """A position of the disjoint version. ``points`` are bits of an int, and ``drawn``, for each direction, the points
    that lines have taken."""

    __slots__ = ("drawn", "moves", "points", "score")

    players, to_move, discount = 1, 0, 1  # with a discount, returns() may be above 1
    lines = Lines(LENGTH)

    def __init__(self, points=POINTS, drawn=(0, 0, 0, 0), moves=None, score=0):
        if moves is None:
            moves = sorted({move for point in range(SIDE * SIDE) if points >> point & 1
                            for move in self.lines.moves_through(point, points, drawn)})
        self.points, self.drawn, self.moves, self.score = points, drawn, moves, score

    def __eq__(self, other):
        return type(self) is type(other) and (self.points, self.drawn) == (other.points, other.drawn)

    def __hash__(self):
        return hash((self.points, self.drawn))

    def legal_moves(self):
        return self.moves

    def play(self, move):
        shapes = self.lines.shapes
        direction, line, taken = shapes[move]
        new = line & ~self.points
        drawn = list(self.drawn)
        drawn[direction] |= taken
        kept = []
        for other in self.moves:
            its_direction, its_line, its_taken = shapes[other]
            if not its_line & new and not (its_direction == direction and its_taken & taken):
                kept.append(other)
        points = self.points | new
        moves = kept + self.lines.moves_through(new.bit_length() - 1, points, drawn)
        return type(self)(points, tuple(drawn), moves, self.score + 1)

    def returns(self):
        return None if self.moves else [self.score]

    def __str__(self):
        there = [point for point in range(SIDE * SIDE) if self.points >> point & 1]
        rows, columns = [point // SIDE for point in there], [point % SIDE for point in there]
        return "\n".join("".join(
            "o" if POINTS >> SIDE * row + column & 1 else "x" if self.points >> SIDE * row + column & 1 else "."
            for column in range(min(columns), max(columns) + 1)) for row in range(min(rows), max(rows) + 1))


class TouchingMorpionSolitaire(MorpionSolitaire):
    """A position of the touching version."""

    __slots__ = ()

    lines = Lines(LENGTH - 1)


def main(argv=None):
    """Searches, and prints the best game found; returns 0."""
    parser = argparse.ArgumentParser(description="Morpion solitaire by nested rollouts.")
    parser.add_argument("--seconds", type=float, default=20.0, help="time of the search (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--touching", action="store_true", help="lines of the same direction may have an end in common")
    args = parser.parse_args(argv)
    engine = mcts_core.Searcher(nested_rollouts=100, seed=args.seed)
    state = TouchingMorpionSolitaire() if args.touching else MorpionSolitaire()
    engine.search(state, args.seconds)
    stats = engine.stats()
    for move in stats.pv:
        state = state.play(move)
    print(f"{state}\n{state.score} moves; {stats.iterations:,} rollouts")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
