"""mcts_core/storage.py, src/mcts_core/engine/storage.pyx: files and pickles that go on as if nothing had happened.
Files that cannot be loaded are in test_storage_errors.py."""

import base64
import copy
import doctest
import hashlib
import inspect
import io
import os
import pathlib
import pickle
import re
import stat
import sys
import threading

import pytest
from network_oracle import level, made_up
from saved_files import GAMES, OPTIONS, THREADS, load, put_together, run, saved, searched, take_apart
from signature import Subtract

import mcts_core as mc
from mcts_core import defaults, files, storage
from mcts_core.engine.request import ANY, SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.testing.probe import check_tree

TESTS = pathlib.Path(__file__).parent
PAGE = TESTS.parent / "docs" / "save_and_load.md"


class Nim(Subtract):
    """A Python-written game with moves that are objects, and whose trees can be used again."""

    def legal_moves(self):
        return [("take", count) for count in super().legal_moves()]

    def play(self, move):
        return Nim(self.stones - move[1], -self.to_move)

    def __eq__(self, other):
        return type(other) is Nim and (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self):
        return hash((self.stones, self.to_move))


class Named(mc.Searcher):
    """A subclass with attributes of its own."""

    __slots__ = ("__dict__", "rank")

    def __init__(self, name="nobody", **options):
        super().__init__(**options)
        self.name = name


class Mine(mc.MNK):
    """A subclass of a game of the package."""


sys.modules.setdefault("saved_games", sys.modules[__name__])
# where pickle finds them, however this file was imported
Nim.__module__ = Named.__module__ = Mine.__module__ = "saved_games"


def found(engine):
    """All figures but times."""
    figures = engine.stats().to_dict()
    for name in ("seconds", "iterations_per_second", "overshoot"):
        del figures[name]
    return figures


def through_file(engine, folder):
    engine.save(folder / "engine.mcts")
    return mc.Searcher.load(folder / "engine.mcts")


def through_pickle(engine, folder):
    return pickle.loads(pickle.dumps(engine))


WAYS = [through_file, through_pickle]


# ---- what is saved ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [*OPTIONS, {"symmetry": True}, {"final_move": "max"}], ids=repr)
@pytest.mark.parametrize(("state", "way"), [*((state, through_file) for state in GAMES), (GAMES[0], through_pickle)],
                         ids=lambda value: getattr(value, "__name__", repr(value)[:40]))
def test_everything_goes_on(state, options, way, tmp_path):
    """The same statistics, and the same searches after it: below the root, two plies below, of another game."""
    engine = searched(state, **options)
    before = engine.stats()
    again = way(engine, tmp_path)
    assert again.stats() == before and engine.stats() == before
    assert repr(again) == repr(engine)
    assert check_tree(again, whole=True) == check_tree(engine, whole=True)
    assert saved(again) == saved(engine)
    reused = 0
    for plies in (1, 2):
        line = engine.stats().pv[:plies]
        for move in line if len(line) == plies else ():
            state = state.play(move)
            if state.winner() is not None:
                return
        assert again.search(state, iterations=400) == engine.search(state, iterations=400)
        assert found(again) == found(engine)
        reused += engine.stats().reused_visits
        again = way(engine, tmp_path)
    assert reused > 0 or before.proven or options.get("symmetry") or "preset" in options and state.legal_moves()[20:]
    for one in (engine, again):
        one.search(mc.TicTacToe(), iterations=100)
    assert found(again) == found(engine)


@pytest.mark.parametrize("options", THREADS, ids=repr)
def test_threads_go_on(options, tmp_path):
    """Every thread's tree, and what it has told the others: nothing is told twice, nothing is forgotten."""
    for state in GAMES:
        engine = searched(state, 3000, **options)
        for way in WAYS:
            again = way(engine, tmp_path)
            assert again.stats() == engine.stats() and again.stats().threads in (1, 2)
            assert saved(again) == saved(engine) and check_tree(again, whole=True) == check_tree(engine, whole=True)
        for turn in range(3):
            state = state.play(engine.stats().move)
            if state.winner() is not None:
                break
            for one in (engine, again):
                one.search(state, iterations=2000 if turn != 1 else 100)  # 100 are too few for threads
            assert found(again) == found(engine)
            again = through_file(engine, tmp_path)


