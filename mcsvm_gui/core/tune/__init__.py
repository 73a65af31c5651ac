"""Searches over C and gamma: what is searched, where, and what was found."""
