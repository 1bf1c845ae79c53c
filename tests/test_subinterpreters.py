"""A second interpreter in one process is told that it cannot have the package; the first one is not disturbed."""

import subprocess
import sys

import pytest

KINDS = {"own GIL": "isolated", "shared GIL": "legacy"}

PROGRAM = """
import os, sys
import mcts_core as mc
sys.stdout.reconfigure(line_buffering=True)
before = mc.search(mc.ConnectFour(), iterations=300, seed=1)
code = '''
try:
    import mcts_core
except ImportError as error:
    print("refused:", error)
else:
    print("imported")
'''
{run}
print("same" if mc.search(mc.ConnectFour(), iterations=300, seed=1) == before else "other")
"""
RUN = """
import {module} as interpreters
interpreter = interpreters.create({argument})
interpreters.{execute}(interpreter, code)
interpreters.destroy(interpreter)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_interpreter_is_refused(kind):
    if sys.version_info >= (3, 13):
        run = RUN.format(module="_interpreters", argument=repr(KINDS[kind]), execute="exec")
    else:
        run = RUN.format(module="_xxsubinterpreters", argument=f"isolated={kind == 'own GIL'}", execute="run_string")
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(run=run)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused, same = done.stdout.splitlines()
    assert refused.startswith("refused: ") and "interpreter" in refused and same == "same"
