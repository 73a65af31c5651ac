"""What keeps a search from a cluster is one sentence, and soon said."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from command_line import mcsvm

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster import connection, examining
from mcsvm_gui.core.cluster.examining import differences, examine
from mcsvm_gui.core.cluster.versions import versions
from mcsvm_gui.core.data.files import address
from mcsvm_gui.core.data.files.address import full_address
from mcsvm_gui.core.tune.cluster.dispatch import workers_at

pytest.importorskip("distributed")
RIGHT = {
    "10.0.0.7": "tcp://10.0.0.7:8786",
    " host:99 ": "tcp://host:99",
    "tls://h.example:1": "tls://h.example:1",
    "[::1]:8786": "tcp://[::1]:8786",
    "tcp://127.0.0.1:8786/": "tcp://127.0.0.1:8786",
}
WRONG = ["", "a b", "host:port", "http://host:80", "tcp://", ":8786", "host:0", "host:70000", "::1", "tcp://a:1/b"]


@pytest.mark.parametrize("text", RIGHT)
def test_an_address_is_completed(text: str) -> None:
    assert full_address(text) == full_address(RIGHT[text]) == RIGHT[text]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_is_said_before_anything_is_read(text: str) -> None:
    assert "tcp://" in mcsvm("tune", "no-such-file.csv", "--scheduler", text).complaint


def test_without_the_library_a_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "find_spec", lambda name: None)
    assert "pip install distributed" in mcsvm("tune", dataset("iris"), "--scheduler", "127.0.0.1").complaint


@pytest.fixture
def silent() -> Iterator[str]:
    """Something that listens and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def unheard() -> str:
    """Where nobody listens."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{closed.getsockname()[1]}"


def test_where_nobody_listens(unheard: str) -> None:
    began = time.monotonic()
    assert "nothing listens there" in mcsvm("tune", dataset("iris"), "--scheduler", unheard).complaint
    assert time.monotonic() - began < 5.0


def test_a_host_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"no host none\.invalid"):
        examine("none.invalid:8786")


def test_who_listens_but_is_no_scheduler(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    with pytest.raises(InputError, match="no Dask scheduler"):
        examine(silent)


def test_a_stop_is_heard_while_nobody_answers(silent: str) -> None:
    began = time.monotonic()
    with pytest.raises(LostWorkers), workers_at(silent, lambda: time.monotonic() - began > 0.2):
        pass
    assert time.monotonic() - began < 1.0


def test_differences_are_named_with_their_places() -> None:
    here = versions()
    assert differences({"worker a": here, "the scheduler": here}, here) == []
    other = {**here, "numpy": "1.0", "solvers": "x"}
    assert differences({"worker a": other, "worker b": here, "worker c": other}, here) == [
        f"numpy 1.0 there, {here['numpy']} here (worker a, worker c)"
    ]
    assert differences({"worker a": {**here, "solvers": "x"}}, here) == ["the sources of mcsvm differ (worker a)"]
    assert differences({"the scheduler": ModuleNotFoundError("no")}, here) == [
        "mcsvm is not installed there (the scheduler)"
    ]
    many = {f"worker {number}": ModuleNotFoundError("no") for number in range(9)}
    assert differences(many, here) == ["mcsvm is not installed there (worker 0, worker 1 and 7 more)"]


@pytest.mark.parametrize(
    ("threads", "found", "said"),
    [((), (), "no workers"), ((1, 2), ("numpy 1 there, 2 here (worker a)",), "numpy 1 there, 2 here")],
)
def test_a_cluster_that_gives_other_numbers_is_not_searched_on(
    threads: tuple[int, ...], found: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "examined", lambda line: examining.Examined(threads, found))
    monkeypatch.setattr(connection.Connection, "__enter__", lambda self: self)
    monkeypatch.setattr(connection.Connection, "__exit__", lambda *nothing: None)
    with pytest.raises(InputError, match=said), workers_at("127.0.0.1", lambda: False):
        pass
