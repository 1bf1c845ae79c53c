"""Compiles mcts_core.testing, which the wheel leaves out, into the package that this Python has installed.

    python tests/build_probes.py

Of the editable package of this checkout it compiles whatever has changed. Needs Cython, setuptools and a C compiler.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBES = Path("mcts_core", "testing")
KEPT = Path("build", "probes")
"""What is compiled, for the other environments of the same Python."""


def main():
    found = importlib.util.find_spec("mcts_core")
    if found is None:
        sys.exit(f"error: {sys.executable} has no mcts_core: install it first, python -m pip install {ROOT}")
    place = Path(found.origin).resolve().parent.parent
    editable = place == ROOT
    where = ["--inplace"] if editable else ["--build-lib", str(KEPT)]
    done = subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", *where], cwd=ROOT,
                          env=os.environ | {"MCTS_CORE_TESTING": "only"})
    if done.returncode == 0 and not editable:
        copy = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")  # those of a checkout that is built in place
        shutil.copytree(ROOT / PROBES, place / PROBES, dirs_exist_ok=True, ignore=copy)
        shutil.copytree(ROOT / KEPT / PROBES, place / PROBES, dirs_exist_ok=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
