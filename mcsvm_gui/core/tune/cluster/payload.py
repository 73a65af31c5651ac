"""The data that every task of a search needs: scattered to all workers once, and again after all holders were lost."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm_gui.core.cluster.connection import PATIENCE, Connection

if TYPE_CHECKING:
    from distributed import Future

RETURN_WITHIN = 60.0  # seconds to wait for a new worker after the last has left


class Payload:
    """Data on the workers; lives in the connection's thread."""

    def __init__(self, connection: Connection, content: Any) -> None:
        self.content, self._connection = content, connection
        self._future: Future | None = None
        self._sending = asyncio.Lock()

    async def sent(self) -> Future:
        async with self._sending:
            if self._future is None or self._future.status in ("cancelled", "lost", "error"):
                self._future = await self._send()
            return self._future

    async def _send(self) -> Future:
        deadline = time.monotonic() + RETURN_WITHIN
        while time.monotonic() < deadline and self._connection.client.status == "running":
            try:
                return await self._connection.client.scatter(self.content, broadcast=True, hash=False, timeout=PATIENCE)
            except OSError:  # no worker, or one that died meanwhile
                await asyncio.sleep(0.1)
        raise LostWorkers(
            "{address}: the scheduler has gone; what was done stands"
            if self._connection.client.status != "running"
            else "{address}: all workers have gone; what was done stands",
            address=self._connection.address,
        )
