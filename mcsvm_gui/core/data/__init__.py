"""Turn a file into a data set, and that into the input of a kernel."""
