"""The rules of m,n,k games against a slow oracle and OpenSpiel, and the behaviour of positions as values."""

import copy
import pickle
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_core.errors import GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.games.mnk.position import MNK, Gomoku, TicTacToe, count_games, simple_rollouts

pytestmark = pytest.mark.wasm

fixed = settings(derandomize=True, deadline=None, max_examples=100)


class Oracle:
    """The rules once more, on a list of lists, as literally as possible."""

    def __init__(self, m, n, k, rule):
        self.m, self.n, self.k, self.rule = m, n, k, rule
        self.board = [["."] * m for _ in range(n)]
        self.to_move = 1
        self.result = None

    def runs(self, player):
        """The lengths of all unbroken rows of a player's stones that cannot be extended."""
        stone = ".XO"[player]
        found = []
        for row in range(self.n):
            for col in range(self.m):
                if self.board[row][col] != stone:
                    continue
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if self.at(row - down, col - right) == stone:
                        continue
                    length = 1
                    while self.at(row + length * down, col + length * right) == stone:
                        length += 1
                    found.append(length)
        return found

    def at(self, row, col):
        return self.board[row][col] if 0 <= row < self.n and 0 <= col < self.m else None

    def wins(self, player):
        return any(run == self.k if self.rule == "exact" else run >= self.k for run in self.runs(player))

    def legal_moves(self):
        if self.result is not None:
            return []
        return [row * self.m + col for row in range(self.n) for col in range(self.m) if self.board[row][col] == "."]

    def play(self, move):
        self.board[move // self.m][move % self.m] = ".XO"[self.to_move]
        if self.wins(self.to_move):
            self.result = self.to_move
        elif not any("." in row for row in self.board):
            self.result = 0
        self.to_move = -self.to_move

    def text(self):
        return "\n".join(" ".join(row) for row in self.board)


@st.composite
def rules(draw, largest=9):
    m = draw(st.integers(1, largest))
    n = draw(st.integers(1 if m >= 3 else 3, largest))
    return m, n, draw(st.integers(3, min(6, max(m, n)))), draw(st.sampled_from(["freestyle", "exact"]))


def check(state, oracle):
    assert state.to_move == oracle.to_move
    assert state.winner() == oracle.result
    assert state.legal_moves() == oracle.legal_moves()
    assert state.diagram() == oracle.text()


@fixed
@given(rules(), st.randoms(use_true_random=False))
def test_random_games_follow_the_oracle(rule, rng):
    state, oracle, played = MNK(*rule), Oracle(*rule), []
    check(state, oracle)
    while oracle.result is None:
        move = rng.choice(oracle.legal_moves())
        before = hash(state), str(state)
        child = state.play(move)
        assert (hash(state), str(state)) == before
        oracle.play(move)
        played.append(move)
        state = child
        check(state, oracle)
        assert state.moves == tuple(played) and state.last_move == move


@pytest.mark.parametrize("rule", [(15, 15, 5, "freestyle"), (15, 15, 5, "exact"), (32, 32, 5, "exact"),
                                  (20, 16, 7, "freestyle"), (32, 1, 4, "freestyle"), (1, 32, 3, "exact")])
def test_large_boards_follow_the_oracle(rule):
    rng = random.Random(repr(rule))
    state, oracle = MNK(*rule), Oracle(*rule)
    moves = oracle.legal_moves()
    rng.shuffle(moves)
    for index, move in enumerate(moves):
        state = state.play(move)
        oracle.play(move)
        assert state.winner() == oracle.result
        if index % 50 == 0 or oracle.result is not None:
            check(state, oracle)
        if oracle.result is not None:
            break
    assert oracle.result is not None


def random_state(rule, rng, plies):
    state = MNK(*rule)
    for _ in range(plies):
        if state.winner() is None:
            state = state.play(rng.choice(state.legal_moves()))
    return state


@fixed
@given(rules(), st.randoms(use_true_random=False), st.integers(0, 81))
def test_every_copy_is_equal(rule, rng, plies):
    state = random_state(rule, rng, plies)
    m, n, k, name = rule
    arguments = {"m": m, "n": n, "k": k, "rule": name}
    twins = [
        pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state), eval(repr(state)),
        MNK.from_moves(state.moves, **arguments), MNK.from_moves(" ".join(map(str, state.moves)), **arguments),
        MNK.from_moves([move + 1 for move in state.moves], base=1, **arguments),
    ]
    for twin in twins:
        assert twin == state and hash(twin) == hash(state) and twin.moves == state.moves
        assert twin.winner() == state.winner() and twin.legal_moves() == state.legal_moves()
    drawn = MNK.from_string(str(state), **arguments)
    assert drawn == state and hash(drawn) == hash(state) and drawn.moves == () and drawn.last_move is None
    assert drawn.winner() == state.winner() and drawn.to_move == state.to_move
    assert eval(repr(drawn)) == drawn
    again = pickle.loads(pickle.dumps(drawn))
    assert again == state and again.moves == ()
    if state.winner() is None:
        child = drawn.play(state.legal_moves()[0])
        assert child.moves == (state.legal_moves()[0],) == pickle.loads(pickle.dumps(child)).moves
        assert pickle.loads(pickle.dumps(child)) == child != drawn


