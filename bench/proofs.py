"""How many calls of play() the proofs of ``mcts_core.solve`` take in games of users, by their rules alone.

    python bench/proofs.py                       # small games, beside alpha-beta with a table: a minute
    python bench/proofs.py --mates               # chess problems, too (needs python-chess): ten minutes
    python bench/proofs.py --mates --calls 5000  # of each problem at most so many calls

A small game: calls until it is known whether the first player wins and whether the second one does, and those of plain
alpha-beta with a table, which gives the value. A row of problems: how many are proven within the calls, and the median.
"""

import argparse
import statistics
import sys
from pathlib import Path

from arguments import whole

from mcts_core.engine.proof_numbers import ProofNumbers

MATES = Path(__file__).resolve().parent / "data" / "mates.tsv"
BYTES = 1 << 30
EVER = 1e300


class Position:
    """A position that is compared by value; ``key`` is all that it is."""

    def __init__(self, key, to_move=1):
        self.key, self.to_move = key, to_move

    def __eq__(self, other):
        return (self.key, self.to_move) == (other.key, other.to_move)

    def __hash__(self):
        return hash((self.key, self.to_move))

    def after(self, key):
        return type(self)(key, -self.to_move)


class Nim(Position):
    """Whoever takes the last stone wins."""

    def legal_moves(self):
        return [(pile, count) for pile, left in enumerate(self.key) for count in range(1, left + 1)]

    def play(self, move):
        pile, count = move
        return self.after((*self.key[:pile], self.key[pile] - count, *self.key[pile + 1:]))

    def winner(self):
        return None if any(self.key) else -self.to_move


class Hex(Position):
    """Player +1 connects top and bottom, -1 left and right."""

    def legal_moves(self):
        return [cell for cell, stone in enumerate(self.key) if not stone]

    def play(self, cell):
        return self.after((*self.key[:cell], self.to_move, *self.key[cell + 1:]))

    def winner(self):
        player, size = -self.to_move, int(len(self.key) ** 0.5)
        edge = range(size) if player == 1 else range(0, size * size, size)
        waiting = [cell for cell in edge if self.key[cell] == player]
        seen = set(waiting)
        while waiting:
            row, column = divmod(waiting.pop(), size)
            if (row if player == 1 else column) == size - 1:
                return player
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                cell = (row + down) * size + column + right
                if (0 <= row + down < size and 0 <= column + right < size and cell not in seen
                        and self.key[cell] == player):
                    seen.add(cell)
                    waiting.append(cell)
        return None


class Breakthrough(Position):
    """Pieces go one row forward, straight or diagonally, and take diagonally; who reaches the last row wins."""

    columns = 4

    def legal_moves(self):
        moves, rows = [], len(self.key) // self.columns
        for cell, piece in enumerate(self.key):
            row, column = divmod(cell, self.columns)
            if piece != self.to_move or not 0 <= row + self.to_move < rows:
                continue
            for side in (-1, 0, 1):
                if 0 <= column + side < self.columns:
                    target = cell + self.columns * self.to_move + side
                    if self.key[target] == 0 or (side and self.key[target] == -self.to_move):
                        moves.append((cell, target))
        return moves

    def play(self, move):
        board = list(self.key)
        board[move[1]], board[move[0]] = board[move[0]], 0
        return self.after(tuple(board))

    def winner(self):
        player = -self.to_move
        last = self.key[-self.columns:] if player == 1 else self.key[:self.columns]
        return player if player in last or self.to_move not in self.key or not self.legal_moves() else None


GAMES = {
    "nim 3, 4, 5": Nim((3, 4, 5)),
    "nim 5, 6, 7": Nim((5, 6, 7)),
    "Hex 3x3": Hex((0,) * 9),
    "Hex 4x4": Hex((0,) * 16),
    "Breakthrough 4x3": Breakthrough((1,) * 4 + (0,) * 4 + (-1,) * 4),
    "Breakthrough 4x4": Breakthrough((1,) * 4 + (0,) * 8 + (-1,) * 4),
}


def alpha_beta(state):
    """The winner with best play, and the calls of play()."""
    table, calls = {}, 0

    def value(state):
        nonlocal calls
        if state not in table:
            best = -1
            for move in state.legal_moves():
                calls += 1
                child = state.play(move)
                winner = child.winner()
                best = max(best, winner * state.to_move if winner is not None else -value(child))
                if best == 1:
                    break
            table[state] = best
        return table[state]

    return value(state) * state.to_move, calls


def small_games(names):
    print("| game | first player wins | calls | second player wins | calls | alpha-beta |")
    print("|" + "---|" * 6)
    wrong = False
    for name in names:
        winner, plain = alpha_beta(GAMES[name])
        cells = []
        for player in (1, -1):
            search = ProofNumbers(GAMES[name], player, BYTES)
            search.run(10**12, EVER)
            wrong = wrong or search.proven != (winner == player)
            cells += ["yes" if search.proven else "no", f"{search.calls:,}"]
        print(f"| {name} | {' | '.join(cells)} | {plain:,} |", flush=True)
    return wrong


def mates(calls):
    try:
        import chess
    except ImportError:
        print("error: the problems need python-chess: pip install chess", file=sys.stderr)
        return True

    class Chess(Position):
        """A position without history: the problems are too short for repetitions."""

        def __init__(self, board):
            self.board, self.to_move = board, 1 if board.turn else -1
            self.moves = list(board.legal_moves)
            self.key = board.board_fen(), board.castling_rights, board.ep_square

        def legal_moves(self):
            return self.moves

        def play(self, move):
            board = self.board.copy(stack=False)
            board.push(move)
            return Chess(board)

        def winner(self):
            if not self.moves:
                return -self.to_move if self.board.is_check() else 0
            return 0 if self.board.is_insufficient_material() else None

    print("| mate in | problems | proven | median of calls |")
    print("|" + "---|" * 4)
    found = {}
    for line in MATES.read_text().splitlines()[1:]:
        moves, fen = line.split("\t")
        state = Chess(chess.Board(f"{fen} 0 1"))
        search = ProofNumbers(state, state.to_move, BYTES)
        search.run(calls, EVER)
        found.setdefault(moves, []).append(search.calls if search.proven else float("inf"))
    for moves, taken in found.items():
        middle = statistics.median(taken)
        proven = sum(each < float("inf") for each in taken)
        print(f"| {moves} | {len(taken)} | {proven} | {f'{middle:,.0f}' if middle < float('inf') else 'not reached'} |")
    return False


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.partition("\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", choices=GAMES, default=list(GAMES), metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--mates", action="store_true", help="chess problems, too")
    parser.add_argument("--calls", type=whole, default=20_000, metavar="N", help="of one problem (default 20000)")
    args = parser.parse_args(argv)
    wrong = small_games(args.games)
    if args.mates:
        print()
        wrong = mates(args.calls) or wrong
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
