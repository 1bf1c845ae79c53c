import concurrent.futures
import functools
import importlib.util
import itertools
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys

import pytest

import mcts_core
from mcts_core.games.mnk.weights import shipped
from mcts_core.testing.probe import Probe

FOLDER = pathlib.Path(__file__).parents[2] / "examples"


def loaded(name, path):
    """The module in a file, found under ``name`` as by an import."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dots():
    return loaded("dots_and_boxes_example", FOLDER / "dots_and_boxes.py")


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
    with pytest.raises(mcts_core.IllegalMove, match="a move must be an edge that is not drawn yet"):
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
    for _ in range(40):
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


# ---- native games ----------------------------------------------------------------------------------------------------


def build_breakthrough(folder):
    shutil.copytree(FOLDER / "breakthrough", folder / "source")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet",
         "--target", folder / "target", folder / "source"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CFLAGS": "-O0 -g0"}, capture_output=True,
        text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def breakthrough(built_once):
    """The example project, built against the package that is installed here, as its readers build it."""
    target = built_once("breakthrough", build_breakthrough) / "target"
    binary, = target.glob("breakthrough*.so") if os.name != "nt" else target.glob("breakthrough*.pyd")
    yield loaded("breakthrough", binary)
    del sys.modules["breakthrough"]


@pytest.fixture(scope="module")
def othello():
    yield loaded("othello_numba", FOLDER / "othello_numba.py")
    del sys.modules["othello_numba"]


@pytest.fixture(scope="module")
def four():
    name = "examples.connect_four_numba"  # under which the command line finds it, compiled
    yield loaded(name, FOLDER / "connect_four_numba.py")
    del sys.modules[name]


def mirrored(name):
    """A move of OpenSpiel's Breakthrough, where black begins, with the rows turned; without its mark of a capture."""
    return "".join(str(9 - int(mark)) if mark.isdigit() else mark for mark in name.rstrip("*"))


def test_breakthrough_is_that_of_openspiel(breakthrough):
    pyspiel = importlib.import_module("pyspiel")
    game, choice = pyspiel.load_game("breakthrough"), random.Random(1)
    won = {1: 0, -1: 0}
    for _ in range(30):
        state, other = breakthrough.Breakthrough(), game.new_initial_state()
        while not other.is_terminal():
            assert state.winner() is None and state.to_move == (1 if other.current_player() == 0 else -1)
            names = {state.name(move): move for move in state.legal_moves()}
            actions = {mirrored(other.action_to_string(action)): action for action in other.legal_actions()}
            assert names.keys() == actions.keys() and len(names) == len(state.legal_moves())
            name = choice.choice(sorted(names))
            state = state.play(names[name])
            other.apply_action(actions[name])
        assert state.winner() == other.returns()[0] and state.legal_moves() == []
        won[state.winner()] += 1
    assert min(won.values()) > 7


def test_breakthrough_is_a_sound_game(breakthrough):
    report = mcts_core.check_game(breakthrough.Breakthrough, 150, seed=1)
    assert report.ok, report
    assert report.most_moves > 22 and report.draws == 0


def test_positions_of_breakthrough_are_values(breakthrough):
    start = breakthrough.Breakthrough()
    assert str(start).splitlines()[1:3] == ["7 b b b b b b b b", "6 . . . . . . . ."]
    assert start.legal_moves()[:1] == [3 * 9] and start.name(3 * 9) == "b2a3"
    one = breakthrough.Breakthrough.from_moves([27, 3 * 48 + 1, 3 * 10 + 1])
    two = breakthrough.Breakthrough.from_moves([3 * 10 + 1, 3 * 48 + 1, 27])
    assert one == two and hash(one) == hash(two) and one != start
    assert pickle.loads(pickle.dumps(one)) == one and pickle.loads(pickle.dumps(one)).moves == (27, 145, 31)
    for move in (0, 3 * 48 + 1, "a2a3", True, None):
        with pytest.raises(mcts_core.IllegalMove, match="a move must be one of"):
            start.play(move)


def test_the_valuation_of_breakthrough(breakthrough):
    """A pawn ahead is worth something, and captures have the highest priors."""
    state = breakthrough.Breakthrough()
    probe = Probe(state)
    assert probe.valuation == (True, True, False, False)
    assert probe.value([]) == (0, 32768, None)
    path = []
    for name in ("a2a3", "h7h6", "a3a4", "h6h5", "a4a5", "h5h4", "a5a6"):
        move = next(move for move in state.legal_moves() if state.name(move) == name)
        state, path = state.play(move), [*path, move]
    assert probe.value(path)[1] == 32768 - 1000 * (25 - 16) // 4
    engine = mcts_core.Searcher(selection="puct", valuation="network", seed=1, solver=False)
    engine.search(state, iterations=200)
    priors = {state.name(entry.move): entry.prior for entry in engine.stats().moves}
    assert sum(priors.values()) == pytest.approx(1)
    assert max(priors, key=priors.get) == "b7a6" and priors["h4h3"] > priors["g7g6"]
    assert engine.options(state)["network"] is None
    with pytest.raises(mcts_core.InvalidOption, match="is only for five in a row"):
        mcts_core.Searcher(selection="puct", valuation="network", network=shipped()).search(state, iterations=10)


