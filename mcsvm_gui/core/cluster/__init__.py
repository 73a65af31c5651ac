"""Trainings on a running Dask cluster. `distributed`, of the extra `cluster`, is imported on demand."""
