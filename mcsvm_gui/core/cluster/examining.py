"""Examine a cluster: its workers, their threads, and versions that differ from those of this computer."""

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

ANSWER_WITHIN = 60.0  # seconds: at the first question, workers import everything that a search needs


@dataclass(frozen=True)
class Examined:
    threads: tuple[int, ...]  # of each worker
    differences: tuple[Sentence, ...]  # as sentences, of the workers and the scheduler

    @property
    def workers(self) -> int:
        return len(self.threads)


def examine(address: str) -> Examined:
    """Return the workers and the differences of a cluster. Raises InputError if it cannot be reached."""
    with Connection(address) as connection:
        return examined(connection)


def examined(connection: Connection) -> Examined:
    try:
        return connection.call(_examined(connection.client), ANSWER_WITHIN)
    except TimeoutError:
        raise unreachable(connection.address, Sentence("its workers give no answer")) from None


def checked_cluster(connection: Connection) -> Examined:
    """Return the examined cluster. Raises InputError unless it computes the same numbers as this computer."""
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
    except Exception as error:  # any import error of the scheduler
        places[scheduler] = error
    return Examined(tuple(threads.values()), tuple(differences(places, versions_here())))


def differences(places: Mapping[str, Mapping[str, str] | Exception], here: Mapping[str, str]) -> list[Sentence]:
    """Return one sentence for each difference, with the places where it occurs."""
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
        names.remove("solvers")  # numba and mcsvm are part of the solvers
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
