"""Builds the game against the installed mcts_core: get_include() has its C headers, and Cython finds its .pxd files."""

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
