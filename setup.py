"""Builds the native modules: the metadata is in pyproject.toml.

The hot modules are compiled once per instruction set from one source, as ``mcts_core._<name>_<isa>``;
``mcts_core.dispatch`` chooses among them at import.
"""

import os
import shutil
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

BUILD = Path("build")
MODULES = ["errors", "notation", "game", "dispatch", "connect_four", "mnk", "mnk_prover", "python_game", "search_turn",
           "compaction", "exchange", "team", "search_settings", "descent",
           "searched_tree", "searcher", "tree_top", "tree_check", "tree_storage", "general_rules",
           "evaluators", "general_searcher", "general_group", "native_games", "bulk_rollouts", "probe",
           "tree_probe"]
HOT_MODULES = ["tree", "guided_tree", "general_tree", "connect_four_rollout", "connect_four_guide",
               "connect_four_prover", "mnk_rollout", "mnk_guide", "mnk_threats", "mnk_solver"]

X86_64 = any(name in sysconfig.get_platform().lower() for name in ("x86_64", "amd64"))
ISA_FLAGS = {
    "baseline": {"unix": [], "msvc": []},
    "avx2": {"unix": ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"], "msvc": ["/arch:AVX2"]},
}
ISAS = list(ISA_FLAGS) if X86_64 else ["baseline"]

# No contraction and no fast-math: every instruction set must search identically.
COMMON_FLAGS = {"unix": ["-O3", "-fno-math-errno", "-ffp-contract=off"], "msvc": ["/O2", "/fp:precise"]}

# MCTS_CORE_SANITIZE=thread, address or undefined: for tests of the package itself, with GCC or Clang.
SANITIZE = os.environ.get("MCTS_CORE_SANITIZE")
SANITIZE_FLAGS = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g", "-O1"] if SANITIZE else []
# MCTS_CORE_COVERAGE=1: what runs is counted, for gcov.
COVERAGE = bool(os.environ.get("MCTS_CORE_COVERAGE"))
if COVERAGE:
    SANITIZE_FLAGS = ["--coverage", "-O1"]

# MCTS_CORE_ABI3=1: one wheel for CPython 3.11 and later, but the free-threaded ones. The wheels of a release are
# built for each Python.
ABI3 = bool(os.environ.get("MCTS_CORE_ABI3"))
ABI3_MACROS = [("Py_LIMITED_API", "0x030B0000")] if ABI3 else []
if ABI3 and sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit("MCTS_CORE_ABI3: a free-threaded Python has no stable ABI; build with another one, or without it")

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "freethreading_compatible": True,
    "subinterpreters_compatible": "no",  # a module's tables and types are those of one interpreter
}


class BuildExt(build_ext):
    """Adds the flags of the compiler at hand, and of the module's instruction set."""

    def finalize_options(self):
        super().finalize_options()
        if self.editable_mode:
            # pip's own folders are gone after each install: one changed module would compile all of them again
            plain = "plain" if os.environ.get("MCTS_CORE_PLAIN_C") else None
            python = "abi3" if ABI3 else sysconfig.get_config_var("EXT_SUFFIX").split(".")[1]
            kind = "-".join(filter(None, ["editable", python, SANITIZE, plain, COVERAGE and "coverage"]))
            self.build_lib = self.build_temp = str(BUILD / kind)

    def build_extensions(self):
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        for extension in self.extensions:
            isa = extension.name.rsplit("_", 1)[-1]
            extra = ISA_FLAGS[isa][kind] if isa in ISA_FLAGS else []
            extension.extra_compile_args = COMMON_FLAGS[kind] + extra + SANITIZE_FLAGS
            extension.extra_link_args = SANITIZE_FLAGS[:1]
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()


def extension(module, source):
    plain = [("MCTS_PLAIN_C", "1")] if os.environ.get("MCTS_CORE_PLAIN_C") else []
    return Extension(
        f"mcts_core.{module}",
        [source],
        include_dirs=["src", "mcts_core/include"],
        define_macros=plain + ABI3_MACROS,
        py_limited_api=ABI3,
        depends=[str(path) for path in (*Path("src/kernels").glob("*.h"), *Path("mcts_core").rglob("*.[hp]*d"))]
        + [str(path) for path in Path("mcts_core/include").rglob("*.h")],
    )


def hot_extension(name, isa):
    copy = BUILD / "isa" / f"_{name}_{isa}.pyx"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(Path("src") / f"{name}.pyx", copy)
    return extension(copy.stem, copy.as_posix())


setup(
    packages=["mcts_core", "mcts_core.bots", "mcts_core.cli", "mcts_core.render", "mcts_core.web"],
    include_package_data=False,  # just these; what MANIFEST.in names is for the sdist
    package_data={"mcts_core": ["*.pxd", "*.pyi", "py.typed", "include/mcts_core/*.h"], "mcts_core.web": ["static/*"]},
    ext_modules=cythonize(
        [extension(name, f"src/{name}.pyx") for name in MODULES]
        + [hot_extension(name, isa) for name in HOT_MODULES for isa in ISAS],
        build_dir=str(BUILD / "cython"),
        compiler_directives=DIRECTIVES,
        nthreads=0,
    ),
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {},
    cmdclass={"build_ext": BuildExt},
)
