import os
import sys

import pytest

from mcts_core.cli.main import main


@pytest.fixture(scope="session", autouse=True)
def empty_folder(tmp_path_factory):
    """The folder of all tests: interpreters started in that of the sources would import those, which are not built."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("folder"))
    yield
    os.chdir(before)


@pytest.fixture
def cli(capsys, monkeypatch):
    """Runs the command line in this process; returns the exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "path", sys.path.copy())  # the commands put the current folder there

    def run(*argv):
        try:
            code = main([str(argument) for argument in argv])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
