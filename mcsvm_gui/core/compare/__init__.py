"""Comparison of several runs on the same rows."""
