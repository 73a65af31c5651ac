"""What the methods for linear kernels share: features as they keep them, and W = X' weights."""
