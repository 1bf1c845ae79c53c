"""The search behind the protocols by which programs play games against each other."""
