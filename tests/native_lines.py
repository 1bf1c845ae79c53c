"""Which lines of the Cython and C sources ran: the second half of `make coverage`.

    python tests/native_lines.py FOLDER

FOLDER has a build with MCTS_CORE_COVERAGE=1 in it that tests have run on; processes that they started are left out.
gcov tells which lines of the C ran, and Cython's comments there to which line of its source they belong. (Its #line
directives would also name lines for what belongs to none.) Lines of a hot module, which is compiled once for each
instruction set, count together. Prints a line for each file and, into FOLDER/native_lines.txt, what never ran.
"""

import collections
import functools
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BEGIN = re.compile(r'\s*/\* "([^"]+)":(\d+)$')
END = re.compile(r"\}|\s*/\* function exit code \*/")


def source_of(name):
    """The file of the project that Cython or gcov means by ``name``; None for those of others."""
    hot = re.search(r"build/isa/([\w/]+/)_(\w+)_(?:baseline|avx2|avx512)\.pyx$", name)
    if hot:
        return f"src/mcts_core/{hot[1]}{hot[2]}.pyx"
    own = re.search(r"(?:^|/)((?:src|mcts_core)/[\w./]+\.(?:pyx|pxd|h))$", name)
    return own[1] if own else None


@functools.cache
def origins(path):
    """{line of a C file: file and line of the source}, by the comments that stand before what Cython made of a line."""
    found, current, inside = {}, None, False
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        begin = BEGIN.match(text)
        if begin:
            source = source_of(begin[1])
            current, inside = (source, int(begin[2])) if source else None, True
        elif inside:
            inside = "*/" not in text
        elif END.match(text):
            current = None
        elif current:
            found[number] = current
    return found


def counts(folder):
    """{file: {line: how often it ran}}."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    with tempfile.TemporaryDirectory() as place:
        for data in (folder / "build").rglob("*.gcda"):
            subprocess.run(["gcov", "--json-format", data.resolve()], cwd=place, check=True, capture_output=True)
            for found in pathlib.Path(place).glob("*.gcov.json.gz"):
                with gzip.open(found) as file:
                    parts = json.load(file)["files"]
                for part in parts:
                    name = part["file"]
                    origin = origins(folder / name) if name.endswith(".c") and (folder / name).is_file() else {}
                    header = source_of(name)
                    for line in part["lines"]:
                        at = (header, line["line_number"]) if header else origin.get(line["line_number"])
                        if at:
                            lines[at[0]][at[1]] = max(lines[at[0]][at[1]], line["count"])
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