@pytest.mark.parametrize("options", [
    {}, {"preset": "uct"}, {"rollout": "decisive"}, {"selection": "rave"}, {"selection": "puct"},
    {"selection": "puct", "valuation": "network"}, {"selection": "puct", "valuation": 0.5},
])
def test_the_search_wins_breakthrough_in_two(breakthrough, options):
    """White runs to the last row; black, who would win a move later, cannot stop both ways."""
    state = breakthrough.Breakthrough()
    for name in ("a2a3", "h7h6", "a3a4", "h6h5", "a4a5", "h5h4", "a5a6", "h4h3", "a6b7", "h3g2"):
        state = state.play(next(move for move in state.legal_moves() if state.name(move) == name))
    move = mcts_core.search(state, iterations=3000, seed=1, **options)
    after = state.play(move)
    assert after.winner() == 1 and state.name(move) in ("b7a8", "b7b8", "b7c8")


def test_breakthrough_beats_random_moves(breakthrough):
    choice, engine = random.Random(3), mcts_core.Searcher(seed=3)
    for side in (1, -1):
        state = breakthrough.Breakthrough()
        while state.winner() is None:
            moves = state.legal_moves()
            state = state.play(engine.search(state, iterations=300) if state.to_move == side else choice.choice(moves))
        assert state.winner() == side


def perft(state, depth):
    if depth == 0 or state.winner() is not None:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())


def test_othello_has_the_known_numbers_of_games(othello):
    assert [perft(othello.OTHELLO.state(), depth) for depth in range(1, 6)] == [4, 12, 56, 244, 1396]


def test_othello_is_that_of_openspiel(othello):
    pyspiel = importlib.import_module("pyspiel")
    game, choice = pyspiel.load_game("othello"), random.Random(2)
    passes, won = 0, {1: 0, 0: 0, -1: 0}
    for _ in range(60):
        state, other = othello.OTHELLO.state(), game.new_initial_state()
        while not other.is_terminal():
            assert state.winner() is None and state.to_move == (1 if other.current_player() == 0 else -1)
            assert state.legal_moves() == other.legal_actions()
            move = choice.choice(state.legal_moves())
            passes += move == othello.PASS
            state = state.play(move)
            other.apply_action(move)
        assert state.winner() == other.returns()[0] and state.legal_moves() == []
        won[state.winner()] += 1
    assert passes > 10 and all(won.values())


def test_othello_is_a_sound_game(othello):
    report = mcts_core.check_game(othello.OTHELLO, 200, seed=1)
    assert report.ok, report
    assert report.longest > 60  # cells and passes


def test_othello_from_any_board(othello):
    def position(mine, theirs, **options):
        return othello.OTHELLO.state(mine.to_bytes(8, "little") + theirs.to_bytes(8, "little"), **options)

    last = position(0xFFFFFFFFFFFFFF80, 0x7E)  # the first cell is free, and turns a row
    assert last.legal_moves() == [0] and str(last).splitlines()[1] == "1 * O O O O O O X"
    assert last.play(0).winner() == 1 and str(last.play(0)).splitlines()[1] == "1 X X X X X X X X"
    stuck = position(0b10, 0b01)  # the stone in the corner cannot be turned
    assert stuck.legal_moves() == [othello.PASS] and stuck.play(othello.PASS).to_move == -1
    end = stuck.play(othello.PASS).play(2)  # all stones are white, and nobody can move
    assert end.winner() == -1 and end.moves == (othello.PASS, 2)
    assert position(0b10, 0b01, to_move=-1).play(othello.PASS).play(2).winner() == 1
    with pytest.raises(mcts_core.InvalidState, match="so the game is over"):
        position(1, 1 << 63)


def test_positions_of_othello_are_values(othello):
    state = othello.OTHELLO.from_moves([19, 18, 17])
    assert pickle.loads(pickle.dumps(state)) == state
    assert str(state).splitlines()[0] == "  a b c d e f g h" and "X" in str(state) and "*" in str(state)


