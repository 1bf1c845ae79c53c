"""Games of the user's native functions that break their contract: what each error says."""

import struct

import pytest
from callback_game import (
    EXPAND,
    ONGOING,
    ROLLOUT,
    SIMULATE,
    TO_MOVE,
    nim,
    word,
)

import mcts_core as mc
from mcts_core.testing.probe import Probe

PRESETS = ["uct", "strong"]


def lying(value, when=4):
    """legal_moves that returns ``value`` below ``when`` stones."""

    def legal_moves(context, state, moves):
        left = word(state)[0]
        for number in range(min(3, max(left, 0))):
            moves[number] = number + 1
        return value if left < when else 3

    return legal_moves


def playing(value, when=4):
    """play that returns ``value`` below ``when`` stones."""

    def play(context, state, move):
        word(state)[0] -= move
        return value if word(state)[0] < when else ONGOING

    return play


def wrong_move(context, state, moves):
    moves[0] = 1 if word(state)[0] > 4 else 77
    return 1


def forgetful():
    """One move fewer after it was asked fifty times."""
    asked = [0]

    def legal_moves(context, state, moves):
        asked[0] += 1
        count = min(3 if asked[0] < 50 else 2, word(state)[0])
        for number in range(count):
            moves[number] = number + 1
        return count

    return legal_moves


BROKEN = {  # by max_moves: a game, and what is said of it
    "none": (
        lambda most: nim(legal_moves=lying(0), max_moves=most),
        r"legal_moves\(\) returned 0; while the game goes on it must return 1 to {most}",
    ),
    "failing moves": (
        lambda most: nim(legal_moves=lying(-7), max_moves=most),
        r"legal_moves\(\) returned -7, which is an error; while",
    ),
    "many": (
        lambda most: nim(legal_moves=lying(most + 1), max_moves=most),
        r"legal_moves\(\) returned {more}; while the game goes on it must return 1 to {most}",
    ),
    "wrong move": (
        lambda most: nim(legal_moves=wrong_move, max_moves=most),
        r"legal_moves\(\) gave the move 77; moves must be 0 to {last}",
    ),
    "failing play": (
        lambda most: nim(play=playing(-3), max_moves=most),
        r"play\(\) returned -3, which is an error; it must return 0",
    ),
    "outcome": (lambda most: nim(play=playing(4), max_moves=most), r"play\(\) returned 4; it must return 0"),
    "endless": (
        lambda most: nim(play=lambda *_: ONGOING, max_plies=50, max_moves=most),
        "a rollout did not end within 50 moves",
    ),
    "failing rollout": (
        lambda most: nim(rollout=ROLLOUT(lambda *_: -1), max_moves=most),
        r"rollout\(\) returned -1, which is an error; it must return 0",
    ),
    "rollout": (
        lambda most: nim(rollout=ROLLOUT(lambda *_: 3), max_moves=most),
        r"rollout\(\) returned 3; it must return 0",
    ),
    "player": (
        lambda most: nim(to_move=TO_MOVE(lambda context, state: 1 if word(state)[0] > 7 else 0), max_moves=most),
        r"to_move\(\) returned 0; it must return \+1 or -1",
    ),
}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("most", [4, 9])
@pytest.mark.parametrize("what", BROKEN)
def test_errors_are_told_in_words(what, most, preset):
    make, words = BROKEN[what]
    engine = mc.Searcher(seed=1, preset=preset)
    with pytest.raises(mc.GameError, match="native_game: " + words.format(most=most, more=most + 1, last=most - 1)):
        engine.search(make(most).state(), iterations=2000)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    assert engine.search(nim(7).state(), iterations=1000) == 3


def test_errors_in_several_threads_are_told_in_words():
    game = nim(40, play=lambda context, state, move: playing(-3, 6)(context, state, move))
    for seed in range(3):
        with pytest.raises(mc.GameError, match=r"play\(\) returned -3, which is an error"):
            mc.Searcher(threads=2, seed=seed).search(game.state(), iterations=3000)


@pytest.mark.parametrize("what", BROKEN)
def test_rollouts_tell_the_same(what):
    make, words = BROKEN[what]
    with pytest.raises(mc.GameError, match=words.format(most=4, more=5, last=3)):
        mc.rollouts(make(4).state(), 10_000, seed=1)


def test_the_table_tells_of_moves_that_there_are_not():
    """What reads the list of moves from the table, without playing them, relies on their range."""
    probe = Probe(nim(legal_moves=wrong_move).state())
    returned, _, damage = probe.list_moves(struct.pack("i", 4), 4)
    assert returned < 0 and damage is None and probe.list_moves(struct.pack("i", 5), 4)[:2] == (1, [1])


