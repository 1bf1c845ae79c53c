"""mcts_core/words.py: numbers with their nouns."""

import pytest

from mcts_core.words import as_data, cause_of, counted, line_of, told


@pytest.mark.parametrize(("number", "text"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves"), (1234, "1,234 moves")])
def test_counted(number, text):
    assert counted(number, "move") == text


def test_as_data():
    class Whole:
        def __index__(self):
            return 7

    assert (as_data(Whole()), as_data(True), as_data(1.5), as_data({3})) == (7, 1, "1.5", "{3}")


def raised(function):
    with pytest.raises(Exception) as caught:
        function()
    return caught.value


def test_an_error_names_the_line_of_the_users_file(tmp_path, monkeypatch):
    (tmp_path / "game_with_error.py").write_text(
        "import json\n"
        "def inner():\n"
        "    return json.loads('{')\n"
        "def outer():\n"
        "    return inner()\n")
    monkeypatch.syspath_prepend(tmp_path)
    import game_with_error

    error = raised(game_with_error.outer)
    assert line_of(error) == " (line 3 of game_with_error.py)"  # not that of json
    assert told(error) == f"JSONDecodeError: {error} (line 3 of game_with_error.py)"


def test_an_error_without_a_file_names_no_line():
    assert line_of(ValueError("never raised")) == ""
    error = raised(lambda: exec(compile("1 / 0", "<command line>", "exec")))
    error.__traceback__ = error.__traceback__.tb_next.tb_next
    assert line_of(error) == ""


def test_a_cause_is_told_once():
    error = RuntimeError("it failed")
    assert cause_of(error) == ""
    error.__cause__ = ValueError("no good")
    assert cause_of(error) == " (caused by ValueError: no good)"
    error.args = ("play() raised ValueError: no good",)
    assert cause_of(error) == ""
