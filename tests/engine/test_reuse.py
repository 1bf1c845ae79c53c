"""src/mcts_core/engine/reuse.pyx and the tree of the last search, used again: what a search may go on with, and what
it finds."""

import asyncio
import random
import threading

import pytest
from reused_tree import figures, fresh, line, node_after, play
from value_games import Claim, ToldClaim

import mcts_core as mc
from mcts_core.testing.tree_probe import audit, subtree

pytestmark = pytest.mark.usefixtures("no_book")


# ---- the rules -------------------------------------------------------------------------------------------------------

GAMES = [(mc.ConnectFour(), 2), (mc.ConnectFour(11, 10, 4), 2), (mc.MNK(4, 4, 4), 2), (mc.Gomoku(9), 1), (Claim(), 1),
         (ToldClaim(), 2)]


@pytest.mark.parametrize(("state", "plies"), GAMES, ids=str)
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 3},
                                     {"solver": False, "selection": "grave"}, {"solver": False, "expand_after": 2}],
                         ids=str)
def test_one_iteration_after_a_move_adds_one_visit(options, state, plies):
    for length in range(1, plies + 1):
        engine = mc.Searcher(seed=3, **options)
        engine.search(state, iterations=4000)
        path = line(engine, length)
        visits, wins, children = node_after(engine, path)
        after = play(state, path)
        engine.search(after, iterations=1)
        stats = engine.stats()
        assert (stats.reused_visits, stats.iterations, stats.visits) == (visits, 1, visits + 1) and visits > 9
        changed = {entry.move: (entry.visits, entry.wins) for entry in stats.moves
                   if (entry.visits, entry.wins) != children.get(entry.move, (0, 0.0))}
        ((move, (count, points)),) = changed.items()
        before = children[move]
        assert count == before[0] + 1 and 0 <= points - before[1] <= 1
        assert stats.value * stats.visits == pytest.approx(wins + points - before[1])
        audit(engine)


def test_the_value_is_that_of_the_player_to_move():
    """X has all but won: so it stands after X's move, for O and then for X again."""
    state = mc.ConnectFour.from_moves("4455", base=1)
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(state, iterations=20_000)
    assert engine.stats().value > 0.9
    state = state.play(engine.stats().move)
    engine.search(state, iterations=1)
    assert engine.stats().reused_visits > 10_000 and engine.stats().value < 0.1
    reply = engine.stats().moves[0].move
    engine.search(state.play(reply), iterations=1)
    assert engine.stats().reused_visits > 1000 and engine.stats().value > 0.9


def test_the_same_position_goes_on_unless_a_seed_says_what_it_finds():
    engine = mc.Searcher()
    for count in range(1, 4):
        engine.search(mc.ConnectFour(), iterations=1000)
        stats = engine.stats()
        assert (stats.reused_visits, stats.visits, stats.iterations) == (1000 * count - 1000, 1000 * count, 1000)
    engine = mc.Searcher(seed=5)
    for _ in range(2):
        engine.search(mc.ConnectFour(), iterations=1000)
        assert engine.stats().reused_visits == 0
        assert figures(engine.stats()) == fresh(mc.ConnectFour(), {}, 1000, engine.stats().seed)


def test_without_reuse_every_search_begins_anew():
    engine, state = mc.Searcher(reuse=False, seed=4), mc.ConnectFour()
    for _ in range(4):
        move = engine.search(state, iterations=500)
        stats = engine.stats()
        assert stats.reused_visits == 0 and figures(stats) == fresh(state, {}, 500, stats.seed)
        state = state.play(move)
    assert "reuse=False" in repr(engine) and "reuse" not in repr(mc.Searcher())


def test_the_module_reuses_when_it_is_asked_to():
    state = mc.ConnectFour()
    for options, expected in (({}, 0), ({"reuse": False}, 0), ({"reuse": True}, 1)):
        mc.search(state, iterations=2000, **options)
        mc.search(state.play(mc.stats().pv[0]), iterations=10, **options)
        assert (mc.stats().reused_visits > 0) == expected
    mc.search(state, iterations=2000)
    mc.search(state, iterations=10, reuse=True)  # another engine
    assert mc.stats().reused_visits == 0


def test_search_many_never_reuses():
    state = mc.ConnectFour()
    states = [state, state.play(3), state.play(3).play(3), state.play(3).play(3)]
    results = mc.search_many(states, iterations=1000, seed=1, reuse=True)
    assert [result.stats.reused_visits for result in results] == [0] * 4
    assert [figures(result.stats) for result in results] == [
        figures(result.stats) for result in mc.search_many(states, iterations=1000, seed=1, reuse=False)]