def test_short_searches_leave_nothing_with_the_threads_they_did_without(tmp_path):
    """A search in one thread is saved; the tables of exact search of the other one, from before, would go on."""
    engine, state = mc.Searcher(seed=706, threads=2, memory_mb=2, rollout="decisive"), mc.ConnectFour(4, 5)
    for move, iterations in ((1, 3000), (1, 1), (3, 100)):
        engine.search(state, iterations=iterations)
        state = state.play(move)
    assert engine.stats().threads == 1
    again = through_file(engine, tmp_path)
    for one in (engine, again):
        one.search(state, iterations=3000)
    assert engine.stats().threads == 2 and found(again) == found(engine)


def test_a_thread_that_has_searched_nothing():
    """Its tree has no nodes when the search ended at once after a move that it had not tried."""
    header, *rest = take_apart(saved(searched(mc.TicTacToe(), 50)))
    header["search"]["trees"][0]["nodes"] = 0
    assert load(put_together(header, *rest)).stats().nodes == 0


def test_what_other_processes_know_goes_on():
    """A search that told others of itself and heard of them tells, after it was loaded, what is new and no more."""
    state = mc.ConnectFour()
    first, second = (searched(state, 2000, seed=seed, solver=False, reuse=True) for seed in (1, 2))
    second._core.hear(first._core.tell())
    first._core.hear(second._core.tell())
    again = load(saved(first))
    assert again.stats() == first.stats() and again.stats().visits == 4000
    assert saved(again) == saved(first)
    state = state.play(first.stats().move)
    for one in (first, again):
        one.search(state, iterations=500)
    told = again._core.tell()
    assert told == first._core.tell()
    kept = mc.Searcher(seed=3, memory_mb=16, solver=False)
    kept.search(state, iterations=10)
    kept._core.hear(told)
    assert kept.stats().visits == 510


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"selection": "grave"}], ids=repr)
def test_the_same_position_goes_on(options):
    """Which it does where no seed is given; so the searches are begun with one by hand."""
    for state in GAMES:
        engine = searched(state, iterations=400, **options)
        again = load(saved(engine))
        for one in (engine, again):
            settings = one._requests.settings[one._requests.kind_of(state)]
            one._core.search(SearchRequest(state, settings, iterations=700, seed=99, reuse=ANY))
        assert found(again) == found(engine)
        assert engine.stats().reused_visits > 0 or engine.stats().proven


def test_exact_search_goes_on_alike():
    """It keeps tables between searches, which are not saved; so the saved one forgets its own."""
    state = mc.ConnectFour(5, 8, 4)
    engine = searched(state, iterations=3000, seed=3)
    for _ in range(4):
        again = load(saved(engine))
        state = state.play(engine.stats().move)
        for one in (engine, again):
            one.search(state, iterations=3000)
        assert found(again) == found(engine)


def test_the_check_of_moves_goes_on_alike():
    """What was spent on the moves of the root is not saved either: the saved one begins anew with its empty tables.
    When it did not, the two searches differed."""
    state = mc.Gomoku.from_moves([83, 67, 81, 82, 115, 68, 97, 69], size=15)
    engine = mc.Searcher(memory_mb=8)
    engine._core.search(engine._request(state, None, 1500, seed=5))
    again = load(saved(engine))
    for one in (engine, again):
        one._core.search(one._request(state, None, 2500, seed=6))
    assert engine.stats().reused_visits == 1500 and engine.stats().proven is None
    assert found(again) == found(engine)


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"root_proofs": 0, "node_proofs": 0, "leaf_proofs": 0}],
                         ids=["uct", "guided"])
def test_saving_changes_nothing(options):
    """But for exact search, an engine that was saved goes on as one that was not."""
    state = mc.ConnectFour()
    one, other = searched(state, **options), searched(state, **options)
    for _ in range(6):
        saved(one)
        saved(one)
        state = state.play(one.stats().move)
        for engine in (one, other):
            engine.search(state, iterations=800)
        assert found(one)["moves"] == found(other)["moves"] and found(one)["nodes"] == found(other)["nodes"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False, "expand_after": 1}], ids=repr)
