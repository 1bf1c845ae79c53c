"""Nested rollouts: the slow oracle, a policy computed by hand, native games, what is kept and what is refused."""

import copy
import ctypes
import math
import pickle

import pytest
from general_games import Corner
from nested_oracle import Maze, NestedOracle, ScoredMaze, adapted
from table_games import native_race, start

import mcts_core as mc
from mcts_core.testing.probe import TableState


def searched(state, iterations, **options):
    engine = mc.Searcher(**{"seed": 1, "nested_rollouts": 3, **options})
    engine.search(state, iterations=iterations)
    return engine


def assert_same(stats, oracle):
    """The statistics are those of the oracle's rollouts."""
    by_move = {}
    for line, value in oracle.lines:
        by_move.setdefault(line[0], []).append(value)
    assert {entry.move: entry.visits for entry in stats.moves if entry.visits} == {
        move: len(values) for move, values in by_move.items()}
    for entry in stats.moves:
        if entry.visits:
            assert entry.wins == pytest.approx(sum(by_move[entry.move]), abs=1e-9)
    value = max(value for _, value in oracle.lines)
    assert stats.line_value == value
    assert list(stats.pv) == next(line for line, found in oracle.lines if found == value)
    assert stats.value == pytest.approx(sum(value for _, value in oracle.lines) / len(oracle.lines))


@pytest.mark.parametrize("game", [Maze, ScoredMaze])
@pytest.mark.parametrize(("width", "level"), [(2, 5), (3, 3), (10, 2), (40, 1)])
def test_a_search_is_that_of_the_oracle(game, width, level):
    for number in range(12):
        state, oracle = game(number), NestedOracle(game(number), 7, width)
        oracle.search(level)
        stats = searched(state, width**level, nested_rollouts=width, seed=7).stats()
        assert stats.iterations == stats.rollouts == width**level
        assert_same(stats, oracle)


def test_every_rollout_is_that_of_the_oracle():
    for number in range(12):
        state, oracle = Maze(number), NestedOracle(Maze(number), 3, 4)
        oracle.search(3)
        searched(state, 64, nested_rollouts=4, seed=3)
        assert state.ended == [line for line, _ in oracle.lines]


def test_the_first_rollouts_do_not_depend_on_how_many_follow():
    few, many = Maze(5), Maze(5)
    searched(few, 9, nested_rollouts=3)
    searched(many, 200, nested_rollouts=3)
    assert many.ended[:len(few.ended)] == few.ended and len(many.ended) > 10 * len(few.ended) > 0


def test_rollouts_that_are_cut():
    for number in range(6):
        state, oracle = ScoredMaze(number), NestedOracle(ScoredMaze(number), 2, 5, longest=3)
        oracle.search(3)
        assert_same(searched(state, 125, nested_rollouts=5, seed=2, rollout_moves=3).stats(), oracle)


def test_a_policy_on_paper():
    """From equal weights of three moves: the one played gets 2/3, the others lose 1/3 each. Where there is no choice,
    nothing changes."""
    policy = adapted(dict.fromkeys("abc", 0.0), [("a", ["a", "b", "c"]), ("c", ["c"])])
    assert policy == {"a": pytest.approx(2 / 3), "b": pytest.approx(-1 / 3), "c": pytest.approx(-1 / 3)}

    class Three:
        """Ten choices; the value is how often the last one was made in all."""

        players, to_move, discount = 1, 0, 1.0

        def __init__(self, moves=()):
            self.moves = moves

        def legal_moves(self):
            return ["a", "b", "c"]

        def play(self, move):
            return Three((*self.moves, move))

        def returns(self):
            return [self.moves.count(self.moves[-1])] if len(self.moves) == 10 else None

    stats = searched(Three(), 100, nested_rollouts=100).stats()
    assert stats.line_value == 10.0 and len(set(stats.pv)) == 1  # by the names, which are the same at every step
    assert max(entry.visits for entry in stats.moves) > 60


def test_weights_stay_finite_in_long_lines():
    class Long:
        """A thousand steps; each one to the right is worth a point."""

        players, to_move, discount = 1, 0, 1.0

        def __init__(self, step=0, right=0):
            self.step, self.right = step, right

        def legal_moves(self):
            return ["left", "right"]

        def play(self, move):
            return Long(self.step + 1, self.right + (move == "right"))

        def returns(self):
            return [self.right] if self.step == 1000 else None

    stats = searched(Long(), 60, nested_rollouts=20).stats()
    assert stats.line_value == 1000.0 and math.isfinite(stats.value) and len(stats.pv) == 1000


# ---- the services of a search ----------------------------------------------------------------------------------------

