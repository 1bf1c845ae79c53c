"""src/games/native_games.pyx and mcts_core/simple_game.h: games of the user's native functions."""

import array
import copy
import ctypes
import gc
import pickle
import struct
import threading
import weakref

import pytest
from callback_game import (
    DRAW,
    EXPAND,
    LEGAL_MOVES,
    LOSS,
    ONGOING,
    PLAY,
    ROLLOUT,
    SIMULATE,
    TO_MOVE,
    WIN,
    nim,
    paper,
    word,
)
from paper_game import random_tree, solve
from uct_oracle import Oracle

import mcts_core as mc
from mcts_core.game import NativeState
from mcts_core.games.native_games import NativeGame, NativePosition
from mcts_core.testing.probe import Probe

PRESETS = ["uct", "strong"]
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


def test_numpy_arrays_are_buffers():
    numpy = pytest.importorskip("numpy")  # in the extra [test], by numba
    array = numpy.arange(8, dtype=numpy.int32)
    assert NIM.state(array[7:]).data == struct.pack("i", 7)
    with pytest.raises(mc.InvalidState, match="must have 4 bytes, got 8"):
        NIM.state(array[1:3])
    wide = numpy.zeros((2, 2), numpy.int16)[:, 0]
    with pytest.raises(mc.InvalidState, match="contiguous array of 4 bytes"):
        NIM.state(wide)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "must have 4 bytes, got 0"),
        (b"12345", "must have 4 bytes, got 5"),
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
    assert version.value >= 2
    for wrong in (0, 1, version.value + 1):
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


# ---- searching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stones", [1, 2, 3, 5, 6, 7, 9, 10])
@pytest.mark.parametrize("max_moves", [4, 9])  # slots are moves, and places in the list
@pytest.mark.parametrize("preset", PRESETS)
def test_nim_is_played_perfectly(preset, max_moves, stones):
    game = nim(stones, max_moves=max_moves)
    for player in (1, -1):
        state = game.state(game.state().data, to_move=player)
        assert mc.search(state, iterations=3000, seed=3, preset=preset) == stones % 4
        stats = mc.stats()
        assert {entry.move for entry in stats.moves} == set(state.legal_moves())
        if preset == "strong":
            assert stats.proven == "win" and stats.stop_reason == "solved"
        else:
            assert stats.value > 0.5


@pytest.mark.parametrize("max_moves", [4, 9, 30])
@pytest.mark.parametrize("seed", range(6))
def test_every_statistic_equals_the_oracle(seed, max_moves):
    """Also where the same player moves twice and where a move loses at once."""
    game, other = paper(random_tree(seed), max_moves)
    state = game.state()
    assert (state.to_move, state.legal_moves()) == (other.to_move, other.legal_moves())
    oracle = Oracle(Probe(state, 5), state.to_move, 0.7)
    for _ in range(300):
        oracle.iterate()
    engine = mc.Searcher(preset="uct", seed=5, exploration=0.7)
    engine.search(state, iterations=300)
    stats = engine.stats()
    names = {
        move: move if max_moves <= 8 or oracle.root.block else state.legal_moves().index(move)
        for move in state.legal_moves()
    }
    assert {names[entry.move]: (entry.visits, entry.wins) for entry in stats.moves} == oracle.children()
    assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)


