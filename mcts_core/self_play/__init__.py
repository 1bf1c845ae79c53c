"""Many games at once, as training data."""
