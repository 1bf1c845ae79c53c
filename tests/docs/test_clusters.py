"""docs/clusters.md: its programs."""

import pathlib
import re
import subprocess
import sys

import pytest

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def output(block, folder, seconds):
    """What a program prints. A search has so many seconds, fewer than the page says."""
    block = re.sub("seconds=[0-9.]+", f"seconds={seconds}", block)
    program = folder / "program.py"
    program.write_text(f"import mcts_core as mc\n{block}", encoding="utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_the_programs_run(tmp_path):
    """All but Ray's, which is too large a package for the tests."""
    first, pool, dask = (block for block in BLOCKS if "import ray" not in block)
    text = output(first, tmp_path, 1.0)  # in which its processes also start
    assert text.startswith("move ")
    workers = re.findall(r"^worker (\S+/0  [\d,]+ iterations in \d+ rounds|\d, round 0: late)", text, re.MULTILINE)
    assert len(workers) == 2  # a machine may be too busy for them to begin
    assert len(re.findall("[XO]", output(pool, tmp_path, 0.1))) == 4
    assert re.fullmatch(r"\d+ \d+ \d+ ms per round besides the search\n", output(dask, tmp_path, 0.5))


def test_the_recipe_for_ray_is_python():
    block, = (block for block in BLOCKS if "import ray" in block)
    compile(block, "clusters.md", "exec")