@pytest.mark.parametrize("rollout", ["random", "decisive"])
@pytest.mark.parametrize("seed", range(30))
def test_random_games_are_solved(seed, rollout):
    tree = random_tree(seed)
    game, _ = paper(tree, 4 if seed % 2 else 12)
    winner, plies = solve(tree)
    engine = mc.Searcher(seed=seed, rollout=rollout)
    state = game.state()
    engine.search(state, iterations=2000)
    stats = engine.stats()
    assert stats.proven == {1: "win", 0: "draw", -1: "loss"}[winner * state.to_move]
    assert stats.distance >= plies or winner == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_table_agrees_with_the_rules_when_turns_do_not_alternate(seed):
    """Results of rollouts and simulations are those that the tree of the game can give, seen by the right player."""
    tree = random_tree(seed)
    game, _ = paper(tree, 6)

    def leaves(name):
        node = tree[name]
        return set().union(*map(leaves, node[1].values())) if isinstance(node, tuple) else {node}

    def visit(state, path, name):
        player, children = tree[name]
        assert state.to_move == player
        probe = Probe(root, len(path))
        cursor = 0
        for move, child in children.items():
            result, slot, cursor, count = probe.simulate(path, cursor)
            assert (slot, count) == (move, 6)
            assert (result - 1) * root.to_move in leaves(child)
            policies = (
                [probe.policy_rollout([*path, move], policy)[0] for policy in (0, 1)]
                if isinstance(tree[child], tuple)
                else []
            )
            assert all((points - 1) * root.to_move in leaves(child) for points in policies)
        assert cursor is None
        outcomes, _, same = probe.expand(path, 6)
        expected = [4] * 6
        for move, child in children.items():
            if isinstance(tree[child], tuple):
                expected[move] = ONGOING
                visit(state.play(move), [*path, move], child)
            else:
                expected[move] = DRAW if tree[child] == 0 else WIN if tree[child] == player else LOSS
                assert state.play(move).winner() == tree[child]
        assert outcomes == expected and same == (player == root.to_move)
        listed, same, complete, rest = probe.children(path)
        assert [(move, action, outcome) for move, action, outcome, _, _ in listed] == [
            (move, move, expected[move]) for move in children
        ]
        assert same == (player == root.to_move) and complete and rest == 0

    root = game.state()
    visit(root, [], "root")


def test_rollouts_tell_who_played_what():
    _, played, proof = Probe(nim(3).state(), 1).policy_rollout([1], 0)  # two stones are left, the other one moves
    assert proof is None and len(played) == 4
    assert list(played) in ([0, 0, 2, 0], [0, 2, 0, 0])  # 2 takes both, or 1 and 1, of which the first counts
    assert Probe(nim(3).state(), 1).policy_rollout([1], 0, told=False)[1] == bytes(4)


def test_decisive_rollouts_win_at_once_or_keep_the_opponent_from_it():
    tree = {
        "root": (1, {0: "a", 1: "b", 2: "c"}),
        "a": (-1, {0: "lost", 1: "won"}),  # the opponent wins at once
        "b": (-1, {0: "won", 1: "drawn"}),
        "c": (1, {0: "won", 1: "lost"}),  # the same player wins at once
        "won": 1,
        "drawn": 0,
        "lost": -1,
    }
    game, _ = paper(tree)
    results = [Probe(game.state(), seed).policy_rollout([], 1) for seed in range(60)]
    assert not any(played[0] for _, played, _ in results if played[1] == played[2] == 0)
    assert {result for result, _, _ in results} == {1, 2}  # b, where -1 draws or blunders, and c
    assert all(result == 2 for seed in range(20) for result in [Probe(game.state(), seed).policy_rollout([2], 1)[0]])
    assert {Probe(game.state(), seed).policy_rollout([0], 1)[0] for seed in range(20)} == {0}
    assert {Probe(game.state(), seed).policy_rollout([0], 0)[0] for seed in range(20)} == {0, 2}


@pytest.mark.parametrize("selection", ["ucb1", "ucb1-tuned", "rave", "grave"])
def test_every_selection_works(selection):
    assert mc.search(nim(7).state(), iterations=2000, seed=1, selection=selection) == 3
    assert mc.stats().proven == "win"


def test_the_same_seed_gives_the_same_search():
    found = []
    for _ in range(2):
        for preset in PRESETS:
            engine = mc.Searcher(seed=7, preset=preset, solver=False)
            engine.search(nim(30).state(), iterations=500)
            found.append({entry.move: (entry.visits, entry.wins) for entry in engine.stats().moves})
    assert found[:2] == found[2:]


def test_rollouts():
    counted = mc.rollouts(nim(1).state(), 100, seed=1)
    assert (counted.wins, counted.draws, counted.losses, counted.mean_length) == (100, 0, 0, 1)
    counted = mc.rollouts(nim(2).state(), 2000, seed=1)
    assert counted.wins == pytest.approx(1000, abs=150) and 1 < counted.mean_length < 2


