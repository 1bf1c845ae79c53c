"""mcts_core/bots/gomocup.py: the commands, the limits of time and memory, and searches under way."""

import io
import re
import time

import pytest
from gomocup_talk import Talk, board, is_move
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts_core
from mcts_core.bots import gomocup
from mcts_core.bots.gomocup import Gomocup, Times
from mcts_core.bots.lines import Lines, serve
from mcts_core.bots.thinking import Thinking


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.engine.close()


@pytest.fixture
def searches(monkeypatch):
    """The searches that are begun, as (state, seconds, iterations); none of them runs."""
    begun = []

    class Thinking:
        running = True

        def __init__(self, engine, state, seconds, iterations, done):
            self.engine = engine
            self.ends = []
            begun.append((state, seconds, iterations, self))

        def stop(self, silent=False):
            pass

        def stop_after(self, seconds):
            self.ends.append(seconds)

        def wait(self, seconds):
            pass

    monkeypatch.setattr(gomocup, "Thinking", Thinking)
    return begun


# The commands one by one.


def test_about_is_one_line_of_keys_and_quoted_values(talk):
    line, = talk.ask("ABOUT")
    assert re.fullmatch(r'\w+="[^"]*"(, \w+="[^"]*")*', line)
    assert 'name="mcts_core"' in line and f'version="{mcts_core.__version__}"' in line and 'author="' in line


@pytest.mark.parametrize(
    "command", ["START 5", "START 15", "start 20", "START 32", "RECTSTART 20,5", "RECTSTART 5 , 32",
                "START 15 15", "start 15,15", "START\t15 , 15", "RECTSTART 20 15", "Start  9 "])
def test_a_board_is_made_and_answered_with_just_ok(talk, command):
    assert talk.ask(command) == ["OK"]
    assert is_move(talk.ask("BEGIN")[0])


@pytest.mark.parametrize("command", ["START", "START 4", "START 33", "START x", "START -15", "START 15 16",
                                     "START 20,15", "START 1e1", "START 4 4", "START 15 15 15", "START 1515",
                                     "RECTSTART 15", "RECTSTART 4,15", "RECTSTART 15,33", "RECTSTART", "RESTART"])
def test_a_board_that_cannot_be_is_refused(talk, command):
    line, = talk.ask(command)
    assert line.startswith("ERROR ")
    assert talk.ask("BEGIN")[0].startswith("ERROR there is no board yet")


def test_a_size_with_two_readings_is_refused_with_both(talk):
    assert talk.ask("START 20 15") == [
        "ERROR START must have a size from 5 to 32, got '20 15'; for a rectangle send RECTSTART 20,15"]


def test_a_refused_board_leaves_the_match_as_it_was(talk):
    talk.ask("START 5", "TURN 2,2")
    assert talk.ask("START 99")[0].startswith("ERROR START must have a size from 5 to 32, got '99'")
    assert talk.ask("TURN 2,2") == ["ERROR TURN 2,2: the square already has a stone"]


@pytest.mark.parametrize("command", ["TURN 1,1", "BEGIN", "BOARD", "TAKEBACK 1,1", "PLAY 1,1", "DONE"])
def test_what_needs_a_board_is_refused_without_one(talk, command):
    line, = talk.ask(command)
    assert line.startswith("ERROR ")


@pytest.mark.parametrize("line", ["HELLO", "7,7", "swap", "\x00\x01", "STARTX 15", "ÜBER", "YXSHOWINFO", "yxhashclear",
                                  "# 7,7", "x" * 1000])
def test_unknown_lines_are_answered_unknown(talk, line):
    answer, = talk.ask(line)
    assert answer.startswith("UNKNOWN ") and len(answer) < 500


def test_swap2_is_unknown_with_its_squares(talk):
    assert talk.ask("START 15", "SWAP2BOARD 7,7 8,7 9,9 DONE") == ["OK", "UNKNOWN command SWAP2BOARD"]
    assert talk.ask("START 15", "SWAP2BOARD", "7,7", "8,7", "9,9", "DONE", "BEGIN")[:2] == [
        "OK", "UNKNOWN command SWAP2BOARD"]


@pytest.mark.parametrize("line", ["INFO", "INFO rule", "INFO rule x", "INFO folder C:\\folder", "INFO evaluate 3,4",
                                  "INFO timeout_turn 99999999999999999999", "INFO time_left -5", "INFO game_type 1",
                                  "INFO max_memory -1", "INFO what ever", "info RULE 1", "INFO rule 4", "YXSTOP"])
