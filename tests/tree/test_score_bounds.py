"""src/mcts_core/tree/score_bounds.pxd: against exhaustive search of random games, and against trees on paper."""

import itertools
import math
import pickle
import random
import struct

import pytest
from seeds import without_seed
from table_games import GOAL, native_race, start

import mcts_core as mc
from mcts_core.distributed import messages
from mcts_core.engine import storage
from mcts_core.engine.settings import GeneralSettings
from mcts_core.testing.general_probe import GeneralProbe
from mcts_core.testing.probe import TableState

SETTLED = 4
"""In the header of a message: bounds have settled the root."""
NEAR = 1e-9
"""By which values may differ that are equal but for rounding."""
SETS = 300
"""Outcomes of a position, at most; the oracle leaves out games with more."""


class Thicket:
    """A game grown by ``grow``: a node is the values of its end, (player, nodes) or (CHANCE, nodes, weights)."""

    def __init__(self, node, players, constant_sum=False):
        self.node, self.players, self.constant_sum = node, players, constant_sum
        self.over = is_end(node)
        self.to_move = 0 if self.over else node[0]

    def legal_moves(self):
        return list(range(len(self.node[1])))

    def chance_outcomes(self):
        return [(slot, weight / sum(self.node[2])) for slot, weight in enumerate(self.node[2])]

    def play(self, move):
        return type(self)(self.node[1][move], self.players, self.constant_sum)

    def returns(self):
        return list(self.node) if self.over else None


def is_end(node):
    return isinstance(node[-1], float)


# ---- exhaustive search -----------------------------------------------------------------------------------------------

class TooMany(Exception):
    pass


def outcomes(node):
    """The values of all players that best play of all may lead to, whichever of several equal moves each one takes."""
    if is_end(node):
        return {node}
    below = [outcomes(child) for child in node[1]]
    if node[0] == mc.CHANCE:
        if math.prod(map(len, below)) > SETS:
            raise TooMany
        return {mean_of(node[2], chosen) for chosen in itertools.product(*below)}
    mover = node[0]
    worst = [min(values[mover] for values in each) for each in below]
    found = set()
    for slot, each in enumerate(below):
        least = max((value for other, value in enumerate(worst) if other != slot), default=0.0)
        found |= {values for values in each if values[mover] >= least - NEAR}
    if len(found) > SETS:
        raise TooMany
    return found


def mean_of(weights, outcomes):
    sums = [sum(weight * value for weight, value in zip(weights, values, strict=True))
            for values in zip(*outcomes, strict=True)]
    return tuple(round(each / sum(weights), 13) for each in sums)


def range_of(node, player):
    values = [each[player] for each in outcomes(node)]
    return min(values), max(values)


def is_clear(node):
    """Whether no choice between equal moves matters to anybody, here or below."""
    return len(outcomes(node)) == 1 and (is_end(node) or all(map(is_clear, node[1])))


# ---- random games ----------------------------------------------------------------------------------------------------

def any_end(draw, players):
    return tuple(draw.choice((0.0, 0.0, 0.25, 0.3, 0.5, 0.7, 1.0, 1.0)) for _ in range(players))


def shared_end(draw, players):
    """Values that sum to 1: one winner, several, or shares."""
    if draw.random() < 0.3:
        cuts = sorted(draw.randrange(5) for _ in range(players - 1))
        return tuple((high - low) / 4 for low, high in itertools.pairwise((0, *cuts, 4)))
    winners = draw.sample(range(players), draw.choice((1, 1, 1, draw.randint(1, players))))
    return tuple(1 / len(winners) if player in winners else 0.0 for player in range(players))


def grow(draw, depth, players, chance, end, known):
    """A random node; sometimes one that is elsewhere in the game as well."""
    if known and draw.random() < 0.1:
        return draw.choice(known)
    if depth == 0 or draw.random() < 0.2:
        return end(draw, players)
    nodes = [grow(draw, depth - 1, players, chance, end, known) for _ in range(draw.randint(1, 3))]
    if draw.random() < chance:
        node = (mc.CHANCE, nodes, [draw.choice((0, 1, 1, 2, 3)) for _ in nodes[1:]] + [1])
    else:
        node = (draw.randrange(players), nodes)
    known.append(node)
    return node


