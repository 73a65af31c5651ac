"""What a cluster is made of: workers, threads, and versions that differ from those here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.tune.cluster import worker
from mcsvm_gui.core.tune.cluster.address import unreachable
from mcsvm_gui.core.tune.cluster.connection import Connection

if TYPE_CHECKING:
    from distributed import Client

ANSWER_WITHIN = 60.0  # seconds: workers that were never asked before load all that a search needs


@dataclass(frozen=True)
class Examined:
    threads: tuple[int, ...]  # of each worker
    differences: tuple[str, ...]  # in words, of the workers and the scheduler

    @property
    def workers(self) -> int:
        return len(self.threads)


def examine(address: str) -> Examined:
    """Raises InputError where none can be reached."""
    with Connection(address) as connection:
        return examined(connection)


def examined(connection: Connection) -> Examined:
    try:
        return connection.call(_examined(connection.client), ANSWER_WITHIN)
    except TimeoutError:
        raise unreachable(connection.address, "its workers give no answer") from None


def fit(connection: Connection) -> Examined:
    """Raises InputError unless it gives the numbers that would be found here."""
    cluster = examined(connection)
    if not cluster.workers:
        raise unreachable(connection.address, "the scheduler has no workers; start some with: dask worker ADDRESS")
    if cluster.differences:
        raise unreachable(connection.address, f"{'; '.join(cluster.differences)}; install the same everywhere")
    return cluster


async def _examined(client: Client) -> Examined:
    threads = await client.nthreads()
    found = await client.run(worker.versions, on_error="return")
    places: dict[str, Any] = {f"worker {place}": found[place] for place in found}
    try:
        places["the scheduler"] = await client.run_on_scheduler(worker.versions)
    except Exception as error:  # whatever it could not import
        places["the scheduler"] = error
    return Examined(tuple(threads.values()), tuple(differences(places, worker.versions())))


def differences(places: Mapping[str, Mapping[str, str] | Exception], here: Mapping[str, str]) -> list[str]:
    """One for each thing that differs, with the places where it does."""
    found: dict[str, list[str]] = {}
    for place, versions in places.items():
        for difference in _differences(versions, here):
            found.setdefault(difference, []).append(place)
    return [f"{difference} ({_some(where)})" for difference, where in found.items()]


def _differences(versions: Mapping[str, str] | Exception, here: Mapping[str, str]) -> list[str]:
    if isinstance(versions, ModuleNotFoundError):
        return ["mcsvm is not installed there"]
    if isinstance(versions, Exception):
        return [f"mcsvm does not run there: {next(iter(str(versions).splitlines()), type(versions).__name__)}"]
    names = [name for name in here if versions.get(name) != here[name]]
    if "solvers" in names and len(names) > 1:
        names.remove("solvers")  # which numba and mcsvm are part of
    return [
        "the sources of mcsvm differ" if name == "solvers" else f"{name} {versions.get(name)} there, {here[name]} here"
        for name in names
    ]


def _some(places: list[str]) -> str:
    return ", ".join(places) if len(places) <= 3 else f"{', '.join(places[:2])} and {len(places) - 2} more"
