"""Checks of games that users write."""
