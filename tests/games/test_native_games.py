"""src/mcts_core/games/native_games.pyx and mcts_core/simple_game.h: the options of native games."""

import array
import ctypes
import gc
import pickle
import struct
import weakref

import pytest
from callback_game import (
    LEGAL_MOVES,
    PLAY,
    WIN,
    nim,
    paper,
    word,
)

import mcts_core as mc
from mcts_core.game import NativeState

NIM = nim(name=f"{__name__}:NIM")


# ---- positions from data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("i", 7),
        bytearray(struct.pack("i", 7)),
        memoryview(struct.pack("i", 7)),
        array.array("i", [7]),
        (ctypes.c_int32 * 1)(7),
    ],
)
def test_data_may_be_any_contiguous_buffer(data):
    state = NIM.state(data)
    assert state.data == struct.pack("i", 7) and state.to_move == 1 and state.moves == ()
    assert NIM.state(data, to_move=-1).play(3).to_move == 1


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", r"must have 4 bytes \(state_size\), got 0"),
        (b"12345", r"must have 4 bytes \(state_size\), got 5"),
        ("1234", "must be bytes"),
        (7, "must be bytes"),
        ([7], "must be bytes"),
        (struct.pack("i", 0), "no legal move, so the game is over"),
    ],
)
def test_other_data_is_refused(data, words):
    with pytest.raises(mc.InvalidState, match=words):
        NIM.state(data)
    with pytest.raises(mc.InvalidState, match=words):
        mc.native_game(
            legal_moves=LEGAL_MOVES(lambda context, state, moves: min(3, word(state)[0])),
            play=PLAY(lambda *_: 0),
            state_size=4,
            max_moves=4,
            start=data,
        )


@pytest.mark.parametrize("player", [0, 2, True, "1", 1.5])
def test_to_move_is_plus_or_minus_one(player):
    with pytest.raises(mc.InvalidState, match="to_move must be .1 or -1, got"):
        NIM.state(struct.pack("i", 5), to_move=player)


def test_where_the_position_says_who_is_to_move():
    game, _ = paper({"root": (-1, {0: "a", 1: "b"}), "a": (-1, {2: "b"}), "b": 1})
    assert game.state().to_move == -1 and game.state().play(0).to_move == -1
    assert game.state().play(1).winner() == 1  # the move of -1 lost
    assert game.state(game.state().data, to_move=-1) == game.state()
    with pytest.raises(mc.InvalidState, match="to_move must be -1, the player to move in this position, got .1"):
        game.state(game.state().data, to_move=1)


def test_pickle():
    for state in (
        NIM.state(),
        NIM.from_moves("321"),
        NIM.from_moves("3331"),
        NIM.state(struct.pack("i", 3), to_move=-1).play(1),
    ):
        restored = pickle.loads(pickle.dumps(state))
        assert restored == state and restored.moves == state.moves and restored.winner() == state.winner()
        assert restored.rules is NIM
    for game in (nim(), nim(name="no_such_module:NIM"), nim(name=f"{__name__}:NIM"), nim(name="othello")):
        with pytest.raises(mc.InvalidState, match="cannot be pickled.*name='module:attribute'"):
            pickle.dumps(game.state())


# no tree is that deep, and there is no memory for the states of such a line
LONG = nim(20, name=f"{__name__}:LONG", max_plies=2**29, state_size=32768)


@pytest.mark.parametrize("options", [{}, {"preset": "uct"}, {"selection": "rave"}, {"threads": 2}], ids=str)
@pytest.mark.parametrize("game", [NIM, LONG], ids=["unknown length", "long"])
def test_a_pickled_search_goes_on(game, options):
    engine = mc.Searcher(seed=1, solver=False, **options)
    state = game.state()
    state = state.play(engine.search(state, iterations=2000))
    again = pickle.loads(pickle.dumps(engine))
    assert again.stats() == engine.stats()
    for each in (engine, again):
        each.search(state, iterations=200)
        assert each.stats().reused_visits > 0
    assert again.stats().moves == engine.stats().moves


def test_what_cannot_be_saved():
    engine, nameless = mc.Searcher(seed=1), mc.Searcher(seed=1)
    engine.search(NIM.state(), iterations=100)
    with pytest.raises(mc.InvalidState, match=r"got NativePosition; pickle.dumps\(engine\) keeps"):
        engine.save("unwritten.mcts")
    nameless.search(nim().state(), iterations=100)
    before = nameless.stats()
    with pytest.raises(mc.InvalidState, match="cannot be pickled.*name='module:attribute'"):
        pickle.dumps(nameless)
    assert nameless.stats() == before


