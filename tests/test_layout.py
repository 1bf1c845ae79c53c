"""The layout of the project: every source has its tests where one looks for them, and every test file its source."""

import ast
import re
from functools import cache
from pathlib import Path

from conftest import NEEDED_BY

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "mcts_core"
NATIVE = ROOT / "src" / "mcts_core"

TESTED_IN = {
    "mcts_core/__init__.py": "package",
    "mcts_core/compiled/arithmetic.py": "compiled/rewrite",
    "mcts_core/compiled/calls.py": "compiled/compile",
    "mcts_core/compiled/codes.py": "compiled/compile",
    "mcts_core/compiled/constants.py": "compiled/compile",
    "mcts_core/compiled/containers.py": "compiled/styles",
    "mcts_core/compiled/disk.py": "compiled/compile",
    "mcts_core/compiled/drivers.py": "compiled/compile",
    "mcts_core/compiled/helpers.py": "compiled/compile",
    "mcts_core/compiled/legal_moves.py": "compiled/compile",
    "mcts_core/compiled/loops.py": "compiled/compile",
    "mcts_core/compiled/members.py": "compiled/styles",
    "mcts_core/compiled/mixed_ints.py": "compiled/styles",
    "mcts_core/compiled/moves.py": "compiled/compile",
    "mcts_core/compiled/narrow.py": "compiled/styles",
    "mcts_core/compiled/nested.py": "compiled/styles",
    "mcts_core/compiled/order.py": "compiled/styles",
    "mcts_core/compiled/random_games.py": "compiled/compile",
    "mcts_core/compiled/record.py": "compiled/compile",
    "mcts_core/compiled/rewrite.py": "compiled/compile",
    "mcts_core/compiled/shapes.py": "compiled/compile",
    "mcts_core/compiled/sources.py": "compiled/compile",
    "mcts_core/compiled/statements.py": "compiled/compile",
    "mcts_core/compiled/texts.py": "compiled/styles",
    "mcts_core/compiled/trust.py": "compiled/compile",
    "mcts_core/compiled/twin.py": "compiled/compile",
    "mcts_core/compiled/units.py": "compiled/compile",
    "mcts_core/__main__.py": "cli/main",
    "mcts_core/cli/document.py": "cli/analyze",
    "mcts_core/distributed/worker.py": "distributed/parallel",
    "mcts_core/self_play/games.py": "self_play/selfplay",
    "mcts_core/web/refusals.py": "web/server",
    "mcts_core/bots/gymnasium.py": "clients/gymnasium",
    "mcts_core/bots/gymnasium_copies.py": "clients/gymnasium_copies",
    "mcts_core/bots/gymnasium_methods.py": "clients/gymnasium_methods",
    "mcts_core/bots/gymnasium_spaces.py": "clients/gymnasium",
    "src/mcts_core/engine/searched_information.pyx": "tree/information_tree",
    "docs/figures/gymnasium_goals.py": "clients/gymnasium",
    "docs/figures/gymnasium_gymcts.py": "clients/gymnasium",
    "docs/figures/hidden_information.py": "bots/openspiel",
    # what a module is split into, and has no use of its own
    "src/mcts_core/engine/background_search.pyx": "background",
    "mcts_core/options.py": "searcher",
    "src/mcts_core/engine/searched_two_player.pyx": "engine/loop",
    "src/mcts_core/engine/threads.pyx": "engine/thread_exchange",
    "mcts_core/games/mnk/weights.py": "games/mnk/network",
    "src/mcts_core/testing/network_probe.pyx": "games/mnk/network",
    "src/mcts_core/games/mnk/small_boards.pyx": "games/mnk/prover",
    "src/mcts_core/games/mnk/continuous_fours.pyx": "games/mnk/prover",
    "src/mcts_core/testing/kernel_probe.pyx": "games/mnk/rollout",
    "src/mcts_core/testing/threat_probe.pyx": "games/mnk/continuous_threats",
    "src/mcts_core/games/user_rollout.pyx": "games/general_rules",
    "src/mcts_core/games/state_kinds.pyx": "games/general_rules",
    "src/mcts_core/checks/table_probe.pyx": "testing/probe",
    "src/mcts_core/engine/storage.pyx": "storage",
    "src/mcts_core/tree/storage.pyx": "storage",
    # a base class, which only its users can try out
    "src/mcts_core/game.pyx": "games/native_games",
    "bench/workers.py": "bench/match",
}
"""Sources without a test file of their own name, and the one that tests them."""