def test_info_and_a_late_yxstop_are_never_answered(talk, line):
    assert talk.ask(line) == []
    assert talk.ask("START 15", line) == ["OK"]


def test_begin_is_for_an_empty_board(talk):
    assert len(talk.ask("START 6", "BEGIN")) == 2
    assert talk.ask("BEGIN") == ["ERROR BEGIN needs an empty board; number of stones on this one: 1"]


@pytest.mark.parametrize("lines", [
    ["board", "7,7,2", "8,7,1", "6,6,2", "done"], ["BOARD 7,7,2 8,7,1 6,6,2 DONE"],
    ["BOARD", "7 7 2", "8, 7, 1", "6 ,6 ,2", "Done"], ["BOARD", "7,7,2 8,7,1", "6,6,2 DONE"],
    ["BOARD 7,7,2", "INFO time_left 5000", "ABOUT", "8,7,1", "6,6,2", "DONE now"],
    ["YXBOARD", "7,7,2", "8,7,1", "6,6,2", "DONE", "BEGIN"], ["yxboard 7,7,2 8,7,1 6,6,2 done", "YXNBEST 3"],
    ["YXBOARD", "7,7,1", "8,7,2", "DONE", "TURN 6,6"], ["YXBOARD", "7,7,2", "8,7,1", "DONE", "TURN 6 6"],
    ["YXBOARD", "8,7,1", "7,7,2", "6,6,2", "5,5,1", "DONE", "TAKEBACK 5,5", "BEGIN"],
    ["YXBOARD", "7,7,2", "DONE", "PLAY 8,7", "TURN 6,6"],
])
def test_a_position_arrives_in_every_dialect(talk, searches, lines):
    answers = talk.ask("START 15 15", *lines)
    assert not any(line.startswith(("ERROR", "UNKNOWN")) for line in answers)
    assert searches[-1][0] == mcts_core.Gomoku.from_moves([7 * 15 + 7, 7 * 15 + 8, 6 * 15 + 6])


def test_lines_that_nobody_knows_do_not_end_a_board(talk, searches):
    answers = talk.ask("START 15", "BOARD", "7,7,2", "YXSHOWINFO", "# hello", "DONE")
    assert answers == ["OK", "UNKNOWN command 'YXSHOWINFO'", "UNKNOWN command '# hello'"]
    assert searches[0][0] == mcts_core.Gomoku.from_moves([7 * 15 + 7])


def test_after_yxboard_the_side_to_move_is_that_of_its_lines(talk):
    """Who has four plays the fifth, whoever is called 1."""
    talk.ask("START 15")
    alternating = [f"{x},{y},{who}" for x in range(2, 6) for y, who in ((2, 1), (9, 2))]
    assert talk.move("YXBOARD", *alternating, "DONE", "BEGIN") in ((1, 2), (6, 2))
    assert talk.move("YXBOARD", *alternating, "DONE", "TURN 14,14") in ((1, 9), (6, 9))
    grouped = sorted(alternating, key=lambda line: line[-1])
    assert talk.move("YXBOARD", *grouped, "DONE", "TURN 14,14") in ((1, 2), (6, 2))


@pytest.mark.parametrize("lines, words", [
    (["7,7,1", "8,8,1"], "as many stones"), (["7,7,2", "8,8,2"], "as many stones"), (["7,7,3"], "must be 1 (own) or 2"),
    (["99,7,1"], "must have a square")])
def test_a_yxboard_that_cannot_be_is_refused_and_the_old_one_stays(talk, lines, words):
    talk.ask("START 15", "TURN 0,0")
    line, = talk.ask("YXBOARD", *lines, "DONE")
    assert line.startswith("ERROR ") and words in line
    assert talk.ask("TURN 0,0") == ["ERROR TURN 0,0: the square already has a stone"]


@pytest.mark.parametrize("square", ["15,0", "0,15", "-1,0", "1", "1,2,3", "a,b", "", "1;2", "1.0,2", "99999,1"])
def test_squares_off_the_board_are_refused_and_change_nothing(talk, square):
    talk.ask("START 15")
    for command in ("TURN", "TAKEBACK", "PLAY"):
        line, = talk.ask(f"{command} {square}")
        assert line.startswith(f"ERROR {command} must have a square from 0,0 to 14,14, got ")
    assert is_move(talk.ask("BEGIN")[0])


def test_x_is_the_column_and_y_the_row(talk, searches):
    talk.ask("RECTSTART 7,5", "TURN 6,0")
    state = searches[0][0]
    assert (state.m, state.n, state.k) == (7, 5, 5) and state.moves in ((6,), ())
    assert state.diagram().splitlines()[0] == ". . . . . . X"


