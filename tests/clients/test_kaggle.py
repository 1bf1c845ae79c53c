"""The agent in the real connectx of kaggle_environments: make test KIND=clients."""

import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tarfile

import pytest

from mcts_core.bots.kaggle import Agent, agent
from mcts_core.bots.kaggle_bundle import write_bundle

pytestmark = pytest.mark.clients

GAMES = int(os.environ.get("MCTS_CORE_CLIENT_GAMES", "50"))
REFEREE = pathlib.Path(__file__).parents[1] / "kaggle_games.py"
START = "import runpy, sys; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A folder with all packages of this environment but mcts_core."""
    folder = tmp_path_factory.mktemp("packages")
    for path in pathlib.Path(sysconfig.get_path("purelib")).iterdir():
        if "mcts_core" not in path.name and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    """The main.py of an archive, in a folder that was empty."""
    folder = tmp_path_factory.mktemp("submission")
    archive = tmp_path_factory.mktemp("archive") / "submission.tar.gz"
    write_bundle(archive)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / "main.py"


@pytest.fixture
def play(packages, submission, tmp_path):
    """Plays games with the submission where mcts_core is not installed and no network is to be had."""

    def run(opponent, games, overage, **configuration):
        task = {"agent": str(submission), "opponent": opponent, "games": games, "overage": overage,
                "configuration": configuration}
        done = subprocess.run([sys.executable, "-I", "-S", "-c", START, packages, REFEREE], input=json.dumps(task),
                              cwd=tmp_path, capture_output=True, text=True, timeout=60 * games)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        assert pathlib.Path(found["package"]) == submission.parent / "mcts_core" / "__init__.py"
        assert len(found["games"]) == games
        for game in found["games"]:
            assert (game["status"], game["opponent"], game["errors"]) == ("DONE", "DONE", ""), game
            assert game["bank"] >= 0
        return found["games"]

    return run


@pytest.mark.parametrize("opponent", ["random", "negamax"])
def test_it_wins_as_good_as_every_game(play, opponent):
    games = play(opponent, GAMES, overage=10, actTimeout=0.25)
    rewards = [[game["reward"] for game in games if game["seat"] == seat] for seat in (0, 1)]
    print(f"{opponent}: won {rewards[0].count(1)} of {len(rewards[0])} games as first, "
          f"{rewards[1].count(1)} of {len(rewards[1])} as second player")
    assert sum(rewards, []).count(1) >= 0.98 * GAMES


@pytest.mark.parametrize("rows, columns, inarow", [(13, 13, 5), (12, 12, 4), (10, 11, 4), (4, 40, 4)])
def test_it_beats_a_random_player_on_other_boards(play, rows, columns, inarow):
    games = play("random", 2, overage=2, actTimeout=0.1, rows=rows, columns=columns, inarow=inarow)
    assert [game["reward"] for game in games] == [1, 1]


def test_it_wins_as_the_first_player_on_a_small_board(play):
    """As the second player it can lose: random first moves win by force in about 1 of 100 games."""
    first, _ = play("random", 2, overage=2, actTimeout=0.1, rows=4, columns=5, inarow=3)
    assert (first["seat"], first["reward"]) == (0, 1)


@pytest.mark.parametrize("rows, columns, inarow", [(1, 1, 1), (2, 2, 4), (1, 9, 2), (9, 1, 2), (3, 70, 3), (40, 2, 41)])
def test_it_plays_games_to_their_end_on_odd_boards(play, rows, columns, inarow):
    """Where nobody can win, or the first player wins at once, or the opponent's luck decides."""
    for game in play("random", 2, overage=2, actTimeout=0.1, rows=rows, columns=columns, inarow=inarow):
        assert game["reward"] in (-1, 0, 1)


def test_it_plays_as_a_function_and_as_an_object():
    import kaggle_environments

    for one, other in ((agent, Agent(iterations=200)), (Agent(iterations=200), agent)):
        env = kaggle_environments.make("connectx", configuration={"actTimeout": 0.1, "rows": 4, "columns": 5})
        env.run([one, other])
        assert [state.status for state in env.steps[-1]] == ["DONE", "DONE"]