def test_the_largest_sizes():
    def legal_moves(context, state, moves):
        moves[0], moves[1] = 16383, 5
        return 2

    def play(context, state, move):
        last = ctypes.cast(state + 32764, ctypes.POINTER(ctypes.c_int32))
        last[0] += 1
        return WIN if move == 16383 and last[0] == 3 else LOSS if last[0] == 3 else ONGOING

    game = mc.native_game(legal_moves=LEGAL_MOVES(legal_moves), play=PLAY(play), state_size=32768, max_moves=16384)
    for preset, extra in (("uct", {}), ("strong", {}), ("strong", {"rollout": "decisive", "selection": "grave"})):
        assert mc.search(game.state(), iterations=200, preset=preset, seed=1, **extra) in (5, 16383)
    assert mc.stats().proven == "win"
    assert mc.check_game(game, 5).ok


def test_several_threads_search_one_game():
    game = nim(25)
    found = {}

    def run(number):
        engine = mc.Searcher(preset="uct", seed=number % 2)
        engine.search(game.state(), iterations=300)
        found[number] = [(entry.move, entry.visits) for entry in engine.stats().moves]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[2] != found[1] == found[3]


@pytest.mark.parametrize("preset", PRESETS)
def test_one_search_in_several_threads(preset):
    found = []
    for _ in range(2):
        engine = mc.Searcher(preset=preset, seed=4, threads=2, solver=False)
        engine.search(nim(30, max_moves=9).state(), iterations=3000)
        found.append([(entry.move, entry.visits, entry.wins) for entry in engine.stats().moves])
        assert engine.stats().threads == 2
    assert found[0] == found[1]


@pytest.mark.parametrize("max_moves", [4, 9, 16384])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_tree_is_kept_from_move_to_move(preset, max_moves):
    engine = mc.Searcher(seed=1, preset=preset, reuse=True, solver=False)
    game = nim(20, max_moves=max_moves)
    state = game.state()

    def reused(later):
        engine.search(state, iterations=2000)
        engine.search(later, iterations=100)
        assert {entry.move for entry in engine.stats().moves} == {1, 2, 3}
        return engine.stats().reused_visits

    assert reused(state.play(1).play(3)) > 0
    left = state.play(1).play(3).data
    assert reused(game.state(left)) > 0
    assert reused(game.state(left, to_move=-1)) == 0  # the same bytes, but after an odd number of moves
    assert reused(game.state(state.data, to_move=-1)) == 0
    assert reused(state.play(3)) > 0
    assert reused(game.state(state.play(3).data, to_move=-1)) > 0
    assert reused(nim(17, max_moves=max_moves).state()) == 0  # another game


# ---- functions that are given for speed ------------------------------------------------------------------------------


def test_a_given_rollout_is_used():
    calls = []

    def rollout(context, state, rng):
        calls.append(word(state)[0])
        return 2 + 4 * 7  # the player to move wins after seven moves

    game = nim(9, rollout=ROLLOUT(rollout))
    counted = mc.rollouts(game.state(), 10, seed=1)
    assert (counted.wins, counted.mean_length) == (10, 7) and calls == [9] * 10
    probe = Probe(game.state())
    assert probe.simulate([], 0)[0] == 0 and calls[-1] == 8  # the other one is to move there
    assert probe.simulate([1], 0)[0] == 2 and calls[-1] == 7
    assert probe.policy_rollout([1, 1])[0] in (0, 2) and calls[-1] == 7  # told what was played: move by move
    assert probe.policy_rollout([1, 1], told=False)[0] == 2 and calls[-1] == 7
    game, _ = paper({"root": (1, {0: "a"}), "a": (1, {0: "b"}), "b": (-1, {0: "c"}), "c": 0}, rollout=ROLLOUT(rollout))
    probe = Probe(game.state())
    assert [probe.simulate(path, 0)[0] for path in ([], [0], [0, 0])] == [2, 0, 1]


