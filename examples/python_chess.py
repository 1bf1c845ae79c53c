"""Chess: the rules of the package python-chess, searched by mcts_core with values of a function.

A random game of chess takes hundreds of moves and says little about a position. So ``policy_value`` takes the place of
rollouts: it counts the pieces that are left after the best capture, and gives checks, good captures and
promotions higher priors. The search proves mates.

    pip install chess            # python-chess: under the GPL, so a program that uses it is, too
    python examples/python_chess.py
    python examples/python_chess.py --fen "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
"""

import argparse
import math

import chess

import mcts_core

WORTH = {chess.PAWN: 1.0, chess.KNIGHT: 3.0, chess.BISHOP: 3.2, chess.ROOK: 5.0, chess.QUEEN: 9.0, chess.KING: 100.0}
CENTRE = [0.15 * (3.5 - max(abs(square % 8 - 3.5), abs(square // 8 - 3.5))) for square in chess.SQUARES]
"""What a square is worth: 0 on the rim, 0.45 pawns in the middle. Kings had better stay on the rim."""
PAWNS_A_LEAD = 4.0
"""The lead in pawns that is worth 0.76 on the scale from -1 to 1."""


class Chess:
    """A position. ``board`` remembers the moves since the last capture or move of a pawn, for repetitions."""

    def __init__(self, board=None):
        self.board = chess.Board() if board is None else board
        self.to_move = 1 if self.board.turn == chess.WHITE else -1
        self._moves = list(self.board.legal_moves)

    def legal_moves(self):
        return self._moves

    def play(self, move):
        board = self.board.copy(stack=self.board.halfmove_clock)
        board.push(move)
        return Chess(board)

    def winner(self):
        """None while the game goes on. A position that comes up for the third time is a draw, as are fifty moves."""
        if not self._moves:
            return -self.to_move if self.board.is_check() else 0
        if self.board.halfmove_clock >= 100 or self.board.is_insufficient_material() or self.board.is_repetition(3):
            return 0
        return None

    def name(self, move):
        return self.board.san(move)

    def move(self, text):
        return self.board.parse_san(text)

    def __eq__(self, other):
        return isinstance(other, Chess) and self.board == other.board

    def __hash__(self):
        return hash((self.board.occupied, self.board.ply()))

    def __str__(self):
        return str(self.board)


def lead(board):
    """How far the side to move is ahead, in pawns."""
    total = 0.0
    for colour, sign in ((board.turn, 1.0), (not board.turn, -1.0)):
        for square in chess.scan_forward(board.occupied_co[colour]):
            kind = board.piece_type_at(square)
            total += sign * (WORTH[kind] + (-CENTRE[square] if kind == chess.KING else CENTRE[square]))
    return total


def gain(board, move):
    """What a move wins at once, in pawns: the piece that it takes and what a promotion adds, less the piece that moves,
    if that can be taken back."""
    taken = board.piece_type_at(move.to_square) or (chess.PAWN if board.is_en_passant(move) else None)
    promoted = WORTH[move.promotion] - 1.0 if move.promotion else 0.0
    if taken is None and not promoted:
        return 0.0
    won = (WORTH[taken] if taken else 0.0) + promoted
    if board.is_attacked_by(not board.turn, move.to_square):
        won -= WORTH[board.piece_type_at(move.from_square)] + promoted
    return won


def policy_value(state):
    """The priors of the moves and the value for the side to move."""
    board, moves = state.board, state.legal_moves()
    gains = [gain(board, move) for move in moves]
    priors = [1.0 + max(0.0, won) + 2.0 * board.gives_check(move) for move, won in zip(moves, gains, strict=True)]
    return priors, math.tanh((lead(board) + max(0.0, *gains)) / PAWNS_A_LEAD)


def main(argv=None):
    """Plays a game against itself, or the moves of ``--fen``, and prints it; returns 0."""
    parser = argparse.ArgumentParser(description="Chess: mcts_core with the rules of python-chess.")
    parser.add_argument("--fen", default=chess.STARTING_FEN, help="the first position")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for a move (default 1)")
    parser.add_argument("--moves", type=int, default=10, help="moves to play (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the searches (default 1)")
    args = parser.parse_args(argv)
    engine = mcts_core.Searcher(policy_value=policy_value, seed=args.seed)
    state = Chess(chess.Board(args.fen))
    for _ in range(args.moves):
        if state.winner() is not None:
            break
        move = engine.search(state, args.seconds)
        stats = engine.stats()
        proven = f", {stats.proven} within {stats.distance}" if stats.proven else ""
        print(f"{state}\n{state.name(move)}: value {stats.value:.2f}{proven}, {stats.iterations:,} iterations\n")
        state = state.play(move)
    print(state)
    print({None: "the game goes on", 1: "white wins", -1: "black wins", 0: "a draw"}[state.winner()])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
