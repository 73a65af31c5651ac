"""ResourceMixin: threads and memory of MultiClassSVC, each by the name of this library and by that of scikit-learn."""

from __future__ import annotations

from mcsvm.solvers.scikit.constraints import DEFAULT_CACHE_MB, ParameterError
from mcsvm.solvers.work import cores


class ResourceMixin:
    """The parameters `threads` and `n_jobs`, which mean the same, and `cache_mb` and `cache_size`."""

    threads: int | None
    n_jobs: int | None
    cache_mb: float
    cache_size: float | None

    @property
    def _threads(self) -> int | None:
        """Return the number of threads; None means all cores. A negative `n_jobs` counts from all cores, as joblib's.

        Raise ParameterError if both parameters are given.
        """
        if self.n_jobs is None:
            return self.threads
        if self.threads is not None:
            raise ParameterError("threads and n_jobs mean the same. Set one of them.")
        return self.n_jobs if self.n_jobs > 0 else max(1, cores() + 1 + self.n_jobs)

    @property
    def _cache_mb(self) -> float:
        """Return the size of the cache in MB; raise ParameterError if both parameters are given."""
        if self.cache_size is None:
            return self.cache_mb
        if self.cache_mb != DEFAULT_CACHE_MB:
            raise ParameterError("cache_mb and cache_size mean the same. Set one of them.")
        return self.cache_size
