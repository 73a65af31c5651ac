"""One module per format of data files, and helpers of a single format; their table is `core/data/formats.py`."""
