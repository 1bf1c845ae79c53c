"""The search as a whole on positions whose value is known: what no preset may ever miss."""

import random
from pathlib import Path

import pytest
from random_play import played_on

import mcts_core as mc

DATA = Path(__file__).resolve().parent / "data"


def rows(name):
    lines = (DATA / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("preset", "iterations", "step"), [
    ("uct", 20_000, 6), ("strong", 300, 1), pytest.param("uct", 20_000, 1, marks=pytest.mark.slow)])
def test_tic_tac_toe_keeps_the_value_in_every_position(preset, iterations, step):
    engine = mc.Searcher(preset=preset, seed=1, memory_mb=16)
    positions = rows("ttt_truth.tsv")
    assert len(positions) == 5478
    searched = 0
    for board, to_move, value, _plies, best, _optimal in positions[::step]:
        state = mc.TicTacToe.from_string(board)
        if to_move == "-":
            assert state.winner() is not None
            continue
        assert state.winner() is None and {"X": 1, "O": -1}[to_move] == state.to_move
        move = engine.search(state, iterations=iterations)
        assert str(move) in best, (board, value)
        if preset == "strong" and engine.stats().proven:
            assert engine.stats().proven == {"1": "win", "0": "draw", "-1": "loss"}[value], board
        searched += 1
    assert searched == 4520 if step == 1 else searched > 4000 // step


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("preset", ["uct", "strong"])
def test_tic_tac_toe_against_itself_is_a_draw(preset, seed):
    engine, state = mc.Searcher(preset=preset, seed=seed), mc.TicTacToe()
    while state.winner() is None:
        state = state.play(engine.search(state, iterations=20_000))
    assert state.winner() == 0


def winning_moves(state):
    return {move for move in state.legal_moves() if state.play(move).winner() == state.to_move}


def survives(state, plies):
    """Whether the player to move, who has just been spared, can avoid losing within ``plies`` moves."""
    if state.winner() is not None:
        return state.winner() != -state.to_move
    if plies == 0 or winning_moves(state):
        return True
    return any(holds(state.play(move), plies - 1) for move in state.legal_moves())


def holds(state, plies):
    """The same where the other player is to move."""
    if state.winner() is not None:
        return True
    if plies == 0:
        return True
    return not winning_moves(state) and all(survives(state.play(move), plies - 1) for move in state.legal_moves())


def connect_four_tactics(count, seed):
    """Random positions with a win in one, and positions where only one move does not lose at once."""
    chooser = random.Random(seed)
    wins, blocks = [], []
    while len(wins) < count or len(blocks) < count:
        state = mc.ConnectFour()
        while state.winner() is None:
            own = winning_moves(state)
            if own:
                wins.append((state, own))
            else:
                # the opponent's threats, as if it were his turn
                cells = [line.split() for line in state.diagram().splitlines()]
                threats = {move for move in state.legal_moves() if threatens(cells, move, "OX"[state.to_move < 0])}
                if len(threats) == 1 and holds(state.play(min(threats)), 3):
                    blocks.append((state, threats))
            state = state.play(chooser.choice(state.legal_moves()))
    return wins[:count], blocks[:count]


def threatens(cells, column, mark):
    """Whether a stone ``mark`` in ``column`` would make four in a row."""
    row = max(r for r in range(6) if cells[r][column] == ".")
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < 6 and 0 <= c < 7 and cells[r][c] == mark:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length >= 4:
            return True
    return False


@pytest.mark.parametrize(("preset", "count", "iterations"), [
    ("uct", 400, 10_000), ("strong", 400, 300), pytest.param("uct", 2000, 10_000, marks=pytest.mark.slow)])
def test_connect_four_wins_in_one_and_forced_blocks_are_always_found(preset, count, iterations):
    wins, blocks = connect_four_tactics(count, seed=7)
    engine = mc.Searcher(preset=preset, seed=3, memory_mb=16)
    for state, right in wins:
        assert engine.search(state, iterations=iterations * 3 // 10) in right, str(state)
        assert preset == "uct" or (engine.stats().proven, engine.stats().distance) == ("win", 1)
    for state, right in blocks:
        assert engine.search(state, iterations=iterations) in right, str(state)


@pytest.mark.parametrize(("preset", "iterations"), [("uct", 20_000), ("strong", 2000)])
def test_connect_four_positions_that_need_no_luck(preset, iterations):
    """The simple tags of the solved collection; the rest is for bench/strength.py."""
    engine = mc.Searcher(preset=preset, seed=1, memory_mb=64)
    seen = 0
    for moves, _score, _scores, keeping, _optimal, tag, _erred in rows("c4_dev.tsv"):
        if tag in ("win1", "block"):
            state = mc.ConnectFour.from_moves("" if moves == "-" else moves, base=1)
            assert str(engine.search(state, iterations=iterations) + 1) in keeping, moves
            seen += 1
    assert seen == 95


@pytest.mark.parametrize("kind", ["win1", "block4"])
@pytest.mark.parametrize(("preset", "iterations"), [("uct", 50_000), ("strong", 2000)])
def test_gomoku_wins_and_blocks_a_five(preset, iterations, kind):
    engine = mc.Searcher(preset=preset, seed=1, memory_mb=64)
    seen = 0
    for row in rows("gomoku_dev.tsv"):
        rule, size, moves, _to_move, found, good = row[:6]
        if found == kind:
            size = int(size)
            cells = [int(y) * size + int(x) for x, y in (move.split(",") for move in moves.split(";"))]
            state = mc.Gomoku.from_moves(cells, size=size, rule={"exact5": "exact"}.get(rule, rule))
            right = {int(y) * size + int(x) for x, y in (move.split(",") for move in good.split(";"))}
            assert engine.search(state, iterations=iterations) in right, moves
            seen += 1
    assert seen > 20


def test_a_won_game_stays_won():
    """However few iterations a search has: the book proves many of these wins, and has none beyond ten stones."""
    chooser, proven = random.Random(1), 0
    for number in range(200):
        state = mc.ConnectFour() if number % 2 else mc.ConnectFour(7, 8, 4)
        state = played_on(state, chooser, chooser.randrange(4, 14))
        engine, opponent = mc.Searcher(seed=1, memory_mb=64), mc.Searcher(seed=2, memory_mb=64)
        player, said = state.to_move, None
        while state.winner() is None:
            if state.to_move == player:
                move = engine.search(state, iterations=100)
                stats = engine.stats()
                if said is None and stats.proven != "win":
                    break
                assert stats.proven == "win"
                said = stats.distance
            else:
                move = opponent.search(state, iterations=2000)
            state = state.play(move)
        if said is not None:
            assert state.winner() == player
            proven += 1
    assert proven > 40
