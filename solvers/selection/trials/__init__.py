"""How the cells of one fold are trained: tasks, and the ways of training that share one kernel matrix."""
