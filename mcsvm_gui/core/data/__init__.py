"""From a file to a data set, and from there to what a kernel sees."""
