"""Builds the native modules: the metadata is in pyproject.toml, but for the description, made of README.md.

The hot modules are translated once and compiled once per instruction set, ``tree.plain_tree`` as
``mcts_core.tree._plain_tree_<isa>``; ``mcts_core.dispatch`` chooses at import.
"""

import gc
import hashlib
import importlib.metadata
import os
import re
import shutil
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

BUILD = Path("build")
NATIVE = Path("src/mcts_core")  # sources of the native modules; mcts_core holds what is installed
UTILITIES = "mcts_core._cython"  # what Cython would write into every module
INCLUDE_DIRS = ["src", "mcts_core/include"]
DECLARATIONS = [".", "src"]  # folders of .pxd; without ".", a module would not find its own public one
HOT_MODULES = ["tree.plain_tree", "tree.guided_tree", "tree.general_tree", "games.connect_four.rollout",
               "games.connect_four.knowledge", "games.connect_four.alpha_beta", "games.mnk.rollout",
               "games.mnk.bit_rollout", "games.mnk.knowledge", "games.mnk.valuation", "games.mnk.continuous_fours",
               "games.mnk.continuous_threats", "games.mnk.small_boards"]
# What a search runs once or never, and what takes no time beside the user's own game (user_states): compiled by -Og,
# for which GCC takes half the time of -O1.
COLD_MODULES = ["checks.table_probe", "dispatch", "engine.background_search", "engine.exact_search",
                "engine.proof_numbers", "engine.searched_general", "engine.searched_information", "engine.storage",
                "engine.targets", "engine.thread_exchange", "engine.threads", "engine.top", "engine.weighted_draw",
                "engine.workers", "errors", "games.connect_four.book", "games.mnk.network", "games.native_functions",
                "games.native_games", "games.native_positions", "games.state_kinds", "games.user_states",
                "testing.general_probe", "testing.kernel_probe", "testing.network_probe", "testing.probe",
                "testing.threat_probe", "testing.tree_probe", "tree.check", "tree.storage"]
# What every search, play() or stats() runs: with -Og, these took 1.03 to 1.12 times as long, with -O2 as long as with
# -O3. The loop, the trees and positions are in neither list: with -O2, play() would take 1.05 times as long.
WARM_MODULES = ["arena", "arguments", "engine.bulk_rollouts", "engine.evaluation_thread", "engine.evaluators",
                "engine.general_group", "engine.leaf_threads", "engine.records", "engine.report", "engine.request",
                "engine.reuse", "engine.root_rows", "engine.searched_tree", "engine.searched_two_player",
                "engine.settings", "engine.stats_snapshot", "engine.stop_rules", "engine.task_threads", "engine.turn",
                "files", "games.board_text", "games.kept_states", "games.mnk.prover", "games.python_game",
                "games.user_rollout"]
