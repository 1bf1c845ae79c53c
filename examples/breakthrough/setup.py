"""Builds the game against the installed mcts_core: its C headers are in get_include(), its .pxd are found by Cython."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import mcts_core

setup(
    py_modules=[],
    ext_modules=cythonize(
        [Extension("breakthrough", ["breakthrough.pyx"], include_dirs=[mcts_core.get_include()])],
        build_dir="build",
        language_level=3,
    ),
)
