"""Which lines of the Cython and C sources ran: the second half of `make coverage`.

    python tests/native_lines.py FOLDER

FOLDER has a build with MCTS_CORE_COVERAGE=1 in it that tests have run on. gcov reads what it counted; lines of a hot
module, which is compiled once for each instruction set, count together. Prints a line for each file and, into
FOLDER/native_lines.txt, the lines that never ran.
"""

import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def source_of(name):
    """The file of the project that gcov means by ``name``; None for those of others."""
    hot = re.search(r"build/isa/_(\w+)_(?:baseline|avx2)\.pyx$", name)
    if hot:
        return f"src/{hot[1]}.pyx"
    own = re.search(r"(?:^|/)((?:src|mcts_core)/[\w./]+\.(?:pyx|pxd|h))$", name)
    return own[1] if own else None


def counts(folder):
    """{file: {line: how often it ran}}."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    data = [str(path.resolve()) for path in folder.rglob("*.gcda")]
    with tempfile.TemporaryDirectory() as place:
        for path in data:
            subprocess.run(["gcov", "--json-format", path], cwd=place, check=True, capture_output=True)
            for found in pathlib.Path(place).glob("*.gcov.json.gz"):
                with gzip.open(found) as file:
                    for part in json.load(file)["files"]:
                        source = source_of(part["file"])
                        for line in part["lines"] if source else ():
                            lines[source][line["line_number"]] += line["count"]
                found.unlink()
    return lines


def ranges(numbers):
    """1, 2, 3, 7 as 1-3, 7."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in parts)


def main(folder):
    lines = counts(folder)
    if not lines:
        sys.exit(f"{folder} has no counts: build with MCTS_CORE_COVERAGE=1 and run tests first")
    missing = {file: [line for line, count in found.items() if not count] for file, found in lines.items()}
    for file, found in sorted(lines.items()):
        print(f"{file:45}{len(found):6}{len(missing[file]):6}{1 - len(missing[file]) / len(found):7.1%}")
    total, never = sum(map(len, lines.values())), sum(map(len, missing.values()))
    print(f"{'lines, never run, share':45}{total:6}{never:6}{1 - never / total:7.1%}")
    report = "".join(f"{file}: {ranges(numbers)}\n" for file, numbers in sorted(missing.items()) if numbers)
    (folder / "native_lines.txt").write_text(report)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