def test_given_simulations_and_expansions_are_used():
    calls = []

    def simulate(context, root, path, length, simulation, rng):
        calls.append(("simulate", length, simulation[0]))
        simulation[1], simulation[2] = simulation[0] + 1, 4
        simulation[0] = simulation[0] + 1 if simulation[0] < 2 else 0xFFFFFFFF
        return 2 if length % 2 == 0 else 0

    def expand(context, root, path, length, expansion):
        calls.append(("expand", length))
        for slot in range(4):
            expansion[0].outcomes[slot] = 4 if slot == 0 else ONGOING
        expansion[0].root_player = length % 2 == 0
        return 4

    game = nim(9, simulate=SIMULATE(simulate), expand=EXPAND(expand))
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(game.state(), iterations=3)
    assert calls == [("simulate", 0, 0), ("simulate", 0, 1), ("simulate", 0, 2)]
    engine.search(game.state(), iterations=4)
    assert calls[-2:] == [("expand", 0), ("simulate", 1, 0)]


# ---- evaluators ------------------------------------------------------------------------------------------------------


def observed(**changes):
    """Nim that shows its stones, in a plane of two cells."""
    def observe(context, state, planes):
        floats = ctypes.cast(planes, ctypes.POINTER(ctypes.c_float))
        floats[0], floats[1] = word(state)[0], word(state)[0] % 4
        return -3 if word(state)[0] == 77 else 0

    return nim(**{"observe": ROLLOUT(observe), "shape": (1, 1, 2), **changes})


@pytest.mark.parametrize("max_moves", [4, 9])
def test_an_evaluator_searches_it(max_moves):
    state = observed(stones=9, max_moves=max_moves).state()
    assert state.observation().tolist() == [[[9, 1]]] and state.actions == max_moves
    seen = []

    def evaluate(observations):
        seen.append(observations.shape)
        return None, [-1.0 if row[0][0][1] == 0 else 1.0 for row in observations]

    engine = mc.Searcher(evaluator=evaluate, seed=1)
    assert engine.search(state, iterations=200) == 1
    assert seen[0][1:] == (1, 1, 2) and engine.stats().value > 0.8
    assert mc.check_game(state, 20).ok


def test_a_policy_of_positions_needs_no_observations():
    move = mc.search(nim(7).state(), iterations=200, seed=1, policy_value=lambda state: (None, 0.0))
    assert move in (1, 2, 3)


def test_evaluators_of_games_that_show_nothing():
    with pytest.raises(mc.InvalidState, match="has no observe"):
        mc.search(nim().state(), iterations=10, evaluator=lambda observations: (None, [0.0]))
    with pytest.raises(mc.InvalidState, match="has no observations"):
        nim().state().observation()
    assert nim().state().actions is None


@pytest.mark.parametrize("changes, words", [
    ({"shape": None}, r"shape must be the \(planes, rows, columns\) that observe writes, got None"),
    ({"shape": (1, 2)}, "shape must be"), ({"shape": 3}, "shape must be"),
    ({"shape": (1, 0, 2)}, "rows of the shape must be an int from 1"),
    ({"shape": (4096, 4096, 2)}, "shape must have at most 16777216 numbers"),
    ({"observe": None}, "observe must be a native function"),
    ({"observe": PLAY(lambda *_: 0)}, r"observe must be a function int32_t \(void \*context, const void \*state, fl"),
    ({"to_move": TO_MOVE(lambda *_: 1)}, "observe is for games whose players alternate"),
])
def test_bad_observations(changes, words):
    with pytest.raises(mc.InvalidOption, match=words):
        observed(**changes)


def test_observations_that_fail():
    with pytest.raises(mc.InvalidState, match="reported an error for this position"):
        observed(stones=77).state().observation()
    with pytest.raises(mc.GameError, match=r"play\(\) returned 9; it must return 0"):
        broken = observed(play=lambda context, state, move: 9)
        mc.search(broken.state(), iterations=50, evaluator=lambda observations: (None, [0.0] * len(observations)))


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def lying(value, when=4):
    """legal_moves that returns ``value`` below ``when`` stones."""

    def legal_moves(context, state, moves):
        left = word(state)[0]
        for number in range(min(3, max(left, 0))):
            moves[number] = number + 1
        return value if left < when else 3

    return legal_moves


def playing(value, when=4):
    """play that returns ``value`` below ``when`` stones."""

    def play(context, state, move):
        word(state)[0] -= move
        return value if word(state)[0] < when else ONGOING

    return play


