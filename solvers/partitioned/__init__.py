"""Training over rows that lie in several places and stay there: partitions, and the run that asks them in rounds."""