SUBJECTS = {
    "compiled/styles": "mcts_core.compile with classes as tutorials write them",
    "compiled/hostile_classes": "errors in compiled rules, which mcts_core/compiled/twin.py explains",
    "proven_positions": "the search as a whole on positions of known value",
    "clients/gymnasium": "the package of others, on demand",
    "clients/gymnasium_copies": "the package of others, on demand",
    "clients/gymnasium_methods": "the package of others, on demand",
    "bots/gomocup_process": "mcts_core/bots/gomocup.py as a process, and whole games",
    "bots/ugi_process": "mcts_core/bots/ugi.py as a process, and whole games",
    "bench/cross": "the builds for other systems, tools/cross",
    "clients/kaggle": "a real program of others, on demand",
    "clients/pettingzoo": "a real program of others, on demand",
    "clients/python_chess": "an example that needs the package of others, on demand",
    "contributing": "ARCHITECTURE.md, CONTRIBUTING.md and SECURITY.md",
    "docs/clients": "three pages that need the packages of others",
    "docs/docs": "all pages",
    "docs/site": "the site that make docs builds",
    "docs/stub_docs": "docs/stub_docs.py, and the docstrings of stubs",
    "docs/tables": "docs/tables.py, and the tables of options and of Stats",
    "engine/interrupts": "signals at random moments, at every entry point",
    "engine/reuse_oracles": "src/mcts_core/engine/reuse.pyx, the reused trees visit by visit",
    "engine/reuse_proofs": "src/mcts_core/engine/reuse.pyx, proven wins in whole games",
    "engine/reuse_python_states": "src/mcts_core/engine/reuse.pyx, states written in Python",
    "engine/reuse_sequences": "src/mcts_core/engine/reuse.pyx, random sequences of searches",
    "engine/search_seeds": "src/mcts_core/engine/request.pyx and loop.pyx, the seeds of every kind of search",
    "examples/alphazero": "examples/alphazero_connect_four",
    "examples/examples": "the games of examples/",
    "examples/notebook": "examples/notebook.ipynb",
    "examples/train_gomoku": "examples/train_gomoku",
    "examples/train_gomoku_torch": "examples/train_gomoku, what needs PyTorch",
    "fuzz": "bad input to every parser, and to load",
    "engine/interrupted_steps": "an interrupt at each step of the Python code that a call runs",
    "imports": "modules that another thread is importing, and threads that import nothing",
    "layout": "all of the project",
    "games/native_games_errors": "src/mcts_core/games/native_games.pyx, games that break their contract",
    "games/native_games_numpy": "src/mcts_core/games/native_games.pyx, what needs numpy: evaluators",
    "games/native_games_search": "src/mcts_core/games/native_games.pyx, games in searches",
    "games/native_games_general": "src/mcts_core/games/native_games.pyx, general games: players, returns and chance",
    "leaks": "memory after very many searches",
    "package": "what is installed",
    "readme": "README.md, and the commands of docs/command_line.md",
    "storage_errors": "mcts_core/storage.py, files that are damaged, foreign or made up",
    "subinterpreters": "the package in several interpreters",
    "threads": "all that may be called from several threads",
    "docstrings": "what help() and editors show",
    "typing": "what type checkers see",
    "web/axe": "the page as axe-core finds it, on demand",
    "web/browser": "the page as a whole, in a real browser, on demand",
    "web/browser_analysis": "its reviews, analyses, variations and records, in a real browser, on demand",
    "web/browser_search": "what it shows of a search, in a real browser, on demand",
    "web/page": "the page without a server, tools/page: its build, and in a real browser, on demand",
    "wheels": "the wheels and the workflow that builds them",
}
"""Test files that are named after no source, and what they are about."""


@cache
def files():
    """The test files by their places: {"games/mnk/rollout": tests/games/mnk/test_rollout.py, ...}."""
    below = ROOT / "tests"
    return {(path.parent / path.stem.removeprefix("test_")).relative_to(below).as_posix(): path
            for path in below.rglob("test_*.py")}