def test_order_of_moves_does_not_count_but_rules_do():
    assert MNK.from_moves([0, 4, 8], m=5, n=5, k=4) == MNK.from_moves([8, 4, 0], m=5, n=5, k=4)
    variants = [MNK(5, 5, 4), MNK(5, 5, 3), MNK(5, 5, 4, "exact"), MNK(5, 6, 4), MNK(6, 5, 4), MNK(5, 5, 4).play(0)]
    assert len(set(variants)) == len(variants)
    assert len({hash(variant) for variant in variants}) == len(variants)
    assert MNK() != "MNK" and MNK() != None  # noqa: E711


def test_named_games():
    assert MNK(3, 3, 3) == MNK() == TicTacToe() and hash(MNK(3, 3, 3)) == hash(TicTacToe())
    assert MNK(15, 15, 5) == Gomoku() == Gomoku(15) and hash(MNK(15, 15, 5)) == hash(Gomoku(15))
    assert MNK(15, 15, 5, "exact") == Gomoku(15, "exact") != Gomoku(15)
    gomoku = Gomoku.from_moves([112, 97], size=15, rule="exact")
    assert type(gomoku) is type(gomoku.play(0)) is type(pickle.loads(pickle.dumps(gomoku))) is Gomoku
    assert (gomoku.size, gomoku.m, gomoku.n, gomoku.k, gomoku.rows, gomoku.cols, gomoku.rule) == (
        15, 15, 15, 5, 15, 15, "exact")
    assert repr(gomoku) == "Gomoku.from_moves([112, 97], size=15, rule='exact')" and eval(repr(gomoku)) == gomoku
    game = TicTacToe.from_moves("048")
    assert type(game) is type(game.play(1)) is TicTacToe and game.moves == (0, 4, 8)
    assert repr(game) == "TicTacToe.from_moves([0, 4, 8])" and repr(TicTacToe()) == "TicTacToe()"
    assert type(TicTacToe.from_string(str(game))) is TicTacToe and TicTacToe.from_string(str(game)) == game
    assert Gomoku.from_string(str(gomoku), rule="exact") == gomoku
    wide = MNK(5, 2, 4)
    assert (wide.m, wide.n, wide.k, wide.rule, wide.cols, wide.rows) == (5, 2, 4, "freestyle", 5, 2)
    assert str(wide.play(5)) == "2 . . . . .\n1(X). . . .\n  a b c d e"


def test_subclasses_keep_their_class():
    class Named(Gomoku):
        def __init__(self, name):
            super().__init__(size=7)
            self.name = name

    state = Named("first").play(3)
    assert type(state) is Named and state.moves == (3,) and state == Gomoku(7).play(3)


@pytest.mark.parametrize(("rule", "winner"), [("freestyle", 1), ("exact", None)])
def test_six_in_a_row(rule, winner):
    # X: 0 1 2 4 5, then 3 in the middle
    moves = [0, 30, 1, 32, 2, 34, 4, 36, 5, 38, 3]
    state = Gomoku.from_moves(moves, size=10, rule=rule)
    assert state.winner() == winner
    assert Gomoku.from_string(str(state), size=10, rule=rule).winner() == winner
    # five elsewhere still wins
    if winner is None:
        for move in (60, 90, 61, 91, 62, 92, 63, 98, 64):
            assert state.winner() is None
            state = state.play(move)
        assert state.winner() == -1


def test_two_lines_at_once():
    state = MNK.from_string("X X . O O\n. . X O O\n. . X . .", m=5, n=3, k=3).play(2)
    assert state.winner() == 1
    assert MNK.from_string(str(state), m=5, n=3, k=3).winner() == 1


def test_tic_tac_toe_has_255168_games():
    assert count_games(TicTacToe()) == 255168
    assert count_games(TicTacToe.from_moves("0123")) == sum(
        count_games(TicTacToe.from_moves(f"0123{cell}")) for cell in range(4, 9))
    assert count_games(TicTacToe.from_moves("03142")) == 1


