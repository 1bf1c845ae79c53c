"""Rewards on the way and discounts: trees counted on paper, the slow oracle, exact values, bad rewards."""

import copy
import math
import pickle
import random

import pytest
from scored_oracle import ScoredOracle, ScoredTangle, exact

import mcts_core as mc


class Walk:
    """name -> {move: (reward, name)}, or {move: (reward, name, probability)} where chance moves; a number is what the
    last position is worth."""

    players = 1

    def __init__(self, tree, name="root", gain=0.0, discount=1.0):
        self.tree, self.name, self.gain, self.discount = tree, name, gain, discount
        self.over = not isinstance(tree[name], dict)
        chance = not self.over and any(len(entry) == 3 for entry in tree[name].values())
        self.to_move = mc.CHANCE if chance else 0

    def __eq__(self, other):
        return isinstance(other, Walk) and (self.tree, self.name) == (other.tree, other.name)

    def __hash__(self):
        return hash(self.name)

    def legal_moves(self):
        return list(self.tree[self.name])

    def chance_outcomes(self):
        return [(move, chance) for move, (_, _, chance) in self.tree[self.name].items()]

    def play(self, move):
        gain, name, *_ = self.tree[self.name][move]
        return type(self)(self.tree, name, gain, self.discount)

    def rewards(self):
        return [self.gain]

    def returns(self):
        return [self.tree[self.name]] if self.over else None


def values_of(stats):
    return {entry.move: entry.value for entry in stats.moves}


def tangles(count, players):
    """Of the first ``count`` games those in which a player moves first."""
    states = [ScoredTangle(number, players=players) for number in range(count)]
    return [state for state in states if state.to_move != mc.CHANCE]


def assert_same(stats, oracle):
    player = oracle.root.player
    assert {entry.move: (entry.visits, entry.wins) for entry in stats.moves} == oracle.children()
    assert stats.values == tuple(total / oracle.iterations for total in oracle.totals)
    assert stats.scale == (oracle.low[player], oracle.high[player])
    assert stats.nodes == oracle.nodes


