"""The package in WebAssembly: builds the wheel for Pyodide and tests it there, under Node.

    python tools/cross/wasm.py wheel             builds it
    python tools/cross/wasm.py test [OPTIONS]    compares the signature too, runs the tests, and prints speeds

OPTIONS are those of pytest. Needs Node 20 or newer and npm; everything else comes from the package indexes.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common import BUILD, PYTHON, ROOT, WINPYTHON, packages, run, unpacked, wheel

HERE = Path(__file__).resolve().parent
PLACE = BUILD / "wasm"
PYODIDE = "pyodide@0.29.5"
EMSCRIPTEN = "4.0.9"
PLATFORM = "pyodide_2025_0_wasm32"
"""Of PYODIDE: they belong together."""

TEST_PACKAGES = ["pytest>=8", "hypothesis>=6,<6.140", "rich>=13", "typing_extensions>=4.6"]
WITHOUT = "distributed loky matplotlib numba numpy open_spiel"
MARKED = "wasm and not slow"
CONFIGURATION = """
import json, sys, sysconfig
values = sysconfig.get_config_vars()
json.dump({name: value for name, value in values.items() if isinstance(value, int)}, sys.stdout)
"""
DEFINED_BY = ("ALIGNOF_", "HAVE_", "PY_", "Py_", "SIZEOF_", "STDC_", "WITH_")
"""How the names begin that CPython's configure writes to pyconfig.h."""


def pyodide():
    """Its folder, installed by npm."""
    folder = PLACE / "node" / "node_modules" / "pyodide"
    if not (folder / "pyodide.mjs").exists():
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", PLACE / "node",
            PYODIDE)
    return folder


def in_pyodide(wheels, *arguments, **options):
    """Runs a program of the checkout in Pyodide."""
    command = ["node", HERE / "pyodide.mjs", pyodide(), ROOT, ",".join(map(str, wheels)), *arguments]
    return subprocess.run([str(part) for part in command], **options)


def headers():
    """Folders with CPython's headers as Pyodide was configured, and what differs from musl's for 32 bits."""
    folder = PLACE / "include"
    if not (folder / "pyconfig.h").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(unpacked(WINPYTHON, BUILD / "windows" / "python") / "include", folder)
        program = PLACE / "configuration.py"
        program.write_text(CONFIGURATION, encoding="utf-8")
        found = in_pyodide([], program.relative_to(ROOT), check=True, stdout=subprocess.PIPE).stdout
        lines = [f"#define {name} {value}\n" for name, value in json.loads(found).items()
                 if name.startswith(DEFINED_BY) and value]
        (folder / "pyconfig.h").write_text("".join(lines), encoding="utf-8")
    return folder


def headers_of_libc():
    """What differs in musl for WebAssembly from musl for 32 bits of x86: how size_t is declared, and that functions for
    a time of 64 bits have the old names."""
    folder = PLACE / "libc"
    package = Path(importlib.util.find_spec("ziglang").submodule_search_locations[0])
    text = (package / "lib/libc/include/x86-linux-musl/bits/alltypes.h").read_text(encoding="utf-8")
    (folder / "bits").mkdir(parents=True, exist_ok=True)
    changed = text.replace("#define _REDIR_TIME64 1\n", "").replace("#define _Addr int\n", "#define _Addr long\n")
    assert changed.count("\n") == text.count("\n") - 1 and "_Addr long" in changed
    (folder / "bits" / "alltypes.h").write_text(changed, encoding="utf-8")
    return folder


def build():
    """The wheel."""
    os.environ["MCTS_WASM_INCLUDE"] = os.pathsep.join(map(str, (headers(), headers_of_libc())))
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = os.environ["ZIG_LOCAL_CACHE_DIR"] = str(PLACE / "cache")
    compiler = f"{sys.executable} {HERE / 'wasm_compiler.py'}"
    return wheel("wasm", f"emscripten-{EMSCRIPTEN}-wasm32", PLATFORM, f".cpython-{PYTHON}-wasm32-emscripten.so",
                 compiler, compiler)


def figures(wheels):
    """Prints the speed of one search in Pyodide beside that of the package of this environment."""
    program = (HERE / "speeds.py").relative_to(ROOT)
    there = json.loads(in_pyodide(wheels, program, check=True, stdout=subprocess.PIPE).stdout)
    found = subprocess.run([sys.executable, "-P", HERE / "speeds.py"], stdout=subprocess.PIPE, check=True, cwd=PLACE,
                           env={**os.environ, "MCTS_CORE_ISA": "baseline"})
    here = json.loads(found.stdout)
    print(f"{'':24}{'WebAssembly':>14}{'native':>14}")
    for name, speed in there.items():
        print(f"{name:24}{speed:14,.0f}{here[name]:14,.0f}")


def test(arguments):
    """The signature, the tests and the speeds; the exit status."""
    os.environ["MCTS_CORE_TESTING"] = "1"  # nothing is compiled where the tests run
    made = build()
    print(f"{made.name}: {made.stat().st_size / 1e6:.2f} MB", flush=True)
    wheels = [made, *packages(PLACE / "packages", *TEST_PACKAGES)]
    signature = in_pyodide(wheels, "tests/signature.py", check=True, stdout=subprocess.PIPE).stdout.decode()
    if signature != (ROOT / "tests" / "data" / "signature.txt").read_text(encoding="utf-8"):
        print(f"error: the searches differ from tests/data/signature.txt:\n{signature}")
        return 1
    print("the signature is equal", flush=True)
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))
             if "pytest.mark.wasm" in path.read_text(encoding="utf-8")]  # to read all of them takes minutes there
    status = in_pyodide(wheels, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys",
                        "-m", MARKED, "-q", *arguments, *files,
                        env={**os.environ, "MCTS_CORE_TESTS_WITHOUT": WITHOUT}).returncode
    figures(wheels)
    return status


if __name__ == "__main__":
    if sys.argv[1:2] == ["wheel"]:
        print(build())
    elif sys.argv[1:2] == ["test"]:
        sys.exit(test(sys.argv[2:]))
    else:
        sys.exit(__doc__)
