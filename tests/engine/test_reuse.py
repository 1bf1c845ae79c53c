"""src/engine/reuse.pyx and the tree of the last search, used again: against trees built without it, and oracles."""

import asyncio
import random
import threading

import guided_oracle
import pytest
import uct_oracle
from hypothesis import seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from value_games import BareClaim, Claim, ToldClaim

import mcts_core as mc
from mcts_core.testing.probe import Probe
from mcts_core.testing.tree_probe import audit, subtree

pytestmark = pytest.mark.usefixtures("no_book")


def figures(stats):
    """All of the Stats but the clock's."""
    data = stats.to_dict()
    for name in ("seconds", "iterations_per_second", "overshoot"):
        del data[name]
    return data


def fresh(state, options, iterations, seed):
    """What a search finds that has never seen another one."""
    engine = mc.Searcher(**{**options, "seed": seed, "reuse": False})
    engine.search(state, iterations=iterations)
    return figures(engine.stats())


def node_after(engine, path):
    """(visits, wins of the player to move, children) of the node after ``path`` (at least one move); None without a
    block."""
    found = subtree(engine, path)
    if found is None:
        return None
    above, children = subtree(engine, path[:-1])
    visits, wins = children[path[-1]]
    return visits, wins if above == found[0] else visits - wins, found[1]


def line(engine, plies):
    """The moves to the most visited child with a block, so many times."""
    path = []
    for _ in range(plies):
        children = subtree(engine, path)[1]
        path.append(max((move for move in children if subtree(engine, [*path, move])), key=lambda move: children[move]))
    return path


def play(state, moves):
    for move in moves:
        state = state.play(move)
    return state


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
        assert figures(engine.stats()) == fresh(mc.ConnectFour(), {}, 1000, 5)


def test_without_reuse_every_search_begins_anew():
    engine, state = mc.Searcher(reuse=False, seed=4), mc.ConnectFour()
    for _ in range(4):
        move = engine.search(state, iterations=500)
        assert engine.stats().reused_visits == 0 and figures(engine.stats()) == fresh(state, {}, 500, 4)
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
        reused = engine.stats().reused_visits
        assert (reused > 0) == (after[:2] == [3, 3]), after
        if not reused:
            assert figures(engine.stats()) == fresh(mc.ConnectFour.from_moves(after), {"preset": "uct"}, 100, 2)


def test_a_node_without_children_is_not_reused():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=7)
    assert subtree(engine, [3]) is None
    engine.search(mc.ConnectFour().play(3), iterations=500)
    assert figures(engine.stats()) == fresh(mc.ConnectFour().play(3), {"preset": "uct"}, 500, 1)


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
    assert figures(engine.stats()) == fresh(below, {}, 1000, 1)


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


# ---- games written in Python -----------------------------------------------------------------------------------------

def test_states_that_are_not_compared_by_value_begin_anew():
    for game, reuses in ((Claim, True), (ToldClaim, True), (BareClaim, False)):
        engine, state = mc.Searcher(), game()
        engine.search(state, iterations=2000)
        (move,) = line(engine, 1)
        engine.search(state.play(move), iterations=10)
        assert (engine.stats().reused_visits > 20) == reuses
        engine.search(state.play(move), iterations=10)
        assert (engine.stats().reused_visits > 20) == reuses


def test_python_games_are_followed_by_two_plies_or_by_their_moves():
    for game in (Claim, ToldClaim):
        engine, state = mc.Searcher(preset="uct", seed=1), game()
        for plies in (1, 2, 3):
            engine.search(state, iterations=6000)
            path = line(engine, plies)
            visits = node_after(engine, path)[0]
            engine.search(play(state, path), iterations=1)
            reused = engine.stats().reused_visits
            assert reused == visits if game is ToldClaim or plies == 1 else (reused > 0) == (plies == 2)


def test_python_games_with_other_moves_that_lead_to_an_equal_state():
    """What the states say of their moves is not the way: all of up to two moves are tried."""
    class Menu(Claim):
        @property
        def moves(self):
            return self.legal_moves()

    engine, state = mc.Searcher(preset="uct"), Menu()
    engine.search(state, iterations=3000)
    path = line(engine, 1)
    visits = node_after(engine, path)[0]
    engine.search(play(state, path), iterations=1)
    assert engine.stats().reused_visits == visits


