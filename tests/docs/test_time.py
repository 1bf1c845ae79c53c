"""docs/time.md: its blocks run, and print what stands beside them."""

import pathlib
import re

import mcts_core as mc

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "time.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_block_runs(capsys):
    names = {"__name__": "time"}
    expected = []
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"time.md block {number}", "exec"), names)
        expected += re.findall(r"^print\(.*\) +# (.*)$", block, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert len(BLOCKS) == 3 and len(expected) == 2
    assert [line for line in printed if line in expected] == expected
    assert isinstance(names["stats"], mc.Stats) and 0 < names["clocks"][1].remaining < 1.5


def test_the_reasons_are_those_of_the_search():
    title, *reasons = re.findall(r"^\| `(\w+)` \|", TEXT.split("## Ending early")[1], re.MULTILINE)
    documented = (pathlib.Path(mc.__file__).parent / "results.py").read_text(encoding="utf-8")
    assert title == "stop_reason"
    assert reasons == ["solved", "only_move", "decided", "memory", "cancelled"]
    assert all(f"``{reason}``" in documented for reason in reasons)
