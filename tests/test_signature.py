"""The committed signature: every instruction set and every machine searches the same trees."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcts_core import dispatch

TESTS = Path(__file__).resolve().parent


def signature(isa, *arguments):
    done = subprocess.run([sys.executable, str(TESTS / "signature.py"), *arguments],
                          env=os.environ | {"MCTS_CORE_ISA": isa}, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("isa", dispatch.supported())
def test_the_signature_is_the_committed_one(isa):
    assert signature(isa) == (TESTS / "data" / "signature.txt").read_text().splitlines()


@pytest.mark.long
def test_guided_searches_are_the_same_on_every_instruction_set():
    first, *others = [signature(isa, "guided") for isa in dispatch.supported()]
    assert len(first) == len(set(first)) == 36
    for other in others:
        assert other == first