class Touchy(Claim):
    """Its comparison raises on demand."""

    broken = None

    def __eq__(self, other):
        if Touchy.broken is not None:
            raise Touchy.broken
        return super().__eq__(other)

    __hash__ = Claim.__hash__


class Sloppy(Claim):
    """Equal to any position with the same owners, whoever is to move."""

    def __eq__(self, other):
        return self.owners == other.owners

    def __hash__(self):
        return hash(self.owners)


class Mutable(Claim):
    """May be changed in place."""

    def become(self, other):
        self.owners, self.to_move = other.owners, other.to_move


class Unhashable(Claim):
    __hash__ = None

    def __eq__(self, other):
        return Claim.__eq__(self, other)


class Reversed(Claim):
    """Equal positions may list their moves in another order."""

    def __init__(self, owners=(0,) * 8, to_move=1, turned=False):
        super().__init__(owners, to_move)
        self.turned = turned

    def legal_moves(self):
        moves = super().legal_moves()
        return moves[::-1] if self.turned else moves


def test_a_comparison_that_fails_does_not_keep_a_position_from_being_searched():
    for error in (ValueError("the truth value of an array"), TypeError("no"), mc.GameError("odd"), RecursionError()):
        engine, state = mc.Searcher(), Touchy()
        engine.search(state, iterations=500)
        try:
            Touchy.broken = error
            engine.search(state.play(0), iterations=50)
        finally:
            Touchy.broken = None
        assert engine.stats().reused_visits == 0 and engine.stats().visits == 50


def test_ctrl_c_in_a_comparison_comes_out():
    engine, state = mc.Searcher(), Touchy()
    engine.search(state, iterations=500)
    try:
        Touchy.broken = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            engine.search(state.play(0), iterations=50)
    finally:
        Touchy.broken = None
    engine.search(state.play(0), iterations=50)
    assert engine.stats().reused_visits == 0 and engine.stats().visits == 50


def test_states_that_look_equal_with_another_player_to_move_begin_anew():
    for path in ([], [1], [1, 2]):
        engine, state = mc.Searcher(preset="uct"), Sloppy()
        engine.search(state, iterations=4000)
        after = play(state, path)
        turned = Sloppy(after.owners, -after.to_move)
        assert turned == after
        engine.search(turned, iterations=300)
        stats = engine.stats()
        assert stats.reused_visits == 0 and figures(stats) == fresh(turned, {"preset": "uct"}, 300, stats.seed)


def test_a_state_that_was_changed_in_place_begins_anew():
    engine, state = mc.Searcher(preset="uct"), Mutable()
    engine.search(state, iterations=2000)
    state.become(Mutable().play(1).play(4))
    engine.search(state, iterations=300)
    stats = engine.stats()
    assert stats.reused_visits == 0 and figures(stats) == fresh(state, {"preset": "uct"}, 300, stats.seed)
    engine.search(state, iterations=10)
    assert engine.stats().reused_visits == 300


def test_states_without_a_hash_begin_anew():
    engine = mc.Searcher()
    for _ in range(2):
        engine.search(Unhashable(), iterations=100)
        assert engine.stats().reused_visits == 0


def test_equal_states_that_list_their_moves_otherwise_begin_anew():
    for plies in range(3):
        # a line of the first search has blocks in the second one only with the same seed
        engine, state = mc.Searcher(preset="uct", **({"seed": 1} if plies else {})), Reversed()
        engine.search(state, iterations=3000)
        after = play(state, line(engine, plies))
        engine.search(Reversed(after.owners, after.to_move, True), iterations=100)
        assert engine.stats().reused_visits == 0
        engine.search(state, iterations=3000)
        engine.search(after, iterations=100)
        assert engine.stats().reused_visits > 0


def test_a_game_that_fails_leaves_nothing_to_reuse():
    class Failing(Claim):
        fails = False

        def winner(self):
            if Failing.fails and self.owners.count(0) < 5:
                raise ZeroDivisionError
            return super().winner()

    engine = mc.Searcher()
    engine.search(Failing(), iterations=2000)
    Failing.fails = True
    with pytest.raises(mc.GameError, match="ZeroDivisionError"):
        engine.search(Failing().play(0), iterations=500)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    Failing.fails = False
    engine.search(Failing().play(0), iterations=500)
    assert engine.stats().reused_visits == 0


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


