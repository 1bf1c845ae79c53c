class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""