def seedling(number):
    """A game of one to four players, with chance or without, with a constant sum or without."""
    draw = random.Random(number)
    constant = number % 3 == 0
    players = draw.randint(2, 4) if constant else draw.randint(1, 4)
    chance = draw.choice((0.0, 0.3, 0.5))
    end = shared_end if constant else any_end
    nodes = [grow(draw, 3, players, chance, end, []) for _ in range(draw.randint(2, 3))]
    return Thicket((draw.randrange(players), nodes), players, constant)


def countable(games):
    """Games with their numbers, without those that have too many outcomes for the oracle."""
    for number in range(games):
        state = seedling(number)
        try:
            outcomes(state.node)
        except TooMany:
            continue
        yield number, state


def contains(bounds, truth):
    return bounds[0] <= truth[0] + NEAR and truth[1] - NEAR <= bounds[1]


def assert_true(state, stats):
    """Whatever the statistics say is proven is so."""
    mover = state.to_move
    ranges = [range_of(child, mover) for child in state.node[1]]
    assert contains(stats.bounds, range_of(state.node, mover))
    for entry in stats.moves:
        low, high = ranges[entry.move]
        assert contains(entry.bounds, (low, high))
        if entry.proven is not None:
            assert low == high == {"win": 1.0, "draw": 0.5, "loss": 0.0}[entry.proven]
    if stats.stop_reason == "solved":
        low, high = range_of(state.node, mover)
        assert high - low <= NEAR and abs(stats.value - low) <= 1e-6
        assert contains((low - 1e-6, 2), ranges[stats.move])  # the move keeps the value
        if stats.proven in ("win", "loss"):
            assert low == high == (stats.proven == "win")
        assert stats.values[mover] == stats.value or stats.proven is not None
    elif stats.proven is not None:
        raise AssertionError(f"{stats.proven} without the end of the search")


