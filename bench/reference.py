"""The reference programs: plain C, compiled here, with the processor's clock in place of theirs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

PROGRAMS = {
    "c4": ("ref_c4.c", {}),
    "gomoku15": ("ref_gomoku.c", {}),
    "gomoku20": ("ref_gomoku.c", {"SIZE": 20}),
    "mnk8x8x5": ("ref_gomoku.c", {"SIZE": 8}),
    "tictactoe": ("ref_gomoku.c", {"SIZE": 3, "IN_ROW": 3}),
}
"""Key -> source file and macros. The reference knows freestyle gomoku only."""

NODE_SIZE = 24

# The programs time themselves with clock_gettime. Around their unchanged source goes this one: their clock becomes the
# CPU time of the process, and wall-clock time is told beside it.
WRAPPER = """\
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static double cpu[2], wall[2];
static double seconds(struct timespec t) {{ return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }}
static int both_clocks(clockid_t clock, struct timespec *t) {{
    struct timespec now;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, t);
    wall[0] = wall[1], wall[1] = seconds(now);
    cpu[0] = cpu[1], cpu[1] = seconds(*t);
    return 0;
}}
#define clock_gettime both_clocks
#define main reference_main
{widen}
#include "{source}"
#undef main
int main(int argc, char **argv) {{
    int status = reference_main(argc, argv);
    printf("measured cpu %.9f wall %.9f\\n", cpu[1] - cpu[0], wall[1] - wall[0]);
    return status;
}}
"""

# The gomoku program numbers cells with 8 bits. For larger boards its bytes are made 16 bits wide; its nodes keep their
# 24 bytes.
WIDEN = "#define uint8_t uint16_t"
LARGEST_BYTE_BOARD = 15


class Missing(Exception):
    """Why there is no reference."""


def compiler():
    """The C compiler's command."""
    command = os.environ.get("CC", "cc").split()
    if not command or not shutil.which(command[0]):
        raise Missing(f"no C compiler ({' '.join(command) or 'CC is empty'})")
    return command


def build(keys, sources, target):
    """Compiles the programs ``keys`` from the folder ``sources`` into ``target``; key -> executable. Raises Missing."""
    if sources is None or not Path(sources).is_dir():
        raise Missing("no folder with the reference programs" if sources is None else f"{sources} is no folder")
    programs = {}
    for key in keys:
        name, macros = PROGRAMS[key]
        source = Path(sources, name).resolve()
        if not source.is_file():
            raise Missing(f"{source} not found")
        wrapper = Path(target, f"{key}.c")
        widen = WIDEN if macros.get("SIZE", 0) > LARGEST_BYTE_BOARD else ""
        wrapper.write_text(WRAPPER.format(source=source.as_posix(), widen=widen))
        programs[key] = Path(target, key)
        flags = [f"-D{macro}={value}" for macro, value in macros.items()]
        done = subprocess.run([*compiler(), "-O3", *flags, "-o", programs[key], wrapper, "-lm"], capture_output=True,
                              text=True)
        if done.returncode:
            raise Missing(f"{name} does not compile: {(done.stderr.strip().splitlines() or ['no message'])[0]}")
    return programs


def measure(program, work, count, seed):
    """One run: a dict of count, cpu, wall (seconds) and, for iterations, bytes."""
    command = [program, "playouts" if work == "rollouts" else "iters", str(count), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return parse(done.stdout, work)


def parse(text, work):
    """Reads what a program printed."""
    counted = re.search(r"^(?:playouts|iterations) (\d+) ", text, re.MULTILINE)
    measured = re.search(r"^measured cpu (\S+) wall (\S+)$", text, re.MULTILINE)
    if not counted or not measured:
        raise ValueError(f"the reference program printed {text!r}")
    result = {"count": int(counted[1]), "cpu": float(measured[1]), "wall": float(measured[2])}
    if work == "iterations":
        result["bytes"] = int(re.search(r" allocated (\d+) ", text)[1]) * NODE_SIZE
    return result
