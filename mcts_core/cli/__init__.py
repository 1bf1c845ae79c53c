"""The command line ``mcts-core``: one module per command, on the public interface of ``mcts_core`` alone."""