def found_by(state, iterations, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


TWO = {"root": {"a": (1.0, "A"), "b": (0.0, "B")}, "A": {"x": (2.0, "end")}, "B": {"x": (8.0, "end")}, "end": 4.0}


def test_values_are_discounted_sums_on_paper():
    """a: 1 + 0.5 * (2 + 0.5 * 4) = 3. b: 0 + 0.5 * (8 + 0.5 * 4) = 5. Every line gives these: every mean is exact."""
    stats = found_by(Walk(TWO, discount=0.5), 64)
    assert values_of(stats) == {"a": 3.0, "b": 5.0}
    assert stats.move == "b" and stats.scale == (3.0, 10.0)  # the 8 + 0.5 * 4 below b is the highest value seen
    entries = {entry.move: entry for entry in stats.moves}
    assert stats.value == sum(entry.wins for entry in stats.moves) / 64 and stats.values == (stats.value,)
    assert entries["b"].wins == 5.0 * entries["b"].visits
    assert stats.share(3.0) == 0.0 and stats.share(10.0) == 1.0 and stats.share(-7) == 0.0


def test_the_values_of_the_tree_below_the_root_count_from_their_move_on():
    tree = mc.Searcher(seed=1)
    tree.search(Walk(TWO, discount=0.5), iterations=64)
    top = {child.move: child for child in tree.tree(max_depth=3, min_share=0).children}
    assert top["b"].value == 5.0
    assert top["b"].children[0].value == 10.0 and top["a"].children[0].value == 4.0


def test_nodes_of_many_moves():
    """Rewards stand before the columns of a block, which has statistics for each of its 20 moves."""
    wide = {"root": {move: (float(move), str(move)) for move in range(20)}, "end": 0.0,
            **{str(move): {step: (step / 2, "end") for step in range(20)} for move in range(20)}}
    engine = mc.Searcher(seed=1)
    engine.search(Walk(wide), iterations=3000)
    for searcher in (engine, pickle.loads(pickle.dumps(engine))):
        top = {child.move: child for child in searcher.tree(max_depth=2, min_share=0).children}
        assert sorted(top) == list(range(20)) and engine.stats().move == 19
        assert {child.move: child.value for child in top[19].children} == {step: step / 2 for step in range(20)}
        assert math.isclose(top[19].value, 19 + sum(child.visits * child.value for child in top[19].children)
                            / sum(child.visits for child in top[19].children), rel_tol=0.1)


def test_a_discount_counts_moves_of_players_and_no_outcomes_of_chance():
    """One move, then chance: 0.5 * (10 + 0.5 * 4) + 0.5 * (20 + 0.5 * 4) = 17."""
    dice = {"root": {"throw": (0.0, "dice"), "stay": (3.0, "end")},
            "dice": {1: (10.0, "end", 0.5), 2: (20.0, "end", 0.5)}, "end": 4.0}
    stats = found_by(Walk(dice, discount=0.5), 4000)
    values = values_of(stats)
    assert values["stay"] == 5.0
    assert abs(values["throw"] - 17.0) < 0.3
    assert exact(Walk(dice, discount=0.5))[1] == {"throw": [17.0], "stay": [5.0]}


def test_a_discount_alone_makes_a_sooner_win_better():
    class Steps:
        """To 6 by steps of one or two."""

        players, to_move, discount = 1, 0, 0.9

        def __init__(self, at=0):
            self.at = at

        def legal_moves(self):
            return [1, 2]

        def play(self, step):
            return Steps(self.at + step)

        def returns(self):
            return [1.0] if self.at >= 6 else None

    stats = found_by(Steps(), 3000)
    assert stats.move == 2 and stats.pv == (2, 2, 2)
    assert stats.scale[1] <= 0.9 + 1e-9 and values_of(stats)[2] < 0.9**3 + 1e-9


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_exploration_does_not_depend_on_the_size_of_scores(factor):
    """The same visits whatever a point is worth: scores are scaled by powers of two, so that nothing is rounded."""
    factor = 2.0 ** round(math.log2(factor))
    expected = None
    for number in range(10):
        class Scaled(ScoredTangle):
            def rewards(self):
                return [factor * gain for gain in self.gain]

            def returns(self):
                return None if self.result is None else [factor * value for value in self.result]

            def play(self, move):
                return Scaled(self.number, self.players, self.chance, self.length, (*self.path, move))

        plain = ScoredTangle(number)
        if plain.to_move == mc.CHANCE:
            continue
        expected = [(entry.move, entry.visits) for entry in found_by(plain, 200).moves]
        assert [(entry.move, entry.visits) for entry in found_by(Scaled(number), 200).moves] == expected
    assert expected is not None


def test_equal_scores_are_explored_evenly():
    """Three moves that give 0.1 + 0.2 and 0.3: equal but for rounding, which must not look like a scale."""
    flat = {"root": {"a": (0.1, "A"), "b": (0.3, "end"), "c": (0.1, "A")}, "A": {"x": (0.2, "end")}, "end": 0.0}
    assert [entry.visits for entry in found_by(Walk(flat), 300).moves] == [100, 100, 100]


@pytest.mark.parametrize("size", [1.0, 1e12, 1e30, 1e38, 1e99])
@pytest.mark.parametrize("options", [{}, {"policy_value": lambda state: (None, 0.0)}])
def test_differences_below_rounding_do_not_count_whatever_the_size(size, options):
    """Their raw differences were compared: at 1e38, moves were never tried."""
    flat = {"root": {move: (size * (1 + share), "end") for move, share in (("a", 1e-12), ("b", 0.0), ("c", 2e-12))},
            "end": 0.0}
    assert {entry.visits for entry in found_by(Walk(flat), 300, **options).moves} == {100}


@pytest.mark.parametrize("wrong", [property(lambda self: [1.0]), [1.0]])
def test_rewards_that_are_no_method(wrong):
    class Bad(Belt):
        rewards = wrong

    with pytest.raises(mc.InvalidState, match=r"rewards must be a method, got \[1.0\]"):
        mc.search(Bad(), iterations=5)


@pytest.mark.parametrize("options", [{}, {"exploration": 1.5}, {"fpu": 0.4}, {"rollouts_per_leaf": 3}])
@pytest.mark.parametrize("players", [1, 2, 3])
def test_the_tree_is_that_of_the_oracle(players, options):
    states = tangles(6, players)
    for state in states:
        assert_same(found_by(state, 200, **options), ScoredOracle(state, 1, **options).run(200))
    assert len(states) > 3


def test_the_best_move_by_exhaustive_search_is_found():
    """Games of one player and two, with chance: after 20,000 iterations the move played is worth the exact value."""
    for number in range(12):
        state = ScoredTangle(number, players=1 + number % 2, length=4)
        if state.to_move == mc.CHANCE or len(state.moves) < 2:
            continue
        values, moves = exact(state)
        ranked = sorted((value[state.to_move] for value in moves.values()), reverse=True)
        if len(ranked) > 1 and ranked[0] - ranked[1] < 0.02 * (1 + abs(ranked[0])):
            continue
        move = mc.search(state, iterations=20_000, seed=number)
        assert moves[move][state.to_move] == values[state.to_move]


class Belt:
    """A walk along squares of different worth, without an end but the twelfth move; equal by value."""

    players, to_move, discount = 1, 0, 0.95
    worth = (0.0, 5.0, -2.0, 7.0, 1.0, 30.0, -9.0)

    def __init__(self, moves=()):
        self.moves = list(moves)

    def __eq__(self, other):
        return isinstance(other, Belt) and self.moves == other.moves

    def __hash__(self):
        return hash(tuple(self.moves))

    def legal_moves(self):
        return [1, 2, 3]

    def play(self, step):
        return type(self)([*self.moves, step])

    def rewards(self):
        return [self.worth[sum(self.moves) % 7]]

    def returns(self):
        return [0.0] if len(self.moves) >= 12 else None


def test_the_services_of_a_search():
    """Reuse, pickles, copies and pruning go on with rewards; the scale is that of the part below the new root."""
    engine = mc.Searcher(seed=3)
    move = engine.search(Belt(), iterations=2000)
    engine.search(Belt([move]), iterations=500)
    stats = engine.stats()
    assert stats.reused_visits > 300
    assert stats.scale[0] < stats.value < stats.scale[1]
    line = mc.Searcher(seed=3, final_move="best_line")
    line.search(Belt(), iterations=500)
    kept = pickle.loads(pickle.dumps(line))
    assert kept.stats().to_dict() == line.stats().to_dict() and len(kept.stats().pv) == 12
    ends = [(searcher.search(Belt([line.stats().move]), iterations=1), searcher.stats().line_value)
            for searcher in (kept, line)]
    assert ends[0] == ends[1]
    for other in (pickle.loads(pickle.dumps(engine)), copy.copy(engine)):
        assert other.stats().to_dict() == stats.to_dict()
        assert other.search(Belt([move, 1]), iterations=300) in (1, 2, 3)
    again = pickle.loads(pickle.dumps(engine))
    after = [(searcher.search(Belt([move, 1]), iterations=300), searcher.stats().moves) for searcher in (engine, again)]
    assert after[0] == after[1]
    small = mc.Searcher(seed=3, memory_mb=1, exploration=20.0)
    small.search(Belt(), iterations=30_000)
    assert small.stats().prunes > 0 and small.stats().move in (1, 2, 3)


def test_two_processes_tell_each_other():
    one, other = mc.Searcher(seed=1), mc.Searcher(seed=2)
    state = Belt()
    one.search(state, iterations=500)
    other.search(state, iterations=500)
    before = one.stats()
    one._core.hear(other._core.tell())
    after = one.stats()
    assert after.moves != before.moves
    assert sum(entry.visits for entry in after.moves) == 1000


def test_rollout_moves_cut_rollouts():
    class Endless:
        players, to_move, discount = 1, 0, 0.95

        def legal_moves(self):
            return [1, 2, 3]

        def play(self, step):
            return Endless()

        def rewards(self):
            return [30.0]

        def returns(self):
            return None

    with pytest.raises(mc.GameError, match="rollout_moves"):
        mc.search(Endless(), iterations=1, seed=1)
    stats = found_by(Endless(), 1, rollout_moves=4)
    assert stats.rollouts == 1
    assert abs(stats.value - 30 * (1 - 0.95**5) / 0.05) < 1e-9  # a move and a rollout of four
    for value in (0, 1.5, "x", 10**7):
        with pytest.raises(mc.InvalidOption, match="rollout_moves"):
            mc.Searcher(rollout_moves=value)
    with pytest.raises(mc.InvalidOption, match="rollout_moves"):
        mc.search(mc.TicTacToe(), iterations=10, rollout_moves=5)


def test_rollouts_of_the_game_itself():
    seeds = []

    class Own(Belt):
        def rollout(self, seed):
            seeds.append(seed)
            return [-1000.0], [1, 1]

    stats = found_by(Own(), 3)
    assert len(set(seeds)) == 3
    assert {entry.value for entry in stats.moves} == {
        Belt.worth[entry.move] + 0.95 * -1000.0 for entry in stats.moves}
    for bad in (None, [0.0], ([math.nan], []), ([0.0, 1.0], []), ([1.0], "ab"), ([1.0], None)):
        Own.rollout = lambda self, seed, bad=bad: bad
        with pytest.raises(mc.GameError, match="rollout"):
            mc.search(Own(), iterations=3, seed=1)


@pytest.mark.parametrize("bad", [None, 1.0, [], [1.0, 2.0], [math.nan], [math.inf], [1e101], ["x"], "1", {0: 1.0},
                                 [None]])
def test_bad_rewards(bad):
    class Bad(Belt):
        def rewards(self):
            return bad if len(self.moves) == 3 else [1.0]

    engine = mc.Searcher(seed=1)
    with pytest.raises(mc.GameError, match=r"rewards\(\) must return a list of one number from -1e100 to 1e100"):
        engine.search(Bad(), iterations=50)
    assert engine.search(Belt(), iterations=50) in (1, 2, 3)  # the Searcher is as good as before


@pytest.mark.parametrize("bad", [0.0, -0.5, 1.5, math.nan, "0.9", None, True])
def test_bad_discounts(bad):
    class Bad(Belt):
        discount = bad

    with pytest.raises(mc.InvalidState, match="discount must be a number above 0 and at most 1"):
        mc.search(Bad(), iterations=5)


def test_an_exception_in_rewards_is_the_cause():
    class Bad(Belt):
        def rewards(self):
            raise KeyError("score")

    with pytest.raises(mc.GameError, match="rewards"):
        mc.search(Bad(), iterations=5)


def test_the_solver_and_options_of_rollouts_are_refused():
    for options in ({}, {"policy_value": lambda state: (None, 0.0)}):
        with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Belt has rewards"):
            mc.search(Belt(), iterations=5, solver=True, **options)
    for options in ({"rollout_moves": 4}, {"final_move": "best_line"}, {"rollouts_per_leaf": 2}):
        with pytest.raises(mc.InvalidOption, match="evaluator"):
            mc.search(Belt(), iterations=5, policy_value=lambda state: (None, 0.0), **options)


# ---- evaluations -----------------------------------------------------------------------------------------------------

def judge(state):
    """Priors, and the value of every player in the unit of rewards, up to some thousand."""
    return [(7 * state.code + 13 * slot) % 17 / 16 for slot in range(len(state.moves))], [
        float(state.code * (7 + 4 * player) % 2000 - 700) for player in range(state.players)]


def policy_value(state):
    """``judge`` as a user writes it: one number for one player."""
    priors, values = judge(state)
    return priors, values[0] if state.players == 1 else values


@pytest.mark.parametrize("options", [{}, {"fpu": 0.3}, {"c_puct": 2.0}, {"batch": 8}, {"batch": 8, "c_puct": 2.0}])
@pytest.mark.parametrize("players", [1, 2, 3])
def test_an_evaluated_tree_is_that_of_the_oracle(players, options):
    states = tangles(12, players)
    for state in states:
        oracle = ScoredOracle(state, 1, evaluate=lambda states: [judge(state) for state in states], **options).run(150)
        stats = found_by(state, 150, policy_value=policy_value, **options)
        assert_same(stats, oracle)
        assert stats.rollouts == oracle.evaluations
    assert len(states) > 6


@pytest.mark.parametrize("batch", [1, 8])
def test_nodes_of_many_moves_with_evaluations(batch):
    """There only moves that were visited, and the next one by its prior, have statistics."""
    class Wide(Belt):
        def __init__(self, moves=()):
            super().__init__(moves)
            self.draw = random.Random(f"{self.moves}")
            self.gain = self.draw.uniform(-50, 50)

        def legal_moves(self):
            return list(range(20))

        def rewards(self):
            return [self.gain]

    def judge(state):
        draw = random.Random(f"priors {state.moves}")
        return [share / 4096 for share in draw.sample(range(4096), 20)], [float(draw.randint(-300, 300))]

    oracle = ScoredOracle(Wide(), 1, evaluate=lambda states: [judge(state) for state in states], batch=batch).run(600)
    stats = found_by(Wide(), 600, policy_value=lambda state: (judge(state)[0], judge(state)[1][0]), batch=batch)
    assert_same(stats, oracle)
    assert stats.rollouts == oracle.evaluations
    assert max(entry.visits for entry in stats.moves) > 100


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("players", [1, 2])
def test_batches_of_observations(players, threads):
    """With two threads, a batch is gathered while the one before it waits."""
    np = pytest.importorskip("numpy")

    def evaluator(observations):
        codes = observations[:, 0, 0, 0].astype(int)
        policy = (codes[:, None] * 7 + np.arange(30) * 13) % 17 / 16
        return policy, codes[:, None] * np.array([7, 11][:players]) % 2000 - 700

    def evaluate(states):
        policies, values = evaluator(np.array([state.observation() for state in states]))
        return [([float(np.float32(policy[state.action(move)])) for move in state.moves], [float(v) for v in value])
                for state, policy, value in zip(states, policies, values, strict=True)]

    for state in tangles(8, players):
        options = {"evaluator": evaluator, "threads": threads, "batch": 8}
        oracle = ScoredOracle(state, 7, evaluate=evaluate, batch=8, ahead=threads == 2).run(200)
        engine = mc.Searcher(seed=7, **options)
        engine.search(state, iterations=200)
        assert_same(engine.stats(), oracle)
        assert engine.stats().rollouts == oracle.evaluations
        together = mc.search_many([state] * 3, iterations=200, seed=7, **options)
        alone = mc.search_many([state] * 3, iterations=200, seed=7, **{**options, "threads": 1})
        assert [found.stats.moves for found in together] == [found.stats.moves for found in alone]


def belt_value(state):
    """The priors are even, the value is what the best squares would give."""
    return None, 0.0 if len(state.moves) >= 12 else 60.0


def test_exploration_with_priors_does_not_depend_on_the_size_of_scores():
    for factor in (2.0**-20, 2.0**20):
        class Scaled(Belt):
            def rewards(self, factor=factor):
                return [factor * self.worth[sum(self.moves) % 7]]

        def value(state, factor=factor):
            return None, factor * belt_value(state)[1]

        plain = found_by(Belt(), 400, policy_value=belt_value)
        scaled = found_by(Scaled(), 400, policy_value=value)
        assert [(entry.move, entry.visits) for entry in scaled.moves] == [
            (entry.move, entry.visits) for entry in plain.moves]
        assert scaled.value == factor * plain.value


def test_a_value_of_the_users_finds_what_rollouts_do_not():
    """Thirty steps: each to the left gives 1 at once, and the last of thirty to the right gives 100."""
    class Corridor:
        players, to_move, discount = 1, 0, 1.0

        def __init__(self, right=0, left=0):
            self.right, self.left = right, left

        def legal_moves(self):
            return ["left", "right"]

        def play(self, move):
            return Corridor(self.right + 1, self.left) if move == "right" else Corridor(self.right, self.left + 1)

        def rewards(self):
            return [100.0 if self.right == 30 else 0.5]

        def returns(self):
            return [0.0] if self.right + self.left == 30 else None

    def value(state):
        return None, 100.0 if state.left == 0 else 15.0 - state.right / 2

    assert mc.search(Corridor(), iterations=300, seed=1, policy_value=value) == "right"
    stats = found_by(Corridor(), 300)
    assert abs(stats.value - 15.0) < 0.5  # no rollout has found it


def test_the_services_of_a_search_with_evaluations():
    """Reuse, pickles, pruning, interrupted evaluators."""
    engine = mc.Searcher(seed=3, policy_value=belt_value)
    move = engine.search(Belt(), iterations=2000)
    again = pickle.loads(pickle.dumps(engine))
    assert again.stats().to_dict() == engine.stats().to_dict()
    engine.search(Belt([move]), iterations=500)
    stats = engine.stats()
    assert stats.reused_visits > 300 and stats.scale[0] < stats.value < stats.scale[1]
    small = mc.Searcher(seed=3, memory_mb=1, policy_value=belt_value, c_puct=20.0, batch=16)
    small.search(Belt(), iterations=20_000)
    assert small.stats().prunes > 0 and small.stats().move in (1, 2, 3)
    calls = []

    def fails(state):
        calls.append(state)
        return (None, 1.0) if len(calls) < 50 else (None, 1 / 0)

    broken = mc.Searcher(seed=3, policy_value=fails, batch=8)
    with pytest.raises(mc.EvaluatorError, match="ZeroDivisionError"):
        broken.search(Belt(), iterations=500)
    calls.clear()
    broken.search(Belt(), iterations=40)  # the visits that waited were taken back, what was evaluated is kept
    stats = broken.stats()
    assert stats.visits - stats.reused_visits == 40 and stats.visits == sum(entry.visits for entry in stats.moves)


@pytest.mark.parametrize(("players", "bad", "text"), [
    (1, math.nan, r"must be from -3.4e38 to 3.4e38 \(float32\), got nan"),
    (1, math.inf, r"must be from -3.4e38 to 3.4e38 \(float32\), got inf"),
    (1, 1e39, r"must be from -3.4e38 to 3.4e38 \(float32\), got inf"),
    (1, [1.0, 2.0], "must be a number, got"),
    (1, "x", "must be a number, got 'x'"),
    (2, 1.0, "a number for each of the 2 players, because the game has rewards or a discount, got 1.0"),
    (2, [1.0], "must be a number for each of the 2 players"),
    (3, [1.0, 2.0, -math.inf], r"must be from -3.4e38 to 3.4e38 \(float32\), got -inf"),
])
def test_bad_values(players, bad, text):
    state = tangles(20, players)[0]
    engine = mc.Searcher(seed=1, policy_value=lambda state: (None, bad))
    with pytest.raises(mc.EvaluatorError, match=text):
        engine.search(state, iterations=20)


# ---- the best line ---------------------------------------------------------------------------------------------------

class Narrow(Belt):
    """Ten steps; only one line of them scores 100, all others score their sum."""

    line = [1, 3, 2, 2, 1]
    discount = 1.0

    def rewards(self):
        return [100.0 if self.moves == self.line else float(self.moves[-1])]

    def returns(self):
        return [0.0] if len(self.moves) >= 5 else None


def test_the_best_line_is_kept_and_played():
    engine = mc.Searcher(seed=5, final_move="best_line", exploration=3.0)
    state, total, promised = Narrow(), 0.0, []
    while state.returns() is None:
        move = engine.search(state, iterations=3000 if not state.moves else 1)
        stats = engine.stats()
        assert stats.pv[0] == move and len(stats.pv) == 5 - len(state.moves)
        promised.append(total + stats.line_value)
        state = state.play(move)
        total += state.rewards()[0]
    assert state.moves == Narrow.line
    assert promised == [108.0] * 5 and total == 108.0


def test_a_line_that_is_left_is_forgotten():
    engine = mc.Searcher(seed=5, final_move="best_line")
    engine.search(Narrow(), iterations=3000)
    other = Narrow([2])
    engine.search(other, iterations=50)
    assert engine.stats().line_value <= 12.0  # four moves of three steps


def test_a_line_of_the_games_own_rollout_begins_with_a_legal_move():
    class Own(Narrow):
        def rollout(self, seed):
            return [1000.0 if len(self.moves) == 1 else 0.0], [7] * (5 - len(self.moves))

        def play(self, move):
            assert move in self.legal_moves()
            return Own([*self.moves, move])

    engine = mc.Searcher(seed=5, final_move="best_line")
    state = Own()
    move = engine.search(state, iterations=50)
    assert engine.stats().pv[:2] == (move, 7)  # nobody replays what a rollout says
    for after in (state.play(move), Own([1, 2, 3])):  # the second is not on the line
        assert engine.search(state, iterations=50) == move and engine.stats().pv[:2] == (move, 7)
        assert engine.search(after, iterations=50) in state.legal_moves()


def test_the_best_line_with_a_discount():
    engine = mc.Searcher(seed=2, final_move="best_line")
    engine.search(Belt(), iterations=3000)
    first = engine.stats()

    def worth(moves):
        state, total = Belt(), 0.0
        for ply, move in enumerate(moves):
            state = state.play(move)
            total += 0.95**ply * state.rewards()[0]
        return total

    assert len(first.pv) == 12 and abs(worth(first.pv) - first.line_value) < 1e-9
    engine.search(Belt([first.move]), iterations=1)
    rest = engine.stats()
    assert worth([first.move, *rest.pv]) >= first.line_value - 1e-9


def test_a_line_is_kept_without_rewards_too():
    class Lock:
        """One sequence of eight bits opens it; each right bit more is better."""

        players, to_move, code = 1, 0, (1, 0, 0, 1, 1, 1, 0, 1)

        def __init__(self, bits=()):
            self.bits = bits

        def legal_moves(self):
            return [0, 1]

        def play(self, bit):
            return Lock((*self.bits, bit))

        def returns(self):
            if len(self.bits) < 8:
                return None
            return [sum(map(int.__eq__, self.bits, self.code)) / 8]

    engine = mc.Searcher(seed=1, final_move="best_line")
    engine.search(Lock(), iterations=2000)
    assert engine.stats().line_value == 1.0 and engine.stats().pv == Lock.code


def test_what_best_line_refuses():
    with pytest.raises(mc.InvalidOption, match="one player"):
        mc.search(ScoredTangle(2, players=2, chance=0.0), iterations=5, final_move="best_line")
    with pytest.raises(mc.InvalidOption, match="one player"):
        mc.search(mc.TicTacToe(), iterations=5, final_move="best_line")
    with pytest.raises(mc.InvalidOption, match="temperature"):
        mc.search(Belt(), iterations=5, final_move="best_line", temperature=1.0)
    dice = {"root": {"throw": (0.0, "dice")}, "dice": {1: (10.0, "end", 0.5), 2: (20.0, "end", 0.5)}, "end": 4.0}
    with pytest.raises(mc.GameError, match="without chance"):
        mc.search(Walk(dice), iterations=5, final_move="best_line")


def test_a_search_that_keeps_a_line_does_not_end_early():
    stats = found_by(Belt(), 2000, final_move="best_line", stop_early=True)
    assert stats.iterations == 2000


def test_a_line_is_kept_where_the_game_fails_once_while_it_is_valued_anew():
    class Failing(Fading):
        failures = 0

        def play(self, move):
            if Failing.failures and self.step > 1:
                Failing.failures -= 1
                raise ConnectionError
            return Failing(self.step + 1, move * (1.0 + self.step % 3))

    engine, state = mc.Searcher(final_move="best_line", seed=1), Failing()
    state = state.play(engine.search(state, iterations=300))
    line, value = engine.stats().pv, engine.stats().line_value
    Failing.failures = 1
    engine.search(state, iterations=1)
    assert Failing.failures == 0 and engine.stats().pv == line[1:]
    assert engine.stats().line_value == pytest.approx((value - state.last) / 0.1)


class Fading:
    """Each of thirty moves may bring a reward; the next one counts a tenth."""

    players, to_move, discount = 1, 0, 0.1

    def __init__(self, step=0, last=0.0):
        self.step, self.last = step, last

    def __eq__(self, other):
        return (self.step, self.last) == (other.step, other.last)

    def __hash__(self):
        return hash((self.step, self.last))

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        return Fading(self.step + 1, move * (1.0 + self.step % 3))

    def rewards(self):
        return [self.last]

    def returns(self):
        return [0.0] if self.step == 30 else None


def test_the_value_of_the_best_line_stays_right_whatever_the_discount():
    """What is left of a line is valued anew: by division, its error would grow tenfold with each move."""
    engine, state = mc.Searcher(final_move="best_line", seed=1), Fading()
    while state.returns() is None:
        move = engine.search(state, iterations=300)
        stats, value, weight, at = engine.stats(), 0.0, 1.0, state
        for each in stats.pv:
            at = at.play(each)
            value, weight = value + weight * at.last, weight * 0.1
        assert at.returns() is not None and stats.line_value == pytest.approx(value, abs=1e-12)
        state = state.play(move)
        assert move == 1
