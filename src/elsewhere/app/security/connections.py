"""How many may be connected at once, and how long somebody who says nothing is waited for.

Another user of the machine can connect as well, and nobody knows who they are before they have
asked for something. The web server itself waits as long as anybody likes for the head of a request,
so a few hundred who never finish theirs would keep the page's own requests out. What comes after
the head is the guard's: a body has its time there.
"""

from __future__ import annotations

import asyncio

MOST = 64
"""Connections at once. A browser makes six to one address, and keeps other windows waiting."""
HEAD_SECONDS = 10.0
"""From the connection, or from the first letter after an answer, to the end of a request's head."""


def protocol() -> type[asyncio.Protocol]:
    """The web server's protocol, less patient."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._wait()
            else:
                self._heard()

        def connection_lost(self, exc: Exception | None) -> None:
            self._heard()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._late is None:
                self._late = self.loop.call_later(HEAD_SECONDS, self._hang_up)

        def _heard(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _hang_up(self) -> None:
            self._late = None
            if self.conn.their_state is h11.IDLE:
                self.transport.close()

    return Protocol
