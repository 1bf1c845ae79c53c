"""The rules of Connect Four, against a slow board of lists, OpenSpiel and known counts."""

import copy
import pickle
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_core import Searcher, rollouts
from mcts_core.errors import GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.games.connect_four.position import ConnectFour, perft, simple_rollouts, simple_twin

pytestmark = pytest.mark.wasm

QUICK = settings(derandomize=True, deadline=None, max_examples=100, database=None)


class Oracle:
    """Connect Four on a list of columns, as slow and plain as can be."""

    def __init__(self, rows, cols, connect, moves=()):
        self.rows, self.cols, self.connect = rows, cols, connect
        self.columns = [[] for _ in range(cols)]
        self.to_move = 1
        self.winner = None
        for move in moves:
            self.play(move)

    def at(self, col, row):
        if 0 <= col < self.cols and 0 <= row < len(self.columns[col]):
            return self.columns[col][row]
        return 0

    def has_line(self, player):
        for col, column in enumerate(self.columns):
            for row, owner in enumerate(column):
                if owner != player:
                    continue
                for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if all(self.at(col + i * dc, row + i * dr) == player for i in range(1, self.connect)):
                        return True
        return False

    def legal_moves(self):
        if self.winner is not None:
            return []
        return [col for col in range(self.cols) if len(self.columns[col]) < self.rows]

    def play(self, col):
        assert col in self.legal_moves()
        self.columns[col].append(self.to_move)
        if self.has_line(self.to_move):
            self.winner = self.to_move
        elif all(len(column) == self.rows for column in self.columns):
            self.winner = 0
        self.to_move = -self.to_move

    def diagram(self):
        return "\n".join(
            " ".join({0: ".", 1: "X", -1: "O"}[self.at(col, row)] for col in range(self.cols))
            for row in reversed(range(self.rows))
        )


