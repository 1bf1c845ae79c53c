"""mcts_core/bots/gomocup.py as a process: what it reads and writes, its memory, and whole games against another."""

import pathlib
import re
import subprocess
import sys
import time

import pytest
from gomocup_talk import is_move
from referee import EngineProcess, Watch, never_late

import mcts_core


def test_every_line_is_answered_at_once_with_cr_lf_and_the_buffering_of_python():
    with EngineProcess("gomocup", "--iterations", "20", end=b"\r\n") as engine:
        for command, answer in (("ABOUT", "name="), ("START 20", "OK"), ("TURN 20,0", "ERROR"), ("?", "UNKNOWN")):
            engine.send(command)
            assert engine.answer()[1].startswith(answer)
        engine.send("INFO rule 1", "TURN 10,10")
        engine.answer_that(is_move)
        engine.send("END")
        assert engine.ended() == ([], 0, "")


@pytest.mark.parametrize("commands", [[], ["START 15"], ["START 15", "BOARD", "7,7,2"], [b"START 15\nBEG"]])
def test_the_end_of_the_commands_is_the_end(commands):
    with EngineProcess("gomocup") as engine:
        engine.send(*commands)
        engine.process.stdin.close()
        _, code, errors = engine.ended()
        assert (code, errors) == (0, "")


def test_end_while_the_engine_thinks():
    with EngineProcess("gomocup") as engine:
        engine.send("START 15", "INFO timeout_turn 600000", "BEGIN", "END")
        assert engine.ended() == (["OK"], 0, "")