def count_with_oracle(moves):
    oracle = Oracle(3, 2, 3, "exact")
    for move in moves:
        oracle.play(move)
    return 1 if oracle.result is not None else sum(count_with_oracle([*moves, move]) for move in oracle.legal_moves())


def test_count_of_small_games():
    assert count_games(MNK(3, 2, 3, "exact")) == count_with_oracle([])


def test_simple_rollouts_are_reproducible_and_add_up():
    state = MNK(4, 3, 3)
    wins, draws, losses, plies = simple_rollouts(state, 500, 7)
    assert wins + draws + losses == 500 and 5 * 500 <= plies <= 12 * 500
    assert simple_rollouts(state, 500, 7) == (wins, draws, losses, plies) != simple_rollouts(state, 500, 8)
    with pytest.raises(GameOver):
        simple_rollouts(TicTacToe.from_moves("03142"), 1, 1)


@pytest.mark.parametrize(("name", "rule"), [
    ("mnk(m=5,n=4,k=3)", (5, 4, 3, "freestyle")), ("mnk(m=3,n=7,k=4)", (3, 7, 4, "freestyle")),
    ("mnk(m=8,n=8,k=5)", (8, 8, 5, "freestyle")), ("tic_tac_toe", (3, 3, 3, "freestyle")),
    ("gomoku(size=9,connect=5)", (9, 9, 5, "freestyle")), ("gomoku(size=15,connect=5)", (15, 15, 5, "freestyle")),
    ("gomoku(size=6,connect=3)", (6, 6, 3, "freestyle")),
])
def test_open_spiel_plays_the_same(name, rule):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(name)
    game = pyspiel.load_game(name)
    for _ in range(30):
        theirs, ours = game.new_initial_state(), MNK(*rule)
        while not theirs.is_terminal():
            assert ours.winner() is None and ours.legal_moves() == sorted(theirs.legal_actions())
            assert ours.to_move == (1, -1)[theirs.current_player()]
            move = rng.choice(ours.legal_moves())
            theirs.apply_action(move)
            ours = ours.play(move)
        assert ours.winner() == theirs.returns()[0]


# ---- bad input -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments", [
    (0, 3, 3), (33, 3, 3), (3, 0, 3), (3, 33, 3), (2, 2, 2), (2, 2, 3), (3, 3, 2), (3, 3, 4), (3, 3, 0), (3, 3, -3),
    (3, 3, "3"), (3.0, 3, 3), (None, 3, 3), (True, 3, 3), (3, 3, 3, "free"), (3, 3, 3, None), (3, 3, 3, ["exact"]),
    (10 ** 30, 3, 3), (-1, 3, 3),
])
def test_impossible_boards(arguments):
    with pytest.raises(InvalidState):
        MNK(*arguments)
    keywords = dict(zip(("m", "n", "k", "rule"), arguments, strict=False))
    with pytest.raises(InvalidState):
        MNK.from_moves([], **keywords)
    with pytest.raises(InvalidState):
        MNK.from_string(". " * 9, **keywords)


@pytest.mark.parametrize("arguments", [(4,), (33,), ("15",), (15.0,), (15, "renju"), (True,)])
def test_impossible_gomoku(arguments):
    with pytest.raises(InvalidState):
        Gomoku(*arguments)


def test_cells_have_the_names_beside_the_board():
    state = Gomoku()
    assert [state.name(move) for move in (0, 14, 112, 210, 224)] == ["a15", "o15", "h8", "a1", "o1"]
    assert state.column_names == tuple("abcdefghijklmno") and state.row_names == tuple(map(str, range(15, 0, -1)))
    assert state.play("h8").play("H9").play(" i7 ").moves == state.play(112).play(97).play(128).moves
    assert state.move("h8") == state.move("112") == state.move(112) == 112 and state.name("H8") == "h8"
    assert state.play("h8").move("h8") == 112  # a name is one whether the cell is free or not
    for board in (state, MNK(32, 30, 5), MNK(1, 3, 3), MNK(27, 3, 3)):
        names = [board.name(move) for move in board.legal_moves()]
        assert len(set(names)) == len(names) and [board.move(name) for name in names] == board.legal_moves()
    assert MNK(32, 32, 5).name(1023) == "af1" and MNK(32, 32, 5).move("AF32") == 31


