"""src/mcts_core/tree/gumbel.pxd: against a slow oracle, simulation by simulation, and against mctx with the same
noise."""

import functools
import pickle
import random

import pytest
from gumbel_oracle import LEAST_RANGE, ScoredSearch, Search, halving, noise
from scored_oracle import ScoredTangle

import mcts_core as mc


class Thicket:
    """A random game of two players in turn; ``path``: the moves that led here."""

    def __init__(self, number, path=(), width=5, deep=9):
        self.number, self.path, self.width, self.deep = number, path, width, deep
        self.to_move = 1 if len(path) % 2 == 0 else -1
        draw = random.Random(f"{number} {path}")
        over = len(path) == deep or (len(path) > 1 and draw.random() < 0.15)
        self.result = draw.choice((1, 0, -1)) if over else None
        self.moves = list(range(draw.randint(1 if path else 2, width)))
        self.priors = {move: draw.random() for move in self.moves}
        self.value = draw.uniform(-1, 1)

    def legal_moves(self):
        return self.moves

    def play(self, move):
        return Thicket(self.number, (*self.path, move), self.width, self.deep)

    def winner(self):
        return self.result


def evaluate(state):
    return state.priors, state.value


def found(state, iterations, seed=1, function=evaluate, **options):
    seen = []

    def policy_value(state):
        seen.append(state)
        return function(state)

    engine = mc.Searcher(policy_value=policy_value, root_policy="gumbel", seed=seed, **options)
    engine.search(state, iterations=iterations)
    return engine.stats(), seen


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("iterations", [1, 16, 50])
def test_scored_games_are_those_of_the_oracle(players, iterations):
    def judge(state):
        priors = {move: ((7 * state.code + 13 * slot) % 17 + 1) / 16 for slot, move in enumerate(state.moves)}
        return priors, [float(state.code * (7 + 4 * player) % 2000 - 700) for player in range(players)]

    def policy_value(state):
        priors, values = judge(state)
        return priors, values[0] if players == 1 else values

    for number in range(15):
        state = ScoredTangle(number, players=players, chance=0.0)
        oracle = ScoredSearch(state, judge, iterations, number)
        stats, _ = found(state, iterations, number, policy_value)
        assert {entry.move: entry.visits for entry in stats.moves} == dict(
            zip(oracle.root.moves, oracle.root.visits, strict=True))
        assert stats.move == oracle.move
        improved = dict(zip(oracle.root.moves, oracle.root.improved(), strict=True))
        assert all(abs(entry.policy - improved[entry.move]) < 1e-6 for entry in stats.moves)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("iterations", [1, 2, 3, 7, 16, 32, 100])
def test_every_simulation_is_that_of_the_oracle(number, iterations):
    options = [{}, {"gumbel_moves": 3}, {"gumbel_scale": 0.0}, {"gumbel_moves": 1}][number % 4]
    state = Thicket(number, width=[5, 9, 30][number % 3])
    stats, seen = found(state, iterations, number, solver=False, **options)
    oracle = Search(state, evaluate, iterations, number, options.get("gumbel_moves", 16),
                    options.get("gumbel_scale", 1.0))
    assert [state.path for state in seen] == [state.path for state in oracle.seen]
    assert stats.move == oracle.move and stats.iterations == iterations
    root = oracle.root
    for entry in stats.moves:
        assert entry.visits == root.visits[entry.move]
        assert entry.wins == pytest.approx(root.sums[entry.move])
        assert entry.prior == pytest.approx(root.priors[entry.move])
    policy = {entry.move: entry.policy for entry in stats.moves}
    assert [policy[move] for move in root.moves] == pytest.approx(root.improved(), rel=1e-5)
    assert sum(policy.values()) == pytest.approx(1)