def test_a_manager_that_goes_away_takes_the_engine_along():
    with subprocess.Popen([sys.executable, "-m", "mcts_core", "gomocup"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as engine:
        engine.stdin.write(b"START 15\nINFO timeout_turn 100\n")
        engine.stdin.flush()
        assert engine.stdout.readline().split() == [b"OK"]
        engine.stdout.close()
        engine.stdin.write(b"BEGIN\nABOUT\n")
        engine.stdin.close()
        engine.wait(timeout=60)
        errors = engine.stderr.read()
    assert (engine.returncode, errors) == (1, b"")


def test_the_engine_says_nothing_else_on_standard_output(tmp_path):
    """Not even where it is started from another folder, with the commands in a file."""
    (tmp_path / "commands").write_bytes(b"START 15\nINFO timeout_turn 100\nBEGIN\n")
    with EngineProcess("gomocup", cwd=tmp_path) as engine:
        engine.send((tmp_path / "commands").read_bytes())
        engine.process.stdin.close()
        lines, code, errors = engine.ended()
    assert [line.split()[0] for line in lines[:3]] == ["OK", "MESSAGE", "DEBUG"] and is_move(lines[3])
    assert len(lines) == 4 and (code, errors) == (0, "")


def test_garbage_on_standard_input_is_survived():
    garbage = bytes(range(256)) * 20 + b"\n" + b"x" * 3_000_000 + b"\r\n\n\r\n\xff\xfe\n"
    with EngineProcess("gomocup", "--iterations", "20") as engine:
        engine.send(garbage, "ABOUT")
        engine.answer_that(lambda line: line.startswith('name="mcts_core"'))
        engine.send("START 15", "BEGIN")
        engine.answer_that(is_move)
        engine.send("END")
        lines, code, errors = engine.ended()
        assert (lines, code, errors) == ([], 0, "")


@pytest.mark.needs("/proc")
def test_the_process_stays_below_the_memory_of_the_manager():
    with EngineProcess("gomocup", "--seed", "1") as engine:
        engine.send("START 20", f"INFO max_memory {49 << 20}", "INFO timeout_turn 1500", "INFO rule 0", "BEGIN")
        _, remark = engine.answer_that(lambda line: line.startswith("DEBUG"))
        assert 0.1 < float(re.search(r"([\d.]+) MiB", remark)[1]) <= 1.0  # of the one that is left to the tree
        engine.answer_that(is_move)
        status = pathlib.Path(f"/proc/{engine.process.pid}/status").read_text()
    assert int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) < 49 << 10


# Whole games against a second engine.


class Game:
    """A game of two engines that a referee watches: legal moves only, and each within the limit of a turn."""

    def __init__(self, engines, size, rule, milliseconds, opening=(), match=0):
        self.engines = engines
        self.state = mcts_core.Gomoku(size, rule=rule)
        self.size = size
        self.limit = milliseconds / 1000
        self.left = [match, match]
        self.late = []
        for cell in opening:
            self.state = self.state.play(cell)
        for engine in engines:
            engine.send(f"START {size}", f"INFO rule {int(rule == 'exact')}", f"INFO timeout_turn {milliseconds}",
                        f"INFO timeout_match {match}", "INFO max_memory 367001600", "INFO game_type 1")
            assert engine.answer()[1] == "OK"
        self.known = [0, 0]  # moves that each engine has been told or has made

    def square(self, cell):
        row, column = divmod(cell, self.size)
        return f"{column},{row}"

    def turn(self):
        """One move, asked for as managers do: BEGIN, TURN where the engine knows the rest, else BOARD."""
        player = len(self.state.moves) % 2
        engine, moves = self.engines[player], self.state.moves
        if not moves:
            commands = ["BEGIN"]
        elif self.known[player] == len(moves) - 1:
            commands = [f"TURN {self.square(moves[-1])}"]
        else:
            commands = ["BOARD", *(f"{self.square(cell)},{1 if number % 2 == player else 2}"
                                   for number, cell in enumerate(moves)), "DONE"]
        left = self.left[player] if self.left[player] else 2147483647
        watch = Watch()
        engine.send(f"INFO time_left {left}", *commands)
        when, line = engine.answer_that(is_move)
        took = watch.seconds(when)
        if took > min(self.limit, left / 1000):
            self.late.append((len(moves), line, took))
        if self.left[player]:
            self.left[player] = round(self.left[player] - 1000 * took)
        column, row = (int(part) for part in line.split(","))
        assert column < self.size and row < self.size, line
        self.state = self.state.play(row * self.size + column)  # IllegalMove on a square that is taken
        self.known[player] = len(moves) + 1

    def play(self, most=None):
        """Plays to the end, or ``most`` moves; the final position and the late moves."""
        count = 0
        while self.state.winner() is None and count != most:
            self.turn()
            count += 1
        return self.state, self.late


@pytest.fixture
def two_engines():
    with EngineProcess("gomocup") as first, EngineProcess("gomocup", end=b"\r\n") as second:
        for engine in (first, second):
            engine.send("ABOUT")
            engine.answer()
        yield first, second


@pytest.mark.alone
@pytest.mark.parametrize("size, rule", [(15, "freestyle"), (20, "exact")])
def test_games_with_a_tenth_of_a_second_for_a_move(two_engines, size, rule):
    middle = size // 2 * size + size // 2
    opening = [middle, middle + 1, middle - size, middle + size, middle - 3, middle + 3 * size]

    def play():
        return Game(two_engines, size, rule, 100, opening if size == 15 else ()).play(most=12)

    state = never_late(play)
    assert state.winner() is not None or len(state.moves) >= 12


@pytest.mark.long
@pytest.mark.alone
def test_a_game_with_a_second_for_a_move(two_engines):
    state = never_late(lambda: Game(two_engines, 15, "freestyle", 1000).play(most=2))
    assert len(state.moves) == 2


@pytest.mark.long
@pytest.mark.alone
def test_a_match_of_two_seconds_for_each(two_engines):
    """More moves than a game has: what is left shrinks and is never used up."""
    game = Game(two_engines, 20, "freestyle", 1000, match=2000)
    never_late(lambda: game.play(most=30), games=1)
    assert min(game.left) > 0


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds, games", [(100, 20), (1000, 4)])
def test_many_whole_games(two_engines, milliseconds, games):
    for number in range(games):
        size, rule = (15, 20)[number % 2], ("freestyle", "exact")[number // 2 % 2]
        opening = [(37 * number + 61 * step) % (size * size) for step in range(number % 4)]
        players = two_engines[::-1] if number % 2 else two_engines
        state, late = Game(players, size, rule, milliseconds, opening).play()
        assert state.winner() is not None
        assert late == []


def test_a_process_is_really_late_when_it_is():
    """The referee itself: a program that sleeps is caught."""

    class Sleeper:
        def send(self, *commands):
            self.commands = commands

        def answer(self):
            return time.perf_counter(), "OK"

        def answer_that(self, wanted):
            time.sleep(0.05)
            return time.perf_counter() + 1.0, "0,0"

    with pytest.raises(AssertionError, match="late in each of 2 games"):
        never_late(lambda: Game((Sleeper(), Sleeper()), 5, "freestyle", 10).play(most=1), games=2)
