"""What a cluster is made of: workers, threads, and versions that differ from those here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import joined
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.cluster.versions import versions as versions_here
from mcsvm_gui.core.data.files.address import unreachable

if TYPE_CHECKING:
    from distributed import Client

ANSWER_WITHIN = 60.0  # seconds: workers that were never asked before load all that a search needs


@dataclass(frozen=True)
class Examined:
    threads: tuple[int, ...]  # of each worker
    differences: tuple[Sentence, ...]  # in words, of the workers and the scheduler

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
        raise unreachable(connection.address, Sentence("its workers give no answer")) from None


def checked_cluster(connection: Connection) -> Examined:
    """Raises InputError unless it gives the numbers that would be found here."""
    cluster = examined(connection)
    if not cluster.workers:
        raise unreachable(
            connection.address, Sentence("the scheduler has no workers; start some with: dask worker ADDRESS")
        )
    if cluster.differences:
        raise unreachable(
            connection.address,
            Sentence("{differences}; install the same everywhere", differences=_after_each_other(cluster.differences)),
        )
    return cluster


async def _examined(client: Client) -> Examined:
    threads = await client.nthreads()
    found = await client.run(versions_here, on_error="return")
    places: dict[str, Any] = {Sentence("worker {address}", address=place): found[place] for place in found}
    scheduler = Sentence("the scheduler")
    try:
        places[scheduler] = await client.run_on_scheduler(versions_here)
    except Exception as error:  # whatever it could not import
        places[scheduler] = error
    return Examined(tuple(threads.values()), tuple(differences(places, versions_here())))


def differences(places: Mapping[str, Mapping[str, str] | Exception], here: Mapping[str, str]) -> list[Sentence]:
    """One for each thing that differs, with the places where it does."""
    found: dict[Sentence, list[str]] = {}
    for place, versions in places.items():
        for difference in _differences(versions, here):
            found.setdefault(difference, []).append(place)
    return [
        Sentence("{difference} ({places})", difference=difference, places=_some(where))
        for difference, where in found.items()
    ]


def _differences(versions: Mapping[str, str] | Exception, here: Mapping[str, str]) -> list[Sentence]:
    if isinstance(versions, ModuleNotFoundError):
        return [Sentence("mcsvm is not installed there")]
    if isinstance(versions, Exception):
        reason = next(iter(str(versions).splitlines()), type(versions).__name__)
        return [Sentence("mcsvm does not run there: {reason}", reason=reason)]
    names = [name for name in here if versions.get(name) != here[name]]
    if "solvers" in names and len(names) > 1:
        names.remove("solvers")  # which numba and mcsvm are part of
    return [
        Sentence("the sources of mcsvm differ")
        if name == "solvers"
        else Sentence("{name} {there} there, {here} here", name=name, there=versions.get(name), here=here[name])
        for name in names
    ]


def _some(places: list[str]) -> str:
    if len(places) > 3:
        return Sentence("{some} and {count} more", some=joined(places[:2]), count=len(places) - 2)
    return joined(places)


def _after_each_other(sentences: Sequence[Sentence]) -> Sentence:
    first, *rest = sentences
    return Sentence("{first}; {rest}", first=first, rest=_after_each_other(rest)) if rest else first
