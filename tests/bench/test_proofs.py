import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def run(*arguments):
    return subprocess.run([sys.executable, "proofs.py", *arguments], cwd=BENCH, capture_output=True, text=True)


def test_small_games_are_proven_with_at_most_twice_the_calls_of_alpha_beta():
    done = run("--games", "nim 3, 4, 5", "Hex 3x3", "Breakthrough 4x3")
    assert done.returncode == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("nim 3, 4, 5", "yes", "no"), ("Hex 3x3", "yes", "no"), ("Breakthrough 4x3", "yes", "no")]
    for row in rows:
        numbers = [int(row[at].replace(",", "")) for at in (2, 4, 5)]
        assert min(numbers) > 0 and min(numbers[:2]) < 2 * numbers[2]


@pytest.mark.clients
def test_half_of_the_problems_with_mate_in_two_are_proven_with_five_hundred_calls():
    pytest.importorskip("chess", reason="chess is not installed; make test KIND=clients installs it")
    done = run("--games", "Hex 3x3", "--mates", "--calls", "500")
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if line.startswith("| 2 |"))
    assert int(row.split("|")[3]) >= 6
