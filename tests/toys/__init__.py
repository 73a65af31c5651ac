"""One file of each kind that the application has a table of, as somebody would add it."""
