"""How many clients may be connected at once, and how long a silent one is waited for.

Other users of the machine can connect too, and nobody knows who they are before they send a
request. Uvicorn holds any number of connections, and waits for the head of a request without a
limit. Here a request too many takes the place of the connection that has waited longest without
one; those that have sent one before give way last, and those that are being answered never. The
guard limits how long the body may take.
"""

from __future__ import annotations

import asyncio
import errno
import sys
from typing import Any

MAX_CONNECTIONS = 64  # a browser makes six connections to one address, and other windows wait
MAX_WAITING = 32
"""Connections beyond that which are held until they send a request, or until more come."""
ACCEPTED_AT_ONCE = 8
"""Connections that are accepted before the first of them is looked at: each takes a descriptor."""
HEAD_SECONDS = 10.0
"""From the connection, or from the first byte after a response, to the end of a request's head."""
_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def protocol() -> type[asyncio.Protocol]:
    """Uvicorn's HTTP protocol with a limit on connections and a timeout for a request's head."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None
        _last_heard = 0.0
        _has_asked = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._last_heard = self.loop.time()
            self._start_timer()
            if not self._make_room(MAX_CONNECTIONS + MAX_WAITING):
                self.connections.discard(self)
                transport.abort()

        def data_received(self, data: bytes) -> None:
            if self.conn.their_state is h11.IDLE:
                self._make_room(MAX_CONNECTIONS)  # or uvicorn answers 503
            super().data_received(data)
            self._last_heard = self.loop.time()
            if self.conn.their_state is h11.IDLE:
                self._start_timer()
            else:
                self._has_asked = True
                self._stop_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def _make_room(self, limit: int) -> bool:
            """End the connections that are missed least; whether no more than `limit` are left."""
            if len(self.connections) <= limit:
                return True
            idle = [
                other
                for other in self.connections
                if isinstance(other, Protocol) and other is not self and other._is_idle()
            ]
            idle.sort(key=lambda other: (other._has_asked, other._last_heard))
            for other in idle[: len(self.connections) - limit]:
                self.connections.discard(other)  # it takes a moment to end
                other.transport.abort()
            return len(self.connections) <= limit

        def _is_idle(self) -> bool:
            is_answered = self.cycle is None or self.cycle.response_complete
            return is_answered and self.conn.their_state is h11.IDLE

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


class AcceptErrors:
    """The event loop's exception handler: no stack traces where descriptors run out."""

    def __init__(self) -> None:
        self._reported = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report the first of these in one sentence, and leave all others to the loop."""
        problem = context.get("exception")
        if not (isinstance(problem, OSError) and problem.errno in _NO_DESCRIPTORS):
            loop.default_exception_handler(context)
        elif not self._reported:
            self._reported = True
            print(
                "this program may open no more files, so new connections wait: end other users' "
                "connections, or raise the limit (ulimit -n)",
                file=sys.stderr,
            )
