"""The address of a scheduler, and whether a scheduler listens there, without loading the package distributed."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from importlib.util import find_spec

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.options import Kind

PORT = 8786  # default port of Dask's schedulers
EXAMPLE = f"tcp://192.168.0.5:{PORT}"
SCHEMES = "tcp", "tls"
FORM = re.compile(r"(?:(\w+)://)?(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+)(?::(\d{1,5}))?/?")
MISSING = Sentence("a cluster is reached with the package distributed, which is not here: pip install distributed")
LONGEST_GREETING = 2**16
NO_SCHEDULER = Sentence("what answers there is no Dask scheduler")


@dataclass(frozen=True)
class Address(Kind):
    """The address of a scheduler."""

    placeholder: str = "ADDRESS"

    def parse(self, text: str) -> str:
        return full_address(text)


def missing_library() -> Sentence | None:
    """Return the advice to install the library; None if it is installed."""
    return MISSING if find_spec("distributed") is None else None


def full_address(address: str) -> str:
    """Return the complete address SCHEME://HOST:PORT; raise InputError if it is invalid, or without the library."""
    found = FORM.fullmatch(address.strip())
    scheme, host, port = found.groups() if found else (None, "", None)
    if found is None or scheme not in (None, *SCHEMES) or not 0 < int(port or PORT) < 2**16:
        raise InputError(
            "{address!r} is no address of a scheduler; one looks like {example}",
            address=address.strip(),
            example=EXAMPLE,
        )
    if reason := missing_library():
        raise InputError(reason)
    return f"{scheme or 'tcp'}://{host}:{port or PORT}"


def reach(address: str, seconds: float) -> None:
    """Raise InputError with the reason if no scheduler can be reached; Dask itself would retry until its timeout."""
    scheme, host, port = FORM.fullmatch(address).groups()  # type: ignore[union-attr] # it was checked
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds) as connection:
            if scheme == "tcp" and not _greets(connection):
                raise unreachable(address, NO_SCHEDULER)
    except ConnectionRefusedError:
        raise unreachable(address, Sentence("nothing listens there; is the scheduler running?")) from None
    except socket.gaierror:
        raise unreachable(address, Sentence("there is no host {host}", host=host)) from None
    except TimeoutError:
        raise unreachable(address, Sentence("no answer within {seconds:g} s", seconds=seconds)) from None
    except (OSError, UnicodeError) as error:
        raise unreachable(address, getattr(error, "strerror", None) or str(error)) from None


def _greets(connection: socket.socket) -> bool:
    """Return whether Dask answers. Only Dask sends first, a length in eight bytes; other servers may wait forever."""
    try:
        length = int.from_bytes(connection.recv(8), "little")
    except TimeoutError:
        return False
    return 0 < length < LONGEST_GREETING


def unreachable(address: str, why: object) -> InputError:
    return InputError("{address}: {why}", address=address, why=why)