# ---- the oracles go on from the same node ----------------------------------------------------------------------------

class Below:
    """A game from a later position on: rollouts from a new probe, exact search by the one that has its memory."""

    def __init__(self, probe, path, state, seed):
        self.before, self.path, self.after = probe, path, Probe(state, seed)

    def __getattr__(self, name):
        return getattr(self.after, name)

    def prove(self, path, *arguments):
        return self.before.prove([*self.path, *path], *arguments)


def busiest(children, plies, of):
    """The moves to the most visited child that has children, so many times; ``of``: {move: child} of a node, None where
    there are none."""
    path, node = [], children
    for _ in range(plies):
        below = {move: child for move, child in of(node).items() if of(child)}
        path.append(max(below, key=lambda move: below[move].visits))
        node = below[path[-1]]
    return path


def plain_children(node):
    names = range(node.count) if node.block and node.moves is None else node.moves
    return {names[slot]: child for slot, child in node.children.items()} if node.block else None


def guided_children(child):
    return {below.move: below for below in child.block.children} if child.block else None


def plain_descendant(oracle, path, probe, player):
    """A UCT oracle that goes on below ``path``."""
    below = uct_oracle.Oracle(probe, player, oracle.exploration, oracle.rollouts_per_leaf)
    node = oracle.root
    for move in path:
        mover, node = node.player, plain_children(node)[move]
    if mover < 0:
        node.points = 2 * oracle.rollouts_per_leaf * node.visits - node.points
    below.root = node
    waiting, below.nodes = [node], 0
    while waiting:
        below.nodes += 1
        waiting.extend(waiting.pop().children.values())
    return below


@pytest.mark.parametrize(("state", "plies"), [
    (mc.ConnectFour(), 1), (mc.ConnectFour(), 2), (mc.ConnectFour(5, 8, 4), 3), (mc.TicTacToe(), 2),
    (mc.ConnectFour(11, 10, 4), 1), (mc.MNK(4, 4, 3), 1), (mc.MNK(6, 3, 3), 1),
], ids=str)
@pytest.mark.parametrize("rollouts_per_leaf", [1, 3])
def test_uct_goes_on_as_the_oracle_does(state, plies, rollouts_per_leaf):
    options = {"preset": "uct", "rollouts_per_leaf": rollouts_per_leaf}
    before = uct_oracle.Oracle(Probe(state, 11), state.to_move, 0.5**0.5, rollouts_per_leaf)
    for _ in range(1200):
        before.iterate()
    path = busiest(before.root, plies, plain_children)
    after = play(state, path)
    oracle = plain_descendant(before, path, Probe(after, 11), after.to_move)
    reused, done = oracle.root.visits, 0
    for count in (1, 2, 3, 10, 50, 200):
        while done < count:
            oracle.iterate()
            done += 1
        engine = mc.Searcher(seed=11, **options)
        engine.search(state, iterations=1200)
        engine.search(after, iterations=count)
        stats = engine.stats()
        assert (stats.reused_visits, stats.iterations) == (reused, count)
        assert {entry.move: (entry.visits, entry.wins) for entry in stats.moves if entry.visits} == oracle.children()
        assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)
        assert (stats.depth_max, stats.depth_mean) == (max(oracle.depths), sum(oracle.depths) / count)
        points = oracle.root.points / (2 * rollouts_per_leaf)
        assert stats.value == (points if after.to_move > 0 else stats.visits - points) / stats.visits
        assert stats.visits == reused + count


def guided_descendant(oracle, path, probe, player, options):
    """A guided oracle that goes on below ``path``."""
    below = guided_oracle.Oracle(probe, player, prover_bytes=oracle.memory, **options)
    child, record = oracle.root, None
    for move in path:
        mover, record, child = child.block.player, child.block.record or record, guided_children(child)[move]
    if mover < 0:
        child.wins = 2 * oracle.rollouts_per_leaf * child.visits - child.wins
    if oracle.selection == "grave":
        child.block.record = child.block.record or record
    below.root = child
    below.top.children, below.top.best = [child], child
    waiting, below.nodes = [child], 0
    while waiting:
        node = waiting.pop()
        below.nodes += node.visits > 0
        if node.block is not None:
            waiting.extend(node.block.children)
    return below


