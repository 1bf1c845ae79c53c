"""examples/train_gomoku without PyTorch: patterns, samples, and what is to be learnt of a game."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from gomoku_training import board_of, load, random_board, random_boards

patterns, samples, self_play, measure = load("patterns", "samples", "self_play", "measure")


def slow_half_line(board, row, col, dy, dx):
    values = []
    for distance in range(1, 6):
        y, x = row + distance * dy, col + distance * dx
        if not (0 <= y < board.shape[0] and 0 <= x < board.shape[1]):
            break
        values.append(int(board[y, x]))
    return (3 ** len(values) - 1) // 2 + sum(value * 3 ** place for place, value in enumerate(values))


def slow_cells(board):
    """The cells looked at with their patterns, cell by cell."""
    stones = np.argwhere(board)
    for row, col in np.argwhere(board == 0):
        steps = [(abs(row - y), abs(col - x)) for y, x in stones]
        if any(max(step) <= 2 or (max(step) == 3 and min(step) in (0, 3)) for step in steps):
            found = []
            for dy, dx in ((0, 1), (1, 0), (1, 1), (-1, 1)):
                one, other = (slow_half_line(board, row, col, sign * dy, sign * dx) for sign in (1, -1))
                low, high = sorted((one, other))
                found.append(high * (high + 1) // 2 + low)
            yield row * board.shape[1] + col, found


def test_patterns_are_those_of_a_slow_loop():
    for board in random_boards():
        offsets, cells, indices = patterns.patterns(board[None])
        expected = list(slow_cells(board))
        assert offsets.tolist() == [0, len(expected)]
        assert cells.tolist() == [cell for cell, _ in expected]
        assert indices.tolist() == [found for _, found in expected]


def test_boards_of_a_batch_do_not_see_each_other():
    chooser = random.Random(2)
    boards = np.stack([random_board(7, 9, stones, chooser) for stones in (0, 1, 3, 0, 20, 40, 63)])
    offsets, cells, indices = patterns.patterns(boards)
    assert offsets[1] == 0 and offsets[-1] == offsets[-2] == len(cells)
    for number, board in enumerate(boards):
        _, alone_cells, alone_indices = patterns.patterns(board[None])
        part = slice(offsets[number], offsets[number + 1])
        assert np.array_equal(cells[part], alone_cells) and np.array_equal(indices[part], alone_indices)


def test_half_lines_and_patterns_have_their_numbers():
    lines = patterns.half_lines()
    assert len({tuple(line) for line in lines}) == len(lines) == 364
    for number, line in enumerate(lines):
        values = [int(value) for value in line if value >= 0]
        assert (line[len(values):] == -1).all()
        assert (3 ** len(values) - 1) // 2 + sum(value * 3 ** place for place, value in enumerate(values)) == number
    low, high = patterns.halves_of_patterns().T
    assert (low <= high).all() and np.array_equal(patterns.pair(low, high), np.arange(66430))


def test_samples_come_back_from_a_file_by_size(tmp_path):
    chooser = random.Random(3)
    turns = [(random_board(rows, cols, 9, chooser), chooser.random(), policy) for rows, cols, policy in
             ((9, 9, None), (15, 15, ([3, 224], [0.25, 0.75])), (9, 9, ([80], [1.0])), (20, 9, None), (15, 15, None))]
    samples.Samples.of(turns).save(tmp_path / "shard.npz", samples.Counts(2, 5, 3, 50, 1.5))
    found, counts = samples.Samples.load(tmp_path / "shard.npz")
    assert counts == samples.Counts(2, 5, 3, 50, 1.5) and len(found) == 5
    assert counts.drawn_share == 0.6 and counts.mean_length == 25 and counts.black_share == 0.75
    twice = samples.Samples.join([found, found])
    assert len(twice) == 10
    seen = 0
    for boards, values, weights in twice.parts():
        for board, value, row in zip(boards, values, weights, strict=True):
            expected = [policy or ([], []) for other, result, policy in turns
                        if np.array_equal(other, board) and result == pytest.approx(value, abs=1e-6)]
            assert len(expected) == 1
            assert dict(zip(*expected[0], strict=True)) == {cell: row[cell] for cell in np.flatnonzero(row)}
            seen += 1
    assert seen == 10


def turn(side, value, proven=False):
    return self_play.Turn(side, np.zeros((9, 9), np.int8), value, proven, None)


def test_values_to_learn_are_the_result_and_a_little_of_the_search():
    turns = [turn(1, 0.5), turn(-1, 0.4), turn(1, 1.0, proven=True)]
    found = [value for _, value, _ in self_play.learnt(turns, 1.0, None)]
    assert found == pytest.approx([0.85 + 0.15 * 0.5, 0.15 * 0.4, 1.0])


def test_positions_before_a_random_move_do_not_learn_what_came_of_it():
    turns = [turn(1, 0.6), turn(-1, 0.3), turn(1, 0.2), turn(-1, 1.0, proven=True)]
    found = [value for _, value, _ in self_play.learnt(turns, 0.0, 1)]  # white's second move was random
    assert found == pytest.approx([0.85 * 0.7 + 0.15 * 0.6, 0.85 * 0.3 + 0.15 * 0.3, 0.15 * 0.2, 1.0])


def entry(move, visits, value, proven=None):
    return SimpleNamespace(move=move, visits=visits, value=value, proven=proven)


def test_the_policy_leaves_out_visits_that_only_noise_explains():
    entries = [entry(10, 300, 0.6), entry(11, 60, 0.58), entry(12, 30, 0.2), entry(13, 9, 0.0, "loss"),
               entry(14, 1, 0.5), entry(15, 0, 0.5)]
    priors = {10: 0.5, 11: 0.3, 12: 0.01, 13: 0.1, 14: 0.09, 15: 0.0}
    cells, weights = self_play.policy_of(SimpleNamespace(moves=entries, visits=400), priors, 0.625)
    assert cells == [10, 11] and sum(weights) == pytest.approx(1)
    top = 0.6 + 0.625 * 20 * 0.5 / 301
    visits = 300 * weights[1] / weights[0]
    # the fewest visits with which the second move is not better than the first one
    assert 0.58 + 0.625 * 20 * 0.3 / (1 + visits) <= top < 0.58 + 0.625 * 20 * 0.3 / visits or visits == 60


def test_a_game_knows_the_board_as_the_network_sees_it():
    game = self_play.Game(9)
    for move in (40, 41, 31):
        game.play(move)
    expected = np.zeros((9, 9), np.int8)
    expected.flat[[40, 31]], expected.flat[41] = 2, 1
    assert np.array_equal(game.board(), expected) and game.count == 3
    assert set(game.near()) == set(patterns.patterns(expected[None])[1])
    assert list(game.state.moves) == [40, 41, 31]


def test_openings_of_matches_keep_their_form():
    found = list(measure.openings(measure.OPENINGS, 50, random.Random(1)))
    assert len(found) == 50 and len(set(found)) > 40
    lines = measure.OPENINGS.read_text().splitlines()
    assert {len(state.moves) for state in found} == {(line.count(",") + 1) // 2 for line in lines}
    for state in found:
        assert state.winner() is None
        rows, cols = zip(*(divmod(move, 15) for move in state.moves), strict=True)
        assert min(rows + cols) >= 2 and max(rows + cols) <= 12


def test_the_score_of_a_match():
    # 0.625 -+ 1.96 * sqrt(0.078125 / 4)
    expected = "8 games: +4 =2 -2, 62.5 %, Elo +89 (-107 to +380)"
    assert measure.report([(1, 0.5), (0, 1), (1, 1), (0.5, 0)]) == expected


@pytest.mark.parametrize("program, wrong", [
    (self_play, "--games=0"), (self_play, "--workers=0"), (self_play, "--full=0"), (self_play, "--fast=-3"),
    (self_play, "--seed=-1"), (measure, "--games=3"), (measure, "--iterations=0"), (measure, "--seconds=0"),
    (measure, "--seconds=nan"), (measure, "--seed=-1"),
])
def test_options_without_sense_are_refused_at_once(program, wrong, capsys):
    with pytest.raises(SystemExit):
        program.main(["a.net", "b.net"][:1 + (program is measure)] + [wrong])
    assert f"error: {'' if wrong == '--games=3' else 'argument '}{wrong.partition('=')[0]}" in capsys.readouterr().err


def test_drawings_are_boards():
    assert board_of("x.o ...").tolist() == [[1, 0, 2], [0, 0, 0]]
