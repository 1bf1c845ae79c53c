import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def portable():
    spec = importlib.util.spec_from_file_location("portable", ROOT / "tools" / "portable.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("line, what", [
    ("return __builtin_ctzll(x);", "__builtin_ctzll"),
    ("__atomic_store_n(a, 1, __ATOMIC_RELEASE);", "__atomic_store_n"),
    ("static int f(void) __attribute__((noinline));", "__attribute__"),
    ("char *__restrict__ p;", "__restrict__"),
    ('__asm__("" : "+r"(x));', "__asm__"),
    ("__typeof__(x) y = x;", "__typeof__"),
    ("unsigned __int128 wide;", "__int128"),
    ("int a = ({ int b = 1; b; });", "({"),
    ("case 1 ... 5: break;", "case 1 ..."),
    ("int mask = 0b1010;", "0b1010"),
    ("__declspec(align(32)) int a;", "__declspec"),
    ("_BitScanForward64(&i, x);", "_BitScanForward64"),
    ("#if defined(__GNUC__)", "__GNUC__"),
    ("#ifdef _WIN32", "_WIN32"),
    ("#if defined(__AVX2__)", "__AVX2__"),
    ("#if defined(_M_ARM64)", "_M_ARM64"),
    ("#pragma GCC unroll 4", "#pragma"),
    ("_Atomic int n;", "_Atomic"),
    ("ssize_t n;", "ssize_t"),
    ("unsigned long n;", "long"),
    ("#include <immintrin.h>", "#include <immintrin.h>"),
    ("#include <unistd.h>", "#include <unistd.h>"),
])
def test_what_one_compiler_knows_is_found_in_c(portable, line, what):
    text = f"int first;\n{line}\n"
    assert [(number, found) for number, found, _ in portable.offences("src/kernels/x.h", text)] == [(2, what)]
    assert portable.offences("src/kernels/platform.h", text) == []
    assert portable.offences("src/kernels/x.h", f"int first;\n/* {line.replace('*/', '')}\n*/\n") == []


@pytest.mark.parametrize("line", [
    "long long n;", "unsigned long long n;", "uint64_t basm, wrong_long;", '#include "kernels/platform.h"',
    "#include <stdint.h>", 'const char *text = "__builtin_ctz ({ long";', "switch (x) { case 1: break; }", "",
    "int n = 0; // __GNUC__", "MCTS_INLINE int f(int x) { return x; }",
])
def test_what_every_compiler_knows_is_not(portable, line):
    assert portable.offences("src/kernels/x.h", line) == []


def test_of_cython_only_what_becomes_c_is_looked_at(portable):
    text = ('"""A docstring: long, __GNUC__."""\n'
            "cdef extern from *:\n"
            '    """\n'
            "    #define MINE __builtin_clz\n"
            '    """\n'
            "    int MINE(int x)\n"
            "cdef long n, m\n"
            "cdef long long wide\n"
            "cdef int as_long = 1  # as long as\n"
            "name = f'({rows})'\n")
    assert [(number, found) for number, found, _ in portable.offences("src/x.pyx", text)] == [
        (4, "__builtin_clz"), (7, "long")]


@pytest.mark.parametrize("flag", ["-march=native", "-ffast-math", "-Ofast", "/fp:fast"])
def test_flags_that_change_results_are_found(portable, flag):
    assert [found for _, found, _ in portable.offences("setup.py", f'FLAGS = ["-O3", "{flag}"]\n')] in (
        [flag], [flag.removesuffix("native")])
    assert portable.offences("setup.py", f"# not {flag}\n") == []


def test_the_sources_hold_nothing_of_the_kind(portable):
    assert len(portable.sources()) > 50
    assert portable.look() == []


def test_a_planted_line_is_told_with_its_place(portable, tmp_path):
    for folder in ("src/kernels/selection", "src/mcts_core/tree"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    shutil.copy(ROOT / "setup.py", tmp_path)
    kernel = tmp_path / "src" / "kernels" / "selection" / "ucb1.h"
    kernel.write_text("typedef long ucb_long;\n" + kernel.read_text(encoding="utf-8"), encoding="utf-8")
    assert [line.split(": ")[0] for line in portable.look(tmp_path)] == ["src/kernels/selection/ucb1.h:1"]


FAKE = """
import sys
import time
unit = sys.argv[-1]
text = open(unit).read()
if "bad.h" in text and "-DMCTS_PLAIN_C" in sys.argv:
    sys.exit("bad.h: error: what is this")
if "worse.h" in text:
    time.sleep("-DMCTS_PLAIN_C" not in sys.argv)
    sys.exit("worse.h: error")
"""


@pytest.mark.long
def test_each_kernel_is_read_in_each_variant(portable, tmp_path):
    kernels = tmp_path / "src" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "good.h").write_text("")
    (kernels / "bad.h").write_text("")
    (kernels / "worse.h").write_text("")
    compiler = tmp_path / "compiler.py"
    compiler.write_text(FAKE)
    count, complaints = portable.compile_kernels([sys.executable, str(compiler)], [[], portable.PLAIN], tmp_path)
    assert count == 3
    assert [complaint.split("\n")[0].strip() for complaint in complaints] == [
        "kernels/bad.h -DMCTS_PLAIN_C", "kernels/worse.h", "kernels/worse.h -DMCTS_PLAIN_C"]
    assert "what is this" in complaints[0]


def test_a_missing_compiler_is_told_and_with_compile_all_an_error(portable, monkeypatch, capsys):
    monkeypatch.setattr(portable, "look", list)  # through the sources: see the tests above
    monkeypatch.setattr(portable, "targets", lambda: [("Somewhere", None, "somecc", [[]])])
    assert portable.main(["--compile"]) == 0
    assert "Somewhere: left out, somecc is not here" in capsys.readouterr().out
    assert portable.main(["--compile-all"]) == 1
