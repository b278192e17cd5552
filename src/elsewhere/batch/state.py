"""What was begun, kept beside the output: a run that was killed is gone on with, or refused.

A run is gone on with only where it is the same run: the same dataset and the same wishes. The key
that each album's secret k is drawn from is made once and lies here, for its owner alone.
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from elsewhere.batch.schemas import FORMAT
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import Storage
from elsewhere.errors import InputError

STATE, SUMMARY = "batch.json", "summary.json"


def begun(settings: Settings, storage: Storage, fingerprint: str) -> Settings:
    """The settings with the run's key, new or found; InputError where another run lies there."""
    if not storage.is_file(STATE):
        if storage.names() or storage.names("albums"):
            raise InputError(
                f"{settings.output} holds files that are no run of batch: name a new folder"
            )
        settings = replace(settings, key=settings.key or secrets.token_hex(32))
        told = {
            "format": FORMAT,
            "input": settings.input,
            "dataset": fingerprint,
            "settings": settings.seal(),
            "key": settings.key,
        }
        storage.write(STATE, (json.dumps(told, indent=2) + "\n").encode())
        if storage.here:
            with suppress(OSError):  # places and the key are its owner's business
                Path(storage.root).chmod(0o700)
        return settings
    known = json.loads(storage.read(STATE))
    if known.get("format") != FORMAT:
        raise InputError(f"{settings.output} was begun by another version: name a new folder")
    for name, now, what in (
        ("dataset", fingerprint, "of another dataset, or its files have changed since"),
        (
            "settings",
            settings.seal(),
            "with other wishes or settings, or of another version of elsewhere",
        ),
    ):
        if known[name] != now:
            raise InputError(
                f"{settings.output} holds a run {what}: give what was given then to go on with "
                "it, or name a new folder"
            )
    if settings.key and settings.key != known["key"]:
        raise InputError(f"{settings.output} holds a run with another key: name a new folder")
    return replace(settings, key=known["key"])
