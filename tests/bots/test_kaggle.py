import math
import random
import subprocess
import sys
import threading
import time
import types

import pytest

import mcts_core as mc
from mcts_core.bots import kaggle
from mcts_core.bots.any_board import AnyBoard
from mcts_core.bots.budgets import LEAST
from mcts_core.bots.kaggle import Agent, agent, thinking_time


def seen(board, mark=1, overage=0.0):
    return {"board": board, "mark": mark, "remainingOverageTime": overage, "step": sum(map(bool, board))}


def setting(rows=6, cols=7, connect=4, seconds=0.05):
    return {"rows": rows, "columns": cols, "inarow": connect, "actTimeout": seconds, "timeout": 2}


def cells(text):
    """The board of a diagram, one word a row."""
    return [".12".index(cell) for cell in "".join(text.split())]


def drop(board, rows, cols, col, mark):
    """The board after a stone, as connectx does it."""
    assert board[col] == 0, "the column is full"
    row = max(row for row in range(rows) if board[row * cols + col] == 0)
    return [*board[:row * cols + col], mark, *board[row * cols + col + 1:]]


class Recorder:
    """A Searcher that tells what it was asked, and plays the first legal move."""

    def __init__(self):
        self.asked = []

    def search(self, state, seconds=None, *, iterations=None):
        self.asked.append((state, seconds, iterations))
        return state.legal_moves()[0]


@pytest.fixture
def recorded():
    player = Agent()
    player.engine = Recorder()
    return player


def test_the_first_move_is_near_the_middle():
    move = agent(seen([0] * 42), setting(seconds=0.2))
    assert move in (2, 3, 4) and type(move) is int


@pytest.mark.parametrize("board, mark, answers", [
    ("....... ....... ....... ....... 222.... 111.222", 1, {3}),
    ("....... ....... ....... ....... 1...... 222.11.", 1, {3}),
    ("....... ....... ....... ..1.... ..1.... ..1.22.", 2, {2}),
    ("....... ....... ....... ....... ....... ..11..2", 2, {1, 4}),
])
def test_wins_and_threats_on_the_native_board(board, mark, answers):
    player = Agent(iterations=2_000, seed=1)
    assert player(seen(cells(board), mark), setting(seconds=60)) in answers


def test_an_engine_goes_on_with_its_tree():
    player = Agent(iterations=2_000, book=False, seed=1)
    board = [0] * 42
    move = player(seen(board), setting(seconds=60))
    board = drop(drop(board, 6, 7, move, 1), 6, 7, 3, 2)
    player(seen(board), setting(seconds=60))
    assert player.engine.stats().reused_visits > 0


def test_a_seed_and_iterations_say_what_it_plays():
    board = cells("....... ....... ....... ....... ...2... ..112..")
    moves = {Agent(iterations=300, seed=5)(seen(board, 1), setting(seconds=60)) for _ in range(3)}
    assert len(moves) == 1


BOARDS = [(6, 7, 4), (1, 1, 1), (1, 1, 4), (2, 2, 3), (3, 3, 1), (4, 4, 9), (1, 20, 3), (20, 1, 3), (127, 1, 5),
          (1, 64, 2), (128, 1, 5), (1, 65, 4), (10, 12, 4), (12, 12, 4), (11, 11, 6), (40, 40, 5), (5, 200, 4)]


@pytest.mark.parametrize("rows, cols, connect", BOARDS)
def test_it_plays_legal_columns_on_any_board(rows, cols, connect):
    """Random positions, with as many stones of both and without; some have been won before."""
    dice = random.Random(rows * 1000 + cols)
    player = Agent(iterations=20, seed=1)
    for number in range(12):
        board, mark = [0] * (rows * cols), 1
        for _ in range(dice.randrange(rows * cols)):
            col = dice.choice([col for col in range(cols) if board[col] == 0])
            board = drop(board, rows, cols, col, mark)
            mark = 3 - mark if number % 3 else dice.choice((1, 2))
        move = player(seen(board, mark), setting(rows, cols, connect))
        assert type(move) is int and 0 <= move < cols and board[move] == 0


@pytest.mark.parametrize("number", range(20))
def test_boards_that_no_game_reaches_have_a_legal_answer_too(number):
    dice = random.Random(number)
    rows, cols = dice.choice([(6, 7), (12, 12)])
    board = [0] * (rows * cols)
    for col in range(cols):  # of each player as many as it happens, and lines of both
        for _ in range(dice.randrange(rows) if col == 3 else dice.randint(0, rows)):
            board = drop(board, rows, cols, col, dice.choice((1, 2)))
    move = Agent(iterations=20)(seen(board, dice.choice((1, 2))), setting(rows, cols))
    assert board[move] == 0


