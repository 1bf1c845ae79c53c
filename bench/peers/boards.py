"""The rules in Python that the packages search, by the name of the game."""

from peers import connect_four, othello

BOARDS = {"connect4": connect_four.Board, "othello": othello.Board}


def after(state, moves):
    """The position after some moves."""
    for move in moves:
        state = state.play(move)
    return state
