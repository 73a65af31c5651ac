"""Versions of Python, of packages and of the solvers on a worker, to compare with the client."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = "mcsvm", "numpy", "scipy", "numba", "scikit-learn", "pandas", "distributed"


def versions() -> dict[str, str]:
    """Return the versions of packages that compute numbers or transfer them."""
    from mcsvm.solvers.jit.store import PACKAGE, fingerprint

    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return {**found, "solvers": fingerprint(PACKAGE.rglob("*.py"))}
