"""CONTRIBUTING.md and SECURITY.md: the files, names and targets that they name are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("CONTRIBUTING.md", "SECURITY.md")
FOLDERS = ("src", "mcts_core", "tests", "bench", "docs", "examples", "tools", ".ci")


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def quoted(page):
    """What stands in backquotes outside of blocks."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)))


def files():
    """The files with text, as paths from the root."""
    paths = [*(path for path in ROOT.iterdir() if path.is_file()),
             *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())]
    return {path.relative_to(ROOT).as_posix(): path for path in paths
            if path.suffix in ("", ".py", ".pyx", ".pxd", ".h", ".md", ".txt", ".json", ".toml")
            and "__pycache__" not in path.parts}


def sources():
    """All sources and scripts as one text."""
    left_out = ("docs/", "examples/", "bench/data/", "tests/data/")
    return "\n".join(path.read_text(encoding="utf-8") for name, path in files().items()
                     if path.suffix != ".md" and not name.startswith(left_out))


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_are_named_are_there(page):
    known = files()
    names = [name for name in quoted(page) if re.fullmatch(r"[\w./*-]+\.(?:pyx?|pxd|h|md|txt|json|toml)", name)]
    for name in names:
        form = "(?:.*/)?" + re.escape(name).replace(re.escape("*"), "[^/]*")
        assert any(re.fullmatch(form, path) for path in known), name
    folders = [name for name in quoted(page) if re.fullmatch(r"[\w./]+/", name)]
    for name in folders:
        assert any((ROOT / parent / name).is_dir() for parent in ("", "mcts_core", "src", "tests")), name
    assert page != "CONTRIBUTING.md" or (len(names) > 40 and len(folders) > 8)


@pytest.mark.parametrize("page", PAGES)
def test_the_names_of_code_are_there(page):
    words = set(re.findall(r"\w+", sources()))
    names = [name for name in quoted(page) if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\w*\))?", name)
             and name not in files() and Path(name).suffix not in (".py", ".pyx", ".pxd", ".h", ".md")]
    for name in names:
        for part in name.removesuffix(")").rstrip("(").replace("(", ".").split("."):
            assert part in words, name
    assert page != "CONTRIBUTING.md" or len(names) > 40


def test_the_targets_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in re.findall(r"^include (\S+)$", makefile, re.MULTILINE):
        makefile += (ROOT / name).read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):(?!=)", makefile, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)", " ".join(quoted("CONTRIBUTING.md"))))
    assert {"test", "release-check", "instructions"} <= named
    assert named <= targets


def test_the_files_of_the_first_change_are_as_it_says():
    """The walk of CONTRIBUTING.md changes these places."""
    assert "    def running(self) -> bool:" in (ROOT / "mcts_core" / "clock.py").read_text(encoding="utf-8")
    assert '.replace(";", " ")' in (ROOT / "src" / "notation.pyx").read_text(encoding="utf-8")
    for name, word in (("test_clock.py", "import mcts_core as mc"), ("test_notation.py", "parse_moves")):
        assert word in (ROOT / "tests" / name).read_text(encoding="utf-8")
