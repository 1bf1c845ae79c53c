"""mcts_core/bots/ugi.py: the commands, searches, options and names of moves."""

import inspect
import io
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ugi_talk import INFO, Talk

import mcts_core
from mcts_core.bots import ugi
from mcts_core.bots.lines import Lines, serve
from mcts_core.bots.ugi import OPTIONS, UGI, Notation
from mcts_core.cli.games import parse_game
from mcts_core.engine.request import seed_of

KNOWN = (mcts_core.IllegalMove, mcts_core.GameOver, mcts_core.InvalidState, mcts_core.InvalidOption)


@pytest.fixture
def searches(monkeypatch):
    """The searches that are begun, as (state, seconds, iterations, Searcher); none of them runs."""
    begun = []

    class Thinking:
        def __init__(self, engine, state, seconds, iterations, done, progress, every, *, hold):
            begun.append((state, seconds, iterations, engine))

        def stop(self, silent=False):
            pass

        def wait(self, seconds):
            pass

    monkeypatch.setattr(ugi, "Thinking", Thinking)
    return begun


class Game:
    """Moves as a test wants them, three in all; the first player makes the first two and wins by the last."""

    def __init__(self, moves=("a", "b"), done=()):
        self.moves = moves
        self.done = done
        self.to_move = 1 if len(done) < 2 else -1

    def legal_moves(self):
        return list(self.moves)

    def play(self, move):
        assert any(move is known for known in self.moves)
        return Game(self.moves, (*self.done, move))

    def winner(self):
        return None if len(self.done) < 3 else 1


# The commands one by one.


def test_the_engine_introduces_itself_and_its_options():
    talk = Talk()
    name, author, *options, last = talk.ask("ugi")
    assert name == f"id name mcts_core {mcts_core.__version__}" and author.startswith("id author ") and last == "ugiok"
    form = (r"option name (\w+) type (check default (true|false)|string default \S+|spin default \d+ min \d+ max \d+|"
            r"combo default \S+( var \S+){2,})")
    named = [re.fullmatch(form, line)[1] for line in options]
    known = list(inspect.signature(mcts_core.Searcher).parameters)
    assert named == [*(name for name in known if name in OPTIONS), "log"]
    assert "option name solver type check default true" in options
    assert "option name rollout type combo default decisive var auto var random var decisive" in options
    assert "option name final_move type combo default robust var auto var robust var max" in options
    assert "option name threads type spin default 1 min 1 max 256" in options
    assert "option name seed type string default 1" in options
    assert "option name memory_mb type string default auto" in options


def test_functions_and_what_needs_them_are_no_options():
    left_out = set(inspect.signature(mcts_core.Searcher).parameters) - OPTIONS.keys()
    assert left_out == {"evaluator", "policy_value", "batch", "root_policy", "gumbel_moves", "gumbel_scale",
                        "progress", "every", "network",
                        "temperature", "rollout_moves", "nested_rollouts"}  # of general games
    line, = Talk().ask("setoption name evaluator value f")
    assert line.startswith("info string an option must be one of preset, ")
    assert "evaluator" not in line.split(", got")[0]


@pytest.mark.parametrize("name", [name for name, kind in OPTIONS.items() if isinstance(kind[0], int)])
def test_the_range_of_a_spin_is_that_of_the_searcher(name):
    low, high = OPTIONS[name]
    for value in (low, high):
        mcts_core.Searcher(**{name: value, "memory_mb": 256})
    for value in (low - 1, high + 1):
        with pytest.raises(mcts_core.InvalidOption, match=f"{name} must be an int from {low} to {high}, got"):
            mcts_core.Searcher(**{name: value})


@pytest.mark.parametrize("game", ["connect4", "gomoku", "tictactoe"])
def test_every_word_that_a_combo_offers_is_taken(game):
    combos = [line.split() for line in Talk(game).ask("ugi") if " type combo " in line]
    assert {line[2] for line in combos} >= {"preset", "selection", "rollout", "final_move"}
    for line in combos:
        assert line[6] in line[8::2]  # the default is one of the words
        for word in line[8::2]:
            assert Talk(game).ask(f"setoption name {line[2]} value {word}") == []