@st.composite
def boards(draw):
    rows = draw(st.integers(1, 20))
    cols = draw(st.integers(1, min(16, 128 // (rows + 1))))
    if max(rows, cols) < 2:
        rows = 2
    return rows, cols, draw(st.integers(2, min(6, max(rows, cols))))


@st.composite
def games(draw):
    """A board and a random game on it, perhaps unfinished."""
    rows, cols, connect = draw(boards())
    chance = random.Random(draw(st.integers(0, 2**32)))
    oracle = Oracle(rows, cols, connect)
    moves = []
    for _ in range(draw(st.integers(0, rows * cols))):
        legal = oracle.legal_moves()
        if not legal:
            break
        moves.append(chance.choice(legal))
        oracle.play(moves[-1])
    return (rows, cols, connect), moves, oracle


def rules(board):
    return dict(zip(("rows", "cols", "connect"), board, strict=True))


def agree(state, oracle):
    assert state.legal_moves() == oracle.legal_moves()
    assert state.winner() == oracle.winner
    assert state.to_move == oracle.to_move
    assert state.diagram() == oracle.diagram()


# ---- rules ----


@QUICK
@given(games())
def test_every_position_of_a_game_agrees_with_the_oracle(game):
    board, moves, _ = game
    state, oracle = ConnectFour(*board), Oracle(*board)
    agree(state, oracle)
    for move in moves:
        before = str(state)
        following = state.play(move)
        assert str(state) == before
        state = following
        oracle.play(move)
        agree(state, oracle)
    assert state.moves == tuple(moves)
    assert state.last_move == (moves[-1] if moves else None)


@pytest.mark.parametrize(
    "board", [(6, 7, 4), (1, 64, 5), (127, 1, 9), (63, 2, 7), (20, 6, 4), (9, 8, 5), (8, 9, 5), (7, 8, 4), (15, 8, 4)]
)
def test_whole_random_games_on_edge_boards(board):
    chance = random.Random(7)
    for _ in range(3):
        state, oracle = ConnectFour(*board), Oracle(*board)
        while oracle.legal_moves():
            move = chance.choice(oracle.legal_moves())
            state = state.play(move)
            oracle.play(move)
            assert state.legal_moves() == oracle.legal_moves()
        agree(state, oracle)


def test_lines_do_not_wrap_around_the_edge():
    """Stones that are neighbours only in the bitboard: the sentinel row keeps the columns apart."""
    text = picture("X......", "O......", "X......", "XO.....", "OX.....", "OX.....")
    assert ConnectFour.from_string(text).winner() is None
    text = picture("XO.....", "XX.....", "OX.....", "XX.....", "OO.....", "OO.....")
    assert ConnectFour.from_string(text).winner() is None


def test_draw_on_a_full_board():
    state = ConnectFour.from_moves([0, 1, 2, 3, 1, 0, 3, 2], rows=2, cols=4, connect=4)
    assert (state.winner(), state.legal_moves(), state.to_move) == (0, [], 1)


def test_a_win_with_the_last_stone_is_no_draw():
    found = None
    chance = random.Random(3)
    while found is None:
        oracle, moves = Oracle(3, 3, 3), []
        while oracle.legal_moves():
            moves.append(chance.choice(oracle.legal_moves()))
            oracle.play(moves[-1])
        if len(moves) == 9 and oracle.winner:
            found = moves, oracle.winner
    assert ConnectFour.from_moves(found[0], rows=3, cols=3, connect=3).winner() == found[1]


@pytest.mark.parametrize("depth, count", list(enumerate([1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234])))
def test_perft(depth, count):
    assert perft(ConnectFour(), depth) == count


def test_perft_nine_plies_and_in_the_middle():
    assert perft(ConnectFour(), 9) == 39394572
    state = ConnectFour.from_moves("3333")
    assert perft(state, 3) == sum(perft(state.play(move), 2) for move in state.legal_moves())
    assert perft(ConnectFour.from_moves("0101010"), 0) == 1
    assert perft(ConnectFour.from_moves("0101010"), 1) == 0


@pytest.mark.parametrize("depth", [-1, 129, 1.0, True, None])
def test_perft_rejects_a_bad_depth(depth):
    with pytest.raises(InvalidOption, match="depth"):
        perft(ConnectFour(), depth)


def test_against_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    game = pyspiel.load_game("connect_four")
    chance = random.Random(11)
    for _ in range(200):
        theirs, ours = game.new_initial_state(), ConnectFour()
        while not theirs.is_terminal():
            assert ours.legal_moves() == theirs.legal_actions()
            assert ours.to_move == 1 - 2 * theirs.current_player()
            assert ours.winner() is None
            move = chance.choice(theirs.legal_actions())
            theirs.apply_action(move)
            ours = ours.play(move)
        assert ours.winner() == theirs.returns()[0]
        assert ours.legal_moves() == []
        assert ours.diagram().replace(" ", "") == str(theirs).upper().strip()


# ---- values ----


@QUICK
@given(games())
def test_text_pickle_and_copy_keep_the_value(game):
    board, moves, _ = game
    state = ConnectFour.from_moves(moves, **rules(board))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(state, protocol))
        assert (again, hash(again), again.moves) == (state, hash(state), state.moves)
    for again in (copy.copy(state), copy.deepcopy(state), copy.deepcopy([state])[0], eval(repr(state))):
        assert (again, hash(again), again.moves) == (state, hash(state), state.moves)
    drawn = ConnectFour.from_string(str(state), **rules(board))
    assert (drawn, hash(drawn), drawn.moves) == (state, hash(state), ())
    assert (drawn.winner(), drawn.to_move) == (state.winner(), state.to_move)
    assert eval(repr(drawn)) == state


@QUICK
@given(games(), games())
def test_equality_is_that_of_rules_and_stones(first, second):
    one = ConnectFour.from_moves(first[1], **rules(first[0]))
    two = ConnectFour.from_moves(second[1], **rules(second[0]))
    assert (one == two) == (first[0] == second[0] and first[2].diagram() == second[2].diagram())
    assert (one != two) != (one == two)


def test_equality_of_transpositions_and_others():
    assert ConnectFour.from_moves("0123") == ConnectFour.from_moves("2301")
    assert ConnectFour.from_moves("01") != ConnectFour.from_moves("10")
    assert ConnectFour() != ConnectFour(connect=5)
    assert ConnectFour() != "ConnectFour" and ConnectFour() != None  # noqa: E711
    assert len({ConnectFour.from_moves("0123"), ConnectFour.from_moves("2301"), ConnectFour()}) == 2


def test_hashes_differ():
    seen, level = set(), {ConnectFour()}
    for _ in range(6):
        level = {state.play(move) for state in level for move in state.legal_moves()}
        seen |= level
    assert len({hash(state) for state in seen}) == len(seen)


def test_a_diagram_counts_the_moves_played_since():
    state = ConnectFour.from_string(str(ConnectFour.from_moves("3324")))
    assert (state.moves, state.last_move) == ((), None)
    later = state.play(2).play(0)
    assert (later.moves, later.last_move) == ((2, 0), 0)
    again = pickle.loads(pickle.dumps(later))
    assert (again, again.moves) == (later, (2, 0))
    assert later == ConnectFour.from_moves("332420")


def test_a_state_never_changes():
    state = ConnectFour.from_moves("33")
    with pytest.raises(InvalidState, match="immutable"):
        state.__init__(5, 5, 3)
    assert (state.rows, state.moves) == (6, (3, 3))
    for name in ("rows", "cols", "connect", "to_move", "moves", "last_move"):
        with pytest.raises(AttributeError):
            setattr(state, name, 1)


def test_a_state_made_without_init_is_the_empty_standard_board():
    assert ConnectFour.__new__(ConnectFour) == ConnectFour()


@pytest.mark.needs("threads")
def test_states_are_shared_by_threads():
    root = ConnectFour(9, 8, 5)
    games_seen, problems = [], []

    def run(seed):
        try:
            chance = random.Random(seed)
            for _ in range(10):
                state = root
                ConnectFour(4 + seed % 3, 5 + chance.randrange(4), 3)
                while state.winner() is None:
                    state = state.play(chance.choice(state.legal_moves()))
                games_seen.append(Oracle(9, 8, 5, state.moves).winner == state.winner())
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert games_seen == [True] * 40


# ---- bad input ----


@pytest.mark.parametrize(
    "arguments",
    [
        dict(rows=0), dict(cols=0), dict(rows=-3), dict(connect=1), dict(connect=0), dict(connect=8), dict(rows=127),
        dict(rows=128, cols=1), dict(rows=10**30), dict(cols=65), dict(rows=1, cols=1, connect=2), dict(rows=6.0),
        dict(cols="7"), dict(connect=None), dict(rows=True), dict(rows=17, cols=7, connect=19),
    ],
)
def test_impossible_boards(arguments):
    with pytest.raises(InvalidState, match="must be"):
        ConnectFour(**arguments)
    with pytest.raises(InvalidState, match="must be"):
        ConnectFour.from_moves("", **arguments)
    with pytest.raises(InvalidState, match="must be"):
        ConnectFour.from_string("", **arguments)


def test_the_constructor_takes_positions_and_index_objects():
    class Six:
        def __index__(self):
            return 6

    assert ConnectFour(Six(), 7, 4) == ConnectFour() == ConnectFour(6, cols=7)
    with pytest.raises(TypeError):
        ConnectFour(6, 7, 4, 1)
    with pytest.raises(TypeError):
        ConnectFour(columns=7)


@pytest.mark.parametrize("move", [-1, 7, 2**31, 2**32 + 3, 2**64 + 3, -(2**70), 3.0, None, True, False, [3], 3j])
def test_impossible_moves(move):
    with pytest.raises(IllegalMove, match="from 0 to 6"):
        ConnectFour().play(move)


def test_columns_have_the_names_below_the_board():
    state = ConnectFour()
    assert [state.name(move) for move in range(7)] == list("1234567") == list(state.column_names)
    assert state.row_names == () and [state.move(name) for name in "1234567"] == list(range(7))
    assert state.play("4").play(" 4 ").moves == state.play(3).play(3).moves == (3, 3)
    wide = ConnectFour(rows=2, cols=12)
    assert wide.play("12").moves == (11,) and wide.name(11) == "12" and wide.move(11) == 11
    assert ConnectFour.from_moves(["4", 4, "5"], base=1) == ConnectFour.from_moves("334")
    for text in ("0", "8", "", "a1", "-1", "1.0", "٤", "44"):
        with pytest.raises(IllegalMove, match="the name of a column must be a number from 1 to 7, got "):
            state.play(text)


def test_the_printed_board_says_how_columns_are_named_and_numbered():
    shown = str(ConnectFour(rows=2, cols=3, connect=2).play(0).play(2))
    assert shown == ' . . .\n X .(O)\n 1 2 3   play("1") is play(0)'
    assert str(ConnectFour(1, 11, 2)).splitlines()[1:] == [
        "                   1 1", ' 1 2 3 4 5 6 7 8 9 0 1   play("1") is play(0)']


def test_moves_with_an_index_are_moves():
    class Three:
        def __index__(self):
            return 3

    class Number(int):
        pass

    assert ConnectFour().play(Three()).moves == ConnectFour().play(Number(3)).moves == (3,)


def test_full_columns_and_finished_games():
    with pytest.raises(IllegalMove, match=r"column 1 \(number 0\) is full"):
        ConnectFour.from_moves("000000").play(0)
    over = ConnectFour.from_moves("0101010")
    assert over.winner() == 1
    with pytest.raises(GameOver, match="over"):
        over.play(3)
    with pytest.raises(IllegalMove, match="from 0 to 6"):
        over.play(9)


@pytest.mark.parametrize(
    "moves, words",
    [
        ("0000000", r"move 7 of '0000000': column 1 \(number 0\) is full"),
        ("01010103", "move 8 of '01010103' comes after the end"),
        ("0 1 x", "move 3 of '0 1 x'"),
        ("77", "move 1 of '77'"),
        ([0, 1, 7], r"move 3 of \[0, 1, 7\]"),
        ([0, 1.5], "move 2"),
        (5, "text or a sequence"),
        (b"01", "text or a sequence"),
    ],
)
def test_from_moves_names_the_move(moves, words):
    with pytest.raises(IllegalMove, match=words):
        ConnectFour.from_moves(moves)


def test_from_moves_with_base_one():
    assert ConnectFour.from_moves("4455", base=1) == ConnectFour.from_moves([3, 3, 4, 4])
    with pytest.raises(IllegalMove, match=r"column 1 \(number 0\) is full"):
        ConnectFour.from_moves("1111111", base=1)
    with pytest.raises(InvalidOption, match="base"):
        ConnectFour.from_moves("1", base=2)


def picture(*lines):
    return "\n".join(["......."] * (6 - len(lines)) + list(lines))


@pytest.mark.parametrize(
    "text, words",
    [
        (picture("X......", ".......", "O......"), "hangs in the air"),
        (picture("XXXX...", "OOOO..."), "both do"),
        (picture("O......", "O......", "O......", "OXXXX.X"), "both do"),
        (picture("XXX....", "OOOO..."), "as many X as O"),
        (picture("OOO....", "XXXX.O."), "moved last"),
        (picture("XXXX..O", "OOXO..O"), "moved last"),
        (picture(".....X.", "OOOOX.O", "XXOXX.X"), "hangs in the air"),
        (picture("X......", "OOOOX.O", "XXOXX.X"), "moved last"),
        ("", "cells"), ("X", "cells"), ("?" * 42, "must be one of"), (None, "must be a str"), (42, "must be a str"),
        (b"." * 42, "must be a str"), ("." * 43, "42 cells"),
    ],
)
def test_impossible_diagrams(text, words):
    with pytest.raises(InvalidState, match=words):
        ConnectFour.from_string(text)


def test_two_lines_that_no_one_move_completes():
    with pytest.raises(InvalidState, match="no last move can have completed all lines of X"):
        ConnectFour.from_string("O.......O\nX.......X\nX.......X\nXOO.O...X", rows=4, cols=9, connect=3)
    with pytest.raises(InvalidState, match="no last move can have completed all lines of O"):
        ConnectFour.from_string("O....X\nO....O\nOX...O\nXX.XXO", rows=4, cols=6, connect=3)


def test_a_line_under_another_stone_cannot_be_the_last_move():
    with pytest.raises(InvalidState, match="no last move can have completed all lines of X"):
        ConnectFour.from_string("O..\nX..\nXO.\nXOX", rows=4, cols=3, connect=3)


def test_two_lines_that_one_move_completes():
    state = ConnectFour.from_moves([0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 3])
    assert state.winner() == 1 and ConnectFour.from_string(str(state)) == state


@QUICK
@given(st.text(alphabet=".XO \nxo", max_size=60), st.integers(1, 4), st.integers(1, 4))
def test_diagrams_are_parsed_or_refused(text, rows, cols):
    board = dict(rows=rows + 1, cols=cols, connect=2)
    try:
        state = ConnectFour.from_string(text, **board)
    except InvalidState:
        return
    assert "".join(state.diagram().split()) == "".join(text.upper().split())


def reachable(rows, cols, connect, cache={}):  # noqa: B006
    """The diagrams of all positions that play can reach."""
    if (rows, cols, connect) not in cache:
        seen, front = set(), [()]
        while front:
            moves = front.pop()
            oracle = Oracle(rows, cols, connect, moves)
            text = oracle.diagram().replace(" ", "")
            if text not in seen:  # what comes after it does not depend on the order of the moves
                seen.add(text)
                front += [(*moves, move) for move in oracle.legal_moves()]
        cache[rows, cols, connect] = seen
    return cache[rows, cols, connect]


@pytest.mark.parametrize("board", [(2, 3, 2), (2, 4, 3), (3, 3, 3)])
def test_every_reachable_diagram_is_taken(board):
    for text in reachable(*board):
        assert ConnectFour.from_string(text, **rules(board)).diagram().replace(" ", "") == text


@QUICK
@given(st.one_of(st.text(max_size=20), st.lists(st.one_of(st.integers(), st.text(max_size=2), st.none()), max_size=8)))
def test_moves_are_parsed_or_refused(moves):
    try:
        state = ConnectFour.from_moves(moves)
    except IllegalMove:
        return
    assert all(0 <= move <= 6 for move in state.moves)


@pytest.mark.parametrize("state", [ConnectFour.from_moves("3344"), ConnectFour(8, 9, 5)])
def test_the_simple_twin_is_searched_by_the_simple_rules(state):
    twin = simple_twin(state)
    assert twin == state and twin.moves == state.moves and twin.legal_moves() == state.legal_moves()
    found = rollouts(twin, 3000, seed=5)
    assert (found.wins, found.draws, found.losses, found.mean_length * 3000) == simple_rollouts(state, 3000, 5)
    values = {}
    empty = simple_twin(ConnectFour(state.rows, state.cols, state.connect))
    for name, start in (("twin", twin), ("own", state), ("later", empty)):
        engine = Searcher(preset="uct", seed=2)
        if name == "later":
            for move in state.moves:
                start = start.play(move)
        engine.search(start, iterations=4000)
        values[name] = [(entry.move, entry.visits) for entry in engine.stats().moves]
    assert values["twin"] == values["later"] != values["own"]
    with pytest.raises(InvalidOption, match="has rules and no knowledge"):
        Searcher(solver=True).search(twin, iterations=10)
