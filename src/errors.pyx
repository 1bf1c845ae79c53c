"""The exceptions of the package: five kinds of ValueError, five of RuntimeError."""


class IllegalMove(ValueError):
    """A move that the position does not allow, or something that is no move at all."""


class GameOver(ValueError):
    """A move or a search was asked for in a finished game."""


class InvalidState(ValueError):
    """A position, a board size or a diagram that cannot be."""


class InvalidOption(ValueError):
    """An option or a budget of the wrong type or out of its range."""


class InvalidFile(ValueError):
    """A saved Searcher that is none, that is damaged, or that this version cannot read."""


class SearchBusy(RuntimeError):
    """The Searcher is already searching, in another thread."""


class GameError(RuntimeError):
    """A user's game broke the contract of a state; the exception that it raised, if any, is the cause."""


class NoSearch(RuntimeError):
    """Statistics were asked for before a search, or after one that failed."""


class EvaluatorError(RuntimeError):
    """An evaluator failed, or gave what is no evaluation; the exception that it raised, if any, is the cause."""


class WorkersLost(RuntimeError):
    """No worker of a parallel search could begin; what the first one met is the cause."""
