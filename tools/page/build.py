"""The page without a server, as a folder of static files: the page of ``mcts-core serve`` with the engine in Pyodide.

    python tools/page/build.py FOLDER

Makes FOLDER anew. Needs what tools/cross/wasm.py needs: Node, npm, and the package indexes the first time.
"""

import hashlib
import json
import shutil
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "cross"))

import wasm  # noqa: E402

STATIC = ROOT / "mcts_core" / "web" / "static"
OF_PYODIDE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
UNUSED = (".h", ".pxd", ".pyi", ".typed", ".css", ".html", ".js", ".svg")
"""Suffixes of files of the wheel that the engine does not read."""
DATE = (1980, 1, 1, 0, 0, 0)
"""Of the files in the archive: the same wheel makes the same page."""


def copy_page(folder):
    """The files that ``mcts-core serve`` serves, with another transport."""
    static = folder / "static"
    static.mkdir(parents=True)
    for path in STATIC.iterdir():
        shutil.copy(path, folder if path.name == "index.html" else static)
    shutil.copy(HERE / "transport.js", static)
    shutil.copy(HERE / "keeper.js", folder)


def copy_engine(folder, wheel, pyodide):
    """Pyodide, the package, and the worker that loads both."""
    engine = folder / "engine"
    engine.mkdir()
    shutil.copy(HERE / "worker.js", engine)
    for name in OF_PYODIDE:
        shutil.copy(pyodide / name, engine)
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    (engine / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), encoding="utf-8")
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(engine / "mcts_core.zip", "w") as target:
        for name in sorted(source.namelist()):
            if not name.endswith(UNUSED):
                entry = zipfile.ZipInfo(name, DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                target.writestr(entry, source.read(name), compresslevel=9)


def list_files(folder):
    """Writes engine/files.js: what the browser keeps, in the order in which it is loaded."""
    names = {"static": "the page", "engine": "Python", "mcts_core.zip": "mcts_core"}
    found, digest = [], hashlib.sha256()
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "keeper.js")
    for path in sorted(paths, key=lambda path: path.stat().st_size):
        name = path.relative_to(folder).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes())
        what = names.get(path.name) or names.get(name.split("/")[0], "the page")
        found.append({"path": name, "size": path.stat().st_size, "what": what})
    (folder / "engine" / "files.js").write_text(
        f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\nconst FILES = {json.dumps(found, indent=0)};\n",
        encoding="utf-8")
    return found


def build(folder, wheel, pyodide):
    """Makes the folder; returns the files that a browser loads."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_page(folder)
    copy_engine(folder, wheel, pyodide)
    return list_files(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = build(Path(sys.argv[1]), wasm.build(), wasm.pyodide())
    print(f"{sys.argv[1]}: {len(files)} files, {sum(file['size'] for file in files) / 1e6:.1f} MB")
