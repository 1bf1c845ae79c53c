import pyspiel
import pytest

import mcts_core as mc
from mcts_core.bots.openspiel import Bot


def matches(text, games, **options):
    """The results of a bot, 1 to -1, in as many games against one that moves at random, on both sides in turn."""
    game = pyspiel.load_game(text)
    bots = [Bot(game, player, seed=2, **options) for player in (0, 1)]
    results = []
    for number in range(games):
        side = number % 2
        pair = [pyspiel.make_uniform_random_bot(player, number) for player in (0, 1)]
        pair[side] = bots[side]
        results.append(pyspiel.evaluate_bots(game.new_initial_state(), pair, number)[side])
    return results


@pytest.mark.parametrize("native", [True, False])
def test_it_beats_a_random_player_at_tic_tac_toe(native):
    results = matches("tic_tac_toe", 20, iterations=60, native=native)
    assert -1 not in results and sum(results) >= 14


def test_it_beats_a_random_player_at_connect_four():
    assert sum(matches("connect_four", 10, iterations=60)) >= 9


def test_it_beats_a_random_player_with_chance():
    assert sum(matches("einstein_wurfelt_nicht", 6, iterations=60)) >= 4


def test_it_plays_with_several_players():
    """On each side in turn; a player like the others would win three of nine."""
    game = pyspiel.load_game("pig(players=3,winscore=20)")
    wins = 0
    for number in range(9):
        side = number % 3
        bots = [pyspiel.make_uniform_random_bot(player, number) for player in range(3)]
        bots[side] = Bot(game, side, iterations=40, seed=1)
        wins += pyspiel.evaluate_bots(game.new_initial_state(), bots, number)[side] > 0
    assert wins >= 7


def test_two_of_them_play_as_one_would():
    game = pyspiel.load_game("tic_tac_toe")
    bots = [Bot(game, player, iterations=2_000, seed=1) for player in (0, 1)]
    assert pyspiel.evaluate_bots(game.new_initial_state(), bots, 1) == [0.0, 0.0]


def test_steps_and_policies():
    game = pyspiel.load_game("tic_tac_toe")
    bot = Bot("tic_tac_toe", 0, iterations=50, seed=1)
    position = game.new_initial_state()
    for move in (0, 3, 1, 4):
        position.apply_action(move)
    before = position.history()
    one = [(2, 1.0), (5, 0.0), (6, 0.0), (7, 0.0), (8, 0.0)]
    assert bot.provides_policy()
    assert bot.step(position) == 2
    assert bot.step_with_policy(position) == (one, 2)
    assert bot.get_policy(position) == one
    assert position.history() == before
    bot.restart()
    bot.restart_at(game.new_initial_state())
    bot.inform_action(position, 1, 5)
    assert bot.step(position) == 2  # it remembers nothing
    assert bot.engine.stats().proven == "win"


@pytest.mark.parametrize("temperature", [1.0, 0.5, 1e-3])
def test_policies_by_temperature(temperature):
    game = pyspiel.load_game("pig(players=3,winscore=20)")
    bot = Bot(game, 0, iterations=31, seed=1, temperature=temperature)
    policy, action = bot.step_with_policy(game.new_initial_state())
    weights = {entry.move: entry.visits ** (1 / temperature) if temperature > 0.1
               else float(entry.visits == max(other.visits for other in bot.engine.stats().moves))
               for entry in bot.engine.stats().moves}
    assert [move for move, _ in policy] == [0, 1] and action in (0, 1)
    assert dict(policy) == pytest.approx({move: weight / sum(weights.values()) for move, weight in weights.items()})


def test_an_engine_of_ones_own():
    game = pyspiel.load_game("connect_four")
    engine = mc.Searcher(seed=5, final_move="max")
    bot = Bot(game, 0, engine, iterations=80)
    assert bot.engine is engine
    with pytest.raises(mc.NoSearch):
        engine.stats()
    move = bot.step(game.new_initial_state())
    assert engine.stats().move == move and engine.stats().iterations == 80
    assert Bot(game, 0, seconds=0.01).step(game.new_initial_state()) in range(7)


def test_utilities_and_kinds_are_passed_on():
    game = pyspiel.load_game("tic_tac_toe")
    bot = Bot(game, 0, iterations=20, seed=1, utility_range=(-10, 10))
    bot.step(game.new_initial_state())
    assert all(0.45 <= value <= 0.55 for value in bot.engine.stats().values)
    bot = Bot(game, 0, iterations=20, seed=1, general=True)
    bot.step(game.new_initial_state())
    assert bot.engine.stats().values is not None