@cache
def sources():
    """The sources of code, as paths from the root, each with the place that its test file should have."""
    found = {}
    for path in NATIVE.rglob("*.p[xy][xd]"):
        if path.suffix == ".pyx" or not path.with_suffix(".pyx").exists():
            found[path] = path.relative_to(NATIVE).with_suffix("")
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).with_suffix("")
        found[path] = place.with_name(path.parent.name) if place.name == "__init__" else place
    for folder in (ROOT / "bench", ROOT / ".ci", ROOT / "tools", ROOT / "docs" / "figures"):
        for path in folder.glob("*.py"):
            found[path] = Path("bench") / path.stem
    return {path.relative_to(ROOT).as_posix(): place.as_posix() for path, place in found.items() if has_code(path)}


def native(path):
    """The .pyx to which a .pyi belongs."""
    return NATIVE / path.relative_to(PACKAGE).with_suffix(".pyx")


def has_code(path):
    """Whether there is more in a file than its docstring."""
    return path.suffix != ".py" or len(ast.parse(path.read_text(encoding="utf-8")).body) > 1


def imported_by_tests():
    """Modules of ``bench`` that a test imports; one file tests what makes up a program."""
    return {name for path in files().values()
            for name in re.findall(r"^import (\w+)  # noqa: E402$", path.read_text(encoding="utf-8"), re.MULTILINE)}


def homeless():
    """Sources that have no test file in their place, and are no module of ``bench`` that a test imports. A kernel or a
    .pxd without a .pyx is tested with the modules that it is compiled into."""
    named, imported = set(files()), imported_by_tests()
    return {source for source, place in sources().items()
            if place not in named and not source.endswith(".pxd")
            and not (source.startswith("bench/") and Path(source).stem in imported)}


def compiled_into(path, seen):
    """The kernels and the .pxd that a native module is made of, by way of others too."""
    text = path.read_text(encoding="utf-8")
    found = [ROOT / "src" / "kernels" / name for name in
             re.findall(r'(?:extern from|#include) "kernels/([\w/]+\.h)"', text)]
    found += [NATIVE / f"{name.replace('.', '/')}.pxd" for name in
              re.findall(r"^\s*from mcts_core\.([\w.]+) cimport", text, re.MULTILINE)]
    if path.suffix == ".pyx":
        found.append(path.with_suffix(".pxd"))
    for each in found:
        if each.exists() and each not in seen:
            seen.add(each)
            compiled_into(each, seen)
    return seen


def test_the_walk_finds_what_is_there():
    found = sources()
    assert {"src/mcts_core/tree/plain_tree.pyx", "mcts_core/searcher.py", "mcts_core/cli/play.py",
            "src/mcts_core/tree/dirichlet.pxd", "bench/elo.py", "mcts_core/render/__init__.py",
            "mcts_core/__init__.py"} <= set(found)
    assert found["mcts_core/cli/play.py"] == "cli/play"
    assert found["mcts_core/render/__init__.py"] == "render/render"
    assert found["src/mcts_core/games/mnk/rollout.pyx"] == "games/mnk/rollout"
    assert "mcts_core/bots/__init__.py" not in found  # nothing but a docstring
    assert "src/mcts_core/tree/plain_tree.pxd" not in found  # that of a .pyx


def test_every_source_has_a_test_file():
    assert homeless() <= set(TESTED_IN)
    assert set(TESTED_IN) <= set(sources())


def test_what_is_tested_elsewhere_is_tested():
    assert set(TESTED_IN.values()) <= set(files())


