"""General games compile: players, returns and chance are those of the class."""

import copy
import pickle

import pytest

import mcts_core as mc

pytest.importorskip("numba")


class Pig:
    """Chance, texts and ints as moves, constructed anew by play; the number of players is a field."""

    constant_sum = True

    def __init__(self, players=3, goal=20, scores=None, turn=0, held=0, throwing=False):
        self.players, self.goal = players, goal
        self.scores = scores or (0,) * players
        self.turn, self.held, self.throwing = turn, held, throwing
        self.to_move = mc.CHANCE if throwing else turn

    def legal_moves(self):
        return ["throw", "hold"] if self.held else ["throw"]

    def chance_outcomes(self):
        return [(pips, 1 / 6) for pips in range(1, 7)]

    def play(self, move):
        if move == "throw":
            return Pig(self.players, self.goal, self.scores, self.turn, self.held, True)
        if move == "hold" or move == 1:
            scores = list(self.scores)
            scores[self.turn] += self.held if move == "hold" else 0
            return Pig(self.players, self.goal, tuple(scores), (self.turn + 1) % self.players)
        return Pig(self.players, self.goal, self.scores, self.turn, self.held + move)

    def returns(self):
        if max(self.scores) < self.goal:
            return None
        return [float(score >= self.goal) for score in self.scores]


class Nim:
    """Three players, moves as tuples, and values that are built step by step."""

    players, constant_sum = 3, True

    def __init__(self):
        self.heaps = [3, 4, 5]
        self.to_move = 0

    def legal_moves(self):
        return [(heap, count) for heap in range(3) for count in range(1, self.heaps[heap] + 1)]

    def push(self, move):
        heap, count = move
        self.heaps[heap] -= count
        self.to_move = (self.to_move + 1) % self.players

    def play(self, move):
        new = copy.deepcopy(self)
        new.push(move)
        return new

    def returns(self):
        if any(self.heaps):
            return None
        values = [0.0] * 3
        values[(self.to_move - 1) % 3] = 1.0
        return values


class Coins:
    """One player, and a constant list of outcomes with unequal probabilities."""

    players = 1
    OUTCOMES = [(10, 0.25), (11, 0.75)]

    def __init__(self):
        self.left, self.heads, self.thrown = 4, 0, False

    @property
    def to_move(self):
        return mc.CHANCE if self.thrown else 0

    def legal_moves(self):
        return [1, 2]

    def chance_outcomes(self):
        return self.OUTCOMES

    def push(self, move):
        self.thrown = move < 10
        if move >= 10:
            self.heads += move - 10
            self.left -= 1

    def returns(self):
        return [self.heads / 4] if self.left == 0 else None


class Rewarded(Nim):
    def rewards(self):
        return [0.0] * 3


class Unequal(Nim):
    """Two values for three players."""

    def returns(self):
        return None if any(self.heaps) else [1.0, 0.0]


@pytest.fixture(scope="module")
def pig():
    return mc.compile(Pig, cache=False)


def test_chance_and_players_are_those_of_the_class(pig):
    state = pig.state(Pig(scores=(12, 15, 9), turn=0, held=8))
    assert (state.players, state.constant_sum, state.to_move) == (3, True, 0)
    assert [pig.moves[move] for move in state.legal_moves()] == ["throw", "hold"]
    thrown = state.play("throw")
    assert thrown.to_move == mc.CHANCE
    assert [(pig.moves[move], chance) for move, chance in thrown.chance_outcomes()] == Pig().chance_outcomes()
    assert state.play("hold").returns() == (1.0, 0.0, 0.0)
    assert thrown.to_python().throwing


def test_a_search_holds_what_wins(pig):
    state = pig.state(Pig(scores=(12, 15, 9), turn=0, held=8))
    assert state.name(mc.search(state, iterations=2000, seed=1)) == "hold"
    assert mc.search(state, iterations=2000, seed=1, threads=2) == state.move("hold")
    assert mc.check_game(pig, 20).ok


def test_positions_and_searchers_are_pickled(pig):
    state, engine = pig.state().play("throw"), mc.Searcher(seed=1)
    assert pickle.loads(pickle.dumps(state)) == state
    engine.search(pig.state(), iterations=100)
    assert pickle.loads(pickle.dumps(engine)).stats().iterations == 100


def test_a_general_game_takes_many_searches_but_no_evaluator_or_proof(pig):
    states = [pig.state(), pig.state(Pig(scores=(12, 15, 9), turn=0, held=8))]
    assert [result.error for result in mc.search_many(states, iterations=200)] == [None, None]
    with pytest.raises(mc.InvalidState, match="an evaluator needs observations"):
        mc.Searcher(evaluator=lambda batch: ([[0.5, 0.5]] * len(batch), [0.0] * len(batch))).search(states[0],
                                                                                                    iterations=10)
    with pytest.raises(mc.InvalidState, match="solve needs a game of two players .* got the general game"):
        mc.solve(states[0])


@pytest.mark.long
@pytest.mark.parametrize("cls", [Nim, Coins])
def test_random_games_are_those_of_the_class(cls):
    game = mc.compile(cls, cache=False)
    assert mc.check_game(game, 20).ok and game.players == cls.players


def test_rewards_are_refused_by_name():
    with pytest.raises(mc.GameError, match=r"has no rewards: add them up in a field"):
        mc.compile(Rewarded)


def test_returns_of_another_length_are_refused():
    with pytest.raises(mc.GameError, match="for each of the 3 players, got"):
        mc.compile(Unequal)