MODULES = sorted({".".join(path.relative_to(NATIVE).with_suffix("").parts) for path in NATIVE.rglob("*.pyx")}
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
# No contraction and no fast-math: every instruction set must search identically.
COMMON_FLAGS = {"unix": ["-fno-math-errno", "-ffp-contract=off"], "msvc": ["/O2", "/fp:precise"]}
HOT_FLAGS = {"unix": ["-O3"], "msvc": []}
WARM_FLAGS = {"unix": ["-O2"], "msvc": []}
COLD_FLAGS = {"unix": ["-Og", "-finline-functions-called-once"], "msvc": []}
LINK_FLAGS = []
# Debug information and symbols, a quarter of the compiler's time and most of a module's size, are there on request.
if not re.search(r"(?:^|\s)-g(?!0)", os.environ.get("CFLAGS", "")):
    COMMON_FLAGS["unix"].append("-g0")
    if sysconfig.get_platform().startswith("linux"):
        LINK_FLAGS = ["-Wl,-s"]

# MCTS_CORE_PLAIN_C=1: the portable branch of every kernel; =baseline: only modules for AVX2 and AVX-512 have vectors.
PLAIN_C = os.environ.get("MCTS_CORE_PLAIN_C")
# MCTS_CORE_SANITIZE=thread, address or undefined: for tests of the package itself, with GCC or Clang.
SANITIZE = os.environ.get("MCTS_CORE_SANITIZE")
SANITIZE_FLAGS = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g1", "-O1"] if SANITIZE else []
# mcts_core.testing is for the tests: builds in place and editable ones have it. MCTS_CORE_TESTING=1: the wheel, too;
# =only: nothing else is compiled, for a package that is installed (tests/build_probes.py).
TESTING = os.environ.get("MCTS_CORE_TESTING")
# MCTS_CORE_COVERAGE=1: what runs is counted, for gcov.
COVERAGE = bool(os.environ.get("MCTS_CORE_COVERAGE"))
if COVERAGE:
    SANITIZE_FLAGS = ["--coverage", "-O1"]
TRANSLATED = BUILD / ("cython-commented" if COVERAGE else "cython")
if SANITIZE_FLAGS:
    LINK_FLAGS = SANITIZE_FLAGS[:1]

# The hot modules that gain by an instruction set (bench/TUNING.md). In place of the others, mcts_core.dispatch takes
# those of the next lower one. With PLAIN_C=baseline, all modules have vectors for AVX2: no other one runs them.
GAINING = {
    "baseline": HOT_MODULES,
    "avx2": HOT_MODULES if PLAIN_C == "baseline" else [
        name for name in HOT_MODULES
        if name not in ("tree.general_tree", "games.mnk.continuous_fours", "games.mnk.continuous_threats",
                        "games.mnk.small_boards")],
    "avx512": ["games.connect_four.rollout", "games.mnk.bit_rollout", "games.mnk.valuation"],
}
HOT = [(name, isa) for name in HOT_MODULES for isa in (ISA_FLAGS if X86_64 else ["baseline"]) if name in GAINING[isa]]

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "freethreading_compatible": True,
    "subinterpreters_compatible": "no",  # a module's tables and types are those of one interpreter
    "emit_code_comments": COVERAGE,  # tests/native_lines.py reads them
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
        elif TESTING != "1":
            self.extensions = [extension for extension in self.extensions
                               if extension.name.startswith("mcts_core.testing.") == (TESTING == "only")]

    def run(self):
        stamp = Path(self.build_temp, "built")
        if self.inplace and not self.force and stamp.exists() and stamp.read_text() == self.fingerprint():
            return  # Cython would look for seconds, to find nothing
        super().run()
        names = {extension.name for extension in self.extensions}
        if "mcts_core.testing.probe" not in names:  # stubs, and what an earlier build has left: they would be packed
            shutil.rmtree(Path(self.build_lib, "mcts_core", "testing"), ignore_errors=True)
        for folder in (Path(self.build_lib), *([Path(".")] if self.inplace or self.editable_mode else [])):
            for path, name in modules_below(folder).items():
                if name not in names:
                    path.unlink()  # of an earlier build: it would be packed, and mcts_core.dispatch may import it
        if self.inplace:
            stamp.write_text(self.fingerprint())

    def fingerprint(self):
        """Changes with the files that are compiled, and with what was made of them."""
        paths = [Path("setup.py"), *Path("src").rglob("*.*"), *Path("mcts_core").rglob("*.pxd"),
                 *Path("mcts_core").rglob("*.h"), *modules_below(Path("."))]
        found = [(path.as_posix(), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(paths)]
        return hashlib.sha256(repr((importlib.metadata.version("cython"), found)).encode()).hexdigest()

    def build_extensions(self):
        # Here and not below: pip runs this file three times for an install, and compiles in one of them.
        from Cython.Build import cythonize

        ask_compiler(self.compiler)
        # By default the collector takes two fifths of Cython's time. Processes that are forked inherit this.
        gc.set_threshold(100_000, 50, 50)
        for name in HOT_MODULES:
            copy = Path(hot_source(name))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source(name), copy)
        by_source = {extension.sources[0]: extension for extension in reversed(self.extensions)}
        own_headers = {path: headers_of_declarations(extension) for path, extension in by_source.items()}
        translated = dict(zip(by_source, cythonize(
            [*by_source.values()], build_dir=str(TRANSLATED), compiler_directives=DIRECTIVES,
            include_path=DECLARATIONS,
            shared_utility_qualified_name=UTILITIES, nthreads=self.parallel or os.cpu_count() or 1), strict=True))
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        for extension in self.extensions:
            path = extension.sources[0]
            new = translated[path]
            name, isa = extension.name.removeprefix("mcts_core."), extension.name.rsplit("_", 1)[-1]
            flags = COLD_FLAGS if name in COLD_MODULES else WARM_FLAGS if name in WARM_MODULES else HOT_FLAGS
            extension.sources = [c_source(new, extension.name)]
            extension.depends = sorted(with_included([*new.depends, *own_headers[path]]))
            extension.extra_compile_args = [
                *COMMON_FLAGS[kind], *flags[kind],
                *ISA_FLAGS.get(isa, {kind: []})[kind], *SANITIZE_FLAGS]
            extension.extra_link_args = LINK_FLAGS
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()


def modules_below(folder):
    """The native modules of this Python that a folder with the package holds: {path: name}."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return {path: ".".join(path.relative_to(folder).parts).removesuffix(suffix)
            for path in Path(folder, "mcts_core").rglob(f"*{suffix}")}


def ask_compiler(compiler):
    """Compiles one line before anything is translated, which takes a minute."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.c")
        program.write_text("#include <Python.h>\n")
        try:
            compiler.compile([str(program)], output_dir=folder)
        except CompileError:
            command = getattr(compiler, "compiler_so", ["the compiler"])[0]
            raise SystemExit(f"error: mcts_core is compiled, which needs a C compiler and the headers of Python (on "
                             f"Debian: apt-get install gcc python3-dev), but {command} is not there or cannot compile "
                             f"a file with #include <Python.h>") from None