def test_a_log_is_switched_on_and_off(tmp_path):
    talk, path = Talk(), tmp_path / "a log.txt"
    assert talk.ask(f"setoption name log value {path}") == []
    assert f"option name log type string default {path}" in talk.ask("ugi")
    assert talk.ask("setoption name Log value <empty>", "isready") == ["readyok"]
    text = path.read_text(encoding="utf-8")
    assert "< ugiok\n" in text and "readyok" not in text
    line, = talk.ask(f"setoption name log value {tmp_path / 'none' / 'log.txt'}")
    assert line.startswith("info string log must be a file that can be written, got ")
    line, = talk.ask("setoption name log value a\0b")
    assert line.startswith("info string log must be a file that can be written, got ")


def test_isready():
    assert Talk().ask("isready", "isready") == ["readyok", "readyok"]


@pytest.mark.parametrize("game, moves, said", [
    ("connect4", "", ("true", "false", "none")),
    ("connect4", "4", ("false", "false", "none")),
    ("connect4", "1 2 1 2 1 2 1", ("false", "true", "p1win")),
    ("connect4", "7 1 2 1 2 1 2 1", ("true", "true", "p2win")),
    ("connect4:5x4x4", "1 2 3 4", ("true", "false", "none")),
    ("tictactoe", "a1 b2 c3 a2 c2 c1 a3 b3 b1", ("false", "true", "draw")),
    ("gomoku", "h8 h9 o15 a1 o1", ("false", "false", "none")),
    ("mnk:4,3,3", "a1 a3 b1 b3 d1 c3", ("true", "true", "p2win")),
])
def test_positions_by_moves(game, moves, said):
    talk = Talk(game)
    assert talk.ask(f"position startpos moves {moves}" if moves else "position startpos") == []
    assert talk.position() == said
    assert talk.ask("position startpos") == [] and talk.position() == ("true", "false", "none")
    assert talk.ask("position startpos moves") == [] and talk.position() == ("true", "false", "none")


@pytest.mark.parametrize("game, fen, same", [
    ("connect4", "7/7/7/7/7/7", ""),
    ("connect4", "7/7/7/7/3o3/3x2x x", None),
    ("connect4", "7/7/7/7/3o3/3x3", "4 4"),
    ("connect4", "7/7/7/7/3O3/3X3 x", "4 4"),
    ("connect4", "7/7/7/7/...o.2/...x... x", "4 4"),
    ("connect4", "7/7/7/7/7/3x3 o", "4"),
    ("tictactoe", "x2/1o1/2x o", "a3 b2 c1"),
    ("mnk:12,5,4", "12/12/10x1/12/12", "k3"),
    ("gomoku:5:exact", "5/5/5/5/x3o", "a1 e1"),
])
def test_positions_by_fen(game, fen, same):
    talk, other = Talk(game), Talk(game)
    if same is None:
        assert talk.ask(f"position fen {fen}")[0].startswith("info string ")
        return
    assert talk.ask(f"position fen {fen}") == []
    other.ask(f"position startpos moves {same}")
    assert talk.engine._states[-1] == other.engine._states[-1]


def test_moves_go_on_from_a_fen():
    talk, other = Talk(), Talk()
    assert talk.ask("position fen 7/7/7/7/7/3x3 o moves 4 5 5") == []
    other.ask("position startpos moves 4 4 5 5")
    assert talk.engine._states[-1] == other.engine._states[-1]


@pytest.mark.parametrize("command", [
    "position", "position moves 4", "position start", "position startpos 4", "position fen", "position fen moves 4",
    "position startpos moves 9", "position startpos moves 0", "position startpos moves 4 x 4",
    "position startpos moves 1 1 1 1 1 1 1", "position startpos moves 1 2 1 2 1 2 1 2",
    "position fen 7/7/7/7/7/8", "position fen 7/7/7/7/7", "position fen 7/7/7/7/7/3x3 x",
    "position fen 7/7/7/7/7/3x3 o o",
    "position fen 7/7/7/7/3x3/7", "position fen 7/7/7/7/7/3z3", "position fen 999/7", "position fen " + "9" * 100000,
    "position fen 7/7/7/7/7/xx5", "position fen 7/7/7/7/7/3x3 moves 4 8",
])
def test_a_position_that_cannot_be_is_told_and_the_old_one_stays(command):
    talk = Talk()
    talk.ask("position startpos moves 4 4 4")
    before = talk.engine._states[-1]
    line, = talk.ask(command)
    assert line.startswith("info string ") and len(line) < 500
    assert talk.engine._states[-1] == before
    assert talk.position() == ("false", "false", "none")


