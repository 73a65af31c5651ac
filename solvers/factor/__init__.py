"""A low-rank factor of the kernel matrix, K ~ V V'; Newton systems and a central path over it."""
