"""src/mcts_core/engine/searched_tree.pyx: every search has every service, whatever its game and whatever values its
leaves."""

import copy
import pickle
import subprocess
import sys
import threading

import pytest
from general_games import flat
from general_oracle import Tangle, network, network_of_all
from table_games import native_race, start

import mcts_core as mc
from mcts_core.engine import storage
from mcts_core.testing.probe import TableState


class Knot(Tangle):
    """A game that is made up, whose positions are equal by value."""

    def play(self, move):
        assert move in self.moves
        return Knot(self.number, self.players, self.chance, self.length, (*self.path, move))

    def __eq__(self, other):
        return isinstance(other, Knot) and (self.number, self.path) == (other.number, other.path)

    def __hash__(self):
        return hash((self.number, self.path))

    def __repr__(self):
        return f"Knot{self.path}"


class Wide:
    """Thirty moves at each turn of two players, and six outcomes at every third one."""

    def __init__(self, players, path=()):
        self.players, self.path = players, path
        self.to_move = mc.CHANCE if len(path) % 3 == 2 else len(path) % players
        self.code = hash(path) % 1000

    def legal_moves(self):
        return list(range(30))

    def chance_outcomes(self):
        return [(number, 1 / 6) for number in range(6)]

    def play(self, move):
        return Wide(self.players, (*self.path, move))

    def returns(self):
        if len(self.path) < 15:
            return None
        return [(hash((player, self.path)) % 5) / 4 for player in range(self.players)]

    def __eq__(self, other):
        return self.path == other.path

    def __hash__(self):
        return hash(self.path)


def uniform(state):
    return None, (state.code % 21 - 10) / 10


def even(state):
    return None, 0.1


def knot(number=1, **options):
    options = {"length": 12, **options}
    while len(Knot(number, **options).moves) < 3:
        number += 1000
    return Knot(number, **options)


KINDS = {
    "one player": (lambda: knot(players=1, chance=0.0), {"solver": False}),
    "two players": (lambda: knot(players=2, chance=0.0), {"solver": False}),
    "three and chance": (lambda: knot(players=3, chance=0.3), {"solver": False}),
    "evaluator": (lambda: knot(players=2, chance=0.3), {"evaluator": network, "batch": 4}),
    "evaluator of three": (lambda: knot(players=3, chance=0.3), {"evaluator": network_of_all, "batch": 4}),
    "policy_value": (lambda: knot(players=2, chance=0.0), {"policy_value": uniform}),
    "native, evaluator": (lambda: mc.ConnectFour(), {"evaluator": flat}),
    "native, policy_value": (lambda: mc.TicTacToe(), {"policy_value": even, "solver": False}),
    "native, policy_value, proofs": (lambda: mc.ConnectFour(), {"policy_value": even}),
    "native, network": (lambda: mc.Gomoku(9), {"selection": "puct", "valuation": "network", "least_prior": 0.1}),
    "native, three and chance": (lambda: native_race()(start()), {}),
}
ALL = pytest.mark.parametrize("name", KINDS)
LEADING = pytest.mark.parametrize("name", [name for name in KINDS if name != "native, three and chance"])


def figures(stats):
    data = stats.to_dict()
    for name in ("seconds", "iterations_per_second", "overshoot"):
        del data[name]
    return data


def searched(name, iterations=1500, **options):
    make, own = KINDS[name]
    engine, state = mc.Searcher(**{"seed": 3, **own, **options}), make()
    engine.search(state, iterations=iterations)
    return engine, state


def follow(engine, state, plies=1):
    """(position, node) after so many moves of the last search's tree, each the most visited one, or further, where a
    player is to move and the node has children."""
    node = engine.tree(100, 0.0)
    while plies > 0 or state.to_move == mc.CHANCE:
        node = next(child for child in node.children if child.children)
        state = state.play(node.move)
        plies -= 1
    return state, node


# ---- the tree in the next search -------------------------------------------------------------------------------------