def test_four_are_made_five_and_the_other_four_are_stopped(talk):
    talk.ask("START 15")
    assert talk.move(*board("2,2 3,2 4,2 5,2", "2,9 3,9 4,9 5,9")) in ((1, 2), (6, 2))
    assert talk.move(*board("1,14 4,2 5,12", "0,9 1,9 2,9 3,9")) == (4, 9)
    assert talk.move(*board("0,0 1,1 2,2 3,3", "7,1 7,2 7,4 7,5")) == (4, 4)


def test_the_stones_of_a_board_come_in_any_order(talk, searches):
    talk.ask("START 15", "BOARD", "7,7,2", "8,7,1", "6,6,2", "DONE", "BOARD", "8,7,1", "6,6,2", "7,7,2", "DONE")
    (first, *_), (second, *_) = searches
    assert first == second and first.to_move == -1
    assert first == mcts_core.Gomoku.from_moves([7 * 15 + 7, 7 * 15 + 8, 6 * 15 + 6])


def test_the_engine_is_the_first_player_where_the_stones_are_as_many(talk, searches):
    talk.ask("START 15", *board("7,7", "8,8"))
    state = searches[0][0]
    assert state.to_move == 1 and state.diagram().splitlines()[7].split()[7] == "X"


def test_a_board_without_stones_is_that_of_begin(talk, searches):
    talk.ask("START 15", "BOARD", "DONE")
    assert searches[0][0] == mcts_core.Gomoku()


@pytest.mark.parametrize("lines, words", [
    (["7,7,3"], "must be 1 (own) or 2"),
    (["7,7,0"], "must be 1 (own) or 2"),
    (["7,7"], "must have a square"),
    (["7,15,1"], "must have a square"),
    (["-1,7,1"], "must have a square"),
    (["7,7,1 hello"], "must have a square"),
    (["7,7,1", "7,7,2"], "is the second stone on this square"),
    (["7,7,1"], "as many stones as the engine"),
    (["7,7,2", "8,8,2"], "as many stones as the engine"),
    ([f"{x},3,2" for x in range(5)] + [f"{x},5,1" for x in range(4)], "the game is over"),
    ([f"{x},3,2" for x in range(5)] + [f"{x},5,1" for x in range(5)], "only one player"),
])
def test_a_board_that_cannot_be_is_refused_once_and_the_old_one_stays(talk, lines, words):
    talk.ask("START 15", "TURN 0,0")
    line, = talk.ask("BOARD", *lines, "DONE")
    assert line.startswith("ERROR ") and words in line
    assert talk.ask("TURN 0,0") == ["ERROR TURN 0,0: the square already has a stone"]


def test_a_board_that_is_not_ended_is_dropped_for_the_next_command(talk):
    assert talk.ask("START 15", "BOARD", "7,7,2", "ABOUT", "INFO rule 0", "START 10")[2:] == [
        "ERROR BOARD without DONE", "OK"]
    assert is_move(talk.ask("BEGIN")[0])


def test_a_new_match_begins_with_an_empty_board(talk):
    for command in ("START 6", "RECTSTART 6,5", "RESTART", "RESTART"):
        assert talk.ask(command) == ["OK"]
        assert is_move(talk.ask("BEGIN")[0])
        assert talk.ask("BEGIN")[0].startswith("ERROR BEGIN needs an empty board")
    talk.ask("RECTSTART 9,7", "RESTART")
    assert talk.ask("TURN 9,0")[0].startswith("ERROR TURN must have a square from 0,0 to 8,6")


def test_after_takebacks_the_game_goes_on_elsewhere(talk):
    talk.ask("START 15")
    column, row = talk.move("TURN 7,7")
    assert talk.ask(f"TAKEBACK {column},{row}", "TAKEBACK 7,7") == ["OK", "OK"]
    assert talk.ask("TAKEBACK 7,7") == ["ERROR TAKEBACK 7,7: the square has no stone"]
    assert is_move(talk.ask("TURN 3,3")[0])
    assert talk.ask("TURN 3,3") == ["ERROR TURN 3,3: the square already has a stone"]


def test_a_turn_that_is_not_the_opponents_is_refused(talk):
    talk.ask("START 15")
    column, row = talk.move("TURN 7,7")
    talk.ask(f"TAKEBACK {column},{row}")
    line, = talk.ask("TURN 3,3")
    assert line.startswith("ERROR the opponent must have as many stones as the engine")


