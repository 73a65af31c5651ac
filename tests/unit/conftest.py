"""One BLAS thread, as MultiClassSVC uses: more only fight on matrices this small. And what must run last."""

from collections.abc import Iterator

import pytest
from compiled_versions import watch

from mcsvm.solvers.work import limited

LAST = "test_every_compiled_function_was_compiled_once"
watch()


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    with limited(1):
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The census of compiled versions sees all that the other tests have called."""
    items.sort(key=lambda item: item.originalname == LAST if isinstance(item, pytest.Function) else False)
