import pytest
from nim import SmallNim
from value_games import Draws

import mcts_core as mc
from mcts_core.bots.levels import FULL, LEVELS, NAMES, choose

pytestmark = pytest.mark.wasm


def match(start, stronger, weaker, games):
    """The share of the points of the stronger level."""
    points = 0.0
    for game in range(games):
        state, side = start, 1 if game % 2 == 0 else -1
        while state.winner() is None:
            level = LEVELS[stronger if state.to_move == side else weaker]
            state = state.play(choose(state, level, seed=1000 * game + len(state.moves))[0])
        points += 0.5 + 0.5 * state.winner() * side
    return points / games


def test_names():
    assert NAMES == ("beginner", "novice", "casual", "club", "strong", FULL)


@pytest.mark.parametrize("start, stronger, weaker, games", [
    (mc.ConnectFour(), "novice", "beginner", 60), (mc.ConnectFour(), "casual", "novice", 20),
    (mc.ConnectFour(), "club", "casual", 10), (mc.Gomoku(9), "casual", "beginner", 10),
    (mc.Gomoku(15), "casual", "beginner", 10),
])
def test_each_level_beats_the_one_below(start, stronger, weaker, games):
    assert match(start, stronger, weaker, games) >= 0.6


def test_a_beginner_overlooks_what_others_see():
    """X has three in a row with one end open: a person of some practice stops it, a beginner now and then does not."""
    state = mc.ConnectFour.from_moves("17273", base=1)
    assert state.to_move == -1 and state.play(0).play(3).winner() == 1
    stopped = {name: sum(choose(state, LEVELS[name], seed)[0] == 3 for seed in range(60))
               for name in ("beginner", "novice", "casual")}
    assert 20 <= stopped["beginner"] < stopped["novice"] < stopped["casual"]
    assert all(choose(state, LEVELS["strong"], seed)[0] == 3 for seed in range(5))


def test_a_level_sees_its_own_win():
    state = mc.ConnectFour.from_moves("112233", base=1)
    assert sum(choose(state, LEVELS["casual"], seed)[0] == 3 for seed in range(40)) >= 36
    assert all(choose(state, LEVELS["strong"], seed)[0] == 3 for seed in range(5))


def test_the_same_seed_is_the_same_move():
    state = mc.Gomoku.from_moves([112, 97])
    assert len({choose(state, LEVELS["beginner"], seed=7)[0] for _ in range(3)}) == 1


@pytest.mark.parametrize("level", LEVELS.values(), ids=lambda level: level.name)
def test_every_game_has_levels(level):
    move, stats = choose(SmallNim(), level, seed=1)
    assert move in (1, 2) and len(stats.moves) == 2
    assert choose(SmallNim(1), level, seed=1)[0] == 1


@pytest.mark.long
@pytest.mark.parametrize("name", ["casual", "club", "strong"])
def test_a_bad_move_is_not_drawn_for_the_visits_that_draws_pass_on(name):
    moves = [choose(Draws(), LEVELS[name], seed)[0] for seed in range(6)]
    assert set(moves) <= {"draw", "another draw"}
