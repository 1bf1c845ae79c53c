"""The seeds of a Searcher's searches: which one each kind of call takes, and which calls take none."""

import asyncio
import copy
import pickle

import pytest
from general_games import Dice, flat
from noughts import Noughts
from table_games import native_race, start

import mcts_core as mc
from mcts_core.engine.request import seed_of

BOARD = mc.ConnectFour()


class Coin:
    """Hidden information: a coin that was flipped, of which nothing is seen."""

    hidden_information, to_move = True, 1

    def __init__(self, heads=True, played=()):
        self.heads, self.played = heads, played

    def determinize(self, player, rng):
        return Coin(rng.random() < 0.5, self.played)

    def observation_key(self, player):
        return self.played

    def legal_moves(self):
        return ["heads", "tails"]

    def play(self, move):
        return Coin(self.heads, (*self.played, move))

    def winner(self):
        return None if not self.played else 1 if (self.played[0] == "heads") == self.heads else -1


KINDS = {
    "native": (BOARD, {}), "uct": (BOARD, {"preset": "uct"}), "threads": (BOARD, {"preset": "uct", "threads": 2}),
    "python": (Noughts(), {}), "general": (Dice(), {}), "general native": (native_race()(start()), {}),
    "evaluator": (BOARD, {"evaluator": flat}), "hidden": (Coin(), {}),
    "gumbel": (BOARD, {"evaluator": flat, "root_policy": "gumbel"}),
}


def drawn(first, count, begin=0):
    """The seeds of so many searches of a Searcher whose seed is ``first``."""
    return [seed_of(first, number) if number else first for number in range(begin, begin + count)]


def searched(engine, state=BOARD, iterations=40):
    """The seed of a search."""
    engine.search(state, iterations=iterations)
    return engine.stats().seed


def figures(engine):
    found = engine.stats()
    return found.seed, found.moves, found.nodes, found.rollouts


@pytest.mark.parametrize("kind", KINDS)
def test_each_search_has_a_seed_that_repeats_it(kind):
    state, options = KINDS[kind]
    iterations = 1100 if "threads" in options else 60
    engine, found = mc.Searcher(seed=5, **options), []
    for _ in range(4):
        searched(engine, state, iterations)
        found.append(figures(engine))
        alone = mc.Searcher(seed=engine.stats().seed, **options)
        searched(alone, state, iterations)
        assert figures(alone) == found[-1]
        mc.search(state, iterations=iterations, seed=engine.stats().seed, **options)
        assert mc.stats().moves == engine.stats().moves
    assert [seed for seed, *_ in found] == drawn(5, 4)
    again = mc.Searcher(seed=5, **options)
    for expected in found:
        searched(again, state, iterations)
        assert figures(again) == expected


