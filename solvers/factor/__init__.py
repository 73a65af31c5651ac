"""A low-rank factor of the kernel matrix and what works on it."""