def test_a_tree_is_of_one_engine_one_game_and_one_set_of_options():
    state = mc.ConnectFour()
    engine = mc.Searcher(preset="uct")
    for other in (mc.ConnectFour(7, 7, 4), mc.MNK(7, 6, 4), Claim(), mc.Gomoku(9), mc.ConnectFour(6, 7, 5)):
        engine.search(state, iterations=1000)
        for begin in (other, state):
            engine.search(begin.play(3), iterations=100)
            assert engine.stats().reused_visits == 0
    square = mc.MNK(9, 9, 5)
    engine.search(square, iterations=1000)
    engine.search(mc.Gomoku(9).play(40), iterations=10)  # the same rules, and yet the same game
    assert engine.stats().reused_visits == (0 if square != mc.Gomoku(9) else engine.stats().visits - 10)
    engine.search(mc.Gomoku(9, "exact"), iterations=10)
    assert engine.stats().reused_visits == 0


def test_a_position_that_does_not_follow_begins_anew():
    begin = mc.ConnectFour.from_moves([3, 3])
    engine = mc.Searcher(seed=2, preset="uct")
    for after in ([3], [], [3, 2], [3, 3, 2, 4], [2, 3, 3], [0, 0, 0], [3, 3, 3]):
        engine.search(begin, iterations=20_000)
        engine.search(mc.ConnectFour.from_moves(after), iterations=100)
        stats = engine.stats()
        assert (stats.reused_visits > 0) == (after[:2] == [3, 3]), after
        if not stats.reused_visits:
            assert figures(stats) == fresh(mc.ConnectFour.from_moves(after), {"preset": "uct"}, 100, stats.seed)


def test_a_node_without_children_is_not_reused():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=7)
    assert subtree(engine, [3]) is None
    engine.search(mc.ConnectFour().play(3), iterations=500)
    stats = engine.stats()
    assert figures(stats) == fresh(mc.ConnectFour().play(3), {"preset": "uct"}, 500, stats.seed)


SHAPES = [(mc.ConnectFour, {}), (mc.ConnectFour, {"rows": 11, "cols": 10}), (mc.MNK, {"m": 4, "n": 4, "k": 3}),
          (mc.MNK, {"m": 5, "n": 3, "k": 5})]


@pytest.mark.parametrize(("game", "shape"), SHAPES, ids=str)
def test_positions_from_diagrams_are_recognised_within_two_plies(game, shape):
    for plies in range(4):
        engine, state = mc.Searcher(preset="uct"), game(**shape)
        engine.search(state, iterations=30_000)
        path = line(engine, plies)
        visits = node_after(engine, path)[0] if path else 30_000
        after = play(state, path)
        drawn = game.from_string(str(after), **shape)
        assert drawn == after and drawn.moves == ()
        engine.search(drawn, iterations=1)
        assert engine.stats().reused_visits == (visits if plies < 3 else 0)


def test_many_plies_are_followed_by_the_moves_of_the_states():
    engine, state = mc.Searcher(preset="uct"), mc.ConnectFour()
    engine.search(state, iterations=50_000)
    path = list(engine.stats().pv)
    while subtree(engine, path) is None:
        path.pop()
    assert len(path) >= 4
    visits = node_after(engine, path)[0]
    engine.search(play(state, path), iterations=1)
    assert engine.stats().reused_visits == visits


def test_what_was_proven_is_known_after_a_reply_that_has_no_tree():
    state = mc.ConnectFour.from_moves([6, 4, 2, 2, 1, 0, 4, 5, 2, 1])
    below = state.play(0).play(1)
    for reuse in (True, False):
        engine = mc.Searcher(seed=1, reuse=reuse)
        assert engine.search(state, iterations=40_000) == 0 and engine.stats().proven == "win"
        engine.search(below, iterations=1000)
        assert engine.stats().reused_visits == 0
        assert engine.stats().proven == ("win" if reuse else None)
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=40_000)
    engine.search(mc.ConnectFour(), iterations=10)  # another game: what was known is forgotten
    engine.search(below, iterations=1000)
    assert figures(engine.stats()) == fresh(below, {}, 1000, engine.stats().seed)


