"""The certificate of a copy: what was promised of which files, against whom, and the proof's data.

It holds the certificate of the plan (`protect/files/certificate.py`) whole, and beside it what
joins the plan to bytes on a disk: the files by digest, the models by fingerprint, the places by
name, and the score rows of photos that count but are not in the copy. Like that one it has no
clock time in it and is sealed by a digest that guards against accident, not against forgery. It
names the place and the secret k: it never lies in or around the copy. Its schema is
schemas/copy-certificate.json.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.certificate import (
    Certificate,
    certificate_from_record,
    digest_of,
    to_text,
)
from elsewhere.formats.validation import (
    Kind,
    expect,
    flag,
    many,
    maybe,
    parse,
    real,
    record,
    text,
    whole,
    wrong,
)
from elsewhere.values.plan import Plan
from elsewhere.values.promise import NOT_COVERED

FORMAT = "elsewhere-copy-certificate/1"
NOTES = (
    "This file names the place that is hidden: keep it to yourself.",
    "The files were read again from the disk and scored again, and the promise was proved on "
    "those scores, before the copy had its name.",
    f"What no promise here covers: better models, {NOT_COVERED}.",
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LIBRARIES = ("onnxruntime", "pillow", "torch")


@dataclass(frozen=True)
class SharedFile:
    """One file of a copy."""

    name: str
    """Its name in the copy."""
    photo: str
    """The id of the photo whose rendition it is."""
    sha256: str
    size: int
    """In bytes."""
    number: int
    """The photo's number in the plan."""


@dataclass(frozen=True)
class HiddenPlace:
    """A place that the promise hides."""

    label: str
    lat: float
    lon: float


@dataclass(frozen=True)
class Watched:
    """Which model, place and photos one attacker of the promise stands for, in their order."""

    attack: int
    """Which of the models."""
    place: int
    """Which of the hidden places."""
    whole: bool
    """Whether it adds up the whole album or the place's own photos."""
    radius_km: float


@dataclass(frozen=True)
class Model:
    """A scorer that the promise is against."""

    word: str
    """How to find it: the word that was typed, its file in full."""
    name: str
    fingerprint: str
    grid: str
    cells: int
    rows: str
    """Digest of the plan's own rows of the files, in the order of `files`."""


@dataclass(frozen=True)
class Public:
    """A photo that is kept but not in the copy, because it is out already: its rows count."""

    number: int
    rows: tuple[tuple[float, ...], ...]
    """One for each model, exactly."""


@dataclass(frozen=True)
class CopyCertificate:
    """What there is to say of a copy before it is sealed, or after it was read."""

    top: int | None
    """The k that was asked for; the one really used is in the promise."""
    verdict: str
    hidden: tuple[HiddenPlace, ...]
    watches: tuple[Watched, ...]
    models: tuple[Model, ...]
    recipe: str
    photos: tuple[str, ...]
    """The ids of all photos of the plan, in its order."""
    files: tuple[SharedFile, ...]
    """By number, ascending."""
    posted: tuple[Public, ...]
    """By number, ascending."""
    plan: Certificate

    @property
    def promised(self) -> Plan:
        """The plan whose promise the copy keeps."""
        return self.plan.plan


