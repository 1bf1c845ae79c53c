"""A file of results that grows while they come in: always whole, and going on where it stopped."""

import hashlib
import json
import os
from pathlib import Path

import machine


class OtherSettings(Exception):
    """The file was made with other settings."""


class Record:
    """Results by number, in a JSON file with the settings under which they were made.

    ``entries`` maps numbers to results. Without a path nothing is written. ``summary``: entries, in order -> what is
    written beside them. Raises OtherSettings when the file is there with other settings, ValueError when it is none.
    """

    def __init__(self, path, settings, summary):
        self._path = path
        self._settings = json.loads(json.dumps(settings))
        self._summary = summary
        self._machine = machine.describe(None)
        self.entries = {}
        if path and path.exists():
            self._read()

    def _read(self):
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
            settings = document["settings"]
            entries = {entry["number"]: entry for entry in document["results"]}
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{self._path} is no file of results; it is left as it is") from None
        if settings != self._settings:
            names = [name for name in {**settings, **self._settings} if settings.get(name) != self._settings.get(name)]
            differences = "; ".join(f"{name} {settings.get(name)!r} there, {self._settings.get(name)!r} here"
                                    for name in names)
            raise OtherSettings(f"{self._path} was made with other settings: {differences}. Name another file, or "
                                "remove this one to start afresh.")
        self.entries = entries
        self._machine = document.get("machine", self._machine)

    def ordered(self):
        """The results in order."""
        return [self.entries[number] for number in sorted(self.entries)]

    def add(self, entry):
        """Takes a result, a dict with its ``number``, and writes the file."""
        self.entries[entry["number"]] = entry
        if not self._path:
            return
        results = self.ordered()
        document = {"settings": self._settings, "machine": self._machine, "summary": self._summary(results)}
        head = json.dumps(document, indent=1)[:-2]
        lines = ",\n".join(f"  {json.dumps(result)}" for result in results)
        temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            temporary.write_text(f'{head},\n "results": [\n{lines}\n ]\n}}\n', encoding="utf-8")
            os.replace(temporary, self._path)
        finally:
            temporary.unlink(missing_ok=True)


def build():
    """A digest of the installed package, so that results of two builds do not get into one file."""
    import mcts_core

    digest = hashlib.sha256()
    folder = Path(mcts_core.__file__).parent
    for path in sorted([*folder.rglob("*.so"), *folder.rglob("*.pyd"), *folder.glob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
