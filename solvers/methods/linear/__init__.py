"""Methods for linear kernels, which keep one weight per feature and never kernel values."""