def test_a_search_goes_on_with_its_policy_and_its_line():
    engine, best = mc.Searcher(nested_rollouts=4), 0.0
    for turn in range(10):
        move = engine.search(Maze(4), iterations=30)
        stats = engine.stats()
        assert stats.reused_visits == 30 * turn and stats.iterations == 30
        assert stats.line_value >= best and move == stats.pv[0]
        best = stats.line_value


def test_a_search_that_goes_on_learns_on():
    """The lock has one combination among 3**30; sixty rollouts at a time find it only by what was learned before."""
    engine = mc.Searcher(nested_rollouts=100)
    for _ in range(30):
        engine.search(Lock(), iterations=60)
    fresh = [searched(Lock(), 60, nested_rollouts=100, seed=seed).stats().line_value for seed in range(30)]
    assert engine.stats().line_value == 1.0 > max(fresh)


def test_a_game_is_played_along_the_best_line():
    engine, state, promised, total, weight = mc.Searcher(nested_rollouts=10, seed=1), ScoredMaze(3), [], 0.0, 1.0
    while state.returns() is None:
        move = engine.search(state, iterations=200 if not state.path else 5)
        assert engine.stats().pv[0] == move
        promised.append(total + weight * engine.stats().line_value)
        state = state.play(move)
        total += weight * state.rewards()[0]
        weight *= 0.9
    total += weight * state.returns()[0]
    assert total >= promised[0] - 1e-9 and promised == pytest.approx(sorted(promised), abs=1e-9)


def test_saved_and_copied():
    engine = searched(Maze(4), 100, seed=5)
    for other in (pickle.loads(pickle.dumps(engine)), copy.copy(engine)):
        assert other.stats().to_dict() == engine.stats().to_dict()
        before = engine.stats().line_value
        other.search(Maze(4), iterations=20)
        assert other.stats().line_value >= before


def test_equal_seeds_give_equal_searches():
    one, other = (searched(Maze(2), 300).stats() for _ in range(2))
    assert (one.moves, one.pv, one.value, one.line_value) == (other.moves, other.pv, other.value, other.line_value)
    assert len({searched(Maze(2), 5, seed=seed).stats().pv for seed in range(20)}) > 1


@pytest.mark.alone
def test_time_progress_and_what_is_shown():
    seen = []
    engine = mc.Searcher(nested_rollouts=5, seed=1, progress=seen.append, every=0.001)
    engine.search(Maze(1), 0.05)
    stats = engine.stats()
    assert stats.stop_reason == "time" and stats.iterations > 20 and seen
    assert [figures.line_value for figures in seen] == sorted(figures.line_value for figures in seen)
    assert stats.nodes == 1 + sum(entry.visits > 0 for entry in stats.moves) and stats.depth_max == 1
    assert engine.tree(max_depth=2, min_share=0).visits == stats.iterations
    assert "nested_rollouts=5" in repr(engine) and "final_move='best_line'" in repr(engine)
    assert engine.options(Maze(1)) == {"final_move": "best_line", "nested_rollouts": 5}


def test_an_only_move_takes_one_rollout():
    number = next(number for number in range(100) if len(Maze(number).moves) == 1)
    stats = searched(Maze(number), 50, stop_early=True).stats()
    assert stats.iterations == 1 and stats.stop_reason == "only_move"


class Lock:
    """One combination opens it; each right digit adds to the value."""

    players, to_move, code = 1, 0, tuple(7 * place % 3 for place in range(30))

    def __init__(self, digits=()):
        self.digits = digits

    def __eq__(self, other):
        return isinstance(other, Lock) and self.digits == other.digits

    def __hash__(self):
        return hash(self.digits)

    def legal_moves(self):
        return [(len(self.digits), digit) for digit in range(3)]

    def play(self, move):
        return Lock((*self.digits, move[1]))

    def returns(self):
        return [sum(map(int.__eq__, self.digits, self.code)) / 30] if len(self.digits) == 30 else None


class Names:
    """Ten moves whose names never come back."""

    players, to_move = 1, 0
    count = 0

    def __init__(self, step=0):
        self.step = step

    def legal_moves(self):
        Names.count += 500
        return list(range(Names.count, Names.count + 500)) if self.step else ["go"]

    def play(self, move):
        return Names(self.step + 1)

    def returns(self):
        return [0.5] if self.step == 10 else None


class Wide(Names):
    def legal_moves(self):
        return list(range(3000 * self.step, 3000 * self.step + 3000)) if self.step else ["go"]

    def play(self, move):
        return Wide(self.step + 1)


def test_names_fill_the_memory():
    engine = mc.Searcher(nested_rollouts=10, memory_mb=2, seed=1)
    state = Names()
    engine.search(state, iterations=10_000)
    stats = engine.stats()
    assert stats.stop_reason == "memory" and 1 <= stats.iterations < 10 and stats.line_value == 0.5
    assert 2**20 < stats.bytes <= 2**21
    engine.search(state, iterations=10_000)
    assert engine.stats().stop_reason == "memory" and engine.stats().iterations >= 1
    with pytest.raises(mc.InvalidOption, match="memory_mb must be larger: the first rollout of nested_.*, got 1$"):
        mc.search(Wide(), iterations=5, nested_rollouts=10, memory_mb=1)