def test_sequential_halving_on_paper():
    """16 simulations, 4 moves: 2 phases of 2 visits for 4, then of 4 for the best 2."""
    assert halving(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]

    class Bandit:
        """The moves are worth -0.4, -0.2, 0 and 0.2."""

        def __init__(self, arm=None):
            self.arm = arm
            self.to_move = 1 if arm is None else -1

        def legal_moves(self):
            return [0, 1, 2, 3] if self.arm is None else [0]

        def play(self, move):
            return Bandit(move if self.arm is None else self.arm)

        def winner(self):
            return None

    stats, _ = found(Bandit(), 16, gumbel_scale=0.0, function=lambda state: (None, (
        0.0 if state.arm is None else state.to_move * (state.arm - 2) / 5)), solver=False)
    assert {entry.move: entry.visits for entry in stats.moves} == {0: 2, 1: 2, 2: 6, 3: 6}
    assert stats.move == 3


def test_the_same_seed_is_the_same_search_and_another_one_is_not():
    state = Thicket(3, width=30)
    moves = [found(state, 32, seed)[0].moves for seed in (1, 1, 2, 3)]
    assert moves[0] == moves[1] and moves[0] != moves[2] != moves[3]


def test_batches_keep_the_budget():
    for batch in (1, 4, 16):
        stats, _ = found(Thicket(5, width=12), 64, batch=batch, solver=False)
        assert stats.iterations == 64 == sum(entry.visits for entry in stats.moves)


def test_what_is_proven_lost_has_no_part():
    state = mc.ConnectFour.from_moves("3323")  # 1, 4 or 5 must be played against three in a row
    stats, _ = found(state, 64, function=lambda state: (None, 0.0), leaf_proofs=0, root_proofs=0)
    for entry in stats.moves:
        assert 0 <= entry.policy <= 1 and (entry.policy == entry.prior == 0 if entry.proven == "loss" else True)
    won, _ = found(mc.ConnectFour.from_moves("332211"), 64, function=lambda state: (None, 0.0))
    assert won.proven == "win" and won.stop_reason == "solved"


class Doomed:
    """Every move of +1 is answered by a win of -1."""

    def __init__(self, path=()):
        self.path = path
        self.to_move = 1 if len(path) % 2 == 0 else -1

    def legal_moves(self):
        return [0, 1, 2]

    def play(self, move):
        return Doomed((*self.path, move))

    def winner(self):
        return -1 if len(self.path) == 2 else None


def test_the_policy_is_one_even_where_all_moves_lose():
    stats, _ = found(Doomed(), 32, function=value_zero)
    assert stats.proven == "loss" and all(entry.proven == "loss" for entry in stats.moves)
    assert [entry.policy for entry in stats.moves] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("options", "text"), [
    ({"c_puct": 1.0}, "c_puct has no meaning with root_policy 'gumbel', got 1.0"),
    ({"noise_alpha": 0.3}, "noise_alpha has no meaning"), ({"fpu": 0.3}, "fpu has no meaning"),
    ({"temperature": 1.0}, "temperature has no meaning"), ({"final_move": "max"}, "final_move has no meaning"),
    ({"gumbel_moves": 0}, "gumbel_moves must be"), ({"gumbel_scale": -1}, "gumbel_scale must be"),
    ({"root_policy": "softmax"}, "root_policy must be 'puct' or 'gumbel', got 'softmax'"),
    ({"root_policy": "puct", "gumbel_moves": 3}, "gumbel_moves needs root_policy 'gumbel', got 3"),
    ({"policy_value": None}, "root_policy needs an evaluator or policy_value, got 'gumbel' alone"),
])
def test_bad_options(options, text):
    with pytest.raises(mc.InvalidOption, match=text):
        mc.Searcher(**{"policy_value": evaluate, "root_policy": "gumbel", **options})


