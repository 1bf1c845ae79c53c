"""Positions from random moves."""


def played_on(state, chooser, plies):
    """``state`` after up to ``plies`` moves drawn by ``chooser``, a ``random.Random``; none of them ends the game."""
    for _ in range(plies):
        following = state.play(chooser.choice(state.legal_moves()))
        if following.winner() is not None:
            break
        state = following
    return state