@pytest.mark.parametrize("games", [1000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_is_proven_that_is_not_so(games):
    """After few iterations and many. Games in which no choice between equal moves matters are solved in the end."""
    engine, solved, partly, left_out = mc.Searcher(reuse=False), 0, 0, 0
    for number in range(games):
        state = seedling(number)
        try:
            outcomes(state.node)
        except TooMany:
            left_out += 1
            continue
        for iterations in (1 + number * 7 % 90, 1500) if number % 10 == 0 else (1 + number * 7 % 90,):
            engine.search(state, iterations=iterations)
            stats = engine.stats()
            assert_true(state, stats)
        if number % 10 == 0 and is_clear(state.node):
            assert stats.stop_reason == "solved"
        solved += stats.stop_reason == "solved"
        partly += stats.stop_reason != "solved" and any(entry.bounds not in (None, (0, 1)) for entry in stats.moves)
    assert solved > games // 5 and partly > games // 20 and left_out < games // 50


def settings(**options):
    return GeneralSettings(**{"exploration": 0.7, "bounds": True, **options})


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_bounds_of_all_nodes(first):
    """Also after pruning, in a copy, and below another root."""
    for number in range(first, first + 20):
        state = seedling(number)
        try:
            outcomes(state.node)
        except TooMany:
            continue
        probe = GeneralProbe(state, settings(), seed=number)
        for count in (5, 20, 60):
            probe.run(count)
            assert_bounded(probe, state)
            probe.compact(0.7)
            assert_bounded(probe, state)
            probe.check()
        other = GeneralProbe(state, settings(), like=probe)
        other.restore(*probe.dump())
        assert other.settled == probe.settled and other.bounds() == probe.bounds()
        below = next((path for path in probe.paths() if path and at(state, path).to_move != mc.CHANCE), None)
        if below is not None:
            assert probe.reroot(below, at(state, below), 1)
            assert_bounded(probe, at(state, below))
            probe.run(50)
            assert_bounded(probe, at(state, below))
            if probe.settled:
                low, high = range_of(at(state, below).node, at(state, below).to_move)
                assert high - low <= NEAR


def at(state, path):
    for move in path:
        state = state.play(move)
    return state


def assert_bounded(probe, state):
    for path in probe.paths():
        node = at(state, path).node
        for player, bounds in enumerate(probe.bounds(path)):
            assert contains(bounds, range_of(node, player)), (path, player)


def test_another_layout_is_not_loaded():
    state = seedling(1)
    bounded, plain = GeneralProbe(state, settings()), GeneralProbe(state, GeneralSettings(exploration=0.7))
    for probe in (bounded, plain):
        probe.run(20)
    with pytest.raises(mc.InvalidFile, match="score bounds"):
        GeneralProbe(state, GeneralSettings(exploration=0.7), like=bounded).restore(*bounded.dump())
    with pytest.raises(mc.InvalidFile, match="bounds must be there"):
        GeneralProbe(state, settings(), like=plain).restore(*plain.dump())


def test_impossible_bounds_are_not_loaded():
    state = Thicket((0, [(0, [(0.5,), (0.25,)]), (0.75,)]), 1)
    probe = GeneralProbe(state, settings())
    probe.run(2)
    numbers, known, (memory,) = probe.dump()
    low = memory.rindex(b"\0\0\0\0\0\0\xe8\x3f\0\0\0\0\0\0\xf0\x3f")  # 0.75 and 1.0, of the root
    for number in (1.5, -0.5, math.nan):
        damaged = bytearray(memory)
        damaged[low:low + 8] = bytes(memoryview(__import__("array").array("d", [number])).cast("B"))
        with pytest.raises(mc.InvalidFile, match="impossible bounds"):
            GeneralProbe(state, settings(), like=probe).restore(numbers, known, [bytes(damaged)])


# ---- on paper --------------------------------------------------------------------------------------------------------

def found_by(node, players, iterations=300, constant_sum=False, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(Thicket(node, players, constant_sum), iterations=iterations)
    return engine.stats()


def bounds_of(stats):
    return {entry.move: entry.bounds for entry in stats.moves}


ONE, NIL = (1.0,), (0.0,)


def test_a_die_and_a_sure_value():
    """The die gives 1 in one of four cases, so taking 0.3 is better; with two of four it is not."""
    for weights, move, value in (([1, 3], 1, 0.3), ([2, 2], 0, 0.5)):
        stats = found_by((0, [(mc.CHANCE, [ONE, NIL], weights), (0.3,)]), 1)
        assert (stats.move, stats.stop_reason, stats.proven, stats.distance) == (move, "solved", None, None)
        assert stats.value == pytest.approx(value, abs=1e-9) and stats.values == (stats.value,)
        assert stats.iterations < 30
        assert stats.bounds == pytest.approx((value, value), abs=1e-9)
        assert bounds_of(stats)[1] == (0.3, 0.3)


def test_equal_outcomes_have_an_exact_value():
    stats = found_by((0, [(mc.CHANCE, [(0.3,)] * 3, [1, 1, 1]), (0.1,)]), 1)
    assert stats.bounds == (0.3, 0.3) and stats.value == 0.3


def test_an_outcome_of_probability_zero():
    """It never comes, and nothing is known of it; it counts for nothing all the same."""
    stats = found_by((0, [(mc.CHANCE, [(0.5,), ONE, (0.25,)], [1, 0, 1]), NIL]), 1)
    assert stats.stop_reason == "solved" and stats.value == pytest.approx(0.375, abs=1e-8)


def test_a_win_for_certain():
    stats = found_by((0, [(mc.CHANCE, [(0, [ONE, NIL]), ONE], [1, 1]), (0.9,)]), 1)
    assert (stats.move, stats.proven, stats.distance, stats.value) == (0, "win", None, 1.0)
    stats = found_by((0, [(0.9,), ONE]), 1)
    assert (stats.move, stats.proven, stats.distance) == (1, "win", None)
    assert {entry.move: (entry.proven, entry.distance) for entry in stats.moves}[1] == ("win", 1)


def test_every_move_loses():
    stats = found_by((0, [(0, [NIL, NIL]), NIL]), 1)
    assert (stats.proven, stats.value, stats.bounds) == ("loss", 0.0, (0.0, 0.0))


def test_bounds_before_everything_is_known():
    """After three visits: a is 0.25, b 0.5; c has been visited once and may be anything."""
    probe = GeneralProbe(Thicket((0, [(0.25,), (0.5,), (0, [ONE, NIL])]), 1), settings(), seed=1)
    probe.run(3)
    assert probe.bounds() == [(0.5, 1.0)] and not probe.settled
    probe.run(3)
    assert probe.bounds() == [(1.0, 1.0)] and probe.settled


def test_dominated_moves_get_no_more_visits():
    """a leads to 0.25 or to 0.5, b to 0.75 at least: all further visits go into b, whose other move is deep."""
    deep = (mc.CHANCE, [(mc.CHANCE, [ONE, NIL], [1, 1])] * 40, [1] * 40)
    stats = found_by((0, [(0, [(0.25,), (0.5,)]), (0, [(0.75,), deep])]), 1, iterations=60)
    assert {entry.move: entry.visits for entry in stats.moves}[0] < 8 and stats.move == 1
    assert bounds_of(stats)[0] == (0.5, 0.5) and bounds_of(stats)[1][0] == 0.75


def test_replies_that_are_worse_for_who_moves_are_not_averaged_in():
    """After a, player 1 has two best moves, which player 0 likes or loves, and 28 worse ones, by which player 0 loses.
    All are known, but not what player 1 takes."""
    replies = (1, [(1.0, 0.5, 0.0), (0.9, 0.5, 1.0)] + [(0.0, 0.4, 0.1)] * 28)
    deep = (2, [(mc.CHANCE, [(0.3, 0.2, 0.1), (0.4, 0.2, 0.1)], [1, 1])] * 40)
    for _ in range(12):
        deep = (0, [deep, deep])
    stats = found_by((0, [replies, deep]), 3, iterations=6000)
    found = {entry.move: entry for entry in stats.moves}
    assert stats.move == 0 and found[0].value > 0.9 and found[0].visits > 1500
    assert bounds_of(stats)[0] == (0.9, 1.0)


def test_a_tie_of_another_player_proves_nothing_for_this_one():
    """Player 1 gets 0.5 either way, and player 0 gets 0.25 or 0.75."""
    tie = (1, [(0.25, 0.5, 0.25), (0.75, 0.5, 0.0)])
    stats = found_by((0, [tie, (0.5, 0.0, 0.0)]), 3)
    assert bounds_of(stats) == {0: (0.25, 0.75), 1: (0.5, 0.5)}
    assert (stats.stop_reason, stats.proven, stats.bounds) == ("iterations", None, (0.5, 0.75))
    stats = found_by((0, [tie, (0.8, 0.0, 0.0)]), 3)
    assert (stats.move, stats.stop_reason, stats.value) == (1, "solved", 0.8)
    stats = found_by((0, [tie, (0.2, 0.0, 0.0)]), 3)
    assert stats.move == 0 and stats.bounds == (0.25, 0.75) and stats.stop_reason == "iterations"


def test_what_another_player_does_not_choose_counts_for_nothing():
    choice = (1, [(0.9, 0.2, 0.0), (0.4, 0.3, 1.0), (0.8, 0.1, 0.5)])
    stats = found_by((0, [choice, (0.5, 1.0, 1.0)]), 3)
    assert bounds_of(stats) == {0: (0.4, 0.4), 1: (0.5, 0.5)}
    assert (stats.move, stats.stop_reason) == (1, "solved") and stats.values == (0.5, 1.0, 1.0)


def test_a_constant_sum_of_three():
    """Player 1 can win at once, so there is nothing left for the others, whatever the other move is."""
    deep = (mc.CHANCE, [(mc.CHANCE, [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], [1, 1])] * 40, [1] * 40)
    node = (0, [(1, [deep, (0.0, 1.0, 0.0)]), (0.25, 0.5, 0.25)])
    stats = found_by(node, 3, iterations=60, constant_sum=True)
    assert (stats.move, stats.stop_reason) == (1, "solved") and bounds_of(stats)[0] == (0.0, 0.0)
    assert {entry.move: entry.proven for entry in stats.moves} == {0: "loss", 1: None}


def test_a_constant_sum_of_two_with_chance():
    """Wins, losses and draws are proven with their distances, other values by bounds."""
    die = (mc.CHANCE, [(1.0, 0.0), (0.0, 1.0)], [3, 1])
    stats = found_by((0, [(1, [die, (1.0, 0.0)]), (0.5, 0.5)]), 2, constant_sum=True)
    assert (stats.move, stats.stop_reason, stats.proven) == (0, "solved", None)
    assert stats.value == pytest.approx(0.75, abs=1e-9) and sum(stats.values) == pytest.approx(1)
    assert {entry.move: (entry.proven, entry.distance) for entry in stats.moves} == {0: (None, None), 1: ("draw", 1)}
    stats = found_by((0, [(1, [(1.0, 0.0)]), die]), 2, constant_sum=True)
    assert (stats.move, stats.proven, stats.distance) == (0, "win", 2)


def test_sums_of_thirds():
    third = (1 / 3, 1 / 3, 1 / 3)
    stats = found_by((0, [(1, [third, (0.5, 0.25, 0.25)]), (2, [third, third])]), 3, constant_sum=True)
    assert stats.stop_reason == "solved" and stats.value == pytest.approx(1 / 3, abs=1e-12)


# ---- the search ------------------------------------------------------------------------------------------------------

OPEN = (0, [(mc.CHANCE, [(1.0, 0.5, 0.0), (0.0, 0.5, 1.0)], [1, 2]), (0.25, 0.25, 0.25)])


@pytest.mark.parametrize("options", [{"solver": False}, {"preset": "uct"},
                                     {"policy_value": lambda state: (None, [0.0] * 3)}],
                         ids=["solver", "preset", "evaluator"])
def test_searches_without_bounds(options):
    stats = found_by(OPEN, 3, iterations=50, **options)
    assert stats.bounds is None and {entry.bounds for entry in stats.moves} == {None}
    assert stats.iterations == 50


def test_where_a_solver_has_no_meaning():
    class Paid(Thicket):
        def rewards(self):
            return [0.0] * 3

    engine = mc.Searcher(seed=1)
    engine.search(Paid(OPEN, 3), iterations=20)
    assert engine.stats().bounds is None
    with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Paid has rewards or a discount"):
        mc.search(Paid(OPEN, 3), iterations=20, solver=True)
    with pytest.raises(mc.InvalidOption, match="without constant_sum for two players, and an evaluator is given"):
        found_by(OPEN, 3, policy_value=lambda state: (None, [0.0] * 3), solver=True)


def test_the_tree_shows_what_is_proven():
    engine = mc.Searcher(seed=1)
    engine.search(Thicket((0, [(0, [ONE, NIL]), (0.5,)]), 1), iterations=50)
    children = {child.move: child for child in engine.stats().tree(5, 0.0).children}
    assert children[0].proven == "win" and children[0].children == () and children[1].proven is None
    assert engine.stats().tree().proven == "win"


def test_a_copy_of_a_solved_search_has_its_proof():
    engine = mc.Searcher(seed=1)
    engine.search(Thicket(OPEN, 3), iterations=100)
    stats = pickle.loads(pickle.dumps(engine)).stats()
    assert stats == engine.stats() and stats.stop_reason == "solved"
    assert stats.to_dict()["bounds"] == stats.bounds and stats.value == pytest.approx(1 / 3, abs=1e-8)
    copy = pickle.loads(pickle.dumps(engine))
    copy.search(Thicket(OPEN, 3), iterations=100)
    assert copy.stats().bounds == stats.bounds


def test_games_with_reuse_are_played_on_sound_trees():
    """Until the end, with short searches; what each of them proves is so."""
    for number, state in countable(60):
        draw = random.Random(number)
        engine = mc.Searcher(seed=number)
        while not state.over:
            if state.to_move == mc.CHANCE:
                state = state.play(draw.choices(state.legal_moves(), state.node[2])[0])
                continue
            move = engine.search(state, iterations=25)
            storage.check(engine._core)
            assert_true(state, engine.stats())
            state = state.play(move)


def test_a_temperature_plays_no_move_that_is_proven_worst():
    node = (0, [NIL, (0, [(0.5,), (mc.CHANCE, [(mc.CHANCE, [ONE, NIL], [1, 1])] * 40, [1] * 40)]), (0.5,)])
    for seed in range(20):
        engine = mc.Searcher(temperature=50.0, seed=seed)
        assert engine.search(Thicket(node, 1), iterations=10) != 0


class Declared(TableState):
    constant_sum = True


def winner_takes_all(context, state, values):
    for player in range(3):
        values[player] = 0.0
    values[next(player for player in range(3) if state[0].steps[player] >= GOAL)] = 1.0
    return 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", [TableState, Declared])
def test_native_games_of_three(threads, kind):
    """Player 0 wins with a step; from 4, only a three of the die wins, one time in four, because player 1 is at 5."""
    make = native_race(3, {"returns": winner_takes_all}, kind)
    engine = mc.Searcher(seed=1, threads=threads, exchange_every=100)
    engine.search(make(start(5, 5, 0)), iterations=3000)
    stats = engine.stats()
    assert (stats.move, stats.proven, stats.stop_reason) == (0, "win", "solved")
    engine.search(make(start(4, 5, 0)), iterations=3000)
    stats = engine.stats()
    assert stats.move == 1 and contains(stats.bounds, (0.25, 0.25)) and stats.bounds[0] > 0.24
    if kind is Declared:  # else player 1 might as well throw, while it is not proven that this cannot win as surely
        assert stats.stop_reason == "solved" and stats.value == pytest.approx(0.25, abs=1e-8)
        assert {entry.move: entry.bounds for entry in stats.moves}[0] == (0.0, 0.0)


@pytest.mark.parametrize("games", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_what_several_trees_tell_each_other_is_true(games):
    """Three trees of a game exchange their news: what they prove together is so, and what one has proven all know."""
    solved = heard = 0
    for number, state in countable(games):
        engines = [mc.Searcher(seed=seed) for seed in (1, 2, 3)]
        for engine in engines:
            engine.search(state, iterations=12)
            without_seed(engine)
        for _ in range(4):
            before = [engine.stats().stop_reason for engine in engines]
            told = [messages.tell(engine._core, 1 + number % 5) for engine in engines]
            for hearer, engine in enumerate(engines):
                for teller, message in enumerate(told):
                    if teller != hearer:
                        messages.hear(engine._core, message)
                storage.check(engine._core)
                assert_true(state, engine.stats())
            after = {engine.stats().stop_reason for engine in engines}
            assert "solved" not in before or after == {"solved"}
            heard += "solved" in before and before != ["solved"] * 3
            if after == {"solved"}:
                break
            for engine in engines:
                engine.search(state, iterations=20)
                assert_true(state, engine.stats())
        solved += after == {"solved"}
    assert solved > games // 3 and heard > games // 10


class Equal(Thicket):
    def __eq__(self, other):
        return self.node == other.node

    def __hash__(self):
        return len(self.node)


def wise_and_young():
    """A position with a best move, 30, a search that has proven it and one that has hardly begun."""
    long = (1, [(0, [(0, [(0.2,) * 2, (0.3,) * 2])] * 2)] * 2)
    state = Equal((0, [*[long] * 30, (1, [(0, [(0.9, 0.1), NIL * 2]), (0.9, 0.1)])]), 2)
    wise, young = mc.Searcher(seed=1), mc.Searcher()
    wise.search(state, iterations=3000)
    young.search(state, iterations=33)
    return state, wise, young


def test_a_tree_that_has_not_seen_the_best_move_is_told_of_it():
    """It plays the move, of whose value it knows nothing itself."""
    _, wise, young = wise_and_young()
    assert wise.stats().stop_reason == "solved" and wise.stats().move == 30 and young.stats().stop_reason != "solved"
    messages.hear(young._core, messages.tell(wise._core, 10**6))
    stats = young.stats()
    assert (stats.move, stats.stop_reason) == (30, "solved") and stats.value == pytest.approx(0.9, abs=1e-9)
    assert messages.tell(young._core, 1) is not None


def test_bounds_that_cannot_be_are_refused():
    state = Thicket((0, [(0.9, 0.1), (1, [(0.2, 0.8), (0.3, 0.7)])]), 2)
    one, two = mc.Searcher(seed=1), mc.Searcher(seed=2)
    one.search(state, iterations=50)
    two.search(state, iterations=3)
    told, before = one._core.tell(1), two.stats()
    assert one.stats().stop_reason == "solved" != before.stop_reason and told[12] == SETTLED
    at = 4 * (6 + 2 + 2 * 2)  # behind the header and the node of block 0: low, low, high, high
    assert struct.unpack_from("<4d", told, at) == pytest.approx((0.9, 0.1, 0.9, 0.1))
    for low, high in ((math.nan, 1.0), (-0.1, 1.0), (0.6, 0.5), (0.0, 1.1), (0.9, math.inf), (0.8, 0.9), (0.0, 1.0)):
        bad = bytearray(told)
        struct.pack_into("<d", bad, at, low)
        struct.pack_into("<d", bad, at + 16, high)
        with pytest.raises(ValueError, match="not a message of a search"):
            two._core.hear(bytes(bad))
        assert two.stats() == before
    for changed in ({20: 1000}, {20: 0xFFFFFFFF}, {16: 3}, {12: 0}):  # a move that there is not, none, a distance
        bad = bytearray(told)
        for place, word in changed.items():
            struct.pack_into("<I", bad, place, word)
        if changed != {12: 0} or told[20:24] != bytes(4):
            with pytest.raises(ValueError, match="not a message of a search"):
                two._core.hear(bytes(bad))
    two._core.hear(told)
    assert (two.stats().stop_reason, two.stats().move) == ("solved", 0)


def test_a_move_that_was_told_is_saved():
    """The tree itself does not know that it is best."""
    state, wise, young = wise_and_young()
    messages.hear(young._core, messages.tell(wise._core, 10**6))
    again = pickle.loads(pickle.dumps(young))
    for engine in (young, again):
        engine.search(state, iterations=100)
        stats = engine.stats()
        assert (stats.move, stats.stop_reason) == (30, "solved") and stats.iterations <= 1 and stats.reused_visits > 30
        assert stats.value == pytest.approx(0.9)


def test_what_was_told_of_the_root_is_forgotten_with_it():
    """Heard bounds of a node whose children do not bear them out made the search of that node play any move."""
    for number, state in countable(200):
        draw = random.Random(number)
        engine, other = mc.Searcher(), mc.Searcher(seed=number)
        while not state.over:
            if state.to_move == mc.CHANCE:
                state = state.play(draw.choices(state.legal_moves(), state.node[2])[0])
                continue
            engine.search(state, iterations=15)
            other.search(state, iterations=1000)
            messages.hear(engine._core, messages.tell(other._core, 1 + number % 3))
            storage.check(engine._core)
            assert_true(state, engine.stats())
            state = state.play(draw.choice(state.legal_moves()))
            if not state.over and state.to_move != mc.CHANCE:
                engine.search(state, iterations=400)  # alone
                assert_true(state, engine.stats())
                if is_clear(state.node):
                    assert engine.stats().stop_reason == "solved"


def test_a_sum_of_three_that_does_not_hold():
    with pytest.raises(mc.GameError):
        mc.search(native_race(3, kind=Declared)(start(5, 5, 5)), iterations=100)  # the second gets a quarter
    with pytest.raises(mc.GameError, match="must return numbers that sum to 1"):
        found_by((0, [(0.5, 0.5, 0.5), (1.0, 0.0, 0.0)]), 3, constant_sum=True)


def test_a_small_memory_prunes_and_proves_nothing_wrong():
    for number, state in countable(40):
        probe = GeneralProbe(state, settings(exploration=2.0), seed=number, memory=1 << 20)
        for _ in range(20):
            probe.run(10)
            probe.compact(0.5)
            assert_bounded(probe, state)
