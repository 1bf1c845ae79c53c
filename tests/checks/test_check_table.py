"""mcts_core/checks/check_table.py: what check_game finds in the table of a native game."""

import ctypes
import itertools
import random
import re
import threading
import time

import pytest
from callback_game import (
    CREATE,
    DESTROY,
    DRAW,
    EXPAND,
    LEGAL_MOVES,
    OBSERVE,
    ONGOING,
    PLAY,
    ROLLOUT,
    SIMULATE,
    TO_MOVE,
    VALUE,
    WEIGH,
    WIN,
    nim,
    word,
)

import mcts_core as mc
from mcts_core.checks import check_table
from mcts_core.checks.check_table import rollout_problems, table_problems
from mcts_core.games.connect_four.position import simple_twin
from mcts_core.testing.probe import ValuedState


def moves_of(left, moves):
    for number in range(min(3, left)):
        moves[number] = number + 1
    return min(3, left)


def bytes_at(state, offset):
    return ctypes.cast(state + offset, ctypes.POINTER(ctypes.c_uint8))


def writing(offset, where):
    """A function that also writes a byte beside a state of 4 bytes, or in it, below seven stones."""

    def legal_moves(context, state, moves):
        count = moves_of(word(state)[0], moves)
        if word(state)[0] < 7:
            bytes_at(state, offset)[0] ^= 1
        return count

    def play(context, state, move):
        word(state)[0] -= move
        if word(state)[0] < 7:
            bytes_at(state, offset)[0] = 1
        return ONGOING if word(state)[0] else WIN

    return {"legal_moves": legal_moves} if where == "legal_moves" else {"play": play}


def too_many(context, state, moves):
    return 5 if word(state)[0] == 6 else moves_of(word(state)[0], moves)


def past_the_room(context, state, moves):
    if word(state)[0] < 7:
        moves[4] = 1
    return moves_of(word(state)[0], moves)


calls = [0]


def alternating(context, state, moves):
    calls[0] += 1
    count = moves_of(word(state)[0], moves)
    if count == 3 and calls[0] % 2:
        moves[0], moves[1] = moves[1], moves[0]
    return count


def forgetting(context, state, move):
    """Sometimes takes a stone more."""
    calls[0] += 1
    word(state)[0] -= min(move + (calls[0] % 5 == 0), word(state)[0])
    return ONGOING if word(state)[0] else WIN


def expansion(**changes):
    """A correct expand of nim, but for changes: what it returns, outcomes, the player."""

    def expand(context, root, path, length, found):
        left = word(root)[0] - sum(path[i] for i in range(length))
        for slot in range(4):
            outcome = 4 if not 1 <= slot <= min(3, left) else WIN if slot == left else ONGOING
            found[0].outcomes[slot] = changes["outcome"] if "outcome" in changes and outcome == WIN else outcome
        found[0].root_player = changes.get("player", length % 2 == 0)
        return 4

    return EXPAND(expand)


def simulation(**changes):
    """A simulate of nim whose rollouts the player to move at the root wins, and otherwise correct but for changes."""

    def simulate(context, root, path, length, told, rng):
        left = word(root)[0] - sum(path[i] for i in range(length))
        cursor = told[0]
        last = cursor + 1 == min(3, left)
        told[1] = changes.get("slot", cursor + 1)
        told[2] = 4
        told[0] = changes.get("cursor", 0xFFFFFFFF if last else cursor + 1)
        if cursor + 1 == left:
            return changes.get("ending", 2 if length % 2 == 0 else 0)
        return 2

    return SIMULATE(simulate)