def test_a_pruned_tree(options, way, tmp_path):
    engine = searched(mc.ConnectFour(), 250_000 if "preset" in options else 25_000, memory_mb=1, **options)
    assert engine.stats().prunes > 0
    again = way(engine, tmp_path)
    assert again.stats() == engine.stats()
    move = engine.stats().move
    for one in (engine, again):  # and both are pruned again
        one.search(mc.ConnectFour().play(move), iterations=250_000 if "preset" in options else 25_000)
    assert engine.stats().prunes > 0 and engine.stats().reused_visits > 0
    assert found(again) == found(engine)


def test_a_tree_of_which_the_top_was_kept():
    """A search with little time goes on with no more of a large tree."""
    state = mc.ConnectFour()
    engine = mc.Searcher(preset="uct", memory_mb=256)
    engine.search(state, iterations=3_000_000)
    large = engine.stats().bytes
    engine.search(state.play(0), 1e-4)
    before = engine.stats()
    assert before.reused_visits > 0 and before.prunes == 1 and before.bytes < large // 2
    data = saved(engine)
    assert load(data).stats() == before == engine.stats()


@pytest.mark.parametrize("state", [
    mc.ConnectFour(), mc.ConnectFour.from_moves("334"), mc.ConnectFour(7, 5, 5),
    mc.ConnectFour.from_string("\n".join([". . . . . . ."] * 5 + [". X O . . . ."])).play(6).play(0),
    mc.MNK(4, 5, 4, "exact"), mc.Gomoku.from_moves([0, 1, 30], size=6, rule="exact"), mc.TicTacToe.from_moves("40"),
    mc.TicTacToe.from_string("X..\n.O.\n..X").play(1),
], ids=repr)
def test_positions(state, tmp_path):
    again = through_file(searched(state, 50), tmp_path)
    root = again._core  # the position itself shows in what comes next
    assert isinstance(root, TwoPlayerCore)
    header, _ = take_apart((tmp_path / "engine.mcts").read_bytes())
    copied = storage._decode(header["game"])
    assert copied == state and type(copied) is type(state) and copied.moves == state.moves
    assert (repr(copied), str(copied)) == (repr(state), str(state))


def test_options_are_saved(tmp_path):
    given = {"preset": "uct", "exploration": 0.3, "seed": 2**64 - 1, "stop_early": True, "reuse": False,
             "prune": False, "memory_mb": 2.5, "final_move": "max", "rollouts_per_leaf": 2, "fpu": None}
    for way in WAYS:
        engine = mc.Searcher(**given)
        again = way(engine, tmp_path)
        assert repr(again) == repr(engine) and again.options(mc.ConnectFour()) == engine.options(mc.ConnectFour())
        with pytest.raises(mc.NoSearch):
            again.stats()
        assert again.search(mc.ConnectFour(), iterations=50) == engine.search(mc.ConnectFour(), iterations=50)
        assert found(again) == found(engine)


def test_every_option_is_saved():
    """A new option of the constructor belongs into this list."""
    others = {
        "preset": "strong", "selection": "rave", "exploration": 0.25, "fpu": 0.75, "solver": False,
        "rollout": "decisive", "rollouts_per_leaf": 2, "expand_after": 3, "expand_distance": 1, "prior_weight": 1.5,
        "rave_schedule": "mse", "rave_k": 9.0, "rave_bias": 0.5, "grave_ref": 7, "symmetry": True, "leaf_proofs": 1,
        "node_proofs": 2, "root_proofs": 3, "final_move": "max", "memory_mb": 9.0, "seed": 4, "stop_early": False,
        "reuse": False, "prune": False, "book": False, "threads": 2, "exchange_every": 99, "rollout_moves": 6,
    }
    of_puzzles = {"nested_rollouts": 7}
    of_general_trees = {"evaluator", "policy_value", "batch", "temperature", "root_policy", "gumbel_moves",
                        "gumbel_scale"}
    of_puct = {"c_puct": 0.5, "noise_alpha": 0.25, "noise_weight": 0.125, "network": level(), "least_prior": 0.5,
               "valuation": 0.75}
    of_who_looks = {"progress", "every"}
    known = {*others, *of_general_trees, *of_puct, *of_puzzles, *of_who_looks}
    assert known == set(inspect.signature(mc.Searcher).parameters)
    header, _ = take_apart(saved(mc.Searcher(**others)))
    assert header["options"] == others
    header, _ = take_apart(saved(mc.Searcher(**of_puzzles)))
    assert header["options"]["nested_rollouts"] == 7
    header, _ = take_apart(saved(mc.Searcher(**of_puct)))
    of_puct["network"] = base64.b64encode(level()).decode()
    assert {name: header["options"][name] for name in of_puct} == of_puct


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("network", [None, made_up(1)], ids=["shipped", "given"])
def test_searches_by_a_network_go_on(network, way, tmp_path):
    state = mc.Gomoku.from_moves("40 41", size=9)
    engine = searched(state, 150, network=network, valuation="network", selection="puct")
    again = way(engine, tmp_path)
    assert again.stats() == engine.stats() and repr(again) == repr(engine) and saved(again) == saved(engine)
    assert again.options(state) == engine.options(state) and check_tree(again, whole=True)
    copied, state = copy.copy(engine), state.play(engine.stats().move)
    for one in (engine, again, copied):
        one.search(state, iterations=60)
        assert one.stats().reused_visits > 0 and found(one) == found(engine)


