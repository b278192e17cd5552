"""Where a job keeps what names the place: a folder of the user's own, away from what is shared.

The certificate and the report say what was hidden, so they never lie in or around the copy that
is handed out. Each target has a folder of its own in the user's data directory, found again from
the target's path alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

CERTIFICATE = "certificate.json"
"""The certificate's name inside the private folder."""
_NAME_LENGTH = 40


def data_folder() -> Path:
    """Where this user's private files belong; ELSEWHERE_DATA_DIR says otherwise."""
    own = os.environ.get("ELSEWHERE_DATA_DIR")
    if own:
        return Path(own) / "elsewhere"
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(home) / "elsewhere" / "Data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "elsewhere"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "elsewhere"


def private_folder(target: Path) -> Path:
    """The private folder of the copy at `target`; the same one each time, not made here."""
    whole = os.path.realpath(target)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(whole).name).strip(".-")[:_NAME_LENGTH]
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    return data_folder() / f"{name or 'copy'}-{digest}"
