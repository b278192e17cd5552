"""The file that gives the browser its token, readable by this user only.

Every user of the machine can see the command line that opens the browser. So the command names a
file, and the file redirects to the page with the token after the `#`, which no browser sends. The
file is deleted when a session was opened, or after a minute.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from html import escape
from pathlib import Path

from elsewhere.platform.threads import start_thread

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>elsewhere</title>
<p><a href="{url}" rel="noreferrer">Go on to elsewhere</a></p>
"""


class LoginPage:
    """The file, until it is removed."""

    def __init__(self, address: str, token: str) -> None:
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="elsewhere-open-"))  # 0700 from the start
        self.file = self._folder / "open.html"
        handle = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(_PAGE.format(url=escape(f"{address}#token={token}")))

    def show(self) -> bool:
        """Open it in the user's browser; False where there is none, or no memory.

        Some browsers block whoever starts them until they are closed: a thread waits for them.
        """
        import webbrowser

        def show() -> None:
            browser.open(self.file.as_uri())

        try:
            browser = webbrowser.get()
            start_thread(show)
        except (webbrowser.Error, MemoryError):
            return False
        return True

    def remove(self) -> None:
        """Delete it, if it is still there."""
        with self._lock:
            shutil.rmtree(self._folder, ignore_errors=True)
