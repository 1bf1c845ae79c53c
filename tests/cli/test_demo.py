import io
import re
from types import SimpleNamespace

import pytest

import mcts_core as mc
from mcts_core.cli.demo import HEIGHT, View, chart, program, value_of_first


def test_a_pipe_gets_a_block_for_each_move_a_chart_and_three_last_lines(cli):
    code, out, err = cli("demo", "--seconds", 0.005, "--seed", 1)
    assert code == 0 and err == ""
    lines = out.splitlines()
    plies = sum(" plays " in line for line in lines)
    assert 7 <= plies <= 42
    for number in range(1, plies + 1):
        assert f"move {number}, {'XO'[(number - 1) % 2]} to move" in lines
    assert sum(line.split()[:4] == ["move", "visits", "wins", "value"] for line in lines) == plies
    drawn = lines[lines.index("value for X before each move") + 1:][:HEIGHT]
    assert sum(line.count("*") for line in drawn) == plies
    measured, tests, page = lines[-3:]
    total = sum(int(found.replace(",", "")) for found in re.findall(r"^([\d,]+) iterations? in ", out, re.MULTILINE))
    assert measured.startswith(f"measured:  {total:,} iterations in ")
    assert "make test" in tests and page.endswith("serve, to play in the browser and watch the engine think")


def test_the_search_is_a_tree_search(cli):
    """No move is played by book or exact search: those would end the first search after one iteration."""
    _, out, _ = cli("demo", "--seconds", 0.02, "--seed", 1)
    first = out[:out.index("move 2, O to move")]
    iterations = int(re.search(r"^([\d,]+) iterations in ", first, re.MULTILINE)[1].replace(",", ""))
    assert iterations > 100 and "ended by time" in first


def test_a_terminal_gets_one_view_that_is_drawn_again(monkeypatch, cli):
    monkeypatch.setattr("mcts_core.cli.tables.width_of", lambda stream: 100)
    monkeypatch.setenv("COLUMNS", "140")
    code, out, err = cli("demo", "--seconds", 0.12, "--seed", 1, "--color", "always")
    assert code == 0 and err == ""
    plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", out)
    assert re.search(r"[\d,]+ iterations per second, [\d,]+ visits? reused", plain)
    assert "still running" in plain and "principal variation: " in plain
    assert "\x1b[2K" in out  # lines are drawn over
    assert re.search(r"(X wins|O wins|a draw) after \d+ moves\n", plain)
    assert plain.splitlines()[-3].startswith("measured:  ")


@pytest.mark.parametrize("search, value", [
    ({"to_move": 1, "proven": None, "value": 0.7}, 0.7),
    ({"to_move": -1, "proven": None, "value": 0.75}, 0.25),
    ({"to_move": 1, "proven": "loss", "value": 0.4}, 0.0),
    ({"to_move": -1, "proven": "loss", "value": 0.4}, 1.0),
    ({"to_move": -1, "proven": "draw", "value": 0.1}, 0.5),
])
def test_the_chart_has_values_for_the_player_who_began(search, value):
    assert value_of_first(search) == value


def test_the_chart_reaches_as_far_as_its_values():
    assert chart([0.5, 0.53, 0.57, 0.6]) == [
        "value for X before each move", "0.60 |   *", "     |  *", "     | *", "0.50 |*", "     |", "     |", "0.40 |",
        "     +----"]
    assert chart([0.5, 1.0, 0.0])[1:8] == [
        "1.00 | *", "     |", "     |", "0.50 |*", "     |", "     |", "0.00 |  *"]
    assert chart([0.3])[1][:6] == "0.75 |"


def test_the_chart_keeps_the_last_moves_that_fit():
    values = [0.5] * 40 + [1.0, 0.0]
    assert chart(values, 80) == chart(values)
    drawn = chart(values, 40)
    assert max(map(len, drawn)) <= 40 and drawn[1:8] == chart(values[-34:])[1:8]


def test_a_terminal_of_24_lines_shows_the_whole_view(monkeypatch):
    console = pytest.importorskip("rich.console").Console(width=80, height=24, record=True, file=io.StringIO())
    view = View(SimpleNamespace(console=console))
    view._values = [0.5, 0.6]
    state = mc.ConnectFour.from_moves([3, 2])
    engine = mc.Searcher(seed=1, book=False)
    engine.search(state, iterations=200)
    console.print(view._drawn(state, engine.stats()))
    lines = console.export_text().splitlines()
    assert len(lines) <= 23 and any(line.startswith("0.60 |") for line in lines)


def test_the_page_is_named_by_the_command_that_was_called(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(tmp_path / "bin" / "mcts-core"), "demo"])
    assert program().replace("\\", "/") == "bin/mcts-core"
    monkeypatch.setattr("sys.argv", ["-c"])
    assert program() == "mcts-core"


def test_a_time_of_zero_is_refused(cli):
    code, out, err = cli("demo", "--seconds", 0)
    assert code == 2 and out == "" and "seconds must be" in err