def test_every_test_file_has_a_source():
    pages = {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    scripts = {path.stem for path in (ROOT / "tests").glob("*.py")}
    mirrored = set(sources().values()) | pages | scripts | {"bench/bench"}
    assert set(files()) - mirrored <= set(SUBJECTS)
    assert set(SUBJECTS) <= set(files())


def test_every_kernel_and_every_pxd_is_compiled_into_a_tested_module():
    read = set()
    for path in NATIVE.rglob("*.pyx"):
        if path.relative_to(ROOT).as_posix() not in homeless() - set(TESTED_IN):
            compiled_into(path, read)
    assert read == {*(ROOT / "src" / "kernels").rglob("*.h"), *NATIVE.rglob("*.pxd")}


def test_the_rooms_are_the_same():
    """Of sources, of what is installed, and of tests; those below each may have fewer."""
    def rooms(folder):
        kinds = (".py", ".pyx")
        return {path.parent.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in kinds}

    package = rooms(PACKAGE)
    assert rooms(NATIVE) <= package
    assert package - {"bots", "cli", "render", "web"} >= {
        ".", "games", "games/connect_four", "games/mnk", "tree", "engine", "testing", "distributed", "self_play",
        "checks"}
    assert rooms(ROOT / "tests") - package <= {"bench", "clients", "docs", "examples", "fuzz", "sanitizers", "typing"}


def test_what_is_installed_is_all_that_stands_in_the_package():
    """Private declarations stand beside the native modules that they belong to."""
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.pxd")} == {"game.pxd", "simple_game.pxd"}
    assert not [*PACKAGE.rglob("*.pyx")]


def test_imports_lead_down():
    """Games know no tree, trees no engine, and native code nothing that is Python."""
    order = ["platform", "errors", "files", "dispatch", "arguments", "arena", "game", "simple_game", "games", "tree",
             "engine", "checks", "testing"]
    level = {name: number for number, name in enumerate(order)}
    written = {path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
               for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}
    upward = set()
    for path in [*NATIVE.rglob("*.p[xy][xd]"), *PACKAGE.glob("*.pxd")]:
        own = path.relative_to(PACKAGE if PACKAGE in path.parents else NATIVE).with_suffix("")
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^\s*from mcts_core\.([\w.]+) c?import", text, re.MULTILINE):
            if name in written or level[name.split(".")[0]] > level[own.parts[0]]:
                upward.add((own.as_posix(), name))
    assert upward == set()


def test_native_code_asks_isinstance_in_tuples_for_types_of_python_alone():
    """isinstance with an abstract class runs Python code; Cython does not see what that raises where the class is in a
    tuple. Classes of native code are types, too."""
    safe = {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "memoryview", "set", "str",
            "tuple", "PythonGame", "Rules"}
    question = re.compile(r"\bis(?:instance|subclass)\([^()]*,\s*\(([\w\s,.]+)\)")
    seen = set()
    for path in NATIVE.rglob("*.p[xy][xd]"):
        for names in question.findall(path.read_text(encoding="utf-8")):
            seen |= {name.strip() for name in names.split(",")}
    assert "frozenset" in seen and seen - {"ctypes.c_void_p", "ctypes.c_char_p"} <= safe


def test_every_type_file_has_its_module():
    for path in PACKAGE.rglob("*.pyi"):
        assert native(path).exists() or path.with_suffix(".py").exists(), path


def test_what_tests_share_is_used():
    """A file of tests/ that is no test is imported or run by another, or by make."""
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "tests").glob("*.mk"), ROOT / "Makefile"]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    for shared in (ROOT / "tests").glob("*.py"):
        if shared.stem != "conftest" and not shared.stem.startswith("test_"):
            word = re.compile(rf"\b{shared.stem}\b")
            assert any(word.search(text) for path, text in texts.items() if path != shared), shared


def test_the_version_stands_in_one_place():
    home = PACKAGE / "__init__.py"
    version, = re.findall('^__version__ = "(.+)"$', home.read_text(encoding="utf-8"), re.MULTILINE)
    assert home.read_text(encoding="utf-8").count(version) == 1
    sources = {path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyi", ".pxd", ".h")} - {home}
    for path in [ROOT / "setup.py", ROOT / "pyproject.toml", *sources, *(ROOT / "src").rglob("*.*")]:
        assert version not in path.read_text(encoding="utf-8"), path


def test_make_names_files_that_are_there():
    checks = (ROOT / "tests" / "checks.mk").read_text(encoding="utf-8")
    lists = re.findall(r"addprefix tests/,([^)]*)\)", checks)
    rooms = [name for part in lists for name in part.replace("\\", " ").split()]
    named = {f"tests/{name}" for name in rooms}
    for text in (checks, (ROOT / "Makefile").read_text(encoding="utf-8")):
        named |= set(re.findall(r"(?<![\w/.-])(?:tests|bench|docs|examples|tools|src)/[\w./*-]+", text))
    assert len(rooms) > 10 and len(named) > 20
    assert [name for name in sorted(named) if not list(ROOT.glob(name.rstrip(".")))] == []


@cache
def imported(path):
    """What a test imports when it is collected, also by way of the helpers beside it."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = ([name.name for name in node.names] if isinstance(node, ast.Import)
                 else [node.module] if isinstance(node, ast.ImportFrom) else [])
        for name in names:
            helper = ROOT / "tests" / f"{name}.py"
            found |= imported(helper) if helper.exists() else {name.split(".")[0]}
    return found


def test_files_that_cannot_be_collected_without_a_package_are_left_out_with_it():
    for package, left_out in NEEDED_BY.items():
        for path in files().values():
            assert package not in imported(path) or path.relative_to(ROOT / "tests").as_posix() in left_out