# ---- native games ----------------------------------------------------------------------------------------------------

LENGTH = 8


def moves_at(code):
    """Two or three moves of a position, whose names come back in others."""
    return [3 * (code % 4) + number + 1_000_000 * (number == 1) for number in range(2 + code % 2)]


def after(code, move):
    return (code * 31 + move) % 65_521


def worth(code):
    return code % 101 / 100


class Codes:
    """A position is its number and how many moves were played."""

    players, to_move = 1, 0

    def __init__(self, code=17, plies=0):
        self.code, self.plies = code, plies

    def legal_moves(self):
        return moves_at(self.code)

    def play(self, move):
        return Codes(after(self.code, move), self.plies + 1)

    def returns(self):
        return [worth(self.code)] if self.plies == LENGTH else None


class CodeBytes(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint32), ("plies", ctypes.c_uint32)]


def native_codes(code=17, plies=0, **broken):
    """The same as a native table. ``broken``: what stands in the place of a function."""
    State, Context = ctypes.POINTER(CodeBytes), ctypes.c_void_p

    def legal_moves(context, state, moves):
        found = moves_at(state[0].code) if state[0].plies < LENGTH else []
        for slot, move in enumerate(found):
            moves[slot] = move
        return len(found)

    def play(context, state, move):
        state[0].code, state[0].plies = after(state[0].code, move), state[0].plies + 1
        return int(state[0].plies == LENGTH)

    def returns(context, state, values):
        values[0] = worth(state[0].code)
        return 0

    Int, Numbers = ctypes.c_int32, ctypes.POINTER(ctypes.c_uint32)
    functions = {
        "legal_moves": ctypes.CFUNCTYPE(Int, Context, State, Numbers)(broken.get("legal_moves", legal_moves)),
        "play": ctypes.CFUNCTYPE(Int, Context, State, ctypes.c_uint32)(broken.get("play", play)),
        "to_move": ctypes.CFUNCTYPE(Int, Context, State)(lambda context, state: 0),
        "returns": ctypes.CFUNCTYPE(Int, Context, State, ctypes.POINTER(ctypes.c_double))(
            broken.get("returns", returns)),
    }
    state = TableState(bytes(CodeBytes(code, plies)), max_moves=4, players=1, functions={
        name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()})
    state.keeper = functions
    return state


def native_at(state, code, plies):
    return TableState(bytes(CodeBytes(code, plies)), like=state)


def test_any_number_may_be_a_move_of_a_native_game():
    def legal_moves(context, state, moves):
        moves[0], moves[1] = 5, 0xFFFFFFFF
        return 2 if state[0].plies < LENGTH else 0

    stats = searched(native_codes(legal_moves=legal_moves), 50, nested_rollouts=10).stats()
    assert len(stats.pv) == LENGTH and {entry.move for entry in stats.moves} == {5, 0xFFFFFFFF}


@pytest.mark.parametrize(("width", "level"), [(2, 4), (5, 3), (50, 1)])
def test_a_native_game_is_searched_as_its_twin_in_python(width, level):
    for seed in range(3):
        stats = [searched(state, width**level, nested_rollouts=width, seed=seed).stats()
                 for state in (Codes(), native_codes())]
        assert stats[0].line_value == stats[1].line_value and stats[0].pv == stats[1].pv and len(stats[0].pv) == LENGTH
        assert [(entry.move, entry.visits, entry.wins) for entry in stats[0].moves] == [
            (entry.move, entry.visits, entry.wins) for entry in stats[1].moves]
    oracle = NestedOracle(Codes(), 2, width)
    oracle.search(level)
    assert_same(searched(native_codes(), width**level, nested_rollouts=width, seed=2).stats(), oracle)


def test_the_line_of_a_native_game_is_followed():
    engine, state = mc.Searcher(nested_rollouts=5, seed=1), native_codes()
    engine.search(state, iterations=200)
    line, value = engine.stats().pv, engine.stats().line_value
    code = 17
    for plies, move in enumerate(line[:-1], 1):
        code = after(code, move)
        engine.search(native_at(state, code, plies), iterations=1)
        assert engine.stats().line_value >= value
        if engine.stats().line_value > value:
            break
        assert engine.stats().pv == line[plies:]
    engine.search(native_at(state, 99, 2), iterations=1)
    assert len(engine.stats().pv) == LENGTH - 2