def test_lists_of_names():
    expected = Gomoku.from_moves([112, 97, 128])
    for moves in ("h8 h9 i7", "h8h9i7", "H8,h9; i7", "112 h9 128", ["h8", "h9", "i7"], ["h8", 97, "128"]):
        assert Gomoku.from_moves(moves) == expected
    assert Gomoku.from_moves(["h8", 98, "129"], base=1) == expected
    assert TicTacToe.from_moves("b2a3c1") == TicTacToe.from_moves("408")


def test_names_that_are_none_are_quoted():
    state = Gomoku(9)
    for text in ("z9", "a0", "a10", "j1", "h", "8h", "", "h8h9", "81", "-1", "h٣", "a 1"):
        with pytest.raises(IllegalMove) as caught:
            state.play(text)
        assert str(caught.value) == f"a move must be a cell from a1 to i9, or a number from 0 to 80, got {text!r}"
    with pytest.raises(IllegalMove, match=r"cell e5 \(number 40\) is occupied"):
        state.play("e5").play("e5")
    with pytest.raises(IllegalMove, match=r"move 2 of 'e5 e5': cell e5 \(number 40\) is occupied"):
        Gomoku.from_moves("e5 e5", size=9)
    with pytest.raises(GameOver, match=r"the game is over, move c1 \(number 8\) cannot be played"):
        TicTacToe.from_moves("03142").play("c1")


def test_the_printed_board_has_coordinates_and_is_read_back():
    state = TicTacToe.from_moves("40")
    assert str(state) == "3(O). .\n2 . X .\n1 . . .\n  a b c" and state.diagram() == "O . .\n. X .\n. . ."
    assert TicTacToe.from_string(str(state)) == TicTacToe.from_string(state.diagram()) == state
    assert TicTacToe.from_string("  " + str(state).replace("\n", " \r\n\n") + "\n") == state
    wide = MNK(28, 12, 5).play("ab12").play("a1")
    assert str(wide).splitlines()[-2:] == [" " * 55 + "a a", "   " + " ".join("abcdefghijklmnopqrstuvwxyzab")]
    assert MNK.from_string(str(wide), m=28, n=12, k=5) == wide
    for text in ("3(O). .\n2 . X .\n1 . . .\n  a b d", "3(O). .\n1 . X .\n2 . . .\n  a b c", "(O). .\n . X .\n . . .",
                 "3(O). .\n2 . X .\n  a b c"):
        with pytest.raises(InvalidState):
            TicTacToe.from_string(text)


def test_messages_say_what_was_expected_and_what_came():
    with pytest.raises(InvalidState, match="k must be at most the longer side .* 5, or nobody could ever win, got 6"):
        MNK(5, 4, 6)
    with pytest.raises(InvalidState, match="k must be an int from 3 to 32, got 2"):
        MNK(5, 4, 2)
    with pytest.raises(InvalidState, match="m must be an int from 1 to 32, got 33"):
        MNK(33, 4, 3)
    with pytest.raises(InvalidState, match="'freestyle' or 'exact', got 'caro'"):
        Gomoku(15, "caro")
    with pytest.raises(IllegalMove, match="from 0 to 8, got 9"):
        TicTacToe().play(9)
    with pytest.raises(IllegalMove, match=r"cell b2 \(number 4\) is occupied"):
        TicTacToe().play(4).play(4)
    with pytest.raises(IllegalMove, match=r"move 4 of '0480481': cell a3 \(number 0\) is occupied"):
        TicTacToe.from_moves("0480481")
    with pytest.raises(IllegalMove, match=r"move 2 of '112 x' .*got 'x'"):
        Gomoku.from_moves("112 x")


class Index:
    def __index__(self):
        return 4


@pytest.mark.parametrize(
    "move", [9, -1, 10 ** 30, -10 ** 30, 1.0, "9", "d1", b"4", None, True, False, (4,), [], float("nan")])
def test_moves_that_are_none(move):
    with pytest.raises(IllegalMove):
        TicTacToe().play(move)


def test_a_move_may_be_anything_with_an_index():
    assert TicTacToe().play(Index()) == TicTacToe().play(4)
    assert TicTacToe.from_moves([Index()]).moves == (4,)


def test_finished_games_end():
    for moves, winner in (("03142", 1), ("304182", -1), ("012435768", 0)):
        state = TicTacToe.from_moves(moves)
        assert state.winner() == winner and state.legal_moves() == []
        with pytest.raises(GameOver):
            state.play(8)
        with pytest.raises(IllegalMove, match=rf"move {len(moves) + 1} .*after the end"):
            TicTacToe.from_moves([*state.moves, 7])


