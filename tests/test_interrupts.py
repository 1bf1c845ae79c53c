"""mcts_core/interrupts.py: Ctrl-C while the command line starts."""

import os
import signal
import subprocess
import sys

import pytest

INTERRUPTED = """
import sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            raise {error}

sys.meta_path.insert(0, Finder)
"""
STARTED = "import sys; from mcts_core.cli.main import main; sys.exit(main())"


@pytest.mark.parametrize("module", ["mcts_core.options", "argparse"])
@pytest.mark.parametrize("start", [["-m", "mcts_core"], ["mcts-core"]], ids=["module", "script"])
def test_ctrl_c_while_it_is_imported_prints_no_traceback(tmp_path, module, start):
    (tmp_path / "mcts-core").write_text(STARTED)

    def end_with(error):
        (tmp_path / "sitecustomize.py").write_text(INTERRUPTED.format(module=module, error=error))
        return subprocess.run(
            [sys.executable, *start, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])})

    done = end_with("KeyboardInterrupt")
    assert (done.stdout, done.stderr) == ("", "")
    assert done.returncode in (130, -signal.SIGINT, 0xC000013A)  # Python ends itself by the signal: 130 in a shell
    assert "ValueError: of another kind" in end_with("ValueError('of another kind')").stderr
