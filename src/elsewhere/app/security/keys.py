"""The secrets of a server: a token that opens a session, the session's secret, signed links.

The page is opened with a token that works once and for a minute. It gets a secret in return, which
it sends in a header. There are no cookies: a browser shares them between all ports of a host, so
any other local server would receive ours. Whoever takes the port later could pose as the server:
so the page sends nothing before the server has shown that it knows the secret. Pictures cannot
carry a header. Their addresses are signed instead, each for one picture and for a short time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

TOKEN_SECONDS = 60.0  # long enough for a slow browser to start
LINK_SECONDS = 600.0  # the page fetches fresh links well before


class Keys:
    """The secrets of one running server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: dict[bytes, float] = {}
        self._secret = secrets.token_urlsafe(32)
        self._signing = secrets.token_bytes(32)

    def token(self) -> str:
        """A new token for the browser that is about to be opened."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens[_digest(token)] = self._clock() + TOKEN_SECONDS
        return token

    def exchange(self, token: str) -> str | None:
        """The session's secret for a token that is fresh and unused; None otherwise.

        >>> keys = Keys()
        >>> token = keys.token()
        >>> keys.admits(keys.exchange(token) or ""), keys.exchange(token)
        (True, None)
        """
        with self._lock:  # of two at once, only one succeeds
            expires = self._tokens.pop(_digest(token), None)
            now = self._clock()
            self._tokens = {other: end for other, end in self._tokens.items() if end > now}
        return self._secret if expires is not None and now < expires else None

    def admits(self, secret: str) -> bool:
        """Whether this is the session's secret, compared in constant time."""
        return hmac.compare_digest(_digest(secret), _digest(self._secret))

    def prove(self, nonce: str) -> str:
        """Shows who asks that this server knows the secret, without telling it.

        >>> keys = Keys()
        >>> keys.prove("ab") == keys.prove("ab"), keys.prove("ab") == Keys().prove("ab")
        (True, False)
        """
        message = f"server\n{nonce}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret.encode(), message, hashlib.sha256).hexdigest()

    def sign(self, path: str, seconds: float = LINK_SECONDS) -> str:
        """The path with a signature that replaces the secret for a while.

        >>> keys = Keys()
        >>> link = keys.sign("/thumbs/3")
        >>> path, _, query = link.partition("?")
        >>> expires, signature = (part.partition("=")[2] for part in query.split("&"))
        >>> keys.signed(path, expires, signature), keys.signed("/thumbs/4", expires, signature)
        (True, False)
        """
        expires = str(int(self._clock() + seconds))
        return f"{path}?e={expires}&s={self._signature(path, expires)}"

    def signed(self, path: str, expires: str, signature: str) -> bool:
        """Whether this path was signed by us and has not expired."""
        if not hmac.compare_digest(_digest(signature), _digest(self._signature(path, expires))):
            return False
        return self._clock() < int(expires)  # only digits were ever signed

    def _signature(self, path: str, expires: str) -> str:
        message = f"{path}\n{expires}".encode("utf-8", "surrogatepass")
        return hmac.new(self._signing, message, hashlib.sha256).hexdigest()


def _digest(text: str) -> bytes:
    """Equal lengths whatever was sent, so that the comparison takes the same time."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
