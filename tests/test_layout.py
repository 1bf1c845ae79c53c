"""The layout of the project: every source has its tests where one looks for them, and every test file its source."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "mcts_core"

TESTED_IN = {
    "mcts_core/__init__.py": "package",
    "mcts_core/__main__.py": "cli_main",
    "mcts_core/cli/document.py": "cli_analyze",
    "mcts_core/distributed/worker.py": "parallel",
    "mcts_core/self_play/games.py": "self_play",
    "mcts_core/web/refusals.py": "web_server",
    # what a module is split into, and has no use of its own
    "src/engine/background_search.pyx": "background",
    "src/engine/general_group.pyx": "general_searcher",
    "mcts_core/games/mnk/lines.pxd": "mnk_guide",
    "src/testing/kernel_probe.pyx": "mnk_rollout",
    "src/games/mnk/small_boards.pyx": "mnk_prover",
    "src/games/mnk/continuous_fours.pyx": "mnk_prover",
    "src/engine/turn.pyx": "general_searcher",
    "src/engine/storage.pyx": "storage",
    # structs and a base class, which only their users can try out
    "mcts_core/simple_game.pxd": "native_games",
    "mcts_core/tree/view.pxd": "compaction",
    "src/game.pyx": "native_games",
    "bench/workers.py": "match",
}
"""Sources without a test file of their own name, and the one that tests them."""

SUBJECTS = {
    "clients_kaggle": "a real program of others, on demand",
    "clients_pettingzoo": "a real program of others, on demand",
    "contributing": "CONTRIBUTING.md and SECURITY.md",
    "docs": "all pages",
    "docs_clients": "two pages that need the packages of others",
    "docs_site": "the site that make docs builds",
    "examples": "the games of examples/",
    "examples_alphazero": "examples/alphazero_connect_four",
    "fuzz": "bad input to every parser, and to load",
    "interrupts": "signals at random moments, at every entry point",
    "layout": "all of the project",
    "leaks": "memory after very many searches",
    "package": "what is installed",
    "proven_positions": "the search as a whole on positions of known value",
    "readme": "README.md",
    "reuse": "one subject through api.py, engine/searcher.pyx, engine/descent.pyx and tree/compaction.pyx",
    "stop_rules": "one subject through both searchers",
    "subinterpreters": "the package in several interpreters",
    "typing": "what type checkers see",
    "web_browser": "the page as a whole, in a real browser, on demand",
    "wheels": "the wheels and the workflow that builds them",
}
"""Test files that are named after no source, and what they are about."""


def files():
    return {path.stem.removeprefix("test_"): path for path in (ROOT / "tests").glob("test_*.py")}


def sources():
    """The sources of code, as paths from the root, with the names that their test file may have."""
    found = {}
    for path in (ROOT / "src").glob("*.pyx"):
        found[path] = {path.stem}
    for path in PACKAGE.glob("*.pxd"):
        if not (ROOT / "src" / f"{path.stem}.pyx").exists():
            found[path] = {path.stem}
    for path in PACKAGE.rglob("*.py"):
        parts = [part for part in path.relative_to(PACKAGE).with_suffix("").parts if part != "__init__"]
        if parts or path.parent == PACKAGE:
            found[path] = {"_".join(parts)}
    for folder in (ROOT / "bench", ROOT / ".ci", ROOT / "tools"):
        for path in folder.glob("*.py"):
            found[path] = {path.stem, f"bench_{path.stem}"}
    return {path.relative_to(ROOT).as_posix(): names for path, names in found.items() if has_code(path)}


def has_code(path):
    """Whether there is more in a file than its docstring."""
    return path.suffix != ".py" or len(ast.parse(path.read_text(encoding="utf-8")).body) > 1


def imported_by_tests():
    """Modules of ``bench`` that a test imports; one file tests what makes up a program."""
    return {name for path in files().values()
            for name in re.findall(r"^import (\w+)  # noqa: E402$", path.read_text(encoding="utf-8"), re.MULTILINE)}


def homeless():
    """Sources that have no test file of their own name, and are no module of ``bench`` that a test imports."""
    named, imported = set(files()), imported_by_tests()
    return {source for source, names in sources().items()
            if not names & named and not (source.startswith("bench/") and names & imported)}


def headers_of(path, seen):
    """The kernels that a native module reads, by way of other headers and declarations too."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r'(?:extern from|#include) "kernels/(\w+\.h)"', text):
        if name not in seen:
            seen.add(name)
            headers_of(ROOT / "src" / "kernels" / name, seen)
    return seen


def test_the_walk_finds_what_is_there():
    found = sources()
    assert {"src/tree/plain_tree.pyx", "mcts_core/api.py", "mcts_core/cli/play.py", "mcts_core/tree/dirichlet.pxd", "bench/elo.py",
            "mcts_core/render/__init__.py", "mcts_core/__init__.py"} <= set(found)
    assert found["mcts_core/cli/play.py"] == {"cli_play"}
    assert found["mcts_core/render/__init__.py"] == {"render"}
    assert "mcts_core/bots/__init__.py" not in found  # nothing but a docstring
    assert "mcts_core/tree/plain_tree.pxd" not in found  # the header of src/tree/plain_tree.pyx


def test_every_source_has_a_test_file():
    assert homeless() <= set(TESTED_IN)
    assert set(TESTED_IN) <= set(sources())


def test_what_is_tested_elsewhere_is_tested():
    assert set(TESTED_IN.values()) <= set(files())


def test_every_test_file_has_a_source():
    pages = {f"docs_{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    scripts = {path.stem for path in (ROOT / "tests").glob("*.py")}
    folders = {"bench"}
    mirrored = {name for names in sources().values() for name in names} | pages | scripts | folders
    assert set(files()) - mirrored <= set(SUBJECTS)


def test_every_kernel_is_read_by_a_tested_module():
    tested = set(files()) | {Path(source).stem for source in TESTED_IN}
    read = set()
    for path in [*(ROOT / "src").glob("*.pyx"), *PACKAGE.glob("*.pxd")]:
        if path.stem in tested:
            headers_of(path, read)
    assert read == {path.name for path in (ROOT / "src" / "kernels").glob("*.h")}


def test_every_native_module_is_built():
    """setup.py names each of src/*.pyx once, and nothing else."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    named = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and node.targets[0].id in ("MODULES", "HOT_MODULES"):
            named += ast.literal_eval(node.value)
    assert sorted(named) == sorted(path.stem for path in (ROOT / "src").glob("*.pyx"))


def test_every_type_file_has_its_module():
    for path in PACKAGE.glob("*.pyi"):
        assert (ROOT / "src" / f"{path.stem}.pyx").exists() or path.with_suffix(".py").exists(), path


def test_what_tests_share_is_used():
    """A file of tests/ that is no test is imported or run by another, or by make."""
    paths = [*(ROOT / "tests").glob("*.py"), *(ROOT / "tests").glob("*.mk"), ROOT / "Makefile"]
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
