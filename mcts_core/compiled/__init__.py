"""A class of positions in Python, compiled through Numba: ``mcts_core.compile``."""
