import subprocess
import sys
from pathlib import Path

FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def run(*arguments):
    command = [sys.executable, "nested_rollouts.py", *arguments]
    return subprocess.run(command, cwd=FIGURES, capture_output=True, text=True)


def test_it_compares_with_what_is_published():
    done = run("--levels", "1", "--runs", "2", "--versions", "touching", "--tree")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [row[:4] for row in rows[2:]] == [
        ["touching", "100", "nested rollouts", "2"], ["touching", "100", "best line of a tree", "2"]]
    assert [row[6] for row in rows[2:]] == ["79.4", ""]
    for row in rows[2:]:
        mean, _, half = row[4].partition(" ± ")
        assert 20 < float(mean) < 110 and float(half) >= 0 and float(row[5]) >= float(mean)


def test_it_says_what_is_missing():
    done = run("--levels", "4")
    assert done.returncode == 2 and "--runs is needed" in done.stderr
