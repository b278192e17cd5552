"""The state of a run beside its output: the lock, and what was begun.

One run at a time works in an output. On a local disk the operating system holds the lock. Elsewhere
a small file is rewritten every few seconds: who finds it waits to see whether it changes. If it
does not, its writer is dead and the file is taken over. No clocks are compared. Of two that start
at once, the last writer stays; should both go on, the one that finds another's name stops.

A run is continued only with the same dataset, models and wishes. The key that each album's secret k
is drawn from lies here, for its owner alone.
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
from elsewhere.batch.merging import COUNTS, MERGES
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import HaltError, Storage, store_errors
from elsewhere.errors import ElsewhereError, FileError, InputError
from elsewhere.platform.files import take
from elsewhere.platform.threads import start_thread

LOCK = ".lock"
BEAT = 5.0  # seconds between two signs of life
_MISSED_BEATS = 3  # beats without a sign of life after which the writer counts as dead


class RunLock:
    """A held lock; one of the operating system cannot be lost."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.lost = threading.Event()

    def check_held(self) -> None:
        """HaltError where another run holds it now."""
        if self.lost.is_set():
            raise HaltError(
                f"another run has taken over {self._storage.address}, or its file {LOCK} was "
                "removed: this run stops, and what it wrote stays"
            )


@contextmanager
def run_lock(storage: Storage, beat: float | None = None) -> Iterator[RunLock]:
    """Keep other runs out of this output; InputError where one works there."""
    if storage.is_local:
        with store_errors(storage.path(LOCK)):
            handle = os.open(Path(storage.root, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            is_held = take(handle)
            if is_held is False:
                raise _busy_error(storage, "")
            if is_held:
                yield RunLock(storage)
                return
        finally:
            os.close(handle)
    with _lease(storage, BEAT if beat is None else beat) as lease:
        yield lease


def _busy_error(storage: Storage, by: str) -> InputError:
    return InputError(
        f"another run{by} is at work in {storage.address}: wait until it is over or stop it, or "
        "name another folder"
    )


@contextmanager
def _lease(storage: Storage, beat: float) -> Iterator[RunLock]:
    """The lock as a file that is rewritten regularly."""
    _check_abandoned(storage, beat)
    identity = f"{platform.node()} {os.getpid()} {uuid.uuid4().hex}"
    lock, ended, over = RunLock(storage), threading.Event(), threading.Event()

    def keep_alive() -> None:
        number = 1
        while not ended.wait(beat):
            number += 1
            with suppress(ElsewhereError):  # the next one may succeed
                if not _read_lock(storage).startswith(identity):
                    lock.lost.set()
                    return
                storage.write(LOCK, f"{identity} {number}".encode())

    def run() -> None:
        try:
            keep_alive()
        finally:
            over.set()

    storage.write(LOCK, f"{identity} 0".encode())
    time.sleep(beat)
    if not _read_lock(storage).startswith(identity):
        raise _busy_error(storage, "")
    storage.write(LOCK, f"{identity} 1".encode())  # fails where a store cannot overwrite
    try:
        start_thread(run)
    except MemoryError:
        storage.remove(LOCK)
        raise
    try:
        yield lock
    finally:
        ended.set()
        over.wait()
        with suppress(ElsewhereError):
            if _read_lock(storage).startswith(identity):
                storage.remove(LOCK)


def _check_abandoned(storage: Storage, beat: float) -> None:
    """InputError where another run is alive; the lock of a dead one is ignored."""
    first = _read_lock(storage)
    if not first:
        return
    deadline = time.monotonic() + _MISSED_BEATS * beat
    while time.monotonic() < deadline:
        time.sleep(beat / 4)
        current = _read_lock(storage)
        if not current:
            return
        if current != first:
            host, _, _ = current.partition(" ")
            raise _busy_error(storage, f" (on {host})")


def _read_lock(storage: Storage) -> str:
    """The text of the lock file; empty where there is none. Raises where that is unknown."""
    if not storage.is_file(LOCK):
        return ""
    try:
        return storage.read(LOCK).decode("utf-8", "replace")
    except FileError:
        if storage.is_file(LOCK):
            raise
        return ""  # removed just now


STATE, SUMMARY, WORK_FOLDER = "batch.json", "summary.json", "_work"
_PARTIAL_NAME = re.compile(rf"\.({re.escape(STATE)}|{re.escape(LOCK)})\.[0-9a-f]{{32}}")
"""What a run leaves that was killed while it wrote its first file."""


def check_folder(storage: Storage) -> None:
    """InputError where a folder holds files of others; checked before anything is written."""
    entries = storage.entries()
    foreign = [name for name in entries if name != LOCK and not _PARTIAL_NAME.fullmatch(name)]
    if foreign and STATE not in entries:
        raise InputError(
            f"{storage.address} holds {foreign[0]} and is not the output of a run: "
            "name a new folder"
        )


def begin_or_resume(
    settings: Settings, storage: Storage, dataset: str, models: Mapping[str, str] | None = None
) -> Settings:
    """The settings with the run's key, new or read; InputError where another run lies there.

    `dataset` is the dataset's fingerprint, `models` are those of the scorers.
    """
    record = {
        "format": FORMAT,
        "input": settings.input,
        "dataset": dataset,
        "models": dict(models or {}),
        "options": settings.options(),
        "key": settings.key or secrets.token_hex(32),
    }
    if not storage.is_file(STATE):
        storage.write(STATE, (json.dumps(record, indent=2) + "\n").encode())
    # read it again: another run may have written it
    try:
        state = json.loads(storage.read(STATE))
    except ValueError:
        state = None
    if not isinstance(state, dict) or not isinstance(state.get("key"), str):
        raise InputError(
            f"{storage.path(STATE)} is damaged, and with it the key of the run: name a new folder"
        )
    if state.get("format") != FORMAT:
        raise InputError(f"{settings.output} was begun by another version: name a new folder")
    if settings.key and settings.key != state["key"]:
        raise InputError(f"{settings.output} holds a run with another key: name a new folder")
    difference = _difference(state, record)
    if difference and not settings.update:
        raise InputError(
            f"{settings.output} holds a run {difference}: repeat the command that began it to "
            "resume it, give --update to redo only what has changed, or name a new folder"
        )
    # a run that is over is compared again: photos behind a path may have changed, and what failed
    # by bad luck is tried again
    is_over = storage.is_file(SUMMARY)
    if difference or (settings.update and is_over):
        storage.remove(SUMMARY)
        if storage.is_file(SUMMARY):
            raise FileError(f"{storage.path(SUMMARY)} cannot be removed: check who may write there")
        if is_over or not _has_same_blocks(state, record):
            storage.remove_folder(WORK_FOLDER)
        else:  # other files of the same rows
            storage.remove_folder(COUNTS)
            storage.remove(MERGES)
        record["key"] = state["key"]
        storage.write(STATE, (json.dumps(record, indent=2) + "\n").encode())
    return replace(settings, key=state["key"])


def _difference(state: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """How a run differs from the one that was begun; empty where it does not."""
    before, now = state.get("options"), record["options"]
    if isinstance(before, dict) and before != now:
        name = next(n for n in (*before, *now) if before.get(n) != now.get(n))
        values = [_shown(options.get(name)) for options in (before, now)]
        return f"with other options ({name} was {values[0]} and is {values[1]})"
    if state.get("models") != record["models"]:
        return "with other scorers, or their models have changed since"
    if state.get("dataset") != record["dataset"]:
        return "of another dataset, or its files have changed since"
    return ""


def _has_same_blocks(state: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether two runs write the same blocks: they differ only in what becomes of them."""
    runs = [{**run, "options": dict(run.get("options") or {})} for run in (state, record)]
    for run in runs:
        for name in ("--carry", "--partition-by"):  # the dataset's fingerprint tells the columns
            run["options"].pop(name, None)
    names = ("models", "dataset", "options")
    return all(runs[0].get(name) == runs[1].get(name) for name in names)


def _shown(value: Any) -> str:
    """The value of an option, as it is typed."""
    if value is None or value == []:
        return "not given"
    if isinstance(value, bool):
        return "given" if value else "not given"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
