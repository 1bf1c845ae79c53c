"""The machine under the measurement: one core of it, and what it is."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path


def pin(core=None):
    """Keeps this process and its children on one core, the last one by default; its number, None where that fails."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    if core is None:
        core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def describe(core, compiler=None):
    """What to tell beside the figures, as a dict of texts."""
    facts = {
        "processor": processor(),
        "cores": f"{os.cpu_count()}, " + ("measured without pinning" if core is None else f"measured on core {core}"),
        "system": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    if compiler:
        facts["reference compiled by"] = version_line(compiler)
    if hasattr(os, "getloadavg"):
        facts["load before"] = f"{os.getloadavg()[0]:.2f}"
    return facts


def processor(path="/proc/cpuinfo"):
    """The processor's name, with its family and model where the system tells them: virtual machines shorten names."""
    try:
        lines = [line.partition(":") for line in Path(path).read_text().split("\n\n")[0].splitlines()]
    except OSError:
        lines = []
    facts = {name.strip(): value.strip() for name, _, value in lines}
    if "model name" in facts:
        family = f" (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else ""
        return facts["model name"] + family
    if sys.platform == "darwin":
        return version_line(["sysctl", "-n", "machdep.cpu.brand_string"], flag=None)
    return platform.processor() or platform.machine()


def built_with(folder):
    """The compilers whose names stand in the compiled modules of a folder; Python's own where there are none."""
    pattern = re.compile(rb"clang version [\d.]+|GCC: \([^)\0]*\) [\d.]+")
    found = set()
    for path in sorted([*Path(folder).rglob("*.so"), *Path(folder).rglob("*.pyd")]):
        found.update(name.decode("ascii", "replace") for name in pattern.findall(path.read_bytes()))
    return ", ".join(sorted(found)) or f"unknown (Python: {platform.python_compiler()})"


def version_line(command, flag="--version"):
    """The first line that a command prints about itself; "unknown" when it does not run."""
    try:
        done = subprocess.run([*command, *([flag] if flag else [])], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return (done.stdout.splitlines() or ["unknown"])[0]