@LEADING
@pytest.mark.parametrize("plies", [1, 2])
def test_the_next_search_goes_on(name, plies):
    engine, state = searched(name)
    state, node = follow(engine, state, plies)
    engine.search(state, iterations=400)
    stats = engine.stats()
    assert stats.reused_visits == node.visits > 3
    assert stats.visits == stats.reused_visits + 400 and stats.iterations == 400
    assert sorted(map(str, (entry.move for entry in stats.moves))) == sorted(map(str, state.legal_moves()))
    assert storage.check(engine._core)["nodes"] > 0
    if stats.values is not None:
        assert stats.value == stats.values[state.to_move]


def test_positions_of_a_native_table_are_recognised():
    make = native_race()
    root = make(start())
    engine = mc.Searcher(seed=3)
    engine.search(root, iterations=1500)
    engine.search(TableState(bytes(start(1, turn=1)), like=root), iterations=200)
    assert engine.stats().reused_visits > 50
    engine.search(make(start(1, turn=1)), iterations=200)  # of another table, which may have other rules
    assert engine.stats().reused_visits == 0


def test_told_moves_lead_far():
    """By its attribute ``moves`` a position is found at any depth, also behind few visits."""
    engine = mc.Searcher(seed=1, policy_value=even)
    engine.search(mc.ConnectFour(), iterations=3000)
    state, node = follow(engine, mc.ConnectFour(), 4)
    engine.search(state, iterations=10)
    assert engine.stats().reused_visits == node.visits > 0


@ALL
def test_the_same_position_again(name):
    make, own = KINDS[name]
    engine, state = mc.Searcher(**own), make()
    engine.search(state, iterations=300)
    engine.search(state, iterations=300)
    assert engine.stats().reused_visits == 300 and engine.stats().visits == 600
    engine, state = searched(name, 300)  # with a seed, the seed of a search says what it finds
    first = engine.stats()
    engine.search(state, iterations=300)
    second = engine.stats()
    assert second.reused_visits == 0 and second.seed != first.seed
    alone = mc.Searcher(**{**own, "seed": second.seed})
    alone.search(state, iterations=300)
    assert figures(alone.stats()) == figures(second)


def test_what_is_not_reused():
    state = knot(players=2, chance=0.0)
    below = state.play(state.legal_moves()[0])
    while below.returns() is not None or below.to_move == mc.CHANCE or below.moves == state.moves:
        state = knot(state.number + 1, players=2, chance=0.0)
        below = state.play(state.legal_moves()[0])

    def second(first, then, **options):
        engine = mc.Searcher(**options)
        engine.search(first, iterations=500)
        engine.search(then, iterations=50)
        return engine.stats().reused_visits

    assert second(state, below) > 0
    assert second(state, below, reuse=False) == 0
    assert second(below, state) == 0
    other = knot(state.number + 1000, players=2, chance=0.0)
    assert second(state, other) == 0
    assert second(Tangle(*state_arguments(state)), Tangle(*state_arguments(below))) == 0  # equal to nothing else
    # another kind of search in between
    engine = mc.Searcher()
    engine.search(state, iterations=500)
    engine.search(mc.TicTacToe(), iterations=50)
    engine.search(below, iterations=50)
    assert engine.stats().reused_visits == 0


def state_arguments(state):
    return state.number, state.players, state.chance, state.length, state.path


def test_a_state_that_was_changed_is_no_root_any_more():
    class Counter:
        """Counts to 30 by steps of 1 to 3, in place when it is told."""

        players = 2

        def __init__(self, count=0):
            self.count = count

        @property
        def to_move(self):
            return self.count % 2

        def legal_moves(self):
            return [1, 2, 3]

        def play(self, step):
            return Counter(self.count + step)

        def returns(self):
            return [1.0, 0.0] if self.count >= 30 else None

        def __eq__(self, other):
            return self.count == other.count

        def __hash__(self):
            return hash(self.count)

    engine, state = mc.Searcher(), Counter()
    engine.search(state, iterations=500)
    state.count = 2
    engine.search(state, iterations=20)
    assert engine.stats().reused_visits == 0 and engine.stats().visits == 20
    engine.search(Counter(2), iterations=20)
    assert engine.stats().reused_visits == 20


