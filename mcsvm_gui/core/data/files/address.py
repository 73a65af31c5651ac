"""Where a scheduler listens, and whether anybody listens there: all that can be said without loading distributed."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from importlib.util import find_spec

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.options import Kind

PORT = 8786  # of Dask's schedulers, unless another is said
EXAMPLE = f"tcp://192.168.0.5:{PORT}"
SCHEMES = "tcp", "tls"
FORM = re.compile(r"(?:(\w+)://)?(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+)(?::(\d{1,5}))?/?")
MISSING = Sentence("a cluster is reached with the package distributed, which is not here: pip install distributed")
LONGEST_GREETING = 2**16
NO_SCHEDULER = Sentence("what answers there is no Dask scheduler")


@dataclass(frozen=True)
class Address(Kind):
    """Of a scheduler."""

    placeholder: str = "ADDRESS"

    def parse(self, text: str) -> str:
        return full_address(text)


def missing_library() -> Sentence | None:
    """What to install; None where it is there."""
    return MISSING if find_spec("distributed") is None else None


def full_address(address: str) -> str:
    """In full, as SCHEME://HOST:PORT; raises InputError where it is none, or without the library."""
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
    """Raises InputError with the reason where no scheduler can be reached; Dask would try on until its time is over."""
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
    """Dask speaks first: how long what follows is, in eight bytes; nobody else does so, and some for ever wait."""
    try:
        length = int.from_bytes(connection.recv(8), "little")
    except TimeoutError:
        return False
    return 0 < length < LONGEST_GREETING


def unreachable(address: str, why: object) -> InputError:
    return InputError("{address}: {why}", address=address, why=why)
