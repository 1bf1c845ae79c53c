"""ARCHITECTURE.md, CONTRIBUTING.md and SECURITY.md: the files, names and targets that they name are there."""

import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
FOLDERS = ("src", "mcts_core", "tests", "bench", "docs", "examples", "tools", ".ci")


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def quoted(page):
    """What stands in backquotes outside of blocks."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)))


@functools.cache
def files():
    """The files with text, as paths from the root."""
    paths = [*(path for path in ROOT.iterdir() if path.is_file()),
             *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())]
    return {path.relative_to(ROOT).as_posix(): path for path in paths
            if path.suffix in ("", ".py", ".pyx", ".pxd", ".h", ".md", ".txt", ".json", ".toml")
            and "__pycache__" not in path.parts}


@functools.cache
def words():
    """The words of all sources and scripts."""
    left_out = ("docs/", "examples/", "bench/data/", "tests/data/")
    return set().union(*(re.findall(r"\w+", path.read_text(encoding="utf-8")) for name, path in files().items()
                         if path.suffix != ".md" and not name.startswith(left_out)))


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
    assert page != "ARCHITECTURE.md" or (len(names) > 40 and len(folders) > 8)


@pytest.mark.parametrize("page", PAGES)
def test_the_names_of_code_are_there(page):
    names = [name for name in quoted(page) if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\w*\))?", name)
             and name not in files() and Path(name).suffix not in (".py", ".pyx", ".pxd", ".h", ".md")]
    for name in names:
        for part in name.removesuffix(")").rstrip("(").replace("(", ".").split("."):
            assert part in words(), name
    assert page != "ARCHITECTURE.md" or len(names) > 40


def test_pre_commit_runs_what_make_lint_runs():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pinned = (ROOT / "tests" / "typing" / "requirements.txt").read_text(encoding="utf-8")
    versions = re.findall(r"([\w-]+==[\d.]+)", hooks)
    assert len(versions) == 3 and set(versions) <= set(pinned.split())
    checks = (ROOT / "tests" / "checks.mk").read_text(encoding="utf-8")
    for program in re.findall(r"^ +entry: ([\w-]+)(?: (?:check|lint)\b.*)?$", hooks, re.MULTILINE):
        assert program == "make" or f"$(LINT)/{program}" in checks
    kind = re.search(r"entry: make lint KIND=(\w+)$", hooks, re.MULTILINE)[1]
    assert f"$(run-lint-{kind})\n" in checks.partition("define run-lint-\n")[2].partition("endef")[0]


def test_the_targets_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in re.findall(r"^include (\S+)$", makefile, re.MULTILINE):
        makefile += (ROOT / name).read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):(?!=)", makefile, re.MULTILINE))
    commands = re.compile(r"\bmake ([a-z][a-z-]*)(?: KIND=(\w+))?")
    named = commands.findall(" ".join(quoted("CONTRIBUTING.md")))
    assert {"test", "release-check", "instructions"} <= {target for target, _ in named}
    assert len(text_of("CONTRIBUTING.md").encode()) <= 10_000  # what is longer is not read
    assert {target for target, _ in named} <= targets and len(targets - {"help"}) <= 15
    named += [pair for path in files().values() for pair in commands.findall(path.read_text(encoding="utf-8"))]
    kinds = {(target, kind) for target, kind in named if kind}
    assert ("test", "wasm") in kinds and ("sanitize", "short") in kinds
    claims = {"all", *re.findall(r'^    Claim\("([\w-]+)"', (ROOT / "bench" / "claims.py").read_text("utf-8"), re.M)}
    assert [pair for pair in kinds if not (pair[1] in claims if pair[0] == "bench" else re.search(
        rf"^(?:define )?run-{'-'.join(pair)}\b", makefile, re.MULTILINE))] == []


def test_the_files_of_the_first_change_are_as_it_says():
    """The walk of CONTRIBUTING.md changes these places."""
    assert "    def running(self) -> bool:" in (ROOT / "mcts_core" / "clock.py").read_text(encoding="utf-8")
    assert '.replace(";", " ")' in (ROOT / "src/mcts_core/games/board_text.pyx").read_text(encoding="utf-8")
    for name, word in (("test_clock.py", "import mcts_core as mc"), ("games/test_board_text.py", "parse_moves")):
        assert word in (ROOT / "tests" / name).read_text(encoding="utf-8")


def walk_of_a_game():
    """(file, old text, new text) of each change, and (from, to) of each copy, of the section "A game"."""
    section = text_of("ARCHITECTURE.md").partition("\n## A game\n")[2].partition("\n## ")[0]
    changes, copies, named = [], [], None
    for line, language, block in re.findall(r"^([^`\n]*(?:`[^`\n]+`[^`\n]*)*)$|^ *```(\w+)\n(.*?)^ *```$", section,
                                            re.MULTILINE | re.DOTALL):
        found = re.findall(r"`(setup\.py|mcts_core/[\w/]+\.py)`", line)
        named = found[0] if found else named
        if language == "sh":
            copies += [tuple(each.split()[1:]) for each in block.splitlines()]
        elif language == "diff":
            lines = [each.strip() for each in block.splitlines()]
            changes.append((named, *("\n".join(each[1:] for each in lines if each[0] == sign) for sign in "-+")))
    return changes, copies


def take_the_walk(folder):
    """Changes a copy of the tree as ARCHITECTURE.md says."""
    changes, copies = walk_of_a_game()
    for name, old, new in changes:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    for source, target in copies:
        shutil.copy(folder / source, folder / target)


def copy_of_the_tree(folder):
    for name in ("src", "mcts_core", "tests", "examples/squares"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "data", "*.so"))
    shutil.copy(ROOT / "setup.py", folder)


def test_a_game_touches_four_places(tmp_path):
    changes, copies = walk_of_a_game()
    assert len({name for name, *_ in changes}) == 2 and len(copies) == 3  # source and types are one place
    copy_of_the_tree(tmp_path)
    take_the_walk(tmp_path)
    for name in ("mcts_core/__init__.py", "mcts_core/games/registry.py"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        compile(text, name, "exec")
        assert "quares" in text


@pytest.mark.slow
def test_the_new_game_works(tmp_path):
    """Compiles it alone, beside a copy of the package as it is installed."""
    import mcts_core

    copy_of_the_tree(tmp_path)
    package = Path(mcts_core.game.__file__).parent
    for path in package.rglob("*.so"):
        shutil.copy(path, tmp_path / "mcts_core" / path.relative_to(package))
    take_the_walk(tmp_path)
    (tmp_path / "build_squares.py").write_text(
        "from Cython.Build import cythonize\nfrom setuptools import Extension, setup\n"
        "module = Extension('mcts_core.games.squares', ['src/mcts_core/games/squares.pyx'],"
        " include_dirs=['mcts_core/include', 'src'])\n"
        "modules = cythonize(module, include_path=['.', 'src'])\n"
        "setup(name='squares', packages=[], ext_modules=modules)\n", encoding="utf-8")
    for command in (["build_squares.py", "build_ext", "--inplace"],
                    ["-m", "pytest", "-q", "tests/games/test_squares.py"]):
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


# ---- community files -------------------------------------------------------------------------------------------------

TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.needs("pyyaml")
@pytest.mark.parametrize("path", [path for path in TEMPLATES if path.stem != "config"], ids=lambda path: path.stem)
def test_a_report_asks_for_steps_and_evidence(path):
    import yaml

    template = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert template.keys() == {"name", "description", "labels", "body"}
    fields = {field["attributes"]["label"]: field.get("validations", {}).get("required", False)
              for field in template["body"] if field["type"] != "markdown"}
    if path.stem == "feature":
        assert fields["What you want to do"]
    else:
        assert fields["Steps to reproduce"] and fields["Evidence"] and fields["mcts-core --version"]


@pytest.mark.needs("pyyaml")
def test_reports_of_security_and_conduct_are_led_to_a_private_place():
    import yaml

    config = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml").read_text(encoding="utf-8"))
    assert config["blank_issues_enabled"] is False
    assert [link["name"] for link in config["contact_links"]] == ["Vulnerability", "Conduct"]
    for link, page in zip(config["contact_links"], ("SECURITY.md", "CODE_OF_CONDUCT.md"), strict=True):
        assert link["url"].startswith("https://") and page in link["about"] and (ROOT / page).exists()
    for page in ("SECURITY.md", "CODE_OF_CONDUCT.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert "choose *Security*, then *Report a vulnerability*" in text