def test_the_moves_that_were_played_before_are_not_played_again(monkeypatch):
    class Counted(Game):
        played = 0

        def play(self, move):
            Counted.played += 1
            after = Counted(self.moves, (*self.done, move))
            return after

    talk = Talk(Counted(), iterations=1)
    Counted.played = 0
    talk.ask("position startpos moves a")
    talk.ask("position startpos moves a b")
    talk.ask("position startpos moves a b a")
    assert Counted.played == 3
    talk.ask("position startpos moves a a")
    assert Counted.played == 4 and talk.engine._states[-1].done == ("a", "a")
    talk.ask("position startpos moves b", "position startpos")
    assert Counted.played == 5 and talk.engine._states[-1].done == ()


def test_queries_of_what_nobody_knows_are_answered_too():
    told, answer = Talk().ask("query score")
    assert told == "info string a query must be gameover, p1turn or result, got 'score'"
    assert answer == "response unknown"


@pytest.mark.parametrize("line", ["hello", "GO", "bestmove 4", "position2", "\x00", "x" * 10000])
def test_unknown_commands_are_told(line):
    answer, = Talk().ask(line)
    assert answer.startswith("info string unknown command ") and len(answer) < 500


def test_quit_ends_the_search_with_its_move():
    talk = Talk(iterations=None)
    talk.engine.handle("go infinite")
    assert talk.engine.handle("quit") is False
    *_, info, best = talk.written.getvalue().decode().splitlines()
    assert INFO.fullmatch(info) and re.fullmatch("bestmove [1-7]", best)


# Searches.


def test_the_best_move_comes_after_its_figures():
    for game, moves, best, score in [
        ("connect4", "1 2 1 2 1 2", "1", "mate 1"),
        ("connect4", "1 2 1 2 1 7", "1", "mate 1"),
        ("tictactoe", "a1 b2 a2", "a3", None),
        ("tictactoe", "a1 a3 c1 b1 c3 c2", "b2", "mate 1"),
        ("gomoku", "a1 b10 a2 c10 a3 d10 a4 e10", "a5", "mate 1"),
    ]:
        talk = Talk(game)
        *_, info, answer = talk.ask(f"position startpos moves {moves}", "go nodes 1000")
        assert INFO.fullmatch(info), info
        assert answer == f"bestmove {best}"
        assert score is None or f" score {score} " in info
        assert f" pv {best}" in info


def test_the_figures_are_those_of_the_player_to_move():
    talk = Talk(iterations=2000)
    lost = talk.ask("position startpos moves 3 7 4 7 5", "go")[-2]  # a row of three with two open ends
    assert " score mate -2 " in lost
    won = talk.ask("position startpos moves 3 7 4 7", "go")[-2]
    assert " score mate 3 " in won
    drawn = Talk("tictactoe", iterations=5000).ask("go")[-2]
    assert " score cp 0 " in drawn
    even = Talk("gomoku").ask("go")[-2]
    assert -100 <= int(re.search(r"score cp (-?\d+)", even)[1]) <= 100


def test_a_finished_game_has_no_best_move():
    talk = Talk()
    assert talk.ask("position startpos moves 1 2 1 2 1 2 1", "go") == [
        "info string the game is over", "bestmove none"]


@pytest.mark.alone
def test_figures_are_sent_on_the_way(monkeypatch):
    monkeypatch.setattr(ugi, "EVERY", 0.02)
    talk = Talk("gomoku", iterations=None)
    lines = talk.ask("go movetime 500")
    assert len(lines) > 3 and all(INFO.fullmatch(line) for line in lines[:-1])
    assert re.fullmatch("bestmove [a-o][0-9]+", lines[-1])


