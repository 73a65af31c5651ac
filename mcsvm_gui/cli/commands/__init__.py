"""One module per command, with a function `run`; `COMMANDS` in `cli/__init__.py` lists the commands."""
