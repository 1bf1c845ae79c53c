"""m,n,k games, gomoku and tic-tac-toe: positions, rollouts, knowledge, exact search."""