def test_stop_is_answered_at_once_and_is_nothing_without_a_search():
    talk = Talk(iterations=None)
    assert talk.ask("stop") == []
    for wait in (0.0, 0.01, 0.1):
        talk.engine.handle("go infinite")
        time.sleep(wait)
        begin = time.perf_counter()
        talk.engine.handle("stop")
        assert time.perf_counter() - begin < 30
        assert re.fullmatch("bestmove [1-7]", talk.written.getvalue().decode().splitlines()[-1])
    assert talk.ask("stop") == []


@pytest.mark.usefixtures("no_book")
def test_questions_are_answered_while_the_engine_searches():
    talk = Talk(iterations=None)
    lines = talk.ask("position startpos moves 4", "go infinite", "isready", "query p1turn", "stop")
    assert lines[:2] == ["readyok", "response false"] and lines[-1].startswith("bestmove ")


def test_a_search_without_end_keeps_its_move_until_stop():
    talk = Talk("tictactoe", iterations=None)
    talk.engine.handle("go infinite")
    deadline = time.monotonic() + 30
    while not talk.written.getvalue():  # solved at once
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.2)
    said = talk.written.getvalue().decode().splitlines()
    assert said and all(map(INFO.fullmatch, said))
    talk.engine.handle("stop")
    assert talk.written.getvalue().decode().splitlines()[-1].startswith("bestmove ")


@pytest.mark.usefixtures("no_book")
@pytest.mark.parametrize("command", ["go nodes 10", "uginewgame", "setoption name seed value 2"])
def test_other_commands_end_the_search_with_its_move(command):
    talk = Talk(iterations=None)
    talk.engine.handle("go infinite")
    *_, info, best = talk.ask(command)[:2]
    assert INFO.fullmatch(info) and re.fullmatch("bestmove [1-7]", best)


def test_a_new_game_forgets_the_old_one():
    talk = Talk()
    engine = talk.engine._engine
    assert talk.ask("position startpos moves 4 4 4", "uginewgame", "isready") == ["readyok"]
    assert talk.position() == ("true", "false", "none") and talk.engine._engine is not engine


def test_each_game_begins_with_the_seed_again():
    talk, games = Talk(iterations=300), []
    for again in ("isready", "uginewgame", "setoption name preset value auto"):
        talk.ask(again, "position startpos")
        moves = [talk.ask("go")[-1], talk.ask("go")[-1], talk.ask("position startpos moves 4 4", "go")[-1]]
        games.append((moves, talk.engine._engine.stats().seed))
    assert games == [games[0]] * 3 and games[0][1] == seed_of(1, 2)


@pytest.mark.parametrize("command, least, most, nodes", [
    ("go movetime 1000", 0.85, 0.9, None),
    ("go movetime 100", 0.03, 0.05, None),
    ("go movetime 0", 0.0, 0.001, None),
    ("go movetime 999999999999999999", 1e8, 1e9, None),
    ("go nodes 5000", None, None, 5000),
    ("go nodes 0", None, None, 1),
    ("go nodes 999999999999", None, None, 2**30 - 1),
    ("go infinite", 1e9, 1e9, None),
    ("go", 0.95, 1.0, None),
    ("go p1time 60000 p2time 1", 10.0, 20.0, None),
    ("go p1time 60000 p2time 1 p1inc 2000 p2inc 0", 12.0, 22.0, None),
    ("go p1time 60000 p2time 1 p1inc 0 p2inc 2000", 10.0, 20.0, None),
    ("go p1time 60000 p2time 1 movestogo 2", 20.0, 30.0, None),
    ("go p1time 60000 p2time 1 movestogo 0", 10.0, 20.0, None),
    ("go p1time 0 p2time 60000", 0.0, 0.001, None),
    ("go p1time -100 p2time 60000", 0.0, 0.001, None),
    ("go p2time 1", 0.95, 1.0, None),
    ("go movetime 1000 nodes 10 p1time 60000", 0.85, 0.9, 10),
    ("go nodes 10 movetime x", None, None, 10),
])
def test_the_limits_of_go_reach_the_search(searches, command, least, most, nodes):
    talk = Talk(iterations=None)
    talk.ask(command)
    (_, seconds, iterations, _), = searches
    assert (seconds is None) == (least is None)
    assert seconds is None or least <= seconds <= most
    assert iterations == nodes


