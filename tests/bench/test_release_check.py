""".ci/release_check.py: every check finds what it is there for, and finds nothing wrong with this tree."""

import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import types
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "release_check.py"
check = types.ModuleType("release_check")  # not imported, which would leave bytecode there
check.__file__ = str(SCRIPT)
exec(compile(SCRIPT.read_text(encoding="utf-8"), SCRIPT, "exec"), check.__dict__)

TRACKED = [".gitignore", ".github/workflows/wheels.yml", "README.md", "src/mcts_core/tree/plain_tree.pyx",
           "src/mcts_core/errors.pyx", "src/mcts_core/tree/plain_tree.pxd", "mcts_core/__init__.py",
           "mcts_core/py.typed", "mcts_core/game.pxd", "mcts_core/web/static/index.html",
           "src/mcts_core/testing/probe.pyx", "mcts_core/testing/__init__.py", "mcts_core/testing/probe.pyi"]
SDIST = [*TRACKED[1:], "PKG-INFO", "setup.cfg", "mcts_core.egg-info/SOURCES.txt"]
WHEEL = [*TRACKED[6:10], "mcts_core/tree/_plain_tree_avx2.cpython-311-x86_64-linux-gnu.so",
         "mcts_core/tree/_plain_tree_baseline.so",
         "mcts_core/_cython.abi3.so",
         "mcts_core/errors.cp311-win_amd64.pyd", "mcts_core-1.2.3.dist-info/METADATA"]
README = "# A game\n\nIts moves.\n"
METADATA = f"""\
Metadata-Version: 2.4
Name: mcts-core
Version: 1.2.3
Summary: A search
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.11
Classifier: Programming Language :: Python :: 3
Provides-Extra: rich
Requires-Dist: rich>=13; extra == "rich"
Description-Content-Type: text/markdown

{README}"""
CLASSIFIERS = {"Programming Language :: Python :: 3"}


def metadata_problems(text):
    return list(check.metadata_problems(text, "1.2.3", CLASSIFIERS))


def of_metadata(text):
    """What is wrong with the metadata, of all wheels alike."""
    return [] if text == METADATA else ["another text"]


# ---- the tree

def test_the_changelog_of_this_tree_has_the_version_of_the_package():
    version = check.version_of_tree()
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert list(check.changelog_problems(text, version, dated=False)) == []


@pytest.mark.parametrize(("text", "dated", "words"), [
    ("## [Unreleased]", False, ""),
    ("## [Unreleased]\n\n## [1.2.2] - 2031-11-01", False, ""),
    ("## [Unreleased]\n\n## [1.2.2] - soon", False, "date of 1.2.2 in CHANGELOG.md must be like 2000-12-31, got soon"),
    ("## [1.2.3]", False, "must be like 2000-12-31, got none"),
    ("# Changelog\n\n## [1.2.3] - 2031-12-01\n\n## [1.2.2] - 2031-11-01", True, ""),
    ("## [Unreleased]\n\n## [1.2.3] - 2031-12-01", True, "must be 1.2.3, as in mcts_core/__init__.py, got Unreleased"),
    ("## [1.2.3] - unreleased", True, "must be like 2000-12-31, got unreleased"),
    ("## [1.2.3] - 2031-13-01", False, "must be like 2000-12-31, got 2031-13-01"),
    ("## [1.2.4] - 2031-12-01", True, "must be 1.2.3, as in mcts_core/__init__.py, got 1.2.4"),
    ("## [1.2.3] - 2031-12-01\n## [1.2.3] - 2031-12-01", True, "1.2.3 stands twice"),
    ("# Changelog", False, "has no heading"),
])
def test_the_changelog_begins_with_the_version(text, dated, words):
    problems = list(check.changelog_problems(text, "1.2.3", dated=dated))
    assert len(problems) == bool(words) and all(words in problem for problem in problems)


def test_this_tree_names_one_version_and_pins_its_actions():
    version = check.version_of_tree()
    assert not [*check.version_problems(check.texts_of(check.NAMING_VERSION), version)]
    workflows = check.texts_of(f".github/workflows/{path.name}" for path in (ROOT / ".github/workflows").glob("*.yml"))
    assert len(workflows) == 3 and not [*check.workflow_problems(workflows)]


@pytest.mark.parametrize("text", ["", 'version: "1.2.4"\n', 'version: "1.2.3"\nversion: "1.2.3"\n'])
def test_another_version_is_told(text):
    problem, = check.version_problems({"CITATION.cff": text}, "1.2.3")
    assert problem.startswith("CITATION.cff must name version 1.2.3 once")


