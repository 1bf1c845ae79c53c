"""``python -m mcts_core``: the command line."""

import sys

from mcts_core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
