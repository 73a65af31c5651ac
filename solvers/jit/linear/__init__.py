"""Compiled loops of the methods for linear kernels."""