@pytest.mark.parametrize("moves", [
    "00", "9", "0 10", "x", [0, 0], [1.5], [None], [True], ["x"], ["d1"], "d1", "b2b", "b2 z9", 5, None,
    b"048", "03142 5", "-1", "０", "1" * 5000, [10 ** 40]])
def test_lists_of_moves_that_are_none(moves):
    with pytest.raises(IllegalMove):
        TicTacToe.from_moves(moves)


def test_base_must_be_0_or_1():
    assert TicTacToe.from_moves("159", base=1) == TicTacToe.from_moves("048")
    for base in (2, -1, "1", None, True):
        with pytest.raises(InvalidOption):
            TicTacToe.from_moves("1", base=base)


@pytest.mark.parametrize("text", [
    "", "X", "XO", ". . .\n. . .", ". . . .\n. . . .\n. . . .", "X . .\n. Q .\n. . .", None, 5, b".........",
    "X X .\n. . .\n. . .",      # X moved twice
    "O . .\n. . .\n. . .",      # O began
    "X X X\nO O O\n. . .",      # both have won
    "X X X\nO O .\nO . .",      # X has won and O moved after that
    "X X .\nO O O\nX X .",      # O has won and X moved after that
    "X . .\n. .\n. . . .",      # ragged
])
def test_diagrams_that_are_none(text):
    with pytest.raises(InvalidState):
        TicTacToe.from_string(text)


def test_lines_that_no_last_move_can_have_completed():
    with pytest.raises(InvalidState, match="no last move"):
        MNK.from_string("X X X . .\nO O . O O\nX X X . .\n. . . . O", m=5, n=4, k=3)
    assert MNK.from_string("X X X . .\nO . X . O\nO . X . O", m=5, n=3, k=3).winner() == 1


def test_overlines_do_not_win_with_rule_exact():
    text = "X X X X . .\nO O . O . .\n. . . . . ."
    assert MNK.from_string(text, m=6, n=3, k=3, rule="exact").winner() is None
    assert MNK.from_string(text, m=6, n=3, k=3).winner() == 1


@fixed
@given(st.text(alphabet="XO. \nxoQ\t0", max_size=40))
def test_any_text_is_a_diagram_or_an_error(text):
    try:
        state = TicTacToe.from_string(text)
    except InvalidState:
        return
    assert TicTacToe.from_string(str(state)) == state


@fixed
@given(st.one_of(st.text(max_size=20), st.text(alphabet="0123456789 ,;-", max_size=20), st.lists(st.integers())))
def test_any_list_of_moves_is_a_game_or_an_error(moves):
    try:
        state = TicTacToe.from_moves(moves)
    except IllegalMove:
        return
    assert TicTacToe.from_moves(state.moves) == state


@fixed
@given(st.tuples(*[st.one_of(st.integers(-2, 40), st.integers(), st.none(), st.floats(), st.text(max_size=3))] * 3))
def test_any_arguments_are_a_board_or_an_error(arguments):
    try:
        state = MNK(*arguments)
    except InvalidState:
        return
    m, n, k = arguments
    assert 1 <= m <= 32 and 1 <= n <= 32 and 3 <= k <= max(m, n)
    assert state.legal_moves() == list(range(m * n))


def test_positions_never_change():
    state = Gomoku(15).play(0)
    with pytest.raises(InvalidState):
        state.__init__(size=9)
    for name in ("to_move", "moves", "size", "rule", "m", "other"):
        with pytest.raises(AttributeError):
            setattr(state, name, 1)
    assert MNK.__new__(MNK).legal_moves() == list(range(9))


def test_a_forged_pickle_is_refused():
    restore, arguments = TicTacToe.from_moves("048").__reduce__()
    assert restore(*arguments) == TicTacToe.from_moves("048")
    for wrong in ((int, *arguments[1:]), (TicTacToe, 4, 4, 4, "freestyle", *arguments[1:]),
                  (Gomoku, 4, "freestyle", *arguments[1:])):
        with pytest.raises(InvalidState):
            restore(*wrong)
    with pytest.raises(IllegalMove):
        restore(*arguments[:-1], (0, 0))


@pytest.mark.needs("threads")
def test_threads_share_boards():
    made = []

    def work():
        for size in range(5, 33):
            made.append(Gomoku(size, "exact").play(size))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4 * 28 and len(set(made)) == 28


@pytest.mark.parametrize("state", [MNK(4, 3, 3), Gomoku(9), TicTacToe()], ids=lambda state: type(state).__name__)
def test_a_position_is_not_initialised_again(state):
    before = repr(state)
    with pytest.raises(InvalidState, match="is immutable: it cannot be initialised again"):
        state.__init__()
    assert repr(state) == before