def test_memory_is_that_of_the_machine_where_it_was(monkeypatch, tmp_path):
    engine = mc.Searcher()
    engine.search(mc.TicTacToe(), iterations=100)
    engine.save(tmp_path / "default")
    mc.Searcher(memory_mb=3).save(tmp_path / "given")
    monkeypatch.setattr("mcts_core.options.default_memory", lambda: 5 * 2**20)
    assert "memory_mb=5.0" in repr(mc.Searcher.load(tmp_path / "default"))
    assert "memory_mb=3.0" in repr(mc.Searcher.load(tmp_path / "given"))
    assert "memory_mb=2.0" in repr(mc.Searcher.load(tmp_path / "given", memory_mb=2))


def test_a_tree_that_is_too_large(tmp_path):
    engine = searched(mc.ConnectFour(), 400_000, preset="uct")
    engine.save(tmp_path / "large")
    with pytest.raises(mc.InvalidOption, match=r"memory_mb must be larger for a tree that takes [\d.]+ MB, got 1 "):
        mc.Searcher.load(tmp_path / "large", memory_mb=1)
    assert mc.Searcher.load(tmp_path / "large", memory_mb=8).stats() == engine.stats()


@pytest.mark.parametrize("value", [0, -1, "much", True, float("nan"), 1e9])
def test_bad_limits(value, tmp_path):
    mc.Searcher().save(tmp_path / "engine")
    with pytest.raises(mc.InvalidOption, match="memory_mb"):
        mc.Searcher.load(tmp_path / "engine", memory_mb=value)


def test_other_defaults_begin_anew(monkeypatch):
    """A version with other defaults shows the statistics, but does not mix searches of different kinds."""
    engine = searched(mc.ConnectFour())
    data, move = saved(engine), engine.stats().move
    monkeypatch.setattr(defaults, "CONNECT_FOUR", {**defaults.CONNECT_FOUR, "expand_after": 9})
    again = load(data)
    assert again.stats() == engine.stats()
    again.search(mc.ConnectFour().play(move), iterations=100)
    assert again.stats().reused_visits == 0
    fresh = mc.Searcher(seed=again.stats().seed, memory_mb=16)
    fresh.search(mc.ConnectFour().play(move), iterations=100)
    assert found(again) == found(fresh)


@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.Gomoku(9)], ids=repr)
def test_a_loaded_search_that_the_options_would_not_give_is_saved_as_it_was(state):
    """As from a version with other defaults."""
    header, trees = take_apart(saved(searched(state, 40, preset="uct")))
    header["options"]["preset"] = None
    again = load(put_together(header, trees))
    header, trees = take_apart(saved(again))
    twice = load(put_together(header, trees))
    assert twice.stats() == again.stats() and header["resolved"]["solver"] is False
    assert again.search(state, iterations=60) == twice.search(state, iterations=60)
    assert found(again) == found(twice)
    assert take_apart(saved(again))[0]["resolved"]["solver"] is True


def test_older_files_know_fewer_options():
    """They did without, as the preset "uct" does."""
    engine = searched(mc.ConnectFour(), book=False)
    header, trees = take_apart(saved(engine))
    assert header["resolved"].pop("symmetry") is False
    again = load(put_together(header, trees))
    state = mc.ConnectFour().play(engine.stats().move)
    assert again.search(state, iterations=100) == engine.search(state, iterations=100)
    assert again.stats().reused_visits > 0 and found(again) == found(engine)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_search(threads):
    class Enough(Exception):
        pass

    def stop(stats):
        raise Enough

    engine = mc.Searcher(seed=1, memory_mb=64, threads=threads)
    with pytest.raises(Enough):
        engine.search(mc.Gomoku(15), 30, progress=stop, every=0.01)
    assert engine.stats().stop_reason == "cancelled" and engine.stats().threads == threads
    again = load(saved(engine))
    assert again.stats() == engine.stats()
    state = mc.Gomoku(15).play(engine.stats().move)
    assert again.search(state, iterations=1100) == engine.search(state, iterations=1100)
    assert found(again) == found(engine)


