"""Looks for C that only one compiler or system knows outside of the one header for it, and compiles the kernels for
systems that are not at hand.

    python tools/portable.py             looks at the sources
    python tools/portable.py --compile   also has the kernels read by every compiler that is found; each that is not
                                         found is named. --compile-all: one that is missing is an error

Nothing is linked and nothing runs. The headers of macOS, musl and Windows come from the package ziglang.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "src/kernels/platform.h"
OWN = {HEADER, "mcts_core/include/mcts_core/simple_game.h"}  # a game includes the second one, and cannot have the first
HEADERS_ALLOWED = {"math.h", "stddef.h", "stdint.h", "string.h"}

# What is found in C, and why it may not stand there.
RULES = [
    (r"__builtin_\w+|__atomic_\w+|__sync_\w+", "a builtin of GCC and Clang"),
    (r"__attribute__|__extension__|__label__|__restrict\b|__restrict__|__inline\b|__inline__",
     "a word of GCC and Clang"),
    (r"\b(?:__)?asm(?:__)?\b|\b__volatile__", "assembly"),
    (r"\b(?:__)?typeof(?:__)?\b|\bauto_type\b", "a type that only GCC and Clang infer"),
    (r"__u?int128(?:_t)?\b", "an integer that MSVC has not"),
    (r"\(\s*\{", "a statement as an expression"),
    (r"\bcase\s+\w+\s*\.\.\.", "a range of cases"),
    (r"\b0[bB][01]+\b", "a binary number"),
    (r"__declspec|__forceinline|__assume\b|_BitScan\w+|_?Interlocked\w+|__popcnt\w*|__cpuid\w*", "a word of MSVC"),
    (r"\b__GNUC__|\b__clang__|\b_MSC_VER|\b__MINGW\w*|\b_WIN(?:32|64)\b|\b__linux__|\b__APPLE__|\b__MACH__|\b__unix__"
     r"|\b__BYTE_ORDER__", "a question for the compiler or the system"),
    (r"\b__x86_64__|\b__aarch64__|\b_M_\w+|\b__AVX\w*__|\b__SSE\w*__|\b__BMI\w*__|\b__ARM_\w+",
     "a question for the processor"),
    (r"#\s*pragma\b", "a pragma"),
    (r"\b_Atomic\b|\b_Thread_local\b|\b_Alignas\b|\b_Generic\b|\b__thread\b", "C11 that MSVC has not by default"),
    (r"\balloca\b|\bssize_t\b|\bM_(?:PI|E|LN2|SQRT2)\b", "a name that Windows has not"),
    (r"\blong\b(?!\s+(?:long|double)\b)(?<!long long)", "a number of 32 bits on Windows, of 64 elsewhere"),
]
FLAG_RULES = [
    (r"-march=|-mtune=|-mcpu=", "a flag for the processor of the builder"),
    (r"-Ofast|-ffast-math|-funsafe-math\w*|-fassociative-math|/fp:fast", "a flag that changes results"),
]
INCLUDE = re.compile(r"#\s*include\s*<([^>]+)>")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code_of_c(text):
    """C without comments and the insides of strings, of the same lines and columns."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|(?<!include )"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def code_of_cython(text):
    """The C that Cython copies (the blocks of `cdef extern from *`), and the declarations of C types."""
    lines = [""] * (text.count("\n") + 1)
    for block in re.finditer(r'cdef extern from \*[^\n]*\n\s*"""(.*?)"""', text, re.DOTALL):
        first = text.count("\n", 0, block.start(1))
        for number, line in enumerate(code_of_c(block.group(1)).split("\n")):
            lines[first + number] += line
    for number, line in enumerate(text.split("\n")):
        if re.match(r"\s*(?:cdef|cpdef|ctypedef)\b", line):
            lines[number] += line.split("#")[0].replace("double", "")
    return "\n".join(lines)


def offences(path, text):
    """(line, what stands there, why it may not) in order; `path` is relative to the root of the project."""
    if path in OWN:
        return []
    if path.endswith(".py"):
        rules, code = FLAG_RULES, "\n".join(line.split("#")[0] for line in text.split("\n"))
    else:
        rules, code = RULES, code_of_c(text) if path.endswith((".h", ".c")) else code_of_cython(text)
    found = []
    for number, line in enumerate(code.split("\n"), 1):
        for pattern, reason in rules:
            found += [(number, match.group().strip(), reason) for match in re.finditer(pattern, line)]
        for system in INCLUDE.findall(line) if rules is RULES else ():
            if system not in HEADERS_ALLOWED:
                found.append((number, f"#include <{system}>", "a header of a compiler or a system"))
    return found


def sources(root=ROOT):
    """The files that are looked at."""
    kinds = (".h", ".c", ".pyx", ".pxd")
    below = [path for folder in ("src", "mcts_core") for path in (root / folder).rglob("*") if path.suffix in kinds]
    return sorted(below) + [root / "setup.py"]


