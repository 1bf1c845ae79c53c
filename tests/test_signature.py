"""The committed signature: every instruction set and every machine searches the same trees."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcts_core import dispatch

TESTS = Path(__file__).resolve().parent


@pytest.mark.parametrize("isa", dispatch.supported())
def test_the_signature_is_the_committed_one(isa):
    done = subprocess.run([sys.executable, str(TESTS / "signature.py")], env=os.environ | {"MCTS_CORE_ISA": isa},
                          check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == (TESTS / "data" / "signature.txt").read_text().splitlines()
