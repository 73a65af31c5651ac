"""How sure a prediction is: probabilities, sets of classes, rows of no class, and decisions by costs."""
