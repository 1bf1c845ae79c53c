"""Builds the native modules: the metadata is in pyproject.toml, but for the description, made of README.md.

The hot modules are compiled once per instruction set from one source, ``tree.plain_tree`` as
``mcts_core.tree._plain_tree_<isa>``, a few of them for AVX-512, too; ``mcts_core.dispatch`` chooses at import.
"""

import os
import re
import shutil
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from Cython.Build.Dependencies import create_dependency_tree
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

BUILD = Path("build")
INCLUDE_DIRS = ["src", "mcts_core/include"]
HOT_MODULES = ["tree.plain_tree", "tree.guided_tree", "tree.general_tree", "games.connect_four.rollout",
               "games.connect_four.knowledge", "games.connect_four.alpha_beta", "games.mnk.rollout",
               "games.mnk.bit_rollout", "games.mnk.knowledge", "games.mnk.valuation", "games.mnk.continuous_fours",
               "games.mnk.continuous_threats", "games.mnk.small_boards"]
MODULES = sorted({".".join(path.relative_to("src").with_suffix("").parts) for path in Path("src").rglob("*.pyx")}
                 - set(HOT_MODULES))

WEBASSEMBLY = "emscripten" in sysconfig.get_platform().lower()
X86_64 = any(name in sysconfig.get_platform().lower() for name in ("x86_64", "amd64"))
AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
ISA_FLAGS = {
    "baseline": {"unix": ["-msimd128"] if WEBASSEMBLY else [], "msvc": []},
    "avx2": {"unix": AVX2, "msvc": ["/arch:AVX2"]},
    "avx512": {"unix": [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vbmi",
                        "-mprefer-vector-width=256"],
               "msvc": ["/arch:AVX512"]},
}
# Those that gain by it (bench/TUNING.md). In place of the others, mcts_core.dispatch takes those for AVX2.
AVX512_MODULES = ["games.connect_four.rollout", "games.mnk.bit_rollout", "games.mnk.valuation"]
ISAS = list(ISA_FLAGS) if X86_64 else ["baseline"]
HOT = [(name, isa) for name in HOT_MODULES for isa in ISAS if isa != "avx512" or name in AVX512_MODULES]

# No contraction and no fast-math: every instruction set must search identically.
COMMON_FLAGS = {"unix": ["-O3", "-fno-math-errno", "-ffp-contract=off"], "msvc": ["/O2", "/fp:precise"]}

# MCTS_CORE_PLAIN_C=1: the portable branch of every kernel; =baseline: only modules for AVX2 and AVX-512 have vectors.
PLAIN_C = os.environ.get("MCTS_CORE_PLAIN_C")
# MCTS_CORE_SANITIZE=thread, address or undefined: for tests of the package itself, with GCC or Clang.
SANITIZE = os.environ.get("MCTS_CORE_SANITIZE")
SANITIZE_FLAGS = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g1", "-O1"] if SANITIZE else []
# MCTS_CORE_COVERAGE=1: what runs is counted, for gcov.
COVERAGE = bool(os.environ.get("MCTS_CORE_COVERAGE"))
if COVERAGE:
    SANITIZE_FLAGS = ["--coverage", "-O1"]

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
    """Translates what has changed, and adds the flags of the compiler at hand and of the module's instruction set."""

    def finalize_options(self):
        super().finalize_options()
        if self.editable_mode or self.inplace:
            # pip's own folders are gone after each install: one changed module would compile all of them again
            plain = PLAIN_C and f"plain-{PLAIN_C}"
            python = sysconfig.get_config_var("EXT_SUFFIX").split(".")[1]
            kind = "-".join(filter(None, ["editable", python, SANITIZE, plain, COVERAGE and "coverage"]))
            self.build_lib = self.build_temp = str(BUILD / kind)

    def build_extensions(self):
        # Here and not below: pip runs this file three times for an install, and compiles in one of them.
        for name, isa in HOT:
            copy = Path(hot_source(name, isa))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source(name), copy)
        own_headers = [headers_of_declarations(extension) for extension in self.extensions]
        translated = cythonize(self.extensions, build_dir=str(BUILD / "cython"), compiler_directives=DIRECTIVES,
                               nthreads=self.parallel or os.cpu_count() or 1)
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        for extension, new, own in zip(self.extensions, translated, own_headers, strict=True):
            isa = extension.name.rsplit("_", 1)[-1]
            extra = ISA_FLAGS[isa][kind] if isa in ISA_FLAGS else []
            extension.sources, extension.depends = new.sources, sorted(with_included([*new.depends, *own]))
            extension.extra_compile_args = COMMON_FLAGS[kind] + extra + SANITIZE_FLAGS
            extension.extra_link_args = SANITIZE_FLAGS[:1]
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()


