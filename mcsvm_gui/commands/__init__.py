"""The commands of `mcsvm`, one file each; arguments.py is all that is loaded before one is chosen."""
