"""src/mcts_core/engine/report.pyx: the move to play, the principal variation, the order and the names of moves, the
log."""

import logging
import subprocess
import sys
from collections import Counter

import pytest
from value_games import Alone, Claim, Draws, Scores, drawish_value
from wide_games import Wide, WideGeneral, WideHidden, WideScored

import mcts_core as mc
from mcts_core.engine.loop import clock
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_tree import SearchedTree
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import TwoPlayerSettings

pytestmark = pytest.mark.wasm

PRESETS = ["uct", "strong"]
GAMES = [mc.ConnectFour(), mc.ConnectFour(8, 9, 5), mc.TicTacToe(), mc.Gomoku(15), mc.Gomoku(20, "exact")]


@pytest.mark.parametrize("preset", PRESETS)
def test_final_move_rules(preset):
    state = mc.ConnectFour()
    for seed in range(20):
        robust = mc.Searcher(preset=preset, seed=seed)
        best = mc.Searcher(preset=preset, seed=seed, final_move="max")
        move, other = robust.search(state, iterations=40), best.search(state, iterations=40)
        moves = robust.stats().moves
        assert moves == best.stats().moves
        assert next(entry for entry in moves if entry.move == move).visits == max(entry.visits for entry in moves)
        assert next(entry for entry in moves if entry.move == other).value == max(
            entry.value for entry in moves if entry.visits)
        assert robust.stats().move == move and best.stats().move == other


class Handshake:
    """A draw at once or after a longer way; nobody can win."""

    def __init__(self, path=""):
        self.path, self.to_move = path, -1 if len(path) % 2 else 1

    def legal_moves(self):
        return ["short", "long"] if not self.path else ["on"]

    def play(self, move):
        return Handshake(self.path + move[0])

    def winner(self):
        return 0 if self.path == "s" or len(self.path) == 5 else None


def test_the_distance_of_a_draw_is_that_of_the_move_played():
    lengths = set()
    for seed in range(20):
        engine = mc.Searcher(seed=seed)
        move = engine.search(Handshake(), iterations=100)
        stats = engine.stats()
        length = 1 if move == "short" else 5
        assert (stats.proven, stats.distance) == ("draw", length)
        assert next(entry.distance for entry in stats.moves if entry.move == move) == length
        lengths.add(length)
    assert 1 in lengths


@pytest.mark.parametrize("preset", PRESETS)
def test_max_never_picks_an_unvisited_move(preset):
    # the first tried moves lose often; unvisited ones stand at 0.5
    for seed in range(30):
        engine = mc.Searcher(preset=preset, seed=seed, final_move="max")
        move = engine.search(mc.Gomoku(15), iterations=2)
        assert next(entry for entry in engine.stats().moves if entry.move == move).visits >= 1


@pytest.mark.parametrize("preset", PRESETS)
def test_pv_can_be_played(preset):
    for state in GAMES:
        engine = mc.Searcher(preset=preset, seed=2)
        engine.search(state, iterations=20_000)
        pv = engine.stats().pv
        assert pv[0] == engine.stats().move
        if preset == "uct":
            assert pv[0] == engine.stats().moves[0].move
        for move in pv:
            state = state.play(move)
        assert len(pv) >= 1


def test_a_win_at_once_is_played_whatever_was_visited():
    state = mc.ConnectFour.from_moves("121212", base=1)
    for seed in range(10):
        for preset in PRESETS:
            engine = mc.Searcher(preset=preset, seed=seed)
            assert engine.search(state, iterations=12) == 0 == engine.stats().pv[0]