def test_threads_of_a_native_game_search_on_their_own():
    """Each plays the rollouts that it would play alone, from its own seed; the best line of all is reported."""
    count = 1100
    both = [searched(native_codes(), 2 * count, threads=2, nested_rollouts=10, seed=seed) for seed in range(5)]
    ahead = 0
    for seed, engine in enumerate(both):
        stats = engine.stats()
        alone = [searched(native_codes(), count, nested_rollouts=10, seed=own).stats()
                 for own in (seed, (seed + 0x9E3779B97F4A7C15) % 2**64)]
        best = max(alone, key=lambda stats: stats.line_value)
        assert stats.threads == 2 and stats.iterations == 2 * count
        assert stats.line_value == best.line_value and stats.pv == best.pv
        ahead += alone[1].line_value > alone[0].line_value
        again = searched(native_codes(), 2 * count, threads=2, nested_rollouts=10, seed=seed).stats()
        assert again.pv == stats.pv and [entry.visits for entry in again.moves] == [
            entry.visits for entry in stats.moves]
    assert ahead  # the line of the other thread was taken, too


# ---- what it refuses -------------------------------------------------------------------------------------------------

def test_faults_of_a_game_end_the_search():
    for broken in ({"returns": lambda context, state, values: -1},
                   {"legal_moves": lambda context, state, moves: 9 if state[0].plies else 2},
                   {"play": lambda context, state, move: -7}):
        engine = mc.Searcher(nested_rollouts=5, seed=1)
        with pytest.raises(mc.GameError, match="TableState"):
            engine.search(native_codes(**broken), iterations=10)
        with pytest.raises(mc.NoSearch):
            engine.stats()
        engine.search(native_codes(), iterations=10)

    class Broken(Maze):
        def returns(self):
            return [math.nan] if self.over else None

    class Fickle(Maze):
        """The moves of the root are other ones each time."""

        def legal_moves(self):
            self.asked = getattr(self, "asked", 0) + 1
            return [(move, self.asked) for move in self.moves]

    class Endless:
        players, to_move = 1, 0

        def legal_moves(self):
            return ["wait"]

        def play(self, move):
            return Endless()

        def returns(self):
            return None

    for state, told in ((Broken(1), "from 0 to 1"), (Fickle(1), "legal_moves"), (Endless(), "1000000 moves")):
        with pytest.raises(mc.GameError, match=told):
            mc.search(state, iterations=10, nested_rollouts=5)
    with pytest.raises(mc.GameError, match="when the time was over"):
        mc.search(Endless(), 0.01, nested_rollouts=5)


class Dice(Maze):
    @property
    def to_move(self):
        return mc.CHANCE if self.path else 0


@pytest.mark.parametrize(("state", "options", "told"), [
    (Maze(1), {"nested_rollouts": 1}, "nested_rollouts must be"),
    (Maze(1), {"nested_rollouts": True}, "nested_rollouts must be"),
    (Maze(1), {"final_move": "robust"}, "final_move must be left out or 'best_line', got 'robust'"),
    (Maze(1), {"exploration": 0.7}, "exploration has no meaning with nested_rollouts.*, got 0.7"),
    (Maze(1), {"fpu": 0.0}, "fpu has no meaning"),
    (Maze(1), {"rollouts_per_leaf": 1}, "rollouts_per_leaf has no meaning"),
    (Maze(1), {"temperature": 1.0}, "temperature has no meaning"),
    (Maze(1), {"solver": True}, "solver has no meaning"),
    (Maze(1), {"policy_value": lambda state: (None, 0.0)}, "no meaning with an evaluator"),
    (Maze(1), {"threads": 2}, "threads must be 1 for a game written in Python"),
    (Maze(1), {"rollout_moves": 3}, "rollout_moves needs a game with rewards"),
    (mc.TicTacToe(), {}, "nested_rollouts needs a general game of one player"),
    (native_race(2)(start(0, 0)), {}, "nested_rollouts needs a game of one player, got 2"),
    (native_race(1)(start(0)), {}, "nested_rollouts needs a game without chance"),
])
def test_what_it_refuses(state, options, told):
    with pytest.raises(mc.InvalidOption, match=told):
        mc.search(state, iterations=5, **{"nested_rollouts": 3, **options})


def test_it_refuses_chance_and_hidden_cards():
    with pytest.raises(mc.GameError, match="without chance"):
        mc.search(Dice(1), iterations=5, nested_rollouts=3)
    hidden = Maze(1)
    hidden.hidden_information = True
    hidden.determinize = lambda player, rng: hidden
    with pytest.raises(mc.InvalidOption, match="without hidden information"):
        mc.search(hidden, iterations=5, nested_rollouts=3)


def test_unused_options_may_have_their_default():
    for options in ({"solver": False}, {"temperature": 0}, {"final_move": "best_line"}, {"exploration": None}):
        assert searched(Corner(), 9, **options).stats().line_value == 1.0