def c_source(translated, name):
    """The C file of the module ``name``: Cython's, with this name in place of that of the baseline."""
    path, = map(Path, translated.sources)
    old, new = (full.rpartition(".")[2] for full in (translated.name, name))
    target = path.with_name(f"{new}.c") if new != old else path
    if target != path and not (target.exists() and target.stat().st_mtime >= path.stat().st_mtime):
        target.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return str(target)


def headers_of_declarations(extension):
    """The C headers that a module's own public .pxd names. Cython looks for that beside the .pyx, where only private
    ones are: a translation that is older than it is removed here."""
    from Cython.Build.Dependencies import create_dependency_tree
    from Cython.Compiler.Main import CompilationOptions, Context

    own = Path(*extension.name.split(".")).with_suffix(".pxd").as_posix()
    if not os.path.exists(own):
        return []
    # cythonize() takes over the tree that is made here, and so the folders in which that looks for declarations
    tree = create_dependency_tree(Context.from_options(CompilationOptions(include_path=DECLARATIONS)))
    translation = (TRANSLATED / extension.sources[0]).with_suffix(".c")
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
    return (NATIVE / name.replace(".", "/")).with_suffix(".pyx").as_posix()


def hot_name(name, isa):
    room, _, module = name.rpartition(".")
    return f"{room}._{module}_{isa}"


def hot_source(name):
    """A copy of its source, which Cython translates under the name of the baseline."""
    return f"{BUILD}/isa/{hot_name(name, 'baseline').replace('.', '/')}.pyx"


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
    if not os.access(".", os.W_OK):
        raise SystemExit(f"error: the build writes into the folder of the sources, {os.getcwd()}, which is read-only: "
                         f"copy it to one that you may write to")
    setup(
        long_description=for_package_page(Path("README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
        packages=find_packages(include=["mcts_core", "mcts_core.*"],
                               exclude=[] if TESTING == "1" else ["mcts_core.testing"]),
        include_package_data=False,  # just these; what MANIFEST.in names is for the sdist
        package_data={
            # headers: the contract that others build on; all others are of the modules for each other
            "mcts_core": ["game.pxd", "simple_game.pxd", "include/mcts_core/*.h", "**/*.pyi", "py.typed"],
            "mcts_core.web": ["static/*"],
            "mcts_core.games.connect_four": ["*.book"],
            "mcts_core.games.mnk": ["*.network"],
        },
        ext_modules=[extension(name, source(name)) for name in MODULES]
        + [extension(hot_name(name, isa), hot_source(name)) for name, isa in HOT]
        + [Extension(UTILITIES, ["_cython.c"])],
        cmdclass={"build_ext": BuildExt},
    )
