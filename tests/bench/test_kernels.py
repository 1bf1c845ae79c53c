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
    "kernel", [name for name in kernels.KERNELS
               if name.startswith(("c4-rollouts", "mnk-network")) or name.endswith("-many")])
def test_avx512_finds_the_same(avx512, kernel):
    plain, vectors = (kernels.number(command, kernel, 2000) for command in avx512)
    assert vectors == plain != kernels.number(avx512[0], kernel, 1999)


def test_a_kernel_that_is_not_there(capsys):
    with pytest.raises(SystemExit):
        kernels.main(["no-kernel"])
    assert "no such kernel: no-kernel" in capsys.readouterr().err


# ---- what is needed --------------------------------------------------------------------------------------------------

@pytest.fixture
def built(monkeypatch):
    """Compiles and runs nothing; the list of what was to be compiled."""
    made = []
    monkeypatch.setattr(kernels, "build", lambda folder, compiler, *flags: made.append(compiler) or compiler)
    monkeypatch.setattr(kernels, "build_avx512", lambda folder: made.append("avx512") or "avx512")
    monkeypatch.setattr(kernels, "number", lambda command, kernel, count: "0")
    monkeypatch.setattr(kernels, "per_call", lambda program, kernel: 1.0)
    return made


@pytest.mark.parametrize(("arguments", "lacking", "compiled", "said"), [
    ([], [], ["cc", kernels.COMPILER, "avx512"], ""),
    ([], ["neon"], ["cc", "avx512"], f"neon is left out: not found: {kernels.COMPILER}"),
    ([], ["avx512"], ["cc", kernels.COMPILER], f"avx512 is left out: not found: {kernels.SIMDE}"),
    (["--only", "avx512"], ["neon"], ["cc", "avx512"], ""),
    (["--only", "neon"], ["avx512"], ["cc", kernels.COMPILER], ""),
    (["--count"], ["avx512"], ["cc", kernels.COMPILER, kernels.COMPILER], "avx512 is left out"),
])
def test_only_what_is_asked_for_is_needed(built, monkeypatch, capsys, arguments, lacking, compiled, said):
    monkeypatch.setattr(kernels, "missing", lambda name: [kernels.COMPILER if name == "neon" else str(kernels.SIMDE)]
                        if name in lacking else [])
    assert kernels.main([*arguments, "mnk-patterns"]) == 0
    assert built == compiled
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(said) if said else first == f"{'mnk-patterns':26s} equal"


@pytest.mark.parametrize(("arguments", "lacking", "said"), [
    ([], ["neon", "avx512"], "neon needs tools that are not found: a tool (Debian: gcc-aarch64-linux-gnu"),
    (["--only", "avx512"], ["avx512"], "avx512 needs tools that are not found: a tool (Debian: libsimde-dev)"),
    (["--only", "neon"], ["neon"], "neon needs tools"), (["--count"], ["neon"], "neon needs tools"),
    (["--count", "--only", "avx512"], [], "--count counts the instructions of ARM64"),
])
def test_what_is_missing_is_named(built, monkeypatch, capsys, arguments, lacking, said):
    monkeypatch.setattr(kernels, "missing", lambda name: ["a tool"] if name in lacking else [])
    with pytest.raises(SystemExit):
        kernels.main(arguments)
    assert said in " ".join(capsys.readouterr().err.split()) and not built


def test_tools_that_are_not_here(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels.shutil, "which", lambda name: None)
    monkeypatch.setattr(kernels, "SIMDE", tmp_path / "avx512.h")
    assert kernels.missing("neon") == [kernels.COMPILER, kernels.EMULATOR]
    assert kernels.missing("avx512") == [str(tmp_path / "avx512.h")]
    (tmp_path / "avx512.h").touch()
    assert kernels.missing("avx512") == []