def test_without_statistics(tmp_path):
    """Before the first search, after one that failed, after the memory was given back."""
    class Broken(Nim):
        def play(self, move):
            raise ZeroDivisionError

    failed, released = searched(mc.TicTacToe()), searched(mc.TicTacToe())
    with pytest.raises(mc.GameError):
        failed.search(Broken(), iterations=100)
    released._core.release()
    for engine in (mc.Searcher(), failed, released):
        for way in WAYS:
            again = way(engine, tmp_path)
            with pytest.raises(mc.NoSearch):
                again.stats()
            assert again.search(mc.TicTacToe(), iterations=200) in range(9)


def test_an_engine_that_searches(tmp_path):
    engine, raised = searched(mc.ConnectFour(), memory_mb=64, seed=None), []
    with engine.pondering(mc.Gomoku(15)):
        for call in (lambda: engine.save(tmp_path / "busy"), lambda: pickle.dumps(engine), lambda: copy.copy(engine)):
            with pytest.raises(mc.SearchBusy):
                call()

    def progress(stats):
        with pytest.raises(mc.SearchBusy):
            engine.save(tmp_path / "busy")
        raised.append(1)

    engine.search(mc.Gomoku(15), 0.05, progress=progress, every=0.01)
    assert raised and not list(tmp_path.iterdir())
    engine.ponder(mc.TicTacToe())  # solved soon
    while engine._background.running:
        pass
    again = through_file(engine, tmp_path)
    assert again.stats() == engine.stats() and again.stop() == engine.stop()


# ---- pickles ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [{}, {"preset": "uct"}, {"selection": "rave"}, {"selection": "grave"}], ids=repr)
def test_games_written_in_python(options, tmp_path):
    state = Nim(25)
    engine = searched(state, 300, **options)
    with pytest.raises(mc.InvalidState, match=r"got Nim; pickle\.dumps\(engine\)"):
        engine.save(tmp_path / "nim")
    assert not list(tmp_path.iterdir())
    reused = 0
    for _ in range(3):
        again = through_pickle(engine, tmp_path)
        assert again.stats() == engine.stats()
        assert check_tree(again, whole=True) == check_tree(engine, whole=True)
        state = state.play(engine.stats().move)
        for one in (engine, again):
            one.search(state, iterations=200)
        assert found(again) == found(engine)
        reused += engine.stats().reused_visits
    assert reused > 0 or engine.stats().proven


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol(protocol):
    for state in (mc.ConnectFour(), Nim()):
        engine = searched(state, 100)
        assert pickle.loads(pickle.dumps(engine, protocol)).stats() == engine.stats()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda engine: pickle.loads(pickle.dumps(engine))])
@pytest.mark.parametrize("state", [mc.ConnectFour(), Nim()], ids=["native", "python"])
def test_copies_are_their_own(state, copied):
    engine = searched(state, 200)
    before = engine.stats()
    again = copied(engine)
    for _ in range(3):
        state = state.play(again.stats().move)
        again.search(state, iterations=200)
    assert engine.stats() == before
    again.search(mc.Gomoku(7), iterations=10)
    assert engine.stats() == before and check_tree(engine)["nodes"] > 1