def test_symmetric_searches_are_reused_at_the_root_only():
    options = {"symmetry": True, "leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
    engine, state = mc.Searcher(**options), mc.MNK(5, 5, 4)
    engine.search(state, iterations=1000)
    engine.search(state, iterations=1000)
    assert engine.stats().reused_visits == 1000
    (move,) = line(engine, 1)
    engine.search(state.play(move), iterations=1000)
    stats = engine.stats()
    assert stats.reused_visits == 0
    assert figures(stats) == fresh(state.play(move), options, 1000, stats.seed)


# ---- the path to the new root ----------------------------------------------------------------------------------------

def bare(state):
    """The same position, which does not tell the moves that led to it."""
    return type(state).from_string(str(state))


@pytest.mark.parametrize("preset", ["uct", "strong"])
def test_two_plies_are_found_without_moves_and_more_are_not(preset):
    for plies in range(5):
        engine, state = mc.Searcher(preset=preset), bare(mc.ConnectFour())
        engine.search(state, iterations=15_000)
        for move in engine.stats().pv[:plies]:
            state = state.play(move)
        engine.search(bare(state), iterations=10)
        assert (engine.stats().reused_visits > 0) == (plies <= 2), plies


def test_moves_that_do_not_lead_there_are_not_believed():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour.from_moves([3, 3]), iterations=5000)
    engine.search(mc.ConnectFour.from_moves([2, 3, 3, 3]), iterations=10)  # a longer list, but of another game
    assert engine.stats().reused_visits == 0


def test_a_transposed_order_is_found_by_the_position():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=50_000)
    visits = engine.stats().visits
    swapped = mc.ConnectFour.from_moves([2, 3, 4])
    assert swapped == mc.ConnectFour.from_moves([4, 3, 2])
    engine.search(swapped, iterations=10)
    assert 0 < engine.stats().reused_visits < visits


def test_the_same_position_in_another_order_goes_on():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour.from_moves([2, 3, 4]), iterations=100)
    engine.search(mc.ConnectFour.from_moves([4, 3, 2]), iterations=10)
    assert engine.stats().reused_visits > 0


# ---- around a search -------------------------------------------------------------------------------------------------

def test_errors_before_a_search_leave_nothing_to_reuse():
    over = mc.ConnectFour.from_moves("1212121", base=1)
    for bad, error in ((over, mc.GameOver), (object(), mc.InvalidState), ("state", mc.InvalidState)):
        engine = mc.Searcher()
        engine.search(mc.ConnectFour(), iterations=1000)
        with pytest.raises(error):
            engine.search(bad, iterations=1000)
        engine.search(mc.ConnectFour(), iterations=10)
        assert engine.stats().reused_visits == 0
    engine = mc.Searcher()
    engine.search(mc.ConnectFour(), iterations=1000)
    with pytest.raises(mc.InvalidOption):
        engine.search(mc.ConnectFour(), iterations=0)
    engine.search(mc.ConnectFour(), iterations=10)
    assert engine.stats().reused_visits == 1000  # that one never began


def test_a_search_that_was_stopped_is_gone_on_with():
    engine, state = mc.Searcher(preset="uct"), mc.ConnectFour()

    def stop(stats):
        engine.stop()

    engine.search(state, 30, progress=stop, every=0.01)
    visits = engine.stats().visits
    assert engine.stats().stop_reason == "cancelled" and visits > 0
    with pytest.raises(ZeroDivisionError):
        engine.search(state, 30, progress=lambda stats: 1 // 0, every=0.01)
    stats = engine.stats()
    assert stats.reused_visits == visits and stats.stop_reason == "cancelled"
    engine.search(state, iterations=10)
    assert engine.stats().reused_visits == stats.visits
    audit(engine)


def test_pondering_is_for_the_search_that_follows():
    engine, state = mc.Searcher(), mc.Gomoku(9)
    move = engine.search(state, iterations=2000)
    state = state.play(move)
    engine.ponder(state)
    while (engine.stop() or engine.stats()).visits < 3000:
        engine.ponder(state)
    pondered = engine.stats()
    assert pondered.reused_visits > 0
    (reply,) = line(engine, 1)
    visits = node_after(engine, [reply])[0]
    engine.search(state.play(reply), iterations=100)
    assert engine.stats().reused_visits == visits

    async def think():
        return await engine.search_async(state.play(reply), iterations=100)

    assert asyncio.run(think()) == engine.stats().move
    assert engine.stats().reused_visits == visits + 100
    *_, last = engine.watch(state.play(reply), iterations=100)
    assert last.reused_visits == visits + 200


def test_another_thread_may_go_on():
    engine, state = mc.Searcher(), mc.ConnectFour()
    for count in range(4):
        worker = threading.Thread(target=engine.search, args=(state,), kwargs={"iterations": 500})
        worker.start()
        worker.join()
        assert engine.stats().reused_visits == 500 * count
    audit(engine)


def test_memory_that_was_given_back_is_not_reused():
    engine = mc.Searcher()
    engine.search(mc.ConnectFour(), iterations=1000)
    engine._core.release()
    engine.search(mc.ConnectFour(), iterations=1000)
    assert engine.stats().reused_visits == 0


def test_stop_rules_count_what_was_there_before():
    """The move is decided sooner: the lead is that of all visits."""
    engine, state = mc.Searcher(solver=False, stop_early=True), mc.ConnectFour.from_moves("444", base=1)
    engine.search(state, iterations=20_000)
    first = engine.stats()
    engine.search(state, iterations=20_000)
    again = engine.stats()
    assert again.reused_visits == first.visits and again.visits == first.visits + again.iterations
    lead = again.moves[0].visits - again.moves[1].visits
    assert (again.stop_reason == "decided") == (lead > 20_000 - again.iterations)
    only = mc.ConnectFour(4, 2, 4).play(0).play(0).play(0).play(0)
    engine = mc.Searcher(stop_early=True)
    for count in range(3):
        assert engine.search(only, iterations=1000) == 1
        assert (engine.stats().stop_reason, engine.stats().iterations) in (("only_move", 1), ("solved", 0))
        assert engine.stats().reused_visits == min(count, engine.stats().reused_visits)


def test_progress_shows_the_whole_tree():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour(), iterations=5000)
    seen = []
    engine.search(mc.ConnectFour(), 0.05, progress=seen.append, every=0.01)
    assert seen and all(stats.reused_visits == 5000 == stats.visits - stats.iterations for stats in seen)


