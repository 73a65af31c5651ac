"""Explanations of a trained model in the columns of the file: contributions, counterfactuals, neighbours, maps."""
