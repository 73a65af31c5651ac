"""Trainings on a Dask cluster that is there already. `distributed`, of the extra `cluster`, is loaded on demand."""
