"""Checks of data and plans for errors and risks: one class per finding, all in `table.CHECKS`."""
