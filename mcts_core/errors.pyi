class IllegalMove(ValueError):
    """The move is not legal in the position, or it is not a move at all."""
class GameOver(ValueError):
    """A move or a search in a finished game."""
class InvalidState(ValueError):
    """A position, a board size or a diagram that is not possible."""
class InvalidCell(ValueError, IndexError):
    """A cell that is not on the board. It is a subclass of IndexError as well."""
class InvalidOption(ValueError):
    """An unknown option, or an option or limit with the wrong type or out of range."""
class InvalidFile(ValueError):
    """The file is not a saved Searcher, is damaged, or cannot be read by this version."""
class SearchBusy(RuntimeError):
    """The Searcher is already searching in another thread."""
class GameError(RuntimeError):
    """Your game broke the contract of a state. If it raised an exception, that exception is the cause."""
class OutOfTime(GameError):
    """Raise it in ``determinize`` when ``seconds_left()`` is 0: the search then ends with what it has found so far. A
    search that has found nothing yet raises it.
    """
class NoSearch(RuntimeError):
    """There are no statistics: no search has run yet, or the last one failed."""
class EvaluatorError(RuntimeError):
    """An evaluator failed or returned an invalid evaluation. If it raised an exception, that exception is the cause."""
class WorkersLost(RuntimeError):
    """No worker of a parallel search could start. The first failure is the cause."""
