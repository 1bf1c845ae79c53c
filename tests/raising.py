"""Objects that raise ZeroDivisionError where they are compared or hashed."""


class Raising:
    """``method``: the one that raises, "hash" or "eq"."""

    def __init__(self, method):
        self.method = method

    def __hash__(self):
        return 1 // (self.method != "hash")

    def __eq__(self, other):
        return 1 // (self.method != "eq")
