"""What the pages share: the data at hand, every run of the project, and the queue of jobs."""
