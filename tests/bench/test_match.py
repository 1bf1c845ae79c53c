"""bench/match.py and what it is made of: players, files of results, the matches and --holds."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import games  # noqa: E402
import holds  # noqa: E402
import match  # noqa: E402
import players  # noqa: E402
import record  # noqa: E402

sys.path.remove(str(BENCH))

CONNECT4 = games.find("connect4")


def script(*arguments, cwd=None):
    return subprocess.run([sys.executable, BENCH / "match.py", *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd)


def program(folder, body):
    """A command: a program that answers each line by ``answer(moves)``, of Python."""
    path = folder / "program.py"
    path.write_text(f"import sys\n{body}\nfor line in sys.stdin:\n    print(answer(line.strip()), flush=True)\n")
    return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def without_clock(document):
    """The results of a file without what depends on the time."""
    return [entry | {"games": [{key: value for key, value in game.items() if key != "thinking"}
                               for game in entry["games"]]} for entry in document["results"]]


# ---- players ---------------------------------------------------------------------------------------------------------


def test_settings():
    ours = players.parse("exploration=0.5,final_move=max", CONNECT4, iterations=100)
    assert ours == players.Setting("ours", (("exploration", 0.5), ("final_move", "max")), None, 100)
    assert ours.budget == {"iterations": 100}
    assert str(ours) == "mcts_core(exploration=0.5,final_move=max), 100 iterations"
    assert ours.to_dict() == {"kind": "ours", "options": {"exploration": 0.5, "final_move": "max"}, "iterations": 100}
    timed = players.parse("", CONNECT4, 0.1, None, (("exploration", 0.3),))
    assert timed.budget == {"seconds": 0.1} and timed.options == (("exploration", 0.3),)
    command = players.parse("command:./solver -x", CONNECT4, 0.1)
    assert str(command) == "command:./solver -x" and command.to_dict()["options"] == {"command": "./solver -x"}


@pytest.mark.parametrize(("text", "game", "message"), [
    ("speed=3", "connect4", "speed"), ("exploration=-1", "connect4", "exploration must be"),
    ("exploration", "connect4", "expected name=value"), ("command:", "connect4", "followed by a program"),
    ("command:x", "gomoku", "Connect Four only"), ("openspiel:d=1", "connect4", "got d"),
    ("openspiel", "gomoku-exact", "no game with the rules of gomoku-exact")])
def test_bad_settings(text, game, message):
    with pytest.raises((ValueError, TypeError), match=message):
        players.parse(text, games.find(game), 0.1)


def test_ours_plays_as_the_package_does():
    player = players.parse("exploration=0.4", CONNECT4, iterations=500).player(CONNECT4, 9)
    state = mc.ConnectFour.from_moves("4433", base=1)
    engine = mc.Searcher(exploration=0.4, seed=9)
    assert player.move(state) == engine.search(state, iterations=500) and player.proven == engine.stats().proven


@pytest.mark.needs("open_spiel")
@pytest.mark.parametrize("name", ["connect4", "gomoku", "mnk:5,4,4"])
def test_openspiel_plays_the_same_game(name):
    game = games.find(name)
    player = players.parse("openspiel:c=1.2", game, iterations=30).player(game, 1)
    again = players.parse("openspiel:c=1.2", game, iterations=30).player(game, 1)
    state = game.start()
    for number in range(12):
        if state.winner() is not None:
            break
        move = player.move(state)
        assert again.move(state) == move
        state = state.play(move)
        if state.winner() is None:
            state = state.play(state.legal_moves()[number % 3])
    assert player._state.history()[:-1] == list(state.moves)[:len(player._state.history()) - 1]


@pytest.mark.needs("open_spiel")
def test_openspiel_sees_wins_and_threats():
    for name, moves, right in (("connect4", (3, 0, 3, 0, 3), 3), ("gomoku", (112, 111, 113, 2, 114, 4, 115, 6), 116),
                               ("mnk:3,3,3", (4, 0, 8, 1), 2)):
        game = games.find(name)
        state = game.start()
        for move in moves:
            state = state.play(move)
        assert players.parse("openspiel", game, iterations=4000).player(game, 3).move(state) == right, name


@pytest.mark.needs("open_spiel")
def test_openspiel_gets_its_time():
    player = players.parse("openspiel", games.find("gomoku"), seconds=0.03).player(games.find("gomoku"), 1)
    for moves in ([], [112], [112, 113, 97]):
        _, seconds = players.clocked(player, mc.Gomoku.from_moves(moves, size=15))
        assert seconds >= 0.03


def test_command_that_tells_a_column(tmp_path):
    player = players.parse(program(tmp_path, "def answer(moves):\n    return len(moves.strip('-')) + 2"), CONNECT4)
    player = player.player(CONNECT4, 1)
    assert player.move(mc.ConnectFour()) == 1 and player.move(mc.ConnectFour.from_moves("11", base=1)) == 3


def test_command_that_tells_scores(tmp_path):
    player = players.parse(program(tmp_path, "def answer(moves):\n    return '. 2 -1 2 0 0 1'"), CONNECT4)
    state = mc.ConnectFour.from_moves("111111", base=1)
    found = [player.player(CONNECT4, seed).move(state) for seed in range(30)]
    assert set(found) == {1, 3} and found == [player.player(CONNECT4, seed).move(state) for seed in range(30)]
    assert player.player(CONNECT4, 1).scores(state) == [None, 2, -1, 2, 0, 0, 1]
    with pytest.raises(players.Failed, match="not the scores of the columns"):
        player.player(CONNECT4, 1).move(mc.ConnectFour())


def test_command_that_fails(tmp_path):
    with pytest.raises(players.Failed, match="does not run"):
        players.parse("command:./is-not-there", CONNECT4).player(CONNECT4, 1).move(mc.ConnectFour())
    silent = players.parse(program(tmp_path, "sys.exit()"), CONNECT4).player(CONNECT4, 1)
    with pytest.raises(players.Failed, match="ended or answered nothing"):
        silent.move(mc.ConnectFour())


def test_command_that_tells_no_number(tmp_path):
    player = players.parse(program(tmp_path, "def answer(moves):\n    return 'e2e4'"), CONNECT4).player(CONNECT4, 1)
    with pytest.raises(players.Failed, match="'e2e4', not a number"):
        player.move(mc.ConnectFour())


# ---- files of results ------------------------------------------------------------------------------------------------


def summary(entries):
    return {"sum": sum(entry["value"] for entry in entries)}


def test_a_record_grows_and_is_read_again(tmp_path):
    path = tmp_path / "found.json"
    kept = record.Record(path, {"a": (1, 2)}, summary)
    assert kept.ordered() == [] and not path.exists()
    for number in (2, 0, 1):
        kept.add({"number": number, "value": 10 * number})
        document = json.loads(path.read_text())
        assert document["summary"] == {"sum": sum(entry["value"] for entry in document["results"])}
    assert document["settings"] == {"a": [1, 2]} and document["machine"]["python"]
    assert document["results"] == [{"number": number, "value": 10 * number} for number in (0, 1, 2)]
    again = record.Record(path, {"a": (1, 2)}, summary)
    assert again.ordered() == document["results"] and list(tmp_path.iterdir()) == [path]


def test_a_record_refuses_other_files(tmp_path):
    path = tmp_path / "found.json"
    record.Record(path, {"a": 1, "b": 2}, summary).add({"number": 0, "value": 1})
    with pytest.raises(record.OtherSettings, match=r"found.json was made with other settings: a 1 there, 3 here\."):
        record.Record(path, {"a": 3, "b": 2}, summary)
    for text in ("", "[]", "{}", '{"settings": {}, "results": [1]}'):
        path.write_text(text)
        with pytest.raises(ValueError, match="no file of results"):
            record.Record(path, {}, summary)
        assert path.read_text() == text


def test_a_record_without_a_file():
    kept = record.Record(None, {}, summary)
    kept.add({"number": 0, "value": 1})
    assert kept.ordered() == [{"number": 0, "value": 1}]


def test_build_is_a_digest():
    assert record.build() == record.build() and len(record.build()) == 16 and int(record.build(), 16) >= 0


# ---- matches ---------------------------------------------------------------------------------------------------------


def test_a_game_is_played_by_its_sides():
    strong, weak = (players.parse("", CONNECT4, iterations=count) for count in (2000, 1))
    for first in (0, 1):
        game = match.play_game(CONNECT4, (strong, weak), [3, 3], first, (1, 0))
        assert game["first"] == "AB"[first] and game["moves"][:2] == [3, 3] and game["points"] == 1
        state = mc.ConnectFour.from_moves(game["moves"])
        assert state.winner() == (1 if first == 0 else -1)
        assert game["thinking"]["A"][0] + game["thinking"]["B"][0] == len(game["moves"]) - 2
        swapped = match.play_game(CONNECT4, (weak, strong), [3, 3], first, (1, 0))
        assert swapped["points"] == 0 and not game["broken"]


def test_a_drawn_game():
    fixed = [int(digit) for digit in "102435768"]  # fills the board without a line
    setting = SimpleNamespace(player=lambda game, seed: SimpleNamespace(
        move=lambda state: fixed[len(state.moves)], proven=None))
    game = match.play_game(games.find("mnk:3,3,3"), (setting, setting), fixed[:2], 0, (1,))
    expected = mc.TicTacToe.from_moves(fixed).winner()
    assert game["moves"] == fixed and expected == 0 and game["points"] == 0.5


def test_proofs_that_the_game_does_not_bear_out():
    assert match.breaks("win", 0) and match.breaks("win", 0.5) and match.breaks("draw", 0)
    assert not any((match.breaks("win", 1), match.breaks("draw", 1), match.breaks("loss", 0.5), match.breaks(None, 0)))

    def setting(move, proven):
        return SimpleNamespace(player=lambda game, seed: SimpleNamespace(move=lambda state: move, proven=proven))

    game = match.play_game(CONNECT4, (setting(0, "loss"), setting(1, "win")), [], 0, (1,))
    assert game["points"] == 1 and game["broken"] == [1, 3, 5]
    pair = {"number": 0, "opening": [], "games": [game, game | {"first": "B", "broken": []}]}
    assert match.points([pair]) == [(1, 1)]


def test_broken_proofs_are_printed(capsys):
    game = {"first": "A", "points": 1.0, "broken": [4], "moves": [], "thinking": {"A": [1, 0.1, 0.1], "B": [0, 0, 0]}}
    match.report_match([{"number": 3, "games": [game, game | {"broken": []}]}])
    said = capsys.readouterr().out
    assert "Games in which a side got less than it had proven: 1. " in said
    assert "Otherwise the proof may be false.\npair 3, A first, at plies [4]\n" in said


def test_an_illegal_move_is_the_players_fault(tmp_path):
    wrong = players.parse(program(tmp_path, "def answer(moves):\n    return 9"), CONNECT4)
    with pytest.raises(players.Failed, match=r"A = command:.* played 8 after \[3\]"):
        match.play_game(CONNECT4, (wrong, wrong), [3], 1, (1,))


@pytest.mark.long
def test_a_match_repeats_and_goes_on(tmp_path):
    common = ["--iterations", 60, "--b-iterations", 20, "--b", "exploration=1.4", "--seed", 5]
    done = script(*common, "--games", 12, "--out", tmp_path / "whole.json")
    assert done.returncode == 0, done.stderr
    assert "12 games: +" in done.stdout and "pairs by points of A: 0: " in done.stdout
    whole = json.loads((tmp_path / "whole.json").read_text())
    assert [entry["number"] for entry in whole["results"]] == list(range(6))
    assert whole["summary"]["games"] == 12 == sum(whole["summary"][key] for key in ("wins", "draws", "losses"))
    assert whole["settings"]["a"]["iterations"] == 60 and whole["settings"]["b"]["options"] == {"exploration": 1.4}
    for games_wanted, workers in ((4, 1), (12, 2)):
        part = script(*common, "--games", games_wanted, "--workers", workers, "--out", tmp_path / "parts.json")
        assert part.returncode == 0, part.stderr
    parts = json.loads((tmp_path / "parts.json").read_text())
    assert without_clock(parts) == without_clock(whole) and parts["summary"] == whole["summary"]
    before = (tmp_path / "parts.json").read_text()
    refused = script(*common, "--seed", 6, "--out", tmp_path / "parts.json")
    assert refused.returncode == 1 and "made with other settings: seed 5 there, 6 here" in refused.stderr
    assert "Traceback" not in refused.stderr and (tmp_path / "parts.json").read_text() == before


def test_a_match_on_threads_is_the_same(tmp_path):
    common = ["--game", "mnk:4,4,3", "--iterations", "20", "--games", "8"]
    for name, executor in (("here", []), ("threads", ["--executor", "threads", "--workers", "3"])):
        assert match.main([*common, *executor, "--out", str(tmp_path / name)]) == 0
    here, threads = (json.loads((tmp_path / name).read_text()) for name in ("here", "threads"))
    assert without_clock(threads) == without_clock(here) and len(here["results"]) == 4


@pytest.mark.needs("signals to processes")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_leaves_a_file_that_can_go_on(tmp_path, workers):
    path = tmp_path / "found.json"
    command = [sys.executable, BENCH / "match.py", "--game", "mnk:7,7,5", "--iterations", "300", "--games", "4000",
               "--workers", str(workers), "--out", path]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not path.exists() and time.monotonic() < limit:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130 and "the same command goes on" in errors and "Traceback" not in errors
    document = json.loads(path.read_text())
    assert 0 < len(document["results"]) < 2000 and list(tmp_path.iterdir()) == [path]


@pytest.mark.needs("open_spiel")
def test_a_match_by_time_against_openspiel(tmp_path):
    done = script("--game", "mnk:4,4,3", "--seconds", 0.002, "--b", "openspiel:c=2", "--games", 2, "--out",
                  tmp_path / "found.json")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "found.json").read_text())
    assert document["settings"]["b"] == {"kind": "openspiel", "options": {"c": 2, "rollouts": 1, "solve": True},
                                         "seconds": 0.002}
    assert len(document["results"][0]["games"]) == 2 and "B took " in done.stdout


def test_a_sweep(tmp_path, capsys):
    assert match.main(["--game", "mnk:4,4,3", "--iterations", "20", "--games", "4", "--a-values",
                       "exploration=0.3,0.9", "--out", str(tmp_path / "found.json")]) == 0
    printed = capsys.readouterr().out
    assert "mcts_core(exploration=0.3), 20 iterations" in printed and "\nexploration  games" in printed
    for value in ("0.3", "0.9"):
        document = json.loads((tmp_path / f"found-exploration-{value}.json").read_text())
        assert document["settings"]["a"]["options"] == {"exploration": float(value)}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(("given", "message"), [
    (["--game", "chess"], "the game must be"), (["--a", "speed=3"], "speed"), (["--games", "3"], "must be even"),
    (["--seconds", "0.1", "--iterations", "5"], "not allowed with"), (["--holds"], "--b command:..."),
    (["--a-values", "exploration"], "--a-values must be"), (["--a-values", "speed=1"], "speed"),
    (["--executor", "threads", "--b", "command:x"], "one and the same program"),
    (["--out", "no/such/found.json"], "there is no folder"), (["--seconds", "-1"], "--seconds")])
def test_match_refuses(given, message, capsys):
    with pytest.raises(SystemExit) as end:
        match.parse(given)
    assert end.value.code == 2 and message in capsys.readouterr().err


def test_budgets_of_the_sides():
    args = match.parse(["--seconds", "0.2", "--b-iterations", "50"])
    assert args.a[0].budget == {"seconds": 0.2} and args.b.budget == {"iterations": 50}
    assert match.parse([]).b.budget == {"seconds": 0.1}
    assert match.parse(["--a-seconds", "2"]).a[0].budget == {"seconds": 2}


# ---- --holds ---------------------------------------------------------------------------------------------------------


def side(moves, scores=None):
    """A setting whose player makes the given moves in turn and, where asked, tells scores."""
    def player(game, seed):
        left = iter(moves)
        return SimpleNamespace(move=lambda state: next(left), proven=None, scores=lambda state: scores(state))

    return SimpleNamespace(player=player)


def test_a_win_that_is_held():
    found = holds.play(7, CONNECT4, (side([3, 3, 3, 3]), side([0, 0, 0], lambda state: [1] * 7)), 1)
    assert found["held"] and found["number"] == 7 and found["lost_at"] is None
    assert found["moves"] == [3, 0, 3, 0, 3, 0, 3]


def test_a_win_that_is_given_away():
    def scores(state):
        return [-1, 0, 2, 3, 1, -2, -3] if len(state.moves) >= 4 else [1] * 7

    for move, held in ((2, True), (1, False), (0, False)):
        sides = side([3, 3, move, 3, 3]), side([0, 0, 5, 5], scores)
        if held:
            assert holds.play(0, CONNECT4, sides, 1)["held"]
        else:
            found = holds.play(0, CONNECT4, sides, 1)
            assert not found["held"] and found["lost_at"] == 5 and found["moves"] == [3, 0, 3, 0, move]
            assert found["scores"] == [-1, 0, 2, 3, 1, -2, -3]


def test_scores_that_cannot_be():
    with pytest.raises(players.Failed, match="are wrong: A kept the win and did not get it"):
        holds.play(0, CONNECT4, (side([0, 2, 0, 6]), side([3, 3, 3, 3], lambda state: [1] * 7)), 1)


def test_what_holds_tells():
    lost = {"held": False, "moves": [3, 3, 2], "lost_at": 3, "scores": [-1, None, 0, 1, 0, 0, 0], "longest": 0.2}
    found = [lost, lost, {"held": True, "moves": [], "lost_at": None, "longest": 1.0}]
    assert holds.summary(found)["held"] == 1 and holds.summary(found)["lost_at"] == {"3": 2}
    assert holds.short(found) == "held 1 of 3" and holds.short([]) == ""
    assert "held 1 of 3: 33.3 % (" in holds.text(found) and "longest move 1.00 s" in holds.text(found)
    assert "lost at ply 3: 44 3   scores there -1 . 0 1 0 0 0   2 times" in holds.text(found)


def test_holds_is_played(tmp_path):
    rule = "def answer(moves):\n    moves = moves.strip('-')\n    return ' '.join(" \
           "'.' if moves.count(c) == 6 else str(int(c == '4') or -1) for c in '1234567')"
    command = ["--holds", "--b", program(tmp_path, rule), "--iterations", 50, "--out", tmp_path / "found.json"]
    for number in (3, 9):
        done = script(*command, "--games", number)
        assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "found.json").read_text())
    assert document["settings"]["mode"] == "holds" and document["summary"]["games"] == 9
    assert f"held {document['summary']['held']} of 9" in done.stdout
    for entry in document["results"]:
        assert entry["held"] != bool(entry["lost_at"])
        assert entry["held"] or entry["moves"][-1] != 3
