import http.client
import json
import re
import signal
import socket
import subprocess
import sys

import pytest

from mcts_core.cli.main import main

COMMAND = [sys.executable, "-m", "mcts_core", "serve"]


@pytest.mark.needs("signals to processes")
def test_it_serves_until_ctrl_c(tmp_path):
    served = subprocess.Popen(
        [*COMMAND, "gomoku:9", "--port", "0", "--seconds", "0.5", "--max-threads", "1"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = served.stdout.readline()
        port = int(re.fullmatch(r"the page is at http://127\.0\.0\.1:(\d+)/ \(Ctrl-C ends it\)\n", line)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        own = f"127.0.0.1:{port}"
        connection.request("POST", "/api/sessions", "{}",
                           {"Origin": f"http://{own}", "Content-Type": "application/json"})
        answer = connection.getresponse().read()
        assert b'"size":9' in answer and b'"seconds":0.5' in answer
        served.send_signal(signal.SIGINT)
        out, err = served.communicate(timeout=20)
    finally:
        served.kill()
    assert (served.returncode, out, err) == (130, "", "\ninterrupted\n")


@pytest.mark.needs("signals to processes")
@pytest.mark.parametrize("moves", [[], ["0"]], ids=["search", "request"])
def test_ctrl_c_ends_it_while_a_game_does_not_return(tmp_path, moves):
    """In a search, or already where a request plays the moves of the game so far."""
    (tmp_path / "stuck_game.py").write_text(
        "import threading\n"
        "class Stuck:\n    to_move = 1\n    def legal_moves(self): return [0, 1]\n"
        "    def winner(self): return None\n"
        "    def play(self, move):\n        print('playing', flush=True)\n        threading.Event().wait()\n")
    program = "from mcts_core.cli import main, serve\nserve.PATIENCE = 0.3\nraise SystemExit(main.main())"
    served = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "stuck_game:Stuck", "--port", "0"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/", served.stdout.readline())[1])
        own = f"127.0.0.1:{port}"
        headers = {"Origin": f"http://{own}", "Content-Type": "application/json"}

        def ask(path, fields):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("POST", path, json.dumps(fields), headers)
            return connection

        key = json.loads(ask("/api/sessions", {}).getresponse().read())["id"]
        asked = ask(f"/api/sessions/{key}/search",
                    {"game": {"name": "stuck_game:Stuck"}, "moves": moves, "purpose": "answer"})
        assert served.stdout.readline() == "playing\n"
        served.send_signal(signal.SIGINT)
        out, err = served.communicate(timeout=20)
        asked.close()
    finally:
        served.kill()
    assert (served.returncode, out, err) == (130, "", "\ninterrupted\n")


@pytest.mark.parametrize("argv, words", [
    (["chess"], "GAME must be connect4"),
    (["mcts_core:TicTacToeX"], "module 'mcts_core' has no class"),
    (["--port", "65536"], "--port must be from 0 to 65535, got 65536"),
    (["--port", "0", "--seconds", "61"], "--seconds must be a number from 0.01 to 60, got 61"),
    (["--port", "0", "--threads", "2", "--max-threads", "1"], "--threads must be a whole number from 1 to 1, got 2"),
    (["--port", "0", "--max-games", "0"], "error: --max-games must be from 1 to 1000, got 0"),
    (["--port", "0", "--memory-mb", "nan"], "error: --memory-mb must be"),
    (["--port", "0", "--idle-minutes", "0"], "error: --idle-minutes must be"),
    (["--port", "0", "--max-searches", "0"], "error: --max-searches must be"),
])
def test_wrong_arguments(cli, argv, words):
    code, out, err = cli("serve", *argv)
    assert code == 2 and out == "" and words in err and err.count("\n") == 1


def test_a_python_game_is_the_first_of_the_page(tmp_path, monkeypatch):
    (tmp_path / "quiet_game.py").write_text(
        "class Quiet:\n    to_move = 1\n    def legal_moves(self): return [0]\n    def play(self, move): return self\n"
        "    def winner(self): return None\n")
    monkeypatch.syspath_prepend(tmp_path)
    served = []

    class Stub:
        url = "http://127.0.0.1:1/"

        def __init__(self, port, game, granted, **options):
            served.append((type(game).__name__, options["name"]))

        def serve_forever(self):
            pass

        def close(self):
            pass

    monkeypatch.setattr("mcts_core.web.server.Server", Stub)
    for argv in (["quiet_game:Quiet"], ["mcts_core:TicTacToe"], ["gomoku"]):
        assert main(["serve", *argv]) == 0
    assert served == [("Quiet", "quiet_game:Quiet"), ("TicTacToe", ""), ("Gomoku", "")]


def test_a_port_that_is_taken(cli):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = cli("serve", "--port", port)
    assert code == 2 and out == "" and err.startswith(f"mcts-core: error: port {port} cannot be used: ")