@pytest.mark.parametrize("state", GAMES, ids=repr)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_move_is_the_first_of_the_list_that_does_not_lose(preset, state):
    """A search finds it without the list, unless several moves are alike."""
    for seed in range(4):
        engine = mc.Searcher(preset=preset, seed=seed, memory_mb=64)
        for iterations in (1, 2, 3, 7, 8, 9, 60, 400):
            move, stats = engine.search(state, iterations=iterations), engine.stats()
            assert move == stats.move == stats.pv[0]
            if stats.proven is None:
                assert move == next(entry.move for entry in stats.moves if entry.proven != "loss")
            else:
                assert next(entry.proven for entry in stats.moves if entry.move == move) == stats.proven


def test_moves_of_a_user_are_told_by_name():
    core = TwoPlayerCore(2**24)
    assert SearchedTree.__doc__ and isinstance(core, SearchedTree)
    settings = TwoPlayerSettings(guided=False, exploration=0.7, rollouts_per_leaf=1, by_value=False)
    core.search(SearchRequest(mc.ConnectFour(), settings, clock(), iterations=10, seed=1))
    assert core.names is None
    core.search(SearchRequest(Claim(), settings, clock(), iterations=50, seed=1))
    assert set(Claim().legal_moves()) <= set(core.names)


# ---- the log: the logger "mcts_core", at DEBUG -----------------------------------------------------------------------


LOGGED = mc.ConnectFour(4, 4, 3)


@pytest.fixture
def records(caplog):
    """What was logged so far, when it is called."""
    caplog.set_level(logging.DEBUG, logger="mcts_core")
    return lambda: caplog.records


def test_a_search_is_reported(records):
    engine = mc.Searcher(seed=1, book=False)
    engine.search(mc.ConnectFour(), iterations=500)
    stats = engine.stats()
    record, = records()
    best = next(entry for entry in stats.moves if entry.move == stats.move)
    assert (record.name, record.levelname) == ("mcts_core", "DEBUG")
    assert (record.move, record.iterations, record.seconds) == (stats.move, stats.iterations, stats.seconds)
    assert (record.value, record.stop_reason) == (best.value, "iterations")
    assert record.getMessage() == (f"move {stats.move}, value {best.value:.3f}, 500 iterations in {stats.seconds:.6f} "
                                   f"s, stopped by iterations")