def wrong_move(context, state, moves):
    moves[0] = 1 if word(state)[0] > 4 else 77
    return 1


def forgetful():
    """One move fewer after it was asked fifty times."""
    asked = [0]

    def legal_moves(context, state, moves):
        asked[0] += 1
        count = min(3 if asked[0] < 50 else 2, word(state)[0])
        for number in range(count):
            moves[number] = number + 1
        return count

    return legal_moves


BROKEN = {  # by max_moves: a game, and what is said of it
    "none": (
        lambda most: nim(legal_moves=lying(0), max_moves=most),
        r"legal_moves\(\) returned 0; while the game goes on it must return 1 to {most}",
    ),
    "failing moves": (
        lambda most: nim(legal_moves=lying(-7), max_moves=most),
        r"legal_moves\(\) returned -7, which is an error; while",
    ),
    "many": (
        lambda most: nim(legal_moves=lying(most + 1), max_moves=most),
        r"legal_moves\(\) returned {more}; while the game goes on it must return 1 to {most}",
    ),
    "wrong move": (
        lambda most: nim(legal_moves=wrong_move, max_moves=most),
        r"legal_moves\(\) gave the move 77; moves must be 0 to {last}",
    ),
    "failing play": (
        lambda most: nim(play=playing(-3), max_moves=most),
        r"play\(\) returned -3, which is an error; it must return 0",
    ),
    "outcome": (lambda most: nim(play=playing(4), max_moves=most), r"play\(\) returned 4; it must return 0"),
    "endless": (
        lambda most: nim(play=lambda *_: ONGOING, max_plies=50, max_moves=most),
        "a rollout did not end within 50 moves",
    ),
    "failing rollout": (
        lambda most: nim(rollout=ROLLOUT(lambda *_: -1), max_moves=most),
        r"rollout\(\) returned -1, which is an error; it must return 0",
    ),
    "rollout": (
        lambda most: nim(rollout=ROLLOUT(lambda *_: 3), max_moves=most),
        r"rollout\(\) returned 3; it must return 0",
    ),
    "player": (
        lambda most: nim(to_move=TO_MOVE(lambda context, state: 1 if word(state)[0] > 7 else 0), max_moves=most),
        r"to_move\(\) returned 0; it must return \+1 or -1",
    ),
}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("most", [4, 9])
@pytest.mark.parametrize("what", BROKEN)
def test_errors_are_told_in_words(what, most, preset):
    make, words = BROKEN[what]
    engine = mc.Searcher(seed=1, preset=preset)
    with pytest.raises(mc.GameError, match="native_game: " + words.format(most=most, more=most + 1, last=most - 1)):
        engine.search(make(most).state(), iterations=2000)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert engine.search(nim(7).state(), iterations=1000) == 3


def test_errors_in_several_threads_are_told_in_words():
    game = nim(40, play=lambda context, state, move: playing(-3, 6)(context, state, move))
    for seed in range(3):
        with pytest.raises(mc.GameError, match=r"play\(\) returned -3, which is an error"):
            mc.Searcher(threads=2, seed=seed).search(game.state(), iterations=3000)


@pytest.mark.parametrize("what", BROKEN)
def test_rollouts_tell_the_same(what):
    make, words = BROKEN[what]
    with pytest.raises(mc.GameError, match=words.format(most=4, more=5, last=3)):
        mc.rollouts(make(4).state(), 10_000, seed=1)


def test_the_table_tells_of_moves_that_there_are_not():
    """What reads the list of moves from the table, without playing them, relies on their range."""
    probe = Probe(nim(legal_moves=wrong_move).state())
    returned, _, damage = probe.list_moves(struct.pack("i", 4), 4)
    assert returned < 0 and damage is None and probe.list_moves(struct.pack("i", 5), 4)[:2] == (1, [1])


def test_moves_that_are_not_written():
    def legal_moves(context, state, moves):
        moves[0] = 1
        return 2

    with pytest.raises(mc.GameError, match=r"must list different moves from 0 to 3, got \[1, 2779096485\]"):
        nim(legal_moves=legal_moves).state()


