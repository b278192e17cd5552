"""How many clients may be connected at once, and how long a silent one is waited for.

Other users of the machine can connect too, and nobody knows who they are before they send a
request. Uvicorn waits for the head of a request without a limit: a few hundred clients that never
finish theirs would keep the page out. The guard limits how long the body may take.
"""

from __future__ import annotations

import asyncio

MAX_CONNECTIONS = 64  # a browser makes six connections to one address, and other windows wait
HEAD_SECONDS = 10.0
"""From the connection, or from the first byte after a response, to the end of a request's head."""


def protocol() -> type[asyncio.Protocol]:
    """Uvicorn's HTTP protocol with a timeout for the head of a request."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._start_timer()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._start_timer()
            else:
                self._stop_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def _start_timer(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(HEAD_SECONDS, self._close_if_idle)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _close_if_idle(self) -> None:
            self._timer = None
            if self.conn.their_state is h11.IDLE:
                self.transport.close()

    return Protocol