def test_the_seeds_are_those_of_the_paper():
    """SplitMix64 of 1234567, by the test vectors of its authors."""
    engine = mc.Searcher(seed=1234567)
    assert [searched(engine) for _ in range(5)] == [
        1234567, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    engine = mc.Searcher(seed=2**64 - 1)
    assert [searched(engine) for _ in range(3)] == drawn(2**64 - 1, 3)


def test_neighbouring_seeds_have_no_search_in_common():
    seeds = [seed for first in range(300) for seed in drawn(first, 300)]
    assert len(set(seeds)) == len(seeds)


def test_the_count_goes_on_over_games_of_all_kinds():
    engine = mc.Searcher(seed=3)
    states = [BOARD, Noughts(), Dice(), Coin(), mc.Gomoku(9), Coin(), BOARD]
    assert [searched(engine, state) for state in states] == drawn(3, 7)


def test_search_of_the_module_starts_from_its_seed_each_time():
    found = []
    for _ in range(3):
        mc.search(BOARD, iterations=300, seed=7, reuse=True)
        found.append((mc.stats().seed, mc.stats().moves))
    assert found == [(7, found[0][1])] * 3


class Turtle:
    """A walk on nine squares, with four ways to stand still, which goes on for ever."""

    players, to_move, discount = 1, 0, 0.99

    def __init__(self, at=(0, 0), heading=0):
        self.at, self.heading = at, heading

    def legal_moves(self):
        return list(range(7))

    def play(self, move):
        (x, y), heading = self.at, self.heading
        if move < 2:
            heading = (heading + (1, -1)[move]) % 4
        elif move == 2:
            right, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[heading]
            x, y = min(max(x + right, 0), 2), min(max(y + down, 0), 2)
        return type(self)((x, y), heading)

    def rewards(self):
        return [float(self.at == (2, 2))]

    def returns(self):
        return [0.0] if self.at == (2, 2) else None


class EqualTurtle(Turtle):
    """The same, equal by value."""

    def __eq__(self, other):
        return isinstance(other, Turtle) and (self.at, self.heading) == (other.at, other.heading)

    def __hash__(self):
        return hash((self.at, self.heading))


@pytest.mark.parametrize("kind", [Turtle, EqualTurtle])
def test_a_player_that_comes_back_to_a_position_does_not_go_round_for_ever(kind):
    for seed in range(8):
        engine, state = mc.Searcher(rollout_moves=40, seed=seed), kind()
        for _ in range(60):
            state = state.play(engine.search(state, iterations=60))
            if state.returns() is not None:
                break
        assert state.returns() is not None, seed


# ---- what takes a seed -----------------------------------------------------------------------------------------------

class Failing(Noughts):
    """Raises an error at a move, or where its moves are asked for."""

    at_once = False

    def legal_moves(self):
        if self.at_once:
            raise ArithmeticError("no moves")
        return super().legal_moves()

    def play(self, move):
        raise ArithmeticError("no such move")


class FailingAtOnce(Failing):
    at_once = True


def test_a_refused_search_takes_no_seed():
    engine = mc.Searcher(seed=4, memory_mb=1)
    over = mc.ConnectFour.from_moves("0101010")
    for error, call in (
        (mc.InvalidOption, lambda: engine.search(BOARD, iterations=0)),
        (mc.InvalidOption, lambda: engine.search(BOARD, iterations=5, progress=3)),
        (mc.InvalidOption, lambda: engine.search(BOARD, -1.0)),
        (mc.InvalidState, lambda: engine.search("board", iterations=5)),
        (mc.GameOver, lambda: engine.search(over, iterations=5)),
        (mc.GameOver, lambda: engine.ponder(over)),
        (mc.GameOver, lambda: engine.watch(over, iterations=5)),
        (mc.GameError, lambda: engine.search(FailingAtOnce(), iterations=5)),
    ):
        with pytest.raises(error):
            call()
    engine.watch(BOARD, iterations=5)  # never begun
    assert searched(engine) == 4

    class Calls(Noughts):
        def play(self, move):
            with pytest.raises(mc.SearchBusy):
                engine.search(BOARD, iterations=5)
            return Noughts.play(self, move)

    assert [searched(engine, Calls()), searched(engine)] == drawn(4, 2, 1)


def test_a_search_without_room_for_its_moves_takes_no_seed():
    class Wide(Dice):
        def legal_moves(self):
            return list(range(60_000))

    engine = mc.Searcher(seed=4, memory_mb=1)
    with pytest.raises(mc.InvalidOption, match="memory_mb must be larger"):
        engine.search(Wide(), iterations=5)
    assert searched(engine) == 4


def test_a_search_that_fails_or_is_interrupted_takes_a_seed():
    engine = mc.Searcher(seed=4, book=False)
    with pytest.raises(mc.GameError):
        engine.search(Failing(), iterations=5)

    def interrupt(stats):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.search(BOARD, 5.0, progress=interrupt, every=0.001)
    assert engine.stats().seed == seed_of(4, 1) and searched(engine) == seed_of(4, 2)


def test_searches_in_the_background_take_a_seed():
    engine = mc.Searcher(seed=4, book=False)
    engine.ponder(BOARD)
    assert engine.stop().seed == 4
    with engine.pondering(BOARD):
        pass
    assert [stats.seed for stats in engine.watch(BOARD, iterations=30)][-1] == seed_of(4, 2)
    asyncio.run(engine.search_async(BOARD, iterations=30))
    assert engine.stats().seed == seed_of(4, 3) and searched(engine) == seed_of(4, 4)
    reported = []
    engine.search(BOARD, 0.05, progress=reported.append, every=0.001)
    assert {stats.seed for stats in reported} == {seed_of(4, 5)}


# ---- copies ----------------------------------------------------------------------------------------------------------

def through_a_file(engine, folder):
    engine.save(folder / "engine")
    return mc.Searcher.load(folder / "engine")


COPIES = {
    "pickle": lambda engine, folder: pickle.loads(pickle.dumps(engine)), "file": through_a_file,
    "copy": lambda engine, folder: copy.copy(engine), "deepcopy": lambda engine, folder: copy.deepcopy(engine),
}


@pytest.mark.parametrize("how", COPIES)
def test_copies_go_on_with_the_next_seed(how, tmp_path):
    engine, state = mc.Searcher(seed=6), BOARD
    assert COPIES[how](engine, tmp_path).search(BOARD, iterations=40) == mc.search(BOARD, iterations=40, seed=6)
    for number in range(4):
        state = state.play(engine.search(state, iterations=300))
        other = COPIES[how](engine, tmp_path)
        assert other.stats().seed == engine.stats().seed == drawn(6, 1, number)[0]
        engine.search(state, iterations=300)
        other.search(state, iterations=300)
        assert figures(other) == figures(engine) and engine.stats().seed == seed_of(6, number + 1)
        engine = COPIES[how](other, tmp_path) if number % 2 else other
        engine._requests.searches -= 1  # as if it had not searched ahead


@pytest.mark.parametrize("how", ["pickle", "copy", "deepcopy"])
def test_copies_without_a_tree_know_how_many_searches_there_were(how, tmp_path):
    engine = mc.Searcher(seed=6)
    searched(engine, Coin())
    other = COPIES[how](engine, tmp_path)
    assert searched(other, Coin()) == searched(engine, Coin()) == seed_of(6, 1)
    failed = mc.Searcher(seed=6)
    with pytest.raises(mc.GameError):
        failed.search(Failing(), iterations=5)
    assert searched(COPIES[how](failed, tmp_path)) == seed_of(6, 1)