@pytest.mark.parametrize("rows, cols, connect", [(6, 7, 4), (12, 12, 4), (4, 40, 4), (13, 13, 5)])
def test_it_wins_against_a_random_player(rows, cols, connect):
    dice = random.Random(1)
    player = Agent(iterations=150, seed=1)
    for seat in (1, 2):
        board, mark, position = [0] * (rows * cols), 1, AnyBoard(rows, cols, connect, [0] * (rows * cols), 1)
        while position.winner() is None:
            if mark == seat:
                col = player(seen(board, mark), setting(rows, cols, connect, 60))
            else:
                col = dice.choice([col for col in range(cols) if board[col] == 0])
            position = AnyBoard(rows, cols, connect, [(0, 1, -1)[cell] for cell in board], 3 - 2 * mark).play(col)
            board, mark = drop(board, rows, cols, col, mark), 3 - mark
        assert position.winner() == (1 if seat == 1 else -1)


def test_the_state_is_native_where_it_can_be():
    state = kaggle.state(seen(cells("....... ....... ....... ....... ...2... ..11..."), 2), setting())
    assert state == mc.ConnectFour.from_string("....... ....... ....... ....... ...O... ..XX...")
    assert state.to_move == -1
    assert kaggle.state(seen([0] * 6), setting(2, 3, 3)) == mc.ConnectFour(2, 3, 3)
    for observation, configuration in [
        (seen([0] * 144), setting(12, 12)),
        (seen([0] * 42, 2), setting()),
        (seen([0] * 42), setting(connect=8)),
        (seen([0] * 35 + [1] * 7, 2), setting()),
    ]:
        assert isinstance(kaggle.state(observation, configuration), AnyBoard)


def test_structures_may_be_mappings_or_objects():
    observation = types.SimpleNamespace(board=tuple([0] * 42), mark=1)
    configuration = types.SimpleNamespace(rows=6, columns=7, inarow=4, actTimeout=0.05)
    assert agent(observation, configuration) in range(7)


def test_what_a_configuration_leaves_out_is_as_in_connectx(recorded):
    recorded({"board": [0] * 42, "mark": 1}, {})
    (state, seconds, iterations), = recorded.engine.asked
    assert state == mc.ConnectFour() and 0.5 < seconds <= 1.9 and iterations is None
    recorded({"board": [0] * 42, "mark": 1}, {"timeout": 100})
    assert 90 < recorded.engine.asked[-1][1] <= 99.9


@pytest.mark.parametrize("limit, bank, empty, seconds", [
    (2.0, 0.0, 42, 1.9), (0.1, 0.0, 42, 0.05), (0.001, 0.0, 42, LEAST), (0.0, 0.0, 1, LEAST),
    (2.0, 60.0, 42, 4.9), (2.0, 60.0, 20, 2 + 60 / 16 - 0.1), (2.0, 60.0, 400, 2.2), (0.0, 60.0, 42, 2.9),
])
def test_the_time_of_a_move(limit, bank, empty, seconds):
    assert thinking_time(limit, bank, empty) == pytest.approx(seconds)


def test_the_bank_is_never_overdrawn():
    """Were every move to take all its time and the opponent all of his moves."""
    for rows, cols in ((6, 7), (1, 3), (30, 30)):
        bank = 60.0
        for empty in range(rows * cols, 0, -2):
            bank -= max(0.0, thinking_time(2.0, bank, empty) - 2.0)
            assert bank > 1


def test_the_budgets_of_an_agent_are_bounds():
    for options, limit, expected in [({"seconds": 0.5}, 60, 0.5), ({"seconds": 60}, 1, 0.9)]:
        player = Agent(**options)
        player.engine = Recorder()
        player(seen([0] * 42), setting(seconds=limit))
        assert expected / 2 < player.engine.asked[0][1] <= expected
    player = Agent(iterations=77, seconds=50)
    player(seen([0] * 42), setting(seconds=60))
    assert player.engine.stats().iterations == 77


