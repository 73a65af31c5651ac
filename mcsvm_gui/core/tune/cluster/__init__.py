"""Searches on many machines: the tasks of a plan on a Dask cluster that is there already.

`distributed`, of the extra `cluster`, is loaded only when a cluster is asked for.
"""
