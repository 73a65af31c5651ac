"""The low-rank interior point: a factor of the kernel, Newton systems in its columns, the path to the optimum."""
