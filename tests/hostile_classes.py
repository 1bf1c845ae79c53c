"""Classes that must be refused, or whose errors must end a search, for the tests of ``mcts_core.compile``."""

import copy
import random

COUNTS = [0]
TABLE = [0] * 9


class Cells:
    """Nine cells are filled; nobody wins. ``line`` are the digits of all moves so far."""

    def __init__(self):
        self.cells = [0] * 9
        self.to_move = 1
        self.count = 0
        self.line = 0

    def legal_moves(self):
        return [cell for cell in range(9) if not self.cells[cell]]

    def push(self, cell):
        self.cells[cell] = self.to_move
        self.count += 1
        self.line = self.line * 10 + cell
        self.to_move = -self.to_move

    def winner(self):
        return 0 if self.count == 9 else None


# ---- errors that no random game meets: only the moves 1, 2, 3, 4, 5 -------------------------------------------------

class OutOfRange(Cells):
    def push(self, cell):
        super().push(cell)
        if self.line == 12345:
            self.cells[self.count + 9] = 1


class DivisionByZero(Cells):
    def winner(self):
        return super().winner() if 7 // (self.line - 12345) < 100 else None


class Endless(Cells):
    def winner(self):
        while self.line == 12345:
            pass
        return super().winner()


class Raising(Cells):
    def legal_moves(self):
        if self.line == 12345:
            raise RuntimeError("strange cells")
        return super().legal_moves()


class WinnerTwo(Cells):
    def winner(self):
        return 2 if self.line == 12345 else super().winner()


class Growing(Cells):
    def winner(self):
        number = 3
        if self.line == 12345:
            for _ in range(20):
                number = number * number
        return super().winner() if number else None


class Bottomless(Cells):
    def depth(self, left):
        return 0 if left == 0 else self.depth(left + 1)

    def winner(self):
        return self.depth(self.line - 12345 + 1) if self.line == 12345 else super().winner()


class Exponential(Cells):
    """Two calls on each of 60 levels."""

    def leaves(self, left):
        return 1 if left == 0 else self.leaves(left - 1) + self.leaves(left - 1)

    def winner(self):
        return super().winner() if self.line != 12345 else 0 if self.leaves(60) else None


ERRORS = {
    OutOfRange: "IndexError: list assignment index out of range (hostile_classes.py, line {line}, in push: "
                "self.cells[self.count + 9] = 1)",
    DivisionByZero: "ZeroDivisionError: integer division or modulo by zero (hostile_classes.py, line {line}, in winner",
    Endless: "it does not end within 1,000,000 lines (hostile_classes.py",
    Bottomless: "winner() after play(5) raised RecursionError: maximum recursion depth exceeded",
    Exponential: "it does not end within 1,000,000 lines (hostile_classes.py",
    Raising: "legal_moves() raised RuntimeError: strange cells (hostile_classes.py, line {line}, in legal_moves: raise",
    WinnerTwo: "winner() after play(5) must return None while the game goes on, then +1, -1, or 0 for a draw, got 2",
    Growing: "winner() after play(5) stopped where the class in Python does not: an int of more than 62 bits",
}


class Hazards(Cells):
    """Each line of five moves that HAZARDS names meets an error of its own."""

    def depth(self, left):
        return 0 if left == 0 else self.depth(left + 1)

    def rounds(self):
        total = 0
        for place in range(100):
            total += self.cells[place % 9] * place
        return total

    def wrong(self, large):
        if self.line == 87650:
            return self.cells[-self.count * 5]
        if self.line == 87651:
            self.cells[self.count + 9] = 1
        if self.line == 87652:
            return 7 % (self.count - 5)
        if self.line == 87653:
            while self.line > 0:
                pass
        if self.line == 87654:
            return self.depth(1)
        if self.line == 56780:
            return large * large * large
        if self.line == 56781:
            return 1 << self.count * 20
        if self.line == 56782:
            for _ in range(9):
                large += 4000000000000000000
            return large
        if self.line == 56783:
            return [1, 2, 3].index(self.count)
        if self.line == 56784:
            return int(1e300 * self.count)
        if self.line == 78560:
            found = 0
            while self.line > 0:
                found += self.rounds() & 1
            return found
        if self.line == 78561:
            return max([cell for cell in self.cells if cell > 5])
        return 0

    def winner(self):
        return None if self.wrong(self.line + 3000000000) != 0 and self.count < 5 else super().winner()