@pytest.mark.parametrize(("line", "words"), [
    ("uses: actions/checkout@v4", "pin actions/checkout@v4 by the hash"),
    (f"uses: actions/checkout@{'0a' * 20}", "say beside actions/checkout@0a"),
    (f"uses: actions/checkout@{'0a' * 19}  # v4", "by the hash"),
])
def test_an_action_that_is_not_pinned_is_told(line, words):
    good = f"uses: actions/checkout@{'0a' * 20}  # v4.1\nuses: ./.github/own"
    assert not [*check.workflow_problems({"tests.yml": good})]
    problem, = check.workflow_problems({"tests.yml": f"{good}\n      - {line}\n"})
    assert problem.startswith("tests.yml must") and words in problem


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PYPROJECT["dependency-groups"]


def site_problems(old="", new=""):
    site, makefile = check.texts_of([".readthedocs.yaml", "Makefile"]).values()
    assert old in site
    return list(check.site_problems(site.replace(old, new), ["tools/page/build.py"], GROUPS, makefile))


@pytest.mark.needs("pyyaml")
def test_the_site_of_this_tree_is_built_by_commands_that_exist():
    assert site_problems() == []


@pytest.mark.needs("pyyaml")
@pytest.mark.parametrize(("old", "new", "words"), [
    ("group docs", "group pages", "pages is neither a group nor installed by the Makefile"),
    ("cython>=3.3", "cython>=3.4", "cython>=3.4,<4 is neither"),
    ("tools/page", "tools/site", "tools/site/build.py is not in the repository"),
    ("--keep-going", "--go-on", "--go-on is not an argument in the Makefile"),
    ("python tools", "node tools", "node tools/page/build.py build/page is not a command"),
    (". $READTHEDOCS_OUTPUT", "docs $READTHEDOCS_OUTPUT", "is not a command"),
    ("jobs:", "tasks:", "must list commands in build.jobs"),
    ("build:\n  os", "build: {\n  os", "must list commands in build.jobs"),
])
def test_a_site_that_cannot_be_built_is_told(old, new, words):
    assert words in "\n".join(site_problems(old, new))


@pytest.mark.needs("pyyaml")
@pytest.mark.parametrize(("old", "new", "words"), [
    ("", "", ""),
    ("cython >=3.3,<4", "cython >=3.4", "must have the packages to build with of pyproject.toml"),
    ("python >=3.11", "python >=3.10", "must have the packages to run with of pyproject.toml, ['python >=3.11']"),
    ("gomocup:pbrain", "gomocup:main", "must have the entry points of pyproject.toml"),
    ("license: MIT", "license: BSD", "must have the license of pyproject.toml, MIT, got BSD"),
    ("name: mcts-core", "name: mcts", "must have the name of pyproject.toml"),
    ("about:", "other:", "cannot be read: KeyError('about')"),
    ("context:", "context: [", "cannot be read"),
])
def test_the_recipe_for_conda_repeats_the_project(old, new, words):
    text = (ROOT / "tools/conda/recipe.yaml").read_text(encoding="utf-8")
    assert old in text
    problems = [*check.recipe_problems(text.replace(old, new), PYPROJECT)]
    assert len(problems) == bool(words) and all(words in problem for problem in problems)


@pytest.mark.needs("pyyaml")
@pytest.mark.parametrize(("old", "new", "words"), [
    ("", "", ""),
    ("message:", "note:", "lacks message"),
    ("name: The", "website: The", "has no name"),
    ("license: MIT", "license: BSD", "must be MIT, as in pyproject.toml, got BSD"),
    ("authors:", "authors: [", "cannot be read"),
])
def test_the_citation_has_what_its_format_requires(old, new, words):
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert old in text
    problems = [*check.citation_problems(text.replace(old, new), "MIT")]
    assert len(problems) == bool(words) and all(words in problem for problem in problems)


def test_a_tag_is_that_of_the_version_and_of_a_clean_tree():
    assert list(check.tag_problems("v1.2.3", "1.2.3", "")) == []
    assert "must be v1.2.3, got 1.2.3" in "".join(check.tag_problems("1.2.3", "1.2.3", ""))
    changed = " M src/mcts_core/tree/plain_tree.pyx\n"
    assert "src/mcts_core/tree/plain_tree.pyx" in "".join(check.tag_problems("v1.2.3", "1.2.3", changed))


# ---- the sdist and the wheel

def test_a_whole_sdist_passes():
    assert list(check.sdist_problems(TRACKED, SDIST)) == []


