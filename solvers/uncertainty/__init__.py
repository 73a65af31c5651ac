"""The uncertainty of predictions: probabilities, sets of classes, unfamiliar rows, and decisions by cost."""
