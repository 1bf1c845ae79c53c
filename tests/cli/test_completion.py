import shutil
import subprocess

import pytest

from mcts_core.cli import completion
from mcts_core.cli.main import build_parser

BASH = shutil.which("bash")


@pytest.fixture
def complete(cli, tmp_path):
    """What bash offers for the last word of a line."""
    if BASH is None:
        pytest.skip("needs bash")
    script = cli("completion", "bash")[1]

    def run(line):
        ask = f'COMP_LINE="{line}"; COMP_POINT=${{#COMP_LINE}}; _mcts_core; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run([BASH, "--norc", "-c", f"{script}\n{ask}"], cwd=tmp_path, capture_output=True, text=True)
        assert done.stderr == ""
        return done.stdout.split()

    return run


@pytest.mark.parametrize("line, words", [
    ("mcts-core ana", ["analyze"]), ("mcts-core analyze con", ["connect4"]), ("mcts-core analyze connect4 --se", [
        "--seconds", "--seed", "--selection"]), ("mcts-core play connect4 --level c", ["casual", "club"]),
    ("mcts-core play --side ", ["first", "second"]), ("mcts-core play --seconds ", []), ("mcts-core play gomoku:", []),
    ("mcts-core completion ", ["-h", "--help", "bash", "zsh", "fish"]), ("mcts-core ugi --game t", ["tictactoe"]),
    ("mcts-core --ver", ["--version"]), ("mcts-core play mnk", ["mnk:"])])
def test_bash(complete, line, words):
    assert complete(line) == words


def test_bash_completes_files(complete, tmp_path):
    (tmp_path / "best.net").write_text("")
    assert complete("mcts-core play gomoku --network be") == ["best.net"]
    assert complete("mcts-core kaggle-bundle be") == ["best.net"]
    assert complete("mcts-core bench be") == []


def test_every_command_and_option_is_in_every_script(cli):
    commands = completion.read(build_parser())
    assert len(commands) > 10
    for shell in completion.SHELLS:
        code, out, err = cli("completion", shell)
        assert code == 0 and err == ""
        for command in commands:
            assert command.name in out
            for choice in command.options:
                for word in choice.words:
                    fish = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
                    assert (fish if shell == "fish" else word) in out


@pytest.mark.parametrize("shell, option", [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_the_scripts_have_no_errors(cli, tmp_path, shell, option):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    path = tmp_path / "script"
    path.write_text(cli("completion", shell)[1], encoding="utf-8")
    done = subprocess.run([shell, option, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line, words", [
    ("mcts-core ana", ["analyze"]), ("mcts-core analyze con", ["connect4"]),
    ("mcts-core analyze connect4 --se", ["--seconds", "--seed", "--selection"]),
    ("mcts-core play --side ", ["first", "second"]), ("mcts-core play connect4 --level c", ["casual", "club"])])
def test_fish_completes(cli, tmp_path, line, words):
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("needs fish")
    path = tmp_path / "script"
    path.write_text(cli("completion", "fish")[1] + "\nfunction mcts-core; end\n", encoding="utf-8")
    ask = f"source {path}; complete -C '{line}'"
    done = subprocess.run([fish, "--no-config", "-c", ask], capture_output=True, text=True)
    assert done.stderr == "" and [each.split("\t")[0] for each in done.stdout.splitlines()] == words


def test_fish(cli):
    lines = cli("completion", "fish")[1].splitlines()
    assert "complete -c mcts-core -n __fish_use_subcommand -a play -d 'play against the engine'" in lines
    side = ("complete -c mcts-core -n '__fish_seen_subcommand_from play' -l side -x -a 'first second' "
            "-d 'the side that you play")
    assert any(line.startswith(side) for line in lines)
    assert any("-l network -r -F" in line for line in lines)


def test_an_unknown_shell_is_refused(cli):
    code, out, err = cli("completion", "tcsh")
    assert code == 2 and "invalid choice: 'tcsh'" in err
