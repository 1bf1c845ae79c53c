"""tests/native_lines.py: what make coverage counts."""

import gzip
import json

import native_lines

C = """\
static int utility(void) { return 1; }

/* "build/isa/tree/_plain_tree_avx2.pyx":7
 *     x = 1             # <<<<<<<<<<<<<<
*/
static int f(int x) {

  /* "build/isa/tree/_plain_tree_avx2.pyx":8
 *     if x:             # <<<<<<<<<<<<<<
*/
  if (x) {
    x = 2;

  /* "/usr/lib/python3/Cython/Includes/string.pxd":3
 *     y             # <<<<<<<<<<<<<<
*/
    x = 3;

  /* "mcts_core/game.pxd":4
 *     y             # <<<<<<<<<<<<<<
*/
    x = 4;

  /* function exit code */
  x = 5;
}
static int g(void) { return 2; }
"""


def test_lines_of_c_belong_to_the_comment_before_them(tmp_path):
    path = tmp_path / "f.c"
    path.write_text(C)
    lines = C.splitlines()
    origins = {lines[number - 1].strip(): origin for number, origin in native_lines.origins(path).items()
               if lines[number - 1].strip()}
    assert origins == {
        "static int f(int x) {": ("src/mcts_core/tree/plain_tree.pyx", 7),
        "if (x) {": ("src/mcts_core/tree/plain_tree.pyx", 8), "x = 2;": ("src/mcts_core/tree/plain_tree.pyx", 8),
        "x = 4;": ("mcts_core/game.pxd", 4),
    }


def test_counts_of_both_instruction_sets_are_one(tmp_path, monkeypatch):
    (tmp_path / "f.c").write_text(C)
    (tmp_path / "build").mkdir()
    for name in ("build/a", "build/b", "c"):
        (tmp_path / f"{name}.gcda").write_bytes(b"")

    def run(command, cwd, **options):
        ran = 3 if command[-1].name == "a.gcda" else 0
        lines = [{"line_number": 11, "count": ran}, {"line_number": 12, "count": 0}, {"line_number": 24, "count": 0}]
        own = {"file": "f.c", "lines": lines}
        header = {"file": "src/kernels/selection/ucb1.h", "lines": [{"line_number": 5, "count": 0}]}
        other = {"file": "/usr/include/stdio.h", "lines": [{"line_number": 1, "count": 1}]}
        with gzip.open(f"{cwd}/{command[-1].name}.gcov.json.gz", "wt") as file:
            json.dump({"files": [own, header, other]}, file)

    monkeypatch.setattr(native_lines.subprocess, "run", run)
    assert native_lines.counts(tmp_path) == {"src/mcts_core/tree/plain_tree.pyx": {8: 3},
                                             "src/kernels/selection/ucb1.h": {5: 0}}


def test_ranges():
    assert native_lines.ranges([7, 1, 3, 2]) == "1-3, 7"
    assert native_lines.ranges([]) == ""
