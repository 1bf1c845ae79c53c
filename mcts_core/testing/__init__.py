"""Game tables, kernels and trees from Python: for the tests alone. The wheel leaves it out."""