def test_a_game_that_cannot_compare_is_searched_anew():
    class Rude(Knot):
        def play(self, move):
            return Rude(self.number, self.players, self.chance, self.length, (*self.path, move))

        def __eq__(self, other):
            raise OSError("no comparing")

        __hash__ = Knot.__hash__

    root = knot(players=2, chance=0.0)
    state = Rude(*state_arguments(root))
    engine = mc.Searcher(solver=False)
    for position in (state, state.play(state.moves[0])):
        engine.search(position, iterations=50)
        assert engine.stats().reused_visits == 0 and engine.stats().visits == 50


def test_the_noise_of_the_new_root():
    state = mc.ConnectFour()
    quiet = mc.Searcher(evaluator=flat, seed=7)
    noisy = mc.Searcher(evaluator=flat, seed=7, noise_alpha=0.3, noise_weight=0.9)
    visits = []
    for engine in (quiet, noisy):
        engine.search(state, iterations=800)
        below, node = follow(engine, state)
        engine.search(below, iterations=800)
        assert engine.stats().reused_visits == node.visits
        visits.append(sorted(entry.visits for entry in engine.stats().moves))
    assert visits[1][-1] - visits[1][0] > 2 * (visits[0][-1] - visits[0][0])


# ---- full memory -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("make", "options"), [
    (lambda: Wide(3), {}), (lambda: Wide(2), {"policy_value": uniform, "batch": 8}),
    (lambda: mc.ConnectFour(), {"evaluator": flat}), (lambda: mc.MNK(9, 9, 5), {"policy_value": even}),
], ids=["rollouts", "policy_value", "evaluator", "native, policy_value"])
def test_a_full_tree_is_pruned(make, options):
    state, few = make(), 9_000
    engine = mc.Searcher(memory_mb=1, seed=5, **options)
    engine.search(state, iterations=few)
    stats = engine.stats()
    assert stats.stop_reason == "iterations" and stats.visits == stats.iterations == few
    assert stats.prunes > 0 and stats.bytes <= 2**20
    assert storage.check(engine._core)["units"] > 0
    assert sum(entry.visits for entry in stats.moves) == few
    again = mc.Searcher(memory_mb=1, seed=5, **options)
    again.search(state, iterations=few)
    assert figures(again.stats()) == figures(stats)
    ended = mc.Searcher(memory_mb=1, seed=5, prune=False, **options)
    ended.search(state, iterations=few)
    assert ended.stats().stop_reason == "memory" and ended.stats().prunes == 0


# ---- copies ----------------------------------------------------------------------------------------------------------

@LEADING
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda engine: pickle.loads(pickle.dumps(engine))])
def test_a_copy_goes_on_as_the_original(name, duplicate):
    engine, state = searched(name, 700)
    other = duplicate(engine)
    assert figures(other.stats()) == figures(engine.stats())
    assert other.tree(4, 0.0) == engine.tree(4, 0.0)
    assert storage.check(other._core, True)["free_units"] == 0
    below, node = follow(engine, state)
    for each in (engine, other):
        each.search(below, iterations=300)
        assert each.stats().reused_visits == node.visits
    assert figures(other.stats()) == figures(engine.stats())


@pytest.mark.parametrize("make", [mc.TicTacToe, mc.ConnectFour, lambda: mc.Gomoku(9)])
def test_a_copy_of_a_board_whose_moves_have_numbers(make):
    """``policy_value`` takes states as they are, so their moves are numbered as those of a game written in Python are;
    after a move the numbers are more than the moves that are left."""
    engine, state = mc.Searcher(policy_value=even, seed=1, solver=False), make()
    for _ in range(4):
        state = state.play(engine.search(state, iterations=300))
        other = pickle.loads(pickle.dumps(engine))
        assert figures(other.stats()) == figures(engine.stats())
    assert engine.stats().reused_visits > 0
    for each in (engine, other):
        each.search(state, iterations=100)
    assert figures(other.stats()) == figures(engine.stats())


