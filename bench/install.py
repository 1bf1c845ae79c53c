#!/usr/bin/env python3
"""Installs the packages that run.py measures (requirements.txt) and those that other claims need (claims.txt) into the
environment that runs this, each for itself where all of them together do not go. One that cannot be installed is
named, and no failure: claims.py measures the others."""

import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent / "requirements.txt"
CLAIMS = REQUIREMENTS.with_name("claims.txt")
# Without a wheel for this Python, numpy would be compiled for many minutes, and fail.
PIP = (sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", "numpy,scipy")


def lines(text):
    """The requirements of a file's text, without comments."""
    found = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in found if line]


def main(pip=PIP):
    wanted = [*lines(REQUIREMENTS.read_text()), *lines(CLAIMS.read_text())]
    if subprocess.run([*pip, *wanted], capture_output=True).returncode == 0:
        return []
    failed = [line for line in wanted if subprocess.run([*pip, line]).returncode]
    for line in failed:
        print(f"bench: {line} could not be installed; it is left out", file=sys.stderr)
    return failed


if __name__ == "__main__":
    main()