def test_play_puts_an_own_stone(talk):
    assert talk.ask("START 15", "PLAY 7,7") == ["OK", "7,7"]
    assert talk.ask("PLAY 7,7") == ["ERROR PLAY 7,7: the square already has a stone"]
    assert is_move(talk.ask("TURN 8,8")[0])


def test_a_game_that_is_over_is_refused(talk):
    talk.ask("START 15", *board("0,0 0,1 0,2 0,3", "3,3 4,3 5,3 6,3"))  # five
    line, = talk.ask("TURN 14,14")
    assert line.startswith("ERROR ") and "over" in line


# Rules.


def test_exactly_five_is_another_game_than_five_or_more(talk):
    own, other = "0,2 1,2 2,2 3,2 5,2", "0,14 2,12 4,14 6,12 8,14"
    talk.ask("START 15")
    assert talk.move(*board(own, other)) == (4, 2)  # six in a row
    talk.ask("START 15", "INFO rule 1")
    assert talk.move(*board(own, other)) != (4, 2)
    talk.ask("RESTART", "INFO rule 0")
    assert talk.move(*board(own, other)) == (4, 2)


def test_the_rule_may_come_before_start_and_in_the_middle(talk, searches):
    talk.ask("INFO rule 1", "START 15", "TURN 7,7", "INFO rule 0", "TURN 7,7")
    assert [state.rule for state, *_ in searches] == ["exact", "freestyle"]


def test_the_rule_of_a_match_that_goes_on_by_turns(talk):
    """Six in a row are no five by the rule of the board, and are by the one that comes before the turn."""
    commands = board("0,9 0,0 2,1 4,0 6,1 8,0 10,1 12,0 14,1", "0,7 1,7 2,7 4,7 5,7 1,9 2,9 3,9 4,9")
    talk.ask("START 15", "INFO rule 1")
    assert talk.move(*commands) == (5, 9)
    assert talk.ask("INFO rule 0", "TURN 3,7") == ["ERROR the game is over"]
    assert is_move(talk.ask("INFO rule 1", "TURN 3,7")[0])


def test_a_continuous_game_is_played_to_its_five(talk, searches):
    talk.ask("START 15", "INFO rule 2", "TURN 7,7", "INFO rule 3", "TURN 7,7")
    assert [state.rule for state, *_ in searches] == ["freestyle", "exact"]


@pytest.mark.parametrize("rule, words", [(6, "renju"), (4, "renju"), (8, "caro"), (5, "renju"),
                                         (12, "renju, caro"), (16, "got 16"), (-1, "got -1")])
def test_other_rules_are_refused_when_a_move_is_asked_for(talk, rule, words):
    assert talk.ask(f"INFO rule {rule}", "START 15", f"INFO rule {rule}", "ABOUT")[0] == "OK"
    for commands in (["BEGIN"], ["TURN 7,7"], board("", "7,7")):
        line, = talk.ask(*commands)
        assert line.startswith("ERROR rule must be 0 (five or more in a row) or 1 (exactly five)") and words in line
    talk.ask("INFO rule 0")
    assert is_move(talk.ask("TURN 7,7")[0])


# Time.


@pytest.mark.parametrize("told, least, most", [
    ({"turn": 1.0}, 0.96, 0.99),
    ({"turn": 30.0}, 29.9, 29.9),
    ({"turn": 0.1}, 0.07, 0.095),
    ({"turn": 0.001}, 0.0, 0.001),
    ({"turn": 0.0}, 0.01, 0.01),
    ({"match": 60.0}, 10.0, 20.0),
    ({"left": 60.0}, 10.0, 20.0),
    ({"left": 60.0, "match": 1.0}, 10.0, 20.0),
    ({"left": 3.0, "match": 60.0, "turn": 30.0}, 0.5, 1.0),
    ({"left": 600.0, "turn": 1.0}, 0.96, 0.99),
    ({"left": float("inf"), "match": 1.0, "turn": 1.0}, 0.96, 0.99),
    ({"left": 0.0, "turn": 5.0}, 0.001, 0.001),
    ({"left": -3.0, "turn": 5.0}, 0.001, 0.001),
])
def test_seconds_of_the_first_move(told, least, most):
    times = Times()
    times.turn, times.match = told.get("turn"), told.get("match")
    if "left" in told:
        times.tell_left(told["left"])
    assert least <= times.search(EMPTY) <= most


EMPTY = mcts_core.Gomoku()


