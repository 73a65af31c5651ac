"""One module per format of data files, and what only one of them needs; their table is `core/data/formats.py`."""
