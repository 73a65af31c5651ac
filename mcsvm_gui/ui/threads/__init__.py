"""Threads and jobs: QtCore only."""
