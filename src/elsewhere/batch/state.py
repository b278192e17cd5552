"""What was begun, kept beside the output: a run that was killed is gone on with, or refused.

A run is gone on with only where it is the same run: the same dataset, the same models and the same
wishes. The key that each album's secret k is drawn from is made once and lies here, for its owner
alone.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from elsewhere.batch.lock import LOCK
from elsewhere.batch.schemas import FORMAT
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import Storage
from elsewhere.errors import InputError

STATE, SUMMARY = "batch.json", "summary.json"
_HALF = re.compile(rf"\.({re.escape(STATE)}|{re.escape(LOCK)})\.[0-9a-f]{{32}}")
"""What a run leaves that was killed while it wrote its first file."""


def refuse_foreign(storage: Storage) -> None:
    """InputError where a folder holds anything that is not a run's: it would be mixed up with it.

    That is looked at before anything is written, and so before the folder is shut to others.
    """
    found = storage.entries()
    others = [name for name in found if name != LOCK and not _HALF.fullmatch(name)]
    if others and STATE not in found:
        raise InputError(
            f"{storage.where} holds {others[0]} and is no run of batch: name a new folder"
        )


def begun(
    settings: Settings, storage: Storage, dataset: str, models: Mapping[str, str] | None = None
) -> Settings:
    """The settings with the run's key, new or found; InputError where another run lies there.

    `dataset` is the dataset's fingerprint, `models` are those of the scorers by their words.
    """
    if not storage.is_file(STATE):
        told = {
            "format": FORMAT,
            "input": settings.input,
            "dataset": dataset,
            "models": dict(models or {}),
            "settings": settings.seal(),
            "key": settings.key or secrets.token_hex(32),
        }
        storage.write(STATE, (json.dumps(told, indent=2) + "\n").encode())
    known = _read(storage)  # what is there now counts, whoever wrote it last
    if known.get("format") != FORMAT:
        raise InputError(f"{settings.output} was begun by another version: name a new folder")
    for name, now, what in (
        ("dataset", dataset, "of another dataset, or its files have changed since"),
        ("models", dict(models or {}), "with other scorers, or their models have changed since"),
        (
            "settings",
            settings.seal(),
            "with other wishes or settings, or of another version of elsewhere",
        ),
    ):
        if known.get(name) != now:
            raise InputError(
                f"{settings.output} holds a run {what}: give what was given then to go on with "
                "it, or name a new folder"
            )
    if settings.key and settings.key != known["key"]:
        raise InputError(f"{settings.output} holds a run with another key: name a new folder")
    return replace(settings, key=str(known["key"]))


def _read(storage: Storage) -> Mapping[str, Any]:
    """The file, if it is one of ours."""
    try:
        known = json.loads(storage.read(STATE))
    except ValueError:
        known = None
    if not isinstance(known, dict) or not isinstance(known.get("key"), str):
        raise InputError(
            f"{storage.path(STATE)} is damaged, and with it the key of the run: name a new folder"
        )
    return known
