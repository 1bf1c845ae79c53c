"""The example that plays chess by the rules of python-chess: make test KIND=clients."""

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_core as mc

pytestmark = pytest.mark.clients
chess = pytest.importorskip("chess", reason="chess is not installed; make test KIND=clients installs it")
FILE = Path(__file__).parents[2] / "examples" / "python_chess.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("python_chess_example", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def position(example, fen):
    return example.Chess(chess.Board(fen))


def searched(example, state, iterations=2000):
    engine = mc.Searcher(policy_value=example.policy_value, seed=1)
    return engine.search(state, iterations=iterations), engine.stats()


def test_it_is_a_sound_game(example):
    report = mc.check_game(position(example, "8/1p6/3k4/8/8/3K4/1P6/8 w - - 70 60"), games=5)
    assert not report.problems and report.games == 5


@pytest.mark.parametrize(("fen", "winner"), [
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1),
    ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 1),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),                      # stalemate
    ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", 0),                      # nobody can give mate
    ("8/8/4k3/8/8/3RK3/8/8 w - - 100 90", 0),                   # fifty moves
    ("8/8/4k3/8/8/3RK3/8/8 w - - 99 90", None),
])
def test_how_games_end(example, fen, winner):
    assert position(example, fen).winner() == winner


def test_the_third_repetition_is_a_draw(example):
    state = example.Chess()
    for number, text in enumerate("Nf3 Nf6 Ng1 Ng8".split() * 2, 1):
        assert state.winner() is None, number
        state = state.play(state.move(text))
    assert state.winner() == 0


@pytest.mark.parametrize(("fen", "best", "distance"), [
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 3),            # Morphy's problem: mate in two
    ("8/8/8/8/r7/1p6/PP6/KBk5 b - - 0 1", None, 3),             # the same for the other side, upside down
    ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "Rd8#", 1),
])
def test_mates_are_proven(example, fen, best, distance):
    state = position(example, fen)
    move, stats = searched(example, state, 20_000)
    assert stats.proven == "win" and stats.distance <= distance
    assert best is None or state.name(move) == best


@pytest.mark.parametrize(("fen", "best"), [
    ("rnb1kbnr/pppp1ppp/8/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 3", "Bxg5"),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P1Q1/8/PPPP1PPP/RNB1KBNR b KQkq - 0 2", "Bxg4"),
    ("8/P6k/8/8/8/8/7K/8 w - - 0 1", "a8=Q"),                   # a bishop or a knight would be a draw
])
def test_what_can_be_won_is_won_by_both_sides(example, fen, best):
    state = position(example, fen)
    move, stats = searched(example, state)
    assert state.name(move) == best and stats.value > 0.8


@pytest.mark.parametrize("side", [1, -1])
def test_it_beats_random_moves(example, side):
    engine, choice = mc.Searcher(policy_value=example.policy_value, seed=2), random.Random(side)
    state = example.Chess()
    while state.winner() is None:
        own = state.to_move == side
        state = state.play(engine.search(state, iterations=300) if own else choice.choice(state.legal_moves()))
    assert state.winner() == side


def test_the_program_plays():
    done = subprocess.run([sys.executable, "-P", str(FILE), "--moves", "2", "--seconds", "0.2"],
                          capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith("\nthe game goes on\n")
    assert done.stdout.count(": value 0.") == 2
