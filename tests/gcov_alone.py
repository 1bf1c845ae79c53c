"""A plugin of pytest for `make coverage`: processes that tests start count elsewhere.

Tests kill some of them, and one that dies while it writes spoils the counts of a module for all.
"""

import os


def pytest_configure(config):
    """libgcov reads this when a process ends."""
    os.environ["GCOV_PREFIX"] = os.path.abspath("build/coverage/others")


def pytest_unconfigure(config):
    del os.environ["GCOV_PREFIX"]
