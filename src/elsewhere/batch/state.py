"""One run at a time in one output: a second one is refused while the first is alive.

On a disk here the operating system holds the lock and lets go of it when the process ends, however
it ends. Elsewhere, and on network disks that know no locks, a small file is written anew every few
seconds: who finds it waits whether it changes. If it does, somebody is at work; if not, whoever
wrote it is dead and the file is taken over. No clocks are compared.

Of two that start in the same moment the one who wrote last stays: each writes its name, waits for
longer than the other can take between looking and writing, and looks who is there. Should a store
be so slow that even this fails, whoever finds another's name at its next sign of life stops.

What was begun, kept beside the output: a run that was killed is gone on with, or refused.

A run is gone on with only where it is the same run: the same dataset, the same models and the same
wishes. The key that each album's secret k is drawn from is made once and lies here, for its owner
alone.
"""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from elsewhere.batch.columns import FORMAT
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import HaltError, Storage, store_errors
from elsewhere.errors import ElsewhereError, FileError, InputError
from elsewhere.platform.files import take

LOCK = ".lock"
BEAT = 5.0
"""Seconds between two signs of life."""
_SILENCE = 3
"""So many beats without a sign of life, and whoever gave them is dead."""


class RunLock:
    """A lock that is held; one that the operating system holds cannot be lost."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.lost = threading.Event()

    def refuse_lost(self) -> None:
        """HaltError where another run holds it now."""
        if self.lost.is_set():
            raise HaltError(
                f"another run has taken over {self._storage.where}, or its file {LOCK} was taken "
                "away: this one stops, and what is written stays"
            )


@contextmanager
def alone_in(storage: Storage, beat: float | None = None) -> Iterator[RunLock]:
    """Within, no other run works in this output; InputError where one does."""
    if storage.here:
        with store_errors(storage.path(LOCK)):
            handle = os.open(Path(storage.root, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            held = take(handle)
            if held is False:
                raise _taken(storage, "")
            if held:
                yield RunLock(storage)
                return
        finally:
            os.close(handle)
    with _lease(storage, BEAT if beat is None else beat) as lease:
        yield lease


def _taken(storage: Storage, by: str) -> InputError:
    return InputError(
        f"another run{by} is at work in {storage.where}: wait until it is over or stop it, or "
        "name another folder"
    )


@contextmanager
def _lease(storage: Storage, beat: float) -> Iterator[RunLock]:
    """The lock as a file with signs of life."""
    _refuse_living(storage, beat)
    ours = f"{platform.node()} {os.getpid()} {uuid.uuid4().hex}"
    held, over = RunLock(storage), threading.Event()

    def live() -> None:
        number = 1
        while not over.wait(beat):
            number += 1
            with suppress(ElsewhereError):  # the next sign of life may come through
                if not _read(storage).startswith(ours):
                    held.lost.set()
                    return
                storage.write(LOCK, f"{ours} {number}".encode())

    storage.write(LOCK, f"{ours} 0".encode())
    time.sleep(beat)
    if not _read(storage).startswith(ours):
        raise _taken(storage, "")
    storage.write(LOCK, f"{ours} 1".encode())  # a store that cannot write over a file ends here
    thread = threading.Thread(target=live, name="elsewhere-batch-lock", daemon=True)
    thread.start()
    try:
        yield held
    finally:
        over.set()
        thread.join()
        with suppress(ElsewhereError):
            if _read(storage).startswith(ours):
                storage.remove(LOCK)


def _refuse_living(storage: Storage, beat: float) -> None:
    """InputError where somebody gives signs of life; a lock of the dead is nobody's."""
    first = _read(storage)
    if not first:
        return
    end = time.monotonic() + _SILENCE * beat
    while time.monotonic() < end:
        time.sleep(beat / 4)
        now = _read(storage)
        if not now:
            return
        if now != first:
            host, _, _ = now.partition(" ")
            raise _taken(storage, f" (on {host})")


def _read(storage: Storage) -> str:
    """What the file says; nothing where there is none. Who cannot ask must not think so."""
    if not storage.is_file(LOCK):
        return ""
    try:
        return storage.read(LOCK).decode("utf-8", "replace")
    except FileError:
        if storage.is_file(LOCK):
            raise
        return ""  # taken away in this moment


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
        record = {
            "format": FORMAT,
            "input": settings.input,
            "dataset": dataset,
            "models": dict(models or {}),
            "settings": settings.seal(),
            "key": settings.key or secrets.token_hex(32),
        }
        storage.write(STATE, (json.dumps(record, indent=2) + "\n").encode())
    known = _state_read(storage)  # what is there now counts, whoever wrote it last
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


def _state_read(storage: Storage) -> Mapping[str, Any]:
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
