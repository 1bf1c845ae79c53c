"""tools/arm64: the kernels with NEON, on an emulated processor, find what plain C finds on this one."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("arm64", ROOT / "tools" / "arm64.py")
arm64 = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(arm64)
pytestmark = pytest.mark.needs("an emulated ARM64")


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The commands of the kernels in plain C here, with NEON and in plain C on ARM64."""
    folder = tmp_path_factory.mktemp("arm64")
    neon = arm64.build(folder, arm64.COMPILER, "-static")
    plain = arm64.build(folder, arm64.COMPILER, "-static", *arm64.PLAIN)
    return [arm64.build(folder, "cc", *arm64.PLAIN, "-O1")], [arm64.EMULATOR, neon], [arm64.EMULATOR, plain]


@pytest.mark.parametrize("kernel", arm64.KERNELS)
def test_neon_finds_the_same(programs, kernel):
    here, neon, plain = (arm64.number(command, kernel, 500) for command in programs)
    assert len(here) == 16
    assert neon == plain == here != arm64.number(programs[0], kernel, 499)


def test_instructions_are_counted(programs):
    """One instruction more for each that a loop has, in every pass."""
    _, (_, neon), (_, plain) = programs
    few, many = arm64.KERNELS["mnk-rollouts-4x4"]
    counts = [arm64.instructions(neon, "mnk-rollouts-4x4", count) for count in (few, few, many)]
    assert counts[0] == counts[1] < counts[2]
    assert 2 * arm64.per_call(neon, "mnk-rollouts-4x4") < arm64.per_call(plain, "mnk-rollouts-4x4")


def test_a_kernel_that_is_not_there(capsys):
    with pytest.raises(SystemExit):
        arm64.main(["no-kernel"])
    assert "no such kernel: no-kernel" in capsys.readouterr().err
