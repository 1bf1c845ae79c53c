"""mcts_core/self_play/selfplay.py and games.py: games against oneself beside searches done by hand."""

import os
import subprocess
import sys

import numpy as np
import pytest
from no_numpy import NO_NUMPY
from scored_oracle import ScoredTangle
from table_games import Race, native_race, start

import mcts_core as mc
from mcts_core.many import seed_of
from mcts_core.self_play.selfplay import selfplay

ARRAYS = ("observations", "policies", "results", "values", "actions", "games", "plies")


class Nim:
    """Whoever takes the last of the stones wins; moves are words, which `action` numbers."""

    actions = 3
    words = ("one", "two", "three")

    def __init__(self, stones=7, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return list(self.words[:self.stones])

    def action(self, move):
        return self.words.index(move)

    def play(self, move):
        return type(self)(self.stones - 1 - self.words.index(move), -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move

    def observation(self):
        return [[[self.stones, self.to_move]]]


def evaluator(actions, players=2):
    """Numbers that depend on each row alone."""
    def evaluate(observations):
        rows = observations.reshape(len(observations), -1)
        sums = rows @ np.arange(1, rows.shape[1] + 1)
        policy = np.stack([(sums + 3 * k) % 7 + 1 for k in range(actions)], 1)
        value = np.stack([(sums * (k + 1)) % 11 / 11 - 0.5 for k in range(players)], 1)
        return policy, value if players > 2 else value[:, 0]
    return evaluate


def policy_value(state):
    return None, 0.25 if state.stones % 2 else -0.25


def play(state, **options):
    """All positions of a call."""
    return mc.SelfPlayData.join(selfplay(state, **{"games": 6, "iterations": 30, "seed": 5, **options}))


def equal(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


def uniform(number):
    return (number >> 11) / 2**53


def chosen(weights, at):
    """The index that a number from 0 to 1 falls on."""
    at *= sum(weights)
    for index, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return index
    raise AssertionError(weights)


def by_hand(state, number, seed, iterations, temperature, plies, **options):
    """Rows of a game: searches one by one."""
    seed, step, rows, general = seed_of(seed, number), 0, [], hasattr(state, "players")
    while (state.returns() if general else state.winner()) is None:
        if state.to_move == mc.CHANCE:
            moves, weights = zip(*state.chance_outcomes(), strict=True)
            move = moves[chosen(weights, uniform(seed_of(seed, 2 * step + 1)))]
        else:
            engine, order = mc.Searcher(seed=seed_of(seed, 2 * step), memory_mb=256, **options), state.legal_moves()
            move = engine.search(state, iterations=iterations)
            found = engine.stats()
            entries = sorted(found.moves, key=lambda entry: order.index(entry.move))
            weights = [entry.visits if entry.policy is None else entry.policy for entry in entries]
            solved = general and found.stop_reason == "solved"
            if solved:
                weights = [entry.move == move for entry in entries]
            elif found.bounds is not None:
                least = max(entry.bounds[0] for entry in entries)
                weights = [weight * (entry.proven != "loss" and entry.bounds[1] >= least)
                           for entry, weight in zip(entries, weights, strict=True)]
            shares = [weight / sum(weights) for weight in weights]
            if temperature and len(rows) < plies and not solved:
                weights = [weight ** (1 / temperature) for weight in weights]
                move = entries[chosen(weights, uniform(seed_of(seed, 2 * step + 1)))].move
            index = getattr(state, "action", int)
            policy = np.zeros(state.actions)
            for entry, share in zip(entries, shares, strict=True):
                policy[index(entry.move)] = share
            values = [2 * value - 1 for value in found.values or (found.value,)]
            rows.append((np.array(state.observation(), np.float32), policy, state.to_move, values, index(move)))
        state = state.play(move)
        step += 1
    returned = [2 * value - 1 for value in state.returns()] if general else None
    for ply, (planes, policy, to_move, values, action) in enumerate(rows):
        if not general:
            result, value = state.winner() * to_move, values[0]
        elif len(returned) < 3:
            result, value = returned[to_move], values[to_move]
        else:
            result, value = returned, values
        yield planes, policy, result, value, action, number, ply


@pytest.mark.parametrize(("state", "options"), [
    (mc.ConnectFour(), {"evaluator": evaluator(7), "noise_alpha": 0.8, "batch": 1, "solver": False}),
    (mc.ConnectFour(4, 5, 3), {"evaluator": evaluator(5), "batch": 4, "solver": False}),
    (mc.ConnectFour(), {"evaluator": evaluator(7), "batch": 1, "solver": False, "root_policy": "gumbel"}),
    (mc.TicTacToe(), {"preset": "uct"}),
    (Nim(), {"evaluator": evaluator(3), "batch": 1, "solver": False}),
    (Nim(8, -1), {"policy_value": policy_value, "solver": False}),
    (Nim(9), {"preset": "uct"}),
    (Race(1), {"evaluator": evaluator(2), "batch": 1}),
    (Race(2), {}),
    (Race(3), {"evaluator": evaluator(2, 3), "batch": 1}),
    (Race(3, rolling=True), {}),
], ids=["connect four", "small", "gumbel", "uct", "nim", "policy_value", "nim by rollouts", "one", "two", "three",
        "dice first"])
def test_games_are_those_played_by_hand(state, options):
    data = play(state, games=4, temperature=0.7, temperature_plies=5, together=3, **options)
    rows = [row for number in range(4) for row in by_hand(state, number, 5, 30, 0.7, 5, **options)]
    expected = dict(zip(ARRAYS, map(np.array, zip(*rows, strict=True)), strict=True))
    assert len(data) == len(rows) > 12
    for name in ("observations", "actions", "games", "plies"):
        assert np.array_equal(getattr(data, name), expected[name]), name
    for name in ("policies", "results", "values"):
        assert getattr(data, name).shape == expected[name].shape
        assert np.allclose(getattr(data, name), expected[name], atol=1e-6), name
    floats = {"observations", "policies", "results", "values"}
    assert all(getattr(data, name).dtype == (np.float32 if name in floats else np.int32) for name in ARRAYS)


@pytest.mark.parametrize("options", [{"evaluator": evaluator(7), "noise_alpha": 1.0}, {"preset": "uct"}, {}],
                         ids=["evaluator", "uct", "strong"])
def test_rows_are_the_positions_of_games(options):
    data = play(mc.ConnectFour(), games=12, **options)
    assert np.abs(data.policies.sum(1) - 1).max() < 1e-6 and data.policies.min() >= 0
    for number in range(12):
        rows, state = np.flatnonzero(data.games == number), mc.ConnectFour()
        movers = []
        for ply, row in enumerate(rows):
            illegal = [column for column in range(7) if column not in state.legal_moves()]
            assert not data.policies[row, illegal].any() and data.policies[row, data.actions[row]] > 0
            assert np.array_equal(data.observations[row], state.observation()) and data.plies[row] == ply
            movers.append(state.to_move)
            state = state.play(int(data.actions[row]))
        assert data.results[rows].tolist() == [state.winner() * mover for mover in movers]
    assert set(data.results.tolist()) >= {-1.0, 1.0} and np.abs(data.values).max() <= 1
    assert sorted(set(data.games.tolist())) == list(range(12)) == data.games[data.plies == 0].tolist()


def test_results_do_not_depend_on_what_is_played_beside_a_game():
    expected = play(mc.ConnectFour(), evaluator=evaluator(7), iterations=15)
    for options in ({"together": 1}, {"together": 4}, {"shard_games": 1}, {"shard_games": 4, "together": 2}):
        assert equal(play(mc.ConnectFour(), evaluator=evaluator(7), iterations=15, **options), expected)
    assert not equal(play(mc.ConnectFour(), evaluator=evaluator(7), iterations=15, seed=6), expected)
    less = play(mc.ConnectFour(), evaluator=evaluator(7), iterations=15, games=3)
    assert np.array_equal(less.policies, expected.policies[expected.games < 3])
    single = play(mc.Gomoku(6), games=3, preset="uct")
    assert equal(play(mc.Gomoku(6), games=3, preset="uct", threads=3), single)


def test_evaluations_are_batched_across_games():
    sizes = []

    def evaluate(observations):
        sizes.append(len(observations))
        return evaluator(7)(observations)

    data = play(mc.ConnectFour(), games=20, iterations=15, together=8, evaluator=evaluate, solver=False)
    together = list(sizes)
    assert max(together) == 8 and sum(size == 8 for size in together) > len(together) / 3
    sizes.clear()
    assert equal(play(mc.ConnectFour(), games=20, iterations=15, together=1, evaluator=evaluate, solver=False), data)
    assert sum(sizes) == sum(together) and set(sizes) == {1} and len(sizes) > 5 * len(together)
    sizes.clear()
    play(mc.ConnectFour(), games=4, together=4, evaluator=evaluate, batch=5)
    assert 4 < max(sizes) <= 20


def test_one_part_for_each_shard_when_it_is_asked_for():
    calls = []

    def evaluate(observations):
        calls.append(len(observations))
        return None, np.zeros(len(observations))

    parts = selfplay(mc.TicTacToe(), games=10, iterations=10, shard_games=4, evaluator=evaluate)
    assert not calls
    first = next(parts)
    assert calls and isinstance(first, mc.SelfPlayData) and sorted(set(first.games.tolist())) == [0, 1, 2, 3]
    count = len(calls)
    assert [sorted(set(part.games.tolist())) for part in parts] == [[4, 5, 6, 7], [8, 9]] and len(calls) > count


def test_temperature_and_noise():
    options = {"evaluator": evaluator(7), "games": 8}
    cold = play(mc.ConnectFour(), temperature=0, **options)
    assert all(np.array_equal(cold.actions[cold.games == 0], cold.actions[cold.games == number]) for number in range(8))
    late = play(mc.ConnectFour(), temperature_plies=3, **options)
    drawn, best = late.plies < 3, late.policies.argmax(1)
    assert (late.actions[drawn] != best[drawn]).any()
    most = late.policies[np.arange(len(late)), late.actions] == late.policies.max(1)
    wins = late.plies == np.array([late.plies[late.games == number].max() for number in late.games])
    assert (most | wins | drawn).all()  # a move that wins at once is played in any case
    noisy = play(mc.ConnectFour(), temperature=0, noise_alpha=0.5, noise_weight=0.9, **options)
    starts = noisy.policies[noisy.plies == 0]
    assert len({tuple(row) for row in starts}) == 8


def test_hot_and_cold():
    wild = play(mc.ConnectFour(), games=40, iterations=60, preset="uct", temperature=1e6, temperature_plies=1)
    calm = play(mc.ConnectFour(), games=40, iterations=60, preset="uct", temperature=1e-9, temperature_plies=1)
    first = wild.plies == 0
    assert len(set(wild.actions[first].tolist())) == 7
    first = calm.plies == 0
    assert (calm.policies[first, calm.actions[first]] == calm.policies[first].max(1)).all()


def test_proven_values_in_policies():
    state = start = mc.ConnectFour.from_moves("30")
    data = play(start, games=3)
    rows = 0
    for row in range(len(data)):
        number, ply = int(data.games[row]), int(data.plies[row])
        state = state if ply else start
        engine = mc.Searcher(seed=seed_of(seed_of(5, number), 2 * ply), memory_mb=256)
        move = engine.search(state, iterations=30)
        found = engine.stats()
        if found.proven:
            assert data.policies[row].tolist() == [float(column == move) for column in range(7)]
            assert data.actions[row] == move and data.values[row] == {"win": 1, "loss": -1, "draw": 0}[found.proven]
            rows += 1
        else:
            lost = [entry.move for entry in found.moves if entry.proven == "loss"]
            assert not data.policies[row, lost].any()
        state = state.play(int(data.actions[row]))
    assert 1 < rows < len(data)


class Lottery:
    """One player draws one of three tickets, which win with chances of 0.2, 0.4 and 0.6. With ``deals``, chance moves
    first and ends the game in one of four cases."""

    players, actions = 1, 3

    def __init__(self, deals=False, ticket=None, won=None):
        self.deals, self.ticket, self.won = deals, ticket, won
        self.to_move = mc.CHANCE if deals or ticket is not None else 0

    def chance_outcomes(self):
        return [(True, 0.25), (False, 0.75)] if self.deals else [
            (True, 0.2 * (1 + self.ticket)), (False, 1 - 0.2 * (1 + self.ticket))]

    def legal_moves(self):
        return [0, 1, 2]

    def play(self, move):
        if self.deals:
            return Lottery(won=move or None)
        return Lottery(ticket=move) if self.ticket is None else Lottery(won=move)

    def returns(self):
        return None if self.won is None else [float(self.won)]

    def observation(self):
        return [[[0.0]]]


class Errands:
    """Three moves that give 1, 2 and 3 points; after each, chance gives 10 more. The last position is worth 4."""

    players, actions, discount = 1, 2, 0.5

    def __init__(self, moves=0, drawn=True):
        self.moves, self.drawn = moves, drawn
        self.to_move = 0 if drawn else mc.CHANCE

    def legal_moves(self):
        return [0, 1]

    def chance_outcomes(self):
        return [("x", 0.5), ("y", 0.5)]

    def play(self, move):
        return Errands(self.moves, True) if not self.drawn else Errands(self.moves + 1, False)

    def rewards(self):
        return [10.0 if self.drawn else float(self.moves)]

    def returns(self):
        return [4.0] if self.moves == 3 and self.drawn else None

    def observation(self):
        return [[[float(self.moves)]]]


def points(observations):
    return None, np.zeros(len(observations))


@pytest.mark.parametrize("options", [{}, {"evaluator": points}, {"policy_value": lambda state: (None, 0)}])
def test_results_with_rewards_are_discounted_sums(options):
    """13 + 4 / 2 = 15 before the last move, 12 + 15 / 2 = 19.5 before that, 11 + 19.5 / 2 = 20.75 at first."""
    data = play(Errands(), games=3, iterations=200, **options)
    assert data.results.tolist() == [20.75, 19.5, 15.0] * 3
    assert data.values == pytest.approx(data.results, rel=0.03)


@pytest.mark.parametrize("players", [2, 3])
def test_results_with_rewards_of_several_players(players):
    def evaluator(observations):
        return None, np.zeros((len(observations), players))

    start = ScoredTangle(3, players=players, chance=0.0)
    data = play(start, games=20, iterations=30, evaluator=evaluator)
    assert data.results.shape == data.values.shape == (len(data), players)
    for game in range(20):
        rows = np.flatnonzero(data.games == game)
        states = [start]
        for row in rows:
            moves = {states[-1].action(move): move for move in states[-1].moves}
            states.append(states[-1].play(moves[data.actions[row]]))
        expected = np.array(states[-1].returns())
        for row, state in zip(rows[::-1], states[:0:-1], strict=True):
            expected = np.array(state.rewards()) + 0.9 * expected
            assert data.results[row] == pytest.approx(expected, rel=1e-6)


def test_a_position_solved_by_bounds_has_one_move():
    data = play(Lottery(), games=20, iterations=60)
    assert data.policies.tolist() == [[0, 0, 1]] * 20 and data.actions.tolist() == [2] * 20
    assert data.values == pytest.approx(0.2)


def test_chance_may_end_a_game_before_the_first_move(tmp_path):
    data = play(Lottery(deals=True), games=60, iterations=60)
    assert 30 < len(data) < 60 and set(data.games) < set(range(60)) and not data.plies.any()
    parts = list(mc.selfplay(Lottery(deals=True), games=20, iterations=60, seed=5, shard_games=1))
    empty = [part for part in parts if len(part) == 0]
    assert empty and len(parts) == 20 and empty[0].observations.shape == (0, 1, 1, 1)
    assert empty[0].policies.shape == (0, 3) and empty[0].results.shape == empty[0].values.shape == (0,)
    seen = []
    assert len(play(Lottery(deals=True), games=9, iterations=5, together=2, shard_games=2, progress=seen.append)) < 9
    assert [each.games for each in seen] == sorted(each.games for each in seen) and seen[-1].games == 9
    paths = mc.selfplay(Lottery(deals=True), games=20, iterations=60, seed=5, shard_games=1, folder=tmp_path)
    equal(mc.SelfPlayData.join(map(mc.SelfPlayData.load, paths)), mc.SelfPlayData.join(parts))


def test_progress():
    seen = []
    parts = list(selfplay(mc.TicTacToe(), games=9, iterations=20, seed=1, together=2, shard_games=4, preset="uct",
                          progress=seen.append))
    positions = sum(map(len, parts))
    assert all(isinstance(each, mc.SelfPlayProgress) and each.total == 9 for each in seen)
    assert [each.games for each in seen] == sorted(each.games for each in seen) and seen[-1].games == 9
    assert seen[-1].positions == positions > seen[0].positions == 2 and len(seen) > 9 * 5 // 2
    assert 20 * positions / 2 < seen[-1].evaluations <= 20 * positions and 0 < seen[0].seconds <= seen[-1].seconds


def test_what_progress_raises_comes_out():
    def stop(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        play(mc.TicTacToe(), progress=stop)


def test_what_an_evaluator_raises_comes_out():
    with pytest.raises(mc.EvaluatorError, match="the evaluator raised ZeroDivisionError") as caught:
        play(mc.TicTacToe(), evaluator=lambda observations: 1 / 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(mc.EvaluatorError, match="values must be numbers from -1 to 1, got 2"):
        play(mc.TicTacToe(), evaluator=lambda observations: (None, np.full(len(observations), 2.0)))
    with pytest.raises(mc.EvaluatorError, match="^game 0: "):
        play(Nim(), policy_value=lambda state: 1 / 0)


def spoiled(name, result, base=Nim, when=lambda self: True):
    """A game of which one method returns or raises something else."""
    def method(self, *arguments):
        if not when(self):
            return getattr(base, name)(self, *arguments)
        if isinstance(result, Exception):
            raise result
        return result

    def play(self, move):
        child = base.play(self, move)
        child.__class__ = cls
        return child

    cls = type("Spoiled", (base,), {"play": play, name: method})
    return cls


@pytest.mark.parametrize(("cls", "text"), [
    (spoiled("action", 3), "index of a move in the policy must be an int from 0 to 2, got 3 for .*'(one|two|three)'"),
    (spoiled("action", -1), "got -1 for"), (spoiled("action", "1"), "got '1'"), (spoiled("action", True), "True"),
    (spoiled("action", 1), "two legal moves of .* have the same index in the policy, 1"),
    (spoiled("action", ValueError("no")), r"Spoiled.action\(\) raised ValueError: no"),
    (spoiled("observation", ValueError("no")), r"Spoiled.observation\(\) raised ValueError: no"),
    (spoiled("observation", "text"), r"observation\(\) must return numbers of shape"),
    (spoiled("observation", [1, 2]), r"observation\(\) must have the shape \(planes, rows, columns\), got \(2,\)"),
    (spoiled("observation", [[[1]]], when=lambda self: self.stones < 7),
     r"shape \(1, 1, 2\), as at the (start|root), got"),
    (spoiled("play", ValueError("no")), r"Spoiled.play\(\) raised ValueError: no"),
    (spoiled("play", None), r"play\('\w+'\) must return a new state, got None"),
    (spoiled("winner", 2, when=lambda self: not self.stones), r"winner\(\) must return None, \+1, -1 or 0, got 2"),
    (spoiled("legal_moves", []), r"legal_moves\(\) returned no move"),
])
@pytest.mark.parametrize("evaluated", [False, True])
def test_broken_games(cls, text, evaluated):
    options = {"evaluator": evaluator(3)} if evaluated else {}
    with pytest.raises(mc.GameError, match=text) as caught:
        play(cls(), temperature_plies=0, **options)
    if "observation" not in text:
        assert str(caught.value).startswith("game ")


@pytest.mark.parametrize(("cls", "text"), [
    (spoiled("chance_outcomes", [], Race), r"chance_outcomes\(\) must return a list"),
    (spoiled("chance_outcomes", [(10, 0.5)], Race), r"sum to 1, got a sum of 0\.5: \[\(10, 0\.5\)\]"),
    (spoiled("returns", [0.5, 2.0, 0], Race, lambda self: max(self.steps) > 5), r"returns\(\) must return None or a "),
    (spoiled("returns", RuntimeError("no"), Race), r"returns\(\) raised RuntimeError: no"),
])
def test_broken_general_games(cls, text):
    with pytest.raises(mc.GameError, match=text):
        play(cls(rolling=True))


class Endless(Nim):
    def play(self, move):
        return type(self)(self.stones, -self.to_move)


def test_a_game_without_end(monkeypatch):
    from mcts_core.self_play import games as self_play_games

    monkeypatch.setattr(self_play_games, "LONGEST_GAME", 50)
    with pytest.raises(mc.GameError, match="^game 0: a game of Endless did not end within 50 moves"):
        play(Endless(), policy_value=policy_value, iterations=1)


@pytest.mark.parametrize("game", [Nim, Race])
def test_a_to_move_that_raises_or_is_none(game):
    """At the start, and at the second time that it is asked."""
    class Failing(game):
        answers = ()

        @property
        def to_move(self):
            answer = next(self.answers, None)
            if answer is None:
                raise KeyError("lost")
            return answer

        @to_move.setter
        def to_move(self, value):
            pass

    for answers in ((), (1,), ([],), (1, [])):
        Failing.answers = iter(answers)
        with pytest.raises(mc.GameError, match="to_move (raised KeyError|must be)"):
            play(Failing(), policy_value=policy_value, iterations=1)


class Hidden(Nim):
    hidden_information = True


class Bare:
    to_move = 1


@pytest.mark.parametrize(("state", "error", "text"), [
    (None, mc.InvalidState, r"states with a method observation\(\), but None has none"),
    (Bare(), mc.InvalidState, r"a method observation\(\)"),
    (Hidden(), mc.InvalidState, "hidden_information"),
    (type("Sizeless", (Nim,), {"actions": None})(), mc.InvalidState, "attribute actions.*got None"),
    (type("Sizeless", (Nim,), {"actions": 0})(), mc.InvalidState, "attribute actions.*got 0"),
    (type("Sizeless", (Nim,), {"actions": True})(), mc.InvalidState, "attribute actions.*got True"),
    (type("Mute", (Nim,), {"winner": None})(), mc.InvalidState, r"method winner\(\)"),
    (native_race(3)(start()), mc.InvalidState, r"a method legal_moves\(\), but <"),
    (Nim(0), mc.GameOver, "the game is over"),
    (mc.ConnectFour.from_moves("0101010"), mc.GameOver, "the game is over"),
    (Race(2, (6, 0)), mc.GameOver, "the game is over"),
    (spoiled("chance_outcomes", [(11, 1.0)], Race)(2, (5, 0), rolling=True), mc.InvalidState, "chance alone ended 100"),
])
def test_states_that_cannot_be_played(state, error, text):
    with pytest.raises(error, match=text):
        selfplay(state, games=1, iterations=1)


@pytest.mark.parametrize(("options", "text"), [
    ({"games": 0}, "games must be an int from 1"), ({"games": "2"}, "games"), ({"games": 2**31}, "games"),
    ({"iterations": 0}, "iterations must be an int from 1"), ({"iterations": 1.0}, "iterations"),
    ({"seed": -1}, "seed must be an int"), ({"seed": 2**64}, "seed"),
    ({"temperature": -1}, "temperature must be a finite number from 0"), ({"temperature": float("nan")}, "temperature"),
    ({"temperature": None}, "temperature"), ({"temperature_plies": -1}, "temperature_plies must be an int from 0"),
    ({"together": 0}, "together must be an int from 1 to 256"), ({"together": 257}, "together"),
    ({"shard_games": 0}, "shard_games must be an int from 1"), ({"threads": 0}, "threads must be an int from 1"),
    ({"label": 5}, "label must be a str, got 5"), ({"progress": 5}, "progress must be True, False or a function"),
    ({"progress": "bar"}, "progress"), ({"exploration": -1}, "exploration"),
    ({"noise_alpha": 1.0}, "noise_alpha .* needs"),
    ({"evaluator": 5}, "evaluator must be a function"), ({"batch": 2}, "batch needs an evaluator"),
    ({"evaluator": evaluator(7), "rave_k": 5.0}, "rave_k 5.0 has no meaning here"),
    ({"evaluator": evaluator(7), "batch": 0}, "batch must be an int"),
    ({"folder": 5}, "folder must be a str or a path"), ({"folder": "a\0b"}, "folder must have no null characters"),
    ({"folder": b""}, "folder must be the path of a folder"),
    ({"folder": ""}, "folder must be the path of a folder, got ''"),
])
def test_bad_options(options, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mc.InvalidOption, match=text):
        selfplay(mc.ConnectFour(), **{"games": 2, "iterations": 5, **options})
    assert os.listdir() == []


def test_an_option_that_there_is_not():
    with pytest.raises(mc.InvalidOption, match=r"selfplay\(\) has no option 'wrong_option'"):
        selfplay(mc.ConnectFour(), games=1, iterations=1, wrong_option=1)


def test_parts_that_do_not_fit_together():
    one, other = play(mc.ConnectFour(), games=1, preset="uct"), play(mc.TicTacToe(), games=1, preset="uct")
    for parts in ([], [one, None], [one, other]):
        with pytest.raises(mc.InvalidOption, match="^parts must be"):
            mc.SelfPlayData.join(parts)
    assert len(mc.SelfPlayData.join([one, one])) == 2 * len(one)


WITHOUT_NUMPY = NO_NUMPY + """
import mcts_core as mc
try:
    mc.selfplay(mc.ConnectFour(), games=1, iterations=1)
except ImportError as error:
    print(error)
"""


def test_without_numpy(tmp_path):
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "observations and evaluators need numpy: pip install numpy\n", done.stderr


def test_the_public_names():
    assert mc.selfplay is selfplay and callable(mc.selfplay)
    assert {"selfplay", "SelfPlayData", "SelfPlayProgress"} <= set(mc.__all__)


def test_gumbel_targets_are_the_improved_policy():
    """Also of moves without a visit; without a temperature, the moves played are those of the search."""
    options = {"evaluator": evaluator(7), "root_policy": "gumbel", "solver": False, "iterations": 8}
    data = play(mc.ConnectFour(), games=3, temperature=0, **options)
    assert np.abs(data.policies.sum(1) - 1).max() < 1e-6 and (data.policies[data.plies == 0] > 0).all()
    assert len({tuple(data.actions[data.games == number]) for number in range(3)}) == 3
    for number in range(3):
        state = mc.ConnectFour()
        for ply, action in enumerate(data.actions[data.games == number]):
            seed = seed_of(seed_of(5, number), 2 * ply)
            engine = mc.Searcher(seed=seed, batch=1, **{key: options[key] for key in options if key != "iterations"})
            assert engine.search(state, iterations=8) == action
            state = state.play(int(action))


@pytest.mark.parametrize("temperature", [1, 2, 1e-9])
def test_gumbel_moves_are_drawn_from_the_improved_policy(temperature):
    """Not by visits, of which these four moves have one each."""
    def evaluate(observations):
        policy = np.tile([1e-9, 8.0, 4.0, 2.0, 1.0, 1e-9, 1e-9], (len(observations), 1))
        return policy, np.zeros(len(observations))

    data = play(mc.ConnectFour(), games=400, evaluator=evaluate, root_policy="gumbel", gumbel_scale=0, gumbel_moves=4,
                solver=False, iterations=4, temperature=temperature, temperature_plies=1)
    first = data.plies == 0
    policy = np.array([0, 8.0, 4.0, 2.0, 1.0, 0, 0])
    assert abs(data.policies[first] - policy / policy.sum()).max() < 1e-6
    weights = (policy / policy.max()) ** (1 / temperature)
    expected = 400 * weights / weights.sum()
    counts = np.bincount(data.actions[first], minlength=7)
    assert (abs(counts - expected) <= 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_threads_play_the_same_games(threads):
    def evaluate(observations):
        codes = observations.reshape(len(observations), -1) @ np.arange(1, 28, dtype=np.float64)
        return np.abs(np.sin(codes[:, None] * np.arange(1, 10))), 0.5 * np.cos(codes)

    options = {"games": 17, "iterations": 20, "seed": 1, "evaluator": evaluate, "noise_alpha": 1.0, "together": 12}
    one, other = (next(selfplay(mc.TicTacToe(), threads=count, **options)) for count in (1, threads))
    assert equal(one, other)
    one, other = (next(selfplay(mc.TicTacToe(), threads=count, games=9, iterations=40, seed=1, preset="uct"))
                  for count in (1, threads))
    assert equal(one, other)


def test_batches_stay_full_until_the_games_run_out():
    """A game goes on, or makes room for the next one, as soon as its search has ended."""
    sizes = []

    def evaluate(observations):
        sizes.append(len(observations))
        return evaluator(9)(observations)

    play(mc.TicTacToe(), games=60, together=10, iterations=16, evaluator=evaluate, batch=1, solver=False)
    assert set(sizes[:len(sizes) // 2]) == {10}