def test_loading_is_taken_off_the_first_move():
    player = Agent(started=time.perf_counter() - 100)
    player.engine = Recorder()
    for _ in range(2):
        player(seen([0] * 42), setting(seconds=60))
    assert [seconds for _, seconds, _ in player.engine.asked][0] == LEAST
    assert 30 < player.engine.asked[1][1] <= 59.9


@pytest.mark.parametrize("started", ["0", math.nan, [], True])
def test_a_start_that_is_no_reading_of_a_clock(started):
    with pytest.raises(mc.InvalidOption, match="started must be a "):
        Agent(started=started)


def test_without_time_a_board_of_python_is_answered_without_a_search(recorded):
    recorded._spent = 100.0
    assert recorded(seen([0] * 144), setting(12, 12)) in range(12)
    assert recorded.engine.asked == []


def test_without_a_choice_there_is_no_search(recorded):
    assert recorded(seen(cells("12.1212 1212121 1212121 2121212 2121212 1212121"), 1), setting(seconds=60)) == 2
    assert recorded(seen([0] * 144), setting(12, 12, 13, 60)) == 5  # nobody can win
    assert recorded(seen([0] * 9), setting(3, 3, 1, 60)) == 1  # every column wins
    assert recorded.engine.asked == []


def test_threads_have_an_agent_each():
    moves = []

    def play():
        moves.append(agent(seen([0] * 42), setting(seconds=0.3)))

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(moves) == 3 and set(moves) <= set(range(7))


def test_the_first_call_of_a_process():
    code = ("from mcts_core.bots.kaggle import agent\n"
            "print(agent({'board': [0] * 42, 'mark': 1, 'remainingOverageTime': 0}, {'actTimeout': 0.3}))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr == "" and int(done.stdout) in range(7)


@pytest.mark.parametrize("observation, message", [
    ({"mark": 1}, "observation.board must have 6 * 7 cells, each 0, 1 or 2, got None"),
    (seen([0] * 41), "observation.board must have 6 * 7 cells"),
    (seen([0] * 41 + [3]), "each 0, 1 or 2, got"),
    (seen([0] * 41 + [-1]), "each 0, 1 or 2, got"),
    (seen([0] * 41 + ["1"]), "each 0, 1 or 2, got"),
    (seen([0] * 41 + [[]]), "each 0, 1 or 2, got"),
    (seen([0] * 28 + [0, 2, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0]),
     "each stone on the floor or on another stone, but the one in column 1, row 4 (row 0 on top) hangs in the air in "
     "[0, 0,"),
    (seen([1] + [0] * 41, 2), "the one in column 0, row 0 (row 0 on top) hangs in the air"),
    (seen([0] * 42, 3), "observation.mark must be 1 or 2, got 3"),
    (seen([0] * 42, True), "observation.mark must be 1 or 2, got True"),
    (seen([0] * 42, None), "observation.mark must be 1 or 2, got None"),
    (seen([0] * 42, "1"), "observation.mark must be 1 or 2, got '1'"),
])
def test_what_is_no_observation_is_refused(observation, message):
    with pytest.raises(mc.InvalidState) as caught:
        agent(observation, setting())
    assert message in str(caught.value)


@pytest.mark.parametrize("name, value", [("rows", 0), ("columns", -7), ("inarow", 0), ("rows", 6.0), ("columns", "7"),
                                         ("inarow", True)])
def test_what_is_no_configuration_is_refused(name, value):
    with pytest.raises(mc.InvalidState, match=f"configuration.{name} must be an int from 1, got"):
        agent(seen([0] * 42), {**setting(), name: value})


def test_times_that_are_none_count_as_nothing(recorded):
    for value in (-1, math.nan, math.inf, "soon", 10**400):
        recorded(seen([0] * 42, overage=value), {**setting(), "actTimeout": value})
        assert recorded.engine.asked[-1][1] == LEAST


def test_a_full_board_is_over():
    with pytest.raises(mc.GameOver, match="the board is full"):
        agent(seen([1, 2] * 21), setting())


def test_wrong_options_are_told_at_once():
    for options in ({"exploration": -1}, {"seconds": 0}, {"iterations": 0}, {"nonsense": 1}):
        with pytest.raises((mc.InvalidOption, TypeError)):
            Agent(**options)


def test_memory_that_is_none_is_the_default_of_the_agent(memory_asked):
    asked = memory_asked("mcts_core.Searcher")
    for options in ({}, {"memory_mb": None}, {"memory_mb": 3}):
        Agent(**options)
    assert asked == [256] * 4 + [3] * 2  # each agent makes one to check its arguments with