@pytest.mark.parametrize("lost", TRACKED[1:])
def test_what_the_sdist_lacks_is_told(lost):
    assert list(check.sdist_problems(TRACKED, set(SDIST) - {lost})) == [f"the sdist lacks {lost}: see MANIFEST.in"]


@pytest.mark.parametrize("added", [".gitignore", "mcts_core/tree.so", "build/x.c", ".venv/pyvenv.cfg"])
def test_what_the_sdist_should_not_have_is_told(added):
    assert list(check.sdist_problems(TRACKED, [*SDIST, added])) == [f"the sdist has {added}, which it should not"]


def test_an_sdist_has_metadata():
    assert list(check.sdist_problems(TRACKED, set(SDIST) - {"PKG-INFO"})) == ["the sdist has no PKG-INFO"]


def test_a_whole_wheel_passes():
    assert list(check.wheel_problems(TRACKED, WHEEL)) == []


@pytest.mark.parametrize(("lost", "words"), [
    ("mcts_core/game.pxd", "lacks mcts_core/game.pxd"),
    ("mcts_core/web/static/index.html", "lacks mcts_core/web/static/index.html"),
    ("mcts_core/py.typed", "lacks py.typed"),
    ("mcts_core/errors.cp311-win_amd64.pyd", "no module of src/mcts_core/errors.pyx"),
])
def test_what_the_wheel_lacks_is_told(lost, words):
    assert words in "\n".join(check.wheel_problems(TRACKED, set(WHEEL) - {lost}))


@pytest.mark.parametrize("added", [
    "src/mcts_core/tree/plain_tree.pxd", "mcts_core/tree.pyx", "mcts_core/tree.c", "src/mcts_core/tree/plain_tree.pyx",
    "tests/tree/test_plain_tree.py", "mcts_core/other.so", "mcts_core/tree/_other_avx2.so", "mcts_core/plain_tree.so",
    "mcts_core.egg-info/x", "mcts_core/testing/__init__.py", "mcts_core/testing/probe.pyi",
    "mcts_core/testing/probe.so",
])
def test_what_the_wheel_should_not_have_is_told(added):
    assert list(check.wheel_problems(TRACKED, [*WHEEL, added])) == [f"the wheel has {added}, which it should not"]


def test_debug_information_is_found():
    assert list(check.native_problems("a.so", b"\x7fELF .text\0.data\0")) == []
    assert "without -g in CFLAGS" in "".join(check.native_problems("a.so", b"\x7fELF .text\0.debug_info\0"))


# ---- metadata and README

def test_right_metadata_passes():
    assert metadata_problems(METADATA) == []


@pytest.mark.parametrize(("old", "new", "words"), [
    ("Version: 1.2.3", "Version: 1.2.4", "must be 1.2.3, as in mcts_core/__init__.py, got 1.2.4"),
    ("Version: 1.2.3", "Version: one", "not valid"),
    ("Name: mcts-core\n", "", "not valid"),
    ("Summary: ", "Colour: ", "'colour' that is unknown"),
    ("text/markdown", "text/plain", "must be text/markdown"),
    ("; extra ==", "; python_version <", "must need nothing else, got rich"),
    (":: Python :: 3", ":: Cobra :: 3", "no such classifier"),
    ("License-File: LICENSE\n", "", "no license"),
])
def test_wrong_metadata_is_told(old, new, words):
    assert old in METADATA
    assert words in "\n".join(metadata_problems(METADATA.replace(old, new, 1)))


MARKDOWN = "# A\n\n## B\n\n| | |\n|---|:-:|\n| ![x](https://y.svg) | c |\n\n```sh\n# no heading\n|---|\n```\n"
HTML = ("<h1>A</h1> <h2>B</h2> <table><tr><td><img src=\"https://y.svg\"></td><td> c</td></tr></table> "
        "<pre lang='sh'># no heading</pre>")


def description_problems(html, readme_html=HTML):
    pages = {MARKDOWN: html, README: readme_html}
    return list(check.description_problems(f"Name: x\n\n{MARKDOWN}", README, pages.get))


def test_a_rendered_description_has_all_parts_and_words_of_the_readme():
    assert description_problems(HTML) == []
    linked = HTML.replace("no heading", "no <a href='docs/x.md'>heading</a>").replace("https://y.svg", "y.svg")
    assert description_problems(HTML, linked) == []
    assert description_problems(HTML.replace(">A<", "><a id=\"a\" href=\"#a\">A</a><")) == []


