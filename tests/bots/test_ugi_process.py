"""mcts_core/bots/ugi.py as a process: what it reads and writes, and whole games against another."""

import re

import pytest
from referee import EngineProcess, Watch, never_late

import mcts_core


def test_lines_are_answered_at_once_with_cr_lf_and_the_buffering_of_python():
    with EngineProcess("ugi", "--game", "connect4", "--seed", "1", end=b"\r\n") as engine:
        for command, answer in (("isready", "readyok"), ("query result", "response none"), ("?", "info string ")):
            engine.send(command)
            assert engine.answer()[1].startswith(answer)
        engine.send("go nodes 100")
        engine.answer_that(re.compile("bestmove [1-7]").fullmatch)
        engine.send(b"\xff\x00" * 100000 + b"\r\n", "isready")
        engine.answer_that("readyok".__eq__)
        engine.send("go infinite", "quit")
        lines, code, errors = engine.ended()
        assert lines[-1].startswith("bestmove ") and (code, errors) == (0, "")


@pytest.mark.parametrize("data", [b"", b"position startpos mov", b"go nodes 10\n", b"go movetime 100\r\nquery result"])
def test_the_end_of_the_commands_is_the_end(data):
    with EngineProcess("ugi", "--game", "tictactoe") as engine:
        engine.send(data)
        engine.process.stdin.close()
        lines, code, errors = engine.ended()
        assert (code, errors) == (0, "")
        assert any(line.startswith("bestmove ") for line in lines) == data.startswith(b"go")


NIM = '''
print("this game talks")

class Nim:
    """Take one to three stones, turns do not alternate after a three; who takes the last one wins."""

    def __init__(self, stones=9, to_move=1, last=0):
        self.stones, self.to_move, self.last = stones, to_move, last

    def legal_moves(self):
        return [(take, "stones") for take in range(1, min(3, self.stones) + 1)]

    def play(self, move):
        print("playing")
        take, _ = move
        after = self.to_move if take == 3 else -self.to_move
        return Nim(self.stones - take, after, self.to_move)

    def winner(self):
        return None if self.stones else self.last
'''


def test_a_python_game_as_a_process(tmp_path):
    """What it prints does not reach the referee."""
    (tmp_path / "nim_game.py").write_text(NIM)
    with EngineProcess("ugi", "--game", "nim_game:Nim", "--iterations", "500", cwd=tmp_path) as engine:
        engine.send("position startpos moves (3,'stones') (3,'stones') (2,'stones')", "query p1turn", "go", "quit")
        lines, code, errors = engine.ended()
    assert lines[0] == "response false"
    assert lines[-1] == "bestmove (1,'stones')" and " score mate 1 " in lines[-2]
    assert code == 0 and "this game talks" in errors and "playing" in errors


# Whole games against a second engine.


class Referee:
    """A game of two engines by the rules that they tell, as UGI has it; the referee knows only the time.

    ``check(moves)`` returns whether the last move is legal, where that is known from elsewhere.
    """

    def __init__(self, engines, limit, go, check=None):
        self.engines = engines
        self.limit = limit
        self.go = go
        self.check = check
        self.moves = []
        self.late = []

    def query(self, engine, about):
        engine.send(f"query {about}")
        return engine.answer_that(lambda line: line.startswith("response "))[1].split()[1]

    def agreed(self, about):
        first, second = (self.query(engine, about) for engine in self.engines)
        assert first == second, (about, first, second, self.moves)
        return first

    def play(self, most=None):
        for engine in self.engines:
            engine.send("uginewgame", "isready")
            assert engine.answer()[1] == "readyok"
        while len(self.moves) != most:
            line = f"position startpos moves {' '.join(self.moves)}" if self.moves else "position startpos"
            for engine in self.engines:
                engine.send(line, "isready")
                assert engine.answer()[1] == "readyok", "the position was refused: an illegal move"
            if self.agreed("gameover") == "true":
                break
            engine = self.engines[0 if self.agreed("p1turn") == "true" else 1]
            watch = Watch()
            engine.send(self.go)
            when, answer = engine.answer_that(lambda line: line.startswith("bestmove "))
            if watch.seconds(when) > self.limit:
                self.late.append((len(self.moves), answer, watch.seconds(when)))
            _, move = answer.split()
            self.moves.append(move)
            if self.check:
                assert self.check(self.moves), self.moves
        return (self.agreed("result"), self.moves), self.late


def connect_four_has(moves):
    mcts_core.ConnectFour.from_moves([int(move) for move in moves], base=1)  # IllegalMove, GameOver
    return True


def two(*arguments, cwd=None):
    return EngineProcess("ugi", *arguments, cwd=cwd), EngineProcess("ugi", *arguments, end=b"\r\n", cwd=cwd)


@pytest.mark.alone
def test_a_whole_game_of_connect_four_with_a_tenth_of_a_second_for_a_move():
    first, second = two("--game", "connect4")
    with first, second:
        result, moves = never_late(lambda: Referee((first, second), 0.1, "go movetime 100", connect_four_has).play())
    assert result in ("p1win", "p2win", "draw")
    state = mcts_core.ConnectFour.from_moves([int(move) for move in moves], base=1)
    assert {"p1win": 1, "p2win": -1, "draw": 0}[result] == state.winner()


@pytest.mark.long
@pytest.mark.alone
def test_a_game_with_a_second_for_a_move():
    first, second = two("--game", "gomoku")
    with first, second:
        result, moves = never_late(lambda: Referee((first, second), 1.0, "go movetime 1000").play(most=2))
    assert result == "none" and len(set(moves)) == 2


@pytest.mark.alone
def test_a_game_on_the_clock():
    first, second = two("--game", "mnk:5,5,4")
    with first, second:
        clock = "go p1time 1000 p2time 1000 p1inc 20 p2inc 20"
        result, _ = never_late(lambda: Referee((first, second), 0.5, clock).play())
    assert result in ("p1win", "p2win", "draw")


@pytest.mark.alone
def test_a_whole_game_of_a_python_game(tmp_path):
    (tmp_path / "nim_game.py").write_text(NIM)
    first, second = two("--game", "nim_game:Nim", "--seed", "1", cwd=tmp_path)
    with first, second:
        result, moves = never_late(lambda: Referee((first, second), 0.1, "go movetime 100").play())
    assert result == "p1win"  # nine stones: take three, move again, leave the other what loses
    assert sum(int(move[1]) for move in moves) == 9


@pytest.mark.slow
@pytest.mark.parametrize("game, limit, games", [
    ("connect4", 0.1, 10), ("gomoku", 0.1, 10), ("mnk:8,7,5", 0.1, 5), ("connect4", 1.0, 1),
    ("gomoku:20:exact", 1.0, 1)])
def test_many_whole_games(game, limit, games):
    first, second = two("--game", game)
    with first, second:
        for number in range(games):
            engines = (first, second) if number % 2 else (second, first)
            (result, _), late = Referee(engines, limit, f"go movetime {round(1000 * limit)}").play()
            assert result in ("p1win", "p2win", "draw") and late == []
