"""State that the pages share: the open data, every run of the project, and the queue of jobs."""