# ---- proofs ----------------------------------------------------------------------------------------------------------

def test_a_proven_root_stays_proven():
    state = mc.ConnectFour.from_moves("4757", base=1)
    engine = mc.Searcher()
    engine.search(state, iterations=20_000)
    first = engine.stats()
    assert first.stop_reason == "solved" and first.proven == "win"
    engine.search(state, iterations=20_000)
    again = engine.stats()
    assert (again.move, again.proven, again.distance, again.stop_reason) == (
        first.move, "win", first.distance, "solved")
    assert again.reused_visits == first.visits and again.iterations == 0 == again.depth_mean
    assert again.moves == first.moves and again.pv == first.pv
    assert again.iterations_per_second == 0 == again.rollouts


def test_the_positions_after_a_proven_one_are_still_right():
    """The node of a proven move has no children any more; others have."""
    kinds = set()
    for moves in ("1350040", "230113"):
        state = mc.ConnectFour.from_moves(moves, rows=5, cols=6)
        for move in state.legal_moves():
            engine = mc.Searcher(seed=3)
            engine.search(state, iterations=1500)
            entry = next(entry for entry in engine.stats().moves if entry.move == move)
            has_children = subtree(engine, [move]) is not None
            kinds.add((entry.proven, has_children))
            after = state.play(move)
            if after.winner() is not None:
                continue
            engine.search(after, iterations=50_000)
            stats, alone = engine.stats(), fresh(after, {}, 50_000, 3)
            assert (stats.reused_visits > 0) == has_children
            assert stats.stop_reason == "solved"
            assert (stats.proven, stats.distance) == (alone["proven"], alone["distance"]), (moves, move)
    assert {("win", False), ("loss", False), ("draw", False), (None, True)} <= kinds


def test_a_proven_game_is_played_to_its_end():
    state = game = mc.ConnectFour.from_moves("4757", base=1)
    engine = mc.Searcher()
    while game.winner() is None:  # to its end, with the proof at every step
        move = engine.search(game, iterations=20_000)
        if game.to_move == state.to_move:
            assert engine.stats().proven == "win"
        game = game.play(move)
    assert game.winner() == state.to_move


@pytest.mark.parametrize("options", [{}, {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0},
                                     {"selection": "grave", "grave_ref": 4, "expand_after": 1}], ids=str)
@pytest.mark.parametrize("state", [mc.TicTacToe(), mc.MNK(4, 3, 3), mc.MNK(4, 4, 4), mc.ConnectFour(4, 5, 4), Claim()],
                         ids=repr)
def test_proofs_in_reused_trees_are_true(state, options):
    """Random walks with a few iterations at every step: what is proven is what a search from scratch proves."""
    if isinstance(state, Claim) and "leaf_proofs" in options:
        options = {"selection": "ucb1-tuned"}
    chooser, values, proven = random.Random(7), {}, 0
    for number in range(6):
        engine, here = mc.Searcher(seed=number, **options), state
        while here.winner() is None:
            engine.search(here, iterations=chooser.choice((30, 200, 900)))
            stats = engine.stats()
            if stats.proven:
                if here not in values:
                    other = mc.Searcher(seed=1, reuse=False)
                    other.search(here, iterations=300_000)
                    values[here] = other.stats().proven
                assert stats.proven == values[here] is not None, here
                proven += 1
            here = here.play(chooser.choice(here.legal_moves()))
    assert proven > 10
