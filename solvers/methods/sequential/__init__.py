"""Sequential minimal optimization: working sets of a few variables, chosen anew in every step."""
