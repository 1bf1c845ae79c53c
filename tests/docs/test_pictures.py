"""docs/pictures.md and its pictures."""

import pathlib
import re
import xml.etree.ElementTree as ET

import mcts_core

DOCS = pathlib.Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "pictures.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"!\[[^\]]+\]\((pictures/\w+\.svg)\)", TEXT)


def test_every_block_runs(tmp_path, monkeypatch, capsys):
    import matplotlib.pyplot  # here, as it takes a second: only the process that runs this test imports it

    monkeypatch.chdir(tmp_path)
    names = {"__name__": "pictures"}
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        exec(compile(block, f"pictures.md block {number}", "exec"), names)
    matplotlib.pyplot.close("all")
    assert len(blocks) >= 8
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "board.svg", "heat_map.png", "progress.png", "tree.dot"]
    said, = re.findall(r"^```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert said in capsys.readouterr().out


def test_every_picture_is_there_and_shown():
    assert sorted(SHOWN) == sorted(f"pictures/{path.name}" for path in (DOCS / "pictures").glob("*"))
    for name in SHOWN:
        text = (DOCS / name).read_text(encoding="utf-8")
        assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "<script" not in text and "foreignObject" not in text and len(text) < 100_000


def test_the_functions_of_the_table_are_all_of_them():
    named = re.findall(r"`render\.(\w+)\(", TEXT.split("## Boards")[0])
    assert sorted([*named, "dot"]) == sorted(mcts_core.render.__all__)  # dot is what to_dot calls
