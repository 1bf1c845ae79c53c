import gc
import importlib.util
import os
import shutil
import signal
import sys

import pytest

from mcts_core.cli.main import main

# Optional packages that are not there for each Python and system: the files of tests that need one. Left out are only
# those of the packages that MCTS_CORE_TESTS_WITHOUT names; a package that is missing otherwise is an error.
NEEDED_BY = {
    "distributed": ["distributed/test_parallel.py", "docs/test_clusters.py"],
    "loky": ["distributed/test_parallel.py"],
    "matplotlib": ["docs/test_docs.py", "docs/test_pictures.py", "render/test_charts.py"],
    "numba": ["compiled/test_compile.py", "compiled/test_hostile_classes.py", "compiled/test_refusals.py",
              "compiled/test_rewrite.py", "compiled/test_styles.py", "docs/test_native_games.py",
              "examples/test_examples.py",
              "bench/test_user_games.py", "bench/test_compile.py",
              # callbacks by ctypes, not tried where there is no numba
              "games/test_native_games.py", "games/test_native_games_errors.py", "games/test_native_games_numpy.py",
              "games/test_native_games_search.py", "games/test_native_positions.py"],
    "numpy": ["compiled/test_compile.py", "compiled/test_rewrite.py", "compiled/test_styles.py",
              "checks/test_optional_members.py", "docs/test_coming_from.py", "test_docstrings.py",
              "engine/test_evaluators.py", "engine/test_general_group.py", "games/test_general_rules.py",
              "games/test_native_games_numpy.py", "engine/test_searched_general.py", "tree/test_general_tree.py",
              "bots/test_openspiel.py", "bots/test_openspiel_bot.py", "bots/test_openspiel_draws.py",
              "examples/test_alphazero.py", "examples/test_train_gomoku.py",
              "examples/test_train_gomoku_torch.py", "self_play/test_selfplay.py",
              "self_play/test_files.py", "engine/test_interrupts.py", "engine/test_searched_tree.py",
              "testing/test_general_probe.py", "bench/test_network_busy.py", "bench/test_network_match.py",
              "engine/test_evaluation_thread.py", "engine/test_interrupted_steps.py", "engine/test_task_threads.py",
              "tree/test_general_proofs.py"],
    "open_spiel": ["bots/test_openspiel.py", "bots/test_openspiel_bot.py", "bots/test_openspiel_draws.py",
                   "docs/test_coming_from.py", "docs/test_docs.py", "examples/test_examples.py", "test_docstrings.py"],
}
WITHOUT = os.environ.get("MCTS_CORE_TESTS_WITHOUT", "").split()
collect_ignore = [name for package in WITHOUT for name in NEEDED_BY[package]]


class NoProbes:
    """Python asks it last, for modules that are nowhere."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("mcts_core.testing"):
            raise ModuleNotFoundError(f"{name} is for the tests, and the wheel leaves it out: python "
                                      f"tests/build_probes.py compiles it into the mcts_core of {sys.executable}",
                                      name=name)


sys.meta_path.append(NoProbes)

# What not every system has: @pytest.mark.needs("fork") leaves a test out, and says so, where that is not there.
HERE = {
    **{package: package not in WITHOUT for package in NEEDED_BY},
    "/proc": sys.platform == "linux" and os.path.exists("/proc/self/statm"),
    "a choice of cores": hasattr(os, "sched_setaffinity"),
    "an emulated ARM64": bool(shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64-static")),
    "asyncio.run": sys.platform != "emscripten",  # it does not wait there
    "fork": hasattr(os, "fork"),
    "mctx": importlib.util.find_spec("mctx") is not None,
    "locks of files": importlib.util.find_spec("fcntl") is not None,
    "modes and links of POSIX": os.name == "posix",
    "named pipes": hasattr(os, "mkfifo"),
    "processes": sys.platform != "emscripten",
    "processor time of child processes": os.name == "posix",
    "SIMDe": os.name == "posix" and os.path.exists("/usr/include/simde/x86/avx512.h"),
    "pyyaml": importlib.util.find_spec("yaml") is not None,
    "pytest-xdist": importlib.util.find_spec("xdist") is not None,
    "resource": importlib.util.find_spec("resource") is not None,
    "select on pipes": os.name == "posix",
    "signals to processes": os.name == "posix",
    "signals to threads": hasattr(signal, "pthread_kill"),
    "threads": sys.platform != "emscripten",
    "valgrind": shutil.which("valgrind") is not None,
}


# Files whose tests all have one mark and which import what takes seconds: with "not MARK" they are not even imported.
MARKED = {"examples": [os.path.join("examples", "test_train_gomoku_torch.py")]}


def pytest_ignore_collect(collection_path, config):
    left_out = [name for mark, names in MARKED.items() if f"not {mark}" in config.option.markexpr for name in names]
    return True if str(collection_path).endswith(tuple(left_out)) else None


def pytest_runtest_setup(item):
    missing = [name for mark in item.iter_markers("needs") for name in mark.args if not HERE[name]]
    if missing:
        pytest.skip(f"this system has not: {', '.join(missing)}")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Without the collector, which finds nothing here and takes an eighth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Tests that run alone come last: then no process waits with one of them for a long test of another process."""
    items.sort(key=lambda item: item.get_closest_marker("alone") is not None)


