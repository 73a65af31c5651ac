"""Searches on many machines: the tasks of a plan on an existing Dask cluster.

`distributed`, of the extra `cluster`, is loaded only when a cluster is requested.
"""
