"""One BLAS thread, as MultiClassSVC uses: more only fight on matrices this small."""

from collections.abc import Iterator

import pytest

from mcsvm.solvers.work import limited


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    with limited(1):
        yield
