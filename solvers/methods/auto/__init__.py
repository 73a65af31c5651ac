"""`auto`, the default method: its decisions (conductor.py), their prices (price.py, pace.py), and its phases."""
