"""tools/cross: the command lines of its compilers and its lists. KIND=windows and wasm of make test run it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "cross"))

import common  # noqa: E402
import gomocup_zip  # noqa: E402
import wasm  # noqa: E402
import wasm_compiler  # noqa: E402
import windows  # noqa: E402


def test_webassembly_is_compiled_without_what_is_meant_for_this_machine(tmp_path, monkeypatch):
    (tmp_path / "Python.h").touch()
    package = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "ziglang")]})
    monkeypatch.setattr(wasm_compiler.importlib.util, "find_spec", lambda name: package)
    monkeypatch.setenv("MCTS_WASM_INCLUDE", os.pathsep.join(["first", "second"]))
    command = wasm_compiler.compiled(["-pthread", "-fstack-protector-strong", "-DNDEBUG", "-g", "-O2", "-Wall", "-fPIC",
                                      "-Isrc", f"-I{tmp_path}", "-I", str(tmp_path), "-c", "a.c", "-o", "a.o", "-O3",
                                      "-msimd128", "-ffp-contract=off", "-fno-math-errno"])
    assert command[0] == "cc" and "--target=wasm32-emscripten" in command
    own = command[1 + len(wasm_compiler.TARGET):]
    libc = tmp_path / "ziglang" / "lib" / "libc" / "include"
    assert own == ["-isystem", "first", "-isystem", "second", "-isystem", str(libc / "x86-linux-musl"),
                   "-isystem", str(libc / "generic-musl"), "-DNDEBUG", "-O2", "-Wall", "-Isrc", "-c", "a.c", "-o",
                   "a.o", "-O3", "-msimd128", "-ffp-contract=off", "-fno-math-errno"]


def test_a_side_module_exports_its_initialisation_alone():
    command = wasm_compiler.linked(["-shared", "a/b/loop.o", "-L/usr/lib", "-o", "x/loop.cpython-313-wasm32.so", "-lm"])
    assert command[0] == "wasm-ld"
    assert [word for word in command if word.startswith("--export")] == ["--export=PyInit_loop"]
    assert command[-3:] == ["a/b/loop.o", "-o", "x/loop.cpython-313-wasm32.so"]
    assert not {"-lm", "-L/usr/lib"}.intersection(command)


def test_every_test_that_wine_cannot_run_is_there_and_has_its_reason():
    lines = (ROOT / "tools" / "cross" / "left_out.txt").read_text(encoding="utf-8").splitlines()
    named = [line.split("  # ") for line in lines if not line.startswith("#")]
    assert all(len(parts) == 2 and len(parts[1]) > 10 for parts in named), named
    for name, _ in named:
        path, _, test = name.partition("::")
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert not test or re.search(rf"^def {re.escape(test.partition('[')[0])}\(", text, re.MULTILINE), name
    assert windows.left_out() == [f"--deselect=tests/{name}" for name, _ in named]


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(windows.shutil, "which", lambda name, path=None: None)
    assert windows.missing() == ["wine64", windows.COMPILER]


@pytest.mark.parametrize("names", [["baseline"], ["baseline", "avx2"], ["baseline", "avx2", "avx512"]])
@pytest.mark.parametrize("wrong", [None, "avx2", "avx512"])
def test_the_signature_is_compared_with_each_instruction_set(monkeypatch, capsys, names, wrong):
    signature = (ROOT / "tests" / "data" / "signature.txt").read_bytes().replace(b"\n", b"\r\n")
    asked = []

    def started(*arguments, capture, MCTS_CORE_ISA=None):
        if MCTS_CORE_ISA is None:
            return subprocess.CompletedProcess(arguments, 0, (" ".join(names) + "\r\n").encode())
        asked.append(MCTS_CORE_ISA)
        return subprocess.CompletedProcess(arguments, 0, signature[MCTS_CORE_ISA == wrong:])

    monkeypatch.setattr(windows, "started", started)
    assert windows.compare_signature() == (wrong not in names)
    assert asked == names[:names.index(wrong) + 1 if wrong in names else None]
    said = capsys.readouterr().out
    assert said.startswith(f"error: the searches of {wrong} differ" if wrong in names else "the signature is equal")


def test_a_package_that_cannot_be_imported_has_no_signature(monkeypatch):
    monkeypatch.setattr(windows, "started", lambda *arguments, capture: subprocess.CompletedProcess(arguments, 1, b""))
    assert not windows.compare_signature()


def test_pyodide_and_its_python_belong_together():
    assert re.fullmatch(r"pyodide@\d+\.\d+\.\d+", wasm.PYODIDE)
    assert f"{common.PYTHON[0]}.{common.PYTHON[1:]}." in common.WINPYTHON and wasm.PLATFORM.startswith("pyodide_")


@pytest.mark.parametrize(("text", "number"), [("0,0", 0), ("14,0", 14), ("7, 7", 112)])
def test_answers_of_an_engine(text, number):
    assert gomocup_zip.cell(text) == number
