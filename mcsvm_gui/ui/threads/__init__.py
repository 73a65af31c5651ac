"""Threads and jobs; these modules use QtCore only."""