def test_the_clock_is_that_of_the_player_to_move(searches):
    talk = Talk(iterations=None)
    talk.ask("go p1time 100000 p2time 10000", "position startpos moves 4", "go p1time 100000 p2time 10000")
    assert searches[0][1] == pytest.approx(10 * searches[1][1], rel=0.2)


def test_a_game_has_one_clock_that_learns_what_moves_cost(monkeypatch):
    """By the manager each move takes 3 s, of which the engine sees next to nothing."""
    planned = []

    class Watched(ugi.Thinking):
        def __init__(self, engine, state, seconds, *rest, **named):
            planned.append(seconds)
            super().__init__(engine, state, seconds, *rest, **named)

    monkeypatch.setattr(ugi, "Thinking", Watched)
    talk, moves = Talk(iterations=1), []
    for left in (60, 57, 54):
        talk.ask(f"position startpos moves {' '.join(moves)}", f"go p1time {1000 * left} p2time 60000")
        moves += ["1", "2"]
    game = f"position startpos moves {' '.join(moves)}"
    talk.ask(game, "go p1time 51000 p2time 60000", "uginewgame", game, "go p1time 51000 p2time 60000")
    assert planned[-2] < 0.8 * planned[-1]


def test_own_limits_bound_those_of_go(searches):
    talk = Talk(seconds=0.5, iterations=100)
    talk.ask("go movetime 5000", "go nodes 10", "go nodes 1000", "go movetime 200", "go infinite")
    assert [iterations for _, _, iterations, _ in searches] == [100, 10, 100, 100, None]
    assert [round(seconds, 1) for _, seconds, _, _ in searches] == [0.5, 0.5, 0.5, 0.1, 1e9]


@pytest.mark.parametrize("limits, wrong", [
    ("depth 4", ["depth"]), ("movetime", ["movetime"]), ("movetime x nodes 7", ["movetime x"]),
    ("nodes 1.5", ["nodes 1.5"]), ("nodes nodes 7", ["nodes"]),
    ("searchmoves 1 2 nodes 7 mate 3", ["searchmoves", "mate"]), ("infinity", ["infinity"]),
])
def test_limits_that_go_does_not_have_are_told_and_left_out(searches, limits, wrong):
    talk = Talk(iterations=None)
    lines = talk.ask(f"go {limits}")
    assert [line.rsplit("got ", 1)[1] for line in lines] == [repr(word) for word in wrong]
    assert all(line.startswith("info string the limits of go are ") for line in lines)
    (_, seconds, iterations, _), = searches
    assert (iterations == 7 and seconds is None) if "nodes 7" in limits else (0.9 < seconds <= 1.0)


# Options.


def test_options_are_those_of_the_searcher(searches):
    talk = Talk(iterations=None)
    assert talk.ask("setoption name preset value uct", "setoption name Solver value true",
                    "setoption name exploration value 0.25", "setoption name seed value 77",
                    "setoption name memory_mb value 64", "setoption name threads value 1", "go") == []
    shown = repr(searches[0][3])
    for part in ("preset='uct'", "solver=True", "exploration=0.25", "seed=77", "memory_mb=64.0"):
        assert part in shown
    talk.ask("setoption name seed value auto", "setoption name solver value false", "uginewgame", "go")
    shown = repr(searches[1][3])
    assert "seed=" not in shown and "solver=False" in shown and "preset='uct'" in shown
    assert "option name exploration type string default 0.25" in talk.ask("ugi")


@pytest.mark.parametrize("command, words", [
    ("setoption", "must be followed by name NAME value VALUE"),
    ("setoption name seed", "must be followed by name NAME value VALUE"),
    ("setoption name seed value", "must be followed by name NAME value VALUE"),
    ("setoption seed 1", "must be followed by name NAME value VALUE"),
    ("setoption name depth value 3", "an option must be one of preset, "),
    ("setoption name seed value many", "seed must be"),
    ("setoption name seed value -1", "seed must be"),
    ("setoption name solver value 1", "solver must be True or False"),
    ("setoption name exploration value nan", "exploration must be"),
    ("setoption name exploration value " + "9" * 10000, "exploration must be"),
    ("setoption name rollout value tactical", "rollout must be one of 'random', 'decisive'"),
    ("setoption name preset value 3 4", "preset must be"),
])
def test_options_that_cannot_be_are_told_and_change_nothing(command, words):
    talk = Talk()
    engine = talk.engine._engine
    line, = talk.ask(command)
    assert line.startswith("info string ") and words in line
    assert talk.engine._engine is engine
    assert talk.ask("go")[-1].startswith("bestmove ")