def test_copies_search_at_the_same_time():
    engine = searched(mc.ConnectFour(), 2000)
    state = mc.ConnectFour().play(engine.stats().move)
    engines = [copy.deepcopy(engine) for _ in range(3)]
    threads = [threading.Thread(target=one.search, args=(state,), kwargs={"iterations": 5000}) for one in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.search(state, iterations=5000)
    assert [found(one) for one in engines] == [found(engine)] * 3


def test_subclasses(tmp_path):
    engine = Named("Ada", seed=1)
    engine.rank = 3
    engine.search(mc.TicTacToe(), iterations=50)
    again = through_pickle(engine, tmp_path)
    assert (type(again), again.name, again.rank, again.stats()) == (Named, "Ada", 3, engine.stats())
    engine.save(tmp_path / "named")
    again = Named.load(tmp_path / "named")
    assert (type(again), again.name, again.stats()) == (Named, "nobody", engine.stats())
    plain = mc.Searcher.load(tmp_path / "named")
    assert type(plain) is mc.Searcher and plain.stats() == engine.stats()


def test_subclasses_of_native_games(tmp_path):
    engine = searched(Mine(5, 5, 4), 200)
    with pytest.raises(mc.InvalidState, match="got Mine;"):
        engine.save(tmp_path / "mine")
    again = through_pickle(engine, tmp_path)
    assert again.stats() == engine.stats()
    state = Mine(5, 5, 4).play(engine.stats().move)
    for one in (engine, again):
        one.search(state, iterations=200)
    assert found(again) == found(engine) and type(state) is Mine


def test_states_that_do_not_pickle():
    engine = searched(Nim(), 50)
    state = Nim()
    state.lock = threading.Lock()
    engine.search(state, iterations=50)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(engine)
    assert engine.search(state, iterations=50)  # and the engine can be used


def test_a_pickled_game_that_changed():
    """What the moves of the tree say no longer fits the class that reads them: an error, and no crash."""
    engine = searched(Nim(), 300, preset="uct")
    make, (cls, data, state, names) = engine.__reduce__()
    assert make(cls, data, state, names).stats() == engine.stats()
    with pytest.raises(mc.InvalidFile, match="a move that there is not"):
        make(cls, data, state, names[:1])
    with pytest.raises(mc.InvalidFile, match="contains a move of the tree twice"):
        make(cls, data, state, [names[0]] * len(names))
    with pytest.raises(mc.InvalidFile, match="no position"):
        make(cls, data, None, None)
    with pytest.raises(mc.InvalidFile, match="damaged: a checksum"):
        make(cls, data[:-1] + bytes([data[-1] ^ 1]), state, names)
    with pytest.raises(mc.InvalidState):
        make(cls, data, object(), names)


# ---- files -----------------------------------------------------------------------------------------------------------

def test_paths(tmp_path, monkeypatch):
    engine = searched(mc.TicTacToe(), 50)
    monkeypatch.chdir(tmp_path)
    for path in ("here", b"bytes", tmp_path / "path", str(tmp_path / "\u00fcber uns")):
        engine.save(path)
        assert mc.Searcher.load(path).stats() == engine.stats()
    assert sorted(os.listdir()) == ["bytes", "here", "path", "\u00fcber uns"]
    for call in (engine.save, mc.Searcher.load):
        for path in (3, None, ["here"]):
            with pytest.raises(mc.InvalidOption, match="path must be"):
                call(path)
        with pytest.raises(IsADirectoryError):
            call(tmp_path)
        with pytest.raises(FileNotFoundError):
            call(tmp_path / "missing" / "file")
        with pytest.raises(mc.InvalidOption, match="null"):
            call("a\0b")
    with pytest.raises(FileNotFoundError):
        mc.Searcher.load("missing")
    for path in ("new/", b"new/", ""):
        with pytest.raises(IsADirectoryError):
            engine.save(path)
    assert not os.path.exists("new")


@pytest.mark.needs("named pipes")
def test_other_things_than_files(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for call in (mc.Searcher().save, mc.Searcher.load):
        with pytest.raises(OSError, match="not a regular file"):
            call(tmp_path / "fifo")
    assert stat.S_ISFIFO(os.stat(tmp_path / "fifo").st_mode)


@pytest.mark.needs("modes and links of POSIX")
def test_links_and_modes_stay(tmp_path):
    engine, target, link = searched(mc.TicTacToe(), 50), tmp_path / "target", tmp_path / "link"
    engine.save(target)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    target.chmod(0o640)
    link.symlink_to(target)
    engine.search(mc.TicTacToe(), iterations=60)
    engine.save(link)
    assert link.is_symlink() and mc.Searcher.load(target).stats() == engine.stats()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_files_that_are_not_to_be_written(tmp_path, monkeypatch):
    engine, path = searched(mc.TicTacToe(), 50), tmp_path / "engine"
    engine.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda name, mode: False)  # also root is told so
    with pytest.raises(PermissionError):
        engine.save(path)
    monkeypatch.undo()

    def refuse(*arguments, **keywords):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        engine.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["engine"]


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt(), MemoryError()], ids=repr)
@pytest.mark.parametrize("name", ["write", "fsync", "replace", "close"])
def test_what_fails_halfway_leaves_the_old_file(name, error, tmp_path, monkeypatch):
    engine, path = searched(mc.ConnectFour(), 100), tmp_path / "engine"
    engine.save(path)
    before = path.read_bytes()
    engine.search(mc.ConnectFour(), iterations=2000)
    real, calls = getattr(os, name), []

    def fail(*arguments):
        calls.append(arguments)
        if name == "write" and len(calls) < 3:
            return real(arguments[0], bytes(arguments[1])[:7])  # a write may take less than it was given
        if name == "close":
            real(*arguments)
        raise error

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(type(error)):
        engine.save(path)
    monkeypatch.undo()
    assert calls and path.read_bytes() == before and os.listdir(tmp_path) == ["engine"]
    with pytest.raises(type(error)):  # the same for a file that was not there
        monkeypatch.setattr(os, name, fail)
        engine.save(tmp_path / "new")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["engine"]
    engine.save(path)
    assert mc.Searcher.load(path).stats() == engine.stats()