class Take:
    """Who takes the last of some stones wins."""

    def __init__(self, left=5, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return ["one", "two"][:self.left]

    def play(self, move):
        return Take(self.left - (1 if move == "one" else 2), -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move


@pytest.mark.needs("threads")
def test_every_way_to_search_is(records):
    mc.search(Take(), iterations=100)
    assert records()[-1].move in ("one", "two") and records()[-1].stop_reason == "solved"
    mc.search_many([LOGGED, LOGGED.play(0)], iterations=10)
    assert len(records()) == 3
    list(mc.Searcher().watch(LOGGED, iterations=10))
    mc.Searcher(threads=2).search(LOGGED, iterations=5000)
    assert len(records()) == 5
    engine = mc.Searcher()
    with engine.pondering(mc.Gomoku()):
        pass
    assert records()[-1].stop_reason == "cancelled" and len(records()) == 6


def test_searches_that_are_evaluated_together(records):
    numpy = pytest.importorskip("numpy")

    def evaluator(observations):
        return numpy.ones((len(observations), 4), numpy.float32), numpy.zeros(len(observations), numpy.float32)

    found = mc.search_many([LOGGED, LOGGED.play(0)], iterations=20, evaluator=evaluator)
    assert [record.move for record in records()] == [result.move for result in found]
    assert all(record.seconds > 0 for record in records())


def test_a_search_that_failed_or_was_interrupted_is_not(records):
    with pytest.raises(mc.GameOver):
        mc.search(mc.ConnectFour(4, 4, 2).play(0).play(2).play(1))
    with pytest.raises(ZeroDivisionError):
        mc.search(mc.Gomoku(), 5.0, progress=lambda stats: 1 / 0, every=0.001)
    assert records() == []


def test_who_reads_the_log_may_use_the_searcher(records):
    engine, seen = mc.Searcher(), []

    class Handler(logging.Handler):
        def emit(self, record):
            seen.append(engine.stats().move == record.move)

    handler = Handler()
    logging.getLogger("mcts_core").addHandler(handler)
    try:
        engine.search(LOGGED, iterations=10)
    finally:
        logging.getLogger("mcts_core").removeHandler(handler)
    assert seen == [True]


def test_above_debug_nothing_is_logged(caplog):
    for level, count in ((logging.INFO, 0), (logging.DEBUG, 2), (logging.INFO, 2), (logging.DEBUG, 4)):
        caplog.set_level(level, logger="mcts_core")
        for _ in range(2):
            mc.search(LOGGED, iterations=10)
        assert len(caplog.records) == count


@pytest.mark.needs("processes")
def test_logging_that_is_imported_later_counts(tmp_path):
    code = ("import mcts_core as mc, sys\n"
            "mc.search(mc.TicTacToe(), iterations=10)\n"
            "assert 'logging' not in sys.modules\n"
            "import logging\n"
            "logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format='%(name)s %(iterations)d')\n"
            "mc.search(mc.TicTacToe(), iterations=10)\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("mcts_core 10\n", "")


# ---- visits that draws pass on ----


@pytest.mark.parametrize("options", [
    {}, {"preset": "uct", "solver": True}, {"policy_value": drawish_value}, {"selection": "rave"},
    {"selection": "grave"}, {"selection": "ucb1-tuned"}, {"selection": "puct"}, {"final_move": "max"},
    {"temperature": 0.3, "policy_value": drawish_value},
], ids=lambda options: "-".join(options) or "default")
@pytest.mark.parametrize("iterations", [20, 1000])
def test_a_bad_move_is_not_played_for_the_visits_that_draws_pass_on(options, iterations):
    """It has as many visits as both draws together."""
    engine = mc.Searcher(seed=1, **options)
    assert engine.search(Draws(), iterations=iterations) in ("draw", "another draw")
    stats = engine.stats()
    assert stats.proven is None and stats.move == stats.pv[0]
    visits = {entry.move: entry.visits for entry in stats.moves}
    assert visits["bad"] > max(visits["draw"], visits["another draw"])
    assert mc.search_many([Draws()], iterations=iterations, seed=1, **options)[0].move in ("draw", "another draw")


@pytest.mark.parametrize("state", [Scores(), Alone()], ids=["three", "one"])
@pytest.mark.parametrize("options", [{}, {"temperature": 0.3}], ids=str)
def test_of_closed_moves_the_same_holds(state, options):
    engine = mc.Searcher(seed=1, **options)
    assert engine.search(state, iterations=1000) in ("draw", "another draw")
    assert {entry.move: entry.bounds for entry in engine.stats().moves}["draw"] == (0.6, 0.6)


class Boxes:
    """B has the lead while nobody knows that one of A's thirty boxes holds 0.9; then it is known, and all visits to A
    are passed on to B, which keeps its lead."""

    players, to_move = 1, 0

    def __init__(self, path=()):
        self.path = path

    def legal_moves(self):
        return ["A", "B"] if not self.path else list(range(30)) if self.path == ("A",) else ["l", "r"]

    def play(self, move):
        return Boxes((*self.path, move))

    def returns(self):
        if self.path[:1] == ("A",) and len(self.path) == 2:
            return [0.9 if self.path[1] == 17 else 0.0]
        return [0.3 + 0.1 * (self.path.count("l") % 2)] if len(self.path) > 30 else None


def test_a_lead_of_visits_that_were_passed_on_is_none():
    engine = mc.Searcher(seed=1)
    assert engine.search(Boxes(), iterations=10_000) == "A"
    found = {entry.move: entry for entry in engine.stats().moves}
    assert found["A"].bounds == (0.9, 0.9) and found["A"].visits < found["B"].visits


@pytest.mark.parametrize("options", [{"selection": "puct"}, {"policy_value": drawish_value}], ids=["guided", "general"])
def test_the_principal_variation_has_draws_rather_than_worse_moves(options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(Draws(lead=2), iterations=1000)
    pv = engine.stats().pv
    assert pv[:2] == ("on", "on") and pv[2] in ("draw", "another draw")


# ---- equal moves -----------------------------------------------------------------------------------------------------

KINDS = {
    "plain": (Wide, {"preset": "uct"}),
    "plain, three rollouts a leaf": (Wide, {"preset": "uct", "rollouts_per_leaf": 3}),
    "two players": (Wide, {}),
    "first-play urgency": (Wide, {"fpu": 0.6}),
    "late expansion": (Wide, {"expand_after": 4}),
    "grave": (Wide, {"selection": "grave"}),
    "by value": (Wide, {"final_move": "max"}),
    "one player": (lambda: WideGeneral(1), {}),
    "general": (WideGeneral, {}),
    "general, with urgency": (WideGeneral, {"fpu": 0.6}),
    "three players": (lambda: WideGeneral(3), {}),
    "chance": (lambda: WideGeneral(2, chance=True), {}),
    "rewards": (lambda: WideScored(1), {}),
    "rewards of two players and chance": (lambda: WideScored(2, chance=True), {}),
    "hidden information": (WideHidden, {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_of_equal_moves_none_is_preferred(kind):
    """60 searches of 100 iterations over 200 equal moves: no search can try more than half of them."""
    game, options = KINDS[kind]
    state = game()

    def play(seed):
        return mc.Searcher(seed=seed, **options).search(state, iterations=100)

    played = Counter(play(seed) for seed in range(60))
    assert sum(count for move, count in played.items() if move >= 100) >= 15
    assert sum(count for move, count in played.items() if move < 100) >= 15
    assert max(played.values()) <= 6
    assert [play(seed) for seed in range(3)] == [play(seed) for seed in range(3)]


@pytest.mark.parametrize("iterations", [1, 2, 3, 250])
@pytest.mark.parametrize("kind", ["plain", "two players", "general", "hidden information"])
def test_of_equal_moves_none_is_preferred_by_other_budgets(kind, iterations):
    game, options = KINDS[kind]
    state = game()
    played = [mc.Searcher(seed=seed, **options).search(state, iterations=iterations) for seed in range(60)]
    assert 15 <= sum(move >= 100 for move in played) <= 45
    assert max(Counter(played).values()) <= 6


@pytest.mark.parametrize("kind", KINDS)
def test_the_move_to_play_leads_the_moves_that_are_equal_to_it(kind):
    game, options = KINDS[kind]
    for seed in range(5):
        engine = mc.Searcher(seed=seed, **options)
        move, stats = engine.search(game(), iterations=100), engine.stats()
        if options.get("final_move") != "max" and stats.moves[0].proven is None:
            assert stats.moves[0].move == move == stats.move == stats.pv[0]
        assert sorted(entry.move for entry in stats.moves) == list(range(200))


def test_equal_wins_and_equal_losses_are_drawn():
    for winner in (1, -1):
        class Over(Wide):
            def winner(self):
                return winner if self.chosen else None  # noqa: B023

        played = Counter(mc.search(Over(), iterations=10, seed=seed) for seed in range(60))
        assert max(played.values()) <= 6


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "final_move": "max"},
                                     {"preset": "uct", "rollouts_per_leaf": 4}, {"valuation": "rollout"}], ids=str)
def test_of_equal_cells_of_a_board_the_first_ones_are_not_preferred(options):
    board = mc.MNK(5, 5, 4)
    played = []
    for seed in range(40):
        engine = mc.Searcher(seed=seed, **options)
        played.append(engine.search(board, iterations=24))
        assert engine.stats().moves[0].move == played[-1] or options.get("final_move")
    assert 8 < sum(played) / len(played) < 16 and len(set(played)) > 3
