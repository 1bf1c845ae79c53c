"""examples/notebook.ipynb: what is committed, and that it runs; the latter needs the extra [notebook]."""

import json
import pathlib

import pytest

import mcts_core as mc

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples" / "notebook.ipynb"


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def texts(cells):
    """What cells print, by their names. Displays differ in their times and pictures."""
    printed = {}
    for cell in cells:
        for output in cell["outputs"]:
            assert output["output_type"] in ("stream", "execute_result", "display_data"), output
            if output["output_type"] == "stream":
                assert output["name"] == "stdout", output
                printed[cell["id"]] = printed.get(cell["id"], "") + "".join(output["text"])
    return printed


def kinds(cells):
    """What cells display, by their names."""
    return {cell["id"]: sorted(output["data"]) for cell in cells for output in cell["outputs"] if "data" in output}


def test_the_outputs_are_of_one_run_and_small():
    text = NOTEBOOK.read_text(encoding="utf-8")
    cells = code_cells(json.loads(text))
    assert len(text) < 150_000
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert set(texts(cells)) == {"search", "live", "tree", "clicked"}
    assert set(kinds(cells)) == {"board", "stats", "live", "line", "plot", "heat", "click"}
    assert "text/html" in kinds(cells)["stats"] and "image/png" in kinds(cells)["plot"]


@pytest.mark.examples
def test_the_live_search_is_long_enough_for_lines():
    """Its move changes on the way: that is what the text below it and the charts show."""
    gomoku = mc.Gomoku(9).play("e5").play("f6").play("e6").play("e4")
    engine, leads = mc.Searcher(seed=1), []
    for stats in engine.watch(gomoku, iterations=150_000, every=0.02):
        if not leads or gomoku.name(stats.move) != leads[-1]:
            leads.append(gomoku.name(stats.move))
    assert leads[0] == "d5" and leads[-1] == "e7"


@pytest.mark.examples
@pytest.mark.filterwarnings("default")
def test_it_runs_and_prints_what_it_shows(tmp_path):
    import nbclient
    import nbformat

    committed = code_cells(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(
        notebook, kernel_name="python3", timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    ran = code_cells(notebook)
    assert texts(ran) == texts(committed)
    assert kinds(ran) == kinds(committed)