def held(times, real):
    """``real`` as it is on Windows while somebody has the file open: it fails so often, then it does its work."""
    def call(*arguments):
        call.count += 1
        if call.count <= times:
            error = PermissionError(13, "it is being used by another process", arguments[0])
            error.winerror = 5 if call.count % 2 else 32
            raise error
        return real(*arguments)

    call.count = 0
    return call


@pytest.mark.alone
@pytest.mark.parametrize("times", [1, 7])
def test_a_file_that_others_hold_is_waited_for(times, tmp_path, monkeypatch):
    engine, path = searched(mc.TicTacToe(), 50), tmp_path / "engine"
    engine.save(path)
    engine.search(mc.TicTacToe(), iterations=60)
    replace = held(times, os.replace)
    monkeypatch.setattr(os, "replace", replace)
    engine.save(path)
    assert replace.count == times + 1
    reading = held(times, open)
    monkeypatch.setattr(io, "open", reading)
    assert mc.Searcher.load(path).stats() == engine.stats()
    assert reading.count == times + 1 and os.listdir(tmp_path) == ["engine"]


@pytest.mark.alone
def test_a_file_that_others_keep_is_left_whole(tmp_path, monkeypatch):
    engine, path = searched(mc.TicTacToe(), 50), tmp_path / "engine"
    engine.save(path)
    before = path.read_bytes()
    engine.search(mc.TicTacToe(), iterations=60)
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    words = "used by another process; close the file where it is open, or name another one: .*engine'$"
    for name, call in (("replace", engine.save), ("open", mc.Searcher.load)):
        where = os if name == "replace" else io
        with monkeypatch.context() as patch:
            patch.setattr(where, name, held(10**9, None))
            with pytest.raises(PermissionError, match=words):
                call(path)
        assert path.read_bytes() == before and os.listdir(tmp_path) == ["engine"]
    removing = held(2, os.unlink)  # the temporary file too may be held, by a virus scanner
    monkeypatch.setattr(os, "replace", held(10**9, None))
    monkeypatch.setattr(os, "unlink", removing)
    with pytest.raises(PermissionError, match=words):
        engine.save(path)
    assert removing.count == 3 and path.read_bytes() == before and os.listdir(tmp_path) == ["engine"]


def test_what_is_not_allowed_is_not_tried_again(tmp_path, monkeypatch):
    calls = []

    def refuse(*arguments):
        calls.append(arguments)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError, match="Permission denied$"):
        mc.Searcher().save(tmp_path / "engine")
    assert len(calls) == 1 and os.listdir(tmp_path) == []


def test_threads_save_to_one_path_while_others_load_it(tmp_path):
    path, faults = tmp_path / "engine", []
    engines = [searched(mc.TicTacToe(), 20 + number) for number in range(3)]
    engines[0].save(path)
    wanted = [engine.stats().moves for engine in engines]

    def work(call):
        try:
            for _ in range(20):
                call()
        except BaseException as error:
            faults.append(error)

    def check():
        assert mc.Searcher.load(path).stats().moves in wanted

    calls = [*(lambda engine=engine: engine.save(path) for engine in engines), check, check]
    threads = [threading.Thread(target=work, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == [] and os.listdir(tmp_path) == ["engine"]


def test_short_writes(tmp_path, monkeypatch):
    engine, real = searched(mc.ConnectFour(), 100), os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:100]))
    engine.save(tmp_path / "engine")
    monkeypatch.undo()
    assert mc.Searcher.load(tmp_path / "engine").stats() == engine.stats()


