"""Compiled loops of the sequential methods."""
