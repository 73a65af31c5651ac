"""What the application does, in plain Python and pandas; no Qt."""