@pytest.mark.needs("resource")
def test_a_limit_of_file_sizes(tmp_path):
    """The system itself refuses to write more, in the middle of the trees."""
    searched(mc.TicTacToe(), 50).save(tmp_path / "engine")
    before = (tmp_path / "engine").read_bytes()
    done = run(
        "import resource, sys, mcts_core as mc\n"
        "engine = mc.Searcher(preset='uct', seed=1)\n"
        "engine.search(mc.ConnectFour(), iterations=50_000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))\n"
        "try:\n    engine.save(sys.argv[1])\n"
        "except OSError as error:\n    print('refused', error.errno)\n", tmp_path / "engine")
    assert done.stdout == "refused 27\n" and done.returncode == 0, done
    assert (tmp_path / "engine").read_bytes() == before and os.listdir(tmp_path) == ["engine"]


def test_a_crash_in_the_middle(tmp_path):
    """The process is gone after some writes: the old file is whole, and so is the next one that is saved."""
    searched(mc.TicTacToe(), 50).save(tmp_path / "engine")
    before = (tmp_path / "engine").read_bytes()
    done = run(
        "import os, sys, mcts_core as mc\n"
        "engine = mc.Searcher(seed=1)\n"
        "engine.search(mc.ConnectFour(), iterations=100)\n"
        "def fsync(file):\n    os._exit(7)\n"
        "os.fsync = fsync\n"
        "engine.save(sys.argv[1])\n", tmp_path / "engine")
    assert done.returncode == 7
    assert (tmp_path / "engine").read_bytes() == before
    left = set(os.listdir(tmp_path)) - {"engine"}
    assert len(left) == 1 and all(re.fullmatch(r"\.mcts_core-[0-9a-f]{16}\.tmp", name) for name in left)
    assert mc.Searcher.load(tmp_path / "engine").save(tmp_path / "engine") is None


def test_many_save_to_one_path(tmp_path):
    engines = [searched(mc.ConnectFour(), 200 + index) for index in range(4)]
    path = tmp_path / "engine"

    def save(engine):
        for _ in range(5):
            engine.save(path)

    threads = [threading.Thread(target=save, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mc.Searcher.load(path).stats() in [engine.stats() for engine in engines]
    assert os.listdir(tmp_path) == ["engine"]


def test_the_instruction_set_does_not_matter(tmp_path):
    """A file written here, loaded by a process of the baseline instruction set: the same figures, the same searches."""
    lines = []
    for number, options in enumerate(OPTIONS):
        engine = searched(mc.Gomoku.from_moves("112 97 113", size=15), 500, **options)
        engine.save(tmp_path / str(number))
        stats = engine.stats()
        engine.search(mc.Gomoku.from_moves("112 97 113", size=15).play(stats.move), iterations=300)
        lines.append(f"{stats.isa} {engine.stats().moves}")
    done = run(
        "import sys, mcts_core as mc\n"
        "for number in range(int(sys.argv[2])):\n"
        "    engine = mc.Searcher.load(f'{sys.argv[1]}/{number}')\n"
        "    isa, move = engine.stats().isa, engine.stats().move\n"
        "    engine.search(mc.Gomoku.from_moves('112 97 113', size=15).play(move), iterations=300)\n"
        "    assert engine.stats().isa == 'baseline'\n"
        "    print(isa, engine.stats().moves)\n", tmp_path, len(OPTIONS), MCTS_CORE_ISA="baseline")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines


# ---- the page --------------------------------------------------------------------------------------------------------

def test_the_page_is_true(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    parser, runner, names = doctest.DocTestParser(), doctest.DocTestRunner(), {"__name__": "page"}
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, names, f"{PAGE.name} block {number}", PAGE.name, 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    failed, attempted = runner.summarize(verbose=False)
    assert attempted >= 8 and failed == 0
    assert hashlib.sha256(b"").digest_size == 32 and "SHA-256" in text
