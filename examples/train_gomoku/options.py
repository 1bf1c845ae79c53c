"""Numbers on the command lines of the programs."""

import argparse
import math


def at_least(least, kind=int):
    """The type of an option: a finite number of this kind that is not below ``least``."""
    def read(text):
        number = kind(text)
        if not least <= number < math.inf:
            raise argparse.ArgumentTypeError(f"must be a number from {least} on, got {text}")
        return number

    read.__name__ = kind.__name__  # argparse names it where the text is no number
    return read
