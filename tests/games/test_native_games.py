"""src/mcts_core/games/native_games.pyx and mcts_core/simple_game.h: the positions and the options of native games."""

import array
import copy
import ctypes
import gc
import pickle
import struct
import weakref

import pytest
from callback_game import (
    DRAW,
    LEGAL_MOVES,
    LOSS,
    PLAY,
    WIN,
    nim,
    paper,
    word,
)

import mcts_core as mc
from mcts_core.game import NativeState
from mcts_core.games.native_games import NativeGame, NativePosition

NIM = nim(name=f"{__name__}:NIM")


# ---- positions -------------------------------------------------------------------------------------------------------


def test_a_game_from_beginning_to_end():
    state = NIM.state()
    assert (state.to_move, state.legal_moves(), state.winner(), state.moves, state.last_move) == (
        1,
        [1, 2, 3],
        None,
        (),
        None,
    )
    after = state.play(3).play(3).play(3)
    assert (after.to_move, after.legal_moves(), after.moves, after.last_move) == (-1, [1], (3, 3, 3), 3)
    assert after.data == struct.pack("i", 1) and state.data == struct.pack("i", 10)
    end = after.play(1)
    assert end.winner() == -1 and end.legal_moves() == []
    assert NIM.from_moves([3, 3, 3, 1]) == NIM.from_moves("3331") == NIM.from_moves("4 4 4 2", base=1)


def test_the_outcome_is_for_the_player_who_moved():
    for outcome, winner in ((WIN, 1), (DRAW, 0), (LOSS, -1)):

        def play(context, state, move, outcome=outcome):
            word(state)[0] = 0
            return outcome

        game = nim(play=play)
        assert game.state().play(1).winner() == winner
        assert game.state(game.state().data, to_move=-1).play(1).winner() == -winner


@pytest.mark.parametrize(
    "move, error, words",
    [
        (0, mc.IllegalMove, r"move 0 is not legal; legal moves: \[1, 2\]"),
        (4, mc.IllegalMove, "a move must be an int from 0 to 3, got 4"),
        (-1, mc.IllegalMove, "a move must be an int from 0 to 3, got -1"),
        (2**70, mc.IllegalMove, "a move must be an int from 0 to 3, got 1180591620717411303424"),
        ("4", mc.IllegalMove, "a move must be a number from 0 to 3, got '4'"),
        ("x", mc.IllegalMove, "a move must be a number from 0 to 3, got 'x'"),
        (True, mc.IllegalMove, "a move must be an int from 0 to 3, got True"),
        (1.0, mc.IllegalMove, "a move must be an int from 0 to 3, got 1.0"),
        (None, mc.IllegalMove, "a move must be an int from 0 to 3, got None"),
    ],
)
def test_other_moves_are_refused(move, error, words):
    state = nim(2).state()
    with pytest.raises(error, match=words):
        state.play(move)
    assert state.moves == () and state.legal_moves() == [1, 2]


def test_moves_have_the_names_that_the_game_gives_them():
    words = {1: "one", 2: "two sticks", 3: "3 sticks"}
    game = nim(5, move_name=lambda state, move: words[move])
    state = game.state()
    assert [state.name(move) for move in state.legal_moves()] == ["one", "two sticks", "3 sticks"]
    assert state.move("two sticks") == state.move("twosticks") == state.move("2") == state.move(2) == 2
    assert state.play("one").play(1).moves == (1, 1) and state.play("3 sticks").legal_moves() == [1, 2]
    assert game.from_moves(["one", 1, "2"]).moves == (1, 1, 2) and game.from_moves("one,1; one").moves == (1, 1, 1)
    assert state.name("one") == "one"
    for call in (state.play, state.move, state.name):
        with pytest.raises(mc.IllegalMove, match=r"move 'four' is not legal; legal moves: \['one', 'two sticks', '3 "):
            call("four")
    with pytest.raises(mc.IllegalMove, match=r"move 3 is not legal; legal moves: \['one', 'two sticks'\]"):
        state.play(3).name(3)
    with pytest.raises(mc.IllegalMove, match=r"move 2 of 'one none': move 'none' is not legal"):
        game.from_moves("one none")
    mc.search(state, iterations=50, seed=1)
    stats = mc.stats()
    assert f"move {words[stats.move]} (number {stats.move})" in str(stats)
    assert stats.to_dict()["name"] == words[stats.move]