def _read_digest(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _SHA256.fullmatch(value):
        raise wrong(where, "a SHA-256 in hexadecimal")
    return value


_digest = Kind(str, _read_digest)
_FILE = {"name": text, "photo": text, "sha256": _digest, "size": whole, "number": whole}
_MODEL = {
    "word": text, "name": text, "fingerprint": text, "grid": text, "cells": whole, "rows": _digest,
}  # fmt: skip
_FIELDS: dict[str, Kind] = {
    "top": maybe(whole),
    "verdict": text,
    "hidden": many(record(HiddenPlace, {"label": text, "lat": real, "lon": real})),
    "watches": many(
        record(Watched, {"attack": whole, "place": whole, "whole": flag, "radius_km": real})
    ),
    "models": many(record(Model, _MODEL)),
    "recipe": text,
    "photos": many(text),
    "files": many(record(SharedFile, _FILE)),
    "posted": many(record(Public, {"number": whole, "rows": many(many(real))})),
}
_NAMES = {"format", "notes", *_FIELDS, "plan", "versions", "digest"}


def seal(certificate: CopyCertificate, plan: dict[str, Any]) -> str:
    """The certificate as the text of its file; `plan` is the record of the plan's certificate."""
    fields = {name: kind.write(getattr(certificate, name)) for name, kind in _FIELDS.items()}
    document = {
        "format": FORMAT,
        "notes": list(NOTES),
        **fields,
        "plan": plan,
        "versions": versions(),
    }
    document["digest"] = digest_of(document)
    return to_text(document)


def read_copy_certificate(document: str) -> CopyCertificate:
    """The certificate in a JSON text, if it is whole and agrees with itself; else InputError."""
    found = parse(document)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"the certificate must be of the format {FORMAT}")
    expect(found, "the certificate", _NAMES)
    if found["digest"] != digest_of(found):
        raise InputError("the certificate was changed or damaged: its digest is not right")
    many(text).read(found["notes"], "notes")
    if not isinstance(found["versions"], dict):
        raise wrong("versions", "an object")
    many(text).read([*found["versions"].values()], "versions")
    fields = {name: kind.read(found[name], name) for name, kind in _FIELDS.items()}
    certificate = CopyCertificate(**fields, plan=certificate_from_record(found["plan"]))
    unlike = (_unlike_the_plan, _unlike_the_models, _unlike_the_promise)
    for problem in (problem for one in unlike for problem in one(certificate)):
        raise InputError(f"the certificate does not agree with itself: {problem}")
    return certificate


def versions() -> dict[str, str]:
    """What may change a score's last bits when it is updated, beside what the plan's tells."""
    found = {}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def _unlike_the_plan(certificate: CopyCertificate) -> Iterable[str]:
    """Where the files are not the photos that the plan keeps."""
    plan, files, posted = certificate.promised, certificate.files, certificate.posted
    if len(certificate.photos) != plan.promise.photos:
        yield "its photos are not as many as the plan's"
        return
    if not files:
        yield "it names no file"
    numbers = [file.number for file in files], [one.number for one in posted]
    if any(list(each) != sorted(set(each)) for each in numbers):
        yield "its files or posted photos are not in order"
    if sorted(numbers[0] + numbers[1]) != list(plan.kept):
        yield "its files are not the photos that the plan keeps"
    elif any(certificate.photos[file.number] != file.photo for file in files):
        yield "a file is said to be another photo than the plan's"
    names = [file.name for file in files]
    if len(set(names)) < len(names) or not all(names):
        yield "two files have one name"


def _unlike_the_promise(certificate: CopyCertificate) -> Iterable[str]:
    """Where more guesses are said to be wrong than is promised."""
    promise, top = certificate.promised.promise, certificate.top
    if (top is None) != (promise.budget is not None):
        yield "its top is not what was asked for"
    elif top is not None and any(one.top is None or one.top < top for one in promise.against):
        yield "its top is larger than the one that is promised"
    attackers = zip(certificate.watches, promise.against, strict=True)
    if any(watch.whole and against.sees is not None for watch, against in attackers):
        yield "an attacker is said to see the whole album, and sees a part of it"


def _unlike_the_models(certificate: CopyCertificate) -> Iterable[str]:
    """Where the models and places are not those that the promise is against."""
    models, plan = certificate.models, certificate.plan
    against = certificate.promised.promise.against
    if len(certificate.watches) != len(against):
        yield "its watches are not as many as the promise's attackers"
        return
    for watch, one, attacker in zip(certificate.watches, against, plan.attackers, strict=True):
        if not (0 <= watch.attack < len(models) and 0 <= watch.place < len(certificate.hidden)):
            yield "a watch is of a model or place that is not named"
            return
        model = models[watch.attack]
        told = (model.fingerprint, model.cells, model.grid)
        if told != (one.scorer, one.cells, attacker.grid):
            yield "a model is not the one that the promise is against"
    shown = [x for place in certificate.hidden for x in (place.lat, place.lon)]
    if not all(map(math.isfinite, [*shown, *(watch.radius_km for watch in certificate.watches)])):
        yield "a place or its radius is not finite"
    cells = [model.cells for model in models]
    if any([len(row) for row in one.rows] != cells for one in certificate.posted):
        yield "a posted photo does not have one row for each model"
    if not all(math.isfinite(x) for one in certificate.posted for row in one.rows for x in row):
        yield "a posted photo has scores that are not finite"