class Bursting:
    """Raises in the second move, which every search tries."""

    def __init__(self, plies=0):
        self.plies, self.to_move = plies, 1 - plies % 2 * 2

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        if self.plies == 1:
            raise ValueError("boom")
        return Bursting(self.plies + 1)

    def winner(self):
        return None


def test_a_game_that_raises_at_once_is_told_and_the_engine_goes_on():
    talk = Talk(Bursting())
    told, = talk.written.getvalue().decode().splitlines()
    assert told == "info string Bursting.play() raised ValueError: boom"
    assert talk.ask("isready") == ["readyok"]
    assert talk.ask("position startpos moves 0", "query p1turn") == ["response false"]
    assert talk.ask("go nodes 100") == [told, "bestmove none"]
    assert talk.ask("setoption name exploration value 0.5") == [told] and talk.engine._options["exploration"] == 0.5


def test_options_that_no_searcher_takes_are_refused_at_once():
    for options in ({"seconds": 0}, {"iterations": 0}, {"seconds": float("nan")}, {"seed": -1},
                    {"rollout": "tactical"}):
        with pytest.raises(mcts_core.InvalidOption):
            Talk(**options)


# Moves and their names.


class Nameless:
    """A move whose text is its place in memory."""


class Loud:
    def __repr__(self):
        return "two  words\n"


def test_names_are_one_word_each_and_unlike():
    nameless, others = Nameless(), [Nameless(), Loud(), Loud()]
    moves = ("a", (0, 1), "b c", 1, "1", "", "#0", nameless, *others, None, 2.5, "\u00e9")
    names = Notation(Game()).names(Game(moves))
    assert list(names) == ["a", "(0,1)", "bc", "#3", "#4", "#5", "#6", "#7", "#8", "#9", "#10", "None", "2.5", "\u00e9"]
    assert all(given is move for given, move in zip(names.values(), moves, strict=True))
    notation = Notation(Game())
    for name, move in names.items():
        if move not in (1, "1"):
            assert notation.name(Game(moves), move) == name