PROBLEMS = {
    "legal_moves in": (
        lambda: nim(max_plies=60, **writing(3, "legal_moves")),
        r"legal_moves\(\)",
        r"legal_moves\(\) changed the state, which it may only read",
    ),
    "legal_moves after": (
        lambda: nim(**writing(4, "legal_moves")),
        r"legal_moves\(\)",
        r"legal_moves\(\) wrote to memory beside the state, which has 4 bytes",
    ),
    "play before": (lambda: nim(**writing(-64, "play")), r"play\(\)", r"play\(\) wrote to memory beside the state"),
    "room": (
        lambda: nim(legal_moves=past_the_room),
        r"legal_moves\(\)",
        r"legal_moves\(\) wrote more than max_moves, 4, moves",
    ),
    "again": (
        lambda: nim(legal_moves=alternating),
        r"legal_moves\(\)",
        "listed the moves of one position in two orders",
    ),
    "play again": (
        lambda: nim(play=forgetting),
        r"play|play\(\)",
        r"the move \d had a different effect when it was played again|led to different positions",
    ),
    "plies": (lambda: nim(max_plies=5), "play|rollout", "but max_plies is 5"),
    "rollout fails": (lambda: nim(rollout=ROLLOUT(lambda *_: -9)), "rollout", r"failed: .*rollout\(\) returned -9"),
    "rollout result": (
        lambda: nim(rollout=ROLLOUT(lambda context, state, rng: 0 if word(state)[0] == 1 else 2)),
        "rollout",
        "must return 2 here .0 lost, 1 drawn, 2 won, for the player to move., got 0",
    ),
    "rollout mean": (
        lambda: nim(12, rollout=ROLLOUT(lambda context, state, rng: 2)),
        "rollout",
        r"must play uniformly random moves .* 1500 rollouts gave 1.000 on average",
    ),
    "expand outcome": (
        lambda: nim(expand=expansion(outcome=DRAW)),
        "expand",
        "must report for each slot the outcome that play returns",
    ),
    "expand player": (
        lambda: nim(expand=expansion(player=1)),
        "expand",
        r"must set root_player to 0: player \+1 is to move at the root and player -1 here",
    ),
    "expand fails": (lambda: nim(expand=EXPAND(lambda *_: -1)), "expand", r"failed: .*expand\(\) returned -1"),
    "simulate slot": (
        lambda: nim(simulate=simulation(slot=1)),
        "simulate",
        "must try each legal move once, got the slot 1",
    ),
    "simulate cursor": (
        lambda: nim(simulate=simulation(cursor=0xFFFFFFFF)),
        "simulate",
        "must set the cursor to MCTS_ALL_TRIED with the last of the legal moves and not before; 2 are untried",
    ),
    "simulate ending": (
        lambda: nim(simulate=simulation(ending=1)),
        "simulate",
        "must return the result for the player to move at the root, [02] after a move with the outcome 1",
    ),
    "simulate mean": (
        lambda: nim(7, simulate=simulation()),
        "simulate",
        r"must return the result for the player to move at the root: \d+ simulations gave",
    ),
    "to_move": (
        lambda: nim(to_move=TO_MOVE(lambda context, state: 1 if word(state)[0] > 4 else 3)),
        r"play\(\)",
        r"raised GameError: .*to_move\(\) returned 3",
    ),
    "too many": (
        lambda: nim(legal_moves=too_many),
        r"legal_moves\(\)",
        r"raised GameError: .*legal_moves\(\) returned 5",
    ),
    "outcome": (
        lambda: nim(play=lambda context, state, move: 7),
        r"play\(\)",
        r"raised GameError: .*play\(\) returned 7",
    ),
}


@pytest.mark.parametrize("what", PROBLEMS)
def test_problems_are_told_in_words(what):
    make, part, words = PROBLEMS[what]
    report = mc.check_game(make(), 6, seed=1, max_plies=60)
    assert any(re.fullmatch(part, problem.part) and re.search(words, problem.text) for problem in report.problems), (
        report
    )


CANARIES = {
    "legal_moves after": (writing(4, "legal_moves"), "legal_moves", "wrote to bytes after the state"),
    "legal_moves before": (writing(-1, "legal_moves"), "legal_moves", "wrote to bytes before the state"),
    "legal_moves in": (writing(3, "legal_moves"), "legal_moves", "wrote to the state, which it may only read"),
    "play after": (writing(200, "play"), "play", "wrote to bytes after the state for the move 1"),
    "play before": (writing(-200, "play"), "play", "wrote to bytes before the state for the move 1"),
    "room": ({"legal_moves": past_the_room}, "legal_moves", "wrote to bytes after the room for 4 moves"),
}


@pytest.mark.parametrize("what", CANARIES)
def test_canaries(what):
    functions, part, words = CANARIES[what]
    game = nim(9, **functions)
    sound = nim(6).state()
    state = game.state().play(3) if "play" not in functions else game.state(nim(8).state().data).play(1)
    assert state.data == sound.data or "play" in functions
    found = list(table_problems(game.state(), state, [3], [1, 2, 3]))
    assert found[0][0] == part and words in found[0][2]


def test_sound_functions_given_for_speed_have_no_problems():
    assert mc.check_game(nim(expand=expansion()), 15).ok
    for expand in (None, expansion()):
        report = mc.check_game(nim(3, expand=expand, rollout=ROLLOUT(first_moves_only)), 15)
        assert report.ok, report


