"""Training on rows that are stored in several places and stay there: partitions, and the run that calls them."""