GUIDED = {
    "defaults": {},
    "no solver": {"solver": False, "fpu": 0.6},
    "tuned, leaves of 3": {"selection": "ucb1-tuned", "rollouts_per_leaf": 3},
    "rave": {"selection": "rave", "rave_k": 30, "prior_weight": 1},
    "grave": {"selection": "grave", "grave_ref": 5, "rave_bias": 0.01, "exploration": 0.2},
    "grave of the root": {"selection": "grave", "grave_ref": 10**6},
    "late leaves, decisive": {"expand_after": 3, "rollout": "decisive"},
    "near cells": {"expand_distance": 1},
}


@pytest.mark.parametrize(("state", "plies"), [
    (mc.ConnectFour(), 2), (mc.ConnectFour(5, 5, 4), 1), (mc.MNK(5, 5, 4), 1), (mc.MNK(4, 3, 3), 1),
    (mc.MNK(9, 9, 5).play(40), 1),
], ids=str)
@pytest.mark.parametrize("name", GUIDED)
def test_the_guided_search_goes_on_as_the_oracle_does(name, state, plies):
    options = {"valuation": "rollout", **GUIDED[name]}
    if "expand_distance" in options and isinstance(state, mc.ConnectFour):
        options = {"valuation": "rollout", "fpu": 0.4}
    kept = mc.Searcher(**options).options(state)
    del kept["final_move"], kept["exchange_every"]
    probe = Probe(state, 7)
    before = guided_oracle.Oracle(probe, state.to_move, prover_bytes=16 * 2**18, **kept)
    before.run(500)
    path = busiest(before.root, plies, guided_children)
    after = play(state, path)
    oracle = guided_descendant(before, path, Below(probe, path, after, 7), after.to_move, kept)
    reused, done = oracle.root.visits, 0
    for count in (1, 2, 3, 10, 60, 150):
        oracle.run(count - done)
        done = count
        engine = mc.Searcher(seed=7, memory_mb=16, **options)
        engine.search(state, iterations=500)
        engine.search(after, iterations=count)
        stats = engine.stats()
        expected = oracle.figures() | {"iterations": oracle.root.visits - reused}
        if not expected["iterations"]:
            expected |= {"depth_max": 0, "depth_mean": 0.0}
        assert {key: getattr(stats, key) for key in expected} == expected, count
        assert stats.reused_visits == reused
        found = {entry.move: (entry.visits, entry.wins, entry.proven, entry.distance) for entry in stats.moves}
        assert {move: found[move] for move in oracle.children()} == oracle.children()
        audit(engine, 2)
        if oracle.settled:
            break


# ---- random sequences ------------------------------------------------------------------------------------------------

MACHINE_GAMES = [mc.ConnectFour(), mc.ConnectFour(11, 10, 4), mc.ConnectFour(4, 5, 4), mc.TicTacToe(), mc.MNK(4, 4, 3),
                 mc.Gomoku(9), Claim(), ToldClaim(), BareClaim()]
