"""Classes in ten styles compile, and the compiled games are those of the classes."""

import copy
import pickle
import random

import pytest
from compiled_games import GAMES, MORE, ConnectFour, Duel, Nim, Watched

import mcts_core as mc

QUICK = (ConnectFour, Nim, Duel)


@pytest.fixture(scope="module")
def compiled():
    """A function from a class to its game; each is compiled once."""
    known = {}

    def find(cls):
        if cls not in known:
            known[cls] = mc.compile(cls, cache=False)
        return known[cls]

    return find


def after(position, move):
    """The position of a class after a move."""
    if hasattr(position, "play"):
        return position.play(move)
    new = copy.deepcopy(position)
    new.push(move)
    return new


@pytest.mark.parametrize("cls", [
    pytest.param(cls, marks=() if cls in QUICK else pytest.mark.slow) for cls in [*GAMES, *MORE]])
def test_random_games_are_those_of_the_class(cls, compiled):
    game, choice = compiled(cls), random.Random(5)
    for _ in range(30):
        position, state = cls(), game.state()
        while position.winner() is None:
            moves = list(position.legal_moves())
            assert [game.moves[number] for number in state.legal_moves()] == moves
            assert state.to_move == position.to_move and state.winner() is None
            move = choice.choice(moves)
            position, state = after(position, move), state.play(move if isinstance(move, tuple) else
                                                                 game.moves.index(move))
        assert state.winner() == position.winner()
    assert mc.check_game(game, 20).ok


def test_positions_lead_to_python_and_back(compiled):
    game = compiled(ConnectFour)
    state = game.from_moves([3, 3, 2])
    position = state.to_python()
    assert type(position) is ConnectFour and position.board[5][2] == 1 and position.last == 37
    assert game.state(position).data == state.data and game.state(position).to_move == -1
    assert str(state) == str(position)
    position.push(0)
    assert str(state) != str(position)  # it is a copy


def test_a_finished_position_is_refused_as_a_first_one(compiled):
    position = ConnectFour()
    for move in (0, 1, 0, 1, 0, 1, 0):
        position.push(move)
    with pytest.raises(mc.InvalidState, match="the game is over"):
        compiled(ConnectFour).state(position)


def test_a_position_with_other_fields_is_refused(compiled):
    position = ConnectFour()
    position.board = [[0] * 8 for _ in range(6)]
    with pytest.raises(mc.InvalidState, match="board must be of the kind of the first position"):
        compiled(ConnectFour).state(position)


def test_tuples_and_texts_are_moves(compiled):
    nim, duel = compiled(Nim).state(), compiled(Duel).state()
    assert nim.play((2, 5)).to_python().heaps == (3, 4, 0)
    assert nim.name(nim.legal_moves()[0]) == "1from0" and nim.play("2from1").to_python().heaps == (3, 2, 5)
    assert compiled(Duel).moves == ("strike", "rest", "guard") and duel.play("strike").to_python().life == [3, 2]
    with pytest.raises(mc.IllegalMove):
        nim.play((0, 9))


def test_searches_prove_what_the_class_does(compiled):
    engine = mc.Searcher(seed=1)
    engine.search(compiled(Nim).state(), iterations=100_000)
    assert engine.stats().proven == "win"
    assert engine.stats().move == compiled(Nim).twin.number((0, 2))


def test_threads_share_a_compiled_game(compiled):
    engine = mc.Searcher(seed=1, threads=2)
    assert engine.search(compiled(ConnectFour).from_moves([3, 0, 3, 0, 3, 1]), iterations=2_000) == 3


def test_a_compiled_game_is_pickled_by_its_class(compiled):
    state = compiled(ConnectFour).from_moves([3, 4])
    assert pickle.loads(pickle.dumps(state)) == state
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=500)
    again = pickle.loads(pickle.dumps(engine))
    assert again.stats() == engine.stats()


def test_a_game_that_was_not_compiled_has_no_class():
    game = mc.NativeGame.__new__(mc.NativeGame)
    assert game.moves is None and game.twin is None


@pytest.mark.parametrize(("given", "error", "text"), [
    (5, mc.InvalidOption, "needs a class of positions"),
    (dict, mc.InvalidOption, "needs a class of positions"),
    (mc.ConnectFour, mc.InvalidOption, "ConnectFour is native already"),
    (mc.TicTacToe(), mc.InvalidOption, "TicTacToe is native already"),
])
def test_objects_other_than_classes_of_positions_are_refused(given, error, text):
    with pytest.raises(error, match=text):
        mc.compile(given)


def test_numba_is_asked_for_by_name(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "numba":
            raise ModuleNotFoundError("No module named 'numba'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install numba"):
        mc.compile(ConnectFour)


def test_machine_code_is_taken_from_the_disk(monkeypatch, tmp_path):
    from mcts_core.compiled import disk, drivers

    monkeypatch.setenv("MCTS_CORE_CACHE", str(tmp_path / "kept"))
    first = mc.compile(Nim)
    assert len(list((tmp_path / "kept").iterdir())) == 2
    monkeypatch.setattr(drivers.CFunc, "_compile_uncached", None)  # would fail
    again = mc.compile(Nim)
    assert again.from_moves([0, 1]).data == first.from_moves([0, 1]).data
    assert disk.is_private(disk.folder())


@pytest.mark.needs("modes and links of POSIX")
def test_a_folder_that_others_may_write_is_not_read(monkeypatch, tmp_path):
    from mcts_core.compiled import disk

    home = tmp_path / "kept"
    monkeypatch.setenv("MCTS_CORE_CACHE", str(home))
    disk.write("key", [1])
    assert disk.read("key") == [1]
    (home / "key.pickle").chmod(0o666)
    assert disk.read("key") is None
    (home / "key.pickle").chmod(0o600)
    home.chmod(0o777)
    assert disk.read("key") is None
    disk.write("other", [2])
    assert not (home / "other.pickle").exists()
    home.chmod(0o700)
    (home / "key.pickle").write_bytes(b"half")
    assert disk.read("key") is None


@pytest.mark.slow
def test_observations_are_those_of_the_class(compiled):
    state = compiled(Watched).from_moves([4, 0, 8])
    assert state.actions == 9
    assert state.observation().tolist() == state.to_python().observation()
    engine = mc.Searcher(evaluator=lambda batch: ([[1 / 9] * 9] * len(batch), [0.0] * len(batch)), seed=1)
    assert engine.search(state, iterations=300) in state.legal_moves()
