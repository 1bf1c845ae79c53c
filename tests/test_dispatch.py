"""src/mcts_core/dispatch.pyx: the choice of the instruction set."""

import os
import subprocess
import sys

import pytest

from mcts_core import dispatch

SHOW = """
import mcts_core as mc
from mcts_core import dispatch
mc.search(mc.TicTacToe(), iterations=5)
print(dispatch.isa, mc.stats().isa)
"""


def run(isa):
    environment = {name: value for name, value in os.environ.items() if name != "MCTS_CORE_ISA"}
    if isa is not None:
        environment["MCTS_CORE_ISA"] = isa
    return subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=False)


def test_baseline_is_always_there():
    assert dispatch.supported()[0] == "baseline"
    assert dispatch.isa in dispatch.supported()


def test_the_fastest_is_chosen():
    assert run(None).stdout.split() == [dispatch.supported()[-1]] * 2
    assert run("").stdout.split() == [dispatch.supported()[-1]] * 2


@pytest.mark.parametrize("isa", dispatch.supported())
def test_each_can_be_forced(isa):
    assert run(isa).stdout.split() == [isa, isa]
    assert run(f" {isa.upper()} ").stdout.split() == [isa, isa]


def test_a_module_that_is_not_compiled_for_an_instruction_set_is_that_of_the_next_one():
    names = {isa: dispatch.hot_module("tree.plain_tree", isa).__name__.rpartition("_")[2]
             for isa in ("baseline", "avx2", "avx512")}
    best = "avx2" if "avx2" in dispatch.supported() else names["avx2"]
    assert names == {"baseline": "baseline", "avx2": best, "avx512": best}
    with pytest.raises(ModuleNotFoundError, match="_no_tree_baseline"):
        dispatch.hot_module("tree.no_tree", "avx512")


@pytest.mark.parametrize("isa", ["sse9", "avx2; rm", "_plain_tree_baseline"])
def test_an_unknown_one_is_refused(isa):
    done = run(isa)
    assert done.returncode == 1
    assert f"MCTS_CORE_ISA must be one of {', '.join(dispatch.supported())} on this machine, got {isa!r}" in done.stderr
