"""What only tests call: game tables, kernels and trees from Python."""