def test_moves_that_are_not_written():
    def legal_moves(context, state, moves):
        moves[0] = 1
        return 2

    with pytest.raises(mc.GameError, match=r"must list different moves from 0 to 3, got \[1, 2779096485\]"):
        nim(legal_moves=legal_moves).state()


def test_a_position_that_changes_its_mind():
    for most in (4, 9):
        with pytest.raises(mc.GameError, match="the same moves led to different positions"):
            mc.search(nim(11, legal_moves=forgetful(), max_moves=most).state(), iterations=300, seed=1, preset="uct")


@pytest.mark.parametrize("returned, cursor, slot, count, words", [
    (-2, 1, 1, 4, r"simulate\(\) returned -2, which is an error"),
    (3, 1, 1, 4, r"simulate\(\) returned 3; it must return 0"),
    (1, 1, 4, 4, r"simulate\(\) left an impossible cursor, slot or count \(slot 4\)"),
    (1, 1, 1, 3, "impossible cursor"),
    (1, 1, 1, 99, "impossible cursor"),
    (1, 4, 1, 4, "impossible cursor"),
    (1, 0xFFFFFFFE, 1, 4, "impossible cursor"),
])
def test_simulations_that_lie(returned, cursor, slot, count, words):
    def simulate(context, root, path, length, simulation, rng):
        simulation[0], simulation[1], simulation[2] = cursor, slot, count
        return returned

    with pytest.raises(mc.GameError, match=words):
        mc.search(nim(9, simulate=SIMULATE(simulate)).state(), iterations=10, seed=1, preset="uct")


@pytest.mark.parametrize("most, returned, outcome, move, words", [
    (4, -1, 0, 0, r"expand\(\) returned -1, which is an error; that is not the number of slots"),
    (4, 3, 0, 0, r"expand\(\) returned 3; that is not the number of slots"),
    (4, 5, 0, 0, r"expand\(\) returned 5"),
    (4, 4, 5, 0, r"expand\(\) left an impossible move or outcome in slot 0"),
    (9, 3, 0, 9, r"expand\(\) left an impossible move or outcome in slot 0"),
    (9, 0, 0, 0, r"expand\(\) returned 0"),
    (9, 99999, 0, 0, r"expand\(\) returned 99999"),
])
def test_expansions_that_lie(most, returned, outcome, move, words):
    def expand(context, root, path, length, expansion):
        for slot in range(min(4, expansion[0].capacity)):
            expansion[0].outcomes[slot] = outcome
            if most > 8:
                expansion[0].moves[slot] = move
        return returned

    with pytest.raises(mc.GameError, match=words):
        mc.search(nim(9, max_moves=most, expand=EXPAND(expand)).state(), iterations=10, seed=1, preset="uct")


def test_expansions_of_another_size():
    """A number of slots that the tree did not see before ends the search too."""
    def expand(context, root, path, length, expansion):
        for slot in range(2):
            expansion[0].outcomes[slot], expansion[0].moves[slot] = 0, slot + 1
        return 2

    with pytest.raises(mc.GameError, match="native_game"):
        mc.search(nim(9, max_moves=9, expand=EXPAND(expand)).state(), iterations=10, seed=1, preset="uct")


def test_play_and_legal_moves_tell_the_same():
    with pytest.raises(mc.GameError, match=r"play\(\) returned 9; it must return 0"):
        nim(play=lambda *_: 9).state().play(1)
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) must list different moves from 0 to 3, got \[1, 1\]"):
        nim(
            legal_moves=lambda context, state, moves: moves.__setitem__(0, 1) or moves.__setitem__(1, 1) or 2
        ).state().legal_moves()
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) must list different moves from 0 to 3, got \[1, 6\]"):
        nim(
            legal_moves=lambda context, state, moves: moves.__setitem__(0, 1) or moves.__setitem__(1, 6) or 2
        ).state().legal_moves()
    with pytest.raises(mc.GameError, match=r"legal_moves\(\) returned -4, which is an error; it must return 0 to 4"):
        nim(legal_moves=lambda *_: -4).state()
    with pytest.raises(mc.GameError, match=r"native_game: to_move\(\) returned 7; it must return \+1 or -1"):
        nim(to_move=TO_MOVE(lambda *_: 7)).state()
    later = nim(to_move=TO_MOVE(lambda context, state: 1 if word(state)[0] == 10 else 5))
    with pytest.raises(mc.GameError, match=r"to_move\(\) returned 5; it must return \+1 or -1"):
        later.state().play(1)
    assert "returned 5" in later.state().explain_error()
    assert nim().state().explain_error() == ("native_game: a function returned an error or a number out of range; "
                                             "check_game() reports which")
