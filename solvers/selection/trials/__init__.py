"""The training of the cells of one fold: tasks, and the ways of training that share one kernel matrix."""
