"""Plots: pyqtgraph items with setters and signals."""
