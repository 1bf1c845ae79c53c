"""The exceptions of the package: five subclasses of ValueError and five of RuntimeError."""


class IllegalMove(ValueError):
    """The move is not legal in the position, or is not a move of the game at all."""


class GameOver(ValueError):
    """The game is over, so there is no move to play and nothing to search."""


class InvalidState(ValueError):
    """The object is not a position, or the position, board size or diagram is impossible."""


class InvalidOption(ValueError):
    """An option or a limit has an unknown name, a wrong type, or a value out of its range."""


class InvalidFile(ValueError):
    """The file is not of the expected kind, is damaged, or has a format that this version cannot read."""


class SearchBusy(RuntimeError):
    """The Searcher is already searching in another thread."""


class GameError(RuntimeError):
    """A user's game broke the contract of a state. If it raised an exception, that is the ``__cause__``."""


class NoSearch(RuntimeError):
    """There are no statistics, because no search has run or the last one failed."""


class EvaluatorError(RuntimeError):
    """An evaluator failed or returned an invalid evaluation. If it raised an exception, that is the ``__cause__``."""


class WorkersLost(RuntimeError):
    """No worker of a parallel search could start. The exception of the first one is the ``__cause__``."""
