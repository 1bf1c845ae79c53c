"""tools/kernels: the kernels with NEON and AVX-512, both emulated, find what plain C finds on this processor."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("kernels", ROOT / "tools" / "kernels.py")
kernels = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(kernels)
emulated = pytest.mark.needs("an emulated ARM64")


@pytest.fixture(scope="module")
def here(built_once):
    """The command of the kernels in plain C on this processor."""
    return [program_of(built_once("plain kernels", lambda folder: kernels.build(folder, "cc", *kernels.PLAIN, "-O1")))]


@pytest.fixture(scope="module")
def programs(built_once, here):
    """The commands of the kernels in plain C here, with NEON and in plain C on ARM64. NEON is compiled as it is
    installed there; plain C, which nothing installs there, is compiled with -O1, in an eighth of the time."""
    neon = built_once("kernels with NEON", lambda folder: kernels.build(folder, kernels.COMPILER, "-static"))
    plain = built_once("plain kernels of ARM64", lambda folder: kernels.build(folder, kernels.COMPILER, "-static",
                                                                              *kernels.PLAIN, "-O1"))
    return here, [kernels.EMULATOR, program_of(neon)], [kernels.EMULATOR, program_of(plain)]


def program_of(folder):
    program, = folder.glob("kernels-*")
    return program


@emulated
@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_neon_finds_the_same(programs, kernel):
    expected, neon, plain = (kernels.number(command, kernel, 500) for command in programs)
    assert len(expected) == 16
    assert neon == plain == expected != kernels.number(programs[0], kernel, 499)


@emulated
def test_instructions_are_counted(programs):
    """One instruction more for each that a loop has, in every pass."""
    _, (_, neon), (_, plain) = programs
    few, many = kernels.KERNELS["mnk-rollouts-4x4"]
    first, again, more = (kernels.instructions(neon, "mnk-rollouts-4x4", count) for count in (few, few, many))
    assert first == again < more
    assert 2 * (more - first) / (many - few) < kernels.per_call(plain, "mnk-rollouts-4x4")


@pytest.fixture(scope="module")
def avx512(built_once, here):
    """The commands of the kernels in plain C and with AVX-512."""
    return here, [program_of(built_once("kernels with AVX-512", kernels.build_avx512))]


@pytest.mark.needs("SIMDe")
@pytest.mark.parametrize(
    "kernel", [name for name in kernels.KERNELS if name.startswith("c4-rollouts") or name.endswith("-many")])
def test_avx512_finds_the_same(avx512, kernel):
    plain, vectors = (kernels.number(command, kernel, 2000) for command in avx512)
    assert vectors == plain != kernels.number(avx512[0], kernel, 1999)


def test_a_kernel_that_is_not_there(capsys):
    with pytest.raises(SystemExit):
        kernels.main(["no-kernel"])
    assert "no such kernel: no-kernel" in capsys.readouterr().err