def test_it_needs_a_budget_of_iterations():
    engine = mc.Searcher(policy_value=evaluate, root_policy="gumbel")
    for budget in ({}, {"seconds": 1.0}, {"seconds": 1.0, "iterations": 5}):
        with pytest.raises(mc.InvalidOption, match="give iterations, no seconds"):
            engine.search(Thicket(1), **budget)
    with pytest.raises(mc.InvalidOption, match="pondering has none"):
        engine.ponder(Thicket(1))
    with pytest.raises(mc.InvalidOption, match="root_policy 'gumbel'"):
        mc.search_parallel(Thicket(1), iterations=100, policy_value=evaluate, root_policy="gumbel")


def test_a_search_begins_with_an_empty_tree():
    engine = mc.Searcher(policy_value=evaluate, root_policy="gumbel", seed=1, solver=False)
    state = Thicket(2)
    move = engine.search(state, iterations=50)
    engine.search(state.play(move), iterations=20)
    assert engine.stats().reused_visits == 0 and engine.stats().iterations == 20


def test_a_saved_search_would_play_the_same_move(tmp_path):
    for seed in range(6):
        engine = mc.Searcher(policy_value=value_zero, root_policy="gumbel", seed=seed, solver=False)
        engine.search(mc.ConnectFour(), iterations=5)
        loaded = pickle.loads(pickle.dumps(engine))
        assert loaded.stats().moves == engine.stats().moves and loaded.stats().move == engine.stats().move


def value_zero(state):
    return None, 0.0


# ---- mctx ------------------------------------------------------------------------------------------------------------

ACTIONS, NODES = 3, 4099


@functools.cache
def table():
    """Logits and values of every position of an endless game."""
    import numpy as np

    draw = np.random.default_rng(7)
    return draw.normal(size=(NODES, ACTIONS)).astype(np.float32), draw.uniform(-1, 1, NODES).astype(np.float32)


def after(index, action):
    return (index * 89 + action * 977 + 1) % NODES


class Endless:
    def __init__(self, index, to_move=1):
        self.index, self.to_move = index, to_move

    def legal_moves(self):
        return list(range(ACTIONS))

    def play(self, move):
        return Endless(after(self.index, move), -self.to_move)

    def winner(self):
        return None


@pytest.mark.needs("mctx")
@pytest.mark.parametrize("iterations", [1, 2, 5, 16, 32])
@pytest.mark.parametrize("begin", range(1, 7))
def test_every_search_is_that_of_mctx(begin, iterations, monkeypatch):
    import jax
    import jax.numpy as jnp
    import mctx
    import numpy as np

    logits, values = (jnp.array(array) for array in table())

    def function(state):
        weights = np.exp(np.float64(logits[state.index]))
        return dict(enumerate((weights / weights.sum()).tolist())), float(values[state.index])

    def recurrent(params, key, action, index):
        child = after(index, action)
        zeros = jnp.zeros_like(values[child])
        return mctx.RecurrentFnOutput(reward=zeros, discount=zeros - 1, prior_logits=logits[child],
                                      value=values[child]), child

    stats, _ = found(Endless(begin), iterations, begin, function, solver=False)
    draws = jnp.array([noise(begin, ACTIONS)], jnp.float32)
    monkeypatch.setattr(jax.random, "gumbel", lambda *arguments, **keywords: draws)
    index = jnp.array([begin])
    root = mctx.RootFnOutput(prior_logits=logits[index], value=values[index], embedding=index)
    output = mctx.gumbel_muzero_policy(None, jax.random.PRNGKey(0), root, recurrent, iterations,
                                       max_num_considered_actions=16, qtransform=functools.partial(
                                           mctx.qtransform_completed_by_mix_value, epsilon=2 * LEAST_RANGE))
    by_move = sorted(stats.moves, key=lambda entry: entry.move)
    visits = output.search_tree.summary().visit_counts[0]
    assert [entry.visits for entry in by_move] == visits.tolist()
    assert stats.move == int(output.action[0])
    assert [entry.policy for entry in by_move] == pytest.approx(output.action_weights[0].tolist(), abs=2e-3)