def first_moves_only(context, state, rng):
    """A rollout of nim with up to three stones: wins with 1, with 2 and 3 in exactly one of two or three of four."""
    draw = mc_random(rng)
    left = word(state)[0]
    return 2 if left == 1 else 2 * (draw % 2) if left == 2 else 2 * (draw % 2)


def mc_random(rng):
    """A bit that is good enough: the middle of a counter of odd steps, as SplitMix64 makes of it."""
    counter = ctypes.cast(rng, ctypes.POINTER(ctypes.c_uint64))
    counter[0] += 0x9E3779B97F4A7C15
    z = counter[0]
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z >> 40


def test_tables_of_our_own_games_are_sound():
    for start in (
        mc.ConnectFour(),
        mc.TicTacToe(),
        mc.Gomoku(7),
        mc.ConnectFour(8, 9, 5),
        simple_twin(mc.ConnectFour()),
    ):
        state, path = start, []
        while state.winner() is None:
            assert list(table_problems(start, state, path, state.legal_moves())) == []
            move = state.legal_moves()[len(path) // 2 % len(state.legal_moves())]
            state, path = state.play(move), [*path, move]


def test_problems_of_the_face():
    """A position whose Python methods say something else than its table."""
    state = nim(5).state()
    assert list(table_problems(state, state, [], [3, 2, 1])) == []  # slots are moves, in any order
    found = list(table_problems(state, state, [], [3, 1]))
    assert "must return the moves of the table: expected [1, 2, 3], got [3, 1]" in found[0][2]
    state = nim(5, max_moves=9).state()
    found = list(table_problems(state, state, [], [3, 2, 1]))
    assert "must return the moves of the table, in the same order: expected [1, 2, 3], got [3, 2, 1]" in found[0][2]


def test_a_table_without_functions():
    """As that of a Python-written game, which has no moves of its own."""
    from mcts_core.games.python_game import PythonGame

    class Coin:
        to_move, winner, legal_moves = 1, lambda self: None, lambda self: [1]

        def play(self, move):
            return Coin()

    found, = table_problems(Coin(), PythonGame(Coin()), [], [1])
    assert found.part == "table" and "must be set" in found.text


def test_sampled_positions_need_not_be_many():
    assert list(rollout_problems(nim().state(), [], random.Random(1))) == []


@pytest.mark.parametrize("plies", [40_000, 400, 150])
def test_rollouts_of_long_games_are_compared_with_fewer_games(plies, monkeypatch):
    monkeypatch.setattr(check_table, "PLIES", plies)
    played = [0]

    def play(context, state, move):
        played[0] += 1
        word(state)[0] -= 1
        return ONGOING if word(state)[0] else WIN

    def legal_moves(context, state, moves):
        moves[0], moves[1] = 0, 1
        return 2

    # with time enough 150 random games, twice, and ten times as many rollouts and simulations
    state = nim(100, legal_moves=legal_moves, play=play, max_moves=2).state()
    assert list(rollout_problems(state, [(state, [])], random.Random(1))) == []
    games = {40_000: 3300, 400: 200, 150: 120}[plies]
    assert played[0] <= games * 100


def test_legal_moves_of_a_position_are_only_read():
    """The check itself changes nothing."""
    state = nim(6).state()
    before = state.data
    list(table_problems(state, state, [], [1, 2, 3]))
    assert state.data == before


def test_bad_numbers_in_the_list():
    def legal_moves(context, state, moves):
        moves[0] = 9
        return 1

    game = mc.native_game(legal_moves=LEGAL_MOVES(legal_moves), play=PLAY(lambda *_: WIN), state_size=1, max_moves=4)
    with pytest.raises(mc.GameError, match=r"must list different moves from 0 to 3, got \[9\]"):
        mc.check_game(game, 5)


# ---- valuations ------------------------------------------------------------------------------------------------------


def left_of(root, path, length):
    """The stones of nim at the end of a path."""
    return word(root)[0] - sum(path[i] for i in range(length))


def good_value(context, root, path, length, memory, estimate):
    estimate[0].value = 0 if left_of(root, path, length) % 4 == 0 else 65536
    return 0


def good_weigh(context, root, path, length, memory, moves, count, weights):
    for i in range(count):
        weights[i] = 9 if (left_of(root, path, length) - moves[i]) % 4 == 0 else 1
    return 0


asked = [0]


def counting(context, root, path, length, memory, estimate):
    asked[0] += 1
    estimate[0].value = asked[0]
    return 0


def by_length(context, root, path, length, memory, estimate):
    """Takes the length of the path for the number of moves in the game."""
    estimate[0].value = 1000 * length
    return 0


def constant(value, proven=-1, returned=0, move=0xFFFFFFFF):
    def function(context, root, path, length, memory, estimate):
        estimate[0].value, estimate[0].proven, estimate[0].move = value, proven, move
        return returned

    return function


def weighing(*values, returned=0):
    def weigh(context, root, path, length, memory, moves, count, weights):
        for i, value in enumerate(values):
            weights[i] = value
        return returned

    return weigh


def no_weights(context, root, path, length, memory, moves, count, weights):
    return weighing(*[0] * count)(context, root, path, length, memory, moves, count, weights)


def other_weights(context, root, path, length, memory, moves, count, weights):
    asked[0] += 1
    return weighing(*range(asked[0], asked[0] + count))(context, root, path, length, memory, moves, count, weights)


def valued(value=good_value, weigh=good_weigh, create=None, destroy=None, stones=9):
    """A position of nim with a valuation; None: NULL."""
    kinds = {"value": (VALUE, value), "weigh": (WEIGH, weigh), "create": (CREATE, create),
             "destroy": (DESTROY, destroy)}
    keeper = {name: kind(function) for name, (kind, function) in kinds.items() if function is not None}
    functions = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in keeper.items()}
    return ValuedState(nim(stones).state(), functions, keeper)