def filled(count):
    """A board with so many stones, of a game that goes on."""
    rows = ["XXOO" * 4, "OOXX" * 4]
    cells = "".join(rows[row % 2][:15] for row in range(15))
    first = [cell for cell in range(225) if cells[cell] == "X"][:(count + 1) // 2]
    second = [cell for cell in range(225) if cells[cell] == "O"][:count // 2]
    board = "".join("X" if cell in first else "O" if cell in second else "." for cell in range(225))
    return mcts_core.Gomoku.from_string("\n".join(board[row:row + 15] for row in range(0, 225, 15)))


def test_no_limit_is_none():
    times = Times()
    assert times.search(EMPTY) is None
    times.tell_left(float("inf"))
    assert times.search(EMPTY) is None


def test_the_engine_keeps_the_account_of_a_match_that_nobody_tells():
    times = Times()
    times.match = 60.0
    first = times.search(EMPTY)
    times.spend(50.0)
    assert times.search(EMPTY) == pytest.approx(first / 6, rel=0.2)
    times.spend(20.0)
    assert times.search(EMPTY) == 0.001
    times.new_match()
    assert times.search(EMPTY) == first


def test_what_is_left_is_that_of_the_match_at_hand():
    times = Times()
    times.match = 60.0
    times.tell_left(1.0)
    little = times.search(EMPTY)
    times.new_match()  # told before START: about the new match
    assert times.search(EMPTY) == little
    times.spend(0.5)
    assert times.search(EMPTY) < little
    times.new_match()  # told before the last move: about the old one
    assert times.search(EMPTY) > little


def test_a_game_that_is_long_is_expected_to_go_on():
    times = Times()
    times.tell_left(60.0)
    assert times.search(EMPTY) > times.search(filled(20)) > times.search(filled(60)) > 3.0
    assert times.search(filled(222)) > 25.0  # one of the last two moves


def test_a_match_has_one_clock_that_learns_what_moves_cost():
    """By the manager each move takes half a second more than the engine can see."""
    times, left = Times(), 60.0
    for stones in range(0, 10, 2):
        times.tell_left(left)
        took = times.search(filled(stones))
        times.spend(took)
        left -= took + 0.5
    times.tell_left(left)
    fresh = Times()
    fresh.tell_left(left)
    assert times.search(filled(10)) < 0.8 * fresh.search(filled(10))


@pytest.mark.parametrize("infos, least, most", [
    (["timeout_turn 1000"], 0.5, 0.99),
    (["timeout_turn 0"], 0.001, 0.01),
    (["timeout_turn -5"], 0.001, 0.01),
    (["timeout_turn 5000", "time_left 3000"], 0.5, 1.0),
    (["timeout_turn 5000", "time_left 2147483647"], 4.5, 4.98),
    (["timeout_turn 5000", "time_left -1000"], 0.001, 0.001),
    (["timeout_match 0", "timeout_turn 5000"], 4.5, 4.98),
    (["timeout_match 3000", "timeout_turn 5000"], 0.5, 1.0),
    (["timeout_match 3000", "time_left 600000", "timeout_turn 1000"], 0.5, 0.99),
    (["timeout_turn 999999999999999999"], 1e8, 1e9),
    ([], 0.95, 1.0),
])
def test_the_limits_of_the_manager_reach_the_search(searches, infos, least, most):
    talk = Talk(iterations=None)
    talk.ask("START 15", *(f"INFO {info}" for info in infos), "BEGIN")
    (_, seconds, iterations, _), = searches
    assert least <= seconds <= most
    assert iterations is None


def test_own_limits_bound_those_of_the_manager(searches):
    talk = Talk(seconds=0.5, iterations=1000)
    talk.ask("START 15", "INFO timeout_turn 5000", "INFO max_node 10", "BEGIN", "INFO max_node 2000", "BEGIN",
             "INFO timeout_turn 400", "INFO max_node 0", "BEGIN")
    assert [iterations for _, _, iterations, _ in searches] == [10, 1000, 1000]
    seconds = [seconds for _, seconds, _, _ in searches]
    assert 0.3 < seconds[0] <= 0.5 and 0.3 < seconds[1] <= 0.5 and 0.2 < seconds[2] < 0.4


def test_limits_that_come_while_the_engine_thinks_count_from_the_beginning(searches):
    talk = Talk(iterations=None)
    talk.ask("START 15", "INFO timeout_turn 60000", "BEGIN")
    thinking = searches[0][3]
    talk.ask("INFO game_type 0", "INFO rule 1")
    assert thinking.ends == []
    talk.ask("INFO timeout_turn 1000")
    assert 0.5 < thinking.ends[0] <= 0.99
    talk.ask("INFO time_left 0")
    assert thinking.ends[1] == 0.001


def test_the_margin_learns_from_moves_that_took_their_time_and_stays_for_the_next_game():
    talk = Talk(iterations=None)
    margin = talk.engine.margin
    told = []
    margin.learn = told.append
    assert is_move(talk.ask("START 15", "INFO timeout_turn 40", "BEGIN")[-1])
    assert is_move(talk.ask("START 15", "INFO max_node 20", "BEGIN")[-1])  # ends by its iterations
    assert len(told) == 1 and told[0] > 0.0
    assert talk.engine.margin is margin


def test_options_that_no_searcher_takes_are_refused_at_once():
    for options in ({"seconds": 0}, {"iterations": 0}, {"seconds": float("nan")}, {"seed": -1}, {"memory_mb": 0}):
        with pytest.raises(mcts_core.InvalidOption):
            Gomocup(Lines(io.BytesIO(), io.BytesIO()), **options)


# Memory and threads.


def memory_of(searches):
    return [re.search(r"memory_mb=([\d.]+)", repr(thinking.engine))[1] for *_, thinking in searches]


def test_the_memory_of_the_manager_leaves_some_to_the_process(searches):
    talk = Talk()
    talk.ask("START 15", "INFO max_memory 367001600", "BEGIN", f"INFO max_memory {64 << 20}", "BEGIN")
    assert memory_of(searches) == ["302.0", "16.0"]
    talk = Talk(memory_mb=100)
    talk.ask("START 15", "BEGIN", "INFO max_memory 367001600", "BEGIN", f"INFO max_memory {64 << 20}", "BEGIN",
             "INFO max_memory 0", "BEGIN")
    assert memory_of(searches)[2:] == ["100.0", "100.0", "16.0", "100.0"]


def test_memory_that_is_too_little_is_refused_when_a_move_is_asked_for(talk):
    assert talk.ask("INFO max_memory 1000000", "START 15") == ["OK"]
    assert talk.ask("BEGIN") == [f"ERROR max_memory must be {49 << 20} bytes or more, got 1000000"]
    talk.ask(f"INFO max_memory {49 << 20}")
    assert is_move(talk.ask("BEGIN")[0])


@pytest.mark.parametrize("memory", [0, 49 << 20])
@pytest.mark.parametrize("threads", [-5, 0, 1, 2, 999999999])
def test_no_number_of_threads_is_too_many(talk, threads, memory):
    talk.ask("START 15", f"INFO thread_num {threads}", f"INFO max_memory {memory}")
    assert is_move(talk.ask("BEGIN")[0])


# What stays between moves.


def visits_reused(talk):
    """By the last search."""
    return int(re.findall(rb"(\d+) visits reused", talk.written.getvalue())[-1])


def line_of(talk):
    """The principal variation that was told last, as squares."""
    return re.findall(rb" pv (.+)", talk.written.getvalue())[-1].decode().split()


def test_the_tree_is_kept_from_move_to_move():
    """By TURN, also after BOARD, and by a BOARD with all stones."""
    talk = Talk(iterations=3000)
    talk.ask("START 15", *board("8,8", "7,7 9,7"))
    assert visits_reused(talk) == 0
    for form in ("turn", "board", "turn"):
        own, other = line_of(talk)[:2]
        stones = talk.engine._stones
        squares = {who: [talk.engine._coordinates(cell) for cell in stones if stones[cell] == who]
                   for who in (gomocup.OWN, gomocup.OTHER)}
        assert own in squares[gomocup.OWN]
        talk.move(*([f"TURN {other}"] if form == "turn" else board(
            " ".join(squares[gomocup.OWN]), " ".join([other, *squares[gomocup.OTHER]]))))
        assert visits_reused(talk) > 0


def test_a_board_with_other_stones_or_another_rule_is_no_next_position(talk, searches):
    talk.engine._stones, talk.engine._size = {0: gomocup.OTHER, 1: gomocup.OWN}, (15, 15)
    talk.engine._state = mcts_core.Gomoku.from_moves([0, 1])
    for stones in ({0: -1, 1: 1}, {0: -1, 2: 1, 3: -1}, {0: 1, 1: -1, 2: -1}, {0: -1, 1: 1, 2: 1},
                   {0: -1, 1: 1, 2: -1, 3: -1}):
        assert talk.engine._next_position(stones) is None
    assert talk.engine._next_position({1: 1, 2: -1, 0: -1}).moves == (0, 1, 2)
    talk.ask("INFO rule 1")
    assert talk.engine._next_position({0: -1, 1: 1, 2: -1}) is None


@pytest.fixture
def thoughts(monkeypatch):
    """The searches that were begun, as (state, seconds, Thinking)."""
    begun = []

    class Noted(Thinking):
        def __init__(self, engine, state, seconds, *arguments):
            begun.append((state, seconds, self))  # before it starts: the next one may be begun in its thread
            super().__init__(engine, state, seconds, *arguments)

    monkeypatch.setattr(gomocup, "Thinking", Noted)
    return begun


def test_it_does_not_ponder_unless_it_is_told_to(thoughts):
    Talk().ask("START 15", "TURN 7,7")
    assert len(thoughts) == 1


def test_pondering_searches_the_position_after_the_answer_until_a_command_comes(thoughts):
    talk = Talk(iterations=3000, ponder=True)
    talk.ask("START 15", "INFO timeout_turn 600000", "TURN 7,7")
    (asked, _, _), (pondered, seconds, pondering) = thoughts
    assert pondered.moves == (*asked.moves, talk.engine._state.moves[-1]) and pondered.to_move == -asked.to_move
    assert seconds == 600.0 and pondering.running
    assert [line.split("=")[0] for line in talk.ask("ABOUT", "INFO time_left 60000")] == ["name"] and pondering.running
    talk.move(f"TURN {line_of(talk)[1]}")
    assert not pondering.running and visits_reused(talk) > 0
    assert len(thoughts) == 4 and thoughts[3][2].running
    assert talk.ask("RESTART") == ["OK"]
    assert not thoughts[3][2].running and len(thoughts) == 4


def test_nothing_is_pondered_when_the_game_is_over(thoughts):
    talk = Talk(ponder=True)
    talk.ask("START 15", *board("2,2 3,2 4,2 5,2", "2,9 3,9 4,9 5,9"))
    assert len(thoughts) == 1


def test_the_end_ends_pondering(thoughts):
    for end in (lambda talk: talk.engine.handle("END"), lambda talk: talk.engine.close()):
        thoughts.clear()
        talk = Talk(ponder=True)
        talk.ask("START 15", "TURN 7,7")
        assert thoughts[1][2].running
        end(talk)
        assert not thoughts[1][2].running


def test_a_rehearsal_makes_moves_of_every_kind_and_leaves_nothing_running(thoughts):
    margin = gomocup.rehearse(seed=1, ponder=True)
    assert not any(thinking.running for _, _, thinking in thoughts)
    asked = [state for state, _, _ in thoughts[::2]]  # after each of them it ponders
    assert [len(state.moves) for state in asked] == [0, 2] * gomocup.REHEARSED  # of stones by BOARD, then played on
    assert len(margin._delays) >= gomocup.REHEARSED
    gomocup.rehearse(iterations=10)


def test_an_engine_begins_with_what_a_rehearsal_learned():
    margin = gomocup.rehearse(iterations=10)
    assert Gomocup(Lines(io.BytesIO(), io.BytesIO()), margin=margin).margin is margin


# A search that runs.


def test_yxstop_is_answered_with_the_move_found_so_far():
    talk = Talk(iterations=None)
    talk.ask("START 15", "INFO timeout_turn 60000")
    for wait in (0.0, 0.01, 0.1):
        talk.engine.handle("RESTART")
        begin = time.perf_counter()
        talk.engine.handle("BEGIN")
        time.sleep(wait)
        talk.engine.handle("YXSTOP")
        assert is_move(talk.written.getvalue().decode().splitlines()[-1])
        assert time.perf_counter() - begin < 30


def test_every_other_command_ends_the_search_and_comes_after_its_move():
    talk = Talk(iterations=None)
    for command, answer in (("RESTART", "OK"), ("START 9", "OK"), ("TURN 99,0", "ERROR"), ("TAKEBACK 99,9", "ERROR")):
        lines = talk.ask("START 15", "INFO timeout_turn 60000", "BEGIN", command)
        assert lines[0] == "OK" and is_move(lines[1]) and lines[2].startswith(answer), lines


def test_questions_are_answered_while_the_engine_thinks():
    talk = Talk(iterations=None)
    lines = talk.ask("START 15", "INFO timeout_turn 60000", "BEGIN", "ABOUT", "what", "INFO rule 0", "YXSTOP")
    assert [line.split()[0].split("=")[0] for line in lines[:3]] == ["OK", "name", "UNKNOWN"]
    assert is_move(lines[3])


def test_a_shorter_limit_ends_the_search_that_runs():
    talk = Talk(iterations=None)
    begin = time.perf_counter()
    talk.engine.handle("START 15")
    talk.engine.handle("INFO timeout_turn 600000")
    talk.engine.handle("BEGIN")
    talk.engine.handle("INFO timeout_turn 100")
    talk.engine._thinking._thread.join(60)
    assert is_move(talk.written.getvalue().decode().splitlines()[-1])
    assert time.perf_counter() - begin < 60


def test_after_end_nothing_is_said():
    talk = Talk(iterations=None)
    talk.ask("START 15", "INFO timeout_turn 60000")
    talk.engine.handle("BEGIN")
    said = talk.written.getvalue()
    assert talk.engine.handle("END") is False
    assert talk.written.getvalue() == said


def test_the_search_under_way_is_answered_at_the_end_of_the_commands():
    written = io.BytesIO()
    lines = Lines(io.BytesIO(b"START 15\r\nINFO timeout_turn 200\r\n\r\nBEGIN"), written)
    serve(Gomocup(lines), lines)
    answers = written.getvalue().decode().splitlines()
    assert answers[0] == "OK" and is_move(answers[-1])


def test_remarks_tell_what_the_search_found(talk):
    talk.ask("START 15", *board("2,2 3,2 4,2 5,2", "2,9 3,9 4,9 5,9"))
    _, message, debug, move = talk.written.getvalue().decode().splitlines()
    assert re.fullmatch(r"MESSAGE value 1\.000, win in 1, \d+ iterations in \d+\.\d{3} s, pv (\d+,\d+)", message)
    assert message.endswith(f"pv {move}")
    assert re.fullmatch(
        r"DEBUG stopped by solved, depth [\d.]+/\d+, \d+ nodes, [\d.]+ MiB, 0 visits reused, seed 1", debug)


# Whatever comes.

NUMBERS = st.one_of(st.integers(-2, 21), st.sampled_from([10**9, 2**31 - 1, -2**31, 10**18, 10**30]))
SQUARES = st.builds("{},{}".format, NUMBERS, NUMBERS)
COMMANDS = st.one_of(
    st.text(max_size=20).filter(lambda text: text.split()),
    st.builds("{} {}".format, st.sampled_from(["START", "RECTSTART", "TURN", "PLAY", "TAKEBACK", "BOARD", "begin"]),
              st.one_of(NUMBERS, SQUARES, st.text(max_size=5))),
    st.builds("INFO {} {}".format, st.sampled_from(["rule", "timeout_turn", "timeout_match", "time_left", "max_memory",
                                                    "max_node", "thread_num", "folder", "x"]), NUMBERS),
    st.builds("{},{},{}".format, NUMBERS, NUMBERS, st.integers(0, 4)),
    st.builds("TURN {},{}".format, st.integers(0, 6), st.integers(0, 6)),
    st.builds("{},{},{}".format, st.integers(0, 6), st.integers(0, 6), st.integers(1, 2)),
    st.sampled_from(["START 6", "RECTSTART 7,5", "RESTART", "BEGIN", "BOARD", "DONE", "ABOUT", "YXSTOP", "SWAP2BOARD",
                     "TURN 2,2", "INFO rule 0", "INFO rule 1", "INFO rule 2", "INFO max_memory 0", "YXBOARD",
                     "YXNBEST 2", "START 6 6", "BOARD 1,1,2 DONE", "YXBOARD 1,1,1 2,2,2 done", "SWAP2BOARD 1,1 DONE"]),
)
ANSWER = re.compile(r'OK|\d+,\d+|(ERROR|UNKNOWN|MESSAGE|DEBUG) .+|name=.+')


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(COMMANDS, max_size=25))
def test_no_command_is_one_too_many(commands):
    talk = Talk(iterations=5)
    for command in ["START 6", *commands]:
        word = command.split()[0].upper()
        if word == "END":
            continue
        begin = len(talk.written.getvalue())
        assert talk.engine.handle(command)
        talk.engine.finish()
        lines = talk.written.getvalue()[begin:].decode().splitlines()
        assert all(ANSWER.fullmatch(line) for line in lines), lines
        answers = [line for line in lines if not line.startswith(("MESSAGE", "DEBUG", "ERROR BOARD without"))]
        assert len(answers) == 0 if word in ("INFO", "YXSTOP") else len(answers) <= 1
    talk.engine.close()
    assert talk.ask("START 5", "BEGIN")[-2] == "OK"
