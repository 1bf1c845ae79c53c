"""``python -m mcts_core``: the command line."""

import sys

try:
    from mcts_core.cli.main import main
except KeyboardInterrupt:  # Ctrl-C while it starts
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
