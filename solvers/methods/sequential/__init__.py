"""Sequential minimal optimization: each step chooses a working set of a few variables and solves for it."""
