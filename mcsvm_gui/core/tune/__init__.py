"""Searches over C and gamma: their options, their cells, and their results."""
