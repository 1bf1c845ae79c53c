"""Game tables, kernels and trees from Python: for the tests, and for check_game, which tests the tables of users."""