def look(root=ROOT):
    """One line for each offence."""
    lines = []
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        for number, what, why in offences(name, path.read_text(encoding="utf-8")):
            lines.append(f"{name}:{number}: {what}: {why}; it belongs in {HEADER}")
    return lines


# ---- compilers ----------------------------------------------------------------------------------------------------

AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
PLAIN = ["-DMCTS_PLAIN_C"]
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wvla", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter",
            "-Wno-unused-const-variable"]


def clang():
    """The newest Clang: arm_neon.h of old ones is not read as MSVC would."""
    names = ["clang", *(f"clang-{number}" for number in range(40, 13, -1))]
    return next((found for found in map(shutil.which, names) if found), None)


def headers(*names):
    """Folders of ziglang's headers; None where it is not installed."""
    package = importlib.util.find_spec("ziglang")
    if package is None:
        return None
    folder = Path(package.submodule_search_locations[0]) / "lib" / "libc" / "include"
    return [argument for name in names for argument in ("-idirafter", str(folder / name))]


def targets():
    """(name, command or None, what is missing, flags of the variants) of each system."""
    def by_clang(name, target, folders, variants, *flags):
        compiler, found = clang(), headers(*folders)
        if compiler is None or found is None:
            return name, None, "clang" if compiler is None else "the package ziglang", variants
        return name, [compiler, f"--target={target}", "-Wno-nullability-completeness", *flags, *found], "", variants

    def by_name(name, program, variants):
        found = shutil.which(program)
        return name, found and [found, "-std=gnu11"], program, variants

    msvc = ["-std=c11", "-fms-compatibility-version=19.40", "-Wno-pragma-pack", "-Wno-unknown-pragmas",
            "-include", str(ROOT / "tools" / "portable_msvc.h")]
    unix = ["-std=gnu11", "-nostdlibinc"]
    x86, arm = [[], AVX2, PLAIN], [[], PLAIN]
    musl = ["generic-musl", "any-linux-any"]
    return [
        by_name("Linux x86-64, GCC", "x86_64-linux-gnu-gcc", x86),
        by_name("Linux ARM64, GCC", "aarch64-linux-gnu-gcc", arm),
        by_name("Windows x86-64, MinGW", "x86_64-w64-mingw32-gcc", x86),
        by_clang("Windows x86-64, as MSVC", "x86_64-pc-windows-msvc", ["any-windows-any"], x86, *msvc),
        by_clang("Windows ARM64, as MSVC", "aarch64-pc-windows-msvc", ["any-windows-any"], arm, *msvc),
        by_clang("macOS x86-64", "x86_64-apple-macos11", ["any-darwin-any"], x86, *unix),
        by_clang("macOS ARM64", "arm64-apple-macos11", ["any-darwin-any"], arm, *unix),
        by_clang("musl x86-64", "x86_64-linux-musl", ["x86_64-linux-musl", *musl, "x86-linux-any"], x86, *unix),
        by_clang("musl ARM64", "aarch64-linux-musl", ["aarch64-linux-musl", *musl, "aarch64-linux-any"], arm, *unix),
    ]


def compile_kernels(command, variants, root=ROOT):
    """Has each kernel and public header read alone, in every variant; their number and the complaints."""
    kernels = sorted([path.relative_to(root / "src").as_posix() for path in (root / "src" / "kernels").rglob("*.h")]
                     + [f"mcts_core/{path.name}" for path in (root / "mcts_core" / "include").glob("mcts_core/*.h")])
    places = [f"-I{root / 'src'}", f"-I{root / 'mcts_core' / 'include'}"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def complaint(number, flags):
            unit = Path(folder) / f"unit_{number}.c"
            done = subprocess.run([*command, *WARNINGS, *flags, *places, str(unit)], capture_output=True, text=True)
            return done.returncode and f"{kernels[number]} {' '.join(flags)}\n{done.stderr[:2000]}"

        for number, kernel in enumerate(kernels):
            (Path(folder) / f"unit_{number}.c").write_text(f'#include "{kernel}"\n')
        readings = [pool.submit(complaint, number, flags) for number in range(len(kernels)) for flags in variants]
        complaints = [reading.result() for reading in readings if reading.result()]
    return len(kernels), complaints


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="also compile the kernels for other systems")
    parser.add_argument("--compile-all", action="store_true", help="the same; a compiler that is missing is an error")
    options = parser.parse_args(arguments)
    lines = look()
    print("\n".join(lines) if lines else f"{len(sources())} files: nothing outside of {' and '.join(sorted(OWN))}")
    failed = bool(lines)
    if options.compile or options.compile_all:
        for name, command, missing, variants in targets():
            if command is None:
                print(f"{name}: left out, {missing} is not here")
                failed = failed or options.compile_all
                continue
            kernels, complaints = compile_kernels(command, variants)
            print(f"{name}: {kernels} headers in {len(variants)} variants, {len(complaints)} complaints", flush=True)
            for complaint in complaints:
                print(complaint)
            failed = failed or bool(complaints)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