def headers_of_declarations(extension):
    """The C headers that a module's own .pxd names. Cython looks for that beside the .pyx, where it is not: a
    translation that is older than it is removed here."""
    own = Path(*extension.name.split(".")).with_suffix(".pxd").as_posix()
    if not os.path.exists(own):
        return []
    tree = create_dependency_tree()
    translation = (BUILD / "cython" / extension.sources[0]).with_suffix(".c")
    if translation.exists() and translation.stat().st_mtime < tree.newest_dependency(own)[0]:
        translation.unlink()
    return tree.distutils_info(own).values.get("depends", [])


def with_included(headers):
    """The files of the package among some C headers, and what they include."""
    found, new = set(), [(Path(), header) for header in headers]
    while new:
        folder, name = new.pop()
        for path in (folder / name, *(Path(include) / name for include in INCLUDE_DIRS)):
            if path.is_file() and path.as_posix() not in found:
                found.add(path.as_posix())
                text = path.read_text(encoding="utf-8")
                new += [(path.parent, name) for name in re.findall(r'^#\s*include "(.+)"', text, re.MULTILINE)]
    return found


def source(name):
    return f"src/{name.replace('.', '/')}.pyx"


def hot_name(name, isa):
    room, _, module = name.rpartition(".")
    return f"{room}._{module}_{isa}"


def hot_source(name, isa):
    return f"{BUILD}/isa/{hot_name(name, isa).replace('.', '/')}.pyx"


def extension(module, path):
    # mcts_core.dispatch asks the processor what it can, by a branch that is not portable.
    vectors = module == "dispatch" or module.endswith(("_avx2", "_avx512"))
    plain = PLAIN_C == "1" or PLAIN_C == "baseline" and not vectors
    return Extension(f"mcts_core.{module}", [path], include_dirs=INCLUDE_DIRS,
                     define_macros=[("MCTS_PLAIN_C", "1")] if plain else [])


def for_package_page(markdown):
    """README.md as it reads where the other files of the repository are not: links to them are plain text, and their
    pictures are left out, with a table of nothing else."""
    file = r"\((?!https?:)[^()\s]+\)"
    text = re.sub(rf"!\[[^\]]*\]{file}", "", markdown)
    text = re.sub(r"^[| ]+\n[-:| ]+\n\n", "", text, flags=re.MULTILINE)
    return re.sub(rf"\[([^\[\]]+)\]{file}", r"\1", text)


if __name__ == "__main__":  # processes that translate may import this file
    setup(
        long_description=for_package_page(Path("README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
        packages=find_packages(include=["mcts_core", "mcts_core.*"]),
        include_package_data=False,  # just these; what MANIFEST.in names is for the sdist
        package_data={
            # headers: the contract that others build on; all others are of the modules for each other
            "mcts_core": ["game.pxd", "simple_game.pxd", "include/mcts_core/*.h", "**/*.pyi", "py.typed"],
            "mcts_core.web": ["static/*"],
            "mcts_core.games.connect_four": ["*.book"],
            "mcts_core.games.mnk": ["*.network"],
        },
        ext_modules=[extension(name, source(name)) for name in MODULES]
        + [extension(hot_name(name, isa), hot_source(name, isa)) for name, isa in HOT],
        cmdclass={"build_ext": BuildExt},
    )