def test_a_position_that_changes_its_mind():
    for most in (4, 9):
        with pytest.raises(mc.GameError, match="the same moves led to different positions"):
            mc.search(nim(11, legal_moves=forgetful(), max_moves=most).state(), iterations=300, seed=1, preset="uct")


@pytest.mark.parametrize("returned, cursor, slot, count, words", [
    (-2, 1, 1, 4, r"simulate\(\) returned -2, which is an error"),
    (3, 1, 1, 4, r"simulate\(\) returned 3; it must return 0"),
    (1, 1, 4, 4, r"simulate\(\) left an impossible cursor, slot or count \(slot 4\)"),
    (1, 1, 1, 3, "impossible cursor"),
    (1, 1, 1, 99, "impossible cursor"),
    (1, 4, 1, 4, "impossible cursor"),
    (1, 0xFFFFFFFE, 1, 4, "impossible cursor"),
])
def test_simulations_that_lie(returned, cursor, slot, count, words):
    def simulate(context, root, path, length, simulation, rng):
        simulation[0], simulation[1], simulation[2] = cursor, slot, count
        return returned

    with pytest.raises(mc.GameError, match=words):
        mc.search(nim(9, simulate=SIMULATE(simulate)).state(), iterations=10, seed=1, preset="uct")


@pytest.mark.parametrize("most, returned, outcome, move, words", [
    (4, -1, 0, 0, r"expand\(\) returned -1, which is an error; that is not the number of slots"),
    (4, 3, 0, 0, r"expand\(\) returned 3; that is not the number of slots"),
    (4, 5, 0, 0, r"expand\(\) returned 5"),
    (4, 4, 5, 0, r"expand\(\) left an impossible move or outcome in slot 0"),
    (9, 3, 0, 9, r"expand\(\) left an impossible move or outcome in slot 0"),
    (9, 0, 0, 0, r"expand\(\) returned 0"),
    (9, 99999, 0, 0, r"expand\(\) returned 99999"),
])
def test_expansions_that_lie(most, returned, outcome, move, words):
    def expand(context, root, path, length, expansion):
        for slot in range(min(4, expansion[0].capacity)):
            expansion[0].outcomes[slot] = outcome
            if most > 8:
                expansion[0].moves[slot] = move
        return returned

    with pytest.raises(mc.GameError, match=words):
        mc.search(nim(9, max_moves=most, expand=EXPAND(expand)).state(), iterations=10, seed=1, preset="uct")


def test_expansions_of_another_size():
    """A number of slots that the tree did not see before ends the search too."""
    def expand(context, root, path, length, expansion):
        for slot in range(2):
            expansion[0].outcomes[slot], expansion[0].moves[slot] = 0, slot + 1
        return 2

    with pytest.raises(mc.GameError, match="native_game"):
        mc.search(nim(9, max_moves=9, expand=EXPAND(expand)).state(), iterations=10, seed=1, preset="uct")


def test_play_and_legal_moves_tell_the_same():
    with pytest.raises(mc.GameError, match=r"play\(\) returned 9; it must return 0"):
        nim(play=lambda *_: 9).state().play(1)
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) must list different moves from 0 to 3, got \[1, 1\]"):
        nim(
            legal_moves=lambda context, state, moves: moves.__setitem__(0, 1) or moves.__setitem__(1, 1) or 2
        ).state().legal_moves()
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) must list different moves from 0 to 3, got \[1, 6\]"):
        nim(
            legal_moves=lambda context, state, moves: moves.__setitem__(0, 1) or moves.__setitem__(1, 6) or 2
        ).state().legal_moves()
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) returned -4, which is an error; it must return 0 to 4"):
        nim(legal_moves=lambda *_: -4).state()
    with pytest.raises(mc.GameError, match=r"native_game: to_move\(\) returned 7; it must return \+1 or -1"):
        nim(to_move=TO_MOVE(lambda *_: 7)).state()
    later = nim(to_move=TO_MOVE(lambda context, state: 1 if word(state)[0] == 10 else 5))
    with pytest.raises(mc.GameError, match=r"to_move\(\) returned 5; it must return \+1 or -1"):
        later.state().play(1)
    assert "returned 5" in later.state().explain_error()
    assert nim().state().explain_error() == "the rules of native_game reported an error"
