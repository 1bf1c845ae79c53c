import random

import pytest

import mcts_core as mc
from mcts_core.bots.pettingzoo import Agent, state

START = {"connect_four_v3": mc.ConnectFour, "tictactoe_v3": mc.TicTacToe}


class Environment:
    """Only what tells an environment's game."""

    def __init__(self, name):
        self.metadata = {"name": name, "render_fps": 1}


def observed(position, legal=None):
    """What the player to move observes, as lists."""
    rows = [line.split() for line in position.diagram().splitlines()]
    mine = "X" if position.to_move == 1 else "O"
    theirs = "O" if mine == "X" else "X"
    planes = [[[int(cell == mine), int(cell == theirs)] for cell in row] for row in rows]
    actions = 7 if isinstance(position, mc.ConnectFour) else 9
    legal = position.legal_moves() if legal is None else legal
    return {"observation": planes, "action_mask": [int(action in legal) for action in range(actions)]}


@pytest.mark.parametrize("name", START)
def test_positions_of_random_games_are_read(name):
    dice = random.Random(1)
    for _ in range(30):
        position = START[name]()
        while position.winner() is None:
            found = state(name, observed(position))
            assert found == position and type(found) is START[name]
            assert (found.to_move, found.legal_moves()) == (position.to_move, position.legal_moves())
            position = position.play(dice.choice(position.legal_moves()))


@pytest.mark.parametrize("name", START)
def test_it_beats_a_random_player_on_both_sides(name):
    dice = random.Random(2)
    player = Agent(Environment(name), iterations=150, seed=1)
    results = []
    for number in range(10):
        side = 1 - 2 * (number % 2)
        position = START[name]()
        while position.winner() is None:
            if position.to_move == side:
                move = player(observed(position))
                assert type(move) is int
            else:
                move = dice.choice(position.legal_moves())
            position = position.play(move)
        results.append(position.winner() * side)
    assert sum(results) >= 8 and -1 not in results


def test_an_engine_of_ones_own():
    engine = mc.Searcher(seed=3)
    player = Agent("tictactoe_v3", engine, iterations=50)
    assert player.engine is engine
    player(observed(mc.TicTacToe()))
    assert (engine.stats().seed, engine.stats().visits) == (3, 50)
    with pytest.raises(mc.InvalidOption, match="give either an engine or options, got an engine and seed, threads"):
        Agent("tictactoe_v3", engine, threads=2, seed=1)
    with pytest.raises(mc.InvalidOption, match="engine must be a Searcher, got 'fast'"):
        Agent("tictactoe_v3", "fast")


def test_budgets_and_options_are_looked_at_at_once():
    for options in ({"seconds": 0}, {"iterations": 0}, {"exploration": -1.0}):
        with pytest.raises(mc.InvalidOption):
            Agent("connect_four_v3", **options)
    with pytest.raises(mc.InvalidOption):
        Agent("connect_four_v3", mc.Searcher(), seconds=-1)


@pytest.mark.parametrize("game", ["chess_v6", "connect_four", None, 7, Environment("go_v5"), Environment(None)])
def test_other_games_are_refused(game):
    for use in (Agent, lambda game: state(game, observed(mc.TicTacToe()))):
        with pytest.raises(mc.InvalidState, match="one of connect_four_v3, tictactoe_v3 or such an environment, got"):
            use(game)


def test_who_may_not_act_is_told():
    with pytest.raises(mc.GameOver, match="action_mask allows no action"):
        state("tictactoe_v3", observed(mc.TicTacToe(), legal=[]))


def test_a_mask_that_is_not_that_of_the_position_is_refused():
    with pytest.raises(mc.InvalidState, match=r"the legal moves \[0, 1, 2, 3, 4, 5, 6\] of the position, got \[1, 2\]"):
        state("connect_four_v3", observed(mc.ConnectFour(), legal=[1, 2]))
    long = observed(mc.TicTacToe())
    long["action_mask"].append(1)
    with pytest.raises(mc.InvalidState, match="action_mask must allow"):
        state("tictactoe_v3", long)


@pytest.mark.parametrize("observation", [
    None, 7, {}, {"observation": []}, [[[0, 0]] * 3] * 3, {"observation": 7, "action_mask": [1]},
    {"observation": [[[0, 0]] * 3] * 3, "action_mask": 1},
    {"observation": [[[0, 0]] * 3] * 2, "action_mask": [1] * 9},
    {"observation": [[[0]] * 3] * 3, "action_mask": [1] * 9},
])
def test_what_is_no_observation_is_refused(observation):
    with pytest.raises(mc.InvalidState, match="an observation of tictactoe_v3 must have observation"):
        state("tictactoe_v3", observation)


def test_observations_of_another_size_are_refused():
    with pytest.raises(mc.InvalidState, match="observation must be 3 x 3 x 2 in tictactoe_v3, got"):
        state("tictactoe_v3", observed(mc.ConnectFour()))


def test_positions_that_no_game_reaches_are_refused():
    both = observed(mc.TicTacToe())
    both["observation"][1][1] = [1, 1]
    with pytest.raises(mc.InvalidState, match="both players have a stone in the same cell"):
        state("tictactoe_v3", both)
    many = observed(mc.TicTacToe())
    many["observation"][1][1] = many["observation"][0][0] = [0, 1]
    with pytest.raises(mc.InvalidState, match="as many X as O or one more"):
        state("tictactoe_v3", many)