VALUATIONS = {
    "none": ({"value": None}, "valuation", "must have value"),
    "half a memory": ({"create": lambda *_: 8}, "valuation", "create and destroy both or neither"),
    "no memory": ({"create": lambda *_: None, "destroy": lambda *_: None}, "create", "returned NULL"),
    "value fails": ({"value": constant(5, returned=-3)}, "value", "must return 0 while the game goes on, got -3"),
    "value too low": ({"value": constant(-1)}, "value", "must be from 0 .* got -1"),
    "value too high": ({"value": constant(65537)}, "value", r"to 65536 \(wins\), got 65537"),
    "no such proof": ({"value": constant(5, proven=7)}, "value", "the value 0, 1 or 2, or -1 for none, got 7"),
    "a move that is none": ({"value": constant(5, proven=2, move=7)}, "value", r"must be legal or MCTS_NO_MOVE, got 7"),
    "value by memory": ({"value": counting}, "value", "the same value whatever positions its memory has seen"),
    "value by root": ({"value": by_length}, "value", "the same value from any root, got 1000"),
    "weigh fails": ({"weigh": weighing(1, 1, 1, returned=1)}, "weigh", "must return 0, got 1"),
    "weigh too far": ({"weigh": weighing(1, 1, 1, 1)}, "weigh", "wrote to bytes after the room for 3 weights"),
    "weight below 0": ({"weigh": weighing(1, -1, 1)}, "weigh", "finite and not negative, got .1.0, -1.0, 1.0"),
    "weight infinite": ({"weigh": weighing(1, float("inf"), 1)}, "weigh", "finite and not negative"),
    "weight no number": ({"weigh": weighing(1, float("nan"), 1)}, "weigh", "finite and not negative"),
    "weigh by memory": ({"weigh": other_weights}, "weigh", "must give moves the same weights whatever positions"),
}


@pytest.mark.parametrize("what", VALUATIONS)
def test_problems_of_valuations(what):
    functions, part, words = VALUATIONS[what]
    start = valued(**functions)
    found = list(table_problems(start, start.play(1), [1], [1, 2, 3]))
    assert [problem.part for problem in found] == [part] and re.search(words, found[0].text), found


def test_a_proof_is_compared_with_what_one_move_decides():
    start = valued(constant(5, proven=0), stones=4)
    found, = table_problems(start, start.play(1), [1], [1, 2, 3])
    assert found.text == ("must not prove 0 (0 lost, 1 drawn, 2 won, for the player to move): the best move that ends "
                          "the game gives 2")


def test_a_proof_out_of_range_ends_a_search():
    with pytest.raises(mc.GameError, match="an invalid result"):
        mc.search(valued(constant(5, proven=9)), iterations=20, selection="puct", valuation="network")


def test_sound_valuations_have_no_problems():
    for functions in ({}, {"weigh": None}, {"create": lambda *_: 8, "destroy": lambda *_: None},
                      {"weigh": no_weights}):
        start = state = valued(**functions)
        path = []
        while state.winner() is None:
            assert list(table_problems(start, state, path, state.legal_moves())) == []
            state, path = state.play(1), [*path, 1]


def observing(*values, returned=0, spoils=False):
    def observe(context, state, planes):
        for i, value in enumerate(values):
            planes[i] = value() if callable(value) else value
        if spoils:
            word(state)[0] -= 1
        return returned

    return observe