MACHINE_OPTIONS = [
    {"preset": "uct"}, {"preset": "uct", "memory_mb": 1}, {"preset": "uct", "seed": 3, "memory_mb": 1}, {},
    {"seed": 5}, {"memory_mb": 1, "leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}, {"reuse": False},
    {"selection": "grave", "grave_ref": 5}, {"preset": "uct", "rollouts_per_leaf": 3, "memory_mb": 1},
    {"symmetry": True}, {"selection": "ucb1-tuned", "solver": False, "stop_early": True}, {"selection": "rave"},
]


def ways(before, after):
    """Every sequence of moves that the search may recognise as the one between two positions."""
    if before is after:
        return [()]
    if type(before) is not type(after) or isinstance(after, BareClaim):
        return []
    if before == after:
        return [()]
    found = set()
    played, known = getattr(after, "moves", None), getattr(before, "moves", None)
    if played is not None and played[:len(known)] == known and reaches(before, played[len(known):], after):
        found.add(tuple(played[len(known):]))
    for move in before.legal_moves():
        child = before.play(move)
        if child == after:
            found.add((move,))
        elif child.winner() is None:
            found.update((move, other) for other in child.legal_moves() if child.play(other) == after)
    return list(found)


def reaches(before, moves, after):
    try:
        return play(before, moves) == after
    except (mc.IllegalMove, mc.GameOver):
        return False


def redrawn(state):
    """An equal position with another history."""
    if isinstance(state, mc.ConnectFour):
        return mc.ConnectFour.from_string(str(state), rows=state.rows, cols=state.cols, connect=state.connect)
    if isinstance(state, mc.Gomoku):
        return mc.Gomoku.from_string(str(state), size=state.size, rule=state.rule)
    if isinstance(state, mc.MNK):
        return type(state).from_string(str(state), **({} if isinstance(state, mc.TicTacToe) else
                                                      {"m": state.m, "n": state.n, "k": state.k}))
    return type(state)(state.owners, state.to_move)


class Bot(RuleBasedStateMachine):
    """A Searcher in the life of a bot, and beside it what its statistics must be."""

    first: dict[str, object] = {}
    seen: dict[str, int] = {}
    searches = 0

    @classmethod
    def seed(cls):
        cls.searches += 1
        return cls.searches

    @initialize(game=st.sampled_from(MACHINE_GAMES))
    def begin(self, game):
        Bot.searches = 0
        self.options = {"memory_mb": 16, **self.first}
        self.here = game
        self.renew()

    @rule()
    def renew(self):
        self.engine, self.slack = mc.Searcher(**self.options), 0
        self.last = None  # the position that the engine's tree belongs to

    @rule(iterations=st.sampled_from([1, 2, 30, 300, 1500]), again=st.booleans())
    def search(self, iterations, again):
        if again:
            self.look(iterations)
        self.look(iterations)

    @precondition(lambda self: self.options["memory_mb"] == 1 and not isinstance(self.here, Claim))
    @rule()
    def search_until_memory_is_short(self):
        self.look(40_000 if "rollouts_per_leaf" in self.options or "preset" not in self.options else 200_000)

    @rule(plies=st.integers(1, 3), turn=st.integers(0, 50), likely=st.booleans(),
          iterations=st.sampled_from([1, 40, 500, 1500]))
    def play_on(self, plies, turn, likely, iterations):
        """As a bot does, move by move."""
        self.advance(plies, turn, likely)
        self.look(iterations)

    @rule(plies=st.integers(1, 3), turn=st.integers(0, 50), likely=st.booleans())
    def advance(self, plies, turn, likely):
        """Some moves: those that the tree knows best, or any."""
        for _ in range(plies):
            if self.here.winner() is not None:
                break
            moves = self.here.legal_moves()
            if likely and self.last is not None:
                for path in ways(self.last, self.here):
                    node = subtree(self.engine, path)
                    if node is not None:
                        moves = sorted(node[1], key=lambda move: node[1][move])[-2:]
            self.here = self.here.play(moves[turn % len(moves)])
        if self.here.winner() is not None:
            with pytest.raises(mc.GameOver):
                self.engine.search(self.here, iterations=10)
            self.last = None
            self.here = self.beginning()

    def beginning(self):
        return next(game for game in MACHINE_GAMES if type(game) is type(self.here) and
                    len(game.legal_moves()) >= len(self.here.legal_moves()))

    @rule()
    def begin_a_new_game(self):
        self.here = self.beginning()

    @rule(game=st.sampled_from(MACHINE_GAMES))
    def turn_to_another_game(self, game):
        self.here = game

    @rule()
    def redraw(self):
        self.here = redrawn(self.here)

    @rule()
    def release(self):
        self.engine._core.release()
        self.last = None
        with pytest.raises(mc.NoSearch):
            self.engine.stats()

    @rule()
    def search_what_is_no_state(self):
        with pytest.raises(mc.InvalidState):
            self.engine.search(None, iterations=10)
        self.last = None

    def look(self, iterations):
        """One search, and all that is known of its statistics."""
        known = {}
        if self.last is not None and self.options.get("reuse", True):
            for path in ways(self.last, self.here):
                kept = subtree(self.engine, path)
                if kept is None or (self.options.get("symmetry") and path) or ("seed" in self.options and not path):
                    continue
                if path:
                    visits, wins, children = node_after(self.engine, path)
                else:
                    visits, (_, children) = self.engine.stats().visits, kept
                    wins = None
                known[path] = visits, wins, children
        engine, here = self.engine, self.here
        followed = (self.last is not None and self.options.get("reuse", True) and self.options.get("solver", True)
                    and "preset" not in self.options and self.options.get("leaf_proofs", 1)
                    and isinstance(here, (mc.ConnectFour, mc.MNK)) and any(ways(self.last, here)))
        move = engine.search(here, iterations=iterations)
        stats = engine.stats()
        self.last = here
        reused = stats.reused_visits
        assert move == stats.move and move in here.legal_moves()
        assert {entry.move for entry in stats.moves} == set(here.legal_moves())
        assert stats.visits == reused + stats.iterations and stats.prunes >= 0 <= stats.dropped_nodes
        assert stats.bytes <= self.options["memory_mb"] * 2**20
        self.slack += stats.proven is not None
        assert audit(engine, self.slack)[0] <= stats.nodes
        if len(known) == 1:
            assert reused == next(iter(known.values()))[0]
        elif known:
            assert reused in [0, *(visits for visits, _, _ in known.values())]
        else:
            assert reused == 0
        if stats.stop_reason not in ("solved", "only_move", "decided"):
            assert stats.iterations == iterations
        for name, found in (("reused", reused > 0), ("fresh", reused == 0), ("pruned", stats.prunes > 0)):
            Bot.seen[name] = Bot.seen.get(name, 0) + found
        if not reused:
            self.slack = int(stats.proven is not None)
            found, alone = figures(stats), fresh(here, self.options, iterations, stats.seed)
            if followed:  # what exact search found before is there
                assert alone["proven"] is None or found["proven"] in (None, alone["proven"])
                return
            if stats.proven:  # the end of the line is told by an exact search, which only the older engine may have
                assert found.pop("pv")[0] == alone.pop("pv")[0]
                del found["pv_names"], alone["pv_names"]
            assert found == alone
            return
        visits, wins, children = next(value for value in known.values() if value[0] == reused)
        found = {entry.move: (entry.visits, entry.wins) for entry in stats.moves}
        added = {move: (found[move][0] - children.get(move, (0, 0))[0], found[move][1] - children.get(move, (0, 0))[1])
                 for move in found}
        assert all(-1e-6 <= points <= count + 1e-6 for count, points in added.values())
        total = sum(count for count, _ in added.values())
        assert total == stats.iterations or (total > stats.iterations and any(
            entry.proven == "draw" for entry in stats.moves))
        if wins is not None and stats.proven is None:
            gained = stats.value * stats.visits - wins
            if total == stats.iterations:
                assert gained == pytest.approx(sum(points for _, points in added.values()))
            assert -1e-6 <= gained <= stats.iterations + 1e-6


@pytest.mark.parametrize("options", MACHINE_OPTIONS, ids=str)
def test_random_lives_of_a_bot(options, monkeypatch):
    monkeypatch.setattr("mcts_core.searcher.random_seed", Bot.seed)
    monkeypatch.setattr(Bot, "first", options)
    monkeypatch.setattr(Bot, "seen", {})
    number = MACHINE_OPTIONS.index(options)
    run_state_machine_as_test(seed(number)(Bot), settings=hypothesis_settings(
        database=None, deadline=None, max_examples=30, stateful_step_count=30))
    assert Bot.seen["fresh"] > 10
    assert (Bot.seen["reused"] > 0) == options.get("reuse", True)
    assert Bot.seen["pruned"] > 0 or options.get("memory_mb") != 1


# ---- the path to the new root ----------------------------------------------------------------------------------------

def bare(state):
    """The same position, which does not tell the moves that led to it."""
    return type(state).from_string(str(state))


@pytest.mark.parametrize("preset", ["uct", "strong"])
def test_two_plies_are_found_without_moves_and_more_are_not(preset):
    for plies in range(5):
        engine, state = mc.Searcher(preset=preset), bare(mc.ConnectFour())
        engine.search(state, iterations=50_000)
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
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour(), iterations=50_000)
    visits = engine.stats().visits
    swapped = mc.ConnectFour.from_moves([2, 3, 4])
    assert swapped == mc.ConnectFour.from_moves([4, 3, 2])
    engine.search(swapped, iterations=10)
    assert 0 < engine.stats().reused_visits < visits
    engine.search(mc.ConnectFour.from_moves([4, 3, 2]), iterations=10)
    assert engine.stats().reused_visits > 0