@pytest.mark.parametrize(("arguments", "error", "message"), [
    (("goofspiel", 0), mc.InvalidState, "at the same time"),
    (("matrix_pd", 0), mc.InvalidState, "at the same time"),
    ((None, 0), mc.InvalidState, "must be a pyspiel.Game or the text of one, got None"),
    (("hex", 2), mc.InvalidOption, "player_id must be an int from 0 to 1, got 2"),
    (("hex", -1), mc.InvalidOption, "player_id must be an int from 0 to 1, got -1"),
    (("hex", True), mc.InvalidOption, "player_id must be an int"),
    (("hex", 0, "strong"), mc.InvalidOption, "engine must be a Searcher, got 'strong'"),
])
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        Bot(*arguments)


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"engine": mc.Searcher(), "seed": 1}, mc.InvalidOption, "either an engine or options, got an engine and seed"),
    ({"engine": mc.Searcher(), "seconds": -1}, mc.InvalidOption, "seconds must be"),
    ({"iterations": 0}, mc.InvalidOption, "iterations must be"),
    ({"seconds": "1"}, mc.InvalidOption, "seconds must be"),
    ({"rollout": "tactical"}, mc.InvalidOption, "rollout must be"),
    ({"native": None}, mc.InvalidOption, "native must be"),
    ({"utility_range": (1, 0)}, mc.InvalidOption, "utility_range must be"),
    ({"no_such_option": 1}, mc.InvalidOption, "no_such_option"),
    ({"second": 1}, mc.InvalidOption, r"^Bot\(\) has no option 'second', got second=1; did you mean 'seconds'\?$"),
])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        Bot("tic_tac_toe", 0, **options)


def test_bad_positions():
    bot = Bot("tic_tac_toe", 0, iterations=5, seed=1)
    position = pyspiel.load_game("tic_tac_toe").new_initial_state()
    other = pyspiel.load_game("hex").new_initial_state()
    for ask in (
        bot.step, bot.step_with_policy, bot.get_policy, bot.restart_at, lambda state: bot.inform_action(state, 1, 0),
    ):
        with pytest.raises(mc.InvalidState, match="plays 'tic_tac_toe.*got a position of 'hex"):
            ask(other)
        with pytest.raises(mc.InvalidState, match="must be a pyspiel.State, got 3"):
            ask(3)
    for move in (0, 3, 1, 4, 2):
        position.apply_action(move)
    with pytest.raises(mc.GameOver, match="the game is over"):
        bot.step(position)
    with pytest.raises(mc.InvalidState, match="with chance to move"):
        Bot("backgammon", 0, iterations=1, seed=1).step(pyspiel.load_game("backgammon").new_initial_state())


def test_errors_come_through_the_tools():
    game = pyspiel.load_game("tic_tac_toe")
    bot = Bot("hex", 1, iterations=5, seed=1)
    with pytest.raises(mc.InvalidState, match="plays 'hex"):
        pyspiel.evaluate_bots(game.new_initial_state(), [bot, bot], 1)


@pytest.mark.long
@pytest.mark.parametrize(("text", "arguments"), [
    ("tic_tac_toe", ()), ("tic_tac_toe", (1,)), ("backgammon", ()), ("kuhn_poker", ()),
    ("pig(players=3,winscore=9)", ()),
])
def test_one_bot_plays_all_seats(text, arguments):
    game = pyspiel.load_game(text)
    bot = Bot(game, *arguments, iterations=3, seed=1)
    results = pyspiel.evaluate_bots(game.new_initial_state(), [bot] * game.num_players(), 1)
    assert len(results) == game.num_players() and 1 <= bot.engine.stats().iterations <= 3
    position = game.new_initial_state()
    for seat in range(2):  # step by step, as OpenSpiel's Python tools do, with what the bot is told between
        while position.is_chance_node():
            position.apply_action(position.legal_actions()[0])
        mover = position.current_player()
        policy, action = bot.step_with_policy(position)
        assert dict(policy)[action] == 1.0 and action in position.legal_actions(mover)
        bot.inform_action(position, mover, action)
        position.apply_action(action)
        bot.restart_at(position) if seat else bot.restart()


def test_it_plays_both_seats_as_two_bots_would():
    """A perfect game is a draw, whoever holds the seats."""
    game = pyspiel.load_game("tic_tac_toe")
    bot = Bot(game, iterations=2_000, seed=1)
    assert pyspiel.evaluate_bots(game.new_initial_state(), [bot, bot], 1) == [0.0, 0.0]


def test_it_goes_on_with_the_tree_of_its_last_search():
    game = pyspiel.load_game("breakthrough(rows=5,columns=4)")
    bot = Bot(game, 0, iterations=300, seed=1)
    position = game.new_initial_state()
    position.apply_action(bot.step(position))
    assert bot.engine.stats().reused_visits == 0
    position.apply_action(bot.engine.stats().pv[1])
    bot.step(position)
    assert bot.engine.stats().reused_visits > 0
