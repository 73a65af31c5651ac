"""Reaching files: one or several, packed ones, what was pasted, and packages that some formats need."""
