"""src/mcts_core/games/native_positions.pyx: the positions of native games as values, their moves and names."""

import copy
import struct

import pytest
from callback_game import DRAW, LOSS, WIN, nim, word

import mcts_core as mc
from mcts_core.games.native_games import NativeGame, NativePosition

NIM = nim(name=f"{__name__}:NIM")


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