def test_othello_beats_random_moves(othello, capsys):
    assert othello.main(["--seconds", "0.02", "--seed", "2"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    words = last.split()
    assert words[:2] == ["search", "(X)"] and int(words[2]) > int(words[4]) and "iterations per second" in last


def test_connect_four_by_numba_is_ours(four):
    choice = random.Random(5)
    for _ in range(40):
        state, other = four.CONNECT_FOUR.state(), mcts_core.ConnectFour()
        while other.winner() is None:
            assert sorted(state.legal_moves()) == other.legal_moves() and state.winner() is None
            assert state.to_move == other.to_move
            move = choice.choice(other.legal_moves())
            state, other = state.play(move), other.play(move)
        assert state.winner() == other.winner()


@pytest.mark.parametrize("name", ["CONNECT_FOUR", "FAST"])
def test_connect_four_by_numba_is_a_sound_game(four, name):
    game = getattr(four, name)
    assert mcts_core.check_game(game, 200, seed=2).ok
    own, other = (mcts_core.rollouts(state, 40_000, seed=1) for state in (game.state(), mcts_core.ConnectFour()))
    assert own.wins == pytest.approx(other.wins, abs=600) and own.draws == pytest.approx(other.draws, abs=60)
    assert own.mean_length == pytest.approx(other.mean_length, abs=0.25)
    engine = mcts_core.Searcher(seed=1)
    assert engine.search(game.from_moves([3, 0, 3, 0, 3]), iterations=3000) == 3  # the block
    assert engine.search(game.from_moves([3, 0, 3, 0, 3, 6]), iterations=3000) == 3
    assert engine.stats().proven == "win" and engine.stats().distance == 1


def test_several_threads_search_a_native_game(four):
    def found(seed):
        engine = mcts_core.Searcher(preset="uct", seed=seed)
        engine.search(four.FAST.state(), iterations=20_000)
        return [(entry.move, entry.visits, entry.wins) for entry in engine.stats().moves]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(found, [1, 2, 3, 4] * 3)) == [found(seed) for seed in (1, 2, 3, 4)] * 3
    states = [four.FAST.from_moves([move]) for move in range(7)]
    results = mcts_core.search_many(states, iterations=500, threads=2, seed=1)
    assert all(result.error is None and result.stats.iterations for result in results)


def test_the_command_line_checks_a_native_game(cli, monkeypatch, four):
    monkeypatch.chdir(FOLDER.parent)
    code, out, err = cli("check", "examples.connect_four_numba:FAST", "--games", 20)
    assert code == 0 and err == ""
    assert out.startswith("examples.connect_four_numba:FAST: 20 random games") and "no problem found" in out
    code, out, err = cli("analyze", "examples.connect_four_numba:FAST", "3 0 3 0 3", "--iterations", 2000, "--seed", 1)
    assert code == 0 and "best move: 3" in out


# ---- Morpion solitaire -----------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def morpion():
    return loaded("morpion_example", FOLDER / "morpion_solitaire.py")


STEPS_OF_MORPION = ((0, 1), (1, 0), (1, 1), (1, -1))


def slow_lines(points, drawn, touching):
    """The lines that can be drawn, by the rules: four points are there and one is not, and of no line drawn before in
    the same direction is there a common point, or, if they may touch, a common piece between two points."""
    found = set()
    for row, column in points:
        for direction, (down, right) in enumerate(STEPS_OF_MORPION):
            for first in range(-4, 1):
                line = [(row + k * down, column + k * right) for k in range(first, first + 5)]
                if len(set(line) - points) != 1:
                    continue
                taken = set(itertools.pairwise(line)) if touching else set(line)
                if all(taken.isdisjoint(itertools.pairwise(other) if touching else other)
                       for other in drawn[direction]):
                    found.add((direction, tuple(line)))
    return found


@pytest.mark.long
@pytest.mark.parametrize("touching", [False, True])
def test_morpion_solitaire_has_the_moves_of_the_slow_rules(morpion, touching):
    state = (morpion.TouchingMorpionSolitaire if touching else morpion.MorpionSolitaire)()
    points = {divmod(point, morpion.SIDE) for point in range(morpion.SIDE**2) if morpion.POINTS >> point & 1}
    drawn, choice = [[], [], [], []], random.Random(touching)
    assert len(points) == 36 and len(state.legal_moves()) == 28 and mcts_core.check_game(state).ok
    while state.returns() is None:
        lines = {}
        for move in state.legal_moves():
            start, direction = divmod(move, 4)
            (row, column), (down, right) = divmod(start, morpion.SIDE), STEPS_OF_MORPION[direction]
            lines[direction, tuple((row + k * down, column + k * right) for k in range(5))] = move
        assert set(lines) == slow_lines(points, drawn, touching) and len(lines) == len(state.legal_moves())
        direction, line = chosen = choice.choice(sorted(lines))
        points |= set(line)
        drawn[direction].append(line)
        state = state.play(lines[chosen])
        assert str(state).count("o") == 36 and str(state).count("x") == state.score
    assert slow_lines(points, drawn, touching) == set() and state.returns() == [sum(map(len, drawn))]


def test_morpion_solitaire_by_nested_rollouts(morpion, capsys):
    engine = mcts_core.Searcher(nested_rollouts=100, seed=1)
    engine.search(morpion.MorpionSolitaire(), iterations=100)
    state = morpion.MorpionSolitaire()
    for move in engine.stats().pv:
        state = state.play(move)
    assert state.returns() == [engine.stats().line_value] and state.score >= 56  # random games have 43 moves on average
    assert morpion.main(["--seconds", "0.1", "--touching"]) == 0 and " moves; " in capsys.readouterr().out
