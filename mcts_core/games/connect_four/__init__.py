"""Connect Four: positions, rollouts, knowledge, exact search."""
