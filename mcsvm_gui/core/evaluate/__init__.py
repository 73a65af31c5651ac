"""Measurements of a trained model: scores, margins, curves, and its recomputed certificate."""
