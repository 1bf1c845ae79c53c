"""Modules that another thread is importing at this moment, and threads of the package, which import nothing."""

import ctypes
import pickle
import subprocess
import sys
import types
from importlib.machinery import ModuleSpec

import pytest
from callback_game import PLAY

from mcts_core.distributed.messages import dumps
from mcts_core.game import imported
from mcts_core.games.native_functions import address_of
from mcts_core.progress import in_notebook


def half(name, attribute, spec):
    """A module in the middle of its import: what it has already does not work yet."""
    def refuse(*arguments):
        raise AttributeError("not yet")

    module = types.ModuleType(name)
    if spec:
        module.__spec__ = ModuleSpec(name, None)
        module.__spec__._initializing = True
        setattr(module, attribute, refuse)
    return module


@pytest.fixture(params=["nothing in it", "not to be used yet", "refused"])
def importing(request, monkeypatch):
    """Puts a module into sys.modules as another thread does that imports it, or None, which refuses its import."""
    def put(name, attribute):
        found = None if request.param == "refused" else half(name, attribute, request.param == "not to be used yet")
        monkeypatch.setitem(sys.modules, name, found)

    return put


def test_a_complete_module_gives_its_attribute(monkeypatch):
    assert imported("pickle", "dumps") is pickle.dumps
    assert imported("pickle", "nothing") is None and imported("no_such_module", "dumps") is None
    monkeypatch.setitem(sys.modules, "made", types.SimpleNamespace(dumps=len))  # without a __spec__
    assert imported("made", "dumps") is len


def test_states_are_pickled_while_cloudpickle_is_imported(importing):
    importing("cloudpickle", "dumps")
    assert pickle.loads(dumps((1, "text"))) == (1, "text")


def test_cloudpickle_is_used_once_it_is_complete(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", types.SimpleNamespace(dumps=lambda value: b"by it"))
    assert dumps(1) == b"by it"


def test_a_notebook_is_recognised_while_ipython_is_imported(importing):
    importing("IPython", "get_ipython")
    assert not in_notebook()


def test_addresses_are_taken_while_ctypes_is_imported(importing):
    play = PLAY(lambda *_: 0)
    address = ctypes.cast(play, ctypes.c_void_p).value
    importing("ctypes", "_CFuncPtr")
    assert address_of(address, "play") == address


@pytest.mark.needs("processes")
@pytest.mark.parametrize("module", [
    "None", "types.ModuleType('logging')",
    "types.SimpleNamespace(__spec__=types.SimpleNamespace(_initializing=True), getLogger=None)"],
    ids=["refused", "nothing in it", "not to be used yet"])
def test_searches_run_while_logging_is_imported(tmp_path, module):
    code = ("import sys, types\n"
            "import mcts_core as mc\n"
            "assert 'logging' not in sys.modules\n"
            f"sys.modules['logging'] = {module}\n"
            "mc.search(mc.TicTacToe(), iterations=10)\n"
            "del sys.modules['logging']\n"
            "import logging\n"
            "logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format='%(name)s %(iterations)d')\n"
            "mc.search(mc.TicTacToe(), iterations=10)\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("mcts_core 10\n", "")


LOCKED = """
import _imp, faulthandler, os, sys
import mcts_core as mc

class Stones:
    hidden_information = False

    def __init__(self, left=9, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return [take for take in (1, 2, 3) if take <= self.left]

    def play(self, take):
        return type(self)(self.left - take, -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move

class Hidden(Stones):
    hidden_information = True

    def determinize(self, player, rng):
        return Hidden(self.left, self.to_move)

    def observation_key(self, player):
        return self.left

class Three(Stones):
    players = 3

    def play(self, take):
        return Three(self.left - take, self.to_move % 2)

    def returns(self):
        return None if self.left else [1.0, 0.0, 0.0]

def evaluate(observations):
    return [[1.0] * 7] * len(observations), [0.0] * len(observations)

def unsure(state):
    return None, 0.0

if __name__ == "__main__":
    faulthandler.dump_traceback_later(30, exit=True)
    _imp.acquire_lock()  # as an interrupt within an import may leave it, to this thread
    {}
    os.write(1, b"done")
    os._exit(0)  # the end of the interpreter imports, too
"""

CALLS = {
    "ponder": "engine = mc.Searcher(); engine.ponder(Stones()); engine.stop()",
    "pondering with an evaluator": "engine = mc.Searcher(evaluator=evaluate)\n"
                                   "    with engine.pondering(mc.ConnectFour()): pass",
    "watch": "list(mc.Searcher().watch(mc.Gomoku(), 0.01))",
    "watch hidden information": "list(mc.Searcher().watch(Hidden(), 0.01))",
    "threads": "mc.Searcher(threads=2).search(mc.Gomoku(), 0.01)",
    "many": "mc.search_many([mc.ConnectFour(), mc.Gomoku()] * 2, iterations=20, threads=3)",
    "many of all kinds": "mc.search_many([Hidden(), Three(1, 0), Stones()] * 2, iterations=20, threads=3)",
    "many with policy_value": "mc.search_many([Stones()] * 3, iterations=20, threads=2, policy_value=unsure)",
    "many with an evaluator": "mc.search_many([mc.ConnectFour()] * 3, 0.01, threads=2, evaluator=evaluate)",
    "many side by side": "mc.search_many([mc.ConnectFour()] * 3, iterations=20, threads=2, evaluator=evaluate)",
    "selfplay": "list(mc.selfplay(mc.ConnectFour(4, 4, 3), games=3, iterations=5, threads=2))",
    "parallel in threads": "mc.search_parallel(mc.ConnectFour(), iterations=200, executor='threads', workers=2)",
    "parallel with progress": "mc.search_parallel(Three(9, 0), iterations=200, executor='threads', workers=2, "
                              "progress=str, every=0.001)",
    "parallel with an evaluator": "mc.search_parallel(mc.ConnectFour(), iterations=20, executor='threads', workers=2, "
                                  "evaluator=evaluate)",
    "parallel in processes": "mc.search_parallel(mc.ConnectFour(), iterations=200, workers=1)",
}


@pytest.mark.needs("processes", "threads", "numpy")
@pytest.mark.parametrize("name", CALLS)
def test_no_thread_imports(name, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LOCKED.replace("{}", CALLS[name]))
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "done", done.stderr
