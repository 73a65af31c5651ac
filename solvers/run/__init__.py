"""The training loop: advances a method, samples, verifies claims of convergence in float64, writes checkpoints."""
