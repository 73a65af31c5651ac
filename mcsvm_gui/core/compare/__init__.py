"""Several runs side by side on the same rows."""
