"""The trees: layouts, selection, expansion and backup, and what is done with a tree as a whole."""
