"""The project file: every run with its trace, model and certificate, in one SQLite file."""