@pytest.mark.parametrize(("observe", "words"), [
    (observing(1.0, 2.0, 3.0), "wrote to bytes after the room for 2 numbers"),
    (observing(1.0, 2.0, spoils=True), "the state, which it may only read"),
    (observing(1.0, 2.0, returned=-3), "must return 0, got -3"),
    (observing(1.0), "must write 2 finite numbers"),
    (observing(1.0, float("inf")), "must write 2 finite numbers"),
    (observing(1.0, random.random), "the same numbers for the same state"),
], ids=["too many", "spoils", "fails", "too few", "infinite", "at random"])
def test_problems_of_observations(observe, words):
    start = nim(observe=OBSERVE(observe), shape=(1, 1, 2)).state()
    found = list(table_problems(start, start.play(1), [1], [1, 2, 3]))
    assert [problem.part for problem in found] == ["observe"] and words in found[0].text, found


def test_sound_observations_have_no_problems():
    start = nim(observe=OBSERVE(observing(1.0, -2.0)), shape=(1, 1, 2)).state()
    assert list(table_problems(start, start.play(1), [1], [1, 2, 3])) == []


def test_the_search_goes_by_a_valuation():
    """Nim with all that there is to know: the winning move leaves a multiple of four."""
    for stones in (9, 10, 11):
        state = valued(stones=stones)
        engine = mc.Searcher(selection="puct", valuation="network", solver=False, seed=1)
        assert engine.search(state, iterations=60) == stones % 4
        assert engine.options(state)["network"] is None
        weights = {entry.move: entry.prior for entry in engine.stats().moves}
        assert weights == {move: pytest.approx((9 if move == stones % 4 else 1) / 11) for move in (1, 2, 3)}


@pytest.mark.parametrize("functions", [
    {"value": constant(5, returned=-3)}, {"value": constant(65537)}, {"weigh": weighing(1, float("nan"), 1)},
    {"weigh": weighing(1, 1, -1)},
])
def test_the_search_ends_where_a_valuation_fails(functions):
    engine = mc.Searcher(selection="puct", valuation="network", seed=1)
    with pytest.raises(mc.GameError):
        engine.search(valued(**functions), iterations=60)


@pytest.mark.parametrize("after", [0, 7, 300])
def test_the_search_ends_where_a_valuation_fails_in_another_thread(after):
    calls = itertools.count()

    def fails(context, root, path, length, memory, estimate):
        estimate[0].value = 30000
        return -1 if next(calls) >= after else 0

    engine = mc.Searcher(selection="puct", valuation="network", seed=1, threads=3, solver=False)
    with pytest.raises(mc.GameError):
        engine.search(valued(value=fails, stones=200), iterations=5000)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    engine.search(valued(stones=200), iterations=3000)
    assert (engine.stats().iterations, engine.stats().threads) == (3000, 3)


@pytest.mark.alone
def test_slow_valuations_run_in_all_threads_whatever_the_budget():
    """Leaves that take longer than a slice of a search, of 1 ms."""
    running, most = [], []

    def slow(context, root, path, length, memory, estimate):
        running.append(None)
        most.append(len(running))
        time.sleep(0.004)
        running.pop()
        estimate[0].value = 30000
        return 0

    for budget in ({"seconds": 0.4}, {"iterations": 2048}):
        engine = mc.Searcher(selection="puct", valuation="network", seed=1, threads=4, solver=False)
        threading.Timer(0.4, engine.stop).start()
        most.clear()
        engine.search(valued(value=slow, stones=200), **budget)
        assert max(most) == 4 and sum(most) > 2 * len(most) > 32


def test_stop_does_not_wait_for_a_round_of_slow_valuations():
    calls = itertools.count(1)

    def slow(context, root, path, length, memory, estimate):
        if next(calls) == 300:  # stop() waits for the search, which waits for this leaf
            threading.Thread(target=engine.stop).start()
            time.sleep(0.1)
        estimate[0].value = 30000
        return 0

    engine = mc.Searcher(selection="puct", valuation="network", seed=1, threads=4, solver=False)
    engine.search(valued(value=slow, stones=200), iterations=100_000)
    assert engine.stats().stop_reason == "cancelled" and engine.stats().iterations < 300 + 3 * 8


def test_a_search_without_the_memory_that_its_valuation_needs_ends():
    state = valued(create=lambda *_: None, destroy=lambda *_: None)
    with pytest.raises(MemoryError):
        mc.Searcher(selection="puct", valuation="network", seed=1).search(state, iterations=60)