@pytest.mark.parametrize(("old", "new", "words"), [
    ("<h2>", "<i>", "2 headings, of which 1"), ("<table>", "<i>", "1 tables"), ("<img", "<i", "1 pictures"),
    ("<pre", "<i", "1 blocks"), (" c<", " d<", "does not say what README.md says"),
    ("https://y.svg", "docs/y.svg", "docs/y.svg leads nowhere"),
    ("> c<", "> <a id=\"b\" href=\"#c\">c</a><", "#c leads nowhere"),
])
def test_what_is_wrong_with_a_rendered_description_is_told(old, new, words):
    assert old in HTML
    assert words in "\n".join(description_problems(HTML.replace(old, new)))


def test_a_description_that_does_not_render_is_told():
    assert description_problems(None) == ["the description does not render"]


def test_the_description_of_this_tree_is_the_readme_without_its_links_to_files(monkeypatch):
    pytest.importorskip("Cython")
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    description = runpy.run_path("setup.py")["for_package_page"](readme)
    addresses = re.findall(r"\]\(([^)]*)\)", description)
    assert addresses and all(address.startswith("https://") for address in addresses)
    assert "![" not in description and description.startswith("# mcts_core\n\nMonte Carlo")
    assert description.count("```") == readme.count("```") and description.count("\n|---") == readme.count("\n|---") - 1
    assert "iterations; all figures)" in description


# ---- the whole

def test_the_files_of_a_release_are_one_sdist_and_wheels(tmp_path):
    with pytest.raises(SystemExit, match="got 0 and 0"):
        check.released(tmp_path)
    with tarfile.open(tmp_path / "mcts_core-1.2.3.tar.gz", "w:gz"):
        pass
    with pytest.raises(SystemExit, match="got 1 and 0"):
        check.released(tmp_path)
    with zipfile.ZipFile(tmp_path / "mcts_core-1.2.3-py3-none-any.whl", "w"):
        pass
    sdist, wheels = check.released(tmp_path)
    assert sdist.name == "mcts_core-1.2.3.tar.gz"
    assert check.own_wheel(wheels) == tmp_path / "mcts_core-1.2.3-py3-none-any.whl"
    assert check.own_wheel([tmp_path / "mcts_core-1.2.3-cp27-cp27m-win32.whl"]) is None


def test_a_wheel_is_read(tmp_path):
    wheel = tmp_path / "mcts_core-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in WHEEL:
            archive.writestr(name, METADATA if name.endswith("METADATA") else "")
        archive.writestr("mcts_core/tree/_plain_tree_neon.so", b".debug_info\0")
    problem, = check.problems_of_wheel(wheel, TRACKED, "1.2.3", of_metadata)
    assert problem.startswith("mcts_core/tree/_plain_tree_neon.so has debug information")


def test_a_wheel_has_metadata(tmp_path):
    wheel = tmp_path / "mcts_core-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in WHEEL[:-1]:
            archive.writestr(name, "")
    assert list(check.problems_of_wheel(wheel, TRACKED, "1.2.3", of_metadata)) == [
        "it has no mcts_core-1.2.3.dist-info/METADATA"]


def test_a_large_wheel_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "LARGEST", 10_000)
    for size in (5_000, 10_001):
        wheel = tmp_path / "mcts_core-1.2.3-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in WHEEL:
                archive.writestr(name, METADATA if name.endswith("METADATA") else bytes(size * name.endswith("e.so")))
        problems = "".join(check.problems_of_wheel(wheel, TRACKED, "1.2.3", of_metadata))
        assert problems == ("" if size < 10_000 else "a wheel may take 0.01 MB, got 0.01 MB")


@pytest.mark.long
@pytest.mark.needs("processes", "processor time of child processes")
def test_the_time_of_an_import_is_that_above_python_alone(tmp_path, monkeypatch):
    (tmp_path / "mcts_core.py").write_text("import time\nwhile time.process_time() < 0.3:\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    seconds = check.import_seconds(Path(sys.executable))
    problem, = check.import_problems(seconds)
    assert seconds > check.SLOWEST and f"got {seconds:.2f} s" in problem
    assert list(check.import_problems(check.SLOWEST)) == []


def test_every_gate_is_run(monkeypatch):
    ran = []

    def run(command, **_):
        ran.append(command)
        return subprocess.CompletedProcess(command, 2 * (command[1] == "docs"))

    monkeypatch.setattr(check.subprocess, "run", run)
    assert list(check.gate_problems()) == ["make docs fails"]
    assert ran == [["make", gate, "ARGS="] for gate in check.GATES]


def test_outside_a_checkout_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(SystemExit, match="only a git checkout"):
        check.tracked()