def test_tables_that_cannot_be_searched_are_refused():
    state = nim().state()
    # CPython: after the header an object of NativeState has the pointers to its table and to its state
    table = ctypes.c_void_p.from_address(id(state) + object.__basicsize__).value
    version = ctypes.c_uint32.from_address(table)
    for wrong in (0, version.value + 1):
        before, version.value = version.value, wrong
        for call in (mc.search, mc.rollouts):
            words = f"NativePosition was built for version {wrong} of the game table"
            with pytest.raises(mc.InvalidState, match=words):
                call(state, 1)
        version.value = before
    assert mc.search(state, iterations=100) in (1, 2, 3)
    for call in (mc.search, mc.rollouts):
        with pytest.raises(mc.InvalidState, match="is not a position: NativeState.__cinit__ must set game and state"):
            call(NativeState(), 1)
    with pytest.raises(mc.InvalidState, match="must set game and state"):
        mc.search(NativeState(), iterations=1, evaluator=lambda observations: (None, [0.0]))
    assert NativeState().actions is None and NativeState().explain_error() is None
    with pytest.raises(mc.InvalidState, match="has no observations"):
        NativeState().observation()


# ---- making a game ---------------------------------------------------------------------------------------------------


def options(**changes):
    return {
        "legal_moves": LEGAL_MOVES(lambda *_: 0),
        "play": PLAY(lambda *_: 0),
        "state_size": 4,
        "max_moves": 4,
        **changes,
    }


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"state_size": 0}, "state_size must be an int from 1 to 32768, got 0"),
        ({"state_size": 32769}, "state_size must be an int from 1 to 32768, got 32769"),
        ({"state_size": 4.0}, "state_size must be an int"),
        ({"max_moves": 0}, "max_moves must be an int from 1 to 16384, got 0"),
        ({"max_moves": 16385}, "max_moves must be an int from 1 to 16384, got 16385"),
        ({"max_plies": -1}, "max_plies must be an int from 0"),
        ({"name": 3}, "name must be a str, got 3"),
        ({"text": "draw"}, "text must be a function"),
        ({"context": "abc"}, "context must be an object with a contiguous buffer or an address, got 'abc'"),
        ({"context": -1}, "context must be an int from 0"),
        ({"play": None}, "play must be a native function: a numba.cfunc, .* got None"),
        ({"legal_moves": lambda *_: 0}, "legal_moves must be a native function"),
        ({"play": 0}, "play must be the address of a native function"),
        ({"play": True}, "play must be a native function"),
        ({"play": 2**64}, "the address of play must be an int from 0"),
        (
            {"play": LEGAL_MOVES(lambda *_: 0)},
            r"play must be a function int32_t \(void \*context, void \*state, uint32_t "
            r"move\), got c_int \(c_void_p, c_void_p, LP_c_uint\)",
        ),
        ({"to_move": PLAY(lambda *_: 0)}, "to_move must be a function"),
        (
            {"rollout": ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(lambda *_: 0)},
            "rollout must be .* got c_long",
        ),
        ({"rollout": ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(lambda *_: None)}, r"got None \(c_void_p"),
        ({"rollout": ctypes.PYFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(lambda *_: 0)}, "without the GIL"),
    ],
)
def test_bad_options(changes, words):
    with pytest.raises(mc.InvalidOption, match=words):
        mc.native_game(**options(**changes))


def test_functions_are_given_by_keyword_and_all_are_needed():
    with pytest.raises(TypeError, match="play"):
        mc.native_game(legal_moves=LEGAL_MOVES(lambda *_: 0), state_size=4, max_moves=4)
    with pytest.raises(TypeError):
        mc.native_game(1, 2, 3, 4)


def only_move(context, state, moves):
    moves[0] = 0
    return 1


def test_the_functions_live_as_long_as_a_position():
    play = PLAY(lambda context, state, move: WIN)
    seen = weakref.ref(play)
    state = mc.native_game(legal_moves=LEGAL_MOVES(only_move), play=play, state_size=1, max_moves=1).state()
    del play
    gc.collect()
    assert seen() is not None and state.play(0).winner() == 1
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=10)
    del state, engine
    gc.collect()
    assert seen() is None


def test_the_context_is_handed_on_and_kept():
    got = []

    def legal_moves(context, state, moves):
        got.append(context and ctypes.cast(context, ctypes.POINTER(ctypes.c_int32))[1])
        return only_move(context, state, moves)

    data = array.array("i", [5, 42])
    functions = {"legal_moves": LEGAL_MOVES(legal_moves), "play": PLAY(lambda *_: WIN), "state_size": 1, "max_moves": 1}
    for context in (data, data.buffer_info()[0], None):
        mc.native_game(context=context, **functions).state().legal_moves()
    assert set(got) == {42, None}
    held = mc.native_game(context=data, **functions)
    with pytest.raises(BufferError):
        data.append(1)  # it would move
    del held
    gc.collect()
    data.append(1)
