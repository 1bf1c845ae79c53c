import functools
import importlib.util
import pathlib
import random
import subprocess
import sys

import pytest

import mcts_core

FOLDER = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def dots():
    spec = importlib.util.spec_from_file_location("dots_and_boxes_example", FOLDER / "dots_and_boxes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def margin(state_class, rows, cols, drawn):
    """How many more boxes than the other the player to move gets with best play from here, by exhaustive search."""
    state = state_class(rows, cols)
    best = None
    for edge in state.edges:
        if edge not in drawn:
            after = drawn | {edge}
            closed = sum(after.issuperset(state.edges_of(box)) for box in state.boxes_beside(edge))
            rest = margin(state_class, rows, cols, after)
            value = closed + rest if closed else -rest
            best = value if best is None else max(best, value)
    return best or 0


def sign(number):
    return (number > 0) - (number < 0)


def value(dots, state):
    """The result with best play for the player to move: 1, 0 or -1."""
    lead = state.score() * state.to_move
    return sign(lead + margin(dots.DotsAndBoxes, state.rows, state.cols, state.drawn))


def test_a_box_is_owned_by_who_closes_it_and_gives_another_turn(dots):
    state = dots.DotsAndBoxes(1, 2)
    for move, to_move in [((0, 1), -1), ((1, 0), 1), ((2, 1), -1)]:
        state = state.play(move)
        assert state.to_move == to_move
    closed = state.play((1, 2))
    assert closed.to_move == -1 and closed.owners == {(1, 1): -1} and closed.score() == -1
    assert state.owners == {} and state.to_move == -1
    assert str(closed) == "   01234\n 0 +-+ +\n 1 |O|\n 2 +-+ +"
    other = closed.play((0, 3)).play((2, 3)).play((1, 4))
    assert other.owners == {(1, 1): -1, (1, 3): -1}
    assert other.winner() == -1 and other.legal_moves() == []


def test_one_edge_may_close_two_boxes(dots):
    state = dots.DotsAndBoxes(1, 2)
    for move in [(0, 1), (2, 1), (1, 0), (0, 3), (2, 3), (1, 4)]:
        state = state.play(move)
    state = state.play((1, 2))
    assert state.score() == 2 and state.winner() == 1


@pytest.mark.parametrize("move", [(0, 0), (1, 1), (9, 9), "(0, 1)", None])
def test_what_is_no_edge_is_refused(dots, move):
    with pytest.raises(mcts_core.IllegalMove, match="is not an edge that is still to be drawn"):
        dots.DotsAndBoxes().play(move)


def test_random_games_share_all_boxes(dots):
    choice = random.Random(1)
    for _ in range(50):
        state = dots.DotsAndBoxes(2, 3)
        plies = 0
        while state.winner() is None:
            assert state.legal_moves()
            state = state.play(choice.choice(state.legal_moves()))
            plies += 1
        assert plies == len(state.edges) == 17
        assert len(state.owners) == 6
        assert state.winner() == sign(state.score())


def test_the_search_keeps_the_value_of_positions_where_turns_do_not_alternate(dots):
    choice = random.Random(2)
    engine = mcts_core.Searcher(seed=2, exploration=1.5)
    seen = set()
    for _ in range(60):
        state = dots.DotsAndBoxes(2, 2)
        for _ in range(choice.randint(6, 10)):
            state = state.play(choice.choice(state.legal_moves()))
        best = value(dots, state)
        move = engine.search(state, iterations=20_000)
        after = state.play(move)
        assert value(dots, after) * after.to_move == best * state.to_move, (str(state), move, str(engine.stats()))
        seen.add(best)
    assert seen == {-1, 0, 1}


def test_the_program_beats_random_moves(tmp_path):
    done = subprocess.run(
        [sys.executable, str(FOLDER / "dots_and_boxes.py"), "--games", "2", "--iterations", "200"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "2 games against random moves: 2 won, 0 drawn, 0 lost"
    assert any("200 iterations" in line for line in lines)
    assert any("the search leads by" in line for line in lines)


def test_the_command_line_plays_it(cli, monkeypatch):
    monkeypatch.chdir(FOLDER.parent)
    code, out, err = cli("analyze", "examples.dots_and_boxes:DotsAndBoxes", "(0,1) (1,0) (1,2)",
                         "--iterations", 300, "--seed", 1)
    assert code == 0, err
    assert "the second player to move\n" in out
    assert "\n 0 +-+ + +\n 1 | |\n 2 + + + +\n" in out
    move = out.split("\nbest move: ")[1].split(", value ")[0]
    assert out.splitlines()[-1].startswith(f"principal variation: {move} ")
