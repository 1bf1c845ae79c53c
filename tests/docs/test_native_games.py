"""docs/native_games.md: every block runs, in its order, and prints what the page says."""

import doctest
import inspect
import linecache
import os
import pathlib
import re
import subprocess
import sys

import pytest

import mcts_core as mc

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "native_games.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_every_block_runs(tmp_path, monkeypatch):
    """Sessions are compared, definitions run, sources written under the name told before them, commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("CFLAGS", "-O0 -g0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    names = {"__name__": "page"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    kinds = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        kind, block = match.groups()
        where = f"{PAGE.name} at character {match.start()}"
        kinds.append(kind)
        if kind == "python" and block.startswith(">>> "):
            test = parser.get_doctest(block, names, where, PAGE.name, TEXT[: match.start()].count("\n"))
            runner.run(test, clear_globs=False)
            names = test.globs
        elif kind == "python":
            linecache.cache[where] = len(block), None, block.splitlines(True), where  # mc.compile reads sources
            exec(compile(block, where, "exec"), names)
        elif kind == "sh":
            done = subprocess.run(["bash", "-ec", block], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, f"{where}: {done.stdout}{done.stderr}"
        else:
            assert kind in ("c", "cython")
            (tmp_path / re.findall(r"`(\w+\.(?:c|pyx))`", TEXT[: match.start()])[-1]).write_text(block)
    failed, attempted = runner.summarize(verbose=False)
    assert failed == 0 and attempted >= 20
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"python": 8, "c": 1, "cython": 2, "sh": 3}


def test_its_links_lead_somewhere():
    anchors = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", TEXT, re.M)
    }
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert len(links) > 8
    for link in links:
        if link.startswith("#"):
            assert link[1:] in anchors
        else:
            assert (PAGE.parent / link).exists(), link


def test_its_table_has_the_options_of_native_game():
    table = TEXT.split("| argument | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    named = [name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    needed = {"legal_moves", "play", "state_size", "max_moves"}
    assert sorted([*named, *needed]) == sorted(inspect.signature(mc.native_game).parameters)