def pytest_collection_finish():
    """The collected tests stay to the end: tests of leaks, which run the collector often, need not look at them each
    time. With them, one look takes a second."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """What the tests of a file leave stays to the end, too, such as the packages that they imported."""
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_report_header():
    return f"left out, by MCTS_CORE_TESTS_WITHOUT: {', '.join(sorted(set(collect_ignore)))}" if WITHOUT else None


@pytest.fixture(scope="session", autouse=True)
def empty_folder(tmp_path_factory):
    """The folder of all tests: interpreters started in that of the sources would import those, which are not built."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("folder"))
    yield
    os.chdir(before)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Ctrl-C interrupts the tests and what they start, also where they were started to ignore it: by nohup, or by a
    script in the background. A program that is started inherits what is ignored, but no handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def disk():
    """No test needs its files after the power has failed: nobody waits for the disk, but the file must be open."""
    before = os.fsync
    if os.name == "posix":
        os.fsync = os.fstat
    yield
    os.fsync = before


@pytest.fixture(autouse=True)
def turn(request, tmp_path_factory):
    """A test that is marked ``alone`` runs beside no other one, also where pytest-xdist runs the tests.

    Who wants to be alone holds the gate until the others are done; else there would always be one of them.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ or not HERE["locks of files"]:
        yield
        return
    from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock

    folder = tmp_path_factory.getbasetemp().parent  # of this run, the same in all of its processes
    kind = LOCK_EX if request.node.get_closest_marker("alone") else LOCK_SH
    with open(folder / "gate", "ab") as gate, open(folder / "room", "ab") as room:
        flock(gate, kind)
        flock(room, kind)
        flock(gate, LOCK_UN)
        yield


@pytest.fixture(scope="session")
def built_once(tmp_path_factory):
    """Builds what takes seconds in one of the processes of a run; the others wait for it.

    ``built_once(name, build)`` calls ``build(folder)`` with a new folder of that name and returns the folder.
    """
    shared = "PYTEST_XDIST_WORKER" in os.environ and HERE["locks of files"]
    base = tmp_path_factory.getbasetemp()
    base = base.parent if shared else base

    def run(name, build):
        folder, whole = base / name, base / f"{name}.whole"
        with open(base / f"{name}.lock", "ab") as lock:
            if shared:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                build(folder)
                whole.touch()
        return folder

    return run


@pytest.fixture
def no_book(monkeypatch):
    """Connect Four is not solved from the first move, for searches that must last."""
    from mcts_core.games.connect_four import openings

    monkeypatch.setattr(openings, "ready_for", lambda state: False)


@pytest.fixture
def memory_asked(monkeypatch):
    """Replaces the Searcher that a module uses; returns a list that gets the ``memory_mb`` of each one it makes."""
    import mcts_core

    def replace(name):
        asked = []

        class Told(mcts_core.Searcher):
            def __init__(self, **options):
                asked.append(options["memory_mb"])
                super().__init__(**options)

        monkeypatch.setattr(name, Told)
        return asked

    return replace


@pytest.fixture
def cli(capsys, monkeypatch):
    """Runs the command line in this process; returns the exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "path", sys.path.copy())  # the commands put the current folder there

    def run(*argv):
        try:
            code = main([str(argument) for argument in argv])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