def test_names_of_games_of_this_package_are_those_of_the_command_line():
    for game, names in (("connect4", ["1", "2", "3", "4", "5", "6", "7"]),
                        ("tictactoe", ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"])):
        start = parse_game(game).start
        assert list(Notation(start).names(start)) == names


def test_names_of_a_users_game_are_those_that_it_gives():
    class Named(Game):
        def name(self, move):
            return f"go {move}"

    names = Notation(Named()).names(Named(("a", "b c")))
    assert names == {"goa": "a", "gobc": "b c"} and Notation(Named()).name(Named(("a", "b c")), "b c") == "gobc"


@pytest.mark.parametrize("moves", [("a", "b"), ((0, 1), (1, 0)), (1, "1"), (Nameless(), Nameless()), (None, ())])
def test_a_python_game_is_played_by_names(moves):
    talk = Talk(Game(moves))
    played = []
    for number in range(3):
        assert talk.position() == (("true", "true", "false")[number], "false", "none")
        line = f"position startpos moves {' '.join(played)}" if played else "position startpos"
        *_, info, best = talk.ask(line, "go")
        assert INFO.fullmatch(info)
        played.append(best.removeprefix("bestmove "))
        assert talk.ask(f"position startpos moves {' '.join(played)}") == []
    assert talk.position()[1:] == ("true", "p1win")
    assert len(played) == 3 and all(" " not in name for name in played)


def test_the_fen_of_a_python_game_is_its_own():
    class Written(Game):
        @classmethod
        def from_string(cls, text):
            return Game(done=tuple(text.split("+")))

    assert Talk(Game()).ask("position fen a+b")[0].endswith("because Game has no from_string(text)")
    talk = Talk(Written())
    assert talk.ask("position fen a+b moves a") == []
    assert talk.position() == ("false", "true", "p1win")


@pytest.mark.parametrize("method", ["winner", "legal_moves", "play", "to_move"])
def test_a_game_that_fails_is_told_and_go_is_answered(method):
    class Failing(Game):
        broken = False

        def play(self, move):
            if self.broken and method == "play":
                raise ZeroDivisionError("by design")
            return Failing(self.moves, (*self.done, move))

        def legal_moves(self):
            if self.broken and method == "legal_moves":
                raise ZeroDivisionError("by design")
            return super().legal_moves()

        def winner(self):
            if self.broken and method == "winner":
                raise ZeroDivisionError("by design")
            return super().winner()

        @property
        def to_move(self):
            if self.broken and method == "to_move":
                raise ZeroDivisionError("by design")
            return 1

        @to_move.setter
        def to_move(self, value):
            pass

    talk = Talk(Failing())
    Failing.broken = True
    lines = talk.ask("go")
    assert lines[-1] == "bestmove none" and lines[0].startswith("info string ")
    assert lines[0].count("ZeroDivisionError: by design") == 1
    talk.ask("position startpos moves a b a", "query result", "query p1turn", "query gameover")
    Failing.broken = False
    assert talk.ask("position startpos moves a", "go")[-1] in ("bestmove a", "bestmove b")


# Whatever comes.

WORDS = st.one_of(
    st.sampled_from(["startpos", "fen", "moves", "name", "value", "infinite", "nodes", "movetime", "p1time", "p2inc",
                     "movestogo", "seed", "solver", "x", "o", "7/7/7/7/7/7", "3x3", "gameover", "p1turn", "result"]),
    st.integers(-1, 8).map(str), st.sampled_from(["99999999999999999999", "true", "auto", "#1"]), st.text(max_size=6))
COMMANDS = st.one_of(
    st.builds(lambda word, words: " ".join([word, *words]),
              st.sampled_from(["position", "position startpos moves", "position fen", "go", "setoption name", "query",
                               "isready", "uginewgame", "stop", "ugi", "setoption"]), st.lists(WORDS, max_size=6)),
    st.lists(st.integers(1, 7).map(str), max_size=12).map(lambda moves: f"position startpos moves {' '.join(moves)}"),
    st.sampled_from(["go nodes 3", "go movetime 1", "stop", "query result"]),
    st.text(max_size=20).filter(lambda text: text.split()),
)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(COMMANDS, max_size=20))
def test_no_command_is_one_too_many(commands):
    talk = Talk(iterations=5, seconds=0.005)
    tell = talk.engine._tell

    def known(what):
        assert isinstance(what, (str, *KNOWN)), what
        tell(what)

    talk.engine._tell = known
    for command in commands:
        word, *words = command.split()
        if word == "quit":
            continue
        begin = len(talk.written.getvalue())
        assert talk.engine.handle(command)
        if "infinite" in words:
            talk.engine.handle("stop")
        talk.engine.finish()
        lines = talk.written.getvalue()[begin:].decode().splitlines()
        answers = [line.split()[0] for line in lines if not line.startswith(("info ", "id ", "option "))]
        expected = {"go": ["bestmove"], "query": ["response"], "isready": ["readyok"], "ugi": ["ugiok"]}
        assert answers == expected.get(word, [])
        assert all(INFO.fullmatch(line) for line in lines if line.startswith("info ") and line.split()[1] != "string")
    talk.engine.close()
    assert talk.ask("position startpos", "isready") == ["readyok"]


def test_the_end_of_the_commands_ends_an_endless_search(monkeypatch):
    monkeypatch.setattr(ugi, "GRACE", 0.1)
    written = io.BytesIO()
    lines = Lines(io.BytesIO(b"go infinite\n"), written)
    engine = UGI(lines, Notation(mcts_core.Gomoku()))
    begin = time.perf_counter()
    serve(engine, lines)
    assert time.perf_counter() - begin < 60
    assert written.getvalue().decode().splitlines()[-1].startswith("bestmove ")
