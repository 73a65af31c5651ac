"""One module per command, with a function `run`; which commands there are says `COMMANDS` in `cli/__init__.py`."""
