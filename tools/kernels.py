"""Runs the kernels of Connect Four and m,n,k games for processors that are not at hand.

    python tools/kernels.py            compares the results of NEON and AVX-512 with those of plain C
    python tools/kernels.py --only avx512    compares one of the two, and needs the tools of that one only
    python tools/kernels.py --count    also counts the instructions of a rollout (or of another call) with NEON and in
                                       plain C; about five minutes

NEON needs aarch64-linux-gnu-gcc, and qemu-aarch64-static, which emulates ARM64 (Debian: gcc-aarch64-linux-gnu,
libc6-dev-arm64-cross, qemu-user-static). AVX-512 needs SIMDe, which emulates its instructions (Debian: libsimde-dev).
Without ``--only``, what lacks its tools is left out, and a line names them. An emulator shows what a processor computes
and how many instructions that takes, but not how long.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
SOURCE = ROOT / "tools" / "kernels.c"
FLAGS = ["-O3", "-fno-math-errno", "-ffp-contract=off", "-std=gnu11", "-Wall", "-Wno-unused-function",
         f"-I{ROOT / 'src'}", f"-I{ROOT / 'mcts_core' / 'include'}"]
PLAIN = ["-DMCTS_PLAIN_C"]
PACKAGES = {"neon": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static", "avx512": "libsimde-dev"}
"""What can be emulated, with Debian's packages of the tools for it."""
SIMDE = Path("/usr/include/simde/x86/avx512.h")
AVX512 = """
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#undef _mm512_madd_epi16 /* which has four arguments in SIMDe 0.7.4 */
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#define MCTS_AVX512 1
"""

# The counts of calls between which instructions are counted; the last 16 games of a lane take longer.
KERNELS = {
    "c4-lines-6x7": (100, 400), "c4-lines-7x8": (100, 400), "c4-lines-3x16": (100, 400), "c4-lines-8x9-5": (100, 400),
    "c4-lines-31x4": (100, 400),
    "c4-rollouts-6x7": (300, 900), "c4-rollouts-6x7-late": (300, 900), "c4-rollouts-6x7-general": (300, 900),
    "c4-rollouts-7x8": (300, 900), "c4-rollouts-6x9-5": (300, 900), "c4-rollouts-3x16": (300, 900),
    "mnk-rollouts-8x8": (5, 15), "mnk-rollouts-15x15": (5, 15), "mnk-rollouts-9x5": (5, 15),
    "mnk-rollouts-15x15-many": (512, 1024), "mnk-rollouts-9x5-many": (512, 1024), "mnk-rollouts-9x16-many": (512, 1024),
    "mnk-rollouts-15x20": (5, 10), "mnk-rollouts-15x15-exact": (5, 10),
    "mnk-rollouts-19x19": (5, 10),
    "mnk-rollouts-3x3": (20, 100), "mnk-rollouts-3x3-late": (20, 100), "mnk-rollouts-4x4": (20, 100),
    "mnk-rollouts-4x4-3": (20, 100),
    "mnk-rows-8x8": (20, 100), "mnk-rows-15x15": (20, 100), "mnk-rows-22x22": (20, 100), "mnk-patterns": (20, 100),
    "mnk-network-15x15": (10, 30), "mnk-network-22x5": (10, 30),
}


def missing(name):
    """The tools for NEON or AVX-512 that are not here."""
    if name == "neon":
        return [program for program in (COMPILER, EMULATOR) if shutil.which(program) is None]
    return [] if SIMDE.exists() else [str(SIMDE)]


def build(folder, compiler, *flags):
    """The program, compiled with these flags."""
    program = Path(folder) / "-".join(["kernels", compiler, *flags])
    subprocess.run([compiler, *FLAGS, *flags, str(SOURCE), "-o", str(program)], check=True)
    return program


def build_avx512(folder):
    """The program with AVX-512. Its instructions are functions of SIMDe: to inline them takes three times as long."""
    header, program = Path(folder) / "avx512.h", Path(folder) / "kernels-avx512"
    header.write_text(AVX512, encoding="utf-8")
    subprocess.run(["cc", *FLAGS, "-Og", "-DSIMDE_NO_INLINE", "-include", str(header), str(SOURCE), "-o", str(program)],
                   check=True)
    return program


def number(command, kernel, count):
    """What the program prints about the results of that many calls."""
    return subprocess.run([*command, kernel, str(count)], check=True, capture_output=True, text=True).stdout.strip()


def step_option():
    """How this version of the emulator is told to translate each instruction alone."""
    options = subprocess.run([EMULATOR, "-h"], capture_output=True, text=True).stdout
    return "-one-insn-per-tb" if "one-insn-per-tb" in options else "-singlestep"


def instructions(program, kernel, count):
    """The instructions of a whole run: the lines that the emulator writes about each."""
    command = [EMULATOR, step_option(), "-d", "exec,nochain", "-D", "/dev/stderr", str(program), kernel, str(count)]
    lines = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while block := process.stderr.read(1 << 20):
            lines += block.count(b"\n")
    return lines


def per_call(program, kernel):
    few, many = KERNELS[kernel]
    return (instructions(program, kernel, many) - instructions(program, kernel, few)) / (many - few)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true", help="also count instructions (NEON)")
    parser.add_argument("--only", choices=PACKAGES, help="compare this one alone")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"some of {', '.join(KERNELS)}; default: all")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.kernels) - set(KERNELS))
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    if options.count and options.only == "avx512":
        parser.error("--count counts the instructions of ARM64, not of AVX-512")
    lacking = {name: tools for name in PACKAGES if (tools := missing(name))}
    needed = {options.only} if options.only else {"neon"} if options.count else set()
    for name, tools in lacking.items():
        note = f"not found: {', '.join(tools)} (Debian: {PACKAGES[name]})"
        if name in needed or len(lacking) == len(PACKAGES) and not needed:
            parser.error(f"{name} needs tools that are {note}")
        if not options.only:
            print(f"{name} is left out: {note}", flush=True)
    compared = [name for name in PACKAGES if name not in lacking and options.only in (None, name)]
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        here = build(folder, "cc", *PLAIN, "-O1")
        commands = []
        if "neon" in compared:
            neon = build(folder, COMPILER, "-static")
            commands.append([EMULATOR, neon])
        if options.count:
            plain = build(folder, COMPILER, "-static", *PLAIN)
        if "avx512" in compared:
            commands.append([build_avx512(folder)])
        for kernel in options.kernels or KERNELS:
            same = {number(command, kernel, 1000) for command in commands} == {number([here], kernel, 1000)}
            different += not same
            line = f"{kernel:26s} {'equal' if same else 'DIFFERENT'}"
            if options.count:
                a, b = per_call(neon, kernel), per_call(plain, kernel)
                line += f"   NEON {a:8.0f}   plain C {b:8.0f}   {a / b:.2f}"
            print(line, flush=True)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