HAZARDS = {
    87650: "IndexError: list index out of range", 87651: "IndexError: list assignment index out of range",
    87652: "ZeroDivisionError: integer", 87653: "it does not end within 1,000,000 lines",
    87654: "RecursionError: maximum recursion depth exceeded", 56780: "an int of more than 62 bits",
    56781: "an int of more than 62 bits", 56782: "an int of more than 62 bits", 56783: "ValueError: 5 is not in list",
    56784: "an int of more than 62 bits", 78560: "it does not end within 1,000,000 lines",
    78561: "ValueError: max() arg is an empty sequence",
}


class Slow(Cells):
    """A loop of half a million rounds for each move, which is no error."""

    def winner(self):
        number = self.line
        for place in range(500_000):
            number = (number * 7 + self.cells[place % 9]) % 1000003
        return super().winner() if number >= 0 else 1


# ---- what is refused, with a part of the message --------------------------------------------------------------------

class ModuleState(Cells):
    def push(self, cell):
        COUNTS[0] += 1
        super().push(cell)


class ModuleStateByAlias(Cells):
    def push(self, cell):
        table = TABLE
        table[cell] = 2
        super().push(cell)


class ClassState(Cells):
    games = 0

    def push(self, cell):
        ClassState.games += 1
        super().push(cell)


class Chance(Cells):
    def winner(self):
        return random.choice([1, -1]) if self.count == 9 else None


class FloatInPlaceOfInt(Cells):
    def push(self, cell):
        super().push(cell)
        self.count = self.count * 2 // 2 if self.count < 9 else int(self.count / 1)
        self.line = self.line / 1 if self.line < 0 else self.line


class FloatIndex(Cells):
    def winner(self):
        return None if self.cells[0 if self.count % 2 else self.count / 2 if self.count < 0 else 0] == 7 else (
            super().winner())


class Printing(Cells):
    def push(self, cell):
        if self.count > 9:
            print("full")
        super().push(cell)


class Trying(Cells):
    def winner(self):
        try:
            return 0 if self.cells[self.count] == 5 else None
        except IndexError:
            return 0


class PlayInPlace(Cells):
    push = None

    def play(self, cell):
        self.cells[cell] = 1
        return self


class OpenPlay(Cells):
    push = None

    def play(self, cell):
        made = {True: Cells}[cell >= 0]()
        made.__class__ = type(self)
        made.cells = [*self.cells[:cell], self.to_move, *self.cells[cell + 1:]]
        made.to_move, made.count = -self.to_move, self.count + 1
        return made


class Arguments(Cells):
    def __init__(self, size):
        super().__init__()


class TextPlayers(Cells):
    def __init__(self):
        super().__init__()
        self.to_move = "X"

    def push(self, cell):
        self.cells[cell] = 1
        self.count += 1
        self.to_move = "O" if self.to_move == "X" else "X"


class Formatting(Cells):
    def winner(self):
        return 0 if f"{self.count}" == "9" else None


class RoundedToDigits(Cells):
    def winner(self):
        return super().winner() if round(self.count / 8, 1) < 9 else None


class SharedByCopy(Cells):
    push = None

    def play(self, cell):
        new = copy.copy(self)
        new.cells[cell] = self.to_move
        new.count, new.to_move = self.count + 1, -self.to_move
        return new


class MoveTwice(Cells):
    def legal_moves(self):
        return [*super().legal_moves(), next(cell for cell in range(9) if not self.cells[cell])]


REFUSED = {
    SharedByCopy: "copy.copy shares lists and arrays with the old position: begin with new = copy.deepcopy(self)",
    MoveTwice: "legal_moves() lists the move 0 twice",
    ModuleState: "COUNTS[0]\n  a constant of the module or of the class is changed; keep what changes in a field",
    ModuleStateByAlias: "table[cell] = 2\n  a constant of the module or of the class is changed",
    ClassState: "ClassState.games\n  a constant of the module or of the class is changed",
    Chance: "random.choice([1, -1])\n  choice(): rules may not depend on chance or on the time",
    FloatInPlaceOfInt: "a float comes where an int was meant: write a // b in place of a / b",
    FloatIndex: "an index is a float; write a // b where the result must be an int",
    Printing: "print('full')\n  print() has no place in rules that run compiled; leave it out",
    Trying: "try ... except; ask by `if` before",
    PlayInPlace: "play(move) must return the new position and leave the old one as it was",
    OpenPlay: "it cannot be seen that play(move) returns a new position; end it by `return OpenPlay(...)`",
    Arguments: "Arguments() must make the first position, and it needs size: give defaults",
    TextPlayers: "to_move must be +1 for the first player or -1 for the second, got 'X'",
    RoundedToDigits: "round(self.count / 8, 1)\n  round() of other than one number; write round(x) of one number",
    Formatting: "texts cannot be made in compiled rules; compare numbers",
}