def test_without_names_moves_are_their_numbers():
    state = NIM.state()
    assert state.name(2) == "2" and state.move("2") == state.move(2) == 2 and state.play("2").moves == (2,)
    assert NIM.from_moves(["1", 2]).moves == NIM.from_moves("12").moves == (1, 2)
    mc.search(state, iterations=50, seed=1)
    assert str(mc.stats()).startswith(f"move {mc.stats().move}  value ")


@pytest.mark.parametrize("name", [lambda state, move: 7, lambda state, move: " ", lambda state, move: None])
def test_names_must_be_texts(name):
    with pytest.raises(mc.GameError, match="move_name must return a text for a legal move, got .* for 1"):
        nim(2, move_name=name).state().name(1)
    with pytest.raises(mc.InvalidOption, match="move_name must be a function"):
        nim(2, move_name="words")


def test_nothing_is_played_after_the_end():
    end = nim(1).state().play(1)
    with pytest.raises(mc.GameOver, match="the game is over, move 1 cannot be played"):
        end.play(1)
    with pytest.raises(mc.GameOver, match="the game is over"):
        mc.search(end, iterations=10)
    with pytest.raises(mc.IllegalMove, match=r"move 2 of \[1, 1\]: the game is over"):
        nim(1).from_moves([1, 1])
    with pytest.raises(mc.IllegalMove, match=r"move 2 of '10': move 0 is not legal"):
        nim(5).from_moves("10")


def test_positions_are_values():
    one, two = NIM.from_moves([1, 2]), NIM.from_moves([2, 1])
    assert one == two and hash(one) == hash(two) and one.moves != two.moves
    assert one != NIM.from_moves([3])  # the same stones, another player
    assert one != nim().from_moves([1, 2])  # another game
    assert one != one.data and not one == 7
    assert copy.copy(one) is one and copy.deepcopy(one) is one
    assert len({one, two, NIM.state()}) == 2


def test_positions_cannot_be_changed_or_made_by_hand():
    state = NIM.state()
    for name in ("to_move", "data", "moves", "rules"):
        with pytest.raises(AttributeError):
            setattr(state, name, 1)
    with pytest.raises(mc.InvalidState, match="made by state"):
        NativePosition()
    with pytest.raises(mc.InvalidOption, match="made by native_game"):
        NativeGame()
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Mine", (NativePosition,), {})
    empty = NativePosition.__new__(NativePosition)
    assert (empty.winner(), empty.legal_moves(), empty.moves, len(empty.data)) == (0, [], (), 1)
    assert hash(empty) == hash(NativePosition.__new__(NativePosition)) and repr(empty)
    with pytest.raises(mc.GameOver):
        mc.search(empty, iterations=1)
    with pytest.raises(mc.GameOver):
        empty.play(0)
    with pytest.raises(mc.InvalidState, match="no legal move"):
        NativeGame.__new__(NativeGame).state()


def test_texts():
    assert repr(NIM) == f"<NativeGame {__name__}:NIM>"
    assert repr(NIM.from_moves("12")) == f"<NativePosition of {__name__}:NIM after [1, 2]>" == str(NIM.from_moves("12"))
    assert "from b'\\x02" in repr(NIM.state(struct.pack("i", 2)))
    drawn = nim(text=lambda state: "|" * struct.unpack("i", state.data)[0])
    assert str(drawn.state().play(3)) == "|||||||" and repr(drawn).endswith("native_game>")
    assert (NIM.name, NIM.state_size, NIM.max_moves, NIM.max_plies) == (f"{__name__}:NIM", 4, 4, 0)
    assert NIM() == NIM.state() and NIM.state().rules is NIM


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