class Heap:
    """The last of a few stones; moves are tuples."""

    def __init__(self, stones=1, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [("take", count) for count in range(1, min(self.stones, 2) + 1)]

    def play(self, move):
        return Heap(self.stones - move[1], -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


@pytest.mark.parametrize("stones", [1, 2, 5])
@pytest.mark.parametrize("iterations", [1, 2, 50])
def test_a_copy_of_the_smallest_search(stones, iterations):
    engine = mc.Searcher(solver=False, seed=6)
    engine.search(Heap(stones), iterations=iterations)
    other = pickle.loads(pickle.dumps(engine))
    assert figures(other.stats()) == figures(engine.stats())


def test_names_of_moves_are_not_kept_for_ever():
    class Named(Knot):
        """Each position names its moves anew."""

        def legal_moves(self):
            return [f"{self.path} {move}" for move in range(20)]

        def play(self, move):
            return Named(self.number, 1, 0.0, 30, (*self.path, move)[-2:])

        def returns(self):
            return [self.code / 1000] if self.path and self.code % 5 == 0 else None

    engine = mc.Searcher(memory_mb=1, policy_value=lambda state: (None, 0.0))
    state = Named(3, 1, 0.0, 30)
    most = 0
    for _ in range(4):
        engine.search(state, iterations=3000)
        most = max(most, len(engine._core.names))
    assert most < 2 * 20 * 3000 and engine.stats().visits == engine.stats().reused_visits + 3000


def test_a_drawn_move_is_kept():
    engine = mc.Searcher(evaluator=flat, temperature=1.0)
    moves = set()
    for _ in range(30):
        engine.search(mc.ConnectFour(), iterations=60)
        moves.add(engine.stats().move)
        assert pickle.loads(pickle.dumps(engine)).stats().move == engine.stats().move
    assert len(moves) > 2


def test_files_hold_no_functions(tmp_path):
    engine = mc.Searcher(temperature=0.5, seed=4)
    engine.save(tmp_path / "empty.mcts")
    assert repr(mc.Searcher.load(tmp_path / "empty.mcts")) == repr(engine)
    for name in ("evaluator", "policy_value"):
        engine = mc.Searcher(**{name: flat})
        with pytest.raises(mc.InvalidState, match=f"save\\(\\) writes no functions, such as {name}"):
            engine.save(tmp_path / "x.mcts")
    engine, _ = searched("three and chance", 50)
    with pytest.raises(mc.InvalidState, match="save\\(\\) writes positions of"):
        engine.save(tmp_path / "x.mcts")
    assert not (tmp_path / "x.mcts").exists()


# ---- the top of the tree ---------------------------------------------------------------------------------------------

@ALL
def test_the_tree_can_be_read(name):
    engine, state = searched(name, 600)
    stats = engine.stats()
    root = stats.tree(3, 0.0)
    assert root.visits == 600 and root.value == stats.value
    assert {child.move: child.visits for child in root.children} == {
        entry.move: entry.visits for entry in stats.moves if entry.visits}
    signed = not hasattr(state, "players") and "three" not in name
    for child in root.children:
        assert child.player == (state.to_move if signed or "native" not in name else 0)
        assert child.visits >= sum(below.visits for below in child.children)
        for below in child.children:
            assert below.player in ((1, -1) if signed else (0, 1, 2, "chance"))
            assert below.value is None or 0 <= below.value <= 1
    assert "digraph" in stats.to_dot()


# ---- threads ---------------------------------------------------------------------------------------------------------

def test_threads_of_a_native_general_game():
    state = native_race()(start())
    found = []
    for _ in range(2):
        engine = mc.Searcher(threads=2, seed=7, exchange_every=100)
        engine.search(state, iterations=2000)
        stats = engine.stats()
        assert stats.threads == 2 and stats.iterations == 2000 == sum(entry.visits for entry in stats.moves)
        assert storage.check(engine._core)["nodes"] > 100
        found.append(figures(stats))
    assert found[0] == found[1]
    alone = mc.Searcher(seed=7)
    alone.search(state, iterations=2000)
    assert [abs(one - other) < 0.1 for one, other in
            zip(found[0]["values"], alone.stats().values, strict=True)] == [True] * 3
    engine.search(TableState(bytes(start(1, turn=1)), like=state), iterations=2000)
    stats = engine.stats()
    assert stats.reused_visits > 200 and stats.threads == 2
    assert storage.check(engine._core)["nodes"] > 100
    engine.search(TableState(bytes(start(5, 5, 5)), like=state), iterations=10)  # too few for threads
    assert engine.stats().threads == 1


def test_what_threads_are_not_for():
    with pytest.raises(mc.InvalidOption, match="threads must be 1 for a game written in Python"):
        mc.Searcher(threads=2).search(knot(players=3), iterations=10)
    with pytest.raises(mc.InvalidOption, match="threads must be 1 with policy_value"):
        mc.Searcher(threads=2, policy_value=lambda state: (None, 0.0))


def test_a_thread_that_fails(monkeypatch):
    """What a native game reports in another thread ends the search."""
    count = [0]
    lock = threading.Lock()

    def returns(context, state, values):
        with lock:
            count[0] += 1
            return -1 if count[0] > 300 and threading.current_thread() is not threading.main_thread() else 0

    state = native_race(broken={"returns": returns})(start())
    engine = mc.Searcher(threads=2, seed=7)
    with pytest.raises(mc.GameError, match="returned an error or an invalid result; check_game"):
        engine.search(state, iterations=20_000)
    engine.search(mc.ConnectFour(), iterations=100)


# ---- other processes -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["two players", "three and chance", "evaluator", "policy_value"])
def test_workers(name):
    make, own = KINDS[name]
    state = make()
    result = mc.search_parallel(state, iterations=2000, executor="threads", workers=2, rounds=4, seed=5, **own)
    stats = result.stats
    assert stats.iterations == 2 * 2000 + result.own_iterations == stats.visits
    assert sum(entry.visits for entry in stats.moves) == stats.visits
    assert not result.errors and result.move in state.legal_moves() and stats.pv[0] == result.move
    assert stats.stop_reason == "iterations"


LARGE = """
import gc, sys
import mcts_core as mc

class Large:
    '''A game of 30 plies whose moves are large, and different in each position.'''

    def __init__(self, played=()):
        self.played = played
        self.to_move = len(played) % 2 if general else 1 - 2 * (len(played) % 2)

    def legal_moves(self):
        return [(*range(200), *self.played, number) for number in range(4)]

    def play(self, move):
        return Large((*self.played, move[-1]))

    def winner(self):
        return None if len(self.played) < 30 else 1 - 2 * (sum(self.played) % 2)

    def result(self):
        winner = self.winner()
        return None if winner is None else [(1 + winner) / 2, (1 - winner) / 2]

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

general = sys.argv[1] == "general"
if general:
    Large.players, Large.returns = 2, Large.result
mc.search(Large(), iterations=50)
gc.collect()
before = status("VmRSS")
engine = mc.Searcher(memory_mb=16, seed=1)
engine.search(Large(), iterations=12_000)
print(status("VmHWM") - before, engine.stats().stop_reason, engine.stats().iterations)
"""


@pytest.mark.long
@pytest.mark.needs("/proc")
@pytest.mark.parametrize("kind", ["ordinary", "general"])
def test_the_moves_of_a_game_in_python_count_as_memory(kind):
    """Each has 2 kB, which is 90 MiB for all that 12,000 iterations meet. They cannot be pruned: the search ends."""
    said = subprocess.run([sys.executable, "-c", LARGE, kind], capture_output=True, text=True, check=True)
    grown, reason, iterations = said.stdout.split()
    assert float(grown) < 16 + 16 and reason == "memory" and 500 < int(iterations) < 12_000
